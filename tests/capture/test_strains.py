"""Algorithm 1 with trumps: the kernel against a plain transcription of its rule."""

import numpy as np
from hypothesis import example, given

from bayesbridge import Hand, IterativeBidder, Suit
from bayesbridge.capture import literal
from bayesbridge.capture.strains import strain_levels
from tests import strategies


def meets(hand, trump, k):
    """Whether a hand meets a target with trumps, told card by card."""
    columns = {}
    for s in Suit:
        columns[s] = [r for r in range(13) if hand.field(s) >> (12 - r) & 1]
    lead = {s: columns[s][0] if columns[s] else 13 for s in Suit}
    if len(columns[trump]) <= lead[trump]:
        return False
    losers = sum(lead[s] if s is trump else min(lead[s], len(columns[s])) for s in Suit)
    budget = 13 - k - losers
    if budget < 0:
        return False
    captures = 0
    for s in Suit:
        if len(columns[s]) <= lead[s]:
            continue
        captures += 1
        drawn = -(-(13 - len(columns[s])) // 3) if s is trump else 13
        for number, (column, following) in enumerate(
            zip(columns[s], columns[s][1:], strict=False), start=2
        ):
            gap = following - column - 1 if number <= drawn else 0
            if gap > budget:
                break
            budget -= gap
            captures += 1
    return captures >= k


def levels(hand):
    reached = []
    for trump in Suit:
        level = 0
        while level < 7 and meets(hand, trump, level + 7):
            level += 1
        reached.append(level)
    return [*reached, literal.bid(hand).level]


@given(strategies.hands)
@example(Hand.from_pbn("AKQJT98765432..."))
@example(Hand.from_pbn("AKQJT9876543.A.."))
@example(Hand.from_pbn("AKQJ.AKQ.AKQ.AKQ"))
@example(Hand.from_pbn("AKQT96.AK5.A4.83"))
def test_the_kernel_does_what_the_rule_says(hand):
    masks = np.array([hand.mask], dtype=np.uint64)
    expected = levels(hand)
    assert strain_levels(masks)[0].tolist() == expected
    bids = [5 * level - 2 + strain for strain, level in enumerate(expected) if level]
    assert IterativeBidder(suits=True).highest_bids(masks)[0] == max(bids, default=0)
