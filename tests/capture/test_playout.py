"""The play-out kernel equals a plain one.

The plain one plays card by card through the rules of ``bayesbridge.game.tricks``.
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
        top = max(following)
        bottom = min(following)
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


def tricks_by_hand(deal, leader, trump, own_policy, their_policy):
    """Tricks of the leader's side and of the other, every card verified by the rules."""
    hands = dict(zip(Seat, deal, strict=True))
    side = (leader, leader.partner)
    won = [0, 0]
    for _ in range(13):
        trick = Trick(leader, trump)
        for _ in range(4):
            seat = trick.turn
            card = choose(
                own_policy if seat in side else their_policy, trick, hands[seat]
            )
            trick = trick.after(seat, card, hands[seat])
            hands[seat] -= Hand.of(card)
        leader = trick.winner
        won[leader not in side] += 1
    return tuple(won)


@pytest.mark.parametrize(("own_policy", "their_policy"), PAIRS)
def test_every_pair_of_policies_equals_the_plain_play_out(own_policy, their_policy):
    batch = Layouts(deal_masks(20, 10 + PAIRS.index((own_policy, their_policy))))
    question = "S:N", "E:W"
    for trump, pair in itertools.product(TRUMPS, question):
        question = Question.of(pair, trump=trump)
        codes = POLICIES.index(own_policy), POLICIES.index(their_policy)
        played = play_out(
            np.ascontiguousarray(batch.masks[:, list(question.table)]),
            int(question.strain),
            *codes,
        )
        if own_policy == their_policy == "general":
            assert (run(PlayOutEstimator(), batch, question)["tricks"] == played).all()
        expected = [
            tricks_by_hand(deal, question.pair[0], trump, own_policy, their_policy)
            for deal in batch
        ]
        assert played.tolist() == [tricks for tricks, _ in expected]
        assert all(tricks + lost == 13 for tricks, lost in expected)
