"""Fit how often contracts that experts reached make beside what the learned bidder's posteriors say.

    python scripts/fit_reached.py records.pbn.gz --boards 4000 --keep told.jsonl -o reached.json

One table each of deals that the hash rule puts to validation, in the order of a hash, so that they come from the whole
collection: neither the learned bidder nor the test list has them. The opening leader's posterior after the auction, 300
draws; the network of ``tricks`` says how likely the contract makes in each draw, and in the true layout. Every board
has a seed of its own, and ``--keep`` keeps what is done: a run that was interrupted goes on from there, and ``--boards
0`` fits to what is kept. See ``bayesbridge/estimators/reached.py``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.calls import Contract
from bayesbridge.estimators.reached import makes, terms_of
from bayesbridge.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.benchmark import Part, frozen_list
from bayesbridge.studies.readers import seat_of

type Floats = NDArray[np.float64]

DRAWS, SEED = 300, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("--boards", type=int, default=4000)
    parser.add_argument("--keep", type=Path, default=Path("told.jsonl"))
    parser.add_argument("-o", "--output", type=Path, default=Path("reached.json"))
    options = parser.parse_args()
    done = [json.loads(line) for line in options.keep.read_text().splitlines()] if options.keep.exists() else []
    if len(done) < options.boards:
        records = (one for one in iter_records(options.records) if isinstance(one, Record))
        boards = frozen_list(records, options.boards, Part.VALIDATE)
        with options.keep.open("a") as kept:
            for number in range(len(done), len(boards)):
                done.append(board(boards[number], number))
                kept.write(json.dumps(done[-1]) + "\n")
                kept.flush()
                if len(done) % 100 == 0:
                    print(f"{len(done)} boards: {fit(done)}", file=sys.stderr, flush=True)
    line, errors = fit(done)
    about = {
        **{name: round(value, 4) for name, value in line.items()},
        "errors": {name: round(value, 4) for name, value in errors.items()},
        "boards": len(done),
        "told": round(float(np.mean([one["told"] for one in done])), 4),
        "made": round(float(np.mean([one["made"] for one in done])), 4),
        "draws": DRAWS,
        "seed": SEED,
        "source": hashlib.sha256(options.records.read_bytes()).hexdigest(),
    }
    options.output.write_text(json.dumps(about, indent=1) + "\n")


def board(record: Record, number: int) -> dict[str, Any]:
    """What the leader's posterior says of the contract, and what the network says of the true layout."""
    assert record.deal is not None
    assert record.contract is not None
    belief = Belief.of_record(record, seat_of("leader", record.contract.declarer), cards=0)
    posterior = belief.infer("auto", DRAWS, np.random.default_rng([SEED, number]))
    masks = np.concatenate([Layouts.of([record.deal]).masks, posterior.layouts.masks])
    chances = makes(masks, record.contract)
    told = float(posterior.weights @ chances[1:])
    return {"contract": str(record.contract), "told": told, "made": float(chances[0])}


def fit(done: list[dict[str, Any]]) -> tuple[dict[str, float], dict[str, float]]:
    """The likeliest terms by name, and their standard errors."""
    terms = [terms_of(one["told"], Contract.of(one["contract"])) for one in done]
    line, errors = likeliest(np.array([list(one.values()) for one in terms]), np.array([one["made"] for one in done]))
    return dict(zip(terms[0], line.tolist(), strict=True)), dict(zip(terms[0], errors.tolist(), strict=True))


def likeliest(terms: Floats, made: Floats) -> tuple[Floats, Floats]:
    """(k,) factors of ``terms`` (n, k) and their standard errors, from what came true (n,), 0 to 1 each.

    Logistic regression by Newton's steps.
    """
    factors = np.zeros(terms.shape[1])
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-(terms * factors).sum(axis=1)))
        left = (terms * (made - chance)[:, None]).sum(axis=0)
        known = (terms[:, :, None] * terms[:, None, :] * (chance * (1.0 - chance))[:, None, None]).sum(axis=0)
        factors = factors + np.linalg.solve(known, left)
    return factors, np.sqrt(np.diag(np.linalg.inv(known)))


if __name__ == "__main__":
    main()
