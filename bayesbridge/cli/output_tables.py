"""What an estimator says, output by output: distributions with bars, tables by label, moments of other numbers."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cli.printing import bar, print_table, say
from bayesbridge.documents import reported
from bayesbridge.estimators.builtin import CONDITIONS
from bayesbridge.trick_counts import Asked, Tricks
from bayesbridge.words import number, percent

if TYPE_CHECKING:
    from bayesbridge.estimators.evaluate import Evaluation, Sums

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
    values = np.zeros(0, dtype=np.int64)
    if sums.table is not None and output.dtype != "bool":
        values, _ = _occurring(sums.lowest, sums.table[ranked[:MOST_ROWS]].sum(axis=0))
        values = values if len(values) <= MOST_COLUMNS else values[:0]
    rows = []
    for cell in ranked[:MOST_ROWS]:
        row = [" ".join(labels[cell]), f"{means[cell]:.3f}", f"{spreads[cell]:.3f}"]
        if sums.table is not None:
            shares = (float(sums.table[cell, value - sums.lowest]) for value in values)
            row += [percent(share) if share else "" for share in shares]
        rows.append(row)
    print_table(f"{output.name}: {output.doc}", [", ".join(output.dims), "mean", "sd", *map(str, values)], rows)
    if len(values):
        say("The columns after sd are P(that value).", "")
    if len(ranked) > MOST_ROWS:
        say(f"… and {number(len(ranked) - MOST_ROWS)} more rows of {output.name}, which --json prints.", "")


def _occurring(lowest: int, shares: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Values with their shares, from the first to the last that occurs."""
    met = np.flatnonzero(shares > 0)
    kept = slice(met[0], met[-1] + 1) if len(met) else slice(None)
    return (lowest + np.arange(len(shares)))[kept], shares[kept]
