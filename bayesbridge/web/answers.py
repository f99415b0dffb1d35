"""What the explorer's page asks and is answered.

A question is a flat object: ``settings`` by name and ``evidence`` as pairs of kind and
text, both as in position files, then ``first`` (who calls first), ``contract`` (the
requested one) and ``number`` (of layouts to show). Nothing of it names a file, a plugin
or code.

The answer is a sequence of events, the quickest and most exact first, so that a newer
question may interrupt between them. A click adds one piece to a position, so the
posteriors of the last positions are kept (:class:`Memory`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.belief.belief import Belief, seen_by
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.bidders.learned import TYPICAL, PairStyle
from bayesbridge.bidders.system_files import system_names
from bayesbridge.decisions.call_answer import CallValues, call_word, ends_text
from bayesbridge.decisions.call_values import values_in_steps
from bayesbridge.decisions.contracts import contracts
from bayesbridge.decisions.play import CardChoices, play, turn_of
from bayesbridge.decisions.review import (
    BoardReview,
    alert_sentences,
    judged_cards,
    players_of,
    players_table,
)
from bayesbridge.display.words import SEATS, SYMBOLS, model_words, with_symbols
from bayesbridge.engines.budget import USUAL
from bayesbridge.engines.levels import exact_tables
from bayesbridge.errors import (
    BayesBridgeError,
    Contradiction,
    NotationError,
    located,
    shorten,
)
from bayesbridge.estimators.answer import capture_tricks
from bayesbridge.estimators.answer_tables import best_rows, plain_rows
from bayesbridge.estimators.builtin import bayesbridge_bidders
from bayesbridge.estimators.contract_question import resolve_contract
from bayesbridge.estimators.odds import network_odds
from bayesbridge.evidence.game import PAPER_DUMMY
from bayesbridge.evidence.kinds import KINDS, Called, Piece, Play, Reveal
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.table import Table
from bayesbridge.notation import (
    ParsedRecords,
    Record,
    Vulnerability,
)
from bayesbridge.notation.formats import format_named, format_of
from bayesbridge.notation.toml_text import Toml
from bayesbridge.position import (
    SETTINGS,
    AuctionText,
    Position,
    Sourced,
    calls_of,
    players_in,
    python_lines,
)
from bayesbridge.web import fields

_SYSTEM: Final = re.compile(
    r"(?:(?:NS|EW):)?([a-z-]+(?:\+[a-z-]+)*)(?:=[0-9.]+)?", re.IGNORECASE
)


MOST_LAYOUTS: Final = 24  # to show of one position


class Query(NamedTuple):
    """A question of the page: the position and what is asked about it."""

    position: Position
    first: Seat | None  # who calls first, where no call is there yet
    contract: Contract | None
    number: int
    seed: int
    chips: tuple[tuple[str, str], ...]  # kind and text of every piece, as it was sent
    faults: Mapping[int, NotationError]  # of chips that cannot be read, from 0

    def verify(self) -> Query:
        """The question itself; one with a chip that cannot be read is refused."""
        for fault in self.faults.values():
            raise fault
        return self


def read_question(document: dict[str, Any]) -> Query:
    """Read a question; what is wrong with it is said in one line.

    A chip that cannot be read refuses nothing by itself: the others still make a
    position, on which its place is marked.
    """
    settings = {
        name: _setting(name, text)
        for name, text in fields.optional(document, "settings", dict, {}).items()
    }
    chips = tuple(fields.pairs_of_texts(document, "evidence"))
    pieces = []
    faults = {}
    for number, (kind, text) in enumerate(chips):
        where = f"chip {number + 1}"
        try:
            pieces.append(Sourced(read_piece(kind, text, where), where))
        except NotationError as fault:
            faults[number] = fault
    first = fields.optional(document, "first", str, None)
    contract = fields.optional(document, "contract", str, None)
    layouts = fields.optional(document, "number", int, 6)
    seed = fields.optional(document, "seed", int, 1)
    if not 0 <= seed < 2**64:
        raise NotationError(f"seed {seed!r}: give a whole number from 0 to 2 ** 64 - 1")
    return Query(
        Position(settings, tuple(pieces)),
        None if first is None else _read("first", Seat.of, first),
        None if contract is None else _read("contract", Contract.of, contract),
        min(max(layouts, 1), MOST_LAYOUTS),
        seed,
        chips,
        faults,
    )


def read_piece(kind: str, text: str, where: str = "") -> Piece:
    """One piece of evidence; what is wrong with it is said with where it was given."""
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise NotationError(
            f"{where}: unknown kind {kind!r}: kinds are {known}".lstrip(": ")
        )
    if not where:
        return KINDS[kind].of(text)
    return _read(where, KINDS[kind].of, text)


def fact_document(kind: str, text: str) -> dict[str, str]:
    """A fact that somebody adds, as it will stand in a link; one that cannot be read
    is refused.
    """
    piece = read_piece(kind, text)
    return {"kind": piece.option, "text": piece.text}


def _setting(name: str, text: Any) -> Sourced[Any]:
    """One setting; bidders, systems and styles by the names that come with the package,
    or a style by its numbers.
    """
    if name not in SETTINGS:
        raise NotationError(
            f"unknown setting {name!r}: settings are {', '.join(SETTINGS)}"
        )
    setting = SETTINGS[name]
    texts = text if setting.many and isinstance(text, list) else [text]
    for word in texts:
        fields.of_kind(word, name, str)
    if name == "bidder" and text not in (known := bayesbridge_bidders()):
        raise NotationError(f"unknown bidder {text!r}: choose {', '.join(known)}")
    if not setting.many:
        return Sourced(_read(name, setting.read, text), name)
    for one in texts:
        if name == "style" and PairStyle.of_text(one.partition(":")[2]) is None:
            raise NotationError(
                f"unknown style {one[:60]!r}: choose {', '.join(TYPICAL)}, or drop a style file here"
            )
        match = _SYSTEM.fullmatch(one)
        if name == "system" and (
            match is None or not set(match[1].lower().split("+")) <= set(system_names())
        ):
            raise NotationError(
                f"unknown system {one!r}: choose {', '.join(system_names())}"
            )
    return Sourced(tuple(_read(name, setting.read, one) for one in texts), name)


def _read[T](where: str, read: Callable[[str], T], text: str) -> T:
    with located(where):
        return read(text)


class Memory:
    """Posteriors by position and number of draws, the oldest forgotten first."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Belief, int, bool], Posterior] = {}

    def known(self, belief: Belief, seed: int, more: bool = False) -> Posterior:
        """The posterior of a belief, from memory or computed from that of one piece
        less; few draws unless ``more``.
        """
        key = belief, seed, more
        if key not in self._kept:
            before = [None, *belief.history()][-2]
            earlier = None if before is None else self._kept.get((before, seed, more))
            carried = None if earlier is None else earlier.rebind(belief)
            draws = 8_000 if more else USUAL["explorer"].draws or 0
            self._kept[key] = carried or infer(belief, draws, seed, earlier)
            if (
                len(self._kept) > 100
            ):  # under calls each has a few thousand draws of 32 bytes and their weights
                del self._kept[next(iter(self._kept))]
        self._kept[key] = self._kept.pop(key)  # the youngest now
        return self._kept[key]


