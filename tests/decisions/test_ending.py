"""Endings: against every plan, tried one by one, and the textbook's positions."""

from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations, product
from operator import le
from pathlib import Path

import numpy as np
import pytest

from bayesbridge import Card, Seat, Suit, Trick
from bayesbridge.decisions.ending import Ending, with_equals_alike
from bayesbridge.display.words import card_words


class EveryPlan:
    """Tricks in each layout of every plan for so many tricks, then double dummy; what
    is nowhere better is dropped.
    """

    def __init__(self, side, trump):
        self.side, self.trump, self.known = side, trump, {}

    def outcomes(self, ours, layouts, leader, cards, horizon):
        """``ours`` and each layout: two sets of cards; a tuple of tricks, by layout,
        for each plan.
        """
        key = ours, layouts, leader, cards, horizon
        if key not in self.known:
            self.known[key] = self._outcomes(*key)
        return self.known[key]

    def _outcomes(self, ours, layouts, leader, cards, horizon):
        if not cards and not ours[0]:
            return {(0,) * len(layouts)}
        if horizon == 0 and len(layouts) > 1:
            return {
                tuple(
                    max(self.outcomes(ours, (one,), leader, cards, 0))[0]
                    for one in layouts
                )
            }
        seat = (leader + len(cards)) % 4
        place = seat // 2
        if seat % 2 == self.side:
            plans = set()
            for card in legal(ours[place], cards):
                plans |= self.after(
                    without(ours, place, card), layouts, leader, (*cards, card), horizon
                )
            return best(plans)
        may = [legal(hands[place], cards) for hands in layouts]
        plans = {(13,) * len(layouts)}
        for card in set().union(*may):
            here = [i for i, some in enumerate(may) if card in some]
            left = tuple(without(layouts[i], place, card) for i in here)
            replies = self.after(ours, left, leader, (*cards, card), horizon)
            worst = set()
            for plan, reply in product(plans, replies):
                told = dict(zip(here, reply, strict=True))
                worst.add(
                    tuple(min(tricks, told.get(i, 13)) for i, tricks in enumerate(plan))
                )
            plans = best(worst)
        return plans

    def after(self, ours, layouts, leader, cards, horizon):
        if len(cards) < 4:
            return self.outcomes(ours, layouts, leader, cards, horizon)
        high = max(
            cards,
            key=lambda card: (
                card.suit == self.trump,
                card.suit == cards[0].suit,
                card.rank,
            ),
        )
        winner = (leader + cards.index(high)) % 4
        found = self.outcomes(ours, layouts, winner, (), max(0, horizon - 1))
        return {
            tuple(tricks + (winner % 2 == self.side) for tricks in plan)
            for plan in found
        }


def legal(hand, cards):
    return {card for card in hand if cards and card.suit == cards[0].suit} or hand


def without(hands, place, card):
    return tuple(hand - {card} if i == place else hand for i, hand in enumerate(hands))


def best(plans):
    return {
        one
        for one in plans
        if not any(one != other and all(map(le, one, other)) for other in plans)
    }


def random_ending(rng, tricks, layouts, lying):
    """Declarer's two hands, some layouts of the others, the trick so far with declarer
    in turn, all as cards.
    """
    side, trump = int(rng.integers(2)), [None, *Suit][rng.integers(5)]
    # All cards of one suit or of two, so that there is something to guess.
    suits = int(rng.integers(1, 3))
    deck = [
        Card(int(i) // suits + 13 * (int(i) % suits))
        for i in rng.permutation(4 * tricks)
    ]
    leader = (side - lying + 2 * int(rng.integers(2))) % 4
    played = tuple(deck.pop() for _ in range(lying))
    sizes = [tricks - ((seat - leader) % 4 < lying) for seat in range(4)]
    ours = tuple(
        frozenset(deck.pop() for _ in range(sizes[seat])) for seat in (side, side + 2)
    )
    dealt = []
    for _ in range(layouts):
        rest = [deck[i] for i in rng.permutation(len(deck))]
        dealt.append(
            (frozenset(rest[: sizes[1 - side]]), frozenset(rest[sizes[1 - side] :]))
        )
    return side, ours, tuple(dealt), Trick(Seat(leader), trump, played)


def mask(cards):
    return sum(card.mask for card in cards)


def worth_of(game, values, horizon):
    """By card what the plan of the search is worth."""
    worth = np.vstack([0 * values[:1], values.cumsum(axis=0)])
    found = {
        Card(index): game.tricks(outcome)
        for index, outcome, _ in game.cards(values, horizon)
    }
    return {
        card: worth[tricks, range(values.shape[1])].sum()
        for card, tricks in found.items()
    }


@pytest.mark.parametrize(
    ("tricks", "part"),
    [
        (3, 0),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in (*product([4], range(33)), *product([5], range(1, 9)))
        ),
    ],
)
def test_every_plan_of_the_last_tricks(tricks, part):
    """Random endings: by every horizon each card is worth what the best of all plans
    after it gives, exactly; the further it is, the less. In every fifth one declarer
    must guess, so that double dummy is wrong.
    """
    rng = np.random.default_rng([11, tricks, part])
    for number in range(6 if tricks == 3 else 5 if part else 1):
        n = int(rng.integers(2, 8 - tricks)) if tricks < 5 else 2
        while True:
            side, ours, layouts, trick = random_ending(
                rng, tricks, n, (number + part) % 4
            )
            values = rng.integers(0, 4, (tricks, 1)) * rng.integers(1, 100, n)
            game = Ending(
                trick,
                [*map(mask, ours)],
                [[*map(mask, hands)] for hands in layouts],
                side,
            )
            last = worth_of(game, values, 0)
            if number % 5 or last != worth_of(game, values, tricks):
                break
        worth = np.vstack([np.zeros(n, int), values.cumsum(axis=0)])
        every, place = EveryPlan(side, trick.trump), trick.turn // 2
        for horizon in range(tricks + 1) if tricks < 5 else (0, 2, 5):
            shown = worth_of(game, values, horizon)
            for card in legal(ours[place], trick.cards):
                plans = every.after(
                    without(ours, place, card),
                    layouts,
                    trick.leader,
                    (*trick.cards, card),
                    horizon,
                )
                found = max(worth[plan, range(n)].sum() for plan in plans)
                assert (
                    found == shown[card] if card in shown else found in shown.values()
                )
            assert all(shown[card] <= last[card] for card in shown)
            last = shown


