"""A contract that is asked about: which it is, who answers, and what real declarers take beside double dummy.

Experts who see two hands and defenders who see two others do not play double dummy. P(actual tricks ∣ double dummy,
contract) was counted on real tables (``scripts/fit_actual.py``): by the class of the contract (part score, game, slam),
at no trumps or in a suit, doubled or not, and by how many tricks double dummy is above or below what the contract
needs. Cells with few tables are drawn towards coarser ones::

    P(d ∣ cell) = (tables of the cell with difference d + STRENGTH · P(d ∣ coarser cell)) / (tables + STRENGTH)

from the margin alone to margin and kind of strain, then with the class, then with the double. Differences d = actual −
double dummy run from −5 to 5.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.perspective import Perspective
from bayesbridge.calls import CONTRACT_KINDS, Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.registry import offered
from bayesbridge.words import number

type Floats = NDArray[np.float64]

STRAIN_KINDS: Final = ("suit", "no trumps")
LOWEST_MARGIN, HIGHEST_MARGIN = -4, 3
"""Double dummy less what the contract needs; what lies beyond counts as the end."""
FARTHEST: Final = 5
"""Largest difference from double dummy that counts; what is farther is taken for an error of the record."""
SHAPE: Final = (len(CONTRACT_KINDS), len(STRAIN_KINDS), 2, HIGHEST_MARGIN - LOWEST_MARGIN + 1, 2 * FARTHEST + 1)
"""Counts by class, kind, doubled, margin and difference."""

PREDICTS: Final = "tricks"
"""The estimator that predicts the tricks of every draw."""

SOLVES: Final = "solved"
"""The one that solves them, in the double-dummy plugin."""


@dataclass(frozen=True, slots=True)
class ContractQuestion:
    """A contract, who is dummy, and how much of it is to be solved."""

    contract: Contract
    dummy: Seat
    solve: int | None = None
    """Layouts to solve; ``None`` for as many as the time allows."""
    seconds: float | None = None
    """Time for that on one core; ``None`` for the usual."""
    actual: bool = False
    """Whether real declarers' tricks are asked for, by ``actual``, instead of double dummy."""

    @property
    def pair(self) -> tuple[Seat, Seat]:
        """Declarer and dummy."""
        return self.contract.declarer, self.dummy

    @property
    def strain(self) -> Strain:
        """Trumps, or none."""
        return self.contract.strain


def contract_question(
    belief: Perspective,
    contract: Contract | str | None,
    by: Seat | str | None = None,
    pair: Any = None,
    trump: Any = None,
    solve: int | None = None,
    seconds: float | None = None,
    actual: bool = False,
) -> ContractQuestion | None:
    """What is asked about a contract; ``None`` where none is named.

    >>> from bayesbridge import Belief
    >>> contract_question(Belief("S", "AKQ2.KJ3.A54.Q32"), "4SX").pair
    (<Seat.S: 2>, <Seat.N: 0>)
    """
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise BayesBridgeError(f"seconds {seconds}: give a number above 0", seconds=seconds)
    if contract is None:
        for name, value in (("by", by), ("solve", solve)):
            if value is not None:
                raise BayesBridgeError(f"{name} {value} without a contract: name one, such as 4S", **{name: value})
        if actual:
            raise BayesBridgeError("actual without a contract: name one, such as 4S", actual=actual)
        return None
    for name, value in (("pair", pair), ("trump", trump)):
        if value is not None:
            raise BayesBridgeError(f"{name} and contract {str(contract)!r}: leave {name} out, the contract says it")
    if solve is not None and (solve < 0 or solve == 1):
        raise BayesBridgeError(f"solve {solve}: give 0 for none, or at least 2 layouts", solve=solve)
    named = contract_asked(belief, contract, by)
    # In the three-player game the dummy stays where it is, whoever declares.
    dummy = named.declarer.partner if belief.dummy is None else belief.dummy
    return ContractQuestion(named, dummy, solve, seconds, actual)


def estimators_for(
    estimators: str | Estimator | Sequence[str | Estimator] | None, asked: ContractQuestion | None
) -> tuple[list[Estimator], list[Estimator]]:
    """The estimators, ``capture`` unless named; for a contract with ``tricks``, and apart ``solved`` if installed."""
    named = ("capture" if asked is None else PREDICTS) if estimators is None else estimators
    given = [named] if isinstance(named, str) or not isinstance(named, Sequence) else list(named)
    if not given:
        raise BayesBridgeError("no estimator named: give at least one, such as 'capture'")
    have = [one if isinstance(one, str) else one.name for one in given]
    wanted = list(given) if asked is None or PREDICTS in have else [*given, PREDICTS]
    solving = asked is not None and asked.solve != 0
    names = [one for one in wanted if isinstance(one, str)]
    registry = offered("estimators", [*names, *([SOLVES] if solving else [])])
    chosen = [registry.estimator(one) if isinstance(one, str) else one for one in wanted]
    return chosen, [registry.estimators[SOLVES]] if solving and SOLVES in registry.estimators else []


