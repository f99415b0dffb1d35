"""Deals as boards and as text: PBN, LIN, diagrams, forms of the dealer program; what
the actions of a script make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from io import StringIO
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.dealing.language import Action, Script
from bayesbridge.dealing.plan import Counts, DealPlan
from bayesbridge.display.words import SEATS, SYMBOLS, number
from bayesbridge.evidence.expressions import LayoutValues
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.cards import RANKS, SUIT_MASK
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation import write_lin, write_pbn
from bayesbridge.notation.record import Record


class Numbering(NamedTuple):
    """How boards are numbered: from ``first`` on, dealer and vulnerability by rotation
    unless they are given.
    """

    first: int = 1
    dealer: Seat | None = None
    vulnerable: Vulnerability | None = None
    types: Sequence[
        str
    ] = ()  # the type of each deal from board 1 on, where types were asked for

    def type_of(self, board: int) -> str:
        return self.types[board - 1] if self.types else ""

    def dealer_of(self, board: int) -> Seat:
        return self.dealer if self.dealer is not None else Seat((board - 1) % 4)

    def vulnerable_on(self, board: int) -> Vulnerability:
        before = board - 1
        return (
            self.vulnerable
            if self.vulnerable is not None
            else list(Vulnerability)[(before + before // 4) % 4]
        )

    def records(self, layouts: Layouts) -> Iterator[Record]:
        for board, deal in enumerate(layouts, self.first):
            dealer, vulnerable = self.dealer_of(board), self.vulnerable_on(board)
            yield Record(
                board=str(board), dealer=dealer, vulnerable=vulnerable, hands=deal.hands
            )


_COLUMN: Final = 20

type Form = Callable[
    [Layouts, Numbering], Iterator[str]
]  # deals → lines without their ends


@cache
def holding(field: int, gap: str = "", empty: str = "") -> str:
    return (
        gap.join(RANKS[rank] for rank in range(12, -1, -1) if field >> rank & 1)
        or empty
    )


def suits_of(mask: int, gap: str = "", empty: str = "") -> list[str]:
    return [holding(mask >> shift & SUIT_MASK, gap, empty) for shift in (39, 26, 13, 0)]


def compact(layouts: Layouts, _: Numbering) -> Iterator[str]:
    for masks in layouts.masks.tolist():
        yield from (
            f"{seat} {'.'.join(suits_of(mask))}"
            for seat, mask in zip("nesw", masks, strict=True)
        )


def oneline(layouts: Layouts, at: Numbering) -> Iterator[str]:
    lines = compact(layouts, at)
    return (
        " ".join(hands) + " " for hands in zip(lines, lines, lines, lines, strict=True)
    )


def beside(seats: Sequence[Seat], layouts: Layouts, at: Numbering) -> Iterator[str]:
    """Hands beside each other, all four under the number of the board."""
    for board, masks in enumerate(layouts.masks.tolist(), at.first):
        yield from [f"{board:4}."] if len(seats) == 4 else []
        for row in zip(
            *(suits_of(masks[seat], " ", "-") for seat in seats), strict=True
        ):
            yield (
                "".join(f"{cards} ".ljust(_COLUMN) for cards in row[:-1])
                + f"{row[-1]} "
            )
        yield ""


def in_file(
    write: Callable[[Iterator[Record], StringIO], object],
    layouts: Layouts,
    at: Numbering,
) -> Iterator[str]:
    """The lines of a file of records; in PBN the type of a deal follows it as a
    comment.
    """
    text, board = StringIO(), at.first
    write(at.records(layouts), text)
    for line in text.getvalue().splitlines():
        yield line
        if line.startswith("[Deal "):
            yield from (
                [f"{{{at.type_of(board).replace('}', ')')}}}"] if at.types else []
            )
            board += 1


def diagram(layouts: Layouts, numbering: Numbering) -> Iterator[str]:
    for board, masks in enumerate(layouts.masks.tolist(), numbering.first):
        north, east, south, west = (
            [
                f"{symbol} {cards}"
                for symbol, cards in zip(
                    SYMBOLS.values(), suits_of(mask, " ", "–"), strict=True
                )
            ]
            for mask in masks
        )
        who = SEATS[numbering.dealer_of(board).name]
        vulnerable, kind = (
            numbering.vulnerable_on(board).value,
            numbering.type_of(board),
        )
        corner = [f"Board {board}", f"Dealer {who}", f"Vul. {vulnerable}", kind]
        yield from (
            f"{left:<22}{suit}".rstrip()
            for left, suit in zip(corner, north, strict=True)
        )
        yield from (
            f"{left:<22}{'':<12}{right}".rstrip()
            for left, right in zip(west, east, strict=True)
        )
        yield from (f"{'':<22}{suit}".rstrip() for suit in south)
        yield ""


FORMS: Final[dict[str, Form]] = {
    "diagram": diagram,
    "pbn": partial(in_file, write_pbn),
    "lin": partial(in_file, write_lin),
    "oneline": oneline,
    "printall": partial(beside, tuple(Seat)),
    "printew": partial(beside, (Seat.W, Seat.E)),
    "compact": compact,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A statistic over all deals that fit, or over those that were drawn: in how many
    deals its values come.
    """

    action: Action
    counts: Counts
    exact: bool

    @property
    def mean(self) -> tuple[Fraction, float] | None:
        """The mean and one standard error of it, 0 where it is exact; ``None`` if no
        deal was found.
        """
        total = sum(self.counts.values())
        if not total:
            return None
        mean = Fraction(
            sum(value * ways for (value,), ways in self.counts.items()), total
        )
        spread = (
            sum(ways * (value - mean) ** 2 for (value,), ways in self.counts.items())
            / total
        )
        return mean, 0.0 if self.exact else sqrt(float(spread) / max(total - 1, 1))

    @property
    def bins(self) -> Counts:
        """Counts by bin: 0 for what is below a range, then its values, then one bin for
        what is above.
        """
        found: Counter[tuple[int, ...]] = Counter()
        for values, ways in self.counts.items():
            pairs = zip(values, self.action.ranges, strict=True)
            found[
                tuple(
                    min(max(value - low + 1, 0), high - low + 2)
                    for value, (low, high) in pairs
                )
            ] += ways
        return found

    def lines(self) -> Iterator[str]:
        action, total = self.action, sum(self.counts.values())
        if not action.ranges:
            told = "no deal was found"
            if self.mean is not None:
                mean, error = self.mean
                told = (
                    f"{float(mean):.6g} ({'exact' if self.exact else f'± {error:.2g}'})"
                )
            yield f"{action.title}: {told}" if action.title else told
            return
        yield f"Frequency {action.title}: ({'exact, in percent' if self.exact else f'of {number(total)} deals'})"
        names = [
            ["Low", *map(str, range(low, high + 1)), "High"]
            for low, high in action.ranges
        ]

        def shown(ways: int) -> str:
            return f"{100 * ways / total:.4f}" if self.exact else str(ways)

        table = np.zeros(tuple(map(len, names)), dtype=object)
        for places, ways in self.bins.items():
            table[places] = ways
        if len(names) == 1:
            for name, ways in zip(names[0], table.tolist(), strict=True):
                if ways or name not in ("Low", "High"):
                    yield f"{name:>5} {shown(ways):>12}"
            return
        rows = [
            [name, *map(shown, [*row, sum(row)])]
            for name, row in zip(names[0], table.tolist(), strict=True)
        ]
        rows.append(["Sum", *map(shown, [*table.sum(axis=0).tolist(), total])])
        for row in [["", *names[1], "Sum"], *rows]:
            yield f"{row[0]:>5}" + "".join(f"{cell:>9}" for cell in row[1:])

    def document(self) -> dict[str, Any]:
        """The mean as ``value``, null if no deal was found; or ``values``, each that
        comes with its share of the deals.

        A value in a table is a list of two; outside the range it is ``"below"`` or
        ``"above"``. Exact figures come with a ``fraction`` or ``deals_that_fit``, those
        of ``n`` deals drawn with one standard ``error``.
        """
        action, total = self.action, sum(self.counts.values())
        head: dict[str, Any] = {
            "name": action.title,
            "kind": action.form,
            "exact": self.exact,
        }
        if not self.exact:
            head["n"] = total
        if not action.ranges:
            mean, error = self.mean or (None, None)
            more = {"fraction": str(mean)} if self.exact else {"error": error}
            return {**head, "value": None if mean is None else float(mean), **more}
        values: list[dict[str, Any]] = []
        for places, ways in sorted(self.bins.items()):
            value = [
                "below"
                if place == 0
                else "above"
                if place > high - low + 1
                else low + place - 1
                for place, (low, high) in zip(places, action.ranges, strict=True)
            ]
            values.append(
                {"value": value if len(value) > 1 else value[0], "share": ways / total}
            )
            sampled = {
                "error": sqrt(ways / total * (1 - ways / total) / total),
                "deals": ways,
            }
            values[-1] |= {"deals_that_fit": str(ways)} if self.exact else sampled
        return {
            **head,
            "ranges": [list(pair) for pair in action.ranges],
            "values": values,
        }


