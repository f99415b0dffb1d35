"""How far off is the network of ``tricks`` where two hands are known?

    python benchmarks/evaluation/tricks_network.py 150 40

It is compared with the solver, by strain and tricks. In each of 150 positions the hands
of North and South are given and 40 layouts of the others drawn and solved, South to
declare. An error that is the same in all layouts of a position remains in every average
over them. Its root mean square over the positions, less what the 40 layouts leave to
chance, is ``NETWORK_ERROR`` of ``bayesbridge.estimators.trick_estimates``.
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

type Gaps = dict[tuple[str, int], list[tuple[float, float]]]
"""By strain and level of tricks: (mean, variance of that mean) of each position."""


def measure_gaps(positions: int, layouts: int) -> Gaps:
    """The network's tricks less the solver's, over the layouts of each position."""
    solver = find_solver()
    network = TricksEstimator()
    gaps: Gaps = {}
    for seed in range(positions):
        (deal,) = bb.deals(1, rng=seed)
        known_hands = {"N": deal["N"], "S": deal["S"]}
        sample = bb.deals(layouts, given=known_hands, rng=seed)
        for strain in bb.Strain:
            question = Question.of((bb.Seat.S, bb.Seat.N), trump=strain.trump)
            shares = normalised(run(network, sample, question)["tricks"])
            predicted = shares @ TRICKS
            gap = predicted - solve_layouts(solver, sample, question)
            level = np.searchsorted(NETWORK_LEVELS, predicted.mean(), side="right")
            kind = "no trumps" if strain.trump is None else "a suit"
            by_position = gaps.setdefault((kind, int(level)), [])
            by_position.append((gap.mean(), gap.var(ddof=1) / layouts))
        print(f"\r{seed + 1}", end="", file=sys.stderr)
    return gaps


def line_of(kind: str, level: int, by_position: list[tuple[float, float]]) -> str:
    """The root mean square of the errors of positions, without the part of chance."""
    mean, chance = np.array(by_position).T
    square = mean**2 - chance
    error = square.std(ddof=1) / len(square) ** 0.5
    rms = max(square.mean(), 0.0) ** 0.5
    rms_error = error / 2 / max(rms, 0.01)
    return (
        f"{kind:10} {level}: {rms:.3f} ± {rms_error:.3f} of {len(by_position)}, "
        f"mean {mean.mean():+.3f}"
    )


def main() -> None:
    """Print a line for each strain and level of tricks."""
    positions, layouts = map(int, sys.argv[1:3])
    gaps = measure_gaps(positions, layouts)
    print(f"tricks from {(0.0, *NETWORK_LEVELS)}", file=sys.stderr)
    for (kind, level), by_position in sorted(gaps.items()):
        print(line_of(kind, level, by_position))


if __name__ == "__main__":
    main()
