"""From the number of a layout among those of one value to its cards.

Which pair of suit entries lies behind a pair of rows is not kept in a table: it is found for many layouts at once, by
walking the pairs of entries in the order in which they were counted.
"""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.class_pairs import ClassPair, Meeting
from bayesbridge.engines.suit_rows import Ints
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks


@njit
def locate(
    low: ClassPair,
    high: ClassPair,
    meeting: Meeting,
    sums: tuple[Ints, Ints],
    wanted: tuple[Ints, Ints],
    of_low: tuple[Ints, Ints],
    of_high: tuple[Ints, Ints],
) -> None:
    """The entries of both pairs that layouts lie in, and the numbers of their pairs of rows within the entries.

    ``sums``: (entries, size) layouts of each value up to and with each low entry, and with one of its pairs of rows.
    """
    before, rest = sums
    values, numbers = wanted
    low_entry, low_number = of_low
    high_entry, high_number = of_high
    low_start, high_start, ones, twos = low.key_start, high.key_start, low.classes, high.classes
    high_count, points, partner = high.ways, meeting.points, meeting.partner
    fit_start, fit_points = meeting.fit_start, meeting.fit_points
    table, offset, width = meeting.value.table, meeting.value.offset, meeting.value.width
    quantities = ones.shape[1]
    base = np.empty(quantities, np.int64)
    for n in range(len(numbers)):
        wanted_value, number = values[n], numbers[n]
        entry, last = 0, len(before) - 1
        while entry < last:
            middle = (entry + last) >> 1
            if before[middle, wanted_value] > number:
                last = middle
            else:
                entry = middle + 1
        number -= before[entry - 1, wanted_value] if entry > 0 else 0
        low_entry[n], low_number[n] = entry, number // rest[entry, wanted_value]
        number -= low_number[n] * rest[entry, wanted_value]
        key = np.searchsorted(low_start, entry, side="right") - 1
        for q in range(quantities):
            base[q] = offset[q] + ones[entry, q] * width[q]
        other, score = partner[key // points], key % points
        found = False
        for place in range(fit_start[score], fit_start[score + 1]):
            there = other * points + fit_points[place]
            for j in range(high_start[there], high_start[there + 1]):
                value = 0
                for q in range(quantities):
                    value += table[base[q] + twos[j, q]]
                if value == wanted_value:
                    if number < high_count[j]:
                        high_entry[n], high_number[n] = j, number
                        found = True
                        break
                    number -= high_count[j]
            if found:
                break


@njit
def add_pair(pair: ClassPair, shift: int, entry: Ints, number: Ints, order: Ints, out: Masks) -> None:
    """Add to each layout its cards of two suits, the first of which begins at bit ``shift``.

    ``entry``, ``number``: the entry of the pair and the number of the pair of rows within it; ``order`` sorts by both.
    """
    one_start, two_start = pair.first.key_start, pair.second.key_start
    ones, twos = pair.first.classes, pair.second.classes
    one_rows, two_rows = pair.first.row_start, pair.second.row_start
    fields, more_fields = pair.first.fields, pair.second.fields
    split_start, split_first, split_second = pair.split_start, pair.split_first, pair.split_second
    table, offset, width = pair.place.table, pair.place.offset, pair.place.width
    key_start, label, quantities = pair.key_start, pair.label, ones.shape[1]
    here, there = np.uint64(shift), np.uint64(shift + 13)
    base = np.empty(quantities, np.int64)
    # For each label that is asked for: the next of its numbers (as a place in ``order``, −1 if none is left), and how
    # many pairs of rows with this label were passed already.
    following, passed = np.full(pair.place.size, -1, np.int64), np.zeros(pair.place.size, np.int64)
    begin = 0
    while begin < len(order):
        key = np.searchsorted(key_start, entry[order[begin]], side="right") - 1
        end = begin
        while end < len(order) and entry[order[end]] < key_start[key + 1]:
            if end == begin or entry[order[end]] != entry[order[end - 1]]:
                following[label[entry[order[end]]]] = end
                passed[label[entry[order[end]]]] = 0
            end += 1
        left = end - begin
        for split in range(split_start[key], split_start[key + 1]):
            if left == 0:
                break
            a, b = split_first[split], split_second[split]
            for i in range(one_start[a], one_start[a + 1]):
                rows = one_rows[i + 1] - one_rows[i]
                for q in range(quantities):
                    base[q] = offset[q] + ones[i, q] * width[q]
                for j in range(two_start[b], two_start[b + 1]):
                    name = 0
                    for q in range(quantities):
                        name += table[base[q] + twos[j, q]]
                    at = following[name] if name >= 0 else -1
                    if at < 0:
                        continue
                    more = two_rows[j + 1] - two_rows[j]
                    while at >= 0 and number[order[at]] < passed[name] + rows * more:
                        n = order[at]
                        row = (number[n] - passed[name]) // more
                        one = one_rows[i] + row
                        two = two_rows[j] + number[n] - passed[name] - row * more
                        for seat in range(4):
                            out[n, seat] |= (
                                np.uint64(fields[one, seat]) << here | np.uint64(more_fields[two, seat]) << there
                            )
                        left -= 1
                        at += 1
                        if at == end or entry[order[at]] != entry[n]:
                            at = -1
                    following[name] = at
                    passed[name] += rows * more
        begin = end
