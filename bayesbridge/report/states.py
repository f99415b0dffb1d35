"""A table on record as prepared states: what one seat believes after every call and every trick, as plain objects."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.documents import strength
from bayesbridge.estimators.contract_odds import network_odds
from bayesbridge.estimators.evaluate import Progress
from bayesbridge.evidence import Called, Play, Reveal
from bayesbridge.evidence.kinds import Piece
from bayesbridge.history import moments
from bayesbridge.notation.record import Record
from bayesbridge.random64 import Seed
from bayesbridge.report.tables import spaced
from bayesbridge.words import SEATS, SYMBOLS


def table_document(record: Record, belief: Belief) -> dict[str, Any]:
    """What does not change from step to step: seats, calls, cards, and the real hands where they are on record."""
    contract = record.contract
    dummy = None if contract is None else contract.declarer.partner
    return {
        "observer": belief.observer.name,
        "dummy": None if dummy is None else dummy.name,
        "names": {seat.name: record.tag(SEATS[seat.name]) for seat in Seat},
        "dealer": None if record.dealer is None else record.dealer.name,
        "contract": None if contract is None else str(contract),
        "calls": [[seat.name, str(call)] for seat, call in record.auction or ()],
        "plays": [[seat.name, str(card)] for seat, card in record.plays],
        "cards": list(CARDS),
        "own": [str(card) for card in belief.hand],
        "dummyHand": None if dummy is None or record.hands[dummy] is None else _names(record.hands[dummy]),
        "truth": None if record.deal is None else {seat.name: _names(record.deal[seat]) for seat in Seat},
    }


def states(
    belief: Belief,
    contract: Contract | None,
    *,
    by_card: bool = False,
    draws: int = 2000,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """One object for each step, in order; probabilities in thousandths."""
    found: list[dict[str, Any]] = []
    before = 0
    bits: float | None = None
    state: dict[str, Any] = {}
    for _, pieces, posterior, news in moments(belief, by_card=by_card, draws=draws, rng=rng, progress=progress):
        seen = belief.evidence[:pieces]
        state = _state(posterior, contract, rng) if news else state
        told = None if bits is None or state["bits"] is None else round(bits - state["bits"], 2)
        found.append({"event": _event(belief, seen, before), "told": told, **_counts(seen), **state})
        before, bits = pieces, state["bits"]
    return found


def _state(posterior: Posterior, contract: Contract | None, rng: Seed) -> dict[str, Any]:
    """What is believed at one moment."""
    cards = posterior.card_probabilities().values
    lengths = posterior.length_probabilities()
    means = (lengths * lengths["length"]).sum("length").values
    points = posterior.point_probabilities().values
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    odds = None if contract is None else network_odds(posterior, contract, rng)
    return {
        "bits": round(posterior.entropy_bits, 2) if isfinite(posterior.entropy_bits) else None,
        "layouts": spaced(posterior.count()),
        "exact": posterior.exact or posterior.draws.tables is not None,
        "hidden": [seat.name for seat in hidden],
        "places": {seat.name: [round(1000 * float(share)) for share in cards[:, seat]] for seat in hidden},
        "lengths": {seat.name: [round(float(mean), 2) for mean in means[seat][::-1]] for seat in hidden},
        "points": {seat.name: _points([float(share) for share in points[seat]]) for seat in hidden},
        "made": None if odds is None else round(odds.make[0], 3),
        "tricks": None if odds is None else round(odds.mean[0], 1),
    }


def _points(shares: Sequence[float]) -> dict[str, Any]:
    mean, low, high = strength(shares)
    thousandths = [round(1000 * share) for share in shares]
    last = max((points for points, share in enumerate(thousandths) if share), default=0)
    return {"mean": round(mean, 1), "low": low, "high": high, "shares": thousandths[: last + 1]}


def _counts(seen: Sequence[Piece]) -> dict[str, Any]:
    """How far the table is: calls made, cards played, whether the dummy lies open."""
    return {
        "calls": sum(isinstance(piece, Called) for piece in seen),
        "cards": sum(isinstance(piece, Play) for piece in seen),
        "open": any(isinstance(piece, Reveal) for piece in seen),
    }


def _event(belief: Belief, seen: Sequence[Piece], before: int) -> str:
    """What happened last, in words."""
    if not seen:
        return f"{SEATS[belief.observer.name]} looks at 13 cards"
    last = seen[-1]
    played = sum(isinstance(piece, Play) for piece in seen)
    if isinstance(last, Called):
        called = {"Pass": "passes", "X": "doubles", "XX": "redoubles"}.get(str(last.call), f"bids {last.call}")
        return f"{SEATS[last.seat.name]} {called}"
    if isinstance(last, Reveal):
        return f"{SEATS[last.seat.name]} lays down dummy"
    if not isinstance(last, Play):
        return str(last)
    if len(seen) - before == 1 and played % 4:
        verb = "leads" if played % 4 == 1 else "plays"
        return f"{SEATS[last.seat.name]} {verb} {card_words(str(last.card))}"
    trick = belief.tricks[(played - 1) // 4]
    cards = " ".join(card_words(str(card)) for card in trick.cards)
    winner = f", won by {SEATS[Seat(trick.winner).name]}" if trick.complete and trick.winner is not None else ""
    return f"Trick {(played + 3) // 4}{winner}: {SEATS[trick.leader.name]} led {cards}"


def card_words(card: str) -> str:
    """A card with its symbol.

    >>> card_words("ST")
    '♠10'
    """
    return f"{SYMBOLS[card[0]]}{card[1:].replace('T', '10')}"


def _names(hand: Any) -> list[str]:
    return [str(card) for card in hand]
