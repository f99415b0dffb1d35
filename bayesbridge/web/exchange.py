"""What goes in and out of the page as files: records and positions that were dropped on it, and its downloads."""

from __future__ import annotations

from io import StringIO
from typing import Any, Final

from bayesbridge.belief.witness import seen_by
from bayesbridge.cards import Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.evidence.kinds import Play, Reveal
from bayesbridge.notation import Record, Vulnerability, read_lin, read_pbn, write_pbn
from bayesbridge.position import SETTINGS, parse_position
from bayesbridge.web.memory import Memory
from bayesbridge.web.questions import Asked, read_question

MOST_BOARDS: Final = 64
"""Boards of a file that the page is told."""

MOST_NOTES: Final = 5

SHOWN_NAME: Final = 60


def records_document(name: str, text: str) -> dict[str, Any]:
    """The boards of a PBN or LIN document, each as what every seat saw of it."""
    raw = text.encode("utf-8", "replace")  # bytes: a text without a line break would be taken for a path
    lin = name.lower().endswith(".lin") or ("|" in text and "[" not in text)
    reading = (read_lin if lin else read_pbn)(raw)
    boards = [board for record in reading.records if (board := _board(record)) is not None]
    if not boards:
        why = f": {reading.skipped[0].reason}" if reading.skipped else ""
        raise NotationError(f"{name[:SHOWN_NAME]!r} has no board with a full hand and an auction or a play{why}")
    return {
        "boards": boards[:MOST_BOARDS],
        "left_out": max(0, len(boards) - MOST_BOARDS),
        "notes": [f"line {one.line}: {one.reason}" for one in reading.skipped[:MOST_NOTES]],
    }


def _board(record: Record) -> dict[str, Any] | None:
    """One table; ``None`` where it tells nothing that can be stepped through."""
    views = {}
    for seat in Seat:
        hand = record.hands[seat]
        if hand is not None and len(hand) == 13:
            pieces = seen_by(record, seat, None)[2]
            views[seat.name] = {"hand": hand.pbn, "pieces": [[piece.option, piece.text] for piece in pieces]}
    if not views or not any(view["pieces"] for view in views.values()):
        return None
    return {
        "board": record.board,
        "room": record.room,
        "dealer": None if record.dealer is None else record.dealer.name,
        "vulnerable": (record.vulnerable or Vulnerability.NONE).value,
        "contract": None if record.contract is None else str(record.contract),
        "result": record.result,
        "views": views,
    }


def position_document(name: str, text: str) -> dict[str, Any]:
    """A position file as a question: read once for its lines, and again as any question of a page is."""
    position = parse_position(name[:SHOWN_NAME], text.encode("utf-8", "replace"))
    settings: dict[str, Any] = {}
    for key, given in position.settings.items():
        write = SETTINGS[key].write
        settings[key] = [write(one) for one in given.value] if SETTINGS[key].many else write(given.value)
    question = {"settings": settings, "evidence": [[one.value.option, one.value.text] for one in position.pieces]}
    read_question(question)
    return question


def layouts_document(asked: Asked, memory: Memory) -> dict[str, Any]:
    """Layouts drawn by their posterior probability."""
    posterior = memory.known(asked.position.belief(), asked.seed).posterior
    drawn = posterior.resample(asked.number, asked.seed)
    return {"layouts": [[Hand(int(mask)).pbn for mask in masks] for masks in drawn.masks.tolist()]}


def pbn_text(asked: Asked) -> str:
    """What is known of the table as PBN: the hands that lie open, the auction of four players and the cards played."""
    belief = asked.position.belief()
    shown = {piece.seat: piece.hand for piece in belief.evidence if isinstance(piece, Reveal)}
    shown[belief.observer] = belief.hand
    auction = belief.auction
    plays = tuple((piece.seat, piece.card) for piece in belief.evidence if isinstance(piece, Play))
    vulnerable = asked.position.settings["vulnerable"].value if "vulnerable" in asked.position.settings else None
    north, east, south, west = (shown.get(seat) for seat in Seat)
    told: dict[str, Any] = {"board": "1", "hands": (north, east, south, west), "vulnerable": vulnerable}
    if auction is not None and auction.dummy is None:
        told["auction"] = auction
    try:
        record = Record(**told, plays=plays)
    except BayesBridgeError:  # cards without a contract have no place in PBN
        record = Record(**told)
    out = StringIO()
    write_pbn([record], out)
    return out.getvalue()


def report_text(asked: Asked, memory: Memory) -> str:
    """The report of ``bayesbridge report`` on the position."""
    from bayesbridge.report.page import html_report
    from bayesbridge.results import estimate

    belief = asked.position.belief()
    posterior = memory.known(belief, asked.seed).posterior
    if not posterior.draws.target.soft:
        posterior = belief.infer("sample", rng=asked.seed)  # whose marginals and captures are exact all the same
    result = estimate(posterior, "capture", rng=asked.seed)
    start = next(belief.history()).infer(rng=asked.seed)
    prior = estimate(start, "capture", rng=asked.seed) if belief.evidence else None
    return html_report(posterior, result, prior=prior)
