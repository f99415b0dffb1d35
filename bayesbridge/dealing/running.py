"""What a script's actions say about deals: lines for the deals, then its statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from bayesbridge.dealing import forms
from bayesbridge.dealing.boards import Numbering
from bayesbridge.dealing.deal_plan import DealPlan
from bayesbridge.dealing.expressions import Expression, Taken, walk
from bayesbridge.dealing.layout_values import LayoutValues
from bayesbridge.dealing.payoffs import payoff
from bayesbridge.dealing.script import Action, Average, EvalContract, Frequency, Print, Script
from bayesbridge.dealing.solving import Solver
from bayesbridge.dealing.statistics import Counts, Mean, binned, drawn_counts, exact_counts
from bayesbridge.layouts import Layouts
from bayesbridge.words import number

_FORMS = {
    "printall": forms.printall,
    "printew": forms.printew,
    "printpbn": forms.pbn,
    "printcompact": forms.compact,
    "printoneline": forms.oneline,
}


def needs_solver(script: Script) -> bool:
    """Whether the condition or an action asks for tricks."""
    values: list[Expression] = [script.condition]
    for action in script.actions:
        match action:
            case Print():
                values += [value for value in action.values if isinstance(value, Expression)]
            case Average():
                values.append(action.value)
            case Frequency():
                values += [action.value, *([action.other] if action.other is not None else [])]
            case EvalContract():
                return True
    return any(isinstance(node, Taken) for value in values for node in walk(value))


def exact_statistics(script: Script, plan: DealPlan) -> list[Counts | None]:
    """What tables say for each action, with no draw at all; ``None`` where they cannot, or where it prints."""
    return [
        exact_counts(plan.plan, *values) if plan.exact and (values := _values(action)) else None
        for action in script.actions
    ]


def needs_deals(script: Script, exact: Sequence[Counts | None]) -> bool:
    """Whether anything must be drawn: not if all that is asked for comes from tables."""
    return script.prints or any(counts is None for counts in exact)


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
                lines = list(_FORMS[action.form](one, at))
                if action.form == "printpbn" and index:
                    lines = [text for text in lines if not text.startswith("%")]
                yield from lines
                yield from (str(int(shown[value][index])) for value in action.values if not isinstance(value, str))
    yield from ([line] if line else [])
    for action in prints:
        for seat in action.seats:
            yield from forms.one_hand(layouts, seat, numbering)


def summarised(
    script: Script, exact: Sequence[Counts | None], values: LayoutValues | None, solver: Solver | None = None
) -> Iterator[str]:
    """The lines of averages, frequencies and contracts; exact ones say so, others state a standard error."""
    for action, counted in zip(script.actions, exact, strict=True):
        match action:
            case EvalContract():
                assert values is not None
                assert solver is not None
                yield from _contract(action, values, solver)
            case Average():
                yield from _average(action, _counts(action, counted, values), counted is not None)
            case Frequency():
                yield from _frequency(action, _counts(action, counted, values), counted is not None)


def _counts(action: Action, counted: Counts | None, values: LayoutValues | None) -> Counts:
    if counted is not None:
        return counted
    assert values is not None
    return drawn_counts(values, *_values(action))


def _values(action: Action) -> Sequence[Expression]:
    match action:
        case Average():
            return (action.value,)
        case Frequency():
            return (action.value,) if action.other is None else (action.value, action.other)
    return ()


def _average(action: Average, counts: Counts, exact: bool) -> Iterator[str]:
    mean = Mean.of(counts, exact=exact)
    title = f"{action.title}: " if action.title else ""
    yield f"{title}{float(mean.value):.6g} ({'exact' if mean.error is None else f'± {mean.error:.2g}'})"


def _frequency(action: Frequency, counts: Counts, exact: bool) -> Iterator[str]:
    """Counts of deals drawn, or exact percentages."""
    total = sum(counts.values())
    yield f"Frequency {action.title}: ({'exact, in percent' if exact else f'of {number(total)} deals'})"
    bounds = ((action.low, action.high), *(((action.other_low, action.other_high),) if action.other else ()))
    bins = binned(counts, bounds)
    names = [["Low", *map(str, range(low, high + 1)), "High"] for low, high in bounds]

    def shown(ways: int) -> str:
        return f"{float(Fraction(100 * ways, max(total, 1))):.4f}" if exact else str(ways)

    if len(bounds) == 1:
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


def _contract(action: EvalContract, values: LayoutValues, solver: Solver) -> Iterator[str]:
    taken = solver(values.masks, action.seat, action.strain)
    paid = payoff(action.vulnerable, action.level, action.strain)[taken]
    n = max(len(taken), 1)
    made = float((taken >= action.level + 6).mean()) if len(taken) else 0.0
    title = f"{action.title}: " if action.title else ""
    error = (made * (1 - made) / n) ** 0.5
    mean, spread = (float(paid.mean()), float(paid.std()) / n**0.5) if len(paid) else (0.0, 0.0)
    contract = f"{action.level}{'CDHSN'[action.strain]}"
    yield f"{title}{contract} makes {100 * made:.1f} % ± {100 * error:.1f}, scores {mean:.0f} ± {spread:.0f} on average"
