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
    west = west.given(bb.Auction.of("S:1NT Pass 3NT Pass Pass Pass"))
    posterior = west.infer(draws=layouts, rng=1)
    leads = bb.play(posterior, rng=1)
    for lead in leads.choices:
        beaten, beaten_error = lead.chance
        behind, behind_error = lead.behind
        close = "   close" if lead.close else ""
        print(
            f"{lead.name:8} beaten {beaten:6.1%} ± {beaten_error:.1%}"
            f"   {lead.tricks[0]:.2f} tricks   behind the best by"
            f" {100 * behind:4.1f} ± {100 * behind_error:.1f}{close}"
        )
    print(leads.sentence)
    ax = bb.plots.play(leads)
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/what_to_lead.png")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
