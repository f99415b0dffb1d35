"""Boards for a lesson on Stayman, half of them with a fit: python examples/deals_for_a_lesson.py

Each kind is drawn from its own tables, so that rare hands take no longer than common ones.
"""

import bayesbridge as bb

OPENER = "shape(north, any 4333 + any 4432 + any 5332) && hcp(north) >= 15 && hcp(north) <= 17"
RESPONDER = "hcp(south) >= 8 && (hearts(south) == 4 || spades(south) == 4)"
FIT = "(hearts(north) >= 4 && hearts(south) == 4 || spades(north) >= 4 && spades(south) == 4)"


def main() -> None:
    """Two boards of each kind, and how likely each kind is."""
    both = bb.DealPlan.of(condition=f"{OPENER} && {RESPONDER}")
    for name, condition in (("a fit", FIT), ("no fit", f"!{FIT}")):
        plan = bb.DealPlan.of(condition=f"{OPENER} && {RESPONDER} && {condition}")
        print(f"{name}: {plan.count / both.count:.2%} of these deals, exactly")
        for deal in plan.deals(2, rng=1):
            print(f"  North {deal['N'].pbn:20} South {deal['S'].pbn}")


if __name__ == "__main__":
    main()
