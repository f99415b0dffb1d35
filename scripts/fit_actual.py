"""Count how many tricks real declarers take beside double dummy, and judge the counts
on deals set aside.

    python scripts/fit_actual.py auctions.pbn.gz --solved tables.tsv -o bayesbridge/estimators/data/actual.json

Needs plugins/bayesbridge-double-dummy. Contracts are solved by solve_records.py, which
continues where it stopped. A quarter of the deals, by a hash of their cards, is set
aside; all tables of a deal are on the same side. Three kinds of answers are judged:
given the solver's tricks, given what the network says of all four hands, and given what
it says of declarer and dummy, the defenders' cards dealt at random. Nothing else is
random, and the seed is fixed. The strength with which small cells are drawn to larger
ones is chosen by the log-loss on either half of the deals that are fitted, the other
half having been counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from solve_records import SHARE, Table, declarers_first, digest, solved_tables

from bayesbridge.estimators.actual_play import (
    FARTHEST,
    HIGHEST_MARGIN,
    LOWEST_MARGIN,
    SHAPE,
    STRAIN_KINDS,
    cell_of,
    passed_through,
    smoothed,
)
from bayesbridge.estimators.network import table_tricks
from bayesbridge.game.calls import CONTRACT_KINDS
from bayesbridge.game.cards import Strain

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]

STRENGTHS = (10, 30, 100, 300, 1000, 3000)
TENTHS = 10
DRAWS, SEED = 50, 0
"""Deals of the defenders' cards, for what declarer knows when dummy is on the table."""


class Data(NamedTuple):
    """Tables as arrays: (n,) needed tricks, solved, taken; (n, 3) cells; (n,) whether
    aside, and half of the rest.
    """

    needed: Ints
    solved: Ints
    taken: Ints
    cell: Ints
    aside: NDArray[np.bool_]
    half: NDArray[np.bool_]
    network: Floats
    """(n, 14) what the network of ``tricks`` says of all four hands."""
    declarer: Floats
    """(n, 14) its mean over deals of the defenders' cards, for tables that are aside.
    """

    def part(self, chosen: NDArray[np.bool_]) -> Data:
        return Data(*(array[chosen] for array in self))


def data_of(tables: list[Table], solved: list[int]) -> Data:
    strains = np.array([table.contract.strain for table in tables])
    aside = np.array([table.aside for table in tables])
    network, declarer = np.empty((len(tables), 14)), np.empty((len(tables), 14))
    rng = np.random.default_rng(SEED)
    for strain in Strain:
        here = np.flatnonzero(strains == strain)
        if len(here):
            masks = declarers_first(tables[i] for i in here).masks
            network[here] = table_tricks(masks, strain.trump)
            dealt = np.concatenate(
                [defenders_dealt(row, rng) for row in masks[aside[here]]] or [masks[:0]]
            )
            declarer[here[aside[here]]] = (
                table_tricks(dealt, strain.trump).reshape(-1, DRAWS, 14).mean(axis=1)
            )
    return Data(
        np.array([table.contract.tricks_needed for table in tables]),
        np.array(solved),
        np.array([table.result for table in tables]),
        np.array([cell_of(table.contract) for table in tables]),
        aside,
        np.array([int(digest(table.deal)[16:24], 16) % 2 == 0 for table in tables]),
        network,
        declarer,
    )


def defenders_dealt(
    masks: NDArray[np.uint64], rng: np.random.Generator
) -> NDArray[np.uint64]:
    """(DRAWS, 4) the same hands of declarer and dummy, the other 26 cards dealt at
    random.
    """
    bits = np.uint64(1) << np.arange(52, dtype=np.uint64)
    hidden = rng.permuted(
        np.tile(bits[(masks[1] | masks[3]) & bits > 0], (DRAWS, 1)), axis=1
    )
    dealt = np.tile(masks, (DRAWS, 1))
    dealt[:, 1], dealt[:, 3] = hidden[:, :13].sum(axis=1), hidden[:, 13:].sum(axis=1)
    return dealt


def counted(data: Data) -> Ints:
    """Tables by cell, margin and difference."""
    counts = np.zeros(SHAPE, np.int64)
    margin = (
        np.clip(data.solved - data.needed, LOWEST_MARGIN, HIGHEST_MARGIN)
        - LOWEST_MARGIN
    )
    np.add.at(counts, (*data.cell.T, margin, data.taken - data.solved + FARTHEST), 1)
    return counts


