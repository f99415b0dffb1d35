"""Which engine answers, and why: the most exact one that fits.

``ENGINES`` is the one list of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.draws import Draws, LazyDraws
from bayesbridge.engines.enumeration import BLOCK, MOST_LAYOUTS, Enumeration
from bayesbridge.engines.levels import exact_draws, exact_tables, from_tables
from bayesbridge.engines.particles import moved
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.target import Target
from bayesbridge.engines.tilt import tilted_draws
from bayesbridge.engines.weights import EQUAL, Weights
from bayesbridge.errors import BayesBridgeError, TooFewDraws, did_you_mean
from bayesbridge.evidence.expression_text import short_text
from bayesbridge.game.layouts import Masks
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.random64 import Seed, State, generator, seed_state

type Engine = Callable[[Target, int, np.random.Generator, str, Proposal | None], Draws]
"""(target, number of draws, random numbers, why this engine, proposal to start from) →
draws.
"""

MIN_ESS_FRACTION: Final = 0.1
"""ESS / requested draws below which ``auto`` moves particles."""

MIN_ESS: Final = 30.0
"""ESS below which plain weights refuse: with less, less than 94 % of answers lie within
two errors.
"""

MIN_ESS_KEPT: Final = 0.5
"""Plain weights refuse if one more draw of the greatest weight leaves less than this
share of their ESS.
"""

BATCH: Final = 1 << 14  # draws from tables that are tested at a time

MOST_REJECTED: Final = 2_000_000
"""Draws from tables that are tested before too few are said to meet a condition."""


def infer(
    target: Target, method: str, draws: int, rng: Seed, start: Proposal | None = None
) -> Draws:
    """Weighted layouts of a target, by the engine that ``method`` names.

    ``auto`` is the engine that chooses the most exact one that fits. ``draws`` is how
    many layouts where these are drawn; ``rng`` a seed. An engine that fits a proposal
    begins with ``start``, that of an earlier question.
    """
    if str(method) not in ENGINES:
        hint = did_you_mean(str(method), ENGINES)
        raise BayesBridgeError(
            f"unknown method {method!r}: {hint}choose {', '.join(ENGINES)}",
            method=method,
        )
    if draws < 2:
        raise BayesBridgeError(
            f"{draws} draws: take at least 2, better thousands", draws=draws
        )
    run_engine = ENGINES[method]
    why = "as asked"  # of an engine that was named; auto says why it chose another
    with one_thread():
        return run_engine(target, draws, generator(rng), why, start)


def _auto(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    _why: str,
    start: Proposal | None,
) -> Draws:
    """The most exact engine that fits, whatever was asked.

    All layouts where they can be walked; exact draws where there are no calls; exact
    tables where these hold the calls; else draws from a fitted proposal, which are moved
    as particles where their effective sample size is small.
    """
    most_layouts = MOST_LAYOUTS
    if target.soft:
        most_layouts = min(MOST_LAYOUTS, target.cost.most_layouts)
    if target.support_size <= most_layouts:
        return _enumerate(
            target, draws, rng, f"{target.support_size} layouts can all be walked"
        )
    why = f"{target.support_size} layouts are too many to walk"
    if not target.soft:
        return _sample(target, draws, rng, why)
    tables = exact_tables(target)
    if tables is not None:
        return from_tables(target, tables, draws, rng, why)
    weighted = tilted_draws(target, draws, rng, why, start)
    if weighted.ess >= MIN_ESS_FRACTION * draws:
        return weighted
    return moved(weighted, draws, rng)


def _enumerate(
    target: Target,
    _draws: int,
    _rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    """All layouts that fit, weighted by Bayes' rule.

    Without soft evidence and conditions they count the same, and tables by suit
    (``target.sampler``) have the marginals already.
    """
    walk = Enumeration.of(target.sampler)
    unweighted = Draws(
        target=target,
        method="enumerate",
        reasons=(why,),
        source=walk,
        exact=True,
        ess=float(target.count),
    )
    if target.plain:
        return replace(unweighted, tables=target.sampler)
    likelihoods = [target.log_likelihood(block) for block in walk.blocks(BLOCK)]
    log_likelihood = np.concatenate(likelihoods)
    if log_likelihood.max() == -np.inf:
        raise target.unexplained()
    weights = Weights(log_likelihood)
    # The mean over layouts walked becomes that over layouts that meet the conditions.
    log_marginal = weights.log_mean + target.log_share(target.support_size)
    return replace(
        unweighted,
        importance=weights,
        likelihood=weights.log,
        log_marginal=log_marginal,
    )


def _sample(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    """Independent draws under hard evidence alone."""
    if target.soft:
        raise BayesBridgeError(
            "calls weigh layouts, which plain draws cannot: "
            'use method="auto", "importance" or "resample-move"'
        )
    if target.constraints.conditions:
        return _sample_conditions(target, draws, rng, why)
    reasons = (why, f"{draws} independent exact draws, marginals exact by counting")
    pending = LazyDraws(target.sampler.draw, draws, seed_state(rng))
    return Draws(
        target=target,
        method="direct",
        reasons=reasons,
        source=pending,
        ess=float(draws),
        tables=target.sampler,
    )


def _sample_conditions(
    target: Target, draws: int, rng: np.random.Generator, why: str
) -> Draws:
    """Draws from tables of the conditions, by rejection where these do not hold all."""
    plan = target.plan
    state = seed_state(rng)
    if plan.tested:
        return _sample_tested(target, draws, state, why)
    drawn = f"{draws} independent exact draws from tables of the conditions"
    pending = LazyDraws(plan.table.draw, draws, state)
    return Draws(
        target=target,
        method="direct",
        reasons=(why, drawn),
        source=pending,
        ess=float(draws),
    )


def _accepted_draws(target: Target, draws: int, state: State) -> tuple[Masks, int]:
    """At least so many draws from tables that meet the other conditions.

    Fewer where draws that meet them are too rare. Also how many were drawn.
    """
    batches: list[Masks] = []
    accepted = 0
    drawn = 0
    while accepted < draws and drawn < max(MOST_REJECTED, 10 * draws):
        masks = target.plan.table.draw(BATCH, state)
        batches.append(masks[target.constraints.meets(masks)])
        accepted += len(batches[-1])
        drawn += BATCH
    return np.concatenate(batches), drawn


def _sample_tested(target: Target, draws: int, state: State, why: str) -> Draws:
    """Draws from tables of some conditions, rejected where another does not hold.

    ``why`` is why this engine answers. The share that was kept estimates how likely the
    other conditions are, with a binomial error; ``target.log_share`` makes it a share of
    the layouts that ``target.count`` counts.
    """
    accepted, drawn = _accepted_draws(target, draws, state)
    kept = len(accepted)
    share_kept = kept / drawn
    tested = "; ".join(map(short_text, target.plan.tested))
    if kept < MIN_ESS:
        raise TooFewDraws(
            f"{kept} of {drawn} draws meet {tested}, which tables do not hold: "
            "say less in the condition, or take it back",
            draws=drawn,
            worth=float(kept),
        )
    masks = accepted[:draws]
    how_drawn = (
        f"{len(masks)} independent exact draws: {kept} of {drawn} draws from tables "
        f"meet {tested}, which these do not hold"
    )
    if not target.fitting.exact:
        how_drawn += "; the layouts counted are those before this test"
    log_share = target.log_share(target.plan.table.total)
    return Draws(
        target=target,
        method="direct",
        reasons=(why, how_drawn),
        source=masks,
        log_marginal=math.log(share_kept) + log_share,
        log_marginal_error=math.sqrt((1 - share_kept) / kept),
        ess=float(len(masks)),
    )


def _weigh(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    """Uniform draws under the hard evidence, weighted by the soft evidence.

    The weight of a layout is its likelihood, P(calls ∣ layout), and 0 where a condition
    does not hold. Weights that are worth too few draws are refused.
    """
    masks = target.uniform.draw(draws, rng)
    by_term = target.soft.by_term(masks)
    fits = target.constraints.meets(masks)
    log_weights = np.where(fits, by_term.sum(axis=1), -np.inf)
    if log_weights.max() == -np.inf:
        raise target.unexplained(draws)
    weights = Weights(log_weights)
    best_possible = _best_log_weight(target, masks, by_term)
    _verify_ess(weights, best_possible)
    weighted = f"{draws} weighted draws, effective sample size {weights.ess:.0f}"
    return Draws(
        target=target,
        method="likelihood-weighting",
        reasons=(why, weighted),
        source=masks,
        importance=weights,
        likelihood=weights.log,
        log_marginal=weights.log_mean + target.log_share(target.uniform.total),
        log_marginal_error=weights.log_mean_error(),
        ess=weights.ess,
    )


def _verify_ess(weights: Weights, best_log_weight: float) -> None:
    """Refuse weights of too small an effective sample size (ESS).

    The draws may have missed the layouts of the highest weight. So one of
    ``best_log_weight``, the best that a layout may have, is added: if that makes the
    ESS much smaller, the draws are refused too.
    """
    draws = len(weights)
    worth = Weights(np.append(weights.log, best_log_weight)).ess
    if weights.ess < MIN_ESS:
        problem = (
            f"{draws} uniform draws have an effective sample size of "
            f"{weights.ess:.0f} under these calls"
        )
    elif worth < MIN_ESS_KEPT * weights.ess:
        problem = (
            f"{draws} uniform draws may miss the layouts that explain the calls best"
        )
    else:
        return
    raise TooFewDraws(
        f"{problem}, too few to state an error: "
        'use method="auto", which draws layouts where it matters, or more draws',
        draws=draws,
        worth=min(weights.ess, worth),
    )


def _best_log_weight(
    target: Target, masks: Masks, by_term: NDArray[np.float64]
) -> float:
    """The log weight of the best layout that may exist, drawn or not.

    In it each seat holds the one of its drawn hands that explains its calls best. The
    sum over seats is more than any draw has where the best hands were not met together.
    A seat whose hands differ, but all explain its calls equally, tells nothing: perhaps
    no hand that does was drawn. It counts as one that explains them with certainty, log
    likelihood 0. ``masks``: (n, 4) layouts; ``by_term``: (n, terms) log likelihoods of
    them by each term of the soft evidence, which is about one seat or two.
    """
    best = 0.0
    seats_of_terms = [term.seats for term in target.soft.terms]
    for seats in dict.fromkeys(seats_of_terms):
        about_seats = [term_seats == seats for term_seats in seats_of_terms]
        log_likelihood = by_term[:, about_seats].sum(axis=1)
        hands = masks[:, list(seats)]
        hands_differ = bool((hands != hands[0]).any())
        all_equal = bool(np.ptp(log_likelihood) < EQUAL)
        if all_equal and hands_differ:
            continue
        best += float(log_likelihood.max())
    return best


def _particles(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    start: Proposal | None,
) -> Draws:
    """Draws from a fitted proposal, moved as particles."""
    return moved(tilted_draws(target, draws, rng, why, start), draws, rng)


def _for_calls(weighing_engine: Engine) -> Engine:
    """An engine that weighs layouts by calls where there are some to weigh.

    Calls are the soft evidence of a target. Without any all layouts that fit weigh the
    same, so plain draws answer, which need no proposal to start from, and the
    reason that they give for answering is that there is no call.
    """

    def run(
        target: Target,
        draws: int,
        rng: np.random.Generator,
        why: str,
        start: Proposal | None,
    ) -> Draws:
        has_calls = bool(target.soft)
        if has_calls:
            return weighing_engine(target, draws, rng, why, start)
        return _sample(target, draws, rng, why="there is no call to weigh")

    return run


ENGINES: Final[dict[str, Engine]] = {
    "auto": _auto,
    "enumerate": _enumerate,
    "direct": _sample,
    "levels": _for_calls(exact_draws),
    "importance": _for_calls(tilted_draws),
    "resample-move": _for_calls(_particles),
    "likelihood-weighting": _for_calls(_weigh),
}
"""Every engine by name; what the command line, studies and calibration offer is read
from here.
"""
