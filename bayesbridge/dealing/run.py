"""Deals as boards and as text, and what the actions of a script make of them.

The texts are PBN, LIN, diagrams, and the forms of the dealer program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from io import StringIO
from itertools import batched
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.dealing.language import Action, Script
from bayesbridge.dealing.plan import Counts, DealPlan
from bayesbridge.display.words import SEATS, SYMBOLS, number
from bayesbridge.evidence.expressions import LayoutValues
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.cards import SUIT_CARDS, SUIT_MASK, Suit, ranks_of
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation import write_lin, write_pbn
from bayesbridge.notation.record import Record


class Numbering(NamedTuple):
    """How boards are numbered: from ``first`` on.

    Dealer and vulnerability rotate unless they are given.
    """

    first: int = 1
    dealer: Seat | None = None
    vulnerable: Vulnerability | None = None
    types: Sequence[str] = ()
    """The type of each deal from board 1 on, where types were asked for."""

    def type_of(self, board: int) -> str:
        """Return the type of the deal of a board, empty without types."""
        return self.types[board - 1] if self.types else ""

    def dealer_of(self, board: int) -> Seat:
        """Return who deals a board."""
        if self.dealer is not None:
            return self.dealer
        return Seat((board - 1) % 4)

    def vulnerable_on(self, board: int) -> Vulnerability:
        """Return who is vulnerable on a board.

        By turns, one further in each round of four.
        """
        if self.vulnerable is not None:
            return self.vulnerable
        boards_before = board - 1
        rounds_before = boards_before // 4
        return list(Vulnerability)[(boards_before + rounds_before) % 4]

    def records(self, layouts: Layouts) -> Iterator[Record]:
        """Yield the deals as records."""
        for board, deal in enumerate(layouts, self.first):
            yield Record(
                board=str(board),
                dealer=self.dealer_of(board),
                vulnerable=self.vulnerable_on(board),
                hands=deal.hands,
            )


COLUMN: Final = 20
"""Characters of a hand that others stand beside."""

CORNER: Final = 22
"""Characters of a diagram to the left of North and South."""

MIDDLE: Final = 12
"""Characters of a diagram between West and East."""

BELOW: Final = "Low"
ABOVE: Final = "High"
"""The bins of a frequency outside its range."""

type Form = Callable[[Layouts, Numbering], Iterator[str]]
"""Deals → lines without their ends."""


_SUIT_SHIFTS: Final = tuple(int(SUIT_CARDS * suit) for suit in reversed(Suit))
"""Bits below each suit of a mask, spades first."""


@cache
def holding(rank_mask: int, gap: str = "", empty: str = "") -> str:
    """Write the ranks of a suit, high cards first, with a gap between them."""
    return gap.join(ranks_of(rank_mask)) or empty


def suits_of(mask: int, gap: str = "", empty: str = "") -> list[str]:
    """Write the ranks of the four suits of a hand, spades first."""
    return [holding(mask >> shift & SUIT_MASK, gap, empty) for shift in _SUIT_SHIFTS]


def compact(layouts: Layouts, _: Numbering) -> Iterator[str]:
    """Write a line for each hand."""
    for masks in layouts.masks.tolist():
        for seat, mask in zip("nesw", masks, strict=True):
            yield f"{seat} {'.'.join(suits_of(mask))}"


def oneline(layouts: Layouts, numbering: Numbering) -> Iterator[str]:
    """Write a line for each deal."""
    for hands in batched(compact(layouts, numbering), len(Seat)):
        yield " ".join(hands) + " "


def hands_in_columns(
    seats: Sequence[Seat], layouts: Layouts, numbering: Numbering
) -> Iterator[str]:
    """Write the hands of some seats beside each other, a line for each suit.

    Where all four seats are shown, the number of the board stands above them.
    """
    for board, masks in enumerate(layouts.masks.tolist(), numbering.first):
        if len(seats) == len(Seat):
            yield f"{board:4}."
        suits_by_hand = [suits_of(masks[seat], " ", "-") for seat in seats]
        for holdings_of_suit in zip(*suits_by_hand, strict=True):
            *first_holdings, last_holding = holdings_of_suit
            columns = [f"{cards} ".ljust(COLUMN) for cards in first_holdings]
            yield "".join([*columns, f"{last_holding} "])
        yield ""


def in_file(
    write: Callable[[Iterator[Record], StringIO], object],
    layouts: Layouts,
    numbering: Numbering,
) -> Iterator[str]:
    """Write the lines of a file of records.

    In PBN, the only format with lines ``[Deal …``, the type of a deal follows its line
    as a comment.
    """
    text = StringIO()
    write(numbering.records(layouts), text)
    board = numbering.first
    for line in text.getvalue().splitlines():
        yield line
        if line.startswith("[Deal "):
            if numbering.types:
                comment = numbering.type_of(board).replace("}", ")")
                yield f"{{{comment}}}"
            board += 1


def diagram(layouts: Layouts, numbering: Numbering) -> Iterator[str]:
    """Write North above, South below, and the facts of the board in the corner."""
    for board, masks in enumerate(layouts.masks.tolist(), numbering.first):
        north, east, south, west = map(_suit_lines, masks)
        corner = [
            f"Board {board}",
            f"Dealer {SEATS[numbering.dealer_of(board).name]}",
            f"Vul. {numbering.vulnerable_on(board).value}",
            numbering.type_of(board),
        ]
        for fact, suit in zip(corner, north, strict=True):
            yield f"{fact:<{CORNER}}{suit}".rstrip()
        for west_suit, east_suit in zip(west, east, strict=True):
            yield f"{west_suit:<{CORNER}}{'':<{MIDDLE}}{east_suit}".rstrip()
        for suit in south:
            yield f"{'':<{CORNER}}{suit}".rstrip()
        yield ""


def _suit_lines(mask: int) -> list[str]:
    """A line for each suit of a hand."""
    suits = zip(SYMBOLS.values(), suits_of(mask, " ", "–"), strict=True)
    return [f"{symbol} {cards}" for symbol, cards in suits]


FORMS: Final[dict[str, Form]] = {
    "diagram": diagram,
    "pbn": partial(in_file, write_pbn),
    "lin": partial(in_file, write_lin),
    "oneline": oneline,
    "printall": partial(hands_in_columns, tuple(Seat)),
    "printew": partial(hands_in_columns, (Seat.W, Seat.E)),
    "compact": compact,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What an average or a frequency is over all deals that fit, or those drawn.

    An average has one expression, a frequency has one or two, each with a range.
    """

    action: Action
    #: In how many deals the expressions have each tuple of values.
    counts: Counts
    #: Whether these are all deals that fit.
    exact: bool

    @property
    def mean(self) -> tuple[Fraction, float] | None:
        """The mean of one value and its standard error, which is 0 where it is exact.

        It is ``None`` if no deal was found, and for a frequency of two values.
        """
        total = self.total
        if not total or len(self.action.values) > 1:
            return None
        deals_by_value = {value: ways for (value,), ways in self.counts.items()}
        weighted_sum = sum(value * ways for value, ways in deals_by_value.items())
        mean = Fraction(weighted_sum, total)
        if self.exact:
            return mean, 0.0
        squares = sum(
            ways * (value - mean) ** 2 for value, ways in deals_by_value.items()
        )
        variance = float(squares / total)
        return mean, sqrt(variance / max(total - 1, 1))

    @property
    def total(self) -> int:
        """How many deals it counts."""
        return sum(self.counts.values())

    @property
    def bins(self) -> Counts:
        """In how many deals the values lie in each bin, or each pair of bins.

        A tuple has the number of the bin on each axis: 0 below the range, then one for
        each value of the range, then one above it.
        """
        counts: Counter[tuple[int, ...]] = Counter()
        for values, ways in self.counts.items():
            places = map(_bin_of, values, self.action.ranges)
            counts[tuple(places)] += ways
        return counts

    def lines(self) -> Iterator[str]:
        """The statistic as the terminal shows it: a mean, a column or a table."""
        if not self.action.ranges:
            yield self._mean_line()
            return
        basis = "exact, in percent" if self.exact else f"of {number(self.total)} deals"
        yield f"Frequency {self.action.title}: ({basis})"
        bin_names_by_axis = [bin_names(low, high) for low, high in self.action.ranges]
        # One axis for each value; Python's whole numbers, which do not overflow.
        shape = tuple(len(names) for names in bin_names_by_axis)
        deals = np.zeros(shape, dtype=object)
        for places, ways in self.bins.items():
            deals[places] = ways
        if len(bin_names_by_axis) == 1:
            yield from self._column_lines(bin_names_by_axis[0], deals.tolist())
        else:
            row_names, column_names = bin_names_by_axis
            yield from self._table_lines(row_names, column_names, deals)

    def _mean_line(self) -> str:
        """The mean after its title."""
        words = "no deal was found"
        if self.mean is not None:
            mean, error = self.mean
            accuracy = "exact" if self.exact else f"± {error:.2g}"
            words = f"{float(mean):.6g} ({accuracy})"
        if not self.action.title:
            return words
        return f"{self.action.title}: {words}"

    def _column_lines(self, names: list[str], counts: list[int]) -> Iterator[str]:
        """A line for each value, and for the bins outside where they have deals."""
        for name, ways in zip(names, counts, strict=True):
            if ways or name not in (BELOW, ABOVE):
                yield f"{name:>5} {self._amount(ways):>12}"

    def _table_lines(
        self, row_names: list[str], column_names: list[str], deals: NDArray[Any]
    ) -> Iterator[str]:
        """The (rows, columns) counts of two values, with their sums."""
        yield _table_line("", [*column_names, "Sum"])
        for name, counts in zip(row_names, deals.tolist(), strict=True):
            yield _table_line(name, map(self._amount, [*counts, sum(counts)]))
        column_sums = deals.sum(axis=0).tolist()
        yield _table_line("Sum", map(self._amount, [*column_sums, self.total]))

    def _amount(self, ways: int) -> str:
        """A count as it is shown: in percent where it is exact."""
        if self.exact:
            return f"{100 * ways / self.total:.4f}"
        return str(ways)

    def document(self) -> dict[str, Any]:
        """The statistic as plain data.

        An average is told as ``value``, null if no deal was found. A frequency is told
        as ``values``: a list of the bins that have deals, each with its ``value`` and
        its ``share`` of the deals. The value of a table is a list of two; outside the
        range it is ``"below"`` or ``"above"``. Exact figures come with a ``fraction``
        or ``deals_that_fit``, those of ``n`` deals drawn with one standard ``error``.
        """
        document: dict[str, Any] = {
            "name": self.action.title,
            "kind": self.action.form,
            "exact": self.exact,
        }
        if not self.exact:
            document["n"] = self.total
        if not self.action.ranges:
            return document | self._mean_document()
        document["ranges"] = [[low, high] for low, high in self.action.ranges]
        document["values"] = [
            self._bin_document(places, ways)
            for places, ways in sorted(self.bins.items())
        ]
        return document

    def _mean_document(self) -> dict[str, Any]:
        """The mean, as a number and exactly or with its error."""
        mean, error = self.mean or (None, None)
        document: dict[str, Any] = {"value": None if mean is None else float(mean)}
        if self.exact:
            document["fraction"] = str(mean)
        else:
            document["error"] = error
        return document

    def _bin_document(self, places: tuple[int, ...], ways: int) -> dict[str, Any]:
        """A bin, by its number on each axis, with its share of the deals."""
        values = list(map(_value_at, places, self.action.ranges))
        share = ways / self.total
        document: dict[str, Any] = {
            "value": values if len(values) > 1 else values[0],
            "share": share,
        }
        if self.exact:
            document["deals_that_fit"] = str(ways)
        else:
            document["error"] = sqrt(share * (1 - share) / self.total)
            document["deals"] = ways
        return document


def bin_names(low: int, high: int) -> list[str]:
    """Return the names of the bins of a range, those outside it included."""
    return [BELOW, *map(str, range(low, high + 1)), ABOVE]


def _table_line(name: str, cells: Iterable[str]) -> str:
    """A line of a table of counts."""
    return f"{name:>5}" + "".join(f"{cell:>9}" for cell in cells)


def _bin_of(value: int, ends: tuple[int, int]) -> int:
    """The bin of a value: 0 below a range, then one for each value, then one above."""
    low, high = ends
    return min(max(value - low + 1, 0), high - low + 2)


def _value_at(place: int, ends: tuple[int, int]) -> int | str:
    """The value of a bin, or on which side of the range it lies."""
    low, high = ends
    if place == 0:
        return "below"
    if place > high - low + 1:
        return "above"
    return low + place - 1


def exact_statistics(script: Script, plan: DealPlan) -> list[Counts | None]:
    """Count the values of each action by tables.

    The counts are ``None`` where there are no tables for them, or where it prints.
    """
    return [
        None if action.prints else plan.counts(*action.values)
        for action in script.actions
    ]


def printed(
    script: Script, layouts: Layouts, numbering: Numbering, values: LayoutValues
) -> Iterator[str]:
    """Yield the lines that the actions which print make of each deal.

    Without such an action they are those of ``printall``. ``values`` evaluates
    expressions on the layouts: some actions also print a value of each deal.
    """
    actions = [action for action in script.actions if action.prints]
    if not actions:
        actions = [Action("printall")]
    values_by_action = [_columns(action, values) for action in actions]
    for place in range(len(layouts)):
        deal = layouts[place : place + 1]
        board = numbering._replace(first=numbering.first + place)
        for action, columns in zip(actions, values_by_action, strict=True):
            yield from _deal_lines(action.form, deal, board, is_first=place == 0)
            yield from (str(column[place]) for column in columns)


def _deal_lines(
    form_name: str, deal: Layouts, board: Numbering, *, is_first: bool
) -> Iterator[str]:
    """The lines of one deal; the head of a PBN file stands before the first alone."""
    form = FORMS.get(form_name) or FORMS[form_name.removeprefix("print")]
    for line in form(deal, board):
        is_head = form_name == "printpbn" and line.startswith("%")
        if is_first or not is_head:
            yield line


def findings(
    script: Script, exact: Sequence[Counts | None], values: LayoutValues
) -> Iterator[Finding]:
    """Yield the statistics of a script, one for each action that does not print.

    ``exact`` has the exact counts of each action; where it has ``None``, the values of
    the deals drawn are counted.
    """
    for action, counts in zip(script.actions, exact, strict=True):
        if action.prints:
            continue
        if counts is not None:
            yield Finding(action, counts, exact=True)
            continue
        columns = _columns(action, values)
        counts_of_draws = Counter(zip(*columns, strict=True))
        yield Finding(action, counts_of_draws, exact=False)


def _columns(action: Action, values: LayoutValues) -> list[list[int]]:
    """The numbers of all deals, for each value of an action."""
    return [values.of(expression).tolist() for expression in action.values]
