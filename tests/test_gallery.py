"""The gallery of the site: examples are run once, and their pages show what they printed and drew."""

import importlib.util
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "docs" / "run_examples.py"


@pytest.fixture
def gallery(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("run_examples", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, folder in (("EXAMPLES", "examples"), ("PAGES", "gallery")):
        (tmp_path / folder).mkdir()
        monkeypatch.setattr(module, name, tmp_path / folder)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "demo").mkdir()
    module.package_digest.cache_clear()
    return module


def test_every_example_has_a_page_with_what_it_printed(gallery, tmp_path):
    example = tmp_path / "examples" / "greeting.py"
    example.write_text('"""Who is there? python examples/greeting.py\n\nNobody."""\n\nprint("nobody $ here")\n')
    gallery.write_gallery(tmp_path / "kept")
    page = (tmp_path / "gallery" / "greeting.md").read_text("utf-8")
    assert page.startswith("# Who is there?\n\nNobody.\n")
    assert "nobody $ here" in page
    assert (tmp_path / "gallery" / "greeting.png").stat().st_size > 1000
    assert "Who is there?" in (tmp_path / "gallery" / "index.md").read_text("utf-8")
    (printed,) = (tmp_path / "kept").glob("*.txt")
    printed.write_text("kept from the last time\n")
    gallery.write_gallery(tmp_path / "kept")
    assert "kept from the last time" in (tmp_path / "gallery" / "greeting.md").read_text("utf-8")


def test_every_example_of_the_repository_says_what_it_asks(gallery):
    for path in (SOURCE.parents[1] / "examples").glob("*.py"):
        title, _ = gallery.described(path)
        assert 8 < len(title) <= 32, path.name
        assert "python " not in title
