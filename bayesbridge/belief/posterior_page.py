"""A posterior as people read it: sentences on its accuracy, hands around a compass."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbridge.display import markup
from bayesbridge.display.markup import Table
from bayesbridge.display.words import SEATS, SUITS, counted, percent
from bayesbridge.game.cards import Card, Suit
from bayesbridge.game.deal import Seat, around_table
from bayesbridge.game.layouts import Floats

if TYPE_CHECKING:
    import xarray

ROUNDING: Final = 1e-9
"""By how much sums of weights may miss 0 and 1."""

CERTAIN: Final = 1.0 - ROUNDING
"""A probability above this one is 1."""

HONOURS: Final = "AKQJT"


def accuracy_sentences(accuracy: Mapping[Any, Any]) -> list[str]:
    """How an answer was computed and how exact it is, in sentences.

    ``accuracy`` is an accuracy document, or the attributes of a result.
    """
    fit = counted(int(accuracy["layouts"]), "layout", "fit")
    bits = f"{accuracy['entropy_bits']:.2f} bits"
    sentences = [f"{fit}; the uncertainty about them is {bits}."]
    method = accuracy["method"]
    if accuracy["exact"]:
        way = "counting suit by suit"
        if method == "enumerate":
            way = "walking every layout"
        sentences.append(f"Computed exactly, by {way} ({method}).")
    else:
        largest_error = percent(0.5 / sqrt(max(accuracy["ess"], 1.0)))
        sentences.append(
            f"Estimated: probabilities ± {largest_error} at most (one standard error). "
            f"{accuracy['why']}."
        )
    if accuracy["warning"]:
        sentences.append(f"Warning: {accuracy['warning']}.")
    return sentences


def position_html(
    marginals: Mapping[Any, xarray.DataArray], roles: Mapping[str, str], middle: str
) -> str:
    """The hands around a compass and the honours, in HTML.

    ``marginals`` are the three ``…_probabilities`` of a posterior or a result by name.
    ``roles`` says what seats are to the observer, as ``dummy``; ``middle`` is HTML that
    stands in the compass.
    """
    cards = marginals["card_probabilities"]
    names = cards["card"].values
    card_masks = np.array([Card.of(str(name)).mask for name in names], dtype=np.uint64)
    chances_by_seat = cards.transpose("seat", "card").values
    # A mask for each seat: the bits of different cards add up to their set.
    surely_held = [int(card_masks[row > CERTAIN].sum()) for row in chances_by_seat]
    perhaps_held = [int(card_masks[row > ROUNDING].sum()) for row in chances_by_seat]
    lengths = marginals["length_probabilities"]
    mean_lengths = (lengths * lengths["length"]).sum("length")
    points = marginals["point_probabilities"]
    mean_points = (points * points["points"]).sum("points")
    hands = around_table(
        must=surely_held,
        may=perhaps_held,
        roles=roles,
        middle=middle,
        lengths=mean_lengths.transpose("seat", "suit").values.tolist(),
        points=mean_points.values.tolist(),
    )
    return hands + markup.side_by_side(honour_tables(cards))


def honour_tables(cards: xarray.DataArray) -> list[Table]:
    """P(seat holds honour), a table for each suit where an honour's place is open.

    ``cards`` are P(seat holds card), with axes ``card`` and ``seat``.
    """
    table = cards.transpose("card", "seat")
    names = map(str, table["card"].values)
    chances = dict(zip(names, table.values, strict=True))
    hidden_seats = [seat for seat in Seat if _is_hidden(table.values[:, seat])]
    tables = []
    for suit in reversed(Suit):
        honours = {rank: chances[f"{suit.name}{rank}"] for rank in HONOURS}
        if any(by_seat.max() <= CERTAIN for by_seat in honours.values()):
            tables.append(_honour_table(suit, honours, hidden_seats))
    return tables


def _is_hidden(chances: Floats) -> bool:
    """Whether a seat with these (52,) chances of cards has one that is not certain."""
    return bool(((chances > ROUNDING) & (chances < CERTAIN)).any())


def _honour_table(
    suit: Suit, honours: Mapping[str, Floats], hidden_seats: list[Seat]
) -> Table:
    """A row for each hidden seat; a letter names who surely holds an honour.

    ``honours`` has (4,) chances of the seats by rank.
    """
    rows: list[list[str | float]] = []
    for seat in hidden_seats:
        row: list[str | float] = [SEATS[seat.name]]
        for by_seat in honours.values():
            holder = Seat(int(by_seat.argmax()))
            is_certain = by_seat[holder] > CERTAIN
            row.append(holder.name if is_certain else float(by_seat[seat]))
        rows.append(row)
    ranks = [rank.replace("T", "10") for rank in honours]
    return Table(SUITS[suit.name], ["", *ranks], rows)
