"""Joint inference of a player's style θ and of the layout.

Each call is evidence about both.

The style model reads nothing of a hand but its five cells, so layouts with the same
cells are one *row*, weighted by the likelihood of the other evidence (over its density,
where layouts are drawn). Summing them out leaves a smooth function of at most four
numbers, m(θ) = Σ_rows weight · P(their calls ∣ cells, θ).

With z a style's distance from the centres of its prior in spreads, a normal proposal is
fitted to the posterior of z by tempered importance sampling, and mixed with a tenth of
the prior, so that no weight passes ten times the likelihood. Points come in batches,
each a scrambled Sobol' net: their spread is the standard error of every answer.

Given styles θ_d with weights w_d for the prior and the records, a layout of row r has
the likelihood Σ w_d P_r(θ_d), and P(calls) = Σ w_d m(θ_d). Draws of NUTS have w_d ∝ 1 /
m(θ_d); P(calls) then comes from points around them.
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
from bayesbridge.belief.style_proposal import StyleProposal, log_mean_exp
from bayesbridge.belief.style_rows import StyleQuestion, StyleRows
from bayesbridge.bidders.fit import (
    STYLE,
    CallRecord,
    Prior,
    Styles,
    sample_quietly,
    style_variables,
)
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.enumeration import MOST_LAYOUTS
from bayesbridge.engines.weights import (
    Batches,
    Estimate,
    Weights,
    standard_error,
    stretches_of,
)
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts, Masks
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pymc
    import xarray

ENOUGH: Final = 100.0
"""Effective styles or layouts below which a warning is given."""

BLOCK: Final = 1 << 14
"""Layouts worked on at a time for standard errors."""

OPEN: Final = 0.01
"""P(seat holds card) from which to 1 less it a card counts as uncertain."""

METHODS: Final = ("auto", "counts", "draws")
SAMPLERS: Final = ("importance", "nuts")


class WeightedRows(NamedTuple):
    """The k rows of layouts, weighted by B batches of n styles."""

    # (B, k) by batch, likelihood of each row over P(calls): its mean over layouts and
    # batches is 1
    table: Floats
    by_style: Floats  # (4, k) mean of each parameter of the style, given the row
    styles: Floats  # (B, n, 4)
    weights: Floats  # (B, n) posterior weight of each style, adding up to one
    marginal: Floats  # (B, n) m(θ) over the weight of the heaviest row

    @classmethod
    def of(
        cls, rows: StyleRows, styles: Floats, prior_weights: Floats | None
    ) -> WeightedRows:
        """Of (B, n, 4) styles with (B, n) weights for the prior and the records.

        ``None`` stands for draws from the posterior: their weights are 1 / m(θ).
        """
        batches, n, _ = styles.shape
        row_weights = rows.relative_weights
        table = np.zeros((batches, len(row_weights)))
        style_sums = np.zeros((4, len(row_weights)))
        marginal = np.empty((batches, n))
        weights = np.empty((batches, n))
        for batch in range(batches):
            batch_styles = styles[batch]
            for stretch, chances in rows.chances.of_styles(batch_styles):
                m = chances @ row_weights
                if prior_weights is None:
                    w = 1.0 / m
                else:
                    w = prior_weights[batch, stretch]
                marginal[batch, stretch] = m
                weights[batch, stretch] = w * m
                table[batch] += w @ chances
                style_sums += (w[:, None] * batch_styles[stretch]).T @ chances
        total = weights.sum()
        row_totals = np.maximum(table.sum(axis=0), np.finfo(float).tiny)
        by_style = style_sums / row_totals
        return cls(table * batches / total, by_style, styles, weights / total, marginal)

    @property
    def flat_styles(self) -> Floats:
        """(B · n, 4) the styles of all batches."""
        return self.styles.reshape(-1, len(STYLE))

    @property
    def flat_weights(self) -> Floats:
        """(B · n,) their weights."""
        return self.weights.ravel()


def weigh_rows(
    question: StyleQuestion,
    rows: StyleRows,
    proposal: StyleProposal,
    n: int,
    rng: np.random.Generator,
) -> tuple[WeightedRows, Estimate[float]]:
    """The rows weighted by about ``n`` styles drawn from a proposal.

    With it comes log P(calls ∣ hard evidence, records).
    """
    points = proposal.points(n, rng)
    styles, log_weights = question.weighted_styles(proposal, points)
    weighted = WeightedRows.of(rows, styles, np.exp(log_weights - log_weights.max()))
    with np.errstate(divide="ignore"):
        calls_and_records = log_mean_exp(log_weights + np.log(weighted.marginal))
    records = Estimate(0.0, 0.0)
    if question.design is not None:
        records = _log_records(question, log_weights.size, rng)
    error = float(np.hypot(calls_and_records.error, records.error))
    evidence = calls_and_records.mean + rows.highest - records.mean
    return weighted, Estimate(evidence, error)


def _log_records(
    question: StyleQuestion, n: int, rng: np.random.Generator
) -> Estimate[float]:
    """log P(records), from about ``n`` styles."""
    proposal = question.proposal(rng)
    points = proposal.points(n, rng)
    _, log_weights = question.weighted_styles(proposal, points)
    return log_mean_exp(log_weights)


class Diagnostics(NamedTuple):
    """How the style was sampled, and the worst diagnostics over its parameters."""

    sampler: str  #: ``importance`` or ``nuts``.
    ess: float  #: Effective sample size.
    rhat: float  #: ``nan`` without chains.
    divergences: int  #: How many draws diverged; 0 without chains.


@dataclass(frozen=True, slots=True, repr=False)
class JointPosterior:
    """What is known of a player's style and of the layout.

    The evidence is the player's records and the calls of this auction.
    """

    #: Their style, as draws that count the same; the player's name is that of the seat.
    styles: Styles
    layouts: Posterior  #: The layouts, with the style summed out.
    #: Posterior mean of each parameter of the style, with its error.
    style: dict[str, Estimate[float]]
    diagnostics: Diagnostics

    @property
    def warning(self) -> str:
        """What to be wary of, and what to do; empty where all is well."""
        return self.layouts.caveat

    def card_errors(self) -> xarray.DataArray:
        """Standard error of each of ``Posterior.card_probabilities``, card × seat."""
        probabilities = self.layouts.card_probabilities()
        errors = _card_errors(self.layouts, probabilities.values[::-1])
        return probabilities.copy(data=errors[::-1]).rename("standard error")

    def expect(self, quantity: Callable[[Layouts], NDArray[Any]]) -> Estimate[Any]:
        """Posterior mean of any function of a batch of layouts, with its error.

        Parameters
        ----------
        quantity : callable
            Takes n :class:`Layouts` and returns an array of n rows, as in
            :meth:`bayesbridge.Posterior.expect`.

        Returns
        -------
        Estimate
            ``mean`` and ``error``: numbers, or arrays of the shape of a row.
        """

        def of_masks(masks: Masks) -> NDArray[Any]:
            """The quantity of (n, 4) masks."""
            return np.asarray(quantity(Layouts.adopt(masks)))

        mean = self.layouts.expect(quantity)
        error = _errors_of_means(self.layouts, of_masks, np.asarray(mean))
        if np.ndim(mean) == 0:
            return Estimate(mean, float(error))
        return Estimate(mean, error)

    def __repr__(self) -> str:
        means = ", ".join(
            f"{name} {estimate.mean:.2f} ± {estimate.error:.2g}"
            for name, estimate in self.style.items()
        )
        warning = f"; {self.warning}" if self.warning else ""
        return f"<JointPosterior: {means}; {self.layouts!r}{warning}>"


def _errors_of_means(
    draws: Draws, quantity: Callable[[Masks], NDArray[Any]], mean: Floats
) -> Floats:
    """(…) standard errors of the mean of a function of layouts, (m, 4) → (m, …).

    The batches of styles move the mean together with the weights of rows; layouts that
    were drawn add their own error.
    """
    batches = draws.batches
    assert batches is not None
    rows = batches.relative.shape[1]
    by_row = np.zeros((rows, mean.size))
    own_variance = np.zeros(mean.size)
    begin = 0
    for masks, weights in draws.blocks(BLOCK):
        n = len(masks)
        values = quantity(masks).reshape(n, -1).astype(np.float64)
        deviations = values - mean.ravel()
        places = batches.row[begin : begin + n], np.arange(n)
        weight_by_row = sparse.csr_array((weights, places), shape=(rows, n))
        by_row += weight_by_row @ deviations
        if batches.drawn:
            own_variance += (weights**2) @ (deviations**2)
        begin += n
    batch_errors = standard_error(batches.relative @ by_row)
    errors = np.hypot(batch_errors, np.sqrt(own_variance))
    return np.asarray(errors.reshape(mean.shape))


def _card_errors(draws: Draws, cards: Floats) -> Floats:
    """(52, 4) standard errors of P(seat holds card), by card index and seat."""
    errors = np.zeros(cards.shape)
    card, seat = np.nonzero((cards > 0.0) & (cards < 1.0))
    shift = card.astype(np.uint64)

    def held(masks: Masks) -> NDArray[Any]:
        """(n, k) 1 where the seat of a doubtful card holds it in a layout, else 0."""
        return masks[:, seat] >> shift & np.uint64(1)

    errors[card, seat] = _errors_of_means(draws, held, cards[card, seat])
    return errors


class ChainLengths(NamedTuple):
    """How many draws each chain of NUTS takes, and steps before them."""

    draws: int
    tune: int
    chains: int


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

    Parameters
    ----------
    belief : Belief
        Holds the calls of this auction. Its bidder is a
        :class:`~bayesbridge.StyleBidder`: the other seats have its style.
    seat : Seat or str
        The seat whose style is not known, another than the observer.
    records : iterable of CallRecord
        Calls of the same player with known hands.
    prior : Prior, optional
        What is known of the style beforehand; by default ``Prior()``.
    method : str
        ``counts`` walks all layouts, ``draws`` draws some where the calls point, and
        ``auto`` takes counts where they can be walked.
    sampler : str
        Of the style: ``importance`` takes ``draws · chains`` weighted points or a few
        more, ``nuts`` as many draws in chains.
    layouts : int
        About how many layouts are drawn.
    draws, tune, chains : int
        Draws of each chain, steps of NUTS before them, and how many chains.
    rng : int, Generator or None
        What random numbers start from; ``None`` for another run each time.

    Returns
    -------
    JointPosterior
        The style, as draws and as means, and the :class:`Posterior` of the layouts.

    Raises
    ------
    BayesBridgeError
        If the seat observes or has not called, the bidder has no style, records are of
        several players, the belief has conditions, or an option is unknown or too
        small.
    Contradiction
        If no layout explains what the others called.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bb.StyleBidder())
    >>> belief = belief.given(
    ...     bb.Called("W", "1NT"),
    ...     bb.Reveal("N", "J54.AQ2.KQ76.A54"),
    ...     bb.Holds("E", "ST S9 S8 HT H9 H8 DJ DT D9 CK"),
    ... )
    >>> joint = infer_jointly(belief, "W", draws=100, rng=1)
    >>> bool(joint.style["aggressiveness"].mean > 0.5)  # West opened with few points
    True
    """
    _verify_choice("method", method, METHODS)
    _verify_choice("sampler", sampler, SAMPLERS)
    _verify_least("layouts", layouts, 2)
    _verify_least("draws", draws, 4)
    _verify_least("tune", tune, 0)
    _verify_least("chains", chains, 1)
    question = StyleQuestion.of(belief, seat, list(records), prior or Prior())
    random = generator(rng)
    can_be_walked = belief.count() <= min(MOST_LAYOUTS, belief.target.cost.most_layouts)
    with one_thread():
        drawn = None
        if method == "draws" or (method == "auto" and not can_be_walked):
            drawn = question.draw_layouts(layouts, random)
        rows = StyleRows.of(question, drawn)
        if sampler == "nuts" and question.prior.unknown:
            lengths = ChainLengths(draws, tune, chains)
            return _style_by_nuts(question, rows, lengths, random)
        return _style_by_importance(question, rows, draws * chains, random)


