"""Boards on record, one by one: the chance that the contract makes, as one seat sees it after the auction.

The posterior is that of ``bayesbridge score``: the seat's own hand, and every call by the learned bidder. Of its draws
the network of ``tricks`` says how likely the contract makes, as they are and given that experts stopped there
(``bayesbridge.reached``); on the first boards some layouts of the second kind are solved, which corrects it. The truth
is the double-dummy result of the deal itself. Beside it stands what the network says of that deal: it tells errors of
the network from errors of the posterior.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.correction import SolvedSample
from bayesbridge.estimators.network import trick_probabilities
from bayesbridge.estimators.protocol import Estimator, Question
from bayesbridge.estimators.reached import reached
from bayesbridge.estimators.registry import offered
from bayesbridge.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.deal_split import Part, part_of_masks
from bayesbridge.studies.engine import Counts, Job
from bayesbridge.studies.inference import CHAIRS, seat_of, usable

CHUNK: Final = 5
"""Boards in a chunk."""

SCALE: Final = 10**12
"""Chances are kept in units of this part of one."""

SOLVER: Final = "solved"
"""The estimator that solves, in the double-dummy plugin."""

COLUMNS: Final = ("network", "network_error", "at_truth", "reached", "corrected", "corrected_error", "solved")
"""Chances, their errors, and the share of the solved layouts in which the contract makes."""
WIDTH: Final = 3 + len(COLUMNS)
"""Cells of a board: done, whether it makes, whether it is corrected; then the columns."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked."""

    path: str
    """A PBN or LIN file."""
    deals: int
    """Boards, each of another deal: the first that can be scored."""
    chair: str = "leader"
    draws: int = 300
    solve: int = 40
    """Layouts to solve on a board that is corrected."""
    correct: int = 0
    """How many boards are corrected, the first."""
    held_out: bool = False
    """Take only deals that were held out when the learned bidder was fitted."""

    @property
    def records(self) -> tuple[Record, ...]:
        """The boards."""
        return _records(self.path, self.deals, self.held_out)


def plan(
    path: str, deals: int, chair: str = "leader", draws: int = 300, solve: int = 40, correct: int = 0, *, held_out: bool
) -> Plan:
    """A plan for as many boards as the file has, up to ``deals``."""
    if chair not in CHAIRS:
        raise BayesBridgeError(f"unknown chair {chair!r}: choose {', '.join(CHAIRS)}", chair=chair)
    found = len(_records(path, deals, held_out))
    if not found:
        kept = " that was held out" if held_out else ""
        raise BayesBridgeError(f"{path!r} holds no board{kept} with four hands and a contract", path=path)
    return Plan(path, found, chair, draws, solve, min(correct, found), held_out)


@cache
def _records(path: str, deals: int, held_out: bool) -> tuple[Record, ...]:
    """The first boards of different deals that can be scored."""
    met: set[tuple[int, ...]] = set()

    def fresh(record: object) -> bool:
        if not isinstance(record, Record) or record.deal is None or usable(record) is not None:
            return False
        masks = tuple(hand.mask for hand in record.deal.hands)
        if masks in met or (held_out and part_of_masks(masks) is not Part.TEST):
            return False
        met.add(masks)
        return True

    return tuple(islice((record for record in iter_records(path) if fresh(record)), deals))  # type: ignore[misc]


@cache
def solver() -> Estimator:
    """The estimator ``solved``, or one line that says how to get it."""
    found = offered("estimators", [SOLVER]).estimators.get(SOLVER)
    if found is None:
        raise BayesBridgeError("this study solves deals: install the plugin bayesbridge-double-dummy")
    return found


def board(what: Plan, number: int, rng: np.random.Generator) -> Counts:
    """(WIDTH,) what is said of one board, and what is true."""
    record = what.records[number]
    deal, contract = record.deal, record.contract
    assert deal is not None
    assert contract is not None
    question = Question.of((contract.declarer, contract.declarer.partner), trump=contract.strain.trump)
    belief = Belief.of_record(record, seat_of(what.chair, contract.declarer), cards=0)
    posterior = belief.infer("auto", what.draws, rng)
    after = reached(posterior)
    some = after.resample(what.solve if number < what.correct else 0, rng)
    truth = Layouts.of([deal])
    all_masks = np.concatenate([truth.masks, some.masks, posterior.layouts.masks])
    table = np.ascontiguousarray(all_masks[:, list(question.table)])
    chances = np.asarray(trick_probabilities(table, question.trump), np.float64)
    of_some, of_draws = chances[1 : 1 + len(some)], chances[1 + len(some) :]
    tricks = np.asarray(solver().estimate(Layouts(all_masks[: 1 + len(some)]), question)[SOLVER], np.int64)
    needed = contract.tricks_needed
    made = of_draws[:, needed:].sum(axis=1)
    share = float(posterior.weights @ made)
    spread = float(posterior.weights @ ((made - share) ** 2))
    error = 0.0 if posterior.exact else float(np.sqrt(spread / posterior.ess))
    corrected, solved = (0.0, 0.0), 0.0
    if len(some):
        predicted = np.asarray(after.weights @ of_draws, np.float64)
        worth = np.inf if after.exact else after.ess
        control = of_some[:, needed:].sum(axis=1, keepdims=True)
        sample = SolvedSample.of(np.full(len(some), 1 / len(some)), control, predicted[needed:].sum()[None], worth)
        corrected = sample.share((tricks[1:] >= needed).astype(np.float64))
        solved = float((tricks[1:] >= needed).mean())
    there = float(after.weights @ made)
    told = (share, error, float(chances[0, needed:].sum()), there, *corrected, solved)
    return np.array([1, tricks[0] >= needed, len(some) > 0, *(round(one * SCALE) for one in told)], np.int64)


def count(what: Plan, seed: np.random.SeedSequence, boards: int) -> Counts:
    """The boards of one chunk, in their own cells of the table of all."""
    table = np.zeros((what.deals, WIDTH), dtype=np.int64)
    if seed.spawn_key:  # without one nothing is asked for but the size of the table
        first = CHUNK * (seed.spawn_key[0] % -(-what.deals // CHUNK))
        for number, child in enumerate(seed.spawn(boards), first):
            table[number] = board(what, number, np.random.default_rng(child))
    return table.ravel()


def unpacked(by_run: Counts) -> tuple[NDArray[np.bool_], NDArray[np.bool_], dict[str, NDArray[np.float64]]]:
    """(n,) whether contracts make, whether they were corrected, and the columns, of all runs."""
    rows = np.asarray(by_run).reshape(-1, WIDTH)
    told = dict(zip(COLUMNS, (rows[:, 3:] / SCALE).T, strict=True))
    return rows[:, 1] > 0, rows[:, 2] > 0, told


def job(what: Plan) -> Job:
    """What the engine of studies runs; boards are told by a hash of their deals and contracts."""
    text = "\n".join(f"{record.deal} {record.auction}" for record in what.records)
    boards = hashlib.sha256(text.encode()).hexdigest()[:16]
    asked: dict[str, int | str] = {"boards": boards, "chair": what.chair, "draws": what.draws}
    return Job("odds", partial(count, what), CHUNK, asked | {"solve": what.solve, "correct": what.correct})
