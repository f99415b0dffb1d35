"""Deals as boards and as text, and what the actions of a script make of them.

Boards have numbers, dealers and vulnerabilities by the usual rotation of sixteen. Forms are PBN, LIN, diagrams and
those of the dealer program, which write suits in the order S H D C and seats in the order N E S W. Averages,
frequencies and contracts of a script are findings: lines for people, plain data for programs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from io import StringIO
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.calls import Vulnerability
from bayesbridge.cards import RANKS, SUIT_MASK
from bayesbridge.deal import Seat
from bayesbridge.dealing.language import Action, Average, EvalContract, Frequency, Print, Script
from bayesbridge.dealing.plan import Counts, DealPlan, exact_counts
from bayesbridge.expressions import Expression, LayoutValues, Solver, Taken, walk
from bayesbridge.layouts import Layouts
from bayesbridge.notation import write_lin, write_pbn
from bayesbridge.notation.record import Record
from bayesbridge.scoring import scores_by_tricks
from bayesbridge.words import SEATS, SYMBOLS, number


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
        before = board - 1
        return self.vulnerable if self.vulnerable is not None else list(Vulnerability)[(before + before // 4) % 4]

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


def compact(layouts: Layouts, _: Numbering = USUAL) -> Iterator[str]:
    """Four lines for each deal: ``n AKQ2.KJ3.A54.Q32``."""
    for masks in layouts.masks.tolist():
        yield from (f"{seat} {'.'.join(suits_of(mask))}" for seat, mask in zip("nesw", masks, strict=True))


def oneline(layouts: Layouts, _: Numbering = USUAL) -> Iterator[str]:
    """One line for each deal."""
    lines = compact(layouts)
    return (" ".join(hands) + " " for hands in zip(lines, lines, lines, lines, strict=True))


def printall(layouts: Layouts, numbering: Numbering = USUAL) -> Iterator[str]:
    """The four hands beside each other, under the number of the board."""
    for board, masks in enumerate(layouts.masks.tolist(), numbering.first):
        yield from (f"{board:4}.", *_beside(masks), "")


def printew(layouts: Layouts, _: Numbering = USUAL) -> Iterator[str]:
    """The hands of West and East."""
    for masks in layouts.masks.tolist():
        yield from (*_beside([masks[3], masks[1]]), "")


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


type Finding = FoundAverage | FoundFrequency | FoundContract


@dataclass(frozen=True, slots=True)
class FoundAverage:
    """A mean over all deals that fit, or over those that were drawn."""

    action: Average
    counts: Counts
    exact: bool

    @property
    def mean(self) -> Fraction | None:
        """``None`` if no deal was found."""
        total = sum(self.counts.values())
        return Fraction(sum(value * ways for (value,), ways in self.counts.items()), total) if total else None

    @property
    def error(self) -> float | None:
        """One standard error of the mean, ``None`` where it is exact."""
        mean, total = self.mean, sum(self.counts.values())
        if mean is None or self.exact:
            return None
        spread = sum(ways * (value - mean) ** 2 for (value,), ways in self.counts.items()) / total
        return sqrt(float(spread) / max(total - 1, 1))

    def lines(self) -> Iterator[str]:
        """One line."""
        title = f"{self.action.title}: " if self.action.title else ""
        if self.mean is None:
            yield f"{title}no deal was found"
            return
        yield f"{title}{float(self.mean):.6g} ({'exact' if self.error is None else f'± {self.error:.2g}'})"

    def document(self) -> dict[str, Any]:
        """``value`` with ``fraction`` where it is exact, else with ``error`` and ``n``; null if no deal was found."""
        value = None if self.mean is None else float(self.mean)
        head = {"name": self.action.title, "kind": "average", "exact": self.exact, "value": value}
        if self.exact:
            return {**head, "fraction": str(self.mean)}
        return {**head, "error": self.error, "n": sum(self.counts.values())}


def binned(counts: Counts, bounds: tuple[tuple[int, int], ...]) -> dict[tuple[int, ...], int]:
    """Counts by bin: 0 for what is below a range, then its values, then one bin for what is above.

    >>> binned({(1,): 2, (5,): 1, (9,): 4}, ((4, 6),))
    {(0,): 2, (2,): 1, (4,): 4}
    """
    found: dict[tuple[int, ...], int] = {}
    for values, ways in counts.items():
        key = tuple(
            min(max(value - low + 1, 0), high - low + 2) for value, (low, high) in zip(values, bounds, strict=True)
        )
        found[key] = found.get(key, 0) + ways
    return found


@dataclass(frozen=True, slots=True)
class FoundFrequency:
    """How often each value, or pair of values, comes."""

    action: Frequency
    counts: Counts
    exact: bool

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The lowest and highest value of each expression that has a bin of its own."""
        action = self.action
        first = (action.low, action.high)
        return (first,) if action.other is None else (first, (action.other_low, action.other_high))

    def lines(self) -> Iterator[str]:
        """Counts of deals drawn, or exact percentages: a list, or a table of two."""
        total = sum(self.counts.values())
        yield f"Frequency {self.action.title}: ({'exact, in percent' if self.exact else f'of {number(total)} deals'})"
        bins = binned(self.counts, self.ranges)
        names = [["Low", *map(str, range(low, high + 1)), "High"] for low, high in self.ranges]

        def shown(ways: int) -> str:
            return f"{float(Fraction(100 * ways, max(total, 1))):.4f}" if self.exact else str(ways)

        if len(names) == 1:
            for place, name in enumerate(names[0]):
                ways = bins.get((place,), 0)
                if ways or name not in ("Low", "High"):
                    yield f"{name:>5} {shown(ways):>12}"
            return
        table = np.zeros((len(names[0]), len(names[1])), dtype=object)
        for pair, ways in bins.items():
            table[pair] = ways
        rows = [[name, *map(shown, [*row, sum(row)])] for name, row in zip(names[0], table.tolist(), strict=True)]
        rows.append(["Sum", *map(shown, [*(sum(column) for column in table.T.tolist()), total])])
        for row in [["", *names[1], "Sum"], *rows]:
            yield f"{row[0]:>5}" + "".join(f"{cell:>9}" for cell in row[1:])

    def document(self) -> dict[str, Any]:
        """``values``: each value that comes, a list of two in a table, with its share of the deals.

        Values outside the range are ``"below"`` and ``"above"``. An exact share comes with ``deals_that_fit``, one of
        deals drawn with ``deals`` and one standard ``error``.
        """
        total = sum(self.counts.values())
        bins = sorted(binned(self.counts, self.ranges).items())
        values = [{"value": self._value(places), **self._share(ways, total)} for places, ways in bins]
        drawn: dict[str, Any] = {} if self.exact else {"n": total}
        ranges = [list(pair) for pair in self.ranges]
        head = {"name": self.action.title, "kind": "frequency", "exact": self.exact, **drawn, "ranges": ranges}
        return {**head, "values": values}

    def _value(self, places: tuple[int, ...]) -> Any:
        found = [
            "below" if place == 0 else "above" if place > high - low + 1 else low + place - 1
            for place, (low, high) in zip(places, self.ranges, strict=True)
        ]
        return found if len(found) > 1 else found[0]

    def _share(self, ways: int, total: int) -> dict[str, Any]:
        share = float(Fraction(ways, total))
        if self.exact:
            return {"share": share, "deals_that_fit": str(ways)}
        return {"share": share, "error": sqrt(share * (1 - share) / total), "deals": ways}