def _verify_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise BayesBridgeError(
            f"unknown {name} {value!r}: choose {', '.join(choices)}", **{name: value}
        )


def _verify_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise BayesBridgeError(
            f"{value} {name}: give at least {least}", **{name: value}
        )


def _style_by_importance(
    question: StyleQuestion, rows: StyleRows, n: int, rng: np.random.Generator
) -> JointPosterior:
    """With about ``n`` weighted styles, of which ``n`` are drawn that count the same."""
    proposal = question.proposal(rng, rows.log_marginal)
    weighted, evidence = weigh_rows(question, rows, proposal, n, rng)
    weights = Weights(np.log(weighted.flat_weights))
    chosen = rng.permutation(weights.resample(n, rng))
    styles = _styles_of(question, weighted.flat_styles[chosen])
    ess = 1.0 / float((weighted.weights**2).sum())
    diagnostics = Diagnostics("importance", ess, rhat=np.nan, divergences=0)
    return _joint_posterior(question, rows, weighted, evidence, styles, diagnostics)


def _styles_of(question: StyleQuestion, values: Floats) -> Styles:
    """(n, 4) draws of the style of the seat, as one chain."""
    import xarray

    dims = ("chain", "draw", "player")
    variables = {
        name: (dims, values[None, :, column, None]) for column, name in enumerate(STYLE)
    }
    axes = {"chain": [0], "draw": np.arange(len(values))}
    coords = axes | {"player": [question.seat.name]}
    diverging = np.zeros((1, len(values)), dtype=bool)
    statistics = xarray.Dataset({"diverging": (("chain", "draw"), diverging)}, axes)
    groups = {
        "posterior": xarray.Dataset(variables, coords),
        "sample_stats": statistics,
    }
    return Styles(xarray.DataTree.from_dict(groups))


