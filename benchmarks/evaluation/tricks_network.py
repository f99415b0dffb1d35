"""How far off is the network of ``tricks`` where two hands are known? Against the
solver, by strain and tricks.

    python benchmarks/evaluation/tricks_network.py 150 40

In each of 150 positions the hands of North and South are given and 40 layouts of the
others drawn and solved, South to declare. An error that is the same in all layouts of a
position remains in every average over them. Its root mean square over the positions,
less what the 40 layouts leave to chance, is ``NETWORK_ERROR`` of
``bayesbridge.estimators.trick_estimates``.
"""

from __future__ import annotations

import sys

import numpy as np

import bayesbridge as bb
from bayesbridge.dealing.plan import find_solver
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.contract_question import TRICKS
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.estimators.trick_estimates import (
    NETWORK_LEVELS,
    normalised,
    solve_layouts,
)

positions, layouts = map(int, sys.argv[1:3])
solver, network = find_solver(), TricksEstimator()
found: dict[tuple[str, int], list[tuple[float, float]]] = {}
for seed in range(positions):
    (deal,) = bb.deals(1, rng=seed)
    some = bb.deals(layouts, given={"N": deal["N"], "S": deal["S"]}, rng=seed)
    for strain in bb.Strain:
        question = Question.of((bb.Seat.S, bb.Seat.N), trump=strain.trump)
        predicted = normalised(run(network, some, question)["tricks"]) @ TRICKS
        wrong = predicted - solve_layouts(solver, some, question)
        level = int(np.searchsorted(NETWORK_LEVELS, predicted.mean(), side="right"))
        key = "no trumps" if strain.trump is None else "a suit", level
        found.setdefault(key, []).append((wrong.mean(), wrong.var(ddof=1) / layouts))
    print(f"\r{seed + 1}", end="", file=sys.stderr)
print(f"tricks from {(0.0, *NETWORK_LEVELS)}", file=sys.stderr)
for key, pairs in sorted(found.items()):
    mean, chance = np.array(pairs).T
    square = mean**2 - chance
    error = square.std(ddof=1) / len(square) ** 0.5
    rms = max(square.mean(), 0.0) ** 0.5
    print(
        f"{key[0]:10} {key[1]}: {rms:.3f} ± {error / 2 / max(rms, 0.01):.3f} of {len(pairs)}, mean {mean.mean():+.3f}"
    )
