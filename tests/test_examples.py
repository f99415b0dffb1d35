"""Every example is short and runs, once: the gallery of the site shows the same results."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("run_examples", ROOT / "docs" / "run_examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_runs_and_draws(gallery, path):
    assert len(path.read_text("utf-8").splitlines()) <= 40
    ran = gallery.run(path)
    assert ran.printed
    if path.stem.startswith("simulate_"):
        assert ran.printed == path.with_name(f"{path.stem.removeprefix('simulate_')}.pbn").read_text("utf-8")
    else:
        assert ran.picture is not None
        assert ran.picture.read_bytes().startswith(b"\x89PNG")


def test_the_exact_table_beside_the_papers(gallery):
    printed = gallery.run(ROOT / "examples" / "reproduce_table_1_exactly.py").printed.splitlines()
    assert printed[1].split() == ["<=6", "1865.3", "1879.9696", "-0.59"]
    assert printed[-1].endswith("reproduced.")
