"""A style and a layout in one posterior: three ways, each against a sum over every layout and a grid of styles."""

from typing import NamedTuple

import arviz
import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import pytest
import xarray
from pymc.sampling.mcmc import assign_step_methods
from pymc.step_methods import NUTS, STEP_METHODS, Metropolis
from pytensor.compile.mode import Mode
from scipy import stats
from scipy.interpolate import RegularGridInterpolator

import bayesbridge as bb
from bayesbridge.bidders.features import cells
from bayesbridge.bidders.fit import Prior
from bayesbridge.bidders.records import CallRecord
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.styles import STYLE
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.sampling import Sampler
from bayesbridge.joint import infer_jointly
from bayesbridge.joint.layout import HandCells, LayoutStep, layout_variable
from bayesbridge.joint.marginal import Rows, log_marginal, log_weights
from bayesbridge.joint.question import StyleQuestion

OPEN = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Reveal("N", "J54.AQ2.KQ76.A54"))
CALLS = bb.Called("W", "1C"), bb.Called("E", "pass"), bb.Called("S", "1NT"), bb.Called("W", "2C")
SOME = OPEN.given(bb.Holds("E", "ST S9 S8 H9 C7"), bb.Holds("W", "HT H8 DJ DT C9 C8 CT"), *CALLS)
FEW = OPEN.given(bb.Holds("E", "ST S9 S8 H9 H5 C7 C6 D9 D8"), bb.Holds("W", "HT H8 DJ DT C9 C8 CT S7 S6"), *CALLS)
PLAIN = Mode(linker="py", optimizer=None)
"""Evaluate without compiling."""
KNOWN = Prior(suit_preference=(0.0, 0.0), logit_slip=(-4.0, 0.0))
"""Two numbers are not known: aggressiveness and temperature."""
RECORDS = [
    CallRecord("him", "KQ852.J3.A94.Q83", bb.Auction.of("W:2S", dummy="N"), 0),
    CallRecord("him", "Q8.KJ32.A942.T83", bb.Auction.of("W:1H", dummy="N"), 0),
]


class Truth(NamedTuple):
    means: dict[str, float]
    """Posterior mean of each parameter."""
    cards: np.ndarray
    """(52,) P(West holds the card)."""
    given: RegularGridInterpolator
    """The same as a function of the unknown parameters, on their normal scale."""
    nodes: np.ndarray
    """(n, 4) the grid of styles."""
    prior: np.ndarray
    """(n,) weights of the nodes before the calls."""


