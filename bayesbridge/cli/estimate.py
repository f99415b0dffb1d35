"""``bayesbridge estimate``: what estimators say about everything that may be hidden.

``--joint T,points[N]``: how two numbers go together, on the screen and in JSON.

``--card SQ``: where a card lies, and how the answer moved with each piece of evidence.

``--bidders a,b``: how much the answer depends on how the others are taken to bid.
"""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
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
    picture_target,
    position_of,
    reading,
    verify_target,
    whole,
    write_picture,
    writing,
)
from bayesbridge.cli.screens import (
    add_draws,
    add_show,
    examples,
    print_evidence,
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
from bayesbridge.position import read_probability
from bayesbridge.views.documents import evidence_document, nested
from bayesbridge.words import CAPTURES, number, percent, tell

if TYPE_CHECKING:
    from pathlib import Path

    import xarray

    from bayesbridge.belief.belief import Belief
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.evaluate import Evaluation
    from bayesbridge.estimators.odds import ContractOdds, ContractQuestion
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


MOST_CARDS = 6
"""Cards shown of those that depend most on the model."""

ALONE = (
    *("method", "estimator", "contract", "by", "solve", "actual", "reached"),
    *("seconds", "joint", "card", "show", "save"),
)
"""Questions that are asked under one model alone."""


def add_models(parser: Parser) -> None:
    """Ask for the same under several bidder models."""
    parser.add_argument(
        "--slips",
        type=reading(lambda text: [read_probability(part) for part in text.split(",")]),
        action=Once,
        metavar="P,P",
        help="shares of random calls to try (default: 0.005,0.01,0.02,0.05,0.1)",
    )
    parser.add_argument(
        "--bidders",
        type=lambda text: [part.strip() for part in text.split(",")],
        action=Once,
        metavar="NAME,NAME",
        help="bidder models to try (default: that of the position; see 'plugins')",
    )
    parser.add_argument(
        "--level", type=whole(1, 7), action=Once, metavar="N", help="of these models, asks for T ≥ 6 + N (default: 1)"
    )
    parser.add_argument(
        "--out", action=Once, metavar="FILE.png", help="draw the answers of these models, as PNG, SVG or PDF"
    )


def compare_models(args: Namespace) -> int:
    """Infer under every model, and print."""
    from bayesbridge.estimators.registry import offered
    from bayesbridge.sensitivity import sensitivity

    for name in ALONE:
        if getattr(args, name) not in (None, False, [], "auto"):
            raise UsageError(f"argument --{name}: several models answer about cards and T alone: leave --{name} out")
    target = picture_target(args)
    position = position_of(args)
    belief = position.belief()
    if not belief.target.soft:
        raise UsageError("no call of another seat: the answer depends on no bidder model; give a --call")
    with position.blaming():
        belief.count()
    try:
        bidders = None
        if args.bidders is not None:
            registry = offered("bidders", args.bidders)
            bidders = {name: registry.bidder(name) for name in args.bidders}
        found = sensitivity(
            belief,
            slips=args.slips,
            bidders=bidders,
            pair=args.pair,
            draws=args.draws,
            rng=args.seed,
            progress=progress_line("models"),
        )
    except BayesBridgeError as error:
        raise UsageError(f"arguments --bidders and --slips: {error}") from None
    if target is not None:
        from bayesbridge import plots

        write_picture(target, plots.sensitivity(found, level=args.level or 1)[0].figure)
    if args.json:
        models = [_model_document(found, place) for place in range(found.sizes["model"])]
        print_json({"models": models, **evidence_document(belief)})
        return 0
    print_evidence(belief)
    _show_models(found, args.level or 1)
    return 0


def _model_document(found: xarray.Dataset, place: int) -> dict[str, Any]:
    row = found.isel(model=place)
    single = ("log_evidence", "log_evidence_error", "log_bayes_factor", "log_bayes_factor_error", "entropy_bits",
              "qualified", "T_mean", "error")  # fmt: skip
    told: dict[str, Any] = {name: _told(row[name].item()) for name in single}
    possible = isfinite(row["log_evidence"].item())
    arrays = ("T", "T_at_least", "points", "card_probabilities")
    told |= {name: (_values(row[name]) if possible else None) for name in arrays}
    slip = _told(row["slip"].item())
    return {"bidder": str(row["bidder"].item()), "slip": slip, "method": str(row["method"].item()), **told}


def _values(array: xarray.DataArray) -> dict[str, Any]:
    if array.ndim == 2:
        return nested(array)
    return {str(label): float(value) for label, value in zip(array[array.dims[0]].values, array.values, strict=True)}


def _told(value: float) -> float | None:
    return value if isfinite(value) else None


def _show_models(found: xarray.Dataset, level: int) -> None:
    rows = []
    for place, label in enumerate(found["model"].values):
        row = found.isel(model=place)
        if not isfinite(row["log_evidence"].item()):
            rows.append([str(label), "impossible", *[""] * 5])
            continue
        factor = row["log_bayes_factor"].item()
        error = row["error"].item()
        rows.append(
            [
                str(label),
                number(row["log_evidence"].item(), 3),
                number(factor, 3) if isfinite(factor) else "–",
                percent(row["qualified"].item()),
                number(row["T_mean"].item(), 2),
                percent(row["T_at_least"].sel(tricks=6 + level).item()),
                percent(error) if error else "exact",
            ]
        )
    header = ["", "log P(evidence)", "log Bayes factor", "conditions hold", "T if they hold", f"T ≥ {6 + level}", "±"]
    print_table("The same question under every bidder model", header, rows)
    _show_swing(found)
    say(CAPTURES)
    say("log Bayes factor: how much the evidence speaks for the model against the first, in nats; above 3 is much.")
    say("±: the largest standard error of a probability.")


def _show_swing(found: xarray.Dataset) -> None:
    """The cards whose place depends most on the model."""
    chances = found["card_probabilities"]
    swing = (chances.max("model") - chances.min("model")).to_series().sort_values(ascending=False)
    rows: list[list[str]] = []
    shown: set[object] = set()
    for (card, seat), spread in swing.items():
        if card not in shown and len(shown) < MOST_CARDS and spread >= 0.0005:
            shown.add(card)
            one = chances.sel(card=card, seat=seat)
            rows.append([f"P({seat} holds {card})", percent(one.min().item()), percent(one.max().item())])
    if rows:
        print_table("Cards that depend most on the model", ["", "least", "most"], rows)


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
    add_models(parser)
    parser.add_argument("--save", action=Once, metavar="FILE.nc", help="write the whole result as netCDF, for ArviZ")
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Infer, estimate and print; status 1 if an estimator failed, though the others are printed."""
    if args.bidders is not None or args.slips is not None:
        return compare_models(args)
    for name in ("level", "out"):
        if getattr(args, name) is not None:
            raise UsageError(f"argument --{name}: it is about several models: give --bidders or --slips too")
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
    from bayesbridge.estimators.evaluate import ask, evaluate
    from bayesbridge.estimators.odds import contract_odds
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
