"""How answers look: one JSON object for programs, tables and sentences for people.

The only module of the command line that writes to stdout. Text from files and plugins is made visible here, whoever
prints it: no escape of theirs reaches a terminal.

How an answer was computed and how exact it is, as every command that infers says it.

What an observer has seen, as every command that takes evidence says it.

``--show N``: example layouts of a posterior, drawn by their probability.

What an estimator says, output by output: distributions with bars, tables by label, moments of other numbers.

What ``bayesbridge estimate`` shows people: one screen.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from threading import RLock, Timer
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.options import Parser, whole
from bayesbridge.documents import accuracy_sentences, is_exact, method_of, reported, strength, told_bits
from bayesbridge.words import BITS, SEATS, SUITS, number, percent, printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bayesbridge.belief.perspective import Perspective
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.evaluate import Evaluation, Sums
    from bayesbridge.results import Asked, Tricks


def print_json(document: dict[str, Any]) -> None:
    """One object on one line, in ASCII, so that it survives any terminal."""
    end_progress()
    print(json.dumps(document, allow_nan=False).replace("\x7f", "\\u007f"))  # DEL is ASCII, and JSON leaves it


def say(*lines: str) -> None:
    """Lines for people, an empty one if none is given; each argument is one line, whatever it holds."""
    end_progress()
    for line in lines or ("",):
        print(printable(line))


def print_script(script: str) -> None:
    """A text of our own as it is, with its lines and tabs."""
    end_progress()
    print(script)


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, bars: bool = False
) -> None:
    """A table with its first ``left`` columns of words and the others of figures; the last may be one of ``bars``.

    A figure is never cut or broken: the table may become wider than the terminal.
    """
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(header):
        words = i < left or (bars and i == len(header) - 1)
        table.add_column(printable(name), justify="left" if words else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(printable, row))
    end_progress()
    console = Console(markup=False, highlight=False, emoji=False)
    room = console.options.update(width=10_000)
    console.width = max(console.width, Measurement.get(console, room, table).maximum)
    console.print(printable(title), style="bold", soft_wrap=True)
    console.print()
    console.print(table)
    console.print()


def bar(share: float, width: int = 40) -> str:
    """A bar of blocks; a share too small for an eighth of a block still leaves a mark."""
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, AttributeError):
        return "#" * max(round(share * width), int(share > 0))
    eighths = max(round(share * width * 8), int(share > 0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


PATIENCE = 1.0
"""Seconds of silence after which a terminal is told that work goes on."""


def progress_line(noun: str) -> Callable[[int, int], None] | None:
    """Shows on stderr how many of all are done, and the time that is left; ``None`` where stderr is no terminal.

    The line is finished when all is done, or else by :func:`end_progress`.
    """
    if not _on_terminal():
        return None
    line: Any = None

    def show(done: int, total: int) -> None:
        nonlocal line
        if done < total and line not in _lines:  # what is done at once needs no line; output ends one
            end_progress()
            line = _new_line()
        if line in _lines:
            line.update(0, completed=done, total=total, description=f"{number(done)} of {number(total)} {noun}")
            line.start()
            if done == total:
                end_progress()
                _wait()

    return show


@contextmanager
def still_working() -> Iterator[None]:
    """Work of one command: after a second without another sign a bar on a terminal's stderr says that it goes on."""
    global _working
    _working = True
    _wait()
    try:
        yield
    finally:
        _working = False
        end_progress()


_lines: list[Any] = []
"""Progress lines that are not finished."""

_timers: list[Timer] = []
"""Those that wait to show that work goes on."""

_lock = RLock()

_working = False
"""Whether a command is at work."""


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _wait() -> None:
    if _working and _on_terminal():
        timer = Timer(PATIENCE, lambda: _show_that_work_goes_on(timer))
        timer.daemon = True
        with _lock:
            _timers.append(timer)
        timer.start()


def _show_that_work_goes_on(timer: Timer) -> None:
    with _lock:
        if timer in _timers and not _lines:
            _new_line("working", total=None).start()


def _new_line(words: str = "", total: int | None = 100) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    last = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    line = Progress(
        BarColumn(20), TextColumn("{task.description}"), last, console=Console(stderr=True), transient=total is None
    )
    line.add_task(words, total=total)
    _lines.append(line)
    return line


