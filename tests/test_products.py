"""Figures do not depend on the number of threads that matrix products may use, nor on who else uses them."""

import ast
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl

import bayesbridge
from bayesbridge import products
from bayesbridge.products import matrix_product, one_thread

PACKAGE = Path(bayesbridge.__file__).parent

POSITION = "--players 4 --observer S --hand AKQ2.KJ3.A54.Q32 --call W:1C --call N:P --call E:1S --seed 1 --json"

QUESTIONS = {
    "tilted": f"estimate {POSITION} --method tilted --draws 20000",
    "weights": f"estimate {POSITION} --method weights --draws 20000",
    "smc": f"estimate {POSITION} --method smc --draws 2000",
    "study": "study calibration --method auto --deals 2 --seed 1 --json",
}


def answers(threads, names):
    """What one new process says to questions, but for what a clock says."""
    script = (
        f"from bayesbridge.cli import main\nfor words in {[QUESTIONS[name] for name in names]}: main(words.split())"
    )
    limits = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=os.environ | limits, cwd=PACKAGE.parent
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(names)
    return [{key: value for key, value in line.items() if "second" not in key} for line in lines]


def test_one_and_two_threads_give_the_same_bits():
    names = ("tilted", "study")
    assert answers(1, names) == answers(2, names)


@pytest.mark.slow
def test_one_two_and_four_threads_give_the_same_bits_in_every_engine():
    one = answers(1, QUESTIONS)
    assert answers(2, QUESTIONS) == one
    assert answers(4, QUESTIONS) == one


class Library:
    """A library with a setting for each thread of Python, or one for all."""

    def __init__(self, by_thread):
        self.by_thread, self.settings = by_thread, {}

    @property
    def num_threads(self):
        return self.settings.get(threading.get_ident() if self.by_thread else None, 8)

    def set_num_threads(self, threads):
        self.settings[threading.get_ident() if self.by_thread else None] = threads


class Installed(Library):
    """What this machine's NumPy has."""

    def __init__(self):
        pass

    @property
    def num_threads(self):
        found = [one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
        return max(found) if found else None


@pytest.mark.parametrize("kind", ["by thread", "shared", "installed"])
def test_every_thread_of_python_has_one_and_the_setting_is_put_back(monkeypatch, kind):
    library = Installed() if kind == "installed" else Library(kind == "by thread")
    if kind == "by thread":
        monkeypatch.setattr(products, "_libraries", lambda _: products.Libraries([library], []))
    elif kind == "shared":
        monkeypatch.setattr(products, "_libraries", lambda _: products.Libraries([], [library]))
    entered, leave, seen = threading.Event(), threading.Event(), []

    def stay():
        with one_thread():
            entered.set()
            leave.wait()
            seen.append(library.num_threads)

    with threadpoolctl.threadpool_limits(2, "blas"):
        before = library.num_threads
        if before is None:
            pytest.skip("NumPy's own library here has no setting that could be changed")
        assert before > 1
        other = threading.Thread(target=stay)
        with one_thread(), one_thread():
            other.start()
            entered.wait()
            assert library.num_threads == 1
        assert library.num_threads == (before if kind == "by thread" else 1)
        leave.set()
        other.join()
        assert seen == [1]
        assert library.num_threads == before
        with pytest.raises(ZeroDivisionError), one_thread():
            raise ZeroDivisionError
        assert library.num_threads == before
    assert products._INSIDE == [0]


def test_a_product_is_that_of_numpy(monkeypatch):
    rng = np.random.default_rng(1)
    for shape in [(3,), (3, 4), (2, 5, 3)]:
        first, second = rng.random(shape), rng.integers(0, 9, size=(shape[-1], 2))
        assert np.allclose(matrix_product(first, second), (first[..., None] * second).sum(axis=-2), rtol=1e-12)


WHOLE_NUMBERS = {
    "bidders.encoding": 1,
    "bidders.features": 1,
    "capture.tables": 1,
    "dealing.holdings": 1,
    "engines.class_joins": 2,
    "engines.class_tables": 1,
    "engines.counting": 1,
    "engines.level_tables": 1,
    "engines.marginals": 1,
    "engines.quantities": 1,
    "engines.tilt_split": 1,
    "engines.unranking": 2,
    "joint.marginal": 1,
    "joint.points": 2,
    "joint.posterior": 1,
    "products": 1,
}
"""Products outside the one door, by module: of whole numbers below 2⁵³, exact in any order; of sparse matrices and
factors of four rows and columns at most, for which no library starts a thread; and the door itself."""

CALLED = {
    "dot",
    "vdot",
    "inner",
    "matmul",
    "tensordot",
    "einsum",
    "lstsq",
    "solve",
    "inv",
    "svd",
    "qr",
    "cholesky",
    "cov",
}


def products_in(path):
    """How many matrix products stand in a file: ``@`` between values, and numpy's functions for them."""
    found = 0
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        operator = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult)
        called = (
            isinstance(node, ast.Attribute)
            and node.attr in CALLED
            and ast.unparse(node.value) in ("np", "np.linalg", "scipy.linalg")
        )
        found += operator or called
    return found


def test_every_other_product_goes_through_the_one_door():
    found = {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): products_in(path) for path in PACKAGE.rglob("*.py")
    }
    assert {name: number for name, number in found.items() if number} == WHOLE_NUMBERS
