"""``bayesbridge study``: the paper's experiments, own figures beside the printed ones."""

from __future__ import annotations

import sys
from argparse import Namespace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.cli.calibration_screen import show_calibration
from bayesbridge.cli.parsing import Subparsers, UsageError, add_command, whole
from bayesbridge.cli.printing import print_json, print_table
from bayesbridge.errors import BayesBridgeError
from bayesbridge.words import number

if TYPE_CHECKING:
    from bayesbridge.studies.comparison import Comparison, Figure
    from bayesbridge.studies.hypotheses import Test

MOST_DEALS = 10**15
"""A year of work for one core three times over: more is a slip of the finger."""

STUDIES: Final = {
    "conditions": 1_000_000,
    "captures": 1_000_000,
    "comparative": 1_000_000,
    "headline": 1_000_000,
    "strategies": 200_000,
    "opponents": 50_000,
    "calibration": 200,
}
"""Name of the study, which is also its module, and how many deals it draws unless told."""

EXACT: Final = ("conditions", "captures")

SCORED: Final = ("headline", "strategies")
"""Studies whose counts give points by any scheme."""

ENGINES: Final = ("enumerate", "sample", "counting", "weights", "smc", "mcmc", "joint", "auto")
"""What can be calibrated."""


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "study",
        "an experiment of the paper, by Monte Carlo or exactly, beside the printed figures",
        run,
        "bayesbridge study captures --deals 1e7 --workers 2\n  bayesbridge study conditions --exact\n"
        "  bayesbridge study headline --deals 1e7 --runs 3 --resume headline.jsonl",
    )
    parser.add_argument(
        "table",
        metavar="STUDY",
        choices=tuple(STUDIES),
        help="conditions: how often the two conditions hold; captures: how many tricks are captured; comparative: "
        "Algorithm 1 against Algorithm 2; headline: deals bid and played out; strategies: card play as a zero-sum "
        "game; opponents: what the calls of the others tell; calibration: whether posteriors are right",
    )
    parser.add_argument(
        "--deals",
        type=whole(1, MOST_DEALS),
        metavar="N",
        help="random deals in each run, also written 10_000_000 or 1e7 (default: 1_000_000; strategies 200_000, "
        "opponents 50_000, calibration 200)",
    )
    parser.add_argument(
        "--runs", type=whole(1, 1000), default=1, metavar="R", help="independent runs; the paper has 3 (default: 1)"
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="count every possible deal instead; nothing is then drawn at random (conditions and captures)",
    )
    parser.add_argument(
        "--tests", action="store_true", help="hypothesis tests with --exact too; without it they are always made"
    )
    parser.add_argument(
        "--workers",
        type=whole(1, 1024),
        metavar="N",
        help="threads or processes; the answer does not depend on it (default: one a core)",
    )
    parser.add_argument(
        "--scheduler",
        default="threads",
        metavar="ADDRESS",
        help="threads, processes, or the address of a Dask scheduler such as tcp://10.0.0.1:8786; the answer does not "
        "depend on it (default: threads)",
    )
    parser.add_argument(
        "--scoring",
        action="append",
        default=[],
        metavar="FILE",
        help="a TOML file with a scoring scheme of your own, beside the built-in ones; may be repeated (headline and "
        "strategies)",
    )
    parser.add_argument(
        "--method", choices=ENGINES, help=f"the engine to calibrate: {', '.join(ENGINES)} (default: enumerate)"
    )
    parser.add_argument(
        "--bidder", metavar="NAME", help="who calls in a calibration, see 'plugins' (default: as fits the engine)"
    )
    keep = parser.add_mutually_exclusive_group()
    keep.add_argument("--checkpoint", metavar="FILE", help="keep every finished chunk in a new file")
    keep.add_argument("--resume", metavar="FILE", help="the same, but continue the file if it is there")


def run(args: Namespace) -> int:
    """Count or simulate, and print."""
    study = import_module(f"bayesbridge.studies.{args.table}")
    own = _schemes(args) | _calibrated(args)
    if args.exact:
        _verify_exact(args)
        found = study.count_exactly()
    else:
        deals = args.deals or STUDIES[args.table]
        found = study.simulate(deals, args.seed, None, args.runs, _setting(args), **own)
    tests = found.tests() if args.tests or not args.exact else ()
    if args.json:
        print_json(_document(found, tests))
    else:
        _show(found, tests, args.seed)
    return 0


