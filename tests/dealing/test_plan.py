"""Deals asked for in Python: evidence, given cards, conditions, tests, calls and statistics."""

from fractions import Fraction

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.calls import Vulnerability
from bayesbridge.dealing.plan import DealPlan, first
from bayesbridge.dealing.run import USUAL, Numbering

ALL_DEALS = 53644737765488792839237440000


def test_all_hard_evidence_on_any_seats():
    plan = DealPlan.of(
        bb.Shape("N", "balanced"),
        bb.HighCards("N", 15, 17),
        bb.Length("S", "H", 4, 6),
        bb.Void("E", "C"),
        bb.Holds("W", "SA"),
        bb.Lacks("N", "HA"),
        given={"S": "KQ2..."},
    )
    assert plan.exact
    for deal in plan.deals(300, rng=1):
        assert 15 <= deal["N"].points <= 17
        assert sorted(deal["N"].length(suit) for suit in bb.Suit)[0] >= 2
        assert 4 <= deal["S"].length(bb.Suit.H) <= 6
        assert deal["E"].length(bb.Suit.C) == 0
        assert "SA" in deal["W"]
        assert "HA" not in deal["N"]
        assert all(card in deal["S"] for card in ("SK", "SQ", "S2"))


def test_counts_agree_with_a_belief():
    hand, east = "AKQ2.KJ3.A54.Q32", (bb.Void("E", "H"), bb.Length("W", "S", 5), bb.HighCards("W", 6, 12))
    plan = DealPlan.of(*east, given={"S": hand})
    assert plan.count == bb.Belief("S", hand).given(*east).count()
    assert DealPlan.of().count == ALL_DEALS
    assert DealPlan.of().probability == 1


def test_the_same_seed_gives_the_same_deals_and_more_begin_with_fewer():
    plan = DealPlan.of(condition="hcp(north) > 20")
    assert np.array_equal(plan.deals(50, rng=3).masks, plan.deals(80, rng=3).masks[:50])
    assert not np.array_equal(plan.deals(50, rng=3).masks, plan.deals(50, rng=4).masks)
    tested = DealPlan.of(where=lambda layouts: layouts.points[:, 0] > 12)
    assert np.array_equal(tested.deals(50, rng=3).masks, tested.deals(80, rng=3).masks[:50])


def test_where_keeps_what_it_says_and_warns_when_few_pass():
    assert (bb.deals(20, where=lambda layouts: layouts.points[:, 1] > 12, rng=1).points[:, 1] > 12).all()
    with pytest.warns(UserWarning, match="of the draws are kept"):
        bb.deals(2, where=lambda layouts: layouts.points[:, 1] > 25, rng=1)
    with pytest.raises(bb.BayesBridgeError, match="0 of 2 deals were found in 500 draws"):
        bb.deals(2, where=lambda layouts: layouts.points[:, 1] > 37, rng=1, most=500)
    with pytest.raises(bb.BayesBridgeError, match="one boolean for each"):
        bb.deals(2, where=lambda layouts: layouts.points, rng=1)


def test_a_tested_rest_gives_the_same_deals_as_tables():
    exact = DealPlan.of(condition="hcp(north) >= 15").frequency("spades(south)")
    tested = DealPlan.of(where=lambda layouts: layouts.points[:, 0] >= 15).deals(4_000, rng=5)
    for (length,), chance in exact.items():
        share = (tested.lengths[:, 2, 3] == length).mean()
        assert abs(share - float(chance)) <= 5.5 * np.sqrt(float(chance) / 4_000) + 1e-3


def test_statistics_are_exact():
    plan = DealPlan.of(condition="hcp(north) + hcp(south) == 25")
    assert plan.average("hcp(north) + hcp(south)") == 25
    assert plan.average("hcp(north)") == Fraction(25, 2)
    assert sum(plan.frequency("hcp(north)", "hcp(south)").values()) == 1
    with pytest.raises(bb.errors.TablesTooLarge, match="draw deals"):
        DealPlan.of(where=lambda layouts: layouts.points[:, 0] > 3).frequency("hcp(north)")