def infer(
    belief: Belief, draws: int, seed: int, before: Posterior | None = None
) -> Posterior:
    """The most exact posterior that is there in a moment: tables before a walk over
    millions of layouts.
    """
    target, method = belief.target, "auto"
    belief.verify()
    many = (
        target.soft and target.count > 200_000
    )  # up to so many, calls are evaluated for every layout
    if many and target.count <= target.cost.most_layouts:  # where auto would walk them
        method = "importance" if exact_tables(target) is None else "levels"
    return belief.infer(method, draws, seed, before if many else None)


def table_document(query: Query, start: Belief) -> dict[str, Any]:
    """All that the rules tell about the evidence in its order, as far as it is legal."""
    pieces = [piece.value for piece in query.position.pieces]
    shown = {start.observer: start.hand}
    shown |= {piece.seat: piece.hand for piece in pieces if isinstance(piece, Reveal)}
    plays = tuple(
        (piece.seat, piece.card) for piece in pieces if isinstance(piece, Play)
    )
    auction = _auction(query, start, pieces)
    table = Table(auction, plays, shown, start.dummy, start.trump).legal
    return {
        "observer": start.observer.name,
        "dummy": _name(start.dummy),
        "open": {seat.name: hand.pbn for seat, hand in shown.items()},
        "auction": {
            "first": auction.first.name,
            "bidders": [seat.name for seat in auction.bidders],
            "calls": [[seat.name, str(call)] for seat, call in auction],
            "turn": _name(auction.turn),
            "legal": [str(call) for call in auction.legal_calls()],
            "over": auction.is_over,
        },
        "contract": None if table.contract is None else str(table.contract),
        "play": _play_document(table),
        "chips": [
            {"kind": kind, "text": text, "sentence": chip_sentence(kind, text)}
            for kind, text in query.chips
        ],
        "words": query.position.words(),
    }


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
    suits = zip(SYMBOLS.values(), hand.pbn.split("."), strict=True)
    return " ".join(
        f"{symbol}{ranks.replace('T', '10') or '–'}" for symbol, ranks in suits
    )