def _verify_exact(args: Namespace) -> None:
    if args.table not in EXACT:
        raise UsageError(f"study {args.table!r} has no exact count: leave --exact out (see 'bayesbridge study --help')")
    drawn = {"--checkpoint": args.checkpoint, "--resume": args.resume}
    if named := [option for option, value in drawn.items() if value]:
        raise UsageError(f"{named[0]} keeps random draws, and --exact makes none: leave one of the two out")


def _schemes(args: Namespace) -> dict[str, Any]:
    """The argument that carries schemes of the user's own to a study, where there are any."""
    if not args.scoring:
        return {}
    if args.table not in SCORED:
        raise UsageError(f"study {args.table!r} takes no scoring scheme: --scoring goes with {' and '.join(SCORED)}")
    from bayesbridge.positions.toml_file import read_toml
    from bayesbridge.scoring import Scheme, beside_built_in

    schemes = []
    for path in args.scoring:
        _, table = read_toml(path, "--scoring")
        try:
            schemes.append(Scheme.of(table))
            beside_built_in(schemes, taken=("made", "tricks"))
        except BayesBridgeError as error:
            raise UsageError(f"{path}: {error}") from None
    return {"schemes": schemes}


def _calibrated(args: Namespace) -> dict[str, Any]:
    """The arguments that say what is calibrated."""
    given = {"method": args.method, "bidder": args.bidder}
    own: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if own and args.table != "calibration":
        raise UsageError(f"study {args.table!r} has no engine to choose: --{next(iter(own))} goes with calibration")
    if args.bidder is not None:
        from bayesbridge.estimators.registry import load

        try:
            own["bidder"] = load().bidder(args.bidder)
        except BayesBridgeError as error:
            raise UsageError(f"argument --bidder: {error}") from None
    return own


def _setting(args: Namespace) -> Any:
    from pathlib import Path

    from bayesbridge.studies.study import Setting

    watched = sys.stderr is not None and sys.stderr.isatty()
    file = args.resume or args.checkpoint
    return Setting(
        workers=args.workers,
        scheduler=args.scheduler,
        checkpoint=Path(file) if file else None,
        resume=bool(args.resume),
        progress=_show_progress if watched else None,
    )


def _document(found: Comparison, tests: tuple[Test, ...]) -> dict[str, object]:
    document: dict[str, object] = {
        "counts": _texts(found.counts),
        "total": str(found.total),
        "exact": found.exact,
        "deals_per_second": found.deals_per_second,
        "paper": _paper(found),
        "z": found.z,
        **found.answers,
    }
    if found.figures and not found.exact:
        document["own"] = {figure.name: figure.own for figure in found.figures}
    if len(found.runs) > 1:
        document["runs"] = [_texts(counts) for counts in found.runs]
    if tests:
        document["tests"] = [_test(test) for test in tests]
    return document


def _texts(counts: Any) -> dict[str, str]:
    return {key: str(count) for key, count in counts.items()}


def _paper(found: Comparison) -> dict[str, object] | None:
    if not found.figures:
        return None
    runs = range(len(found.figures[0].printed))
    return {
        "title": found.title,
        "trials": str(found.trials),
        "runs": [{figure.name: _printed(figure.printed[i]) for figure in found.figures} for i in runs],
        "mean": {figure.name: figure.mean for figure in found.figures},
    }


def _printed(value: float) -> str | float:
    """Counts as text, rates and averages as numbers."""
    return str(value) if isinstance(value, int) else value


def _test(test: Test) -> dict[str, object]:
    from dataclasses import asdict
    from math import isfinite

    return {
        key: None if isinstance(value, float) and not isfinite(value) else value for key, value in asdict(test).items()
    }


