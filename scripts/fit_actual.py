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
SMALLEST_CHANCE = 1e-12

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
    """(n, 14) its mean over deals of the defenders' cards, where tables are aside."""

    def part(self, chosen: NDArray[np.bool_]) -> Data:
        """The chosen tables."""
        return Data(*(array[chosen] for array in self))


def data_of(tables: list[Table], solved: list[int]) -> Data:
    """Arrays of tables, with what the network says of them."""
    strains = np.array([table.contract.strain for table in tables])
    aside = np.array([table.aside for table in tables])
    network = np.empty((len(tables), 14))
    declarer = np.empty((len(tables), 14))
    rng = np.random.default_rng(SEED)
    for strain in Strain:
        places = np.flatnonzero(strains == strain)
        if len(places):
            masks = declarers_first(tables[place] for place in places).masks
            network[places] = table_tricks(masks, strain.trump)
            is_aside = aside[places]
            deals = [defenders_dealt(row, rng) for row in masks[is_aside]]
            dealt = np.concatenate(deals or [masks[:0]])
            chances = table_tricks(dealt, strain.trump).reshape(-1, DRAWS, 14)
            declarer[places[is_aside]] = chances.mean(axis=1)
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
    """(DRAWS, 4) the same hands of declarer and dummy, defenders' dealt at random."""
    bits = np.uint64(1) << np.arange(52, dtype=np.uint64)
    defenders_cards = bits[(masks[1] | masks[3]) & bits > 0]
    shuffled = rng.permuted(np.tile(defenders_cards, (DRAWS, 1)), axis=1)
    dealt = np.tile(masks, (DRAWS, 1))
    dealt[:, 1] = shuffled[:, :13].sum(axis=1)
    dealt[:, 3] = shuffled[:, 13:].sum(axis=1)
    return dealt


def counted(data: Data) -> Ints:
    """Tables by cell, margin and difference."""
    counts = np.zeros(SHAPE, np.int64)
    margin = np.clip(data.solved - data.needed, LOWEST_MARGIN, HIGHEST_MARGIN)
    difference = data.taken - data.solved
    place = (*data.cell.T, margin - LOWEST_MARGIN, difference + FARTHEST)
    np.add.at(counts, place, 1)
    return counts


def predicted(shares: Floats, data: Data, before: Floats) -> Floats:
    """(n, 14) P(tricks taken), from distributions of double-dummy tricks ``before``."""
    kinds, place = np.unique(
        np.column_stack([data.cell, data.needed]), axis=0, return_inverse=True
    )
    transitions = [passed_through(shares[tuple(kind[:3])], kind[3]) for kind in kinds]
    return np.einsum("nd,nda->na", before, np.array(transitions)[place.ravel()])


def log_loss(chances: Floats, taken: Ints) -> float:
    """Mean −log P(tricks taken)."""
    true_chances = chances[np.arange(len(taken)), taken]
    return float(-np.log(np.maximum(true_chances, SMALLEST_CHANCE)).mean())


def held_out(strength: float, training: Data, test: Data) -> float:
    """Log-loss on other deals than those counted, double dummy given."""
    shares = smoothed(counted(training), strength)
    return log_loss(predicted(shares, test, np.eye(14)[test.solved]), test.taken)


def judge(chances: Floats, data: Data) -> dict[str, float]:
    """How good chances are, of making and of tricks.

    Of P(made) the squared error, and how far its tenths are from the shares that made;
    of tricks bias and log-loss.
    """
    needed = data.needed
    made = (data.taken >= needed).astype(float)
    chance = np.array([row[n:].sum() for row, n in zip(chances, needed, strict=True)])
    tenth = np.minimum((chance * TENTHS).astype(int), TENTHS - 1)
    weights = np.bincount(tenth, minlength=TENTHS)
    sums = np.bincount(tenth, chance - made, minlength=TENTHS)
    gaps = np.abs(sums) / np.maximum(weights, 1)
    return {
        "error": round(float((weights * gaps).sum() / len(made)), 4),
        "off": round(float((chance - made).mean()), 4),
        "brier": round(float(((chance - made) ** 2).mean()), 4),
        "log_loss": round(log_loss(chances, data.taken), 4),
        "bias": round(float((chances @ np.arange(14) - data.taken).mean()), 4),
    }


def main() -> None:
    """Fit the shares, judge them, and write the file that ships."""
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
    all_data = data_of(tables, solved)
    is_near = np.abs(all_data.taken - all_data.solved) <= FARTHEST
    data = all_data.part(is_near)
    fit = data.part(~data.aside)
    aside = data.part(data.aside)
    losses = {strength: cross_validated(strength, fit) for strength in STRENGTHS}
    strength = min(losses, key=losses.__getitem__)
    print(f"log-loss by strength: {losses}", file=sys.stderr)
    counts = counted(fit)
    shares = smoothed(counts, strength)
    facts = {
        **about,
        "tables": len(tables),
        "left out": int(len(all_data.taken) - len(data.taken)),
        "fitted": len(fit.taken),
        "strength": strength,
        "draws": DRAWS,
        "seed": SEED,
        "judged": {
            "solver": before_and_after(shares, aside, np.eye(14)[aside.solved]),
            "network": before_and_after(shares, aside, aside.network),
            "declarer": before_and_after(shares, aside, aside.declarer),
        },
        "differences": differences(data),
    }
    document = {"about": facts, "counts": counts.ravel().tolist()}
    options.output.write_text(json.dumps(document, indent=None) + "\n")
    print(json.dumps(facts, indent=1))


def cross_validated(strength: float, data: Data) -> float:
    """Log-loss of each half of the deals by the other, on average."""
    first = data.part(data.half)
    second = data.part(~data.half)
    losses = [held_out(strength, first, second), held_out(strength, second, first)]
    return round(float(np.mean(losses)), 4)


def before_and_after(shares: Floats, data: Data, before: Floats) -> dict[str, float]:
    """How good chances of tricks are after the shares and before."""
    after = judge(predicted(shares, data, before), data)
    plain = judge(before, data)
    return {
        "tables": len(data.taken),
        **after,
        **{f"{key}_before": value for key, value in plain.items()},
    }


def differences(data: Data) -> dict[str, dict[str, float]]:
    """Mean of actual − double dummy by cell, its standard error, and three shares.

    They are the shares below, equal and above.
    """
    differences_of = {}
    for kind, strain, doubled in np.ndindex(len(CONTRACT_KINDS), len(STRAIN_KINDS), 2):
        in_cell = (data.cell == (kind, strain, doubled)).all(axis=1)
        if in_cell.any():
            difference = (data.taken - data.solved)[in_cell]
            name = f"{CONTRACT_KINDS[kind]}, {STRAIN_KINDS[strain]}"
            if doubled:
                name += ", doubled"
            error = difference.std() / np.sqrt(in_cell.sum())
            differences_of[name] = {
                "tables": int(in_cell.sum()),
                "mean": round(float(difference.mean()), 3),
                "error": round(float(error), 3),
                "below": round(float((difference < 0).mean()), 3),
                "equal": round(float((difference == 0).mean()), 3),
                "above": round(float((difference > 0).mean()), 3),
            }
    return differences_of


if __name__ == "__main__":
    main()
