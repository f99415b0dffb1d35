"""Boards: deals with their numbers, dealers and vulnerabilities, by the usual rotation of sixteen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from bayesbridge.deal import Seat
from bayesbridge.layouts import Layouts
from bayesbridge.notation.record import Record, Vulnerability

_ROTATION: Final = (
    *(Vulnerability.NONE, Vulnerability.NS, Vulnerability.EW, Vulnerability.ALL),
    *(Vulnerability.NS, Vulnerability.EW, Vulnerability.ALL, Vulnerability.NONE),
    *(Vulnerability.EW, Vulnerability.ALL, Vulnerability.NONE, Vulnerability.NS),
    *(Vulnerability.ALL, Vulnerability.NONE, Vulnerability.NS, Vulnerability.EW),
)


class Numbering(NamedTuple):
    """How boards are numbered: from ``first`` on, dealer and vulnerability by rotation unless they are given."""

    first: int = 1
    dealer: Seat | None = None
    vulnerable: Vulnerability | None = None

    def dealer_of(self, board: int) -> Seat:
        """Who deals a board.

        >>> Numbering().dealer_of(7), Numbering().vulnerable_on(7)
        (<Seat.S: 2>, <Vulnerability.ALL: 'All'>)
        """
        return self.dealer if self.dealer is not None else Seat((board - 1) % 4)

    def vulnerable_on(self, board: int) -> Vulnerability:
        """Who is vulnerable on a board."""
        return self.vulnerable if self.vulnerable is not None else _ROTATION[(board - 1) % 16]

    def records(self, layouts: Layouts) -> Iterator[Record]:
        """The deals as records that PBN and LIN can hold."""
        for board, deal in enumerate(layouts, self.first):
            yield Record(
                board=str(board),
                dealer=self.dealer_of(board),
                vulnerable=self.vulnerable_on(board),
                hands=deal.hands,
            )


USUAL: Final = Numbering()
"""From board 1 on, all by rotation."""
