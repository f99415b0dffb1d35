"""How to play a suit.

For each number of tricks the plan that reaches it most often, and the plan for most
tricks.

One suit lies between declarer's two hands, *first* and *second*; the left defender
plays after the second hand, the right defender after the first. Cards of the defenders
that follow each other in rank, with none of declarer's between, are equals: which of
them is played tells nothing. A layout is how many of each group of equals the left
defender holds. A card of declarer's counts by its *gap*, the number of groups above it;
a group comes right below the gap of the same number. The search is that of
:mod:`~bayesbridge.decisions.best_defence`. Declarer may lead from either hand at each
trick and the defenders never lead the suit: entries, ruffs and blocked suits are left
out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import comb, inf, sqrt
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.decisions.best_defence import (
    MOST_WORK,
    Front,
    Move,
    Plan,
    Reply,
    Search,
    TooMuchWork,
)
from bayesbridge.display import markup
from bayesbridge.display.words import SEATS, error_text, percent, share_error
from bayesbridge.errors import BayesBridgeError, DealError
from bayesbridge.game.cards import RANKS, SUIT_CARDS, SUIT_MASK, Hand, Suit, holding
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Ints

MOST_MISSING: Final = 10
"""Cards that the defenders may hold: with more there is nothing to plan."""
HOLDINGS: Final = 1 << SUIT_CARDS
"""Holdings of a suit, each a field of 13 bits."""
EMPTY_HANDS: Final = (13, 13)
"""Vacant places of two defenders of whom nothing is known."""
NO_LIMIT: Final = 1 << 62
"""Work that no search needs."""
DECIMALS_COMPARED: Final = 12
"""Chances that are equal to so many decimals are equal."""

NONE: Final = -1
"""In place of a gap or a group: no card of the suit."""

type Ranks = tuple[int, ...]
"""Cards of a suit, 0 the two … 12 the ace, high cards first."""
type Counts = tuple[int, ...]
"""How many cards of each gap, or of each group."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Two hands of a suit, and groups of equals that the defenders hold.

    >>> Combination.of(holding("AJT32"), holding("K954")).groups
    ((10,), (6, 5, 4))
    """

    first: Ranks
    second: Ranks
    groups: tuple[Ranks, ...]
    """What the defenders hold, high cards first, equals together."""
    small: int = 0
    """Declarer's cards of lower rank are counted as the lowest of the suit."""

    @classmethod
    def of(
        cls, first: int, second: int, gone: int = 0, apart: Collection[int] = ()
    ) -> Combination:
        """The combination of two hands, each a field of 13 bits.

        Cards ``gone`` are played. A rank in ``apart`` begins a group of its own, since
        evidence other than ranks tells it from the next higher card.
        """
        missing = SUIT_CARDS - (first | second | gone).bit_count()
        if not first | second or missing > MOST_MISSING:
            raise BayesBridgeError(
                f"the defenders hold {missing} cards: give declarer and dummy "
                f"at least {SUIT_CARDS - MOST_MISSING} together",
                missing=missing,
            )
        groups: list[Ranks] = [()]
        for rank in _ranks(SUIT_MASK & ~gone):
            is_declarers = (first | second) >> rank & 1
            begins_group = is_declarers or rank in apart
            if groups[-1] and begins_group:
                groups.append(())
            if not is_declarers:
                groups[-1] += (rank,)
        return cls(_ranks(first), _ranks(second), tuple(filter(None, groups)))

    @property
    def layouts(self) -> list[Counts]:
        """How many of each group the left defender may hold."""
        return list(product(*(range(len(group) + 1) for group in self.groups)))

    @property
    def longest(self) -> int:
        """Cards of the longer hand, which is the most tricks that there can be."""
        return max(len(self.first), len(self.second))

    @property
    def winners(self) -> int:
        """Tricks that cards above all of the defenders' win, one a trick."""
        top = self.groups[0][0] if self.groups else -1
        higher = sum(rank > top for rank in (*self.first, *self.second))
        return min(higher, self.longest)

    @property
    def lowest(self) -> str:
        """The defenders' lowest equals, empty where they hold nothing."""
        return _text(self.groups[-1]) if self.groups else ""

    def gap(self, rank: int) -> int:
        """Groups above a card of declarer's; all of them above a small one."""
        if rank < self.small:
            return len(self.groups)
        return sum(group[0] > rank for group in self.groups)

    def coarser(self) -> Combination | None:
        """The same with one more of declarer's cards counted as the lowest of the suit.

        That is the lowest card that parts groups of the defenders' equals: it has some
        of them above it (its gap) and some below. The group right above it and all that
        follow become one. ``None`` where no card parts groups.
        """
        gaps = map(self.gap, (*self.first, *self.second))
        gaps_that_part = [gap for gap in gaps if 0 < gap < len(self.groups)]
        if not gaps_that_part:
            return None
        group_right_above = max(gaps_that_part) - 1
        higher_groups = self.groups[:group_right_above]
        merged_groups = self.groups[group_right_above:]
        merged = tuple(rank for group in merged_groups for rank in group)
        lowest_rank_above = merged_groups[0][-1]
        return Combination(
            first=self.first,
            second=self.second,
            groups=(*higher_groups, merged),
            small=lowest_rank_above,
        )

    @property
    def counted_as_small(self) -> Ranks:
        """Declarer's cards that count as the lowest though they beat a defender's."""
        ranks = sorted((*self.first, *self.second), reverse=True)
        small = tuple(rank for rank in ranks if rank < self.small)
        if any(rank > self.groups[-1][-1] for rank in small):
            return small
        return ()


def _ranks(field: int) -> Ranks:
    """The ranks of a 13-bit field, high cards first."""
    return tuple(rank for rank in reversed(range(SUIT_CARDS)) if field >> rank & 1)


def _bits(places: Iterable[int]) -> int:
    """An integer with these bits, such as the field of some ranks."""
    return sum(1 << place for place in places)


