"""Deals as text: PBN, LIN, the forms of dealer, diagrams.

Forms of dealer write suits in the order S H D C and seats in the order N E S W.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from io import StringIO
from typing import Final

from bayesbridge.cards import RANKS, SUIT_MASK
from bayesbridge.dealing.boards import USUAL, Numbering
from bayesbridge.layouts import Layouts
from bayesbridge.notation import write_lin, write_pbn
from bayesbridge.words import SEATS, SYMBOLS

_COLUMN: Final = 20
_NAMES: Final = tuple(SEATS.values())

type Form = Callable[[Layouts, Numbering], Iterator[str]]
"""Deals → lines without their ends."""


@cache
def holding(field: int, gap: str = "", empty: str = "") -> str:
    """The ranks of a 13-bit field from the ace down."""
    return gap.join(RANKS[rank] for rank in range(12, -1, -1) if field >> rank & 1) or empty


def suits_of(mask: int, gap: str = "", empty: str = "") -> list[str]:
    """The four holdings of a hand, spades first."""
    return [holding(mask >> shift & SUIT_MASK, gap, empty) for shift in (39, 26, 13, 0)]


def oneline(layouts: Layouts, _: Numbering = USUAL) -> Iterator[str]:
    """One line for each deal: ``n AKQ2.KJ3.A54.Q32 e …``."""
    for masks in layouts.masks.tolist():
        yield " ".join(f"{seat} {'.'.join(suits_of(mask))}" for seat, mask in zip("nesw", masks, strict=True)) + " "


def compact(layouts: Layouts, _: Numbering = USUAL) -> Iterator[str]:
    """Four lines for each deal."""
    for masks in layouts.masks.tolist():
        yield from (f"{seat} {'.'.join(suits_of(mask))}" for seat, mask in zip("nesw", masks, strict=True))


def printall(layouts: Layouts, numbering: Numbering = USUAL) -> Iterator[str]:
    """The four hands beside each other, under the number of the board."""
    for board, masks in enumerate(layouts.masks.tolist(), numbering.first):
        yield f"{board:4}."
        yield from _beside(masks)
        yield ""


def printew(layouts: Layouts, _: Numbering = USUAL) -> Iterator[str]:
    """The hands of West and East."""
    for masks in layouts.masks.tolist():
        yield from _beside([masks[3], masks[1]])
        yield ""


def one_hand(layouts: Layouts, seat: int, numbering: Numbering = USUAL) -> Iterator[str]:
    """All hands of one seat, four beside each other, as a page for a player."""
    yield from ("", "", f"{_NAMES[seat]} hands:", "", "", "")
    hands = [masks[seat] for masks in layouts.masks.tolist()]
    for begin in range(0, len(hands), 4):
        row = hands[begin : begin + 4]
        numbers = range(numbering.first + begin, numbering.first + begin + len(row))
        yield "".join(f"{number:4}.".ljust(_COLUMN) for number in numbers)
        yield from _beside(row)
        yield ""


def _beside(hands: list[int]) -> Iterator[str]:
    columns = [suits_of(mask, " ", "-") for mask in hands]
    for row in zip(*columns, strict=True):
        yield "".join(f"{cards} ".ljust(_COLUMN) for cards in row[:-1]) + f"{row[-1]} "


def pbn(layouts: Layouts, numbering: Numbering = USUAL) -> Iterator[str]:
    """A PBN export."""
    text = StringIO()
    write_pbn(numbering.records(layouts), text)
    yield from text.getvalue().splitlines()


def lin(layouts: Layouts, numbering: Numbering = USUAL) -> Iterator[str]:
    """LIN, a line for each board."""
    text = StringIO()
    write_lin(numbering.records(layouts), text)
    yield from text.getvalue().splitlines()


def diagram(layouts: Layouts, numbering: Numbering = USUAL) -> Iterator[str]:
    """Hands as at the table, with board, dealer and vulnerability."""
    for board, masks in enumerate(layouts.masks.tolist(), numbering.first):
        north, east, south, west = (
            [f"{symbol} {cards}" for symbol, cards in zip(SYMBOLS.values(), suits_of(mask, " ", "–"), strict=True)]
            for mask in masks
        )
        who = SEATS[numbering.dealer_of(board).name]
        corner = [f"Board {board}", f"Dealer {who}", f"Vul. {numbering.vulnerable_on(board).value}", ""]
        yield from (f"{left:<22}{suit}".rstrip() for left, suit in zip(corner, north, strict=True))
        yield from (f"{left:<22}{'':<12}{right}".rstrip() for left, right in zip(west, east, strict=True))
        yield from (f"{'':<22}{suit}".rstrip() for suit in south)
        yield ""


FORMS: Final[dict[str, Form]] = {
    "diagram": diagram,
    "pbn": pbn,
    "lin": lin,
    "oneline": oneline,
    "printall": printall,
    "printew": printew,
    "compact": compact,
}
"""Every form by its name at the command line."""
