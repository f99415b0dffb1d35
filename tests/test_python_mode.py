"""Kernels as plain Python, NUMBA_DISABLE_JIT=1, give what their machine code gives;
every kernel is asked.

The coverage of kernels is measured here: machine code leaves no trace.
"""

import ast
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.kernel_questions import PACKAGE, answer_all

ROOT = Path(__file__).parents[1]


def kernels():
    """Each function of the package that is decorated with ``njit``, as (file, name)."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                "njit" in ast.unparse(mark) for mark in node.decorator_list
            ):
                found.add((str(path.relative_to(PACKAGE)), node.name))
    return found


def test_every_kernel_gives_the_same_as_python(tmp_path, measuring):
    """Python answers in a process without a compiler, where warnings are errors too."""
    compiled, _ = (
        answer_all()
    )  # first, so that the tables are in the cache and Python need not build them
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.kernel_questions", "answers"],
        env=os.environ
        | measuring
        | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    plain, called = pickle.loads((tmp_path / "answers").read_bytes())
    assert plain.keys() == compiled.keys()
    for question, answers in compiled.items():
        for ours, theirs in zip(answers, plain[question], strict=True):
            if (
                np.asarray(ours).dtype.kind == "f"
            ):  # logarithms may differ in the last of 53 bits
                np.testing.assert_allclose(
                    theirs, ours, rtol=1e-13, atol=0.0, err_msg=question
                )
            else:
                np.testing.assert_array_equal(theirs, ours, err_msg=question)
    assert kernels() <= called
