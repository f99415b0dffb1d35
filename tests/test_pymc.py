"""Calls over hidden hands in PyMC models.

The table is compared with beliefs and simulation, the interpolation with calculus, the
posterior with quadrature and simulated truths.
"""

import subprocess
import sys
from functools import partial

import arviz as az
import numpy as np
import pytest
from scipy import stats
from scipy.interpolate import CubicSpline
from scipy.special import logsumexp

import bayesbridge as bb
from bayesbridge import Seat, StyleBidder
from bayesbridge.bidders.auctions import Turn, simulate_auction
from bayesbridge.errors import BayesBridgeWarning
from bayesbridge.pymc import Grid, beyond_grid, hidden_calls, tabulate_calls
from tests.belief.test_joint import SOME
from tests.bidders.conftest import density_of
from tests.deals import random_deal

SOBER = StyleBidder()
GRID = {"aggressiveness": np.linspace(-3, 3, 13)}
MIXED = [0, 3, 6, 9, 12]  # the points of GRID that layouts are drawn by
FAR = np.linspace(-20, 20, 1601)  # styles, far beyond the grid
IMPOSSIBLE = 1e-6  # a p-value that does not occur


class SeatBidder:
    """West by one model, the others by another."""

    def __init__(self, west, others=SOBER):
        self.west = west
        self.others = others

    def log_likelihood(self, hands, auction, index):
        is_west = Turn.of(auction, index).seat == Seat.W
        model = self.west if is_west else self.others
        return model.log_likelihood(hands, auction, index)


class NeverBidsIfTimid(StyleBidder):
    """A style that cannot make any call where it is below 0."""

    def log_likelihood(self, hands, auction, index):
        log = super().log_likelihood(hands, auction, index)
        return log if self.aggressiveness >= 0 else np.full(len(log), -np.inf)


def evening(style, boards, rng):
    """What South knows of some boards, at which West has a style."""
    players = dict.fromkeys(Seat, SOBER) | {Seat.W: StyleBidder(style)}
    beliefs = []
    for board in range(boards):
        deal = random_deal(rng)
        auction = simulate_auction(deal, players, Seat(board % 4), None, rng)
        belief = bb.Belief("S", deal["S"], dummy=None, bidder=SOBER)
        beliefs.append(belief.given(auction))
    return beliefs


@pytest.fixture(scope="module")
def boards():
    return evening(0.8, 4, np.random.default_rng(5))


@pytest.fixture(scope="module")
def table(boards):
    return tabulate_calls(boards, StyleBidder, GRID, "W", draws=500, rng=1)


# The table


def test_where_all_layouts_are_walked_the_table_is_the_evidence_of_other_beliefs():
    table = tabulate_calls([SOME], StyleBidder, GRID, Seat.W, draws=2)
    assert not table.error.any()
    for place in (0, 4, 12):
        west = StyleBidder(GRID["aggressiveness"][place])
        posterior = SOME.with_bidder(SeatBidder(west, SOME.bidder)).infer()
        assert posterior.exact
        entry = table.log_likelihood[0, place]
        assert entry == pytest.approx(posterior.log_marginal, abs=1e-9)


def test_the_table_is_the_evidence_of_other_beliefs_within_its_error(boards, table):
    def errors_apart(entry, style):
        bidder = SeatBidder(StyleBidder(style))
        posterior = boards[3].with_bidder(bidder).infer(draws=2000, rng=2)
        error = np.hypot(table.error[3, entry], table.row_error[3])
        error = np.hypot(error, posterior.log_marginal_error)
        return (table.log_likelihood[3, entry] - posterior.log_marginal) / error

    timid = 4
    bold = 10
    assert abs(errors_apart(timid, GRID["aggressiveness"][timid])) < 5
    assert abs(errors_apart(bold, GRID["aggressiveness"][bold])) < 5
    assert abs(errors_apart(timid, GRID["aggressiveness"][bold])) > 5


