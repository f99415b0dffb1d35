"""Fit the learned player, P(card ∣ hand, what was seen), on the records of a PBN or LIN file.

    python scripts/fit_card_play.py auctions.pbn.gz -o bayesbridge/bidders/data/play.npz

A log-linear model, fitted by stochastic gradient steps whose size shrinks with each weight's own history (Adagrad). The
split is by deal, as in fit_auction_model.py. Same file and same seed, same weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from fit_auction_model import HELD_OUT, TRAIN, VALIDATE, split_of
from numpy.typing import NDArray

from bayesbridge.bidders.card_features import (
    FOLLOW,
    KIND,
    LATER_LEAD,
    LEAD,
    MOST_FEATURES,
    WEIGHTS,
    features,
    situations,
)
from bayesbridge.bidders.card_play import scores
from bayesbridge.jit import njit
from bayesbridge.notation import Record, iter_records

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]

RATES = (0.3, 0.2, 0.1, 0.05, 0.02)
"""Learning rate of each pass over the records."""


class Choices(NamedTuple):
    """Cards chosen by declarer or a defender: (n, width) situations, and (n,) cards still held, choices and splits."""

    rows: Ints
    rest: Ints
    card: Ints
    split: Ints


def read(path: Path, most: int) -> Choices:
    """Every card of every record with a whole deal, a whole auction and a play; dummy's cards are left out."""
    rows, rests, cards, splits = [], [], [], []
    tables = 0
    for record in iter_records(path):
        if not isinstance(record, Record) or record.deal is None or record.auction is None:
            continue
        if record.contract is None or not record.plays:
            continue
        masks = [hand.mask for hand in record.deal.hands]
        split = split_of(tuple(masks))
        dummy = record.contract.declarer.partner
        table = situations(record.contract, record.auction, record.plays)
        for row, (seat, card) in zip(table, record.plays, strict=True):
            if seat != dummy:
                rows.append(row)
                rests.append(masks[seat])
                cards.append(card.index)
                splits.append(split)
            masks[seat] &= ~card.mask
        tables += 1
        if tables == most:
            break
    return Choices(np.array(rows), np.array(rests), np.array(cards), np.array(splits))


@njit
def walk(
    order: Ints, rows: Ints, rests: Ints, cards: Ints, weight: Floats, squares: Floats, rate: float
) -> tuple[float, int]:
    """Go through choices in order, learning if ``rate`` > 0; Σ −log P(card) and the number of real choices."""
    score = np.empty(52)
    found = np.empty(MOST_FEATURES, np.int64)
    loss, choices = 0.0, 0
    for i in order:
        legal = scores(rests[i], rows[i], weight, score, found)
        if legal & (legal - 1) == 0:
            continue
        total = 0.0
        for card in range(52):
            if (legal >> card) & 1:
                score[card] = np.exp(score[card])
                total += score[card]
        loss -= np.log(score[cards[i]] / total)
        choices += 1
        if rate > 0.0:
            for card in range(52):
                if (legal >> card) & 1:
                    slope = score[card] / total - (1.0 if card == cards[i] else 0.0)
                    for j in range(features(card, rests[i], rows[i], found)):
                        squares[found[j]] += slope * slope
                        weight[found[j]] -= rate * slope / np.sqrt(squares[found[j]])
    return loss, choices


def losses(data: Choices, split: int, weight: Floats) -> dict[str, float]:
    """Mean −log P(card) over the choices of a split, by kind."""
    result = {}
    for name, kind in (("lead", LEAD), ("later lead", LATER_LEAD), ("to a lead", FOLLOW)):
        order = np.flatnonzero((data.split == split) & (data.rows[:, KIND] == kind))
        loss, choices = walk(order, data.rows, data.rest, data.card, weight, weight, 0.0)
        result[name] = round(loss / max(choices, 1), 4)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("-o", "--output", type=Path, default=Path("play.npz"))
    parser.add_argument("--tables", type=int, default=60_000, help="tables read at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = read(options.records, options.tables)
    rng = np.random.default_rng(options.seed)
    weight, squares = np.zeros(WEIGHTS), np.ones(WEIGHTS)
    train = np.flatnonzero(data.split == TRAIN)
    print(f"{len(train)} cards to learn from; any legal card: {losses(data, VALIDATE, weight)}", file=sys.stderr)
    for rate in RATES:
        loss, choices = walk(rng.permutation(train), *data[:3], weight, squares, rate)
        print(f"train {loss / choices:.4f}, validation {losses(data, VALIDATE, weight)}", file=sys.stderr)
    np.savez_compressed(options.output, weights=weight.astype(np.float16))
    print(f"held out: {losses(data, HELD_OUT, weight)}")


if __name__ == "__main__":
    main()
