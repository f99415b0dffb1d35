"""Deals as a page to print for a lesson: hands first, and what the teacher wants to
know on the last page.
"""

from __future__ import annotations

from bayesbridge.deal import Seat
from bayesbridge.dealing.plan import solve
from bayesbridge.dealing.run import Numbering
from bayesbridge.estimators.odds import layout_solver
from bayesbridge.layouts import Layouts
from bayesbridge.markup import Table, compass, hand, text
from bayesbridge.views.html import document
from bayesbridge.words import SEATS, number

# Deals up to which double-dummy tricks are found: a deal takes about half a second
SOLVED = 100

STYLE = """
@page { size: A4; margin: 14mm; }
.boards { display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: .6rem 1.5rem; }
.boards > section, .answers .wide { break-inside: avoid; }
.boards h2 { margin: .6rem 0 .2rem; font-size: 1.05rem; }
.boards p { margin: 0; color: var(--soft); font-size: .9rem; }
.boards table.diagram td { padding: 0 .2rem; font-size: .85rem; line-height: 1.22; }
.boards table.diagram > tbody > tr > td { padding: .1rem .2rem; }
.answers { break-before: page; }
@media print { header { display: none; } .boards { grid-template-columns: 1fr 1fr; } .boards h2 { margin-top: 0; } }
"""


def lesson_page(layouts: Layouts, numbering: Numbering) -> str:
    """The boards with dealer, vulnerability and type; then points, lengths and, where a
    solver is installed, tricks.
    """
    boards = range(numbering.first, numbering.first + len(layouts))
    sections, rows = [], []
    for board, deal, points in zip(
        boards, layouts, layouts.points.tolist(), strict=True
    ):
        kind, vulnerable = (
            numbering.type_of(board),
            numbering.vulnerable_on(board).value,
        )
        hands = {seat.name: hand(deal[seat].pbn, SEATS[seat.name]) for seat in Seat}
        about = f"Dealer {SEATS[numbering.dealer_of(board).name]} · vulnerable: {vulnerable}"
        title = f"Board {board}{f' · {kind}' if kind else ''}"
        sections.append(
            f"<section><h2>{text(title)}</h2><p>{text(about)}</p>{compass(hands)}</section>"
        )
        shapes = [
            "-".join(str(len(ranks)) for ranks in deal[seat].pbn.split("."))
            for seat in Seat
        ]
        cells = [f"{held}: {shape}" for held, shape in zip(points, shapes, strict=True)]
        rows.append([f"{board} {kind}".strip(), *cells])
    note = "High-card points, then the lengths of spades, hearts, diamonds and clubs."
    answers = [
        Table("Points and lengths", ["board", *SEATS.values()], rows, [note]),
        *_tricks(layouts, boards),
    ]
    body = f'<div class="boards">{"".join(sections)}</div>'
    body += f'<section class="answers"><h2>Answers</h2>{"".join(table.html() for table in answers)}</section>'
    return document(f"{number(len(layouts))} deals", "", body, STYLE)


def _tricks(layouts: Layouts, boards: range) -> list[Table]:
    """Double-dummy tricks of each side; nothing without a solver, or of very many
    deals.
    """
    if layout_solver() is None or not 0 < len(layouts) <= SOLVED:
        return []
    strains = {"NT": 4, "♠": 3, "♥": 2, "♦": 1, "♣": 0}

    def cells(side: tuple[Seat, Seat], strain: int) -> list[str]:
        taken = [solve(layouts.masks, seat, strain).tolist() for seat in side]
        return [
            str(one) if one == other else f"{one}/{other}"
            for one, other in zip(*taken, strict=True)
        ]

    sides = (Seat.N, Seat.S), (Seat.E, Seat.W)
    columns = [cells(side, strain) for side in sides for strain in strains.values()]
    heads = [
        f"{one.name}{other.name} {name}" for one, other in sides for name in strains
    ]
    rows = [
        [str(board), *row]
        for board, row in zip(boards, zip(*columns, strict=True), strict=True)
    ]
    note = "What double dummy takes, all four seeing all cards; 9/8: by N or E 9, by S or W 8."
    return [Table("Tricks", ["board", *heads], rows, [note])]