def contract_asked(belief: Perspective, contract: Contract | str, by: Seat | str | None = None) -> Contract:
    """The contract with its declarer: as written, or ``by``, or who would declare it on the observer's side.

    That is the declarer of the auction's own contract in that strain, else who of the observer's side bid the strain
    first, else the observer.

    >>> from bayesbridge import Belief
    >>> contract_asked(Belief("S", "AKQ2.KJ3.A54.Q32"), "4SX")
    Contract.of('4SX by S')
    """
    written = contract if isinstance(contract, Contract) else None
    if written is None and len(words := str(contract).split()) == 3:
        written = Contract.of(" ".join(words))
    if written is None:
        any_seat = Contract.of(contract, belief.observer)
        written = Contract.of(contract, _declarer(belief, any_seat.strain) if by is None else by)
    elif by is not None and Seat.of(by) != written.declarer:
        raise BayesBridgeError(
            f"contract {str(written)!r} and by {Seat.of(by).name}: name one declarer", contract=written
        )
    if written.declarer == belief.dummy:
        raise BayesBridgeError(
            f"contract {str(written)!r}: {written.declarer.name} is the dummy, who does not declare: name another seat",
            contract=written,
        )
    return written


def _declarer(belief: Perspective, strain: Strain) -> Seat:
    """Who would declare a strain on the observer's side, as the auction says."""
    auction = belief.auction
    if auction is None:
        return belief.observer
    if auction.contract is not None and auction.contract.strain == strain:
        return auction.contract.declarer
    side = (belief.observer, belief.observer.partner) if belief.dummy is None else (belief.observer,)
    named = (seat for seat, call in auction if seat in side and call.strain == strain)
    return next(named, belief.observer)


def cell_of(contract: Contract) -> tuple[int, int, int]:
    """Where a contract is counted: class, kind of strain, doubled or not."""
    return CONTRACT_KINDS.index(contract.kind), int(contract.strain == Strain.NT), int(contract.doubled > 0)


def smoothed(counts: NDArray[np.int64], strength: float) -> Floats:
    """Probabilities of the differences in every cell, in the shape of the counts."""
    by_margin = counts.sum(axis=(0, 1, 2)) + 0.5
    shares = by_margin / by_margin.sum(axis=-1, keepdims=True)
    for axes in ((0, 2), (2,), ()):
        finer = counts.sum(axis=axes, keepdims=True)
        shares = (finer + strength * shares) / (finer.sum(axis=-1, keepdims=True) + strength)
    return np.asarray(shares, np.float64)


def passed_through(shares: Floats, needed: int) -> Floats:
    """(14, 14) P(actual tricks ∣ double dummy), a row per double dummy, from (margins, differences) of one cell."""
    table = np.zeros((14, 14))
    for solved in range(14):
        margin = min(max(solved - needed, LOWEST_MARGIN), HIGHEST_MARGIN) - LOWEST_MARGIN
        for difference in range(-FARTHEST, FARTHEST + 1):
            table[solved, min(max(solved + difference, 0), 13)] += shares[margin, difference + FARTHEST]
    return table


def actual_table(contract: Contract) -> Floats:
    """(14, 14) P(declarer takes so many ∣ double dummy), by what was counted.

    >>> table = actual_table(Contract.of("4S by S"))
    >>> bool(np.allclose(table.sum(axis=1), 1.0)), int(table[10].argmax())
    (True, 10)
    """
    counts, about = actual_counts()
    shares = smoothed(counts, float(about["strength"]))
    return passed_through(shares[cell_of(contract)], contract.tricks_needed)


@cache
def actual_counts() -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The counts that ship, and what is known of them: the records' hash, settings, and how they were judged."""
    path = files("bayesbridge.estimators").joinpath("data/actual.json")
    stored = json.loads(path.read_text("utf-8"))
    return np.array(stored["counts"], np.int64).reshape(SHAPE), stored["about"]


def actual_caution() -> str:
    """What the step from double dummy to the table rests on, in a sentence."""
    _, about = actual_counts()
    judged = about["judged"]["declarer"]
    return (
        f"Double dummy is passed through what declarers took beside it at {number(about['fitted'])} tables of experts. "
        f"On {number(judged['tables'])} tables set aside, for declarer with dummy in view, P(it makes) was "
        f"{100 * judged['error']:.1f} points off the share that made, on average over the tenths of its range "
        f"({100 * judged['error_before']:.1f} without this step)."
    )
