"""The networks against plain transcriptions.

One hand, one call or card, loops and no tables.
"""

import numpy as np
import pytest

from bayesbridge import Auction, Hand, Seat
from bayesbridge.bidders.learned import STYLE_SIZE, LearnedBidder, PairStyle, encode
from bayesbridge.bidders.networks import stored
from bayesbridge.bidders.play import HEARD, NO_SUIT, STARTS, LearnedPlayer, situations
from tests.bidders import plain_network
from tests.bidders.test_learned import HANDS
from tests.bidders.test_play import HEARTS, _plays


@pytest.mark.parametrize("size", ["wide", "guide"])
def test_the_networks_against_a_plain_transcription(size):
    """The same numbers from the parameters: one hand, one call, no tables.

    East and West have a style.
    """
    p = plain_network.plain(stored("auction.npz", f"{size}_"))
    auction = Auction.of("E:Pass 1H 1S 2C 2S Pass Pass X Pass")
    numbers = np.random.default_rng(3).normal(size=STYLE_SIZE)
    bidder = LearnedBidder(
        "EW",
        slip=0.0,
        style={"EW": PairStyle("", numbers, np.eye(STYLE_SIZE))},
        size=size,
    )
    steps = encode(
        [call.index for call in auction.calls],
        dealer_vulnerable=True,
        others_vulnerable=False,
    )
    styles = [
        np.append(numbers, 1.0) if i % 2 == 0 else np.zeros(STYLE_SIZE + 1)
        for i in range(len(auction.calls))
    ]
    read = plain_network.read(
        p, steps.tokens, np.array([p["style_weight"] @ style for style in styles])
    )
    for i, call in enumerate(auction.calls):
        context = np.concatenate([read[i], styles[i]])
        legal = np.flatnonzero(steps.legal[i]).tolist()
        for partners in (None, HANDS[5:7]):
            shown = [None, None] if partners is None else partners.tolist()
            scores = [
                plain_network.scores(p, context, int(HANDS[place]), shown[place])
                for place in range(2)
            ]
            expected = [
                plain_network.log_chance(row, legal, call.index) for row in scores
            ]
            logs = bidder.log_likelihood(HANDS[:2], auction, i, partners)
            assert logs == pytest.approx(expected, abs=3e-3)


def test_the_network_against_a_plain_transcription():
    """The same numbers from the parameters, one hand, one card, loops and no tables."""
    p = plain_network.plain(stored("play.npz"))
    auction = Auction.of("S:1H 2D 2H Pass 4H Pass Pass Pass")
    dummy = Hand.of("Q52.K984.4.AJ763")
    west = Hand.of("A93.5.AK9762.K84")
    plays = _plays("W:DA D4 D5 D3", "W:DK H4 H2 D8", "N:S5 S7 SJ SA")
    steps = situations(HEARTS, auction, plays, dummy.mask)
    card_rows = p["reader_table_weight"][STARTS[-1] : STARTS[-1] + 52]

    def dummy_vector(mask):
        return sum(card_rows[card] for card in range(52) if int(mask) >> card & 1)

    shown = [dummy_vector(mask) for mask in steps.dummy]
    read = plain_network.read(
        p,
        steps.tokens,
        np.array([x + np.zeros(p["reader_table_weight"].shape[1]) for x in shown]),
    )
    remaining = west
    expected = 0.0
    for i, (seat, card) in enumerate(plays):
        if seat != Seat.W:
            continue
        legal = [
            c.index
            for c in remaining
            if steps.led[i] == NO_SUIT or c.suit == steps.led[i]
        ] or [c.index for c in remaining]
        scores = plain_network.scores(p, read[HEARD + i], remaining.mask)
        expected += plain_network.log_chance(scores, legal, card.index)
        remaining -= Hand.of(card)
    masks = np.array([west.mask], np.uint64)
    player = LearnedPlayer(slip=0.0)
    assert player.log_likelihood(masks, HEARTS, plays, Seat.W, auction, dummy)[
        0
    ] == pytest.approx(expected, abs=2e-3)
    assert player.log_likelihood(masks, HEARTS, plays, Seat.W, auction)[
        0
    ] != pytest.approx(expected, abs=2e-3)
