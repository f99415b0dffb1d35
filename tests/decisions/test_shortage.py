"""Whether there is room for all that the calls show.

And where readings and posterior differ.
"""

import pytest

import bayesbridge as bb
from bayesbridge.decisions.history import CallReading, Spread, readings
from bayesbridge.decisions.shortage import length_changes, shortages
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Suit
from bayesbridge.game.deal import Seat

JACOBY = bb.Auction.of("S:1S Pass 2NT Pass 4S Pass Pass Pass")
FOUR_SPADES = "AJ74.K65.QJ8.742"
TWO_SPADES = "A4.K652.QJ83.742"


def belief(hand, bidder=None):
    return bb.Belief("W", hand, dummy=None, bidder=bidder).given(JACOBY)


def test_an_auction_that_leaves_no_room_is_said_to_hardly_fit():
    """Five spades, four in support and four of one's own leave East none."""
    sayc = belief(FOUR_SPADES, bb.SystemBidder("sayc"))
    (shortage,) = shortages(sayc, readings(sayc, 1))
    assert shortage.sentence == (
        "The auction hardly fits sayc: 1S and 2NT need 9 spades, you see 4."
    )
    assert shortage.document()["calls"] == ["S:1S", "N:2NT"]


def test_an_auction_with_room_is_not_doubted():
    sayc = belief(TWO_SPADES, bb.SystemBidder("sayc"))
    assert shortages(sayc, readings(sayc, 1)) == []


def spread(low):
    return Spread(low + 1.0, low, low + 2)


def reading(seat, call, points, spades, moved=(Suit.S,)):
    """A reading whose lower ends are given; every other suit has at least two cards."""
    lengths = {suit: spread(2) for suit in Suit} | {Suit.S: spread(spades)}
    return CallReading(Seat.of(seat), Call.of(call), spread(points), lengths, moved)


STRONG = "AKQ4.AK65.Q8.742"  # 18 points, four spades


@pytest.mark.parametrize(
    ("points", "spades", "sentences"),
    [
        ((15, 6), (3, 3), []),
        ((15, 8), (3, 3), ["1NT and 3NT need 23 points, you see 18."]),
        ((15, 6), (5, 4), ["1NT and 3NT need 9 spades, you see 4."]),
        ((15, 6), (5, 2), []),
        ((15, 6), (9, 0), ["1NT needs 9 spades, you see 4."]),
    ],
)
def test_room_is_what_is_not_in_sight(points, spades, sentences):
    """Forty points and thirteen cards of a suit are to be shared.

    Nothing need remain for the last hidden hand only if it has shown nothing.
    """
    read = [
        reading("S", "1NT", points[0], spades[0]),
        reading("N", "3NT", points[1], spades[1]),
        reading("E", "Pass", 9, 5),
    ]
    findings = shortages(belief(STRONG), read)
    assert [finding.sentence.partition(": ")[2] for finding in findings] == sentences


def test_who_shows_all_that_remains_has_room():
    read = [
        reading("S", "1S", 6, 4),
        reading("N", "2S", 6, 3),
        reading("E", "X", 6, 2),
    ]
    assert shortages(belief(STRONG), read) == []
    assert shortages(belief(STRONG), [*read, reading("E", "2S", 6, 3)])


def test_where_the_answer_has_other_lengths_it_says_so():
    posterior = belief(FOUR_SPADES).infer(draws=500, rng=1)
    mean = float(posterior.length_table[Seat.N] @ range(14) @ [0, 0, 0, 1])
    far = reading("N", "2NT", 12, round(mean) + 2)
    near = reading("N", "2NT", 12, round(mean) - 1)
    assert length_changes(posterior, [far]) == [
        f"By all calls and cards together North has {mean:.1f} spades, "
        f"not {round(mean) + 3:.1f}."
    ]
    assert length_changes(posterior, [near]) == []
    hearts = reading("N", "2NT", 12, round(mean) + 2, moved=(Suit.H,))
    assert not any(
        "spades" in sentence for sentence in length_changes(posterior, [hearts])
    )
