"""P(card wins) against a reading of the rule on single layouts, through tricks only."""

from collections import defaultdict

import numpy as np
import pytest

from bayesbridge import Belief, Hand, IterativeBidder, Seat, Strain, Suit, Trick
from bayesbridge.belief.wins import card_wins
from bayesbridge.errors import IllegalPlay
from bayesbridge.evidence.kinds import Called, Holds, Play, Reveal
from tests.deals import random_deal, random_play


def beats(trick, card, reply):
    """Whether the reply would take the trick from the card, which holds it now.

    A trick of two or three cards tells.
    """
    cards = (card, reply) if not trick.cards else (trick.cards[0], card, reply)
    return Trick(Seat.N, trick.trump, cards).winner == Seat(len(cards) - 1)


def unplayed_hands(deal, played):
    """The cards of every seat that are not yet played."""
    remaining = {}
    for seat in Seat:
        cards = [card for card in deal[seat] if card not in played]
        remaining[seat] = Hand.of(cards)
    return remaining


def wins_in_layout(trick, card, remaining, pair):
    """Whether the card of the seat in turn takes the trick, whatever enemies reply."""
    seat = trick.turn
    after = trick.after(seat, card, remaining[seat])
    if after.winner != seat:
        return False
    for place in range(len(after.cards), 4):
        player = after.leader.next(place)
        if (player in pair) == (seat in pair):
            continue
        replies = after.legal(remaining[player])
        if any(beats(trick, card, reply) for reply in replies):
            return False
    return True


def by_rule(layouts, weights, belief, trick, pair):
    """The share of layouts in which each card wins, layout by layout."""
    played = {piece.card for piece in belief.evidence if isinstance(piece, Play)}
    assert trick.turn is not None
    held = defaultdict(float)
    won = defaultdict(float)
    for deal, weight in zip(layouts, weights, strict=True):
        remaining = unplayed_hands(deal, played)
        for card in trick.legal(remaining[trick.turn]):
            held[card] += weight
            won[card] += weight * wins_in_layout(trick, card, remaining, pair)
    return {card: won[card] / held[card] for card in held}


def random_question(rng, cards_in_trick, hidden_turn):
    """A position with few layouts and a trick with so many cards."""
    while True:
        deal = random_deal(rng)
        trump = [None, *Suit][rng.integers(5)]
        dummy, observer = (Seat(int(seat)) for seat in rng.permutation(4)[:2])
        belief = Belief(
            observer,
            deal[observer],
            dummy=dummy,
            trump=Strain.NT if trump is None else trump,
        )
        record = random_play(
            deal, trump, rng, cards=4 * int(rng.integers(5, 10)) + cards_in_trick
        )
        belief = belief.given(Reveal(dummy, deal[dummy]), *record)
        last_trick = belief.table.tricks[-1]
        winner = last_trick.winner
        assert winner is not None
        trick = last_trick if cards_in_trick else Trick(winner, trump)
        turn = trick.turn
        assert turn is not None
        if (
            2 <= belief.count() <= 300
            and (turn not in (observer, dummy)) == hidden_turn
        ):
            return belief, trick


@pytest.mark.parametrize("hidden_turn", [False, True])
@pytest.mark.parametrize("cards_in_trick", range(4))
def test_every_card_by_the_rule(cards_in_trick, hidden_turn):
    """From the lead to the last card, from open and from hidden hands.

    With and without trumps.
    """
    rng = np.random.default_rng([71, cards_in_trick, hidden_turn])
    sure = unsure = 0
    for _ in range(9):
        belief, trick = random_question(rng, cards_in_trick, hidden_turn)
        posterior = belief.infer("enumerate")
        for pair in (None, (trick.leader, trick.leader.next())):
            answer = card_wins(posterior, trick, pair)
            layouts = list(posterior.layouts)
            rule = by_rule(
                layouts, [1.0] * len(layouts), belief, trick, pair or belief.pair
            )
            assert answer == pytest.approx(rule, abs=1e-12)
            sure += sum(chance in (0.0, 1.0) for chance in answer.values())
            unsure += sum(0.0 < chance < 1.0 for chance in answer.values())
    assert sure
    # Who plays last knows; on lead hardly anybody does.
    assert unsure == 0 if cards_in_trick == 3 else unsure or cards_in_trick


SOUTH = Belief("S", "AKQ2.KJ3.A54.Q32", trump="S")


def test_weights_count():
    """With a call the layouts weigh differently, and so do the chances."""
    belief = Belief("S", "T9742.J3.964.T83", bidder=IterativeBidder(slip=0.1)).given(
        Reveal("N", "65.Q42.T87.J7652"),
        Holds("W", "A.AK9.A5.A9"),
        Holds("E", "83.T87.32.4"),
        Called("W", "3NT"),
        Trick.of("W:HA H2 H5 H3"),
    )
    posterior = belief.infer("enumerate")
    assert np.ptp(posterior.weights) > 0
    trick = Trick.of("W:")
    pair = (Seat.W, Seat.N)
    layouts = list(posterior.layouts)
    rule = by_rule(layouts, posterior.weights.tolist(), belief, trick, pair)
    assert card_wins(posterior, trick, pair) == pytest.approx(rule, abs=1e-9)
    assert rule != pytest.approx(
        by_rule(layouts, [1.0] * len(layouts), belief, trick, pair), abs=1e-3
    )


def test_questions_that_make_no_sense():
    posterior = SOUTH.given(Reveal("N", "543.AQ4.KQJ76.A5"), Play("W", "H5")).infer()
    with pytest.raises(IllegalPlay, match="complete: give at most three cards"):
        card_wins(posterior, Trick.of("W:H5 H4 H6 HK"))
    with pytest.raises(IllegalPlay, match=r"'W:H6' is not in the evidence.*given"):
        card_wins(posterior, Trick.of("W:H6"))
