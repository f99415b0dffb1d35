"""Deals asked for in Python, by evidence, cards, conditions, tests and calls."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

import bayesbridge as bb
from bayesbridge.dealing.call_draws import CUT, call_draws
from bayesbridge.dealing.plan import DealPlan, solve
from bayesbridge.dealing.run import Numbering
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.game.calls import Vulnerability
from tests.dealing.plain_conditions import holds

ALL_DEALS = 53644737765488792839237440000


def test_counts_agree_with_a_belief():
    hand = "AKQ2.KJ3.A54.Q32"
    evidence = (bb.Void("E", "H"), bb.Length("W", "S", 5), bb.HighCards("W", 6, 12))
    plan = DealPlan.of(*evidence, given={"S": hand})
    assert plan.count == bb.Belief("S", hand).given(*evidence).count()
    assert DealPlan.of().count == ALL_DEALS
    assert DealPlan.of().probability == 1


@pytest.mark.parametrize(
    "planned",
    [
        lambda: DealPlan.of(condition="hcp(north) > 20"),
        lambda: DealPlan.of(where=lambda layouts: layouts.points[:, 0] > 12),
        lambda: DealPlan.of(AUCTION, bidder=Points()),
    ],
    ids=["tables", "tested", "calls"],
)
def test_the_same_seed_gives_the_same_deals_and_more_begin_with_fewer(planned):
    plan = planned()
    assert np.array_equal(plan.deals(50, rng=3).masks, plan.deals(80, rng=3).masks[:50])
    assert not np.array_equal(plan.deals(50, rng=3).masks, plan.deals(50, rng=4).masks)


def test_where_keeps_what_it_says_and_warns_when_few_pass():
    deals = bb.deals(20, where=lambda layouts: layouts.points[:, 1] > 12, rng=1)
    assert (deals.points[:, 1] > 12).all()
    with pytest.warns(UserWarning, match="of the draws are kept"):
        bb.deals(2, where=lambda layouts: layouts.points[:, 1] > 25, rng=1)
    with pytest.raises(
        bb.BayesBridgeError, match="0 of 2 deals were found in 500 draws"
    ):
        bb.deals(2, where=lambda layouts: layouts.points[:, 1] > 37, rng=1, most=500)
    with pytest.raises(bb.BayesBridgeError, match="one boolean for each"):
        bb.deals(2, where=lambda layouts: layouts.points, rng=1)


def test_a_tested_rest_gives_the_same_deals_as_tables():
    exact = DealPlan.of(condition="hcp(north) >= 15").frequency("spades(south)")
    tested = DealPlan.of(where=lambda layouts: layouts.points[:, 0] >= 15).deals(
        4_000, rng=5
    )
    for (length,), chance in exact.items():
        share = (tested.lengths[:, 2, 3] == length).mean()
        assert abs(share - float(chance)) <= 5.5 * np.sqrt(float(chance) / 4_000) + 1e-3


def test_statistics_are_exact():
    plan = DealPlan.of(condition="hcp(north) + hcp(south) == 25")
    assert plan.average("hcp(north) + hcp(south)") == 25
    assert plan.average("hcp(north)") == Fraction(25, 2)
    assert sum(plan.frequency("hcp(north)", "hcp(south)").values()) == 1
    with pytest.raises(bb.errors.TablesTooLarge, match="draw deals"):
        DealPlan.of(where=lambda layouts: layouts.points[:, 0] > 3).frequency(
            "hcp(north)"
        )


def test_plans_say_what_is_exact_and_what_is_tested():
    plan = DealPlan.of(condition="hcp(north) > 15 && rnd(2) == 1")
    assert not plan.exact
    assert plan.count is None
    assert plan.probability is None
    assert "Tested on each draw:" in plan.lines()
    assert repr(plan) == "<DealPlan: 1 parts exact, 1 tested>"
    search = plan.search(1_000, 1)
    assert abs(search.rate - 0.5) <= 5 * search.error


def test_what_does_not_fit_into_tables_is_tested():
    text = (
        "shape(north, any 4333 + any 4432) && hcp(north) == 16 "
        "&& hcp(south) >= 20 && hcp(east) < 2"
    )
    plan = DealPlan.of(condition=text)
    assert len(plan.plan.exact) == 3
    assert len(plan.plan.tested) == 1
    points = bb.plugins.high_card_points(plan.search(50, 1).first(50))
    assert (points[:, 0] == 16).all()
    assert (points[:, 1] < 2).all()
    assert (points[:, 2] >= 20).all()


def test_nothing_fits():
    with pytest.raises(
        bb.errors.Contradiction, match="no deal fits what is given and the condition"
    ):
        DealPlan.of(condition="hcp(north) > 37")
    with pytest.raises(
        bb.errors.Contradiction, match=r"in conflict: N holds SA; S holds SA$"
    ) as caught:
        DealPlan.of(bb.Holds("N", "SA"), bb.Void("E", "H"), bb.Holds("S", "SA"))
    assert caught.value.data["evidence"] == (bb.Holds("N", "SA"), bb.Holds("S", "SA"))
    with pytest.raises(
        bb.errors.Contradiction, match="SA is given to N and to S: give it once"
    ):
        DealPlan.of(given={"S": "AKQ2.KJ3.A54.Q32", "N": "A..."})
    with pytest.raises(
        bb.errors.Contradiction, match="S is given 14 cards: a hand has 13"
    ):
        DealPlan.of(given={"S": "AKQ.AKQ.AKQ.AKQJT"})
    with pytest.raises(bb.errors.NotationError, match="give the card with Holds"):
        DealPlan.of(bb.Play("N", "SA"))
    with pytest.raises(bb.BayesBridgeError, match="ask for 0 to"):
        DealPlan.of().deals(10**9)


def test_boards_rotate():
    dealers = "".join(Numbering().dealer_of(board).name for board in range(1, 9))
    assert dealers == "NESWNESW"
    assert [
        Numbering().vulnerable_on(board).value
        for board in (1, 2, 3, 4, 5, 8, 13, 16, 17)
    ] == [*("None", "NS", "EW", "All", "NS", "None", "All", "EW", "None")]
    fixed = Numbering(5, bb.Seat.W, Vulnerability.ALL)
    (record,) = fixed.records(bb.deals(1, rng=1))
    assert (record.board, record.dealer, record.vulnerable) == (
        "5",
        bb.Seat.W,
        Vulnerability.ALL,
    )


AUCTION = bb.Auction.of("N:2NT Pass 3NT")


def opens(points):
    return 1 / (1 + np.exp(-1.5 * (points - 23.0)))


def raises(points):
    return 0.8 / (1 + np.exp(-1.0 * (points - 7.0)))


class Points:
    """Opens 2NT and raises by points alone, and always passes.

    So exact counts by points tell the posterior.
    """

    def log_likelihood(self, hands, auction, index):
        if str(auction.calls[index]) == "Pass":
            return np.zeros(len(hands))
        points = bb.plugins.high_card_points(hands).astype(float)
        return np.log(opens(points) if index == 0 else raises(points))


def posterior(condition):
    """P(points of North, points of South) and P(calls), exactly.

    These are counts times likelihoods.
    """
    counts = DealPlan.of(condition=condition).frequency("hcp(north)", "hcp(south)")
    weights = {
        (n, s): float(share) * opens(n) * raises(s) for (n, s), share in counts.items()
    }
    total = sum(weights.values())
    return {pair: weight / total for pair, weight in weights.items()}, total


def agreement(shares, points):
    """p of a χ² test of drawn points of North and South against exact shares.

    Rare pairs are put together.
    """
    n = len(points)
    drawn = {}
    for north, south in points[:, [0, 2]].tolist():
        drawn[north, south] = drawn.get((north, south), 0) + 1
    common = [pair for pair, share in shares.items() if n * share >= 8]
    observed = [drawn.get(pair, 0) for pair in common]
    expected = [n * shares[pair] for pair in common]
    observed.append(n - sum(observed))
    expected.append(n - sum(expected))
    return chisquare(observed, expected).pvalue


@pytest.mark.parametrize(
    ("condition", "by_tilts"),
    [
        ("1", True),
        ("spades(north) >= 5", True),
        ("hcp(north) + hcp(south) >= 30", False),
    ],
)
def test_deals_follow_the_exact_posterior(condition, by_tilts):
    """Tilted where the calls point, or by rejection."""
    plan = DealPlan.of(condition=condition).plan
    calls = call_draws(plan, AUCTION, Points())
    assert calls.exact is not by_tilts
    search = DealPlan(plan, calls=calls).search(1500, 3)
    masks = search.first(1500)
    shares, chance = posterior(condition)
    assert abs(calls.chance - chance) <= 5 * calls.error
    assert agreement(shares, bb.plugins.high_card_points(masks)) > 1e-6
    assert all(
        holds(parse_expression(condition), deal) for deal in masks[:200].tolist()
    )
    assert search.rate > min(5 * chance, 0.1) or not by_tilts
    assert search.cut <= 10 * CUT


def test_deals_that_are_not_kept_by_their_weight_would_be_noticed():
    plan = DealPlan.of().plan
    calls = call_draws(plan, AUCTION, Points())
    masks, _ = calls.propose(1500, np.random.default_rng(3))
    assert agreement(posterior("1")[0], bb.plugins.high_card_points(masks)) < 1e-6


def test_a_plan_takes_the_plain_way_unless_the_auction_is_rare():
    common = DealPlan.of(bb.Auction.of("N:Pass"), bidder=Points())
    assert common.calls.exact
    assert common.calls.chance == pytest.approx(1.0)
    rare = DealPlan.of(AUCTION, bidder=Points())
    assert not rare.calls.exact
    assert not rare.exact
    assert rare.count is None
    lines = rare.lines()
    assert (
        "Calls N:2NT Pass 3NT: independent deals, "
        "drawn where the calls point and kept by their weight"
    ) in lines
    assert lines[-1].startswith("  within about 0.")
    assert rare.calls.cut <= 3 * CUT
    assert rare.calls.document()["way"] == "tilted"


def test_an_auction_that_no_deal_explains_is_drawn_by_rejection():
    class Never:
        def log_likelihood(self, hands, auction, index):
            return np.full(len(hands), -np.inf)

    hopeless = DealPlan.of(AUCTION, bidder=Never())
    assert hopeless.calls.exact
    assert len(hopeless.lines()) == 2
    with pytest.raises(
        bb.BayesBridgeError, match="0 of 1 deals were found in 1000 draws"
    ):
        hopeless.deals(1, rng=1, most=1000)


def parity(masks, seat, strain):
    """Tricks that anybody can count: 13 with an even number of spades, else none."""
    spades = np.bitwise_count(masks[:, seat] >> np.uint64(39))
    return np.where(spades % 2 == 0, 13, 0)


@pytest.fixture
def solved(monkeypatch):
    """The sizes of the batches that are solved."""
    sizes = []

    def solve(masks, seat, strain):
        sizes.append(len(masks))
        return parity(masks, seat, strain)

    monkeypatch.setattr("bayesbridge.dealing.plan.solve", solve)
    return sizes


TRICKS = "tricks(north, spades) == 13"


def test_draws_that_are_solved_come_in_small_batches_and_are_told(solved):
    """So somebody can say within seconds how it goes.

    The deals are the same as by one batch.
    """
    notes = []
    search = DealPlan.of(condition=TRICKS).search(
        300, 1, watch=lambda search: notes.append((search.drawn, search.kept))
    )
    assert max(solved) <= 128
    assert len(notes) == len(solved)
    assert notes[-1] == (search.drawn, search.kept)
    plain = DealPlan.of(where=lambda layouts: parity(layouts.masks, 0, 3) == 13)
    assert (search.first(300) == plain.search(300, 1).first(300)).all()


WHOLE = {"N": "AKQ2.KJ3.A54.Q32", "E": "T9876.T98.T98.T9", "S": "J543.AQ2.KQ3.A54"}
ODD = {"N": "AKQ.KJ32.A54.Q32", "E": "T9876.T98.T98.T9", "S": "J5432.AQ.KQ3.A54"}


@pytest.mark.parametrize(("hands", "deals"), [(WHOLE, 50), (ODD, 0)])
def test_a_deal_that_is_given_whole_is_tested_once(solved, hands, deals):
    """Four spades with North, and three."""
    search = DealPlan.of(given=hands, condition=TRICKS).search(50, 1)
    assert (search.kept, solved) == (deals, [1])
    assert len(np.unique(search.first(50), axis=0)) == min(deals, 1)


def test_a_given_deal_under_a_random_test_is_drawn_again_and_again():
    plan = DealPlan.of(given=WHOLE, condition="rnd(2) == 0")
    assert not plan.is_one_deal
    search = plan.search(50, 1)
    assert search.drawn > search.kept >= 50


def test_deals_that_are_the_same_are_solved_once(monkeypatch):
    sizes = []

    def run(_, layouts, question):
        sizes.append(len(layouts))
        return {"solved": parity(layouts.masks, question.pair[0], 3)}

    monkeypatch.setattr("bayesbridge.dealing.plan.run", run)
    monkeypatch.setattr("bayesbridge.dealing.plan.find_solver", lambda: None)
    masks = bb.deals(3, rng=1).masks[[0, 1, 0, 2, 1, 0]]
    assert solve(masks, 0, 3).tolist() == parity(masks, 0, 3).tolist()
    assert sizes == [3]
