"""How to play a suit: for each number of tricks the plan that reaches it most often,
and the plan for most tricks.

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

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import comb, inf, sqrt
from string import ascii_uppercase
from typing import Any, Final

import numpy as np

from bayesbridge.belief.posterior import Posterior
from bayesbridge.decisions.best_defence import MOST_WORK, Plan, Search, TooMuchWork
from bayesbridge.display import markup
from bayesbridge.display.words import SEATS, error_text, percent, share_error
from bayesbridge.errors import BayesBridgeError, DealError
from bayesbridge.game.cards import RANKS, SUIT_MASK, Hand, Suit, holding
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats

MOST_MISSING: Final = (
    10  # cards that the defenders may hold: with more there is nothing to plan
)


@dataclass(frozen=True, slots=True)
class Combination:
    """Two hands of a suit, and groups of equals that the defenders hold.

    >>> Combination.of(holding("AJT32"), holding("K954")).groups
    ((10,), (6, 5, 4))
    """

    first: tuple[
        int, ...
    ]  # ranks of the first hand, 0 the two … 12 the ace, high cards first
    second: tuple[int, ...]
    groups: tuple[
        tuple[int, ...], ...
    ]  # ranks that the defenders hold, high cards first, equals together
    small: int = (
        0  # declarer's cards of lower rank are counted as the lowest of the suit
    )

    @classmethod
    def of(
        cls, first: int, second: int, gone: int = 0, apart: Collection[int] = ()
    ) -> Combination:
        """From 13-bit fields; cards ``gone`` are played. A rank in ``apart`` begins a
        group of its own.
        """
        missing = 13 - (first | second | gone).bit_count()
        if not first | second or missing > MOST_MISSING:
            raise BayesBridgeError(
                f"the defenders hold {missing} cards: give declarer and dummy at least {13 - MOST_MISSING} together",
                missing=missing,
            )
        groups: list[tuple[int, ...]] = [()]
        for rank in _ranks(SUIT_MASK & ~gone):
            ours = (first | second) >> rank & 1
            if groups[-1] and (ours or rank in apart):
                groups.append(())
            groups[-1] += () if ours else (rank,)
        return cls(_ranks(first), _ranks(second), tuple(filter(None, groups)))

    @property
    def layouts(self) -> list[tuple[int, ...]]:
        return list(product(*(range(len(group) + 1) for group in self.groups)))

    def gap(self, rank: int) -> int:
        """Groups above a card of declarer's, all of them for a card counted as small."""
        return (
            len(self.groups)
            if rank < self.small
            else sum(group[0] > rank for group in self.groups)
        )

    def coarser(self) -> Combination | None:
        """The same with the lowest of declarer's cards that part two groups counted as
        small; ``None`` at the end.
        """
        parting = [
            rank
            for rank in (*self.first, *self.second)
            if 0 < self.gap(rank) < len(self.groups)
        ]
        if not parting:
            return None
        place = max(map(self.gap, parting))
        merged = tuple(rank for group in self.groups[place - 1 :] for rank in group)
        return Combination(
            self.first,
            self.second,
            (*self.groups[: place - 1], merged),
            self.groups[place - 1][-1],
        )


def _ranks(field: int) -> tuple[int, ...]:
    return tuple(rank for rank in range(12, -1, -1) if field >> rank & 1)


def read_pair(first: str, second: str) -> tuple[int, int]:
    """Both holdings; each ``x`` is one of the lowest cards that are not named.

    >>> [f"{field:b}" for field in read_pair("Ax", "K3x")]
    ['1000000000001', '100000000110']
    """
    named = [
        text.translate({ord("x"): None, ord("X"): None}) or "-"
        for text in (first, second)
    ]
    fields = [holding(text) for text in named]
    if both := fields[0] & fields[1]:
        rank = RANKS[both.bit_length() - 1]
        raise DealError(
            f"{rank} stands in both {first!r} and {second!r}: remove one",
            text=(first, second),
        )
    free = [rank for rank in range(13) if not (fields[0] | fields[1]) >> rank & 1]
    small = [text.lower().count("x") for text in (first, second)]
    if sum(small) > len(free):
        raise DealError(
            f"{first!r} and {second!r} have more than 13 cards: remove some",
            text=(first, second),
        )
    for place in (0, 1):
        for _ in range(small[place]):
            fields[place] |= 1 << free.pop(0)
    return fields[0], fields[1]


