"""Which contract is asked about, who plays it, and which estimators answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bayesbridge.belief.perspective import Perspective
from bayesbridge.calls import Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.registry import offered

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