def end_progress() -> None:
    """Finish the progress lines, also of work that failed, so that the terminal shows its cursor again."""
    with _lock:
        while _timers:
            _timers.pop().cancel()
        while _lines:
            _lines.pop().stop()


MOST_DRAWS = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory of most machines."""

DRAWS = 20_000
"""Unless told otherwise."""


def add_draws(parser: Parser, usual: int = DRAWS) -> None:
    """Ask how many layouts to draw, ``usual`` unless told otherwise."""
    parser.add_argument(
        "--draws",
        type=whole(2, MOST_DRAWS),
        default=usual,
        metavar="N",
        help=f"layouts drawn where there are too many to walk (default: {usual:_})",
    )


def print_accuracy(posterior: Posterior, method: str | None = None, exact: bool | None = None) -> None:
    """For people."""
    say(*accuracy_sentences(posterior, method, exact))


def print_evidence(belief: Perspective) -> None:
    """For people: the hand, the evidence in order, and the passes that nobody mentioned."""
    hand = belief.hand
    say(f"{SEATS[belief.observer.name]} holds {hand.pbn}, {hand.points} points.")
    if belief.evidence:
        _say_wrapped(f"Seen: {'; '.join(map(str, belief.evidence))}.")
    for said in belief.systems:
        _say_wrapped(f"System: {said}.")
    if belief.assumed_passes:
        who = ", ".join(seat.name for seat in belief.assumed_passes)
        say(f"Taken to have passed, since no call of theirs was given: {who}. The auction is '{belief.auction}'.")


def _say_wrapped(text: str) -> None:
    from textwrap import wrap

    say(*wrap(printable(text), 100, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False))


def add_show(parser: Parser) -> None:
    """Ask for examples."""
    parser.add_argument(
        "--show",
        type=whole(1, 100_000),
        metavar="N",
        help="show so many layouts, drawn by their probability",
    )


def examples(posterior: Posterior, args: Namespace) -> dict[str, Any]:
    """The examples as plain data; nothing if none are wanted."""
    return {} if args.show is None else {"examples": _deals(posterior, args)}


def print_examples(posterior: Posterior, args: Namespace) -> None:
    """For people: a deal per line in PBN."""
    if args.show is not None:
        say(f"{args.show} layouts, drawn by their probability:", *_deals(posterior, args))


def _deals(posterior: Posterior, args: Namespace) -> list[str]:
    return [deal.pbn for deal in posterior.resample(args.show, args.seed)]


MOST_ROWS = 20
"""Rows shown of an output that has labels: all strains with all declarers. How many are left out is said."""

MOST_BARS = 40
"""Bars of a distribution; where it has more values, neighbours share one."""

MOST_COLUMNS = 15
"""Values that get a column each beside the labels of an output."""

RARE = 0.0005
"""Share that is shown as less than a tenth of a percent."""

STRAINS_SHOWN = ("NT", "S", "H", "D", "C")


def show_outputs(found: Evaluation, estimator: str) -> None:
    """Every output of one estimator; of captures their number alone, the rest is in --json."""
    from bayesbridge.estimators.builtin import CONDITIONS
    from bayesbridge.results import Asked, Tricks

    outputs = reported(found, estimator)
    asked = Asked.of(found.posterior.belief, found.question)
    captures = {name: sums for name, sums in outputs.items() if sums.output.tricks == CONDITIONS}
    outputs = captures or outputs
    plain: list[list[str]] = []
    for name, sums in outputs.items():
        if sums.output.dims:
            _show_labelled(sums, asked)
        elif sums.pmf is None:
            plain.append([name, f"{sums.mean[0]:.3f}", f"{sums.sd.item():.3f}", sums.output.doc])
        elif sums.output.tricks:
            _show_tricks(Tricks.of_sums(sums, asked), sums.output.support is not None)
        else:
            _show_distribution(sums, asked)
    if plain:
        rows = [row[:3] for row in plain]
        print_table(f"{estimator}, for {asked.names}", ["", "mean", "sd"], rows)
        say(*(f"{row[0]}: {row[3]}" for row in plain), "")


def _show_tricks(tricks: Tricks, smooth: bool) -> None:
    """How many, with P(at least so many) beside it; what it means below.

    ``smooth`` distributions give every number some chance: ends with less than ``RARE`` together are left out, and
    that is said.
    """
    every = [value for value in tricks.occurring if tricks.holds]
    shown = [v for v in every if tricks.at_least(v) >= RARE and 1 - tricks.at_least(v + 1) >= RARE] if smooth else every
    widest = max([tricks.fails, *map(tricks.share, shown)])
    rows = []
    if tricks.fails:
        rows.append([tricks.count.failing, f"{percent(tricks.fails):>8}", bar(tricks.fails / widest), ""])
    for value in shown:
        share, colon = tricks.share(value), "" if tricks.judges and value > 6 else ":"
        least = f"{tricks.goal(value)}{colon} {percent(tricks.at_least(value))}"
        rows.append([f"{tricks.name} = {value}", f"{percent(share):>8}", bar(share / widest), least])
    print_table(tricks.title, ["", "       P", "", ""], rows, left=4)
    if len(shown) < len(every):
        rest = 1 - tricks.fails - sum(map(tricks.share, shown))
        say(f"Numbers not shown: {percent(rest)} together.")
    mean, count = tricks.mean_if_held, tricks.count
    if mean is not None and not tricks.fails:
        say(f"{tricks.name} is {mean:.2f} on average.")
    elif mean is None:
        say(f"{count.failing.capitalize()} in every layout: {tricks.name} = {count.fails_at} there.")
    else:
        say(
            f"{count.failing.capitalize()} with {percent(tricks.fails)}; "
            f"if {count.holding}, {tricks.name} is {mean:.2f} on average."
        )
    say(*tricks.notes, "")


def _show_distribution(sums: Sums, asked: Asked) -> None:
    """A whole number that does not count tricks."""
    assert sums.pmf is not None
    values, shares = _occurring(sums.lowest, sums.pmf)
    step = -(-len(values) // MOST_BARS)
    rows = []
    groups = [slice(begin, begin + step) for begin in range(0, len(values), step)]
    widest = max(float(shares[group].sum()) for group in groups)
    for group in groups:
        share, ends = float(shares[group].sum()), values[group]
        label = f"{sums.output.name} = {ends[0]}" + (f" … {ends[-1]}" if len(ends) > 1 else "")
        rows.append([label, f"{percent(share):>8}", bar(share / widest)])
    title = f"{sums.output.name}, for {asked.names}: {sums.output.doc}"
    print_table(title, ["", "       P", ""], rows, left=3)
    say(f"{sums.output.name} is {sums.mean[0]:.2f} on average, with a standard deviation of {sums.sd.item():.2f}.", "")


def _show_labelled(sums: Sums, asked: Asked) -> None:
    """A row for each label: strains from no trumps down, the pair's seats first; of many others those with the most."""
    output, means, spreads = sums.output, sums.mean, sums.sd.ravel()
    labels = [tuple(map(str, cell)) for cell in product(*(output.labels(dim) for dim in output.dims))]
    seats = [*(seat.name for seat in asked.pair), "N", "E", "S", "W"]

    def place(cell: int) -> tuple[float, ...]:
        fixed = {"strain": STRAINS_SHOWN, "seat": seats}
        ranks = [
            fixed[dim].index(label) if dim in fixed and label in fixed[dim] else 0
            for dim, label in zip(output.dims, labels[cell], strict=True)
        ]
        return (*ranks, -float(means[cell]) if len(labels) > MOST_ROWS else 0.0)

    told = [cell for cell in range(len(labels)) if means[cell] or spreads[cell]] or list(range(len(labels)))
    ranked = sorted(told, key=place)
    values: list[int] = []
    if sums.table is not None and output.dtype != "bool":
        occurring, _ = _occurring(sums.lowest, sums.table[ranked[:MOST_ROWS]].sum(axis=0))
        values = occurring.tolist() if len(occurring) <= MOST_COLUMNS else []
    rows = []
    for cell in ranked[:MOST_ROWS]:
        row = [" ".join(labels[cell]), f"{means[cell]:.3f}", f"{spreads[cell]:.3f}"]
        if sums.table is not None:
            shares = (float(sums.table[cell, value - sums.lowest]) for value in values)
            row += [percent(share) if share else "" for share in shares]
        rows.append(row)
    print_table(f"{output.name}: {output.doc}", [", ".join(output.dims), "mean", "sd", *map(str, values)], rows)
    if values:
        say("The columns after sd are P(that value).", "")
    if len(ranked) > MOST_ROWS:
        say(f"… and {number(len(ranked) - MOST_ROWS)} more rows of {output.name}, which --json prints.", "")


