"""Endings: against every plan, tried one by one, and the textbook's positions."""

from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from bayesbridge.cards import Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.decisions.ending import Ending
from bayesbridge.tricks import Trick
from bayesbridge.words import card_words


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


def worth_of(game, values, n):
    """(tricks, layouts) what so many tricks are worth, and by card what the search says."""
    worth = np.vstack([np.zeros(n, int), values.cumsum(axis=0)])
    found = {Card(index): worth[game.tricks(outcome), range(n)].sum() for index, outcome, _ in game.cards(values)}
    return worth, found


def worth_seen(game, worth, n):
    """The same by card if declarer saw all hands."""
    found = {}
    for index, after, won in game.moves(game.start):
        found[Card(index)] = sum(worth[won + game.double_dummy(after, i), i] for i in range(n))
    return found


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.slow) for part in range(2, 20))])
def test_every_plan_of_three_tricks(part):
    """Ten random endings with random weights: every card is worth what the best of all plans after it gives, exactly.

    In every fifth one declarer must guess, so that double dummy is wrong.
    """
    rng = np.random.default_rng([11, part])
    guessed = 0
    for number in range(10):
        while True:
            side, ours, layouts, trick = random_ending(rng, 3, 4)
            seat, n = trick.turn, len(layouts)
            values = rng.integers(0, 4, (3, 1)) * rng.integers(1, 100, n)
            game = searched(side, ours, layouts, trick)
            worth, shown = worth_of(game, values, n)
            if number % 5 or shown != worth_seen(game, worth, n):
                break
        for card in ours[seat]:
            then = Trick(trick.leader, trick.trump, (card,))
            every = every_outcome({**ours, seat: ours[seat] - {card}}, layouts, then, side)
            found = max(sum(worth[tricks, name] for name, tricks in outcome) for outcome in every)
            assert found == shown[card] if card in shown else found in shown.values()
            guessed += found < sum(max(worth[dict(outcome)[name], name] for outcome in every) for name in range(n))
    assert guessed >= 2


TEXTBOOK = {
    "squeeze": {"CA": 1 / 4, "S2": 0, "HT": 0},
    "endplay": {"H5": 1, "S32": 1 / 2},
    "safety_play": {"S43": 1},
    "two_way_finesse": {"SA": 1, "SJ": 3 / 4, "S3": 3 / 4},
}
"""By example: the chance of each card, by hand."""


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_endings(name):
    spec = spec_from_file_location(name, Path(__file__).parents[2] / "examples" / f"{name}.py")
    example = module_from_spec(spec)
    spec.loader.exec_module(example)
    found = example.compared()
    assert found.exact
    assert found.plan
    chances = {choice.name: choice.chance[0] for choice in found.choices}
    assert {card: chances[card] for card in TEXTBOOK[name]} == pytest.approx(TEXTBOOK[name])
    best = found.choices[0].name
    assert best == next(iter(TEXTBOOK[name]))
    assert all(chance < chances[best] for card, chance in chances.items() if card != best)
    assert found.plan[0].startswith(f"South leads {card_words(found.choices[0].cards[-1])}")


def test_restricted_choice():
    """West dropped the queen, East follows: king or ten? A queen from queen and jack is half as likely as one alone."""
    deck = [Card.of(card) for card in ("SJ", "D3", "D4", "D5", "D6")]
    hidden = [(mask(east), mask(set(deck) - set(east))) for east in combinations(deck, 2)]
    trick = Trick.of("N:S4 S5")
    game = Ending(trick, [mask(map(Card.of, ("H2", "H3"))), mask(map(Card.of, ("SK", "ST", "D2")))], hidden, 0)
    for share, best in ((1.0, "SK"), (0.5, "ST")):
        weights = np.array([1.0 if east & Card.of("SJ").mask else share for east, _ in hidden])
        values = np.array([[0.0], [1.0], [0.0]]) * weights
        found = {
            str(Card(index)): values[:, game.tricks(outcome) >= 2].sum() for index, outcome, _ in game.cards(values)
        }
        assert max(found, key=found.get) == best
        assert found == pytest.approx({"SK": 6 * share, "ST": 4.0})
