"""Joint inference of a player's style θ and of the layout: each call is evidence about both.

The layouts are summed out, exactly or over draws, which leaves a marginal likelihood m(θ) of at most four numbers. The
style is then sampled by importance sampling or by NUTS. Given styles θ_d with weights w_d for the prior and the
records, a layout of row r has the likelihood Σ w_d P_r(θ_d), its style summed out, and P(calls) = Σ w_d m(θ_d). Draws
of NUTS come from the posterior, so their w_d are 1 / m(θ_d) up to an unknown constant; P(calls) then comes from
importance points around them. Styles come in batches, and the spread between batches is the standard error of every
answer (:class:`~bayesbridge.engines.weights.Batches`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.fit import STYLE, CallRecord, Prior, Styles, log_calls, sample_quietly, style_variables
from bayesbridge.deal import Seat
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.enumeration import MOST_LAYOUTS
from bayesbridge.engines.weights import Batches, Estimate, Weights, standard_error, stretches_of
from bayesbridge.errors import BayesBridgeError
from bayesbridge.jit import one_thread
from bayesbridge.joint.question import Cloud, Source, StyleQuestion, StyleRows, log_mean
from bayesbridge.layouts import Floats, Layouts, Masks
from bayesbridge.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray

ENOUGH: Final = 100.0
"""Effective styles or layouts below which a warning is given."""


class Diagnostics(NamedTuple):
    """How the style was sampled, and the diagnostics."""

    sampler: str
    """``importance`` or ``nuts``."""
    ess: float
    """Effective sample size of the style: the smallest over its parameters."""
    rhat: float
    """The largest R-hat over the parameters; ``nan`` without chains."""
    divergences: int
    """How often NUTS diverged after tuning."""


@dataclass(frozen=True, slots=True, repr=False)
class JointPosterior:
    """What is known of the player and of the layout, after their records and the calls of this auction."""

    styles: Styles
    """Their style, as draws that count the same; the player's name is that of the seat."""
    layouts: Posterior
    """The layouts, with the style summed out."""
    style: dict[str, Estimate[float]]
    """Posterior mean of each parameter of the style, with the error of styles and of drawn layouts."""
    diagnostics: Diagnostics

    @property
    def warning(self) -> str:
        """What to be wary of, and what to do; empty where all is well."""
        return self.layouts.caveat

    def card_errors(self) -> xarray.DataArray:
        """Standard error of each of ``Posterior.card_probabilities``, card × seat."""
        like = self.layouts.card_probabilities()
        return like.copy(data=_card_errors(self.layouts, like.values[::-1])[::-1]).rename("standard error")

    def expect(self, quantity: Callable[[Layouts], NDArray[Any]]) -> Estimate[Any]:
        """Posterior mean of any function of a batch of layouts, as ``Posterior.expect``, with its error."""
        mean = self.layouts.expect(quantity)
        found = errors(self.layouts, lambda masks: np.asarray(quantity(Layouts(masks))), np.asarray(mean))
        return Estimate(mean, float(found) if np.ndim(mean) == 0 else found)

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {one.mean:.2f} ± {one.error:.2g}" for name, one in self.style.items())
        return f"<JointPosterior: {means}; {self.layouts!r}{f'; {self.warning}' if self.warning else ''}>"


def errors(draws: Draws, quantity: Callable[[Masks], NDArray[Any]], mean: Floats) -> Floats:
    """(…) standard errors of posterior means of a function of layouts, (m, 4) → (m, …)."""
    batches = draws.batches
    assert batches is not None
    rows = batches.relative.shape[1]
    by_row, own, begin = np.zeros((rows, mean.size)), np.zeros(mean.size), 0
    for masks, weights in draws.blocks(1 << 14):
        u = quantity(masks).reshape(len(masks), -1).astype(np.float64) - mean.ravel()
        places = batches.row[begin : begin + len(masks)], np.arange(len(masks))
        by_row += sparse.csr_array((weights, places), shape=(rows, len(masks))) @ u
        if batches.drawn:
            own += (weights**2) @ (u**2)
        begin += len(masks)
    return np.asarray(np.hypot(standard_error(batches.relative @ by_row), np.sqrt(own)).reshape(mean.shape))


def _card_errors(draws: Draws, cards: Floats) -> Floats:
    """(52, 4) standard errors of P(seat holds card)."""
    found = np.zeros(cards.shape)
    card, seat = np.nonzero((cards > 0.0) & (cards < 1.0))
    found[card, seat] = errors(
        draws, lambda masks: masks[:, seat] >> card.astype(np.uint64) & np.uint64(1), cards[card, seat]
    )
    return found


