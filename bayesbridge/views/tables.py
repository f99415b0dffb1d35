"""What is believed of the hidden hands, as tables: points, lengths, cards, games.

The terminal prints these tables, pages show them as HTML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from typing import Final

from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.decisions.history import strength
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    SEATS,
    STRAINS,
    SUITS,
    card_words,
    error_text,
    percent,
    share_error,
)
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.game.cards import SUIT_CARDS, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats

POINT_RANGES: Final = {
    "0 to 5": slice(0, 6),
    "6 to 9": slice(6, 10),
    "10 to 12": slice(10, 13),
    "13 to 15": slice(13, 16),
    "16+": slice(16, 38),
}
"""High-card points by the ranges that bidding distinguishes."""

CARDS_IN_SUMMARY: Final = 8
"""Rows of cards where points and lengths stand beside them."""

LEAST_BITS: Final = 0.005
"""Information about a card from which it is worth a row."""

LEAST_LENGTH_SHARE: Final = 0.0005
"""Chance from which a number of cards has its column."""


def hidden_tables(posterior: Posterior) -> list[Table]:
    """Points, lengths and the best placed cards of the hidden hands.

    None where every card is known, and no cards where the evidence tells of none.
    """
    if not posterior.belief.constraints.hidden:
        return []
    tables = [points_table(posterior), mean_lengths_table(posterior)]
    cards = cards_table(posterior, CARDS_IN_SUMMARY)
    if cards.rows:
        tables.append(cards)
    return tables


def mean_lengths_table(posterior: Posterior) -> Table:
    """The mean number of cards of each suit in each hidden hand."""
    means = posterior.length_table @ range(14)
    rows = []
    for seat in posterior.belief.constraints.hidden:
        spades_first = means[seat][::-1]
        rows.append([Seat(seat).name, *(f"{mean:.2f}" for mean in spades_first)])
    return Table("Mean length of the hidden suits", ["seat", *SUITS.values()], rows)


def points_table(posterior: Posterior) -> Table:
    """How strong the hidden hands are.

    The mean, the middle four fifths of cases, and the chance of each range of points.
    """
    rows: list[list[str | float]] = []
    for seat in posterior.belief.constraints.hidden:
        shares = posterior.point_table[seat]
        mean, low, high = strength(shares)
        in_ranges = [
            min(1.0, float(shares[points].sum())) for points in POINT_RANGES.values()
        ]
        rows.append([Seat(seat).name, f"{mean:.1f}", f"{low} to {high}", *in_ranges])
    title = "High-card points of the hidden hands"
    if posterior.counts_cards and not posterior.counts_points:
        title += " (from the draws)"
    return Table(title, ["seat", "mean", "80 % of cases", *POINT_RANGES], rows)


def cards_table(posterior: Posterior, most: int = 52) -> Table:
    """The cards that the evidence tells most about, beyond the room in the hands.

    Cards of a suit with the same chances share a row; there are ``most`` rows at most.
    """
    belief = posterior.belief
    hidden = belief.constraints.hidden
    chances = posterior.card_table
    bits = card_information(posterior)
    rows: list[list[str | float]] = []
    for places in _cards_by_information(bits, chances, hidden)[:most]:
        suit = CARDS[places[0]][0]
        ranks = "".join(CARDS[place][1] for place in places)
        shares = [float(chances[places[0], seat]) for seat in hidden]
        rows.append([card_words(suit + ranks), *shares, f"{bits[places[0]]:.2f}"])
    bidding_alone = belief.auction is not None and not belief.table.plays
    source = "bidding" if bidding_alone else "evidence"
    title = (
        f"The cards that the {source} places best; bits: beyond the room in each hand"
    )
    seats = [Seat(seat).name for seat in hidden]
    return Table(title, ["cards", *seats, "bits"], rows)


def _cards_by_information(
    bits: Mapping[int, float], chances: Floats, hidden: Sequence[int]
) -> list[list[int]]:
    """Places of cards of a suit with the same shown chances, the most told of first.

    ``bits`` is the information about each card, by its place in ``CARDS``; ``chances``
    (52, 4) is P(seat holds card). Cards are together where all their percentages look
    the same in the table.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for place in bits:
        percentages = (percent(float(chances[place, seat])) for seat in hidden)
        groups.setdefault((CARDS[place][0], *percentages), []).append(place)
    informative = [
        places for places in groups.values() if bits[places[0]] >= LEAST_BITS
    ]

    def rank(places: list[int]) -> tuple[float, int]:
        """More bits first, then higher cards, which stand first in their suit."""
        highest_card = places[0]
        return -round(bits[highest_card], 3), highest_card % SUIT_CARDS

    return sorted(informative, key=rank)


def card_information(posterior: Posterior) -> dict[int, float]:
    """How many bits are known of where each hidden card lies, by its place in ``CARDS``.

    Σ p log₂ p/q over the hidden hands, where q is a hand's share of the room left.
    """
    constraints = posterior.belief.constraints
    room = {
        seat: 13 - constraints.must[seat].bit_count() for seat in constraints.hidden
    }
    total_room = sum(room.values())
    bits: dict[int, float] = {}
    for place, shares in enumerate(posterior.card_table):
        is_hidden = constraints.unknown_mask >> (51 - place) & 1
        if not is_hidden:
            continue
        information = 0.0
        for seat, free_places in room.items():
            share = float(shares[seat])
            if share > 0.0:
                information += share * log2(share * (total_room / free_places))
        bits[place] = max(0.0, information)
    return bits


def length_tables(posterior: Posterior) -> list[Table]:
    """For each hidden hand P(so many cards) in each suit, and the mean."""
    hidden = posterior.belief.constraints.hidden
    shares = posterior.length_table.clip(0.0, 1.0)
    longest = 0
    for length in range(14):
        if shares[list(hidden), :, length].max(initial=0.0) >= LEAST_LENGTH_SHARE:
            longest = length
    heads = ["", *map(str, range(longest + 1)), "mean"]
    tables = []
    for seat in hidden:
        rows: list[list[str | float]] = []
        for suit_letter, suit_words in SUITS.items():
            lengths = shares[seat, Suit[suit_letter]]
            mean = lengths @ range(14)
            shown = map(float, lengths[: longest + 1])
            rows.append([suit_words, *shown, f"{mean:.2f}"])
        title = f"{SEATS[Seat(seat).name]}: how many cards of each suit"
        tables.append(Table(title, heads, rows))
    return tables


def games_table(odds: Sequence[ContractOdds]) -> Table:
    """Expected tricks and the chance of game, strain by strain."""
    rows: list[list[str | float]] = []
    for game in odds:
        name, _, _declarer = str(game.contract).partition(" ")
        tricks = f"{game.mean.mean:.2f}{error_text(game.mean.error)}"
        makes = f"{percent(game.make.mean)}{share_error(*game.make)}"
        rows.append([STRAINS[game.contract.strain.name], tricks, name, makes])
    title = f"Tricks of {odds[0].whose}"
    note = (
        "Double dummy, as the network 'tricks' predicts it; ± is one standard error of "
        "the draws."
    )
    return Table(title, ["strain", "tricks", "game", "makes"], rows, [note])