def _text(ranks: Iterable[int]) -> str:
    """Ranks as letters, such as ``KJ4``."""
    return "".join(RANKS[rank] for rank in ranks)


def read_pair(first: str, second: str) -> tuple[int, int]:
    """Both holdings as fields; each ``x`` is one of the lowest cards not named.

    >>> [f"{field:b}" for field in read_pair("Ax", "K3x")]
    ['1000000000001', '100000000110']
    """
    without_x = str.maketrans("", "", "xX")
    named = [holding(text.translate(without_x) or "-") for text in (first, second)]
    in_both = named[0] & named[1]
    if in_both:
        rank = RANKS[in_both.bit_length() - 1]
        raise DealError(
            f"{rank} stands in both {first!r} and {second!r}: remove one",
            text=(first, second),
        )
    free_ranks = sorted(_ranks(SUIT_MASK & ~(named[0] | named[1])))
    small_in_first = first.lower().count("x")
    small_cards = small_in_first + second.lower().count("x")
    if small_cards > len(free_ranks):
        raise DealError(
            f"{first!r} and {second!r} have more than 13 cards: remove some",
            text=(first, second),
        )
    return (
        named[0] | _bits(free_ranks[:small_in_first]),
        named[1] | _bits(free_ranks[small_in_first:small_cards]),
    )


def prior_shares(
    combination: Combination, vacant: tuple[int, int] = EMPTY_HANDS
) -> Floats:
    """P(the left defender holds exactly these cards), (8192,), by vacant places.

    ``vacant``: the places of the left and the right defender for unknown cards. Of the
    ways to fill them, those count in which the left defender gets these k of the m
    missing cards: C(a + b - m, a - k) / C(a + b, a), with a and b places.
    """
    left_places, right_places = vacant
    all_places = left_places + right_places
    missing_cards = sum(map(len, combination.groups))
    if min(vacant) < 0 or all_places < missing_cards:
        raise BayesBridgeError(
            f"{left_places} and {right_places} vacant places for {missing_cards} missing "
            "cards: give more",
            vacant=vacant,
        )
    share_by_length = np.zeros(missing_cards + 1)
    for length in range(min(left_places, missing_cards) + 1):
        ways = comb(all_places - missing_cards, left_places - length)
        share_by_length[length] = ways / comb(all_places, left_places)
    missing_field = sum(map(_bits, combination.groups))
    fields = np.arange(HOLDINGS)
    # Longer holdings are not of missing cards alone: which share they look up is no
    # matter.
    lengths = np.minimum(np.bitwise_count(fields), missing_cards)
    is_of_missing = fields & ~missing_field == 0
    shares: Floats = np.where(is_of_missing, share_by_length[lengths], 0.0)
    return shares


def weights_of(combination: Combination, shares: Floats) -> Floats:
    """P(layout), (n,), from P(holding of the left defender), (8192,).

    A layout is how many of each group the left defender holds.
    """
    fields = np.flatnonzero(shares)
    layouts = np.zeros_like(fields)
    for group in combination.groups:
        held = np.bitwise_count(fields & _bits(group))
        layouts = layouts * (len(group) + 1) + held
    return np.bincount(layouts, shares[fields], minlength=len(combination.layouts))


class Lead(NamedTuple):
    """A card that declarer leads."""

    hand: int
    """Declarer's hand that leads: 0 the first, 1 the second."""
    gap: int
    """How many groups of the defenders' equals are above the card."""


class TrickSoFar(NamedTuple):
    """The trick, as far as it still matters; all zero at its start.

    If the first hand (0) leads, the right defender (1) plays next, then the second hand
    (1) and the left defender (0); if the second leads, the other way round.
    """

    cards: int = 0
    """How many cards lie, 0 to 3."""
    leader: int = 0
    best_gap: int = 0
    """Of the card that was led; after the third card of declarer's card that holds the
    trick, ``NONE`` if a defender's does.
    """
    group: int = 0
    """Of the second card, until the third is played; ``NONE`` if it is of another suit."""

    @property
    def defender_in_turn(self) -> int:
        """Who plays after one card or after three: 0 the left, 1 the right defender."""
        return 1 - self.leader if self.cards == 1 else self.leader


NO_CARDS: Final = TrickSoFar()


class State(NamedTuple):
    """A position of the suit."""

    hands: tuple[Counts, Counts]
    """Declarer's cards in the first and the second hand: how many of each gap."""
    played: tuple[Counts, Counts]
    """What the left and the right defender have played: how many of each group."""
    trick: TrickSoFar


