"""Which code this is: what an edit changes, and what it leaves alone."""

import subprocess
import sys
from functools import partial
from types import ModuleType

import pytest

import bayesbridge as bb
from bayesbridge import identity
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.studies import captures


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


def meaning(package):
    identity.meaning.cache_clear()
    return identity.meaning(frozenset({"bayesbridge.rows.kernels"}), package)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("DECK = 52", 'DECK = 52\n"""Cards."""\n'),
        ("DECK = 52", '"""A deck."""\n\n\nDECK    =   (52)  # cards\n'),
        ("def f():\n    return 1", 'def f():\n    """One."""\n    # only\n    return 1'),
        ("class A:\n    x = 1", 'class A:\n    """A."""\n    x = 1\n    """X."""'),
    ],
)
def test_docstrings_comments_and_layout_are_not_code(package, before, after):
    (package / "cards.py").write_text(before)
    first = meaning(package)
    (package / "cards.py").write_text(after)
    assert meaning(package) == first


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("DECK = 52", "DECK = 51"),
        ("DECK = 52", "DECK = 52.0"),
        ("DECK = 52", "DECK = '52'"),
        ("def f():\n    return 1", "def f():\n    return 1.0"),
        ("def f():\n    return 1", "def g():\n    return 1"),
        ("def f(a, b):\n    return a - b", "def f(a, b):\n    return b - a"),
        ("x = 'a'", "x = 'b'"),
        ("if a:\n    b\nc", "if a:\n    b\n    c"),
        ("f(a, [])", "f(a)"),
        ("f([a], b)", "f([a, b])"),
        ("return_ = None", "return_ = ..."),
    ],
)
def test_any_change_of_meaning_is_other_code(package, before, after):
    (package / "cards.py").write_text(before)
    first = meaning(package)
    (package / "cards.py").write_text(after)
    assert meaning(package) != first


@pytest.mark.parametrize(
    "file", ["rows/kernels.py", "rows/tables.py", "rows/__init__.py", "cards.py", "rows/data/t.npz"]
)
def test_every_file_that_a_module_reaches_counts(package, file):
    (package / "rows" / "data").mkdir()
    (package / "rows" / "data" / "t.npz").write_text("")
    first = meaning(package)
    (package / file).write_text((package / file).read_text() + "\nX = 1")
    assert meaning(package) != first


def test_a_file_that_is_not_reached_does_not(package):
    first = meaning(package)
    (package / "cli.py").write_text("X = 1")
    (package / "__init__.py").write_text("__version__ = '9'")
    assert meaning(package) == first


def test_names_that_a_package_loads_when_used_may_come_from_any_of_its_files(package):
    (package / "rows" / "__init__.py").write_text("load = lazy_loader.attach_stub(__name__)")
    (package / "rows" / "other.py").write_text("X = 1")
    (package / "cards.py").write_text("from bayesbridge.rows import X")
    first = meaning(package)
    (package / "rows" / "other.py").write_text("X = 2")
    assert meaning(package) != first


def test_the_classes_of_arguments_count():
    assert bb.LearnedBidder is LearnedBidder  # asked for by its public name, it says that it belongs to the package
    told = set(identity._modules(partial(captures.count, bidder=LearnedBidder())))
    assert {"bayesbridge.studies.captures", "bayesbridge.bidders.learned"} <= told
    assert set(identity._modules(partial(captures.count, lambda: 0))) == {"bayesbridge.studies.captures"}
    assert identity.code_of(captures.count) != identity.code_of(partial(captures.count, bidder=LearnedBidder()))


@pytest.mark.parametrize("file", ["__init__.py", "rest.py"])
def test_a_module_of_another_distribution_counts_with_its_package(tmp_path, monkeypatch, file):
    module, folder = ModuleType("stranger"), tmp_path / "stranger"
    folder.mkdir()
    for name in ("__init__.py", "rest.py"):
        (folder / name).write_text("import bayesbridge as bb\n")
    module.__file__ = str(folder / "__init__.py")
    monkeypatch.setitem(sys.modules, "stranger", module)
    codes = []
    for line in ("X = 1\n", "X = 1  # one\n", "X = 2\n"):
        (folder / file).write_text(line)
        identity.meaning.cache_clear()
        codes.append(identity.meaning(frozenset({"stranger.rest"})))
    assert codes[0] == codes[1] != codes[2]
    monkeypatch.setattr(module, "__file__", str(folder / "rest.py"))
    assert identity.meaning(frozenset({"stranger"})) not in codes
    assert identity._foreign_texts("numpy") == identity._foreign_texts("nowhere") == {}


def test_the_code_of_a_study_is_the_same_in_every_process():
    words = "import bayesbridge.studies.captures as c, bayesbridge.identity as i; print(i.code_of(c.count))"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, cwd=identity.PACKAGE.parent)
    assert (done.stdout, done.stderr) == (f"{identity.code_of(captures.count)}\n", "")
