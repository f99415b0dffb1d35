"""Invite or bid game? python examples/what_is_my_call_worth.py [HAND]

South opened 1S and North raised. Each call that experts make, and 4S, is compared with
the likeliest on the same layouts, where everybody bids on as experts do. The picture
shows on how many layouts a call gains how much.
"""

import sys
from pathlib import Path

import bayesbridge as bb


def main(hand: str = "AQ942.K3.A54.Q32") -> None:
    """The table, and where the nearest rival gains."""
    auction = bb.Auction.of("S:1S Pass 2S Pass")
    belief = bb.Belief("S", hand).given(auction)
    values = bb.call_values(belief, "4S", rng=1)
    print(values)
    path = Path("demo/what_is_my_call_worth.png")
    path.parent.mkdir(exist_ok=True)
    bb.plots.call_values(values).figure.savefig(path)
    print(f"Picture: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
