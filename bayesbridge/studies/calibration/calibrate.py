"""Simulation-based calibration: does the truth behave like one more draw of the posterior?

Draw a deal and all that a player sees of it from the model, ask an engine for the posterior, and note the rank of the
truth among what it says: over many deals ranks are uniform if and only if the posterior is right on average (S. Talts,
M. Betancourt, D. Simpson, A. Vehtari and A. Gelman, "Validating Bayesian inference algorithms with simulation-based
calibration", 2018). What is said of single cards is held against where they lay.

Only whole numbers are kept: ranks by cell, and by bin of probability how many cards, how likely in millionths, and how
many lay there; so chunks add up and any number of workers gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import pi, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.card_play import LearnedPlayer
from bayesbridge.bidders.fit import Prior
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel
from bayesbridge.studies.calibration.predictions import names_of, read
from bayesbridge.studies.calibration.ranks import BINS, LEVELS, chi_square, covered, ecdf_test, tally
from bayesbridge.studies.calibration.scenarios import Scenario
from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.hypotheses import Test, together
from bayesbridge.studies.reliability import Bin, bin_of, calibration_error, curve
from bayesbridge.studies.study import Counts, Setting, Study

MILLION: Final = 1_000_000
CARD_BINS: Final = 20
"""Bins of the reliability curve."""
CHUNK: Final = 8
"""Deals a chunk: an engine takes a tenth of a second to seconds for one."""

CHAINS: Final = {
    "enumerate": Scenario("enumerate", StyleBidder(), open_dummy=True, shown=5),
    "sample": Scenario("sample", told_lengths=True, told_points=True, shown=2),
    "counting": Scenario("counting", told_lengths=True, shown=2),
    "weights": Scenario("weights", IterativeBidder(slip=0.05, suits=True), draws=20_000),
    "smc": Scenario("smc", StyleBidder(), dummy=None),
    "mcmc": Scenario("mcmc", StyleBidder(), open_dummy=True, draws=1600),
    "joint": Scenario("joint", StyleBidder(), open_dummy=True, shown=5, prior=Prior()),
    "auto": Scenario("auto", LearnedBidder(), dummy=None, open_dummy=True, player=LearnedPlayer(), cards=8, draws=2000),
}
"""A chain for each engine, one that it would be used for: three players but for ``smc`` and ``auto``, whose four are
style bidders, and experts who also play two tricks."""


def count(chain: Scenario, seed: np.random.SeedSequence, deals: int) -> Counts:
    """Deals; ranks by number and cell; cards, what was said, what was so, squared gaps by bin; sums for the slope."""
    names = chain_names(chain)
    ranks = np.zeros((len(names), BINS), dtype=np.int64)
    bins = np.zeros((4, CARD_BINS), dtype=np.int64)
    slope = np.zeros(3, dtype=np.int64)
    for child in seed.spawn(deals):
        rng = np.random.default_rng(child)
        scene = chain.draw(rng)
        reading = read(scene, chain.method, chain.draws, rng)
        for row, name in enumerate(names):
            ranks[row] += tally([reading.numbers[name].rank(rng.random())])
        hidden = _hidden_places(scene.belief)
        lies = (scene.layout[None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)).astype(np.float64)
        deal_bins, deal_slope = _said_and_so(reading.cards[hidden].ravel(), lies[hidden].ravel())
        bins += deal_bins
        slope += deal_slope
    return np.concatenate([[deals], ranks.ravel(), bins.ravel(), slope])


def _hidden_places(belief: Belief) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index of cards × seats: the cards whose seat the hard evidence leaves open, and the seats that are not full."""
    known = belief.constraints.normalised()
    return np.ix_([card for card in range(52) if known.unknown_mask >> card & 1], known.hidden)


def _said_and_so(said: NDArray[np.float64], so: NDArray[np.float64]) -> tuple[Counts, Counts]:
    """What one deal adds: its cards share luck, so the square of its sum in a bin tells the error of the bin."""
    place = bin_of(said, CARD_BINS)
    cards, chances, hits = (np.bincount(place, weight, CARD_BINS) for weight in (np.ones(len(said)), said, so))
    gap = hits - chances
    lean = float((so - said) @ said)
    bins = np.stack([cards, MILLION * chances, hits, MILLION * gap**2])
    slope = MILLION * np.array([so @ said, said @ said, lean**2])
    return np.rint(bins).astype(np.int64), np.rint(slope).astype(np.int64)


