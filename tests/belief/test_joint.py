"""A style and a layout in one posterior.

Every way is compared with a sum over every layout and a grid of styles.
"""

from dataclasses import astuple
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pytest
import xarray
from scipy import stats

import bayesbridge as bb
from bayesbridge import StyleBidder, infer_jointly
from bayesbridge.belief import joint
from bayesbridge.belief.joint import posterior_model
from bayesbridge.belief.style_rows import StyleQuestion, StyleRows
from bayesbridge.bidders.fit import ENDS, STYLE, CallRecord, Prior
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.weights import Weights
from bayesbridge.game.layouts import high_card_points
from tests.bidders.conftest import density_of

OPEN = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=StyleBidder(0.5)).given(
    bb.Reveal("N", "J54.AQ2.KQ76.A54")
)
CALLS = (
    bb.Called("W", "1C"),
    bb.Called("E", "pass"),
    bb.Called("S", "1NT"),
    bb.Called("W", "2C"),
)
SOME = OPEN.given(
    bb.Holds("E", "ST S9 S8 H9 C7"), bb.Holds("W", "HT H8 DJ DT C9 C8 CT"), *CALLS
)
FEW = OPEN.given(
    bb.Holds("E", "ST S9 S8 H9 H5 C7 C6 D9 D8"),
    bb.Holds("W", "HT H8 DJ DT C9 C8 CT S7 S6"),
    *CALLS,
)
KNOWN = Prior(suit_preference=(0.0, 0.0), logit_slip=(-4.0, 0.0))
"""Two numbers are not known: aggressiveness and temperature."""
RECORDS = [
    CallRecord("him", "KQ852.J3.A94.Q83", bb.Auction.of("W:2S", dummy="N"), 0),
    CallRecord("him", "Q8.KJ32.A942.T83", bb.Auction.of("W:1H", dummy="N"), 0),
]
# reaches the ends of a style
WIDE = Prior((2.0, 2.0), (0.0, 0.0), (0.0, 1.2), (-4.0, 0.0))


class Truth(NamedTuple):
    style: np.ndarray  #: (4,) posterior mean of each parameter.
    cards: np.ndarray  #: (52,) P(West holds the card).
    points: float  #: West's mean high-card points.
    log_marginal: float
    entropy_bits: float


def style_axis(centre, spread, ends, points):
    """Nodes (in spreads from the centre) and prior weights of one number of a style."""
    low, high = ends
    if centre - 4.0 * spread < low or centre + 4.0 * spread > high:
        # The prior reaches an end: midpoints of cells of equal probability.
        nodes = stats.norm.ppf((np.arange(4 * points) + 0.5) / (4 * points))
        weights = np.ones(len(nodes))
    else:
        nodes = np.linspace(-4.0, 4.0, points)
        weights = np.exp(-0.5 * nodes**2)
    return nodes, weights / weights.sum()


def style_grid(prior, points):
    """(nodes, numbers that vary) of styles, and the prior weight of each node."""
    axes = []
    for (centre, spread), ends in zip(astuple(prior), ENDS.values(), strict=True):
        if spread:
            axes.append(style_axis(centre, spread, ends, points))
    nodes = np.meshgrid(*(nodes for nodes, _ in axes), indexing="ij")
    weights = np.meshgrid(*(weights for _, weights in axes), indexing="ij")
    return (
        np.stack([axis.ravel() for axis in nodes], axis=1),
        np.prod(weights, axis=0).ravel(),
    )