def predicted(shares: Floats, data: Data, before: Floats) -> Floats:
    """(n, 14) P(tricks taken) of tables whose double dummy has the distributions
    ``before``.
    """
    kinds, place = np.unique(
        np.column_stack([data.cell, data.needed]), axis=0, return_inverse=True
    )
    through = np.array(
        [passed_through(shares[tuple(kind[:3])], kind[3]) for kind in kinds]
    )
    return np.einsum("nd,nda->na", before, through[place.ravel()])


def log_loss(chances: Floats, taken: Ints) -> float:
    return float(
        -np.log(np.maximum(chances[np.arange(len(taken)), taken], 1e-12)).mean()
    )


def held_out(strength: float, seen: Data, other: Data) -> float:
    """Log-loss on other deals, double dummy given, by what was counted on the ones
    seen.
    """
    return log_loss(
        predicted(smoothed(counted(seen), strength), other, np.eye(14)[other.solved]),
        other.taken,
    )


def judge(chances: Floats, data: Data) -> dict[str, float]:
    """Of P(made): squared error, and how far its tenths are from the shares that made;
    of tricks: bias and log-loss.
    """
    needed = data.needed
    made = (data.taken >= needed).astype(float)
    chance = np.array([row[n:].sum() for row, n in zip(chances, needed, strict=True)])
    tenth = np.minimum((chance * TENTHS).astype(int), TENTHS - 1)
    weights = np.bincount(tenth, minlength=TENTHS)
    apart = np.abs(np.bincount(tenth, chance - made, minlength=TENTHS)) / np.maximum(
        weights, 1
    )
    return {
        "error": round(float((weights * apart).sum() / len(made)), 4),
        "off": round(float((chance - made).mean()), 4),
        "brier": round(float(((chance - made) ** 2).mean()), 4),
        "log_loss": round(log_loss(chances, data.taken), 4),
        "bias": round(float((chances @ np.arange(14) - data.taken).mean()), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument(
        "--solved",
        type=Path,
        default=Path("tables.tsv"),
        help="what is solved, kept between runs",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=SHARE,
        help="share of the deals (default: %(default)s)",
    )
    parser.add_argument(
        "--tables", type=int, help="the first so many tables of these (default: all)"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("actual.json"))
    options = parser.parse_args()
    about, tables, solved = solved_tables(
        options.records, options.solved, options.share, options.tables
    )
    every = data_of(tables, solved)
    data = every.part(np.abs(every.taken - every.solved) <= FARTHEST)
    fit, aside = data.part(~data.aside), data.part(data.aside)
    halves = fit.part(fit.half), fit.part(~fit.half)
    sure = np.eye(14)
    losses = {
        strength: round(
            float(
                np.mean([held_out(strength, *pair) for pair in (halves, halves[::-1])])
            ),
            4,
        )
        for strength in STRENGTHS
    }
    strength = min(losses, key=losses.__getitem__)
    print(f"log-loss by strength: {losses}", file=sys.stderr)
    counts = counted(fit)
    shares = smoothed(counts, strength)
    judged = {}
    for name, before in (
        ("solver", sure[aside.solved]),
        ("network", aside.network),
        ("declarer", aside.declarer),
    ):
        after, plain = (
            judge(predicted(shares, aside, before), aside),
            judge(before, aside),
        )
        judged[name] = {
            "tables": len(aside.taken),
            **after,
            **{f"{key}_before": value for key, value in plain.items()},
        }
    known = {
        **about,
        "tables": len(tables),
        "left out": int(len(every.taken) - len(data.taken)),
        "fitted": len(fit.taken),
        "strength": strength,
        "draws": DRAWS,
        "seed": SEED,
        "judged": judged,
        "differences": differences(data),
    }
    options.output.write_text(
        json.dumps({"about": known, "counts": counts.ravel().tolist()}, indent=None)
        + "\n"
    )
    print(json.dumps(known, indent=1))


def differences(data: Data) -> dict[str, dict[str, float]]:
    """Mean of actual − double dummy with its standard error, and the shares below,
    equal and above.
    """
    found = {}
    for index in np.ndindex(len(CONTRACT_KINDS), len(STRAIN_KINDS), 2):
        here = (data.cell == index).all(axis=1)
        if here.any():
            apart = (data.taken - data.solved)[here]
            name = f"{CONTRACT_KINDS[index[0]]}, {STRAIN_KINDS[index[1]]}{', doubled' if index[2] else ''}"
            found[name] = {
                "tables": int(here.sum()),
                "mean": round(float(apart.mean()), 3),
                "error": round(float(apart.std() / np.sqrt(here.sum())), 3),
                "below": round(float((apart < 0).mean()), 3),
                "equal": round(float((apart == 0).mean()), 3),
                "above": round(float((apart > 0).mean()), 3),
            }
    return found


if __name__ == "__main__":
    main()
