"""The boards of a session as a page to read or to print: what every card cost.

Cards are judged by what their players could know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bayesbridge.decisions.review import (
    BoardReview,
    alert_sentences,
    players_of,
    players_table,
    review_table,
    session_table,
)
from bayesbridge.display.markup import Table, calls, compass, hand, sentence, text
from bayesbridge.display.words import SEATS, counted
from bayesbridge.game.deal import Seat
from bayesbridge.notation.record import Record
from bayesbridge.views.html import document

STYLE = """
@page { size: A4; margin: 14mm; }
.board { break-inside: avoid; }
.board > div { display: flex; flex-wrap: wrap; gap: .3rem 2rem; align-items: flex-start; }
.board table.diagram td { padding: .05rem .25rem; font-size: .9rem; line-height: 1.25; }
.board table.calls { width: auto; font-size: .9rem; }
.board table.calls :is(td, th) { text-align: left; padding: .1rem .8rem .1rem 0; }
@media print { header .look { display: none; } }
"""


def session_page(reviews: Sequence[BoardReview]) -> str:
    """A line for each player, then every board with the cards that cost."""
    make_table = session_table if len(reviews) > 1 else players_table
    players = make_table(players_of(reviews)).html()
    tables = [
        review_table(review.cards, "Cards that were costly or unlucky")
        for review in reviews
    ]
    boards = "".join(
        _board(review.record, costly)
        for review, costly in zip(reviews, tables, strict=True)
    )
    # The tables of all boards have the same notes.
    notes = sentence(" ".join(tables[0].notes))
    title = f"{counted(len(reviews), 'board')}, card by card"
    return document(title, "", f"<section>{players}{notes}</section>{boards}", STYLE)


def _board(record: Record, costly: Table) -> str:
    """A board with its hands, its auction, and the cards that cost."""
    title = text(f"{record.title}: {record.contract}")
    diagrams = _hands(record) + _auction(record)
    alerts = "".join(map(sentence, alert_sentences(record)))
    judged = sentence("No card was costly or unlucky.")
    if costly.rows:
        judged = replace(costly, notes=()).html()
    return (
        f'<section class="board"><h2>{title}</h2><div>{diagrams}</div>'
        f"{alerts}{judged}</section>"
    )


def _hands(record: Record) -> str:
    """The four hands with their players; nothing where the deal is not on record."""
    deal = record.deal
    if deal is None:
        return ""
    hands = {}
    for seat in Seat:
        seat_name = SEATS[seat.name]
        head = f"{seat_name} {record.tag(seat_name)}".strip()
        hands[seat.name] = hand(deal[seat].pbn, head)
    return compass(hands)


def _auction(record: Record) -> str:
    """The auction; nothing where it is not on record."""
    if record.auction is None:
        return ""
    return calls(
        "NESW", [(seat.name, str(call)) for seat, call in record.auction], None
    )
