"""What the explorer's page is answered.

An answer is a sequence of events, the quickest and most exact first, so that a newer
question may interrupt between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.bidders.auctions import call_probabilities
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
from bayesbridge.display.words import model_words
from bayesbridge.engines.budget import USUAL
from bayesbridge.errors import BayesBridgeError, Contradiction, NotationError
from bayesbridge.estimators.answer import capture_tricks
from bayesbridge.estimators.answer_tables import best_rows, plain_rows
from bayesbridge.estimators.contract_question import resolve_contract
from bayesbridge.estimators.odds import network_odds
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats
from bayesbridge.notation import Record, Vulnerability
from bayesbridge.web.board import (
    auction_of,
    conflict_document,
    models_document,
    table_document,
)
from bayesbridge.web.entries import read_records
from bayesbridge.web.memory import Memory
from bayesbridge.web.questions import Query, read_piece

type Event = tuple[str, dict[str, Any]]

DIGITS: Final = 6
"""Decimals of a probability."""

SHOWN_SHARE: Final = 0.005
"""Share of a call from which it has a row; those that are rarer stand together."""

MOST_CONTRACTS: Final = 10
CONTRACT_COLUMNS: Final = (
    "contract",
    "make",
    "make_error",
    "tricks",
    "score",
    "score_error",
)

SHARPENING_SECONDS: Final = (6.0, 12.0, 24.0, 40.0)
"""For how long layouts are solved for the next, sharper ranking of cards."""

CAPTURE_DRAWS: Final = 1_000
"""Layouts for the captures in place of millions that are equally likely."""

MOST_MOVED: Final = 4
"""Cards that a chip moved most."""

LEAST_MOVE: Final = 0.001
"""Change of a card's chance from which it is told."""

SURE_MOVE: Final = 4.0
"""Standard errors by which a chance must have changed to be told."""


def answers(query: Query, memory: Memory) -> Iterator[Event]:
    """All events about a position, in the order in which the page fills.

    The table by the rules, the cards of the hidden hands, what each chip (piece of
    evidence) changed, estimates and advice. Where the cards are not exact, they come
    first from few draws, and at the end again from more. A position that contradicts
    itself ends with its smallest conflict.
    """
    start = query.start.belief()
    table = table_document(query, start)
    try:
        query.verify()
        belief = start.given(*query.pieces)
        belief.verify()
    except BayesBridgeError as error:
        yield "board", table | {"conflict": conflict_document(query, start, error)}
        return
    models = models_document(belief, query)
    yield "board", table | {"conflict": None, **models}
    yield from own_call(belief, query)
    try:
        posterior = memory.known(belief, query.seed)
    except Contradiction as error:
        # Calls that no layout explains.
        conflict = conflict_document(query, start, error)
        yield "board", table | {"conflict": conflict, **models}
        return
    yield "cards", cards_document(posterior, "first")
    yield from _chip_events(belief, memory, query.seed)
    yield from _estimates(posterior, query)
    yield from advice(posterior, query)
    if not posterior.counts_cards:
        posterior = memory.known(belief, query.seed, more=True)
        yield "cards", cards_document(posterior, "more")
        yield from _estimates(posterior, query)


def own_call(belief: Belief, query: Query) -> Iterator[Event]:
    """What experts call with the observer's hand, while the observer is to call."""
    auction = auction_of(query, belief, belief.evidence)
    if auction.turn != belief.observer:
        return
    hands = np.array([belief.hand.mask], np.uint64)
    shares = call_probabilities(belief.bidder, hands, auction)[0]
    ranked = sorted(auction.legal_calls(), key=lambda call: -shares[call.index])
    shown = [
        call
        for call in ranked
        if shares[call.index] >= SHOWN_SHARE or call is ranked[0]
    ]
    rows = [
        {"call": str(call), "share": round(float(shares[call.index]), DIGITS)}
        for call in shown
    ]
    document = {
        "rows": rows,
        "fewer": len(ranked) - len(rows),
        "bidder": f"Bidder: {model_words(belief.bidder)}.",
    }
    yield "calls", document


def cards_document(posterior: Posterior, stage: str) -> dict[str, Any]:
    """Where every card lies, and how long every suit is.

    Cards are in the order of hands, spades first, aces first. ``stage`` is ``first``
    for few draws and ``more`` for many; where cards are counted over all layouts, not
    drawn, it is ``exact``.
    """
    is_exact = posterior.counts_cards
    return {
        "stage": "exact" if is_exact else stage,
        "cards": _rounded(posterior.card_table),
        "lengths": _rounded(posterior.length_table),
        "layouts": str(posterior.count()),
        "bits": _rounded_bits(posterior.entropy_bits),
        "draws": None if is_exact else len(posterior),
        "ess": None if is_exact else round(posterior.ess, 1),
        "how": posterior.marginal_accuracy,
    }


