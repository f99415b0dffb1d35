"""Why an algorithm came out as it did, in one plain sentence."""

from __future__ import annotations

from collections.abc import Sequence

from bayesbridge.capture.literal import Bid, Capture
from bayesbridge.cards import Hand, Suit
from bayesbridge.words import SUITS


def why_captured(found: Capture) -> str:
    """What ended Algorithm 2, or which condition failed and where."""
    if found.condition == "neither":
        return f"T = 0: condition A fails, for {_gaps(found.delta)}, more than 6."
    if found.condition == "only A":
        short = [
            _short(suit, f"{whose} hand: {held[suit]}", found.delta)
            for suit in Suit
            for whose, held in (("first", found.c1), ("second", found.c2))
            if held[suit] <= found.delta[suit]
        ]
        return f"T = 0: condition A holds (Δ = {found.Delta}), condition B fails in {', '.join(short)}."
    end = f"χ = {found.chi} ends it"
    if found.chi < 13:
        end = f"it ends at χ = {found.chi}, for no suit can go on within the budget Z = {found.Z}"
    return f"T = {found.T}: both conditions hold, the two hands have {found.T} captures, and {end}."


def why_bid(hand: Hand, found: Bid) -> str:
    """Which target of Algorithm 1 was the first that was not met, and why."""
    if found.level == 7:
        return "every target up to 13 tricks is met."
    k = found.level + 7
    short = _shortfall(hand, k, found.counts[k - 7])
    if not found.level:
        return f"the target of {k} tricks is not met: {short}."
    return f"the target of {k - 1} tricks is met with {found.counts[k - 8]} captures, that of {k} is not: {short}."


def _shortfall(hand: Hand, k: int, count: int) -> str:
    if count:
        return f"only {count} captures"
    delta = [13 - hand.field(suit).bit_length() for suit in Suit]
    if sum(delta) > 13 - k:
        return f"condition A fails, for {_gaps(delta)}, more than 13 − {k}"
    short = [_short(suit, str(hand.length(suit)), delta) for suit in Suit if hand.length(suit) <= delta[suit]]
    return f"condition B fails in {', '.join(short)}"


def _short(suit: Suit, held: str, delta: Sequence[int]) -> str:
    return f"{SUITS[suit.name]} ({held} held, no more than the leading gap δ = {delta[suit]})"


def _gaps(delta: Sequence[int]) -> str:
    parts = ", ".join(f"{SUITS[suit.name]} {delta[suit]}" for suit in Suit if delta[suit])
    return f"the leading gaps ({parts}) add up to Δ = {sum(delta)}"
