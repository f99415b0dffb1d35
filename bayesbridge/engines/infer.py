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

type Run = Callable[[Target, int, np.random.Generator, str, Proposal | None], Draws]
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
    """Run one engine, or the most exact that fits.

    A proposal is fitted from ``start``, that of an earlier step.
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
    numbers = generator(rng)
    with one_thread():
        return ENGINES[method](target, draws, numbers, "as asked", start)


def _auto(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    _why: str,
    start: Proposal | None,
) -> Draws:
    """The most exact engine that fits."""
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
    """All layouts, weighted by Bayes' rule."""
    walk = Enumeration.of(target.sampler)
    unweighted = Draws(
        target, "enumerate", (why,), walk, exact=True, ess=float(target.count)
    )
    if target.plain:
        return replace(unweighted, tables=target.sampler)
    likelihoods = [target.log_likelihood(block) for block in walk.blocks(BLOCK)]
    log_likelihood = np.concatenate(likelihoods)
    if log_likelihood.max() == -np.inf:
        raise target.unexplained()
    weights = Weights(log_likelihood)
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
        target, "direct", reasons, pending, ess=float(draws), tables=target.sampler
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
    return Draws(target, "direct", (why, drawn), pending, ess=float(draws))


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
    """Draws from tables of which those count that meet the other conditions."""
    accepted, drawn = _accepted_draws(target, draws, state)
    kept = len(accepted)
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
    return Draws(
        target,
        "direct",
        (why, how_drawn),
        masks,
        log_marginal=math.log(kept / drawn) + target.log_share(target.plan.table.total),
        log_marginal_error=math.sqrt((1 - kept / drawn) / kept),
        ess=float(len(masks)),
    )


def _weigh(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    """Uniform draws under the hard evidence, weighted by the soft evidence."""
    masks = target.uniform.draw(draws, rng)
    by_term = target.soft.by_term(masks)
    fits = target.constraints.meets(masks)
    log_weights = np.where(fits, by_term.sum(axis=1), -np.inf)
    if log_weights.max() == -np.inf:
        raise target.unexplained(draws)
    weights = Weights(log_weights)
    _verify_ess(weights, _best_log_weight(target, masks, by_term))
    weighted = f"{draws} weighted draws, effective sample size {weights.ess:.0f}"
    return Draws(
        target,
        "likelihood-weighting",
        (why, weighted),
        masks,
        importance=weights,
        likelihood=weights.log,
        log_marginal=weights.log_mean + target.log_share(target.uniform.total),
        log_marginal_error=weights.log_mean_error(),
        ess=weights.ess,
    )


def _verify_ess(weights: Weights, best: float) -> None:
    """Refuse weights that are worth too few draws.

    Also those that would be with one more layout of the ``best`` log weight.
    """
    draws = len(weights)
    worth = Weights(np.append(weights.log, best)).ess
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
    """The log weight that a layout may have which was not drawn.

    In it every seat explains its calls as the best of its (n, 4) hands does, or with
    certainty where all hands explain all calls of a seat equally, since then perhaps
    none of them does. ``by_term``: (n, terms) log likelihoods.
    """
    total = 0.0
    seats_of_term = [term.seats for term in target.soft.terms]
    for seats in dict.fromkeys(seats_of_term):
        columns = [term_seats == seats for term_seats in seats_of_term]
        log_likelihood = by_term[:, columns].sum(axis=1)
        hands = masks[:, list(seats)]
        hands_differ = (hands != hands[0]).any()
        if not (np.ptp(log_likelihood) < EQUAL and hands_differ):
            total += float(log_likelihood.max())
    return total


def _particles(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    start: Proposal | None,
) -> Draws:
    """Draws from a fitted proposal, moved as particles."""
    return moved(tilted_draws(target, draws, rng, why, start), draws, rng)


def _for_calls(engine: Run) -> Run:
    """An engine that weighs calls; where there are none, plain draws answer."""

    def run(
        target: Target,
        draws: int,
        rng: np.random.Generator,
        why: str,
        start: Proposal | None,
    ) -> Draws:
        if not target.soft:
            return _sample(target, draws, rng, "there is no call to weigh")
        return engine(target, draws, rng, why, start)

    return run


ENGINES: Final[dict[str, Run]] = {
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
