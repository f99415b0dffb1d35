"""What somebody drops or types on the explorer's page, as positions or boards.

A position file, a style, boards of a record, a viewer's link; a hand, an auction or
both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.belief.belief import seen_by
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.display.words import SEATS, SYMBOLS
from bayesbridge.errors import (
    BayesBridgeError,
    Contradiction,
    NotationError,
    shorten,
)
from bayesbridge.evidence.game import PAPER_DUMMY
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.table import Table
from bayesbridge.notation import ParsedRecords, Record, Vulnerability
from bayesbridge.notation.formats import format_named, format_of
from bayesbridge.notation.toml_text import Toml
from bayesbridge.position import (
    AuctionText,
    Position,
    Sourced,
    calls_of,
    players_in,
)
from bayesbridge.views.documents import name_or_none, text_or_none
from bayesbridge.web.board import auction_of
from bayesbridge.web.questions import Query, read_question, read_setting

LONGEST_NAME: Final = 60
"""Characters of the name of a document that a message quotes."""

MOST_BOARDS: Final = 64
"""Boards of a document that the page is sent."""

MOST_NOTES: Final = 5
"""Lines that could not be read of which the page is told."""

POSITION_KEY: Final = re.compile(r"^\s*(observer|hand|evidence)\s*=", re.MULTILINE)
"""A line by which a text without a name is taken for a position file."""

RECORD_MARKS: Final = ("|", "[", "lin=")
"""What a text without a name has, if it is a record or a viewer's link."""


def entry_document(query: Query, name: str, text: str) -> dict[str, Any]:
    """What a text gives that was dropped on the page or typed into it.

    The style of a pair gives the word that stands for it in a link; a position file,
    or what somebody typed, gives a question as the page sends it; a record of play
    gives its boards.
    """
    if text.lstrip().startswith("{"):
        return {"text": PairStyle.of(text, name[:LONGEST_NAME]).text}
    if name.lower().endswith(".toml") or POSITION_KEY.search(text):
        return position_document(name, text)
    if format_named(name) is not None or any(mark in text for mark in RECORD_MARKS):
        return records_document(name or "the text", text)
    return typed_document(query, text)


def position_document(name: str, text: str) -> dict[str, Any]:
    """The text of a position file as a question, as the page sends it.

    Two faults are found on the way: settings that name files, which a file on one's own
    machine may have but a text on the page may not, and a question that the page could
    not answer.
    """
    file = Toml(name[:LONGEST_NAME], text.encode("utf-8", "replace"))
    # `Position.read` would open the files that systems and styles name.
    for key in file.document.keys() & {"system", "style"}:
        read_setting(file.document[key], key)  # raises for a file
    document = question_document(Position.read(file))
    read_question(document).verify()  # raises what the page would be told
    return document


def question_document(position: Position) -> dict[str, Any]:
    """A position as the page sends it: texts of its settings and of its evidence."""
    document = position.texts()
    if position.players == 4:
        document["settings"]["players"] = "4"
    return document


def read_records(name: str, text: str) -> ParsedRecords:
    """The boards of a PBN or LIN document."""
    # Bytes, since a text without a line break would be taken for a path.
    raw = text.encode("utf-8", "replace")
    return format_of(name, raw).read(raw)


def records_document(name: str, text: str) -> dict[str, Any]:
    """The boards of a PBN or LIN document, each as what every seat saw of it."""
    parsed = read_records(name, text)
    boards = []
    for number, record in enumerate(parsed.records):
        board = _board_document(record)
        if board is not None:
            boards.append({"number": number, **board})
    if not boards:
        reason = f": {parsed.skipped[0].reason}" if parsed.skipped else ""
        raise NotationError(
            f"{name[:LONGEST_NAME]!r} has no board with a full hand and an auction or a "
            f"play{reason}"
        )
    return {
        "boards": boards[:MOST_BOARDS],
        "left_out": len(boards[MOST_BOARDS:]),
        "notes": [
            f"line {skipped.line}: {skipped.reason}"
            for skipped in parsed.skipped[:MOST_NOTES]
        ],
    }


def _board_document(record: Record) -> dict[str, Any] | None:
    """One table; ``None`` where it tells nothing that can be stepped through."""
    views = {}
    for seat in Seat:
        hand = record.hands[seat]
        if hand is None or len(hand) != 13:
            continue
        _seat, _hand, pieces = seen_by(record, seat, None)
        views[seat.name] = {
            "hand": hand.pbn,
            "pieces": [[piece.option, piece.text] for piece in pieces],
        }
    if not any(view["pieces"] for view in views.values()):
        return None
    return {
        "board": record.board,
        "room": record.room,
        "dealer": name_or_none(record.dealer),
        "vulnerable": (record.vulnerable or Vulnerability.NONE).value,
        "contract": text_or_none(record.contract),
        "result": record.result,
        "views": views,
    }


CALLS: Final = r"[\s(]*(?:[1-7]\W*[CDHSN♣♦♥♠]|p)"
"""How an auction begins."""

