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
    """Tricks in each layout of every plan for so many tricks, then double dummy.

    What is nowhere better is dropped.
    """

    def __init__(self, side, trump):
        self.side = side
        self.trump = trump
        self.outcomes_by_position = {}

    def outcomes(self, hands, layouts, leader, cards, horizon):
        """For each plan a tuple of tricks, by layout.

        ``hands`` and each layout are two sets of cards.
        """
        key = hands, layouts, leader, cards, horizon
        if key not in self.outcomes_by_position:
            self.outcomes_by_position[key] = self.searched_outcomes(*key)
        return self.outcomes_by_position[key]

    def searched_outcomes(self, hands, layouts, leader, cards, horizon):
        if not cards and not hands[0]:
            return {(0,) * len(layouts)}
        if horizon == 0 and len(layouts) > 1:
            return {self.double_dummy(hands, layouts, leader, cards)}
        seat = (leader + len(cards)) % 4
        if seat % 2 == self.side:
            return self.own_turn(hands, layouts, leader, cards, horizon)
        return self.their_turn(hands, layouts, leader, cards, horizon)

    def double_dummy(self, hands, layouts, leader, cards):
        """The most tricks in each layout, if it is known."""
        tricks = []
        for layout in layouts:
            (most,) = max(self.outcomes(hands, (layout,), leader, cards, 0))
            tricks.append(most)
        return tuple(tricks)

    def own_turn(self, hands, layouts, leader, cards, horizon):
        """Declarer's side chooses a card, the same in all layouts."""
        place = (leader + len(cards)) % 4 // 2
        plans = set()
        for card in legal(hands[place], cards):
            remaining = without(hands, place, card)
            plans |= self.after(remaining, layouts, leader, (*cards, card), horizon)
        return best(plans)

    def their_turn(self, hands, layouts, leader, cards, horizon):
        """A defender plays in each layout what is worst for the plan."""
        place = (leader + len(cards)) % 4 // 2
        playable = [legal(hidden[place], cards) for hidden in layouts]
        plans = {(13,) * len(layouts)}
        for card in set().union(*playable):
            numbers = [i for i, choices in enumerate(playable) if card in choices]
            remaining = tuple(without(layouts[i], place, card) for i in numbers)
            replies = self.after(hands, remaining, leader, (*cards, card), horizon)
            plans = best(
                {
                    worse_of(plan, numbers, reply)
                    for plan, reply in product(plans, replies)
                }
            )
        return plans

    def after(self, hands, layouts, leader, cards, horizon):
        if len(cards) < 4:
            return self.outcomes(hands, layouts, leader, cards, horizon)
        high = max(
            cards,
            key=lambda card: (
                card.suit == self.trump,
                card.suit == cards[0].suit,
                card.rank,
            ),
        )
        winner = (leader + cards.index(high)) % 4
        won = int(winner % 2 == self.side)
        later = self.outcomes(hands, layouts, winner, (), max(0, horizon - 1))
        return {with_tricks(plan, won) for plan in later}


def legal(hand, cards):
    return {card for card in hand if cards and card.suit == cards[0].suit} or hand


def without(hands, place, card):
    return tuple(hand - {card} if i == place else hand for i, hand in enumerate(hands))


def with_tricks(plan, won):
    """The outcome of a plan after so many tricks."""
    return tuple(won + tricks for tricks in plan)


def worse_of(plan, numbers, reply):
    """The outcome of a plan where layouts of these numbers may have the reply."""
    tricks = list(plan)
    for i, replied in zip(numbers, reply, strict=True):
        tricks[i] = min(tricks[i], replied)
    return tuple(tricks)


def is_dominated(plan, plans):
    """Whether another plan is nowhere worse."""
    return any(plan != rival and all(map(le, plan, rival)) for rival in plans)


def best(plans):
    return {plan for plan in plans if not is_dominated(plan, plans)}


