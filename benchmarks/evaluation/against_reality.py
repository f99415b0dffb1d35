"""Estimators, double dummy and real results side by side, on your own records.

    python benchmarks/evaluation/against_reality.py auctions.pbn.gz --picture reality.png

Needs plugins/bayesbridge-double-dummy; contracts are solved by solve_records.py, which
continues where it stopped. Only deals that fit_actual.py sets aside are compared (a
quarter of them, by a hash of their cards); ``--all`` takes every deal, for records that
nothing was fitted on. T is compared where its conditions hold. ``tricks`` gives a
distribution, alone and passed through what real declarers take (``actual``): its
likeliest number counts for *exact* and *within one*, its mean for the rest.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bayesbridge.display.words import number
from bayesbridge.estimators.actual_play import FARTHEST, actual_table
from bayesbridge.estimators.builtin import (
    CaptureEstimator,
    PlayOutEstimator,
    TricksEstimator,
)
from bayesbridge.estimators.protocol import run
from bayesbridge.game.cards import Strain

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from solve_records import SHARE, Table, declarers_first, north_declares, solved_tables

type Floats = NDArray[np.float64]

NAMES = ("T", "play_out", "tricks", "tricks, actual", "double dummy", "real result")
KINDS = ("no trumps", "suits")
MEASURES = ("tables", "bias", "rms error", "exact", "within one", "correlation")
"""Columns of the tables."""


class Estimate(NamedTuple):
    """What one estimator says of every table; not a number where it has none."""

    mean: Floats
    """(n,)."""
    likeliest: Floats
    """(n,) the likeliest number of tricks."""


def estimates(tables: list[Table], solved: list[int]) -> dict[str, Estimate]:
    """By name, for the declarers of the tables."""
    numbers = {name: np.full((2, len(tables)), np.nan) for name in NAMES}
    for strain in Strain:
        places = [
            place
            for place, table in enumerate(tables)
            if table.contract.strain == strain
        ]
        if places:
            in_strain = [tables[place] for place in places]
            for name, pair in estimates_in(strain, in_strain).items():
                numbers[name][:, places] = pair
    numbers["double dummy"][:] = solved
    numbers["real result"][:] = [table.result for table in tables]
    return {name: Estimate(*pair) for name, pair in numbers.items()}


def estimates_in(strain: Strain, tables: list[Table]) -> dict[str, Estimate]:
    """What our estimators say of tables in one strain."""
    layouts = declarers_first(tables)
    question = north_declares(strain)
    T = run(CaptureEstimator(), layouts, question)["T"]
    T_if_held = np.where(T > 0, T, np.nan)
    play_out = run(PlayOutEstimator(), layouts, question)["tricks"]
    network = run(TricksEstimator(), layouts, question)["tricks"]
    shares = np.asarray(network, np.float64)
    actual_shares = np.array(
        [
            table_shares @ actual_table(table.contract)
            for table_shares, table in zip(shares, tables, strict=True)
        ]
    )
    return {
        "T": Estimate(T_if_held, T_if_held),
        "play_out": Estimate(play_out, play_out),
        "tricks": estimate_of(shares),
        "tricks, actual": estimate_of(actual_shares),
    }


def estimate_of(shares: Floats) -> Estimate:
    """Of (n, 14) P(tricks)."""
    return Estimate(shares @ np.arange(14), shares.argmax(axis=1))


def row(estimate: Estimate, truth: Floats, is_of_kind: NDArray[np.bool_]) -> list[str]:
    """Tables, bias, rms error, exact, within one, correlation."""
    is_told = is_of_kind & ~np.isnan(estimate.mean)
    tables = int(is_told.sum())
    if tables < 2:
        return [number(tables), *["–"] * 5]
    mean = estimate.mean[is_told]
    result = truth[is_told]
    error = mean - result
    distance = np.abs(estimate.likeliest[is_told] - result)
    return [
        number(tables),
        f"{error.mean():+.2f}",
        f"{np.sqrt((error**2).mean()):.2f}",
        f"{100 * (distance == 0).mean():.1f} %",
        f"{100 * (distance <= 1).mean():.1f} %",
        f"{np.corrcoef(mean, result)[0, 1]:.3f}",
    ]


def markdown(estimates: dict[str, Estimate], is_no_trumps: NDArray[np.bool_]) -> str:
    """A table beside the real results, one beside double dummy, no trumps first."""
    parts = []
    for truth in ("real result", "double dummy"):
        lines = [
            f"| beside the {truth} | {' | '.join(MEASURES)} |",
            "|---|" + "---:|" * len(MEASURES),
        ]
        for kind, is_of_kind in zip(KINDS, (is_no_trumps, ~is_no_trumps), strict=True):
            for name in NAMES:
                if name != truth:
                    cells = row(estimates[name], estimates[truth].mean, is_of_kind)
                    lines.append(f"| {kind}: {name} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


STEPS = np.arange(-4, 6)
"""Tricks said less tricks taken; the outermost stand for all beyond."""


def draw(
    estimates: dict[str, Estimate], is_no_trumps: NDArray[np.bool_], path: Path
) -> None:
    """How far each estimate is from the real result.

    A panel for each, no trumps and suits side by side.
    """
    from matplotlib.figure import Figure

    from bayesbridge.plots import BLUE, ORANGE

    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    panels = [["T", "play_out", "."], ["tricks", "tricks, actual", "double dummy"]]
    result = estimates["real result"].mean
    for name, ax in figure.subplot_mosaic(panels, sharex=True, sharey=True).items():
        distance = estimates[name].likeliest - result
        draw_bars(ax, distance[is_no_trumps], -0.2, BLUE, KINDS[0])
        draw_bars(ax, distance[~is_no_trumps], 0.2, ORANGE, KINDS[1])
        ax.axvline(0, color="0.5", linewidth=0.8, zorder=0)
        ax.set_title(name, fontsize=10)
        ax.set_xticks(STEPS, step_labels(), fontsize=7)
        ax.legend(fontsize=7, frameon=False, loc="upper right")
        ax.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("tricks said less tricks that declarer took", fontsize=9)
    figure.supylabel("% of tables", fontsize=9)
    figure.savefig(path, dpi=200)


def draw_bars(ax: Axes, distance: Floats, shift: float, colour: str, kind: str) -> None:
    """How many per cent of tables are so many tricks off; ``distance`` (n,)."""
    told = distance[~np.isnan(distance)]
    clipped = np.clip(told, STEPS[0], STEPS[-1])
    shares = [0.0 for _ in STEPS]
    if len(told):
        shares = [100 * (clipped == step).mean() for step in STEPS]
    label = f"{kind} ({len(told)})"
    ax.bar(STEPS + shift, shares, 0.4, color=colour, label=label)


def step_labels() -> list[str]:
    """A label for each of ``STEPS``."""
    labels = []
    for step in STEPS[1:-1]:
        labels.append(f"{step:+d}".replace("-", "−") if step else "0")
    return ["≤ −4", *labels, "≥ 5"]


def main() -> None:
    """Print the tables, and draw them if asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument(
        "--solved",
        type=Path,
        default=Path("tables.tsv"),
        help="what is solved, kept between runs",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=SHARE,
        help="share of the deals (default: %(default)s)",
    )
    parser.add_argument(
        "--tables", type=int, help="the first so many tables of these (default: all)"
    )
    parser.add_argument(
        "--all", action="store_true", help="not only deals that are set aside"
    )
    parser.add_argument("--picture", type=Path, help="draw it here")
    options = parser.parse_args()
    tables, solved = compared_tables(options)
    by_name = estimates(tables, solved)
    is_no_trumps = np.array([table.contract.strain == Strain.NT for table in tables])
    print(markdown(by_name, is_no_trumps))
    if options.picture is not None:
        draw(by_name, is_no_trumps, options.picture)


def compared_tables(options: argparse.Namespace) -> tuple[list[Table], list[int]]:
    """The tables that are compared, and the double-dummy tricks of each."""
    _, tables, solved = solved_tables(
        options.records, options.solved, options.share, options.tables
    )
    compared = []
    for table, tricks in zip(tables, solved, strict=True):
        is_open = options.all or table.aside
        if is_open and abs(table.result - tricks) <= FARTHEST:
            compared.append((table, tricks))
    return [table for table, _ in compared], [tricks for _, tricks in compared]


if __name__ == "__main__":
    main()
