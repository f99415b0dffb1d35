"""Textbook combinations: figures as they are printed, and figures derived by hand from the lines that win.

Printed figures come from J. Warmerdam, *Improvements on the Suit Combination section of The Official Encyclopedia of
Bridge, 5th edition* (1998); bridgehands.com, *Probability of Card Distribution*; and T. Reese and R. Trézel, *Master
the Odds in Bridge*, chapter 11. They are met to the last digit that is printed. The others state in which layouts the
textbook line wins, and are added up over all layouts of single cards; these must be met exactly.
"""

from math import comb

import pytest

import bayesbridge as bb

pytestmark = pytest.mark.quick

WARMERDAM = [
    ("AK9xx", "QT", None, "4.48"),
    ("AKxx", "J98", 4, "8"),
    ("AKxx", "J98", None, "2.8537"),
    ("AK987x", "Jx", 5, "88"),
    ("AK98xx", "Jx", 5, "88"),
    ("AK98xx", "Jx", None, "5.01"),
    ("AK9xxx", "Jx", 5, "85"),
    ("AK9xxx", "Jx", None, "4.96"),
    ("AK76x", "J98", None, "4.14"),
    ("AKxxx", "J9x", None, "4.01"),
    ("AQ98x", "Jx", 4, "71"),
    ("AQ9x", "Jxx", None, "2.77"),
]
"""Dummy, declarer, the number of tricks or ``None`` for most on average, the figure."""

BRIDGEHANDS = [
    ("AKTx", "Qxx", 4, "60.9"),
    ("AKxx", "Qxx", 4, "35.5"),
    ("AK98", "QTx", 4, "61.6"),
    ("AKTxx", "Qx", 4, "93.2"),
    ("AKTxx", "Qx", 5, "51.7"),
    ("AKxxx", "Qx", 4, "84"),
    ("AKxxx", "Qx", 5, "35.5"),
]

REESE = [("AKJTxx", "xxxx", 6, "89"), ("AQJTxx", "xxxxx", 6, "52")]


def reached(first, second, goal):
    """P(at least so many tricks), or the most tricks on average."""
    play = bb.suit_play(first, second)
    assert not play.small
    if goal is None:
        return play.best.tricks
    if goal <= play.sure:
        return 1.0
    return next((line.chance for line in play.goals if line.goal == goal), 0.0)


@pytest.mark.parametrize(("first", "second", "goal", "printed"), [*WARMERDAM, *BRIDGEHANDS, *REESE])
def test_figures_in_print(first, second, goal, printed):
    value = reached(first, second, goal) * (1 if goal is None else 100)
    digits = len(printed.partition(".")[2])
    assert abs(value - float(printed)) <= 0.5 * 10**-digits + 1e-9


def longest(most):
    """Neither defender has more cards than this."""
    return lambda w, e: max(len(w), len(e)) <= most


def left(card):
    """On the left, before the hand with the tenace."""
    return lambda w, _: card in w


def left_or_bare(card):
    """On the left, or alone on the right, where a round before the finesse drops it."""
    return lambda w, e: card in w or e == {card}


def both_left(*cards):
    return lambda w, _: w.issuperset(cards)


def one_left(*cards):
    """Not both on the right."""
    return lambda _, e: not e.issuperset(cards)


DERIVED = [
    # Top cards and length: so many rounds are won at the top, the others are given up.
    ("AKQxx", "xx", 5, longest(3)),
    ("AKQxx", "xxx", 5, longest(3)),
    ("AKQxx", "x", 4, longest(4)),
    ("AKQxxx", "xx", 5, longest(4)),
    ("AKQxxx", "x", 5, longest(4)),
    ("AKxxx", "xxx", 3, longest(4)),
    ("AKxxx", "xx", 3, longest(4)),
    ("AKxxx", "xxxx", 4, longest(3)),
    ("AKxxxx", "xx", 5, longest(3)),
    ("Axxxx", "xxx", 2, longest(4)),
    ("Axxxx", "xxxx", 3, longest(3)),
    ("Axxx", "Kxxxx", 5, longest(2)),
    # One finesse, taken as often as needed.
    ("AQ", "xx", 2, left("K")),
    ("AQ", "xxx", 2, left("K")),
    ("AQJ", "xx", 3, left("K")),
    ("AQJ", "xxx", 3, left("K")),
    ("AQJT", "xxx", 4, left("K")),
    ("AQJT9", "xxxx", 5, left("K")),
    ("AQJTx", "xxxxx", 5, left("K")),
    ("KQx", "xx", 2, left("A")),
    ("KQx", "xxx", 2, left("A")),
    ("Kx", "xx", 1, left("A")),
    ("Qx", "Axx", 2, left("K")),
    # A round first drops a bare honour behind.
    ("AKJ", "xx", 3, left_or_bare("Q")),
    ("AKJ", "xxx", 3, left_or_bare("Q")),
    ("AKJT", "xxx", 4, left_or_bare("Q")),
    ("AKx", "JTx", 3, left_or_bare("Q")),
    ("AJx", "KTx", 3, left_or_bare("Q")),
    ("Qxx", "Axx", 2, left_or_bare("K")),
    ("Kxx", "xxx", 1, left_or_bare("A")),
    # Two honours are missing.
    ("AQT", "xx", 3, both_left("K", "J")),
    ("AQT", "xx", 2, one_left("K", "J")),
    ("AQT", "xxx", 3, both_left("K", "J")),
    ("AQT", "xxx", 2, one_left("K", "J")),
    ("AJT", "xxx", 2, one_left("K", "Q")),
    ("KJx", "xxx", 2, both_left("A", "Q")),
    ("KJx", "xxx", 1, one_left("A", "Q")),
    # Nine cards without the queen: top cards, unless the right shows out at once.
    ("AKJT9", "xxxx", 5, lambda w, e: not e or ("Q" in w and len(w) <= 2) or ("Q" in e and len(e) <= 2)),
]


@pytest.mark.parametrize(("first", "second", "goal", "wins"), DERIVED)
def test_figures_derived_by_hand(first, second, goal, wins):
    missing = bb.suit_play(first, second).missing
    m = len(missing)
    expected = 0.0
    for bits in range(1 << m):
        w = {card for place, card in enumerate(missing) if bits >> place & 1}
        expected += comb(26 - m, 13 - len(w)) / comb(26, 13) * wins(w, set(missing) - w)
    assert reached(first, second, goal) == pytest.approx(expected, abs=1e-9)
