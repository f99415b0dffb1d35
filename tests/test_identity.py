"""Which code this is: what an edit changes, and what it leaves alone."""

import functools

import pytest

from bayesbridge import identity


@pytest.fixture
def package(tmp_path):
    """A package with a kernel that calls a second file, which takes a constant from a third, and a bystander."""
    files = {
        "__init__.py": "",
        "jit.py": "",
        "cards.py": "DECK = 52",
        "rows/__init__.py": "",
        "rows/tables.py": "from bayesbridge.cards import DECK",
        "rows/kernels.py": "from bayesbridge.jit import njit\nfrom bayesbridge.rows import tables",
        "cli.py": "from bayesbridge.rows.kernels import f",
    }
    for name, text in files.items():
        path = tmp_path / "bayesbridge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "bayesbridge"


@pytest.mark.parametrize("file", ["rows/kernels.py", "rows/tables.py", "cards.py", "jit.py"])
def test_a_change_in_any_file_that_a_kernel_sees_renames_the_folder(package, file):
    before = identity.kernel_text(package)
    (package / file).write_text((package / file).read_text() + "\n")
    assert identity.kernel_text(package) != before


def test_a_change_elsewhere_does_not(package):
    before = identity.kernel_text(package)
    (package / "cli.py").write_text("")
    assert identity.kernel_text(package) == before
