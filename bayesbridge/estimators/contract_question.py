"""What is asked about a contract: who declares it, and whose tricks are meant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.actual_play import actual_table
from bayesbridge.estimators.protocol import Question
from bayesbridge.game.calls import Contract
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, read_only

TRICKS: Final = np.arange(14, dtype=np.float64)
WORDS_OF_A_WHOLE_CONTRACT: Final = 3  # as in "3NT by S"

type Group = Question
"""Declarer, dummy and strain: contracts of one group take the same tricks."""


def group_of(contract: Contract, dummy: Seat | None) -> Group:
    """The group of a contract.

    Its ``dummy`` is the declarer's partner unless three players bid.
    """
    opposite = contract.declarer.partner if dummy is None else dummy
    return Question((contract.declarer, opposite), contract.trump)


@dataclass(frozen=True, slots=True, eq=False)
class ContractQuestion(FrozenArrays):
    """A contract, and how it is asked about."""

    contract: Contract
    group: Group
    #: Whether real declarers' tricks are asked for instead of double dummy.
    actual: bool
    bid: bool
    """Whether a defender asks about the contract of an auction of four, read by the
    usual bidder, before the lead.
    """

    @classmethod
    def of(cls, belief: Belief, contract: Contract, actual: bool = False) -> Self:
        """The question about a contract with its declarer.

        In the three-player game the dummy stays where it is.
        """
        table = belief.table
        declaring = (contract.declarer, contract.declarer.partner)
        before_the_lead = table.contract == contract and not table.plays
        by_experts = isinstance(belief.bidder, LearnedBidder)
        bid = before_the_lead and by_experts and belief.observer not in declaring
        return cls(contract, group_of(contract, belief.dummy), actual, bid)

    @property
    def after(self) -> Floats:
        """(14, 14) P(tricks taken ∣ double-dummy tricks).

        The identity, or what real declarers take.
        """
        if self.actual:
            return read_only(actual_table(self.contract))
        return read_only(np.eye(len(TRICKS)))

    @property
    def made(self) -> Floats:
        """(14,) 1 where so many tricks are enough."""
        enough = self.contract.tricks_needed <= TRICKS
        return read_only(enough.astype(np.float64))


def contract_question(
    belief: Belief,
    contract: Contract | str | None,
    by: Seat | str | None = None,
    actual: bool = False,
    *,
    solve: int | None = None,
    **excluded: Any,
) -> ContractQuestion | None:
    """What is asked about a contract; ``None`` where none is named.

    ``by`` (who declares it), ``actual`` (whether real declarers' tricks are meant) and
    ``solve`` (how many layouts to solve, which is only checked here) need a contract;
    what is ``excluded`` (``pair``, ``trump``) must not be named beside one.
    """
    if contract is None:
        needless = {"by": by, "actual": actual or None, "solve": solve}
        _refuse_values(needless, "without a contract: name one, such as 4S")
        return None
    _refuse_values(excluded, "beside a contract: leave it out")
    resolved = resolve_contract(belief, contract, by)
    return ContractQuestion.of(belief, resolved, actual)


def _refuse_values(settings: dict[str, Any], why: str) -> None:
    """Raise for the first of the settings that has a value."""
    for name, value in settings.items():
        if value is not None:
            raise BayesBridgeError(f"{name} {value} {why}", **{name: value})


def resolve_contract(
    belief: Belief,
    contract: Contract | str,
    by: Seat | str | None = None,
    pair: tuple[Seat, Seat] | None = None,
) -> Contract:
    """The contract with its declarer.

    The declarer is the first of these that there is: who is written in the contract
    (``3NT by S``), ``by``, and who would declare that strain after the auction for the
    ``pair``, by default the observer's. The dummy of the three-player game never
    declares.
    """
    names_declarer = (
        isinstance(contract, Contract)
        or len(str(contract).split()) == WORDS_OF_A_WHOLE_CONTRACT
    )
    if names_declarer:
        resolved = Contract.of(contract)
        if by is not None and Seat.of(by) != resolved.declarer:
            raise BayesBridgeError(
                f"contract {str(resolved)!r} and by {by}: name one declarer",
                contract=resolved,
            )
    elif by is not None:
        resolved = Contract.of(contract, by)
    else:
        resolved = _declared_by_auction(belief, contract, pair)
    if resolved.declarer == belief.dummy:
        why = f"{resolved.declarer.name} is the dummy, who does not declare: name another seat"
        raise BayesBridgeError(f"contract {str(resolved)!r}: {why}", contract=resolved)
    return resolved


def _declared_by_auction(
    belief: Belief, contract: Contract | str, pair: tuple[Seat, Seat] | None
) -> Contract:
    """The contract with the declarer whom the auction so far gives its strain.

    That is who of the pair named the strain first, else the first of the pair who bids.
    Where no pair is asked for, the contract that the auction ended in comes before
    this: a contract in its strain has its declarer, who may be an opponent.
    """
    bidders = [seat for seat in pair or belief.pair if seat != belief.dummy]
    resolved = Contract.of(contract, bidders[0])
    if belief.auction is None:
        return resolved
    final = belief.auction.contract if pair is None else None
    if final is not None and final.strain == resolved.strain:
        return replace(resolved, declarer=final.declarer)
    for seat, call in belief.auction:
        if seat in bidders and call.strain == resolved.strain:
            return replace(resolved, declarer=seat)
    return resolved
