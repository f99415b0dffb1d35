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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.decisions.best_defence import Move, Plan, Reply, Search
from bayesbridge.decisions.solver import Solver
from bayesbridge.display.words import SEATS, card_words
from bayesbridge.game.cards import DECK_CARDS, SUIT_CARDS, SUIT_MASK, Card
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.game.tricks import Trick, winning_place

MOST_LAYOUTS: Final = 70
"""Ways to deal eight unknown cards: the last four tricks."""
MOST_TRICKS: Final = 8
"""Tricks left from which a horizon is searched."""
WORK_A_SECOND: Final = 6_000_000
"""Work of a second: comparisons of outcomes, and cards that the solver tries."""
POSITION: Final = 250
"""What a position costs beyond these, and again where the solver is asked."""


class State(NamedTuple):
    """A position as declarer sees it; the defenders' hands depend on the layout."""

    own_hands: tuple[int, int]
    """Masks of what seats ``side`` and ``side + 2``, declarer and dummy, have left."""
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


class CardPlan(NamedTuple):
    """A card that may be played now, and the best plan that begins with it."""

    card: int
    outcome: int
    """Bits by level and layout, level 0 for one trick from now on."""
    plan: Plan


class Ending(Search):
    """The last tricks, searched over the layouts of the two hidden hands.

    Parameters
    ----------
    trick : Trick
        The trick so far, with the trumps.
    own_hands : sequence of two ints
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
        own_hands: Sequence[int],
        hidden: Sequence[Sequence[int]] | Ints,
        side: int,
        most_work: int = 12 * WORK_A_SECOND,
    ) -> None:
        """Note which layouts hold which card, and solve them all once."""
        self.side = side
        self.trump = trick.trump
        self.hidden = np.array(hidden, np.int64)
        self.start = State(
            own_hands=(int(own_hands[0]), int(own_hands[1])),
            gone_mask=0,
            leader=int(trick.leader),
            cards=tuple(card.index for card in trick.cards),
        )
        self.tricks_left = max(hand.bit_count() for hand in self.start.own_hands)
        super().__init__(
            n=len(self.hidden), levels=self.tricks_left, most_work=most_work
        )
        self.unknown_mask = int(self.hidden[0, 0] | self.hidden[0, 1])
        self.all_layouts = (1 << self.n) - 1
        # Of both defenders, by card: the layouts in which they hold it, as bits.
        self.layouts_of_card = (
            _layouts_by_card(self.hidden[:, 0], self.unknown_mask),
            _layouts_by_card(self.hidden[:, 1], self.unknown_mask),
        )
        # Tricks that are left where the plan ends and double dummy begins; 0 for none.
        self.tricks_at_horizon = 0
        self.solver = Solver(trick.trump, side)
        # Double-dummy outcomes, by position, layouts and tricks of level 0.
        self.bounds: dict[tuple[State, int, int], int] = {}
        # (n,) declarer's double-dummy tricks of each layout, from the start.
        self.double_dummy = self._solve(
            self.start, range(self.n), caps=np.full(self.n, self.tricks_left)
        )

    def settled(self, state: State, layout_bits: int, least_tricks: int) -> int | None:
        """The double-dummy outcome at the horizon, and where one layout is left."""
        self.work += POSITION
        only_double_dummy = self.tricks_at_horizon == self.tricks_left
        at_horizon = (
            not state.cards and state.own_hands[0].bit_count() <= self.tricks_at_horizon
        )
        one_layout = not layout_bits & (layout_bits - 1)
        if only_double_dummy or at_horizon or one_layout:
            return self.bound(state, layout_bits, least_tricks)
        return None

    def bound(self, state: State, layout_bits: int, least_tricks: int) -> int:
        """The double-dummy outcome in these layouts, which no plan surpasses."""
        key = state, layout_bits, least_tricks
        if key not in self.bounds:
            layouts = list(_indices(layout_bits))
            won_before = 1 - least_tricks  # it is 1 at the start
            caps = self.double_dummy[layouts] - won_before
            tricks = self._solve(state, layouts, caps).tolist()
            outcome = 0
            for layout, taken in zip(layouts, tricks, strict=True):
                outcome |= self.reached(1 << layout, taken, least_tricks)
            self.bounds[key] = outcome
        return self.bounds[key]

    def _solve(self, state: State, layouts: Sequence[int], caps: Ints) -> Ints:
        """Declarer's tricks from here on if all four see all cards, (layouts,).

        The trick that is being played is among them. ``caps``: (layouts,) the most
        tricks that are asked for, so that the solver need not look for more.
        """
        hidden = self.hidden[layouts] & ~state.gone_mask
        tricks, cards_tried = self.solver.tricks(
            state.own_hands, hidden, state.leader, state.cards, caps
        )
        self.work += POSITION + cards_tried
        return tricks

    def moves(self, state: State) -> list[Move] | None:
        """Cards that declarer's side may play, of equal ones the lowest.

        ``None`` on a defender's turn.
        """
        seat = state.turn
        is_defenders_turn = seat % 2 != self.side
        if is_defenders_turn:
            return None
        hand, hand_opposite = state.own_hands
        if seat == self.side + 2:
            hand, hand_opposite = hand_opposite, hand
        legal = hand
        if state.cards:
            legal = hand & _suit_mask(state.cards[0]) or hand
        defenders_mask = self.unknown_mask & ~state.gone_mask
        all_other_cards = hand_opposite | defenders_mask | state.trick_mask
        cards = _lowest_of_equals(legal, all_other_cards)
        # Of plans that do equally well the first is told: it leads a high card, and
        # keeps high cards where another card was led.
        if not state.cards:
            cards.reverse()
        return [self._move(state, card) for card in cards]

    def _move(self, state: State, card: int) -> Move:
        """A card of declarer or dummy as a move."""
        after, won = self.position_after(state, card)
        return Move(card, after, won)

    def _layouts_of_turn(self, state: State) -> dict[int, int]:
        """By card, the layouts (as bits) in which the defender in turn holds it."""
        # The defenders are seats 0 and 2, or 1 and 3.
        return self.layouts_of_card[state.turn // 2]

    def replies(self, state: State, layout_bits: int) -> list[Reply]:
        """Cards that the defender in turn may play, with the layouts where that is so.

        Cards are left out that tell declarer more than another that does the same.
        """
        layouts_of_card = self._layouts_of_turn(state)
        must_follow = 0  # the layouts in which the defender has a card of the suit led
        if state.cards:
            unplayed = self.unknown_mask & ~state.gone_mask
            for card in _indices(unplayed & _suit_mask(state.cards[0])):
                must_follow |= layouts_of_card[card]
        replies = []
        for card, layouts in self._least_telling(state, layout_bits).items():
            follows = not state.cards or _same_suit(card, state.cards[0])
            possible = layouts if follows else layouts & ~must_follow
            if possible:
                after, won = self.position_after(state, card)
                replies.append(Reply(card, possible, after, won))
        return replies

    def _least_telling(self, state: State, layout_bits: int) -> dict[int, int]:
        """The defender's unplayed cards, high ones first, less those that tell too much.

        Each comes with the layouts, as bits, in which the defender holds it. Of two
        neighbours with none of declarer's cards between them, one that is held wherever
        the other is stands for both: it tells less. Where both are held in the same
        layouts either would do, and the higher one stands for both.
        """
        layouts_of_card = self._layouts_of_turn(state)
        separating_mask = state.own_hands[0] | state.own_hands[1] | state.trick_mask
        unplayed = self.unknown_mask & ~state.gone_mask
        layouts_by_card: dict[int, int] = {}
        higher = 0
        higher_layouts = 0
        for card in sorted(_indices(unplayed), reverse=True):
            layouts = layout_bits & layouts_of_card[card]
            equal = higher_layouts and _are_equals(card, higher, separating_mask)
            higher_stands_for_both = equal and _is_part(layouts, higher_layouts)
            if not higher_stands_for_both:
                layouts_by_card[card] = layouts
                if equal and _is_part(higher_layouts, layouts):
                    layouts_by_card.pop(higher, None)
            higher = card
            higher_layouts = layouts
        return layouts_by_card

    def position_after(self, state: State, card: int) -> tuple[State, int]:
        """The position after a card of the seat in turn, and tricks won by that.

        A card of declarer's side leaves its hand; that of a defender, whose hand is not
        known, is noted as gone.
        """
        own_hands = state.own_hands
        gone_mask = state.gone_mask
        if state.turn % 2 == self.side:
            own_hands = (own_hands[0] & ~(1 << card), own_hands[1] & ~(1 << card))
        else:
            gone_mask |= 1 << card
        cards = (*state.cards, card)
        if len(cards) < 4:
            return State(own_hands, gone_mask, state.leader, cards), 0
        winner = (state.leader + winning_place(cards, self.trump)) % 4
        won = int(winner % 2 == self.side)
        return State(own_hands, gone_mask, leader=winner), won

    def cards(self, values: Floats, horizon: int = 13) -> Iterator[CardPlan]:
        """Each card that may be played now, of equals the lowest, with the best plan.

        Parameters
        ----------
        values : (tricks, n) array of float
            What one trick more, from the first on, is worth in each layout, ≥ 0.
        horizon : int
            Tricks that the plan is for; after them all see all cards, from now on if it
            is 0.

        Yields
        ------
        CardPlan
        """
        self.tricks_at_horizon = max(0, self.tricks_left - horizon)
        for card, after, won in self.moves(self.start) or ():
            # Level 0 is the first trick: none is to come where the card won it.
            outcome, plan = self.optimum(after, self.all_layouts, 1 - won, values)
            yield CardPlan(card, outcome, (card, plan))

    def tricks(self, outcome: int) -> NDArray[np.int64]:
        """Declarer's tricks in each layout, (n,), by the outcome of a plan.

        Level 0 of the outcome is one trick.
        """
        tricks = np.zeros(self.n, np.int64)
        for level in range(self.levels):
            layouts_with_level = outcome >> level * self.n
            for layout in range(self.n):
                tricks[layout] += layouts_with_level >> layout & 1
        return tricks

    def double_dummy_move(self, state: State, layout_bits: int) -> int:
        """A card of declarer or dummy that is best in one layout, by its solution."""
        layouts = list(_indices(layout_bits))

        def tricks_after(move: Move) -> int:
            """Declarer's tricks after a card, with the trick that it wins."""
            caps = self.double_dummy[layouts] - move.won
            return move.won + int(self._solve(move.after, layouts, caps)[0])

        best_move = max(self.moves(state) or (), key=tricks_after)
        card: int = best_move.played
        return card

    def text(self, plan: Plan, weights: Floats, tricks: int = 2) -> tuple[str, ...]:
        """A plan in words, so many tricks deep; ``weights``: (n,) of the layouts."""
        passage = PlanWords(self, weights).passage(
            plan, self.start, self.all_layouts, tricks
        )
        return passage.as_lines


