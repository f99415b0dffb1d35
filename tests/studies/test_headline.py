"""The headline study against plain Python on the same deals.

And against the paper on many.
"""

from dataclasses import replace

import numpy as np
import pytest

from bayesbridge.capture import literal as paper
from bayesbridge.errors import NotationError
from bayesbridge.game.scoring import NEW, Scheme
from bayesbridge.studies import headline, strategies
from tests.studies import literal


def test_headline_counts_what_plain_python_counts():
    counts = headline.count(np.random.SeedSequence(8), literal.DEALS)
    expected = np.zeros(headline.SHAPE, dtype=np.int64)
    for level, dummy_level, table in literal.contracts():
        tricks = paper.capture(table[0], table[2]).T
        promised = tricks >= level + 6
        expected[level - 1, dummy_level, literal.play(table), int(promised)] += 1
    assert counts[0] == literal.DEALS
    assert np.array_equal(counts[1:].reshape(headline.SHAPE), expected)
    assert expected.sum() > 100


CLUB = Scheme.of(
    {
        "name": "club",
        "values": {"C": 6, "D": 6, "H": 8, "S": 8, "NT": 10},
        "undertrick": "1/3",
    }
)


def test_schemes_are_told_apart_by_name_and_agree_with_the_sums():
    again = replace(NEW, name="again")
    result = headline.simulate(20_000, 1, 1, schemes=[again, CLUB])
    points = result.answers["points"]
    assert list(points) == ["old", "new", "again", "club"]
    assert points["new"] == points["again"]
    for name in ("old", "new"):
        assert points[name]["mean"] * result.counts["valid_bidder"] == pytest.approx(
            result.counts[f"net_points_{name}"]
        )
    games = strategies.simulate(20_000, 1, 1, schemes=[again, CLUB]).answers["games"]
    assert list(games) == ["made", "tricks", "old", "new", "again", "club"]
    assert games["new"] == games["again"]
    # In strategies the first policies of both sides are those of the headline study, on
    # the same deals.
    assert games["club"]["payoff"][0][0] == pytest.approx(points["club"]["mean"])
    with pytest.raises(NotationError, match="'made' is there already"):
        strategies.simulate(20_000, 1, 1, schemes=[replace(NEW, name="made")])


def test_the_paper_is_met_where_the_text_determines_it():
    result = headline.simulate(500_000, 1, 2, runs=3)
    by_name = {figure.name: figure for figure in result.figures}
    verdicts = dict(zip(by_name, result.verdicts(), strict=True))
    valid, both_eligible = (
        result.counts[name] for name in ("valid_bidder", "both_eligible")
    )

    def strays(hits, trials, measured, out_of):
        """Standard errors between an own share and that of docs/reproduction.md.

        The latter was measured over 30 million deals.
        """
        return abs(hits / trials - measured) / np.sqrt(
            measured * (1 - measured) * (1 / trials + 1 / out_of)
        )

    assert strays(valid, result.total, 0.1031, 30_000_000) < 5
    assert strays(both_eligible, result.total, 0.0010199, 30_000_000) < 5
    for name in (
        "deals with a valid bidder",
        "both eligible",
        "average bidder level, both eligible",
        "average dummy level, both eligible",
    ):
        assert verdicts[name] != "not determined by the text"
        assert abs(by_name[name].z) < 5
    # The reading of the play that comes closest.
    assert strays(result.counts["won"], valid, 0.6674, 3_093_000) < 5
    assert strays(result.counts["won_both_eligible"], both_eligible, 0.9547, 30_597) < 5
    assert by_name["win rate (%)"].own == pytest.approx(
        100 * result.counts["won"] / valid
    )
    assert by_name["win rate, both eligible (%)"].own == pytest.approx(
        100 * result.counts["won_both_eligible"] / both_eligible
    )
    assert (
        verdicts["win rate (%)"]
        == verdicts["net points, old scheme"]
        == "not determined by the text"
    )
    assert [run["deals"] for run in result.runs] == [500_000] * 3


def test_no_contract_at_all_is_no_error():
    result = headline.simulate(1, 1)
    assert result.counts["valid_bidder"] == 0
    assert {figure.own for figure in result.figures if "%" in figure.name} == {None}
    assert strategies.simulate(1, 1).answers["games"] == {}