def _rounded(values: Any) -> Any:
    """An array of probabilities as nested lists."""
    return np.round(np.asarray(values, dtype=np.float64), DIGITS).tolist()


def _rounded_bits(bits: float) -> float | None:
    """Bits to three decimals; ``None`` where they are not known."""
    if np.isnan(bits):
        return None
    return round(bits, 3)


def _chip_events(belief: Belief, memory: Memory, seed: int) -> Iterator[Event]:
    """What each chip (piece of evidence) changed when it came.

    A piece told nothing where the posterior before it may stand for the one after it.
    """
    nothing = {"bits": 0.0, "moved": [], "exact": True}
    before: Posterior | None = None
    # The first belief is that before any piece, so the first chip has number 0.
    for number, step in enumerate(belief.history(), -1):
        after = memory.known(step, seed)
        if before is not None:
            told_nothing = before.rebind(after.belief) is not None
            change = nothing if told_nothing else change_document(before, after)
            yield "chip", {"number": number, **change}
        before = after


def change_document(before: Posterior, after: Posterior) -> dict[str, Any]:
    """How far a posterior moved: bits lost, and where cards went.

    Bits are negative where uncertainty grew; cards are told as far as draws can tell.
    """
    # Sums of weights miss 1 by rounding.
    old_chances = np.clip(before.card_table, 0.0, 1.0)
    new_chances = np.clip(after.card_table, 0.0, 1.0)
    noise = np.sqrt(_variance(before, old_chances) + _variance(after, new_chances))
    changes = np.abs(new_chances - old_chances)
    sure_changes = np.where(changes > SURE_MOVE * noise, changes, 0.0)
    largest_by_card = sure_changes.max(axis=1)
    moved = []
    for card in np.argsort(-largest_by_card, kind="stable")[:MOST_MOVED]:
        if largest_by_card[card] > LEAST_MOVE:
            seat = int(np.argmax(sure_changes[card]))
            moved.append(
                [
                    CARDS[card],
                    Seat(seat).name,
                    round(float(old_chances[card, seat]), DIGITS),
                    round(float(new_chances[card, seat]), DIGITS),
                ]
            )
    return {
        "bits": _rounded_bits(before.entropy_bits - after.entropy_bits),
        "moved": moved,
        "exact": before.counts_cards and after.counts_cards,
    }


def _variance(posterior: Posterior, chances: Floats) -> Floats:
    """The sampling variance of chances (52, 4) of a posterior; zero where exact."""
    per_draw = 0.0 if posterior.counts_cards else 1.0 / posterior.ess
    return chances * (1.0 - chances) * per_draw


def _estimates(posterior: Posterior, query: Query) -> Iterator[Event]:
    """Tricks of the contract, captures by the paper's rule, points."""
    yield from _tricks(posterior, query)
    yield "captures", _captures_document(posterior, query.seed)
    points = _rounded(posterior.point_table)
    yield "points", {"points": points, "exact": posterior.counts_points}


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


