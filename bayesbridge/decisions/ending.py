"""The last tricks of declarer, searched whole: a plan over all layouts of the two hidden hands.

Double dummy lets declarer see all cards after the next one, so that a finesse either way costs nothing there. Here one
plan must serve all layouts that the cards played cannot tell apart, against defenders who see everything
(:mod:`~bayesbridge.decisions.best_defence`). The bound of a position is its double-dummy result in each layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import SUIT_MASK, Card
from bayesbridge.decisions.best_defence import Plan, Search
from bayesbridge.layouts import Floats
from bayesbridge.notation.record import winning_place
from bayesbridge.tricks import Trick
from bayesbridge.words import SEATS, card_words

MOST_LAYOUTS: Final = 70
"""Ways to deal eight unknown cards: the last four tricks."""


class State(NamedTuple):
    """A position: what is left in declarer's two hands, the defenders' cards that are gone, and the trick."""

    ours: tuple[int, int]
    """Masks by seat: the first of North and East that is declarer's or dummy's, then the seat opposite."""
    gone_mask: int
    leader: int
    cards: tuple[int, ...] = ()

    @property
    def turn(self) -> int:
        """The seat to play."""
        return (self.leader + len(self.cards)) % 4


class Ending:
    """The end of a play as a game; a move or a reply is the index of a card."""

    def __init__(self, trick: Trick, ours: Sequence[int], hidden: Sequence[Sequence[int]], side: int) -> None:
        """``ours``: what is left in the hands of seats ``side`` and ``side + 2``, as masks; ``hidden``: (n, 2) masks of
        what is left in those of seats ``1 - side`` and ``3 - side``; ``side`` is 0 for North and South.
        """
        self.side, self.trump = side, trick.trump
        self.hidden = [tuple(map(int, layout)) for layout in hidden]
        self.start = State(
            (int(ours[0]), int(ours[1])), 0, int(trick.leader), tuple(card.index for card in trick.cards)
        )
        self.unknown_mask = self.hidden[0][0] | self.hidden[0][1]
        self.held = tuple(
            {
                card: sum(1 << i for i, layout in enumerate(self.hidden) if layout[place] >> card & 1)
                for card in _indices(self.unknown_mask)
            }
            for place in (0, 1)
        )
        """By defender and card: the layouts in which they hold it."""
        self.every = (1 << len(self.hidden)) - 1
        tricks = max(hand.bit_count() for hand in self.start.ours)
        self.search = Search(self, len(self.hidden), tricks, 5_000_000)
        self.solved: dict[Any, int] = {}

    def settled(self, state: State, live: int, lowest: int) -> int | None:
        """No card is left, or the layout is known."""
        if not live & (live - 1):
            return self.bound(state, live, lowest)
        return None if any(state.ours) or state.cards else self.search.reached(live, 0, lowest)

    def bound(self, state: State, live: int, lowest: int) -> int:
        """Double dummy in every layout."""
        outcome = 0
        for i in _indices(live):
            outcome |= self.search.reached(1 << i, self.double_dummy(state, i), lowest)
        return outcome

    def moves(self, state: State) -> list[tuple[int, State, int]] | None:
        """Declarer's cards, of equals the lowest."""
        seat = state.turn
        if seat % 2 != self.side:
            return None
        hand, other = state.ours if seat == self.side else state.ours[::-1]
        between = other | self.unknown_mask & ~state.gone_mask | sum(1 << card for card in state.cards)
        cards = _classes(_legal(hand, state.cards), between)
        if state.cards:  # of plans that do the same one that keeps high cards is told
            cards.reverse()
        return [(card, *self._after(state, card)) for card in cards]

    def replies(self, state: State, live: int) -> list[tuple[int, int, State, int]]:
        """A defender's cards with the layouts in which they may be played; neighbours that lie together in all of
        these are one.
        """
        held = self.held[state.turn // 2]
        left = self.unknown_mask & ~state.gone_mask
        follow = 0
        if state.cards:
            for card in _indices(left & _suit(state.cards[0])):
                follow |= held[card]
        found: list[tuple[int, int, State, int]] = []
        others = state.ours[0] | state.ours[1] | sum(1 << card for card in state.cards)
        higher: tuple[int, int] | None = None
        for card in sorted(_indices(left), reverse=True):
            whose = live & held[card]
            same = higher is not None and higher[1] == whose and not _apart(card, higher[0], others)
            higher = card, whose
            here = whose if not state.cards or card // 13 == state.cards[0] // 13 else whose & ~follow
            if here and not same:
                found.append((card, here, *self._after(state, card)))
        return found

    def _after(self, state: State, card: int) -> tuple[State, int]:
        """The position after a card, and whether it wins a trick for declarer."""
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

    def double_dummy(self, state: State, layout: int) -> int:
        """Declarer's tricks from here on, the one that lies among them, if all see all cards."""
        hands = [0, 0, 0, 0]
        hands[self.side], hands[self.side + 2] = state.ours
        for place in (0, 1):
            hands[1 - self.side + 2 * place] = self.hidden[layout][place] & ~state.gone_mask
        return self._solve(tuple(hands), state.leader, state.cards)

    def _solve(self, hands: tuple[int, ...], leader: int, cards: tuple[int, ...]) -> int:
        key = hands, leader, cards
        if (known := self.solved.get(key)) is not None:
            return known
        seat = (leader + len(cards)) % 4
        hand = hands[seat]
        if not hand:
            return 0
        ours = seat % 2 == self.side
        others = sum(1 << card for card in cards)
        for other in hands:
            others |= other
        most = hand.bit_count()
        best = -1 if ours else 99
        for card in _classes(_legal(hand, cards), others & ~hand):
            left = (*hands[:seat], hand & ~(1 << card), *hands[seat + 1 :])
            played = (*cards, card)
            if len(played) < 4:
                value = self._solve(left, leader, played)
            else:
                winner = (leader + winning_place(played, self.trump)) % 4
                value = (winner % 2 == self.side) + self._solve(left, winner, ())
            best = max(best, value) if ours else min(best, value)
            if best == (most if ours else 0):
                break
        self.solved[key] = best
        return best

    def cards(self, values: Floats) -> Iterator[tuple[int, int, Plan]]:
        """Each card that may be played now, of equals the lowest, with the outcome of the best plan after it, and that.

        ``values``: (tricks, n) what one trick more, from the first on, is worth in each layout, ≥ 0.
        """
        for card, after, won in self.moves(self.start) or ():
            outcome, plan = self.search.optimum(after, self.every, 1 - won, values)
            yield card, outcome, (card, plan)

    def tricks(self, outcome: int) -> NDArray[np.int64]:
        """(n,) tricks from now on in each layout, of an outcome counted from one trick on."""
        n = self.search.n
        return np.array([sum(outcome >> (level * n + i) & 1 for level in range(self.search.levels)) for i in range(n)])

    def text(self, plan: Plan, weights: Floats, tricks: int = 2) -> tuple[str, ...]:
        """A plan in words, a line for each trick and each condition, so many tricks deep."""
        head, lines = self._told(plan, self.start, self.every, weights, tricks)
        return (f"{head}.", *lines) if head else tuple(lines)

    def _told(self, plan: Plan, state: State, live: int, weights: Floats, tricks: int) -> tuple[str, list[str]]:
        """What is done in the rest of this trick, and the lines after it.

        A case that goes on as others do is told with them, and defenders' equals are one case.
        """
        if not tricks or (not state.cards and (plan is None or state.ours[0].bit_count() == 1)):
            return "", []
        options = self.moves(state)
        if options is not None:
            card = plan[0] if plan is not None else self._known_best(options, live)
            after, _ = self._after(state, card)
            head, lines = self._told(plan and plan[1], after, live, weights, tricks - (not after.cards))
            words = f"{self._verb(state)} {card_words(Card(card))}"
            if after.cards:
                return f"{words}, {head}" if head else words, lines
            return words, [f"{head}.", *lines] if head else lines
        cases: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}
        plans = dict(plan or ())
        for card, here, after, _ in self.replies(state, live):
            head, lines = self._told(plans.get(card), after, here, weights, tricks - (not after.cards))
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
                found.append(f"  {'Otherwise' if case == usual and found else when}:{f' {head}.' if head else ''}")
            found += lines if len(cases) == 1 else (f"    {line}" for line in lines)
        return leads + common, found

    def _verb(self, state: State) -> str:
        return f"{SEATS['NESW'[state.turn]]} {'plays' if state.cards else 'leads'}"

    def _class(self, card: int) -> str:
        """A defender's card with its equals at the start; the lowest of a suit are called low."""
        ours = self.start.ours[0] | self.start.ours[1]
        others = sorted(_indices(self.unknown_mask & _suit(card)))
        equals = [one for one in others if not _apart(min(one, card), max(one, card), ours)]
        name = card_words(Card(card))
        if len(equals) > 1 and equals[0] == others[0]:
            return f"a low {name[0]}"
        return name if len(equals) == 1 else " or ".join(card_words(Card(one)) for one in reversed(equals))

    def _known_best(self, options: Sequence[tuple[int, State, int]], live: int) -> int:
        """A best card where the layout is known."""
        layout = live.bit_length() - 1
        return max(options, key=lambda one: one[2] + self.double_dummy(one[1], layout))[0]


def _indices(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _suit(card: int) -> int:
    return SUIT_MASK << 13 * (card // 13)


def _legal(hand: int, cards: tuple[int, ...]) -> int:
    return (hand & _suit(cards[0]) or hand) if cards else hand


def _apart(low: int, high: int, others: int) -> bool:
    """Whether two cards are of different suits, or have one of the others between them."""
    return low // 13 != high // 13 or bool(others & (1 << high) - (1 << low))


def _classes(legal: int, others: int) -> list[int]:
    """The lowest card of each class of equals, cards with none of the others between them; high cards first."""
    found: list[int] = []
    higher = -1
    for card in sorted(_indices(legal), reverse=True):
        if higher >= 0 and not _apart(card, higher, others):
            found[-1] = card
        else:
            found.append(card)
        higher = card
    return found
