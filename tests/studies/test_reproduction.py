"""The reproduction page: what is committed is what the generator writes."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

from bayesbridge.studies.study import CHOSEN

ROOT = Path(__file__).parents[2]
LOADER = SourceFileLoader("reproduce", str(ROOT / "scripts" / "reproduce"))
reproduction = module_from_spec(spec_from_loader("reproduce", LOADER))
LOADER.exec_module(reproduction)
PAGE = ROOT / "docs" / "reproduction.md"


def rows(text):
    """Cells of every table row.

    By part of the page, columns of the table and first cell.
    """
    cells_by_row = {}
    section = ""
    columns = None
    for line in text.splitlines():
        if not line.startswith("| "):
            section = line if line.startswith("## ") else section
            columns = None
            continue
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        columns = columns or tuple(cells)
        cells_by_row[section.partition(":")[0], columns, name] = cells
    return cells_by_row


def test_the_committed_exact_part_is_what_is_computed():
    assert reproduction.exact_part() in PAGE.read_text("utf-8")


def test_a_small_page_has_every_table_of_the_committed_one():
    small = rows(reproduction.page(0.001, workers=2))
    committed = rows(PAGE.read_text("utf-8"))
    assert small.keys() == committed.keys()
    assert [len(cells) for cells in small.values()] == [
        len(cells) for cells in committed.values()
    ]
    exact = [
        place
        for place in committed
        if place[0] == "## Table 2" or place[0] == "## One hand against both"
    ]
    assert len(exact) > 20
    assert [small[place] for place in exact] == [committed[place] for place in exact]


def test_the_committed_page_has_a_verdict_and_a_reason_for_every_printed_figure():
    judged = [
        cells
        for cells in rows(PAGE.read_text("utf-8")).values()
        if len(cells) in (5, 7) and cells[-1].endswith(".")
    ]
    assert len(judged) == 9 + 3 + 8 + 11
    assert {cells[-2] for cells in judged} == {
        "reproduced",
        CHOSEN,
        "not determined by the text",
    }
    # Algorithm 1 was read so that the headline agrees, so that no row of it is a test.
    assert len([cells for cells in judged if cells[-2] == CHOSEN]) == 4


@pytest.mark.slow
def test_the_committed_page_is_written_anew_letter_by_letter():
    assert reproduction.page() == PAGE.read_text("utf-8")