def _captures_document(posterior: Posterior, seed: int) -> dict[str, Any]:
    """The captures of the observer's side by the paper's rule.

    Without soft evidence (calls) they are counted without a draw, or from some draws,
    which are equally likely and made quickly; not from all the layouts of the posterior.
    """
    if not posterior.target.soft:
        posterior = posterior.belief.infer("direct", CAPTURE_DRAWS, seed)
    captures = capture_tricks(posterior, rng=seed)
    mean = captures.mean_if_held
    return {
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


def advice(posterior: Posterior, query: Query) -> Iterator[Event]:
    """Contracts while the auction goes on, then what to play where the observer chooses."""
    belief = posterior.belief
    if belief.auction is None or not belief.auction.is_over:
        yield "contracts", _contracts_document(posterior, query)
        return
    try:
        turn_of(belief)
    except BayesBridgeError:
        # Passed out, or another seat chooses.
        return
    try:
        choices = play(posterior, seconds=USUAL["explorer"].seconds, rng=query.seed)
    except BayesBridgeError as error:
        yield "leads", {"refused": str(error)}
        return
    yield "leads", _choices_document(choices)


def _contracts_document(posterior: Posterior, query: Query) -> dict[str, Any]:
    """The best contracts, by the network alone; or why they cannot be ranked."""
    setting = query.position.settings.get("vulnerable")
    vulnerable = Vulnerability.NONE if setting is None else setting.value
    try:
        ranked = contracts(posterior, vulnerable=vulnerable, solve=0, rng=query.seed)
    except BayesBridgeError as error:
        return {"refused": str(error)}
    best = best_rows(plain_rows(ranked), MOST_CONTRACTS, ranked.attrs["passed"])
    return {
        "rows": [_contract_columns(row) for row in best],
        "scheme": str(ranked.attrs["scheme"]),
        "caution": str(ranked.attrs["caution"]),
    }


def _contract_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows of a contract."""
    return {name: row[name] for name in CONTRACT_COLUMNS}


def _choices_document(choices: CardChoices) -> dict[str, Any]:
    """The cards to play, with the sentences about them."""
    return choices.document() | {
        "title": choices.turn.words,
        "sentence": choices.sentence,
        "caution": choices.caution,
    }


def sharpen(query: Query, memory: Memory) -> Iterator[Event]:
    """The cards to lead or play again, from more and more layouts.

    It ends when one card is clearly best or no more layouts can be solved. The events
    are called ``leads``, as the page calls all advice on cards.
    """
    posterior = memory.known(query.position.belief(), query.seed, more=True)
    solved = 0
    for seconds in SHARPENING_SECONDS:
        choices = play(posterior, seconds=seconds, rng=query.seed)
        yield "leads", _choices_document(choices)
        if choices.clear or choices.exact or choices.solved <= solved:
            return
        solved = choices.solved


def call_values(query: Query) -> Iterator[Event]:
    """What the observer's calls are worth, on more and more layouts."""
    belief = query.position.belief()
    for values in values_in_steps(belief, rng=query.seed, quickly=True):
        yield "values", values_document(values)


def values_document(values: CallValues) -> dict[str, Any]:
    """The calls with their gains, the recommended one first.

    ``gained`` heads the column of gains: their unit, and the call that they are
    measured against. The notes begin with the moment at which the values hold.
    """
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
        "gained": f"{values.goal.unit} against {call_word(values.reference.call)}",
        "sentence": values.sentence,
        "notes": f"{values.when} {values.caution}".strip(),
    }


def fact_document(kind: str, text: str) -> dict[str, str]:
    """A fact that somebody adds, as it will stand in a link.

    One that cannot be read is refused.
    """
    piece = read_piece(kind, text)
    return {"kind": piece.option, "text": piece.text}


def review_events(query: Query, name: str, text: str, board: int) -> Iterator[Event]:
    """What every card of a board cost, one by one as they are judged, then the players.

    ``name`` and ``text`` are a document with records, ``board`` is the number of one of
    its boards from 0.
    """
    records = read_records(name, text).records
    if not 0 <= board < len(records):
        raise NotationError(f"board {board}: the document has {len(records)}")
    record = records[board]
    cards = len(record.plays)
    players = [seat for seat in Seat if len(record.hands[seat] or ()) == 13]
    bidder = query.position.bidder("learned")
    review = []
    for judged in judged_cards(record, players, bidder=bidder, rng=query.seed):
        review.append(judged)
        yield "judged", judged.document() | {"number": judged.number, "of": cards}
    table = players_table(players_of([BoardReview(record, review)]))
    yield "review", {"rows": table.words, "note": _review_note(record)}


def _review_note(record: Record) -> str:
    """How much of the play is on record, and what of the record is doubtful."""
    notes = alert_sentences(record)
    cards = len(record.plays)
    if cards == 52:
        return " ".join(notes)
    return " ".join((f"{cards} of 52 cards are on record{record.rest}.", *notes))


def layouts_document(query: Query, memory: Memory) -> dict[str, Any]:
    """Layouts drawn by their posterior probability."""
    posterior = memory.known(query.position.belief(), query.seed)
    drawn = posterior.resample(query.number, query.seed)
    layouts = []
    for masks in drawn.masks.tolist():
        layouts.append([Hand(int(mask)).pbn for mask in masks])
    return {"layouts": layouts}


def report_text(query: Query, memory: Memory) -> str:
    """The page for a player, about the position."""
    from bayesbridge.estimators.results import estimate
    from bayesbridge.views.report import html_report

    belief = query.position.belief()
    posterior = memory.known(belief, query.seed)
    if not posterior.target.soft:
        # Marginals and captures of a few draws are exact all the same.
        posterior = belief.infer("direct", rng=query.seed)
    return html_report(posterior, estimate(posterior, "capture", rng=query.seed))
