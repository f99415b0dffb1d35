"""A bidder model of a plugin works in an isolated process: the same answers, and one line that names it if it fails."""

import pickle
import sys

import numpy as np
import pytest

from bayesbridge import Auction, Belief, Called
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.simulate import call_probabilities
from bayesbridge.bidders.testing import check_bidder
from bayesbridge.cli import main
from bayesbridge.errors import PluginError
from bayesbridge.estimators import confined_bidders, discovery, serving
from bayesbridge.estimators.confined_bidders import ConfinedBidder, ConfinedLevelBidder
from bayesbridge.estimators.descriptions import describe_bidder
from bayesbridge.estimators.isolation import Isolated, Limits
from bayesbridge.evidence.models import Cost, LevelModel
from bayesbridge.notation.record import Vulnerability
from tests.bidders.conftest import deal_masks

PLUGIN = """
import os, time
from dataclasses import dataclass
import numpy as np
from bayesbridge import Cost, IterativeBidder, high_card_points, hookimpl
from bayesbridge.bidders.turn import Turn

@dataclass(frozen=True)
class Points:
    "Bids with twelve points or more, one of the legal bids at random; else passes."

    slip: float = 0.02
    cost = Cost(most_layouts=1000, moves=7)
    honour_values = (4, 3, 2, 1)

    def log_likelihood(self, hands, auction, index):
        turn = Turn.of(auction, index)
        legal = len(turn.before.legal_calls())
        bids = high_card_points(hands) >= 12
        meant = np.where(bids, 1 / (legal - 1), 0.0) if turn.call.is_bid else np.where(bids, 0.0, 1.0)
        return np.log((1 - self.slip) * meant + self.slip / legal)

class AtOnce(Points):
    "The same, which tells all chances at once."

    def probabilities(self, hands, auction):
        chances = np.zeros((len(hands), 38))
        for call in auction.legal_calls():
            chances[:, call.index] = np.exp(self.log_likelihood(hands, auction.after(call), len(auction.calls)))
        return chances

class Wild:
    def __init__(self, act):
        self.act = act

    def log_likelihood(self, hands, auction, index):
        return self.act(len(hands))

    def probabilities(self, hands, auction):
        return self.act(len(hands))

@hookimpl
def bayesbridge_bidders():
    return {
        "points": Points(),
        "at-once": AtOnce(),
        "paper": IterativeBidder(),
        "leaves": Wild(lambda n: os._exit(3)),
        "hangs": Wild(lambda n: time.sleep(1e6)),
        "raises": Wild(lambda n: 1 / 0),
        "positive": Wild(np.ones),
        "shape": Wild(lambda n: np.zeros(n + 1)),
        "nan": Wild(lambda n: np.full(n, np.nan)),
        "texts": Wild(lambda n: ["x"] * n),
        "negative": Wild(lambda n: np.full((n, 38), -1.0)),
    }
"""

HANDS = deal_masks(300, 1).ravel()
AUCTION = Auction.of("W:1C Pass", dummy="N")
WORDS = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--call", "W:1NT", "--draws", "50"]


@pytest.fixture(scope="module")
def bidders(install_for_all):
    """Bidder models of a plugin, isolated."""
    install_for_all("mine", PLUGIN)
    registry = discovery.isolated(Limits(timeout=60), keep=["points"])
    yield registry.bidders
    registry.bidders["points"].process.close()


def test_it_answers_as_it_would_here(bidders, monkeypatch):
    """In several pieces."""
    monkeypatch.setattr(confined_bidders, "HANDS", 500)
    points = bidders["points"]
    assert type(points) is ConfinedBidder
    assert not isinstance(points, LevelModel)
    assert not hasattr(points, "probabilities")
    assert repr(points) == "Points(slip=0.02)"
    assert points.cost == Cost(most_layouts=1000, moves=7)
    assert (points.honour_values, bidders["paper"].honour_values) == ((4, 3, 2, 1), None)
    found = points.log_likelihood(HANDS, AUCTION, 1)
    assert found.shape == HANDS.shape
    assert set(np.round(np.exp(found), 4)) == {round(0.02 / 35, 4), round(0.98 + 0.02 / 35, 4)}
    assert points.log_likelihood(HANDS[:0], AUCTION, 1).shape == (0,)
    check_bidder(points, hands=10)


def test_a_model_of_levels_stays_one_and_its_posterior_is_the_same(bidders):
    paper = bidders["paper"]
    assert type(paper) is ConfinedLevelBidder
    assert isinstance(paper, LevelModel)
    assert paper.suits is False
    np.testing.assert_array_equal(paper.bid_likelihood(AUCTION, 0), IterativeBidder().bid_likelihood(AUCTION, 0))
    own, other = (
        Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bidder).given(Called("W", "1NT")).infer(rng=1)
        for bidder in (IterativeBidder(), paper)
    )
    assert own.method == other.method
    np.testing.assert_array_equal(own.card_probabilities(), other.card_probabilities())


def test_all_chances_at_once(bidders):
    before = Auction.three("W")
    at_once = call_probabilities(bidders["at-once"], HANDS[:5], before)
    np.testing.assert_allclose(at_once, call_probabilities(bidders["points"], HANDS[:5], before), rtol=1e-12)


