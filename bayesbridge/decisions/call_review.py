"""What every call on record cost beside the call that is recommended.

Both are judged by what the caller could know then.

A call is *costly* where the recommended one is ahead of it by more than two standard
errors, and *level* with it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.decisions.call_answer import EXPERTS, GUARD, CallValues, call_word
from bayesbridge.decisions.call_values import call_values
from bayesbridge.decisions.review import player_name
from bayesbridge.display.markup import Table
from bayesbridge.display.words import SEATS, percent
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import NotationError
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.notation.record import Record
from bayesbridge.runtime.progress import with_progress
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pandas

REVIEW_LAYOUTS: Final = 128
"""Layouts on which each call on record is compared."""

COSTLY: Final = "costly"
LEVEL: Final = "level"
BEST: Final = "best"


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """One call on record."""

    #: Calls made before it.
    number: int
    seat: Seat
    call: Call
    #: The call that is recommended.
    best: Call
    #: P(call ∣ hand, auction) by the bidder.
    chance: float
    #: IMPs by which the recommended call is ahead of it.
    cost: Estimate[float]
    #: Calls that were compared; 1 where there was nothing to choose.
    choices: int

    @property
    def verdict(self) -> str:
        """``best``, ``level`` or ``costly``."""
        if self.call == self.best:
            return BEST
        if self.cost.mean > GUARD * self.cost.error:
            return COSTLY
        return LEVEL

    def document(self) -> dict[str, Any]:
        """The call as plain data."""
        return {
            "seat": self.seat.name,
            "call": str(self.call),
            "best": str(self.best),
            "chance": self.chance,
            **with_errors({"cost": self.cost}),
            "choices": self.choices,
            "verdict": self.verdict,
        }


def judged_calls(
    record: Record,
    players: Sequence[Seat] = tuple(Seat),
    *,
    bidder: BidderModel | None = None,
    layouts: int = REVIEW_LAYOUTS,
    rng: Seed = 0,
) -> Iterator[JudgedCall]:
    """Judge every call that one of the players made, in order.

    None of it depends on hidden hands or on what came after the call.
    """
    auction = record.auction
    if auction is None or not auction.calls:
        raise NotationError(
            f"board {record.board}: no auction on record to review: choose another board",
            board=record.board,
        )
    vulnerable = record.vulnerable or Vulnerability.NONE
    model = LearnedBidder(vulnerable) if bidder is None else bidder
    seed = int(generator(rng).integers(1 << 62))
    for number, (seat, call) in enumerate(with_progress("calls", list(auction))):
        hand = record.hands[seat]
        if seat not in players or hand is None:
            continue
        belief = Belief(seat, hand, dummy=None, bidder=model)
        if number:
            calls_before = Auction(auction.first, auction.calls[:number])
            belief = belief.given(calls_before)
        values = call_values(
            belief,
            [call],
            vulnerable=vulnerable,
            layouts=layouts,
            rng=seed + number,
        )
        yield judge_call(number, call, values)


def judge_call(number: int, call: Call, values: CallValues) -> JudgedCall:
    """Judge a call beside the one that is recommended."""
    best = values.best.call
    cost = Estimate(0.0, 0.0) if call == best else values.lead(best, call)
    chance = values.of(call).chance
    return JudgedCall(number, values.seat, call, best, chance, cost, len(values.rows))


def review_calls(
    record: Record, players: Sequence[Seat | str] | str = "NESW", **how: Any
) -> pandas.DataFrame:
    """Tell what every call on record cost its player, a row each in the order made.

    Parameters
    ----------
    record : Record
        A board with its auction.
    players : str or sequence of seats
        Those whose calls are judged, such as ``"NS"``; all by default.
    **how
        ``layouts``, on which each call is compared (128); ``bidder``, how all call;
        ``rng``, where random numbers start (0).

    Returns
    -------
    pandas.DataFrame
        ``seat``, ``call`` and the ``best`` one, which is recommended; ``chance`` of the
        call, by the bidder; ``cost`` with its ``cost_error``, in IMPs; ``choices``,
        calls that were compared; ``verdict``: ``best``, ``level`` (within two errors)
        or ``costly``.

    Raises
    ------
    NotationError
        If no auction is on record.
    """
    import pandas

    calls = judged_calls(record, [Seat.of(seat) for seat in players], **how)
    return pandas.DataFrame([call.document() for call in calls])


def call_costs(rows: Sequence[JudgedCall]) -> dict[str, Any]:
    """Add up the IMPs that costly calls lost, as plain data.

    Of calls that nothing tells from the best nothing is added up: the sum would grow
    with their number.
    """
    costly = [row for row in rows if row.verdict == COSTLY]
    return {
        "calls": len(rows),
        "choices": sum(row.choices > 1 for row in rows),
        "costly": len(costly),
        "imps_lost": sum(row.cost.mean for row in costly),
        "imps_lost_error": hypot(*(row.cost.error for row in costly)),
    }


class CallReview(NamedTuple):
    """The calls of one board."""

    record: Record
    calls: Sequence[JudgedCall]

    def document(self) -> list[dict[str, Any]]:
        """The calls as plain data, with the names of the players."""
        return [
            {**row.document(), "name": player_name(self.record, row.seat)}
            for row in self.calls
        ]

    @property
    def tables(self) -> list[Table]:
        """Calls for which another was at least as usual, and what each player lost."""
        return [calls_table(self), callers_table(callers_of([self]))]


def callers_of(reviews: Iterable[CallReview]) -> dict[str, list[JudgedCall]]:
    """The calls of each player, by name."""
    callers: dict[str, list[JudgedCall]] = {}
    for review in reviews:
        for row in review.calls:
            name = player_name(review.record, row.seat)
            callers.setdefault(name, []).append(row)
    return callers


def calls_table(review: CallReview) -> Table:
    """What every call with a choice cost."""
    lines = [_call_cells(row) for row in review.calls if row.choices > 1]
    columns = ["call", EXPERTS, "best", "IMPs behind it", ""]
    note = (
        "IMPs behind the call that is recommended, on average over what the caller could "
        "know then, if all bid on as experts do; level: within two standard errors."
    )
    return Table(f"{review.record.title}: calls", columns, lines, [note])


def _call_cells(row: JudgedCall) -> list[str | float]:
    """A line of :func:`calls_table`."""
    cost = cost_text(row.cost)
    if row.verdict == LEVEL:
        cost = LEVEL
    return [
        f"{SEATS[row.seat.name]} {call_word(row.call)}",
        percent(row.chance, 0),
        call_word(row.best),
        cost,
        COSTLY if row.verdict == COSTLY else "",
    ]


def cost_text(cost: Estimate[float]) -> str:
    """IMPs with their standard error, a dash for none."""
    if not cost.mean:
        return "–"
    return f"{cost.mean:.1f} ± {cost.error:.1f}"


def callers_table(callers: Mapping[str, Sequence[JudgedCall]]) -> Table:
    """What each player lost by costly calls."""
    lines = []
    for name, rows in callers.items():
        costs = call_costs(rows)
        lost = cost_text(Estimate(costs["imps_lost"], costs["imps_lost_error"]))
        lines.append([name, str(costs["choices"]), str(costs["costly"]), lost])
    columns = ["player", "choices", "costly", "IMPs lost by these"]
    return Table("Calls by player", columns, lines)
