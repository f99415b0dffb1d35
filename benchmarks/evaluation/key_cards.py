"""Are the answers to 4NT foreseen? Where 5C to 5S answers partner's 4NT after a suit.

    python benchmarks/evaluation/key_cards.py collection.pbn.gz

All tables of test deals count. After 4NT and a pass, the side of the 4NT having bid a
suit last. The learned bidder says P(call) with partner's hand hidden and shown, nothing
known of the pair: of all 38 calls, and which of the four answers it is, where one at
random is log 4 = 1.39 nats.
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

KEY_CARD_ASK = Call.of("4NT")
ANSWERS = [Call.of(f"5{suit}").index for suit in "CDHS"]
"""The four answers, as numbers of calls."""


def answers(auction: Auction) -> Iterator[int]:
    """The places of the answers in an auction."""
    calls = auction.calls
    for place in range(4, len(calls)):
        ask, opponents_call, answer = calls[place - 2 : place + 1]
        if ask != KEY_CARD_ASK or opponents_call != PASS or answer.index not in ANSWERS:
            continue
        own_calls = calls[place % 2 : place - 2 : 2]
        bids = [call for call in own_calls if call.is_bid]
        if bids and bids[-1].strain != Strain.NT:
            yield place


def judged(record: Record, place: int) -> Floats:
    """(2, 4) how an answer is foreseen, partner's hand hidden and shown.

    Is it the likeliest of all calls, and its nats; the same of the four answers.
    """
    auction = record.auction
    deal = record.deal
    assert auction is not None
    assert deal is not None
    before = Auction(auction.first, auction.calls[:place])
    call = auction.calls[place].index
    caller = auction.first.next(place)
    own_hand = np.array([deal[caller].mask], np.uint64)
    partners_hand = np.array([deal[caller.partner].mask], np.uint64)
    bidder = LearnedBidder(record.vulnerable or "none")
    answer = ANSWERS.index(call)
    figures = []
    for shown_hand in (None, partners_hand):
        chances = bidder.probabilities(own_hand, before, shown_hand)[0]
        chances = chances.astype(np.float64)
        answer_chances = chances[ANSWERS] / chances[ANSWERS].sum()
        among_calls = (chances.argmax() == call, -np.log(chances[call]))
        among_answers = (
            answer_chances.argmax() == answer,
            -np.log(answer_chances[answer]),
        )
        figures.append((*among_calls, *among_answers))
    return np.array(figures, np.float64)


class Row(NamedTuple):
    """Foreseen by one reading, among all calls or the four answers.

    Means with one standard error.
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
    figures = []
    for record in records:
        if record.deal is None or record.auction is None or not is_test(record.deal):
            continue
        for place in answers(record.auction):
            figures.append(judged(record, place))
    if not figures:
        raise BayesBridgeError(
            "no table of a test deal has an answer to 4NT after a suit"
        )
    mean = np.mean(figures, axis=0)
    error = np.std(figures, axis=0) / np.sqrt(len(figures))
    table_rows = []
    for reading_row, reading in enumerate(("hidden", "shown")):
        for column, among in ((0, "all calls"), (2, "the four")):
            row = Row(
                reading,
                among,
                answers=len(figures),
                right=float(mean[reading_row, column]),
                right_error=float(error[reading_row, column]),
                nats=float(mean[reading_row, column + 1]),
                nats_error=float(error[reading_row, column + 1]),
            )
            table_rows.append(row)
    return table_rows


def table(rows: list[Row]) -> Table:
    """A row for each reading."""
    cells = [
        [
            row.reading,
            row.among,
            str(row.answers),
            f"{100 * row.right:.1f} ± {100 * row.right_error:.1f} %",
            f"{row.nats:.3f} ± {row.nats_error:.3f}",
        ]
        for row in rows
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
    records = iter_records(args.records)
    foreseen = rows(record for record in records if isinstance(record, Record))
    show(args, {"rows": [row._asdict() for row in foreseen]}, [table(foreseen)])


if __name__ == "__main__":
    start(main)
