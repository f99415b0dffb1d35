"""Simulation-based calibration: does the truth behave like one more draw of the posterior?

Draw a deal and all that a player sees of it from the model, ask an engine for the posterior, and note the rank of the
truth in that posterior: over many deals ranks are uniform if and only if the posterior is right on average (S. Talts,
M. Betancourt, D. Simpson, A. Vehtari and A. Gelman, "Validating Bayesian inference algorithms with simulation-based
calibration", 2018). Predictions of single cards are compared with where the cards lay.

Only whole numbers are kept: ranks by cell, and by bin of probability how many cards, the sum of their probabilities in
millionths, and how many lay there; so chunks add up and any number of workers gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.fit import Prior
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.errors import BayesBridgeError, TooFewDraws
from bayesbridge.evidence import BidderModel
from bayesbridge.studies.calibration.predictions import Prediction, names_of, predict
from bayesbridge.studies.calibration.ranks import BINS, chi_square, covered, ecdf_test, tally
from bayesbridge.studies.calibration.scenarios import Scenario, Scene
from bayesbridge.studies.engine import Counts, Job, Setting, run
from bayesbridge.studies.hypotheses import Test, together
from bayesbridge.studies.reliability import Bin, bin_of, calibration_error, curve

MILLION: Final = 1_000_000
TRIES: Final = 100
"""Deals that an engine may refuse one after the other."""
CARD_BINS: Final = 20
"""Bins of the reliability curve."""
CHUNK: Final = 8
"""Deals in a chunk: an engine takes a tenth of a second to seconds for one."""

SCENARIOS: Final = {
    "enumerate": Scenario("enumerate", StyleBidder(), open_dummy=True, shown=5),
    "sample": Scenario("sample", told_lengths=True, told_points=True, shown=2),
    "counting": Scenario("counting", told_lengths=True, shown=2),
    "exact": Scenario("exact", IterativeBidder(slip=0.05), open_dummy=True),
    "tilted": Scenario("tilted", StyleBidder(), draws=2000),
    "smc": Scenario("smc", StyleBidder(), dummy=None, draws=2000),
    "weights": Scenario("weights", IterativeBidder(slip=0.05, suits=True), draws=20_000),
    "joint": Scenario("joint", StyleBidder(), open_dummy=True, shown=5, prior=Prior()),
    "auto": Scenario("auto", LearnedBidder(), dummy=None, open_dummy=True, player=LearnedPlayer(), cards=8, draws=2000),
}
"""A scenario for each engine, one that it would be used for: three players but for ``smc`` and ``auto``, whose four are
style bidders, and experts who also play two tricks."""


def count(scenario: Scenario, seed: np.random.SeedSequence, deals: int) -> Counts:
    """Deals; ranks by number and cell; by bin cards, predicted, observed, squared gaps; sums for the slope."""
    names = names_in(scenario)
    ranks = np.zeros((len(names), BINS), dtype=np.int64)
    bins = np.zeros((4, CARD_BINS), dtype=np.int64)
    slope = np.zeros(3, dtype=np.int64)
    for child in seed.spawn(deals):
        rng = np.random.default_rng(child)
        scene, prediction = _predicted(scenario, rng)
        for row, name in enumerate(names):
            ranks[row] += tally([prediction.numbers[name].rank(rng.random())])
        hidden = _hidden_places(scene.belief)
        lies = (scene.layout[None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)).astype(np.float64)
        deal_bins, deal_slope = _compared(prediction.cards[hidden].ravel(), lies[hidden].ravel())
        bins += deal_bins
        slope += deal_slope
    return np.concatenate([[deals], ranks.ravel(), bins.ravel(), slope])


def _predicted(scenario: Scenario, rng: np.random.Generator) -> tuple[Scene, Prediction]:
    """A deal and the answer to it; another deal where plain weights refuse.

    That depends on what is seen and on the draws, not on the hidden cards, so the truth still ranks evenly.
    """
    refused = 0
    while True:
        scene = scenario.draw(rng)
        try:
            return scene, predict(scene, scenario.method, scenario.draws, rng)
        except TooFewDraws:
            refused += 1
            if refused == TRIES:
                raise


def _hidden_places(belief: Belief) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index of cards × seats: the cards whose seat the hard evidence leaves open, and the seats that are not full."""
    known = belief.constraints.normalised()
    return np.ix_([card for card in range(52) if known.unknown_mask >> card & 1], known.hidden)


def _compared(predicted: NDArray[np.float64], observed: NDArray[np.float64]) -> tuple[Counts, Counts]:
    """What one deal adds. Its cards are not independent: the error of a bin comes from the squared sum of each deal."""
    place = bin_of(predicted, CARD_BINS)
    weights = np.ones(len(predicted)), predicted, observed
    cards, chances, hits = (np.bincount(place, weight, CARD_BINS) for weight in weights)
    gap = hits - chances
    lean = float((observed - predicted) @ predicted)
    bins = np.stack([cards, MILLION * chances, hits, MILLION * gap**2])
    slope = MILLION * np.array([observed @ predicted, predicted @ predicted, lean**2])
    return np.rint(bins).astype(np.int64), np.rint(slope).astype(np.int64)