class Passage(NamedTuple):
    """The rest of a plan in words, from a moment on."""

    clause: str
    """The rest of the trick that is being played, such as ``East plays ♠5``; may be
    empty.
    """
    lines: tuple[str, ...]
    """The tricks after it."""

    @property
    def as_lines(self) -> tuple[str, ...]:
        """All of it, the clause as a sentence of its own."""
        return (f"{self.clause}.", *self.lines) if self.clause else self.lines


type Cases = dict[Passage, dict[str, float]]
"""How a plan may go on, each with the defender's cards after which it does: their names,
and the weight of the layouts in which they are played.
"""


@dataclass(frozen=True, eq=False)
class PlanWords:
    """Says plans of an ending in words, by the weights of its layouts, (n,).

    Its methods take a plan from a position on, the layouts that are still possible there
    (as bits), and how many tricks deep to tell it.
    """

    ending: Ending
    weights: Floats

    def passage(
        self, plan: Plan, state: State, layout_bits: int, tricks: int
    ) -> Passage:
        """The rest of a plan in words; empty where nothing is left to tell."""
        if not tricks:
            return Passage("", ())
        last_trick = state.own_hands[0].bit_count() == 1
        if not state.cards and (plan is None or last_trick):
            return Passage("", ())
        if state.turn % 2 == self.ending.side:
            return self._move_passage(plan, state, layout_bits, tricks)
        return self._reply_passage(plan, state, layout_bits, tricks)

    def _move_passage(
        self, plan: Plan, state: State, layout_bits: int, tricks: int
    ) -> Passage:
        """What declarer or dummy plays, and what follows, so many tricks deep.

        ``layout_bits``: the layouts that are possible, a bit for each. The plan is
        ``None`` in the middle of a trick where one layout is left: there every later
        card is known, and the best one is told.
        """
        if plan is None:
            card = self.ending.double_dummy_move(state, layout_bits)
            plan_after = None
        else:
            card, plan_after = plan
        after, _ = self.ending.position_after(state, card)
        passage = self._passage_after(plan_after, after, layout_bits, tricks)
        clause = f"{self._seat_and_verb(state)} {card_words(Card(card))}"
        if passage.clause:
            clause = f"{clause}, {passage.clause}"
        return Passage(clause, passage.lines)

    def _reply_passage(
        self, plan: Plan, state: State, layout_bits: int, tricks: int
    ) -> Passage:
        """What a defender may play, and what declarer does after it.

        A passage has a clause, the rest of the trick that is being played, and lines,
        the tricks after it. Cards of the defender after which the passages are the same
        are one case. A clause that all cases share is told once, before them.
        """
        cases = self._cases(plan, state, layout_bits, tricks)
        clauses = {passage.clause for passage in cases}
        common_clause = ""
        if len(clauses) == 1:
            (common_clause,) = clauses
        if len(cases) == 1:
            (passage,) = cases
            lines = passage.lines
        else:
            lines = self._case_lines(cases, common_clause, state)
        if common_clause and not state.cards:  # a trick begins with who leads to it
            common_clause = f"{self._seat_and_verb(state)}, {common_clause}"
        return Passage(common_clause, lines)

    def _cases(self, plan: Plan, state: State, layout_bits: int, tricks: int) -> Cases:
        """The different passages (the rest of the plan in words) after a defender's card.

        Each comes with the names of the cards that it follows, and their weights.
        ``layout_bits``: the layouts that are possible, a bit for each.
        """
        plan_by_card = dict(plan or ())
        cases: Cases = {}
        for reply in self.ending.replies(state, layout_bits):
            plan_after = plan_by_card.get(reply.played)
            passage = self._passage_after(
                plan_after, reply.after, reply.layout_bits, tricks
            )
            weight = sum(self.weights[layout] for layout in _indices(reply.layout_bits))
            weight_by_name = cases.setdefault(passage, {})
            name = self._defenders_card(reply.played)
            weight_by_name[name] = weight_by_name.get(name, 0.0) + weight
        return cases

    def _case_lines(
        self, cases: Cases, common_clause: str, state: State
    ) -> tuple[str, ...]:
        """A heading for each case, such as ``If East plays ♠5: …``, and its lines.

        A case is a passage (the rest of the plan: a clause on this trick, and lines on
        later ones) with the names and weights of the defender's cards before it. The
        likeliest one comes last, after ``Otherwise``. ``common_clause`` has been told
        before all of them; cases in which nothing else happens are left out.
        """
        likeliest = max(cases, key=lambda passage: sum(cases[passage].values()))
        likeliest_last = sorted(cases, key=lambda passage: passage == likeliest)
        lines: list[str] = []
        for passage in likeliest_last:
            clause = passage.clause.removeprefix(common_clause)
            if clause or passage.lines:
                card_names = list(cases[passage])
                condition = self._condition(state, card_names)
                if passage == likeliest and lines:
                    condition = "Otherwise"
                consequence = f" {clause}." if clause else ""
                lines.append(f"  {condition}:{consequence}")
            lines += [f"    {line}" for line in passage.lines]
        return tuple(lines)

    def _passage_after(
        self, plan: Plan, after: State, layout_bits: int, tricks: int
    ) -> Passage:
        """What follows a card; the next trick begins a line."""
        if after.cards:
            return self.passage(plan, after, layout_bits, tricks)
        next_tricks = self.passage(plan, after, layout_bits, tricks - 1)
        return Passage("", next_tricks.as_lines)

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
        """A defender's card in words, such as ``♠K or ♠Q`` for equal cards.

        Cards are equal that have none of declarer's between them at the start. The
        lowest ones of a suit, if they are several, are ``a low ♠``.
        """
        ending = self.ending
        own_mask = ending.start.own_hands[0] | ending.start.own_hands[1]
        defenders_suit = sorted(_indices(ending.unknown_mask & _suit_mask(card)))
        equals = [
            other_card
            for other_card in defenders_suit
            if _are_equals(min(other_card, card), max(other_card, card), own_mask)
        ]
        are_lowest = equals[0] == defenders_suit[0]
        if len(equals) > 1 and are_lowest:
            symbol = card_words(Card(card))[0]
            return f"a low {symbol}"
        return " or ".join(card_words(Card(equal)) for equal in reversed(equals))


