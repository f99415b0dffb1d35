"""Boards for a lesson on Stayman: python examples/deals_for_a_lesson.py

Half of them have a fit. Each kind is drawn from its own tables, so that rare hands take no longer than common ones.
"""

from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb

OPENER = "shape(north, any 4333 + any 4432 + any 5332) && hcp(north) >= 15 && hcp(north) <= 17"
RESPONDER = "hcp(south) >= 8 && (hearts(south) == 4 || spades(south) == 4)"
FIT = "(hearts(north) >= 4 && hearts(south) == 4 || spades(north) >= 4 && spades(south) == 4)"


def main() -> None:
    """Two boards of each kind, and how likely each kind is."""
    ax = Figure((6, 3), layout="constrained").subplots()
    both = bb.DealPlan.of(condition=f"{OPENER} && {RESPONDER}")
    for name, condition in (("a fit", FIT), ("no fit", f"!{FIT}")):
        plan = bb.DealPlan.of(condition=f"{OPENER} && {RESPONDER} && {condition}")
        print(f"{name}: {plan.count / both.count:.2%} of these deals, exactly")
        for deal in plan.deals(2, rng=1):
            print(f"  North {deal['N'].pbn:20} South {deal['S'].pbn}")
        points = sorted((n, float(p)) for (n,), p in plan.frequency("hcp(north) + hcp(south)").items())
        ax.plot(*zip(*points, strict=True), marker="o", label=name)
    ax.set(title="Points of North and South together, counted", ylabel="share of deals")
    ax.legend(frameon=False)
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/deals_for_a_lesson.png")


if __name__ == "__main__":
    main()
