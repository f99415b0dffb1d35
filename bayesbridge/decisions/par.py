"""Par: what a deal scores if all four see all cards and bid as well as can be.

The bidding is a game of two sides. A side outbids the other where it gains by it, and a
contract that fails is doubled. Worked backwards from seven no trumps, each bid is worth
what the other side's best answer to it leaves; the dealer's side begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from bayesbridge.game.calls import CALLS, Call, Contract, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.game.scoring import Duplicate

BIDS: Final = tuple(call for call in CALLS if call.is_bid)
"""From one club to seven no trumps."""

SIDES: Final = ((Seat.N, Seat.S), (Seat.E, Seat.W))
"""The pairs, by the number of their side."""
BOOK: Final = 6
"""Tricks that count for no level of a contract."""


@dataclass(frozen=True, slots=True)
class Par:
    """What a deal is worth, and the contract that it comes from."""

    score: int  #: Duplicate score of North and South.
    contract: Contract | None  #: ``None`` where the deal is passed out.


class _Outcome(NamedTuple):
    """Where the bidding ends, by a score of North and South."""

    score: int
    contract: Contract | None


def par(
    tricks: Sequence[Sequence[int]],
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    dealer: Seat | str = Seat.N,
) -> Par:
    """The par of a deal from its double-dummy tricks.

    Parameters
    ----------
    tricks : sequence of four sequences of five ints
        Tricks that North, East, South and West take as declarer in clubs, diamonds,
        hearts, spades and no trumps.
    vulnerable : Vulnerability or str
        Which sides are vulnerable.
    dealer : Seat or str
        Who calls first, which decides where both sides could make the same contract.

    Returns
    -------
    Par
        The score of North and South, and a contract that gives it: the highest, but no
        higher than game without a slam.

    Examples
    --------
    North and South make four spades, East and West go two down in five clubs:

    >>> table = [[5, 6, 7, 10, 9], [8, 7, 6, 3, 4], [5, 6, 7, 10, 9], [9, 7, 6, 3, 4]]
    >>> par(table), par(table, "EW").score
    (Par(score=300, contract=Contract.of('5CX by W')), 420)
    """
    scoring = Duplicate(Vulnerability.of(vulnerable))
    # By side, 0 for North and South: the best of the bids from seven no trumps down to
    # the one that is looked at. Those of the other side may overcall it.
    best_bid: list[_Outcome | None] = [None, None]
    for bid in reversed(BIDS):
        north_south, east_west = best_bid
        by_north_south = _worth_of_bid(bid, 0, tricks, scoring, overcall=east_west)
        by_east_west = _worth_of_bid(bid, 1, tricks, scoring, overcall=north_south)
        best_bid = [
            _better_bid(0, by_north_south, north_south),
            _better_bid(1, by_east_west, east_west),
        ]
    dealers_side = int(Seat.of(dealer)) % 2
    other_side = 1 - dealers_side
    passed_out = _Outcome(0, None)
    after_pass = _preferred(other_side, passed_out, best_bid[other_side])
    outcome = _preferred(dealers_side, after_pass, best_bid[dealers_side])
    return Par(outcome.score, outcome.contract)


def _worth_of_bid(
    bid: Call,
    side: int,
    tricks: Sequence[Sequence[int]],
    scoring: Duplicate,
    overcall: _Outcome | None,
) -> _Outcome:
    """What a bid of one side, 0 or 1, is worth after the other's best answer.

    The other side lets it play, or makes its best ``overcall`` of any higher bid,
    whichever it prefers.
    """
    strain = bid.strain
    assert strain is not None
    declarer = max(SIDES[side], key=lambda seat: tricks[seat][strain])
    taken = int(tricks[declarer][strain])
    doubled = int(taken < BOOK + bid.level)
    contract = Contract(bid.level, strain, declarer, doubled)
    declarers_score = int(scoring.score(contract, taken))
    score_of_north_south = declarers_score if side == 0 else -declarers_score
    if_it_is_played = _Outcome(score_of_north_south, contract)
    other_side = 1 - side
    return _preferred(other_side, if_it_is_played, overcall)


def _better_bid(side: int, lower: _Outcome, higher: _Outcome | None) -> _Outcome:
    """Which of two bids a side prefers.

    Of two that are worth the same the higher, but of games in one strain the lower, as
    people name them.
    """
    if higher is None:
        return lower
    if lower.score == higher.score and _same_game(lower.contract, higher.contract):
        return lower
    return _preferred(side, higher, lower)


def _same_game(lower: Contract | None, higher: Contract | None) -> bool:
    """Whether both are games of one declarer in one strain, undoubled."""
    if lower is None or higher is None:
        return False
    lower_at_level = replace(higher, level=lower.level)
    return lower == lower_at_level and lower.kind == "game" and not lower.doubled


def _preferred(side: int, outcome: _Outcome, other: _Outcome | None) -> _Outcome:
    """What a side prefers; the first of two that are worth the same.

    Scores are North and South's, so that East and West, side 1, prefer the lower.
    """
    if other is None:
        return outcome
    sign = 1 if side == 0 else -1
    return outcome if sign * outcome.score >= sign * other.score else other
