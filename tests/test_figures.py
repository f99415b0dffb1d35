"""Figures of the docs are of the models that ship, or their page says otherwise.

docs/figures.toml lists them.
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
    headings_and_texts = re.split(r"^#+ (.*)$", text, flags=re.M)
    return dict(zip(headings_and_texts[1::2], headings_and_texts[2::2], strict=True))


def has_figures(section):
    """Whether a text has a table of figures.

    Half of the cells of a column after the first begin with a number.
    """
    for body in re.findall(r"^\|[-:| ]+\|\n((?:\|.*\n)+)", section + "\n", re.M):
        rows = [row.strip("|").split("|")[1:] for row in body.splitlines()]
        for column in zip(*rows, strict=False):
            numbers = [cell for cell in column if NUMBER.match(cell.strip())]
            if 2 * len(numbers) >= len(rows):
                return True
    return False


def entries(page, under=None, picture=None):
    """The entries of a table, or of a picture."""
    for entry in LIST["figure"]:
        if (
            picture is not None
            and "picture" in entry
            and fnmatch(picture, entry["picture"])
        ):
            yield entry
        if (
            picture is None
            and entry.get("page") == page
            and entry.get("under", under) == under
        ):
            yield entry


def shown():
    """Every picture and section with a table of figures: page, text and entries."""
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
    """Pages with figures of another model than ships that do not say so."""
    shipped = {
        name: hashlib.sha256((root / path).read_bytes()).hexdigest()[:12]
        for name, path in LIST["models"].items()
    }
    pages = []
    for name, section, made_by in shown():
        for entry in made_by:
            older = entry.get("models", {}).items() - shipped.items()
            words = entry.get("said", "")
            if older and not (
                re.search(r"before|earlier|\d\.\d", words)
                and words in " ".join(section.split())
            ):
                pages.append(name)
    return pages


def test_every_figure_has_one_entry_and_every_entry_a_figure():
    assert [name for name, _, made_by in shown() if len(made_by) != 1] == []
    used = []
    for _, _, made_by in shown():
        used += [id(entry) for entry in made_by]
    assert [entry for entry in LIST["figure"] if id(entry) not in used] == []
    pictures = [path.name for path in (ROOT / "docs" / "pictures").glob("*.png")]
    all_pages = "\n".join(PAGES.values())
    assert [name for name in pictures if f"pictures/{name})" not in all_pages] == []


def test_what_make_bench_writes_has_no_other_tables():
    for entry in LIST["figure"]:
        if entry.get("make", "").startswith("make bench") and "page" in entry:
            kept_by_hand = re.sub(
                r"<!-- ([\w-]+) -->.*?<!-- end of \1 -->",
                "",
                PAGES[entry["page"]],
                flags=re.S,
            )
            assert not has_figures(kept_by_hand), entry["page"]


def test_every_command_is_there():
    for entry in LIST["figure"]:
        for file in re.findall(r"python (\S+)", " ".join(map(str, entry.values()))):
            assert (ROOT / file).is_file(), file
        assert set(entry.get("models", {})) <= set(LIST["models"])


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
