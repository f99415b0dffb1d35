"""Boards for a lesson on Stayman: python examples/deals_for_a_lesson.py

Two boards of each kind. Each is drawn from its own tables, so that rare hands take no
longer than common ones.
"""

from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb

OPENER = "shape(north, any 4333 + any 4432 + any 5332) && hcp(north) >= 15 && hcp(north) <= 17"
RESPONDER = "hcp(south) >= 8 && (hearts(south) == 4 || spades(south) == 4)"
HEARTS = "(hearts(north) >= 4 && hearts(south) == 4)"
SPADES = "(spades(north) >= 4 && spades(south) == 4)"
KINDS = {
    "hearts": f"{HEARTS} && !{SPADES}",
    "spades": f"{SPADES} && !{HEARTS}",
    "both": f"{HEARTS} && {SPADES}",
    "no fit": f"!{HEARTS} && !{SPADES}",
}


def main() -> None:
    """Boards of each kind, and how likely each kind is."""
    all_deals = bb.DealPlan.of(condition=f"{OPENER} && {RESPONDER}")
    ax = Figure((6, 3), layout="constrained").subplots()
    for name, condition in KINDS.items():
        plan = bb.DealPlan.of(condition=f"{OPENER} && {RESPONDER} && {condition}")
        share = plan.count / all_deals.count
        print(f"{name}: {share:.2%} of these deals, exactly")
        for deal in plan.deals(2, rng=1):
            print(f"  North {deal['N'].pbn:20} South {deal['S'].pbn}")
        ax.bar_label(ax.bar(name, share, color="#0072b2"), [f"{share:.1%}"])
    ax.set(
        title="A fit of four cards opposite four after 1NT, counted",
        ylabel="share of deals",
        ylim=(0, 0.8),
    )
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/deals_for_a_lesson.png", dpi=200)


if __name__ == "__main__":
    main()
