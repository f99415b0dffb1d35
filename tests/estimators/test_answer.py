"""T is captures by the paper's rule, never a contract that makes.

And all that is said of tricks.
"""

import re

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.cli.screens import show_table
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.distribution import MOST_BARS
from bayesbridge.estimators.evaluate import ask, evaluate
from bayesbridge.estimators.odds import network_odds

ASKED = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32"]
WEAK = [
    *ASKED,
    "--reveal",
    "N:54.Q762.Q76.J654",
    "--method",
    "direct",
    "--draws",
    "1000",
]


def test_ten_captures_are_no_contract(answer):
    text = " ".join(answer("estimate", *WEAK).split())
    assert "T of S and N: captures by the paper's rule" in text
    assert "T ≥ 10: 100 %" in text
    assert "it is not the number of tricks at the table" in text
    assert "makes" not in text
    assert "4NT" not in text


DEFENDS = [
    *ASKED,
    "--players",
    "4",
    "--call",
    "W:3NT",
    "--call",
    "N:Pass",
    "--call",
    "E:Pass",
    "--call",
    "S:Pass",
]


def test_the_defenders_have_no_contract(answer):
    words = ("--draws", "100", "--estimator", "capture", "--estimator", "tricks")
    text = " ".join(answer("estimate", *DEFENDS, *words).split())
    assert "T of the defenders S and N" in text
    assert (
        "captures of the defenders S and N; this is not declarer's contract, 3NT by W."
        in text
    )
    assert (
        "would take if S declared; this is not declarer's contract, 3NT by W." in text
    )
    assert "makes" not in text


@pytest.mark.parametrize("contract", ["4S by W", "3NT by S", "2H by E"])
def test_the_chance_of_a_contract_is_that_of_the_estimator(contract):
    """Over all layouts, and over draws of many.

    They agree within four standard errors of both samples.
    """
    contract = bb.Contract.of(contract)
    belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32", dummy=None)
    pair = contract.declarer, contract.declarer.partner
    few = belief.infer("direct", draws=300, rng=1)
    many = belief.infer("direct", draws=4 * 1000, rng=2)
    for posterior in (few, many):
        result = bb.estimate(posterior, "tricks", pair=pair, trump=contract.strain)
        expected = result.tricks("tricks").at_least(contract.tricks_needed)
        share, error = network_odds(posterior, contract, 3).make
        if posterior is few:
            assert share == pytest.approx(expected, abs=1e-6)
        assert abs(share - expected) < 4 * error
        with_clubs = bb.estimate(posterior, "tricks", pair=pair, trump="C")
        assert with_clubs.tricks("tricks").at_least(
            contract.tricks_needed
        ) != pytest.approx(expected, abs=1e-3)


class Several:
    """An estimator with an output of each kind.

    One number, one over a wide range, one with labels, and one that is no whole number.
    """

    name = "several"
    outputs = (
        bb.plugins.Output(
            "partner_hcp", "High-card points of the second seat.", dtype="int16"
        ),
        bb.plugins.Output("wide", "Two hundred times that.", dtype="int16"),
        bb.plugins.Output(
            "by_strain", "Rank of the strain.", ("strain", "seat"), "int8"
        ),
        bb.plugins.Output("by_card", "Place of the card.", ("card",), "int8"),
        bb.plugins.Output("half", "Half the points.", dtype="float64"),
    )

    def estimate(self, layouts, question):
        points = layouts.points[:, question.pair[1]].astype(np.int16)
        n = len(layouts)
        return {
            "partner_hcp": points,
            "wide": 9 * points,
            "by_strain": np.broadcast_to(
                np.arange(1, 6, dtype=np.int8)[:, None], (n, 5, 4)
            ),
            "by_card": np.broadcast_to(np.arange(52, dtype=np.int8), (n, 52)),
            "half": points / 2,
        }


def test_every_output_is_shown_as_what_it_is(capsys):
    posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer("direct", draws=400, rng=1)
    evaluation = evaluate(posterior, [Several()], ask(posterior))
    for table in Answer.of(evaluation).tables:
        show_table(table)
    text = capsys.readouterr().out
    assert "captur" not in text
    assert "tricks" not in text
    points = posterior.layouts.points[:, 0]
    assert "partner_hcp, for S and N: High-card points of the second seat." in text
    assert re.search(rf"partner_hcp = 7 +{100 * (points == 7).mean():.1f} %", text)
    assert (
        1 < sum(line.startswith("wide = ") for line in text.splitlines()) <= MOST_BARS
    )
    shown = [
        line.split()[:2]
        for line in text.splitlines()
        if re.match("(NT|[SHDC]) [NESW] ", line)
    ]
    assert shown[0] == ["NT", "S"]
    assert len(shown) == 20
    cards = text.partition("by_card: ")[2].splitlines()
    assert cards[4].startswith("SA")
    assert "… and 31 more rows of by_card, which --json prints." in cards
    assert "half: Half the points." in text


OPEN = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(
    bb.Reveal("N", "J54.AQ2.KQ76.A54"), bb.Length("E", "S", 5)
)


class Haggler:
    """Counts tricks of its own, and gives up on some layouts, which it marks by -1."""

    name = "haggler"
    outputs = (
        bb.plugins.Output(
            "haggled",
            "Tricks by haggling.",
            dtype="int8",
            tricks=bb.plugins.TrickCount(-1, "gives up", "it goes on"),
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
    mean_if_held = shares[values >= 0] @ values[values >= 0] / tricks.holds
    assert tricks.mean_if_held == pytest.approx(mean_if_held)
    assert tricks.mean[0] == pytest.approx(shares @ values)
    for goal, share in tricks.goals.items():
        assert share == pytest.approx(shares[values >= goal].sum())
        assert result.at_least("haggled").sel(tricks=goal) == pytest.approx(share)


def test_summary_and_picture_read_it(result):
    table = result.summary("haggled")
    tricks = result.tricks("haggled")
    assert table.loc["haggled: gives up", "mean"] == pytest.approx(tricks.fails)
    assert table.loc["haggled if it goes on", "mean"] == pytest.approx(
        tricks.mean_if_held
    )
    ax = bb.plots.tricks(result, "haggled", level=2)
    assert "gives\nup" in [label.get_text() for label in ax.get_xticklabels()]
    least = result.tricks("play_out_tricks").at_least(7)
    assert bb.plots.tricks(result, "play_out_tricks").get_title() == (
        "Tricks of South, dummy North, in no trumps\n"
        f"1NT makes (7 tricks or more): {100 * least:.0f} %"
    )
