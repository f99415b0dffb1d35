"""``bayesbridge capture``: the paper's Algorithm 2 on two hands, and why it ends so."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any, Final

from bayesbridge.capture import literal
from bayesbridge.cli import screens
from bayesbridge.display.markup import Table
from bayesbridge.display.words import CAPTURES, SUITS
from bayesbridge.display.words import LETTERS as LETTERS_IN_WORDS
from bayesbridge.game.cards import Hand, Suit

LETTERS: Final = {
    "c1": "c₁",
    "c2": "c₂",
    "c0": "c₀",
    "delta": "δ",
    "M": "M",
    "kappa": "κ",
}
"""The paper's letters for the quantities of each suit."""

OF_ALL_SUITS: Final = ("T", "chi", "condition", "Delta", "Z")


def run(args: Namespace) -> int:
    """Count the captures of the two hands, and say why they are so many."""
    capture = literal.capture(args.first, args.second)
    return screens.present(
        args,
        capture_document(args.first, args.second, capture),
        capture_table(args.first, args.second, capture),
        LETTERS_IN_WORDS,
        why_captured(capture),
        CAPTURES,
    )


LAST_CHECK_VALUE: Final = 13
"""The check value χ at which Algorithm 2 ends."""


def capture_document(
    first: Hand, second: Hand, capture: literal.Capture
) -> dict[str, Any]:
    """The hands, what holds of all suits, and the quantities of each suit.

    As the paper does, ``capture`` names quantities by letters (c1, delta, kappa …).
    """
    document: dict[str, Any] = {"first": first.pbn, "second": second.pbn}
    for name in OF_ALL_SUITS:
        document[name] = getattr(capture, name)
    for name in LETTERS:
        by_suit = getattr(capture, name)
        document[name] = {suit.name: by_suit[suit] for suit in Suit}
    return document


def capture_table(first: Hand, second: Hand, capture: literal.Capture) -> Table:
    """A row for each suit, and one for all."""
    rows = []
    for suit, first_cards, second_cards in zip(
        reversed(Suit), first.pbn.split("."), second.pbn.split("."), strict=True
    ):
        figures = [str(getattr(capture, name)[suit]) for name in LETTERS]
        rows.append(
            [SUITS[suit.name], first_cards or "–", second_cards or "–", *figures]
        )
    gaps = f"Δ = {capture.Delta}"
    # Cards of the first hand, of the second, and of neither.
    hand_sizes = ["13", "13", "26"]
    rows.append(["all", "", "", *hand_sizes, gaps, "", f"T = {capture.T}"])
    columns = ["suit", "first", "second", *LETTERS.values()]
    return Table("Algorithm 2: captures of two hands", columns, rows, left=3)


def why_captured(capture: literal.Capture) -> str:
    """Why the two hands have so many captures by Algorithm 2, in a sentence.

    T are the captures, Δ is the sum of the suits' leading gaps, Z the budget for gaps.
    The two conditions come first; then the rule counts until the check value
    χ = T + (6 − Z) reaches 13 or no suit can go on.
    """
    if capture.condition == "neither":
        return (
            "T = 0: condition A fails, for the leading gaps add up to "
            f"Δ = {capture.Delta}, more than 6."
        )
    if capture.condition == "only A":
        shorter_holdings = list(map(min, capture.c1, capture.c2))
        short_suits = short_words(shorter_holdings, capture.delta)
        return f"T = 0: condition A holds (Δ = {capture.Delta}), {short_suits}."
    end = f"χ = {capture.chi} ends it"
    if capture.chi < LAST_CHECK_VALUE:
        end = (
            f"it ends at χ = {capture.chi}, for no suit can go on within the budget "
            f"Z = {capture.Z}"
        )
    return (
        f"T = {capture.T}: both conditions hold, the two hands have {capture.T} "
        f"captures, and {end}."
    )


def short_words(lengths: Sequence[int], gaps: Sequence[int]) -> str:
    """In which suits condition B fails; ``lengths`` and leading ``gaps`` by suit."""
    suits = ", ".join(
        SUITS[suit.name] for suit in reversed(Suit) if lengths[suit] <= gaps[suit]
    )
    return (
        f"condition B fails in {suits}: no more cards are held than the leading gap δ"
    )