@dataclass(frozen=True, slots=True, eq=False)
class FoundContract:
    """What a contract came to on the deals drawn, double dummy; ``taken``: (n,) declarer's tricks."""

    action: EvalContract
    taken: NDArray[np.int64]

    def lines(self) -> Iterator[str]:
        """One line."""
        action = self.action
        title = f"{action.title}: " if action.title else ""
        if not len(self.taken):
            yield f"{title}{self._contract}: no deal was found"
            return
        made, error, mean, spread = self._figures
        score = f"scores {mean:.0f} ± {spread:.0f} on average"
        yield f"{title}{self._contract} makes {100 * made:.1f} % ± {100 * error:.1f}, {score}"

    def document(self) -> dict[str, Any]:
        """``made`` and ``score`` with their standard errors; null if no deal was found."""
        action, n = self.action, len(self.taken)
        made, error, mean, spread = self._figures if n else (None, None, None, None)
        return {
            "name": action.title,
            "kind": "contract",
            "contract": self._contract,
            "declarer": Seat(action.seat).name,
            "vulnerable": action.vulnerable,
            "exact": False,
            "n": n,
            "made": {"share": made, "error": error},
            "score": {"value": mean, "error": spread},
        }

    @property
    def _contract(self) -> str:
        return f"{self.action.level}{'CDHSN'[self.action.strain]}"

    @property
    def _figures(self) -> tuple[float, float, float, float]:
        """The share that makes, its error, the mean score, its error."""
        action, n = self.action, len(self.taken)
        paid = scores_by_tricks(action.level, action.strain, action.vulnerable)[self.taken]
        made = float((self.taken >= action.level + 6).mean())
        return made, sqrt(made * (1 - made) / n), float(paid.mean()), float(paid.std()) / sqrt(n)


