"""Kernels compile, are kept where they should be, and stale ones are not loaded."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

import bayesbridge
from bayesbridge.engines.splits import fill_splits
from bayesbridge.runtime import jit
from bayesbridge.runtime.cache import KEPT_DAYS, NOT_HASHED, use_folder

ROOT = Path(bayesbridge.__file__).parents[1]

KERNEL = """
from bayesbridge.runtime.jit import njit

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
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("NUMBA_", "BAYESBRIDGE_"))
    }
    return subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=clean | {"PYTHONPATH": str(ROOT)} | environment,
    )


def test_a_second_process_loads_what_the_first_compiled(tmp_path):
    cache = tmp_path / "cache"
    cold = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
    warm = run(KERNEL, tmp_path, BAYESBRIDGE_CACHE=str(cache))
    assert (cold.stdout, cold.stderr) == ("84 CPUDispatcher 0\n", "")
    assert (warm.stdout, warm.stderr) == ("84 CPUDispatcher 1\n", "")
    assert (
        len(list(cache.glob(f"bayesbridge-{bayesbridge.__version__}-*/**/*.nbc"))) == 2
    )
    assert not list(tmp_path.glob("__pycache__/*.nbi"))


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 10, 1 << 10))\nanswer ="
"""No file may grow any more, from after the kernels were decorated."""


@pytest.mark.parametrize("place", [f"{__file__}/cache", "x" * 300, "cache"])
def test_where_nothing_can_be_kept_kernels_compile_and_one_line_says_so(
    tmp_path, place
):
    """A folder that is not there, cannot be asked for, or is on a full disk.

    One that cannot even be asked for is that of another user.
    """
    for _ in range(1 + (place == "cache")):  # what a full disk left is found again
        result = run(
            KERNEL.replace("answer =", FULL),
            tmp_path,
            BAYESBRIDGE_CACHE=str(tmp_path / place),
        )
        assert result.stdout == "84 CPUDispatcher 0\n"
        assert (result.stderr.count("\n"), "BAYESBRIDGE_CACHE" in result.stderr) == (
            1,
            True,
        )


def twice(x):
    return 2 * x


DAMAGES = {
    "emptied": lambda _: b"",
    "zeroed": lambda whole: bytes(len(whole)),
    "cut": lambda whole: whole[:-20],
}


