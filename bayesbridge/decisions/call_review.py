"""What every call on record cost: by what its caller could know then, beside the call
that is recommended.

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

REVIEW_LAYOUTS: Final = 128  # on which each call on record is compared

COSTLY: Final = "costly"
LEVEL: Final = "level"
BEST: Final = "best"


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """One call on record."""

    number: int  #: Calls made before it.
    seat: Seat
    call: Call
    best: Call  #: The call that is recommended.
    chance: float  #: P(call ∣ hand, auction) by the bidder.
    cost: Estimate[float]  #: IMPs by which the recommended call is ahead of it.
    choices: int  #: Calls that were compared; 1 where there was nothing to choose.

    @property
    def verdict(self) -> str:
        """``best``, ``level`` or ``costly``."""
        if self.call == self.best:
            return BEST
        return COSTLY if self.cost.mean > GUARD * self.cost.error else LEVEL

    def document(self) -> dict[str, Any]:
        """As plain data."""
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
    """Every call that one of the players made, in order; none of it depends on hidden
    hands or on what came after the call.
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
        if seat in players and hand is not None:
            before = Auction(auction.first, auction.calls[:number])
            belief = Belief(seat, hand, dummy=None, bidder=model)
            belief = belief.given(before) if number else belief
            values = call_values(
                belief,
                [call],
                vulnerable=vulnerable,
                layouts=layouts,
                rng=seed + number,
            )
            yield judged(number, call, values)


def judged(number: int, call: Call, values: CallValues) -> JudgedCall:
    """A call beside the one that is recommended."""
    best = values.best.call
    cost = Estimate(0.0, 0.0) if call == best else values.lead(best, call)
    chance = values.of(call).chance
    return JudgedCall(number, values.seat, call, best, chance, cost, len(values.rows))


def review_calls(
    record: Record, players: Sequence[Seat | str] | str = "NESW", **how: Any
) -> pandas.DataFrame:
    """What every call on record cost its player, a row each in the order made.

    Columns: ``seat``, ``call``, ``best`` (the recommended one), ``chance`` (of the call,
    by the bidder), ``cost`` with its ``cost_error`` (IMPs), ``choices``, and ``verdict``:
    ``best``, ``level`` (within two errors) or ``costly``. Further arguments:
    ``layouts`` (128 for each call), ``bidder``, ``rng``.
    """
    import pandas

    rows = judged_calls(record, [Seat.of(seat) for seat in players], **how)
    return pandas.DataFrame([row.document() for row in rows])


def call_costs(rows: Sequence[JudgedCall]) -> dict[str, Any]:
    """For ``--json``: the IMPs that costly calls lost.

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
    lines = [
        [
            f"{SEATS[row.seat.name]} {call_word(row.call)}",
            percent(row.chance, 0),
            call_word(row.best),
            LEVEL if row.verdict == LEVEL else cost_text(row.cost),
            row.verdict if row.verdict == COSTLY else "",
        ]
        for row in review.calls
        if row.choices > 1
    ]
    columns = ["call", EXPERTS, "best", "IMPs behind it", ""]
    note = (
        "IMPs behind the call that is recommended, on average over what the caller could "
        "know then, if all bid on as experts do; level: within two standard errors."
    )
    return Table(f"{review.record.title}: calls", columns, lines, [note])


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
