"""Fit the table of the bidder ``equilibrium``.

The auction of three is solved by the study's regret minimisation, with hands grouped by
predicted tricks.

    python scripts/fit_equilibrium.py --deals 100000 --iterations 1000

It writes ``bayesbridge/bidders/data/equilibrium.npz`` and says what was reached: what
each seat could still gain against the others, on deals that were not used to fit.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from bayesbridge.bidders.equilibrium import SCHEMES, TABLE, write_tables
from bayesbridge.studies.auction.deals import GameDeals
from bayesbridge.studies.auction.game import AuctionGame, Gains
from bayesbridge.studies.auction.payoffs import scheme_of
from bayesbridge.studies.auction.types import TrickTypes
from bayesbridge.studies.deals import deal_blocks

TYPES = 32
LEVELS = 4
"""A bid above them is left to slips: hardly a hand of the game makes one."""


def options_of_command() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", type=Path, help="a folder for finished work")
    parser.add_argument("-o", "--out", type=Path, default=TABLE)
    return parser.parse_args()


def main() -> None:
    """Solve the auction by each scheme, and write the file that ships."""
    args = options_of_command()
    hands = np.concatenate(list(deal_blocks(args.deals, args.seed)))
    deals = GameDeals.of(hands, counted=False)
    half = args.deals // 2
    learning = deals.of_deals(0, half)
    fresh = deals.of_deals(half, args.deals)
    types = TrickTypes.fit(learning, TYPES)
    strategies = {}
    for name in SCHEMES:
        scheme = scheme_of(name)
        game = AuctionGame(
            scheme, "relative", LEVELS, learning, fresh, types, args.seed
        )
        bidding = game.learn(args.iterations, checkpoint=args.resume)
        strategies[name] = np.stack(bidding.profile)
        gains = possible_gains(game.gains(bidding))
        print(f"{name} scheme: {gains}", flush=True)
    write_tables(args.out, LEVELS, types.strength, strategies)
    print(f"{args.out}: {args.out.stat().st_size} bytes")


def possible_gains(gains: Gains) -> str:
    """What each seat could still gain, in a line."""
    by_seat = [f"{gain.mean:.3f} ± {gain.error:.3f}" for gain in gains.by_seat]
    total = f"{gains.total.mean:.3f} ± {gains.total.error:.3f}"
    return f"by seat {', '.join(by_seat)}; together {total} points a deal"


if __name__ == "__main__":
    main()
