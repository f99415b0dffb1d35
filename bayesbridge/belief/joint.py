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
    """The k rows of layouts, weighted by B batches of n styles.

    A row is all layouts in which the player's hand looks alike to the style model.
    """

    # (B, k) by batch, likelihood of each row over P(calls): its mean over layouts and
    # batches is 1
    likelihood_ratios: Floats
    mean_styles: Floats  # (4, k) mean of each parameter of the style, given the row
    styles: Floats  # (B, n, 4)
    weights: Floats  # (B, n) posterior weight of each style, adding up to one
    # (B, n) m(θ), the likelihood of the calls, over the weight of the heaviest row
    marginal: Floats

    @classmethod
    def of(
        cls, rows: StyleRows, styles: Floats, prior_weights: Floats | None
    ) -> WeightedRows:
        """Weigh k rows of layouts by styles, and styles by the calls.

        A row is all layouts in which the player's hand looks alike to the style model.

        Parameters
        ----------
        rows : StyleRows
            With weights from the other evidence, and P(calls ∣ row, style).
        styles : array, shape (B, n, 4)
            Styles θ in B batches.
        prior_weights : array, shape (B, n), or None
            Importance weights by which the styles stand for their prior and the
            records; ``None`` for draws from the posterior, whose weights for the prior
            are 1 / m(θ), m(θ) = Σ over rows of weight · P(calls ∣ row, θ).
        """
        batches, n, parameters = styles.shape
        row_weights = rows.relative_weights
        likelihoods = np.zeros((batches, len(row_weights)))
        style_sums = np.zeros((parameters, len(row_weights)))
        marginal = np.empty((batches, n))
        posterior_weights = np.empty((batches, n))
        for batch in range(batches):
            # ``chances`` (styles of the stretch, k): P(calls ∣ row, style)
            for stretch, chances in rows.chances.of_styles(styles[batch]):
                style_marginals = chances @ row_weights
                if prior_weights is None:
                    style_weights = 1.0 / style_marginals
                else:
                    style_weights = prior_weights[batch, stretch]
                marginal[batch, stretch] = style_marginals
                # Bayes: the posterior of a style is its prior times m(θ).
                posterior_weights[batch, stretch] = style_weights * style_marginals
                likelihoods[batch] += style_weights @ chances
                weighted_styles = style_weights[:, None] * styles[batch, stretch]
                style_sums += weighted_styles.T @ chances
        # Σ weight · m(θ) of all batches: P(calls), up to the scale of the weights.
        total = posterior_weights.sum()
        # A row that no style explains has the sum 0, and a mean style of 0.
        row_totals = np.maximum(likelihoods.sum(axis=0), np.finfo(float).tiny)
        return cls(
            likelihood_ratios=likelihoods * batches / total,
            mean_styles=style_sums / row_totals,
            styles=styles,
            weights=posterior_weights / total,
            marginal=marginal,
        )

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
    """Weigh the rows of layouts by about ``n`` styles drawn from a proposal.

    The second result is log P(calls ∣ hard evidence, records), with its error. It is
    the difference log P(calls, records) − log P(records), each estimated by importance
    sampling of styles.
    """
    points = proposal.points(n, rng)
    # (B, n / B) log of prior times P(records ∣ style) over the density of the proposal
    styles, log_weights = question.weighted_styles(proposal, points)
    # The rows need weights on any one scale: the largest is made 1 against overflow.
    weighted = WeightedRows.of(rows, styles, np.exp(log_weights - log_weights.max()))
    with np.errstate(divide="ignore"):
        # Relative to the log weight of the heaviest row, as ``weighted.marginal`` is.
        calls_and_records = log_mean_exp(log_weights + np.log(weighted.marginal))
    log_calls_and_records = calls_and_records.mean + rows.log_heaviest
    log_records = Estimate(0.0, 0.0)
    has_records = question.design is not None
    if has_records:
        log_records = _log_records(question, log_weights.size, rng)
    error = float(np.hypot(calls_and_records.error, log_records.error))
    return weighted, Estimate(log_calls_and_records - log_records.mean, error)


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
        # The table has spades first; cards are numbered from clubs on.
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
    """Standard errors of the posterior mean of a function of layouts.

    Weights of layouts come from B batches of styles, and all layouts of one row (whose
    hands look alike to the style model) share them: ``draws.batches.relative`` (B,
    rows) is the weight by each batch alone over the mean weight. Batch b alone would
    move the mean by Σ over layouts of W · relative[b, row] · (value − mean), and the
    spread of these moves is one error. Layouts that were drawn add their own,
    √(Σ W² (value − mean)²).

    ``quantity`` takes (m, 4) masks and gives (m, …) values; ``mean`` (…) is their
    posterior mean, and the answer has its shape.
    """
    batches = draws.batches
    assert batches is not None
    rows = batches.relative.shape[1]
    # (rows, numbers of a value) Σ W · (value − mean) over the layouts of each row
    deviation_sums = np.zeros((rows, mean.size))
    variance_of_draws = np.zeros(mean.size)
    begin = 0
    for masks, weights in draws.blocks(BLOCK):
        n = len(masks)
        values = quantity(masks).reshape(n, -1).astype(np.float64)
        deviations = values - mean.ravel()
        row_of_layout = batches.row[begin : begin + n]
        # (rows, n): the weight of each layout stands in its row, all else is 0.
        weight_by_row = sparse.csr_array(
            (weights, (row_of_layout, np.arange(n))), shape=(rows, n)
        )
        deviation_sums += weight_by_row @ deviations
        if batches.drawn:
            variance_of_draws += (weights**2) @ (deviations**2)
        begin += n
    moves_by_batch = batches.relative @ deviation_sums
    errors = np.hypot(standard_error(moves_by_batch), np.sqrt(variance_of_draws))
    return np.asarray(errors.reshape(mean.shape))


