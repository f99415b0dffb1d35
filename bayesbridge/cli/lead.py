"""``bayesbridge lead``: what to lead against a contract."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.cli.options import (
    Once,
    Subparsers,
    UsageError,
    add_command,
    add_evidence,
    add_picture,
    picture_target,
    position_of,
    whole,
    write_picture,
)
from bayesbridge.cli.screens import (
    add_draws,
    print_accuracy,
    print_evidence,
    print_json,
    print_table,
    progress_line,
    say,
)
from bayesbridge.errors import BayesBridgeError
from bayesbridge.views.documents import evidence_document
from bayesbridge.words import SEATS, percent

if TYPE_CHECKING:
    from bayesbridge.decisions.leads import Lead, Leads


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "lead",
        "what to lead against a contract, by layouts solved double dummy",
        run,
        "bayesbridge lead --observer W --hand Q862.A93.J84.K75 --players 4 --call S:1NT --call N:3NT --contract 3NT",
    )
    parser.add_argument(
        "--contract", action=Once, metavar="3NT[X[X]]", help="what is led against (default: the contract of the calls)"
    )
    parser.add_argument("--by", action=Once, metavar="S", help="its declarer (default: the seat on the leader's right)")
    parser.add_argument(
        "--goal",
        choices=("beat", "tricks"),
        default="beat",
        help="what the best lead is best for: to beat the contract, or most tricks on average (default: beat)",
    )
    parser.add_argument(
        "--seconds",
        type=whole(1, 1_000_000),
        action=Once,
        metavar="N",
        help="time on one core for solving (default: 12, or all --draws if chosen)",
    )
    add_picture(parser)
    add_draws(parser)
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Infer, solve and print."""
    from bayesbridge.decisions.leads import compare_leads, lead_question, lead_solver

    target = picture_target(args)
    position = position_of(args)
    belief = position.belief()
    try:
        contract, question = lead_question(belief, args.contract, args.by)
    except BayesBridgeError as error:
        raise UsageError(f"argument --contract: {error}") from None
    solver = lead_solver()
    with position.blaming():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    show = progress_line("layouts solved")
    found = compare_leads(posterior, contract, question, solver, args.goal, args.seconds, args.seed, show)
    if target is not None:
        from bayesbridge.plots import plot_leads

        write_picture(target, plot_leads(found).figure)
    if args.json:
        print_json({**found.document(), **accuracy_document(posterior), **evidence_document(belief)})
        return 0
    print_evidence(belief)
    print_accuracy(posterior)
    say()
    _show(found)
    return 0


def _show(found: Leads) -> None:
    """For people."""
    rows = [
        [
            choice.name,
            f"{percent(choice.beaten[0])}{_error(100 * choice.beaten[1], 1)}",
            f"{choice.tricks[0]:.2f}{_error(choice.tricks[1], 2)}",
            _behind(choice, found),
            _verdict(choice, found),
        ]
        for choice in found.choices
    ]
    title = f"{SEATS[found.leader.name]} leads against {found.contract}"
    behind = "P(beaten) below" if found.goal == "beat" else "tricks below"
    print_table(title, ["lead", "P(beaten)", "tricks", behind, ""], rows)
    say(found.sentence, found.caution)


def _behind(choice: Lead, found: Leads) -> str:
    """How far a lead is behind the best, paired."""
    if choice is found.choices[0]:
        return ""
    if found.goal == "beat":
        return f"{100 * choice.beaten_behind[0]:.1f}{_error(100 * choice.beaten_behind[1], 1)}"
    return f"{choice.tricks_behind[0]:.2f}{_error(choice.tricks_behind[1], 2)}"


def _verdict(choice: Lead, found: Leads) -> str:
    if not choice.close:
        return ""
    return "best" if found.clear else "ahead" if choice is found.choices[0] else "close"


def _error(error: float, digits: int) -> str:
    return f" ± {error:.{digits}f}" if error else ""
