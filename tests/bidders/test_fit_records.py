"""Calls on record: what they are called with, whose they are in files, and what is refused."""

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.bidders.fit import CallRecord, Design, bid_rates, records_of, records_of_tables
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.deal import Deal, Seat
from bayesbridge.notation import read_pbn

pytestmark = pytest.mark.quick

HAND = "AKQ52.J3.A94.K83"
DEAL = "N:J54.AQ2.KQ76.A54 T983.T954.J9.T96 AKQ2.KJ3.A54.Q32 76.876.T832.KJ87"
TABLES = read_pbn(f"""
[Board "1"]
[West "Wim"]
[North "Zoe"]
[East ""]
[South "Ann"]
[Vulnerable "NS"]
[Deal "{DEAL}"]
[Auction "N"]
1D Pass 2NT Pass 3NT Pass Pass Pass

[Board "2"]
[North "Zoe"]
[South "Ann"]
[Deal "{DEAL}"]
""").records


def test_vulnerable_players_are_more_cautious_on_record_too():
    """A quarter of a trick: the arrays of a vulnerable record are those of a player who is so much more timid."""
    auction = Auction.of("N:Pass 1H")
    free, vulnerable = (CallRecord("x", HAND, auction, 1, sides) for sides in ("NS", "EW"))
    style = np.array([[[0.5, 0.1, 0.8, 0.02]]])
    timid = style - np.array([0.25, 0.0, 0.0, 0.0])
    chances = Design.of([free, vulnerable], ["x"]).probabilities(style)[0]
    shifted = Design.of([free], ["x"]).probabilities(timid)[0, 0]
    assert chances[1, 0] > chances[0, 0]
    np.testing.assert_allclose(chances[1], shifted, atol=1e-12)
    bidder = StyleBidder(*style[0, 0].tolist(), vulnerable="EW")
    expected = bidder.probabilities(np.array([free.hand.mask], dtype=np.uint64), free.before)[0]
    np.testing.assert_allclose(chances[1], expected, atol=1e-12)
    rates = bid_rates([free, vulnerable], style[0])
    np.testing.assert_allclose(rates, chances[:, 3:].sum(axis=1).mean())


def test_tables_tell_players_and_pairs():
    one = records_of_tables(TABLES)
    assert [record.player for record in one] == ["Zoe", "Ann", "Wim", "Zoe", "Ann", "Wim"]
    assert {record.vulnerable.value for record in one} == {"NS"}
    assert one[0].hand == Deal.of(DEAL)["N"]
    pairs = records_of_tables(TABLES, by="pair")
    assert [record.player for record in pairs] == ["Ann & Zoe"] * 4  # nobody knows who sat opposite Wim
    names = {Seat.N: "Zoe", Seat.S: "Ann", Seat.W: "Wim"}
    assert one == records_of(DEAL, TABLES[0].auction, names, "NS")
