"""``bayesbridge estimate``: what estimators say about everything that may be hidden."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bayesbridge.cli.accuracy import add_draws
from bayesbridge.cli.card import add_card, card_document, card_steps, show_card
from bayesbridge.cli.contract import add_contract, as_reached, asked_contract, contract_document, show_contract
from bayesbridge.cli.evidence_options import add_evidence, position_of
from bayesbridge.cli.joint import add_joint, joint_documents, joints, show_joints
from bayesbridge.cli.parsing import Once, Parser, Subparsers, UsageError, add_command, add_pair
from bayesbridge.cli.printing import print_json, progress_line
from bayesbridge.cli.show import add_show, examples, print_examples
from bayesbridge.cli.writing import verify_target, writing
from bayesbridge.errors import BayesBridgeError, Contradiction, PluginError, Unwritable
from bayesbridge.notices import tell

if TYPE_CHECKING:
    from pathlib import Path

    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.contract_odds import ContractOdds
    from bayesbridge.estimators.evaluate import Evaluation
    from bayesbridge.estimators.odds import ContractQuestion
    from bayesbridge.estimators.protocol import Estimator


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "estimate",
        "where the hidden cards lie, and how many captures or tricks two hands have",
        run,
        "bayesbridge estimate --observer S --hand AKQ2.KJ3.A54.Q32 --void E:H --length W:S:5+",
    )
    add_pair(parser)
    parser.add_argument(
        "--estimator",
        action="append",
        metavar="NAME",
        help="what to compute, repeatable (default: capture, tricks with --contract; 'bayesbridge plugins' lists all)",
    )
    add_method(parser)
    add_draws(parser)
    add_contract(parser)
    add_joint(parser)
    add_card(parser)
    add_show(parser)
    parser.add_argument("--save", action=Once, metavar="FILE.nc", help="write the whole result as netCDF, for ArviZ")
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Infer, estimate and print; status 1 if an estimator failed, though the others are printed."""
    from bayesbridge.cli.estimate_screen import show
    from bayesbridge.documents import estimate_document

    target = None
    if args.save is not None:
        target = verify_target("--save", args.save, "the result is a netCDF file", ".nc")
    position = position_of(args)
    belief = position.belief()
    asked = asked_contract(belief, args)
    estimators, solvers = estimators_and_solvers(args.estimator, asked)
    with position.blaming(), blaming_method(args.method):
        posterior = as_reached(belief.infer(args.method, args.draws, args.seed), args)
    together = joints(posterior, args.joint, args.pair)
    looked_for = card_steps(belief, args)
    found, odds = evaluated(posterior, estimators, solvers, asked, args)
    unsaved = None
    if found.estimators:
        if target is not None:
            unsaved = _save(found, odds, target)
        if args.json:
            print_json(
                estimate_document(found)
                | joint_documents(together)
                | contract_document(odds)
                | card_document(looked_for, args)
                | examples(posterior, args)
            )
        else:
            show(found)
            show_joints(together)
            show_contract(odds)
            show_card(looked_for, args)
            print_examples(posterior, args)
    for failure in found.failures.values():
        tell(f"left out: {failure}")
    if unsaved is not None:
        raise unsaved
    return 1 if found.failures else 0


def add_method(parser: Parser) -> None:
    """Ask which engine is to answer; which there are is known when it is used, so that ``--help`` stays quick."""
    parser.add_argument(
        "--method", default="auto", metavar="NAME", help="the engine (default: auto, the most exact that fits)"
    )


@contextmanager
def blaming_method(method: str) -> Iterator[None]:
    """Say of an engine that was insisted on, and cannot answer, which option named it."""
    try:
        yield
    except (Contradiction, PluginError, UsageError):
        raise
    except BayesBridgeError as error:
        raise UsageError(f"argument --method {method}: {error}") from None


def estimators_and_solvers(
    names: list[str] | None, asked: ContractQuestion | None = None
) -> tuple[list[Estimator], list[Estimator]]:
    """The estimators named, and what solves a contract."""
    from bayesbridge.estimators.odds import estimators_for

    try:
        return estimators_for(list(dict.fromkeys(names)) if names else None, asked)
    except BayesBridgeError as error:
        raise UsageError(f"argument --estimator: {error}") from None


def evaluated(
    posterior: Posterior,
    estimators: list[Estimator],
    solvers: list[Estimator],
    asked: ContractQuestion | None,
    args: Namespace,
) -> tuple[Evaluation, ContractOdds | None]:
    """What the estimators say, and what becomes of the contract that is asked about."""
    from bayesbridge.estimators.contract_odds import contract_odds
    from bayesbridge.estimators.evaluate import ask, evaluate
    from bayesbridge.random64 import generator

    tricks = posterior.belief.tricks
    trick = tricks[-1] if tricks and not tricks[-1].complete else None
    if asked is None:
        question = ask(posterior, args.pair, trick=trick)
    else:
        question = ask(posterior, asked.pair, asked.strain, trick)
    random = generator(args.seed)
    progress = progress_line("layouts")
    found = evaluate(posterior, estimators, question, rng=random, progress=progress, seconds=args.seconds)
    return contract_odds(found, asked, solvers, rng=random, progress=progress_line("layouts solved"))


def _save(found: Evaluation, odds: ContractOdds | None, path: Path) -> Unwritable | None:
    """Write the file; what hinders it is given back, so that the answer is not lost with it."""
    from bayesbridge.results import to_datatree

    # Made in memory first: HDF5 brings the whole process down when it runs out of disk.
    content = to_datatree(found, odds=odds).to_netcdf(engine="h5netcdf")
    try:
        with writing("--save", path) as part:
            part.write_bytes(content)
    except Unwritable as error:
        return error
    return None
