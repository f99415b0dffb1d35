"""Estimators, double dummy and real results side by side, on tables of your own
records.

    python benchmarks/evaluation/against_reality.py auctions.pbn.gz --solved tables.tsv --picture reality.png

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


class Estimate(NamedTuple):
    """What one estimator says of every table: (n,) mean and likeliest number, not a
    number where it has none.
    """

    mean: Floats
    likeliest: Floats


def estimates(tables: list[Table], solved: list[int]) -> dict[str, Estimate]:
    """By name, for the declarers of the tables."""
    n = len(tables)
    numbers = {name: np.full((2, n), np.nan) for name in NAMES}
    for strain in Strain:
        here = [i for i, table in enumerate(tables) if table.contract.strain == strain]
        if not here:
            continue
        layouts, question = (
            declarers_first(tables[i] for i in here),
            north_declares(strain),
        )
        T = run(CaptureEstimator(), layouts, question)["T"]
        numbers["T"][:, here] = np.where(T > 0, T, np.nan)
        numbers["play_out"][:, here] = run(PlayOutEstimator(), layouts, question)[
            "tricks"
        ]
        network = np.asarray(
            run(TricksEstimator(), layouts, question)["tricks"], np.float64
        )
        after = [
            row @ actual_table(tables[i].contract)
            for row, i in zip(network, here, strict=True)
        ]
        for name, shares in (("tricks", network), ("tricks, actual", np.array(after))):
            numbers[name][:, here] = shares @ np.arange(14), shares.argmax(axis=1)
    numbers["double dummy"][:] = solved
    numbers["real result"][:] = [table.result for table in tables]
    return {name: Estimate(*pair) for name, pair in numbers.items()}


def row(one: Estimate, truth: Floats, here: NDArray[np.bool_]) -> list[str]:
    """Tables, bias, rms error, exact, within one, correlation."""
    told = here & ~np.isnan(one.mean)
    if told.sum() < 2:
        return [number(int(told.sum())), *["–"] * 5]
    error, apart = (one.mean - truth)[told], np.abs(one.likeliest - truth)[told]
    return [
        number(int(told.sum())),
        f"{error.mean():+.2f}",
        f"{np.sqrt((error**2).mean()):.2f}",
        f"{100 * (apart == 0).mean():.1f} %",
        f"{100 * (apart <= 1).mean():.1f} %",
        f"{np.corrcoef(one.mean[told], truth[told])[0, 1]:.3f}",
    ]


def markdown(found: dict[str, Estimate], kind: NDArray[np.bool_]) -> str:
    """One table beside the real results and one beside double dummy, no trumps first."""
    parts = []
    for truth in ("real result", "double dummy"):
        lines = [
            f"| beside the {truth} | tables | bias | rms error | exact | within one | correlation |"
        ]
        lines.append("|---|---:|---:|---:|---:|---:|---:|")
        for where, here in zip(KINDS, (kind, ~kind), strict=True):
            for name in NAMES:
                if name != truth:
                    cells = row(found[name], found[truth].mean, here)
                    lines.append(f"| {where}: {name} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def draw(found: dict[str, Estimate], kind: NDArray[np.bool_], path: Path) -> None:
    """How far each estimate is from the real result: a panel for each, no trumps and
    suits side by side.
    """
    from matplotlib.figure import Figure

    from bayesbridge.plots import BLUE, ORANGE

    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    steps = np.arange(-4, 6)
    panels = [["T", "play_out", "."], ["tricks", "tricks, actual", "double dummy"]]
    for name, ax in figure.subplot_mosaic(panels, sharex=True, sharey=True).items():
        for shift, colour, label, here in (
            (-0.2, BLUE, KINDS[0], kind),
            (0.2, ORANGE, KINDS[1], ~kind),
        ):
            apart = (found[name].likeliest - found["real result"].mean)[here]
            apart = np.clip(apart[~np.isnan(apart)], steps[0], steps[-1])
            shares = [
                100 * (apart == step).mean() if len(apart) else 0.0 for step in steps
            ]
            ax.bar(
                steps + shift,
                shares,
                0.4,
                color=colour,
                label=f"{label} ({len(apart)})",
            )
        ax.axvline(0, color="0.5", linewidth=0.8, zorder=0)
        ax.set_title(name, fontsize=10)
        ax.set_xticks(
            steps,
            [
                "≤ −4",
                *(
                    f"{step:+d}".replace("-", "−") if step else "0"
                    for step in steps[1:-1]
                ),
                "≥ 5",
            ],
            fontsize=7,
        )
        ax.legend(fontsize=7, frameon=False, loc="upper right")
        ax.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("tricks said less tricks that declarer took", fontsize=9)
    figure.supylabel("% of tables", fontsize=9)
    figure.savefig(path, dpi=200)


def main() -> None:
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
    _, tables, solved = solved_tables(
        options.records, options.solved, options.share, options.tables
    )
    kept = [
        i
        for i, table in enumerate(tables)
        if (options.all or table.aside) and abs(table.result - solved[i]) <= FARTHEST
    ]
    tables, solved = [tables[i] for i in kept], [solved[i] for i in kept]
    found = estimates(tables, solved)
    kind = np.array([table.contract.strain == Strain.NT for table in tables])
    print(markdown(found, kind))
    if options.picture is not None:
        draw(found, kind, options.picture)


if __name__ == "__main__":
    main()