def _auction(query: Query, start: Belief, pieces: Sequence[Piece]) -> Auction:
    dummy, first = start.dummy, query.first
    auction: Auction | None = None
    for piece in pieces:
        if isinstance(piece, Called):
            try:
                auction, _ = (auction or Auction(piece.seat, (), dummy)).fill(
                    piece.seat, piece.call
                )
            except BayesBridgeError:
                break
    opener = (
        first
        if first not in (None, dummy)
        else next(seat for seat in Seat if seat != dummy)
    )
    return auction or Auction(Seat(opener), (), dummy)


def _play_document(table: Table) -> dict[str, Any]:
    names = [_name(one.winner) if one.complete else None for one in table.tricks]
    turn = table.turn
    # The dummy's hand is to be entered once the first card lies.
    opens = None if table.contract is None or not table.plays else table.dummy
    seats = [] if table.over else [seat for seat in Seat if turn in (None, seat)]
    return {
        "tricks": [
            {"cards": [[seat.name, str(card)] for seat, card in one], "winner": name}
            for one, name in zip(table.tricks, names, strict=True)
        ],
        "won": {
            side: sum(name in tuple(side) for name in names) for side in ("NS", "EW")
        },
        "turn": _name(turn),
        "legal": {
            seat.name: [str(card) for card in table.legal_cards(seat)] for seat in seats
        },
        "opens": None if opens in table.shown else _name(opens),
        "over": table.over,
    }


def _name(seat: Seat | None) -> str | None:
    return None if seat is None else seat.name


def conflict_document(
    query: Query, start: Belief, error: BayesBridgeError
) -> dict[str, Any]:
    """Which chips cannot hold together, by number from 0, and why: the smallest set, or
    the first that is refused.
    """
    pieces = [piece.value for piece in query.position.pieces]
    if query.faults:
        message = " ".join(f"{fault}." for fault in query.faults.values())
        return {"message": message, "chips": list(query.faults), "own": False}
    culprits = error.data.get("evidence", ())  # of calls that no layout explains
    for last in range(len(pieces)):
        try:
            start.given(*pieces[: last + 1]).verify()
        except BayesBridgeError as found:
            error, culprits = found, (pieces[last],)
            if isinstance(found, Contradiction):
                culprits = found.data.get("evidence", ())
            break
    chips = [number for number, piece in enumerate(pieces) if piece in culprits]
    own = any(isinstance(piece, Reveal) and piece not in pieces for piece in culprits)
    return {"message": str(error), "chips": chips, "own": own}


type Event = tuple[str, dict[str, Any]]


def advice(posterior: Posterior, query: Query) -> Iterator[Event]:
    """Contracts while the auction goes on, what to play where the observer chooses,
    else nothing.
    """
    belief = posterior.belief
    if belief.auction is None or not belief.auction.is_over:
        given = query.position.settings.get("vulnerable")
        vulnerable = Vulnerability.NONE if given is None else given.value
        try:
            found = contracts(posterior, vulnerable=vulnerable, solve=0, rng=query.seed)
        except BayesBridgeError as error:
            yield "contracts", {"refused": str(error)}
            return
        columns = ("contract", "make", "make_error", "tricks", "score", "score_error")
        best = best_rows(plain_rows(found), 10, found.attrs["passed"])
        rows = [{name: row[name] for name in columns} for row in best]
        yield (
            "contracts",
            {
                "rows": rows,
                "scheme": str(found.attrs["scheme"]),
                "caution": str(found.attrs["caution"]),
            },
        )
        return
    try:
        turn_of(belief)
    except BayesBridgeError:  # passed out, or another seat chooses
        return
    try:
        ranked = play(posterior, seconds=USUAL["explorer"].seconds, rng=query.seed)
    except BayesBridgeError as error:
        yield "leads", {"refused": str(error)}
        return
    yield "leads", _ranking(ranked)