def prior_shares(
    combination: Combination, vacant: tuple[int, int] = (13, 13)
) -> Floats:
    """(8192,) P(the left defender holds exactly these cards), where the two have so
    many places for unknown cards.

    With k of m missing cards on the left, and places a and b, it is C(a + b - m, a - k)
    / C(a + b, a).
    """
    left, right = vacant
    m = sum(map(len, combination.groups))
    if min(vacant) < 0 or left + right < m:
        raise BayesBridgeError(
            f"{left} and {right} vacant places for {m} missing cards: give more",
            vacant=vacant,
        )
    every = comb(left + right, left)
    by_length = [
        comb(left + right - m, left - k) / every if k <= left else 0.0
        for k in range(m + 1)
    ]
    missing = sum(1 << rank for group in combination.groups for rank in group)
    fields = np.arange(1 << 13)
    shares: Floats = np.where(
        fields & ~missing == 0,
        np.array(by_length)[np.minimum(np.bitwise_count(fields), m)],
        0.0,
    )
    return shares


def weights_of(combination: Combination, shares: Floats) -> Floats:
    """(n,) P(layout) from (8192,) P(the left defender holds exactly these of the
    missing cards).
    """
    fields = np.flatnonzero(shares)
    places = np.zeros_like(fields)
    for group in combination.groups:
        held = np.bitwise_count(fields & sum(1 << rank for rank in group))
        places = places * (len(group) + 1) + held
    return np.bincount(places, shares[fields], minlength=len(combination.layouts))


type Counts = tuple[int, ...]
type State = tuple[tuple[Counts, Counts], tuple[Counts, Counts], tuple[int, ...]]
"""Declarer's cards by gap in both hands, what the defenders (left, right) have played
of each group, and the trick:

empty, or the hand that leads (0 first, 1 second) and the gap of its card; then the
group that the next defender plays; after the third card the defender who is last and
the gap of declarer's card that holds the trick, -1 if there is none, and a zero.
"""

NONE: Final = -1  # no card of the suit


class SuitGame(Search):
    """A move is (hand, gap) for a lead and the gap of the third card, a reply the group
    of the defender's card.
    """

    def __init__(
        self, combination: Combination, lowest: int, most_work: int = MOST_WORK
    ) -> None:
        self.sizes = tuple(len(group) for group in combination.groups)
        layouts = combination.layouts
        self.held = tuple(
            [
                [
                    sum(
                        1 << i
                        for i, layout in enumerate(layouts)
                        if (layout[c], size - layout[c])[side] >= count
                    )
                    for count in range(1, size + 1)
                ]
                for c, size in enumerate(self.sizes)
            ]
            for side in (0, 1)
        )  # by defender (0 left, 1 right), group and count: the layouts in which they hold more than that count
        hands = [
            tuple(map(combination.gap, ranks))
            for ranks in (combination.first, combination.second)
        ]
        first, second = (
            tuple(gaps.count(gap) for gap in range(len(self.sizes) + 1))
            for gaps in hands
        )
        nothing = (0,) * len(self.sizes)
        self.start = self._closed_up((first, second), (nothing, nothing))
        self.lowest = lowest
        super().__init__(
            len(layouts), max(1, max(map(len, hands)) - lowest + 1), most_work
        )

    def settled(self, state: State, live: int, lowest: int) -> int | None:
        """Where cards above all others, one a trick, reach all that is asked or
        possible.
        """
        (first, second), (left, right), trick = state
        if trick:
            return None
        longest = max(sum(first), sum(second))
        top = next(
            (
                gap
                for gap, size in enumerate(self.sizes)
                if size - left[gap] - right[gap]
            ),
            len(self.sizes),
        )
        sure = min(sum(first[: top + 1]) + sum(second[: top + 1]), longest)
        if sure < min(lowest + self.levels - 1, longest):
            return None
        return self.reached(live, sure, lowest)

    def moves(self, state: State) -> list[tuple[Any, State, int]] | None:
        """Any card of either hand; to the trick the lowest, and those that beat what
        lies.
        """
        hands, played, trick = state
        if not trick:
            leads = [
                (hand, gap)
                for hand in (0, 1)
                for gap, count in enumerate(hands[hand])
                if count
            ]
            return [
                (lead, (_changed(hands, *lead, -1), played, lead), 0) for lead in leads
            ]
        if len(trick) != 3:
            return None
        hand, gap, group = trick
        ours = group == NONE or group >= gap
        best = gap if ours else group + 1
        gaps = [card for card, count in enumerate(hands[1 - hand]) if count] or [NONE]
        found: list[tuple[Any, State, int]] = []
        for card in [gaps[-1], *(card for card in gaps[:-1] if card < best)]:
            wins = NONE < card < best
            last = (hand, card if wins else gap if ours else NONE, 0, 0)
            found.append((card, (_changed(hands, 1 - hand, card, -1), played, last), 0))
        return found

    def replies(self, state: State, live: int) -> list[tuple[int, int, State, int]]:
        """What a defender may play: the left one follows the second hand, the right one
        the first.
        """
        hands, played, trick = state
        leads = len(trick) == 2
        side = 1 - trick[0] if leads else trick[0]
        found = []
        void = live
        for group in (*range(len(self.sizes)), NONE):
            here = void
            if group != NONE:
                count = played[side][group]
                holding = (
                    self.held[side][group][count] if count < self.sizes[group] else 0
                )
                here, void = live & holding, void & ~holding
            if here:
                after = _changed(played, side, group, 1)
                if leads:
                    found.append((group, here, (hands, after, (*trick, group)), 0))
                else:
                    won = trick[1] != NONE and (group == NONE or group >= trick[1])
                    found.append((group, here, self._closed_up(hands, after), int(won)))
        return found

    def _closed_up(
        self, hands: tuple[Counts, Counts], played: tuple[Counts, Counts]
    ) -> State:
        """The start of a trick; gaps above a group that is gone count as the gap below
        it.
        """
        first, second = map(list, hands)
        for group, size in enumerate(self.sizes):
            if size == played[0][group] + played[1][group]:
                for counts in (first, second):
                    counts[group + 1] += counts[group]
                    counts[group] = 0
        return (tuple(first), tuple(second)), played, ()