def random_ending(rng, tricks, layouts, lying):
    """Declarer's two hands, some layouts of the others, and the trick so far.

    Declarer is in turn; all are cards.
    """
    side = int(rng.integers(2))
    trump = [None, *Suit][rng.integers(5)]
    # All cards of one suit or of two, so that there is something to guess.
    suits = int(rng.integers(1, 3))
    deck = [
        Card(int(i) // suits + 13 * (int(i) % suits))
        for i in rng.permutation(4 * tricks)
    ]
    leader = (side - lying + 2 * int(rng.integers(2))) % 4
    played = tuple(deck.pop() for _ in range(lying))
    sizes = [tricks - ((seat - leader) % 4 < lying) for seat in range(4)]
    hands = []
    for seat in (side, side + 2):
        cards = [deck.pop() for _ in range(sizes[seat])]
        hands.append(frozenset(cards))
    dealt = []
    size = sizes[1 - side]
    for _ in range(layouts):
        hidden = [deck[i] for i in rng.permutation(len(deck))]
        dealt.append((frozenset(hidden[:size]), frozenset(hidden[size:])))
    return side, tuple(hands), tuple(dealt), Trick(Seat(leader), trump, played)


def mask(cards):
    return sum(card.mask for card in cards)


def worth_of(game, values, horizon):
    """By card what the plan of the search is worth."""
    worth = np.vstack([0 * values[:1], values.cumsum(axis=0)])
    layouts = range(values.shape[1])
    return {
        Card(index): worth[game.tricks(outcome), layouts].sum()
        for index, outcome, _ in game.cards(values, horizon)
    }


def ending_with_values(rng, tricks, layouts, lying, must_guess):
    """A random ending, the value of each trick in each layout, and its game.

    With ``must_guess`` double dummy is wrong about it.
    """
    while True:
        ending = random_ending(rng, tricks, layouts, lying)
        side, hands, hidden, trick = ending
        values = rng.integers(0, 4, (tricks, 1)) * rng.integers(1, 100, layouts)
        hidden_masks = [
            [mask(one_hand), mask(other_hand)] for one_hand, other_hand in hidden
        ]
        game = Ending(trick, [*map(mask, hands)], hidden_masks, side)
        double_dummy = worth_of(game, values, 0)
        if not must_guess or double_dummy != worth_of(game, values, tricks):
            return ending, values, game


@pytest.mark.parametrize(
    ("tricks", "batch"),
    [
        (3, 0),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (*product([4], range(33)), *product([5], range(1, 9)))
        ),
    ],
)
def test_every_plan_of_the_last_tricks(tricks, batch):
    """By every horizon each card is worth what the best plan after it gives.

    Exactly so in random endings; the further the horizon, the less. In every fifth one
    declarer must guess, so that double dummy is wrong.
    """
    rng = np.random.default_rng([11, tricks, batch])
    longer = 5 if batch else 1
    for number in range(6 if tricks == 3 else longer):
        n = int(rng.integers(2, 8 - tricks)) if tricks < 5 else 2
        ending, values, game = ending_with_values(
            rng, tricks, n, (number + batch) % 4, must_guess=number % 5 == 0
        )
        side, hands, layouts, trick = ending
        shorter_sighted = worth_of(game, values, 0)
        worth = np.vstack([np.zeros(n, int), values.cumsum(axis=0)])
        every_plan = EveryPlan(side, trick.trump)
        place = trick.turn // 2
        for horizon in range(tricks + 1) if tricks < 5 else (0, 2, 5):
            shown = worth_of(game, values, horizon)
            for card in legal(hands[place], trick.cards):
                plans = every_plan.after(
                    without(hands, place, card),
                    layouts,
                    trick.leader,
                    (*trick.cards, card),
                    horizon,
                )
                best_worth = max(worth[plan, range(n)].sum() for plan in plans)
                assert (
                    best_worth == shown[card]
                    if card in shown
                    else best_worth in shown.values()
                )
            assert all(shown[card] <= shorter_sighted[card] for card in shown)
            shorter_sighted = shown


def test_small_cards_of_few_layouts_are_alike():
    """Hands keep their lengths, their cards beside declarer's and double dummy.

    Fewer layouts are told apart.
    """
    rng = np.random.default_rng(5)
    merged = 0
    for _ in range(4):
        side, hands, layouts, trick = random_ending(rng, 5, 12, 0)
        own = [*map(mask, hands)]
        hidden = np.array([[*map(mask, hands)] for hands in layouts])
        alike = with_equals_alike(trick, own, hidden, side)
        assert (alike[:, 0] ^ alike[:, 1] == hidden[:, 0] ^ hidden[:, 1]).all()
        above = [
            (1 << 13 * (card // 13 + 1)) - (1 << card)
            for card in range(52)
            if sum(own) >> card & 1
        ]
        for group in (
            0x1FFF << 13 * np.arange(4),
            np.array(above),
        ):  # suits, and cards above one of declarer's
            assert np.array_equal(
                *(
                    np.bitwise_count(pairs[:, 0, None] & group)
                    for pairs in (hidden, alike)
                )
            )
        assert np.array_equal(
            *(Ending(trick, own, pairs, side).double_dummy for pairs in (hidden, alike))
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
    comparison = example.rank_cards()
    assert comparison.exact
    assert comparison.plan
    chances = {choice.name: choice.chance[0] for choice in comparison.choices}
    assert {card: chances[card] for card in TEXTBOOK[name]} == pytest.approx(
        TEXTBOOK[name]
    )
    best = comparison.choices[0].name
    assert best == next(iter(TEXTBOOK[name]))
    assert all(
        chance < chances[best] for card, chance in chances.items() if card != best
    )
    assert "guesses" not in comparison.sentence
    assert comparison.plan[0].startswith(
        f"South leads {card_words(comparison.choices[0].cards[-1])}"
    )


def test_restricted_choice():
    """West dropped the queen, East follows: king or ten?

    A queen from queen and jack is half as likely as one alone.
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
        wins = {
            str(Card(index)): values[:, game.tricks(outcome) >= 2].sum()
            for index, outcome, _ in game.cards(values)
        }
        assert max(wins, key=wins.get) == best
        assert wins == pytest.approx({"SK": 6 * share, "ST": 4.0})
