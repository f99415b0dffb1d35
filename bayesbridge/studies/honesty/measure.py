"""Answers of every engine on every position over many seeds, as whole numbers that chunks fill in.

A chunk is a few seeds of one engine on one position. It fills its own cells of one long table, so that counts add up as
in any study, whatever the number of workers, and a checkpoint keeps every single answer.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies.engine import Counts, Job
from bayesbridge.studies.honesty.answers import CONTROL, ENGINES, JOINT, QUANTITIES, REFERENCE, Answer, answer
from bayesbridge.studies.honesty.positions import POSITIONS, Position

DRAWS: Final = 20_000
"""As :meth:`bayesbridge.Belief.infer` draws by default."""

CHUNK: Final = 5
"""Seeds in a chunk."""

SCALE: Final = 10**12
"""Values and errors are kept in units of this part of one."""

SHARES: Final[dict[str, dict[str, float]]] = {
    "auto": {"none": 1.0, "no trumps": 0.3, "suits": 0.2, "style": 0.15, "learned": 0.2, "played": 0.25},
    "sample": {"none": 1.0},
    "exact": {"no trumps": 0.5},
    "tilted": {"no trumps": 1.5, "suits": 0.5, "style": 1.5, "learned": 1.5, "played": 1.5},
    "smc": {"no trumps": 0.5, "suits": 0.7, "style": 1.0, "learned": 1.0, "played": 0.5},
    "weights": {"no trumps": 0.5, "suits": 0.5, "style": 0.5, "learned": 0.5, "played": 1.5},
    JOINT: {"style": 0.4},
    CONTROL: {"no trumps": 0.25, "style": 0.25},
}
"""Part of the seeds by engine and kind of position.

A verdict takes about 200 answers in a row: engines that are tested on few positions take more seeds of each, and
models that are slow to ask take no more than they need.
"""

REFERENCE_DRAWS: Final = {"no trumps": 25, "suits": 20, "style": 20, "learned": 2, "played": 2}
"""Draws of one reference answer, in units of those of an engine; there are CHUNK of them."""

TESTED: Final[dict[str, dict[str, tuple[int, ...]]]] = {
    "sample": {"none": (1, 2, 3, 4)},
    "exact": {"no trumps": (2, 3, 4)},
    "tilted": {"no trumps": (2, 3, 7), "suits": (2, 8), "style": (7, 8), "learned": (2, 6), "played": (2, 5)},
    "smc": {"no trumps": (2, 3, 7), "suits": (2, 3, 8), "style": (7, 8), "learned": (2, 6), "played": (2, 4)},
    "weights": {"no trumps": (1, 2, 3, 5), "suits": (1, 4, 8), "style": (1, 6, 8), "learned": (2, 6), "played": (3, 5)},
    JOINT: {"style": (3, 7)},
    CONTROL: {"no trumps": (2, 3, 5), "style": (6, 8)},
}
"""Positions by engine and kind; ``auto`` answers all of them."""


@dataclass(frozen=True, slots=True)
class Case:
    """One engine on one position."""

    engine: str
    position: Position
    seeds: int
    draws: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, case by case."""

    cases: tuple[Case, ...]

    @property
    def answers(self) -> int:
        """In all cases."""
        return sum(case.seeds for case in self.cases)

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of the first answer of each case, and the number of all."""
        return tuple(accumulate((case.seeds for case in self.cases), initial=0))


WIDTH: Final = 4 + 3 * len(QUANTITIES)
"""Cells of an answer: asked, refused, warned, ess; then for each quantity whether it is told, its value and error."""


def plan(positions: tuple[Position, ...] = POSITIONS, seeds: int = 200, engines: tuple[str, ...] = ENGINES) -> Plan:
    """Every engine on those of the positions that it is tested on, and a reference for each position with calls.

    >>> plan(POSITIONS[:1], 10).cases[0].engine, plan(POSITIONS[:1], 10).answers
    ('auto', 20)
    """
    if unknown := [name for name in engines if name not in ENGINES]:
        raise BayesBridgeError(f"unknown engine {unknown[0]!r}: choose {', '.join(ENGINES)}", engine=unknown[0])
    if seeds < CHUNK:
        raise BayesBridgeError(f"{seeds} seeds: take at least {CHUNK}", seeds=seeds)
    cases = []
    for position in positions:
        asked = [name for name in engines if _tests(name, position)]
        if asked and position.kind in REFERENCE_DRAWS:
            cases.append(Case(REFERENCE, position, CHUNK, DRAWS * REFERENCE_DRAWS[position.kind]))
        for engine in asked:
            share = SHARES[engine][position.kind]
            cases.append(Case(engine, position, CHUNK * max(1, round(share * seeds / CHUNK)), DRAWS))
    if not cases:
        raise BayesBridgeError(f"none of these positions tests {' or '.join(engines)}: take more positions")
    return Plan(tuple(cases))


def _tests(engine: str, position: Position) -> bool:
    return engine == "auto" or position.number in TESTED[engine].get(position.kind, ())


def count(what: Plan, seed: np.random.SeedSequence, answers: int) -> Counts:
    """The answers of one chunk, in their own cells of the table of all answers."""
    table = np.zeros((what.answers, WIDTH), dtype=np.int64)
    if seed.spawn_key:  # without one nothing is asked for but the size of the table
        first = CHUNK * (seed.spawn_key[0] % (what.answers // CHUNK))
        case = what.cases[bisect_right(what.starts, first) - 1]
        for row, child in enumerate(seed.spawn(answers), first):
            table[row] = packed(answer(case.position, case.engine, case.draws, np.random.default_rng(child)))
    return table.ravel()


def packed(given: Answer | None) -> Counts:
    """(WIDTH,) an answer as whole numbers."""
    cells = np.zeros(WIDTH, dtype=np.int64)
    cells[0] = 1
    if given is None:
        cells[1] = 1
        return cells
    cells[2], cells[3] = given.warned, round(given.ess)
    for place, name in enumerate(QUANTITIES):
        if (stated := given.stated.get(name)) is not None:
            cells[4 + 3 * place : 7 + 3 * place] = 1, round(stated.value * SCALE), round(stated.error * SCALE)
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """All answers of one case; quantities that were not told are ``nan``.

    value, error: (n, quantities)
    refused, warned: (n,)
    ess: (n,)
    """

    case: Case
    value: NDArray[np.float64]
    error: NDArray[np.float64]
    refused: NDArray[np.bool_]
    warned: NDArray[np.bool_]
    ess: NDArray[np.float64]


def unpacked(what: Plan, by_run: Counts) -> tuple[Answers, ...]:
    """By case: the tables of all runs, one after the other; (runs, cells) counts."""
    tables = np.asarray(by_run).reshape(-1, what.answers, WIDTH)
    found = []
    for case, begin, end in zip(what.cases, what.starts, what.starts[1:], strict=False):
        rows = np.concatenate(tables[:, begin:end])
        told = rows[:, 4::3] > 0
        value, error = (np.where(told, rows[:, 4 + part :: 3] / SCALE, np.nan) for part in (1, 2))
        found.append(Answers(case, value, error, rows[:, 1] > 0, rows[:, 2] > 0, rows[:, 3].astype(np.float64)))
    return tuple(found)


def job(what: Plan) -> Job:
    """What the engine of studies runs; an answer is its deal."""
    return Job("honesty", partial(count, what), CHUNK, {"plan": repr(what.cases)})