def _occurring(lowest: int, shares: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Values with their shares, from the first to the last that occurs."""
    import numpy as np

    met = np.flatnonzero(shares > 0)
    kept = slice(met[0], met[-1] + 1) if len(met) else slice(None)
    return (lowest + np.arange(len(shares)))[kept], shares[kept]


MOST_CARDS = 8
"""Rows shown of the cards that the evidence tells most about."""

RANGES = ((0, 5), (6, 9), (10, 12), (13, 15), (16, 37))
"""Points that players take together."""


def show(found: Evaluation) -> None:
    """What was seen, how it was computed, the tricks, the telling cards, the suit lengths."""
    print_evidence(found.posterior.belief)
    print_accuracy(found.posterior, method_of(found), is_exact(found))
    say()
    for estimator in found.estimators:
        show_outputs(found, estimator.name)
    _show_points(found.posterior, is_exact(found))
    _show_cards(found.posterior)
    _show_lengths(found.posterior)
    if found.posterior.count() > 1:
        say(BITS)


def _show_points(posterior: Posterior, exact: bool) -> None:
    """How strong the hidden hands are: the mean, the middle four fifths, and the chance of each range."""
    hidden = posterior.belief.constraints.hidden
    if not hidden:
        return
    chances = posterior.point_probabilities()
    rows = []
    for seat in hidden:
        shares = [float(share) for share in chances.values[seat]]
        mean, low, high = strength(shares)
        ranges = [percent(min(1.0, sum(shares[first : last + 1]))) for first, last in RANGES]
        rows.append([str(chances.seat.values[seat]), f"{mean:.1f}", f"{low} to {high}", *ranges])
    sampled = " (from the draws)" if exact and not posterior.counts_points else ""
    names = [f"{first}+" if last > 36 else f"{first} to {last}" for first, last in RANGES]
    print_table(f"High-card points of the hidden hands{sampled}", ["seat", "mean", "80 % of cases", *names], rows)


def _show_cards(posterior: Posterior) -> None:
    """The cards that the evidence tells most about; cards of a suit that lie alike share a row."""
    known = posterior.belief.constraints
    hidden = known.hidden
    alike: dict[tuple[str, ...], str] = {}
    told: dict[tuple[str, ...], float] = {}
    bits = told_bits(posterior)
    order: dict[tuple[str, ...], tuple[float, int]] = {}
    chances = posterior.card_probabilities()
    for place, card in enumerate(map(str, chances.card.values)):
        shares = [float(chances.values[place][seat]) for seat in hidden]
        if known.unknown_mask >> (51 - place) & 1:
            row = (card[0], *map(percent, shares))
            alike[row] = f"{alike[row]}{card[1:]}" if row in alike else card
            told.setdefault(row, bits[place])
            order.setdefault(row, (-round(bits[place], 3), place % 13))
    if not alike:
        say("Every card is known.")
        return
    first = sorted(alike, key=order.__getitem__)[:MOST_CARDS]
    rows = [[alike[row], *row[1:], f"{told[row]:.2f}"] for row in first]
    names = [str(chances.seat.values[seat]) for seat in hidden]
    print_table("Where the most telling cards lie, and what is told of each in bits", ["cards", *names, "told"], rows)


def _show_lengths(posterior: Posterior) -> None:
    chances = posterior.length_probabilities()
    hidden = posterior.belief.constraints.hidden
    if not hidden:
        return
    lengths = (chances * chances.length).sum("length")
    suits = [str(suit) for suit in reversed(chances.suit.values)]
    rows = [
        [str(chances.seat.values[seat]), *(f"{float(lengths.sel(suit=suit)[seat]):.2f}" for suit in suits)]
        for seat in hidden
    ]
    print_table("Mean length of the hidden suits", ["seat", *(SUITS[suit] for suit in suits)], rows)