def test_the_error_is_the_spread_over_seeds(boards):
    tables = [
        tabulate_calls(boards[:2], StyleBidder, GRID, "W", draws=300, rng=seed)
        for seed in range(12)
    ]
    rows = np.array([table.log_likelihood for table in tables])
    heights = logsumexp(rows[..., MIXED], axis=-1)
    degrees = (len(tables) - 1) * 2

    def p_value(spread, error):
        """Two-sided, of a χ² test of (seeds, boards) numbers."""
        statistic = (len(tables) - 1) * (spread.var(axis=0, ddof=1) / error**2).sum()
        return 2 * min(
            stats.chi2.cdf(statistic, degrees), stats.chi2.sf(statistic, degrees)
        )

    for place in (0, 6, 12):
        error = np.mean([table.error[:, place] for table in tables], axis=0)
        assert p_value(rows[..., place] - heights, error) > IMPOSSIBLE
        assert p_value(rows[..., place] - heights, error / 4) < IMPOSSIBLE
    row_error = np.mean([table.row_error for table in tables], axis=0)
    assert p_value(heights, row_error) > IMPOSSIBLE
    assert p_value(heights, row_error / 4) < IMPOSSIBLE


@pytest.mark.parametrize(("style", "place", "opposite"), [(-2, 2, 10), (2, 10, 2)])
def test_auctions_begin_as_heard_as_often_as_the_table_says(style, place, opposite):
    auction_heard = bb.Auction.of("W:Pass Pass 1C")  # East's own call is no evidence
    belief = bb.Belief("E", "AQ87.K54.QT3.K62", dummy=None, bidder=SOBER)
    table = tabulate_calls(
        [belief.given(auction_heard)], StyleBidder, GRID, "W", draws=4000, rng=1
    )
    rng = np.random.default_rng(2)
    auctions = [table.simulate(0, {"aggressiveness": style}, rng) for _ in range(500)]
    share = np.mean(
        [auction.calls[:2] == auction_heard.calls[:2] for auction in auctions]
    )
    probability = np.exp(table.log_likelihood[0])
    error = np.sqrt(probability * (1 - probability) / len(auctions))
    assert abs(share - probability[place]) < 5 * error[place]
    assert abs(share - probability[opposite]) > 5 * error[opposite]


def test_the_observer_may_have_more_evidence_and_partners_may_bid_alike(boards):
    deal_of_void = boards[0].given(bb.Length("W", "S", 0, 3))
    grid = {"aggressiveness": np.linspace(-1, 1, 4)}
    table = tabulate_calls([deal_of_void], StyleBidder, grid, "EW", draws=300, rng=1)
    assert [seat.name for seat in table.seats] == ["E", "W"]
    assert (table.layouts[0].lengths[:, Seat.W, 3] <= 3).all()
    hands = table.layouts[0].masks[:, Seat.S]
    assert (hands == boards[0].hand.mask).all()


