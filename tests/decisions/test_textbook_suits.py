"""Textbook combinations: figures as they are printed, and figures derived by hand from the lines that win.

Printed figures come from J. Warmerdam, *Improvements on the Suit Combination section of The Official Encyclopedia of
Bridge, 5th edition* (1998); bridgehands.com, *Probability of Card Distribution*; and T. Reese and R. Trézel, *Master
the Odds in Bridge*, chapter 11. They are met to the last digit that is printed. The others state in which layouts the
textbook line wins, and are added up over all layouts of single cards; these must be met exactly. Where the line needs
a split or one finesse, its chance is in print too, in the table of splits and single cards of bridgehands.com, and is
met to 0.1 of a point.
"""

from dataclasses import dataclass
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

REESE = [
    ("AKJTxx", "xxxx", 6, "89"),
    ("AQJTxx", "xxxxx", 6, "52"),
]


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


SPLITS = {
    2: {1: 52.0, 2: 48.0},
    3: {2: 78.0, 3: 22.0},
    4: {3: 49.7, 2: 40.7, 4: 9.6},
    5: {3: 67.8, 4: 28.3, 5: 3.9},
    6: {4: 48.5, 3: 35.5, 5: 14.5, 6: 1.5},
    7: {4: 62.2, 5: 30.5, 6: 6.8, 7: 0.5},
    8: {5: 47.1, 4: 32.7, 6: 17.1, 7: 2.9, 8: 0.16},
}
"""bridgehands.com: by cards that are out and the length of the longer part, percent."""

SINGLE = {2: 52.0, 3: 26.0, 4: 12.4, 5: 5.7, 6: 2.4, 7: 0.96, 8: 0.36}
"""bridgehands.com: that one named card is alone, on either side, percent."""

FINESSE = 50.0


@dataclass(frozen=True)
class Longest:
    """Neither defender has more cards than this."""

    most: int

    def __call__(self, w, e):
        return max(len(w), len(e)) <= self.most

    def printed(self, missing):
        return sum(percent for longer, percent in SPLITS[missing].items() if longer <= self.most)


@dataclass(frozen=True)
class Left:
    """The card lies on the left, before the hand with the tenace."""

    card: str

    def __call__(self, w, e):
        return self.card in w

    def printed(self, missing):
        return FINESSE


@dataclass(frozen=True)
class LeftOrBare:
    """On the left, or alone on the right, where a round before the finesse drops it."""

    card: str

    def __call__(self, w, e):
        return self.card in w or e == {self.card}

    def printed(self, missing):
        return FINESSE + SINGLE.get(missing, 0.0) / 2


def both_left(*cards):
    return lambda w, _: w.issuperset(cards)


def one_left(*cards):
    """Not both on the right."""
    return lambda _, e: not e.issuperset(cards)


DERIVED = [
    # Top cards and length: so many rounds are won at the top, the others are given up.
    ("AKQxx", "xx", 5, Longest(3)),
    ("AKQxx", "xxx", 5, Longest(3)),
    ("AKQxx", "x", 4, Longest(4)),
    ("AKQxxx", "xx", 5, Longest(4)),
    ("AKQxxx", "x", 5, Longest(4)),
    ("AKxxx", "xxx", 3, Longest(4)),
    ("AKxxx", "xx", 3, Longest(4)),
    ("AKxxx", "xxxx", 4, Longest(3)),
    ("AKxxxx", "xx", 5, Longest(3)),
    ("Axxxx", "xxx", 2, Longest(4)),
    ("Axxxx", "xxxx", 3, Longest(3)),
    ("Axxx", "Kxxxx", 5, Longest(2)),
    # One finesse, taken as often as needed.
    ("AQ", "xx", 2, Left("K")),
    ("AQ", "xxx", 2, Left("K")),
    ("AQJ", "xx", 3, Left("K")),
    ("AQJ", "xxx", 3, Left("K")),
    ("AQJT", "xxx", 4, Left("K")),
    ("AQJT9", "xxxx", 5, Left("K")),
    ("AQJTx", "xxxxx", 5, Left("K")),
    ("KQx", "xx", 2, Left("A")),
    ("KQx", "xxx", 2, Left("A")),
    ("Kx", "xx", 1, Left("A")),
    ("Qx", "Axx", 2, Left("K")),
    # A round first drops a bare honour behind.
    ("AKJ", "xx", 3, LeftOrBare("Q")),
    ("AKJ", "xxx", 3, LeftOrBare("Q")),
    ("AKJT", "xxx", 4, LeftOrBare("Q")),
    ("AKx", "JTx", 3, LeftOrBare("Q")),
    ("AJx", "KTx", 3, LeftOrBare("Q")),
    ("Qxx", "Axx", 2, LeftOrBare("K")),
    ("Kxx", "xxx", 1, LeftOrBare("A")),
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


IN_TABLES = [row for row in DERIVED if hasattr(row[3], "printed")]


@pytest.mark.parametrize(("first", "second", "goal", "wins"), IN_TABLES)
def test_figures_of_printed_tables(first, second, goal, wins):
    printed = wins.printed(len(bb.suit_play(first, second).missing))
    assert 100 * reached(first, second, goal) == pytest.approx(printed, abs=0.1)
