"""Wrong types: every public callable names the argument, in an error of the package."""

import re
from itertools import islice
from math import inf, nan

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bayesbridge.errors import BayesBridgeError
from tests import public_calls

ODD = {
    "None": None, "3": 3, "-1": -1, "1.5": 1.5, "abc": "abc", "empty text": "", "bytes": b"x", "list": [], "dict": {},
    "object": object(), "nan": nan, "inf": inf, "floats": np.zeros(3), "masks": np.zeros((2, 4), dtype=np.uint64),
    "texts": np.array(["a", "b"]), "10**30": 10**30, "-10**30": -(10**30), "class": int, "function": len,
    "list of None": [None], "tuple": (1, 2), "set": {1}, "True": True, "complex": 1j,
}  # fmt: skip
FEW = ("object", "1.5", "masks")
CALLED = ("quantity", "progress", "where")
"""A function is what these arguments want; what it raises is its own."""
BINDING = re.compile(r"missing \d+ required|unexpected keyword|positional arg|unsupported operand")


def spoilt(calls, kinds):
    """(name, argument, kind of value, what came out that should not have)."""
    for name, (function, arguments) in calls.items():
        for argument in arguments:
            for kind in kinds:
                if argument in CALLED and kind in ("class", "function"):
                    continue
                given = dict(arguments)
                spread = [ODD[kind]] if argument == "*" else []
                given.pop("*", None)
                if argument != "*":
                    given[argument] = ODD[kind]
                if error := outcome(function, spread, given):
                    yield name, argument, kind, error


def outcome(function, spread, given):
    """Nothing if the call answered or refused in words of the package, else what it raised."""
    try:
        answer = function(*spread, **given)
        repr(answer)
        if hasattr(answer, "__next__"):
            list(islice(answer, 3))
    except BayesBridgeError as error:
        return f"several lines: {error}" if "\n" in str(error) or not str(error) else None
    except TypeError as error:
        return None if BINDING.search(str(error)) else f"TypeError: {error}"
    except IndexError as error:  # what Python expects of a sequence
        return None if getattr(function, "__name__", "") == "__getitem__" else f"IndexError: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        plt.close("all")
    return None


def test_every_public_callable_has_an_example():
    assert sorted(public_calls.public_names()) == sorted(public_calls.examples())


@pytest.mark.parametrize("calls", [public_calls.examples, public_calls.documented])
def test_examples_are_good(calls):
    bad = {}
    for name, (function, arguments) in calls().items():
        given = dict(arguments)
        spread = [given.pop("*")] if "*" in given else []
        try:
            function(*spread, **given)
        except BayesBridgeError as error:
            bad[name] = str(error)
    plt.close("all")
    assert set(bad) <= {"Styles.load", "card_wins"}, bad


@pytest.mark.parametrize("calls", [public_calls.examples, public_calls.documented])
def test_wrong_types_are_refused_by_name(calls):
    assert list(spoilt(calls(), FEW)) == []


@pytest.mark.slow
@pytest.mark.parametrize("calls", [public_calls.examples, public_calls.documented])
def test_all_wrong_types_are_refused_by_name(calls):
    assert list(spoilt(calls(), ODD)) == []