def test_each_board_may_have_a_bidder_of_its_own(boards):
    grid = {"aggressiveness": np.linspace(-1, 1, 4)}
    bidders = [partial(StyleBidder, vulnerable=sides) for sides in ("none", "EW")]
    same_board = [boards[3], boards[3]]
    table = tabulate_calls(same_board, bidders, grid, "W", draws=300, rng=1)
    shift = 0.25  # tricks that a vulnerable player holds back
    sober_vulnerable = table.log_likelihood[1, 0]
    styles = grid["aggressiveness"]
    bolder = {"aggressiveness": styles - shift}
    shifted = tabulate_calls([boards[3]], StyleBidder, bolder, "W", draws=300, rng=1)
    error = np.hypot(table.error[1, 0], shifted.error[0, 0])
    error = np.hypot(error, np.hypot(table.row_error[1], shifted.row_error[0]))
    assert abs(sober_vulnerable - shifted.log_likelihood[0, 0]) < 5 * error


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": {}}, "a grid of 0 unknowns: give values of one or two"),
        ({"grid": {"slip": [0.1, 0.2, 0.3]}}, "give 4 or more rising numbers"),
        ({"grid": {"slip": [0.1, 0.2, 0.2, 0.3]}}, "give 4 or more rising numbers"),
        ({"seats": "S"}, "board 0: S is the observer"),
        ({"seats": ""}, "1 boards, 1 bidders and 0 seats: give a board and a seat"),
        ({"boards": []}, "0 boards, 0 bidders and 1 seats: give a board"),
        ({"bidder": [StyleBidder] * 3}, "1 boards, 3 bidders and 1 seats"),
        ({"boards": [bb.Belief("S", "AQ87.K54.QT3.K62")]}, "board 0: W has not called"),
        (
            {"bidder": NeverBidsIfTimid},
            "board 0: no layout drawn explains the calls under NeverBidsIfTimid",
        ),
    ],
)
def test_what_cannot_be_tabulated_is_refused(boards, change, message):
    request = {"boards": boards[3:], "bidder": StyleBidder, "grid": GRID, "seats": "W"}
    with pytest.raises(bb.BayesBridgeError, match=message):
        tabulate_calls(**(request | change), draws=100, rng=1)


# Between and beyond the points of the grid


def plain_mode():
    """PyTensor without compiling, and without rewriting what is asked."""
    from pytensor.compile.mode import Mode

    return Mode(linker="py", optimizer=None)


def interpolated(grid, pieces, unknowns):
    """(n,) values of the first board and (n, unknowns) their gradient."""
    import pytensor
    import pytensor.tensor as pt

    points = [pt.dvector() for _ in unknowns]
    board = pt.as_tensor(np.repeat(pieces[:1], len(unknowns[0]), axis=0))
    values = grid.interpolate(board, points)
    gradient = pytensor.grad(values.sum(), points)
    function = pytensor.function(points, [values, *gradient], mode=plain_mode())
    numbers = function(*unknowns)
    return numbers[0], np.stack(numbers[1:], axis=-1)


def surface(x, y):
    """A cubic in each of two unknowns, and its gradient."""
    values = 1 + 2 * x - x**2 + 0.5 * x**3 * y - x * y**2 + 0.1 * y**3
    along_x = 2 - 2 * x + 1.5 * x**2 * y - y**2
    along_y = 0.5 * x**3 - 2 * x * y + 0.3 * y**2
    return values, np.stack([along_x, along_y], axis=-1)


def test_a_cubic_is_met_on_the_grid_and_its_tangent_beyond():
    grid = Grid.of({"x": [-2.0, -1.0, 0.5, 1.0, 2.0]})
    pieces = grid.pieces(surface(grid.points[0], 0.5)[0][None])
    inside = np.linspace(-2, 2, 41)
    values, gradient = interpolated(grid, pieces, [inside])
    truth, slopes = surface(inside, 0.5)
    np.testing.assert_allclose(values, truth, atol=1e-12)
    np.testing.assert_allclose(gradient[:, 0], slopes[:, 0], atol=1e-12)
    beyond = np.array([-100.0, -2.001, 2.001, 100.0])
    values, gradient = interpolated(grid, pieces, [beyond])
    truth, slopes = surface(beyond.clip(-2, 2), 0.5)
    tangents = truth + slopes[:, 0] * (beyond - beyond.clip(-2, 2))
    np.testing.assert_allclose(values, tangents, atol=1e-9)
    np.testing.assert_allclose(gradient[:, 0], slopes[:, 0], atol=1e-12)


