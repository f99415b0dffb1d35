"""Deals as pages to print for a lesson.

The pupils' page has the hands and nothing else, the teacher's what they are about and
what can be made.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

import numpy as np

from bayesbridge.dealing.plan import solve
from bayesbridge.dealing.run import Numbering
from bayesbridge.decisions.par import par
from bayesbridge.display.markup import Table, compass, hand, text
from bayesbridge.display.words import SEATS, SYMBOLS, counted
from bayesbridge.estimators.trick_estimates import layout_solver
from bayesbridge.game.cards import Hand, Suit
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.views.html import document

MOST_SOLVED = 100
"""Deals up to which double-dummy tricks are found: a deal takes half a second."""

STRAIN_NUMBERS = {"NT": 4, "S": 3, "H": 2, "D": 1, "C": 0}
"""Strains as tables of tricks have them, with the number that the solver knows."""

SIDES = ((Seat.N, Seat.S), (Seat.E, Seat.W))

STYLE = """
@page { size: A4; margin: 14mm; }
.boards { display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); \
gap: .6rem 1.5rem; }
.boards > section, .answers .wide { break-inside: avoid; }
.boards h2 { margin: .6rem 0 .2rem; font-size: 1.05rem; }
.boards p { margin: 0; color: var(--soft); font-size: .9rem; }
.boards table.diagram td { padding: 0 .2rem; font-size: .85rem; line-height: 1.22; }
.boards table.diagram > tbody > tr > td { padding: .1rem .2rem; }
.answers { break-before: page; }
@media print { header { display: none; } .boards { grid-template-columns: 1fr 1fr; } \
.boards h2 { margin-top: 0; } }
"""


def pupils_page(
    layouts: Layouts, numbering: Numbering, shown: Collection[Seat] = tuple(Seat)
) -> str:
    """The boards with dealer and vulnerability, and of each the hands that are shown."""
    boards = [
        _board(numbering, board, deal, shown)
        for board, deal in enumerate(layouts, numbering.first)
    ]
    return document(_title(layouts), "", _grid(boards), STYLE)


def teachers_page(layouts: Layouts, numbering: Numbering) -> str:
    """The boards with all hands and the type of each deal, then the answers.

    These are points, lengths and, where a solver is installed, tricks and par.
    """
    boards = [
        _board(numbering, board, deal, tuple(Seat), numbering.type_of(board))
        for board, deal in enumerate(layouts, numbering.first)
    ]
    tables = [_hands_table(layouts, numbering), *_tricks_tables(layouts, numbering)]
    answers = "".join(table.html() for table in tables)
    body = f'<section class="answers"><h2>Answers</h2>{answers}</section>'
    title = f"{_title(layouts)}, for the teacher"
    return document(title, "", _grid(boards) + body, STYLE)


def _title(layouts: Layouts) -> str:
    return counted(len(layouts), "deal")


def _grid(boards: list[str]) -> str:
    return f'<div class="boards">{"".join(boards)}</div>'


def _board(
    numbering: Numbering,
    board: int,
    deal: Deal,
    shown: Collection[Seat],
    deal_type: str = "",
) -> str:
    """One board in HTML, with the hands of the seats that are shown.

    The type of the deal, if any, stands in its heading.
    """
    hands = dict.fromkeys(SEATS, "")
    for seat in shown:
        hands[seat.name] = hand(deal[seat].pbn, SEATS[seat.name])
    dealer = SEATS[numbering.dealer_of(board).name]
    vulnerable = numbering.vulnerable_on(board).value
    about = text(f"Dealer {dealer} · vulnerable: {vulnerable}")
    title = f"Board {board}"
    if deal_type:
        title += f" · {deal_type}"
    return f"<section><h2>{text(title)}</h2><p>{about}</p>{compass(hands)}</section>"


def _hands_table(layouts: Layouts, numbering: Numbering) -> Table:
    """Points and lengths of every hand."""
    rows: list[list[str | float]] = []
    for board, deal in enumerate(layouts, numbering.first):
        cells = [_hand_text(deal[seat]) for seat in Seat]
        rows.append([f"{board} {numbering.type_of(board)}".strip(), *cells])
    note = "High-card points, then the lengths of spades, hearts, diamonds and clubs."
    return Table("Points and lengths", ["board", *SEATS.values()], rows, [note])


def _hand_text(cards: Hand) -> str:
    """Points and the lengths of the suits, spades first."""
    lengths = "-".join(str(cards.length(suit)) for suit in reversed(Suit))
    return f"{cards.points}: {lengths}"


def _tricks_tables(layouts: Layouts, numbering: Numbering) -> list[Table]:
    """The table of double-dummy tricks of each side, and of par.

    A cell has two numbers of tricks where they depend on who of the side declares. No
    table without a solver, or of very many deals.
    """
    if layout_solver() is None or not 0 < len(layouts) <= MOST_SOLVED:
        return []
    columns = list(product(SIDES, STRAIN_NUMBERS))
    rows: list[list[str | float]] = []
    for board, tricks in enumerate(_tricks_by_deal(layouts), numbering.first):
        cells = [_tricks_text(tricks, side, strain) for side, strain in columns]
        rows.append([str(board), *cells, *_par_cells(tricks, numbering, board)])
    heads = [
        f"{side[0].name}{side[1].name} {SYMBOLS.get(strain, strain)}"
        for side, strain in columns
    ]
    notes = [
        "What double dummy takes, all four seeing all cards; 9/8: by N or E 9, by S or "
        "W 8.",
        "Par: the contract that both sides come to if they see all cards, and its score for "
        "North and South.",
    ]
    return [Table("Tricks and par", ["board", *heads, "par", "score"], rows, notes)]


def _tricks_by_deal(layouts: Layouts) -> list[list[list[int]]]:
    """Double-dummy tricks by deal, declarer N E S W and strain C D H S NT."""
    tricks = np.empty((len(layouts), len(Seat), len(STRAIN_NUMBERS)), np.int64)
    for seat, strain in product(Seat, STRAIN_NUMBERS.values()):
        tricks[:, seat, strain] = solve(layouts.masks, seat, strain)
    table: list[list[list[int]]] = tricks.tolist()
    return table


def _tricks_text(tricks: list[list[int]], side: tuple[Seat, Seat], strain: str) -> str:
    """The tricks of a side in a strain, by both its declarers where they differ."""
    number = STRAIN_NUMBERS[strain]
    by_declarer = [tricks[declarer][number] for declarer in side]
    return "/".join(str(count) for count in dict.fromkeys(by_declarer))


def _par_cells(tricks: list[list[int]], numbering: Numbering, board: int) -> list[str]:
    """The par contract and its score, with a sign."""
    value = par(tricks, numbering.vulnerable_on(board), numbering.dealer_of(board))
    contract = value.contract
    if contract is None:
        return ["passed out", "0"]
    strain = contract.strain.name
    double = "X" * contract.doubled
    name = f"{contract.level}{SYMBOLS.get(strain, strain)}{double}"
    return [
        f"{name} by {contract.declarer.name}",
        f"{value.score:+d}".replace("-", "−"),
    ]
