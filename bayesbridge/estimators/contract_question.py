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
from bayesbridge.game.auction import Auction
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

    ``by``, ``actual`` and ``solve`` need a contract; what is ``excluded`` (``pair``,
    ``trump``) must not be named beside one.
    """
    if contract is None:
        needless = {"by": by, "actual": actual or None, "solve": solve}
        _refuse(needless, "without a contract: name one, such as 4S")
        return None
    _refuse(excluded, "beside a contract: leave it out")
    return ContractQuestion.of(belief, resolve_contract(belief, contract, by), actual)


def _refuse(settings: dict[str, Any], why: str) -> None:
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

    Declarer is as written, or ``by``, or who would declare it of the ``pair``.

    That is who of the pair bid the strain first, else the first of the pair who bids.
    Where none is named, it is the observer's pair, but the auction's own contract in
    that strain has its declarer.
    """
    names_declarer = (
        isinstance(contract, Contract)
        or len(str(contract).split()) == WORDS_OF_A_WHOLE_CONTRACT
    )
    side = [seat for seat in pair or belief.pair if seat != belief.dummy]
    if names_declarer:
        written = Contract.of(contract)
        if by is not None and Seat.of(by) != written.declarer:
            raise BayesBridgeError(
                f"contract {str(written)!r} and by {by}: name one declarer",
                contract=written,
            )
    else:
        written = Contract.of(contract, side[0] if by is None else by)
        if by is None and belief.auction is not None:
            final = belief.auction.contract if pair is None else None
            declarer = _declarer_by_auction(belief.auction, written, side, final)
            written = replace(written, declarer=declarer)
    if written.declarer == belief.dummy:
        why = f"{written.declarer.name} is the dummy, who does not declare: name another seat"
        raise BayesBridgeError(f"contract {str(written)!r}: {why}", contract=written)
    return written


def _declarer_by_auction(
    auction: Auction, contract: Contract, side: list[Seat], final: Contract | None
) -> Seat:
    """Who would declare a strain after the auction.

    The declarer of the auction's ``final`` contract in that strain, else who of the
    side bid the strain first, else its first seat.
    """
    if final is not None and final.strain == contract.strain:
        return final.declarer
    for seat, call in auction:
        if seat in side and call.strain == contract.strain:
            return seat
    return side[0]
