"""``bayesbridge style``: how a pair bids, learned from its tables on record."""

from __future__ import annotations

from argparse import Namespace

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
from bayesbridge.cli.modes import Mode, verify
from bayesbridge.cli.records import open_records
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.display.markup import Table
from bayesbridge.display.words import counted, error_text, number, percent, share_error
from bayesbridge.studies.benchmark import call_figures

# Tables learned from unless told otherwise: more say little more, and take longer
MOST = 200


def run(args: Namespace) -> int:
    why = "it is about one pair, and no --pair A+B is named"
    verify(args, not args.pair and Mode(why, "tables out"))
    if args.pair is None:
        return _pairs(args)
    target = (
        None
        if args.out is None
        else verify_target("--out", args.out, "a style is JSON", ".json")
    )
    with attributed("--pair"):
        every = tables_of(open_records(args.file), args.pair)
    name = pair_name(args.pair)
    style = style_of(name, every[: args.tables or MOST])
    judged = judge_style(every[: style.tables + MOST], style)
    figures = call_figures(judged, "log_loss")
    if target is not None:
        with writing("--out", target) as part:
            style.save(part)
    found = habits(style)
    told = {
        "pair": name,
        "tables": style.tables,
        "tables_on_record": len(every),
        "judged_by": len(judged),
    }
    document = {**told, **figures, "summary": [one._asdict() for one in found]}
    some = "" if style.tables == len(every) else f" of {number(len(every))}"
    title = f"{name}, learned from {number(style.tables)}{some} tables"
    rows = [
        [one.what, _value(one, one.value, one.error), _value(one, one.average, 0.0)]
        for one in found
    ]
    said = [
        "Ends of the 1NT opening: a tenth of the hands lies below, a tenth above. ± one standard error."
    ]
    if len(judged):
        gain, error = (
            figures["log_loss_difference"],
            figures["log_loss_difference_error"],
        )
        two = f"{figures['log_loss']:.3f} nats a call knowing the style, {figures['log_loss_average']:.3f} without"
        halves = (
            ", each half judging what is learned from the other"
            if style.tables == len(every)
            else ""
        )
        tables = f"{counted(len(judged), 'table')}{halves or ' that it was not learned from'}"
        said.append(f"Calls at {tables}: {two} ({gain:+.3f} ± {error:.3f}).")
    if target is not None:
        said.append(f"{target} is written: --style EW:{target} takes it, or NS:.")
    return screens.present(
        args, document, Table(title, ["", "this pair", "average expert"], rows), *said
    )


def _pairs(args: Namespace) -> int:
    sizes = {
        name: len(tables) for name, tables in pairs_of(open_records(args.file)).items()
    }
    found = dict(sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])))
    if not found:
        what = (
            f"no table of {args.file!r} names both players of a pair and has all hands"
        )
        raise UsageError(f"argument FILE: {what}")
    rows = [[name, number(tables)] for name, tables in found.items()]
    table = Table(f"Pairs of {args.file}", ["pair", "tables"], rows)
    said = f"What one of them plays: add --pair, as in --pair {next(iter(found))}"
    return screens.present(args, {"pairs": found}, table, said)


def _value(habit: Habit, value: float, error: float) -> str:
    if habit.unit == "share":
        return percent(value) + share_error(value, error)
    return f"{value:.1f}{error_text(error, 1)} {habit.unit}"