class SuitGame(Search):
    """The search of one suit.

    The defenders' cards are counted by *groups* of equals, 0 the highest, declarer's
    cards by *gaps*: a card with gap g has g groups above it and beats groups g, g + 1
    and so on. A move is a :class:`Lead`, or the gap of the third card; a reply is the
    group of the defender's card. ``NONE`` is a card of another suit.

    Parameters
    ----------
    combination : Combination
        The suit.
    least_tricks : int
        Tricks of the first level.
    most_work : int
        Comparisons of outcomes after which the search gives up.
    """

    def __init__(
        self,
        combination: Combination,
        least_tricks: int,
        most_work: int = MOST_WORK,
    ) -> None:
        """Count both sides' cards, as the position at the first trick.

        The defenders' cards are counted by groups of equals, declarer's by gaps, the
        number of groups above a card.
        """
        layouts = combination.layouts
        super().__init__(
            n=len(layouts),
            levels=max(1, combination.longest - least_tricks + 1),
            most_work=most_work,
        )
        self.least_tricks = least_tricks
        self.sizes = tuple(len(group) for group in combination.groups)
        left_counts = np.array(layouts, np.int64).reshape(self.n, len(self.sizes))
        right_counts = np.array(self.sizes, np.int64) - left_counts
        # By defender (0 left, 1 right), group and count: the layouts, as bits, in which
        # they hold more of the group than that count.
        self.layouts_with_more = (
            _layouts_with_more(left_counts, self.sizes),
            _layouts_with_more(right_counts, self.sizes),
        )
        hands = (
            _counts_by_gap(combination, combination.first),
            _counts_by_gap(combination, combination.second),
        )
        nothing_played = (0,) * len(self.sizes)
        self.start = self._start_of_trick(hands, (nothing_played, nothing_played))

    def settled(self, state: State, layout_bits: int, least_tricks: int) -> int | None:
        """The outcome if no choice is left that matters, at the start of a trick.

        That is so where declarer's cards above all that the defenders have left, which
        win a trick each, reach the most that is asked for or possible. Declarer's cards
        are counted by the number of the defenders' groups of equals above them.
        """
        if state.trick.cards:
            return None
        first, second = state.hands
        longest = max(sum(first), sum(second))
        # Cards above the highest group that is left count at its number, or below.
        highest_left = self._highest_group_left(state.played)
        highest_cards = sum(first[: highest_left + 1]) + sum(second[: highest_left + 1])
        winners = min(highest_cards, longest)
        most_asked = least_tricks + self.levels - 1
        if winners < min(most_asked, longest):
            return None
        return self.reached(layout_bits, winners, least_tricks)

    def _highest_group_left(self, played: tuple[Counts, Counts]) -> int:
        """The highest group of which a defender has a card; their number without any."""
        played_by_left, played_by_right = played
        for group, size in enumerate(self.sizes):
            if size > played_by_left[group] + played_by_right[group]:
                return group
        return len(self.sizes)

    def moves(self, state: State) -> list[Move] | None:
        """Declarer's leads from either hand, or third cards; ``None`` for a defender.

        The third card is the lowest, or one that beats what lies. A card of declarer's
        is named by its gap: so many groups of the defenders' equals, 0 the highest, are
        above it. It beats groups of this number and more.
        """
        if state.trick.cards == 0:
            return [self._lead(state, lead) for lead in _leads(state.hands)]
        if state.trick.cards != 2:
            return None
        _, leader, led_gap, group = state.trick
        lead_holds = group == NONE or group >= led_gap
        # A card beats what lies if it has fewer groups above it than this number.
        gap_to_beat = led_gap if lead_holds else group + 1
        third_hand = 1 - leader
        moves: list[Move] = []
        for gap in _third_cards(state.hands[third_hand], gap_to_beat):
            best_gap = led_gap if lead_holds else NONE
            third_beats = gap != NONE and gap < gap_to_beat
            if third_beats:
                best_gap = gap
            hands_after = _changed(state.hands, third_hand, gap, -1)
            trick_after = TrickSoFar(3, leader, best_gap)
            after = State(hands_after, state.played, trick_after)
            moves.append(Move(gap, after, 0))
        return moves

    def _lead(self, state: State, lead: Lead) -> Move:
        """The lead of a card, as a move."""
        leader, gap = lead
        hands_after = _changed(state.hands, leader, gap, -1)
        trick_after = TrickSoFar(1, leader, gap)
        after = State(hands_after, state.played, trick_after)
        return Move(lead, after, 0)

    def replies(self, state: State, layout_bits: int) -> list[Reply]:
        """What the defender in turn may play, after the lead or to end the trick.

        A card is named by its group of equals, 0 the highest; ``NONE`` is another suit.
        """
        hands, played, trick = state
        defender = trick.defender_in_turn
        replies: list[Reply] = []
        for group, possible in self._playable(defender, played[defender], layout_bits):
            played_after = _changed(played, defender, group, 1)
            if trick.cards == 1:
                trick_after = TrickSoFar(2, trick.leader, trick.best_gap, group)
                after = State(hands, played_after, trick_after)
                won = 0
            else:
                after = self._start_of_trick(hands, played_after)
                won = int(_declarer_wins(trick.best_gap, group))
            replies.append(Reply(group, possible, after, won))
        return replies

    def _playable(
        self, defender: int, played: Counts, layout_bits: int
    ) -> Iterator[tuple[int, int]]:
        """Groups that a defender may play, each with the layouts (bits) where it can.

        ``played``: how many of each group the defender has played. ``NONE`` comes with
        the layouts in which the defender shows out.
        """
        shows_out = layout_bits
        for group, count in enumerate(played):
            if count < self.sizes[group]:
                holding_it = self.layouts_with_more[defender][group][count]
                shows_out &= ~holding_it
                if layout_bits & holding_it:
                    yield group, layout_bits & holding_it
        if shows_out:
            yield NONE, shows_out

    def _start_of_trick(
        self, hands: tuple[Counts, Counts], played: tuple[Counts, Counts]
    ) -> State:
        """The position at the start of a trick.

        ``hands``: how many cards of each gap declarer has in either hand; ``played``:
        how many of each group either defender has played. Where a group is gone, the
        cards right above it are worth the same as those right below: they count with
        the next gap.
        """
        first, second = map(list, hands)
        for group, size in enumerate(self.sizes):
            is_gone = size == played[0][group] + played[1][group]
            if is_gone:
                for counts in (first, second):
                    counts[group + 1] += counts[group]
                    counts[group] = 0
        return State((tuple(first), tuple(second)), played, NO_CARDS)


def _declarer_wins(best_gap: int, group: int) -> bool:
    """Whether declarer's best card to a trick beats the last defender's card.

    ``best_gap``: of declarer's card, ``NONE`` where the other defender's card was
    higher; ``group``: of the last defender's, ``NONE`` for another suit.
    """
    if best_gap == NONE:
        return False
    return group == NONE or group >= best_gap


def _counts_by_gap(combination: Combination, ranks: Ranks) -> Counts:
    """How many of declarer's cards have so many groups of the defenders' above them."""
    gaps = [combination.gap(rank) for rank in ranks]
    return tuple(gaps.count(gap) for gap in range(len(combination.groups) + 1))


