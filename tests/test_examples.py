"""Every example is short and runs, once.

The gallery of the site shows what it printed and drew.
"""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location(
        "run_examples", ROOT / "docs" / "run_examples.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_says_what_it_asks_runs_and_draws(gallery, path):
    assert len(path.read_text("utf-8").splitlines()) <= 80
    title, _ = gallery.described(path)
    assert 8 < len(title) <= 32
    assert "python " not in title
    (ran,) = gallery.run([path])
    assert ran.printed
    if path.stem.startswith("simulate_"):
        boards = path.with_name(f"{path.stem.removeprefix('simulate_')}.pbn").read_text(
            "utf-8"
        )
        assert boards.startswith(ran.printed.rstrip())  # the example bids some of them
    else:
        assert ran.picture is not None
        assert ran.picture.read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def elsewhere(gallery, tmp_path, monkeypatch):
    """The gallery of another checkout, with no example yet."""
    for name, folder in (("EXAMPLES", "examples"), ("PAGES", "gallery")):
        (tmp_path / folder).mkdir()
        monkeypatch.setattr(gallery, name, tmp_path / folder)
    monkeypatch.setattr(gallery, "ROOT", tmp_path)
    (tmp_path / "demo").mkdir()
    gallery.package_digest.cache_clear()
    yield gallery
    gallery.package_digest.cache_clear()


def test_every_example_has_a_page_with_what_it_printed(elsewhere, tmp_path):
    example = tmp_path / "examples" / "greeting.py"
    example.write_text(
        '"""Who is there? python examples/greeting.py\n\nNobody."""\n\nprint("nobody $ here")\n'
    )
    elsewhere.write_gallery(tmp_path / "kept")
    page = (tmp_path / "gallery" / "greeting.md").read_text("utf-8")
    assert page.startswith("# Who is there?\n\nNobody.\n")
    assert "nobody $ here" in page
    assert (tmp_path / "gallery" / "greeting.png").stat().st_size > 1000
    assert "Who is there?" in (tmp_path / "gallery" / "index.md").read_text("utf-8")
    assert all(
        (ROOT / "docs" / "pictures" / f"{name}.png").is_file()
        for name in elsewhere.PRINTED
    )
    (printed,) = (tmp_path / "kept").glob("*.txt")
    printed.write_text("kept from the last time\n")
    elsewhere.write_gallery(tmp_path / "kept")
    assert "kept from the last time" in (
        tmp_path / "gallery" / "greeting.md"
    ).read_text("utf-8")
