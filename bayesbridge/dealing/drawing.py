"""Draws by a plan: exact ones as they come, tested ones until enough have passed, and those that calls keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.dealing.calls import CallDraws
from bayesbridge.dealing.expressions import Expression, Taken, conjunction, walk
from bayesbridge.dealing.layout_values import LayoutValues
from bayesbridge.dealing.planning import Plan
from bayesbridge.dealing.solving import Solver
from bayesbridge.errors import BayesBridgeError
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, generator, seed_state

type Test = Callable[[Masks, np.random.Generator], NDArray[np.bool_]]
"""Which of (n, 4) layouts pass; the generator is for tests that are decided by chance."""

MOST_DRAWS: Final = 10_000_000
"""Draws that are tested before the search ends."""
LOW: Final = 0.01
"""A share of draws that pass below which a warning is given."""
_FIRST, _LARGEST = 1 << 6, 1 << 16


@dataclass(slots=True)
class Drawn:
    """What a search has found so far; ``drawn`` counts the draws and ``kept`` those of them that passed.

    Under calls, ``called`` counts the draws that the calls kept before anything was tested, and ``over`` adds up by how
    much the weights of some were too large (:class:`bayesbridge.dealing.calls.Batch`).
    """

    drawn: int = 0
    called: int = 0
    kept: int = 0
    over: float = 0.0
    masks: list[Masks] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The share of draws that passed."""
        return self.kept / self.drawn if self.drawn else 0.0

    @property
    def error(self) -> float:
        """One standard error of the share."""
        return float(np.sqrt(self.rate * (1 - self.rate) / self.drawn)) if self.drawn else 0.0

    @property
    def cut(self) -> float:
        """The share of probability that was cut off, so far as these draws show it."""
        return self.over / (self.called + self.over) if self.over else 0.0


def expression_test(parts: Sequence[Expression], solver: Solver | None) -> Test:
    """The test that all parts are true; parts that need tricks are asked last, of what has passed the others."""
    cheap = [part for part in parts if not any(isinstance(node, Taken) for node in walk(part))]
    dear = [part for part in parts if part not in cheap]

    def test(masks: Masks, rng: np.random.Generator) -> NDArray[np.bool_]:
        passed = np.ones(len(masks), dtype=np.bool_)
        for group in (cheap, dear):
            if group and passed.any():
                values = LayoutValues(masks[passed], rng, solver)
                passed[passed] = values.of(conjunction(tuple(group))) != 0
        return passed

    return test


def draw(
    plan: Plan,
    n: int,
    rng: Seed = None,
    *,
    tests: Sequence[Test] = (),
    calls: CallDraws | None = None,
    most: int = MOST_DRAWS,
    progress: Callable[[int, int], None] | None = None,
) -> Drawn:
    """``n`` independent deals that meet the plan and pass the tests; fewer if ``most`` draws gave no more.

    They are equally likely, or as likely as ``calls`` make them. The tested parts of the plan are among ``tests``
    already. The same seed gives the same deals, and more deals begin with those that fewer give.
    """
    random = generator(rng)
    state = seed_state(random)
    found = Drawn()
    size = _FIRST
    while found.kept < n and found.drawn < most:
        free = not tests and calls is None
        wanted = min(_LARGEST, n - found.kept) if free else min(size, most - found.drawn)
        if calls is None:
            masks = plan.table.draw(wanted, state)
        else:
            masks, over = calls.draw(wanted, random)
            found.over += over
        found.called += len(masks)
        passed = np.ones(len(masks), dtype=np.bool_)
        for test in tests:
            if passed.any():
                passed[passed] = test(masks[passed], random)
        found.drawn += wanted
        found.kept += int(passed.sum())
        found.masks.append(masks[passed])
        size = min(2 * size, _LARGEST)
        if progress is not None:
            progress(min(found.kept, n), n)
    return found


def first(found: Drawn, n: int) -> Masks:
    """The first ``n`` of what was found."""
    return np.concatenate([np.empty((0, 4), dtype=np.uint64), *found.masks])[:n]


def too_few(found: Drawn, n: int) -> BayesBridgeError:
    """The error that a search ended before it had all."""
    return BayesBridgeError(
        f"{found.kept} of {n} deals were found in {found.drawn} draws: ask for fewer, allow more draws (most=), "
        "or make the part that is tested easier to meet",
        found=found.kept,
        drawn=found.drawn,
    )
