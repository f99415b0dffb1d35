"""How to play a suit: for each number of tricks the plan that reaches it most often, and the plan for most tricks.

One suit lies between declarer's two hands, *first* and *second*; the left defender plays after the second hand, the
right defender after the first. Cards of the defenders that follow each other in rank, with none of declarer's between,
are equals: which of them is played tells nothing, since whoever holds several may choose. A layout is how many of each
group of equals the left defender holds. Layouts are weighed by vacant places, or by a posterior: what was called,
played and shown counts.

The search for plans is that of :mod:`~bayesbridge.decisions.best_defence`: one plan must serve all layouts that the
cards played cannot tell apart, and the defenders see everything.

Declarer may lead from either hand at each trick, as often as wanted, and the defenders never lead the suit: entries,
ruffs and blocked suits are left out. A card of declarer's counts by its *gap*, the number of groups of the defenders
above it; a group comes right below the gap of the same number. A plan is shown as a tree of cards, and as text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from math import comb, inf, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge import markup
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import RANKS, SUIT_MASK, Suit, holding
from bayesbridge.deal import Seat
from bayesbridge.decisions.best_defence import MOST_WORK, Front, Plan, Search, TooMuchWork
from bayesbridge.errors import BayesBridgeError, DealError
from bayesbridge.layouts import Floats
from bayesbridge.words import SEATS, error_text, percent, share_error

MOST_MISSING: Final = 10
"""Cards that the defenders may hold: with more there is nothing to plan, and the search is long."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Two hands of a suit, and groups of equals that the defenders hold.

    >>> Combination.of(holding("AJT32"), holding("K954")).groups
    ((10,), (6, 5, 4))
    """

    first: tuple[int, ...]
    """Ranks of the first hand, 0 the two … 12 the ace, high cards first."""
    second: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    """Ranks that the defenders hold, high cards first, equals together."""
    small: int = 0
    """Declarer's cards of lower rank are counted as the lowest of the suit."""

    @classmethod
    def of(cls, first: int, second: int, gone: int = 0, apart: Collection[int] = ()) -> Combination:
        """From 13-bit fields; cards ``gone`` are played. A rank in ``apart`` begins a group of its own."""
        missing = 13 - (first | second | gone).bit_count()
        if not first | second or missing > MOST_MISSING:
            raise BayesBridgeError(
                f"the defenders hold {missing} cards: give declarer and dummy at least {13 - MOST_MISSING} together",
                missing=missing,
            )
        groups: list[list[int]] = []
        joined = False
        for rank in range(12, -1, -1):
            if (first | second) >> rank & 1:
                joined = False
            elif not gone >> rank & 1:
                if joined and rank not in apart:
                    groups[-1].append(rank)
                else:
                    groups.append([rank])
                joined = True
        return cls(_ranks(first), _ranks(second), tuple(map(tuple, groups)))

    @property
    def missing(self) -> int:
        """How many cards the defenders hold."""
        return sum(map(len, self.groups))

    @property
    def layouts(self) -> list[tuple[int, ...]]:
        """How many cards of each group the left defender may hold."""
        found: list[tuple[int, ...]] = [()]
        for group in self.groups:
            found = [(*layout, held) for layout in found for held in range(len(group) + 1)]
        return found

    def gap(self, rank: int) -> int:
        """How many groups lie above a card of declarer's, all of them for a card counted as small."""
        return len(self.groups) if rank < self.small else sum(group[0] > rank for group in self.groups)

    def coarser(self) -> Combination | None:
        """The same with the lowest of declarer's cards that part two groups counted as small; ``None`` at the end."""
        parting = [rank for rank in (*self.first, *self.second) if 0 < self.gap(rank) < len(self.groups)]
        if not parting:
            return None
        place = max(map(self.gap, parting))
        merged = tuple(rank for group in self.groups[place - 1 :] for rank in group)
        return Combination(self.first, self.second, (*self.groups[: place - 1], merged), self.groups[place - 1][-1])


def _ranks(field: int) -> tuple[int, ...]:
    return tuple(rank for rank in range(12, -1, -1) if field >> rank & 1)


