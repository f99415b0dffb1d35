"""How likely each card is to win a trick, where no contract is told."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.belief.wins import card_wins
from bayesbridge.cli import screens
from bayesbridge.cli.usage import UsageError
from bayesbridge.display.markup import Table
from bayesbridge.display.words import card_words, with_symbols
from bayesbridge.estimators.contract_question import resolve_contract
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import Trick
from bayesbridge.position import Position
from bayesbridge.views.documents import evidence_document


def wins(args: Namespace, position: Position, belief: Belief) -> int:
    """Print the chance of each card of the seat in turn to win the trick."""
    strain = strain_of(args, belief)
    trump = None if strain is None else strain.trump
    trick = trick_with_trump(args, belief, trump)
    seat = seat_in_turn(args, trick)
    with position.attributed():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    chances = {
        str(card): chance
        for card, chance in card_wins(posterior, trick, args.pair).items()
    }
    if not chances:
        raise UsageError(f"{seat.name} has no card left: ask before the last trick")
    document = {
        "wins": chances,
        **accuracy_document(posterior),
        "trick": str(trick),
        "seat": seat.name,
        "trump": None if trump is None else trump.name,
        **evidence_document(belief),
    }
    parts = [
        *screens.game_line(position),
        wins_table(chances, trick, seat, trump),
        *notes_on_wins(belief, seat, strain),
        *screens.how_parts(posterior),
    ]
    return screens.present(args, document, *parts)


def strain_of(args: Namespace, belief: Belief) -> Strain | None:
    """The strain of the contract; ``None`` where nothing tells it."""
    if args.contract is None:
        return belief.table.strain
    return resolve_contract(belief, args.contract, args.by).strain


def trick_with_trump(args: Namespace, belief: Belief, trump: Suit | None) -> Trick:
    """The trick that is being played, with the trump suit."""
    begun = args.trick
    if begun is None:
        begun = belief.table.trick or belief.table.tricks[-1]
    return Trick(begun.leader, trump, begun.cards)


def seat_in_turn(args: Namespace, trick: Trick) -> Seat:
    """The seat that plays next to the trick, if ``--seat`` names no other."""
    seat = trick.turn
    if seat is not None and args.seat in (None, seat):
        return seat
    turn = "nobody: the trick is complete" if seat is None else seat.name
    raise UsageError(
        f"argument --seat: in '{trick}' it is the turn of {turn}; leave --seat out, or "
        "fix --trick"
    )


def wins_table(
    chances: Mapping[str, float], trick: Trick, seat: Seat, trump: Suit | None
) -> Table:
    """The cards with their chances to win the trick."""
    trumps = "no trumps" if trump is None else f"{trump.name} trumps"
    shown_trick = with_symbols(trick)
    return Table(
        f"P(card wins), {seat.name} to play to '{shown_trick}' at {trumps}",
        ["card", "wins"],
        [[card_words(card), chance] for card, chance in chances.items()],
        bars=True,
    )


def notes_on_wins(belief: Belief, seat: Seat, strain: Strain | None) -> list[str]:
    """What the chances are given, where that is not plain."""
    notes = []
    if seat in belief.constraints.hidden:
        notes.append(
            f"{seat.name}'s hand is hidden: each figure is given that {seat.name} may "
            "play the card."
        )
    if strain is None:
        notes.append(
            "Nothing tells the trump suit, so there is none: --trump names it."
        )
    return notes
