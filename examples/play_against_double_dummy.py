"""How close do captures and greedy play come to perfect play? python examples/play_against_double_dummy.py [DEALS]

South declares, North is dummy. Needs plugins/bayesbridge-double-dummy. For real tables:
benchmarks/evaluation/against_reality.py.
"""

import sys

import numpy as np
from bayesbridge_double_dummy import Solved

import bayesbridge as bb
from bayesbridge.estimators import registry
from bayesbridge.estimators.protocol import run


def compare(name: str, tricks: np.ndarray, truth: np.ndarray, told: np.ndarray) -> None:
    """Print correlation, bias, spread and error of an estimate, where it tells something."""
    error, correlation = (tricks - truth)[told], np.corrcoef(tricks[told], truth[told])[0, 1]
    rms = np.sqrt((error**2).mean())
    print(f"{name:32}{told.sum():7}{correlation:13.3f}{error.mean():+11.2f}{error.std():9.2f}{rms:11.2f}")


def main(deals: int = 200, seed: int = 1) -> None:
    decks = np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.uint64), (deals, 1)), axis=1)
    layouts, offered = bb.Layouts((np.uint64(1) << decks).reshape(deals, 4, 13).sum(axis=2)), registry.load()
    print(f"{'beside double dummy':32}{'deals':>7}{'correlation':>13}{'mean bias':>11}{'spread':>9}{'rms error':>11}")
    for strain in ("NT", "S"):
        question = bb.plugins.Question.of("S:N", trump=bb.Strain.of(strain).trump)
        truth = run(Solved(), layouts, question)["solved"].astype(float)
        if strain == "NT":  # T knows no trumps
            T = run(offered.estimator("capture"), layouts, question)["T"].astype(float)
            compare("NT: T where it counts", T, truth, T > 0)
        greedy = run(offered.estimator("play_out"), layouts, question)["tricks"].astype(float)
        compare(f"{strain}: play_out", greedy, truth, greedy >= 0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