def by_quadrature(belief, prior, points=13, records=()):
    """The truth by a sum over every layout and a grid of styles."""
    nodes, weight = style_grid(prior, points)
    styles = [StyleBidder(*style) for style in prior.styles(nodes).tolist()]
    for record in records:
        masks = np.array([record.hand.mask], dtype=np.uint64)
        weight *= np.exp(
            [
                style.log_likelihood(masks, record.auction, record.index)[0]
                for style in styles
            ]
        )
    weight /= weight.sum()
    auction = belief.auction
    by_node = np.zeros(len(nodes))
    held = np.zeros(52)
    worth = 0.0
    inner = 0.0
    count = 0
    for masks in Enumeration.of(belief.constraints).blocks():
        west = np.ascontiguousarray(masks[:, 3])
        east = belief.bidder.log_likelihood(masks[:, 1], auction, 1)
        layout_weights = np.zeros(len(masks))
        for i, style in enumerate(styles):
            chance = np.exp(
                east
                + sum(style.log_likelihood(west, auction, index) for index in (0, 3))
            )
            by_node[i] += chance.sum()
            layout_weights += weight[i] * chance
        held += layout_weights @ (
            west[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        ).astype(float)
        worth += layout_weights @ high_card_points(west)
        inner += layout_weights @ np.log2(layout_weights)
        count += len(masks)
    total = weight @ by_node
    values = np.array([attrgetter(*STYLE)(style) for style in styles])
    means = (weight * by_node) @ values / total
    return Truth(
        means,
        held / total,
        worth / total,
        np.log(total / count),
        np.log2(total) - inner / total,
    )


def deviations(posterior, expected):
    """Deviations from the truth in standard errors, all that have an error."""
    cards = posterior.layouts.card_probabilities().sel(seat="W").values[::-1]
    points = posterior.expect(lambda layouts: layouts.points[:, 3])
    values = [
        *cards,
        points.mean,
        *(figure.mean for figure in posterior.style.values()),
        posterior.layouts.log_marginal,
    ]
    stated = [*posterior.card_errors().sel(seat="W").values[::-1], points.error]
    stated += [
        *(figure.error for figure in posterior.style.values()),
        posterior.layouts.log_evidence_error,
    ]
    truth = [*expected.cards, expected.points, *expected.style, expected.log_marginal]
    away = np.array(values) - truth
    stated = np.array(stated)
    # Rare places of cards are no normal deviates, and few draws may not meet them at
    # all.
    usual = np.ones(len(away), dtype=bool)
    usual[:52] = (expected.cards > 0.02) & (expected.cards < 0.98)
    usual &= stated > 1e-9
    assert (
        np.abs(away[~usual]) < 6 * stated[~usual] + 10 / len(posterior.layouts)
    ).all()
    return away[usual] / stated[usual]


def mean_square(rows):
    """Mean square of deviations, by seed, and its standard error from seed to seed."""
    by_seed = np.array([np.mean(np.square(row)) for row in rows])
    return by_seed.mean(), by_seed.std(ddof=1) / np.sqrt(len(by_seed))


def honest(rows):
    """Whether the root mean square lies from 0.8 to 1.2.

    Five standard errors of it are allowed.
    """
    observed, error = mean_square(rows)
    return 0.8**2 - 5 * error < observed < 1.2**2 + 5 * error


def dishonest(rows):
    """Whether the mean square lies above all that chance allows.

    Chance is that of rows that are each one single normal deviate.
    """
    return mean_square(rows)[0] > 1.2**2 + 5 * np.sqrt(2 / len(rows))


def from_seed_to_seed(posteriors, stated):
    """Deviations of the places of West's cards from their mean over posteriors.

    They are in stated standard errors.
    """
    cards = np.array(
        [
            posterior.layouts.card_probabilities().sel(seat="W").values
            for posterior in posteriors
        ]
    )
    stated = np.array(stated)
    open_ = stated.mean(axis=0) > 1e-9
    return (
        (cards - cards.mean(axis=0))[:, open_]
        / stated[:, open_]
        / np.sqrt(1 - 1 / len(posteriors))
    )


def test_an_error_that_ignores_the_draws_of_the_style_is_too_small():
    belief = OPEN.given(
        bb.Holds("E", "ST S9 S8 H9"), bb.Holds("W", "HT H8 DJ DT"), *CALLS
    )
    assert belief.count() == 48_620
    posteriors = [infer_jointly(belief, "W", draws=16, rng=seed) for seed in range(12)]
    assert honest(
        from_seed_to_seed(
            posteriors,
            [posterior.card_errors().sel(seat="W").values for posterior in posteriors],
        )
    )
    probabilities = [
        posterior.layouts.card_probabilities().sel(seat="W").values.clip(0, 1)
        for posterior in posteriors
    ]
    blind = [
        np.sqrt(probability * (1 - probability) / len(posterior.layouts))
        for probability, posterior in zip(probabilities, posteriors, strict=True)
    ]
    assert dishonest(from_seed_to_seed(posteriors, blind))


@pytest.fixture(scope="module")
def truth():
    return by_quadrature(SOME, KNOWN, records=RECORDS)


@pytest.mark.parametrize("seeds", [14, pytest.param(100, marks=pytest.mark.slow)])
def test_stated_errors_are_those_from_seed_to_seed(truth, seeds):
    posteriors = [
        infer_jointly(SOME, "W", RECORDS, KNOWN, draws=60, rng=seed)
        for seed in range(seeds)
    ]
    assert honest([deviations(posterior, truth) for posterior in posteriors])
    entropy = np.array([posterior.layouts.entropy_bits for posterior in posteriors])
    assert (
        abs(entropy.mean() - truth.entropy_bits)
        < 5 * entropy.std(ddof=1) / np.sqrt(seeds) + 1e-3
    )
    without = by_quadrature(SOME, KNOWN)
    assert dishonest([deviations(posterior, without) for posterior in posteriors]), (
        "without the records it would fail"
    )


@pytest.mark.parametrize("seeds", [8, pytest.param(40, marks=pytest.mark.slow)])
def test_layouts_drawn_where_the_calls_point(truth, seeds):
    posteriors = [
        infer_jointly(
            SOME, "W", RECORDS, KNOWN, method="draws", layouts=500, draws=60, rng=seed
        )
        for seed in range(seeds)
    ]
    assert honest([deviations(posterior, truth) for posterior in posteriors])
    for posterior in posteriors:
        assert posterior.layouts.importance.ess > 0.6 * len(posterior.layouts)
    uniform = Weights(
        infer_jointly(SOME, "W", RECORDS, KNOWN, rng=1).layouts.importance.log
    )
    assert uniform.ess < 0.4 * len(uniform), "uniform draws are worth less"


def test_a_prior_that_reaches_the_ends_of_a_style():
    expected = by_quadrature(FEW, WIDE, 6)
    posteriors = [
        infer_jointly(FEW, "W", prior=WIDE, draws=60, rng=seed) for seed in range(12)
    ]
    assert honest([deviations(posterior, expected) for posterior in posteriors])


def test_a_style_that_is_known_leaves_nothing_to_sample():
    certain = Prior((0.3, 0.0), (0.0, 0.0), (0.0, 0.0), (-4.0, 0.0))
    posterior = infer_jointly(FEW, "W", prior=certain, rng=1)
    style = certain.draw()
    masks = Enumeration.of(FEW.constraints).stretch(0, 10**6)
    log = sum(style.log_likelihood(masks[:, 3], FEW.auction, index) for index in (0, 3))
    log = log + FEW.bidder.log_likelihood(masks[:, 1], FEW.auction, 1)
    assert posterior.layouts.log_marginal == pytest.approx(np.log(np.mean(np.exp(log))))
    assert posterior.card_errors().max() == 0.0
    assert posterior.layouts.ess == len(masks)


def test_the_density_that_nuts_samples_is_a_sum_over_layouts():
    question = StyleQuestion.of(SOME, "W", RECORDS, KNOWN)
    density = density_of(posterior_model(question, StyleRows.of(question, None)))
    (masks,) = Enumeration.of(SOME.constraints).blocks()
    west = np.ascontiguousarray(masks[:, 3])
    east = SOME.bidder.log_likelihood(masks[:, 1], SOME.auction, 1)
    log_densities = []
    expected = []
    for z in ([0.0, 0.0], [1.3, -0.4], [-2.0, 1.1]):
        style = StyleBidder(*KNOWN.styles(np.array(z)).tolist())
        log = east + sum(
            style.log_likelihood(west, SOME.auction, index) for index in (0, 3)
        )
        log = log + sum(
            style.log_likelihood(
                np.array([record.hand.mask]), record.auction, record.index
            )
            for record in RECORDS
        )
        expected.append(np.log(np.exp(log).sum()) + stats.norm.logpdf(z).sum())
        log_densities.append(
            float(density({"z_aggressiveness": z[:1], "z_temperature": z[1:]}))
        )
    assert np.diff(log_densities) == pytest.approx(np.diff(expected), abs=1e-9)
    assert np.abs(np.diff(log_densities)).max() > 1, "the styles differ"


@pytest.fixture
def chains(monkeypatch):
    """Chains without NUTS, which the slow tests run.

    They are draws of the posterior by importance.
    """

    def put(draws):
        drawn = infer_jointly(
            SOME, "W", RECORDS, KNOWN, draws=draws, rng=5
        ).styles.values
        values = dict(
            zip(
                STYLE,
                np.moveaxis(drawn[: 2 * draws].reshape(2, draws, 1, 4), -1, 0),
                strict=True,
            )
        )
        values["z_aggressiveness"] = (
            values["aggressiveness"] / KNOWN.aggressiveness.spread
        )
        values["z_temperature"] = (
            np.log(values["temperature"]) / KNOWN.log_temperature.spread
        )
        axes = ("chain", "draw", "player")
        coords = {"chain": range(2), "draw": range(draws), "player": ["W"]}
        posterior = xarray.Dataset(
            {name: (axes, column) for name, column in values.items()}, coords
        )
        settled = xarray.Dataset(
            {"diverging": (axes[:2], np.zeros((2, draws), dtype=bool))}
        )
        tree = xarray.DataTree.from_dict(
            {"posterior": posterior, "sample_stats": settled}
        )
        monkeypatch.setattr(joint, "sample_quietly", lambda *size: tree)

    return put


def test_draws_of_chains_agree_with_quadrature_and_few_are_said(truth, chains):
    chains(150)
    posterior = infer_jointly(
        SOME, "W", RECORDS, KNOWN, sampler="nuts", draws=150, rng=4
    )
    assert "3003 layouts, all walked" in posterior.layouts.why
    assert posterior.diagnostics.sampler == "nuts"
    assert np.abs(deviations(posterior, truth)).max() < 5.5
    assert posterior.diagnostics.rhat == posterior.styles.worst_rhat
    chains(15)
    posterior = infer_jointly(
        SOME, "W", RECORDS, KNOWN, sampler="nuts", draws=15, rng=1
    )
    assert posterior.diagnostics.ess < 100
    assert "independent ones: ask for more draws" in posterior.warning
    assert posterior.layouts.caveat == posterior.warning
    assert posterior.warning in repr(posterior)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "draws"},
        pytest.param({"sampler": "nuts"}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_same_seed_gives_the_same_answer(options):
    posterior, repeated = (
        infer_jointly(FEW, "W", draws=20, tune=20, rng=7, **options) for _ in range(2)
    )
    np.testing.assert_array_equal(posterior.styles.values, repeated.styles.values)
    np.testing.assert_array_equal(
        posterior.layouts.layouts.masks, repeated.layouts.layouts.masks
    )
    np.testing.assert_array_equal(posterior.layouts.weights, repeated.layouts.weights)


def test_the_summary_of_outputs_counts_the_style():
    belief = OPEN.given(
        bb.Holds("E", "ST S9 S8 H9 C7"), bb.Holds("W", "HT H8 DJ DT C9"), *CALLS
    )
    posterior = infer_jointly(belief, "W", rng=2)
    result = bb.estimate(posterior.layouts, pair="W:N")
    row = result.summary("c1").loc["c1[S]"]
    by_hand = posterior.expect(lambda layouts: layouts.lengths[:, 3, 3])
    assert row["mean"] == pytest.approx(by_hand.mean)
    assert row["mcse"] == pytest.approx(by_hand.error, rel=0.05), "two digits are shown"


def test_a_question_that_makes_no_sense_is_refused_in_one_line():
    with pytest.raises(
        bb.BayesBridgeError,
        match=r"^prior of log_temperature .*: give a centre from -2.3 to",
    ):
        Prior(log_temperature=(-3.0, 1.0))
    for bidder in (bb.IterativeBidder(), bb.LearnedBidder()):
        with pytest.raises(
            bb.BayesBridgeError,
            match=r"which has no style to learn: ask about belief.with_bidder\(",
        ):
            infer_jointly(SOME.with_bidder(bidder), "W")
    with pytest.raises(bb.BayesBridgeError, match=r"^S is the observer"):
        infer_jointly(SOME, "S")
    with pytest.raises(
        bb.BayesBridgeError,
        match=r"^W has not called: give the calls as evidence first$",
    ):
        infer_jointly(OPEN, "W")
    with pytest.raises(
        bb.BayesBridgeError, match=r"^records of her, him: give those of W alone$"
    ):
        infer_jointly(
            SOME,
            "W",
            [RECORDS[0], CallRecord("her", "KQ852.J3.A94.Q83", RECORDS[0].auction, 0)],
        )
    with pytest.raises(bb.BayesBridgeError, match=r"^1 draws: give at least 4$"):
        infer_jointly(SOME, "W", draws=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"sampler": "nuts"}, {"method": "draws", "layouts": 20_000}],
    ids=["counts", "nuts", "draws"],
)
def test_all_ten_million_layouts(options, all_layouts):
    prior, expected = all_layouts
    posterior = infer_jointly(OPEN.given(*CALLS), "W", prior=prior, rng=5, **options)
    assert posterior.layouts.count() == 10_400_600
    assert np.abs(deviations(posterior, expected)).max() < 5.5


@pytest.fixture(scope="module")
def all_layouts():
    prior = Prior(
        suit_preference=(0.0, 0.0), log_temperature=(0.0, 0.0), logit_slip=(-4.0, 0.0)
    )
    return prior, by_quadrature(OPEN.given(*CALLS), prior, 17)