NAMED_SEAT: Final = re.compile(rf"\s*([NESW])\w*:(?!{CALLS})", re.IGNORECASE)
"""A seat before its hand; one before calls says who opens."""

AUCTION: Final = re.compile(rf"(?:\w+:)?{CALLS}", re.IGNORECASE)

MEANT_AS_HAND: Final = re.compile(
    r"[♠♥♦♣]?[AKQJT0-9-]*(?:[. ][♠♥♦♣]?[AKQJT0-9-]*){1,3}", re.IGNORECASE
)


class Entry(NamedTuple):
    """What somebody typed: ``W: AJ6532.K742.Q.96 1NT-3NT`` in its three parts."""

    seat: Seat | None
    hand: str
    auction: str

    @classmethod
    def of(cls, text: str) -> Entry:
        """Take a text apart; one that is neither hand nor auction is refused."""
        seat = None
        named_seat = NAMED_SEAT.match(text)
        if named_seat is not None:
            seat = Seat.of(named_seat[1])
            text_after_seat = text[named_seat.end() :]
        else:
            text_after_seat = text
        words = text_after_seat.split()
        card_words = _leading_cards(words)
        hand = " ".join(words[:card_words])
        auction = " ".join(words[card_words:])
        if auction and not AUCTION.match(auction):
            _refuse_mistyped_hand(words)
            raise NotationError(
                f"{shorten(text)} is not understood: give a hand such as "
                "AKQ2.KJ3.A54.Q32, an auction such as 1NT p 3NT, the link of a hand "
                "viewer, or a PBN, LIN, TOML or style file"
            )
        return cls(seat, hand, auction)


def _leading_cards(words: Sequence[str]) -> int:
    """How many words are cards: all, the four of a hand with spaces, one or none."""
    for count in (len(words), 4, 1):
        if _is_hand(words[:count]):
            return count
    return 0


def _is_hand(words: Sequence[str]) -> bool:
    """Whether they are cards; how many must be said by who reads them."""
    with suppress(BayesBridgeError):
        return bool(Hand.of(" ".join(words)))
    return False


def _refuse_mistyped_hand(words: Sequence[str]) -> None:
    """Say what is wrong with the cards, where the first words were meant as a hand."""
    for count in (4, 1):
        hand = " ".join(words[:count])
        if MEANT_AS_HAND.fullmatch(hand):
            Hand.of(hand)


def typed_document(query: Query, text: str) -> dict[str, Any]:
    """The question after a hand, an auction, or a hand and its auction.

    A hand alone may be that of the dummy, once a card is led: if it is typed with the
    dummy's seat. After an auction the document says how this was read.
    """
    entry = Entry.of(text)
    is_hand_of_seat = bool(entry.hand) and not entry.auction
    if (
        is_hand_of_seat
        and entry.seat is not None
        and entry.seat == _dummy_to_lay(query)
    ):
        dummy = Reveal(entry.seat, entry.hand)
        return question_document(_with_dummy(query.position, dummy))
    position = _with_hand(query.position, entry)
    if not entry.auction:
        return question_document(position)
    position, auction = _with_auction(position, entry.auction)
    opening = opening_document(position, auction, entry.auction)
    return {**question_document(position), "opening": opening}


def _dummy_to_lay(query: Query) -> Seat | None:
    """Whose hand is the dummy's, once a card is led, unless it is the observer's.

    ``None`` where that is not known: the contract of the auction tells it, so that a
    table without any plays is enough.
    """
    pieces = query.pieces
    is_led = any(isinstance(piece, Play) for piece in pieces)
    if not is_led or "hand" not in query.position.settings:
        return None
    start = query.start.belief()
    auction = auction_of(query, start, pieces)
    table = Table(auction, (), {}, start.dummy, start.trump)
    if table.contract is None or table.dummy == start.observer:
        return None
    return table.dummy


def _with_dummy(position: Position, dummy: Reveal) -> Position:
    """The position with the dummy's hand laid open, in place of an earlier one."""
    pieces = [
        piece
        for piece in position.pieces
        if not (isinstance(piece.value, Reveal) and piece.value.seat == dummy.seat)
    ]
    place = len(pieces)
    for number, piece in enumerate(pieces, 1):
        if isinstance(piece.value, Play):
            # Behind the opening lead.
            place = number
            break
    pieces.insert(place, Sourced(dummy, "dummy's hand"))
    return position._replace(pieces=tuple(pieces))


def _with_hand(position: Position, entry: Entry) -> Position:
    """The position of another hand or seat; another hand is another deal."""
    settings = dict(position.settings)
    pieces = position.pieces
    if entry.hand:
        if "hand" in settings:
            pieces = ()
        settings["hand"] = read_setting(entry.hand, "hand")
    if entry.seat is not None:
        settings["observer"] = read_setting(entry.seat.name, "observer")
    return Position(settings, tuple(pieces))