def _changed(
    pair: tuple[Counts, Counts], side: int, place: int, by: int
) -> tuple[Counts, Counts]:
    if place == NONE:
        return pair
    counts = pair[side]
    more = (*counts[:place], counts[place] + by, *counts[place + 1 :])
    return (more, pair[1]) if side == 0 else (pair[0], more)


type Step = dict[str, Any]
"""A trick as plain data: ``leader``, ``lead`` and ``answers`` by what the next defender
plays. Each has ``played``, the ranks of the equals of which one is played, ``card``,
what the third hand plays on it, and ``then``: by what the last defender ``played`` the
``next`` trick. ``None`` is no card of the suit, or that nothing is left to choose.
"""


def steps(
    plan: Plan,
    combination: Combination,
    seats: tuple[Seat, Seat],
    hands: tuple[tuple[int, ...], tuple[int, ...]],
    played: tuple[Counts, Counts],
) -> Step | None:
    """A plan of the search with its cards; ``hands`` are declarer's ranks, ``played``
    the defenders' cards.
    """
    if plan is None:
        return None
    (hand, gap), replies = plan
    out = [
        len(group) - a - b
        for group, a, b in zip(combination.groups, *played, strict=True)
    ]
    names = [*map(_text, combination.groups), None]  # the last of no card

    def chosen(ranks: tuple[int, ...], gap: int) -> int:
        """Of equal cards the lowest; groups that are gone are not counted."""
        gaps = {rank: combination.gap(rank) for rank in ranks}
        equals = [
            rank
            for rank in ranks
            if next((i for i in range(gaps[rank], len(out)) if out[i]), len(out)) == gap
        ]
        return equals[-1]

    own, other = hands[hand], hands[1 - hand]
    led = chosen(own, gap)
    rest = tuple(rank for rank in own if rank != led)
    side = 1 - hand
    answers = []
    for group, (card, plans) in replies:
        third = None if card == NONE else chosen(other, card)
        kept = tuple(rank for rank in other if rank != third)
        left = (rest, kept) if hand == 0 else (kept, rest)
        now = _changed(played, side, group, 1)
        then = [
            {
                "played": names[last],
                "next": steps(
                    after, combination, seats, left, _changed(now, 1 - side, last, 1)
                ),
            }
            for last, after in plans
        ]
        answers.append(
            {
                "played": names[group],
                "card": None if third is None else RANKS[third],
                "then": then,
            }
        )
    return {"leader": seats[hand].name, "lead": RANKS[led], "answers": answers}