def needs_solver(script: Script) -> bool:
    """Whether the condition or an action needs tricks."""
    values: list[Expression] = [script.condition]
    for action in script.actions:
        if isinstance(action, EvalContract):
            return True
        values += _values(action)
        if isinstance(action, Print):
            values += [value for value in action.values if isinstance(value, Expression)]
    return any(isinstance(node, Taken) for value in values for node in walk(value))


def exact_statistics(script: Script, plan: DealPlan) -> list[Counts | None]:
    """Exact counts for each action, with no draw at all; ``None`` where they cannot, or where it prints."""
    return [
        exact_counts(plan.plan, *values) if plan.exact and (values := _values(action)) else None
        for action in script.actions
    ]


def printed(script: Script, layouts: Layouts, numbering: Numbering, values: LayoutValues) -> Iterator[str]:
    """The lines of the print actions, deal by deal; pages for one seat come after all deals."""
    prints = [action for action in script.actions if isinstance(action, Print)]
    if not script.actions:
        prints = [Print("printall")]
    shown = {value: values.of(value) for action in prints for value in action.values if not isinstance(value, str)}
    line = ""
    for index in range(len(layouts)):
        one, at = layouts[index : index + 1], numbering._replace(first=numbering.first + index)
        for action in prints:
            if action.form == "printes":
                for value in action.values:
                    text = value if isinstance(value, str) else str(int(shown[value][index]))
                    *whole, line = (line + text).split("\n")
                    yield from whole
            elif action.form != "print":
                yield from ([line] if line else [])
                line = ""
                form = FORMS.get(action.form) or FORMS[action.form.removeprefix("print")]
                lines = list(form(one, at))
                if action.form == "printpbn" and index:
                    lines = [text for text in lines if not text.startswith("%")]
                yield from lines
                yield from (str(int(shown[value][index])) for value in action.values if not isinstance(value, str))
    yield from ([line] if line else [])
    for action in prints:
        for seat in action.seats:
            yield from one_hand(layouts, seat, numbering)


def findings(
    script: Script, exact: Sequence[Counts | None], values: LayoutValues | None, solver: Solver | None = None
) -> Iterator[Finding]:
    """What averages, frequencies and contracts come to, action by action."""
    for action, counted in zip(script.actions, exact, strict=True):
        match action:
            case EvalContract():
                assert values is not None
                assert solver is not None
                yield FoundContract(action, solver(values.masks, action.seat, action.strain))
            case Average():
                yield FoundAverage(action, _counts(action, counted, values), counted is not None)
            case Frequency():
                yield FoundFrequency(action, _counts(action, counted, values), counted is not None)


def _counts(action: Action, counted: Counts | None, values: LayoutValues | None) -> Counts:
    if counted is not None:
        return counted
    assert values is not None
    columns = [values.of(expression).tolist() for expression in _values(action)]
    return dict(Counter(zip(*columns, strict=True)))


def _values(action: Action) -> Sequence[Expression]:
    match action:
        case Average():
            return (action.value,)
        case Frequency():
            return (action.value,) if action.other is None else (action.value, action.other)
    return ()