def posterior_model(question: StyleQuestion, rows: StyleRows) -> pymc.Model:
    """The PyMC model of the style, the layouts summed out."""
    import pymc as pm
    import pytensor.tensor as pt

    with pm.Model(coords={"player": [question.seat.name]}) as model:
        style = style_variables(question.prior, [question.seat.name], pooled=False)
        design = question.design
        if design is not None:
            chances = design.chances(style, pt.special.softmax)
            made = chances[np.arange(len(design.call)), design.call]
            pm.Potential("records", pt.log(made).sum())
        style_of_seat = [number[0] for number in style]
        log_by_row = pt.as_tensor(rows.log_weights)
        for chance in rows.chances.of_calls(style_of_seat, pt.exp):
            log_by_row = log_by_row + pt.log(chance)
        pm.Potential("calls", pt.logsumexp(log_by_row))
    return model


def _style_by_nuts(
    question: StyleQuestion,
    rows: StyleRows,
    lengths: ChainLengths,
    rng: np.random.Generator,
) -> JointPosterior:
    """With draws of NUTS, and P(calls) from points around them."""
    with posterior_model(question, rows):
        styles = Styles(sample_quietly(*lengths, rng))
    diagnostics = Diagnostics(
        "nuts", styles.least_ess, styles.worst_rhat, styles.divergences
    )
    posterior = styles.tree["posterior"].dataset
    values = np.stack([posterior[name].values[..., 0] for name in STYLE], axis=-1)
    unknown = [STYLE[column] for column in question.prior.unknown]
    points = np.stack([posterior[f"z_{name}"].values.ravel() for name in unknown], 1)
    equal_weights = np.full(len(points), 1.0 / len(points))
    around_draws = StyleProposal.around(points, equal_weights)
    n = lengths.draws * lengths.chains
    _, evidence = weigh_rows(question, rows, around_draws, n, rng)
    batches = _in_stretches(values, diagnostics.ess)
    weighted = WeightedRows.of(rows, batches, prior_weights=None)
    return _joint_posterior(question, rows, weighted, evidence, styles, diagnostics)


