"""The headline and strategies studies against plain Python on the same deals, and against the paper on many."""

import numpy as np
import pytest

from bayesbridge.capture import literal as paper
from bayesbridge.errors import NotationError
from bayesbridge.scoring import NEW, Scheme
from bayesbridge.studies import headline, strategies
from bayesbridge.studies.deals import deal_blocks
from tests.studies import literal

DEALS = 2_500


@pytest.fixture(scope="module")
def contracts():
    """(level, dummy level, table) of each deal that somebody bids, in plain Python."""
    found = []
    for masks in deal_blocks(DEALS, np.random.SeedSequence(8)):
        for row in masks:
            hands = literal.hands_of(row)
            if (bid := literal.auction(hands)) is not None:
                player, level, _ = bid
                found.append((level, paper.bid(hands[3]).level, literal.around_the_table(hands, player)))
    return found


def test_headline_counts_what_plain_python_counts(contracts):
    counts = headline.count(np.random.SeedSequence(8), DEALS)
    expected = np.zeros(headline.SHAPE, dtype=np.int64)
    for level, dummy_level, table in contracts:
        tricks = paper.capture(table[0], table[2]).T
        promised = tricks >= level + 6
        expected[level - 1, dummy_level, literal.play(table), int(promised)] += 1
    assert counts[0] == DEALS
    assert np.array_equal(counts[1:].reshape(headline.SHAPE), expected)
    assert expected.sum() > 200


CLUB = Scheme.of({"name": "club", "values": {"C": 6, "D": 6, "H": 8, "S": 8, "NT": 10}, "undertrick": "1/3"})


def test_schemes_are_told_apart_by_name_and_agree_with_the_sums():
    again = Scheme.of(NEW.mapping | {"name": "again"})
    found = headline.simulate(20_000, 1, 1, schemes=[again, CLUB])
    points = found.answers["points"]
    assert list(points) == ["old", "new", "again", "club"]
    assert points["new"] == points["again"]
    for name in ("old", "new"):
        assert points[name]["mean"] * found.counts["valid_bidder"] == pytest.approx(found.counts[f"net_points_{name}"])
    games = strategies.simulate(20_000, 1, 1, schemes=[again, CLUB]).answers["games"]
    assert list(games) == ["made", "tricks", "old", "new", "again", "club"]
    assert games["new"] == games["again"]
    # In strategies the first policies of both sides are those of the headline study, on the same deals.
    assert games["club"]["payoff"][0][0] == pytest.approx(points["club"]["mean"])
    with pytest.raises(NotationError, match="'made' is there already"):
        strategies.simulate(20_000, 1, 1, schemes=[Scheme.of(NEW.mapping | {"name": "made"})])


def test_the_paper_is_met_where_the_text_determines_it():
    found = headline.simulate(500_000, 1, 2, runs=3)
    by_name = {figure.name: figure for figure in found.figures}
    verdicts = dict(zip(by_name, found.verdicts(), strict=True))
    valid, both = (found.counts[name] for name in ("valid_bidder", "both_eligible"))

    def strays(hits, trials, measured, out_of):
        """Standard errors between an own share and the one of docs/reproduction.md, measured over 30 million deals."""
        return abs(hits / trials - measured) / np.sqrt(measured * (1 - measured) * (1 / trials + 1 / out_of))

    assert strays(valid, found.total, 0.1031, 30_000_000) < 5
    assert strays(both, found.total, 0.0010199, 30_000_000) < 5
    for name in (
        "deals with a valid bidder",
        "both eligible",
        "average bidder level, both eligible",
        "average dummy level, both eligible",
    ):
        assert verdicts[name] != "not determined by the text"
        assert abs(by_name[name].z) < 5
    # The reading of the play that comes closest.
    assert strays(found.counts["won"], valid, 0.6674, 3_093_000) < 5
    assert strays(found.counts["won_both_eligible"], both, 0.9547, 30_597) < 5
    assert by_name["win rate (%)"].own == pytest.approx(100 * found.counts["won"] / valid)
    assert by_name["win rate, both eligible (%)"].own == pytest.approx(100 * found.counts["won_both_eligible"] / both)
    assert verdicts["win rate (%)"] == verdicts["net points, old scheme"] == "not determined by the text"
    assert [run["deals"] for run in found.runs] == [500_000] * 3


def test_no_contract_at_all_is_no_error():
    found = headline.simulate(1, 1)
    assert found.counts["valid_bidder"] == 0
    assert {figure.own for figure in found.figures if "%" in figure.name} == {None}
    assert strategies.simulate(1, 1).answers["games"] == {}


def test_strategies_count_what_plain_python_counts(contracts):
    counts = strategies.count(np.random.SeedSequence(8), DEALS)
    some = contracts[::8]
    joint = np.zeros(strategies.SHAPE, dtype=np.int64)
    for level, _, table in contracts:
        joint[0, 0, level - 1, literal.play(table)] += 1
    assert np.array_equal(counts[1:].reshape(strategies.SHAPE)[0, 0], joint[0, 0])
    from bayesbridge.capture.outcomes import POLICIES
    from bayesbridge.capture.playout import NO_TRUMP, play_out

    masks = np.array([[hand.mask for hand in table] for _, _, table in some], dtype=np.uint64)
    out = np.empty(len(some), dtype=np.int8)
    for ours in range(3):
        for theirs in range(3):
            play_out(masks, np.zeros(len(some), dtype=np.int8), NO_TRUMP, ours, theirs, out)
            plain = [literal.play(table, POLICIES[ours], POLICIES[theirs]) for _, _, table in some]
            assert out.tolist() == plain


def test_games_are_consistent_with_their_counts():
    found = strategies.simulate(30_000, 3, 2)
    games = found.answers["games"]
    made = [[found.counts[f"{a}_{b}_made"] for b in strategies.POLICIES] for a in strategies.POLICIES]
    assert np.allclose(np.array(made) / found.counts["contracts"], games["made"]["payoff"])
    for game in games.values():
        payoff, row, column = (np.array(game[key]) for key in ("payoff", "row", "column"))
        assert row @ payoff @ column == pytest.approx(game["value"])
        assert (row @ payoff >= game["value"] - 1e-9).all()
        assert (payoff @ column <= game["value"] + 1e-9).all()
        assert np.allclose(game["row_exploitability"], game["value"] - payoff.min(axis=1), atol=1e-9)
        assert np.allclose(game["column_exploitability"], payoff.max(axis=0) - game["value"], atol=1e-9)


def test_equilibria_known_from_books():
    scissors = strategies.solve(np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]))
    assert scissors["row"] == pytest.approx((1 / 3,) * 3)
    assert scissors["value"] == pytest.approx(0.0, abs=1e-9)
    assert scissors["row_exploitability"] == pytest.approx((1.0,) * 3)
    saddle = strategies.solve(np.array([[2.0, 3.0], [1.0, 9.0]]))
    assert (saddle["value"], saddle["row"], saddle["column"]) == (pytest.approx(2.0), [1.0, 0.0], [1.0, 0.0])
    assert saddle["column_exploitability"] == pytest.approx((0.0, 7.0))