def plan_lines(step: Step | None, lowest: str, tricks: int) -> Iterator[str]:
    """A tree as lines, so many tricks deep; ``lowest`` are the defenders' lowest
    equals.

    Cases that go on alike are told together, and those with nothing left to choose not
    at all.
    """
    if step is None or not tricks:
        return
    yield _trick(step, lowest)
    if tricks == 1:
        return
    groups: dict[tuple[str, ...], list[tuple[str | None, str | None]]] = {}
    branches = [
        (answer["played"], last["played"], last["next"])
        for answer in step["answers"]
        for last in answer["then"]
    ]
    for second, fourth, after in branches:
        if after and any(
            one["card"] or any(last["next"] for last in one["then"])
            for one in after["answers"]
        ):
            groups.setdefault(tuple(plan_lines(after, lowest, tricks - 1)), []).append(
                (second, fourth)
            )
    for lines, cases in groups.items():
        always = len(groups) == 1 and len(cases) == len(branches)
        if not always:
            yield f"  {_condition(step, cases, lowest)}:"
        yield from (line if always else f"    {line}" for line in lines)


def _trick(step: Step, lowest: str) -> str:
    leader, defender, third = (
        SEATS[Seat[step["leader"]].next(turn).name] for turn in (0, 1, 2)
    )
    answers = step["answers"]
    usual = next((one for one in answers if one["played"] == lowest), answers[0])[
        "card"
    ]
    text = f"{leader} leads the {_NAMES[step['lead']]}"
    if usual:
        text += f", {third} plays the {_NAMES[usual]}"
    others: dict[str, list[str]] = {}
    for one in answers:
        if one["card"] != usual:
            others.setdefault(one["card"], []).append(_play(one["played"], lowest))
    for card, plays in others.items():
        text += f"; the {_NAMES[card]} if {defender} {' or '.join(plays)}"
    return f"{text}."


def _condition(
    step: Step, cases: list[tuple[str | None, str | None]], lowest: str
) -> str:
    """By the second card alone where that tells it, else by both."""
    second, fourth = (SEATS[Seat[step["leader"]].next(turn).name] for turn in (1, 3))
    met: dict[str | None, list[str | None]] = {}
    for one, last in cases:
        met.setdefault(one, []).append(last)
    every = {answer["played"]: len(answer["then"]) for answer in step["answers"]}
    by_last: dict[tuple[str | None, ...], list[str | None]] = {}
    for one, lasts in met.items():
        by_last.setdefault(() if len(lasts) == every[one] else tuple(lasts), []).append(
            one
        )
    parts = []
    for final, ones in by_last.items():
        what = (
            []
            if len(ones) == len(every)
            else [f"{second} {' or '.join(_play(one, lowest) for one in ones)}"]
        )
        if final:
            what.append(
                f"{fourth} {' or '.join(_play(last, lowest) for last in final)}"
            )
        parts.append(" and ".join(what) or "in any case")
    return f"If {', or if '.join(parts)}"


def _play(ranks: str | None, lowest: str) -> str:
    if not ranks:
        return "shows out"
    if ranks == lowest:
        return "plays low"
    return f"plays {' or '.join(f'the {_NAMES[rank]}' for rank in ranks)}"


_NAMES: Final = {rank: rank for rank in RANKS} | {
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "T": "ten",
}


