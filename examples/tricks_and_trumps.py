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

TIE_BREAK = 0.01  # of two suits of the same length the one with more tricks


def random_layouts(deals, seed):
    """Each row four hands from one shuffled deck."""
    decks = np.tile(np.arange(52, dtype=np.uint64), (deals, 1))
    cards = np.uint64(1) << np.random.default_rng(seed).permuted(decks, axis=1)
    return bb.Layouts(np.bitwise_or.reduce(cards.reshape(deals, 4, 13), axis=2))


def mean_tricks(layouts, declarer):
    """(deals, 4) tricks of a declarer in each suit, as the network expects them."""
    numbers = np.arange(14)
    columns = [
        bb.trick_probabilities(layouts, declarer, suit.name) @ numbers
        for suit in bb.Suit
    ]
    return np.stack(columns, axis=1)


def total_tricks(seed, deals):
    """(deals, 2) trumps and tricks of both sides, each in its longest suit."""
    layouts = random_layouts(deals, seed)
    lengths = layouts.lengths.astype(int)
    total = np.zeros((deals, 2))
    for declarer in (bb.Seat.N, bb.Seat.E):
        trumps = lengths[:, declarer] + lengths[:, declarer.partner]
        tricks = mean_tricks(layouts, declarer)
        suit = (trumps + TIE_BREAK * tricks).argmax(axis=1)
        deal = np.arange(deals)
        total += np.stack([trumps[deal, suit], tricks[deal, suit]], axis=1)
    return total


if __name__ == "__main__":  # worker processes import this file
    folder = Path(sys.argv[1]) if sys.argv[1:] else None
    options = RunOptions(workers=2, scheduler="processes", checkpoint=folder)
    job = Job("total tricks", total_tricks, chunk=250)
    deals = rows(job, 3000, seed=1, how=options)
    figure = Figure((5, 3.2), layout="constrained")
    ax = figure.subplots()
    for trumps in range(14, 21):
        has_trumps = deals[:, 0] == trumps
        tricks = deals[has_trumps, 1]
        mean = tricks.mean()
        error = (tricks.var() / len(tricks)) ** 0.5
        print(f"{trumps} trumps: {mean:.2f} ± {error:.2f} tricks")
        ax.errorbar(trumps, mean, tricks.std(), marker="o", capsize=3, color="C0")
    ax.plot([14, 20], [14, 20], color="grey")
    ax.set(xlabel="trumps of both sides", ylabel="tricks of both sides")
    Path("demo").mkdir(exist_ok=True)
    figure.savefig("demo/tricks_and_trumps.png", dpi=200)