def by_enumeration(belief, prior, points, records=()):
    """The truth by a sum over every layout and a grid of styles."""
    grid = np.linspace(-4.0, 4.0, points)
    free = [spread > 0 for _, spread in prior.normals()]
    axes = np.meshgrid(*(grid if unknown else np.zeros(1) for unknown in free), indexing="ij")
    nodes = np.stack([axis.ravel() for axis in axes], axis=1)
    styles = [prior.bidder(node) for node in nodes]
    log_prior = -0.5 * (nodes**2).sum(axis=1)
    for record in records:
        masks = np.array([record.hand.mask], dtype=np.uint64)
        log_prior += [style.log_likelihood(masks, record.auction, record.index)[0] for style in styles]
    auction, total, held = belief.auction, np.zeros(len(nodes)), np.zeros((len(nodes), 52))
    for masks in Enumeration.of(belief.constraints).blocks():
        west = np.ascontiguousarray(masks[:, 3])
        other = belief.bidder.log_likelihood(masks[:, 1], auction, 1)
        holds = (west[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).astype(np.float32)
        for i, style in enumerate(styles):
            chance = np.exp(other + sum(style.log_likelihood(west, auction, index) for index in (0, 3)))
            total[i] += chance.sum()
            held[i] += chance.astype(np.float32) @ holds
    prior_weight = np.exp(log_prior - log_prior.max())
    weight = prior_weight * total
    means = {name: weight @ [getattr(s, name) for s in styles] / weight.sum() for name in STYLE}
    shape = [points] * sum(free) + [52]
    given = RegularGridInterpolator([grid] * sum(free), (held / total[:, None]).reshape(shape), bounds_error=False)
    given.fill_value = None  # beyond the grid, where hardly a draw falls, go on as at its edge
    return Truth(means, prior_weight @ held / weight.sum(), given, nodes, prior_weight)


def agrees(found, expected, more_error=0.0):
    """Means and cards within standard errors; those of cards from the chains, and ``more_error`` from elsewhere."""
    summary = found.styles.summary()
    for name in found.styles.unknown:
        row = summary.loc[f"{name}[W]"]
        assert abs(row["mean"] - expected.means[name]) < 5 * row["mcse_mean"], (name, row["mean"], expected.means[name])
    assert worst_z(found, expected, more_error) < 5.5
    return True


def worst_z(found, expected, more_error=0.0):
    """The largest error of a P(West holds the card), in standard errors."""
    drawn = found.styles.tree["posterior"].dataset
    p, n = expected.cards.clip(0, 1), drawn.sizes["chain"] * drawn.sizes["draw"]
    if "layout" in drawn:
        held = drawn["layout"].values[..., 3, None] >> np.arange(52) & 1
        # Rare cards are no normal deviates: none is asked to be closer than a few independent draws.
        least = np.sqrt(p * (1 - p) / n) + 1 / n
    else:
        z = np.stack([drawn[f"z_{name}"].values[..., 0] for name in found.styles.unknown], axis=-1)
        # Two hundred draws of the style are averaged over; the grid is good to 1e-4 of its own.
        held, least = expected.given(z[:, :: n // 200]), 1e-4
    error = arviz.mcse(xarray.DataArray(held.astype(float), dims=("chain", "draw", "card")), method="mean").values
    error = np.hypot(np.fmax(error, least), more_error)
    return float((np.abs(wests(found) - expected.cards) / error).max())


def wests(found):
    """(52,) P(West holds the card)."""
    return found.layouts.card_probabilities().sel(seat="W").values[::-1]


def test_counts_agree_with_enumeration():
    expected = by_enumeration(SOME, KNOWN, 13, RECORDS)
    found = infer_jointly(SOME, "W", RECORDS, KNOWN, draws=300, tune=300, rng=4)
    assert "3003 layouts, all walked" in found.layouts.why
    assert agrees(found, expected)
    without = by_enumeration(SOME, KNOWN, 13)
    assert abs(expected.means["aggressiveness"] - without.means["aggressiveness"]) > 0.05
    assert worst_z(found, without) > 5.5, "without the records it would fail"


def test_swaps_agree_with_enumeration():
    found = infer_jointly(SOME, "W", prior=KNOWN, method="swaps", draws=500, tune=250, rng=3)
    assert agrees(found, by_enumeration(SOME, KNOWN, 13))
    assert found.styles.tree["sample_stats"].dataset["moved"].mean() > 0.5
    assert np.isnan(found.layouts.entropy_bits)


def test_the_sum_over_layouts_in_the_graph_is_the_sum_over_layouts():
    question = StyleQuestion.of(SOME, "W", [], KNOWN)
    walk = Enumeration.of(SOME.constraints)
    masks = walk.stretch(0, len(walk))
    rows = Rows.of(question, walk.blocks(1000))
    assert len(rows) < len(masks) / 5
    style = StyleBidder(0.4, -0.3, 0.8, 0.05)
    west = [style.log_likelihood(masks[:, 3], SOME.auction, index) for index in (0, 3)]
    east = SOME.bidder.log_likelihood(masks[:, 1], SOME.auction, 1)
    expected = np.log(np.mean(np.exp(sum(west) + east)))
    symbols = [pt.as_tensor(np.array([getattr(style, name)])) for name in STYLE]
    assert log_marginal(question, rows, symbols).eval(mode=PLAIN) == pytest.approx(expected)
    weights = np.exp(log_weights(question, rows, np.array([[0.4, -0.3, 0.8, 0.05]])))
    np.testing.assert_allclose(weights / weights.sum(), np.exp(sum(west) + east - expected) / len(masks))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["counts", "draws", "swaps"])
def test_all_ten_million_layouts(method, all_layouts):
    prior, expected = all_layouts
    found = infer_jointly(
        OPEN.given(*CALLS), "W", prior=prior, method=method, layouts=100_000, draws=1000, tune=500, rng=5
    )
    assert found.layouts.count == 10_400_600
    if method == "draws":
        of_mean, of_cards = errors_of_drawing(OPEN.given(*CALLS), prior, expected, 100_000)
        row = found.styles.summary().loc["aggressiveness[W]"]
        error = np.hypot(row["mcse_mean"], of_mean)
        assert abs(row["mean"] - expected.means["aggressiveness"]) < 5 * error
        assert worst_z(found, expected, of_cards) < 5.5
    else:
        assert agrees(found, expected)


def errors_of_drawing(belief, prior, expected, layouts):
    """Standard errors of the mean aggressiveness and of (52,) P(West holds the card) that come from drawing layouts.

    Each is a ratio of sums over layouts: its error is the spread of what one layout adds, by the delta method.
    """
    masks = Sampler.of(belief.constraints).draw(20_000, rng=6)
    west, auction = np.ascontiguousarray(masks[:, 3]), belief.auction
    other = belief.bidder.log_likelihood(masks[:, 1], auction, 1)
    styles = [prior.bidder(node) for node in expected.nodes]
    chance = np.exp(other + [sum(style.log_likelihood(west, auction, index) for index in (0, 3)) for style in styles])
    weight = expected.prior @ chance
    aggressiveness = np.array([style.aggressiveness for style in styles])
    of_mean = (expected.prior * (aggressiveness - expected.means["aggressiveness"])) @ chance
    held = west[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
    of_cards = weight[:, None] * (held - expected.cards)
    return (of.std(axis=0) / weight.mean() / np.sqrt(layouts) for of in (of_mean, of_cards))


@pytest.fixture(scope="module")
def all_layouts():
    prior = Prior(suit_preference=(0.0, 0.0), log_temperature=(0.0, 0.0), logit_slip=(-4.0, 0.0))
    return prior, by_enumeration(OPEN.given(*CALLS), prior, 17)


@pytest.fixture
def model():
    """The layout as a variable, few layouts, and the style beside it."""
    question = StyleQuestion.of(FEW, "W", [], KNOWN)
    with pm.Model(coords={"player": ["W"]}) as built:
        layout_variable(question, question.style(), np.random.default_rng(1))
    return question, built


def test_pymc_gives_the_layout_to_its_own_step_and_never_to_metropolis(model):
    _, built = model
    assert LayoutStep in STEP_METHODS
    _, chosen = assign_step_methods(built)
    assert {step: [value.name for value in values] for step, values in chosen.items()} == {
        NUTS: ["z_aggressiveness", "z_temperature"],
        LayoutStep: ["layout"],
    }
    # What would happen without: the reason for all this.
    _, fallen = assign_step_methods(built, methods=[NUTS, Metropolis])
    assert [value.name for value in fallen[Metropolis]] == ["layout"]


def test_the_step_leaves_the_posterior_of_layouts_as_it_is(model):
    question, built = model
    point = built.initial_point()
    with built:
        step = LayoutStep([built.rvs_to_values[built["layout"]]], rng=2)
    style = question.prior.bidder([0.0, 0.0, 0.0, 0.0])
    masks = Enumeration.of(FEW.constraints).stretch(0, 10**6)
    log = question.log_seat(question.cells(masks), style) + question.log_others(masks)
    weights = np.exp(log - np.logaddexp.reduce(log))
    number = {row.tobytes(): i for i, row in enumerate(masks)}
    seen = np.zeros(len(masks))
    for _ in range(2000):
        point, _ = step.step(point)
        seen[number[point["layout"].astype(np.uint64).tobytes()]] += 1
    common = weights > np.quantile(weights, 0.2)
    binned = [*seen[common], seen[~common].sum()]
    assert stats.chisquare(binned, 2000 * np.array([*weights[common], weights[~common].sum()])).pvalue > 1e-6
    flat = np.full(len(masks), 1 / len(masks))
    assert stats.chisquare(binned, 2000 * np.array([*flat[common], flat[~common].sum()])).pvalue < 1e-9


def test_the_likelihood_in_the_graph_is_the_bidders(model):
    question, built = model
    masks = Enumeration.of(FEW.constraints).stretch(0, 8)
    mask = pt.lscalar("mask")
    compiled = pytensor.function([mask], HandCells()(mask))
    for row in masks:
        hand = np.array([row[3]], dtype=np.uint64)
        np.testing.assert_array_equal(compiled(np.int64(row[3])), cells(hand)[0])
    z = {"z_aggressiveness": np.array([0.7]), "z_temperature": np.array([-0.5])}
    logp = built.compile_logp(mode=PLAIN)
    values = [logp(z | {"layout": row.astype(np.int64)}) for row in masks[:4]]
    style = question.prior.bidder([0.7, 0.0, -0.5, 0.0])
    wanted = question.log_seat(question.cells(masks[:4]), style)
    np.testing.assert_allclose(np.diff(values), np.diff(wanted))


def test_a_question_that_makes_no_sense_is_refused_in_one_line():
    with pytest.raises(bb.BayesBridgeError, match=r"^S is the observer"):
        infer_jointly(SOME, "S")
    with pytest.raises(bb.BayesBridgeError, match=r"^W has not called: give the calls as evidence first$"):
        infer_jointly(OPEN, "W")
    with pytest.raises(bb.BayesBridgeError, match=r"^records of her, him: give those of W alone$"):
        infer_jointly(SOME, "W", [RECORDS[0], CallRecord("her", "KQ852.J3.A94.Q83", RECORDS[0].auction, 0)])
    with pytest.raises(bb.BayesBridgeError, match=r"^unknown method 'magic'"):
        infer_jointly(SOME, "W", method="magic")
