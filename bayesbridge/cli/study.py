"""``bayesbridge study``: an experiment, its computed figures beside the printed ones."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from bayesbridge.cli import screens
from bayesbridge.cli.files import resumable
from bayesbridge.cli.modes import CLUSTER, Mode, verify
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.game.scoring import Scheme
from bayesbridge.notation.toml_text import Toml
from bayesbridge.studies import STUDIES
from bayesbridge.studies.jobs import THREADS, RunOptions
from bayesbridge.studies.study import Experiment, all_tables, notes

EXACTLY = Mode(
    "--exact counts every deal and draws none",
    "deals runs workers scheduler resume seed",
)


def run(args: Namespace) -> int:
    study = STUDIES[args.study]
    study = study.with_settings(settings_of(args, study))
    verify(
        args,
        EXACTLY if args.exact else ":" in (args.scheduler or "") and CLUSTER,
    )
    if args.scoring and not study.schemes:
        takers = " and ".join(one.name for one in STUDIES.values() if one.schemes)
        raise UsageError(
            f"study {study.name!r} takes no --scoring: it goes with {takers}"
        )
    schemes = []
    for path in args.scoring or ():
        scheme = Toml.read(path, "--scoring").document
        with attributed(f"--scoring {path}"):
            schemes.append(Scheme.of(scheme))
    if args.exact and study.count_exactly is None:
        told = "leave --exact out (see 'bayesbridge study --help')"
        raise UsageError(f"study {study.name!r} has no exact count: {told}")
    if args.exact and study.count_exactly is not None:
        found = study.count_exactly()
    else:
        checkpoint = Path(args.resume) if args.resume else None
        how = RunOptions(args.workers, args.scheduler or THREADS, checkpoint)
        with resumable(args, "deals"):
            found = study.simulate(
                args.deals or study.deals, args.seed, how, args.runs, schemes
            )
    return screens.present(
        args, found.document(), *all_tables(study, found), *notes(found, args.seed)
    )


def settings_of(args: Namespace, study: Experiment) -> dict[str, Any]:
    """The settings of a study that were given; those of others are refused."""
    takers = {name: other.name for other in STUDIES.values() for name in other.settings}
    values = {name: getattr(args, name) for name in takers}
    given = {name: value for name, value in values.items() if value is not None}
    for name in given:
        if name not in study.settings:
            raise UsageError(
                f"study {study.name!r} takes no --{name}: it goes with {takers[name]}"
            )
    return given