def test_two_unknowns_are_met_on_the_grid_and_go_on_straight_and_smoothly():
    x = np.linspace(-2, 2, 7)
    y = np.linspace(0, 3, 6)
    grid = Grid.of({"x": x, "y": y})
    pieces = grid.pieces(surface(x[:, None], y)[0][None])
    rng = np.random.default_rng(1)
    inside = rng.uniform(x[0], x[-1], 200), rng.uniform(y[1], y[-2], 200)
    values, gradient = interpolated(grid, pieces, inside)  # but for the corner pieces
    truth, slopes = surface(*inside)
    np.testing.assert_allclose(values, truth, atol=1e-11)
    np.testing.assert_allclose(gradient, slopes, atol=1e-11)

    check_straight_far_out(grid, pieces, rng)
    for edge in ((x[0], 0), (x[-1], 0), (y[0], 1), (y[-1], 1)):
        check_smooth_at(edge, grid, pieces, rng)


def check_straight_far_out(grid, pieces, rng):
    """Far out, where both are beyond the grid, every line is straight."""
    starts = rng.uniform(-2, 4, (2, 300))
    directions = rng.choice([-1, 1], (2, 300)) * rng.uniform(0.2, 1, (2, 300))
    lines = [
        interpolated(grid, pieces, starts + distance * directions)[0]
        for distance in (50, 60, 70)
    ]
    bend = lines[0] - 2 * lines[1] + lines[2]
    np.testing.assert_allclose(bend / np.abs(lines[2]).max(), 0.0, atol=1e-12)


def check_smooth_at(edge, grid, pieces, rng):
    """The gradient is the same on both sides of an edge: a number and its axis."""
    number, axis = edge
    places = rng.uniform(-20, 20, (2, 200))
    places[axis] = number
    step = np.zeros((2, 1))
    step[axis] = 1e-9
    before = interpolated(grid, pieces, places - step)[1]
    after = interpolated(grid, pieces, places + step)[1]
    np.testing.assert_allclose(before, after, atol=1e-4)


# In a model