def chain_names(chain: Scenario) -> tuple[str, ...]:
    """The numbers that are ranked on a chain."""
    return names_of(chain.bidder is not None, chain.prior is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How the truth ranked in the posteriors of a chain."""

    chain: Scenario
    deals: int
    names: tuple[str, ...]
    ranks: Counts
    """(names, BINS) randomised ranks of the truth by cell, from 0 to 1."""
    bins: Counts
    """(4, CARD_BINS) places said to hold a card, by probability: how many; Σ said and, after how many were so, Σ over
    deals of the squared gap, both in millionths."""
    slope: Counts
    """(3,) Σ so · said, Σ said² and Σ over deals of their squared difference, in millionths."""

    @classmethod
    def of(cls, chain: Scenario, counts: Counts) -> Calibration:
        """What was counted."""
        names = chain_names(chain)
        ranks, bins = BINS * len(names), 4 * CARD_BINS
        deals, first, second, slope = np.split(np.asarray(counts), [1, 1 + ranks, 1 + ranks + bins])
        tables = first.reshape(-1, BINS), second.reshape(4, CARD_BINS), slope
        for table in tables:
            table.setflags(write=False)
        return cls(chain, int(deals[0]), names, *tables)

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
        """How many hidden cards were said to lie somewhere."""
        return round(int(self.bins[1].sum()) / MILLION)

    @property
    def reliability(self) -> tuple[Bin, ...]:
        """What was said of places of cards, and what was so."""
        return curve(self.bins[0], self.bins[1] / MILLION, self.bins[2])

    @property
    def errors(self) -> tuple[float, ...]:
        """By bin of :attr:`reliability`, one standard error of what was so, deals taken as independent."""
        many, squares = self.bins[0], self.bins[3] / MILLION
        return tuple(sqrt(square) / n for n, square in zip(many.tolist(), squares.tolist(), strict=True) if n)

    @property
    def card_error(self) -> float:
        """Expected calibration error of card probabilities."""
        return calibration_error(self.reliability)

    @property
    def chance_error(self) -> float:
        """What the calibration error would be by chance alone, if all that was said were right."""
        spread = sum(error * one.cards for error, one in zip(self.errors, self.reliability, strict=True))
        return sqrt(2 / pi) * spread / max(1, int(self.bins[0].sum()))

    def tests(self) -> tuple[Test, ...]:
        """χ² and the band of every number, and whether likelier cards are as much likelier as said; corrected."""
        found = [
            test(name, row)
            for name, row in zip(self.names, self.ranks, strict=True)
            for test in (chi_square, ecdf_test)
        ]
        return together([*found, self._card_test()])

    def _card_test(self) -> Test:
        """E[(so − said) · said] = 0 if probabilities are right; below it they boast, above it they are timid."""
        hypothesis = "cards lie where they are said to, neither boasting nor timid"
        so, said, square = (self.slope / MILLION).tolist()
        if square == 0.0:
            return Test(hypothesis, 0.0, 1.0, 0.0)
        z = (so - said) / sqrt(square)
        margin = 1.96 * sqrt(square)
        return Test(
            hypothesis,
            z,
            2 * float(stats.norm.sf(abs(z))),
            (so - said) / said,
            ((so - said - margin) / said, (so - said + margin) / said),
        )

    @property
    def worst_p(self) -> float:
        """The smallest corrected p: below 0.01 something is wrong with the posterior, or with the model it takes."""
        return min(test.p_holm for test in self.tests() if test.p_holm is not None)


def calibrate(chain: Scenario, deals: int, seed: int = 1, how: Setting | None = None) -> Calibration:
    """Run a chain on ``deals`` random deals."""
    from bayesbridge.studies.engine import run

    return Calibration.of(chain, run(_study(chain), deals, seed, 1, how).counts)


def _study(chain: Scenario) -> Study:
    return Study("calibration", partial(count, chain), CHUNK, {"chain": repr(chain)})


def chain_for(method: str, bidder: BidderModel | None = None) -> Scenario:
    """The chain of an engine, with other bidders if given."""
    if method not in CHAINS:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(CHAINS)}", method=method)
    chain = CHAINS[method]
    if bidder is not None and chain.bidder is None:
        raise BayesBridgeError(f"nobody calls where method is {method!r}: leave the bidder out", method=method)
    return chain if bidder is None else replace(chain, bidder=bidder)


def simulate(
    deals: int,
    seed: int,
    workers: int | None = None,
    runs: int = 1,
    how: Setting | None = None,
    *,
    method: str = "enumerate",
    bidder: BidderModel | None = None,
) -> Comparison:
    """The chain of an engine on ``runs`` times ``deals`` random deals."""
    from bayesbridge.studies.engine import run

    chain = chain_for(method, bidder)
    done = run(_study(chain), deals, seed, runs, how or Setting(workers))
    found = Calibration.of(chain, done.counts)
    return Comparison.of_run(
        done,
        partial(_named, chain),
        title=f"Calibration of {method}: the truth among what the posterior says",
        unit="shares of deals",
        answers=answers(found),
        hypotheses=lambda: list(found.tests()),
    )


def answers(found: Calibration) -> dict[str, Any]:
    """A calibration as plain data."""
    return {
        "method": found.chain.method,
        "chain": repr(found.chain),
        "levels": list(LEVELS),
        "coverage": {name: list(by_level.values()) for name, by_level in found.coverage.items()},
        "ranks": dict(zip(found.names, found.ranks.tolist(), strict=True)),
        "cards": found.cards,
        "calibration_error": found.card_error,
        "calibration_error_by_chance": found.chance_error,
        "calibration": [
            {**one._asdict(), "error": error} for one, error in zip(found.reliability, found.errors, strict=True)
        ],
    }


def _named(chain: Scenario, counts: Counts) -> dict[str, int]:
    found = Calibration.of(chain, counts)
    return {"deals": found.deals, "cards": found.cards} | {
        f"{name}, {level:.0%} intervals that hold the truth": k
        for name, row in zip(found.names, found.ranks, strict=True)
        for level, k in covered(row).items()
    }
