"""The table as the rules see it, for the explorer's page: auction, tricks, chips.

Where evidence cannot hold together, which chips are in conflict.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from bayesbridge.belief.belief import Belief
from bayesbridge.display.words import SYMBOLS, model_words, with_symbols
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal
from bayesbridge.game.auction import Auction
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.table import Table
from bayesbridge.position import python_lines
from bayesbridge.views.documents import text_or_none
from bayesbridge.web.questions import Query, read_piece


def table_document(query: Query, start: Belief) -> dict[str, Any]:
    """All that the rules tell about the evidence in its order, as far as it is legal.

    ``start`` is the belief before any evidence. The chips of the page are all that was
    given, also what cannot be read and so is no piece of evidence.
    """
    pieces = query.pieces
    shown = {start.observer: start.hand}
    shown |= {piece.seat: piece.hand for piece in pieces if isinstance(piece, Reveal)}
    plays = tuple(
        (piece.seat, piece.card) for piece in pieces if isinstance(piece, Play)
    )
    auction = auction_of(query, start, pieces)
    table = Table(auction, plays, shown, start.dummy, start.trump).legal
    return {
        "observer": start.observer.name,
        "dummy": _seat_name(start.dummy),
        "open": {seat.name: hand.pbn for seat, hand in shown.items()},
        "auction": _auction_document(auction),
        "contract": text_or_none(table.contract),
        "play": _play_document(table),
        "chips": [
            {"kind": kind, "text": text, "sentence": chip_sentence(kind, text)}
            for kind, text in query.chips
        ],
        "words": query.position.words(),
    }


def auction_of(query: Query, start: Belief, pieces: Sequence[Piece]) -> Auction:
    """The calls among some evidence, up to the first that is not legal.

    Where there is none, the first seat that may call begins, unless the question names
    another. Seats between two callers are taken to have passed.
    """
    dummy = start.dummy
    auction: Auction | None = None
    for piece in pieces:
        if not isinstance(piece, Called):
            continue
        before = auction
        if before is None:
            before = Auction(piece.seat, (), dummy)
        try:
            auction, _seats_that_passed = before.fill(piece.seat, piece.call)
        except BayesBridgeError:
            break
    if auction is not None:
        return auction
    dealer = query.first
    if dealer is None or dealer == dummy:
        dealer = next(seat for seat in Seat if seat != dummy)
    return Auction(Seat(dealer), (), dummy)


def _auction_document(auction: Auction) -> dict[str, Any]:
    return {
        "first": auction.first.name,
        "bidders": [seat.name for seat in auction.bidders],
        "calls": [[seat.name, str(call)] for seat, call in auction],
        "turn": _seat_name(auction.turn),
        "legal": [str(call) for call in auction.legal_calls()],
        "over": auction.is_over,
    }


def _play_document(table: Table) -> dict[str, Any]:
    """The tricks, whose turn it is, and which cards are legal.

    Where nothing tells whose turn it is (no contract is known), any seat may play.
    ``opens`` is the seat whose hand is to be laid down as dummy.
    """
    tricks = []
    winners = []
    for trick in table.tricks:
        winner = _seat_name(trick.winner) if trick.complete else None
        winners.append(winner)
        cards = [[seat.name, str(card)] for seat, card in trick]
        tricks.append({"cards": cards, "winner": winner})
    turn = table.turn
    legal = {}
    for seat in Seat:
        if not table.over and turn in (None, seat):
            legal[seat.name] = [str(card) for card in table.legal_cards(seat)]
    return {
        "tricks": tricks,
        "won": {side: _tricks_won(winners, side) for side in ("NS", "EW")},
        "turn": _seat_name(turn),
        "legal": legal,
        "opens": _dummy_to_enter(table),
        "over": table.over,
    }


def _tricks_won(winners: Sequence[str | None], side: str) -> int:
    """How many of the tricks a side won, given the letters of the winners."""
    return sum(winner in tuple(side) for winner in winners)


def _dummy_to_enter(table: Table) -> str | None:
    """Whose hand is to be laid open: the dummy's once the first card lies."""
    if table.contract is None or not table.plays:
        return None
    if table.dummy in table.shown:
        return None
    return _seat_name(table.dummy)


