"""The page of benchmarks: every table has its place there, is filled, and names its command."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
FILES = sorted((ROOT / "benchmarks" / "speed").glob("bench_*.py"))


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
