"""Figures of the documentation are of the models that ship, or their page says
otherwise: docs/figures.toml.
"""

import hashlib
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIST = tomllib.loads((ROOT / "docs" / "figures.toml").read_text("utf-8"))
PAGES = {
    path.name: path.read_text("utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
}
NUMBER = re.compile(r"[*<>≤≥+−-]*\s*\d[\d .,]*(?:$|%|[^\w\s]|(?:s|ms|µs|tricks?)\b)")

pytestmark = pytest.mark.quick


def sections(text):
    """Of each heading, the text up to the next one, without code."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    parts = re.split(r"^#+ (.*)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def has_figures(section):
    """Whether it has a table with a column after the first in which half of the cells
    begin with a number.
    """
    for body in re.findall(r"^\|[-:| ]+\|\n((?:\|.*\n)+)", section + "\n", re.M):
        rows = [row.strip("|").split("|")[1:] for row in body.splitlines()]
        if any(
            2 * sum(bool(NUMBER.match(cell.strip())) for cell in column) >= len(rows)
            for column in zip(*rows, strict=False)
        ):
            return True
    return False


def entries(page, under=None, picture=None):
    """The entries of a table, or of a picture."""
    for one in LIST["figure"]:
        if (
            picture is not None
            and "picture" in one
            and fnmatch(picture, one["picture"])
        ):
            yield one
        if (
            picture is None
            and one.get("page") == page
            and one.get("under", under) == under
        ):
            yield one


def shown():
    """Every picture and every section with a table of figures: its page, its text and
    its entries.
    """
    for page, text in PAGES.items():
        for heading, section in sections(text).items():
            for picture in re.findall(r"\]\(pictures/([\w-]+\.png)\)", section):
                yield (
                    f"{page}: {picture}",
                    section,
                    list(entries(page, picture=picture)),
                )
            if has_figures(section) and heading not in LIST["definitions"].get(
                page, ()
            ):
                yield f"{page}: {heading}", section, list(entries(page, under=heading))


def stale(root):
    """Figures of another model than the one that ships of which the page does not say
    so.
    """
    now = {
        name: hashlib.sha256((root / path).read_bytes()).hexdigest()[:12]
        for name, path in LIST["models"].items()
    }
    found = []
    for name, section, made_by in shown():
        for one in made_by:
            older = one.get("models", {}).items() - now.items()
            words = one.get("said", "")
            if older and not (
                re.search(r"before|earlier|\d\.\d", words)
                and words in " ".join(section.split())
            ):
                found.append(name)
    return found


def test_every_figure_has_one_entry_and_every_entry_a_figure():
    assert [name for name, _, made_by in shown() if len(made_by) != 1] == []
    used = [id(one) for _, _, made_by in shown() for one in made_by]
    assert [one for one in LIST["figure"] if id(one) not in used] == []
    pictures = [path.name for path in (ROOT / "docs" / "pictures").glob("*.png")]
    assert [
        name
        for name in pictures
        if not any(f"pictures/{name})" in text for text in PAGES.values())
    ] == []


def test_what_make_bench_writes_has_no_other_tables():
    for one in LIST["figure"]:
        if one.get("make", "").startswith("make bench") and "page" in one:
            rest = re.sub(
                r"<!-- ([\w-]+) -->.*?<!-- end of \1 -->",
                "",
                PAGES[one["page"]],
                flags=re.S,
            )
            assert not has_figures(rest), one["page"]


def test_every_command_is_there():
    for one in LIST["figure"]:
        for file in re.findall(r"python (\S+)", " ".join(map(str, one.values()))):
            assert (ROOT / file).is_file(), file
        assert set(one.get("models", {})) <= set(LIST["models"])


def test_figures_are_of_the_models_that_ship_or_the_page_says_otherwise():
    assert stale(ROOT) == []


def test_another_model_file_is_noticed(tmp_path):
    """The control: the bidder as somebody fitted it anew."""
    for path in LIST["models"].values():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    assert stale(tmp_path) == []
    with (tmp_path / LIST["models"]["bidder"]).open("ab") as file:
        file.write(b"0")
    assert "pairs.md: tie.png" in stale(tmp_path)
    assert "bidders.md: Systems" in stale(tmp_path)
