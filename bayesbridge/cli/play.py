"""``bayesbridge play``: what to lead against a contract; in a trick, how likely each card is to win it."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from bayesbridge.cli.options import (
    Once,
    Subparsers,
    UsageError,
    add_command,
    add_evidence,
    add_pair,
    add_picture,
    picture_target,
    position_of,
    reading,
    whole,
    write_picture,
)
from bayesbridge.cli.screens import (
    add_draws,
    bar,
    print_accuracy,
    print_evidence,
    print_json,
    print_table,
    progress_line,
    say,
)
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.position import Position, Sourced
from bayesbridge.tricks import Trick
from bayesbridge.views.documents import evidence_document
from bayesbridge.words import SEATS, percent

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.decisions.leads import Lead, Leads


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "play",
        "what to lead, by layouts solved double dummy; in a trick, how likely each card is to win it",
        run,
        "bayesbridge play --observer W --hand Q862.A93.J84.K75 --players 4 --call S:1NT --call N:3NT --contract 3NT\n"
        "  bayesbridge play --observer S --hand AKQ2.AJ3.A54.Q32 --reveal N:J54.Q72.KQ76.A85 --trick W:H5",
    )
    parser.add_argument(
        "--contract", action=Once, metavar="3NT[X[X]]", help="the contract (default: that of the calls)"
    )
    parser.add_argument("--by", action=Once, metavar="S", help="its declarer (default: the seat on the leader's right)")
    parser.add_argument(
        "--goal",
        choices=("make", "tricks"),
        default="make",
        help="what the best card is best for: that the contract makes or is beaten, or most tricks on average "
        "(default: make)",
    )
    parser.add_argument(
        "--seconds",
        type=whole(1, 1_000_000),
        action=Once,
        metavar="N",
        help="time on one core for solving (default: 12, or all --draws if chosen)",
    )
    parser.add_argument(
        "--trick",
        type=reading(Trick.of),
        action=Once,
        metavar="W:S5",
        help='the trick so far, leader and cards: "W:S5 SK"; "N:" when N is on lead (default: by the cards played)',
    )
    parser.add_argument(
        "--seat", type=reading(Seat.of), action=Once, metavar="N", help="the seat that plays (default: that in turn)"
    )
    add_picture(parser)
    add_pair(parser)
    add_draws(parser)
    add_evidence(parser)


def run(args: Namespace) -> int:
    """The opening lead while no card is played, else the cards of the seat in turn."""
    from bayesbridge.belief.posterior import accuracy_document

    target = picture_target(args)
    position = position_of(args)
    belief = position.belief()
    if args.trick is not None or belief.tricks:
        if target is not None:
            raise UsageError("argument --out: only opening leads are drawn: leave it out, or the cards played")
        return _wins(args, position, belief)
    from bayesbridge.decisions.leads import compare_leads, lead_question, lead_solver

    try:
        contract, question = lead_question(belief, args.contract, args.by)
    except BayesBridgeError as error:
        raise UsageError(f"argument --contract: {error}") from None
    if args.seat not in (None, belief.observer):
        raise UsageError(f"argument --seat: {belief.observer.name} is on lead: leave --seat out")
    solver = lead_solver()
    with position.blaming():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    show = progress_line("layouts solved")
    found = compare_leads(posterior, contract, question, solver, args.goal, args.seconds, args.seed, show)
    if target is not None:
        from bayesbridge import plots

        write_picture(target, plots.leads(found).figure)
    if args.json:
        print_json({**accuracy_document(posterior), **found.document(), **evidence_document(belief)})
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
    behind = "P(beaten) below" if found.goal == "make" else "tricks below"
    print_table(title, ["lead", "P(beaten)", "tricks", behind, ""], rows)
    say(found.sentence, found.caution)


def _behind(choice: Lead, found: Leads) -> str:
    if choice is found.choices[0]:
        return ""
    mean, error = choice.behind
    return f"{100 * mean:.1f}{_error(100 * error, 1)}" if found.goal == "make" else f"{mean:.2f}{_error(error, 2)}"


def _verdict(choice: Lead, found: Leads) -> str:
    if not choice.close:
        return ""
    return "best" if found.clear else "ahead" if choice is found.choices[0] else "close"


def _error(error: float, digits: int) -> str:
    return f" ± {error:.{digits}f}" if error else ""


def _wins(args: Namespace, position: Position, belief: Belief) -> int:
    """How likely each card of the seat in turn is to win the trick."""
    from bayesbridge.belief.posterior import accuracy_document
    from bayesbridge.belief.wins import card_wins

    if args.contract is not None or args.by is not None:
        option = "--contract" if args.contract is not None else "--by"
        raise UsageError(f"argument {option}: only opening leads are judged by it: a card is played, so name --trump")
    position, belief = _with_trick(position, belief, args.trick)
    trump = None if belief.contract_strain is None else belief.contract_strain.trump
    trick = _current(belief) if args.trick is None else Trick(args.trick.leader, trump, args.trick.cards)
    seat = trick.turn if args.seat is None else args.seat
    if seat is None or trick.turn != seat:
        turn = "nobody's turn: the trick is complete" if trick.turn is None else f"{trick.turn.name}'s turn"
        mend = "give at most three cards" if trick.turn is None else f"write --seat {trick.turn.name}"
        who = "nobody" if seat is None else seat.name
        raise UsageError(f"argument --seat: {who} does not play to '{trick}', it is {turn}; {mend}")
    with position.blaming():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    wins = {str(card): chance for card, chance in card_wins(posterior, trick, args.pair).items()}
    if not wins:
        raise UsageError(f"{seat.name} has no card left: ask before the last trick")
    if args.json:
        asked = {"trick": str(trick), "seat": seat.name, "trump": None if trump is None else trump.name}
        print_json({"wins": wins, **accuracy_document(posterior), **asked, **evidence_document(belief)})
        return 0
    print_evidence(belief)
    print_accuracy(posterior)
    say()
    rows = [[card, percent(chance), bar(chance, 30)] for card, chance in wins.items()]
    strain = "no trumps" if trump is None else f"{trump.name} trumps"
    print_table(f"P(card wins), {seat.name} to play to '{trick}' at {strain}", ["card", "wins", ""], rows, bars=True)
    if seat in belief.constraints.hidden:
        say(f"{seat.name}'s hand is hidden: each figure is given that {seat.name} may play the card.")
    if belief.contract_strain is None:
        say("Nothing tells the trump suit, so there is none: --trump names it.")
    return 0


def _current(belief: Belief) -> Trick:
    """The trick under way, or the next one, to which the winner of the last leads."""
    last = belief.tricks[-1]
    return last if last.winner is None or not last.complete else Trick(last.winner, last.trump)


def _with_trick(position: Position, belief: Belief, trick: Trick | None) -> tuple[Position, Belief]:
    """The trick's cards are evidence too, as far as the evidence does not end with them already."""
    if trick is None:
        return position, belief
    played = belief.tricks
    current = played[-1] if played and not played[-1].complete else None
    if current is not None and (current.leader, current.cards) != (trick.leader, trick.cards[: len(current.cards)]):
        raise UsageError(
            f"argument --trick: '{trick}' does not begin with the cards played last, '{current}': "
            f"write --trick '{current}'"
        )
    winner = played[-1].winner if played and current is None else None
    if not trick.cards and winner not in (None, trick.leader):
        raise UsageError(
            f"argument --trick: {trick.leader.name} does not lead, for {Seat(winner).name} won the last trick, "
            f"'{played[-1]}': write --trick {Seat(winner).name}:, or fix --play or --trump"
        )
    from bayesbridge.evidence import pieces

    added = pieces(trick)[len(current.cards) if current else 0 :]
    try:
        belief = belief.given(*added)
    except BayesBridgeError as error:
        raise UsageError(f"argument --trick: {error}") from None
    return position.with_more({}, [Sourced(piece, "argument --trick") for piece in added]), belief
