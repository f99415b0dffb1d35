"""The next tricks of declarer, or all that are left, searched with one plan.

The plan is the same in all layouts of the two hidden hands.

One plan must serve all layouts that the cards played cannot tell apart, against
defenders who see everything (:mod:`~bayesbridge.decisions.best_defence`). The bound of
a position is its double-dummy result in each layout. Where the end is too far, the
search stops with that result at a *horizon*, so many tricks from now (αμ search:
Cazenave and Ventos, 2020): values fall from those of double dummy towards those of the
whole search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.decisions.best_defence import Plan, Search
from bayesbridge.decisions.solver import Solver
from bayesbridge.display.words import SEATS, card_words
from bayesbridge.game.cards import DECK_CARDS, SUIT_CARDS, SUIT_MASK, Card
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.game.tricks import Trick, winning_place

MOST_LAYOUTS: Final = 70
"""Ways to deal eight unknown cards: the last four tricks."""
MOST_TRICKS: Final = 8
"""Tricks left from which a horizon is searched."""
SECOND: Final = 6_000_000
"""Work of a second: comparisons of outcomes, and cards that the solver tries."""
POSITION: Final = 250
"""What a position costs beyond these, and again where the solver is asked."""


class State(NamedTuple):
    """A position as declarer sees it; the defenders' hands depend on the layout."""

    ours: tuple[int, int]
    """Masks of North or East, whichever is declarer's or dummy's, and of the seat
    opposite.
    """
    gone_mask: int
    """Cards that the defenders have played."""
    leader: int
    """The seat that led to the trick, or is to lead."""
    cards: tuple[int, ...] = ()
    """The trick so far."""

    @property
    def turn(self) -> int:
        """The seat in turn."""
        return (self.leader + len(self.cards)) % 4

    @property
    def trick_mask(self) -> int:
        """The cards of the trick so far."""
        return sum(1 << card for card in self.cards)


