"""What ``bayesbridge estimate`` shows people: one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesbridge.cli.accuracy import print_accuracy
from bayesbridge.cli.evidence_lines import print_evidence
from bayesbridge.cli.output_tables import show_outputs
from bayesbridge.cli.printing import print_table, say
from bayesbridge.documents import is_exact, method_of, strength, told_bits
from bayesbridge.words import BITS, SUITS, percent

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.evaluate import Evaluation

MOST_CARDS = 8
"""Rows shown of the cards that the evidence tells most about."""

RANGES = ((0, 5), (6, 9), (10, 12), (13, 15), (16, 37))
"""Points that players take together."""


def show(found: Evaluation) -> None:
    """What was seen, how it was computed, the tricks, the telling cards, the suit lengths."""
    print_evidence(found.posterior.belief)
    print_accuracy(found.posterior, method_of(found), is_exact(found))
    say()
    for estimator in found.estimators:
        show_outputs(found, estimator.name)
    _show_points(found.posterior, is_exact(found))
    _show_cards(found.posterior)
    _show_lengths(found.posterior)
    if found.posterior.count() > 1:
        say(BITS)


def _show_points(posterior: Posterior, exact: bool) -> None:
    """How strong the hidden hands are: the mean, the middle four fifths, and the chance of each range."""
    hidden = posterior.belief.constraints.hidden
    if not hidden:
        return
    chances = posterior.point_probabilities()
    rows = []
    for seat in hidden:
        shares = [float(share) for share in chances.values[seat]]
        mean, low, high = strength(shares)
        ranges = [percent(min(1.0, sum(shares[first : last + 1]))) for first, last in RANGES]
        rows.append([str(chances.seat.values[seat]), f"{mean:.1f}", f"{low} to {high}", *ranges])
    sampled = " (from the draws)" if exact and not posterior.counts_points else ""
    names = [f"{first}+" if last > 36 else f"{first} to {last}" for first, last in RANGES]
    print_table(f"High-card points of the hidden hands{sampled}", ["seat", "mean", "80 % of cases", *names], rows)


def _show_cards(posterior: Posterior) -> None:
    """The cards that the evidence tells most about; cards of a suit that lie alike share a row."""
    known = posterior.belief.constraints
    hidden = known.hidden
    alike: dict[tuple[str, ...], str] = {}
    told: dict[tuple[str, ...], float] = {}
    bits = told_bits(posterior)
    order: dict[tuple[str, ...], tuple[float, int]] = {}
    chances = posterior.card_probabilities()
    for place, card in enumerate(map(str, chances.card.values)):
        shares = [float(chances.values[place][seat]) for seat in hidden]
        if known.unknown_mask >> (51 - place) & 1:
            row = (card[0], *map(percent, shares))
            alike[row] = f"{alike[row]}{card[1:]}" if row in alike else card
            told.setdefault(row, bits[place])
            order.setdefault(row, (-round(bits[place], 3), place % 13))
    if not alike:
        say("Every card is known.")
        return
    first = sorted(alike, key=order.__getitem__)[:MOST_CARDS]
    rows = [[alike[row], *row[1:], f"{told[row]:.2f}"] for row in first]
    names = [str(chances.seat.values[seat]) for seat in hidden]
    print_table("Where the most telling cards lie, and what is told of each in bits", ["cards", *names, "told"], rows)


def _show_lengths(posterior: Posterior) -> None:
    chances = posterior.length_probabilities()
    hidden = posterior.belief.constraints.hidden
    if not hidden:
        return
    lengths = (chances * chances.length).sum("length")
    suits = [str(suit) for suit in reversed(chances.suit.values)]
    rows = [
        [str(chances.seat.values[seat]), *(f"{float(lengths.sel(suit=suit)[seat]):.2f}" for suit in suits)]
        for seat in hidden
    ]
    print_table("Mean length of the hidden suits", ["seat", *(SUITS[suit] for suit in suits)], rows)
