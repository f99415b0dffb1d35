"""Which contracts a pair may bid or defend, who declares each, and what a pass means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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


def contracts_asked(belief: Perspective, named: Named, pair: Pair, doubled: int = 0) -> list[Contract | None]:
    """Those named, or all that the pair may still bid or defend, in rising order; once the auction is over, all 35.

    ``None``, the lowest, is a deal that is passed out: only where ``Pass`` is named before any bid.

    >>> from bayesbridge import Auction, Belief
    >>> after = Belief("S", "AKQ2.KJ3.A54.Q32", dummy=None).given(Auction.of("W:6S Pass Pass"))
    >>> contracts_asked(after, None, (Seat.S, Seat.N))[:3]
    [Contract.of('6S by W'), Contract.of('6SX by W'), Contract.of('6NT by S')]
    """
    found = _usual(belief, pair, doubled) if named is None else _named(belief, named, pair, doubled)
    return sorted(found, key=lambda one: () if one is None else (one.level, one.strain, one.doubled, one.declarer))


def _usual(belief: Perspective, pair: Pair, doubled: int) -> list[Contract | None]:
    """All that the pair may still bid; where the others' bid stands also defending it, doubled if that is allowed."""
    bid = standing(belief)
    found: list[Contract | None] = [
        contract_named(belief, str(call), pair, doubled) for call in CALLS if call.is_bid and _may(call, bid, pair)
    ]
    passed = None if bid is None else contract_if_passed(belief, pair)
    if passed is not None and passed.declarer in pair:
        found[0] = replace(passed, doubled=max(passed.doubled, doubled))
    elif passed is not None:
        found += [passed] if passed.doubled else [passed, replace(passed, doubled=1)]
    if not found:
        raise BayesBridgeError("nothing outranks 7NT: there is no contract left to bid")
    return found


def _named(
    belief: Perspective, named: str | Contract | Sequence[str | Contract], pair: Pair, doubled: int
) -> list[Contract | None]:
    """Those named, none of them twice and none below the last bid."""
    bid = standing(belief)
    found = [contract_named(belief, word, pair, doubled) for word in _words(named)]
    if not found:
        raise BayesBridgeError("no contract named: give one or more, such as 4S,3NT")
    if found == [None]:
        raise BayesBridgeError("Pass alone pays nothing here: name a contract beside it, such as Pass,1NT")
    for contract in found:
        if found.count(contract) > 1:
            name = "Pass" if contract is None else str(contract)
            raise BayesBridgeError(f"contract {name!r} is given twice: give each once", contract=contract)
        if bid is None or contract is None:
            continue
        side = (contract.declarer, contract.declarer.partner) if belief.dummy is None else pair
        if not _may(Call.bid(contract.level, contract.strain), bid, side):
            raise BayesBridgeError(
                f"contract {str(contract)!r}: {bid[1]} by {bid[0].name} outranks it: name a higher one",
                contract=contract,
            )
    return found


def contract_if_passed(belief: Perspective, pair: Pair) -> Contract | None:
    """What a pass of the pair means: the contract that stands; ``None``, which pays nothing, where nobody has bid.

    With three players another's contract counts as nothing too: what its declarer loses is not all the pair's.
    """
    passed = None if belief.auction is None else belief.auction.standing_contract
    return passed if passed is None or belief.dummy is None or passed.declarer in pair else None


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


def contract_named(belief: Perspective, named: str | Contract, pair: Pair, doubled: int = 0) -> Contract | None:
    """The contract with its declarer, of the pair unless the text says so; ``doubled`` unless the text says more.

    ``Pass`` is the contract that it leaves, ``None`` where that is none. With four players the others' may be named.
    """
    if isinstance(named, str) and named.strip().upper() in ("PASS", "P"):
        return contract_if_passed(belief, pair)
    whole = isinstance(named, Contract) or len(named.split()) == 3
    contract = Contract.of(named) if whole else Contract.of(named, pair[0])
    if not whole:
        declarer = _declarer(belief, contract.strain, pair)
        contract = Contract(contract.level, contract.strain, declarer, max(contract.doubled, doubled))
    seat = contract.declarer
    if seat not in pair and belief.dummy is not None:
        raise BayesBridgeError(
            f"contract {str(contract)!r}: with three players what {seat.name} loses is not all yours: name a contract "
            "of your own, or Pass",
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
