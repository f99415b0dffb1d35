"""How close do captures and greedy play come to perfect play? python examples/play_against_double_dummy.py [DEALS]

For random deals: T of Algorithm 2, and the tricks of the greedy play-out, beside the double-dummy tricks of the same
pair at no trumps (South declares, North is the dummy). Needs plugins/bayesbridge-double-dummy.
"""

import sys

import numpy as np
from bayesbridge_double_dummy import DoubleDummy

import bayesbridge as bb
from bayesbridge.estimators import registry
from bayesbridge.estimators.checked import run


def compare(name: str, tricks: np.ndarray, truth: np.ndarray) -> str:
    """Correlation and error of an estimate."""
    error = tricks - truth
    correlation = np.corrcoef(tricks, truth)[0, 1]
    return f"{name:30}{len(truth):7}{correlation:13.3f}{error.mean():+11.2f}{np.sqrt((error**2).mean()):11.2f}"


def main(deals: int = 200, seed: int = 1) -> None:
    """Print the comparison."""
    decks = np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.uint64), (deals, 1)), axis=1)
    layouts = bb.Layouts((np.uint64(1) << decks).reshape(deals, 4, 13).sum(axis=2))
    question, offered = bb.Question.of("S:N"), registry.load()
    truth = run(DoubleDummy(("NT",)), layouts, question)["dd_tricks"][:, 0, bb.Seat.S].astype(float)
    T = run(offered.estimator("capture"), layouts, question)["T"].astype(float)
    greedy = run(offered.estimator("play_out"), layouts, question)["tricks"].astype(float)
    print(f"{'beside double dummy at NT':30}{'deals':>7}{'correlation':>13}{'mean bias':>11}{'rms error':>11}")
    print(compare("T, 0 where a condition fails", T, truth))
    print(compare("T where the conditions hold", T[T > 0], truth[T > 0]))
    print(compare("play_out, all deals", greedy, truth))
    print(compare("play_out where they hold", greedy[T > 0], truth[T > 0]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
