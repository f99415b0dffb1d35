"""Kernels compile, are kept where they should be, and are never served stale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bayesbridge
from bayesbridge import jit

ROOT = Path(bayesbridge.__file__).parents[1]

KERNEL = """
from bayesbridge.jit import njit

@njit
def double(x):
    return 2 * x

@njit(parallel=False)
def quadruple(x):
    return double(double(x))

answer = quadruple(21)
stats = getattr(quadruple, "stats", None)
print(answer, type(double).__name__, stats and sum(stats.cache_hits.values()))
"""


def run(source, tmp_path, **environment):
    """Run a script in a new process with an environment of its own."""
    script = tmp_path / "script.py"
    script.write_text(source)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "BAYESBRIDGE_"))}
    return subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=clean | {"PYTHONPATH": str(ROOT)} | environment,
    )


def kept(directory):
    return sorted(path.relative_to(directory).parts[0] for path in directory.rglob("*.nbi"))


def test_a_second_process_loads_what_the_first_compiled(tmp_path):
    cache = tmp_path / "cache"
    cold = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
    warm = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
    assert (cold.stdout, cold.stderr) == ("84 CPUDispatcher 0\n", "")
    assert (warm.stdout, warm.stderr) == ("84 CPUDispatcher 1\n", "")
    assert len(kept(cache)) == 2
    assert all(name.startswith(f"kernels-{bayesbridge.__version__}-") for name in kept(cache))
    assert not list(tmp_path.glob("__pycache__/*.nbi"))


def test_numbas_own_setting_wins(tmp_path):
    run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(tmp_path / "ours"), NUMBA_CACHE_DIR=str(tmp_path / "numba"))
    assert len(kept(tmp_path / "numba")) == 2
    assert not (tmp_path / "ours").exists()


def test_other_packages_kernels_stay_where_they_were(tmp_path):
    source = KERNEL + "import numba; print(repr(numba.config.CACHE_DIR))"
    result = run(source, tmp_path, BAYESBRIDGE_CACHE=str(tmp_path / "cache"))
    assert result.stdout == "84 CPUDispatcher 0\n''\n"


def test_without_a_writable_directory_kernels_compile_and_one_line_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    result = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(tmp_path / "file" / "cache"))
    assert result.stdout == "84 CPUDispatcher 0\n"
    assert result.stderr.count("\n") == 1
    assert "BAYESBRIDGE_CACHE" in result.stderr


def test_kernels_run_as_python_when_asked(tmp_path):
    result = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(tmp_path / "cache"), NUMBA_DISABLE_JIT="1")
    assert (result.stdout, result.stderr) == ("84 function None\n", "")
    assert not (tmp_path / "cache").exists()


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
    before = jit._fingerprint(package)
    (package / file).write_text((package / file).read_text() + "\n")
    assert jit._fingerprint(package) != before


def test_a_change_elsewhere_does_not(package):
    before = jit._fingerprint(package)
    (package / "cli.py").write_text("")
    assert jit._fingerprint(package) == before
