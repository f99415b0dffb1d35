"""``bayesbridge estimate``: what estimators say about everything that may be hidden."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bayesbridge.cli.evidence_options import add_evidence, belief_of
from bayesbridge.cli.parsing import Once, Subparsers, UsageError, add_command, pair, whole
from bayesbridge.cli.printing import print_json, progress_line
from bayesbridge.cli.worth import MOST_DRAWS
from bayesbridge.errors import BayesBridgeError, Contradiction

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.contract import Estimator
    from bayesbridge.estimators.evaluate import Evaluation

METHODS = ("auto", "enumerate", "sample", "weights", "smc", "mcmc")


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "estimate",
        "where the hidden cards lie, and how many tricks two hands will take",
        run,
        "bayesbridge estimate --observer S --hand AKQ2.KJ3.A54.Q32 --void E:H --length W:S:5+",
    )
    parser.add_argument(
        "--pair", type=pair, action=Once, metavar="S:N", help="who plays together (default: observer and dummy)"
    )
    parser.add_argument(
        "--estimator",
        action="append",
        metavar="NAME",
        help="what to compute, repeatable (default: capture; 'bayesbridge plugins' lists all)",
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default="auto",
        metavar="NAME",
        help=f"the engine: {', '.join(METHODS)} (default: auto, the most exact that fits)",
    )
    parser.add_argument(
        "--draws",
        type=whole(2, MOST_DRAWS),
        default=20_000,
        metavar="N",
        help="layouts drawn where there are too many to walk (default: 20_000)",
    )
    parser.add_argument("--save", action=Once, metavar="FILE.nc", help="write the whole result as netCDF, for ArviZ")
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Infer, estimate and print; status 1 if an estimator failed, though the others are printed."""
    from bayesbridge.cli.estimate_document import document
    from bayesbridge.cli.estimate_screen import show

    if args.save is not None:
        _verify_writable(args.save)
    estimators = estimators_named(args.estimator or ["capture"])
    believed = belief_of(args)
    with believed.blaming(), blaming_method(args.method):
        posterior = believed.belief.infer(args.method, args.draws, args.seed)
    found = _evaluate(posterior, estimators, args)
    if found.estimators:
        if args.save is not None:
            _save(found, args.save)
        if args.json:
            print_json(document(found))
        else:
            show(found)
    for failure in found.failures.values():
        if sys.stderr is not None:
            print(f"bayesbridge: left out: {failure}", file=sys.stderr)
    return 1 if found.failures else 0


@contextmanager
def blaming_method(method: str) -> Iterator[None]:
    """Say of an engine that was insisted on, and cannot answer, which option named it."""
    try:
        yield
    except Contradiction:
        raise
    except BayesBridgeError as error:
        raise UsageError(f"argument --method {method}: {error}") from None


def estimators_named(names: list[str]) -> list[Estimator]:
    from bayesbridge.estimators.registry import load

    registry = load()
    try:
        return [registry.estimator(name) for name in dict.fromkeys(names)]
    except BayesBridgeError as error:
        raise UsageError(f"argument --estimator: {error}") from None


def _evaluate(posterior: Posterior, estimators: list[Estimator], args: Namespace) -> Evaluation:
    from bayesbridge.estimators.evaluate import evaluate
    from bayesbridge.results import ask

    tricks = posterior.belief.tricks
    trick = tricks[-1] if tricks and not tricks[-1].complete else None
    question = ask(posterior, args.pair, trick=trick)
    return evaluate(posterior, estimators, question, rng=args.seed, progress=progress_line("layouts"))


def _verify_writable(name: str) -> None:
    """Find out before the work whether its result can be written."""
    path = Path(name)
    if path.suffix != ".nc":
        raise UsageError(f"argument --save: {name!r}: the result is a netCDF file, let its name end in .nc")
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"argument --save: {name!r}: name a file in a folder that exists")


def _save(found: Evaluation, name: str) -> None:
    """Write the file in one step: whoever finds it finds it whole."""
    from bayesbridge.results import to_datatree

    path = Path(name)
    part = path.with_name(f".{path.name}.part")
    try:
        to_datatree(found).to_netcdf(part, engine="h5netcdf")
        part.replace(path)
    except OSError as error:
        raise UsageError(f"argument --save: cannot write {name!r}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
