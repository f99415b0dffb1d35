"""The page of benchmarks: every table has its place there, and is put there without touching the rest."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
FILES = sorted((ROOT / "benchmarks" / "speed").glob("bench_*.py"))


@pytest.fixture
def page(monkeypatch):
    """The module as the benchmarks import it, who run in their own folder."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "speed"))
    import page

    yield page
    sys.modules.pop("page")


def test_every_table_has_its_place_and_every_place_its_table():
    made = [name for file in FILES for name in re.findall(r'\b[Tt]able\(\s*"([\w-]+)"', file.read_text("utf-8"))]
    assert len(made) > 10
    assert sorted(set(made)) == sorted(re.findall(r"^<!-- (?!end)([\w-]+) -->$", PAGE, flags=re.M))
    assert re.findall(r"^<!-- end of ([\w-]+) -->$", PAGE, flags=re.M) == re.findall(
        r"^<!-- (?!end)([\w-]+) -->$", PAGE, flags=re.M
    )


def test_every_table_is_filled_and_names_its_command():
    for name, body in re.findall(r"^<!-- (?!end)([\w-]+) -->\n(.*?)<!-- end", PAGE, flags=re.M | re.S):
        assert re.search(r"^\| .* \|$", body, flags=re.M), f"table {name} is empty: run its benchmark with --write"
        (command,) = re.findall(r"^\(`python (benchmarks/speed/bench_\w+\.py)`, ", body, flags=re.M)
        assert f'"{name}"' in (ROOT / command).read_text("utf-8")


def test_a_table_is_put_between_its_marks(page):
    text = "a\n<!-- one -->\nold\n<!-- end of one -->\nb\n<!-- two -->\n<!-- end of two -->\n"
    table = page.Table("one", "One", ("", "seconds"), [("x", 1234.5), ("y: not installed", None)])
    placed = page.placed(text, table, "(here)")
    body = "\n|  | seconds |\n| --- | ---: |\n| x | 1\u00a0230 |\n| y: not installed | – |\n\n(here)\n\n"
    assert placed == text.replace("old\n", body)
    assert page.placed(placed, table, "(here)") == placed
