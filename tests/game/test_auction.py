"""Auctions: golden ones, every mistake, and the number of all, counted two ways."""

import pickle
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesbridge import Auction
from bayesbridge.errors import IllegalCall
from bayesbridge.game.calls import CALLS, PASS, Call, Contract
from tests.game.test_cards import complaint
from tests.strategies import auctions, seats

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("auction", "contract"),
    [
        (Auction.of("S", "p 1C p p", dummy="N"), "1C by W"),
        # The winner of the auction plays it, even if another named the strain before.
        (Auction.of("S", "1C 2C p 3C p p", dummy="N"), "3C by S"),
        (Auction.of("S", "1C 2C p p", dummy="N"), "2C by W"),
        (Auction.of("S", "p p p", dummy="N"), None),
        (Auction.four("N").after_all("p p p p"), None),
        # North names spades first for the side, though South bids them last.
        (Auction.four("N").after_all("1S p 1NT p 2C p 2S p p p"), "2S by N"),
        # East's diamonds do not make East declarer of the other side's.
        (Auction.four("E").after_all("1D 2D p 3D X p p XX p p p"), "3DXX by S"),
        (Auction.four("S").after_all("1C X XX 1D p p p"), "1D by E"),
        (Auction.four("N").after_all("1H p p X p p XX p p p"), "1HXX by N"),
    ],
)
def test_golden(auction, contract):
    assert auction.is_over
    assert auction.turn is None
    assert auction.legal_calls() == ()
    assert auction.contract == (None if contract is None else Contract.of(contract))


class TestIllegal:
    @pytest.mark.parametrize(
        ("auction", "call", "says"),
        [
            (
                Auction.of("S:1NT", dummy="N"),
                "1S",
                "illegal call '1S' by W after 'S:1NT': it does not outrank 1NT",
            ),
            (
                Auction.of("S:1NT", dummy="N"),
                "1nt",
                "does not outrank 1NT; legal: Pass, 2C … 7NT",
            ),
            (
                Auction.of("S:1C", dummy="N"),
                "X",
                "nobody doubles in the three-player game",
            ),
            (
                Auction.of("S:p p p", dummy="N"),
                "1C",
                "illegal call '1C' after 'S:Pass Pass Pass': the auction is over",
            ),
            (Auction.of("N:p"), "X", "there is no bid yet"),
            (Auction.of("N:1C p"), "X", "1C is the own side's bid"),
            (Auction.of("N:1C X p"), "X", "1C is doubled already"),
            (Auction.of("N:1C"), "XX", "1C is not doubled"),
            (Auction.of("N:1C X p"), "XX", "1C is the other side's bid"),
            (Auction.of("N:1C X XX p p"), "XX", "1C is redoubled already"),
            (Auction.of("N:1C X 1D"), "1C", "legal: Pass, X, 1H … 7NT"),
        ],
    )
    def test_all_doors(self, auction, call, says):
        assert not auction.can(call)
        for door in (
            auction.verify,
            auction.after,
            lambda call: Auction.of(auction, [call]),
        ):
            with pytest.raises(IllegalCall) as caught:
                door(call)
            assert says in str(caught.value)
            assert len(str(caught.value).splitlines()) == 1
            assert caught.value.data["legal"] == auction.legal_calls()
            assert caught.value.data["auction"] == auction


class TestFill:
    def test_a_call_that_comes_too_late(self):
        with pytest.raises(
            IllegalCall,
            match=r"'2C' by S after 'S:1NT': the auction is over when W and E pass",
        ):
            Auction.three("S").after("1NT").fill("S", "2C")
        with pytest.raises(IllegalCall, match="the auction is over; call no more"):
            Auction.three("S").after_all("1NT p p").fill("S", "2C")

    @given(auctions())
    def test_interesting_calls_alone_give_the_auction_back(self, auction):
        filled = Auction(auction.first, (), auction.dummy)
        passes_filled = 0
        for seat, call in auction:
            if call != PASS:
                filled, passed = filled.fill(seat, call)
                passes_filled += len(passed)
        assert filled.calls == auction.calls[: len(filled.calls)]
        assert set(auction.calls[len(filled.calls) :]) <= {PASS}
        assert passes_filled == filled.calls.count(PASS)


class TestProperties:
    @given(auctions())
    def test_round_trip(self, auction):
        dummy = auction.dummy
        assert (
            Auction.of(str(auction), dummy=dummy)
            == Auction.of(auction)
            == eval(repr(auction))
            == auction
        )
        assert (
            Auction.of(auction.first, list(map(str, auction.calls)), dummy) == auction
        )
        assert pickle.loads(pickle.dumps(auction)) == auction
        assert hash(eval(repr(auction))) == hash(auction)

    @given(auctions())
    def test_doors_agree(self, auction):
        legal = auction.legal_calls()
        for call in CALLS:
            assert auction.can(call) == (call in legal)
            if call in legal:
                assert auction.verify(call) == call
                assert auction.after(call).calls == (*auction.calls, call)

    @given(auctions())
    def test_invariants(self, auction):
        bids = [call for call in auction.calls if call.is_bid]
        assert bids == sorted(set(bids))
        assert auction.last_bid == (bids[-1] if bids else None)
        players = 4 if auction.dummy is None else 3
        order = [seat for seat, _ in auction]
        assert auction.dummy not in order
        assert order[players:] == order[: len(order) - players][: len(order[players:])]
        tail = players - 1 if bids else players
        assert auction.is_over == (
            len(auction.calls) >= tail and set(auction.calls[-tail:]) == {PASS}
        )
        contract = auction.contract
        if contract is not None:
            assert Call.bid(contract.level, contract.strain) == bids[-1]
            if players == 3:
                assert contract.declarer is max(auction, key=lambda pair: pair[1])[0]

    @settings(max_examples=40)
    @given(seats, st.text(max_size=20))
    def test_any_text_is_read_or_refused_in_one_line(self, seat, text):
        for read in (Call.of, Contract.of, Auction.of, Auction(seat).after_all):
            assert len(complaint(read, text).splitlines()) <= 1


def count_auctions(start):
    """How many ways the auction can go on to its end.

    They are counted by walking every distinct state through ``legal_calls``. What may
    follow depends on the calls since the last bid, that bid, and who bids next relative
    to it: one representative of each such state stands for all. High bids come first,
    so that representatives are short.
    """
    counts = {}

    def count(auction):
        if auction.is_over:
            return 1
        since = max(
            (i for i, call in enumerate(auction.calls) if call.is_bid), default=0
        )
        state = auction.calls[since:]
        if state not in counts:
            counts[state] = sum(
                count(auction.after(call)) for call in reversed(auction.legal_calls())
            )
        return counts[state]

    return count(start)


@pytest.mark.parametrize(
    ("start", "number"),
    [
        # k of the 35 bids; 0, 1 or 2 passes before the first, 0 or 1 between two, and
        # all passing out.
        (
            Auction.three(),
            1 + sum(comb(35, k) * 3 * 2 ** (k - 1) for k in range(1, 36)),
        ),
        # The well-known number of possible bridge auctions, (4 * 22**35 - 1) / 3.
        (
            Auction.four(),
            128_745_650_347_030_683_120_231_926_111_609_371_363_122_697_557,
        ),
    ],
)
def test_number_of_auctions(start, number):
    assert (
        count_auctions(start)
        == number
        == ((3**36 - 1) // 2 if start.dummy is not None else (4 * 22**35 - 1) // 3)
    )
