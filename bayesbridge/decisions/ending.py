"""The next tricks of declarer, or all that are left, searched with one plan over the
layouts of the two hidden hands.

One plan must serve all layouts that the cards played cannot tell apart, against
defenders who see everything (:mod:`~bayesbridge.decisions.best_defence`). The bound of
a position is its double-dummy result in each layout. Where the end is too far, the
search stops with that result at a *horizon*, so many tricks from now (αμ search:
Cazenave and Ventos, 2020): values fall from those of double dummy towards those of the
whole search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.decisions.best_defence import Plan, Search
from bayesbridge.decisions.solver import Solver
from bayesbridge.display.words import SEATS, card_words
from bayesbridge.game.cards import SUIT_MASK, Card
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.game.tricks import Trick, winning_place

MOST_LAYOUTS: Final = 70  # ways to deal eight unknown cards: the last four tricks
MOST_TRICKS: Final = 8  # tricks left from which a horizon is searched
# Work of a second: comparisons of outcomes, and cards that the solver tries
SECOND: Final = 6_000_000
POSITION: Final = (
    250  # what a position costs beyond these, and again where the solver is asked
)


class State(NamedTuple):
    """A position; ``ours``: masks of North or East, whichever is declarer's or dummy's,
    and of the seat opposite.
    """

    ours: tuple[int, int]
    gone_mask: int
    leader: int
    cards: tuple[int, ...] = ()

    @property
    def turn(self) -> int:
        return (self.leader + len(self.cards)) % 4


class Ending(Search):
    def __init__(
        self,
        trick: Trick,
        ours: Sequence[int],
        hidden: Sequence[Sequence[int]] | Ints,
        side: int,
        most_work: int = 12 * SECOND,
    ) -> None:
        """``ours``: masks of what seats ``side`` and ``side + 2`` have left;
        ``hidden``: (n, 2) the other two's.
        """
        self.side, self.trump = side, trick.trump
        self.hidden = np.array(hidden, np.int64)
        played = tuple(card.index for card in trick.cards)
        self.start = State((int(ours[0]), int(ours[1])), 0, int(trick.leader), played)
        self.left = max(hand.bit_count() for hand in self.start.ours)
        super().__init__(len(self.hidden), self.left, most_work)
        self.unknown_mask = int(self.hidden[0, 0] | self.hidden[0, 1])
        self.held = tuple(
            {
                card: sum(
                    1 << i
                    for i, layout in enumerate(self.hidden)
                    if int(layout[place]) >> card & 1
                )
                for card in _indices(self.unknown_mask)
            }
            for place in (0, 1)
        )  # by defender and card: the layouts in which they hold it
        self.every = (1 << self.n) - 1
        self.stop = 0  # tricks left at the horizon
        self.solver = Solver(trick.trump, side)
        self.solved: dict[tuple[State, int, int], int] = {}
        # (n,) double-dummy tricks at the start: no plan is asked for more.
        self.most = np.full(self.n, self.left)
        self.most = self._double_dummy(self.start, range(self.n), 1)

    def settled(self, state: State, live: int, lowest: int) -> int | None:
        self.work += POSITION
        there = self.stop == self.left or (
            not state.cards and state.ours[0].bit_count() <= self.stop
        )
        return (
            self.bound(state, live, lowest) if there or not live & (live - 1) else None
        )

    def bound(self, state: State, live: int, lowest: int) -> int:
        key = state, live, lowest
        if key not in self.solved:
            some = list(_indices(live))
            tricks = self._double_dummy(state, some, lowest).tolist()
            outcome = (
                self.reached(1 << i, many, lowest)
                for i, many in zip(some, tricks, strict=True)
            )
            self.solved[key] = sum(outcome)
        return self.solved[key]

    def _double_dummy(self, state: State, some: Sequence[int], lowest: int) -> Ints:
        """(layouts,) declarer's tricks from here on, the one that lies among them, if
        all see all cards.
        """
        hidden = self.hidden[some] & ~state.gone_mask
        taken, tried = self.solver.tricks(
            state.ours, hidden, state.leader, state.cards, self.most[some] + lowest - 1
        )
        self.work += POSITION + tried
        return taken

    def moves(self, state: State) -> list[tuple[int, State, int]] | None:
        seat = state.turn
        if seat % 2 != self.side:
            return None
        hand, other = state.ours if seat == self.side else state.ours[::-1]
        between = (
            other
            | self.unknown_mask & ~state.gone_mask
            | sum(1 << card for card in state.cards)
        )
        legal = (hand & _suit(state.cards[0]) or hand) if state.cards else hand
        cards: list[int] = []
        higher = -1
        for card in sorted(_indices(legal), reverse=True):
            if higher >= 0 and not _apart(card, higher, between):
                cards.pop()
            cards.append(card)
            higher = card
        if state.cards:  # of plans that do the same one that keeps high cards is told
            cards.reverse()
        return [(card, *self._after(state, card)) for card in cards]

    def replies(self, state: State, live: int) -> list[tuple[int, int, State, int]]:
        """Of cards next to each other one that is there wherever the other is stands
        for both: it tells less.
        """
        held = self.held[state.turn // 2]
        left = self.unknown_mask & ~state.gone_mask
        follow = 0
        if state.cards:
            for card in _indices(left & _suit(state.cards[0])):
                follow |= held[card]
        others = state.ours[0] | state.ours[1] | sum(1 << card for card in state.cards)
        where: dict[int, int] = {}
        higher, above = 0, 0
        for card in sorted(_indices(left), reverse=True):
            whose = live & held[card]
            next_to = above and not _apart(card, higher, others)
            if next_to and not above & ~whose and above != whose:
                where.pop(higher, None)
            if not (next_to and not whose & ~above):
                where[card] = whose
            higher, above = card, whose
        found: list[tuple[int, int, State, int]] = []
        for card, whose in where.items():
            here = (
                whose
                if not state.cards or card // 13 == state.cards[0] // 13
                else whose & ~follow
            )
            if here:
                found.append((card, here, *self._after(state, card)))
        return found

    def _after(self, state: State, card: int) -> tuple[State, int]:
        seat, bit = state.turn, 1 << card
        ours, gone = state.ours, state.gone_mask
        if seat % 2 == self.side:
            ours = (ours[0] & ~bit, ours[1] & ~bit)
        else:
            gone |= bit
        cards = (*state.cards, card)
        if len(cards) < 4:
            return State(ours, gone, state.leader, cards), 0
        winner = (state.leader + winning_place(cards, self.trump)) % 4
        return State(ours, gone, winner), int(winner % 2 == self.side)

    def cards(
        self, values: Floats, horizon: int = 13
    ) -> Iterator[tuple[int, int, Plan]]:
        """Each card that may be played now, of equals the lowest, with the outcome of
        the best plan after it, and that.

        ``values``: (tricks, n) what one trick more, from the first on, is worth in each
        layout, ≥ 0. The plan is for ``horizon`` tricks; 0 is double dummy.
        """
        self.stop = max(0, self.left - horizon)
        for card, after, won in self.moves(self.start) or ():
            outcome, plan = self.optimum(after, self.every, 1 - won, values)
            yield card, outcome, (card, plan)

    def tricks(self, outcome: int) -> NDArray[np.int64]:
        """(n,) tricks from now on in each layout, of an outcome counted from one trick
        on.
        """
        levels = range(0, self.levels * self.n, self.n)
        return np.array(
            [sum(outcome >> level + i & 1 for level in levels) for i in range(self.n)]
        )

    def text(self, plan: Plan, weights: Floats, tricks: int = 2) -> tuple[str, ...]:
        head, lines = self._told(plan, self.start, self.every, weights, tricks)
        return (f"{head}.", *lines) if head else tuple(lines)

    def _told(
        self, plan: Plan, state: State, live: int, weights: Floats, tricks: int
    ) -> tuple[str, list[str]]:
        """The rest of this trick, and the lines after it; cases that go on alike are
        told together.
        """
        if not tricks or (
            not state.cards and (plan is None or state.ours[0].bit_count() == 1)
        ):
            return "", []
        options = self.moves(state)
        if options is not None:
            card: int
            if plan is not None:
                card = plan[0]
            else:  # a best one, where the layout is known
                some = list(_indices(live))
                card = max(
                    options,
                    key=lambda one: (
                        one[2] + self._double_dummy(one[1], some, 1 - one[2])[0]
                    ),
                )[0]
            after, _ = self._after(state, card)
            head, lines = self._told(
                plan and plan[1], after, live, weights, tricks - (not after.cards)
            )
            words = f"{self._verb(state)} {card_words(Card(card))}"
            if after.cards:
                return f"{words}, {head}" if head else words, lines
            return words, [f"{head}.", *lines] if head else lines
        cases: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}
        plans = dict(plan or ())
        for card, here, after, _ in self.replies(state, live):
            head, lines = self._told(
                plans.get(card), after, here, weights, tricks - (not after.cards)
            )
            if head and not after.cards:
                head, lines = "", [f"{head}.", *lines]
            names = cases.setdefault((head, tuple(lines)), {})
            name = self._class(card)
            names[name] = names.get(name, 0.0) + sum(weights[i] for i in _indices(here))
        heads = {head for head, _ in cases}
        common = heads.pop() if len(heads) == 1 else ""
        leads = f"{self._verb(state)}, " if common and not state.cards else ""
        found: list[str] = []
        usual = max(cases, key=lambda case: sum(cases[case].values()))
        for case, names in sorted(cases.items(), key=lambda one: one[0] == usual):
            head, lines = case[0].removeprefix(common), list(case[1])
            if len(cases) > 1 and (head or lines):
                *most, last = names
                when = f"If {self._verb(state)} {' or '.join(filter(None, (', '.join(most), last)))}"
                found.append(
                    f"  {'Otherwise' if case == usual and found else when}:{f' {head}.' if head else ''}"
                )
            found += lines if len(cases) == 1 else (f"    {line}" for line in lines)
        return leads + common, found

    def _verb(self, state: State) -> str:
        return f"{SEATS['NESW'[state.turn]]} {'plays' if state.cards else 'leads'}"

    def _class(self, card: int) -> str:
        """A defender's card with its equals at the start; the lowest of a suit are
        called low.
        """
        ours = self.start.ours[0] | self.start.ours[1]
        others = sorted(_indices(self.unknown_mask & _suit(card)))
        equals = [
            one for one in others if not _apart(min(one, card), max(one, card), ours)
        ]
        name = card_words(Card(card))
        if len(equals) > 1 and equals[0] == others[0]:
            return f"a low {name[0]}"
        return (
            name
            if len(equals) == 1
            else " or ".join(card_words(Card(one)) for one in reversed(equals))
        )


def with_equals_alike(
    trick: Trick, ours: Sequence[int], hidden: Ints, side: int
) -> Ints:
    """(n, 2) layouts whose small cards tell declarer no more than how many of them each
    defender has.

    Among a few layouts nearly each has small cards of its own, and a plan would tell
    them apart by these. So of cards that have none of declarer's between them the first
    defender gets the lowest, as many as before, in suits that declarer or dummy has,
    unless the double-dummy result changes.
    """
    alike, unknown, own = (
        hidden.copy(),
        int(hidden[0, 0] | hidden[0, 1]),
        ours[0] | ours[1],
    )
    between = own | sum(card.mask for card in trick.cards)
    equals: list[list[int]] = [[]]
    for card in range(52):
        if card % 13 == 0 or between >> card & 1:
            equals.append([])
        if unknown >> card & 1 and own & _suit(card):
            equals[-1].append(card)
    for cards in equals:
        lowest = np.cumsum([0, *(1 << card for card in cards)])
        first = lowest[np.bitwise_count(hidden[:, 0] & lowest[-1])]
        alike = alike & ~lowest[-1] | np.stack([first, lowest[-1] ^ first], axis=1)
    same = (
        Ending(trick, ours, hidden, side).most == Ending(trick, ours, alike, side).most
    )
    return np.where(same[:, None], alike, hidden)


def _indices(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _suit(card: int) -> int:
    return SUIT_MASK << 13 * (card // 13)


def _apart(low: int, high: int, others: int) -> bool:
    """Whether two cards are of different suits, or have one of the others between them."""
    return low // 13 != high // 13 or bool(others & (1 << high) - (1 << low))
