"""``bayesbridge study``: an experiment, its computed figures beside the printed ones."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from bayesbridge.cli import screens
from bayesbridge.cli.files import resumable
from bayesbridge.cli.modes import CLUSTER, Mode, refuse_options
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.game.scoring import Scheme
from bayesbridge.notation.toml_text import Toml
from bayesbridge.studies import STUDIES
from bayesbridge.studies.jobs import THREADS, RunOptions
from bayesbridge.studies.study import Comparison, Experiment, all_tables, notes

EXACTLY = Mode(
    "--exact counts every deal and draws none",
    "deals runs workers scheduler resume seed",
)
SOLVED = Mode("the auction is solved once", "runs")


def run(args: Namespace) -> int:
    """Run a study again, counted or simulated, and print it beside the paper."""
    study = STUDIES[args.study]
    refuse_options(args, *modes_of(args, study))
    study = study.with_settings(settings_of(args, study))
    comparison = compared(args, study, schemes_of(args, study))
    return screens.present(
        args,
        comparison.document(),
        *all_tables(study, comparison),
        *notes(comparison, args.seed),
    )


def modes_of(args: Namespace, study: Experiment) -> list[Mode]:
    """Which options have no part in the study, or beside other options, and why.

    The settings of another study are refused with its name; an auction that is solved
    once has no ``--runs``.
    """
    modes = []
    for owner in STUDIES.values():
        foreign_settings = set(owner.settings) - set(study.settings)
        why = f"it goes with study {owner.name!r}"
        modes.append(Mode(why, refuses=" ".join(foreign_settings)))
    if study.count_exactly is None:
        why = f"study {study.name!r} has no exact count"
        modes.append(Mode(why, refuses="exact"))
    if study.settings:
        modes.append(SOLVED)
    if args.exact:
        modes.append(EXACTLY)
    elif ":" in (args.scheduler or ""):
        modes.append(CLUSTER)
    return modes


def schemes_of(args: Namespace, study: Experiment) -> list[Scheme]:
    """The schemes of ``--scoring``, for a study that takes any."""
    if args.scoring and not study.schemes:
        takers = " and ".join(taker.name for taker in STUDIES.values() if taker.schemes)
        raise UsageError(
            f"study {study.name!r} takes no --scoring: it goes with {takers}"
        )
    schemes = []
    for path in args.scoring or ():
        scheme = Toml.read(path, "--scoring").document
        with attributed(f"--scoring {path}"):
            schemes.append(Scheme.of(scheme))
    return schemes


def compared(args: Namespace, study: Experiment, schemes: list[Scheme]) -> Comparison:
    """What the study finds, counted exactly or in a simulation."""
    if args.exact and study.count_exactly is not None:
        return study.count_exactly()
    checkpoint = Path(args.resume) if args.resume else None
    options = RunOptions(args.workers, args.scheduler or THREADS, checkpoint)
    deals = args.deals or study.deals
    with resumable(args, "deals"):
        return study.simulate(deals, args.seed, options, args.runs, schemes)


def settings_of(args: Namespace, study: Experiment) -> dict[str, Any]:
    """The settings of the study among the options."""
    values = {name: getattr(args, name) for name in study.settings}
    return {name: value for name, value in values.items() if value is not None}
