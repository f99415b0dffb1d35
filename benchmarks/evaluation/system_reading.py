"""Are calls read better if the system is named that the pair plays? By family.

    python benchmarks/evaluation/system_reading.py records.pbn --tables 400

Pairs whose openings on record are those of a system, on deals that are not of the test
list, are taken to play it. Of their tables on test deals: log P(call ∣ hand) at every
place that the system speaks of, by ``SystemBidder`` less that by the base model, in
nats a call, with the error between deals.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from instrument import options, show, start

from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.bidders.systems import System, place_of
from bayesbridge.display.markup import Table
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Hand, Suit
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.benchmark import is_test

FEWEST: Final = 8
"""Calls of a kind that are needed to say how a pair means it."""

FEWEST_IN_FAMILY: Final = 20
"""Calls that a family needs for a row of its own."""

NAMES_OF_LENGTH: Final = {
    0: "opening",
    1: "defence",
    2: "answer",
    3: "advance",
    4: "opener's second call",
    6: "responder's second call",
}


class Turn(NamedTuple):
    """A call on record of a pair."""

    deal: Deal
    hand: Hand
    before: Auction
    call: Call


def turns(record: Record, side: Seat) -> Iterator[Turn]:
    """The calls of a pair at a table."""
    auction = record.auction
    assert auction is not None
    assert record.deal is not None
    for index, (seat, call) in enumerate(auction):
        if seat in (side, side.partner):
            before = Auction(auction.first, auction.calls[:index])
            yield Turn(record.deal, record.deal[seat], before, call)


class Habits:
    """How a pair means the calls that tell systems apart."""

    def __init__(self) -> None:
        self.tables = 0
        self.met: Counter[str] = Counter()
        self.sums: Counter[str] = Counter()

    def take(self, turn: Turn) -> None:
        """Count an opening in first or second seat, or an answer to one."""
        calls = [str(call) for call in place_of(turn.before)]
        opening = not calls and len(turn.before.calls) < 2
        call = str(turn.call)
        if opening and call == "1NT":
            self._count("1NT points", turn.hand.points)
        elif opening and call in ("1H", "1S"):
            suit = Suit.of(call[1])
            self._count("five-card major", turn.hand.length(suit) >= 5)
        elif opening and call == "1C":
            self._count("strong 1C", turn.hand.points >= 16)
        elif opening and call == "2C":
            self._count("strong 2C", turn.hand.points >= 18)
        elif calls in (["1H", "Pass"], ["1S", "Pass"]) and call in ("2C", "2D"):
            self._count("game force", turn.hand.points >= 12)
        elif calls == ["1C", "Pass"] and call in ("1D", "1H"):
            suit = Suit.of(call[1])
            self._count("natural answer", turn.hand.length(suit) >= 4)

    def _count(self, kind: str, value: int) -> None:
        self.met[kind] += 1
        self.sums[kind] += value

    def mean(self, kind: str) -> float:
        """Its mean; not a number where too few were met."""
        if self.met[kind] < FEWEST:
            return float("nan")
        return self.sums[kind] / self.met[kind]

    def system(self) -> str | None:
        """The system whose openings and answers these are."""
        notrump = self.mean("1NT points")
        five = self.mean("five-card major")
        strong_club = self.mean("strong 1C")
        if five < 0.8 and notrump < 13.4:
            return "acol"
        if five > 0.93 and strong_club > 0.8:
            return "precision"
        natural = self.mean("natural answer") > 0.93 and self.mean("strong 2C") > 0.7
        if five > 0.95 and notrump > 14.9 and strong_club < 0.5 and natural:
            return "two-over-one" if self.mean("game force") > 0.7 else "sayc"
        return None


def pairs_of(record: Record) -> Iterator[tuple[str, Seat]]:
    """The pairs at a table that the record names."""
    for side in (Seat.N, Seat.E):
        pair = record.pair(side)
        if pair is not None:
            yield pair, side


def is_usable(record: object) -> bool:
    """Whether a record has all cards and an auction of four."""
    return (
        isinstance(record, Record)
        and record.deal is not None
        and record.auction is not None
        and record.auction.dummy is None
    )


def systems_of_pairs(records: Iterable[Record], tables: int) -> dict[str, str]:
    """The systems of the pairs with so many tables, as far as they can be told."""
    habits: dict[str, Habits] = defaultdict(Habits)
    for record in records:
        assert record.deal is not None
        if is_test(record.deal):
            continue
        for pair, side in pairs_of(record):
            habits[pair].tables += 1
            for turn in turns(record, side):
                habits[pair].take(turn)
    played = {
        pair: of_pair.system()
        for pair, of_pair in habits.items()
        if of_pair.tables >= tables
    }
    return {pair: system for pair, system in played.items() if system is not None}


@cache
def family_of(calls: tuple[Call, ...]) -> str:
    """A word for a place: what kind of call comes there."""
    theirs = any(call.index for call in calls[1::2])
    name = NAMES_OF_LENGTH.get(len(calls), "later call")
    return f"{name}, they have bid" if theirs else name


class Gain(NamedTuple):
    """What naming the system gains at one call."""

    system: str
    family: str
    deal: Deal
    nats: float


def gain(system: str, turn: Turn, record: Record) -> Gain | None:
    """Nats gained at a call; ``None`` where the system says nothing."""
    if System.of(system).meanings(turn.before) is None:
        return None
    base = LearnedBidder(record.vulnerable or "none")
    auction = turn.before.after(turn.call)
    index = len(turn.before.calls)
    hands = np.array([turn.hand.mask], np.uint64)
    named = SystemBidder(system, base).log_likelihood(hands, auction, index)[0]
    plain = base.log_likelihood(hands, auction, index)[0]
    return Gain(system, family_of(place_of(turn.before)), turn.deal, named - plain)


def gains(
    records: Iterable[Record], systems: dict[str, str], tables: int
) -> Iterator[Gain]:
    """Those of the first so many tables of each system on test deals."""
    counted: Counter[str] = Counter()
    for record in records:
        assert record.deal is not None
        if not is_test(record.deal):
            continue
        for pair, side in pairs_of(record):
            system = systems.get(pair)
            if system is None or counted[system] >= tables:
                continue
            counted[system] += 1
            for turn in turns(record, side):
                gained = gain(system, turn, record)
                if gained is not None:
                    yield gained


def row(name: str, gained: list[Gain]) -> list[str | float]:
    """A name, how many calls, and nats a call with the error between deals."""
    by_deal: dict[Deal, list[float]] = defaultdict(list)
    for call_gain in gained:
        by_deal[call_gain.deal].append(call_gain.nats)
    count = len(gained)
    mean = float(np.mean([call_gain.nats for call_gain in gained]))
    residuals = [sum(nats) - mean * len(nats) for nats in by_deal.values()]
    square = np.sum(np.square(residuals))
    error = float(np.sqrt(square)) / count
    return [name, str(count), f"{mean:+.3f} ± {error:.3f}"]


def system_table(system: str, gained: list[Gain]) -> Table:
    """A row for all calls, and one for each family."""
    by_family: dict[str, list[Gain]] = defaultdict(list)
    for call_gain in gained:
        by_family[call_gain.family].append(call_gain)
    cells = [row("all", gained)]
    for family, of_family in sorted(by_family.items()):
        if len(of_family) >= FEWEST_IN_FAMILY:
            cells.append(row(family, of_family))
    return Table(system, ["calls", "number", "nats a call gained"], cells)


def main() -> None:
    """Find the pairs, and judge their calls."""
    parser = options(__doc__)
    parser.add_argument("records", help="a PBN or LIN file that names its players")
    parser.add_argument("--tables", type=int, default=400, help="of each system")
    parser.add_argument(
        "--of-pair", type=int, default=150, help="tables that a pair needs"
    )
    args = parser.parse_args()
    records = list(filter(is_usable, iter_records(args.records)))
    systems = systems_of_pairs(records, args.of_pair)
    by_system: dict[str, list[Gain]] = defaultdict(list)
    for gained in gains(records, systems, args.tables):
        by_system[gained.system].append(gained)
    tables = [system_table(*item) for item in sorted(by_system.items())]
    pairs = Counter(systems.values())
    line = ", ".join(f"{count} pairs play {name}" for name, count in pairs.items())
    document = {"pairs": systems, "calls": len(by_system)}
    show(args, document, tables, f"{line}.")


if __name__ == "__main__":
    start(main)