@dataclass(frozen=True, slots=True, eq=False)
class WeightedRows:
    """The rows weighted by styles.

    table:    (B, k) by batch, likelihood of each row relative to P(calls): the mean over layouts of the mean over
              batches is 1
    by_style: (4, k) mean of each parameter of the style for a layout of the row
    styles:   (B, n, 4)
    weights:  (B, n) posterior weight of each style, adding up to one
    marginal: (B, n) m(θ) over the weight of the heaviest row
    evidence: log P(calls ∣ hard evidence, records), where the styles tell it
    """

    table: Floats
    by_style: Floats
    styles: Floats
    weights: Floats
    marginal: Floats
    evidence: Estimate[float] | None = None

    @property
    def style_means(self) -> Floats:
        """(4,) posterior mean of each parameter."""
        return np.asarray(self.weights.ravel() @ self.styles.reshape(-1, 4))

    @property
    def style_errors(self) -> Floats:
        """(4,) standard errors of the means, as far as they come from the styles."""
        moved = (self.weights[..., None] * (self.styles - self.style_means)).sum(axis=1)
        return standard_error(len(self.weights) * moved)

    @property
    def ess(self) -> float:
        """Kish's effective number of styles."""
        return 1.0 / float((self.weights**2).sum())


def by_points(question: StyleQuestion, rows: StyleRows, cloud: Cloud, n: int, rng: np.random.Generator) -> WeightedRows:
    """With at least ``n`` points of a mixture."""
    styles, log = question.weighted(cloud, cloud.points(n, rng))
    scale = log.max()
    prior = np.exp(log - scale)
    found = _weigh(rows, styles, prior)
    above, below = log_mean((prior * found.marginal).mean(axis=1)), question.log_of_records(log.size, rng)
    evidence = Estimate(above.mean + scale + rows.most - below.mean, float(np.hypot(above.error, below.error)))
    return replace(found, evidence=evidence)


def _weigh(rows: StyleRows, styles: Floats, prior: Floats | None) -> WeightedRows:
    """Of (B, n, 4) styles with (B, n) weights for prior and records; ``None`` for draws from the posterior."""
    batches, n, _ = styles.shape
    row_weights = np.exp(rows.log - rows.most)
    table, by_style = np.zeros((batches, len(rows))), np.zeros((4, len(rows)))
    marginal, weights = np.empty((batches, n)), np.empty((batches, n))
    for batch in range(batches):
        for part in rows.chances.stretches(n):
            chances = rows.chances.of_styles(styles[batch, part])
            m = marginal[batch, part] = chances @ row_weights
            w = 1.0 / m if prior is None else prior[batch, part]
            weights[batch, part] = w * m
            table[batch] += w @ chances
            by_style += (w[:, None] * styles[batch, part]).T @ chances
    total = weights.sum()
    by_style /= np.maximum(table.sum(axis=0), np.finfo(float).tiny)
    return WeightedRows(table * batches / total, by_style, styles, weights / total, marginal)


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
    question, numbers = StyleQuestion.of(belief, seat, list(records), prior or Prior()), generator(rng)
    walkable = belief.count() <= min(MOST_LAYOUTS, belief.target.cost.most_layouts)
    with one_thread():
        walk = method == "counts" or (method != "draws" and walkable)
        source = Source.walked(question) if walk else Source.drawn(question, layouts, numbers)
        rows = StyleRows.of(question, source)
        if sampler == "nuts" and question.prior.unknown:
            return _with_nuts(question, rows, (draws, tune, chains), numbers)
        n = draws * chains
        weighted = by_points(question, rows, question.cloud(numbers, rows.log_marginal), n, numbers)
        chosen = numbers.permutation(Weights(np.log(weighted.weights.ravel())).resample(n, numbers))
        styles = _styles_of(question, weighted.styles.reshape(-1, 4)[chosen])
        found = Diagnostics(sampler, weighted.ess, np.nan, 0)
        return _posterior(question, rows, weighted, styles, found)


def _styles_of(question: StyleQuestion, values: Floats) -> Styles:
    """(n, 4) independent draws as a tree like that of PyMC."""
    import xarray

    draws = {name: (("chain", "draw", "player"), values[None, :, column, None]) for column, name in enumerate(STYLE)}
    coords = {"chain": [0], "draw": np.arange(len(values)), "player": [question.seat.name]}
    axes = {name: coords[name] for name in ("chain", "draw")}
    stats = xarray.Dataset({"diverging": (("chain", "draw"), np.zeros((1, len(values)), dtype=bool))}, axes)
    return Styles(xarray.DataTree.from_dict({"posterior": xarray.Dataset(draws, coords), "sample_stats": stats}))


