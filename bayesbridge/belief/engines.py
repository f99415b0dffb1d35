"""Which engine answers, and why: the most exact one that fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence import Called
from bayesbridge.posterior import sequential, swaps
from bayesbridge.posterior.enumeration import BLOCK, MOST_LAYOUTS, Enumeration
from bayesbridge.posterior.layouts import Masks
from bayesbridge.posterior.sampling import Sampler
from bayesbridge.posterior.swaps import LogLikelihood, evaluate
from bayesbridge.posterior.weights import Weights
from bayesbridge.random64 import Seed

METHODS: Final = ("auto", "enumerate", "sample", "weights", "smc", "mcmc")

ENOUGH: Final = 0.1
"""Effective draws that ``auto`` wants of weights, as a share of the draws asked for."""

MOST_DRAWS: Final = 2_000_000
"""Layouts that ``auto`` draws and weighs at most before it moves them instead."""

STEPS: Final = 60
"""Most steps of rejuvenation after each resampling."""

FEWEST_DIFFERENT: Final = 0.1
"""Share of the particles that must differ after SMC; below it ``auto`` turns to chains."""

CHAINS: Final = 32


def infer(belief: Belief, method: str, draws: int, rng: Seed) -> Posterior:
    """Run one engine, or the most exact that fits."""
    if method not in METHODS:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(METHODS)}", method=method)
    if draws < 2:
        raise BayesBridgeError(f"{draws} draws: take at least 2, better thousands", draws=draws)
    layouts = belief.count()
    soft = likelihoods(belief)
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
    engine = {"weights": _weigh, "smc": _sequential, "mcmc": _chains}[method]
    return engine(belief, layouts, soft, draws, generator, "as asked")


def likelihoods(belief: Belief) -> tuple[LogLikelihood, ...]:
    """One log likelihood of layouts for each call of another player, in order."""
    auction = belief.auction
    if auction is None:
        return ()

    def of_call(seat: int, index: int) -> LogLikelihood:
        def log_likelihood(masks: Masks) -> NDArray[np.float64]:
            return belief.bidder.log_likelihood(masks[:, seat], auction, index)

        return log_likelihood

    return tuple(of_call(seat, index) for index, (seat, _) in enumerate(auction) if seat != belief.observer)


def _auto(
    belief: Belief, layouts: int, soft: Sequence[LogLikelihood], draws: int, rng: np.random.Generator
) -> Posterior:
    most = min(MOST_LAYOUTS, getattr(belief.bidder, "most_layouts", MOST_LAYOUTS)) if soft else MOST_LAYOUTS
    if layouts <= most:
        return _enumerate(belief, layouts, soft, f"{layouts} layouts can all be walked")
    if not soft:
        return _sample(belief, layouts, draws, rng, f"{layouts} layouts are too many to walk")
    why = f"{layouts} layouts are too many to walk"
    weighed = _weigh(belief, layouts, soft, draws, rng, why)
    wanted = ENOUGH * draws
    if weighed.ess < wanted and (more := int(1.2 * draws * wanted / weighed.ess)) <= min(MOST_DRAWS, most):
        weighed = _weigh(belief, layouts, soft, more, rng, why)
    if weighed.ess >= wanted:
        return weighed
    why = f"{len(weighed)} weighted draws were worth only {weighed.ess:.0f}"
    moved = _sequential(belief, layouts, soft, draws, rng, why)
    if moved.ess >= FEWEST_DIFFERENT * draws:
        return moved
    return _chains(
        belief, layouts, soft, draws, rng, f"{why}, and particles held only {moved.ess:.0f} different layouts"
    )


def _enumerate(belief: Belief, layouts: int, soft: Sequence[LogLikelihood], why: str) -> Posterior:
    walk = Enumeration.of(belief.constraints)
    sampler = Sampler(walk.numbering)
    why = f"enumerate: {why}; every answer is exact"
    if not soft:
        return Posterior(belief, "enumerate", why, layouts, True, walk, sampler, ess=float(layouts))
    values = np.concatenate([_total(soft, block) for block in walk.blocks(BLOCK)])
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
    belief: Belief, layouts: int, soft: Sequence[LogLikelihood], draws: int, rng: np.random.Generator, why: str
) -> Posterior:
    sampler = Sampler.of(belief.constraints)
    masks = sampler.draw(draws, rng)
    values = _total(soft, masks)
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


def _sequential(
    belief: Belief, layouts: int, soft: Sequence[LogLikelihood], draws: int, rng: np.random.Generator, why: str
) -> Posterior:
    constraints = belief.constraints
    state = sequential.init(constraints, Sampler.of(constraints), draws, rng)
    lowest = float(draws)
    try:
        for likelihood in soft:
            state, info = sequential.update(state, likelihood, rng, steps=STEPS)
            lowest = min(lowest, info.ess)
    except Contradiction:
        raise _impossible(belief) from None
    different = sequential.unique(state.layouts)
    why = f"smc: {why}; {draws} particles, ESS at its lowest {lowest:.0f}, {different} different layouts at the end"
    return Posterior(
        belief,
        "smc",
        why,
        layouts,
        False,
        state.layouts,
        state.sampler,
        state.weights,
        state.log_likelihood,
        state.log_soft,
        state.log_evidence_error,
        min(state.weights.ess, float(different)),
    )


def _chains(
    belief: Belief, layouts: int, soft: Sequence[LogLikelihood], draws: int, rng: np.random.Generator, why: str
) -> Posterior:
    constraints = belief.constraints
    each = max(4, -(-draws // CHAINS))
    try:
        found = swaps.run(
            lambda masks: _total(soft, masks),
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
        np.append(_total(soft, sampler.draw(max(draws, 20_000), rng)), np.max(found.log_likelihood) - 700.0)
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


def _total(soft: Sequence[LogLikelihood], masks: Masks) -> NDArray[np.float64]:
    total = np.zeros(len(masks))
    for likelihood in soft:
        total += evaluate(likelihood, masks)
    return total


def _impossible(belief: Belief) -> Contradiction:
    """The error for calls that no layout explains."""
    calls = tuple(piece for piece in belief.evidence if isinstance(piece, Called))
    return Contradiction(
        f"no layout explains the calls under {belief.bidder!r}: {'; '.join(map(str, calls))}. "
        "Give the model a slip (slip=0.02), or take a call back.",
        evidence=calls,
    )