def _card_errors(draws: Draws, cards: Floats) -> Floats:
    """Standard errors of ``cards``, (52, 4) P(seat holds card), in the same shape.

    Cards whose place is certain have none, so only the k others are looked at.
    """
    errors = np.zeros(cards.shape)
    card, seat = np.nonzero((cards > 0.0) & (cards < 1.0))  # (k,) each
    bit_of_card = card.astype(np.uint64)

    def is_held(masks: Masks) -> NDArray[Any]:
        """(n, k) whether the seat holds the card, 1 or 0, in each of n layouts."""
        return masks[:, seat] >> bit_of_card & np.uint64(1)

    errors[card, seat] = _errors_of_means(draws, is_held, cards[card, seat])
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
    """The joint posterior by importance sampling of about ``n`` styles.

    ``rows`` are the layouts, those together whose hands look alike to the style model.
    The weighted styles give all means; for ``styles`` of the answer ``n`` of them are
    drawn by their weights, so that each counts the same.
    """
    # Fitted to the records and to the calls, of which the rows give the likelihood.
    proposal = question.proposal(rng, log_likelihood=rows.log_marginal)
    weighted, evidence = weigh_rows(question, rows, proposal, n, rng)
    weights = Weights(np.log(weighted.flat_weights))
    resampled = rng.permutation(weights.resample(n, rng))
    styles = _styles_of(question, weighted.flat_styles[resampled])
    kish_ess = 1.0 / float((weighted.weights**2).sum())  # the weights add up to one
    diagnostics = Diagnostics(
        sampler="importance", ess=kish_ess, rhat=np.nan, divergences=0
    )
    return _joint_posterior(question, rows, weighted, evidence, styles, diagnostics)


def _styles_of(question: StyleQuestion, values: Floats) -> Styles:
    """The tree of draws that PyMC would give: one chain, one player.

    ``values`` (n, 4) are n draws of the four parameters of the style of the seat.
    """
    import xarray

    draws = len(values)
    variables = {}
    for column, name in enumerate(STYLE):
        by_chain_draw_player = values[:, column].reshape(1, draws, 1)
        variables[name] = (("chain", "draw", "player"), by_chain_draw_player)
    chain_and_draw = {"chain": [0], "draw": np.arange(draws)}
    player = {"player": [question.seat.name]}
    diverging = np.zeros((1, draws), dtype=bool)
    groups = {
        "posterior": xarray.Dataset(variables, chain_and_draw | player),
        "sample_stats": xarray.Dataset(
            {"diverging": (("chain", "draw"), diverging)}, chain_and_draw
        ),
    }
    return Styles(xarray.DataTree.from_dict(groups))