def test_small_cards_of_few_layouts_are_alike():
    """Hands keep their lengths, their cards beside declarer's and double dummy; fewer
    layouts are told apart.
    """
    rng, merged = np.random.default_rng(5), 0
    for _ in range(4):
        side, ours, layouts, trick = random_ending(rng, 5, 12, 0)
        own, hidden = (
            [*map(mask, ours)],
            np.array([[*map(mask, hands)] for hands in layouts]),
        )
        alike = with_equals_alike(trick, own, hidden, side)
        assert (alike[:, 0] ^ alike[:, 1] == hidden[:, 0] ^ hidden[:, 1]).all()
        above = [
            (1 << 13 * (card // 13 + 1)) - (1 << card)
            for card in range(52)
            if sum(own) >> card & 1
        ]
        for part in (
            0x1FFF << 13 * np.arange(4),
            np.array(above),
        ):  # suits, and cards above one of declarer's
            assert np.array_equal(
                *(np.bitwise_count(some[:, 0, None] & part) for some in (hidden, alike))
            )
        assert np.array_equal(
            *(Ending(trick, own, some, side).double_dummy for some in (hidden, alike))
        )
        merged += len(hidden) - len(np.unique(alike, axis=0))
    assert merged > 0


TEXTBOOK = {
    "squeeze": {"CA": 1 / 4, "S2": 0, "HT": 0},
    "throw_in": {"H5": 1, "S32": 1 / 2},
    "safety_play": {"S43": 1},
    "two_way_finesse": {"SA": 1, "SJ": 3 / 4, "S3": 3 / 4},
}
"""By example: the chance of each card, by hand."""


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_endings(name):
    spec = spec_from_file_location(
        name, Path(__file__).parents[2] / "examples" / f"{name}.py"
    )
    example = module_from_spec(spec)
    spec.loader.exec_module(example)
    found = example.compared()
    assert found.exact
    assert found.plan
    chances = {choice.name: choice.chance[0] for choice in found.choices}
    assert {card: chances[card] for card in TEXTBOOK[name]} == pytest.approx(
        TEXTBOOK[name]
    )
    best = found.choices[0].name
    assert best == next(iter(TEXTBOOK[name]))
    assert all(
        chance < chances[best] for card, chance in chances.items() if card != best
    )
    assert "guesses" not in found.sentence
    assert found.plan[0].startswith(
        f"South leads {card_words(found.choices[0].cards[-1])}"
    )


def test_restricted_choice():
    """West dropped the queen, East follows: king or ten? A queen from queen and jack is
    half as likely as one alone.
    """
    deck = [Card.of(card) for card in ("SJ", "D3", "D4", "D5", "D6")]
    hidden = [
        (mask(east), mask(set(deck) - set(east))) for east in combinations(deck, 2)
    ]
    trick = Trick.of("N:S4 S5")
    game = Ending(
        trick,
        [mask(map(Card.of, ("H2", "H3"))), mask(map(Card.of, ("SK", "ST", "D2")))],
        hidden,
        0,
    )
    for share, best in ((1.0, "SK"), (0.5, "ST")):
        weights = np.array(
            [1.0 if east & Card.of("SJ").mask else share for east, _ in hidden]
        )
        values = np.array([[0.0], [1.0], [0.0]]) * weights
        found = {
            str(Card(index)): values[:, game.tricks(outcome) >= 2].sum()
            for index, outcome, _ in game.cards(values)
        }
        assert max(found, key=found.get) == best
        assert found == pytest.approx({"SK": 6 * share, "ST": 4.0})
