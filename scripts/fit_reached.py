"""Fit how often contracts that experts reached make beside what the learned bidder's posteriors say.

    python scripts/fit_reached.py records.pbn.gz --boards 2000 -o bayesbridge/estimators/data/reached.json

One table each of deals that the hash rule puts to validation, in the order of a hash, so that they come from the whole
collection: neither the learned bidder nor the test list has them. The opening leader's posterior after the auction, 300
draws; the network of ``tricks`` says how likely the contract makes in each draw, and in the true layout. See
``bayesbridge/estimators/reached.py``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.estimators.reached import line_of, makes
from bayesbridge.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.deal_split import Part
from bayesbridge.studies.inference import seat_of
from bayesbridge.studies.readers.frozen_list import frozen_list

DRAWS, SEED = 300, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("--boards", type=int, default=2000)
    parser.add_argument("-o", "--output", type=Path, default=Path("reached.json"))
    options = parser.parse_args()
    records = (one for one in iter_records(options.records) if isinstance(one, Record))
    told, made, rng = [], [], np.random.default_rng(SEED)
    for record in frozen_list(records, options.boards, Part.VALIDATE):
        assert record.deal is not None
        assert record.contract is not None
        belief = Belief.of_record(record, seat_of("leader", record.contract.declarer), cards=0)
        posterior = belief.infer("auto", DRAWS, rng)
        masks = np.concatenate([Layouts.of([record.deal]).masks, posterior.layouts.masks])
        chances = makes(masks, record.contract)
        told.append(float(posterior.weights @ chances[1:]))
        made.append(float(chances[0]))
        if len(told) % 50 == 0:
            line, errors = line_of(np.array(told), np.array(made))
            print(
                f"{len(told)} boards: shift and slope {line.round(3)} ± {errors.round(3)}", file=sys.stderr, flush=True
            )
    line, errors = line_of(np.array(told), np.array(made))
    about = {
        "shift": round(line[0], 4),
        "slope": round(line[1], 4),
        "shift_error": round(errors[0], 4),
        "slope_error": round(errors[1], 4),
        "boards": len(told),
        "told": round(float(np.mean(told)), 4),
        "made": round(float(np.mean(made)), 4),
        "draws": DRAWS,
        "seed": SEED,
        "source": hashlib.sha256(options.records.read_bytes()).hexdigest(),
    }
    options.output.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
