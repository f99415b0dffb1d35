"""The best plans for a suit: what declarer can do against defenders who see everything.

Declarer sees the cards played and no more, so one plan must serve all layouts that these cannot tell apart. Defenders
know the layout and declarer's plan (the best-defence model of Frank and Basin, Artificial Intelligence 100, 1998). Of a
plan only its outcome matters: the set of (layout, goal) that it reaches, as bits of one integer. Where declarer moves,
the outcomes of all moves are collected; where a defender moves, each layout takes its worst reply, so that one outcome
of each reply is joined by *and*. Of all outcomes those that are part of another are dropped: what is left is the Pareto
front, and any weights of layouts pick their best plan from it.

Declarer may lead from either hand at each trick, as often as wanted, and the defenders never lead the suit: entries,
ruffs and blocked suits are left out. A card of declarer's counts by its *gap*, the number of groups of the defenders
above it; a group comes right below the gap of the same number.
"""

from __future__ import annotations

from typing import Final

from bayesbridge.decisions.suit_play_layouts import Combination
from bayesbridge.errors import BayesBridgeError

type Counts = tuple[int, ...]
type Plan = tuple[int, int, tuple[Reply, ...]] | None
"""The hand that leads (0 first, 1 second), the gap of its card and the replies; ``None`` where nothing is to choose."""
type Reply = tuple[int, int, tuple[tuple[int, Plan], ...]]
"""The group that the next defender plays, the gap of the third card, and plans by the group of the fourth; -1 is none.

The third card is -1 where that hand has no card of the suit.
"""
type Front = tuple[tuple[int, Plan], ...]
"""Outcomes with the plans that reach them."""

MOST_WORK: Final = 1_500_000
"""Comparisons of outcomes after which a search gives up."""

NONE: Final = -1
"""No card of the suit."""


class TooMuchWork(BayesBridgeError):
    """A search that would take too long."""


