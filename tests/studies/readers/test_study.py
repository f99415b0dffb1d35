"""The frozen list, and several readers at once."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from bayesbridge.notation import open_records
from bayesbridge.studies import STUDIES
from bayesbridge.studies.deal_split import Part, is_test, part_of
from bayesbridge.studies.readers import plan
from bayesbridge.studies.readers.frozen_list import frozen_list
from bayesbridge.studies.readers.study import simulate

BOARDS = str(Path(__file__).parents[3] / "examples" / "boards.pbn")
RECORDS = open_records(BOARDS).records
QUICK = ("counting", "direct=tests.studies.readers.test_beliefs_file:Direct")


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


def test_readers_side_by_side():
    found = simulate(3, 1, 1, records=BOARDS, readers=QUICK, moments=("auction", "trick 9"))
    rows = found.answers["rows"]
    assert [(row["reader"], row["moment"]) for row in rows] == [
        (reader, moment) for reader in ("counting", "direct") for moment in ("auction", "trick 9")
    ]
    counting, direct = rows[0], rows[2]
    assert (counting["boards"], counting["unanswered"]) == (3, 0)
    assert counting["honour_log_loss"] == pytest.approx(direct["honour_log_loss"], abs=1e-9)
    assert counting["log_tssr"] == 0.0
    assert direct["log_true_by"] == {"product of cards": 3}
    difference = counting["beyond_last"]["lengths"]["value"]
    assert difference == pytest.approx(counting["length_log_loss"] - direct["length_log_loss"], abs=1e-9)
    assert direct["beyond_last"]["lengths"] == {"value": 0.0, "error": 0.0}
    on_list = [board.record.deal for board in plan.boards_of(BOARDS, 3)]
    assert found.answers["boards_of_the_test"] == sum(map(is_test, on_list))
    titles = [table.title for table in STUDIES["readers"].tables(found)]
    assert titles[0].startswith("Readers, the opening leader after auction;")
    assert titles[1] == "Beyond direct on the same boards, after auction"
