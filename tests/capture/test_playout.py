"""The play-out kernel equals a plain one that plays card by card through the rules of
``bayesbridge.game.tricks``.
"""

import itertools

import numpy as np
import pytest

from bayesbridge import Hand, Layouts, Seat, Suit, Trick
from bayesbridge.capture import POLICIES
from bayesbridge.capture.playout import play_out
from bayesbridge.estimators.builtin import PlayOutEstimator
from bayesbridge.estimators.protocol import Question, run
from tests.deals import deal_masks

PAIRS = list(itertools.product(POLICIES, POLICIES))
TRUMPS = [None, *Suit]


def choose(policy, trick, hand):
    """The card that a policy plays: ranks decide, clubs first among equals."""
    seat = trick.turn
    if not trick.cards:
        return min(
            hand,
            key=lambda card: (card.rank if policy == "low" else -card.rank, card.suit),
        )
    following = [card for card in hand if card.suit == trick.suit]
    if following:
        top, bottom = max(following), min(following)
        if policy == "general":
            return top if top.rank > trick.cards[0].rank else bottom
        return bottom if policy == "low" else top
    if policy != "low" and trick.winner not in (seat, seat.partner):
        ruffs = [
            card
            for card in hand
            if card.suit == trick.trump and trick.after(seat, card).winner == seat
        ]
        if ruffs:
            return min(ruffs)
    return min(hand, key=lambda card: (card.rank, card.suit))


def tricks_by_hand(deal, leader, trump, ours, theirs):
    """Tricks of the leader's side and of the other, every card verified by the rules."""
    left = dict(zip(Seat, deal, strict=True))
    side = (leader, leader.partner)
    won = [0, 0]
    for _ in range(13):
        trick = Trick(leader, trump)
        while (seat := trick.turn) is not None:
            card = choose(ours if seat in side else theirs, trick, left[seat])
            trick = trick.after(seat, card, left[seat])
            left[seat] -= Hand.of(card)
        leader = trick.winner
        won[leader not in side] += 1
    return tuple(won)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_every_pair_of_policies_equals_the_plain_play_out(ours, theirs):
    batch = Layouts(deal_masks(20, 10 + PAIRS.index((ours, theirs))))
    question = "S:N", "E:W"
    for trump, pair in itertools.product(TRUMPS, question):
        asked = Question.of(pair, trump=trump)
        codes = POLICIES.index(ours), POLICIES.index(theirs)
        found = play_out(
            np.ascontiguousarray(batch.masks[:, list(asked.table)]),
            int(asked.strain),
            *codes,
        )
        if ours == theirs == "general":
            assert (run(PlayOutEstimator(), batch, asked)["tricks"] == found).all()
        expected = [
            tricks_by_hand(deal, asked.pair[0], trump, ours, theirs) for deal in batch
        ]
        assert found.tolist() == [ours for ours, _ in expected]
        assert all(ours + theirs == 13 for ours, theirs in expected)
