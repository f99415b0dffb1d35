"""Which engine answers, and why: the most exact one that fits.

An engine is a function from a :class:`Target` to :class:`Draws`. ``ENGINES`` is the one list of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.draws import Draws, Pending, Shares
from bayesbridge.engines.enumeration import BLOCK, MOST_LAYOUTS
from bayesbridge.engines.exact import exact_draws, exact_tables, from_tables
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.target import Target
from bayesbridge.engines.tilted import tilted_draws
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError
from bayesbridge.products import one_thread
from bayesbridge.random64 import Seed, generator, seed_state

type Run = Callable[[Target, int, np.random.Generator, str, Proposal | None], Draws]
"""(target, draws wanted, random numbers, why this engine, proposal to start from) → draws."""

ENOUGH: Final = 0.1
"""Effective draws that ``auto`` wants, as a share of the draws asked for; with fewer, particles are moved."""

WORTH_LESS: Final = 0.5
"""Weighted draws deceive if the seats, taken one by one, let expect less than this share of their effective number."""


class Engine(NamedTuple):
    """One way to a posterior."""

    run: Run
    promise: str
    """What its answer is, in a few words."""
    hears: bool = True
    """Whether it is for calls and chosen cards; without any the question goes to plain draws."""


def infer(target: Target, method: str, draws: int, rng: Seed, start: Proposal | None = None) -> Draws:
    """Run one engine, or the most exact that fits; a proposal is fitted from ``start``, that of an earlier step."""
    if str(method) not in ENGINES:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(ENGINES)}", method=method)
    if draws < 2:
        raise BayesBridgeError(f"{draws} draws: take at least 2, better thousands", draws=draws)
    numbers = generator(rng)
    if ENGINES[method].hears and not target.soft:
        return _sample(target, draws, numbers, "there is no call to weigh")
    with one_thread():
        return ENGINES[method].run(target, draws, numbers, "as asked", start)


def _auto(target: Target, draws: int, rng: np.random.Generator, _why: str, start: Proposal | None) -> Draws:
    most = min(MOST_LAYOUTS, target.cost.most_layouts) if target.soft else MOST_LAYOUTS
    if target.count <= most:
        return _enumerate(target, draws, rng, f"{target.count} layouts can all be walked")
    why = f"{target.count} layouts are too many to walk"
    if not target.soft:
        return _sample(target, draws, rng, why)
    if (tables := exact_tables(target)) is not None:
        return from_tables(target, tables, draws, rng, why)
    found = tilted_draws(target, draws, rng, why, start)
    if found.ess >= ENOUGH * draws:
        return found
    from bayesbridge.engines.particles import moved

    return _warned(moved(found, draws, rng), draws)


def _warned(found: Draws, draws: int) -> Draws:
    """With a warning where the draws are worth less than a tenth of those asked for."""
    if found.ess >= ENOUGH * draws:
        return found
    worth = f"{draws} draws were asked for and these are worth about {found.ess:.0f}"
    return replace(found, warning=f"{worth}: ask for more draws, or take back the call that is hardest to explain")


def _enumerate(target: Target, _draws: int, _rng: np.random.Generator, why: str, _: Proposal | None = None) -> Draws:
    walk = target.walk
    why = f"enumerate: {why}; every answer is exact"
    found = Draws(target, "enumerate", why, walk, exact=True, ess=float(target.count))
    if not target.soft:
        return replace(found, tables=Shares(target.sampler))
    weights = _weights(target, np.concatenate([target.soft.of_layouts(block) for block in walk.blocks(BLOCK)]), True)
    return replace(found, importance=weights, likelihood=weights.log, log_soft=weights.log_mean)


def _sample(target: Target, draws: int, rng: np.random.Generator, why: str, _: Proposal | None = None) -> Draws:
    if target.soft:
        raise BayesBridgeError('calls weigh layouts, which plain draws cannot: use method="auto", "tilted" or "smc"')
    why = f"sample: {why}; {draws} independent exact draws, marginals exact by counting"
    pending = Pending(target.sampler, draws, seed_state(rng))
    return Draws(target, "sample", why, pending, ess=float(draws), tables=Shares(target.sampler))


def _weigh(target: Target, draws: int, rng: np.random.Generator, why: str, _: Proposal | None = None) -> Draws:
    masks = target.sampler.draw(draws, rng)
    by_seat = target.soft.by_seat(masks)
    weights = _weights(target, by_seat.sum(axis=1), False)
    worth = min(weights.ess, max(1.0, _worth_apart(by_seat)))
    deceive = worth < WORTH_LESS * weights.ess
    ess = worth if deceive else weights.ess
    rare = f"{draws} uniform draws tell too little of layouts that explain the calls of all seats at once"
    return Draws(
        target,
        "weights",
        f"weights: {why}; {draws} weighted draws are worth {ess:.0f} independent ones",
        masks,
        importance=weights,
        likelihood=weights.log,
        log_soft=weights.log_mean,
        log_soft_error=max(weights.log_mean_error, (draws / ess / (draws - 1)) ** 0.5 if deceive else 0.0),
        ess=ess,
        warning=f'{rare}: use method="auto", which draws them where it matters' if deceive else "",
    )


def _worth_apart(by_seat: NDArray[np.float64]) -> float:
    """What the draws would be worth if the calls of the seats were explained independently of each other.

    Layouts that explain all seats at once may be so rare that no draw is one of them; then equal weights deceive. The
    share of hands that explain each seat alone is seen well, and the product of n / ess of the seats is about the true
    one.
    """
    n = len(by_seat)
    return n * float(np.prod([Weights(column).ess / n for column in by_seat.T]))


def _weights(target: Target, values: NDArray[np.float64], proof: bool) -> Weights:
    """Weights from the log likelihoods of layouts that count the same."""
    if values.max() == -np.inf:
        raise target.unexplained(None if proof else len(values))
    return Weights(values)


def _particles(target: Target, draws: int, rng: np.random.Generator, why: str, start: Proposal | None) -> Draws:
    from bayesbridge.engines.particles import moved

    return moved(tilted_draws(target, draws, rng, why, start), draws, rng)


ENGINES: Final = {
    "auto": Engine(_auto, "the most exact engine that fits", hears=False),
    "enumerate": Engine(_enumerate, "every layout, exact", hears=False),
    "sample": Engine(_sample, "independent exact draws where no call is heard, marginals exact", hears=False),
    "exact": Engine(exact_draws, "independent exact draws under calls by Algorithm 1; P(calls) and marginals exact"),
    "tilted": Engine(tilted_draws, "weighted draws from a proposal fitted to the calls"),
    "smc": Engine(_particles, "tilted draws, resampled and moved"),
    "weights": Engine(_weigh, "uniform draws, weighed: the plain reference"),
}
"""Every engine by name; what the command line, studies and calibration offer is read from here."""
