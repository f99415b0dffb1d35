"""What ``bayesbridge estimate`` shows people: one screen."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from bayesbridge.cli.accuracy import print_accuracy
from bayesbridge.cli.evidence_lines import print_evidence
from bayesbridge.cli.output_tables import show_outputs
from bayesbridge.cli.printing import print_table, say
from bayesbridge.documents import is_exact, method_of
from bayesbridge.words import BITS, SUITS, percent

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.evaluate import Evaluation

MOST_CARDS = 8
"""Rows shown of the cards that the evidence tells most about."""


def show(found: Evaluation) -> None:
    """What was seen, how it was computed, the tricks, the telling cards, the suit lengths."""
    print_evidence(found.posterior.belief)
    print_accuracy(found.posterior, method_of(found), is_exact(found))
    say()
    for estimator in found.estimators:
        show_outputs(found, estimator.name)
    _show_cards(found.posterior)
    _show_lengths(found.posterior)
    if found.posterior.count() > 1:
        say(BITS)


def _show_cards(posterior: Posterior) -> None:
    """The cards that the evidence tells most about, honours first; cards of a suit that lie alike share a row."""
    known = posterior.belief.constraints
    hidden = known.hidden
    alike: dict[tuple[str, ...], str] = {}
    order: dict[tuple[str, ...], tuple[float, int]] = {}
    chances = posterior.card_probabilities()
    for place, card in enumerate(map(str, chances.card.values)):
        shares = [float(share) for share in chances.values[place]]
        if known.unknown_mask >> (51 - place) & 1:
            row = (card[0], *(percent(shares[seat]) for seat in hidden))
            bits = log2(len(hidden)) + sum(share * log2(share) for share in shares if share > 0.0)
            alike[row] = f"{alike[row]}{card[1:]}" if row in alike else card
            order.setdefault(row, (-round(bits, 3), place % 13))
    if not alike:
        say("Every card is known.")
        return
    rows = [[alike[row], *row[1:]] for row in sorted(alike, key=order.__getitem__)[:MOST_CARDS]]
    names = [str(chances.seat.values[seat]) for seat in hidden]
    print_table("Where the most telling cards lie", ["cards", *names], rows)


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
