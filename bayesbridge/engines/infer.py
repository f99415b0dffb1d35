"""Which engine answers, and why: the most exact one that fits. ``ENGINES`` is the one
list of them.
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
from bayesbridge.runtime.random64 import Seed, generator, seed_state

type Run = Callable[[Target, int, np.random.Generator, str, Proposal | None], Draws]
"""(target, number of draws, random numbers, why this engine, proposal to start from) →
draws.
"""

MIN_ESS_FRACTION: Final = (
    0.1  # ESS / requested draws below which ``auto`` moves particles
)

MIN_ESS: Final = 30.0
"""ESS below which plain weights refuse: with less, less than 94 % of answers lie within
two errors.
"""

MIN_ESS_KEPT: Final = 0.5
"""Plain weights refuse if one more draw of the greatest weight leaves less than this
share of their ESS.
"""

BATCH: Final = 1 << 14
# Draws from tables that are tested, before too few are said to meet a condition
MOST_REJECTED: Final = 2_000_000


def infer(
    target: Target, method: str, draws: int, rng: Seed, start: Proposal | None = None
) -> Draws:
    """Run one engine, or the most exact that fits; a proposal is fitted from ``start``,
    that of an earlier step.
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
    if not target.soft and method not in ("auto", "enumerate", "direct"):
        return _sample(target, draws, numbers, "there is no call to weigh")
    with one_thread():
        return ENGINES[method](target, draws, numbers, "as asked", start)


def _auto(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    _why: str,
    start: Proposal | None,
) -> Draws:
    most = min(MOST_LAYOUTS, target.cost.most_layouts) if target.soft else MOST_LAYOUTS
    if target.support_size <= most:
        return _enumerate(
            target, draws, rng, f"{target.support_size} layouts can all be walked"
        )
    why = f"{target.support_size} layouts are too many to walk"
    if not target.soft:
        return _sample(target, draws, rng, why)
    if (tables := exact_tables(target)) is not None:
        return from_tables(target, tables, draws, rng, why)
    found = tilted_draws(target, draws, rng, why, start)
    if found.ess >= MIN_ESS_FRACTION * draws:
        return found
    return moved(found, draws, rng)


def _enumerate(
    target: Target,
    _draws: int,
    _rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    walk = Enumeration.of(target.sampler)
    found = Draws(
        target, "enumerate", (why,), walk, exact=True, ess=float(target.count)
    )
    if target.plain:
        return replace(found, tables=target.sampler)
    values = np.concatenate(
        [target.log_likelihood(block) for block in walk.blocks(BLOCK)]
    )
    if values.max() == -np.inf:
        raise target.unexplained()
    weights = Weights(values)
    log_marginal = weights.log_mean + target.log_share(target.support_size)
    return replace(
        found, importance=weights, likelihood=weights.log, log_marginal=log_marginal
    )


def _sample(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    if target.soft:
        raise BayesBridgeError(
            'calls weigh layouts, which plain draws cannot: use method="auto", "importance" or "resample-move"'
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
    plan, state = target.plan, seed_state(rng)
    if not plan.tested:
        reasons = (
            why,
            f"{draws} independent exact draws from tables of the conditions",
        )
        return Draws(
            target,
            "direct",
            reasons,
            LazyDraws(plan.table.draw, draws, state),
            ess=float(draws),
        )
    found: list[Masks] = []
    kept, drawn = 0, 0
    while kept < draws and drawn < max(MOST_REJECTED, 10 * draws):
        masks = plan.table.draw(BATCH, state)
        found.append(masks[target.constraints.meets(masks)])
        kept, drawn = kept + len(found[-1]), drawn + BATCH
    tested = "; ".join(map(short_text, plan.tested))
    if kept < MIN_ESS:
        raise TooFewDraws(
            f"{kept} of {drawn} draws meet {tested}, which tables do not hold: say less in the condition, or take it "
            "back",
            draws=drawn,
            worth=float(kept),
        )
    masks = np.concatenate(found)[:draws]
    return Draws(
        target,
        "direct",
        (
            why,
            f"{len(masks)} independent exact draws: {kept} of {drawn} draws from tables meet {tested}, which these do "
            f"not hold{'' if target.fitting.exact else '; the layouts counted are those before this test'}",
        ),
        masks,
        log_marginal=math.log(kept / drawn) + target.log_share(plan.table.total),
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
    masks = target.uniform.draw(draws, rng)
    by_term = target.soft.by_term(masks)
    values = np.where(target.constraints.meets(masks), by_term.sum(axis=1), -np.inf)
    if values.max() == -np.inf:
        raise target.unexplained(draws)
    weights = Weights(values)
    ess, worth = (
        weights.ess,
        Weights(np.append(weights.log, _best(target, masks, by_term))).ess,
    )
    if ess < MIN_ESS or worth < MIN_ESS_KEPT * ess:
        enough = f"{draws} uniform draws have an effective sample size of {ess:.0f} under these calls"
        missed = (
            f"{draws} uniform draws may miss the layouts that explain the calls best"
        )
        raise TooFewDraws(
            f"{enough if ess < MIN_ESS else missed}, too few to state an error: "
            'use method="auto", which draws layouts where it matters, or more draws',
            draws=draws,
            worth=min(ess, worth),
        )
    return Draws(
        target,
        "likelihood-weighting",
        (why, f"{draws} weighted draws, effective sample size {ess:.0f}"),
        masks,
        importance=weights,
        likelihood=weights.log,
        log_marginal=weights.log_mean + target.log_share(target.uniform.total),
        log_marginal_error=weights.log_mean_error(),
        ess=ess,
    )


def _best(target: Target, masks: Masks, by_term: NDArray[np.float64]) -> float:
    """The log weight that a layout may have which was not drawn: every seat explains
    its calls as its best hand does.

    With certainty where all hands explain all calls of a seat equally, since then
    perhaps none of them does.
    """
    total, about = 0.0, [term.seats for term in target.soft.terms]
    for seats in dict.fromkeys(about):
        own = by_term[:, [one == seats for one in about]].sum(axis=1)
        hands = masks[:, list(seats)]
        total += (
            0.0
            if np.ptp(own) < EQUAL and (hands != hands[0]).any()
            else float(own.max())
        )
    return total


def _particles(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    start: Proposal | None,
) -> Draws:
    return moved(tilted_draws(target, draws, rng, why, start), draws, rng)


ENGINES: Final[dict[str, Run]] = {
    "auto": _auto,
    "enumerate": _enumerate,
    "direct": _sample,
    "levels": exact_draws,
    "importance": tilted_draws,
    "resample-move": _particles,
    "likelihood-weighting": _weigh,
}
"""Every engine by name; what the command line, studies and calibration offer is read
from here.
"""
