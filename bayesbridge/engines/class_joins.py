"""How two pairs of suits meet if two levels must fit: without a look at each pair of entries.

Classes (a, b) of the low pair and (c, d) of the high pair make layouts if a fits c and b fits d. With tens of thousands
of entries on either side there are too many pairs to try. But the classes of the high pair fall into *parts* by the
leading gaps of hearts and spades, and towards one part the classes of the low pair are a few *states*: hundreds of
classes become some dozens, since the budget is known. For two parts let

    S[s, t] = pairs of low rows in the states s and t,
    V[d, s] = pairs of high rows of class d for the second level whose class for the first one fits s.

Then Σ over d of V[d, s] [t fits d], a product of matrices, completes each pair of low rows in the states s and t. What
completes a pair of high rows is found from S in the same way. Sums are whole numbers up to 3²⁶, which floating point
adds exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.class_pairs import ClassPair, Meeting
from bayesbridge.engines.levels import leading_gaps
from bayesbridge.engines.suit_classes import Classes, distinct_rows
from bayesbridge.engines.suit_rows import Ints
from bayesbridge.jit import njit, one_thread

type Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of one level of which one value is asked for."""

    part: Ints
    """(high classes,) the part of each."""
    place: Ints
    """(high classes,) its place within the part."""
    state: Ints
    """(parts, low classes) the state of each low class towards a part, −1 if it fits nothing there."""
    fits: tuple[Floats, ...]
    """For each part, (classes, states) whether they fit: 1 or 0."""

    @classmethod
    def of(cls, classes: Classes, value: int) -> Self:
        """Parts by the leading gap that is in the codes of high classes."""
        part = np.unique(leading_gaps(classes.high_codes), return_inverse=True)[1]
        place, states, fits = np.zeros(len(part), dtype=np.int64), [], []
        for number in range(part.max(initial=-1) + 1):
            mine = np.flatnonzero(part == number)
            place[mine] = np.arange(len(mine))
            fit = classes.values[:, mine] == value
            alive = np.flatnonzero(fit.any(1))
            state = np.full(len(fit), -1, dtype=np.int64)
            kept, state[alive] = distinct_rows(fit[alive])
            states.append(state)
            fits.append(np.ascontiguousarray(fit[alive][kept].T.astype(np.float64)))
        return cls(part, place, np.stack(states), tuple(fits))


def join(low: ClassPair, high: ClassPair, meeting: Meeting, first: Classes, second: Classes) -> tuple[Ints, Ints]:
    """For each entry of the low and of the high pair, (entries, values): see ``ClassTables.rests``."""
    ones, twos = ([Parts.of(classes, value) for value in range(classes.size)] for classes in (first, second))
    low_rest = np.zeros((len(low.ways), len(ones) * len(twos)), dtype=np.int64)
    high_rest = np.zeros((len(high.ways), len(ones) * len(twos)), dtype=np.int64)
    with one_thread():
        for value, (two, one) in enumerate(product(twos, ones)):
            low_rest[:, value], high_rest[:, value] = _join(low, high, meeting, one, two)
    return low_rest, high_rest


def _join(low: ClassPair, high: ClassPair, meeting: Meeting, first: Parts, second: Parts) -> tuple[Floats, Floats]:
    """The same for one value of each level: (entries,) of the low and of the high pair."""
    low_rest, high_rest = np.zeros(len(low.ways)), np.zeros(len(high.ways))
    c, d = high.classes.T
    column, line = first.place[c], second.place[d]
    group = first.part[c] * len(second.fits) + second.part[d]
    for key, there in _meetings(low, high, meeting):
        mine = slice(low.key_start[key], low.key_start[key + 1])
        classes, ways, rest = low.classes[mine], low.ways[mine], low_rest[mine]
        others = np.arange(high.key_start[there], high.key_start[there + 1])
        others = others[np.argsort(group[others], kind="stable")]
        groups, begins = np.unique(group[others], return_index=True)
        for number, chosen in zip(groups.tolist(), np.split(others, begins[1:]), strict=True):
            one, two = divmod(number, len(second.fits))
            states = (first.state[one], second.state[two])
            fits, more = first.fits[one], second.fits[two]
            counted, through = np.zeros((fits.shape[1], more.shape[1])), np.zeros((len(more), fits.shape[1]))
            _add_low(states, classes, ways, counted)
            _add_high(chosen, column, line, high.ways, fits, through)
            _take_low(states, classes, np.ascontiguousarray(through.T @ more), rest)
            _take_high(chosen, column, line, fits, np.ascontiguousarray(more @ counted.T), high_rest)
    return low_rest, high_rest


def _meetings(low: ClassPair, high: ClassPair, meeting: Meeting) -> list[tuple[int, int]]:
    """The keys of both pairs that make whole hands; all have entries."""
    some, others = np.diff(low.key_start) > 0, np.diff(high.key_start) > 0
    found = []
    for key in np.flatnonzero(some).tolist():
        other, score = int(meeting.partner[key // meeting.points]), key % meeting.points
        if other >= 0:
            fitting = meeting.fit_points[meeting.fit_start[score] : meeting.fit_start[score + 1]]
            there = other * meeting.points + fitting
            found += [(key, place) for place in there[others[there]].tolist()]
    return found


@njit
def _add_low(states: tuple[Ints, Ints], classes: Ints, ways: Ints, out: Floats) -> None:
    """Pairs of rows in each pair of states, added to (states, states)."""
    one, two = states
    for i in range(len(ways)):
        s, t = one[classes[i, 0]], two[classes[i, 1]]
        if s >= 0 and t >= 0:
            out[s, t] += ways[i]


@njit
def _add_high(chosen: Ints, column: Ints, line: Ints, ways: Ints, fits: Floats, out: Floats) -> None:
    """Pairs of rows that fit each state of the first quantity, added to (classes of the second quantity, states)."""
    for j in chosen:
        for s in range(fits.shape[1]):
            out[line[j], s] += ways[j] * fits[column[j], s]


@njit
def _take_low(states: tuple[Ints, Ints], classes: Ints, found: Floats, rest: Floats) -> None:
    """What completes each low entry, from (states, states)."""
    one, two = states
    for i in range(len(rest)):
        s, t = one[classes[i, 0]], two[classes[i, 1]]
        if s >= 0 and t >= 0:
            rest[i] += found[s, t]


@njit
def _take_high(chosen: Ints, column: Ints, line: Ints, fits: Floats, found: Floats, rest: Floats) -> None:
    """What completes each high entry, from (classes of the second quantity, states of the first)."""
    for j in chosen:
        total = 0.0
        for s in range(fits.shape[1]):
            total += fits[column[j], s] * found[line[j], s]
        rest[j] += total
