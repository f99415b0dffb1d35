"""Count how many tricks real declarers take beside double dummy.

The counts are judged on deals set aside.

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
TRICK_COUNTS = 14
"""From 0 to 13 tricks."""

TENTHS = 10
"""Parts of the chances of making, each of which is compared with what happened."""

SEED = 0
DRAWS = 50
"""Deals of the defenders' cards, for what declarer knows when dummy is on the table."""


class TableArrays(NamedTuple):
    """Tables as arrays."""

    needed: Ints
    """(n,) tricks that make the contract."""
    solved: Ints
    """(n,) double-dummy tricks of declarer."""
    taken: Ints
    """(n,) tricks on record."""
    cell: Ints
    """(n, 3) kind of contract, kind of strain, whether doubled."""
    aside: NDArray[np.bool_]
    """(n,) whether the deal is set aside."""
    half: NDArray[np.bool_]
    """(n,) which half of the deals it is in."""
    network: Floats
    """(n, 14) what the network of ``tricks`` says of all four hands."""
    declarer: Floats
    """(n, 14) its mean over deals of the defenders' cards, where tables are aside."""

    def part(self, chosen: NDArray[np.bool_]) -> TableArrays:
        """The chosen tables."""
        return TableArrays(*(array[chosen] for array in self))

    @classmethod
    def of(cls, tables: list[Table], solved: list[int]) -> TableArrays:
        """From tables and the solver's tricks, with what the network says of them."""
        network, declarer = network_chances(tables)
        return cls(
            needed=np.array([table.contract.tricks_needed for table in tables]),
            solved=np.array(solved),
            taken=np.array([table.result for table in tables]),
            cell=np.array([cell_of(table.contract) for table in tables]),
            aside=np.array([table.aside for table in tables]),
            half=np.array([is_in_first_half(table) for table in tables]),
            network=network,
            declarer=declarer,
        )


def is_in_first_half(table: Table) -> bool:
    """By other digits of the hash than those that choose deals and set them aside."""
    return int(digest(table.deal)[16:24], 16) % 2 == 0


def network_chances(tables: list[Table]) -> tuple[Floats, Floats]:
    """(n, 14) P(double-dummy tricks) of the network, knowing four hands and two.

    The two are declarer's and dummy's; only tables set aside have these chances.
    """
    strains = np.array([table.contract.strain for table in tables])
    aside = np.array([table.aside for table in tables])
    of_four_hands = np.empty((len(tables), TRICK_COUNTS))
    of_two_hands = np.empty((len(tables), TRICK_COUNTS))
    rng = np.random.default_rng(SEED)
    for strain in Strain:
        places = np.flatnonzero(strains == strain)
        if len(places):
            masks = declarers_first(tables[place] for place in places).masks
            of_four_hands[places] = table_tricks(masks, strain.trump)
            is_aside = aside[places]
            deals = [defenders_dealt(row, rng) for row in masks[is_aside]]
            dealt = np.concatenate(deals or [masks[:0]])
            chances = table_tricks(dealt, strain.trump)
            chances = chances.reshape(-1, DRAWS, TRICK_COUNTS)
            of_two_hands[places[is_aside]] = chances.mean(axis=1)
    return of_four_hands, of_two_hands


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


def counted(arrays: TableArrays) -> Ints:
    """Tables by cell, margin and difference."""
    counts = np.zeros(SHAPE, np.int64)
    margin = np.clip(arrays.solved - arrays.needed, LOWEST_MARGIN, HIGHEST_MARGIN)
    difference = arrays.taken - arrays.solved
    place = (*arrays.cell.T, margin - LOWEST_MARGIN, difference + FARTHEST)
    np.add.at(counts, place, 1)
    return counts


def predicted(shares: Floats, arrays: TableArrays, before: Floats) -> Floats:
    """(n, 14) P(tricks taken), from distributions of double-dummy tricks ``before``."""
    kinds = np.column_stack([arrays.cell, arrays.needed])
    distinct, place = np.unique(kinds, axis=0, return_inverse=True)
    transitions = []
    for *cell, needed in distinct:
        transitions.append(passed_through(shares[tuple(cell)], needed))
    transition_of_table = np.array(transitions)[place.ravel()]
    return np.einsum("nd,nda->na", before, transition_of_table)


def certain(tricks: Ints) -> Floats:
    """(n, 14) P(tricks) where the tricks are known."""
    return np.eye(TRICK_COUNTS)[tricks]


def log_loss(chances: Floats, taken: Ints) -> float:
    """Mean −log P(tricks taken)."""
    true_chances = chances[np.arange(len(taken)), taken]
    return float(-np.log(np.maximum(true_chances, SMALLEST_CHANCE)).mean())


def held_out_loss(strength: float, training: TableArrays, test: TableArrays) -> float:
    """Log-loss on other deals than those counted, double dummy given."""
    shares = smoothed(counted(training), strength)
    return log_loss(predicted(shares, test, certain(test.solved)), test.taken)


