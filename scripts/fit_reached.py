"""Fit by how much contracts that experts reached make more often than the learned bidder's posteriors say.

    python scripts/fit_reached.py records.pbn.gz --boards 1200 -o bayesbridge/estimators/data/reached.json

One table each of the first deals that the hash rule puts to validation: neither the learned bidder nor the test list has
them. The opening leader's posterior after the auction, 1000 draws, and the chance that the contract makes in each draw
and in the true layout, by the network of ``tricks``. See ``bayesbridge/estimators/reached.py``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.estimators.reached import makes, strength_of
from bayesbridge.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.deal_split import Part, part_of
from bayesbridge.studies.inference import seat_of, usable

DRAWS, SEED = 1000, 1


def boards(path: Path) -> Iterator[Record]:
    """The first table of each deal that is there to choose by."""
    met: set[str] = set()
    for record in iter_records(path):
        if not isinstance(record, Record) or record.deal is None or usable(record) is not None:
            continue
        if part_of(record.deal) is Part.VALIDATE and str(record.deal) not in met:
            met.add(str(record.deal))
            yield record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("--boards", type=int, default=1200)
    parser.add_argument("-o", "--output", type=Path, default=Path("reached.json"))
    options = parser.parse_args()
    draws, truth, rng = [], [], np.random.default_rng(SEED)
    for record in islice(boards(options.records), options.boards):
        assert record.deal is not None
        assert record.contract is not None
        belief = Belief.of_record(record, seat_of("leader", record.contract.declarer), cards=0)
        posterior = belief.infer("auto", DRAWS, rng)
        masks = np.concatenate([Layouts.of([record.deal]).masks, posterior.layouts.masks])
        chances = makes(masks, record.contract)
        draws.append((chances[1:], posterior.weights))
        truth.append(chances[0])
        if len(truth) % 50 == 0:
            strength, error, gain = strength_of(draws, np.array(truth))
            print(f"{len(truth)} boards: {strength:.3f} ± {error:.3f}, {gain:.4f} nats a board", file=sys.stderr)
    strength, error, gain = strength_of(draws, np.array(truth))
    about = {
        "strength": round(strength, 4),
        "error": round(error, 4),
        "boards": len(truth),
        "gain": round(gain, 4),
        "draws": DRAWS,
        "seed": SEED,
        "source": hashlib.sha256(options.records.read_bytes()).hexdigest(),
    }
    options.output.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
