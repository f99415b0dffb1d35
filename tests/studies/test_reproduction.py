"""The reproduction page: what is committed is what the generator writes."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADER = SourceFileLoader("reproduce", str(ROOT / "scripts" / "reproduce"))
reproduction = module_from_spec(spec_from_loader("reproduce", LOADER))
LOADER.exec_module(reproduction)
PAGE = ROOT / "docs" / "reproduction.md"


def rows(text):
    """Cells of every table row, by first cell."""
    found = {}
    for line in text.splitlines():
        if line.startswith("| "):
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            found[name] = cells
    return found


def test_the_committed_exact_part_is_what_is_computed():
    assert reproduction.exact_part() in PAGE.read_text("utf-8")


def test_a_small_page_has_every_table_of_the_committed_one():
    small, whole = rows(reproduction.page(0.001, workers=2)), rows(PAGE.read_text("utf-8"))
    assert small.keys() == whole.keys()
    for name in ("<=6", "both", "success rate at 7 (%)", "deals with a valid bidder", "general", "win rate (%)"):
        assert len(small[name]) == len(whole[name])
    assert small["only A"] == whole["only A"]


def test_the_committed_page_has_a_verdict_and_a_reason_for_every_printed_figure():
    judged = [
        cells for cells in rows(PAGE.read_text("utf-8")).values() if len(cells) in (5, 7) and cells[-1].endswith(".")
    ]
    assert len(judged) == 9 + 3 + 8 + 11
    assert {cells[-2] for cells in judged} == {"reproduced", "not determined by the text"}


@pytest.mark.slow
def test_the_committed_page_is_written_anew_letter_by_letter():
    assert reproduction.page() == PAGE.read_text("utf-8")