def test_settings_are_made_over_there(bidders):
    other = bidders["points"].__replace__(slip=0.5)
    assert repr(other) == "Points(slip=0.5)"
    assert np.exp(other.log_likelihood(HANDS, AUCTION, 1)).min() == pytest.approx(0.5 / 35)
    with pytest.raises(TypeError, match="bidder 'points' has no field vulnerable"):
        other.__replace__(vulnerable=Vulnerability.NS)
    assert repr(bidders["paper"].__replace__(slip=0.5)) == repr(IterativeBidder(slip=0.5))


def test_a_copy_starts_a_process_of_its_own(bidders):
    original = bidders["points"].__replace__(slip=0.5)
    copy = pickle.loads(pickle.dumps(original))
    assert repr(copy) == repr(original)
    np.testing.assert_array_equal(copy.log_likelihood(HANDS, AUCTION, 1), original.log_likelihood(HANDS, AUCTION, 1))
    assert copy.process.pid != original.process.pid
    copy.process.close()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("leaves", "ended its process with status 3 when asked about 1200 hands: fix it"),
        ("hangs", "gave no answer within 1 s when asked about 1200 hands: allow more with --timeout"),
        ("raises", r"failed \(model mine.Wild raised ZeroDivisionError on 1200 hands: division by zero\) when"),
        ("positive", r"failed \(model mine.Wild gave the log likelihood 1: return a number up to 0"),
        ("shape", r"failed \(model mine.Wild gave log likelihoods of shape \(1201,\) for 1200 hands"),
        ("nan", r"failed \(model mine.Wild gave the log likelihood nan"),
        ("texts", r"failed \(model mine.Wild raised ValueError on 1200 hands: could not convert"),
    ],
)
def test_one_that_misbehaves_is_named(bidders, name, says):
    bidder = bidders[name]
    if name == "hangs":
        bidder = bidder.limited(Limits(timeout=1, loading=60))
    with pytest.raises(PluginError, match=rf"^bidder model '{name}' of plugin 'mine' \(mine 1.2\) {says}"):
        bidder.log_likelihood(HANDS, AUCTION, 1)


def test_chances_are_checked(bidders):
    with pytest.raises(PluginError, match=r"'negative' .* gave chances that are no numbers from 0 on"):
        bidders["negative"].probabilities(HANDS, AUCTION)
    with pytest.raises(PluginError, match=r"'shape' .* failed \(probabilities gave shape \(1201,\) where \(1200, 38\)"):
        bidders["shape"].probabilities(HANDS, AUCTION)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"1234567", "gave 7 bytes where 9600 are expected"),
        (b"\0" * 7 + b"@" + bytes(9592), "gave the log likelihood 2:"),
    ],
)
def test_forged_answers_are_checked_here_too(bidders, monkeypatch, raw, says):
    monkeypatch.setattr(Isolated, "ask", lambda *_: ({}, raw))
    with pytest.raises(PluginError, match=says):
        bidders["points"].log_likelihood(HANDS, AUCTION, 1)


def test_forged_settings_are_checked(bidders, monkeypatch):
    monkeypatch.setattr(Isolated, "ask", lambda *_: ({"bidder": {"name": "x"}}, b""))
    with pytest.raises(PluginError, match="gave an answer that cannot be read when asked for slip"):
        bidders["points"].__replace__(slip=0.5)


def test_an_interrupt_names_it(bidders, monkeypatch):
    def ask(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Isolated, "ask", ask)
    with pytest.raises(
        KeyboardInterrupt, match="while bidder model 'hangs' of plugin 'mine' was asked about 1200 hands"
    ):
        bidders["hangs"].log_likelihood(HANDS, AUCTION, 1)


def test_the_command_line_asks_it_over_there(bidders, capsys):
    assert main(["estimate", *WORDS, "--bidder", "points", "--slip", "0.1", "--json"]) == 0
    assert main(["count", *WORDS[:-2], "--bidder", "points"]) == 0
    assert main(["count", *WORDS[:-2], "--bidder", "points", "--vulnerable", "NS"]) == 2
    assert "argument --vulnerable: bidder 'points' has no such setting" in capsys.readouterr().err
    assert main(["estimate", *WORDS, "--bidder", "hangs", "--timeout", "2"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "bayesbridge: bidder model 'hangs' of plugin 'mine' (mine 1.2) gave no answer within 2 s when"
    )
    assert err.count("\n") == 1
    assert main(["study", "calibration", "--deals", "2", "--bidder", "points", "--timeout", "50", "--json"]) == 0
    assert main(["study", "calibration", "--deals", "2", "--timeout", "no"]) == 2
    assert "argument --timeout: 'no': write a whole number from 1 on" in capsys.readouterr().err
    assert "mine" not in sys.modules


def test_the_other_side_here(monkeypatch):
    """The same code without a process, so that its lines are seen to run."""
    model = IterativeBidder()
    monkeypatch.setattr(serving, "_OFFERS", serving.Offers({}, {"paper": model}))
    slip = (("slip", 0.5),)
    head, raw = serving._METHODS["log_likelihood"]("paper", slip, HANDS, AUCTION, 1)
    np.testing.assert_array_equal(np.frombuffer(raw[0]), IterativeBidder(slip=0.5).log_likelihood(HANDS, AUCTION, 1))
    assert head == {}
    _, raw = serving._METHODS["bid_likelihood"]("paper", (), AUCTION, 1)
    np.testing.assert_array_equal(np.frombuffer(raw[0]), model.bid_likelihood(AUCTION, 1))
    assert serving._METHODS["settle"]("paper", slip)[0]["bidder"] == describe_bidder("paper", IterativeBidder(slip=0.5))
    assert serving._METHODS["settle"]("paper", (("no", 1),))[0] == {"bidder": None}
