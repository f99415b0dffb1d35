"""Twenty calls that players know, and what :func:`bayesbridge.call_values` says.

    python benchmarks/evaluation/textbook_calls.py --layouts 512

Each has a reason as books give it. Nobody bid these hands: they are made up to the
reason. Where the answer differs from the book, that is for the reader to judge.
"""

from __future__ import annotations

from typing import NamedTuple

from instrument import options, show, start

import bayesbridge as bb
from bayesbridge.decisions.call_answer import CallValues, call_word
from bayesbridge.decisions.call_values import LAYOUTS
from bayesbridge.display.markup import Table
from bayesbridge.display.words import percent
from bayesbridge.runtime.progress import with_progress


class TextbookCall(NamedTuple):
    """A decision of South, what a book calls, and why."""

    kind: str
    hand: str
    auction: str
    """The calls so far after who dealt; empty where South opens."""
    book: str
    reason: str
    vulnerable: str = "None"


POSITIONS = (
    TextbookCall(
        "opening at the edge", "AQ753.KJ4.Q86.52", "S:", "1S",
        "twelve points and a good major: the rule of twenty is met",
    ),
    TextbookCall(
        "opening at the edge", "QJ3.K74.QJ62.K85", "S:", "Pass",
        "twelve points of queens and jacks, flat and without an ace",
    ),
    TextbookCall(
        "opening at the edge", "5.KQJ9753.84.962", "S:", "3H",
        "seven good cards and nothing else: take their room",
    ),
    TextbookCall(
        "balancing", "KJ84.85.AQ73.T92", "W:1H Pass Pass", "X",
        "in the last seat a king is borrowed: do not sell out to 1H",
    ),
    TextbookCall(
        "balancing", "A8.J964.K853.Q72", "W:1S Pass Pass", "Pass",
        "short of shape and of points, spades may be partner's",
    ),
    TextbookCall(
        "balancing", "Q964.82.KJ5.A963", "E:1H Pass 2H Pass Pass", "X",
        "they have a fit, so we have one: push them to the three level",
    ),
    TextbookCall(
        "game try", "AQ942.K3.A54.Q32", "S:1S Pass 2S Pass", "2NT",
        "fifteen points opposite six to nine: ask",
    ),
    TextbookCall(
        "game try", "AKJ942.K3.A54.Q2", "S:1S Pass 2S Pass", "4S",
        "six trumps and seventeen points need no help",
    ),
    TextbookCall(
        "game try", "KQ942.QJ3.A54.J2", "S:1S Pass 2S Pass", "Pass",
        "a minimum: game needs a perfect raise",
    ),
    TextbookCall(
        "slam try", "AKJ73.Q2.AKJ4.K3", "S:1S Pass 3S Pass", "4NT",
        "twenty-one points opposite a limit raise: ask for key cards",
    ),
    TextbookCall(
        "slam try", "A4.KQT7.K532.987", "N:1NT Pass", "2C",
        "twelve points and four hearts: look for the fit, slam is far",
    ),
    TextbookCall(
        "slam try", "AQ5.KQ4.KJ73.AJ2", "N:1NT Pass", "6NT",
        "twenty points opposite fifteen to seventeen: thirty-five or more",
    ),
    TextbookCall(
        "sacrifice", "QJT97.4.KQ832.92", "W:1H 1S 4H", "4S",
        "five trumps, a singleton and no defence, at the right vulnerability", "EW",
    ),
    TextbookCall(
        "sacrifice", "QJT97.4.KQ832.92", "W:1H 1S 4H", "4S",
        "the same, now vulnerable against not: five hundred is too much", "NS",
    ),
    TextbookCall(
        "penalty double", "KJ94.A82.AQ6.K73", "S:1NT 2S Pass Pass", "X",
        "seventeen points and four trumps behind nobody: they have no room", "EW",
    ),
    TextbookCall(
        "penalty double", "AQ84.K7.AJ3.KQ52", "S:1C Pass 1D 1S", "1NT",
        "spades stopped twice and eighteen points: describe the hand",
    ),
    TextbookCall(
        "raise or new suit", "J84.AK973.Q62.85", "N:1S Pass", "2S",
        "three trumps and ten points: support before hearts",
    ),
    TextbookCall(
        "raise or new suit", "J4.AQ973.KJ2.865", "N:1S Pass", "2H",
        "two trumps and five good hearts",
    ),
    TextbookCall(
        "raise or new suit", "K942.3.KQ84.J762", "N:1H Pass", "1S",
        "four spades up the line over a suit that does not fit",
    ),
    TextbookCall(
        "raise or new suit", "QJ84.KJT5.A2.953", "N:1H Pass", "3H",
        "four trumps and eleven points: a limit raise before spades",
    ),
)  # fmt: skip


def values_of(position: TextbookCall, layouts: int, seed: int) -> CallValues:
    """What the calls of a position are worth, the book's among them."""
    first, _, calls = position.auction.partition(":")
    bidder = bb.LearnedBidder(position.vulnerable)
    belief = bb.Belief("S", position.hand, bidder=bidder)
    if calls:
        belief = belief.given(bb.Auction.of(f"{first}:{calls}"))
    return bb.call_values(belief, position.book, layouts=layouts, rng=seed)


def row_of(position: TextbookCall, values: CallValues) -> list[str]:
    """Hand, auction, the book's call with its gain, experts' and the recommended."""
    book = values.of(position.book)
    rivals = [
        f"{call_word(row.call)} {values.gain_text(row.gain)}"
        for row in values.rows
        if row.gain is not None and row is not book
    ]
    reference = values.reference
    return [
        position.kind,
        f"{position.hand} {position.auction}",
        f"{call_word(book.call)} {values.gain_text(book.gain)}",
        f"{call_word(reference.call)} {percent(reference.chance, 0)}",
        call_word(values.best.call),
        ", ".join(rivals),
    ]


def main() -> None:
    """Judge all positions."""
    parser = options(__doc__)
    parser.add_argument("--layouts", type=int, default=LAYOUTS)
    args = parser.parse_args()
    rows = []
    documents = []
    for position in with_progress("positions", POSITIONS):
        values = values_of(position, args.layouts, args.seed)
        rows.append([*row_of(position, values), position.reason])
        documents.append({**position._asdict(), **values.document()})
    columns = ["kind", "hand and calls", "the book", "experts", "recommended", "others"]
    title = f"Twenty calls of books, {args.layouts} layouts"
    table = Table(title, [*columns, "the book's reason"], rows, left=len(columns))
    show(args, {"positions": documents}, [table])


if __name__ == "__main__":
    start(main)