def test_pymc_is_imported_by_models_only():
    code = (
        "import bayesbridge as bb, sys; bb.pymc.CallTable; print('pymc' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert (result.stdout, result.stderr) == ("False\n", "")


@pytest.fixture(scope="module")
def model(table):
    import pymc as pm

    with pm.Model() as model:
        style = pm.Normal("style", 0, 1)
        hidden_calls("calls", table, aggressiveness=style)
    return model


@pytest.fixture(scope="module")
def drawn(model):
    import pymc as pm

    with model:
        tree = pm.sample(
            500,
            tune=500,
            chains=2,
            cores=1,
            random_seed=1,
            progressbar=False,
            quiet=True,
        )
        pm.compute_log_likelihood(tree, progressbar=False)
    return tree


def old_tails(grid, values):
    """Pieces whose last cubics go on beyond the ends, as a recipe had them."""
    points = grid.points[0]
    curve = CubicSpline(points, values, axis=1, bc_type="natural")
    anchors = np.concatenate([points[:1], points])
    beyond = [points[0] - 1, *(points[:-1] + points[1:]) / 2, points[-1] + 1]
    pieces = np.empty((len(values), len(anchors), 4))
    for number, (anchor, place) in enumerate(zip(anchors, beyond, strict=True)):
        offsets = np.array([0.0, 0.25, 0.5, 1.0]) * np.sign(place - anchor)
        inside_one_cubic = curve(anchor + 0.1 * offsets)
        vandermonde = np.vander(0.1 * offsets, increasing=True)
        pieces[:, number] = np.linalg.solve(vandermonde, inside_one_cubic.T).T
    return pieces


def posterior_beyond(table, pieces):
    """(1601,) log posterior of a style of all boards at FAR, prior Normal(0, 1)."""
    rows = [
        interpolated(table.grid, pieces[board : board + 1], [FAR])[0]
        for board in range(len(pieces))
    ]
    return np.sum(rows, axis=0) + stats.norm.logpdf(FAR)


def test_the_posterior_is_proper_where_the_old_tails_were_not(table, model):
    density = density_of(model)
    logs = np.array([float(density({"style": np.array(style)})) for style in FAR[::80]])
    pieces = table.grid.pieces(table.log_likelihood)
    np.testing.assert_allclose(logs, posterior_beyond(table, pieces)[::80], atol=1e-9)
    likelihood = logs - stats.norm.logpdf(FAR[::80])
    beyond = np.abs(FAR[::80]) > 4
    bends = np.diff(likelihood, 2)[beyond[:-2] & beyond[2:]]
    left_and_right = len(bends) // 2
    np.testing.assert_allclose(bends[: left_and_right - 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(bends[left_and_right + 1 :], 0.0, atol=1e-9)
    assert logs[[0, -1]].max() < logs.max() - 100
    with_old_tails = posterior_beyond(
        table, old_tails(table.grid, table.log_likelihood)
    )
    assert np.argmax(with_old_tails) in (0, len(with_old_tails) - 1)


def test_draws_have_the_moments_of_a_sum_over_styles(table, drawn):
    log = posterior_beyond(table, table.grid.pieces(table.log_likelihood))
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    mean = weights @ FAR
    spread = np.sqrt(weights @ (FAR - mean) ** 2)
    draws = drawn["posterior"]["style"]
    error = float(az.mcse(draws))
    assert abs(float(draws.mean()) - mean) < 5 * error
    spread_error = float(az.mcse(draws, method="sd"))
    assert abs(float(draws.std()) - spread) < 5 * spread_error
    prior_spread = 1.0
    assert abs(prior_spread - spread) > 5 * spread_error


def test_boards_are_left_out_one_by_one(table, drawn):
    """``az.loo`` against a sum over styles, with the error of its draws."""
    log_rows = np.stack([
        interpolated(table.grid, row[None], [FAR])[0]
        for row in table.grid.pieces(table.log_likelihood)
    ])  # fmt: skip
    log_posterior = log_rows.sum(axis=0) + stats.norm.logpdf(FAR)
    log_others = log_posterior - log_rows
    elpd = logsumexp(log_posterior) - logsumexp(log_others, axis=1)
    loo = az.loo(drawn, pointwise=True)
    pointwise = drawn["log_likelihood"]["calls"].stack(sample=("chain", "draw")).values
    inverse = np.exp(-pointwise)
    effective_draws = float(az.ess(drawn["posterior"]["style"]))
    variation = inverse.std(axis=1) / inverse.mean(axis=1)
    error = variation / np.sqrt(effective_draws)
    assert pointwise.shape[0] == len(table.boards)
    assert (np.abs(loo.elpd_i.values - elpd) < 5 * error).all()
    assert (np.abs(loo.elpd_i.values[::-1] - elpd) > 5 * error).any()


def test_a_prior_beyond_the_grid_is_warned_of_and_compares_badly(table, drawn):
    import pymc as pm

    with pm.Model():
        style = pm.Normal("style", -4, 0.3)
        hidden_calls("calls", table, aggressiveness=style + np.zeros(4))
        tree = pm.sample(
            100,
            tune=200,
            chains=2,
            cores=1,
            random_seed=1,
            progressbar=False,
            quiet=True,
        )
        pm.compute_log_likelihood(tree, progressbar=False)
    with pytest.warns(BayesBridgeWarning, match="lies beyond the grid of calls, where"):
        assert beyond_grid(tree) > 0.9
    assert list(az.compare({"far": tree, "near": drawn}).index) == ["near", "far"]
    assert az.summary(drawn).index.tolist() == ["style", "calls_margin"]


def test_predictive_draws_are_auctions_of_the_boards(table, model, drawn):
    import pymc as pm

    few = drawn.isel(draw=slice(None, None, 250))
    with model:
        prior = pm.sample_prior_predictive(3, random_seed=1)
        posterior = pm.sample_posterior_predictive(
            few, random_seed=1, progressbar=False
        )
    simulated = [
        *prior["prior_predictive"]["calls"].values[0],
        *posterior["posterior_predictive"]["calls"].values[0],
    ]
    assert len(simulated) == 5
    for rows in simulated:
        for board, row in enumerate(rows):
            auction = table.auction(board, row)
            assert auction.is_over
            assert auction.first == table.boards[board].auction.first
    assert not (simulated[0] == simulated[1]).all()
    observed = drawn["observed_data"]["calls"].values
    auctions_heard = [
        str(table.auction(board, row)) for board, row in enumerate(observed)
    ]
    assert auctions_heard == [str(belief.auction) for belief in table.boards]
    np.testing.assert_array_equal(drawn["constant_data"]["calls_error"], table.error)


def test_only_the_auctions_that_were_heard_have_a_likelihood(table, model):
    import pymc as pm
    from pymc.logprob.utils import ParameterValueError

    def log_likelihood(calls):
        log = pm.logp(model["calls"], calls)
        return log.eval({model["style"]: 0.0}, mode=plain_mode())

    assert log_likelihood(table.calls).shape == (len(table.boards),)
    other_calls = table.calls.copy()
    other_calls[0, 0] += 1
    with pytest.raises(ParameterValueError, match="the table is of the calls heard"):
        log_likelihood(other_calls)


def test_unknowns_go_by_the_names_of_the_table(table):
    import pymc as pm

    with pm.Model(), pytest.raises(bb.BayesBridgeError, match="of aggressiveness"):
        hidden_calls("calls", table, style=0.0)


# Opponents whose style is known


def quantile_of_truth(table, pieces, style):
    """Posterior probability of a lower style than the true one."""
    log = posterior_beyond(table, pieces)
    weights = np.exp(log - log.max())
    return weights[style > FAR].sum() / weights.sum()


def agreement(quantiles):
    """Fisher's combined p-value of truths in the tails of their posteriors."""
    tails = 2 * np.minimum(quantiles, 1 - np.array(quantiles))
    with np.errstate(divide="ignore"):
        statistic = -2 * np.log(tails).sum()
    return stats.chi2.sf(statistic, 2 * len(tails))


def opponents(number, boards, draws):
    """Styles from Normal(0, 1), and tables of what was heard of each."""
    rng = np.random.default_rng(11)
    for style in rng.normal(size=number):
        beliefs = evening(style, boards, rng)
        yield (
            style,
            tabulate_calls(beliefs, StyleBidder, GRID, "W", draws=draws, rng=rng),
        )


def test_a_few_opponents_lie_where_their_posteriors_say():
    quantiles = []
    old_quantiles = []
    for style, table in opponents(6, boards=3, draws=300):
        pieces = table.grid.pieces(table.log_likelihood)
        old_pieces = old_tails(table.grid, table.log_likelihood)
        quantiles.append(quantile_of_truth(table, pieces, style))
        old_quantiles.append(quantile_of_truth(table, old_pieces, style))
    assert agreement(quantiles) > IMPOSSIBLE
    assert agreement(old_quantiles) < IMPOSSIBLE


@pytest.mark.slow
def test_forty_opponents_lie_where_draws_of_nuts_say():
    """Simulation-based calibration: ranks of truths among draws are uniform."""
    import pymc as pm

    quantiles = []
    old_quantiles = []
    for style, table in opponents(40, boards=14, draws=1000):
        with pm.Model():
            hidden_calls("calls", table, aggressiveness=pm.Normal("style", 0, 1))
            tree = pm.sample(
                500,
                tune=500,
                chains=2,
                cores=1,
                random_seed=1,
                progressbar=False,
                quiet=True,
            )
        quantiles.append(float((tree["posterior"]["style"] < style).mean()))
        old_pieces = old_tails(table.grid, table.log_likelihood)
        old_quantiles.append(quantile_of_truth(table, old_pieces, style))
    assert stats.kstest(quantiles, "uniform").pvalue > IMPOSSIBLE
    assert stats.kstest(old_quantiles, "uniform").pvalue < IMPOSSIBLE