def _show(found: Comparison, tests: tuple[Test, ...], seed: int) -> None:
    if found.figures:
        _show_figures(found)
    if found.exact:
        exact_rows = [[key, number(count), number(found.per_million(count), 4)] for key, count in found.counts.items()]
        exact_rows.append(["total", number(found.total), number(found.per_million(found.total), 4)])
        print_table("Every possible deal, counted", ["", "deals", "per million"], exact_rows)
    if "points" in found.answers:
        _show_points(found)
    if "games" in found.answers:
        _show_games(found)
    if "stages" in found.answers:
        _show_stages(found)
    if "coverage" in found.answers:
        show_calibration(found)
    if tests:
        rows = [
            [
                test.hypothesis,
                f"{test.statistic:.4g}",
                f"{test.effect:.4f}",
                _interval(test),
                _p(test.p),
                _p(test.p_holm),
            ]
            for test in tests
        ]
        print_table("Hypothesis tests", ["hypothesis", "statistic", "effect", "95 %", "p", "p (Holm)"], rows)
    if not found.exact:
        speed = found.deals_per_second
        pace = _pace(speed) if speed else "all from the checkpoint"
        print(f"{number(found.total)} deals, seed {seed}, {pace}.")
    if found.figures:
        of = "run 1 to 3 and mean" if len(found.figures[0].printed) > 1 else "paper"
        print(f"{of}: the paper. z: standard errors by which the paper's mean exceeds the column before it.")


def _show_figures(found: Comparison) -> None:
    printed = len(found.figures[0].printed)
    runs = [*(f"run {i}" for i in range(1, printed + 1)), "mean"] if printed > 1 else ["paper"]
    header = ["", *runs, "exact" if found.exact else "own", "z"]
    rows = [_figure_row(figure) for figure in found.figures]
    if not all(figure.determined for figure in found.figures):
        header.append("verdict")
        rows = [[*row, verdict] for row, verdict in zip(rows, found.verdicts(), strict=True)]
    print_table(f"{found.title}, {found.unit}", header, rows)


def _figure_row(figure: Figure) -> list[str]:
    whole_numbers = all(isinstance(value, int) for value in figure.printed)
    mean = [number(figure.mean, 1 if whole_numbers else figure.digits)] if len(figure.printed) > 1 else []
    printed = [number(value, figure.digits) for value in figure.printed]
    return [figure.name, *printed, *mean, number(figure.own, figure.digits), number(figure.z, 2)]


def _show_points(found: Comparison) -> None:
    rows = [
        [name, *(number(points[key], 2) for key in ("mean", "standard_error", "both_eligible", "both_error"))]
        for name, points in found.answers["points"].items()
    ]
    print_table("Net points of a contract, by scoring scheme", ["", "mean", "±", "both eligible", "±"], rows)


def _show_games(found: Comparison) -> None:
    policies = found.answers["policies"]
    for name, game in found.answers["games"].items():
        digits = 4 if name == "made" else 2
        rows = [
            [policy, *(number(value, digits) for value in payoff), number(share, 3), number(lost, digits)]
            for policy, payoff, share, lost in zip(
                policies, game["payoff"], game["row"], game["row_exploitability"], strict=True
            )
        ]
        rows.append(["share", *(number(share, 3) for share in game["column"]), "", ""])
        rows.append(["exploitability", *(number(lost, digits) for lost in game["column_exploitability"]), "", ""])
        title = f"Pay-off '{name}' to the bidder's side (rows) against defenders (columns), value {game['value']:.4f}"
        print_table(title, ["", *policies, "share", "exploitability"], rows)


def _show_stages(found: Comparison) -> None:
    rows = []
    for stage, said in found.answers["stages"].items():
        for which in ("without calls", "with calls"):
            quality = said[which]
            figures = (quality["log_loss"], quality["brier"], quality["calibration_error"])
            rows.append([f"{stage}, {which}", *(number(value, 4) for value in figures), number(quality["points"], 2)])
        gains = [said["log_loss_gain"], said["points_gain"]]
        shown = [f"{gain['mean']:.4f} ± {gain['standard_error']:.4f}" for gain in gains]
        rows.append(["  gain by the calls", shown[0], "", "", shown[1]])
    print_table(
        f"{found.title}, {found.unit}", ["", "log loss (nats)", "Brier", "calibration error", "points of the bid"], rows
    )


def _pace(speed: float) -> str:
    return f"{number(speed / 1e6, 1)} million a second" if speed >= 1e5 else f"{number(speed, 1)} a second"


def _interval(test: Test) -> str:
    return "–" if test.interval is None else f"{test.interval[0]:.4f} … {test.interval[1]:.4f}"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _show_progress(done: int, deals: int) -> None:
    end = "\n" if done == deals else ""
    filled = 20 * done // deals
    bar = "#" * filled + "." * (20 - filled)
    print(f"\r[{bar}] {number(done)} of {number(deals)} deals", end=end, file=sys.stderr, flush=True)
