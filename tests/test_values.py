"""No array that a public value or its properties return can be written to.

Values come from the examples in the docstrings of all public classes, and from
``MORE_VALUES``; whatever these hold is looked at too. A new class joins by its example.
"""

import doctest
import functools
import importlib
import inspect
import sys
from collections import Counter, deque
from typing import TypeAliasType

import numpy as np
import pytest
import xarray

import bayesbridge as bb
from bayesbridge.bidders.fit import STYLE, Styles
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.estimators.calibrated_sample import CalibratedSample
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.game.layouts import Layouts
from bayesbridge.studies.readers import Reading
from tests.positions import called, passed, quiet
from tests.test_reference import NAMED

KERNEL_TABLES = (
    "bayesbridge.engines.blocks",
    "bayesbridge.engines.deal_tables",
    "bayesbridge.engines.halves",
    "bayesbridge.engines.level_tables",
    "bayesbridge.engines.proposal",
    "bayesbridge.engines.quantities",
    "bayesbridge.engines.quantity_tables",
    "bayesbridge.engines.splits",
    "bayesbridge.engines.tables",
)
"""Tables of counts as kernels take them: tuples of arrays that no page names."""

PLAIN = ("bool", "int", "float", "str")  # hold no array

VALUES_A_CLASS = 20  # of one class are looked at; a property may make new ones for ever


def own(value):
    return type(value).__module__.partition(".")[0] == "bayesbridge"


def public_classes():
    """The classes that the reference names, but for errors."""
    classes = []
    for module, name in NAMED:
        try:
            value = getattr(importlib.import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue  # a module's own chapter
        if inspect.isclass(value) and not issubclass(value, Exception):
            classes.append(value)
    return classes


def example_values(cls, monkeypatch):
    """What the examples of a class and of its methods name or show."""
    functions = [
        getattr(member, "__func__", member)
        for member in vars(cls).values()
        if hasattr(getattr(member, "__func__", member), "__globals__")
    ]
    names = functions[0].__globals__ if functions else {}
    shown = []

    def show(value):
        if value is not None:
            shown.append(value)
            print(repr(value))

    monkeypatch.setattr(sys, "__displayhook__", show)
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(
        cls, cls.__name__, module=False, globs=names
    ):
        runner.run(test, out=lambda text: None, clear_globs=False)
        shown += [value for name, value in test.globs.items() if name not in names]
    return shown


def more_values():
    """Values of classes whose examples hold none, and posteriors of several engines."""
    posterior = quiet().infer()
    result = bb.estimate(posterior, ["capture", "tricks"])
    odds = bb.estimate(posterior, contract="3NT", solve=0)
    draws = xarray.Dataset(
        {name: (("chain", "draw", "player"), np.zeros((1, 2, 1))) for name in STYLE},
        {"player": ["Ash"]},
    )
    return [
        posterior,
        called().infer(),
        passed().infer(draws=100, rng=1),
        passed().infer("importance", draws=100, rng=1),
        passed().infer("likelihood-weighting", draws=100, rng=1),
        result.tricks("T"),
        ContractOdds.of_tree(odds),
        CalibratedSample.of(np.full(4, 0.25)),
        Styles(xarray.DataTree.from_dict({"posterior": draws})),
        Reading(np.full((52, 4), 0.25), np.zeros((4, 4, 14))),
        PairStyle.of_text("strong-club"),
    ]


def attributes(value):
    """The public fields and properties of a value, by name.

    Those that say that they return a number or a text are left out.
    """
    names = set(getattr(value, "__dict__", ()))
    for cls in type(value).__mro__:
        if cls.__module__.partition(".")[0] != "bayesbridge":
            continue
        for name, member in vars(cls).items():
            if returned(member) in PLAIN:
                names.discard(name)
            elif inspect.isdatadescriptor(member) or is_cached(member):
                names.add(name)
    return sorted(name for name in names if not name.startswith("_"))


def is_cached(member):
    return isinstance(member, functools.cached_property)


def returned(member):
    """The annotation of what a property returns, else nothing."""
    function = member.func if is_cached(member) else getattr(member, "fget", None)
    return getattr(function, "__annotations__", {}).get("return", "")


def writeable_arrays(values):
    """The classes of all values that these hold, and their writeable arrays.

    An array is named by class and field.
    """
    classes = Counter()
    writeable = set()
    visited = {}
    queue = deque((value, "") for value in values if not isinstance(value, np.ndarray))
    while queue:
        value, place = queue.popleft()
        if isinstance(value, np.ndarray):
            if value.flags.writeable and place:  # else an example's own
                writeable.add(place)
        elif id(value) in visited or inspect.isclass(value) or inspect.isroutine(value):
            continue
        elif isinstance(value, dict):
            queue += [(item, place) for item in value.values()]
        elif isinstance(value, list | tuple | set | frozenset) and not own(value):
            queue += [(item, place) for item in value]
        elif own(value) and type(value).__module__ not in KERNEL_TABLES:
            classes[type(value)] += 1
            if classes[type(value)] <= VALUES_A_CLASS:
                queue += members(value)
        visited[id(value)] = value  # kept, so that no other value gets its number
    return set(classes), writeable


def members(value):
    pairs = []
    for name in attributes(value):
        try:
            member = getattr(value, name)
        except bb.BayesBridgeError:  # such as "the auction is not over"
            continue
        pairs.append((member, f"{type(value).__name__}.{name}"))
    return pairs


def holds_arrays(cls):
    """Whether a field or a property of a class is annotated as an array."""
    aliases = set()
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("bayesbridge"):
            aliases |= {
                name
                for name, value in vars(module).items()
                if isinstance(value, TypeAliasType) and is_array(value)
            }
    kinds = []
    for base in cls.__mro__:
        kinds += getattr(base, "__annotations__", {}).values()
    kinds += [returned(member) for member in vars(cls).values()]
    words = {str(kind).partition("[")[0].split(" | ")[0] for kind in kinds}
    return not words.isdisjoint(aliases | {"NDArray"})


def is_array(alias):
    try:
        return "ndarray" in str(alias.__value__).lower()
    except NameError:  # it names what only type checkers import
        return False


@pytest.fixture(scope="module")
def audit():
    with pytest.MonkeyPatch.context() as patch:
        values = []
        for cls in public_classes():
            values += example_values(cls, patch)
    return writeable_arrays([*values, *more_values()])


def test_no_array_of_a_value_can_be_written(audit):
    _, writeable = audit
    assert not writeable


def test_a_value_of_every_class_with_arrays_was_looked_at(audit):
    classes, _ = audit
    missing = []
    for cls in public_classes():
        if not holds_arrays(cls):
            continue
        if not any(issubclass(checked, cls) for checked in classes):
            missing.append(cls.__name__)
    assert not missing, "give an example, or a value in more_values"


def test_the_audit_finds_an_array_that_can_be_written():
    masks = np.array(
        Layouts.of(["N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"]).masks
    )
    layouts = Layouts.adopt(masks)
    masks.flags.writeable = True
    _, writeable = writeable_arrays([{"layouts": [layouts]}])
    assert writeable == {"Layouts.masks"}
