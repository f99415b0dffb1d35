"""What ``bayesbridge estimate`` shows people: one screen."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from bayesbridge.cli.accuracy import print_accuracy
from bayesbridge.cli.evidence_lines import print_evidence
from bayesbridge.cli.printing import bar, print_table, say
from bayesbridge.documents import is_exact, method_of, reported
from bayesbridge.trick_counts import Tricks
from bayesbridge.words import BITS, CAPTURES, SUITS, number, percent

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.evaluate import Evaluation

MOST_CARDS = 8
"""Rows shown of the cards that the evidence tells most about."""

MOST_ROWS = 16
"""Numbers shown of an estimator; the rest is in --json."""


def show(found: Evaluation) -> None:
    """What was seen, how it was computed, the tricks, the telling cards, the suit lengths."""
    print_evidence(found.posterior.belief)
    print_accuracy(found.posterior, method_of(found), is_exact(found))
    say()
    for estimator in found.estimators:
        outputs = reported(found, estimator.name)
        if "T" in outputs and outputs["T"].output.tricks:
            _show_tricks(found, Tricks.of_sums(outputs["T"]))
        else:
            _show_numbers(found, estimator.name)
    _show_cards(found.posterior)
    _show_lengths(found.posterior)
    if found.posterior.count() > 1:
        say(BITS)


def _show_tricks(found: Evaluation, tricks: Tricks) -> None:
    first, second = (seat.name for seat in found.question.pair)
    shown = [value for value in tricks.occurring if tricks.holds]
    widest = max([tricks.fails, *map(tricks.share, shown)])
    rows = []
    if tricks.fails:
        rows.append([tricks.count.failing, f"{percent(tricks.fails):>8}", bar(tricks.fails / widest), ""])
    for value in shown:
        share = tricks.share(value)
        contract = f"{value - 6}NT makes {percent(tricks.at_least(value))}" if value > 6 else ""
        rows.append([f"T = {value}", f"{percent(share):>8}", bar(share / widest), contract])
    print_table(
        f"Tricks that {first} and {second} capture together (Algorithm 2)", ["", "       P", "", ""], rows, left=4
    )
    mean = tricks.mean_if_held
    if mean is None:
        say("The conditions of Algorithm 2 never hold: T = 0 in every layout.")
    else:
        say(f"The conditions hold with {percent(tricks.holds)}; given that they do, T is {mean:.2f} on average.")
    say(CAPTURES)
    say()


def _show_numbers(found: Evaluation, estimator: str) -> None:
    rows: list[list[str]] = []
    for name, sums in reported(found, estimator).items():
        labels = [""]
        for dim in sums.output.dims:
            labels = [f"{before} {label}" for before in labels for label in sums.output.labels(dim)]
        spread = sums.sd.ravel()
        rows += [
            [f"{name}{label}", f"{sums.mean[cell]:.3f}", f"{spread[cell]:.3f}"] for cell, label in enumerate(labels)
        ]
    varied = [row for row in rows if row[1:] != ["0.000", "0.000"]] or rows
    print_table(estimator, ["", "mean", "sd"], varied[:MOST_ROWS])
    if len(varied) > MOST_ROWS:
        say(f"… and {number(len(varied) - MOST_ROWS)} more numbers, which --json prints.", "")


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