def posterior_model(question: StyleQuestion, rows: StyleRows) -> pymc.Model:
    """The PyMC model of the style of one player, the layouts summed out.

    Its likelihood has two parts: the calls on record, and the calls of this auction,
    log Σ over rows of weight · P(calls ∣ row, style). A row is all layouts in which the
    player's hand looks alike to the style model.
    """
    import pymc as pm
    import pytensor.tensor as pt

    with pm.Model(coords={"player": [question.seat.name]}) as model:
        style = style_variables(question.prior, [question.seat.name], pooled=False)
        records = question.design
        if records is not None:
            chances = records.chances(style, pt.special.softmax)  # (records, calls)
            chance_of_call = chances[np.arange(len(records.call)), records.call]
            pm.Potential("records", pt.log(chance_of_call).sum())
        style_of_seat = [parameter[0] for parameter in style]
        log_by_row = pt.as_tensor(rows.log_weights)  # (rows,)
        for chance_by_row in rows.chances.of_calls(style_of_seat, pt.exp):
            log_by_row = log_by_row + pt.log(chance_by_row)
        pm.Potential("calls", pt.logsumexp(log_by_row))
    return model


def _style_by_nuts(
    question: StyleQuestion,
    rows: StyleRows,
    lengths: ChainLengths,
    rng: np.random.Generator,
) -> JointPosterior:
    """The joint posterior by draws of NUTS.

    ``rows`` are the layouts, those together whose hands look alike to the style model.
    NUTS does not give P(calls): that is estimated by importance sampling from a normal
    distribution around its draws.
    """
    with posterior_model(question, rows):
        styles = Styles(sample_quietly(*lengths, rng))
    diagnostics = Diagnostics(
        sampler="nuts",
        ess=styles.least_ess,
        rhat=styles.worst_rhat,
        divergences=styles.divergences,
    )
    posterior = styles.tree["posterior"].dataset
    around_draws = _proposal_around(question, posterior)
    n = lengths.draws * lengths.chains
    _, evidence = weigh_rows(question, rows, around_draws, n, rng)
    only_player = 0
    values = np.stack(
        [posterior[name].values[..., only_player] for name in STYLE], axis=-1
    )
    batches = _cut_chains(values, diagnostics.ess)
    weighted = WeightedRows.of(rows, batches, prior_weights=None)
    return _joint_posterior(question, rows, weighted, evidence, styles, diagnostics)


def _proposal_around(
    question: StyleQuestion, posterior: xarray.Dataset
) -> StyleProposal:
    """A normal distribution of styles around draws of the posterior.

    It is one of points z: the parameters that are not known, as distances from the
    centres of the prior in its spreads, which the model calls ``z_…``.
    """
    unknown = [STYLE[column] for column in question.prior.unknown]
    points = np.stack([posterior[f"z_{name}"].values.ravel() for name in unknown], 1)
    equal_weights = np.full(len(points), 1.0 / len(points))
    return StyleProposal.around(points, equal_weights)


def _cut_chains(values: Floats, ess: float) -> Floats:
    """Draws of a style as B batches that are nearly independent, (B, length, 4).

    ``values`` are (chains, draws, 4). Each chain is cut into stretches of equal length;
    first draws that are too many are left out.
    """
    chains, draws, parameters = values.shape
    stretches = stretches_of(chains, ess)
    length = draws // stretches
    last_draws = values[:, draws - stretches * length :]
    return last_draws.reshape(chains * stretches, length, parameters)


