"""Answers that are in every book.

Rare evidence, how suits split, restricted choice, vacant places.
"""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from bayesbridge import Auction, Belief, Card, Hand, Trick
from bayesbridge.belief.wins import card_wins
from bayesbridge.evidence.kinds import Length, Play, Reveal, Void

SOUTH = Belief("S", "AKQ52.J3.A94.K83")


def chance(belief, *evidence):
    """P(evidence ∣ belief), exactly."""
    return Fraction(belief.given(*evidence).count(), belief.count())


def test_rare_evidence():
    """B and C of the benchmark, by counting and by sums of binomials."""
    b = chance(SOUTH, Void("W", "S"), Length("E", "H", 5))
    c = chance(SOUTH, Void("W", "H"), Length("E", "S", 6))
    assert float(b) == pytest.approx(0.0039015, abs=5e-8)
    assert float(c) == pytest.approx(9.81e-6, abs=5e-9)

    def by_binomials(void, long, shortest):
        """The share of layouts where West has none of the ``void`` cards.

        East has at least ``shortest`` of the ``long`` ones; 39 cards are unseen.
        """
        ways = 0
        for w in range(long + 1):
            if 13 - w > 39 - void - long:
                continue
            ways_of_west = comb(long, w) * comb(39 - void - long, 13 - w)
            ways_of_east = sum(
                comb(long - w, e) * comb(26 - (long - w), 13 - e)
                for e in range(shortest, long - w + 1)
            )
            ways += ways_of_west * ways_of_east
        return Fraction(ways, SOUTH.count())

    assert b == by_binomials(void=8, long=11, shortest=5)
    assert c == by_binomials(void=11, long=8, shortest=6)
    assert by_binomials(8, 11, 4) > b, "one heart fewer makes a difference"


SPLITS = {
    2: {1: 52.000, 2: 48.000},
    3: {2: 78.000, 3: 22.000},
    4: {2: 40.696, 3: 49.739, 4: 9.565},
    5: {3: 67.826, 4: 28.261, 5: 3.913},
    6: {3: 35.528, 4: 48.447, 5: 14.534, 6: 1.491},
    7: {4: 62.174, 5: 30.522, 6: 6.783, 7: 0.522},
    8: {4: 32.723, 5: 47.121, 6: 17.135, 7: 2.856, 8: 0.165},
}
"""Per cent that the longer of two hidden hands has so many of the missing cards, from
the table in the books.
"""


@pytest.mark.parametrize("missing", SPLITS)
def test_how_suits_split(missing):
    """So many spades are missing between two hidden hands.

    The other suits are shared out somehow.
    """
    spades = 13 - missing
    south = Hand(
        sum(1 << (39 + i) for i in range(spades // 2))
        | sum(1 << i for i in range(13 - spades // 2))
    )
    diamonds = 13 - (spades - spades // 2)
    north = Hand(
        sum(1 << (39 + i) for i in range(spades // 2, spades))
        | sum(1 << (13 + i) for i in range(diamonds))
    )
    belief = Belief("S", south).given(Reveal("N", north))
    exact = (
        belief.infer("direct", draws=2)
        .length_probabilities()
        .sel(seat="E", suit="S")
        .values
    )
    total = Fraction(0)
    for longer, percent in SPLITS[missing].items():
        ways = {
            k: chance(belief, Length("E", "S", k, k))
            for k in (longer, missing - longer)
        }
        for k, way in ways.items():
            assert way == Fraction(
                comb(missing, k) * comb(26 - missing, 13 - k), comb(26, 13)
            )
            assert float(way) == pytest.approx(exact[k], abs=1e-12)
        assert float(100 * sum(ways.values())) == pytest.approx(percent, abs=5e-4)
        total += sum(ways.values())
    assert total == 1


class EitherHonour:
    """Who has both queen and jack of spades plays either, as likely as not.

    Otherwise there is no choice.
    """

    def log_likelihood(self, hands, contract, plays, seat, *_):
        queen_and_jack = np.uint64(Hand.of("SQ SJ").mask)
        honour = next(
            (
                card
                for player, card in plays
                if player == seat and card in Hand.of("SQ SJ")
            ),
            None,
        )
        return np.where(
            (hands & queen_and_jack == queen_and_jack) & (honour is not None),
            np.log(0.5),
            0.0,
        )


def after_the_queen_fell(player):
    """South, AKT98 opposite 7654, cashed the ace, and West played the queen.

    Then comes a small one from dummy, and East follows.
    """
    belief = Belief("S", "AKT98.K3.A54.K32", player=player)
    return belief.given(
        Auction.of("S:4S Pass Pass", dummy="N"),
        Reveal("N", "7654.A82.K87.A54"),
        Trick.of("S:SA SQ S4 S2"),
        Trick.of("S:H3 H4 HA H5"),
        Trick.of("N:S5 S3"),
    )


def test_restricted_choice():
    """That West chose the queen turns odds of 10 : 11 on the finesse into 20 : 11.

    Counting alone gives 10 : 11.

    By hand: 20 cards are unknown besides. East has the jack with C(20, 11) layouts,
    West with C(20, 10), and then West would have played the jack half of the time.
    """
    east = comb(20, 11)
    west = comb(20, 10)
    counted = after_the_queen_fell(None)
    assert counted.count() == east + west
    assert (
        chance(counted, Play("S", "ST"), Play("W", "SJ"))
        == Fraction(west, east + west)
        == Fraction(11, 21)
    )
    assert counted.infer().card_probabilities().sel(
        card="SJ", seat="E"
    ).item() == pytest.approx(10 / 21, abs=1e-12)

    chosen = after_the_queen_fell(EitherHonour()).infer()
    assert chosen.exact
    by_hand = Fraction(2 * east, 2 * east + west)
    assert by_hand == Fraction(20, 31)
    assert chosen.card_probabilities().sel(card="SJ", seat="E").item() == pytest.approx(
        float(by_hand), abs=1e-12
    )
    wins = card_wins(chosen, Trick.of("N:S5 S3", trump="S"))
    assert wins[Card.of("ST")] == pytest.approx(float(by_hand), abs=1e-9)
    assert wins[Card.of("SK")] == 1.0
    calls_alone = counted.infer().log_marginal
    assert np.exp(chosen.log_marginal - calls_alone) == pytest.approx(
        (east + west / 2) / (east + west), abs=1e-12
    )


def test_vacant_places():
    """East shows six hearts, West two: another card is with West in 11 cases of 18."""
    belief = Belief("S", "AKQ52.J3.A94.K83").given(Reveal("N", "643.AQ2.K87.A764"))
    six_hearts_east = belief.given(Length("E", "H", 6, 6))
    where = six_hearts_east.infer("direct", draws=2).card_probabilities().sel(card="SJ")
    assert where.sel(seat="W").item() == pytest.approx(11 / 18, abs=1e-12)
    assert where.sel(seat="E").item() == pytest.approx(7 / 18, abs=1e-12)
