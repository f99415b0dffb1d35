"""Which engine answers, and why: the most exact one that fits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.soft import SoftEvidence, soft_evidence
from bayesbridge.engines import mcmc
from bayesbridge.engines.enumeration import BLOCK, MOST_LAYOUTS, Enumeration
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.smc import LAST_MOVES, MOVES, anneal
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence import Called
from bayesbridge.random64 import Seed

METHODS: Final = ("auto", "enumerate", "sample", "weights", "smc", "mcmc")

ENOUGH: Final = 0.1
"""Effective draws that ``auto`` wants of weights, as a share of the draws asked for."""

FEWEST_DRAWS: Final = 100_000
"""Layouts drawn before weights are believed, if the model is quick: few draws may miss the hands that explain a rare
call, and then all weights are equally small and look fine."""

MOST_DRAWS: Final = 2_000_000
"""Layouts that ``auto`` draws and weighs at most before it moves them instead."""

FEWEST_LINEAGES: Final = 5
"""Different draws that particles must descend from after SMC; below it ``auto`` turns to chains."""

PARTICLES: Final = 4000
"""Particles that ``auto`` moves at most."""

CHAINS: Final = 32


def infer(belief: Belief, method: str, draws: int, rng: Seed) -> Posterior:
    """Run one engine, or the most exact that fits."""
    if method not in METHODS:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(METHODS)}", method=method)
    if draws < 2:
        raise BayesBridgeError(f"{draws} draws: take at least 2, better thousands", draws=draws)
    layouts = belief.count()
    soft = soft_evidence(belief)
    generator = np.random.default_rng(rng)
    if method == "auto":
        return _auto(belief, layouts, soft, draws, generator)
    if method == "enumerate":
        return _enumerate(belief, layouts, soft, "as asked")
    if method == "sample" and soft:
        raise BayesBridgeError('calls weigh layouts, which plain draws cannot: use method="weights", "smc" or "mcmc"')
    if method == "sample" or not soft:
        why = "as asked" if method == "sample" else "there is no call to weigh"
        return _sample(belief, layouts, draws, generator, why)
    engine = {"weights": _weigh, "smc": _anneal, "mcmc": _chains}[method]
    return engine(belief, layouts, soft, draws, generator, "as asked")


def _auto(belief: Belief, layouts: int, soft: SoftEvidence, draws: int, rng: np.random.Generator) -> Posterior:
    most = min(MOST_LAYOUTS, getattr(belief.bidder, "most_layouts", MOST_LAYOUTS)) if soft else MOST_LAYOUTS
    if layouts <= most:
        return _enumerate(belief, layouts, soft, f"{layouts} layouts can all be walked")
    if not soft:
        return _sample(belief, layouts, draws, rng, f"{layouts} layouts are too many to walk")
    why = f"{layouts} layouts are too many to walk"
    weighed = _weigh(belief, layouts, soft, max(draws, _first_draws(belief)), rng, why)
    wanted = ENOUGH * draws
    more = int(1.2 * len(weighed) * wanted / weighed.ess)
    if weighed.ess < wanted and more <= min(MOST_DRAWS, most // 10):
        weighed = _weigh(belief, layouts, soft, more, rng, why)
    if weighed.ess >= wanted:
        return _thinned(weighed, draws, rng)
    why = f"{len(weighed)} weighted draws were worth only {weighed.ess:.0f}"
    moved = _anneal(belief, layouts, soft, min(draws, PARTICLES), rng, why)
    if moved.ess >= FEWEST_LINEAGES:
        return moved
    why += f", and particles descended from {moved.ess:.0f} draws"
    return _chains(belief, layouts, soft, draws, rng, why)


def _thinned(posterior: Posterior, draws: int, rng: np.random.Generator) -> Posterior:
    """As many layouts as were asked for, of equal weight, in place of more weighted ones."""
    if len(posterior) <= draws or posterior.weighting is None or posterior.log_likelihood is None:
        return posterior
    chosen = posterior.weighting.resample(draws, rng)
    return replace(
        posterior,
        why=f"{posterior.why}; {draws} resampled from them",
        source=posterior.layouts.masks[chosen],
        weighting=None,
        log_likelihood=posterior.log_likelihood[chosen],
        ess=min(posterior.ess, float(draws)),
    )


def _first_draws(belief: Belief) -> int:
    """Layouts to draw at least before the likelihood is taken to be known; an expensive model affords fewer."""
    return min(FEWEST_DRAWS, getattr(belief.bidder, "most_layouts", MOST_LAYOUTS) // 10)


def _enumerate(belief: Belief, layouts: int, soft: SoftEvidence, why: str) -> Posterior:
    walk = Enumeration.of(belief.constraints)
    sampler = Sampler(walk.unranking)
    why = f"enumerate: {why}; every answer is exact"
    if not soft:
        return Posterior(belief, "enumerate", why, layouts, True, walk, sampler, ess=float(layouts))
    values = np.concatenate([soft.of_layouts(block) for block in walk.blocks(BLOCK)])
    if values.max() == -np.inf:
        raise _impossible(belief)
    weights = Weights(values)
    return Posterior(
        belief,
        "enumerate",
        why,
        layouts,
        True,
        walk,
        sampler,
        weights,
        weights.log,
        weights.log_mean,
        0.0,
        float(layouts),
    )


def _sample(belief: Belief, layouts: int, draws: int, rng: np.random.Generator, why: str) -> Posterior:
    sampler = Sampler.of(belief.constraints)
    why = f"sample: {why}; {draws} independent exact draws, marginals exact by counting"
    return Posterior(belief, "sample", why, layouts, False, sampler.draw(draws, rng), sampler, ess=float(draws))


def _weigh(
    belief: Belief, layouts: int, soft: SoftEvidence, draws: int, rng: np.random.Generator, why: str
) -> Posterior:
    sampler = Sampler.of(belief.constraints)
    masks = sampler.draw(draws, rng)
    values = soft.of_layouts(masks)
    if values.max() == -np.inf:
        raise _impossible(belief)
    weights = Weights(values)
    why = f"weights: {why}; {draws} weighted draws are worth {weights.ess:.0f} independent ones"
    return Posterior(
        belief,
        "weights",
        why,
        layouts,
        False,
        masks,
        sampler,
        weights,
        weights.log,
        weights.log_mean,
        weights.log_mean_error,
        weights.ess,
    )


def _anneal(
    belief: Belief, layouts: int, soft: SoftEvidence, draws: int, rng: np.random.Generator, why: str
) -> Posterior:
    constraints = belief.constraints
    sampler = Sampler.of(constraints)
    moves, last_moves = getattr(belief.bidder, "moves", (MOVES, LAST_MOVES))  # an expensive model affords fewer
    try:
        with _matrix_threads().limit(limits=1):  # batches are small: more threads would wait for each other
            found = anneal(
                soft.of_seat,
                soft.seats,
                constraints,
                sampler,
                n=draws,
                start=_first_draws(belief),
                moves=moves,
                last_moves=last_moves,
                rng=rng,
            )
    except Contradiction:
        raise _impossible(belief) from None
    return Posterior(
        belief,
        "smc",
        f"smc: {why}; {draws} particles let the calls in by {len(found.exponents)} degrees and are worth at least "
        f"{found.lineages:.0f} independent draws",
        layouts,
        False,
        found.layouts,
        sampler,
        None,
        found.log_likelihood,
        found.log_soft,
        found.log_soft_error,
        found.lineages,
    )


def _chains(
    belief: Belief, layouts: int, soft: SoftEvidence, draws: int, rng: np.random.Generator, why: str
) -> Posterior:
    constraints = belief.constraints
    each = max(4, -(-draws // CHAINS))
    try:
        found = mcmc.run(
            soft.of_layouts,
            constraints,
            sampler := Sampler.of(constraints),
            chains=CHAINS,
            draws=each,
            rng=rng,
            ladder=(1.0, 0.5, 0.2, 0.0),
        )
    except Contradiction:
        raise _impossible(belief) from None
    diagnostics = found.diagnostics()
    # Chains do not tell how likely the evidence was; plain draws do, roughly.
    plain = Weights(
        np.append(soft.of_layouts(sampler.draw(max(draws, 20_000), rng)), np.max(found.log_likelihood) - 700.0)
    )
    return Posterior(
        belief,
        "mcmc",
        f"mcmc: {why}; {diagnostics.diagnosis}",
        layouts,
        False,
        found.flat(),
        sampler,
        None,
        found.log_likelihood.ravel(),
        plain.log_mean,
        plain.log_mean_error,
        diagnostics.worst_ess,
        CHAINS,
    )


@cache
def _matrix_threads() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _impossible(belief: Belief) -> Contradiction:
    """The error for calls that no layout explains."""
    calls = tuple(piece for piece in belief.evidence if isinstance(piece, Called))
    return Contradiction(
        f"no layout explains the calls under {belief.bidder!r}: {'; '.join(map(str, calls))}. "
        "Give the model a slip (slip=0.02), or take a call back.",
        evidence=calls,
    )