def test_plans_say_what_is_exact_and_what_is_tested():
    plan = DealPlan.of(condition="hcp(north) > 15 && rnd(2) == 1")
    assert not plan.exact
    assert plan.count is None
    assert plan.probability is None
    assert "Tested on each draw:" in plan.lines()
    assert repr(plan) == "<DealPlan: 1 parts exact, 2 tested>"
    found = plan.search(1_000, 1)
    assert abs(found.rate - 0.5) <= 5 * found.error


def test_what_does_not_fit_into_tables_is_tested():
    text = "shape(north, any 4333 + any 4432) && hcp(north) == 16 && hcp(south) >= 20 && hcp(east) < 2"
    plan = DealPlan.of(condition=text)
    assert len(plan.plan.exact) == 3
    assert len(plan.plan.tested) == 1
    points = bb.plugins.high_card_points(first(plan.search(50, 1), 50))
    assert (points[:, 0] == 16).all()
    assert (points[:, 1] < 2).all()
    assert (points[:, 2] >= 20).all()


def test_nothing_fits():
    with pytest.raises(bb.errors.Contradiction, match="no deal fits what is given and the condition"):
        DealPlan.of(condition="hcp(north) > 37")
    with pytest.raises(bb.errors.Contradiction, match=r"in conflict: N holds SA; S holds SA$") as caught:
        DealPlan.of(bb.Holds("N", "SA"), bb.Void("E", "H"), bb.Holds("S", "SA"))
    assert caught.value.data["evidence"] == (bb.Holds("N", "SA"), bb.Holds("S", "SA"))
    with pytest.raises(bb.errors.Contradiction, match="SA is given to N and to S: give it once"):
        DealPlan.of(given={"S": "AKQ2.KJ3.A54.Q32", "N": "A..."})
    with pytest.raises(bb.errors.Contradiction, match="S is given 14 cards: a hand has 13"):
        DealPlan.of(given={"S": "AKQ.AKQ.AKQ.AKQJT"})
    with pytest.raises(bb.errors.NotationError, match="give the card with Holds"):
        DealPlan.of(bb.Play("N", "SA"))
    with pytest.raises(bb.BayesBridgeError, match="ask for 0 to"):
        DealPlan.of().deals(10**9)


class Opener:
    """Opens 1NT with 15 to 17 points in nine of ten hands, and never otherwise; passes for sure."""

    def log_likelihood(self, hands, auction, index):
        if str(auction.calls[index]) == "Pass":
            return np.zeros(len(hands))
        strong = (bb.plugins.high_card_points(hands) >= 15) & (bb.plugins.high_card_points(hands) <= 17)
        return np.where(strong, np.log(0.9), -np.inf)


def test_calls_make_deals_more_or_less_likely():
    plan = DealPlan.of(bb.Auction.of("N:1NT Pass"), bidder=Opener())
    found = plan.search(2_000, 1)
    masks = first(found, 2_000)
    points = bb.plugins.high_card_points(masks)[:, 0]
    assert points.min() >= 15
    assert points.max() <= 17
    opened = float(DealPlan.of(bb.HighCards("N", 15, 17)).probability) * 0.9
    assert abs(found.rate - opened) <= 5 * found.error
    exact = DealPlan.of(bb.HighCards("N", 15, 17)).frequency("hcp(north)")
    for (value,), chance in exact.items():
        assert abs((points == value).mean() - float(chance)) <= 5.5 * np.sqrt(float(chance) / 2_000)


def test_boards_rotate():
    dealers = "".join(USUAL.dealer_of(board).name for board in range(1, 9))
    assert dealers == "NESWNESW"
    assert [USUAL.vulnerable_on(board).value for board in (1, 2, 3, 4, 5, 8, 13, 16, 17)] == [
        *("None", "NS", "EW", "All", "NS", "None", "All", "EW", "None")
    ]
    fixed = Numbering(5, bb.Seat.W, Vulnerability.ALL)
    (record,) = fixed.records(bb.deals(1, rng=1))
    assert (record.board, record.dealer, record.vulnerable) == ("5", bb.Seat.W, Vulnerability.ALL)