@dataclass(frozen=True, slots=True)
class SuitLine:
    """One plan, and what it reaches against the best defence."""

    #: Tricks that it reaches most often; ``None`` for the plan with most tricks on average.
    goal: int | None
    at_least: dict[
        int, float
    ]  #: P(so many tricks or more) by this plan, from one more than the highest cards win.
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
        """The plan in words, a line for each trick and condition, so many tricks deep."""
        return tuple(plan_lines(self.step, self.lowest, tricks)) or (
            "Nothing is to choose.",
        )

    def document(self, tricks: int) -> dict[str, Any]:
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
    second: str
    missing: str  #: Cards of the defenders.
    table: tuple[Seat, Seat]  #: Who holds them.
    sure: int  #: Tricks that are certain by the best play for them.
    goals: tuple[
        SuitLine, ...
    ]  #: The best plan for each possible number of tricks above the highest cards' own.
    best: SuitLine  #: The plan with most tricks on average.
    #: Declarer's cards counted as the lowest, to end the search; the figures are then
    #: lower bounds.
    small: str
    weighed: str = ""  #: How the layouts were weighed, in words.

    @property
    def heading(self) -> list[str]:
        """The holdings, and how the layouts were weighed."""
        names = [SEATS[seat.name] for seat in self.table]
        holdings = f"{names[0]} holds {self.first}, {names[1]} {self.second}; missing: {self.missing or 'nothing'}."
        return [holdings, f"The layouts are weighed {self.weighed}."]

    @property
    def tables(self) -> list[markup.Table]:
        """The best plan for each number of tricks, and the plans in words."""
        shown = self.shown()
        return [replace(shown, notes=[*self.heading, *shown.notes])]

    def shown(self, tricks: int = 2) -> markup.Table:
        """The table of the screen, with so many tricks of each plan."""
        plans: list[SuitLine] = []  # a line of each
        rows = []
        for line in (*self.goals, self.best):
            if all(plan.step != line.step for plan in plans):
                plans.append(line)
            place = next(
                place for place, plan in enumerate(plans) if plan.step == line.step
            )
            mean = f"{line.tricks:.3f}{error_text(line.error, 3) if line.goal is None else ''}"
            chance = (
                ""
                if line.goal is None
                else f"{percent(line.chance)}{share_error(line.chance, line.error)}"
            )
            goal = "most on average" if line.goal is None else f"{line.goal} or more"
            rows.append([goal, chance, mean, ascii_uppercase[place]])
        notes = []
        for letter, plan in zip(ascii_uppercase, plans, strict=False):
            notes += [f"Plan {letter}:", *(f"  {line}" for line in plan.text(tricks))]
        if self.small:
            notes += [
                f"Counted as the lowest cards, to end the search: {self.small}. The figures are lower bounds."
            ]
        beyond = "Entries are taken to be there; ruffs and blocks are left out."
        notes += ["", f"The defenders see all cards and know the plan. {beyond}"]
        columns = ["tricks", "chance", "mean", "plan"]
        return markup.Table(
            "The best plan for each number of tricks", columns, rows, notes
        )

    def document(self, tricks: int = 2) -> dict[str, Any]:
        """For ``--json`` and web pages, with so many tricks of each plan as text."""
        return {
            "hands": {self.table[0].name: self.first, self.table[1].name: self.second},
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
    vacant: tuple[int, int] = (13, 13),
    work: int = MOST_WORK,
) -> SuitPlay:
    """The best play of one suit against defenders who see all cards, declarer seeing
    none of theirs.

    ``first`` and ``second`` are the holdings of dummy (North) and declarer (South),
    such as ``AJT32`` and ``K954``; an ``x`` is a lowest card. ``vacant`` are the places
    of West and East for cards that are unknown, those of the suit among them. With a
    ``posterior`` of declarer, who sees dummy, the layouts are weighed by it instead.
    The holdings are then found in the hands, and may be left out where ``suit`` names
    it. A search of more than ``work`` comparisons is repeated with more of declarer's
    low cards counted as the lowest.

    >>> play = suit_play("AJT32", "K954")
    >>> [(line.goal, round(line.chance, 4)) for line in play.goals], round(play.best.tricks, 3)
    ([(3, 1.0), (4, 1.0), (5, 0.5791)], 4.579)
    """
    if posterior is None:
        if first is None or second is None:
            raise BayesBridgeError(
                "no holdings: give both, such as AJT32 and K954, or a posterior and a suit"
            )
        combination = Combination.of(*read_pair(first, second))
        places = (
            ""
            if vacant == (13, 13)
            else f", West with {vacant[0]} vacant places and East with {vacant[1]}"
        )
        found = _solved(
            combination, (Seat.N, Seat.S), prior_shares(combination, vacant), inf, work
        )
        return replace(found, weighed=f"by vacant places{places}")
    belief = posterior.belief
    if belief.observer.partner in belief.constraints.hidden:
        partner = belief.observer.partner.name
        raise BayesBridgeError(
            f"{partner}'s hand is hidden, so that nobody can plan the suit: show it, such as Reveal({partner!r}, …)",
            seat=partner,
        )
    masks, _ = next(posterior.blocks(1))
    gone = Hand(belief.table.played)
    hands = {
        seat: Hand(int(masks[0, seat])) - gone
        for seat in (belief.observer.partner, belief.observer)
    }
    chosen, table = _placed(
        hands, first, second, None if suit is None else Suit.of(suit)
    )
    mine, other, played = (
        cards.field(chosen) for cards in (hands[table[0]], hands[table[1]], gone)
    )
    shares = np.zeros(1 << 13)
    missing = SUIT_MASK & ~(mine | other | played)
    for block, weights in posterior.blocks():
        held = (block[:, table[1].next(1)] >> np.uint64(13 * chosen)).astype(
            np.int64
        ) & missing
        shares += np.bincount(held, weights, minlength=1 << 13)
    shares /= shares.sum()
    # Missing cards that hard evidence treats in another way than the next higher one are no equals of it.
    ranks = _ranks(missing)
    seats = [
        [may >> (13 * chosen + rank) & 1 for may in belief.constraints.may]
        for rank in ranks
    ]
    apart = [
        rank
        for rank, one, higher in zip(ranks[1:], seats[1:], seats, strict=False)
        if one != higher
    ]
    ess = inf if posterior.exact else posterior.ess
    found = _solved(
        Combination.of(mine, other, played, apart), table, shares, ess, work
    )
    how = "exactly" if posterior.exact else f"from draws, ESS {ess:.0f}"
    return replace(found, weighed=f"by what {belief.observer.name} believes, {how}")