def _with_nuts(
    question: StyleQuestion, rows: StyleRows, size: tuple[int, int, int], rng: np.random.Generator
) -> JointPosterior:
    """The style by NUTS, with the layouts summed out."""
    import pymc as pm

    with pm.Model(coords={"player": [question.seat.name]}):
        style = style_variables(question.prior, [question.seat.name], pooled=False)
        if question.design is not None:
            pm.Potential("records", log_calls(question.design, style).sum())
        pm.Potential("calls", rows.chances.log_marginal(rows.log, style))
        styles = Styles(sample_quietly(*size, rng))
    found = Diagnostics("nuts", styles.least_ess, styles.worst_rhat, styles.divergences)
    posterior = styles.tree["posterior"].dataset
    values = np.stack([posterior[name].values[..., 0] for name in STYLE], axis=-1)
    z = np.stack([posterior[f"z_{STYLE[column]}"].values.ravel() for column in question.prior.unknown], axis=1)
    around = Cloud.around(z, np.full(len(z), 1.0 / len(z)))
    evidence = by_points(question, rows, around, size[0] * size[2], rng).evidence
    chains, draws, _ = values.shape
    stretches = stretches_of(chains, found.ess)
    each = draws // stretches
    weighted = _weigh(rows, values[:, draws - stretches * each :].reshape(chains * stretches, each, 4), None)
    return _posterior(question, rows, replace(weighted, evidence=evidence), styles, found)


def _posterior(
    question: StyleQuestion, rows: StyleRows, weighted: WeightedRows, styles: Styles, found: Diagnostics
) -> JointPosterior:
    """Layouts weighted by styles."""
    assert weighted.evidence is not None
    source, (log_marginal, log_marginal_error) = rows.source, weighted.evidence
    with np.errstate(divide="ignore"):
        log_row = np.log(weighted.table.mean(axis=0))[rows.row]
    # The table is relative to P(calls) over the weight of the heaviest row.
    weights, log_seat = Weights(rows.base + log_row), log_row + log_marginal - rows.most
    stated = weighted.style_errors
    if not source.exact:
        log_marginal_error = float(
            np.hypot(log_marginal_error, np.hypot(source.log_error, np.linalg.norm(weights.W - source.weights)))
        )
        away = weighted.by_style[:, rows.row].T - weighted.style_means
        stated = np.hypot(stated, np.sqrt((weights.W**2) @ (away**2)))
    style = {name: Estimate(*one) for name, *one in zip(STYLE, weighted.style_means, stated.tolist(), strict=True)}
    batches = Batches.of(weighted.table, rows.row, drawn=not source.exact)
    target = question.belief.target
    how = "all walked" if source.exact else f"{len(rows.row)} drawn"
    reasons = (
        f"{target.count} layouts, {how}",
        f"{len(rows)} different to the style model, summed out",
        f"the style by {found.sampler}, worth {found.ess:.0f} independent draws",
    )
    warnings = [styles.warning if found.sampler == "nuts" else "", source.warning]
    if found.ess < ENOUGH:
        warnings.append(f"the draws of the style are worth {found.ess:.0f} independent ones: ask for more draws")
    if not source.exact and weights.ess < ENOUGH:
        warnings.append(f"the layouts drawn are worth {weights.ess:.0f} independent ones: ask for more layouts")
    draws = Draws(
        target,
        "joint",
        reasons,
        source.layouts,
        importance=weights,
        likelihood=rows.others + log_seat,
        log_marginal=log_marginal,
        log_marginal_error=log_marginal_error,
        batches=batches,
        caveat="; ".join(filter(None, warnings)),
    )
    # Independent draws that would leave the least certain card the same error; all layouts where no card has one.
    cards = Posterior.of(draws, belief=question.belief).card_probabilities().values[::-1]
    error = _card_errors(draws, cards)
    open_ = (cards > 0.01) & (cards < 0.99) & (error > 0)
    ess = np.min(cards[open_] * (1.0 - cards[open_]) / error[open_] ** 2, initial=np.inf)
    draws = replace(draws, ess=float(ess) if np.isfinite(ess) else float(target.count))
    return JointPosterior(styles, Posterior.of(draws, belief=question.belief), style, found)
