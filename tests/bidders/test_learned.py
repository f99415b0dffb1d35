"""The learned bidder: a likelihood by construction, and one that knows what experts know."""

import time

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.bidders.learned import STARTS, LearnedBidder, encode, stored
from bayesbridge.calls import CALLS, Call, Vulnerability
from bayesbridge.cards import DECK_MASK, Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel
from tests.bidders import plain_network

AUCTIONS = (
    "N:",
    "E:1NT",
    "S:1H X XX",
    "W:Pass Pass 1S 2D X Pass",
    "N:1S Pass 2NT Pass 4NT Pass 5H Pass 6S",
    "E:7NT X XX",
)


def _random_hands(n: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    bits = np.uint64(1) << np.arange(52, dtype=np.uint64)
    return np.array([bits[rng.permutation(52)[:13]].sum() for _ in range(n)], np.uint64)


def _points(hands: np.ndarray) -> np.ndarray:
    return np.array([Hand(int(mask)).points for mask in hands])


def _lengths(hands: np.ndarray, suit: int) -> np.ndarray:
    return np.bitwise_count(hands >> np.uint64(13 * suit) & np.uint64(0x1FFF))


HANDS = _random_hands(3000)


def _seen_after(text: str) -> np.ndarray:
    """(n,) weights of HANDS after the last call of an auction, by its caller."""
    auction = Auction.of(text)
    log = LearnedBidder().log_likelihood(HANDS, auction, len(auction.calls) - 1)
    return np.exp(log) / np.exp(log).sum()


def test_it_is_a_bidder_model():
    assert isinstance(LearnedBidder(), BidderModel)
    assert eval(repr(LearnedBidder("EW", 0.01))) == LearnedBidder("EW", 0.01)


@pytest.mark.parametrize("text", AUCTIONS)
@pytest.mark.parametrize("slip", [0.0, 1e-4, 0.5])
def test_probabilities_sum_to_one_over_the_legal_calls(text: str, slip: float):
    auction = Auction.of(text)
    chances = LearnedBidder(slip=slip).probabilities(HANDS[:50], auction)
    assert chances.shape == (50, 38)
    assert chances.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    illegal = [call.index for call in CALLS if not auction.can(call)]
    assert not chances[:, illegal].any()
    legal = [call.index for call in auction.legal_calls()]
    assert (chances[:, legal] >= slip / len(legal) * (1 - 1e-6)).all()


@pytest.mark.parametrize("text", AUCTIONS)
def test_log_likelihood_is_the_log_of_the_probability_of_the_call_made(text: str):
    auction = Auction.of(text)
    bidder = LearnedBidder("NS")
    for i, call in enumerate(auction.calls):
        before = Auction(auction.first, auction.calls[:i])
        chances = bidder.probabilities(HANDS[:20], before)[:, call.index]
        assert bidder.log_likelihood(HANDS[:20], auction, i) == pytest.approx(np.log(chances), abs=1e-4)


def test_many_hands_at_once_are_each_as_if_alone():
    auction = Auction.of("N:1C 1S X 2S 3D Pass")
    bidder = LearnedBidder()
    many = bidder.log_likelihood(HANDS, auction, 4)
    alone = [bidder.log_likelihood(HANDS[i : i + 1], auction, 4)[0] for i in range(0, 3000, 300)]
    assert many[::300] == pytest.approx(alone, abs=1e-4)
    assert bidder.log_likelihood(HANDS[::2], auction, 4) == pytest.approx(many[::2], abs=1e-4)
    assert bidder.log_likelihood(HANDS[:0], auction, 4).shape == (0,)


def test_the_network_against_a_plain_transcription():
    """The same numbers from the parameters, one hand, one call, loops and no tables."""
    p = plain_network.plain(stored("auction.npz"))
    auction = Auction.of("E:Pass 1H 1S 2C 2S Pass Pass X Pass")
    bidder = LearnedBidder("EW", slip=0.0)
    steps = encode([call.index for call in auction.calls], True, False)
    known = plain_network.read(p, steps.tokens)
    for i, call in enumerate(auction.calls):
        for mask in HANDS[:3]:
            found = plain_network.scores(p, known[i], int(mask))
            expected = plain_network.log_chance(found, np.flatnonzero(steps.legal[i]).tolist(), call.index)
            assert bidder.log_likelihood(np.array([mask]), auction, i)[0] == pytest.approx(expected, abs=2e-3)


def test_the_parameter_file_is_whole_and_small():
    p = stored("auction.npz")
    width, choices = p["reader_table_weight"].shape[1], 38
    assert len(p["reader_table_weight"]) == STARTS[-1]
    assert p["head_out_weight"].shape[0] == p["head_context_out_weight"].shape[0] == choices
    assert p["head_context_out_weight"].shape[1] == p["head_shift_weight"].shape[1] == width
    assert all(np.isfinite(value).all() for value in p.values())
    assert sum(value.size for value in p.values()) < 2_000_000


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
def test_known_hands_get_known_calls(hand: str, auction: str, expected: set[str]):
    chances = LearnedBidder().probabilities(np.array([Hand.of(hand).mask], np.uint64), Auction.of(auction))
    assert str(CALLS[chances[0].argmax()]) in expected


def test_openings_tell_what_they_promise():
    points = _points(HANDS)
    notrump = _seen_after("N:1NT")
    assert 13.5 < notrump @ points < 16.5
    assert notrump @ points > points.mean() + 3
    assert max(notrump @ _lengths(HANDS, suit) for suit in range(4)) < 4
    assert _seen_after("N:1S") @ _lengths(HANDS, 3) > 4.9
    assert _seen_after("N:3H") @ _lengths(HANDS, 2) > 5.5
    assert _seen_after("N:3H") @ points < 10
    assert _seen_after("N:Pass") @ points < points.mean()


def test_passing_partners_opening_shows_weakness_and_doubling_it_shows_shortness():
    points = _points(HANDS)
    assert _seen_after("N:1H Pass Pass") @ points < 7
    doubler = _seen_after("N:1H X")
    assert doubler @ points > 12
    assert doubler @ _lengths(HANDS, 2) < 2.8


def test_vulnerability_matters_and_belongs_to_a_side():
    weak = np.array([Hand.of("QJ98742.3.954.73").mask], np.uint64)
    north, east = Auction.of("N:3S"), Auction.of("E:3S")
    white, red = LearnedBidder("EW"), LearnedBidder("NS")
    assert white.log_likelihood(weak, north, 0) > red.log_likelihood(weak, north, 0) + 0.3
    assert white.log_likelihood(weak, north, 0) == pytest.approx(red.log_likelihood(weak, east, 0))


def test_no_hand_is_ever_impossible():
    absurd = Auction.of("N:7NT")
    log = LearnedBidder().log_likelihood(HANDS, absurd, 0)
    assert np.isfinite(log).all()
    assert log.min() >= np.log(1e-4 / 36) - 1e-3


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


@pytest.mark.slow
def test_a_million_hands(capsys: pytest.CaptureFixture[str]):
    rng = np.random.default_rng(3)
    bits = np.uint64(1) << np.arange(52, dtype=np.uint64)
    hands = rng.permuted(np.tile(bits, (250_000, 1)), axis=1).reshape(1_000_000, 13).sum(axis=1)
    assert (np.bitwise_count(hands) == 13).all()
    assert np.bitwise_or.reduce(hands) == DECK_MASK
    start = time.perf_counter()
    log = LearnedBidder().log_likelihood(hands, Auction.of("N:1NT"), 0)
    with capsys.disabled():
        print(f"\n{len(log) / (time.perf_counter() - start):.3g} likelihoods a second")
    assert log.shape == (1_000_000,)
    few = np.exp(LearnedBidder().log_likelihood(HANDS, Auction(Seat.N, (Call.of("1NT"),)), 0))
    assert np.exp(log).mean() == pytest.approx(few.mean(), abs=5 * few.std() / np.sqrt(len(few)))
