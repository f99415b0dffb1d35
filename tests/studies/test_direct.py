"""The direct reader: the network against a plain transcription, and what it says of a table."""

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.bidders.learned import stored
from bayesbridge.calls import Vulnerability
from bayesbridge.cards import Card, Hand
from bayesbridge.deal import Seat
from bayesbridge.studies.readers import DirectReader, Seen, tokens_of
from tests.bidders import plain_network

AUCTION = Auction.of("N:1S Pass 2S Pass 4S Pass Pass Pass")


def _seen(hand: str = "T4.KQ52.J982.A63", observer: Seat = Seat.E) -> Seen:
    return Seen(observer, Hand.of(hand), Vulnerability.NS, AUCTION, (), None, ())


def test_it_is_the_network_plainly_transcribed():
    p = plain_network.plain(stored("direct.npz"))
    seen = _seen()
    hand = plain_network.affine(p, "enter", plain_network.held(p, seen.hand.mask))
    known = plain_network.read(p, tokens_of(seen), hand)[-1]
    last = np.maximum(plain_network.affine(p, "hidden", known), 0)
    cards = np.exp(plain_network.affine(p, "cards", last).reshape(52, 3))
    lengths = np.exp(plain_network.affine(p, "lengths", last).reshape(3, 4, 14))
    found = DirectReader().read(seen)
    assert found is not None
    others = [Seat.S, Seat.W, Seat.N]
    hidden = [card for card in range(52) if not seen.hand.mask >> card & 1]
    expected = (cards / cards.sum(axis=1, keepdims=True))[hidden]
    assert found.cards[np.ix_(hidden, others)] == pytest.approx(expected, abs=1e-4)
    assert found.lengths[others] == pytest.approx(lengths / lengths.sum(axis=2, keepdims=True), abs=1e-4)


def test_rows_are_probabilities_and_the_own_hand_is_known():
    found = DirectReader().read(_seen())
    assert found is not None
    assert found.cards.sum(axis=1) == pytest.approx(np.ones(52))
    assert found.lengths.sum(axis=2) == pytest.approx(np.ones((4, 4)))
    assert found.cards[Hand.of("SA").mask.bit_length() - 1, Seat.E] == 0.0
    assert found.lengths[Seat.E, :, :].argmax(axis=1).tolist() == [3, 4, 4, 2]


def test_it_reads_the_auction():
    """North opened a spade and was raised: North has the long spades, and more points than West."""
    found = DirectReader().read(_seen())
    assert found is not None
    spades = found.lengths[:, 3] @ np.arange(14)
    assert spades[Seat.N] > spades[Seat.S] > spades[Seat.W]
    aces = found.cards[[51, 25], :]
    assert (aces[:, Seat.N] > aces[:, Seat.W]).all()


def test_turning_the_table_turns_the_answer():
    turned = Seen(Seat.S, Hand.of("T4.KQ52.J982.A63"), Vulnerability.EW, Auction(Seat.E, AUCTION.calls), (), None, ())
    one, other = DirectReader().read(_seen()), DirectReader().read(turned)
    assert one is not None
    assert other is not None
    assert np.roll(one.cards, 1, axis=1) == pytest.approx(other.cards)


def test_after_the_lead_it_is_silent():
    seen = _seen()
    led = Seen(seen.observer, seen.hand, seen.vulnerable, AUCTION, ((Seat.E, Card.of("HK")),), None, ())
    assert DirectReader().read(led) is None
