"""The joint question: one seat's style and the layout, with the layouts summed out.

With z a style's distance from the centres of its prior in spreads, the posterior is a smooth density over at most four
numbers. A normal proposal is fitted to it in rounds of adaptive importance sampling, tempered while the effective
sample size is small, and mixed with a tenth of the prior, so that no importance weight is larger than ten times the
likelihood. Points are drawn from this mixture in batches, each a scrambled Sobol' net: every batch is unbiased and they
are independent, so the spread between them is an error estimate, and each has smaller variance than independent draws
(A. B. Owen, "Monte Carlo theory, methods and examples", chapter 17).

The style model reads nothing of a hand but its five cells, so layouts with the same cells are one *row* with a weight:
how many there are, each weighted by the likelihood of the other evidence. With every layout enumerated the sum over
rows is exact, however many layouts there are; with layouts drawn from a density q it is an importance sampling
estimate, each draw with weight 1 / q. ::

    m(θ) = Σ_rows weight · P(their calls ∣ cells, θ)

is all that NUTS, or any other sampler of at most four numbers, needs. Draws come from the engine ``importance``; its
target has the style summed out over a few points of its prior given the records, so the proposal is fitted to
P(calls ∣ layout).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import qmc

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.auctions import Turn
from bayesbridge.bidders.fit import CallRecord, Design, Prior
from bayesbridge.bidders.style import CELLS, LEANING, Cells, Options, StyleBidder, Terms, cells
from bayesbridge.deal import Seat
from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.target import LikelihoodTerm, SoftEvidence
from bayesbridge.engines.tilt import tilted_draws
from bayesbridge.engines.weights import Estimate, Weights, standard_error, tempering
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.layouts import Floats, Masks

BATCHES: Final = 32

DEFENCE: Final = 0.1
"""Share of the prior in the mixture."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """A mixture of a fitted normal distribution and the prior; ``mean`` (k,), ``root`` (k, k) lower triangular."""

    mean: Floats
    root: Floats

    @classmethod
    def prior(cls, dimensions: int) -> Cloud:
        """The prior itself."""
        return cls(np.zeros(dimensions), np.eye(dimensions))

    @classmethod
    def around(cls, points: Floats, weights: Floats) -> Cloud:
        """Fitted to (n, k) points with (n,) normalised weights; a little of the prior keeps every spread above 0."""
        mean = weights @ points
        centred = points - mean
        covariance = (weights[:, None] * centred).T @ centred
        covariance = 1.15**2 * covariance + 1e-6 * np.eye(len(mean))  # tails that are too wide cost little
        return cls(mean, np.linalg.cholesky(covariance))

    @classmethod
    def fitted(cls, log_likelihood: Callable[[Floats], Floats], dimensions: int, rng: np.random.Generator) -> Cloud:
        """For a posterior ∝ standard normal · likelihood, which is a function of (n, k) points."""
        cloud = best = cls.prior(dimensions)
        best_share, before = 0.0, 0.0
        for _ in range(8):
            points = cloud.draw(1, 128, rng)[0]
            log = log_likelihood(points) + cloud.log_weight(points)
            share = Weights(log).ess / len(points)
            if share > best_share:
                best, best_share = cloud, share
            if share >= 0.6 or (share >= 0.3 and share < 1.1 * before):
                break
            before = share
            cloud = cls.around(points, Weights(tempering(log, 24.0, halvings=12) * log).W)
        return best

    def draw(self, batches: int, n: int, rng: np.random.Generator) -> Floats:
        """(batches, n, k) points; n is a power of two."""
        uniform = np.stack([qmc.Sobol(len(self.mean) + 1, rng=rng).random(n) for _ in range(batches)])
        normal = ndtri(uniform[..., 1:].clip(1e-15, 1 - 1e-15))
        return np.asarray(np.where(uniform[..., :1] < DEFENCE, normal, self.mean + normal @ self.root.T))

    def points(self, n: int, rng: np.random.Generator) -> Floats:
        """(BATCHES, m, k) points, ``n`` of them or some more; one where there is nothing to vary."""
        if not len(self.mean):
            return np.zeros((1, 1, 0))
        return self.draw(BATCHES, 1 << max(0, int(np.ceil(np.log2(n / BATCHES)))), rng)

    def log_weight(self, points: Floats) -> Floats:
        """(…) log of prior / density of (…, k) points."""
        prior = -0.5 * (points**2).sum(axis=-1)
        fitted = (points - self.mean) @ np.linalg.inv(self.root).T
        own = -0.5 * (fitted**2).sum(axis=-1) - np.log(np.diag(self.root)).sum()
        return np.asarray(prior - np.logaddexp(own + np.log1p(-DEFENCE), prior + np.log(DEFENCE)))


def log_mean(batches: Floats) -> Estimate[float]:
    """The logarithm of the mean over (B,) batches."""
    mean = float(batches.mean())
    return Estimate(float(np.log(mean)), float(standard_error(batches / mean - 1.0)))


@dataclass(frozen=True, eq=False)
class StyleQuestion:
    """A belief in style bidders, one seat whose style is not known, and what is known of that style beforehand.

    calls:  for each call of the seat in this auction, what its options were and which it was
    others: all other soft evidence: calls of the other seats, who bid as the belief says, and cards weighted by a model
    design: the calls on record of the same player, ``None`` if there are none
    """

    belief: Belief
    seat: Seat
    prior: Prior
    calls: tuple[tuple[Options, int], ...]
    others: SoftEvidence
    design: Design | None

    @classmethod
    def of(cls, belief: Belief, seat: Seat | str, records: Sequence[CallRecord], prior: Prior) -> StyleQuestion:
        """Put the question; it needs a call of the seat, and records of one player."""
        caller, auction, bidder = Seat.of(seat), belief.auction, belief.bidder
        if caller == belief.observer:
            raise BayesBridgeError(f"{caller.name} is the observer, who knows that hand: name another", seat=caller)
        if auction is None or caller not in {who for who, _ in auction}:
            raise BayesBridgeError(f"{caller.name} has not called: give the calls as evidence first", seat=caller)
        if not isinstance(bidder, StyleBidder):
            raise BayesBridgeError(
                f"the belief takes the others for {type(bidder).__name__}, which has no style to learn: "
                "ask about belief.with_bidder(bb.StyleBidder())",
                bidder=bidder,
            )
        if belief.constraints.conditions:
            raise BayesBridgeError("a style is inferred without conditions: leave Condition out", seat=caller)
        turns = [Turn.of(auction, index) for index, (who, _) in enumerate(auction) if who == caller]
        players = sorted({record.player for record in records})
        if len(players) > 1:
            raise BayesBridgeError(
                f"records of {', '.join(players)}: give those of {caller.name} alone", players=players
            )
        return cls(
            belief,
            caller,
            prior,
            tuple((Options.of(turn.before, bidder.vulnerable), turn.call.index) for turn in turns),
            SoftEvidence(tuple(one for one in belief.target.soft.terms if caller not in one.seats or one.call is None)),
            Design.of(records, players) if records else None,
        )

    def log_records(self, styles: Floats) -> Floats:
        """(…) log P(the calls on record) for (…, 4) styles."""
        total = np.zeros(styles.shape[:-1])
        if self.design is not None:
            at = np.arange(len(self.design.call)), self.design.call
            for place in np.ndindex(total.shape):
                total[place] = np.log(self.design.probabilities(styles[place][None, None])[0][at]).sum()
        return total

    def weighted(self, cloud: Cloud, points: Floats) -> tuple[Floats, Floats]:
        """(…, 4) styles at (…, k) points of a mixture, and (…) their log weights for the prior and the records."""
        styles = self.prior.styles(points)
        return styles, cloud.log_weight(points) + self.log_records(styles)

    def cloud(self, rng: np.random.Generator, log_likelihood: Callable[[Floats], Floats] | None = None) -> Cloud:
        """A mixture that covers what the records, and a further likelihood of (n, 4) styles, say of the style."""
        if self.design is None and log_likelihood is None:
            return Cloud.prior(len(self.prior.unknown))

        def log(points: Floats) -> Floats:
            styles = self.prior.styles(points)
            return self.log_records(styles) + (0.0 if log_likelihood is None else log_likelihood(styles))

        return Cloud.fitted(log, len(self.prior.unknown), rng)

    def log_of_records(self, n: int, rng: np.random.Generator) -> Estimate[float]:
        """log P(the calls on record) with the style summed out over ``n`` points or some more."""
        if self.design is None:
            return Estimate(0.0, 0.0)
        cloud = self.cloud(rng)
        _, log = self.weighted(cloud, cloud.points(n, rng))
        found = log_mean(np.exp(log - log.max()).mean(axis=1))
        return Estimate(found.mean + float(log.max()), found.error)


class SeatChances(NamedTuple):
    """Everything about rows of cells and the calls of a seat but for the style.

    A cell enters the utility of the options in its strain alone, so utilities are computed once for each cell that
    occurs and looked up for the rows.

    calls: for each call, its number, how many calls were legal, and by strain the options, their terms by cell that
           occurs, and the cell of each row
    rows:  how many rows there are
    """

    calls: list[tuple[int, int, list[tuple[NDArray[np.int64], Terms, NDArray[np.intp]]]]]
    rows: int

    @classmethod
    def of(cls, cell: Cells, made: Sequence[tuple[Options, int]]) -> SeatChances:
        """For (k, 5) cells of rows and the calls with their options."""
        unique = [np.unique(cell[:, strain], return_inverse=True) for strain in range(5)]
        calls = []
        for options, call in made:
            strains = []
            for strain in np.unique(options.strain).tolist():
                used, where = unique[strain]
                here = Options(*(column[options.strain == strain] for column in options))
                strains.append((here.call, Terms.of(used[:, None], here), where))
            calls.append((call, 1 + len(options.call), strains))
        return cls(calls, len(cell))

    def stretches(self, styles: int) -> list[slice]:
        """Slices of so many styles, each small enough for :meth:`of_styles`."""
        size = max(1, min(64, (1 << 20) // max(1, self.rows)))  # 8 MB of styles × rows
        return [slice(begin, min(begin + size, styles)) for begin in range(0, styles, size)]

    def of_styles(self, styles: Floats) -> Floats:
        """(d, k) probability of all calls, for (d, 4) styles."""
        found = np.ones((len(styles), self.rows))
        slip = styles[:, 3, None]
        for call, legal, strains in self.calls:
            total = np.ones((len(styles), self.rows))
            chosen: Floats | float = 1.0
            for calls, terms, where in strains:
                added = (styles[:, :1] + styles[:, 1:2] * LEANING[calls])[:, None]
                odds = np.exp(terms.utility(added) / styles[:, 2, None, None])
                total += odds.sum(axis=-1)[:, where]
                if call in calls:
                    chosen = odds[:, :, int(np.searchsorted(calls, call))][:, where]
            found *= slip / legal + (1.0 - slip) * chosen / total
        return found

    def log_marginal(self, log_rows: Floats, style: Sequence[Any]) -> Any:
        """log m(θ) of rows with (k,) log weights, as an expression in the style variables of PyMC."""
        import pytensor.tensor as pt

        aggressiveness, preference, temperature, slip = (parameter[0] for parameter in style)
        log_likelihood = pt.as_tensor(log_rows)
        for call, legal, strains in self.calls:
            total, chosen = pt.ones(self.rows), pt.ones(self.rows)
            for calls, terms, where in strains:
                odds = pt.exp(terms.utility(aggressiveness + preference * LEANING[calls]) / temperature)
                total = total + odds.sum(axis=1)[where]
                if call in calls:
                    chosen = odds[:, int(np.searchsorted(calls, call))][where]
            log_likelihood = log_likelihood + pt.log(slip / legal + (1.0 - slip) * chosen / total)
        return pt.logsumexp(log_likelihood)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Layouts with a density.

    layouts:     all of them, or (n, 4) draws
    log_density: (n,) or one number for all: Σ f / density over the layouts estimates the mean of f over all that fit
    weights:     (n,) normalised weights for the likelihood that draws were fitted to; none where all are walked
    log_error:   one standard error of log P(soft evidence) that comes from the draws; 0 where all layouts are walked
    warning:     of the engine behind the draws
    """

    layouts: Enumeration | Masks
    log_density: Floats | float
    weights: Floats
    log_error: float
    warning: str = ""

    @classmethod
    def walked(cls, question: StyleQuestion) -> Source:
        """Every layout."""
        target = question.belief.target
        return cls(target.support, float(np.log(float(target.count))), np.empty(0), 0.0)

    @classmethod
    def drawn(cls, question: StyleQuestion, n: int, rng: np.random.Generator) -> Source:
        """About ``n`` draws of the engine ``importance``."""
        target, cloud = question.belief.target, question.cloud(rng)
        styles, log = question.weighted(cloud, cloud.draw(1, 64, rng)[0])
        style_weights = Weights(log).W

        def log_likelihood(hands: NDArray[np.uint64], _: NDArray[np.uint64] | None = None, /) -> Floats:
            chances = SeatChances.of(cells(hands), question.calls)
            total = np.zeros(len(hands))
            for part in chances.stretches(len(styles)):
                total += style_weights[part] @ chances.of_styles(styles[part])
            with np.errstate(divide="ignore"):
                return np.minimum(np.log(total), 0.0)

        pieces = tuple(piece for one in target.soft.terms if question.seat in one.seats for piece in one.pieces)
        calls = LikelihoodTerm((int(question.seat),), pieces, log_likelihood, log_likelihood)
        soft = SoftEvidence((*question.others.terms, calls))
        found = tilted_draws(replace(target, soft=soft), n, rng, "they are too many to walk")
        likelihood, weights = found.log_likelihood, found.weights
        assert likelihood is not None
        used = weights > 0
        masks = found.stretch(0, len(found))[used]
        masks.setflags(write=False)
        density = likelihood[used] - np.log(weights[used]) - found.log_marginal
        return cls(masks, density, weights[used], found.log_marginal_error, found.caveat)

    @property
    def exact(self) -> bool:
        """Whether these are all layouts."""
        return isinstance(self.layouts, Enumeration)


