"""Kernels compile, are kept where they should be, and are never served stale."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bayesbridge
from bayesbridge.cache import is_private, read_sealed

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


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with a script, and the cache that a first process left."""
    folder = tmp_path_factory.mktemp("compiled")
    run(KERNEL, folder, BAYESBRIDGE_CACHE=str(folder / "cache"))
    return folder


@pytest.fixture
def cache(compiled, tmp_path):
    """A copy of that cache, of one's own."""
    return shutil.copytree(compiled / "cache", tmp_path / "cache")


def kept(directory):
    return sorted(path.relative_to(directory).parts[0] for path in directory.rglob("*.nbc"))


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
    assert {path.suffix for path in (tmp_path / "cache").rglob("*") if path.is_file()} == set()
    assert run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(tmp_path / "cache")).stderr == ""


@pytest.mark.parametrize("damage", [lambda whole: b"", lambda whole: whole[:-1]], ids=["empty", "short"])
def test_damaged_code_is_compiled_anew_and_kept(compiled, cache, damage):
    for path in cache.rglob("*.nbc"):
        path.write_bytes(damage(path.read_bytes()))
    for hits in (0, 1):
        result = run(KERNEL, compiled, BAYESBRIDGE_CACHE=str(cache))
        assert (result.stdout, result.stderr) == (f"84 CPUDispatcher {hits}\n", "")


def test_code_of_one_kernel_under_the_name_of_another_is_compiled_anew(compiled, cache):
    one, two = cache.rglob("*.nbc")
    content = one.read_bytes(), two.read_bytes()
    one.write_bytes(content[1])
    two.write_bytes(content[0])
    again = run(KERNEL, compiled, BAYESBRIDGE_CACHE=str(cache))
    assert (again.stdout, again.stderr) == ("84 CPUDispatcher 0\n", "")


def test_an_edited_file_is_compiled_anew_in_the_same_place(tmp_path):
    cache = tmp_path / "cache"
    for factor in (2, 3):
        result = run(KERNEL.replace("2 * x", f"{factor} * x"), tmp_path, BAYESBRIDGE_CACHE=str(cache))
        assert result.stdout == f"{21 * factor**2} CPUDispatcher 0\n"
        assert len(kept(cache)) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither owners nor modes that say who can write")
@pytest.mark.parametrize("which", ["root", "folder", "link"])
def test_code_in_a_place_that_others_can_write_to_is_not_loaded(compiled, cache, which):
    (folder,) = cache.iterdir()
    open_one = folder if which == "folder" else cache
    named = cache
    if which == "link":
        named = cache.with_name("link")
        named.symlink_to(cache)
    open_one.chmod(0o770)
    result = run(KERNEL, compiled, BAYESBRIDGE_CACHE=str(named))
    assert result.stdout == "84 CPUDispatcher 0\n"
    assert result.stderr.count("\n") == 1
    assert (
        f"others can write to the cache {str(named / folder.name if which == 'folder' else named)!r}" in result.stderr
    )
    assert "run chmod go-w " in result.stderr
    open_one.chmod(0o750)
    assert run(KERNEL, compiled, BAYESBRIDGE_CACHE=str(named)).stdout == "84 CPUDispatcher 1\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither owners nor modes that say who can write")
def test_a_file_of_code_that_others_can_write_to_is_compiled_anew(compiled, cache):
    for path in cache.rglob("*.nbc"):
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o660)
    for hits in (0, 1):
        result = run(KERNEL, compiled, BAYESBRIDGE_CACHE=str(cache))
        assert (result.stdout, result.stderr) == (f"84 CPUDispatcher {hits}\n", "")


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither owners nor modes that say who can write")
def test_the_cache_of_another_user_is_not_used(cache, monkeypatch, capsys):
    is_private.cache_clear()
    assert is_private(cache)
    is_private.cache_clear()
    monkeypatch.setattr(os, "geteuid", lambda: cache.stat().st_uid + 1)
    assert not is_private(cache)
    assert not is_private(cache)
    line = f"bayesbridge: another user owns the cache {str(cache)!r}, so no compiled code is loaded from it"
    assert capsys.readouterr().err.startswith(line)
    assert [read_sealed(path, private=True) for path in cache.rglob("*.nbc")] == [None, None]
    is_private.cache_clear()
    monkeypatch.setattr(os, "name", "nt")
    assert is_private(cache)


OPEN = """
import os
os.umask(0)
"""


def test_what_is_made_under_an_open_umask_is_private_all_the_same(tmp_path):
    cache = tmp_path / "cache"
    for hits in (0, 1):
        result = run(OPEN + KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
        assert (result.stdout, result.stderr) == (f"84 CPUDispatcher {hits}\n", "")


READ_ONLY = """
import os
def refuse(*args, **options):
    raise OSError(30, "Read-only file system")
if "READ_ONLY" in os.environ:
    os.mkdir = os.replace = os.open = refuse
"""


def test_a_read_only_cache_is_read_and_one_line_says_that_nothing_new_is_kept(tmp_path):
    script, cache = READ_ONLY + KERNEL + "if 'NEW' in os.environ: print(quadruple(1.5))", str(tmp_path / "cache")
    run(script, tmp_path, BAYESBRIDGE_CACHE=cache)
    warm = run(script, tmp_path, BAYESBRIDGE_CACHE=cache, READ_ONLY="1")
    assert (warm.stdout, warm.stderr) == ("84 CPUDispatcher 1\n", "")
    new = run(script, tmp_path, BAYESBRIDGE_CACHE=cache, READ_ONLY="1", NEW="1")
    assert new.stdout == "84 CPUDispatcher 1\n6.0\n"
    assert new.stderr.count("\n") == 1
    assert "cannot write to the cache" in new.stderr


KILLED = """
import os, signal
replace = os.replace
def killed(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)
if "KILLED" in os.environ:
    os.replace = killed
"""


def test_a_process_killed_while_it_keeps_code_leaves_nothing_that_is_loaded(tmp_path):
    cache = str(tmp_path / "cache")
    assert run(KILLED + KERNEL, tmp_path, BAYESBRIDGE_CACHE=cache, KILLED="1").returncode == -9
    assert kept(tmp_path / "cache") == []
    for hits in (0, 1):
        result = run(KILLED + KERNEL, tmp_path, BAYESBRIDGE_CACHE=cache)
        assert (result.stdout, result.stderr) == (f"84 CPUDispatcher {hits}\n", "")


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
