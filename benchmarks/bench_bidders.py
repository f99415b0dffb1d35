"""How fast calls are weighed: the log-likelihood of one call for a million hands, on one core.

    python benchmarks/bench_bidders.py [--json]

Seconds are of processor time, so other work on the machine disturbs them little. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

from bayesbridge.auction import Auction
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.evidence import BidderModel
from bayesbridge.posterior.constraints import Constraints
from bayesbridge.posterior.sampling import sample

HANDS = 1_000_000
MODELS: dict[str, BidderModel] = {
    "iterative": IterativeBidder(),
    "iterative, suits": IterativeBidder(suits=True),
    "style": StyleBidder(),
}
AUCTIONS = ("S:Pass", "S:1S 2C", "S:1H 1NT Pass 2D")


def seconds(model: BidderModel, hands: np.ndarray, auction: Auction, times: int = 3) -> float:
    """The best of a few runs, after one that compiles."""
    index = len(auction.calls) - 1
    model.log_likelihood(hands[:3000], auction, index)
    found = []
    for _ in range(times):
        started = time.process_time()
        model.log_likelihood(hands, auction, index)
        found.append(time.process_time() - started)
    return min(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON object")
    as_json = parser.parse_args().json
    # The three hidden hands of a player who sees his own, one after the other.
    own = sum(1 << card for card in range(0, 52, 4))
    hands = sample(Constraints.free().hold(2, own), -(-HANDS // 3), 1)[:, [0, 1, 3]].ravel()[:HANDS]
    found = {
        name: {text: seconds(model, hands, Auction.of(text, dummy="N")) for text in AUCTIONS}
        for name, model in MODELS.items()
    }
    if as_json:
        print(json.dumps(found))
        return
    print(f"{'last call, a million hands':26}", *(f"{text:>18}" for text in AUCTIONS))
    for name, by_auction in found.items():
        print(f"{name:26}", *(f"{value:16.3f} s" for value in by_auction.values()))


if __name__ == "__main__":
    main()
