"""What to lead: python examples/what_to_lead.py [LAYOUTS]

South opened 1NT, North raised to 3NT. Needs plugins/bayesbridge-double-dummy: every
layout is solved for each card.
"""

import sys
from pathlib import Path

import bayesbridge as bb


def main(layouts: int = 60) -> None:
    """A line for each card, equals together."""
    west = bb.Belief("W", "Q8642.93.J84.K75", dummy=None)
    heard = west.given(bb.Auction.of("S:1NT Pass 3NT Pass Pass Pass"))
    found = bb.play(heard.infer(draws=layouts, rng=1), rng=1)
    for lead in found.choices:
        (beaten, error), (tricks, _), (behind, apart) = (
            lead.chance,
            lead.tricks,
            lead.behind,
        )
        print(
            f"{lead.name:8} beaten {beaten:6.1%} ± {error:.1%}   {tricks:.2f} tricks   "
            f"behind the best by {100 * behind:4.1f} ± {100 * apart:.1f}{'   close' if lead.close else ''}"
        )
    print(found.sentence)
    ax = bb.plots.play(found)
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/what_to_lead.png")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