def _layouts_with_more(counts: Ints, sizes: Counts) -> list[list[int]]:
    """The layouts, as bits, in which a defender holds more, by group and count.

    ``counts``: (layouts, groups) what the defender holds; ``sizes``: cards of each
    group.
    """
    by_group = []
    for group, size in enumerate(sizes):
        by_count = []
        for count in range(size):
            layouts = np.flatnonzero(counts[:, group] > count)
            by_count.append(_bits(layouts.tolist()))
        by_group.append(by_count)
    return by_group


def _leads(hands: tuple[Counts, Counts]) -> Iterator[Lead]:
    """Each hand and gap of which there is a card to lead."""
    for hand in (0, 1):
        for gap, count in enumerate(hands[hand]):
            if count:
                yield Lead(hand, gap)


def _third_cards(counts: Counts, gap_to_beat: int) -> list[int]:
    """Gaps of the cards that the third hand may play.

    The lowest, and all others that beat what lies; ``NONE`` where it has no card.
    """
    gaps = [gap for gap, count in enumerate(counts) if count]
    if not gaps:
        return [NONE]
    return [gaps[-1], *(gap for gap in gaps[:-1] if gap < gap_to_beat)]


def _changed(
    pair: tuple[Counts, Counts], side: int, place: int, change: int
) -> tuple[Counts, Counts]:
    """The counts of two hands with one of them changed; ``NONE`` changes nothing."""
    if place == NONE:
        return pair
    counts = pair[side]
    changed = (*counts[:place], counts[place] + change, *counts[place + 1 :])
    return (changed, pair[1]) if side == 0 else (pair[0], changed)


type Step = dict[str, Any]
"""A trick of a plan as plain data: ``leader`` and ``lead``, a seat and a rank, and
``answers``, a list by what the next defender plays.

An answer has ``played``, the ranks of the equals of which one is played, ``card``, the
rank that the third hand plays on it, and ``then``, a list by what the last defender
plays: each has ``played`` and the ``next`` trick, a step again. ``None`` is no card of
the suit, or that nothing is left to choose.
"""
"""A trick as plain data: ``leader``, ``lead`` and ``answers`` by what the next defender
plays. Each has ``played``, the ranks of the equals of which one is played, ``card``,
what the third hand plays on it, and ``then``: by what the last defender ``played`` the
``next`` trick. ``None`` is no card of the suit, or that nothing is left to choose.
"""


class CardsLeft(NamedTuple):
    """A moment in a plan, with its cards."""

    hands: tuple[Ranks, Ranks]  #: What declarer has left.
    #: What the defenders (left, right) have played of each group.
    played: tuple[Counts, Counts]

    def after_card(self, hand: int, rank: int | None) -> CardsLeft:
        """With a card less in one of declarer's hands; ``None`` is no card."""
        ranks = tuple(held for held in self.hands[hand] if held != rank)
        first, second = self.hands
        hands = (ranks, second) if hand == 0 else (first, ranks)
        return CardsLeft(hands, self.played)

    def after_defender(self, defender: int, group: int) -> CardsLeft:
        """With a card of a group played by the left (0) or the right (1) defender."""
        return CardsLeft(self.hands, _changed(self.played, defender, group, 1))


@dataclass(frozen=True, slots=True)
class PlanSteps:
    """Writes plans of the search with their cards."""

    combination: Combination
    seats: tuple[Seat, Seat]  #: Of declarer's two hands.

    def first_step(self, plan: Plan) -> Step | None:
        """The whole plan; ``None`` where nothing is to choose."""
        hands = (self.combination.first, self.combination.second)
        nothing = (0,) * len(self.combination.groups)
        return self.step(plan, CardsLeft(hands, (nothing, nothing)))

    def step(self, plan: Plan, cards: CardsLeft) -> Step | None:
        """The plan from a trick on, as plain data; ``None`` where nothing is to choose.

        A plan of the search is the lead and, for each group (equals) of which the next
        defender may play, what declarer does then. ``cards``: what is left.
        """
        if plan is None:
            return None
        lead, plan_by_group = plan
        lead_rank = self._lowest_of_gap(cards, lead.hand, lead.gap)
        after_lead = cards.after_card(lead.hand, lead_rank)
        return {
            "leader": self.seats[lead.hand].name,
            "lead": RANKS[lead_rank],
            "answers": [
                self._answer(lead.hand, group, plan_of_third, after_lead)
                for group, plan_of_third in plan_by_group
            ],
        }

    def _answer(
        self, leader: int, group: int, plan: Plan, cards: CardsLeft
    ) -> dict[str, Any]:
        """What the third hand plays on a card of a group, and what follows.

        ``leader``: declarer's hand that led, 0 or 1; ``group``: the equals of which the
        next defender played one; ``plan``: the gap of the third card (how many groups
        are above it) and, for each group of the last defender, the plan of the next
        trick.
        """
        third_hand = 1 - leader
        # The right defender (1) plays after hand 0, the left one (0) after hand 1.
        next_defender = 1 - leader
        last_defender = leader
        third_gap, plan_by_last_group = plan
        third_rank = None
        if third_gap != NONE:
            third_rank = self._lowest_of_gap(cards, third_hand, third_gap)
        after_third = cards.after_card(third_hand, third_rank)
        after_third = after_third.after_defender(next_defender, group)
        then = []
        for last_group, next_plan in plan_by_last_group:
            after_trick = after_third.after_defender(last_defender, last_group)
            next_step = self.step(next_plan, after_trick)
            then.append({"played": self._equals(last_group), "next": next_step})
        return {
            "played": self._equals(group),
            "card": None if third_rank is None else RANKS[third_rank],
            "then": then,
        }

    def _lowest_of_gap(self, cards: CardsLeft, hand: int, gap: int) -> int:
        """The lowest of a hand's cards that have so many groups above them.

        Groups that are gone are counted as above, as the search does.
        """
        equals = [
            rank
            for rank in cards.hands[hand]
            if self._gap_now(rank, cards.played) == gap
        ]
        return equals[-1]

    def _gap_now(self, rank: int, played: tuple[Counts, Counts]) -> int:
        """The groups above a card of declarer's, with those right below that are gone."""
        gap = self.combination.gap(rank)
        for group in self.combination.groups[gap:]:
            if len(group) > played[0][gap] + played[1][gap]:
                break
            gap += 1
        return gap

    def _equals(self, group: int) -> str | None:
        """The ranks of a group; ``None`` for no card."""
        return None if group == NONE else _text(self.combination.groups[group])


