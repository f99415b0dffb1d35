"""How log P(openings and passes before them) changes with the share of each system.

    python benchmarks/evaluation/measure_systems.py RECORDS…

Files are PBN or LIN. Each number is the mean over tables in thousandths of a nat,
against the learned bidder, ± one standard error.
"""

import argparse
from collections import defaultdict
from itertools import chain, product

import numpy as np

import bayesbridge as bb
from bayesbridge.bidders.system_files import system_names
from bayesbridge.notation import Vulnerability

SHARES = (0.1, 0.3, 0.5, 1.0)


def openings(paths):
    """Rows of (table, hand, call) by situation, and how many tables there are.

    A situation is the dealer, the number of passes before and the vulnerability.
    """
    rows_of = defaultdict(list)
    tables = 0
    for record in chain.from_iterable(bb.open_records(path).records for path in paths):
        auction = record.auction
        if record.deal is None or auction is None or auction.dummy is not None:
            continue
        vulnerable = record.vulnerable or Vulnerability.NONE
        for passes, (seat, call) in enumerate(auction):
            row = (tables, record.deal[seat].mask, call.index)
            rows_of[auction.first, passes, vulnerable].append(row)
            if call.is_bid:
                break
        tables += 1
    return rows_of, tables


def call_ratios(hands, calls, before, vulnerable):
    """For each system (n,) P(call) by the system over P(call) by the learned bidder."""
    base = bb.LearnedBidder(vulnerable)
    base_chances = base.probabilities(hands, before)
    divisor = np.where(base_chances > 0, base_chances, 1)
    ratios = {}
    for name in system_names():
        chances = bb.SystemBidder(name, base=base).probabilities(hands, before)
        ratios[name] = np.take_along_axis(chances / divisor, calls[:, None], 1)[:, 0]
    return ratios


def log_changes(rows_of, tables):
    """By system and share (tables,) the change of log P of each table's calls."""
    changes = {pair: np.zeros(tables) for pair in product(system_names(), SHARES)}
    for (first, passes, vulnerable), rows in rows_of.items():
        table, hands, calls = np.array(rows, np.uint64).T
        before = bb.Auction(first, (bb.Call.of("Pass"),) * passes)
        ratios = call_ratios(
            np.ascontiguousarray(hands), calls.astype(int), before, vulnerable
        )
        for name, share in changes:
            log_ratio = np.log(1 - share + share * ratios[name])
            np.add.at(changes[name, share], table.astype(int), log_ratio)
    return changes


def main():
    """Read, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", nargs="+")
    rows_of, tables = openings(parser.parse_args().records)
    changes = log_changes(rows_of, tables)
    print(f"{tables} tables")
    print("| system |" + "".join(f" {share:g} |" for share in SHARES))
    for name in system_names():
        cells = []
        for share in SHARES:
            change = 1000 * changes[name, share]
            error = change.std(ddof=1) / np.sqrt(tables)
            cells.append(f" {change.mean():+.2f} ± {error:.2f} |")
        print(f"| `{name}` |" + "".join(cells))


if __name__ == "__main__":
    main()