@pytest.mark.parametrize("ending", ["nbc", "nbi"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_kernel_is_compiled_again(tmp_path, monkeypatch, ending, damage):
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "_code_folder", jit._code_folder.__wrapped__)

    def hits():
        kernel = jit.njit(twice)  # new, as in a new process
        kernel.compile("(int64,)")
        return sum(kernel.stats.cache_hits.values())

    assert (hits(), hits()) == (0, 1)
    (path,) = tmp_path.rglob(f"*.{ending}")
    path.write_bytes(damage(path.read_bytes()))
    assert (hits(), hits()) == (0, 1)


def test_kernels_and_tables_are_built_anew_when_a_file_that_they_use_changes(tmp_path):
    """Numba alone looks only at the file of the kernel itself."""
    package = tmp_path / "bayesbridge"
    source = Path(bayesbridge.__file__).parent
    for folder in (".", "runtime", "display"):
        (package / folder).mkdir()
        for path in (source / folder).glob("*.py*"):
            shutil.copy(path, package / folder)
    inner = "from bayesbridge.runtime.jit import njit\n@njit\ndef times(x):\n    return {} * x\n"
    (package / "outer.py").write_text(
        "from bayesbridge.inner import times\nfrom bayesbridge.runtime.jit import njit\n@njit\n"
        "def square(x):\n    return times(times(x))\n"
    )
    script = (
        "from bayesbridge.outer import square\n"
        "from bayesbridge.runtime.cache import cached_arrays\n"
        "table = cached_arrays('table', lambda: {'one': square(1)})['one']\n"
        "print(square(5), sum(square.stats.cache_hits.values()), table)"
    )
    places = {
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "BAYESBRIDGE_CACHE": str(tmp_path / "cache"),
    }
    places["PYTHONDONTWRITEBYTECODE"] = (
        "1"  # Python knows its own by the second: two edits in one look the same to it
    )
    for factor, answer in ((2, "20 0 4\n"), (2, "20 1 4\n"), (3, "45 0 9\n")):
        (package / "inner.py").write_text(inner.format(factor))
        assert run(script, tmp_path, **places).stdout == answer


def test_no_kernel_gives_python_a_named_tuple():
    """An interrupt that comes while a kernel runs would end the process.

    numba has no class to make a named tuple of then.
    """
    sources = {
        path: path.read_text("utf-8")
        for path in Path(bayesbridge.__file__).parent.rglob("*.py")
    }
    named = set()
    for text in sources.values():
        named.update(re.findall(r"^class (\w+)\(NamedTuple\)", text, flags=re.M))
    for path, text in sources.items():
        for name, kind in re.findall(
            r"^@njit.*\ndef (\w+)\((?:.*|\n(?: .*\n)*)\) -> (.*):$", text, flags=re.M
        ):
            assert not named & set(re.findall(r"\w+", kind)), f"{path.name}: {name}"


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.engines.proposal import Tilt, side
from bayesbridge.engines.splits import split

known = Constraints.free().hold(2, 0x1FFF)
one, rest = (side(known, seats, Tilt.none()) for seats in ((0,), (1, 3)))
hands = LayoutIndex.of(known).draw(100_000, rng=1)
cards = hands[:, 1] | hands[:, 3] | hands[:, 0]
split(one, rest, cards[:2], None)
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        split(one, rest, cards, np.arange(1, 5, dtype=np.uint64))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_of_a_kernel_is_an_interrupt(tmp_path):
    assert run(INTERRUPTED, tmp_path).stdout == "interrupted\n"


def blas_threads():
    return [library["num_threads"] for library in jit._blas().info()]


def test_matrix_products_stay_on_one_thread_until_the_last_of_eight_threads_leaves():
    inside = threading.Barrier(8)

    def enter_and_leave(_):
        limits = []
        for _ in range(20):
            with jit.one_thread():
                inside.wait(60)
                limits += blas_threads()
        return limits

    with threadpool_limits(3, user_api="blas"):
        before = blas_threads()
        with ThreadPoolExecutor(8) as threads:
            limits = []
            for part in threads.map(enter_and_leave, range(8)):
                limits += part
        assert set(limits) == {1}
        assert blas_threads() == before
        assert set(before) == {3}


def test_folders_that_are_left_out_of_the_hash_keep_nothing():
    package = Path(bayesbridge.__file__).parent
    for name in NOT_HASHED:
        files = (
            [package / name]
            if name.endswith(".py")
            else list((package / name).rglob("*.py"))
        )
        assert files, name
        assert not [
            path
            for path in files
            if re.search("runtime(.| import )(jit|cache)", path.read_text("utf-8"))
        ]


def test_what_nobody_used_for_long_is_removed(tmp_path):
    names = "bayesbridge-0.1-old", "bayesbridge-0.1-young", "bayesbridge-scripts"
    for name, days in zip(
        names, (KEPT_DAYS + 1, KEPT_DAYS - 1, KEPT_DAYS + 1), strict=True
    ):
        (tmp_path / name / "deep").mkdir(parents=True)
        os.utime(tmp_path / name, (time.time() - days * 86_400,) * 2)
    used_folder = tmp_path / "bayesbridge-0.2-new"
    assert use_folder(used_folder)
    assert {path.name for path in tmp_path.iterdir()} == {used_folder.name, *names[1:]}
    os.utime(used_folder, (0, 0))
    assert not use_folder(used_folder)
    assert time.time() - used_folder.stat().st_mtime < 86_400  # in use


class Compilation:
    """What numba tells listeners of a kernel that it compiles."""

    def __init__(self, kernel):
        self.data = {"dispatcher": kernel}


def test_a_line_names_the_kernel_being_compiled_and_goes_when_it_is(capsys):
    line = jit._CompilingLine()
    line.on_start(Compilation(fill_splits))
    line.on_start(Compilation(fill_splits))
    line.on_end(None)
    assert capsys.readouterr().err.endswith(
        f"2 of about 40 kernels (fill_splits){jit.ERASE_TO_END}\r"
    )
    line.on_end(None)
    assert capsys.readouterr().err == f"\r{jit.ERASE_TO_END}\r"
