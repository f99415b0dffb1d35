"""The direct reader: the network against a plain transcription.

And what it says of a table.
"""

import numpy as np
import pytest
from direct import DirectReader, _direct, tokens_of

from bayesbridge import Auction, Card, Hand, Seat
from bayesbridge.game.calls import Vulnerability
from bayesbridge.studies.readers import PlayerView
from tests.bidders import plain_network

AUCTION = Auction.of("N:1S Pass 2S Pass 4S Pass Pass Pass")
SEEN = PlayerView(
    Seat.E, Hand.of("T4.KQ52.J982.A63"), Vulnerability.NS, AUCTION, (), None, ()
)


def test_it_is_the_network_plainly_transcribed():
    p = plain_network.plain(_direct()[0])
    hand = plain_network.affine(p, "enter", plain_network.held(p, SEEN.hand.mask))
    context = plain_network.read(p, tokens_of(SEEN), hand)[-1]
    hidden_layer = np.maximum(plain_network.affine(p, "hidden", context), 0)
    cards = np.exp(plain_network.affine(p, "cards", hidden_layer).reshape(52, 3))
    lengths = np.exp(plain_network.affine(p, "lengths", hidden_layer).reshape(3, 4, 14))
    reading = DirectReader().read(SEEN)
    other_seats = [Seat.S, Seat.W, Seat.N]
    hidden = [card for card in range(52) if not SEEN.hand.mask >> card & 1]
    expected = (cards / cards.sum(axis=1, keepdims=True))[hidden]
    assert reading.cards[np.ix_(hidden, other_seats)] == pytest.approx(
        expected, abs=1e-4
    )
    assert reading.lengths[other_seats] == pytest.approx(
        lengths / lengths.sum(axis=2, keepdims=True), abs=1e-4
    )
    assert reading.cards.sum(axis=1) == pytest.approx(np.ones(52))
    assert reading.lengths[Seat.E, :, :].argmax(axis=1).tolist() == [3, 4, 4, 2]


def test_it_reads_the_auction_from_any_side_and_nothing_after_the_lead():
    """North opened a spade and was raised: North has the long spades."""
    reading = DirectReader().read(SEEN)
    spades = reading.lengths[:, 3] @ np.arange(14)
    assert spades[Seat.N] > spades[Seat.S] > spades[Seat.W]
    turned = PlayerView(
        Seat.S,
        SEEN.hand,
        Vulnerability.EW,
        Auction(Seat.E, AUCTION.calls),
        (),
        None,
        (),
    )
    assert np.roll(reading.cards, 1, axis=1) == pytest.approx(
        DirectReader().read(turned).cards
    )
    led = PlayerView(
        SEEN.observer,
        SEEN.hand,
        SEEN.vulnerable,
        AUCTION,
        ((Seat.E, Card.of("HK")),),
        None,
        (),
    )
    assert DirectReader().read(led) is None
