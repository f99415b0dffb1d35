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


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""


def test_on_a_full_disk_kernels_compile_and_one_line_says_so(tmp_path):
    """The folder can be made, but no file finds room in it."""
    result = run(FULL + KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(tmp_path / "cache"))
    assert result.stdout == "84 CPUDispatcher 0\n"
    assert result.stderr.count("\n") == 1
    assert "BAYESBRIDGE_CACHE" in result.stderr
    assert {path.suffix for path in (tmp_path / "cache").rglob("*") if path.is_file()} <= {"", ".nbi"}
    assert run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(tmp_path / "cache")).stderr == ""


@pytest.mark.parametrize(("ending", "content"), [(".nbi", b""), (".nbc", b"\x80garbage")])
def test_damaged_code_is_compiled_anew_and_kept(tmp_path, ending, content):
    cache = tmp_path / "cache"
    run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
    for path in cache.rglob(f"*{ending}"):
        path.write_bytes(content)
    again = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
    warm = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
    assert (again.stdout, again.stderr) == ("84 CPUDispatcher 0\n", "")
    assert (warm.stdout, warm.stderr) == ("84 CPUDispatcher 1\n", "")


TURNS = """
import sys
import numpy as np
from bayesbridge.jit import njit

@njit
def total(values):
    sum = values[0]
    for value in values[1:]:
        sum += value
    return sum / 2

asked = {name: np.array([3, 4, 250, 100], dtype=name) for name in "uint8 uint16 int32 int64 float32 float64".split()}
own = sys.argv[1:]
if own:
    print("ready", flush=True)
    sys.stdin.readline()
for name in own or asked:
    print(name, float(total(asked[name])))
print(sum(total.stats.cache_hits.values()))
"""


def test_processes_that_compile_the_same_kernel_for_other_types_keep_it_for_all(tmp_path):
    """Left to itself numba may keep the code of one process under the signature of another."""
    script = tmp_path / "script.py"
    script.write_text(TURNS)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "BAYESBRIDGE_"))}
    environment = clean | {"PYTHONPATH": str(ROOT), "BAYESBRIDGE_CACHE": str(tmp_path / "cache")}
    names = ["uint8", "uint16", "int32", "int64", "float32", "float64"]
    processes = [
        subprocess.Popen(
            [sys.executable, str(script), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for name in names
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process, name in zip(processes, names, strict=True):
        assert process.communicate() == (f"{name} 178.5\n0\n", "")
    warm = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment)
    assert warm.stdout.splitlines() == [*(f"{name} 178.5" for name in names), "6"]


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