def _placed(
    hands: dict[Seat, Hand], first: str | None, second: str | None, suit: Suit | None
) -> tuple[Suit, tuple[Seat, Seat]]:
    dummy, declarer = hands
    if first is None or second is None:
        if suit is None:
            raise BayesBridgeError("no suit: name it, such as S, or give both holdings")
        return suit, (dummy, declarer)
    named = read_pair(first, second)
    for one in reversed(Suit) if suit is None else (suit,):
        for seats in ((dummy, declarer), (declarer, dummy)):
            if tuple(hands[seat].field(one) for seat in seats) == named:
                return one, seats
    raise BayesBridgeError(
        f"{first} and {second} are not what {dummy.name} and {declarer.name} hold in "
        f"{'any suit' if suit is None else suit.name}: give their cards that are not yet played"
    )


def _solved(
    combination: Combination,
    table: tuple[Seat, Seat],
    shares: Floats,
    ess: float,
    work: int,
) -> SuitPlay:
    """Plans from the front; (8192,) ``shares``: the chance of each holding of the left
    defender, by so many draws.
    """
    first, second = combination.first, combination.second
    top = combination.groups[0][0] if combination.groups else -1
    longest = max(len(first), len(second))
    winners = min(sum(rank > top for rank in (*first, *second)), longest)
    while True:
        weights = weights_of(combination, shares)
        live = sum(1 << place for place, weight in enumerate(weights) if weight > 0.0)
        coarser = combination.coarser()
        try:
            game = SuitGame(combination, winners + 1, work if coarser else 1 << 62)
            front = game.front(game.start, live, game.lowest)
            break
        except TooMuchWork:
            assert coarser is not None
            combination = coarser
    reached = [game.shares(outcome, weights) for outcome, _ in front]
    means = [winners + float(row.sum()) for row in reached]
    nothing = (0,) * len(combination.groups)
    lowest = _text(combination.groups[-1]) if combination.groups else ""

    def line(goal: int | None) -> SuitLine:
        level = None if goal is None else goal - winners - 1
        place = max(
            range(len(front)),
            key=lambda i: (
                0.0 if level is None else round(reached[i][level], 12),
                means[i],
            ),
        )
        step = steps(
            front[place][1], combination, table, (first, second), (nothing, nothing)
        )
        row = reached[place]
        if level is not None:
            spread = float(row[level] * (1.0 - row[level]))
        else:  # of a count with these shares of at least 1, 2, …
            k = np.arange(1, len(row) + 1)
            spread = max(0.0, float(((2 * k - 1) * row).sum() - row.sum() ** 2))
        at_least = (
            {winners + 1 + i: float(share) for i, share in enumerate(row)}
            if longest > winners
            else {}
        )
        return SuitLine(goal, at_least, means[place], sqrt(spread / ess), step, lowest)

    goals = [line(goal) for goal in range(winners + 1, longest + 1)]
    levels = range(longest - winners)
    certain = (
        level
        for level in levels
        if any(outcome >> level * game.n & live == live for outcome, _ in front)
    )
    small = [
        rank
        for rank in sorted((*first, *second), reverse=True)
        if rank < combination.small
    ]
    return SuitPlay(
        _text(first) or "-",
        _text(second) or "-",
        "".join(map(_text, combination.groups)),
        table,
        winners + 1 + max(certain, default=-1),
        tuple(one for one in goals if one.chance > 0.0),
        line(None),
        # Unless counting cards as small has lowered none of them.
        _text(small)
        if any(rank > combination.groups[-1][-1] for rank in small)
        else "",
    )


def _text(ranks: Iterable[int]) -> str:
    return "".join(RANKS[rank] for rank in ranks)
