"""The transcription itself, on deals worked out by hand."""

import pytest

from bayesbridge.capture.literal import (
    bid,
    capture,
    capture_matrix,
    captures_for_target,
)
from bayesbridge.errors import DealError
from bayesbridge.game.cards import Hand

pytestmark = pytest.mark.quick


def test_a_deal_worked_by_hand():
    """The pair holds every ace, so Δ = 0.

    By hand, with the column of each capture and the card that goes:

    free: CA (C2 goes), DA (D6), HA (H3), SA (S6), T = 4; gap 0: DK (D4), DQ (D5), HK
    (H2), HQ (HJ), SK (S7), SQ (SJ), T = 10; gap 1: CQ (C4), T = 11, Z = 5, χ = 12; then
    clubs 5 columns on and spades 9 on cost too much but diamonds 4 (DQ to D7) do not: T
    = 12, Z = 1, χ = 17.
    """
    result = capture(
        Hand.from_pbn("AKQ2.KJ3.A54.Q32"), Hand.from_pbn("J76.AQ2.KQ76.A54")
    )
    assert result.c1 == (3, 3, 3, 4)
    assert result.c2 == (3, 4, 3, 3)
    assert result.c0 == (7, 6, 7, 6)
    assert result.delta == (0, 0, 0, 0)
    assert result.M == (3, 4, 3, 4)
    assert result.condition == "both"
    assert result.kappa == (2, 4, 3, 3)
    assert (result.T, result.Z, result.chi) == (12, 1, 17)


def test_condition_a_fails_when_the_leading_gaps_add_up_to_seven():
    """δ: clubs 13 (neither holds one) is past the budget at once."""
    result = capture(
        Hand.from_pbn("AKQJT98.765432..".replace("765432", "AKQJT9")),
        Hand.from_pbn("765432.8765432.."),
    )
    assert (result.condition, result.T, result.chi, result.Z) == ("neither", 0, 26, -20)
    assert result.delta == (13, 13, 0, 0)
    assert result.kappa == (0, 0, 0, 0)


def test_condition_b_fails_when_one_hand_is_void():
    result = capture(
        Hand.from_pbn("AKQJ.AKQJ.AKQJT."), Hand.from_pbn("T98.T98.987.AKQJ")
    )
    assert (result.condition, result.Delta, result.T) == ("only A", 0, 0)


def test_the_removed_card_may_lie_left_of_the_pointer():
    """Player 2 has nothing to the right of the pointer.

    So a card to its left goes and the index then skips one.

    Row 1 2 1 1 1 …: after the ace 2 loses the king, so O = 0 2 3 4; the next capture is
    the queen with gap 1.
    """
    row = [1, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    plain_row = [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    result = capture_matrix([row, plain_row, plain_row, plain_row])
    assert result.D[0][1] == 0
    assert result.kappa[0] == 4
    assert result.Z == 6 - 1


def test_a_bid_worked_by_hand():
    """AKQ2 AKJ AK4 A32 has no leading gaps.

    Budget 6: clubs pay 10 − stop, and so on; counts by hand for k = 7 and 13.

    k = 13: budget 0, only gapless steps count: clubs A, diamonds A K, hearts A K,
    spades A K Q: 4 + 0 + 1 + 1 + 2 = 8.
    """
    hand = Hand.from_pbn("AKQ2.AKJ.AK4.A32")
    assert captures_for_target(hand, 13) == 8
    result = bid(hand)
    assert result.counts[6] == 8
    assert result.level == 3


def test_the_climb_stops_at_the_first_target_not_met():
    """The rule is iterative: a later target that would be met again does not count."""
    hand = Hand.from_pbn("AKQ2.KJ3.A54.Q32")
    result = bid(hand)
    assert result.level == 1
    assert result.counts[1] < 8


@pytest.mark.parametrize(
    ("hand", "partner_hand", "message"),
    [
        (
            "AKQ2.KJ3.A54.Q3",
            "J76.AQ2.KQ76.A54",
            "the first hand 'AKQ2.KJ3.A54.Q3' has 12 cards",
        ),
        (
            "AKQ2.KJ3.A54.Q32",
            "J765.AQ2.KQ76.A54",
            "the second hand 'J765.AQ2.KQ76.A54' has 14 cards",
        ),
        ("AKQ2.KJ3.A54.Q32", "J76.AQ2.KQ76.Q54", "CQ lies in both hands"),
    ],
)
def test_wrong_hands_are_named(hand, partner_hand, message):
    with pytest.raises(DealError, match=message):
        capture(Hand.from_pbn(hand), Hand.from_pbn(partner_hand))
