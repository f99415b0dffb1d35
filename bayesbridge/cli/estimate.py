"""``--joint T,points[N]``: how two numbers go together, on the screen and in JSON.

``--card SQ``: where a card lies, and how the answer moved with each piece of evidence.

``bayesbridge estimate``: what estimators say about everything that may be hidden.
"""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bayesbridge.cards import Card
from bayesbridge.cli.contract import add_contract, as_reached, asked_contract
from bayesbridge.cli.options import (
    Once,
    Parser,
    Subparsers,
    UsageError,
    add_command,
    add_evidence,
    add_pair,
    position_of,
    reading,
    verify_target,
    writing,
)
from bayesbridge.cli.screens import (
    add_draws,
    add_show,
    examples,
    print_examples,
    print_json,
    print_table,
    progress_line,
    say,
    show,
    show_table,
)
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, Contradiction, PluginError, Unwritable
from bayesbridge.notices import tell
from bayesbridge.words import percent

if TYPE_CHECKING:
    from pathlib import Path

    import xarray

    from bayesbridge.belief.belief import Belief
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.contract_odds import ContractOdds
    from bayesbridge.estimators.evaluate import Evaluation
    from bayesbridge.estimators.odds import ContractQuestion
    from bayesbridge.estimators.protocol import Estimator


def add_joint(parser: Parser) -> None:
    """Ask which numbers are wanted together."""
    parser.add_argument(
        "--joint",
        type=_two_names,
        action="append",
        default=[],
        metavar="T,card[HA]",
        help="how two numbers go together, repeatable: T, condition, Delta, c1[S], delta[S], points[N], level[N], "
        "length[N:S], card[HA] …",
    )


def _two_names(text: str) -> tuple[str, str]:
    first, comma, second = (part.strip() for part in text.partition(","))
    if not comma or "," in second:
        raise ArgumentTypeError(f"{text!r}: name two numbers with a comma between, such as T,points[N]")
    return first, second


def joints(
    posterior: Posterior, wanted: list[tuple[str, str]], pair: tuple[Seat, Seat] | None
) -> dict[str, xarray.Dataset]:
    """By what was asked."""
    from bayesbridge.joint_distributions import joint_distribution

    try:
        return {",".join(names): joint_distribution(posterior, *names, pair=pair) for names in wanted}
    except BayesBridgeError as error:
        raise UsageError(f"argument --joint: {error}") from None


def joint_documents(found: dict[str, xarray.Dataset]) -> dict[str, Any]:
    """For ``--json``: nothing where nothing was asked."""
    from bayesbridge.views.documents import nested

    said = {
        text: {
            "exact": bool(joint.attrs["exact"]),
            "method": joint.attrs["method"],
            "probability": nested(joint["probability"]),
            "error": nested(joint["error"]),
        }
        for text, joint in found.items()
    }
    return {"joint": said} if said else {}


def show_joints(found: dict[str, xarray.Dataset]) -> None:
    """A table for each: the first number down, the second across; what no layout has is left out."""
    for joint in found.values():
        say()
        shares = joint["probability"]
        down, across = (str(dim) for dim in shares.dims)
        columns = [place for place in range(shares.shape[1]) if shares.values[:, place].any()]
        header = [down, *(str(shares[across].values[place]) for place in columns), "all"]
        rows = [
            [str(label), *(percent(share) if share else "·" for share in row[columns]), percent(row.sum())]
            for label, row in zip(shares[down].values, shares.values, strict=True)
            if row.any()
        ]
        rows.append(["all", *(percent(shares.values[:, place].sum()) for place in columns), ""])
        how = "exact" if joint.attrs["exact"] else "estimated"
        print_table(f"{down} (down) and {across} (across) together, {how}", header, rows)


SEAT_NAMES = tuple(seat.name for seat in Seat)


def add_card(parser: Parser) -> None:
    """Ask which card is looked for."""
    parser.add_argument(
        "--card",
        type=reading(Card.of),
        action=Once,
        metavar="SQ",
        help="where this card lies, and how each piece of evidence moved the answer",
    )


def card_steps(belief: Belief, args: Namespace) -> list[dict[str, Any]]:
    """A row for each piece of evidence; none where no card was asked for."""
    if args.card is None:
        return []
    from bayesbridge.history import card_history

    try:
        table = card_history(belief, args.card, draws=args.draws, rng=args.seed, progress=progress_line("steps"))
    except BayesBridgeError as error:
        raise UsageError(f"argument --card: {error}") from None
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def show_card(steps: list[dict[str, Any]], args: Namespace) -> None:
    """For people; nothing where nothing was asked."""
    if not steps:
        return
    seats = [name for name in SEAT_NAMES if any(step[name] > 0.0 for step in steps)]
    rows = [
        [step["event"], *(percent(step[name]) for name in seats), "exact" if step["exact"] else _error(step["error"])]
        for step in steps
    ]
    say()
    print_table(f"Where {args.card} lies, after each piece of evidence", ["after", *seats, ""], rows)


def card_document(steps: list[dict[str, Any]], args: Namespace) -> dict[str, Any]:
    """For ``--json``: nothing where nothing was asked."""
    return {"card_history": {"card": str(args.card), "steps": steps}} if steps else {}


def _error(error: float) -> str:
    return f"± {100 * error:.1f} %"


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
    from bayesbridge.results import to_datatree
    from bayesbridge.views.documents import contract_document, estimate_document
    from bayesbridge.views.tables import contract_table

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
        result = to_datatree(found, odds=odds)
        if target is not None:
            unsaved = _save(result, target)
        if args.json:
            print_json(
                estimate_document(found, result)
                | joint_documents(together)
                | contract_document(odds)
                | card_document(looked_for, args)
                | examples(posterior, args)
            )
        else:
            show(found, result)
            show_joints(together)
            if odds is not None:
                say()
                show_table(contract_table(odds))
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


def _save(result: xarray.DataTree, path: Path) -> Unwritable | None:
    """Write the file; what hinders it is given back, so that the answer is not lost with it."""
    # Made in memory first: HDF5 brings the whole process down when it runs out of disk.
    content = result.to_netcdf(engine="h5netcdf")
    try:
        with writing("--save", path) as part:
            part.write_bytes(content)
    except Unwritable as error:
        return error
    return None