def _with_auction(position: Position, text: str) -> tuple[Position, Auction]:
    """The position after an auction, in place of calls and cards.

    Facts stay: evidence that is no call, no play and no hand laid down. With three
    players, as the position or the text says, one seat does not bid.
    """
    settings = dict(position.settings)
    players = players_in(settings, [AuctionText(text)])
    settings["players"] = Sourced(players, "auction")
    dummy = None if players == 4 else _silent_seat(position)
    calls = calls_of(text, dealer=None, observer=_observer(position), dummy=dummy)
    facts = [
        piece
        for piece in position.pieces
        if not isinstance(piece.value, Called | Play | Reveal)
    ]
    auction = Auction(calls[0].seat, tuple(called.call for called in calls), dummy)
    return Position(settings, (*_sourced(calls), *facts)), auction


def _sourced(calls: Sequence[Called]) -> list[Sourced[Piece]]:
    """Calls as pieces that an auction gave."""
    return [Sourced(called, "auction") for called in calls]


MORE_LIKELY: Final = 50.0
"""How many times likelier the calls must be by another opener for a question."""

OPENING_DRAWS: Final = 300
"""Draws for the chance of an auction by each opener."""


def opening_document(position: Position, auction: Auction, text: str) -> dict[str, Any]:
    """How an auction was read: who opens and whose turn it is, in a sentence.

    Where the text does not name the opener, all possible ones are listed. With four
    players, and a hand to compare with, the opener is in doubt where the calls are
    ``MORE_LIKELY`` times likelier by another.
    """
    observer = _observer(position)
    document = {
        "sentence": opening_sentence(auction, observer),
        "opener": auction.first.name,
        "openers": [],
        "doubt": False,
    }
    dealer, _, calls = text.rpartition(":")
    if dealer:
        return document
    positions = _positions_by_opener(position, calls, auction.dummy)
    document["auction"] = calls
    document["openers"] = [
        [seat.name, _opener_words(seat, observer)] for seat in positions
    ]
    if "hand" in position.settings and auction.dummy is None:
        log_evidence = {
            seat: _log_evidence(by_opener) for seat, by_opener in positions.items()
        }
        log_ratio = max(log_evidence.values()) - log_evidence[auction.first]
        document["doubt"] = bool(log_ratio > np.log(MORE_LIKELY))
    return document


def opening_sentence(auction: Auction, observer: Seat) -> str:
    """Who opens and whose turn it is: ``East opens 1♠; you are on lead.``"""
    beginning = _opening_words(auction, observer)
    if auction.turn == observer:
        return f"{beginning}; you call next."
    if auction.turn is not None:
        return f"{beginning}; {SEATS[auction.turn.name]} calls next."
    leader = Table(auction, (), {}, auction.dummy, None).leader
    if leader is None:
        return f"{beginning}; the deal is passed out."
    if leader == observer:
        return f"{beginning}; you are on lead."
    return f"{beginning}; {SEATS[leader.name]} is on lead."


def _opening_words(auction: Auction, observer: Seat) -> str:
    """Who opened the bidding, as the observer says it.

    A partner is called so only in bridge, where four players bid.
    """
    for seat, call in auction:
        if not call.is_bid:
            continue
        bid = _bid_words(call)
        if seat == observer:
            return f"You open {bid}"
        if seat == observer.partner and auction.dummy is None:
            return f"{SEATS[seat.name]}, your partner, opens {bid}"
        return f"{SEATS[seat.name]} opens {bid}"
    return "Nobody has opened"


def _bid_words(bid: Call) -> str:
    """A bid with the symbol of its suit."""
    name = str(bid)
    strain = name[1:]
    return name[0] + SYMBOLS.get(strain, strain)


def _opener_words(seat: Seat, observer: Seat) -> str:
    """An opener as a choice on the page."""
    if seat == observer:
        return "I opened"
    if seat == observer.partner:
        return "Partner"
    return SEATS[seat.name]


def _positions_by_opener(
    position: Position, calls: str, dummy: Seat | None
) -> dict[Seat, Position]:
    """The position with these calls alone, by each seat that may have begun them.

    Other evidence is left out. ``dummy`` is the seat that does not bid, with three
    players.
    """
    positions = {}
    for seat in Seat:
        if seat == dummy:
            continue
        with suppress(BayesBridgeError):
            called = calls_of(
                f"{seat.name}:{calls}",
                dealer=None,
                observer=_observer(position),
                dummy=dummy,
            )
            positions[seat] = position._replace(pieces=tuple(_sourced(called)))
    return positions


def _log_evidence(position: Position) -> float:
    """The log of the chance that the calls are made opposite the observer's hand."""
    try:
        return position.belief().infer("importance", OPENING_DRAWS, 1).log_evidence
    except Contradiction:
        return -np.inf


def _observer(position: Position) -> Seat:
    """Who looks; South unless the position says otherwise."""
    setting = position.settings.get("observer")
    if setting is None:
        return Seat.S
    observer: Seat = setting.value
    return observer


def _silent_seat(position: Position) -> Seat:
    """The seat that does not bid, with three players."""
    setting = position.settings.get("dummy")
    if setting is None:
        return PAPER_DUMMY
    dummy: Seat = setting.value
    return dummy
