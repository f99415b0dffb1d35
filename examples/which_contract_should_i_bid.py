"""Which contract? python examples/which_contract_should_i_bid.py [HAND]

South looks at 13 cards; North's are dummy's and unknown. Every contract is judged on
the same 2 000 layouts, by the network of ``tricks`` and, where bayesbridge-double-dummy
is installed, corrected by 24 layouts solved in each strain that competes. The paper's
new scheme pays; ``duplicate`` is another.
"""

import sys
from pathlib import Path

import bayesbridge as bb


def main(hand: str = "AKQ2.KJ3.A54.Q32", scheme: str = "new") -> None:
    """One line for each of the ten best contracts."""
    posterior = bb.Belief("S", hand).infer(draws=2000, rng=1)
    ranked = bb.contracts(posterior, scheme=scheme, solve=24, rng=1)
    print(f"{hand}, scheme {scheme}\ncontract    makes   tricks   score")
    for name in ranked["contract"].values[:10]:
        row = ranked.sel(contract=name)
        make = row["make"].item()
        tricks = row["tricks"].item()
        score = f"{row['score'].item():5.1f} ± {row['score_error'].item():.1f}"
        print(f"{name:9} {make:7.1%} {tricks:8.2f}   {score}")
    ax = bb.plots.contracts(ranked)
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/which_contract_should_i_bid.png")


if __name__ == "__main__":
    main(*sys.argv[1:3])
