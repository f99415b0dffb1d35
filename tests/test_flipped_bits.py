"""Random bits flipped in the files of a cache: every later process gives the right numbers, and none crashes."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bayesbridge
from bayesbridge.studies import captures

ROOT = Path(bayesbridge.__file__).parents[1]
FLIPS = 60

SMALL = """
from bayesbridge.jit import njit

def kernel(k):
    @njit
    def total(n):
        sum = 0
        for i in range(n):
            sum += (i * i + k) % 7
        return sum
    return total

print([kernel(k)(1000) for k in range(6)])
"""

REAL = """
import numpy as np
from bayesbridge.studies import captures
print(captures.count(np.random.SeedSequence(1), 2000).tolist())
"""


def answer(script, source, cache):
    """What a new process prints; it must end well and say nothing else."""
    script.write_text(source)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "BAYESBRIDGE_"))}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=clean | {"PYTHONPATH": str(ROOT), "BAYESBRIDGE_CACHE": str(cache)},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    return done.stdout.strip()


def flip(path, rng):
    content = bytearray(path.read_bytes())
    place = rng.randrange(8 * len(content))
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)
    return f"bit {place} of {path.name}"


def files_in(cache):
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_one_bit_in_each_file_of_six_kernels(tmp_path):
    """Six flips and one process: each kernel is compiled anew."""
    expected = str([sum((i * i + k) % 7 for i in range(1000)) for k in range(6)])
    cache, script = tmp_path / "cache", tmp_path / "script.py"
    assert answer(script, SMALL, cache) == expected
    assert len(files_in(cache)) == 6
    for path in files_in(cache):
        flip(path, random.Random(path.name))
    assert answer(script, SMALL, cache) == expected
    assert len(files_in(cache)) == 6


@pytest.mark.slow
def test_one_bit_in_any_file_of_a_study(tmp_path):
    """Each flip in a fresh copy of a cache of kernels and tables, each with a process of its own."""
    expected = str(captures.count(np.random.SeedSequence(1), 2000).tolist())
    whole, cache, script, rng = tmp_path / "whole", tmp_path / "cache", tmp_path / "script.py", random.Random(1)
    assert answer(script, REAL, whole) == expected
    for _ in range(FLIPS):
        shutil.copytree(whole, cache)
        what = flip(rng.choice(files_in(cache)), rng)
        assert answer(script, REAL, cache) == expected, what
        shutil.rmtree(cache)
