"""Finesse or drop, with the queen missing? python examples/finesse_or_drop.py

Nine cards without the queen: the tables say play for the drop. Then West turns out to have six hearts.
"""

import bayesbridge as bb

DUMMY, DECLARER = "AJT32.A42.K76.54", "K954.K3.A542.AK2"


def main() -> None:
    """The best plan by the tables, and by what South knows."""
    south = bb.Belief("S", DECLARER, trump="S").given(bb.Reveal("N", DUMMY))
    hearts = south.given(bb.Length("W", "H", 6, 6))
    strong = hearts.given(bb.HighCards("W", 10, 40))
    for news, belief in (("nothing else is known", south), ("six hearts", hearts), ("10 points or more too", strong)):
        play = bb.suit_play("AJT32", "K954", belief.infer())
        goal = play.goals[-1]
        print(f"{news}: {goal.goal} tricks with {goal.chance:.1%}, {play.best.tricks:.2f} on average")
        for line in goal.text():
            print(f"    {line}")


if __name__ == "__main__":
    main()
