"""``bayesbridge style``: how a pair bids, learned from its tables on record."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bayesbridge.bidders.learned import PairStyle
from bayesbridge.bidders.pairs import (
    Habit,
    habits,
    judge_style,
    pair_name,
    pairs_of,
    style_of,
    tables_of,
)
from bayesbridge.cli import screens
from bayesbridge.cli.files import verify_target, writing
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.records import open_records
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.display.markup import Table
from bayesbridge.display.words import counted, error_text, number, percent, share_error
from bayesbridge.studies.benchmark import call_figures

MOST: Final = 200
"""Tables learned from unless told otherwise: more say little more, and take longer."""

NO_PAIR: Final = Mode("it is about one pair, and no --pair A+B is named", "tables out")


@dataclass(frozen=True, slots=True)
class LearnedStyle:
    """The style of a pair, and how well it foretells calls."""

    name: str
    style: PairStyle
    tables_on_record: int
    tables_judged: int
    """Tables whose calls it was to foretell."""
    figures: Mapping[str, Any]
    """How well it did, with and without the style."""

    @property
    def learned_from_all(self) -> bool:
        """Whether no table is left to judge it by, so that halves judge each other."""
        return self.style.tables == self.tables_on_record


def run(args: Namespace) -> int:
    """Learn the style of a pair and print it, or name the pairs of the file."""
    refuse_options(args, NO_PAIR.when(not args.pair))
    if args.pair is None:
        return list_pairs(args)
    target: Path | None = None
    if args.out is not None:
        target = verify_target("--out", args.out, "a style is JSON", ".json")
    learned = learned_style(args)
    if target is not None:
        with writing("--out", target) as unfinished:
            learned.style.save(unfinished)
    return screens.present(
        args, style_document(learned), style_table(learned), *notes(learned, target)
    )


def learned_style(args: Namespace) -> LearnedStyle:
    """The style of the pair, learned from the first tables and judged by the others."""
    with attributed("--pair"):
        tables = tables_of(open_records(args.file), args.pair)
    name = pair_name(args.pair)
    style = style_of(name, tables[: args.tables or MOST])
    judged = judge_style(tables[: style.tables + MOST], style)
    return LearnedStyle(
        name, style, len(tables), len(judged), call_figures(judged, "log_loss")
    )


def style_document(learned: LearnedStyle) -> dict[str, Any]:
    """The style as plain data."""
    return {
        "pair": learned.name,
        "tables": learned.style.tables,
        "tables_on_record": learned.tables_on_record,
        "judged_by": learned.tables_judged,
        **learned.figures,
        "summary": [habit._asdict() for habit in habits(learned.style)],
    }


def style_table(learned: LearnedStyle) -> Table:
    """What the pair does, next to the average expert."""
    rows = [
        [
            habit.what,
            habit_text(habit, habit.value, habit.error),
            habit_text(habit, habit.average, 0.0),
        ]
        for habit in habits(learned.style)
    ]
    tables = number(learned.style.tables)
    if not learned.learned_from_all:
        tables += f" of {number(learned.tables_on_record)}"
    title = f"{learned.name}, learned from {tables} tables"
    return Table(title, ["", "this pair", "average expert"], rows)


def habit_text(habit: Habit, value: float, error: float) -> str:
    """A value of a habit with its unit and one standard error."""
    if habit.unit == "share":
        return percent(value) + share_error(value, error)
    return f"{value:.1f}{error_text(error, 1)} {habit.unit}"


def notes(learned: LearnedStyle, target: Path | None) -> list[str]:
    """What the figures are, how well the style foretells calls, and where it is."""
    sentences = [
        "Ends of the 1NT opening: a tenth of the hands lies below, a tenth above. ± one "
        "standard error."
    ]
    if learned.tables_judged:
        sentences.append(judgement(learned))
    if target is not None:
        sentences.append(f"{target} is written: --style EW:{target} takes it, or NS:.")
    return sentences


def judgement(learned: LearnedStyle) -> str:
    """How much better calls are foretold by one who knows the style."""
    figures = learned.figures
    source = " that it was not learned from"
    if learned.learned_from_all:
        source = ", each half judging what is learned from the other"
    gain = figures["log_loss_difference"]
    error = figures["log_loss_difference_error"]
    return (
        f"Calls at {counted(learned.tables_judged, 'table')}{source}: "
        f"{figures['log_loss']:.3f} nats a call knowing the style, "
        f"{figures['log_loss_average']:.3f} without ({gain:+.3f} ± {error:.3f})."
    )


def list_pairs(args: Namespace) -> int:
    """Print the pairs of the file, those with most tables first."""
    pairs = pairs_of(open_records(args.file))
    sizes = {name: len(tables) for name, tables in pairs.items()}
    if not sizes:
        raise UsageError(
            f"argument FILE: no table of {args.file!r} names both players of a pair "
            "and has all hands"
        )
    names: Sequence[str] = sorted(sizes, key=lambda name: (-sizes[name], name))
    rows = [[name, number(sizes[name])] for name in names]
    table = Table(f"Pairs of {args.file}", ["pair", "tables"], rows)
    advice = f"What one of them plays: add --pair, as in --pair {names[0]}"
    document = {"pairs": {name: sizes[name] for name in names}}
    return screens.present(args, document, table, advice)