SHOWN_SHARE: Final = 0.005  # of a call; those that are rarer stand together


def own_call(belief: Belief, query: Query) -> Iterator[Event]:
    """What experts call with the observer's hand, while the observer is to call."""
    auction = _auction(query, belief, belief.evidence)
    if auction.turn != belief.observer:
        return
    hands = np.array([belief.hand.mask], np.uint64)
    shares = call_probabilities(belief.bidder, hands, auction)[0]
    ranked = sorted(auction.legal_calls(), key=lambda call: -shares[call.index])
    rows = [
        {"call": str(call), "share": round(float(shares[call.index]), DIGITS)}
        for call in ranked
        if shares[call.index] >= SHOWN_SHARE or call is ranked[0]
    ]
    yield (
        "calls",
        {
            "rows": rows,
            "fewer": len(ranked) - len(rows),
            "bidder": f"The hand bids as {model_words(belief.bidder)}.",
        },
    )


def call_values(query: Query) -> Iterator[Event]:
    """What the observer's calls are worth, on more and more layouts."""
    belief = query.position.belief()
    for values in values_in_steps(belief, rng=query.seed, quickly=True):
        yield "values", values_document(values)


def values_document(values: CallValues) -> dict[str, Any]:
    """The calls with their gains, the recommended one first."""
    rows = [
        {
            "call": str(row.call),
            "share": round(row.chance, DIGITS),
            "gain": values.gain_text(row.gain),
            "ends": ends_text(row.ends),
        }
        for row in values.rows
    ]
    return {
        "rows": rows,
        "gained": f"{values.goal.unit} beside {call_word(values.reference.call)}",
        "sentence": values.sentence,
        "notes": f"{values.when} {values.caution}".strip(),
    }


def sharpen(query: Query, memory: Memory) -> Iterator[Event]:
    """The cards to play again, from more and more layouts, until one is clearly best or
    no more can be solved.
    """
    posterior = memory.known(query.position.belief(), query.seed, more=True)
    solved = 0
    for seconds in (6.0, 12.0, 24.0, 40.0):
        ranked = play(posterior, seconds=seconds, rng=query.seed)
        yield "leads", _ranking(ranked)
        if ranked.clear or ranked.exact or ranked.solved <= solved:
            return
        solved = ranked.solved


def _ranking(ranked: CardChoices) -> dict[str, Any]:
    return ranked.document() | {
        "title": ranked.turn.words,
        "sentence": ranked.sentence,
        "caution": ranked.caution,
    }


DIGITS: Final = 6  # of a probability


def answers(query: Query, memory: Memory) -> Iterator[Event]:
    """All events about a position; one that contradicts itself ends with its smallest
    conflict.
    """
    start = query.position._replace(pieces=()).belief()
    board = table_document(query, start)
    try:
        query.verify()
        belief = start.given(*(piece.value for piece in query.position.pieces))
        belief.verify()
    except BayesBridgeError as error:
        yield "board", board | {"conflict": conflict_document(query, start, error)}
        return
    yield "board", board | {"conflict": None, **_models(belief, query)}
    yield from own_call(belief, query)
    try:
        posterior = memory.known(belief, query.seed)
    except Contradiction as error:  # calls that no layout explains
        yield (
            "board",
            board
            | {
                "conflict": conflict_document(query, start, error),
                **_models(belief, query),
            },
        )
        return
    yield "cards", cards_document(posterior, "first")
    yield from _chips(belief, memory, query.seed)
    yield from _estimates(posterior, query)
    yield from advice(posterior, query)
    if not posterior.counts_cards:
        posterior = memory.known(belief, query.seed, more=True)
        yield "cards", cards_document(posterior, "more")
        yield from _estimates(posterior, query)


