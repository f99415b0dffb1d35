"""Which engine answers, and why: the most exact one that fits.

An engine is a function from a :class:`Target` to :class:`Draws`. ``ENGINES`` is the one list of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.engines import mcmc
from bayesbridge.engines.draws import Draws, Pending, Shares
from bayesbridge.engines.enumeration import BLOCK, MOST_LAYOUTS
from bayesbridge.engines.exact import exact_draws, exact_tables, from_tables
from bayesbridge.engines.smc import anneal
from bayesbridge.engines.target import Target
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.random64 import Seed, seed_state

type Run = Callable[[Target, int, np.random.Generator, str], Draws]
"""(target, draws wanted, random numbers, why this engine) → draws."""

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


class Engine(NamedTuple):
    """One way to a posterior."""

    run: Run
    promise: str
    """What its answer is, in a few words."""


def infer(target: Target, method: str, draws: int, rng: Seed) -> Draws:
    """Run one engine, or the most exact that fits."""
    if method not in ENGINES:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(ENGINES)}", method=method)
    if draws < 2:
        raise BayesBridgeError(f"{draws} draws: take at least 2, better thousands", draws=draws)
    generator = np.random.default_rng(rng)
    if method in ("exact", "weights", "smc", "mcmc") and not target.soft:
        return _sample(target, draws, generator, "there is no call to weigh")
    return ENGINES[method].run(target, draws, generator, "as asked")


def _auto(target: Target, draws: int, rng: np.random.Generator, _why: str) -> Draws:
    most = min(MOST_LAYOUTS, target.cost.most_layouts) if target.soft else MOST_LAYOUTS
    if target.count <= most:
        return _enumerate(target, draws, rng, f"{target.count} layouts can all be walked")
    why = f"{target.count} layouts are too many to walk"
    if not target.soft:
        return _sample(target, draws, rng, why)
    if (tables := exact_tables(target)) is not None:
        return from_tables(target, tables, draws, rng, why)
    weighed = _weigh(target, max(draws, _first_draws(target)), rng, why)
    wanted = ENOUGH * draws
    more = int(1.2 * len(weighed) * wanted / weighed.ess)
    if weighed.ess < wanted and more <= min(MOST_DRAWS, most // 10):
        weighed = _weigh(target, more, rng, why)
    if weighed.ess >= wanted:
        return _thinned(weighed, draws, rng)
    why = f"{len(weighed)} weighted draws were worth only {weighed.ess:.0f}"
    moved = _anneal(target, min(draws, PARTICLES), rng, why)
    if moved.ess >= FEWEST_LINEAGES:
        return moved
    why += f", and particles descended from {moved.ess:.0f} draws"
    return _chains(target, draws, rng, why)


def _thinned(found: Draws, draws: int, rng: np.random.Generator) -> Draws:
    """As many layouts as were asked for, of equal weight, in place of more weighted ones."""
    if len(found) <= draws or found.importance is None or found.log_likelihood is None:
        return found
    chosen = found.importance.resample(draws, rng)
    return replace(
        found,
        why=f"{found.why}; {draws} resampled from them",
        source=found.stretch(0, len(found))[chosen],
        importance=None,
        likelihood=found.log_likelihood[chosen],
        ess=min(found.ess, float(draws)),
    )


def _first_draws(target: Target) -> int:
    """Layouts to draw at least before the likelihood is taken to be known; an expensive model affords fewer."""
    return min(FEWEST_DRAWS, target.cost.most_layouts // 10)


def _enumerate(target: Target, _draws: int, _rng: np.random.Generator, why: str) -> Draws:
    walk = target.walk
    why = f"enumerate: {why}; every answer is exact"
    found = Draws(target, "enumerate", why, walk, exact=True, ess=float(target.count))
    if not target.soft:
        return replace(found, tables=Shares(target.sampler))
    values = np.concatenate([target.soft.of_layouts(block) for block in walk.blocks(BLOCK)])
    return replace(found, **(_weighed(target, values) | {"log_soft_error": 0.0, "ess": float(target.count)}))


def _sample(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws:
    if target.soft:
        raise BayesBridgeError('calls weigh layouts, which plain draws cannot: use method="weights", "smc" or "mcmc"')
    why = f"sample: {why}; {draws} independent exact draws, marginals exact by counting"
    pending = Pending(target.sampler, draws, seed_state(rng))
    return Draws(target, "sample", why, pending, ess=float(draws), tables=Shares(target.sampler))


def _weigh(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws:
    masks = target.sampler.draw(draws, rng)
    told = _weighed(target, target.soft.of_layouts(masks))
    why = f"weights: {why}; {draws} weighted draws are worth {told['ess']:.0f} independent ones"
    return Draws(target, "weights", why, masks, **told)


def _weighed(target: Target, values: Any) -> dict[str, Any]:
    """What the log likelihoods of layouts that count the same tell."""
    if values.max() == -np.inf:
        raise target.unexplained()
    weights = Weights(values)
    return {
        "importance": weights,
        "likelihood": weights.log,
        "log_soft": weights.log_mean,
        "log_soft_error": weights.log_mean_error,
        "ess": weights.ess,
    }


def _anneal(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws:
    moves, last_moves = target.cost.moves
    try:
        with _matrix_threads().limit(limits=1):  # batches are small: more threads would wait for each other
            found = anneal(
                target.soft.of_seat,
                target.soft.seats,
                target.constraints,
                target.sampler,
                n=draws,
                start=_first_draws(target),
                moves=moves,
                last_moves=last_moves,
                rng=rng,
            )
    except Contradiction:
        raise target.unexplained() from None
    return Draws(
        target,
        "smc",
        f"smc: {why}; {draws} particles let the calls in by {len(found.exponents)} degrees and are worth at least "
        f"{found.lineages:.0f} independent draws",
        found.layouts,
        likelihood=found.log_likelihood,
        log_soft=found.log_soft,
        log_soft_error=found.log_soft_error,
        ess=found.lineages,
    )


def _chains(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws:
    try:
        found = mcmc.run(
            target.soft.of_layouts,
            target.constraints,
            target.sampler,
            chains=CHAINS,
            draws=max(4, -(-draws // CHAINS)),
            rng=rng,
            ladder=(1.0, 0.5, 0.2, 0.0),
        )
    except Contradiction:
        raise target.unexplained() from None
    diagnostics = found.diagnostics()
    # Chains do not tell how likely the evidence was; plain draws do, roughly.
    plain = Weights(
        np.append(
            target.soft.of_layouts(target.sampler.draw(max(draws, 20_000), rng)), np.max(found.log_likelihood) - 700.0
        )
    )
    return Draws(
        target,
        "mcmc",
        f"mcmc: {why}; {diagnostics.diagnosis}",
        found.flat(),
        likelihood=found.log_likelihood.ravel(),
        log_soft=plain.log_mean,
        log_soft_error=plain.log_mean_error,
        ess=diagnostics.worst_ess,
        chains=CHAINS,
    )


@cache
def _matrix_threads() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


ENGINES: Final = {
    "auto": Engine(_auto, "the most exact engine that fits"),
    "enumerate": Engine(_enumerate, "every layout, exact"),
    "sample": Engine(_sample, "independent exact draws where no call is heard, marginals exact"),
    "exact": Engine(exact_draws, "independent exact draws under calls by Algorithm 1, P(calls) and marginals exact"),
    "weights": Engine(_weigh, "exact draws, weighed by the calls"),
    "smc": Engine(_anneal, "particles moved to where the calls point"),
    "mcmc": Engine(_chains, "chains of swapped cards"),
}
"""Every engine by name; what the command line, studies and calibration offer is read from here."""
