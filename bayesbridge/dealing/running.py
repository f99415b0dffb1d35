"""What a script's actions say about deals: lines for the deals, then its statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bayesbridge.dealing import forms
from bayesbridge.dealing.boards import Numbering
from bayesbridge.dealing.deal_plan import DealPlan
from bayesbridge.dealing.expressions import Expression, Taken, walk
from bayesbridge.dealing.findings import Finding, FoundAverage, FoundContract, FoundFrequency
from bayesbridge.dealing.layout_values import LayoutValues
from bayesbridge.dealing.script import Action, Average, EvalContract, Frequency, Print, Script
from bayesbridge.dealing.solving import Solver
from bayesbridge.dealing.statistics import Counts, drawn_counts, exact_counts
from bayesbridge.layouts import Layouts

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


def summarised(
    script: Script, exact: Sequence[Counts | None], values: LayoutValues | None, solver: Solver | None = None
) -> Iterator[str]:
    """The same in lines; exact ones say so, others state a standard error."""
    for found in findings(script, exact, values, solver):
        yield from found.lines()


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