class Ending(Search):
    """The last tricks, searched over the layouts of the two hidden hands.

    Parameters
    ----------
    trick : Trick
        The trick so far, with the trumps.
    ours : sequence of two ints
        Masks of what seats ``side`` and ``side + 2`` have left.
    hidden : (n, 2) array of int
        In each layout, masks of what the other two have left.
    side : int
        Of declarer: 0 for North and South, 1 for East and West.
    most_work : int
        Work after which a search gives up.
    """

    def __init__(
        self,
        trick: Trick,
        ours: Sequence[int],
        hidden: Sequence[Sequence[int]] | Ints,
        side: int,
        most_work: int = 12 * SECOND,
    ) -> None:
        self.side = side
        self.trump = trick.trump
        self.hidden = np.array(hidden, np.int64)
        played = tuple(card.index for card in trick.cards)
        self.start = State((int(ours[0]), int(ours[1])), 0, int(trick.leader), played)
        self.tricks_left = max(hand.bit_count() for hand in self.start.ours)
        super().__init__(len(self.hidden), self.tricks_left, most_work)
        self.unknown_mask = int(self.hidden[0, 0] | self.hidden[0, 1])
        self.all_layouts = (1 << self.n) - 1
        # Of both defenders, by card: the layouts in which they hold it.
        self.layouts_of_card = (
            _layouts_by_card(self.hidden[:, 0], self.unknown_mask),
            _layouts_by_card(self.hidden[:, 1], self.unknown_mask),
        )
        self.tricks_at_horizon = 0  # that are left there; 0 is the end
        self.solver = Solver(trick.trump, side)
        self.bounds: dict[tuple[State, int, int], int] = {}
        # (n,) at the start: no plan is asked for more. None is known before the first.
        self.double_dummy = np.full(self.n, self.tricks_left)
        self.double_dummy = self._solve(self.start, range(self.n), 1)

    def settled(self, state: State, live: int, lowest: int) -> int | None:
        """The double-dummy outcome at the horizon, and where one layout is left."""
        self.work += POSITION
        only_double_dummy = self.tricks_at_horizon == self.tricks_left
        at_horizon = (
            not state.cards and state.ours[0].bit_count() <= self.tricks_at_horizon
        )
        one_layout = not live & (live - 1)
        if only_double_dummy or at_horizon or one_layout:
            return self.bound(state, live, lowest)
        return None

    def bound(self, state: State, live: int, lowest: int) -> int:
        """The double-dummy outcome in these layouts."""
        key = state, live, lowest
        if key not in self.bounds:
            layouts = list(_indices(live))
            outcome = 0
            tricks = self._solve(state, layouts, lowest).tolist()
            for layout, taken in zip(layouts, tricks, strict=True):
                outcome |= self.reached(1 << layout, taken, lowest)
            self.bounds[key] = outcome
        return self.bounds[key]

    def _solve(self, state: State, layouts: Sequence[int], lowest: int) -> Ints:
        """Declarer's tricks from here on if all see all cards, (layouts,).

        The trick that lies is among them.
        """
        hidden = self.hidden[layouts] & ~state.gone_mask
        caps = self.double_dummy[layouts] + lowest - 1
        tricks, tried = self.solver.tricks(
            state.ours, hidden, state.leader, state.cards, caps
        )
        self.work += POSITION + tried
        return tricks

    def moves(self, state: State) -> list[tuple[int, State, int]] | None:
        """Cards of declarer or dummy, of equals the lowest."""
        seat = state.turn
        if seat % 2 != self.side:
            return None
        hand, opposite = state.ours
        if seat != self.side:
            hand, opposite = opposite, hand
        legal = hand
        if state.cards:
            legal = hand & _suit_mask(state.cards[0]) or hand
        defenders_mask = self.unknown_mask & ~state.gone_mask
        between = opposite | defenders_mask | state.trick_mask
        cards: list[int] = []
        for card in sorted(_indices(legal), reverse=True):
            if cards and not _apart(card, cards[-1], between):
                cards.pop()
            cards.append(card)
        if state.cards:  # of plans that do the same one that keeps high cards is told
            cards.reverse()
        return [(card, *self.position_after(state, card)) for card in cards]

    def replies(self, state: State, live: int) -> list[tuple[int, int, State, int]]:
        """Cards of the defender in turn, those aside that tell more than another."""
        layouts_of_card = self.layouts_of_card[state.turn // 2]
        must_follow = 0
        if state.cards:
            unplayed = self.unknown_mask & ~state.gone_mask
            for card in _indices(unplayed & _suit_mask(state.cards[0])):
                must_follow |= layouts_of_card[card]
        replies = []
        for card, layouts in self._least_telling(state, live).items():
            follows = not state.cards or _same_suit(card, state.cards[0])
            possible = layouts if follows else layouts & ~must_follow
            if possible:
                after, won = self.position_after(state, card)
                replies.append((card, possible, after, won))
        return replies

    def _least_telling(self, state: State, live: int) -> dict[int, int]:
        """Cards of the defender in turn, with the layouts in which they are held.

        Of two cards next to each other, one that is held wherever the other is stands
        for both: it tells less.
        """
        layouts_of_card = self.layouts_of_card[state.turn // 2]
        between = state.ours[0] | state.ours[1] | state.trick_mask
        layouts_by_card: dict[int, int] = {}
        higher = 0
        higher_layouts = 0
        unplayed = self.unknown_mask & ~state.gone_mask
        for card in sorted(_indices(unplayed), reverse=True):
            layouts = live & layouts_of_card[card]
            stands_for_higher = False
            higher_stands_for_it = False
            if higher_layouts and not _apart(card, higher, between):
                higher_stands_for_it = not layouts & ~higher_layouts
                stands_for_higher = (
                    not higher_layouts & ~layouts and higher_layouts != layouts
                )
            if stands_for_higher:
                layouts_by_card.pop(higher, None)
            if not higher_stands_for_it:
                layouts_by_card[card] = layouts
            higher = card
            higher_layouts = layouts
        return layouts_by_card

    def position_after(self, state: State, card: int) -> tuple[State, int]:
        """The position after a card of the seat in turn, and tricks won by that."""
        ours = state.ours
        gone_mask = state.gone_mask
        if state.turn % 2 == self.side:
            ours = (ours[0] & ~(1 << card), ours[1] & ~(1 << card))
        else:
            gone_mask |= 1 << card
        cards = (*state.cards, card)
        if len(cards) < 4:
            return State(ours, gone_mask, state.leader, cards), 0
        winner = (state.leader + winning_place(cards, self.trump)) % 4
        return State(ours, gone_mask, winner), int(winner % 2 == self.side)

    def cards(
        self, values: Floats, horizon: int = 13
    ) -> Iterator[tuple[int, int, Plan]]:
        """Each card that may be played now, of equals the lowest, with the best plan.

        Parameters
        ----------
        values : (tricks, n) array of float
            What one trick more, from the first on, is worth in each layout, ≥ 0.
        horizon : int
            Tricks that the plan is for; 0 is double dummy.

        Yields
        ------
        card : int
        outcome : int
            Of the best plan that begins with the card.
        plan : Plan
        """
        self.tricks_at_horizon = max(0, self.tricks_left - horizon)
        for card, after, won in self.moves(self.start) or ():
            outcome, plan = self.optimum(after, self.all_layouts, 1 - won, values)
            yield card, outcome, (card, plan)

    def tricks(self, outcome: int) -> NDArray[np.int64]:
        """Tricks of an outcome in each layout, (n,).

        The outcome is one that counts from one trick on.
        """
        tricks = np.zeros(self.n, np.int64)
        for level in range(self.levels):
            for layout in range(self.n):
                tricks[layout] += outcome >> level * self.n + layout & 1
        return tricks

    def double_dummy_move(self, state: State, live: int) -> int:
        """A card of declarer or dummy that is best if all see all cards."""
        layouts = list(_indices(live))

        def tricks_after(move: tuple[int, State, int]) -> int:
            """Declarer's tricks after a card, with the trick that it wins."""
            _, after, won = move
            return won + int(self._solve(after, layouts, 1 - won)[0])

        card, _, _ = max(self.moves(state) or (), key=tricks_after)
        return card

    def text(self, plan: Plan, weights: Floats, tricks: int = 2) -> tuple[str, ...]:
        """A plan in words, so many tricks deep; ``weights``: (n,) of the layouts."""
        passage = PlanWords(self, weights).passage(
            plan, self.start, self.all_layouts, tricks
        )
        return passage.as_lines


class Passage(NamedTuple):
    """A part of a plan in words."""

    clause: str
    """What becomes of the trick that lies, such as ``East plays ♠5``; may be empty."""
    lines: tuple[str, ...]
    """The tricks after it."""

    @property
    def as_lines(self) -> tuple[str, ...]:
        """All of it, the clause as a sentence of its own."""
        return (f"{self.clause}.", *self.lines) if self.clause else self.lines


@dataclass(frozen=True, eq=False)
class PlanWords:
    """Says plans of an ending in words, by the weights of its layouts, (n,)."""

    ending: Ending
    weights: Floats

    def passage(self, plan: Plan, state: State, live: int, tricks: int) -> Passage:
        """The rest of a plan from a position on, so many tricks deep."""
        if not tricks:
            return Passage("", ())
        if not state.cards and (plan is None or state.ours[0].bit_count() == 1):
            return Passage("", ())
        if state.turn % 2 == self.ending.side:
            return self._move_passage(plan, state, live, tricks)
        return self._reply_passage(plan, state, live, tricks)

    def _move_passage(
        self, plan: Plan, state: State, live: int, tricks: int
    ) -> Passage:
        """What declarer or dummy plays; where the layout is known, a best card."""
        if plan is None:
            card = self.ending.double_dummy_move(state, live)
            plan_after = None
        else:
            card, plan_after = plan
        after, _ = self.ending.position_after(state, card)
        passage = self._passage_after(plan_after, after, live, tricks)
        clause = f"{self._seat_and_verb(state)} {card_words(Card(card))}"
        if passage.clause:
            clause = f"{clause}, {passage.clause}"
        return Passage(clause, passage.lines)

    def _reply_passage(
        self, plan: Plan, state: State, live: int, tricks: int
    ) -> Passage:
        """What a defender may play, each case with what follows it.

        Cards after which all goes on alike are one case. What is so in all cases stands
        before them, the likeliest case behind the others.
        """
        cases = self._cases(plan, state, live, tricks)
        clauses = {passage.clause for passage in cases}
        common = clauses.pop() if len(clauses) == 1 else ""
        if len(cases) == 1:
            lines = next(iter(cases)).lines
        else:
            lines = self._case_lines(cases, common, state)
        if common and not state.cards:
            common = f"{self._seat_and_verb(state)}, {common}"
        return Passage(common, lines)

    def _cases(
        self, plan: Plan, state: State, live: int, tricks: int
    ) -> dict[Passage, dict[str, float]]:
        """What may follow a defender's card, each with the cards that it follows.

        These by name, with the weight of the layouts in which they are played.
        """
        plan_by_card = dict(plan or ())
        cases: dict[Passage, dict[str, float]] = {}
        for card, possible, after, _ in self.ending.replies(state, live):
            passage = self._passage_after(
                plan_by_card.get(card), after, possible, tricks
            )
            weight_by_name = cases.setdefault(passage, {})
            name = self._defenders_card(card)
            weight = sum(self.weights[layout] for layout in _indices(possible))
            weight_by_name[name] = weight_by_name.get(name, 0.0) + weight
        return cases

    def _case_lines(
        self, cases: Mapping[Passage, Mapping[str, float]], common: str, state: State
    ) -> tuple[str, ...]:
        """Several cases, the likeliest last; ``common`` stands before all of them."""
        likeliest = max(cases, key=lambda passage: sum(cases[passage].values()))
        lines: list[str] = []
        for passage in sorted(cases, key=lambda passage: passage == likeliest):
            clause = passage.clause.removeprefix(common)
            if clause or passage.lines:
                condition = self._condition(state, list(cases[passage]))
                if passage == likeliest and lines:
                    condition = "Otherwise"
                consequence = f" {clause}." if clause else ""
                lines.append(f"  {condition}:{consequence}")
            lines += [f"    {line}" for line in passage.lines]
        return tuple(lines)

    def _passage_after(
        self, plan: Plan, after: State, live: int, tricks: int
    ) -> Passage:
        """What follows a card; the next trick begins a line."""
        if after.cards:
            return self.passage(plan, after, live, tricks)
        return Passage("", self.passage(plan, after, live, tricks - 1).as_lines)

    def _condition(self, state: State, names: Sequence[str]) -> str:
        """That a defender plays one of these cards, such as ``If East plays ♠5``."""
        alternatives = names[-1]
        if len(names) > 1:
            alternatives = f"{', '.join(names[:-1])} or {names[-1]}"
        return f"If {self._seat_and_verb(state)} {alternatives}"

    @staticmethod
    def _seat_and_verb(state: State) -> str:
        """Such as ``South leads``."""
        seat = SEATS["NESW"[state.turn]]
        return f"{seat} plays" if state.cards else f"{seat} leads"

    def _defenders_card(self, card: int) -> str:
        """A defender's card with its equals at the start, in words.

        The lowest of a suit are called low.
        """
        ending = self.ending
        between = ending.start.ours[0] | ending.start.ours[1]
        unknown_of_suit = sorted(_indices(ending.unknown_mask & _suit_mask(card)))
        equals = [
            unknown
            for unknown in unknown_of_suit
            if not _apart(min(unknown, card), max(unknown, card), between)
        ]
        if len(equals) > 1 and equals[0] == unknown_of_suit[0]:
            symbol = card_words(Card(card))[0]
            return f"a low {symbol}"
        return " or ".join(card_words(Card(equal)) for equal in reversed(equals))


def with_equals_alike(
    trick: Trick, ours: Sequence[int], hidden: Ints, side: int
) -> Ints:
    """Layouts whose small cards tell declarer only how many of them each defender has.

    Among a few layouts nearly each has small cards of its own, and a plan would tell
    them apart by these. So of cards that have none of declarer's between them the first
    defender gets the lowest, as many as before, in suits that declarer or dummy has,
    unless the double-dummy result changes.

    Parameters
    ----------
    trick, ours, hidden, side
        As :class:`Ending` takes them.

    Returns
    -------
    (n, 2) array of int
        Masks as in ``hidden``.
    """
    own_mask = ours[0] | ours[1]
    between = own_mask | sum(card.mask for card in trick.cards)
    unknown_mask = int(hidden[0, 0] | hidden[0, 1])
    alike = hidden.copy()
    for equals in _runs_of_equals(unknown_mask, own_mask, between):
        # By how many of the equals the first defender has: the lowest of them.
        lowest_masks = np.cumsum([0, *(1 << card for card in equals)])
        run_mask = lowest_masks[-1]
        first = lowest_masks[np.bitwise_count(hidden[:, 0] & run_mask)]
        alike = alike & ~run_mask | np.stack([first, run_mask ^ first], axis=1)
    before = Ending(trick, ours, hidden, side).double_dummy
    after = Ending(trick, ours, alike, side).double_dummy
    return np.where((before == after)[:, None], alike, hidden)


def _runs_of_equals(
    unknown_mask: int, own_mask: int, between: int
) -> Iterator[list[int]]:
    """Unknown cards with none of ``between`` among them.

    Only in suits that declarer or dummy has.
    """
    equals: list[int] = []
    for card in range(DECK_CARDS):
        begins_suit = card % SUIT_CARDS == 0
        if equals and (begins_suit or between >> card & 1):
            yield equals
            equals = []
        if unknown_mask >> card & 1 and own_mask & _suit_mask(card):
            equals.append(card)
    if equals:
        yield equals


def _layouts_by_card(hands: Ints, unknown_mask: int) -> dict[int, int]:
    """Which of the (n,) hands hold each unknown card, a bit for each hand."""
    layouts_by_card = dict.fromkeys(_indices(unknown_mask), 0)
    for layout, hand in enumerate(hands.tolist()):
        for card in _indices(hand):
            layouts_by_card[card] |= 1 << layout
    return layouts_by_card


def _indices(mask: int) -> Iterator[int]:
    """The places of the bits that are set, rising."""
    while mask:
        lowest_bit = mask & -mask
        yield lowest_bit.bit_length() - 1
        mask ^= lowest_bit


def _suit_mask(card: int) -> int:
    """All cards of the suit of a card."""
    return SUIT_MASK << SUIT_CARDS * (card // SUIT_CARDS)


def _same_suit(card: int, other_card: int) -> bool:
    return card // SUIT_CARDS == other_card // SUIT_CARDS


def _apart(low: int, high: int, between: int) -> bool:
    """Whether two cards are of different suits, or have one of these between them."""
    if not _same_suit(low, high):
        return True
    return bool(between & (1 << high) - (1 << low))