def with_equals_alike(
    trick: Trick, own_hands: Sequence[int], hidden: Ints, side: int
) -> Ints:
    """Layouts whose small cards tell declarer only how many of them each defender has.

    Among a few layouts nearly each has small cards of its own, and a plan would tell
    them apart by these. So of cards that have none of declarer's between them the first
    defender gets the lowest, as many as before. A layout whose double-dummy result would
    change stays as it is.

    Parameters
    ----------
    trick, own_hands, hidden, side
        As :class:`Ending` takes them.

    Returns
    -------
    (n, 2) array of int
        Masks as in ``hidden``.
    """
    own_mask = own_hands[0] | own_hands[1]
    separating_mask = own_mask | sum(card.mask for card in trick.cards)
    unknown_mask = int(hidden[0, 0] | hidden[0, 1])
    alike = hidden.copy()
    for equals in _runs_of_equals(unknown_mask, own_mask, separating_mask):
        # By a number of cards, the mask of so many of the lowest equals.
        lowest_masks = np.cumsum([0, *(1 << card for card in equals)])
        run_mask = lowest_masks[-1]
        counts_of_first = np.bitwise_count(hidden[:, 0] & run_mask)
        first_defender = lowest_masks[counts_of_first]
        second_defender = run_mask & ~first_defender
        alike &= ~run_mask
        alike |= np.stack([first_defender, second_defender], axis=1)
    before = Ending(trick, own_hands, hidden, side).double_dummy
    after = Ending(trick, own_hands, alike, side).double_dummy
    is_same = before == after
    return np.where(is_same[:, None], alike, hidden)