type Case = tuple[str | None, str | None]
"""What the second and the fourth hand played to a trick."""


def plan_lines(step: Step | None, lowest: str, tricks: int) -> Iterator[str]:
    """A plan in words, so many tricks deep.

    ``lowest`` are the defenders' lowest equals. Cases of a trick (what either defender
    plays) after which all goes on alike are told together, and those with nothing left
    to choose not at all.
    """
    if step is None or not tricks:
        return
    yield _trick_sentence(step, lowest)
    if tricks == 1:
        return
    cases_by_lines: dict[tuple[str, ...], list[Case]] = {}
    number_of_cases = 0
    for answer in step["answers"]:
        for last_card in answer["then"]:
            number_of_cases += 1
            next_step = last_card["next"]
            if _leaves_a_choice(next_step):
                lines = tuple(plan_lines(next_step, lowest, tricks - 1))
                cases = cases_by_lines.setdefault(lines, [])
                cases.append((answer["played"], last_card["played"]))
    for lines, cases in cases_by_lines.items():
        if len(cases) == number_of_cases:
            yield from lines
        else:
            yield f"  {_condition(step, cases, lowest)}:"
            yield from (f"    {line}" for line in lines)


def _leaves_a_choice(step: Step | None) -> bool:
    """Whether the third hand has a card to this trick, or another trick is planned."""
    if step is None:
        return False
    return any(_goes_on(answer) for answer in step["answers"])


def _goes_on(answer: Mapping[str, Any]) -> bool:
    """Whether the third hand plays a card, or a trick is planned after it."""
    return bool(answer["card"]) or any(last["next"] for last in answer["then"])


SECOND_HAND: Final = 1
THIRD_HAND: Final = 2
FOURTH_HAND: Final = 3
"""Places in a trick, from the leader on."""


def _seat_words(step: Step, place: int) -> str:
    """The seat that plays to a trick in this place, 0 for the leader."""
    return SEATS[Seat[step["leader"]].next(place).name]


def _trick_sentence(step: Step, lowest: str) -> str:
    """What declarer leads, and what the third hand plays on what comes.

    Its card on the defender's lowest equals comes first, others with their condition.
    """
    answers = step["answers"]
    to_low_card = [answer for answer in answers if answer["played"] == lowest]
    usual_card = (to_low_card or answers)[0]["card"]
    sentence = f"{_seat_words(step, 0)} leads the {NAMES[step['lead']]}"
    if usual_card:  # the third hand has a card of the suit
        third_seat = _seat_words(step, THIRD_HAND)
        sentence += f", {third_seat} plays the {NAMES[usual_card]}"
    plays_by_card: dict[str, list[str | None]] = {}
    for answer in answers:
        if answer["card"] != usual_card:
            plays_by_card.setdefault(answer["card"], []).append(answer["played"])
    for card, plays in plays_by_card.items():
        condition = _plays_sentence(step, SECOND_HAND, plays, lowest)
        sentence += f"; the {NAMES[card]} if {condition}"
    return f"{sentence}."


def _condition(step: Step, cases: Sequence[Case], lowest: str) -> str:
    """When one of these cases of a trick is met, such as ``If East shows out``.

    A case is what the second and the fourth hand play. The fourth is named only where
    it matters.
    """
    alternatives = []
    for fourths, seconds in _seconds_by_fourths(step, cases).items():
        conditions = []
        if len(seconds) < len(step["answers"]):
            conditions.append(_plays_sentence(step, SECOND_HAND, seconds, lowest))
        if fourths != WHATEVER_COMES:
            conditions.append(_plays_sentence(step, FOURTH_HAND, fourths, lowest))
        alternatives.append(" and ".join(conditions) or "in any case")
    return f"If {', or if '.join(alternatives)}"


type Plays = tuple[str | None, ...]
"""The equals of which a defender plays one, or ``None`` for another suit."""

WHATEVER_COMES: Final[Plays] = ()
"""In place of the fourth cards of some cases, where these are all possible ones."""


def _seconds_by_fourths(
    step: Step, cases: Sequence[Case]
) -> dict[Plays, list[str | None]]:
    """The second cards of cases, by the fourth cards that make a case with them."""
    possible_fourths = {
        answer["played"]: len(answer["then"]) for answer in step["answers"]
    }
    fourths_by_second: dict[str | None, list[str | None]] = {}
    for second, fourth in cases:
        fourths_by_second.setdefault(second, []).append(fourth)
    seconds_by_fourths: dict[Plays, list[str | None]] = {}
    for second, fourths in fourths_by_second.items():
        fourths_needed = tuple(fourths)
        if len(fourths) == possible_fourths[second]:
            fourths_needed = WHATEVER_COMES
        seconds_by_fourths.setdefault(fourths_needed, []).append(second)
    return seconds_by_fourths


def _plays_sentence(
    step: Step, place: int, plays: Sequence[str | None], lowest: str
) -> str:
    """That a defender plays one of these, such as ``East plays the king or plays low``."""
    words = [_play_words(ranks, lowest) for ranks in plays]
    return f"{_seat_words(step, place)} {' or '.join(words)}"


def _play_words(ranks: str | None, lowest: str) -> str:
    """That a defender plays one of these equals, such as ``plays the king``."""
    if not ranks:
        return "shows out"
    if ranks == lowest:
        return "plays low"
    names = [f"the {NAMES[rank]}" for rank in ranks]
    return f"plays {' or '.join(names)}"


NAMES: Final = {rank: rank for rank in RANKS} | {
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "T": "ten",
}
"""Ranks as they are said."""


