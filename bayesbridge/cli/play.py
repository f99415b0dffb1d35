"""``bayesbridge play``: what to play, card by card.

Without a contract, or for a seat whose hand is hidden, how likely each card is to win
the trick; with ``--review`` what every card on record cost.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.cli import screens
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.positions import (
    belief_of,
    refuse_options_without_effect,
    vulnerability_of,
)
from bayesbridge.cli.progress_bar import on_terminal
from bayesbridge.cli.review import review
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.cli.wins import wins
from bayesbridge.decisions.play import CardChoices, PlayTurn, believed, play, turn_of
from bayesbridge.display.words import tell
from bayesbridge.engines.budget import USUAL
from bayesbridge.errors import BayesBridgeError, IllegalPlay
from bayesbridge.evidence.kinds import pieces
from bayesbridge.game.tricks import Trick
from bayesbridge.position import SETTINGS, Position, Sourced
from bayesbridge.views.documents import evidence_document

NO_REVIEW: Final = Mode("only a --review is written as a page", "out")
NO_CALLS: Final = Mode("only a --review judges the calls on record", "calls")
NO_CONTRACT: Final = Mode(
    "no contract is told, only which card wins the trick is asked",
    "by goal field solve seconds player",
)
HIDDEN: Final = Mode(
    "the seat's hand is hidden, only which card wins the trick is asked",
    "goal field solve seconds",
)
CONTRACT: Final = Mode("the contract tells who play together", "pair")


def run(args: Namespace) -> int:
    """Review a record, or rank the cards of the seat in turn.

    Where no contract is known, or the hand of the seat in turn is hidden, how likely
    each card is to win the trick is told instead. Options that such an answer has no
    use for are refused.
    """
    if args.review:
        return review(args)
    refuse_options(args, NO_REVIEW, NO_CALLS)
    replace_player_by_model(args)
    uses = [*settings_scored(args), "player", "trump"]
    position, belief_before_trick = belief_of(args, uses)
    position, belief = with_trick(args, position, belief_before_trick)
    if not has_contract(args, belief) and trick_begun(args, belief):
        refuse_options(args, NO_CONTRACT)
        return wins(args, position, belief)
    try:
        turn = turn_of(belief, args.contract, args.by)
    except BayesBridgeError as error:
        if not is_of_hidden_hand(args, belief, error):
            raise turn_error(args, belief, error) from None
        refuse_options(args, HIDDEN)
        return wins(args, position, belief)
    verify_turn(args, belief, turn)
    return rank_cards(args, position, belief, turn)


def replace_player_by_model(args: Namespace) -> None:
    """Read ``--player`` as the name of a model; only a review takes a person's."""
    if args.player is not None:
        with attributed("--player"):
            args.player = SETTINGS["player"].read(args.player)


def settings_scored(args: Namespace) -> list[str]:
    """The settings that scores depend on: vulnerability, where a field is given."""
    return [] if args.field is None else ["vulnerable"]


def has_contract(args: Namespace, belief: Belief) -> bool:
    """Whether the options or the calls say what is played."""
    return args.contract is not None or belief.table.contract is not None


def trick_begun(args: Namespace, belief: Belief) -> bool:
    """Whether cards are on the table, or were played before."""
    return args.trick is not None or bool(belief.table.plays)


def with_trick(
    args: Namespace, position: Position, belief: Belief
) -> tuple[Position, Belief]:
    """The position and the belief with the cards of ``--trick`` as evidence.

    The evidence may end with some of these cards already: it must have the same leader
    and cards, and only the others are added.
    """
    trick = args.trick
    if trick is None:
        return position, belief
    begun = Trick(trick.leader)
    if belief.table.plays:
        last_trick = belief.table.tricks[-1]
        begun = belief.table.trick or last_trick  # none is open after the last card
    cards_begun = len(begun.cards)
    if trick.leader != begun.leader or trick.cards[:cards_begun] != begun.cards:
        raise UsageError(
            f"argument --trick: '{trick}' does not begin with '{begun}', as the cards "
            "played say: fix either"
        )
    plays = pieces(trick)[cards_begun:]
    with attributed("--trick"):
        belief = belief.given(*plays)
    sourced = [Sourced(play, "argument --trick") for play in plays]
    return position.with_more({}, sourced), belief


def is_of_hidden_hand(args: Namespace, belief: Belief, error: BayesBridgeError) -> bool:
    """Whether the error says that the seat of ``--seat`` is in turn and hidden."""
    if args.seat is None or not belief.table.plays:
        return False
    return bool(args.seat == error.data.get("seat"))


def turn_error(args: Namespace, belief: Belief, error: BayesBridgeError) -> UsageError:
    """The error with the option that it is about."""
    if isinstance(error, IllegalPlay) and not args.contract:
        return UsageError(str(error))
    option = "--contract"
    if not args.contract and has_contract(args, belief) and belief.table.plays:
        option = "--observer"
    return UsageError(f"argument {option}: {error}")


def verify_turn(args: Namespace, belief: Belief, turn: PlayTurn) -> None:
    """Refuse options that do not fit whose turn it is."""
    if args.seat not in (None, turn.seat):
        raise UsageError(
            f"argument --seat: it is the turn of {turn.seat.name}: leave --seat out"
        )
    refuse_options(args, CONTRACT)
    uses = [*settings_scored(args), "trump"]
    if turn.lead:
        uses.append("player")
    refuse_options_without_effect(args, belief, uses)


def rank_cards(
    args: Namespace, position: Position, belief: Belief, turn: PlayTurn
) -> int:
    """Rank the cards of the seat in turn, and print them."""
    draws = args.draws or USUAL["play"].draws or 0
    with position.attributed():
        posterior = believed(belief, draws, args.seed)
    choices = play(
        posterior,
        turn.contract,
        goal=args.goal,
        field=args.field,
        vulnerable=vulnerability_of(position),
        solve=args.solve,
        seconds=args.seconds,
        rng=args.seed,
        first=tell_first if on_terminal() else None,
    )
    document = {
        **accuracy_document(posterior),
        **choices.document(),
        **evidence_document(belief),
    }
    return screens.present(
        args,
        document,
        *screens.game_line(position),
        *screens.answer_first(choices.tables[0]),
        *screens.how_parts(posterior),
    )


def tell_first(choices: CardChoices) -> None:
    """Say how the cards rank while more layouts are solved."""
    tell(f"so far: {choices.sentence}")
