"""The learned bidder is a likelihood by construction.

It knows what experts know.
"""

import numpy as np
import pytest

from bayesbridge import Auction, BayesBridgeError, Hand, LearnedBidder
from bayesbridge.game.calls import CALLS, Vulnerability
from bayesbridge.game.layouts import high_card_points, suit_lengths
from tests.deals import deal_masks

HANDS = deal_masks(750, 1).ravel()


def _seen_after(text):
    """(n,) weights of HANDS after the last call of an auction, by its caller."""
    auction = Auction.of(text)
    log = LearnedBidder().log_likelihood(HANDS, auction, len(auction.calls) - 1)
    return np.exp(log) / np.exp(log).sum()


def test_one_hand_or_many_alike():
    """Hands that are all the same are evaluated once; so are those of partners."""
    auction = Auction.of("N:1NT Pass 2C")
    bidder = LearnedBidder()
    repeated = np.repeat(HANDS[:1], 700)
    for own, partners in (
        (HANDS[:700], repeated),
        (repeated, HANDS[:700]),
        (repeated, repeated),
    ):
        together = bidder.log_likelihood(own, auction, 2, partners)
        single = [
            bidder.log_likelihood(own[i : i + 1], auction, 2, partners[i : i + 1])[0]
            for i in (0, 600, 699)
        ]
        assert together[[0, 600, 699]] == pytest.approx(single, abs=1e-4)


def test_partners_hand_says_what_was_meant():
    """A strong hand opposite makes a jump to game likelier with the same cards.

    One without support makes it less likely.
    """
    auction = Auction.of("N:1S Pass 3S Pass 4S")
    opener = np.repeat(np.array([Hand.of("AQ963.K52.Q84.J7").mask], np.uint64), 3)
    partners = np.array(
        [
            Hand.of(t).mask
            for t in ("KJ72.AQ4.K63.T52", "KJ72.94.T6532.T2", "J.Q874.AKJ6.QT95")
        ],
        np.uint64,
    )
    logs = LearnedBidder().log_likelihood(opener, auction, 4, partners)
    assert logs[0] > logs[1] + 0.1
    hidden = LearnedBidder().log_likelihood(opener[:1], auction, 4)
    assert logs.min() < hidden[0] < logs.max()


@pytest.mark.parametrize(
    ("hand", "auction", "expected"),
    [
        ("AQ5.KJ3.A954.Q73", "N:", {"1NT"}),
        ("AKJ87.K3.Q954.73", "N:", {"1S"}),
        ("Q52.J93.T954.J73", "N:", {"Pass"}),
        ("KQJ9742.3.954.73", "N:", {"3S"}),
        ("4.KQT972.854.732", "N:", {"2H", "2D"}),
        ("AQJ7.3.AJ94.KT73", "N:1H", {"X"}),
        ("K742.Q63.J954.73", "N:1S Pass", {"2S"}),
        ("J742.Q63.J954.73", "N:1NT Pass", {"Pass"}),
        ("5.QJ9763.954.A73", "N:1NT Pass", {"2D", "4D"}),
    ],
)
def test_known_hands_get_known_calls(hand, auction, expected):
    chances = LearnedBidder().probabilities(
        np.array([Hand.of(hand).mask], np.uint64), Auction.of(auction)
    )
    assert str(CALLS[chances[0].argmax()]) in expected


def test_openings_tell_what_they_promise():
    points = high_card_points(HANDS)
    lengths = suit_lengths(HANDS)
    notrump = _seen_after("N:1NT")
    assert 13.5 < notrump @ points < 16.5
    assert notrump @ points > points.mean() + 3
    assert (notrump @ lengths).max() < 4
    assert _seen_after("N:1S") @ lengths[:, 3] > 4.9
    assert _seen_after("N:3H") @ lengths[:, 2] > 5.5
    assert _seen_after("N:3H") @ points < 10
    assert _seen_after("N:Pass") @ points < points.mean()


def test_vulnerability_matters_and_belongs_to_a_side():
    weak = np.array([Hand.of("QJ98742.3.954.73").mask], np.uint64)
    north = Auction.of("N:3S")
    east = Auction.of("E:3S")
    white = LearnedBidder("EW")
    red = LearnedBidder("NS")
    assert (
        white.log_likelihood(weak, north, 0) > red.log_likelihood(weak, north, 0) + 0.3
    )
    assert white.log_likelihood(weak, north, 0) == pytest.approx(
        red.log_likelihood(weak, east, 0)
    )


def test_three_players_and_bad_slips_are_refused_in_one_line():
    with pytest.raises(BayesBridgeError, match=r"three players.*IterativeBidder"):
        LearnedBidder().log_likelihood(HANDS[:2], Auction.three().after("1NT"), 0)
    with pytest.raises(BayesBridgeError, match="slip 2"):
        LearnedBidder(slip=2)
    with pytest.raises(BayesBridgeError, match="is over"):
        LearnedBidder().probabilities(HANDS[:2], Auction.of("N:Pass Pass Pass Pass"))
    with pytest.raises(BayesBridgeError, match="unknown vulnerability"):
        LearnedBidder("green")
    assert LearnedBidder("both").vulnerable is Vulnerability.ALL
