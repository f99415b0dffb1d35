"""A style and a layout in one posterior: every way against a sum over every layout and
a grid of styles.
"""

from dataclasses import astuple
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
WIDE = Prior(
    (2.0, 2.0), (0.0, 0.0), (0.0, 1.2), (-4.0, 0.0)
)  # reaches the ends of a style


class Truth(NamedTuple):
    style: np.ndarray  #: (4,) posterior mean of each parameter.
    cards: np.ndarray  #: (52,) P(West holds the card).
    points: float  #: West's mean high-card points.
    log_marginal: float
    entropy_bits: float


def by_quadrature(belief, prior, points=13, records=()):
    """The truth by a sum over every layout and a grid of styles, even in probability or
    in spreads from the centre.
    """
    grid = np.linspace(-4.0, 4.0, points)
    axes = []
    for (centre, spread), (low, high) in zip(
        astuple(prior), ENDS.values(), strict=True
    ):
        cut = spread and (centre - 4.0 * spread < low or centre + 4.0 * spread > high)
        # Where the prior reaches the end of a style, the midpoints of cells of equal probability.
        nodes = (
            stats.norm.ppf((np.arange(4 * points) + 0.5) / (4 * points))
            if cut
            else grid
        )
        weights = np.ones(len(nodes)) if cut else np.exp(-0.5 * grid**2)
        if spread:
            axes.append((nodes, weights / weights.sum()))
    nodes = np.stack(
        [axis.ravel() for axis in np.meshgrid(*(z for z, _ in axes), indexing="ij")],
        axis=1,
    )
    weight = np.prod(np.meshgrid(*(w for _, w in axes), indexing="ij"), axis=0).ravel()
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
    auction, by_node, held, worth, inner, count = (
        belief.auction,
        np.zeros(len(nodes)),
        np.zeros(52),
        0.0,
        0.0,
        0,
    )
    for masks in Enumeration.of(belief.constraints).blocks():
        west = np.ascontiguousarray(masks[:, 3])
        east = belief.bidder.log_likelihood(masks[:, 1], auction, 1)
        here = np.zeros(len(masks))
        for i, style in enumerate(styles):
            chance = np.exp(
                east
                + sum(style.log_likelihood(west, auction, index) for index in (0, 3))
            )
            by_node[i] += chance.sum()
            here += weight[i] * chance
        held += here @ (
            west[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
        ).astype(float)
        worth += here @ high_card_points(west)
        inner += here @ np.log2(here)
        count += len(masks)
    total = weight @ by_node
    values = np.array([[getattr(style, name) for name in STYLE] for style in styles])
    means = (weight * by_node) @ values / total
    return Truth(
        means,
        held / total,
        worth / total,
        np.log(total / count),
        np.log2(total) - inner / total,
    )


def deviations(found, expected):
    """Deviations from the truth in standard errors, all that have an error."""
    cards = found.layouts.card_probabilities().sel(seat="W").values[::-1]
    points = found.expect(lambda layouts: layouts.points[:, 3])
    values = [
        *cards,
        points.mean,
        *(one.mean for one in found.style.values()),
        found.layouts.log_marginal,
    ]
    stated = [*found.card_errors().sel(seat="W").values[::-1], points.error]
    stated += [
        *(one.error for one in found.style.values()),
        found.layouts.log_evidence_error,
    ]
    truth = [*expected.cards, expected.points, *expected.style, expected.log_marginal]
    away, stated = np.array(values) - truth, np.array(stated)
    # Rare places of cards are no normal deviates, and few draws may not meet them at all.
    usual = np.ones(len(away), dtype=bool)
    usual[:52] = (expected.cards > 0.02) & (expected.cards < 0.98)
    usual &= stated > 1e-9
    assert (np.abs(away[~usual]) < 6 * stated[~usual] + 10 / len(found.layouts)).all()
    return away[usual] / stated[usual]


def mean_square(rows):
    """Mean square of deviations, by seed, and one standard error of it from seed to
    seed.
    """
    by_seed = np.array([np.mean(np.square(row)) for row in rows])
    return by_seed.mean(), by_seed.std(ddof=1) / np.sqrt(len(by_seed))


def honest(rows):
    """Whether the root mean square lies from 0.8 to 1.2, but for five standard errors
    of it.
    """
    found, error = mean_square(rows)
    return 0.8**2 - 5 * error < found < 1.2**2 + 5 * error


def dishonest(rows):
    """Whether the mean square lies above all that chance allows, were every row one
    single normal deviate.
    """
    return mean_square(rows)[0] > 1.2**2 + 5 * np.sqrt(2 / len(rows))


def from_seed_to_seed(every, stated):
    """Deviations of the places of West's cards from their mean over posteriors, in
    stated standard errors.
    """
    cards = np.array(
        [found.layouts.card_probabilities().sel(seat="W").values for found in every]
    )
    stated = np.array(stated)
    open_ = stated.mean(axis=0) > 1e-9
    return (
        (cards - cards.mean(axis=0))[:, open_]
        / stated[:, open_]
        / np.sqrt(1 - 1 / len(every))
    )


def test_an_error_that_ignores_the_draws_of_the_style_is_too_small():
    belief = OPEN.given(
        bb.Holds("E", "ST S9 S8 H9"), bb.Holds("W", "HT H8 DJ DT"), *CALLS
    )
    assert belief.count() == 48_620
    every = [infer_jointly(belief, "W", draws=16, rng=seed) for seed in range(12)]
    assert honest(
        from_seed_to_seed(
            every, [found.card_errors().sel(seat="W").values for found in every]
        )
    )
    p = [
        found.layouts.card_probabilities().sel(seat="W").values.clip(0, 1)
        for found in every
    ]
    blind = [
        np.sqrt(one * (1 - one) / len(found.layouts))
        for one, found in zip(p, every, strict=True)
    ]
    assert dishonest(from_seed_to_seed(every, blind))


@pytest.fixture(scope="module")
def known():
    return by_quadrature(SOME, KNOWN, records=RECORDS)


@pytest.mark.parametrize("seeds", [14, pytest.param(100, marks=pytest.mark.slow)])
def test_stated_errors_are_those_from_seed_to_seed(known, seeds):
    every = [
        infer_jointly(SOME, "W", RECORDS, KNOWN, draws=60, rng=seed)
        for seed in range(seeds)
    ]
    assert honest([deviations(found, known) for found in every])
    entropy = np.array([found.layouts.entropy_bits for found in every])
    assert (
        abs(entropy.mean() - known.entropy_bits)
        < 5 * entropy.std(ddof=1) / np.sqrt(seeds) + 1e-3
    )
    without = by_quadrature(SOME, KNOWN)
    assert dishonest([deviations(found, without) for found in every]), (
        "without the records it would fail"
    )


@pytest.mark.parametrize("seeds", [8, pytest.param(40, marks=pytest.mark.slow)])
def test_layouts_drawn_where_the_calls_point(known, seeds):
    every = [
        infer_jointly(
            SOME, "W", RECORDS, KNOWN, method="draws", layouts=500, draws=60, rng=seed
        )
        for seed in range(seeds)
    ]
    assert honest([deviations(found, known) for found in every])
    for found in every:
        assert found.layouts.importance.ess > 0.6 * len(found.layouts)
    uniform = Weights(
        infer_jointly(SOME, "W", RECORDS, KNOWN, rng=1).layouts.importance.log
    )
    assert uniform.ess < 0.4 * len(uniform), "uniform draws are worth less"


def test_a_prior_that_reaches_the_ends_of_a_style():
    expected = by_quadrature(FEW, WIDE, 6)
    every = [
        infer_jointly(FEW, "W", prior=WIDE, draws=60, rng=seed) for seed in range(12)
    ]
    assert honest([deviations(found, expected) for found in every])


def test_a_style_that_is_known_leaves_nothing_to_sample():
    none = Prior((0.3, 0.0), (0.0, 0.0), (0.0, 0.0), (-4.0, 0.0))
    found = infer_jointly(FEW, "W", prior=none, rng=1)
    style = none.draw()
    masks = Enumeration.of(FEW.constraints).stretch(0, 10**6)
    log = sum(style.log_likelihood(masks[:, 3], FEW.auction, index) for index in (0, 3))
    log = log + FEW.bidder.log_likelihood(masks[:, 1], FEW.auction, 1)
    assert found.layouts.log_marginal == pytest.approx(np.log(np.mean(np.exp(log))))
    assert found.card_errors().max() == 0.0
    assert found.layouts.ess == len(masks)


def test_the_density_that_nuts_samples_is_a_sum_over_layouts():
    question = StyleQuestion.of(SOME, "W", RECORDS, KNOWN)
    density = density_of(posterior_model(question, StyleRows.of(question, None)))
    (masks,) = Enumeration.of(SOME.constraints).blocks()
    west, east = (
        np.ascontiguousarray(masks[:, 3]),
        SOME.bidder.log_likelihood(masks[:, 1], SOME.auction, 1),
    )
    found, expected = [], []
    for z in ([0.0, 0.0], [1.3, -0.4], [-2.0, 1.1]):
        style = StyleBidder(*KNOWN.styles(np.array(z)).tolist())
        log = east + sum(
            style.log_likelihood(west, SOME.auction, index) for index in (0, 3)
        )
        log = log + sum(
            style.log_likelihood(np.array([one.hand.mask]), one.auction, one.index)
            for one in RECORDS
        )
        expected.append(np.log(np.exp(log).sum()) + stats.norm.logpdf(z).sum())
        found.append(
            float(density({"z_aggressiveness": z[:1], "z_temperature": z[1:]}))
        )
    assert np.diff(found) == pytest.approx(np.diff(expected), abs=1e-9)
    assert np.abs(np.diff(found)).max() > 1, "the styles differ"


@pytest.fixture
def chains(monkeypatch):
    """Chains without NUTS, which the slow tests run: draws of the posterior by
    importance.
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
        axes, coords = (
            ("chain", "draw", "player"),
            {"chain": range(2), "draw": range(draws), "player": ["W"]},
        )
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


def test_draws_of_chains_agree_with_quadrature_and_few_are_said(known, chains):
    chains(150)
    found = infer_jointly(SOME, "W", RECORDS, KNOWN, sampler="nuts", draws=150, rng=4)
    assert "3003 layouts, all walked" in found.layouts.why
    assert found.diagnostics.sampler == "nuts"
    assert np.abs(deviations(found, known)).max() < 5.5
    assert found.diagnostics.rhat == found.styles.worst_rhat
    chains(15)
    found = infer_jointly(SOME, "W", RECORDS, KNOWN, sampler="nuts", draws=15, rng=1)
    assert found.diagnostics.ess < 100
    assert "independent ones: ask for more draws" in found.warning
    assert found.layouts.caveat == found.warning
    assert found.warning in repr(found)


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
    first, second = (
        infer_jointly(FEW, "W", draws=20, tune=20, rng=7, **options) for _ in range(2)
    )
    np.testing.assert_array_equal(first.styles.values, second.styles.values)
    np.testing.assert_array_equal(
        first.layouts.layouts.masks, second.layouts.layouts.masks
    )
    np.testing.assert_array_equal(first.layouts.weights, second.layouts.weights)


def test_the_summary_of_outputs_counts_the_style():
    belief = OPEN.given(
        bb.Holds("E", "ST S9 S8 H9 C7"), bb.Holds("W", "HT H8 DJ DT C9"), *CALLS
    )
    found = infer_jointly(belief, "W", rng=2)
    result = bb.estimate(found.layouts, pair="W:N")
    row = result.summary("c1").loc["c1[S]"]
    by_hand = found.expect(lambda layouts: layouts.lengths[:, 3, 3])
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
    found = infer_jointly(OPEN.given(*CALLS), "W", prior=prior, rng=5, **options)
    assert found.layouts.count() == 10_400_600
    assert np.abs(deviations(found, expected)).max() < 5.5


@pytest.fixture(scope="module")
def all_layouts():
    prior = Prior(
        suit_preference=(0.0, 0.0), log_temperature=(0.0, 0.0), logit_slip=(-4.0, 0.0)
    )
    return prior, by_quadrature(OPEN.given(*CALLS), prior, 17)
