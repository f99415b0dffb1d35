"""Auctions as the learned bidder sees them, against the rules of the auction itself."""

import numpy as np

from bayesbridge.auction import Auction
from bayesbridge.bidders.learned import OPENING, PLACES, STARTS, encode, suit_features
from bayesbridge.cards import HIGH_CARD_POINTS


def _random_auction(rng: np.random.Generator) -> Auction:
    auction = Auction.four("NESW"[rng.integers(4)])
    while not auction.is_over:
        legal = auction.legal_calls()
        # Low calls mostly, or every auction would jump to the seven level and end.
        auction = auction.after(legal[min(int(rng.geometric(0.35)) - 1, len(legal) - 1)])
    return auction


def test_legal_calls_are_those_of_the_rules():
    rng = np.random.default_rng(1)
    doubles = redoubles = 0
    for _ in range(200):
        auction = _random_auction(rng)
        legal = encode([call.index for call in auction.calls], False, False).legal
        for i in range(len(auction.calls)):
            before = Auction(auction.first, auction.calls[:i])
            assert [call.index for call in before.legal_calls()] == np.flatnonzero(legal[i]).tolist()
        doubles += legal[:, 1].any()
        redoubles += legal[:, 2].any()
    assert doubles > 50
    assert redoubles > 5


def test_tokens_tell_the_state_of_the_auction():
    rng = np.random.default_rng(2)
    for _ in range(50):
        auction = _random_auction(rng)
        calls = [call.index for call in auction.calls]
        parts = encode(calls, True, False).tokens - STARTS[:-1]
        assert parts[:, 0].tolist() == [OPENING, *calls[:-1]]
        for i in range(len(calls)):
            before = list(auction)[:i]
            bids = [(place, call) for place, (_, call) in enumerate(before) if call.index > 2]
            place, last = bids[-1] if bids else (None, None)
            doubles = [call.index for _, call in before[place:] if call.index in (1, 2)] if bids else []
            owner = 4 if place is None else (place - i) % 4
            assert parts[i, 1:4].tolist() == [last.index - 2 if last else 0, len(doubles), owner]
            assert parts[i, 5] == min(i, PLACES - 1)


def test_vulnerability_is_told_from_the_callers_side():
    steps = encode([0, 0, 3, 0, 0, 0], dealer_vulnerable=True, others_vulnerable=False)
    assert (steps.tokens - STARTS[:-1])[:, 4].tolist() == [2, 1] * 3


def test_an_auction_reads_the_same_however_it_goes_on():
    short, long = encode([3, 0, 7], True, True), encode([3, 0, 7, 0, 0, 0], True, True)
    for a, b in zip(short, long, strict=True):
        assert np.array_equal(a, b[:3])


def test_suit_features_against_a_count_card_by_card():
    features = suit_features()
    for holding in (0, 1, 0x1FFF, 0b1010000000101, 0b0111000000000):
        ranks = [rank for rank in range(13) if holding >> rank & 1]
        row = features[holding]
        assert np.flatnonzero(row[:13]).tolist() == ranks
        assert row[13 + len(ranks)] == row[13:27].sum() == row[27 + (holding >> 9)] == row[27:43].sum() == 1
        assert row[43] == sum(HIGH_CARD_POINTS[rank] for rank in ranks) / 4
        assert row[45] == 2 * (12 in ranks) + (11 in ranks)