def _estimates(posterior: Posterior, query: Query) -> Iterator[Event]:
    yield from _tricks(posterior, query)
    walked = posterior
    if not posterior.target.soft:
        walked = posterior.belief.infer(
            "direct", 1_000, query.seed
        )  # in place of millions of layouts
    captures = capture_tricks(walked, rng=query.seed)
    mean = captures.mean_if_held
    document = {
        "title": captures.title,
        "fails": round(captures.fails, DIGITS),
        "mean": None if mean is None else round(mean, 4),
        "pmf": {
            str(value): round(captures.share(value), DIGITS)
            for value in captures.occurring
        },
        "exact": captures.exact,
        "notes": captures.notes,
    }
    yield "captures", document
    yield (
        "points",
        {"points": _rounded(posterior.point_table), "exact": posterior.counts_points},
    )


def cards_document(posterior: Posterior, stage: str) -> dict[str, Any]:
    """Where every card lies, in the order of hands (spades first, aces first), and how
    long every suit is.
    """
    exact, bits = posterior.counts_cards, posterior.entropy_bits
    return {
        "stage": "exact" if exact else stage,
        "cards": _rounded(posterior.card_table),
        "lengths": _rounded(posterior.length_table),
        "layouts": str(posterior.count()),
        "bits": round(bits, 3) if bits == bits else None,
        "draws": None if exact else len(posterior),
        "ess": None if exact else round(posterior.ess, 1),
        "how": posterior.marginal_accuracy,
    }


def _tricks(posterior: Posterior, query: Query) -> Iterator[Event]:
    """What becomes of the contract that is asked about, else of the auction's."""
    contract = query.contract or posterior.belief.table.contract
    if contract is None:
        return
    try:
        resolve_contract(posterior.belief, contract)
    except BayesBridgeError as error:
        yield "tricks", {"refused": str(error)}
        return
    odds = network_odds(posterior, contract, query.seed)
    dealt = " As dealt, whatever was played." if posterior.belief.table.plays else ""
    document = {
        "contract": str(odds.contract),
        "title": f"Tricks of {odds.whose}",
        "needed": odds.contract.tricks_needed,
        "chance": round(odds.make.mean, DIGITS),
        "error": round(odds.make.error, DIGITS),
        "pmf": _rounded(np.clip(odds.pmf, 0.0, 1.0)),
        "sentence": f"{odds.sentence}{dealt}",
        "caution": odds.caution,
    }
    yield "tricks", document


def _chips(belief: Belief, memory: Memory, seed: int) -> Iterator[Event]:
    """What each piece changed when it came: bits of uncertainty, and the cards that
    moved most.
    """
    before: Posterior | None = None
    for number, step in enumerate(belief.history(), -1):
        known = memory.known(step, seed)
        if before is not None and before.rebind(known.belief) is not None:
            yield "chip", {"number": number, "bits": 0.0, "moved": [], "exact": True}
        elif before is not None:
            yield "chip", {"number": number, **change_document(before, known)}
        before = known


def change_document(before: Posterior, after: Posterior) -> dict[str, Any]:
    """How far a posterior moved: bits lost (negative: won), and where cards went, as
    far as draws can tell.
    """
    old, new = (
        np.clip(one.card_table, 0.0, 1.0) for one in (before, after)
    )  # sums of weights miss 1 by rounding
    sampled = [0.0 if one.counts_cards else 1.0 / one.ess for one in (before, after)]
    noise = np.sqrt(old * (1.0 - old) * sampled[0] + new * (1.0 - new) * sampled[1])
    shift = np.where(
        np.abs(new - old) > 4.0 * noise, np.abs(new - old), 0.0
    )  # of 156 places
    far = shift.max(axis=1)
    bits = before.entropy_bits - after.entropy_bits
    moved = []
    for card in [card for card in np.argsort(-far, kind="stable") if far[card] > 0.001][
        :4
    ]:
        seat = int(np.argmax(shift[card]))
        shares = (
            round(float(old[card, seat]), DIGITS),
            round(float(new[card, seat]), DIGITS),
        )
        moved.append([CARDS[card], "NESW"[seat], *shares])
    exact = before.counts_cards and after.counts_cards
    return {
        "bits": round(bits, 3) if bits == bits else None,
        "moved": moved,
        "exact": exact,
    }