def read_pair(first: str, second: str) -> tuple[int, int]:
    """Both holdings; each ``x`` is one of the lowest cards that are not named.

    >>> [f"{field:b}" for field in read_pair("Ax", "K3x")]
    ['1000000000001', '100000000110']
    """
    named = [text.translate({ord("x"): None, ord("X"): None}) or "-" for text in (first, second)]
    fields = [holding(text) for text in named]
    if both := fields[0] & fields[1]:
        rank = RANKS[both.bit_length() - 1]
        raise DealError(f"{rank} stands in both {first!r} and {second!r}: remove one", text=(first, second))
    free = [rank for rank in range(13) if not (fields[0] | fields[1]) >> rank & 1]
    small = [text.lower().count("x") for text in (first, second)]
    if sum(small) > len(free):
        raise DealError(f"{first!r} and {second!r} have more than 13 cards: remove some", text=(first, second))
    for place in (0, 1):
        for _ in range(small[place]):
            fields[place] |= 1 << free.pop(0)
    return fields[0], fields[1]


def prior_shares(combination: Combination, vacant: tuple[int, int] = (13, 13)) -> Floats:
    """(8192,) P(the left defender holds exactly these cards) where the two have so many places for unknown cards.

    With k of the m missing cards on the left, and places a and b, one such layout of single cards has the probability
    C(a + b - m, a - k) / C(a + b, a).

    >>> pair = Combination.of(holding("AKJT9"), holding("5432"))
    >>> weights = weights_of(pair, prior_shares(pair))
    >>> {layout: round(float(w), 4) for layout, w in zip(pair.layouts, weights)}[1, 0]
    0.0622
    """
    left, right = vacant
    m = combination.missing
    if min(vacant) < 0 or left + right < m:
        raise BayesBridgeError(f"{left} and {right} vacant places for {m} missing cards: give more", vacant=vacant)
    every = comb(left + right, left)
    by_length = [comb(left + right - m, left - k) / every if k <= left else 0.0 for k in range(m + 1)]
    missing = sum(1 << rank for group in combination.groups for rank in group)
    fields = np.arange(1 << 13)
    shares: Floats = np.where(fields & ~missing == 0, np.array(by_length)[np.minimum(np.bitwise_count(fields), m)], 0.0)
    return shares


def weights_of(combination: Combination, shares: Floats) -> Floats:
    """(n,) P(layout) from (8192,) P(the left defender holds exactly these of the missing cards)."""
    places = {layout: number for number, layout in enumerate(combination.layouts)}
    weights = np.zeros(len(places))
    masks = [sum(1 << rank for rank in group) for group in combination.groups]
    for field in np.flatnonzero(shares):
        weights[places[tuple((int(field) & mask).bit_count() for mask in masks)]] += shares[field]
    return weights


type Counts = tuple[int, ...]
type State = tuple[Counts, Counts, Counts, Counts, tuple[int, ...]]
"""Declarer's cards by gap in both hands, what the defenders (left, right) have played of each group, and the trick:

empty, or the hand that leads (0 first, 1 second) and the gap of its card; then the group that the next defender plays;
after the third card the defender who is last and the gap of declarer's card that holds the trick, -1 if there is none,
and a zero. -1 is no card of the suit.
"""

NONE: Final = -1
"""No card of the suit."""


