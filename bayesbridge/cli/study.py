"""``bayesbridge study``: the paper's tables, own figures beside the printed ones."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from bayesbridge.cli.parsing import Subparsers, add_command, whole
from bayesbridge.cli.printing import number, print_json, print_table, progress_line

if TYPE_CHECKING:
    from bayesbridge.studies.comparison import Comparison

MOST_DEALS = 10**15
"""A year of work for one core three times over: more is a slip of the finger."""


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "study",
        "a table of the paper, by Monte Carlo or exactly, beside the printed figures",
        run,
        "bayesbridge study captures --deals 1e7 --workers 2\n  bayesbridge study conditions --exact",
    )
    parser.add_argument(
        "table",
        metavar="TABLE",
        choices=("conditions", "captures"),
        help="conditions: how often the two conditions hold; captures: how many tricks are captured",
    )
    parser.add_argument(
        "--deals",
        type=whole(1, MOST_DEALS),
        default=1_000_000,
        metavar="N",
        help="random deals, also written 10_000_000 or 1e7 (default: 1_000_000)",
    )
    parser.add_argument(
        "--exact", action="store_true", help="count every possible deal instead; nothing is then drawn at random"
    )
    parser.add_argument(
        "--workers",
        type=whole(1, 1024),
        metavar="N",
        help="threads; the answer does not depend on it (default: one a core)",
    )


def run(args: Namespace) -> int:
    """Count or simulate, and print."""
    from bayesbridge.studies import captures, conditions

    study = {"captures": captures, "conditions": conditions}[args.table]
    if args.exact:
        found = study.count_exactly()
    else:
        found = study.simulate(args.deals, args.seed, args.workers, progress_line("deals"))
    if args.json:
        print_json(_document(found))
    else:
        _show(found, args.seed)
    return 0


def _document(found: Comparison) -> dict[str, object]:
    paper = found.paper
    return {
        "counts": {key: str(count) for key, count in found.counts.items()},
        "total": str(found.total),
        "exact": found.exact,
        "deals_per_second": found.deals_per_second,
        "paper": {
            "title": paper.title,
            "trials": str(paper.trials),
            "runs": [{key: str(count) for key, count in zip(paper.bins, run, strict=True)} for run in paper.runs],
            "mean": dict(zip(paper.bins, paper.mean(), strict=True)),
        },
        "z": dict(zip(paper.bins, found.z, strict=True)),
    }


def _show(found: Comparison, seed: int) -> None:
    paper = found.paper
    digits = 4 if found.exact else 1
    runs = [f"run {i}" for i in range(1, len(paper.runs) + 1)]
    rows = [
        [key, *map(number, counts), number(mean, 1), number(found.per_million(own), digits), number(z, 2)]
        for key, *counts, mean, own, z in zip(paper.bins, *paper.runs, paper.mean(), found.binned, found.z, strict=True)
    ]
    header = ["", *runs, "mean", "exact" if found.exact else "own", "z"]
    print_table(f"{paper.title}, per million deals", header, rows)
    if found.exact:
        exact_rows = [[key, number(count), number(found.per_million(count), 4)] for key, count in found.counts.items()]
        exact_rows.append(["total", number(found.total), number(found.per_million(found.total), 4)])
        print_table("Every possible deal, counted", ["", "deals", "per million"], exact_rows)
    elif found.deals_per_second:
        print(f"{number(found.total)} deals, seed {seed}, {number(found.deals_per_second / 1e6, 1)} million a second.")
    print("run 1 to 3 and mean: the paper. z: standard errors by which the paper's mean exceeds the column before it.")
