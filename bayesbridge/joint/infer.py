"""Joint inference of a player's style θ and of the layout: each call is evidence about both.

The layouts are summed out, exactly or over draws, which leaves a marginal likelihood m(θ) of at most four numbers. The
style is then sampled by importance sampling or by NUTS. Given styles θ_d with weights w_d for the prior and the
records, a layout of row r has the likelihood Σ w_d P_r(θ_d), its style summed out, and P(calls) = Σ w_d m(θ_d). Draws
of NUTS come from the posterior, so their w_d are 1 / m(θ_d) up to an unknown constant; P(calls) then comes from
importance points around them. Styles come in batches, and the spread between batches is the standard error of every
answer (:class:`~bayesbridge.engines.weights.Batches`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.fit import STYLE, CallRecord, Prior, Styles, sample_quietly
from bayesbridge.deal import Seat
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.enumeration import MOST_LAYOUTS
from bayesbridge.engines.weights import Batches, Weights, standard_error, stretches_of
from bayesbridge.errors import BayesBridgeError
from bayesbridge.jit import one_thread
from bayesbridge.joint.posterior import ENOUGH, Diagnostics, Estimate, JointPosterior, effective
from bayesbridge.joint.question import Cloud, StyleQuestion, fit_cloud, log_mean
from bayesbridge.joint.sources import Rows, SeatChances, Source, log_marginal
from bayesbridge.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The rows weighed by styles.

    table:    (B, k) by batch, likelihood of each row relative to P(calls): the mean over layouts of the mean over
              batches is 1
    by_style: (4, k) mean of each parameter of the style for a layout of the row
    styles:   (B, n, 4)
    weights:  (B, n) posterior weight of each style, adding up to one
    """

    table: Floats
    by_style: Floats
    styles: Floats
    weights: Floats

    @property
    def style_means(self) -> Floats:
        """(4,) posterior mean of each parameter."""
        found: Floats = self.weights.ravel() @ self.styles.reshape(-1, 4)
        return found

    @property
    def style_errors(self) -> Floats:
        """(4,) standard errors of the means, as far as they come from the styles."""
        moved = (self.weights[..., None] * (self.styles - self.style_means)).sum(axis=1)
        return standard_error(len(self.weights) * moved)

    @property
    def ess(self) -> float:
        """Kish's effective number of styles."""
        return 1.0 / float((self.weights**2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Weighing:
    """A question with its rows."""

    question: StyleQuestion
    rows: Rows
    chances: SeatChances

    def fitted(self, rng: np.random.Generator) -> Cloud:
        """A mixture that covers the posterior of the style."""
        space = self.question.space

        def log_likelihood(points: Floats) -> Floats:
            styles = space.styles(points)
            return self.question.log_records(styles) + self._log_marginal(styles)

        return fit_cloud(log_likelihood, len(space), rng)

    def by_points(self, cloud: Cloud, n: int, rng: np.random.Generator) -> tuple[Weighed, float, float]:
        """With at least ``n`` points of a mixture; and log P(calls ∣ hard evidence, records) with its error."""
        space = self.question.space
        points = cloud.points(n, rng)
        batches, each, _ = points.shape
        styles = space.styles(points)
        log = cloud.log_weight(points) + self.question.log_records(styles.reshape(-1, 4)).reshape(batches, each)
        scale = log.max()
        prior = np.exp(log - scale)
        weighed, marginal = self._weigh(styles, prior)
        above = (prior * marginal).mean(axis=1)
        below, error_below = self.question.log_of_records(batches * each, rng)
        log_above, error = log_mean(above)
        return weighed, log_above + scale + self._most - below, float(np.hypot(error, error_below))

    def by_chains(self, styles: Floats, ess: float) -> Weighed:
        """With (chains, draws, 4) draws from the posterior, of effective sample size ``ess``."""
        chains, draws, _ = styles.shape
        stretches = stretches_of(chains, ess)
        each = draws // stretches
        used = styles[:, draws - stretches * each :].reshape(chains * stretches, each, 4)
        return self._weigh(used, None)[0]

    @property
    def _most(self) -> float:
        return float(self.rows.log.max())

    def _log_marginal(self, styles: Floats) -> Floats:
        """(d,) log m of (d, 4) styles."""
        found, rows = np.empty(len(styles)), np.exp(self.rows.log - self._most)
        for part in self.chances.stretches(len(styles)):
            found[part] = self.chances.of_styles(styles[part]) @ rows
        with np.errstate(divide="ignore"):
            return np.log(found) + self._most

    def _weigh(self, styles: Floats, prior: Floats | None) -> tuple[Weighed, Floats]:
        """Of (B, n, 4) styles with (B, n) weights for prior and records; ``None`` for draws from the posterior.

        Besides, (B, n) m(θ) over the weight of the heaviest row.
        """
        batches, n, _ = styles.shape
        rows = np.exp(self.rows.log - self._most)
        table, by_style = np.zeros((batches, len(rows))), np.zeros((4, len(rows)))
        marginal, weights = np.empty((batches, n)), np.empty((batches, n))
        for batch in range(batches):
            for part in self.chances.stretches(n):
                chances = self.chances.of_styles(styles[batch, part])
                m = marginal[batch, part] = chances @ rows
                w = 1.0 / m if prior is None else prior[batch, part]
                weights[batch, part] = w * m
                table[batch] += w @ chances
                by_style += (w[:, None] * styles[batch, part]).T @ chances
        total = weights.sum()
        by_style /= np.maximum(table.sum(axis=0), np.finfo(float).tiny)
        return Weighed(table * batches / total, by_style, styles, weights / total), marginal


METHODS: Final = ("auto", "counts", "draws")
SAMPLERS: Final = ("importance", "nuts")


def infer_jointly(
    belief: Belief,
    seat: Seat | str,
    records: Iterable[CallRecord] = (),
    prior: Prior | None = None,
    *,
    method: str = "auto",
    sampler: str = "importance",
    layouts: int = 4000,
    draws: int = 500,
    tune: int = 500,
    chains: int = 2,
    rng: Seed = None,
) -> JointPosterior:
    """The joint posterior of the style of one seat and of the layout.

    ``belief`` holds the calls of this auction, and its bidder is a :class:`~bayesbridge.StyleBidder`: the other seats
    have its style, and all its vulnerability. ``records`` are calls of the same player with known hands. ``method``:
    ``counts`` walks all layouts and sums them out exactly by what the style model sees of them; ``draws`` sums out
    about ``layouts`` of them, drawn where the calls point; ``auto`` takes counts where the layouts can be walked, else
    draws. ``sampler`` of the style: ``importance`` takes ``draws · chains`` weighted points or a few more, ``nuts`` as
    many draws in chains, with ``tune`` steps before.

    >>> import bayesbridge as bb
    >>> seen = bb.Reveal("N", "J54.AQ2.KQ76.A54"), bb.Holds("E", "ST S9 S8 HT H9 H8 DJ DT D9 CK")
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bb.StyleBidder()).given(bb.Called("W", "1NT"), *seen)
    >>> found = infer_jointly(belief, "W", draws=100, rng=1)
    >>> bool(found.style["aggressiveness"].mean > 0.5)  # West opened with few points
    True
    """
    for name, given, known in (("method", method, METHODS), ("sampler", sampler, SAMPLERS)):
        if given not in known:
            raise BayesBridgeError(f"unknown {name} {given!r}: choose {', '.join(known)}", **{name: given})
    for name, number, least in (("layouts", layouts, 2), ("draws", draws, 4), ("tune", tune, 0), ("chains", chains, 1)):
        if number < least:
            raise BayesBridgeError(f"{number} {name}: give at least {least}", **{name: number})
    question = StyleQuestion.of(belief, seat, list(records), prior or Prior())
    with one_thread():
        return _inferred(question, method, sampler, layouts, (draws, tune, chains), generator(rng))


def _inferred(
    question: StyleQuestion,
    method: str,
    sampler: str,
    layouts: int,
    size: tuple[int, int, int],
    rng: np.random.Generator,
) -> JointPosterior:
    """The joint posterior, after all arguments are checked."""
    belief, n = question.belief, size[0] * size[2]
    walkable = belief.count() <= min(MOST_LAYOUTS, belief.target.cost.most_layouts)
    walk = method == "counts" or (method != "draws" and walkable)
    source = Source.walked(question) if walk else Source.drawn(question, layouts, rng)
    rows = Rows.of(question, source)
    weighing = Weighing(question, rows, SeatChances.of(rows.cell, question.calls))
    if sampler == "nuts" and len(question.space):
        return _with_nuts(weighing, source, size, rng)
    weighed, *log_calls = weighing.by_points(weighing.fitted(rng), n, rng)
    chosen = rng.permutation(Weights(np.log(weighed.weights.ravel())).resample(n, rng))
    styles = _styles_of(question, weighed.styles.reshape(-1, 4)[chosen])
    return _posterior(weighing, source, weighed, log_calls, styles, Diagnostics(sampler, weighed.ess, np.nan, 0))


def _styles_of(question: StyleQuestion, values: Floats) -> Styles:
    """(n, 4) independent draws as a tree like that of PyMC."""
    import xarray

    draws = {name: (("chain", "draw", "player"), values[None, :, column, None]) for column, name in enumerate(STYLE)}
    stats = xarray.Dataset({"diverging": (("chain", "draw"), np.zeros((1, len(values)), dtype=bool))})
    coords = {"chain": [0], "draw": np.arange(len(values)), "player": [question.seat.name]}
    return Styles(xarray.DataTree.from_dict({"posterior": xarray.Dataset(draws, coords), "sample_stats": stats}))


def _with_nuts(
    weighing: Weighing, source: Source, size: tuple[int, int, int], rng: np.random.Generator
) -> JointPosterior:
    """The style by NUTS, with the layouts summed out."""
    import pymc as pm

    question = weighing.question
    with pm.Model(coords={"player": [question.seat.name]}):
        pm.Potential("calls", log_marginal(question, weighing.rows, question.style()))
        tree = sample_quietly(*size, rng)
    found, posterior = _diagnostics(tree), tree["posterior"].dataset
    values = np.stack([posterior[name].values[..., 0] for name in STYLE], axis=-1)
    names = [f"z_{STYLE[axis.column]}" for axis in question.space.axes]
    z = np.stack([posterior[name].values.ravel() for name in names], axis=1)
    around = Cloud.fitted(question.space.points(z), np.full(len(z), 1.0 / len(z)))
    _, *log_calls = weighing.by_points(around, size[0] * size[2], rng)
    return _posterior(weighing, source, weighing.by_chains(values, found.ess), log_calls, Styles(tree), found)


def _posterior(
    weighing: Weighing, source: Source, weighed: Weighed, log_calls: list[float], styles: Styles, found: Diagnostics
) -> JointPosterior:
    """Layouts weighed by styles; ``log_calls``: log P(calls) and its standard error from the styles."""
    question, rows = weighing.question, weighing.rows
    with np.errstate(divide="ignore"):
        log_row = np.log(weighed.table.mean(axis=0))[rows.row]
    # The table is relative to P(calls) over the weight of the heaviest row.
    weights, log_seat = Weights(rows.base + log_row), log_row + log_calls[0] - float(rows.log.max())
    errors, log_soft_error = weighed.style_errors, log_calls[1]
    if not source.exact:
        log_soft_error = float(
            np.hypot(log_soft_error, np.hypot(source.log_error, np.linalg.norm(weights.W - source.weights)))
        )
        away = weighed.by_style[:, rows.row].T - weighed.style_means
        errors = np.hypot(errors, np.sqrt((weights.W**2) @ (away**2)))
    style = {name: Estimate(*one) for name, *one in zip(STYLE, weighed.style_means, errors.tolist(), strict=True)}
    batches = Batches.of(weighed.table, rows.row, drawn=not source.exact)
    target = question.belief.target
    why = (
        f"joint: {target.count} layouts, {source.how}; {len(rows)} different to the style model, summed out; the style "
        f"by {found.sampler}, worth {found.ess:.0f} independent draws"
    )
    warnings = [*found.warnings(len(styles.values)), *([source.warning] if source.warning else [])]
    if not source.exact and weights.ess < ENOUGH:
        warnings.append(f"the layouts drawn are worth {weights.ess:.0f} independent ones: ask for more layouts")
    draws = Draws(
        target,
        "joint",
        why,
        source.layouts,
        importance=weights,
        likelihood=rows.others + log_seat,
        log_soft=log_calls[0],
        log_soft_error=log_soft_error,
        batches=batches,
        warning="; ".join(warnings),
    )
    cards = Posterior(question.belief, draws).card_probabilities().values[::-1]
    draws = replace(draws, ess=effective(draws, cards))
    attributes = {
        "sampler": found.sampler,
        "ess": found.ess,
        "divergences": found.divergences,
        "warning": draws.warning,
    }
    styles.tree.attrs.update(attributes if np.isnan(found.rhat) else attributes | {"rhat": found.rhat})
    return JointPosterior(styles, Posterior(question.belief, draws), style, found)


def _diagnostics(tree: xarray.DataTree) -> Diagnostics:
    """Effective sample size and R-hat of chains of NUTS: the worst over the parameters."""
    from arviz_stats.base import array_stats as statistics

    posterior, stats = tree["posterior"].dataset, tree["sample_stats"].dataset
    series = [posterior[name].values[..., 0] for name in STYLE]
    moving = [one for one in series if one.std() > 1e-12]
    with np.errstate(all="ignore"):  # a parameter that is constant within a chain has no R-hat
        ess = [float(statistics.ess(one, method="mean")) for one in moving]
        rhat = [float(statistics.rhat(one)) for one in moving]
    diverging = int(stats["diverging"].values.sum()) if "diverging" in stats else 0
    draws = posterior.sizes["chain"] * posterior.sizes["draw"]
    return Diagnostics("nuts", float(np.nanmin([*ess, draws])), float(np.nanmax([*rhat, 1.0])), diverging)
