"""Every kernel gives as plain Python (NUMBA_DISABLE_JIT=1) what machine code gives.

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
    functions = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                "njit" in ast.unparse(mark) for mark in node.decorator_list
            ):
                functions.add((str(path.relative_to(PACKAGE)), node.name))
    return functions


def test_every_kernel_gives_the_same_as_python(tmp_path, measuring):
    """Python answers in a process without a compiler, where warnings are errors too."""
    # Asked first, so that the tables are in the cache and Python need not build them.
    compiled, _ = answer_all()
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
        for expected, interpreted in zip(answers, plain[question], strict=True):
            # Logarithms may differ in the last of 53 bits.
            if np.asarray(expected).dtype.kind == "f":
                np.testing.assert_allclose(
                    interpreted, expected, rtol=1e-13, atol=0.0, err_msg=question
                )
            else:
                np.testing.assert_array_equal(interpreted, expected, err_msg=question)
    assert kernels() <= called
