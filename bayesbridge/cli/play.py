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
    add_seconds,
    blaming,
    position_of,
    reading,
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
    show_table,
)
from bayesbridge.deal import Seat
from bayesbridge.position import Position, Sourced
from bayesbridge.tricks import Trick
from bayesbridge.views.documents import evidence_document
from bayesbridge.words import percent

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "play",
        "what to lead, by layouts solved double dummy; in a trick, how likely each card is to win it",
        run,
        "bayesbridge play --observer W --hand Q862.A93.J84.K75 --call S:1NT --call N:3NT --contract 3NT\n"
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
    add_seconds(parser, "(default: 12, or all --draws if chosen)")
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
    add_pair(parser)
    add_draws(parser)
    add_evidence(parser)


def run(args: Namespace) -> int:
    """The opening lead while no card is played, else the cards of the seat in turn."""
    position = position_of(args)
    belief = position.belief()
    if args.trick is not None or belief.tricks:
        return _wins(args, position, belief)
    from bayesbridge.belief.posterior import accuracy_document
    from bayesbridge.decisions.leads import compare_leads, lead_question, lead_solver

    with blaming("--contract"):
        contract, question = lead_question(belief, args.contract, args.by)
    if args.seat not in (None, belief.observer):
        raise UsageError(f"argument --seat: {belief.observer.name} is on lead: leave --seat out")
    solver = lead_solver()
    with position.blaming():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    show = progress_line("layouts solved")
    found = compare_leads(posterior, contract, question, solver, args.goal, args.seconds, args.seed, show)
    if args.json:
        print_json({**accuracy_document(posterior), **found.document(), **evidence_document(belief)})
        return 0
    print_evidence(belief)
    print_accuracy(posterior)
    say()
    show_table(*found.tables)
    return 0


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
    seat = trick.turn
    if seat is None or args.seat not in (None, seat):
        turn = "nobody: the trick is complete" if seat is None else seat.name
        raise UsageError(f"argument --seat: in '{trick}' it is the turn of {turn}; leave --seat out, or fix --trick")
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
    begun = _current(belief) if belief.tricks else Trick(trick.leader)
    if (trick.leader, trick.cards[: len(begun.cards)]) != (begun.leader, begun.cards):
        raise UsageError(
            f"argument --trick: '{trick}' does not begin with '{begun}', as the cards played say: fix either"
        )
    from bayesbridge.evidence import pieces

    added = pieces(trick)[len(begun.cards) :]
    with blaming("--trick"):
        belief = belief.given(*added)
    return position.with_more({}, [Sourced(piece, "argument --trick") for piece in added]), belief