class SuitGame:
    """One combination as a game, for goals from ``lowest`` on to as many tricks as there are.

    A move is (hand, gap) for a lead and the gap of the third card, a reply the group of the defender's card.
    """

    def __init__(self, combination: Combination, lowest: int, most_work: int = MOST_WORK) -> None:
        self.sizes = tuple(len(group) for group in combination.groups)
        self.k = len(self.sizes)
        layouts = combination.layouts
        self.held = tuple(
            [
                [
                    sum(1 << i for i, layout in enumerate(layouts) if (layout[c], size - layout[c])[side] >= count)
                    for count in range(1, size + 1)
                ]
                for c, size in enumerate(self.sizes)
            ]
            for side in (0, 1)
        )
        """By defender (0 left, 1 right), group and count: the layouts in which they hold more than that count."""
        hands = [tuple(map(combination.gap, ranks)) for ranks in (combination.first, combination.second)]
        first, second = (tuple(gaps.count(gap) for gap in range(self.k + 1)) for gaps in hands)
        nothing = (0,) * self.k
        self.start = self._closed_up((first, second, nothing, nothing, ()))
        self.lowest = lowest
        self.search = Search(self, len(layouts), max(1, max(map(len, hands)) - lowest + 1), most_work)

    def front(self, live: int) -> Front:
        """The best outcomes over these layouts."""
        return self.search.front(self.start, live, self.lowest)

    def bound(self, _state: State, live: int, _lowest: int) -> int:
        """Everything: nothing better is known."""
        return self.search.all(live)

    def settled(self, state: State, live: int, lowest: int) -> int | None:
        """Where cards above all others reach all that is asked or possible: they win in as many tricks as there are.

        Each hand plays its losers under the other's winners.
        """
        first, second, left, right, trick = state
        if trick:
            return None
        longest = max(sum(first), sum(second))
        top = next((gap for gap, size in enumerate(self.sizes) if size - left[gap] - right[gap]), self.k)
        sure = min(sum(first[: top + 1]) + sum(second[: top + 1]), longest)
        if sure < min(lowest + self.search.levels - 1, longest):
            return None
        return self.search.reached(live, sure, lowest)

    def moves(self, state: State) -> list[tuple[Any, State, int]] | None:
        """Any card of either hand; to the trick the lowest, and those that beat what lies."""
        first, second, left, right, trick = state
        if not trick:
            found: list[tuple[Any, State, int]] = []
            for hand, counts in enumerate((first, second)):
                for gap, count in enumerate(counts):
                    if count:
                        rest = _without(counts, gap)
                        hands = (rest, second) if hand == 0 else (first, rest)
                        found.append(((hand, gap), (*hands, left, right, (hand, gap)), 0))
            return found
        if len(trick) != 3:
            return None
        hand, gap, group = trick
        ours = group == NONE or group >= gap
        third = second if hand == 0 else first
        # The lowest card, and those that beat what lies: a dearer card that does not win is never better.
        gaps = [card for card, count in enumerate(third) if count]
        best = gap if ours else group + 1
        found = []
        for card in [gaps[-1], *(card for card in gaps[:-1] if card < best)] if gaps else [NONE]:
            rest = third if card == NONE else _without(third, card)
            hands = (first, rest) if hand == 0 else (rest, second)
            wins = NONE < card < best
            last = (hand, card if wins else gap if ours else NONE, 0, 0)
            found.append((card, (*hands, left, right, last), 0))
        return found

    def replies(self, state: State, live: int) -> list[tuple[int, int, State, int]]:
        """What a defender may play: the left one follows the second hand, the right one the first."""
        first, second, left, right, trick = state
        leads = len(trick) == 2
        side = trick[0] if not leads else 1 - trick[0]
        played = (left, right)[side]
        found = []
        void = live

        def reply(group: int, here: int, now: Counts) -> tuple[int, int, State, int]:
            a, b = (now, right) if side == 0 else (left, now)
            if leads:
                return group, here, (first, second, a, b, (*trick, group)), 0
            won = trick[1] != NONE and (group == NONE or group >= trick[1])
            return group, here, self._closed_up((first, second, a, b, ())), int(won)

        for group, count in enumerate(played):
            holding = self.held[side][group][count] if count < self.sizes[group] else 0
            if here := live & holding:
                found.append(reply(group, here, (*played[:group], count + 1, *played[group + 1 :])))
            void &= ~holding
        return [*found, reply(NONE, void, played)] if void else found

    def _closed_up(self, state: State) -> State:
        """The same where gaps above a group that is gone count as the gap below it."""
        first, second, left, right, trick = state
        hands = list(first), list(second)
        for group, size in enumerate(self.sizes):
            if size == left[group] + right[group]:
                for counts in hands:
                    counts[group + 1] += counts[group]
                    counts[group] = 0
        return tuple(hands[0]), tuple(hands[1]), left, right, trick


def _without(counts: Counts, gap: int) -> Counts:
    return (*counts[:gap], counts[gap] - 1, *counts[gap + 1 :])


class Seating(NamedTuple):
    """Who sits where: declarer's two hands."""

    first: Seat
    second: Seat

    @property
    def left(self) -> Seat:
        """The defender who plays after the second hand."""
        return self.second.next(1)


