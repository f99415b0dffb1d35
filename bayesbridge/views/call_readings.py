"""How each call was read, as a table: points, lengths, and what else stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bayesbridge.decisions.history import CallReading, Spread
from bayesbridge.display.markup import Table
from bayesbridge.display.words import STRAINS, SUITS, percent
from bayesbridge.game.cards import Suit
from bayesbridge.game.deal import Seat

SUITS_SHOWN: Final = 2
"""Suits of a call whose lengths are shown: those that it changed most."""

FOUR_CARD_MAJOR: Final = 0.7
"""Share of all hands that have four cards in hearts or in spades."""

MAJOR_CHANGE: Final = 0.1
"""Change of that share by a call from which it is worth a word."""

MAJOR_SHARE: Final = 0.8
"""Share of the hands from which they are said to have a major, or none."""

SHAPE_SHARE: Final = 0.65
"""Share of the hands from which they are said to be balanced, or short somewhere."""

CONTROL_SHARE: Final = 0.65
"""Share of the hands from which a control bid is said to show a control."""

NOTES: Final = (
    "Means, in brackets 80 % of cases. Lengths: the suits that the call changed most.",
    "By the caller's own calls up to it and the cards in sight, not by what the others "
    "called.",
)


def readings_table(
    readings: Sequence[CallReading], changes: Sequence[str] = ()
) -> Table:
    """How each call was read: points, suits, and what else stands out.

    ``changes`` are sentences on where the answer, which goes by all calls together,
    differs. A four-card major is told where the call changed its chance much: from that
    after the caller's last call, at first from that of any hand.
    """
    rows = []
    major_shares: dict[Seat, float] = {}
    for reading in readings:
        call = f"{reading.seat.name} {reading.call}"
        if reading.points is None:
            rows.append([call, "too rare to read", "", ""])
            continue
        major_share_before = major_shares.get(reading.seat, FOUR_CARD_MAJOR)
        major_shares[reading.seat] = reading.features["major_4"]
        salient = ", ".join(_salient_words(reading, major_share_before))
        points = _spread_text(reading.points)
        rows.append([call, points, _lengths_text(reading), salient])
    heads = ["call", "points", "lengths", ""]
    return Table("How each call was read", heads, rows, [*NOTES, *changes])


def _spread_text(spread: Spread) -> str:
    """The mean, and in brackets the middle four fifths of cases."""
    return f"{spread.mean:.1f} ({spread.low} to {spread.high})"


def _lengths_text(reading: CallReading) -> str:
    """The suits whose length the call changed most, by their symbols."""
    lengths = []
    for suit in reading.moved[:SUITS_SHOWN]:
        symbol = SUITS[suit.name][0]
        lengths.append(f"{symbol} {_spread_text(reading.lengths[suit])}")
    return ", ".join(lengths)


def _salient_words(reading: CallReading, major_share_before: float) -> list[str]:
    """What the call says besides points and lengths: of three things the rarest said.

    What an answer to 4NT or a control bid shows; else whether there is a four-card
    major; else whether the hand is likely to be balanced or to have a short suit.
    """
    words = slam_words(reading)
    if words:
        return words
    words = _major_words(reading, major_share_before)
    if words:
        return words
    shape_shares = {
        "balanced": reading.features["balanced"],
        "a short suit": reading.features["shortness"],
    }
    return _likely(shape_shares, least=SHAPE_SHARE)


def _major_words(reading: CallReading, share_before: float) -> list[str]:
    """Whether the hand has a four-card major, if the call tells and no length says it."""
    share = reading.features["major_4"]
    major_is_shown = {Suit.H, Suit.S} & {*reading.moved[:SUITS_SHOWN]}
    if abs(share - share_before) <= MAJOR_CHANGE or major_is_shown:
        return []
    return _likely(
        {"a four-card major": share, "no four-card major": 1.0 - share}, MAJOR_SHARE
    )


def _likely(shares: Mapping[str, float], least: float) -> list[str]:
    """The names of what has at least this share, with their percentages."""
    return [
        f"{percent(share)} {name}" for name, share in shares.items() if share >= least
    ]


def slam_words(reading: CallReading) -> list[str]:
    """What an answer to 4NT or a control bid shows; empty for other calls."""
    words = []
    if reading.key_cards:
        numbers = range(len(reading.key_cards))
        number = max(numbers, key=reading.key_cards.__getitem__)
        noun = "key card" if number == 1 else "key cards"
        words.append(f"{number} {noun} ({percent(reading.key_cards[number])})")
    control = reading.features.get("control", 0.0)
    if control >= CONTROL_SHARE and reading.suit is not None:
        suit = STRAINS[reading.suit.name]
        words.append(f"{percent(control)} control in {suit}")
    return words