def judge(chances: Floats, arrays: TableArrays) -> dict[str, float]:
    """How good chances are, of making and of tricks.

    Of P(made) the squared error, and how far its tenths are from the shares that made;
    of tricks bias and log-loss.
    """
    needed = arrays.needed
    made = (arrays.taken >= needed).astype(float)
    chances_of_making = []
    for chances_of_tricks, tricks in zip(chances, needed, strict=True):
        chances_of_making.append(chances_of_tricks[tricks:].sum())
    chance = np.array(chances_of_making)
    error = chance - made
    tenth = np.minimum((chance * TENTHS).astype(int), TENTHS - 1)
    tables_of_tenth = np.bincount(tenth, minlength=TENTHS)
    errors_of_tenth = np.bincount(tenth, error, minlength=TENTHS)
    gaps = np.abs(errors_of_tenth) / np.maximum(tables_of_tenth, 1)
    mean_gap = (tables_of_tenth * gaps).sum() / len(made)
    expected_tricks = chances @ np.arange(TRICK_COUNTS)
    return {
        "error": round(float(mean_gap), 4),
        "off": round(float(error.mean()), 4),
        "brier": round(float((error**2).mean()), 4),
        "log_loss": round(log_loss(chances, arrays.taken), 4),
        "bias": round(float((expected_tricks - arrays.taken).mean()), 4),
    }


def options_of_command() -> argparse.Namespace:
    """What the command line asks for."""
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
    return parser.parse_args()


def main() -> None:
    """Fit the shares, judge them, and write the file that ships."""
    options = options_of_command()
    source, tables, solved = solved_tables(
        options.records, options.solved, options.share, options.tables
    )
    all_arrays = TableArrays.of(tables, solved)
    is_near = np.abs(all_arrays.taken - all_arrays.solved) <= FARTHEST
    arrays = all_arrays.part(is_near)
    training = arrays.part(~arrays.aside)
    test = arrays.part(arrays.aside)
    strength = best_strength(training)
    counts = counted(training)
    shares = smoothed(counts, strength)
    facts = {
        **source,
        "tables": len(tables),
        "left out": int(len(all_arrays.taken) - len(arrays.taken)),
        "fitted": len(training.taken),
        "strength": strength,
        "draws": DRAWS,
        "seed": SEED,
        "judged": {
            "solver": before_and_after(shares, test, certain(test.solved)),
            "network": before_and_after(shares, test, test.network),
            "declarer": before_and_after(shares, test, test.declarer),
        },
        "differences": differences(arrays),
    }
    document = {"about": facts, "counts": counts.ravel().tolist()}
    options.output.write_text(json.dumps(document, indent=None) + "\n")
    print(json.dumps(facts, indent=1))


def best_strength(training: TableArrays) -> float:
    """The strength with the least log-loss on deals that were not counted."""
    losses = {strength: cross_validated(strength, training) for strength in STRENGTHS}
    print(f"log-loss by strength: {losses}", file=sys.stderr)
    return min(losses, key=losses.__getitem__)


def cross_validated(strength: float, arrays: TableArrays) -> float:
    """Log-loss of each half of the deals by the other, on average."""
    first = arrays.part(arrays.half)
    second = arrays.part(~arrays.half)
    losses = [
        held_out_loss(strength, first, second),
        held_out_loss(strength, second, first),
    ]
    return round(float(np.mean(losses)), 4)


def before_and_after(
    shares: Floats, arrays: TableArrays, before: Floats
) -> dict[str, float]:
    """How good chances of tricks are after the shares and before."""
    after = judge(predicted(shares, arrays, before), arrays)
    plain = judge(before, arrays)
    return {
        "tables": len(arrays.taken),
        **after,
        **{f"{key}_before": value for key, value in plain.items()},
    }


def differences(arrays: TableArrays) -> dict[str, dict[str, float]]:
    """Actual − double-dummy tricks by cell: mean, standard error and three shares.

    They are the shares below, equal and above.
    """
    summaries = {}
    for kind, strain, doubled in np.ndindex(len(CONTRACT_KINDS), len(STRAIN_KINDS), 2):
        is_in_cell = (arrays.cell == (kind, strain, doubled)).all(axis=1)
        if is_in_cell.any():
            name = f"{CONTRACT_KINDS[kind]}, {STRAIN_KINDS[strain]}"
            if doubled:
                name += ", doubled"
            summaries[name] = summary((arrays.taken - arrays.solved)[is_in_cell])
    return summaries


def summary(difference: Ints) -> dict[str, float]:
    """Mean, standard error and shares of differences at some tables."""
    error = difference.std() / np.sqrt(len(difference))
    return {
        "tables": len(difference),
        "mean": round(float(difference.mean()), 3),
        "error": round(float(error), 3),
        "below": round(float((difference < 0).mean()), 3),
        "equal": round(float((difference == 0).mean()), 3),
        "above": round(float((difference > 0).mean()), 3),
    }


if __name__ == "__main__":
    main()