def _models(belief: Belief, query: Query) -> dict[str, Any]:
    """Who the others are taken to be, and the lines that give the belief again."""
    given = query.position.settings.get("style")
    styles = (
        [
            f"{one.style.variable} = PairStyle.of_text({one.text[3:]!r})\n"
            for one in given.value
        ]
        if given
        else []
    )
    imports = "from bayesbridge.bidders.learned import PairStyle\n" if styles else ""
    lines = f"{''.join(styles)}{python_lines(belief)}posterior = belief.infer(rng={query.seed})\n"
    return {
        "bidder": model_words(belief.bidder),
        "player": None if belief.player is None else model_words(belief.player),
        "systems": list(belief.systems),
        "assumed": [seat.name for seat in belief.assumed_passes],
        "python": f"import bayesbridge as bb\n{imports}\n{lines}",
    }


def _rounded(values: Any) -> Any:
    return np.round(np.asarray(values, dtype=np.float64), DIGITS).tolist()


def records_document(name: str, text: str) -> dict[str, Any]:
    """The boards of a PBN or LIN document, each as what every seat saw of it."""
    reading = _reading(name, text)
    found = enumerate(map(_board, reading.records))
    boards = [
        {"number": number, **board} for number, board in found if board is not None
    ]
    if not boards:
        why = f": {reading.skipped[0].reason}" if reading.skipped else ""
        raise NotationError(
            f"{name[:60]!r} has no board with a full hand and an auction or a play{why}"
        )
    return {
        "boards": boards[:64],
        "left_out": len(boards[64:]),
        "notes": [f"line {one.line}: {one.reason}" for one in reading.skipped[:5]],
    }


def _reading(name: str, text: str) -> ParsedRecords:
    # Bytes, since a text without a line break would be taken for a path.
    raw = text.encode("utf-8", "replace")
    return format_of(name, raw).read(raw)


def review_events(query: Query, name: str, text: str, board: int) -> Iterator[Event]:
    """What every card of a board cost, one by one as they are judged, then a line for
    each player.
    """
    records = _reading(name, text).records
    if not 0 <= board < len(records):
        raise NotationError(f"board {board}: the document has {len(records)}")
    record, rows = records[board], []
    players = [seat for seat in Seat if len(record.hands[seat] or ()) == 13]
    bidder = query.position.bidder("learned")
    for row in judged_cards(record, players, bidder=bidder, rng=query.seed):
        rows.append(row)
        yield (
            "judged",
            {**row.document(), "number": row.number, "of": len(record.plays)},
        )
    note = (
        ""
        if len(record.plays) == 52
        else f"{len(record.plays)} of 52 cards are on record{record.rest}."
    )
    table = players_table(players_of([BoardReview(record, rows)]))
    yield (
        "review",
        {
            "rows": table.words,
            "note": " ".join(filter(None, (note, *alert_sentences(record)))),
        },
    )


def _board(record: Record) -> dict[str, Any] | None:
    """One table; ``None`` where it tells nothing that can be stepped through."""
    views = {}
    for seat in Seat:
        hand = record.hands[seat]
        if hand is not None and len(hand) == 13:
            pieces = seen_by(record, seat, None)[2]
            views[seat.name] = {
                "hand": hand.pbn,
                "pieces": [[piece.option, piece.text] for piece in pieces],
            }
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
    """A position file as a question: read once for its lines, and again as any question
    of a page is.
    """
    file = Toml(name[:60], text.encode("utf-8", "replace"))
    for key in file.document.keys() & {"system", "style"}:
        _setting(
            key, file.document[key]
        )  # before it is read as a position, where these may name files
    question = _question(Position.read(file))
    read_question(question).verify()
    return question


def _question(position: Position) -> dict[str, Any]:
    question = position.texts()
    if position.players == 4:
        question["settings"]["players"] = "4"
    return question


def entry_document(query: Query, name: str, text: str) -> dict[str, Any]:
    """What a text is: a style, a position, boards of a record or a viewer's link, else
    a hand, an auction or both.
    """
    if text.lstrip().startswith("{"):
        return {
            "text": PairStyle.of(text, name[:60]).text
        }  # the word that stands for it in a link
    if name.lower().endswith(".toml") or re.search(
        r"^\s*(observer|hand|evidence)\s*=", text, re.MULTILINE
    ):
        return position_document(name, text)
    if format_named(name) is not None or any(
        mark in text for mark in ("|", "[", "lin=")
    ):
        return records_document(name or "the text", text)
    return typed_document(query, text)