@dataclass(frozen=True, slots=True)
class SuitLine:
    """One plan, and what it reaches against the best defence."""

    #: Tricks that it reaches most often; ``None`` for the plan with most tricks on
    #: average.
    goal: int | None
    #: P(so many tricks or more) by this plan, from one more than the highest cards win.
    at_least: dict[int, float]
    tricks: float  #: Expected tricks.
    #: One standard error of P(goal), or of tricks without a goal; 0 where layouts are
    #: weighed exactly.
    error: float
    step: Step | None  #: The plan as a tree; ``None`` where nothing is to choose.
    lowest: str  #: The defenders' lowest equals, which the words call low.

    @property
    def chance(self) -> float:
        """P(the goal is reached), 1 without a goal."""
        return 1.0 if self.goal is None else self.at_least.get(self.goal, 0.0)

    def text(self, tricks: int = 2) -> tuple[str, ...]:
        """The plan in words, a line for each trick and condition.

        Parameters
        ----------
        tricks : int
            How many tricks deep.

        Returns
        -------
        tuple of str
        """
        lines = tuple(plan_lines(self.step, self.lowest, tricks))
        return lines or ("Nothing is to choose.",)

    @property
    def cells(self) -> list[str]:
        """The goal, its chance and the expected tricks, as a table shows them."""
        if self.goal is None:
            mean = f"{self.tricks:.3f}{error_text(self.error, 3)}"
            return ["most on average", "", mean]
        chance = f"{percent(self.chance)}{share_error(self.chance, self.error)}"
        return [f"{self.goal} or more", chance, f"{self.tricks:.3f}"]

    def document(self, tricks: int) -> dict[str, Any]:
        """The plan as plain data.

        Parameters
        ----------
        tricks : int
            How many tricks deep its text is.

        Returns
        -------
        dict
        """
        return {
            "goal": self.goal,
            "chance": None if self.goal is None else self.chance,
            "tricks": self.tricks,
            "error": self.error,
            "at_least": {str(goal): share for goal, share in self.at_least.items()},
            "play": list(self.text(tricks)),
            "plan": self.step,
        }


@dataclass(frozen=True, slots=True)
class SuitPlay(markup.Displayable):
    """The plans for a suit."""

    first: str  #: Cards of declarer's first hand.
    second: str  #: Cards of the other.
    missing: str  #: Cards of the defenders.
    table: tuple[Seat, Seat]  #: The seats of declarer's first and second hand.
    sure: int  #: Tricks that are certain by the best play for them.
    #: The best plan for each possible number of tricks above the highest cards' own.
    goals: tuple[SuitLine, ...]
    best: SuitLine  #: The plan with most tricks on average.
    #: Declarer's cards counted as the lowest, to end the search; the figures are then
    #: lower bounds.
    small: str
    weighed: str = ""  #: How the layouts were weighed, in words.

    @property
    def heading(self) -> list[str]:
        """The holdings, and how the layouts were weighed."""
        first_seat, second_seat = (SEATS[seat.name] for seat in self.table)
        holdings = f"{first_seat} holds {self.first}, {second_seat} {self.second}"
        missing = self.missing or "nothing"
        return [
            f"{holdings}; missing: {missing}.",
            f"The layouts are weighed {self.weighed}.",
        ]

    @property
    def tables(self) -> list[markup.Table]:
        """The best plan for each number of tricks, and the plans in words."""
        shown = self.shown()
        return [replace(shown, notes=[*self.heading, *shown.notes])]

    def shown(self, tricks: int = 2) -> markup.Table:
        """The table of the screen.

        Parameters
        ----------
        tricks : int
            How many tricks of each plan its notes tell.

        Returns
        -------
        Table
        """
        # Lines with the same plan have one letter: the first line of each plan.
        lettered_lines: list[SuitLine] = []
        rows = []
        for line in (*self.goals, self.best):
            plans = [lettered_line.step for lettered_line in lettered_lines]
            if line.step not in plans:
                plans.append(line.step)
                lettered_lines.append(line)
            letter = ascii_uppercase[plans.index(line.step)]
            rows.append([*line.cells, letter])
        notes = []
        for letter, line in zip(ascii_uppercase, lettered_lines, strict=False):
            notes.append(f"Plan {letter}:")
            notes += [f"  {sentence}" for sentence in line.text(tricks)]
        if self.small:
            notes.append(
                "Counted as the lowest cards, to end the search: "
                f"{self.small}. The figures are lower bounds."
            )
        limits = "Entries are taken to be there; ruffs and blocks are left out."
        notes += ["", f"The defenders see all cards and know the plan. {limits}"]
        return markup.Table(
            "The best plan for each number of tricks",
            ["tricks", "chance", "mean", "plan"],
            rows,
            notes,
        )

    def document(self, tricks: int = 2) -> dict[str, Any]:
        """The plans as plain data, for ``--json`` and web pages.

        Parameters
        ----------
        tricks : int
            How many tricks of each plan are told as text.

        Returns
        -------
        dict
            ``sure`` are the tricks that are certain by the best play for them,
            ``weighed`` is how the layouts were weighed, in words. ``lines`` begins with
            the plan for most tricks on average; those for each goal follow.
        """
        first_seat, second_seat = self.table
        return {
            "hands": {first_seat.name: self.first, second_seat.name: self.second},
            "missing": self.missing,
            "sure": self.sure,
            "counted_as_small": self.small,
            "weighed": self.weighed,
            "lines": [line.document(tricks) for line in (self.best, *self.goals)],
        }