def _seat_name(seat: Seat | None) -> str | None:
    if seat is None:
        return None
    return seat.name


def chip_sentence(kind: str, text: str) -> str:
    """What a chip says, with suits as symbols; its bare text where it cannot be read."""
    try:
        piece = read_piece(kind, text)
    except BayesBridgeError:
        return f"{kind} {text}"
    if isinstance(piece, Reveal):
        return f"{piece.seat.name} shows {hand_words(piece.hand)}"
    return with_symbols(piece)


def hand_words(hand: Hand) -> str:
    """A hand as people write it: ``♠A 10 ♥– …`` without the spaces in a suit."""
    words = []
    for symbol, ranks in zip(SYMBOLS.values(), hand.pbn.split("."), strict=True):
        cards = ranks.replace("T", "10") or "–"
        words.append(symbol + cards)
    return " ".join(words)


def conflict_document(
    query: Query, start: Belief, error: BayesBridgeError
) -> dict[str, Any]:
    """Which chips (pieces of evidence on the page) cannot hold together, and why.

    They are the smallest set in conflict, or the first that is refused, by number from
    0; before them come chips that cannot be read. ``start`` is the belief without
    evidence. ``error`` is what the whole evidence was refused with: calls that no
    layout explains are found only there. ``own`` tells that a hand shown takes part
    which is no chip: that of the observer.
    """
    if query.faults:
        message = " ".join(f"{fault}." for fault in query.faults.values())
        return {"message": message, "chips": list(query.faults), "own": False}
    pieces = query.pieces
    refusal, culprits = _first_conflict(pieces, start, error)
    chips = [number for number, piece in enumerate(pieces) if piece in culprits]
    shows_own_hand = any(
        isinstance(piece, Reveal) and piece not in pieces for piece in culprits
    )
    return {"message": str(refusal), "chips": chips, "own": shows_own_hand}


def _first_conflict(
    pieces: Sequence[Piece], start: Belief, error: BayesBridgeError
) -> tuple[BayesBridgeError, Collection[Piece]]:
    """The error at the first piece that is refused, and the pieces in conflict there.

    They are the refused piece alone, unless the error names the contradiction. Where no
    piece is refused after those before it, the ``error`` of all together stands.
    """
    for count, piece in enumerate(pieces, 1):
        try:
            start.given(*pieces[:count]).verify()
        except Contradiction as contradiction:
            return contradiction, contradiction.data.get("evidence", ())
        except BayesBridgeError as refusal:
            return refusal, (piece,)
    return error, error.data.get("evidence", ())


def models_document(belief: Belief, query: Query) -> dict[str, Any]:
    """Who the others are taken to be, and the lines that give the belief again."""
    style_lines = []
    styles = query.position.settings.get("style")
    if styles is not None:
        for side_style in styles.value:
            # The text is such as ``NS:0.1,…``: the side, then the numbers.
            numbers = side_style.text[len("NS:") :]
            variable = side_style.style.variable
            style_lines.append(f"{variable} = PairStyle.of_text({numbers!r})\n")
    imports = "import bayesbridge as bb\n"
    if style_lines:
        imports += "from bayesbridge.bidders.learned import PairStyle\n"
    return {
        "bidder": model_words(belief.bidder),
        "player": None if belief.player is None else model_words(belief.player),
        "systems": list(belief.systems),
        "assumed": [seat.name for seat in belief.assumed_passes],
        "python": (
            f"{imports}\n{''.join(style_lines)}{python_lines(belief)}"
            f"posterior = belief.infer(rng={query.seed})\n"
        ),
    }
