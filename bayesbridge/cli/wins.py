"""``bayesbridge wins``: how likely each card is to win the trick."""

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
    add_pair,
    position_of,
    reading,
)
from bayesbridge.cli.screens import add_draws, bar, print_accuracy, print_evidence, print_json, print_table, say
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.position import Position, Sourced
from bayesbridge.tricks import Trick
from bayesbridge.views.documents import evidence_document
from bayesbridge.words import percent

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.cards import Suit


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "wins",
        "how likely each card of the seat in turn is to win the trick",
        run,
        "bayesbridge wins --observer S --hand AKQ2.AJ3.A54.Q32 --reveal N:J54.Q72.KQ76.A85 --trick W:H5 --seat N",
    )
    parser.add_argument(
        "--trick",
        type=reading(Trick.of),
        action=Once,
        required=True,
        metavar="W:S5",
        help='the trick so far, leader and cards: "W:S5 SK"; "N:" when N is on lead',
    )
    parser.add_argument(
        "--seat", type=reading(Seat.of), action=Once, required=True, metavar="N", help="the seat whose turn it is"
    )
    add_pair(parser)
    add_draws(parser)
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Ask about each card and print."""
    position, belief = _with_trick(position_of(args), args.trick)
    trump = None if belief.contract_strain is None else belief.contract_strain.trump
    trick = Trick(args.trick.leader, trump, args.trick.cards)
    if trick.turn != args.seat:
        turn = "nobody's turn: the trick is complete" if trick.turn is None else f"{trick.turn.name}'s turn"
        mend = "give at most three cards" if trick.turn is None else f"write --seat {trick.turn.name}"
        raise UsageError(f"argument --seat: {args.seat.name} does not play to '{trick}', it is {turn}; {mend}")
    from bayesbridge.belief.wins import card_wins

    with position.blaming():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    wins = {str(card): chance for card, chance in card_wins(posterior, trick, args.pair).items()}
    if args.json:
        print_json(
            {
                "wins": wins,
                **accuracy_document(posterior),
                "trick": str(trick),
                "seat": args.seat.name,
                "trump": None if trump is None else trump.name,
                **evidence_document(belief),
            }
        )
        return 0
    print_evidence(belief)
    print_accuracy(posterior)
    say()
    rows = [[card, percent(chance), bar(chance, 30)] for card, chance in wins.items()]
    print_table(_title(args.seat, trick, trump), ["card", "wins", ""], rows, bars=True)
    if args.seat in belief.constraints.hidden:
        say(f"{args.seat.name}'s hand is hidden: each figure is given that {args.seat.name} may play the card.")
    if belief.contract_strain is None:
        say("Nothing tells the trump suit, so there is none: --trump names it.")
    return 0


def _title(seat: Seat, trick: Trick, trump: Suit | None) -> str:
    return (
        f"P(card wins), {seat.name} to play to '{trick}' at {'no trumps' if trump is None else f'{trump.name} trumps'}"
    )


def _with_trick(position: Position, trick: Trick) -> tuple[Position, Belief]:
    """The trick's cards are evidence too, as far as the evidence does not end with them already."""
    belief = position.belief()
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