def suit_play(
    first: str | None = None,
    second: str | None = None,
    posterior: Posterior | None = None,
    *,
    suit: Suit | str | None = None,
    vacant: tuple[int, int] = EMPTY_HANDS,
    work: int = MOST_WORK,
) -> SuitPlay:
    """The best play of one suit, for each number of tricks and for most on average.

    The defenders see all cards, declarer sees none of theirs.

    Parameters
    ----------
    first, second : str, optional
        The holdings of dummy (North) and declarer (South), such as ``AJT32`` and
        ``K954``; an ``x`` is a lowest card. They may be left out where a posterior and
        a suit are given.
    posterior : Posterior, optional
        Of declarer, who sees dummy: the layouts are weighed by it, and the holdings
        found in the hands.
    suit : Suit or str, optional
        The suit of a posterior; without it, the one in which the holdings are found.
    vacant : tuple of two ints
        Without a posterior, the places of West and East for cards that are unknown,
        those of the suit among them.
    work : int
        A search of more than so many comparisons is repeated with more of declarer's
        low cards counted as the lowest.

    Returns
    -------
    SuitPlay

    Raises
    ------
    BayesBridgeError
        If holdings are missing or not in the hands, if the defenders hold more than ten
        cards of the suit, or if the posterior does not know dummy's hand.

    Examples
    --------
    >>> play = suit_play("AJT32", "K954")
    >>> [(line.goal, round(line.chance, 4)) for line in play.goals], round(play.best.tricks, 3)
    ([(3, 1.0), (4, 1.0), (5, 0.5791)], 4.579)
    """
    if posterior is not None:
        return _play_by_posterior(posterior, first, second, suit, work)
    if first is None or second is None:
        raise BayesBridgeError(
            "no holdings: give both, such as AJT32 and K954, or a posterior and a suit"
        )
    return _play_by_vacant_places(first, second, vacant, work)


class HoldingShares(NamedTuple):
    """How likely the left defender's holdings are."""

    shares: Floats  #: (8192,) P(the left defender holds exactly these cards).
    ess: float  #: Draws that they rest on, infinite where they are exact.
    words: str  #: Where they come from.


def _play_by_vacant_places(
    first: str, second: str, vacant: tuple[int, int], work: int
) -> SuitPlay:
    """The plans where only vacant places are known of the defenders."""
    combination = Combination.of(*read_pair(first, second))
    words = "by vacant places"
    if vacant != EMPTY_HANDS:
        left, right = vacant
        words += f", West with {left} vacant places and East with {right}"
    shares = HoldingShares(prior_shares(combination, vacant), inf, words)
    return _best_plans(combination, (Seat.N, Seat.S), shares, work)


def _play_by_posterior(
    posterior: Posterior,
    first: str | None,
    second: str | None,
    named_suit: Suit | str | None,
    work: int,
) -> SuitPlay:
    """The plans by what declarer, who sees dummy, believes.

    ``first`` and ``second`` are the holdings as text, if they were named.
    """
    belief = posterior.belief
    hands = _declarers_hands(posterior)
    wanted_suit = None if named_suit is None else Suit.of(named_suit)
    suit, table = _find_holdings(hands, first, second, wanted_suit)
    first_seat, second_seat = table
    first_field = hands[first_seat].field(suit)
    second_field = hands[second_seat].field(suit)
    gone_field = Hand(belief.table.played).field(suit)
    missing_field = SUIT_MASK & ~(first_field | second_field | gone_field)
    combination = Combination.of(
        first_field,
        second_field,
        gone_field,
        apart=_ranks_told_apart(belief, suit, missing_field),
    )
    left_defender = second_seat.next(1)
    basis = "exactly" if posterior.exact else f"from draws, ESS {posterior.ess:.0f}"
    shares = HoldingShares(
        shares=_posterior_shares(posterior, left_defender, suit, missing_field),
        ess=inf if posterior.exact else posterior.ess,
        words=f"by what {belief.observer.name} believes, {basis}",
    )
    return _best_plans(combination, table, shares, work)


def _declarers_hands(posterior: Posterior) -> dict[Seat, Hand]:
    """What dummy and declarer, who is the observer, have left."""
    belief = posterior.belief
    partner = belief.observer.partner
    if partner in belief.constraints.hidden:
        raise BayesBridgeError(
            f"{partner.name}'s hand is hidden, so that nobody can plan the suit: "
            f"show it, such as Reveal({partner.name!r}, …)",
            seat=partner.name,
        )
    masks, _ = next(posterior.blocks(1))
    gone = Hand(belief.table.played)
    return {
        seat: Hand(int(masks[0, seat])) - gone for seat in (partner, belief.observer)
    }


def _find_holdings(
    hands: Mapping[Seat, Hand],
    first: str | None,
    second: str | None,
    suit: Suit | None,
) -> tuple[Suit, tuple[Seat, Seat]]:
    """The suit, and whose hand is the first and the second, of dummy and declarer."""
    dummy, declarer = hands  # the mapping is in this order
    if first is None or second is None:
        if suit is None:
            raise BayesBridgeError("no suit: name it, such as S, or give both holdings")
        return suit, (dummy, declarer)
    holdings = read_pair(first, second)
    for candidate in reversed(Suit) if suit is None else (suit,):
        for seats in ((dummy, declarer), (declarer, dummy)):
            if tuple(hands[seat].field(candidate) for seat in seats) == holdings:
                return candidate, seats
    where = "any suit" if suit is None else suit.name
    raise BayesBridgeError(
        f"{first} and {second} are not what {dummy.name} and {declarer.name} hold in "
        f"{where}: give their cards that are not yet played"
    )


def _posterior_shares(
    posterior: Posterior, left_defender: Seat, suit: Suit, missing: int
) -> Floats:
    """(8192,) P(the left defender holds exactly these of the missing cards)."""
    shares = np.zeros(HOLDINGS)
    for masks, weights in posterior.blocks():
        cards_from_suit_on = masks[:, left_defender] >> np.uint64(SUIT_CARDS * suit)
        fields = cards_from_suit_on.astype(np.int64) & missing
        shares += np.bincount(fields, weights, minlength=HOLDINGS)
    return shares / shares.sum()


