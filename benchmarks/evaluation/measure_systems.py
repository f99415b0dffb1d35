"""How log P(openings and passes before them) changes with the share of each system: a
table, from files of records.

    python benchmarks/evaluation/measure_systems.py RECORDS…

Files are PBN or LIN. Each number is the mean over tables in thousandths of a nat,
against the learned bidder, ± one standard error.
"""

import argparse
from collections import defaultdict

import numpy as np

import bayesbridge as bb
from bayesbridge.bidders.system_files import system_names
from bayesbridge.notation import Vulnerability

SHARES = (0.1, 0.3, 0.5, 1.0)


def openings(paths):
    """Lists of (table, hand, call), by dealer, number of passes before and
    vulnerability.
    """
    found, tables = defaultdict(list), 0
    for path in paths:
        for record in bb.open_records(path).records:
            if (
                record.deal is None
                or record.auction is None
                or record.auction.dummy is not None
            ):
                continue
            for number, (seat, call) in enumerate(record.auction):
                key = (
                    record.auction.first,
                    number,
                    record.vulnerable or Vulnerability.NONE,
                )
                found[key].append((tables, record.deal[seat].mask, call.index))
                if call.is_bid:
                    break
            tables += 1
    return found, tables


def main():
    """Read, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", nargs="+")
    found, tables = openings(parser.parse_args().records)
    change = {
        (name, share): np.zeros(tables) for name in system_names() for share in SHARES
    }
    for (first, passes, vulnerable), rows in found.items():
        table, hands, calls = (
            np.array(column, np.uint64) for column in zip(*rows, strict=True)
        )
        before = bb.Auction(first, (bb.Call.of("Pass"),) * passes)
        base = bb.LearnedBidder(vulnerable)
        plain = base.probabilities(hands, before)
        for name in system_names():
            chances = bb.SystemBidder(name, base=base).probabilities(hands, before)
            ratio = np.take_along_axis(
                chances / np.where(plain > 0, plain, 1), calls[:, None].astype(int), 1
            )[:, 0]
            for share in SHARES:
                np.add.at(
                    change[name, share],
                    table.astype(int),
                    np.log(1 - share + share * ratio),
                )
    print(f"{tables} tables")
    print("| system |" + "".join(f" {share:g} |" for share in SHARES))
    for name in system_names():
        rows = [1000 * change[name, share] for share in SHARES]
        told = (
            f" {one.mean():+.2f} ± {one.std(ddof=1) / np.sqrt(tables):.2f} |"
            for one in rows
        )
        print(f"| `{name}` |" + "".join(told))


if __name__ == "__main__":
    main()
