"""One value says all that is said of tricks, for any output that declares to count them."""

import numpy as np
import pytest

import bayesbridge as bb

OPEN = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Reveal("N", "J54.AQ2.KQ76.A54"), bb.Length("E", "S", 5))


class Haggler:
    """Counts tricks of its own, and gives up on some layouts, which it marks by -1."""

    name = "haggler"
    outputs = (
        bb.plugins.Output(
            "haggled", "Tricks by haggling.", dtype="int8", tricks=bb.plugins.TrickCount(-1, "gives up", "it goes on")
        ),
    )

    def estimate(self, layouts, question):
        points = layouts.points[:, 1].astype(np.int8)
        return {"haggled": np.where(points > 6, -1, 7 + points)}


@pytest.fixture(scope="module")
def result():
    return bb.estimate(OPEN.infer(), ["capture", Haggler(), "play_out"])


def test_an_output_of_any_name_gets_its_goals(result):
    tricks = result.tricks("haggled")
    values = result["pmf"]["haggled"]["haggled_value"].values
    shares = result["pmf"]["haggled"].values
    assert tricks.fails == pytest.approx(shares[values == -1].sum())
    assert tricks.holds == pytest.approx(1 - tricks.fails)
    given = shares[values >= 0] @ values[values >= 0] / tricks.holds
    assert tricks.mean_if_held == pytest.approx(given)
    assert tricks.mean == pytest.approx(shares @ values)
    for goal, share in tricks.goals.items():
        assert share == pytest.approx(shares[values >= goal].sum())
        assert result.at_least("haggled").sel(tricks=goal) == pytest.approx(share)


def test_summary_and_picture_read_it(result):
    table = result.summary("haggled")
    tricks = result.tricks("haggled")
    assert table.loc["haggled: gives up", "mean"] == pytest.approx(tricks.fails)
    assert table.loc["haggled if it goes on", "mean"] == pytest.approx(tricks.mean_if_held)
    ax = bb.plots.tricks(result, "haggled", level=2)
    assert "gives\nup" in [label.get_text() for label in ax.get_xticklabels()]
    least = result.tricks("tricks").at_least(7)
    assert bb.plots.tricks(result, "tricks").get_title() == (
        f"Tricks of South, dummy North, in no trumps\n1NT makes (7 tricks or more): {100 * least:.0f} %"
    )


def test_what_counts_no_tricks_is_refused(result):
    with pytest.raises(bb.BayesBridgeError, match="'Delta' does not count tricks"):
        result.tricks("Delta")
    with pytest.raises(bb.BayesBridgeError, match="pick one by suit"):
        result.tricks("delta")
    with pytest.raises(bb.BayesBridgeError, match="no output 'luck'"):
        result.tricks("luck")