def _runs_of_equals(
    unknown_mask: int, own_mask: int, separating_mask: int
) -> Iterator[list[int]]:
    """Runs of unknown cards of a suit with none of the separating cards among them.

    Only suits are looked at of which declarer or dummy holds a card (``own_mask``): in
    others nothing separates an ace from a two.
    """
    equals: list[int] = []
    for card in range(DECK_CARDS):
        begins_suit = card % SUIT_CARDS == 0
        is_separating = separating_mask >> card & 1
        if equals and (begins_suit or is_separating):
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
    """Whether two cards are of one suit."""
    return card // SUIT_CARDS == other_card // SUIT_CARDS


def _are_equals(low: int, high: int, separating_mask: int) -> bool:
    """Whether two cards are of one suit, with none of the separating cards between."""
    if not _same_suit(low, high):
        return False
    from_low_to_below_high = (1 << high) - (1 << low)
    return not separating_mask & from_low_to_below_high


def _lowest_of_equals(hand: int, separating_mask: int) -> list[int]:
    """The cards of a hand, rising, of those that are equals only the lowest."""
    lowest: list[int] = []
    next_lower: int | None = None
    for card in _indices(hand):
        if next_lower is None or not _are_equals(next_lower, card, separating_mask):
            lowest.append(card)
        next_lower = card
    return lowest


def _is_part(layout_bits: int, of_layout_bits: int) -> bool:
    """Whether a set of layouts is part of another."""
    return not layout_bits & ~of_layout_bits