class Search:
    """All plans of one combination, for goals from ``lowest`` on to as many tricks as there are."""

    def __init__(self, combination: Combination, live: int, lowest: int, most_work: int = MOST_WORK) -> None:
        self.sizes = tuple(len(group) for group in combination.groups)
        self.k = len(self.sizes)
        layouts = combination.layouts
        self.n = len(layouts)
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
        self.start = self._counts(combination, combination.first), self._counts(combination, combination.second)
        self.live, self.lowest = live, lowest
        self.levels = max(1, max(map(sum, self.start)) - lowest + 1)
        self.work, self.most_work = 0, most_work
        self.known: dict[tuple[Counts, Counts, Counts, Counts, int, int], Front] = {}
        self.spread: dict[int, int] = {}

    def _counts(self, combination: Combination, ranks: tuple[int, ...]) -> Counts:
        gaps = [combination.gap(rank) for rank in ranks]
        return tuple(gaps.count(gap) for gap in range(self.k + 1))

    def front(self) -> Front:
        """The best outcomes: bit ``level * n + layout`` says that ``lowest + level`` tricks are reached there."""
        nothing = (0,) * self.k
        return self._front(*self.start, nothing, nothing, self.live, self.lowest)

    def _all(self, live: int) -> int:
        """The layouts, at all levels."""
        if live not in self.spread:
            self.spread[live] = sum(live << (level * self.n) for level in range(self.levels))
        return self.spread[live]

    def _front(self, first: Counts, second: Counts, left: Counts, right: Counts, live: int, lowest: int) -> Front:
        """From the beginning of a trick; ``left`` and ``right`` are what the defenders have played of each group."""
        out = [size - a - b for size, a, b in zip(self.sizes, left, right, strict=True)]
        first, second = _closed_up(first, out), _closed_up(second, out)
        longest = max(sum(first), sum(second))
        top = next((gap for gap, count in enumerate(out) if count), self.k)
        # Cards above all others win in as many tricks as there are; each hand plays its losers under the other's.
        sure = min(sum(first[: top + 1]) + sum(second[: top + 1]), longest)
        if sure >= min(lowest + self.levels - 1, longest):
            reached = range(min(self.levels, max(0, sure - lowest + 1)))
            return ((sum(live << (level * self.n) for level in reached), None),)
        key = first, second, left, right, live, lowest
        if key not in self.known:
            best: Front = ()
            for hand, counts in enumerate((first, second)):
                for gap, count in enumerate(counts):
                    if count:
                        rest = _without(counts, gap)
                        hands = (rest, second) if hand == 0 else (first, rest)
                        found = self._second(*hands, left, right, live, lowest, hand, gap)
                        best = self._best((*best, *found))
            self.known[key] = best
        return self.known[key]

    def _second(
        self, first: Counts, second: Counts, left: Counts, right: Counts, live: int, lowest: int, hand: int, gap: int
    ) -> Front:
        """After a lead: the left defender follows the second hand, the right one the first."""
        side = 0 if hand == 1 else 1
        joined: tuple[tuple[int, tuple[Reply, ...]], ...] = ((self._all(live), ()),)
        for group, here, played in self._replies(side, (left, right)[side], live):
            a, b = (played, right) if side == 0 else (left, played)
            ours = group == NONE or group >= gap
            best: tuple[tuple[int, Reply], ...] = ()
            third = second if hand == 0 else first
            for card in self._third_cards(third, gap if ours else group, ours):
                rest = third if card == NONE else _without(third, card)
                hands = (first, rest) if hand == 0 else (rest, second)
                wins = card != NONE and (card < gap if ours else card <= group)
                winner = card if wins else gap if ours else NONE
                for outcome, plans in self._fourth(*hands, a, b, here, lowest, 1 - side, winner):
                    best = (*best, (outcome, (group, card, plans)))
                best = self._best(best)
            elsewhere = self._all(live & ~here)
            joined = self._best(
                tuple((old & (new | elsewhere), (*plans, plan)) for old, plans in joined for new, plan in best)
            )
        return tuple((outcome, (hand, gap, plans)) for outcome, plans in joined)

    def _fourth(
        self, first: Counts, second: Counts, left: Counts, right: Counts, live: int, lowest: int, side: int, winner: int
    ) -> tuple[tuple[int, tuple[tuple[int, Plan], ...]], ...]:
        """The last card; ``winner`` is the gap of declarer's card that holds the trick, -1 if a defender's does."""
        joined: tuple[tuple[int, tuple[tuple[int, Plan], ...]], ...] = ((self._all(live), ()),)
        for group, here, played in self._replies(side, (left, right)[side], live):
            a, b = (played, right) if side == 0 else (left, played)
            won = winner != NONE and (group == NONE or group >= winner)
            elsewhere = self._all(live & ~here)
            found = self._front(first, second, a, b, here, lowest - won)
            joined = self._best(
                tuple(
                    (old & (new | elsewhere), (*plans, (group, plan))) for old, plans in joined for new, plan in found
                )
            )
        return joined

    def _replies(self, side: int, played: Counts, live: int) -> list[tuple[int, int, Counts]]:
        """What a defender may play: the group, the layouts in which they may, and what they have played then."""
        found = []
        void = live
        for group, count in enumerate(played):
            holding = self.held[side][group][count] if count < self.sizes[group] else 0
            if here := live & holding:
                found.append((group, here, (*played[:group], count + 1, *played[group + 1 :])))
            void &= ~holding
        return [*found, (NONE, void, played)] if void else found

    def _third_cards(self, counts: Counts, best: int, ours: bool) -> list[int]:
        """The lowest card, and those that beat what lies: a dearer card that does not win is never better."""
        gaps = [gap for gap, count in enumerate(counts) if count]
        if not gaps:
            return [NONE]
        return [gaps[-1], *(gap for gap in gaps[:-1] if (gap < best if ours else gap <= best))]

    def _best[T](self, outcomes: tuple[tuple[int, T], ...]) -> tuple[tuple[int, T], ...]:
        """Those that are not part of another; of equal ones the first."""
        kept: list[tuple[int, T]] = []
        for outcome, plan in sorted(outcomes, key=lambda one: -one[0].bit_count()):
            self.work += len(kept) + 1
            if not any(outcome & other == outcome for other, _ in kept):
                kept.append((outcome, plan))
        if self.work > self.most_work:
            raise TooMuchWork(f"more than {self.most_work} comparisons")
        return tuple(kept)


def _closed_up(counts: Counts, out: list[int]) -> Counts:
    """The same where gaps above a group that is gone count as the gap below it."""
    found = list(counts)
    for group, left in enumerate(out):
        if not left:
            found[group + 1] += found[group]
            found[group] = 0
    return tuple(found)


def _without(counts: Counts, gap: int) -> Counts:
    return (*counts[:gap], counts[gap] - 1, *counts[gap + 1 :])
