"""How well the learned bidder foretells calls that it was not fitted to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import torch
from auction_batches import NO_CALL, Auctions, answers_to_four_notrump, groups_of
from auction_network import Bidder, Styles, losses
from auction_styles import PairTables, learned_styles, own_losses
from reading_networks import half_precision
from torch import Tensor

MIDDLE_TABLES = (100, 300)
"""Pairs with so many tables, the second excluded, are judged by themselves too."""

LEARNED_TABLES = (5, 10, 30, 100)
"""Tables of a pair from which its style is learned."""

FEWEST_JUDGED = 30
MOST_JUDGED = 100
"""Other tables of a pair on which its calls are judged."""


class Judged(NamedTuple):
    """Calls of some tables, and how likely they were."""

    loss: Tensor
    """(calls, 2) −log P(call) in both readings: partner's hand hidden, and shown."""
    is_likeliest: Tensor
    """(calls, 2) whether the call made is the likeliest."""
    pair: Tensor
    """(calls,) which pair calls, -1 if not known."""
    is_answer: Tensor
    """(calls,) whether it answers partner's 4NT after a suit, by 5C to 5S."""


@torch.no_grad()
def judge(
    network: Bidder,
    styles: Styles,
    auctions: Auctions,
    chosen: np.ndarray,
    pairs_known: bool,
) -> Judged:
    """All calls of the chosen tables, in the same order every time."""
    network.eval()
    groups = []
    with half_precision(auctions.calls.device):
        for batch in groups_of(auctions, chosen):
            pair = batch.pair
            if not pairs_known:
                pair = torch.full_like(batch.pair, -1)
            style, _ = styles(pair)
            scores = network(batch, style)
            is_likeliest = [
                reading.argmax(dim=1) == batch.call for reading in scores.readings
            ]
            call = batch.call.masked_fill(~batch.is_real, NO_CALL)
            call = call.view(len(batch.tokens), -1)
            columns = (
                torch.stack(losses(scores, batch.call), dim=1),
                torch.stack(is_likeliest, dim=1),
                batch.calling_pair,
                answers_to_four_notrump(call).flatten(),
            )
            groups.append([column[batch.is_real] for column in columns])
    return Judged(*(torch.cat(column) for column in zip(*groups, strict=True)))


def mean_and_error(values: Tensor) -> list[float]:
    """The mean of some calls and its standard error, calls taken as independent."""
    values = values.float()
    error = float(values.std() / math.sqrt(len(values)))
    return [round(float(values.mean()), 4), round(error, 4)]


def by_reading(values: Tensor) -> list[list[float]]:
    """Mean and error of each column of (calls, 2) values."""
    return [mean_and_error(column) for column in values.unbind(dim=1)]


def verdicts(
    networks: Mapping[str, Bidder],
    styles: Styles,
    auctions: Auctions,
    chosen: np.ndarray,
    tables_of_pair: np.ndarray,
) -> dict[str, object]:
    """How well networks foretell the calls of some tables, in both readings.

    ``tables_of_pair`` (pairs,) is from how many tables a pair is known.
    """
    figures: dict[str, object] = {}
    for name, network in networks.items():
        judged_unknown = judge(network, styles, auctions, chosen, pairs_known=False)
        label = f"{name}, nothing known"
        figures |= figures_of(label, judged_unknown, tables_of_pair)
        if bool(judged_unknown.is_answer.any()):
            figures[f"{label}, answers to 4NT"] = answer_figures(judged_unknown)
        judged_known = judge(network, styles, auctions, chosen, pairs_known=True)
        figures |= figures_of(f"{name}, pairs known", judged_known, tables_of_pair)
    return figures


def figures_of(
    label: str, judged: Judged, tables_of_pair: np.ndarray
) -> dict[str, object]:
    """Losses of all calls, and of those of pairs with some tables."""
    counts = torch.tensor(tables_of_pair, device=judged.pair.device)
    tables = counts[judged.pair.clamp(min=0)]
    tables = tables.masked_fill(judged.pair < 0, 0)
    fewest, too_many = MIDDLE_TABLES
    is_middle = (tables >= fewest) & (tables < too_many)
    middle_label = f"{label}, pairs of {fewest} to {too_many - 1} tables"
    return {
        label: by_reading(judged.loss),
        middle_label: by_reading(judged.loss[is_middle]),
    }


def answer_figures(judged: Judged) -> list[list[float]]:
    """Of answers to 4NT: loss, share of likeliest calls and number, by reading."""
    losses_of_answers = by_reading(judged.loss[judged.is_answer])
    shares = by_reading(judged.is_likeliest[judged.is_answer])
    number = int(judged.is_answer.sum())
    return [
        [*loss, *share, number]
        for loss, share in zip(losses_of_answers, shares, strict=True)
    ]


def new_pairs(
    network: Bidder, auctions: Auctions, pair: np.ndarray, is_aside: np.ndarray
) -> dict[str, object]:
    """How well calls of pairs set aside are foretold after some of their tables.

    They are judged on up to 100 other tables of theirs. ``pair`` (tables, 2) names the
    pairs of all tables, ``is_aside`` (pairs,) those set aside.
    """
    network.eval()
    tables_by_pair = list(tables_of_new_pairs(pair, is_aside))
    if not tables_by_pair:
        return {"pairs": 0}
    columns = zip(*tables_by_pair, strict=True)
    tables = PairTables(*(np.concatenate(column) for column in columns))
    # How many tables of its pair stand before each.
    number = np.concatenate([np.arange(len(own.row)) for own in tables_by_pair])
    judged = tables.part(number >= LEARNED_TABLES[-1])
    with torch.no_grad():
        before = own_losses(network, auctions, judged, None)
    results: dict[str, object] = {
        "pairs": len(tables_by_pair),
        "tables": len(judged.row),
        "none": by_reading(before),
    }
    for count in LEARNED_TABLES:
        styles = learned_styles(network, auctions, tables.part(number < count))
        with torch.no_grad():
            style = styles[torch.as_tensor(judged.pair, device=styles.device)]
            after = own_losses(network, auctions, judged, style)
        differences = by_reading(after - before)
        results[str(count)] = [
            [*loss, *difference]
            for loss, difference in zip(by_reading(after), differences, strict=True)
        ]
    return results


def tables_of_new_pairs(pair: np.ndarray, is_aside: np.ndarray) -> Iterator[PairTables]:
    """The tables to learn from and to judge by of each pair set aside that has enough."""
    most_learned = LEARNED_TABLES[-1]
    seats = np.argwhere(is_aside[pair] & (pair >= 0))  # rows of (table, side)
    place = 0
    for number in np.flatnonzero(is_aside):
        own_seats = seats[pair[seats[:, 0], seats[:, 1]] == number]
        if len(own_seats) >= most_learned + FEWEST_JUDGED:
            rows, sides = own_seats[: most_learned + MOST_JUDGED].T
            yield PairTables(rows, sides, np.full(len(rows), place))
            place += 1
