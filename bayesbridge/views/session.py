"""The boards of a session as a page to read or to print: what every card cost, by what
its player could know.
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


def session_page(found: Sequence[BoardReview]) -> str:
    """A line for each player first; then every board with its hands, its auction, and
    the cards that cost.
    """
    table = session_table if len(found) > 1 else players_table
    players = table(players_of(found))
    tables = [
        review_table(one.cards, "Cards that were costly or unlucky") for one in found
    ]
    boards = [
        _board(one.record, table) for one, table in zip(found, tables, strict=True)
    ]
    body = f"<section>{players.html()}{sentence(' '.join(tables[0].notes))}</section>{''.join(boards)}"
    return document(f"{counted(len(found), 'board')}, card by card", "", body, STYLE)


def _board(record: Record, costly: Table) -> str:
    shown = ""
    if (deal := record.deal) is not None:
        heads = {
            seat: f"{SEATS[seat.name]} {record.tag(SEATS[seat.name])}".strip()
            for seat in Seat
        }
        shown = compass({seat.name: hand(deal[seat].pbn, heads[seat]) for seat in Seat})
    if record.auction is not None:
        shown += calls(
            "NESW", [(seat.name, str(call)) for seat, call in record.auction], None
        )
    judged = (
        replace(costly, notes=()).html()
        if costly.rows
        else sentence("No card was costly or unlucky.")
    )
    told = "".join(map(sentence, alert_sentences(record)))
    title = text(f"{record.title}: {record.contract}")
    return f'<section class="board"><h2>{title}</h2><div>{shown}</div>{told}{judged}</section>'