class Entry(NamedTuple):
    """What somebody typed: ``W: AJ6532.K742.Q.96 1NT-3NT`` in its three parts."""

    seat: Seat | None
    hand: str
    auction: str

    @classmethod
    def of(cls, text: str) -> Entry:
        """Take a text apart; one that is neither hand nor auction is refused."""
        named = re.match(rf"\s*([NESW])\w*:(?!{_CALLS})", text, re.IGNORECASE)
        seat = None if named is None else Seat.of(named[1])
        words = text[named.end() :].split() if named else text.split()
        cards = _leading_cards(words)
        hand = " ".join(words[:cards])
        auction = " ".join(words[cards:])
        if auction and not re.match(rf"(?:\w+:)?{_CALLS}", auction, re.IGNORECASE):
            for cards in (4, 1):
                meant = " ".join(words[:cards])
                if _MEANT_AS_HAND.fullmatch(meant):
                    Hand.of(meant)  # says what is wrong with its cards
            raise NotationError(
                f"{shorten(text)} is not understood: give a hand such as "
                "AKQ2.KJ3.A54.Q32, an auction such as 1NT p 3NT, the link of a hand "
                "viewer, or a PBN, LIN, TOML or style file"
            )
        return cls(seat, hand, auction)


_CALLS: Final = r"[\s(]*(?:[1-7]\W*[CDHSN♣♦♥♠]|p)"  # how an auction begins
_MEANT_AS_HAND: Final = re.compile(
    r"[♠♥♦♣]?[AKQJT0-9-]*(?:[. ][♠♥♦♣]?[AKQJT0-9-]*){1,3}", re.IGNORECASE
)


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


def typed_document(query: Query, text: str) -> dict[str, Any]:
    """The question after a hand, an auction, or a hand and its auction, and how the
    auction was read.
    """
    entry = Entry.of(text)
    seat = entry.seat
    only_hand = bool(entry.hand) and not entry.auction
    if only_hand and seat is not None and seat == _dummy_to_lay(query):
        laid = Reveal(seat, entry.hand)
        return _question(_with_dummy(query.position, laid))
    position = _with_hand(query.position, entry)
    if not entry.auction:
        return _question(position)
    position, auction = _with_auction(position, entry.auction)
    opening = opening_document(position, auction, entry.auction)
    return {**_question(position), "opening": opening}


def _dummy_to_lay(query: Query) -> Seat | None:
    """Whose hand is the dummy's, once a card is led, unless it is the observer's."""
    pieces = [piece.value for piece in query.position.pieces]
    led = any(isinstance(piece, Play) for piece in pieces)
    if not led or "hand" not in query.position.settings:
        return None
    start = query.position._replace(pieces=()).belief()
    auction = _auction(query, start, pieces)
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
    plays = (at for at, piece in enumerate(pieces) if isinstance(piece.value, Play))
    after_lead = next(plays, len(pieces) - 1) + 1
    pieces.insert(after_lead, Sourced(dummy, "dummy's hand"))
    return position._replace(pieces=tuple(pieces))


def _with_hand(position: Position, entry: Entry) -> Position:
    """The position of another hand or seat; another hand is another deal."""
    settings = dict(position.settings)
    pieces = position.pieces
    if entry.hand:
        pieces = () if "hand" in settings else pieces
        settings["hand"] = _setting("hand", entry.hand)
    if entry.seat is not None:
        settings["observer"] = _setting("observer", entry.seat.name)
    return Position(settings, tuple(pieces))


def _with_auction(position: Position, text: str) -> tuple[Position, Auction]:
    """The position after an auction, in place of calls and cards; facts stay."""
    settings = dict(position.settings)
    players = players_in(settings, [AuctionText(text)])
    settings["players"] = Sourced(players, "auction")
    calls = calls_of(
        text,
        dealer=None,
        observer=_observer(position),
        dummy=None if players == 4 else _silent_seat(position),
    )
    facts = [
        piece
        for piece in position.pieces
        if not isinstance(piece.value, Called | Play | Reveal)
    ]
    called: list[Sourced[Piece]] = [Sourced(call, "auction") for call in calls]
    silent = None if players == 4 else _silent_seat(position)
    auction = Auction(calls[0].seat, tuple(one.call for one in calls), silent)
    return Position(settings, (*called, *facts)), auction