def _in_stretches(values: Floats, ess: float) -> Floats:
    """(chains, draws, 4) styles as batches that are nearly independent.

    Each chain is cut into stretches of equal length; first draws that are too many are
    left out.
    """
    chains, draws, numbers = values.shape
    stretches = stretches_of(chains, ess)
    length = draws // stretches
    used = values[:, draws - stretches * length :]
    return used.reshape(chains * stretches, length, numbers)


def _joint_posterior(
    question: StyleQuestion,
    rows: StyleRows,
    weighted: WeightedRows,
    evidence: Estimate[float],
    styles: Styles,
    diagnostics: Diagnostics,
) -> JointPosterior:
    """The style and the layouts, from rows that are weighted by styles."""
    target = question.belief.target
    with np.errstate(divide="ignore"):
        log_row = np.log(weighted.table.mean(axis=0))[rows.row]
    weights = Weights(rows.layout_log_weights + log_row)
    # The table is relative to P(calls) over the weight of the heaviest row.
    log_calls = log_row + evidence.mean - rows.highest
    walked = "all walked" if rows.draws is None else f"{len(rows.row)} drawn"
    posterior = Posterior(
        target=target,
        method="joint",
        reasons=(
            f"{target.count} layouts, {walked}",
            f"{len(rows.log_weights)} different to the style model, summed out",
            f"the style by {diagnostics.sampler}, worth {diagnostics.ess:.0f} independent draws",
        ),
        source=rows.layouts,
        importance=weights,
        likelihood=rows.log_other_evidence + log_calls,
        log_marginal=evidence.mean,
        log_marginal_error=_evidence_error(rows.draws, weights, evidence),
        batches=Batches.of(weighted.table, rows.row, drawn=rows.draws is not None),
        caveat=_caveat(rows.draws, weights, styles, diagnostics),
        belief=question.belief,
    )
    posterior = replace(posterior, ess=_effective_layouts(posterior))
    style = _style_estimates(rows, weighted, weights)
    return JointPosterior(styles, posterior, style, diagnostics)


