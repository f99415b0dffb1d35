"""Styles learned from records: the arrays against the bidder, the fit against the truth, ranks against uniformity."""

import numpy as np
import pytensor.tensor as pt
import pytest
import xarray
from pytensor.compile.mode import Mode
from scipy import stats

from bayesbridge.auction import Auction
from bayesbridge.bidders.fit import Prior, fit_styles, log_calls, with_predictions
from bayesbridge.bidders.records import CallRecord, Design, records_of
from bayesbridge.bidders.simulate import simulate_auction
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.styles import STYLE, Styles
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, DealError, IllegalCall
from tests.bidders.conftest import random_deals

HAND = "AKQ52.J3.A94.K83"
SMALL = {"draws": 150, "tune": 250, "chains": 2}
TIMID = -1.5, 0.0, 1.0, 0.02
PLAIN = Mode(linker="py", optimizer=None)
"""Evaluate without compiling."""


def play(bidders, names, deals, rng):
    """Records of simulated three-player auctions."""
    generator = np.random.default_rng(rng)
    records = []
    for deal in random_deals(deals, generator):
        auction = simulate_auction(deal, bidders, first="SWE"[generator.integers(3)], rng=generator)
        records += records_of(deal, auction, names)
    return records


@pytest.fixture(scope="module")
def table():
    """Two players, one bold and one cautious, and a known third."""
    bidders = {Seat.S: StyleBidder(), Seat.W: StyleBidder(1.2, 0.3, 0.7, 0.01), Seat.E: StyleBidder(-0.8, 0.3, 0.9)}
    return bidders, play(bidders, {Seat.W: "bold", Seat.E: "cautious"}, 40, 1)


def test_arrays_say_what_the_bidder_says(table):
    bidders, records = table
    design = Design.of(records, ["bold", "cautious"])
    pair = [bidders[Seat.W], bidders[Seat.E]]
    style = np.array([[getattr(bidder, name) for name in STYLE] for bidder in pair])
    found = design.probabilities(style[None])[0]
    logs = log_calls(design, [pt.as_tensor(column) for column in style.T]).eval(mode=PLAIN)
    for row, record in enumerate(records[:40]):
        before = Auction(record.auction.first, record.auction.calls[: record.index], record.auction.dummy)
        bidder, masks = pair[record.player == "cautious"], np.array([record.hand.mask], dtype=np.uint64)
        np.testing.assert_allclose(found[row], bidder.probabilities(masks, before)[0], atol=1e-12)
        assert logs[row] == pytest.approx(bidder.log_likelihood(masks, record.auction, record.index)[0])


@pytest.fixture(scope="module")
def fitted(table):
    return fit_styles(table[1], rng=1, **SMALL)


def test_a_fit_finds_the_players(fitted, table):
    assert fitted.players == ("bold", "cautious")
    assert fitted.worst_rhat < 1.1
    assert fitted.divergences < 20
    for name, bidder in (("bold", table[0][Seat.W]), ("cautious", table[0][Seat.E])):
        draws = fitted.draws(name)
        truth = np.array([getattr(bidder, parameter) for parameter in STYLE])
        assert (np.abs(draws.mean(axis=0) - truth) < 5 * draws.std(axis=0)).all()
    assert (fitted.draws("bold")[:, 0] > fitted.draws("cautious")[:, 0]).mean() > 0.99
    assert list(fitted.summary().index) == [f"{name}[{player}]" for name in STYLE for player in fitted.players]


def test_calls_simulated_from_the_fit_look_like_those_on_record(fitted):
    shares = {name: share for name, (_, share) in fitted.check().items()}
    assert all(0.01 < share < 0.99 for share in shares.values()), shares


def test_a_model_that_cannot_bid_so_is_found_out(table):
    bold = [record for record in table[1] if record.player == "bold"]
    timid = {
        name: (("chain", "draw", "player"), np.full((1, 50, 1), value))
        for name, value in zip(STYLE, TIMID, strict=True)
    }
    tree = xarray.DataTree.from_dict({"posterior": xarray.Dataset(timid, coords={"player": ["bold"]})})
    checked = Styles(with_predictions(tree, Design.of(bold, ["bold"]), 50, np.random.default_rng(1))).check()
    assert checked["passes"][1] < 0.01
    assert checked["mean level"][1] > 0.99


def test_saved_and_loaded_it_is_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "styles.nc")
    loaded = Styles.load(tmp_path / "styles.nc")
    np.testing.assert_array_equal(loaded.values, fitted.values)
    assert (loaded.players, loaded.check(), loaded.divergences) == (
        fitted.players, fitted.check(), fitted.divergences,
    )  # fmt: skip
    with pytest.raises(BayesBridgeError, match="no file"):
        Styles.load(tmp_path / "none.nc")


def test_bidders_come_out_of_a_fit(fitted, random_hands):
    mean, mixture = fitted.bidder("bold"), fitted.mixture("bold", 8)
    assert mean.aggressiveness == pytest.approx(fitted.draws("bold")[:, 0].mean())
    assert len(mixture.bidders) == 8
    chances = mixture.probabilities(random_hands[:10], Auction.three("S"))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    with pytest.raises(BayesBridgeError, match="no player 'timid' among those fitted: bold, cautious"):
        fitted.bidder("timid")


def test_records_that_cannot_be_are_refused():
    auction = Auction.of("S:1NT Pass Pass", dummy="N")
    with pytest.raises(IllegalCall, match="call number 3 of"):
        CallRecord("x", HAND, auction, 3)
    with pytest.raises(DealError, match="W's hand"):
        CallRecord("x", "AK...", auction, 1)
    with pytest.raises(BayesBridgeError, match="no records"):
        fit_styles([])
    with pytest.raises(BayesBridgeError, match="prior of logit_slip"):
        Prior(logit_slip=(0.0, -1.0))


@pytest.mark.slow
def test_ranks_of_the_truth_are_uniform():
    """Simulation-based calibration: 60 players drawn from the prior, fitted side by side, ranks of the truth."""
    prior, generator = Prior(), np.random.default_rng(5)
    truth = [prior.draw(generator) for _ in range(60)]
    records = []
    for number, bidder in enumerate(truth):
        records += play(
            {Seat.S: StyleBidder(), Seat.W: bidder, Seat.E: StyleBidder()}, {Seat.W: f"{number:02}"}, 12, generator
        )
    fitted = fit_styles(records, prior, pooled=False, draws=250, tune=500, chains=2, rng=6)
    assert fitted.worst_rhat < 1.1
    for column, name in enumerate(STYLE):
        actual = np.array([getattr(bidder, name) for bidder in truth])
        share = (fitted.values[:, :, column] < actual).mean(axis=0)
        assert stats.kstest(share, "uniform").pvalue > 1e-6, name
        inside = (share > 0.1) & (share < 0.9)
        assert stats.binomtest(int(inside.sum()), len(truth), 0.8).pvalue > 1e-6, name
    # A negative control: against another player's truth the ranks are not uniform.
    others = (fitted.values[:, :, 0] < np.roll([bidder.aggressiveness for bidder in truth], 1)).mean(axis=0)
    assert stats.kstest(others, "uniform").pvalue < 0.01