MORE_LIKELY: Final = 50.0
"""How many times likelier the calls must be by another opener for a question."""

OPENING_DRAWS: Final = 300  # for the chance of an auction by each opener


def opening_document(position: Position, auction: Auction, text: str) -> dict[str, Any]:
    """How an auction was read: who opens and whose turn it is, in a sentence; the other
    openers, where the text does not name one; and whether one of them goes much better
    with the hand.
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
    readings = _readings(position, calls, auction.dummy)
    document["auction"] = calls
    document["openers"] = [
        [seat.name, _opener_words(seat, observer)] for seat in readings
    ]
    if "hand" in position.settings and auction.dummy is None:
        evidence = {seat: _log_evidence(one) for seat, one in readings.items()}
        ratio = max(evidence.values()) - evidence[auction.first]
        document["doubt"] = bool(ratio > np.log(MORE_LIKELY))
    return document


def opening_sentence(auction: Auction, observer: Seat) -> str:
    """Who opens and whose turn it is: ``East opens 1♠; you are on lead.``"""
    table = Table(auction, (), {}, auction.dummy, None)
    bids = ((seat, call) for seat, call in auction if call.is_bid)
    opener, opening = next(bids, (None, None))
    if opener is None:
        start = "Nobody has opened"
    elif opener == observer:
        start = f"You open {_call_words(opening)}"
    elif opener == observer.partner and auction.dummy is None:
        start = f"{SEATS[opener.name]}, your partner, opens {_call_words(opening)}"
    else:
        start = f"{SEATS[opener.name]} opens {_call_words(opening)}"
    if auction.turn == observer:
        return f"{start}; you call next."
    if auction.turn is not None:
        return f"{start}; {SEATS[auction.turn.name]} calls next."
    if table.leader is None:
        return f"{start}; the deal is passed out."
    if table.leader == observer:
        return f"{start}; you are on lead."
    return f"{start}; {SEATS[table.leader.name]} is on lead."


def _call_words(call: Any) -> str:
    """A bid with the symbol of its suit."""
    level, strain = str(call)[0], str(call)[1:]
    return level + SYMBOLS.get(strain, strain)


def _opener_words(seat: Seat, observer: Seat) -> str:
    if seat == observer:
        return "I opened"
    if seat == observer.partner:
        return "Partner"
    return SEATS[seat.name]


def _readings(
    position: Position, calls: str, silent: Seat | None
) -> dict[Seat, Position]:
    """The position without its facts, by each seat that may have begun the calls."""
    readings = {}
    for seat in Seat:
        if seat == silent:
            continue
        with suppress(BayesBridgeError):
            called = calls_of(
                f"{seat.name}:{calls}",
                dealer=None,
                observer=_observer(position),
                dummy=silent,
            )
            pieces: list[Sourced[Piece]] = [Sourced(call, "auction") for call in called]
            readings[seat] = position._replace(pieces=tuple(pieces))
    return readings


def _log_evidence(position: Position) -> float:
    """The log of the chance that the calls are made opposite the observer's hand."""
    try:
        return position.belief().infer("importance", OPENING_DRAWS, 1).log_evidence
    except Contradiction:
        return -np.inf


def _observer(position: Position) -> Seat:
    given = position.settings.get("observer")
    return Seat.S if given is None else given.value


def _silent_seat(position: Position) -> Seat:
    given = position.settings.get("dummy")
    return PAPER_DUMMY if given is None else given.value


def layouts_document(query: Query, memory: Memory) -> dict[str, Any]:
    """Layouts drawn by their posterior probability."""
    posterior = memory.known(query.position.belief(), query.seed)
    drawn = posterior.resample(query.number, query.seed)
    return {
        "layouts": [
            [Hand(int(mask)).pbn for mask in masks] for masks in drawn.masks.tolist()
        ]
    }


def report_text(query: Query, memory: Memory) -> str:
    from bayesbridge.estimators.results import estimate
    from bayesbridge.views.report import html_report

    belief = query.position.belief()
    posterior = memory.known(belief, query.seed)
    if not posterior.target.soft:
        posterior = belief.infer(
            "direct", rng=query.seed
        )  # whose marginals and captures are exact all the same
    return html_report(posterior, estimate(posterior, "capture", rng=query.seed))
