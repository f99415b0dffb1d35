"""As many tricks as trumps? python examples/tricks_and_trumps.py [FOLDER]

The law of total tricks, by the network of tricks; two processes, and FOLDER keeps what
they have done.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.studies import Job, RunOptions, rows


def total_tricks(seed, deals):
    """(deals, 2) trumps and tricks of both sides together, each side in its longest
    suit.
    """
    order = np.random.default_rng(seed).permuted(
        np.tile(np.arange(52, dtype=np.uint64), (deals, 1)), axis=1
    )
    layouts = bb.Layouts(
        np.bitwise_or.reduce(np.uint64(1) << order.reshape(deals, 4, 13), axis=2)
    )
    total = np.zeros((deals, 2))
    for seat in (bb.Seat.N, bb.Seat.E):
        trumps = layouts.lengths[:, seat].astype(int) + layouts.lengths[:, seat.partner]
        tricks = np.stack(
            [
                bb.trick_probabilities(layouts, seat, s.name) @ np.arange(14)
                for s in bb.Suit
            ],
            axis=1,
        )
        best = (trumps + tricks / 100).argmax(axis=1)[
            :, None
        ]  # of two long suits the better one
        total += np.hstack([np.take_along_axis(of, best, 1) for of in (trumps, tricks)])
    return total


if __name__ == "__main__":  # worker processes import this file
    how = RunOptions(
        workers=2,
        scheduler="processes",
        checkpoint=Path(sys.argv[1]) if sys.argv[1:] else None,
    )
    found = rows(Job("total tricks", total_tricks, chunk=250), 3000, seed=1, how=how)
    ax = (figure := Figure((5, 3.2), layout="constrained")).subplots()
    for trumps in range(14, 21):
        tricks = found[found[:, 0] == trumps, 1]
        print(
            f"{trumps} trumps: {tricks.mean():.2f} ± {(tricks.var() / len(tricks)) ** 0.5:.2f} tricks"
        )
        ax.errorbar(
            trumps, tricks.mean(), tricks.std(), marker="o", capsize=3, color="C0"
        )
    ax.plot([14, 20], [14, 20], color="grey")
    ax.set(xlabel="trumps of both sides", ylabel="tricks of both sides")
    Path("demo").mkdir(exist_ok=True)
    figure.savefig("demo/tricks_and_trumps.png", dpi=200)
