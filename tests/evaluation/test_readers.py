"""Several readers at once on the same boards."""

from pathlib import Path

import pytest
from readers import Plan, measure, tables, write_page

from bayesbridge.errors import BayesBridgeError

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")
QUICK = ("counting", "tests.studies.test_readers:Direct")
WHAT = Plan(BOARDS, 3, QUICK, ("auction", "trick 9"), "leader", 100, 1)


@pytest.fixture(scope="module")
def rows():
    return measure(WHAT)


def test_readers_side_by_side(rows):
    assert [(row["reader"], row["moment"]) for row in rows] == [
        (reader, moment) for reader in QUICK for moment in ("auction", "trick 9")
    ]
    counting, direct = rows[0], rows[2]
    assert (counting["boards"], counting["unanswered"]) == (3, 0)
    assert counting["honour_log_loss"] == pytest.approx(direct["honour_log_loss"], abs=1e-9)
    assert counting["log_tssr"] == 0.0
    difference = counting["beyond_last"]["lengths"]["value"]
    assert difference == pytest.approx(counting["length_log_loss"] - direct["length_log_loss"], abs=1e-9)
    assert direct["beyond_last"]["lengths"] == {"value": 0.0, "error": 0.0}
    titles = [table.title for table in tables(rows, "leader")]
    assert titles[0].startswith("Readers, the opening leader after auction;")
    assert titles[1] == f"Beyond {QUICK[1]} on the same boards, after auction"


def test_tables_are_put_into_a_page(tmp_path, rows):
    page = tmp_path / "page.md"
    page.write_text("# Readers\n\n<!-- readers -->\nold\n<!-- end of readers -->\n\nThe end.\n")
    write_page(page, WHAT, rows)
    text = page.read_text("utf-8")
    assert text.startswith("# Readers\n\n<!-- readers -->\n\n**Readers, the opening leader after auction**\n")
    assert text.endswith("<!-- end of readers -->\n\nThe end.\n")
    assert "old" not in text
    assert "| counting | 3 | 1.0986\u00a0±\u00a00.0000 |" in text
    page.write_text("nothing")
    with pytest.raises(BayesBridgeError, match="has no place for tables: write the lines"):
        write_page(page, WHAT, rows)