@dataclass(frozen=True, slots=True)
class Step:
    """A trick: who leads what, and what follows."""

    leader: Seat
    card: str
    answers: tuple[Reply, ...]
    """By what the next defender plays."""

    @property
    def document(self) -> dict[str, Any]:
        return {
            "leader": self.leader.name,
            "lead": self.card,
            "answers": [
                {
                    "played": answer.played or None,
                    "card": answer.card or None,
                    "then": [
                        {"played": played or None, "next": None if step is None else step.document}
                        for played, step in answer.then
                    ],
                }
                for answer in self.answers
            ],
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """What the third hand plays on a defender's card, and how it goes on."""

    played: str
    """Ranks of the equals of which one is played; empty if the defender shows out."""
    card: str
    """The rank that the third hand plays; empty if it has none of the suit."""
    then: tuple[tuple[str, Step | None], ...]
    """The next trick by what the last defender plays; ``None`` where nothing is left to choose."""


def steps(
    plan: Plan,
    combination: Combination,
    table: Seating,
    hands: tuple[tuple[int, ...], tuple[int, ...]],
    played: tuple[Counts, Counts],
) -> Step | None:
    """A plan of the search with its cards; ``hands`` are declarer's ranks, ``played`` is the defenders' cards."""
    if plan is None:
        return None
    (hand, gap), replies = plan
    out = [len(group) - a - b for group, a, b in zip(combination.groups, *played, strict=True)]

    def chosen(ranks: tuple[int, ...], gap: int) -> int:
        """A card of that gap, groups that are gone not counted."""
        gaps = {rank: combination.gap(rank) for rank in ranks}
        equals = [rank for rank in ranks if next((i for i in range(gaps[rank], len(out)) if out[i]), len(out)) == gap]
        return equals[-1] if gap == len(out) else equals[0]

    own, other = hands[hand], hands[1 - hand]
    led = chosen(own, gap)
    rest = tuple(rank for rank in own if rank != led)
    side = 1 - hand
    answers = []
    for group, (card, plans) in replies:
        third = None if card == NONE else chosen(other, card)
        kept = tuple(rank for rank in other if rank != third)
        left = (rest, kept) if hand == 0 else (kept, rest)
        now = _played(played, side, group)
        then = tuple(
            (_group_text(combination, last), steps(after, combination, table, left, _played(now, 1 - side, last)))
            for last, after in plans
        )
        answers.append(Reply(_group_text(combination, group), "" if third is None else RANKS[third], then))
    return Step(table[hand], RANKS[led], tuple(answers))


def _played(played: tuple[Counts, Counts], side: int, group: int) -> tuple[Counts, Counts]:
    if group == NONE:
        return played
    more = tuple(count + (place == group) for place, count in enumerate(played[side]))
    return (more, played[1]) if side == 0 else (played[0], more)


def _group_text(combination: Combination, group: int) -> str:
    return "" if group == NONE else _text(combination.groups[group])


def plan_lines(step: Step | None, lowest: str, tricks: int) -> Iterator[str]:
    """A tree as lines of text, so many tricks deep; ``lowest`` are the defenders' lowest equals.

    Cases that go on in the same way are told together, and those in which nothing is left to choose not at all.
    """
    if step is None or not tricks:
        return
    yield _trick(step, lowest)
    if tricks == 1:
        return
    groups: dict[tuple[str, ...], list[tuple[Reply, str]]] = {}
    branches = [(answer, played, after) for answer in step.answers for played, after in answer.then]
    for answer, played, after in branches:
        if after is not None and any(one.card or any(step for _, step in one.then) for one in after.answers):
            groups.setdefault(tuple(plan_lines(after, lowest, tricks - 1)), []).append((answer, played))
    for lines, cases in groups.items():
        always = len(groups) == 1 and len(cases) == len(branches)
        if not always:
            yield f"  {_condition(step, cases, lowest)}:"
        yield from (line if always else f"    {line}" for line in lines)


def _trick(step: Step, lowest: str) -> str:
    """A lead and what the third hand plays on it."""
    leader, third = SEATS[step.leader.name], SEATS[step.leader.partner.name]
    usual = next((answer for answer in step.answers if answer.played == lowest), step.answers[0])
    text = f"{leader} leads the {_card(step.card)}"
    if usual.card:
        text += f", {third} plays the {_card(usual.card)}"
    others: dict[str, list[str]] = {}
    for answer in step.answers:
        if answer.card != usual.card:
            others.setdefault(answer.card, []).append(_play(answer.played, lowest))
    defender = SEATS[step.leader.next(1).name]
    for card, plays in others.items():
        text += f"; the {_card(card)} if {defender} {' or '.join(plays)}"
    return f"{text}."


def _condition(step: Step, cases: list[tuple[Reply, str]], lowest: str) -> str:
    """When a continuation is meant: by the second card alone where that tells it, else by both."""
    second, fourth = (SEATS[step.leader.next(turn).name] for turn in (1, 3))
    met: dict[str, list[str]] = {}
    for answer, played in cases:
        met.setdefault(answer.played, []).append(played)
    every = {answer.played: len(answer.then) for answer in step.answers}
    by_last: dict[tuple[str, ...], list[str]] = {}
    for one, lasts in met.items():
        by_last.setdefault(() if len(lasts) == every[one] else tuple(lasts), []).append(one)
    parts = []
    for final, ones in by_last.items():
        what = [] if len(ones) == len(every) else [f"{second} {' or '.join(_play(one, lowest) for one in ones)}"]
        if final:
            what.append(f"{fourth} {' or '.join(_play(last, lowest) for last in final)}")
        parts.append(" and ".join(what) or "in any case")
    return f"If {', or if '.join(parts)}"


def _play(ranks: str, lowest: str) -> str:
    if not ranks:
        return "shows out"
    if ranks == lowest:
        return "plays low"
    return f"plays {' or '.join(f'the {_card(rank)}' for rank in ranks)}"


def _card(rank: str) -> str:
    return {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}.get(rank, rank)


@dataclass(frozen=True, slots=True)
class SuitLine:
    """One plan, and what it reaches against the best defence."""

    goal: int | None
    """The number of tricks that it reaches most often; ``None`` for the plan with most tricks on average."""
    at_least: dict[int, float]
    """P(so many tricks or more) by this plan, from one more than the highest cards win."""
    tricks: float
    """Expected tricks."""
    error: float
    """One standard error of P(goal) where the layouts are weighed by draws, 0 where exactly; of tricks without goal."""
    step: Step | None
    """The plan as a tree; ``None`` where nothing is to choose."""
    lowest: str
    """The defenders' lowest equals, which the words call low."""

    @property
    def chance(self) -> float:
        """P(the goal is reached), 1 without a goal."""
        return 1.0 if self.goal is None else self.at_least.get(self.goal, 0.0)

    def text(self, tricks: int = 2) -> tuple[str, ...]:
        """The plan in words, a line for each trick and each condition, so many tricks deep."""
        return tuple(plan_lines(self.step, self.lowest, tricks)) or ("Nothing is to choose.",)

    def document(self, tricks: int) -> dict[str, Any]:
        """For ``--json``, with so many tricks of the plan as text."""
        return {
            "goal": self.goal,
            "chance": None if self.goal is None else self.chance,
            "tricks": self.tricks,
            "error": self.error,
            "at_least": {str(goal): share for goal, share in self.at_least.items()},
            "play": list(self.text(tricks)),
            "plan": None if self.step is None else self.step.document,
        }


LETTERS: Final = "ABCDEFGHIJKLMN"
"""Of plans."""


@dataclass(frozen=True, slots=True)
class SuitPlay(markup.Displayable):
    """The plans for a suit."""

    first: str
    """Cards of declarer's first hand."""
    second: str
    missing: str
    """Cards of the defenders."""
    table: Seating
    sure: int
    """Tricks that are certain by the best play for them."""
    goals: tuple[SuitLine, ...]
    """The best plan for each number of tricks that is possible and more than the highest cards win, rising."""
    best: SuitLine
    """The plan with most tricks on average."""
    small: str
    """Declarer's cards that were counted as the lowest, to end the search; the figures are then lower bounds."""
    weighed: str
    """How the layouts were weighed, in words."""

    @property
    def heading(self) -> list[str]:
        """The holdings, and how the layouts were weighed."""
        names = SEATS[self.table.first.name], SEATS[self.table.second.name]
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
            place = next(place for place, plan in enumerate(plans) if plan.step == line.step)
            mean = f"{line.tricks:.3f}{error_text(line.error, 3) if line.goal is None else ''}"
            chance = "" if line.goal is None else f"{percent(line.chance)}{share_error(line.chance, line.error)}"
            goal = "most on average" if line.goal is None else f"{line.goal} or more"
            rows.append([goal, chance, mean, LETTERS[place]])
        notes = []
        for letter, plan in zip(LETTERS, plans, strict=False):
            notes += [f"Plan {letter}:", *(f"  {line}" for line in plan.text(tricks))]
        if self.small:
            notes += [f"Counted as the lowest cards, to end the search: {self.small}. The figures are lower bounds."]
        beyond = "Entries are taken to be there; ruffs and blocks are left out."
        notes += ["", f"The defenders see all cards and know the plan. {beyond}"]
        columns = ["tricks", "chance", "mean", "plan"]
        return markup.Table("The best plan for each number of tricks", columns, rows, notes)

    def document(self, tricks: int = 2) -> dict[str, Any]:
        """For ``--json`` and web pages, with so many tricks of each plan as text."""
        return {
            "hands": {self.table.first.name: self.first, self.table.second.name: self.second},
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
    """The best play of one suit against defenders who see all cards, declarer seeing none of theirs.

    ``first`` and ``second`` are the holdings of dummy (North) and declarer (South), such as ``AJT32`` and ``K954``; an
    ``x`` is a lowest card. ``vacant`` are the places of West and East for cards that are unknown, those of the suit
    among them. With a ``posterior`` of declarer, who sees dummy, the layouts are weighed by it instead. The holdings
    are then found in the hands, and may be left out where ``suit`` names it. A search of more than ``work`` comparisons
    is repeated with more of declarer's low cards counted as the lowest.

    >>> play = suit_play("AJT32", "K954")
    >>> [(line.goal, round(line.chance, 4)) for line in play.goals], round(play.best.tricks, 3)
    ([(3, 1.0), (4, 1.0), (5, 0.5791)], 4.579)
    """
    if posterior is None:
        if first is None or second is None:
            raise BayesBridgeError("no holdings: give both, such as AJT32 and K954, or a posterior and a suit")
        fields = read_pair(first, second)
        combination, where = Combination.of(*fields), Seating(Seat.N, Seat.S)
        places = "" if vacant == (13, 13) else f", West with {vacant[0]} vacant places and East with {vacant[1]}"
        weighed = Weighed(f"by vacant places{places}", prior_shares(combination, vacant), inf)
        return _solved(combination, where, weighed, work)
    belief = posterior.belief
    if belief.observer.partner in belief.constraints.hidden:
        partner = belief.observer.partner.name
        raise BayesBridgeError(
            f"{partner}'s hand is hidden, so that nobody can plan the suit: show it, such as Reveal({partner!r}, …)",
            seat=partner,
        )
    masks, _ = next(posterior.blocks(1))
    gone = sum(card.mask for trick in belief.tricks for card in trick.cards)
    hands = {seat: int(masks[0, seat]) & ~gone for seat in (belief.observer.partner, belief.observer)}
    chosen, where = _placed(hands, first, second, None if suit is None else Suit.of(suit))
    fields = _field(hands[where.first], chosen), _field(hands[where.second], chosen)
    played = _field(gone, chosen)
    shares = np.zeros(1 << 13)
    missing = SUIT_MASK & ~(fields[0] | fields[1] | played)
    for block, weights in posterior.blocks():
        held = (block[:, where.left] >> np.uint64(13 * chosen)).astype(np.int64) & missing
        shares += np.bincount(held, weights, minlength=1 << 13)
    shares /= shares.sum()
    combination = Combination.of(*fields, played, _apart(belief, chosen, missing))
    how = "exactly" if posterior.exact else f"from draws, ESS {posterior.ess:.0f}"
    ess = inf if posterior.exact else posterior.ess
    weighed = Weighed(f"by what {belief.observer.name} believes, {how}", shares, ess)
    return _solved(combination, where, weighed, work)


def _field(mask: int, suit: Suit) -> int:
    return mask >> (13 * suit) & SUIT_MASK


def _placed(hands: dict[Seat, int], first: str | None, second: str | None, suit: Suit | None) -> tuple[Suit, Seating]:
    """Which suit is meant, and which of the two hands is the first."""
    dummy, declarer = hands
    if first is None or second is None:
        if suit is None:
            raise BayesBridgeError("no suit: name it, such as S, or give both holdings")
        return suit, Seating(dummy, declarer)
    named = read_pair(first, second)
    for one in reversed(Suit) if suit is None else (suit,):
        for table in (Seating(dummy, declarer), Seating(declarer, dummy)):
            if (_field(hands[table.first], one), _field(hands[table.second], one)) == named:
                return one, table
    raise BayesBridgeError(
        f"{first} and {second} are not what {dummy.name} and {declarer.name} hold in "
        f"{'any suit' if suit is None else suit.name}: give their cards that are not yet played"
    )


def _apart(belief: Belief, suit: Suit, missing: int) -> list[int]:
    """Missing cards that hard evidence treats in another way than the next higher one: they are no equals of it."""
    found, before = [], None
    for rank in range(12, -1, -1):
        if missing >> rank & 1:
            now = tuple(may >> (13 * suit + rank) & 1 for may in belief.constraints.may)
            if before is not None and now != before:
                found.append(rank)
            before = now
    return found


class Weighed(NamedTuple):
    """How layouts are weighed.

    words:  by what
    shares: (8192,) the probability of each holding of the seat on the left of the first hand
    ess:    the effective sample size behind them, infinite where exact
    """

    words: str
    shares: Floats
    ess: float


def _solved(combination: Combination, table: Seating, weighed: Weighed, work: int) -> SuitPlay:
    """Search, and pick the plans from the front."""
    first, second = combination.first, combination.second
    top = combination.groups[0][0] if combination.groups else -1
    longest = max(len(first), len(second))
    winners = min(sum(rank > top for rank in (*first, *second)), longest)
    while True:
        weights = weights_of(combination, weighed.shares)
        live = sum(1 << place for place, weight in enumerate(weights) if weight > 0.0)
        coarser = combination.coarser()
        try:
            game = SuitGame(combination, winners + 1, work if coarser else 1 << 62)
            front = game.front(live)
            break
        except TooMuchWork:
            assert coarser is not None
            combination = coarser
    n = len(weights)
    reached = [game.search.shares(outcome, weights) for outcome, _ in front]
    means = [winners + float(row.sum()) for row in reached]
    nothing = (0,) * len(combination.groups)
    lowest = _text(combination.groups[-1]) if combination.groups else ""

    def line(goal: int | None) -> SuitLine:
        level = None if goal is None else goal - winners - 1
        place = max(range(len(front)), key=lambda i: (0.0 if level is None else round(reached[i][level], 12), means[i]))
        step = steps(front[place][1], combination, table, (first, second), (nothing, nothing))
        row = reached[place]
        if level is not None:
            spread = float(row[level] * (1.0 - row[level]))
        else:  # of a count with these shares of at least 1, 2, …
            k = np.arange(1, len(row) + 1)
            spread = max(0.0, float(((2 * k - 1) * row).sum() - row.sum() ** 2))
        at_least = {winners + 1 + i: float(share) for i, share in enumerate(row)} if longest > winners else {}
        return SuitLine(goal, at_least, means[place], sqrt(spread / weighed.ess), step, lowest)

    sure = winners
    for goal in range(winners + 1, longest + 1):
        shift = (goal - winners - 1) * n
        sure = goal if any(outcome >> shift & live == live for outcome, _ in front) else sure
    goals = [line(goal) for goal in range(winners + 1, longest + 1)]
    small = [rank for rank in sorted((*first, *second), reverse=True) if rank < combination.small]
    return SuitPlay(
        _text(first) or "-",
        _text(second) or "-",
        "".join(map(_text, combination.groups)),
        table,
        sure,
        tuple(one for one in goals if one.chance > 0.0),
        line(None),
        # Unless counting cards as small has lowered none of them.
        _text(small) if any(rank > combination.groups[-1][-1] for rank in small) else "",
        weighed.words,
    )


def _text(ranks: Iterable[int]) -> str:
    return "".join(RANKS[rank] for rank in ranks)