@dataclass(frozen=True, slots=True, eq=False)
class StyleRows:
    """The layouts by what the style model sees of them, and the chances of the seat's calls for each row.

    log:    (k,) log weight of each row; the weights of all rows add up to P(the other evidence)
    row:    (n,) the row of each layout
    base:   (n,) log weight of each layout: log P(other evidence ∣ layout) − log density; sums up as the rows do
    others: (n,) log P(other evidence ∣ layout)
    """

    source: Source
    chances: SeatChances
    log: Floats
    row: NDArray[np.int64]
    base: Floats
    others: Floats

    @classmethod
    def of(cls, question: StyleQuestion, source: Source) -> StyleRows:
        """Sort layouts into rows."""
        codes, others = [], []
        layouts = source.layouts
        for masks in layouts.blocks(BLOCK) if isinstance(layouts, Enumeration) else [layouts]:
            codes.append(cells(masks[:, question.seat]).astype(np.int64) @ CELLS ** np.arange(5))
            others.append(question.others.of_layouts(masks))
        log = np.concatenate(others)
        base = log - source.log_density
        if (most := base.max()) == -np.inf:
            raise Contradiction(
                f"no layout explains what the others called under {question.belief.bidder!r}: "
                "give the model a slip (slip=0.02), or take a call back",
                evidence=question.belief.evidence,
            )
        found, row = np.unique(np.concatenate(codes), return_inverse=True)
        weights = np.bincount(row, np.exp(base - most))
        used = weights > 0
        row = np.where(used, np.cumsum(used) - 1, 0)[row]
        cell = (found[used, None] // CELLS ** np.arange(5) % CELLS).astype(np.int16)
        return cls(source, SeatChances.of(cell, question.calls), np.log(weights[used]) + most, row, base, log)

    def __len__(self) -> int:
        return len(self.log)

    @property
    def most(self) -> float:
        """The largest log weight."""
        return float(self.log.max())

    def log_marginal(self, styles: Floats) -> Floats:
        """(d,) log m of (d, 4) styles."""
        found, rows = np.empty(len(styles)), np.exp(self.log - self.most)
        for part in self.chances.stretches(len(styles)):
            found[part] = self.chances.of_styles(styles[part]) @ rows
        with np.errstate(divide="ignore"):
            return np.log(found) + self.most