def _style_estimates(
    rows: StyleRows, weighted: WeightedRows, weights: Weights
) -> dict[str, Estimate[float]]:
    """Mean and standard error of each parameter of the style.

    The error comes from the batches of styles, and from the layouts where these were
    drawn with ``weights``.
    """
    means = weighted.flat_weights @ weighted.flat_styles
    deviations = weighted.styles - means
    by_batch = (weighted.weights[..., None] * deviations).sum(axis=1)
    errors = standard_error(len(by_batch) * by_batch)
    if rows.draws is not None:
        of_layouts = weighted.by_style[:, rows.row].T - means
        layout_errors = np.sqrt((weights.W**2) @ (of_layouts**2))
        errors = np.hypot(errors, layout_errors)
    return {
        name: Estimate(mean, error)
        for name, mean, error in zip(STYLE, means, errors.tolist(), strict=True)
    }


def _evidence_error(
    draws: Draws | None, weights: Weights, evidence: Estimate[float]
) -> float:
    """Standard error of log P(calls), with that of layouts drawn.

    Their weights were for styles of the prior, so they are off by how far the weights
    for the posterior of the style lie from them.
    """
    if draws is None:
        return evidence.error
    # Both add up to one over the layouts that weigh something.
    prior_weights = draws.weights[draws.weights > 0]
    posterior_weights = weights.W
    distance = float(np.linalg.norm(posterior_weights - prior_weights))
    error_of_layouts = np.hypot(draws.log_marginal_error, distance)
    return float(np.hypot(evidence.error, error_of_layouts))


def _caveat(
    draws: Draws | None, weights: Weights, styles: Styles, diagnostics: Diagnostics
) -> str:
    """What to be wary of, in words; empty where all is well."""
    warnings = []
    if diagnostics.sampler == "nuts":
        warnings.append(styles.warning)
    if diagnostics.ess < ENOUGH:
        warnings.append(
            f"the draws of the style are worth {diagnostics.ess:.0f} independent ones: "
            "ask for more draws"
        )
    if draws is not None:
        warnings.append(draws.caveat)
        if weights.ess < ENOUGH:
            warnings.append(
                f"the layouts drawn are worth {weights.ess:.0f} independent ones: ask "
                "for more layouts"
            )
    return "; ".join(filter(None, warnings))


def _effective_layouts(posterior: Posterior) -> float:
    """Independent draws that would leave the least certain card the same error.

    All layouts that fit, where no card has an error.
    """
    cards = posterior.card_table[::-1]
    errors = _card_errors(posterior, cards)
    uncertain = (cards > OPEN) & (cards < 1 - OPEN) & (errors > 0)
    variances = cards[uncertain] * (1.0 - cards[uncertain])
    ess = np.min(variances / errors[uncertain] ** 2, initial=np.inf)
    if not np.isfinite(ess):
        return float(posterior.target.count)
    return float(ess)