def exact_statistics(script: Script, plan: DealPlan) -> list[Counts | None]:
    """``None`` where tables cannot count it, or where it prints."""
    return [
        None if action.prints else plan.counts(*action.values)
        for action in script.actions
    ]


def printed(
    script: Script, layouts: Layouts, numbering: Numbering, values: LayoutValues
) -> Iterator[str]:
    prints = [action for action in script.actions if action.prints] or [
        Action("printall")
    ]
    shown = [
        [values.of(value).tolist() for value in action.values] for action in prints
    ]
    for index in range(len(layouts)):
        one, at = (
            layouts[index : index + 1],
            numbering._replace(first=numbering.first + index),
        )
        for action, columns in zip(prints, shown, strict=True):
            form = FORMS.get(action.form) or FORMS[action.form.removeprefix("print")]
            lines = list(form(one, at))
            if action.form == "printpbn" and index:
                lines = [text for text in lines if not text.startswith("%")]
            yield from (*lines, *(str(column[index]) for column in columns))


def findings(
    script: Script, exact: Sequence[Counts | None], values: LayoutValues
) -> Iterator[Finding]:
    for action, counted in zip(script.actions, exact, strict=True):
        if not action.prints:
            columns = (
                values.of(expression).tolist()
                for expression in action.values
                if counted is None
            )
            yield Finding(
                action,
                counted or Counter(zip(*columns, strict=True)),
                counted is not None,
            )