def _joint_posterior(
    question: StyleQuestion,
    rows: StyleRows,
    weighted: WeightedRows,
    evidence: Estimate[float],
    styles: Styles,
    diagnostics: Diagnostics,
) -> JointPosterior:
    """The posterior of style and layouts, from rows that styles have weighted.

    A row is all layouts in which the player's hand looks alike to the style model;
    ``rows.row`` (layouts,) is the number of each layout's. ``evidence`` is log P(calls).
    """
    likelihood_ratio = weighted.likelihood_ratios.mean(axis=0)  # (rows,)
    with np.errstate(divide="ignore"):
        log_ratio = np.log(likelihood_ratio)[rows.row]  # (layouts,)
    weights = Weights(rows.layout_log_weights + log_ratio)
    # The ratios are those of P(calls ∣ row) to P(calls) over the heaviest row's weight.
    log_calls = log_ratio + evidence.mean - rows.log_heaviest
    are_drawn = rows.draws is not None
    posterior = Posterior(
        target=question.belief.target,
        method="joint",
        reasons=_reasons(question, rows, diagnostics),
        source=rows.layouts,
        importance=weights,
        likelihood=rows.log_other_evidence + log_calls,
        log_marginal=evidence.mean,
        log_marginal_error=_evidence_error(rows.draws, weights, evidence),
        batches=Batches.of(weighted.likelihood_ratios, rows.row, drawn=are_drawn),
        caveat=_caveat(rows.draws, weights, styles, diagnostics),
        belief=question.belief,
    )
    # The effective sample size is measured on the posterior's own card errors.
    posterior = replace(posterior, ess=_effective_layouts(posterior))
    style = _style_estimates(rows, weighted, weights)
    return JointPosterior(styles, posterior, style, diagnostics)


def _reasons(
    question: StyleQuestion, rows: StyleRows, diagnostics: Diagnostics
) -> tuple[str, ...]:
    """How layouts and style were sampled, in words."""
    walked = "all walked" if rows.draws is None else f"{len(rows.row)} drawn"
    return (
        f"{question.belief.target.count} layouts, {walked}",
        f"{len(rows.log_weights)} different to the style model, summed out",
        f"the style by {diagnostics.sampler}, worth {diagnostics.ess:.0f} independent draws",
    )


def _style_estimates(
    rows: StyleRows, weighted: WeightedRows, weights: Weights
) -> dict[str, Estimate[float]]:
    """Posterior mean and standard error of each parameter of the style.

    One part of the error is the spread over the B batches of styles. The other is there
    where layouts were drawn, with ``weights``: the spread of the mean style given each
    layout, which is that of its row, all layouts whose hands look alike to the model.
    """
    means = weighted.flat_weights @ weighted.flat_styles
    deviations = weighted.styles - means  # (B, n, 4)
    # All weights add up to one, those of one batch to about 1 / B: B times its sum is
    # by how much the batch alone would move the mean.
    batch_sums = (weighted.weights[..., None] * deviations).sum(axis=1)
    errors = standard_error(len(batch_sums) * batch_sums)
    if rows.draws is not None:
        layout_deviations = weighted.mean_styles[:, rows.row].T - means
        layout_errors = np.sqrt((weights.W**2) @ (layout_deviations**2))
        errors = np.hypot(errors, layout_errors)
    return {
        name: Estimate(mean, error)
        for name, mean, error in zip(STYLE, means, errors.tolist(), strict=True)
    }


def _evidence_error(
    draws: Draws | None, weights: Weights, evidence: Estimate[float]
) -> float:
    """Standard error of log P(calls), that of drawn layouts included.

    ``evidence`` has the error that comes from the styles. Layouts were drawn with
    weights W₀ for styles of the prior, and P₀, their estimate of P(calls), has an error
    of its own. Our estimate is P₀ times the mean over W₀ of the ratio W / W₀, where
    ``weights`` W of the same layouts are for the posterior of the style. The error of
    that mean is √(Σ W₀² (W / W₀ − 1)²) = ‖W − W₀‖.
    """
    if draws is None:
        return evidence.error
    # Both add up to one over the layouts that weigh something.
    prior_weights = draws.weights[draws.weights > 0]
    posterior_weights = weights.W
    error_of_ratio = float(np.linalg.norm(posterior_weights - prior_weights))
    error_of_layouts = np.hypot(draws.log_marginal_error, error_of_ratio)
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
    """Effective sample size: that of the least certain P(seat holds card) = p.

    n independent draws would give it the error √(p (1 − p) / n). It is the number of
    all layouts that fit, where no card has an error.
    """
    cards = posterior.card_table[::-1]  # the table has spades first; here clubs are
    errors = _card_errors(posterior, cards)
    uncertain = (cards > OPEN) & (cards < 1 - OPEN) & (errors > 0)
    variances = cards[uncertain] * (1.0 - cards[uncertain])
    ess = np.min(variances / errors[uncertain] ** 2, initial=np.inf)
    if not np.isfinite(ess):
        return float(posterior.target.count)
    return float(ess)
