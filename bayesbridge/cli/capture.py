"""``bayesbridge capture``: the paper's Algorithm 2 on two hands, and why it ends so."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from bayesbridge.capture import literal
from bayesbridge.cli import screens
from bayesbridge.display.markup import Table
from bayesbridge.display.words import CAPTURES, SUITS
from bayesbridge.display.words import LETTERS as LETTERS_IN_WORDS
from bayesbridge.game.cards import Suit

LETTERS = {"c1": "c₁", "c2": "c₂", "c0": "c₀", "delta": "δ", "M": "M", "kappa": "κ"}


def run(args: Namespace) -> int:
    found = literal.capture(args.first, args.second)
    by_suit = {
        key: {suit.name: getattr(found, key)[suit] for suit in Suit} for key in LETTERS
    }
    whole = {
        key: getattr(found, key) for key in ("T", "chi", "condition", "Delta", "Z")
    }
    document = {"first": args.first.pbn, "second": args.second.pbn, **whole, **by_suit}
    hands = [hand.pbn.split(".") for hand in (args.first, args.second)]
    rows = [
        [
            SUITS[suit.name],
            *(cards[3 - suit] or "–" for cards in hands),
            *(str(getattr(found, key)[suit]) for key in LETTERS),
        ]
        for suit in reversed(Suit)
    ]
    rows.append(
        ["all", "", "", "13", "13", "26", f"Δ = {found.Delta}", "", f"T = {found.T}"]
    )
    columns = ["suit", "first", "second", *LETTERS.values()]
    table = Table("Algorithm 2: captures of two hands", columns, rows, left=3)
    return screens.present(
        args, document, table, LETTERS_IN_WORDS, why_captured(found), CAPTURES
    )


def why_captured(found: literal.Capture) -> str:
    if found.condition == "neither":
        return f"T = 0: condition A fails, for the leading gaps add up to Δ = {found.Delta}, more than 6."
    if found.condition == "only A":
        fewest = [min(held) for held in zip(found.c1, found.c2, strict=True)]
        return f"T = 0: condition A holds (Δ = {found.Delta}), {_short(fewest, found.delta)}."
    end = f"χ = {found.chi} ends it"
    if found.chi < 13:
        end = f"it ends at χ = {found.chi}, for no suit can go on within the budget Z = {found.Z}"
    return f"T = {found.T}: both conditions hold, the two hands have {found.T} captures, and {end}."


def _short(held: Sequence[int], delta: Sequence[int]) -> str:
    suits = ", ".join(
        SUITS[suit.name] for suit in reversed(Suit) if held[suit] <= delta[suit]
    )
    return (
        f"condition B fails in {suits}: no more cards are held than the leading gap δ"
    )