def _ranks_told_apart(belief: Belief, suit: Suit, missing_field: int) -> list[int]:
    """Missing cards that are no equals of the next higher missing one.

    Hard evidence lets other hands hold them. ``missing_field``: 13 bits.
    """
    ranks_apart = []
    seats_of_higher: list[int] | None = None
    for rank in _ranks(missing_field):  # from the highest down
        card = SUIT_CARDS * suit + rank
        may_be_held = [possible >> card & 1 for possible in belief.constraints.may]
        if seats_of_higher is not None and may_be_held != seats_of_higher:
            ranks_apart.append(rank)
        seats_of_higher = may_be_held
    return ranks_apart


def _best_plans(
    combination: Combination,
    table: tuple[Seat, Seat],
    shares: HoldingShares,
    work: int,
) -> SuitPlay:
    """The answer for a combination, whose hands are at the seats of ``table``.

    Where the search takes too much work, the plans are those of a coarser combination,
    in which some of declarer's cards count as small.
    """
    plans = SuitPlans.search(combination, shares, work)
    searched = plans.combination
    steps = PlanSteps(searched, table)
    goals = range(combination.winners + 1, combination.longest + 1)
    lines = [plans.line(goal, steps) for goal in goals]
    return SuitPlay(
        first=_text(combination.first) or "-",
        second=_text(combination.second) or "-",
        missing="".join(map(_text, searched.groups)),
        table=table,
        sure=plans.certain_tricks,
        goals=tuple(line for line in lines if line.chance > 0.0),
        best=plans.line(None, steps),
        small=_text(searched.counted_as_small),
        weighed=shares.words,
    )


@dataclass(frozen=True, eq=False)
class SuitPlans:
    """The plans of a combination of which none is better than another everywhere."""

    combination: Combination  #: As it was searched.
    game: SuitGame
    layout_bits: int  #: The layouts that are possible, a bit for each.
    front: Front
    """The outcome of each plan, and the plan."""
    shares: list[Floats]
    """(levels,) of each plan: P(so many tricks or more), from one more than the highest
    cards win.
    """
    ess: float  #: Draws that these rest on.

    @classmethod
    def search(
        cls, combination: Combination, shares: HoldingShares, work: int
    ) -> SuitPlans:
        """The plans of a combination, made coarser until the search ends in time.

        A coarser combination counts one more of declarer's cards as small. Where none
        is left that could be, the search has no limit.
        """
        least_tricks = combination.winners + 1
        coarser = combination.coarser()
        while coarser is not None:
            try:
                return cls._search_once(combination, least_tricks, shares, work)
            except TooMuchWork:
                combination = coarser
                coarser = combination.coarser()
        return cls._search_once(combination, least_tricks, shares, NO_LIMIT)

    @classmethod
    def _search_once(
        cls,
        combination: Combination,
        least_tricks: int,
        holding_shares: HoldingShares,
        work: int,
    ) -> SuitPlans:
        """The plans of a combination; raises ``TooMuchWork`` if they take too long."""
        weights = weights_of(combination, holding_shares.shares)
        layout_bits = _bits(np.flatnonzero(weights > 0.0).tolist())
        game = SuitGame(combination, least_tricks, work)
        front = game.front(game.start, layout_bits, least_tricks)
        return cls(
            combination=combination,
            game=game,
            layout_bits=layout_bits,
            front=front,
            shares=[game.shares(outcome, weights) for outcome, _ in front],
            ess=holding_shares.ess,
        )

    @property
    def winners(self) -> int:
        """Tricks of the highest cards, below the first level."""
        return self.game.least_tricks - 1

    @property
    def levels(self) -> int:
        """Numbers of tricks above those of the highest cards."""
        return self.combination.longest - self.winners

    @property
    def certain_tricks(self) -> int:
        """Tricks that some plan reaches in every layout."""
        certain = self.winners
        for level in range(self.levels):
            for outcome, _ in self.front:
                layouts_with_level = outcome >> level * self.game.n
                if layouts_with_level & self.layout_bits == self.layout_bits:
                    certain = self.winners + level + 1
        return certain

    def mean(self, number: int) -> float:
        """Expected tricks of a plan."""
        return self.winners + float(self.shares[number].sum())

    def line(self, goal: int | None, steps: PlanSteps) -> SuitLine:
        """The best plan for a number of tricks, or without one for most on average."""
        number = self._best_plan(goal)
        shares = self.shares[number]
        if goal is None:
            variance = self._variance_of_tricks(number)
        else:
            chance = shares[self._level(goal)]
            variance = float(chance * (1.0 - chance))
        at_least = {
            self.winners + 1 + level: float(shares[level])
            for level in range(self.levels)
        }
        _, plan = self.front[number]
        return SuitLine(
            goal=goal,
            at_least=at_least,
            tricks=self.mean(number),
            error=sqrt(variance / self.ess),
            step=steps.first_step(plan),
            lowest=self.combination.lowest,
        )

    def _level(self, goal: int) -> int:
        """The level of a number of tricks: 0 for one more than the highest cards win."""
        return goal - self.winners - 1

    def _best_plan(self, goal: int | None) -> int:
        """The number of the plan that reaches the goal most often.

        Of plans that reach it equally often, or without a goal, it is the one with most
        tricks on average.
        """
        numbers = range(len(self.front))
        if goal is None:
            return max(numbers, key=self.mean)
        level = self._level(goal)
        chances = np.array([shares[level] for shares in self.shares])
        rounded = chances.round(DECIMALS_COMPARED)
        return max(numbers, key=lambda number: (rounded[number], self.mean(number)))

    def _variance_of_tricks(self, number: int) -> float:
        """Of the tricks of a plan above the highest cards' own.

        Of a count with P(at least k) = s(k) the mean is Σ s(k), and the mean of the
        square Σ (2 k - 1) s(k), since k² = 1 + 3 + … + (2 k - 1).
        """
        shares = self.shares[number]
        k = np.arange(1, len(shares) + 1)
        mean_square = ((2 * k - 1) * shares).sum()
        return max(0.0, float(mean_square - shares.sum() ** 2))
