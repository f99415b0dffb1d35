"""What a record's page shows of each step, as plain objects for its script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Final, Unpack

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.decisions.history import StepOptions, moments, strength
from bayesbridge.display.words import SEATS, card_words, number
from bayesbridge.estimators.outlook import outlook
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import CARDS_IN_TRICK
from bayesbridge.notation.record import Record
from bayesbridge.runtime.random64 import Seed
from bayesbridge.views.documents import name_or_none, text_or_none

CALL_VERBS: Final = {"Pass": "passes", "X": "doubles", "XX": "redoubles"}


def table_document(record: Record, belief: Belief) -> dict[str, Any]:
    """What does not change from step to step."""
    contract = record.contract
    dummy: Seat | None = None
    dummy_cards: list[str] | None = None
    if contract is not None:
        dummy = contract.declarer.partner
        dummy_hand = record.hands[dummy]
        if dummy_hand is not None:
            dummy_cards = _card_names(dummy_hand)
    deal = record.deal
    all_hands: dict[str, list[str]] | None = None
    if deal is not None:
        all_hands = {seat.name: _card_names(deal[seat]) for seat in Seat}
    return {
        "observer": belief.observer.name,
        "dummy": name_or_none(dummy),
        "names": {seat.name: record.tag(SEATS[seat.name]) for seat in Seat},
        "dealer": name_or_none(record.dealer),
        "contract": text_or_none(contract),
        "calls": [[seat.name, str(call)] for seat, call in record.auction or ()],
        "plays": [[seat.name, str(card)] for seat, card in record.plays],
        "cards": list(CARDS),
        "own": _card_names(belief.hand),
        "dummyHand": dummy_cards,
        "truth": all_hands,
    }


def _card_names(hand: Hand) -> list[str]:
    """The cards of a hand, such as ``SA``, in the order of hands."""
    return [str(card) for card in hand]


def step_documents(
    belief: Belief, contract: Contract | None, **steps: Unpack[StepOptions]
) -> list[dict[str, Any]]:
    """One object for each step of the belief, in order; shares in thousandths.

    A step is a call, a card or a trick; the options ``steps`` say which and how the
    belief is computed after each. ``contract`` is the one whose chance is followed, if
    any. ``told`` are the bits by which the uncertainty fell.
    """
    documents: list[dict[str, Any]] = []
    hidden_hands: dict[str, Any] = {}
    pieces_before = 0
    for moment in moments(belief, **steps):
        evidence = belief.evidence[: moment.pieces]
        bits_before = hidden_hands.get("bits")
        # A step that tells nothing leaves the belief as it was.
        if moment.news:
            hidden_hands = _hidden_hands(moment.posterior)
        documents.append(
            {
                "event": _event_words(belief, evidence, pieces_before),
                "told": _bits_lost(bits_before, hidden_hands["bits"]),
                "calls": _count(evidence, Called),
                "cards": _count(evidence, Play),
                "open": _count(evidence, Reveal) > 0,
                **hidden_hands,
                **_chance(moment.posterior, contract, steps.get("rng", 0)),
            }
        )
        pieces_before = moment.pieces
    return documents


def _count(evidence: Sequence[Piece], kind: type[Piece]) -> int:
    """How many pieces are of a kind."""
    return sum(isinstance(piece, kind) for piece in evidence)


def _bits_lost(before: float | None, after: float | None) -> float | None:
    """By how much the uncertainty fell; ``None`` at the start or where it is infinite."""
    if before is None or after is None:
        return None
    return round(before - after, 2)


def _chance(
    posterior: Posterior, contract: Contract | None, rng: Seed
) -> dict[str, Any]:
    """What becomes of the contract, and what that rests on; ``None`` without one."""
    if contract is None:
        return {"made": None, "tricks": None, "basis": None}
    chance = outlook(posterior, contract, rng)
    return {
        "made": round(chance.made.mean, 3),
        "tricks": round(chance.tricks, 1),
        "basis": str(chance.basis),
    }


def _hidden_hands(posterior: Posterior) -> dict[str, Any]:
    """What is believed of the hidden hands: by seat, cards in the order of ``CARDS``."""
    chances = posterior.card_table
    points = posterior.point_table
    mean_lengths = posterior.length_table @ range(14)
    bits = posterior.entropy_bits
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    return {
        "bits": round(bits, 2) if isfinite(bits) else None,
        "layouts": number(posterior.count()),
        "exact": posterior.counts_cards,
        "hidden": [seat.name for seat in hidden],
        "places": {seat.name: _thousandths(chances[:, seat]) for seat in hidden},
        "lengths": {
            seat.name: _spades_first(mean_lengths[seat].tolist()) for seat in hidden
        },
        "points": {
            seat.name: _points_document(points[seat].tolist()) for seat in hidden
        },
    }


def _thousandths(shares: Iterable[float]) -> list[int]:
    """Shares as whole thousandths."""
    return [round(1000 * float(share)) for share in shares]


def _spades_first(mean_lengths: Sequence[float]) -> list[float]:
    """Mean lengths of the suits, given clubs first, from spades to clubs."""
    return [round(mean, 2) for mean in reversed(mean_lengths)]


def _points_document(shares: Sequence[float]) -> dict[str, Any]:
    """How strong a hand is; the shares up to the highest number of points that occurs."""
    mean, low, high = strength(shares)
    thousandths = _thousandths(shares)
    while len(thousandths) > 1 and not thousandths[-1]:
        thousandths.pop()
    return {"mean": round(mean, 1), "low": low, "high": high, "shares": thousandths}


def _event_words(belief: Belief, evidence: Sequence[Piece], pieces_before: int) -> str:
    """What happened last, in words; ``pieces_before`` is the length at the last step."""
    if not evidence:
        return f"{SEATS[belief.observer.name]} looks at 13 cards"
    piece = evidence[-1]
    if isinstance(piece, Called):
        verb = CALL_VERBS.get(str(piece.call), f"bids {piece.call}")
        return f"{SEATS[piece.seat.name]} {verb}"
    if not isinstance(piece, Play):
        return f"{SEATS[piece.seat.name]} lays down dummy"
    cards_played = _count(evidence, Play)
    trick_is_complete = cards_played % CARDS_IN_TRICK == 0
    is_single_card = len(evidence) - pieces_before == 1
    if is_single_card and not trick_is_complete:
        verb = "leads" if cards_played % CARDS_IN_TRICK == 1 else "plays"
        return f"{SEATS[piece.seat.name]} {verb} {card_words(piece.card)}"
    return _trick_words(belief, (cards_played - 1) // CARDS_IN_TRICK)


def _trick_words(belief: Belief, number: int) -> str:
    """A trick, by its number from 0: who won it, who led, and its cards."""
    trick = belief.table.tricks[number]
    winner = ""
    if trick.complete and trick.winner is not None:
        winner = f", won by {SEATS[Seat(trick.winner).name]}"
    cards = " ".join(card_words(card) for card in trick.cards)
    return f"Trick {number + 1}{winner}: {SEATS[trick.leader.name]} led {cards}"