def names_in(scenario: Scenario) -> tuple[str, ...]:
    """The numbers that are ranked in a scenario."""
    return names_of(scenario.bidder is not None, scenario.prior is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How the truth ranked in the posteriors of a scenario."""

    scenario: Scenario
    deals: int
    names: tuple[str, ...]
    ranks: Counts
    """(names, BINS) randomised ranks of the truth by cell, from 0 to 1."""
    bins: Counts
    """(4, CARD_BINS) places where a card may lie, by probability: how many; Σ predicted, in millionths; Σ observed; Σ
    over deals of the squared gap, in millionths."""
    slope: Counts
    """(3,) Σ observed · predicted, Σ predicted² and Σ over deals of their squared difference, in millionths."""

    @classmethod
    def of(cls, scenario: Scenario, counts: Counts) -> Calibration:
        """What was counted."""
        names = names_in(scenario)
        ranks, bins = BINS * len(names), 4 * CARD_BINS
        deals, first, second, slope = np.split(np.asarray(counts), [1, 1 + ranks, 1 + ranks + bins])
        tables = first.reshape(-1, BINS), second.reshape(4, CARD_BINS), slope
        for table in tables:
            table.setflags(write=False)
        return cls(scenario, int(deals[0]), names, *tables)

    def ranks_of(self, name: str) -> Counts:
        """(BINS,) ranks of one number."""
        if name not in self.names:
            raise BayesBridgeError(f"no ranks of {name!r}: there are {', '.join(self.names)}", name=name)
        return np.asarray(self.ranks[self.names.index(name)])

    @property
    def coverage(self) -> dict[str, dict[float, float]]:
        """By number and level, how often the central interval held the truth."""
        return {
            name: {level: k / self.deals for level, k in covered(row).items()}
            for name, row in zip(self.names, self.ranks, strict=True)
        }

    @property
    def cards(self) -> int:
        """How many hidden cards were predicted."""
        return round(int(self.bins[1].sum()) / MILLION)

    @property
    def reliability(self) -> tuple[Bin, ...]:
        """Predicted and observed places of cards."""
        return curve(self.bins[0], self.bins[1] / MILLION, self.bins[2])

    @property
    def errors(self) -> tuple[float, ...]:
        """By bin of :attr:`reliability`, one standard error of the observed share, deals taken as independent."""
        many, squares = self.bins[0], self.bins[3] / MILLION
        return tuple(sqrt(square) / n for n, square in zip(many.tolist(), squares.tolist(), strict=True) if n)

    @property
    def card_error(self) -> float:
        """Expected calibration error of card probabilities."""
        return calibration_error(self.reliability)

    @property
    def chance_error(self) -> float:
        """What the calibration error would be by chance alone, if all predictions were right."""
        spread = sum(error * one.cards for error, one in zip(self.errors, self.reliability, strict=True))
        return sqrt(2 / pi) * spread / max(1, int(self.bins[0].sum()))

    def tests(self) -> tuple[Test, ...]:
        """χ² and the band of every number, and whether probabilities of cards are too extreme or too even."""
        found = [
            test(name, row)
            for name, row in zip(self.names, self.ranks, strict=True)
            for test in (chi_square, ecdf_test)
        ]
        return together([*found, self._card_test()])

    def _card_test(self) -> Test:
        """E[(observed − predicted) · predicted] is 0 if probabilities are right, below 0 if they are too extreme."""
        hypothesis = "probabilities of cards are neither too extreme nor too even"
        observed, predicted, square = (self.slope / MILLION).tolist()
        if square == 0.0:
            return Test(hypothesis, 0.0, 1.0, 0.0)
        gap = observed - predicted
        z = gap / sqrt(square)
        margin = 1.96 * sqrt(square)
        return Test(
            hypothesis,
            z,
            2 * float(stats.norm.sf(abs(z))),
            gap / predicted,
            ((gap - margin) / predicted, (gap + margin) / predicted),
        )

    @property
    def worst_p(self) -> float:
        """The smallest corrected p: below 0.01 something is wrong with the posterior, or with the model it takes."""
        return min(test.p_holm for test in self.tests() if test.p_holm is not None)


def calibrate(scenario: Scenario, deals: int, seed: int = 1, how: Setting | None = None) -> Calibration:
    """Run a scenario on ``deals`` random deals."""
    return Calibration.of(scenario, run(job(scenario), deals, seed, 1, how or Setting()).counts)


def job(scenario: Scenario) -> Job:
    """What the engine of studies counts for a scenario."""
    return Job("calibration", partial(count, scenario), CHUNK, {"scenario": repr(scenario)})


def scenario_for(method: str, bidder: BidderModel | None = None) -> Scenario:
    """The scenario of an engine, with other bidders if given."""
    if method not in SCENARIOS:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(SCENARIOS)}", method=method)
    scenario = SCENARIOS[method]
    if bidder is not None and scenario.bidder is None:
        raise BayesBridgeError(f"nobody calls where method is {method!r}: leave the bidder out", method=method)
    return scenario if bidder is None else replace(scenario, bidder=bidder)
