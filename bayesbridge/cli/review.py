"""What every card on record cost its player: ``play --review``, and in a report."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bayesbridge.cli import screens
from bayesbridge.cli.evidence_options import MODELS
from bayesbridge.cli.files import verify_target
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.positions import Models, models_at
from bayesbridge.cli.records import chosen_record, open_records
from bayesbridge.cli.usage import UsageError
from bayesbridge.decisions.call_review import (
    CallReview,
    call_costs,
    callers_of,
    callers_table,
    judged_calls,
)
from bayesbridge.decisions.review import (
    BoardReview,
    judged_cards,
    player_costs,
    player_name,
    players_of,
    session_table,
)
from bayesbridge.display.words import tell
from bayesbridge.errors import did_you_mean
from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record
from bayesbridge.position import CHOOSERS

DECLARER_AND_DEFENDERS: Final = 3  # seats that choose cards

REVIEW: Final = Mode(
    "--review goes by the record alone, and counts tricks",
    takes=f"review calls out record board room alerts seat draws solve seconds seed {MODELS}",
)


def review(args: Namespace) -> int:
    """Judge every card of one board, or of all that the file has."""
    if args.record is None:
        raise UsageError("argument --review: it is about a record: name --record FILE")
    refuse_options(args, REVIEW)
    page: Path | None = None
    if args.out:
        content = "the review is a web page"
        page = verify_target("--out", args.out, content, ".html", ".htm")
    boards = boards_reviewed(args)
    reviews = []
    auctions: list[CallReview] = []
    for number, record in enumerate(boards, 1):
        seats = seats_reviewed(args, record)
        if not seats:
            continue
        if len(boards) > 1:
            tell(f"board {record.board or number}, {number} of {len(boards)}")
        board_review = reviewed(args, record, models_at(args, record), seats)
        reviews.append(board_review)
        if not args.json:
            screens.print_parts(board_review.parts(args.alerts))
        if args.calls:
            auctions.append(reviewed_calls(args, record, seats))
    present_session(args, reviews, auctions, page)
    return 0


def boards_reviewed(args: Namespace) -> list[Record]:
    """The records whose cards are judged: all with a play, or the one that is named.

    Where at most one has a play it is chosen as if named, so that an error tells what
    is missing.
    """
    records = list(open_records(args.record, "--record"))
    boards = [
        record
        for record in records
        if record.plays and args.room in (None, record.room)
    ]
    if args.board is not None or len(boards) < 2:
        boards = [chosen_record(records, args, args.record, observer=None)]
    if not any(seats_reviewed(args, record) for record in boards):
        raise nobody_reviewed(args, boards)
    return boards


def seats_reviewed(args: Namespace, record: Record) -> list[Seat]:
    """The seats that chose cards, of ``--seat`` or of the player that is named.

    ``--player`` may also be one of ``CHOOSERS``, a model of how others play: then every
    player is reviewed.
    """
    dummy = None
    if record.contract is not None:
        dummy = record.contract.declarer.partner
    name = ""
    if args.player not in (None, *CHOOSERS):
        name = args.player.casefold()
    return [
        seat
        for seat in Seat
        if seat != dummy
        and args.seat in (None, seat)
        and name in player_name(record, seat).casefold()
    ]


def nobody_reviewed(args: Namespace, boards: Sequence[Record]) -> UsageError:
    """That no seat that the options name chose a card."""
    contract = boards[0].contract
    if len(boards) == 1 and contract is not None:
        declarer = contract.declarer
        if args.seat == declarer.partner:
            return UsageError(
                f"argument --seat: {args.seat.name} is dummy, whose cards "
                f"{declarer.name} chose: ask for --seat {declarer.name}"
            )
    players = {player_name(record, seat) for record in boards for seat in Seat}
    names = sorted(players)
    return UsageError(
        f"argument --player: {args.player!r} chose no card there: "
        f"{did_you_mean(str(args.player), names)}write {', '.join(names)}"
    )


def reviewed(
    args: Namespace,
    record: Record,
    models: Models,
    seats: Sequence[Seat] = tuple(Seat),
) -> BoardReview:
    """The cards of the seats, each judged by what its player could know."""
    judged = judged_cards(
        record,
        seats,
        rng=args.seed,
        draws=args.draws,
        solve=args.solve,
        seconds=args.seconds,
        **models,
    )
    return BoardReview(record, list(judged))


def reviewed_calls(
    args: Namespace, record: Record, seats: Sequence[Seat]
) -> CallReview:
    """The calls of the seats that are asked about, and dummy's where all are."""
    callers = tuple(Seat) if len(seats) == DECLARER_AND_DEFENDERS else tuple(seats)
    bidder = models_at(args, record)["bidder"]
    calls = judged_calls(record, callers, bidder=bidder, rng=args.seed)
    call_review = CallReview(record, list(calls))
    if not args.json:
        screens.print_parts(call_review.tables)
    return call_review


def present_session(
    args: Namespace,
    reviews: Sequence[BoardReview],
    auctions: Sequence[CallReview],
    page: Path | None,
) -> None:
    """Print what all boards together show, and write the page.

    The boards themselves are on the screen already, each as it was reviewed. The plain
    data of ``--json`` and of the page have all of them.
    """
    if not args.json:
        print_totals(reviews, auctions)
    document = session_document(reviews, auctions)
    if page is not None:
        from bayesbridge.views.session import session_page

        screens.write_page(args, page, session_page(reviews), document)
    elif args.json:
        screens.print_json(document)


def print_totals(
    reviews: Sequence[BoardReview], auctions: Sequence[CallReview]
) -> None:
    """Print what cards and calls cost each player, where there are several boards."""
    if len(reviews) > 1:
        screens.show_table(session_table(players_of(reviews)))
    if len(auctions) > 1:
        screens.show_table(callers_table(callers_of(auctions)))


def session_document(
    reviews: Sequence[BoardReview], auctions: Sequence[CallReview]
) -> dict[str, Any]:
    """The boards, and what cards and calls cost each player, as plain data.

    A single board stands at the top too, as in the review of one record.
    """
    boards = [board_review.document() for board_review in reviews]
    for board, call_review in zip(boards, auctions, strict=False):
        board["calls"] = call_review.document()
    players = players_of(reviews)
    document: dict[str, Any] = {
        "boards": boards,
        "players": {name: player_costs(rows) for name, rows in players.items()},
    }
    if auctions:
        callers = callers_of(auctions)
        document["callers"] = {name: call_costs(rows) for name, rows in callers.items()}
    if len(boards) == 1:
        document = {**boards[0], **document}
    return document
