"""Which contracts a pair may bid, who declares each, and what is asked about others."""

from __future__ import annotations

from collections.abc import Sequence

from bayesbridge.belief.perspective import Perspective
from bayesbridge.calls import CALLS, PASS, Call, Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Question

type Pair = tuple[Seat, Seat]
type Named = str | Contract | Sequence[str | Contract] | None


def pair_of(belief: Perspective, pair: str | tuple[Seat | str, Seat | str] | None) -> Pair:
    """The two seats that play together: the observer's unless told otherwise, with the dummy of three players."""
    first, second = belief.pair if pair is None else Question.of(pair).pair
    if belief.dummy is not None and belief.dummy not in (first, second):
        raise BayesBridgeError(
            f"pair {first.name}:{second.name}: {belief.dummy.name} is the dummy, whoever declares: name a pair with it",
            pair=(first, second),
        )
    if belief.dummy is None and first.partner != second:
        raise BayesBridgeError(
            f"pair {first.name}:{second.name}: with four players partners sit opposite: write {first.name}:"
            f"{first.partner.name}",
            pair=(first, second),
        )
    return first, second


def standing(belief: Perspective) -> tuple[Seat, Call] | None:
    """The highest bid so far with its seat; ``None`` before any, and once the auction is over."""
    auction = belief.auction
    if auction is None or auction.is_over:
        return None
    return next(((seat, call) for seat, call in reversed(list(auction)) if call.is_bid), None)


def contracts_asked(belief: Perspective, named: Named, pair: Pair, doubled: int = 0) -> list[Contract]:
    """Those named, or all that the pair may still bid, in rising order; once the auction is over, all 35.

    >>> from bayesbridge import Belief, Called
    >>> after = Belief("S", "AKQ2.KJ3.A54.Q32").given(Called("W", "6S"))
    >>> contracts_asked(after, None, (Seat.S, Seat.N))[:2]
    [Contract.of('6NT by S'), Contract.of('7C by S')]
    """
    bid = standing(belief)
    if named is None:
        found = [_declared(belief, str(call), pair, doubled) for call in CALLS if call.is_bid and _may(call, bid, pair)]
        if not found:
            raise BayesBridgeError("nothing outranks 7NT: there is no contract left to bid")
        return found
    found = [_declared(belief, word, pair, doubled) for word in _words(named)]
    if not found:
        raise BayesBridgeError("no contract named: give one or more, such as 4S,3NT")
    for contract in found:
        if found.count(contract) > 1:
            raise BayesBridgeError(f"contract {str(contract)!r} is given twice: give each once", contract=contract)
        if bid is not None and not _may(Call.bid(contract.level, contract.strain), bid, pair):
            raise BayesBridgeError(
                f"contract {str(contract)!r}: {bid[1]} by {bid[0].name} outranks it: name a higher one",
                contract=contract,
            )
    return sorted(found, key=lambda one: (one.level, one.strain, one.doubled, one.declarer))


def alternative(belief: Perspective, named: str | Contract, pair: Pair) -> Contract | None:
    """The contract to compare with, of either side where four bid; ``None`` for a deal that is passed out."""
    if isinstance(named, str) and named.strip().upper() in ("PASS", "P"):
        return None
    other = isinstance(named, Contract) or len(named.split()) == 3
    contract = Contract.of(named) if other else _declared(belief, named, pair, 0)
    if contract.declarer not in pair and belief.dummy is not None:
        raise BayesBridgeError(
            f"against {str(contract)!r}: with three players what {contract.declarer.name} loses is not all yours: name "
            "a contract of your own, or Pass",
            contract=contract,
        )
    return contract if contract.declarer not in pair else _declared(belief, contract, pair, 0)


def dummy_of(belief: Perspective, contract: Contract) -> Seat:
    """Who lays the hand down."""
    return contract.declarer.partner if belief.dummy is None else belief.dummy


def _may(call: Call, bid: tuple[Seat, Call] | None, pair: Pair) -> bool:
    """Whether the pair may end in this bid: it outranks the last one, or is their own."""
    return bid is None or call > bid[1] or (call == bid[1] and bid[0] in pair)


def _words(named: str | Contract | Sequence[str | Contract]) -> list[str | Contract]:
    if isinstance(named, Contract):
        return [named]
    return [word.strip() for word in named.split(",")] if isinstance(named, str) else list(named)


def _declared(belief: Perspective, named: str | Contract, pair: Pair, doubled: int) -> Contract:
    """The contract with its declarer, who must be of the pair; ``doubled`` unless the text says more."""
    whole = isinstance(named, Contract) or len(named.split()) == 3
    contract = Contract.of(named) if whole else Contract.of(named, pair[0])
    if not whole:
        declarer = _declarer(belief, contract.strain, pair)
        contract = Contract(contract.level, contract.strain, declarer, max(contract.doubled, doubled))
    seat = contract.declarer
    if seat not in pair:
        raise BayesBridgeError(
            f"contract {str(contract)!r}: {seat.name} is not of the pair {pair[0].name} and {pair[1].name}: name a "
            "contract of theirs",
            contract=contract,
        )
    if seat == belief.dummy:
        raise BayesBridgeError(
            f"contract {str(contract)!r}: {seat.name} is the dummy, who does not declare: name another seat",
            contract=contract,
        )
    return contract


def _declarer(belief: Perspective, strain: Strain, pair: Pair) -> Seat:
    """Who of the pair named the strain first; else the first of the pair who bids."""
    calls = () if belief.auction is None else tuple(belief.auction)
    may = [seat for seat in pair if seat != belief.dummy]
    return next((seat for seat, call in calls if seat in may and call != PASS and call.strain == strain), may[0])
