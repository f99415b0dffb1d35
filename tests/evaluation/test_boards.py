"""The list of boards of the reading benchmark.

What the page says of it is true, and a file is known by it.
"""

import random
import re
from dataclasses import replace
from pathlib import Path

import boards
import pytest

import bayesbridge as bb
from bayesbridge.studies.benchmark import DealSplit, part_of_masks

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
LISTED = boards.LIST.read_text("utf-8").splitlines()


def test_the_page_tells_the_digest_of_the_list():
    page = (ROOT / "docs" / "reading-benchmark.md").read_text("utf-8")
    (digest,) = re.findall(r"`([0-9a-f]{64})`", page)
    assert digest == boards.digest(LISTED)
    assert len(LISTED) == 2000


def test_every_board_is_a_test_deal_and_they_stand_in_order():
    assert sorted(set(LISTED)) == LISTED
    assert min(int(identifier[:8], 16) % 100 for identifier in LISTED) >= 95


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """A file of all examples, and a list that holds two of its boards."""
    records = bb.open_records(ROOT / "examples" / "pairs.pbn").records
    path = tmp_path / "collection.pbn"
    path.write_text((ROOT / "examples" / "pairs.pbn").read_text("utf-8"), "utf-8")
    monkeypatch.setattr(boards, "LIST", tmp_path / "boards.txt")
    boards.LIST.write_text(
        "".join(
            f"{boards.identifier(record)}\n"
            for record in boards.frozen_list(records, 2)
        ),
        "utf-8",
    )
    return path


def test_boards_are_taken_from_a_collection_and_known_again(collection, tmp_path):
    out = tmp_path / "test.pbn"
    assert (
        boards.main(str(collection), str(out)) == f"2 of 2 boards of the list in {out}"
    )
    assert "2 boards, the beginning of boards.txt" in boards.main(str(out))
    assert "60 boards, not boards.txt" in boards.main(str(collection))
    expected = boards.frozen_list(bb.open_records(collection).records)
    assert (
        boards.main(str(collection), str(out), own=True)
        == f"{len(expected)} boards of the test in {out}"
    )
    assert list(bb.open_records(out).records) == expected


RECORDS = bb.open_records(ROOT / "examples" / "boards.pbn").records


def shuffled(seed):
    """Every example twice, at another table and in another order.

    Some are bare of their play.
    """
    twice = [*RECORDS, *(replace(record, plays=(), result=None) for record in RECORDS)]
    random.Random(seed).shuffle(twice)
    return twice


@pytest.mark.parametrize("part", list(DealSplit))
def test_the_frozen_list_does_not_depend_on_the_order(part):
    lists = [boards.frozen_list(shuffled(seed), part=part) for seed in range(3)]
    assert lists[0] == lists[1] == lists[2]
    frozen = lists[0]

    def is_of_part(deal):
        return part_of_masks(hand.mask for hand in deal.hands) is part

    own = [record.deal for record in RECORDS if is_of_part(record.deal)]
    assert {record.deal for record in frozen} == {*own}
    assert [record.board for record in frozen] == [
        str(i) for i in range(1, len(frozen) + 1)
    ]
    assert boards.frozen_list(shuffled(9), 1, part) == frozen[:1]
