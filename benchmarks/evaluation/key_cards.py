"""Are the answers to 4NT foreseen? All tables of test deals on which 5C to 5S answers
partner's 4NT after a suit.

    python benchmarks/evaluation/key_cards.py collection.pbn.gz

After 4NT and a pass, the side of the 4NT having bid a suit last. The learned bidder
says P(call) with partner's hand hidden and shown, nothing known of the pair: of all 38
calls, and which of the four answers it is, where one at random is log 4 = 1.39 nats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from instrument import Floats, options, show, start

from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.display.markup import Table
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import PASS, Call
from bayesbridge.game.cards import Strain
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.benchmark import is_test

ASKED = Call.of("4NT")
FOUR = [Call.of(f"5{suit}").index for suit in "CDHS"]


def answers(auction: Auction) -> Iterator[int]:
    """The places of the answers in an auction."""
    calls = auction.calls
    for place in range(4, len(calls)):
        if (
            calls[place - 2] == ASKED
            and calls[place - 1] == PASS
            and calls[place].index in FOUR
        ):
            bids = [call for call in calls[place % 2 : place - 2 : 2] if call.is_bid]
            if bids and bids[-1].strain != Strain.NT:
                yield place


def judged(record: Record, place: int) -> Floats:
    """(2, 4) partner's hand hidden and shown: is it the likeliest of all calls, nats,
    the same of the four answers.
    """
    auction, deal = record.auction, record.deal
    assert auction is not None
    assert deal is not None
    before, made = (
        Auction(auction.first, auction.calls[:place]),
        auction.calls[place].index,
    )
    caller = auction.first.next(place)
    own, partner = (
        np.array([deal[seat].mask], np.uint64) for seat in (caller, caller.partner)
    )
    bidder = LearnedBidder(record.vulnerable or "none")
    found = []
    for shown in (None, partner):
        chances = bidder.probabilities(own, before, shown)[0].astype(np.float64)
        four = chances[FOUR] / chances[FOUR].sum()
        among = FOUR.index(made)
        found.append(
            (
                chances.argmax() == made,
                -np.log(chances[made]),
                four.argmax() == among,
                -np.log(four[among]),
            )
        )
    return np.array(found, np.float64)


class Row(NamedTuple):
    """Foreseen by one reading, among all calls or the four answers; means with one
    standard error.
    """

    reading: str
    among: str
    answers: int
    right: float
    right_error: float
    nats: float
    nats_error: float


def rows(records: Iterator[Record]) -> list[Row]:
    """Of all tables of test deals."""
    each = [
        judged(record, place)
        for record in records
        if record.deal is not None
        and record.auction is not None
        and is_test(record.deal)
        for place in answers(record.auction)
    ]
    if not each:
        raise BayesBridgeError(
            "no table of a test deal has an answer to 4NT after a suit"
        )
    means, errors = np.mean(each, axis=0), np.std(each, axis=0) / np.sqrt(len(each))
    return [
        Row(
            reading,
            among,
            len(each),
            *(float(part[i, j]) for j in (k, k + 1) for part in (means, errors)),
        )
        for i, reading in enumerate(("hidden", "shown"))
        for k, among in ((0, "all calls"), (2, "the four"))
    ]


def table(found: list[Row]) -> Table:
    """A row for each reading."""
    cells = [
        [
            one.reading,
            one.among,
            str(one.answers),
            f"{100 * one.right:.1f} ± {100 * one.right_error:.1f} %",
            f"{one.nats:.3f} ± {one.nats_error:.3f}",
        ]
        for one in found
    ]
    return Table(
        "Answers to 4NT after a suit",
        ["partner's hand", "among", "answers", "foreseen", "nats"],
        cells,
    )


def main() -> None:
    """Compare the answers on record with what is foreseen."""
    parser = options(__doc__)
    parser.add_argument("records", help="a PBN or LIN file")
    args = parser.parse_args()
    found = rows(one for one in iter_records(args.records) if isinstance(one, Record))
    show(args, {"rows": [one._asdict() for one in found]}, [table(found)])


if __name__ == "__main__":
    start(main)
