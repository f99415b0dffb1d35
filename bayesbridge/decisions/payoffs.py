"""What contracts pay: any scheme as one number for each number of tricks, seen from one side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.duplicate import Duplicate, imps
from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.notation.record import Vulnerability
from bayesbridge.scoring import SCHEMES, Scheme, Score

type Floats = NDArray[np.float64]

TRICKS: Final = 14
"""Numbers of tricks, 0 … 13."""

DUPLICATE: Final = "duplicate"


class Scoring(Protocol):
    """A scheme: what a contract pays for a number of tricks."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def score(self, contract: Contract, tricks: int) -> Score:
        """What the contract pays when declarer's side takes so many tricks."""
        ...


def scoring_of(
    scheme: Scheme | Duplicate | str | Mapping[str, Any] | None, vulnerable: Vulnerability | str, dummy: Seat | None
) -> Scoring:
    """The scheme that is meant: without one ``new`` where three players bid (``dummy`` names the fourth hand), else
    ``duplicate``. Who is vulnerable matters to that one alone.

    >>> scoring_of("old", "None", None).name, scoring_of(None, "NS", None)
    ('old', Duplicate(vulnerable=<Vulnerability.NS: 'NS'>, name='duplicate'))
    """
    sides = Vulnerability.of(vulnerable)
    wanted: Any = scheme if scheme is not None else DUPLICATE if dummy is None else "new"
    if isinstance(wanted, str) and wanted.strip().lower() == DUPLICATE:
        return Duplicate(sides)
    if isinstance(wanted, Duplicate):
        return wanted
    if isinstance(wanted, str) and wanted.strip().lower() not in SCHEMES:
        known = ", ".join(SCHEMES)
        raise NotationError(f"unknown scoring scheme {wanted!r}: write {known} or {DUPLICATE}", text=wanted)
    named = Scheme.of(wanted)
    if sides is not Vulnerability.NONE:
        raise BayesBridgeError(
            f"vulnerable {sides.value}: scheme {named.name!r} knows no vulnerability: leave it out", vulnerable=sides
        )
    return named


class Payoff(NamedTuple):
    """A contract with what it pays to one side for each number of tricks of its declarer."""

    contract: Contract | None
    """``None`` for a deal that is passed out."""
    worth: Floats
    """(14,) points for 0 … 13 tricks."""

    @property
    def name(self) -> str:
        """The contract as text."""
        return "Pass" if self.contract is None else str(self.contract)


def payoff(scheme: Scoring, contract: Contract | None, *, ours: bool = True) -> Payoff:
    """What a contract pays to the side that declares it, or to the other; a deal that is passed out pays nothing.

    >>> from bayesbridge.duplicate import Duplicate
    >>> payoff(Duplicate(), Contract.of("1NT by S")).worth[5:9].tolist()
    [-100.0, -50.0, 90.0, 120.0]
    """
    if contract is None:
        return Payoff(None, np.zeros(TRICKS))
    net = [float(scheme.score(contract, tricks).net) for tricks in range(TRICKS)]
    return Payoff(contract, np.array(net) * (1 if ours else -1))


def imp_table(first: Payoff, second: Payoff) -> Floats:
    """(14, 14) IMPs won by the first contract, by its tricks and by those of the second."""
    difference = first.worth[:, None] - second.worth
    return imps(difference).astype(np.float64)


def matchpoint_table(first: Payoff, second: Payoff) -> Floats:
    """(14, 14) share of the matchpoints: 1 where the first scores more, ½ where both score the same."""
    difference = first.worth[:, None] - second.worth
    return np.asarray((difference > 0) + 0.5 * (difference == 0), np.float64)
