"""Endings: against every plan, tried one by one, and the textbook's positions."""

from itertools import product

import numpy as np
import pytest

from bayesbridge.cards import Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.decisions.ending import Ending
from bayesbridge.tricks import Trick


def legal(hand, cards):
    follow = {card for card in hand if cards and card.suit == cards[0].suit}
    return follow or hand


def every_outcome(ours, layouts, trick, side):
    """The tricks in each layout, as a set of (layout, tricks), of every plan: all cards, nothing joined or dropped.

    ``ours``: seat → cards; ``layouts``: number → seat → cards.
    """
    if not trick.cards and not any(ours.values()):
        return {frozenset((name, 0) for name in layouts)}
    seat = trick.turn

    def after(card):
        played = Trick(trick.leader, trick.trump, (*trick.cards, card))
        if not played.complete:
            return played, 0
        return Trick(played.winner, trick.trump), int(played.winner % 2 == side)

    def more(outcomes, won):
        return {frozenset((name, tricks + won) for name, tricks in outcome) for outcome in outcomes}

    if seat % 2 == side:
        found = set()
        for card in legal(ours[seat], trick.cards):
            then, won = after(card)
            found |= more(every_outcome({**ours, seat: ours[seat] - {card}}, layouts, then, side), won)
        return found
    replies = []
    for card in set().union(*(legal(hands[seat], trick.cards) for hands in layouts.values())):
        here = {name: hands for name, hands in layouts.items() if card in legal(hands[seat], trick.cards)}
        left = {name: {**hands, seat: hands[seat] - {card}} for name, hands in here.items()}
        then, won = after(card)
        replies.append(more(every_outcome(ours, left, then, side), won))
    joined = {frozenset()}
    for reply in replies:
        joined = {worst(one, other) for one, other in product(joined, reply)}
    return joined


def worst(one, other):
    found = dict(one)
    for name, tricks in other:
        found[name] = min(found.get(name, 13), tricks)
    return frozenset(found.items())


def random_ending(rng, tricks, most):
    """Cards of a random ending, ours as sets and as masks, some layouts of the others, and the trick so far."""
    side, trump = int(rng.integers(2)), [None, *Suit][rng.integers(5)]
    # All cards of one suit or of two, so that there is something to guess.
    suits = int(rng.integers(1, 3))
    deck = [Card(int(i) // suits + 13 * (int(i) % suits)) for i in rng.permutation(4 * tricks)]
    ours = {Seat(side): frozenset(deck[:tricks]), Seat(side + 2): frozenset(deck[tricks : 2 * tricks])}
    layouts = {}
    for number in range(int(rng.integers(2, most + 1))):
        rest = [deck[2 * tricks + int(i)] for i in rng.permutation(2 * tricks)]
        layouts[number] = {Seat(1 - side): frozenset(rest[:tricks]), Seat(3 - side): frozenset(rest[tricks:])}
    leader = Seat(side + 2 * int(rng.integers(2)))
    return side, ours, layouts, Trick(leader, trump)


def mask(cards):
    return sum(card.mask for card in cards)


def searched(side, ours, layouts, trick):
    hidden = [[mask(hands[Seat(1 - side)]), mask(hands[Seat(3 - side)])] for hands in layouts.values()]
    return Ending(trick, [mask(hand) for hand in ours.values()], hidden, side)


@pytest.mark.parametrize("part", range(4))
def test_every_plan_of_three_tricks(part):
    """50 random endings with random weights: every card is worth what the best of all plans after it gives, exactly."""
    rng = np.random.default_rng([11, part])
    guessed = 0
    for _ in range(50):
        side, ours, layouts, trick = random_ending(rng, 3, 5)
        seat, n = trick.turn, len(layouts)
        weights = rng.integers(1, 100, n)
        values = rng.integers(0, 4, (3, 1)) * weights
        game = searched(side, ours, layouts, trick)
        worth = np.vstack([np.zeros(n, int), values.cumsum(axis=0)])
        shown = {}
        for index, outcome, _ in game.cards(values):
            shown[Card(index)] = worth[game.tricks(outcome), range(n)].sum()
        for card in ours[seat]:
            then = Trick(trick.leader, trick.trump, (card,))
            every = every_outcome({**ours, seat: ours[seat] - {card}}, layouts, then, side)
            found = [sum(worth[tricks, name] for name, tricks in outcome) for outcome in every]
            assert max(found) == shown[card] if card in shown else max(found) in shown.values()
            alone = [max(dict(outcome)[name] for outcome in every) for name in range(n)]
            guessed += max(found) < worth[alone, range(n)].sum()
    assert guessed
