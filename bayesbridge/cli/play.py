"""``bayesbridge play``: what to play, card by card; without a contract, how likely each
card is to win the trick.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.belief.wins import card_wins
from bayesbridge.cli import screens
from bayesbridge.cli.evidence_options import MODELS
from bayesbridge.cli.files import verify_target
from bayesbridge.cli.modes import Mode, verify
from bayesbridge.cli.positions import Models, belief_of, models_at, verify_models
from bayesbridge.cli.progress_bar import on_terminal
from bayesbridge.cli.records import chosen_record, open_records
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.decisions.play import believed, play, turn_of
from bayesbridge.decisions.review import (
    BoardReview,
    judged_cards,
    player_costs,
    player_name,
    players_of,
    session_table,
)
from bayesbridge.display.markup import Table
from bayesbridge.display.words import card_words, tell, with_symbols
from bayesbridge.engines.budget import USUAL, DrawLimits
from bayesbridge.errors import BayesBridgeError, IllegalPlay, did_you_mean
from bayesbridge.estimators.contract_question import resolve_contract
from bayesbridge.evidence.kinds import pieces
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import Trick
from bayesbridge.notation import Record
from bayesbridge.position import CHOOSERS, SETTINGS, Position, Sourced
from bayesbridge.views.documents import evidence_document

REVIEW = Mode(
    "--review goes by the record alone, and counts tricks",
    takes=f"review out record board room alerts seat draws solve seconds seed {MODELS}",
)
UNTOLD = Mode(
    "no contract is told, only which card wins the trick is asked",
    "by goal field solve seconds player",
)
HIDDEN = Mode(
    "the seat's hand is hidden, only which card wins the trick is asked",
    "goal field solve seconds",
)


def run(args: Namespace) -> int:
    """Every card of the seat in turn; without a contract, or for a hidden seat, how
    likely each is to win the trick.
    """
    if args.review:
        return _review(args)
    verify(args, Mode("only a --review is written as a page", "out"))
    if args.player is not None:
        with attributed("--player"):
            args.player = SETTINGS["player"].read(args.player)
    scored = "" if args.field is None else "vulnerable"
    position, belief = belief_of(args, f"{scored} player trump")
    if (
        (trick := args.trick) is not None
    ):  # its cards are evidence too, as far as the evidence does not end with them
        begun = (
            (belief.table.trick or belief.table.tricks[-1])
            if belief.table.plays
            else Trick(trick.leader)
        )
        if (trick.leader, trick.cards[: len(begun.cards)]) != (
            begun.leader,
            begun.cards,
        ):
            why = f"'{trick}' does not begin with '{begun}', as the cards played say: fix either"
            raise UsageError(f"argument --trick: {why}")
        added = pieces(trick)[len(begun.cards) :]
        with attributed("--trick"):
            belief = belief.given(*added)
        position = position.with_more(
            {}, [Sourced(piece, "argument --trick") for piece in added]
        )
    told = args.contract is not None or belief.table.contract is not None
    if not told and (args.trick is not None or belief.table.plays):
        verify(args, UNTOLD)
        return _wins(args, position, belief)
    try:
        turn = turn_of(belief, args.contract, args.by)
    except BayesBridgeError as error:
        if (
            args.seat is not None
            and belief.table.plays
            and args.seat == error.data.get("seat")
        ):
            verify(args, HIDDEN)
            return _wins(args, position, belief)
        option = (
            "--contract"
            if args.contract or not told or not belief.table.plays
            else "--observer"
        )
        where = (
            ""
            if not args.contract and isinstance(error, IllegalPlay)
            else f"argument {option}: "
        )
        raise UsageError(f"{where}{error}") from None
    if args.seat not in (None, turn.seat):
        raise UsageError(
            f"argument --seat: it is the turn of {turn.seat.name}: leave --seat out"
        )
    verify(args, Mode("the contract tells who play together", "pair"))
    verify_models(args, belief, f"{scored} trump {'player' if turn.lead else ''}")
    with position.attributed():
        posterior = believed(belief, args.draws or USUAL["play"].draws or 0, args.seed)
    given = position.settings.get("vulnerable")
    found = play(
        posterior,
        turn.contract,
        goal=args.goal,
        field=args.field,
        vulnerable="None" if given is None else given.value,
        solve=args.solve,
        seconds=args.seconds,
        rng=args.seed,
        first=(lambda early: tell(f"so far: {early.sentence}"))
        if on_terminal()
        else None,
    )
    document = {
        **accuracy_document(posterior),
        **found.document(),
        **evidence_document(belief),
    }
    return screens.present(
        args,
        document,
        *screens.game_line(position),
        *screens.answer_first(found.tables[0]),
        *screens.how_parts(posterior),
    )


def _review(args: Namespace) -> int:
    """What every card on record cost: of one board, or of all that the file has."""
    if args.record is None:
        raise UsageError("argument --review: it is about a record: name --record FILE")
    verify(args, REVIEW)
    page = args.out and verify_target(
        "--out", args.out, "the review is a web page", ".html", ".htm"
    )
    records = list(open_records(args.record, "--record"))
    boards = [
        record
        for record in records
        if record.plays and args.room in (None, record.room)
    ]
    if args.board is not None or len(boards) < 2:
        boards = [chosen_record(records, args, args.record, None)]
    if not any(_seats_asked(args, record) for record in boards):
        contract = boards[0].contract
        if (
            len(boards) == 1
            and contract is not None
            and args.seat == contract.declarer.partner
        ):
            who = contract.declarer.name
            why = f"{args.seat.name} is dummy, whose cards {who} chose: ask for --seat {who}"
            raise UsageError(f"argument --seat: {why}")
        names = sorted(
            {player_name(record, seat) for record in boards for seat in Seat}
        )
        hint = f"{did_you_mean(str(args.player), names)}write {', '.join(names)}"
        raise UsageError(
            f"argument --player: {args.player!r} chose no card there: {hint}"
        )
    found: list[BoardReview] = []
    for number, record in enumerate(boards, 1):
        if not (seats := _seats_asked(args, record)):
            continue
        if len(boards) > 1:
            tell(f"board {record.board or number}, {number} of {len(boards)}")
        found.append(reviewed(args, record, models_at(args, record), seats))
        if not args.json:
            screens.present(args, {}, *found[-1].parts(args.alerts))
    tables = [one.document() for one in found]
    players = {name: player_costs(rows) for name, rows in players_of(found).items()}
    document = {
        **(tables[0] if len(tables) == 1 else {}),
        "boards": tables,
        "players": players,
    }
    if not args.json and len(found) > 1:
        screens.show_table(session_table(players_of(found)))
    if page:
        from bayesbridge.views.session import session_page

        screens.write_page(args, page, session_page(found), document)
    elif args.json:
        screens.print_json(document)
    return 0


def _seats_asked(args: Namespace, record: Record) -> list[Seat]:
    """Who chose cards, of ``--seat`` or of the ``--player`` whose name holds the words."""
    dummy = None if record.contract is None else record.contract.declarer.partner
    name = "" if args.player in (None, *CHOOSERS) else args.player.casefold()
    seats = [seat for seat in Seat if seat != dummy and args.seat in (None, seat)]
    return [seat for seat in seats if name in player_name(record, seat).casefold()]


def reviewed(
    args: Namespace,
    record: Record,
    models: Models,
    seats: Sequence[Seat] = tuple(Seat),
) -> BoardReview:
    limits: DrawLimits = {
        "draws": args.draws,
        "solve": args.solve,
        "seconds": args.seconds,
    }
    return BoardReview(
        record, list(judged_cards(record, seats, rng=args.seed, **models, **limits))
    )


def _wins(args: Namespace, position: Position, belief: Belief) -> int:
    named = (
        None
        if args.contract is None
        else resolve_contract(belief, args.contract, args.by)
    )
    strain = belief.table.strain if named is None else named.strain
    trump = None if strain is None else strain.trump
    begun = (
        belief.table.trick or belief.table.tricks[-1]
        if args.trick is None
        else args.trick
    )
    trick = Trick(begun.leader, trump, begun.cards)
    seat = trick.turn
    if seat is None or args.seat not in (None, seat):
        turn = "nobody: the trick is complete" if seat is None else seat.name
        why = f"in '{trick}' it is the turn of {turn}; leave --seat out, or fix --trick"
        raise UsageError(f"argument --seat: {why}")
    with position.attributed():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    wins = {
        str(card): chance
        for card, chance in card_wins(posterior, trick, args.pair).items()
    }
    if not wins:
        raise UsageError(f"{seat.name} has no card left: ask before the last trick")
    asked = {
        "trick": str(trick),
        "seat": seat.name,
        "trump": None if trump is None else trump.name,
    }
    document = {
        "wins": wins,
        **accuracy_document(posterior),
        **asked,
        **evidence_document(belief),
    }
    trumps = "no trumps" if trump is None else f"{trump.name} trumps"
    title = f"P(card wins), {seat.name} to play to '{with_symbols(trick)}' at {trumps}"
    table = Table(
        title,
        ["card", "wins"],
        [[card_words(card), chance] for card, chance in wins.items()],
        bars=True,
    )
    said = []
    if seat in belief.constraints.hidden:
        said.append(
            f"{seat.name}'s hand is hidden: each figure is given that {seat.name} may play the card."
        )
    if strain is None:
        said.append("Nothing tells the trump suit, so there is none: --trump names it.")
    how = screens.how_parts(posterior)
    game = screens.game_line(position)
    return screens.present(args, document, *game, table, *said, *how)
