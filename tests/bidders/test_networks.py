"""The networks against plain transcriptions: one hand, one call or card, loops and no
tables.
"""

import numpy as np
import pytest

from bayesbridge import Auction, Hand, Seat
from bayesbridge.bidders.learned import STYLE, LearnedBidder, PairStyle, encode
from bayesbridge.bidders.networks import stored
from bayesbridge.bidders.play import HEARD, NO_SUIT, STARTS, LearnedPlayer, situations
from tests.bidders import plain_network
from tests.bidders.test_learned import HANDS
from tests.bidders.test_play import HEARTS, _plays


@pytest.mark.parametrize("size", ["wide", "guide"])
def test_the_networks_against_a_plain_transcription(size):
    """The same numbers from the parameters, one hand, one call, loops and no tables;
    East and West have a style.
    """
    p = plain_network.plain(stored("auction.npz", f"{size}_"))
    auction = Auction.of("E:Pass 1H 1S 2C 2S Pass Pass X Pass")
    numbers = np.random.default_rng(3).normal(size=STYLE)
    bidder = LearnedBidder(
        "EW", slip=0.0, style={"EW": PairStyle("", numbers, np.eye(STYLE))}, size=size
    )
    steps = encode([call.index for call in auction.calls], True, False)
    styles = [
        np.append(numbers, 1.0) if i % 2 == 0 else np.zeros(STYLE + 1)
        for i in range(len(auction.calls))
    ]
    known = plain_network.read(
        p, steps.tokens, np.array([p["style_weight"] @ one for one in styles])
    )
    for i, call in enumerate(auction.calls):
        context, legal = (
            np.concatenate([known[i], styles[i]]),
            np.flatnonzero(steps.legal[i]).tolist(),
        )
        for partners in (None, HANDS[5:7]):
            shown = [None, None] if partners is None else partners.tolist()
            scores = [
                plain_network.scores(p, context, int(HANDS[place]), shown[place])
                for place in range(2)
            ]
            expected = [
                plain_network.log_chance(one, legal, call.index) for one in scores
            ]
            found = bidder.log_likelihood(HANDS[:2], auction, i, partners)
            assert found == pytest.approx(expected, abs=3e-3)


def test_the_network_against_a_plain_transcription():
    """The same numbers from the parameters, one hand, one card, loops and no tables."""
    p = plain_network.plain(stored("play.npz"))
    auction = Auction.of("S:1H 2D 2H Pass 4H Pass Pass Pass")
    dummy, west = Hand.of("Q52.K984.4.AJ763"), Hand.of("A93.5.AK9762.K84")
    plays = _plays("W:DA D4 D5 D3", "W:DK H4 H2 D8", "N:S5 S7 SJ SA")
    seen = situations(HEARTS, auction, plays, dummy.mask)
    shown = [
        sum(
            p["reader_table_weight"][STARTS[-1] + c]
            for c in range(52)
            if int(m) >> c & 1
        )
        for m in seen.dummy
    ]
    known = plain_network.read(
        p,
        seen.tokens,
        np.array([x + np.zeros(p["reader_table_weight"].shape[1]) for x in shown]),
    )
    rest, expected = west, 0.0
    for i, (seat, card) in enumerate(plays):
        if seat != Seat.W:
            continue
        legal = [
            c.index for c in rest if seen.led[i] == NO_SUIT or c.suit == seen.led[i]
        ] or [c.index for c in rest]
        found = plain_network.scores(p, known[HEARD + i], rest.mask)
        expected += plain_network.log_chance(found, legal, card.index)
        rest -= Hand.of(card)
    masks = np.array([west.mask], np.uint64)
    player = LearnedPlayer(slip=0.0)
    assert player.log_likelihood(masks, HEARTS, plays, Seat.W, auction, dummy)[
        0
    ] == pytest.approx(expected, abs=2e-3)
    assert player.log_likelihood(masks, HEARTS, plays, Seat.W, auction)[
        0
    ] != pytest.approx(expected, abs=2e-3)
