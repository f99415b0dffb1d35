"""The frozen list of test boards."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from bayesbridge.notation import open_records
from bayesbridge.studies.benchmark import Part, frozen_list, part_of

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")
RECORDS = open_records(BOARDS).records


def shuffled(seed):
    """Every example twice, at another table and in another order, some bare of their play."""
    twice = [*RECORDS, *(replace(one, plays=(), result=None) for one in RECORDS)]
    random.Random(seed).shuffle(twice)
    return twice


@pytest.mark.parametrize("part", list(Part))
def test_the_frozen_list_does_not_depend_on_the_order(part):
    lists = [frozen_list(shuffled(seed), part=part) for seed in range(3)]
    assert lists[0] == lists[1] == lists[2]
    found = lists[0]
    assert {one.deal.pbn for one in found} == {one.deal.pbn for one in RECORDS if part_of(one.deal) is part}
    assert [one.board for one in found] == [str(i) for i in range(1, len(found) + 1)]
    assert frozen_list(shuffled(9), 1, part) == found[:1]


def test_long_lists_are_cut_as_they_grow():
    every = [record for record in RECORDS for _ in range(400)]
    assert frozen_list(every, 2, Part.TRAIN) == frozen_list(RECORDS, None, Part.TRAIN)[:2]
