"""Sequential Monte Carlo: the posterior after one piece of evidence is the prior for the next.

Particles are layouts with weights. A call multiplies each weight by its likelihood; when the weights have become too
uneven, particles are resampled and then *rejuvenated*: every one walks some steps of the swap chain that leaves the
product of all likelihoods so far invariant (:mod:`~bayesbridge.posterior.swaps`), so copies drift apart again.

A sharp piece of evidence would leave a handful of particles alive. Its likelihood is then let in by degrees: the
exponents ``0 < φ₁ < … < 1`` are found by bisection so that each costs the same share of the effective sample size, with
resampling and rejuvenation after each (P. Del Moral, A. Doucet and A. Jasra, "Sequential Monte Carlo samplers", 2006).

The mean of the weights, step by step, estimates P(evidence) without bias. Hard evidence that arrives later kills the
particles it excludes; how likely it was by itself is not estimated but counted. If too few survive, new particles start
from the exact sampler and all soft evidence is replayed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.posterior import swaps
from bayesbridge.posterior.constraints import Constraints
from bayesbridge.posterior.layouts import Masks
from bayesbridge.posterior.moves import Moves
from bayesbridge.posterior.sampling import Sampler
from bayesbridge.posterior.swaps import LogLikelihood, evaluate
from bayesbridge.posterior.weights import Weights
from bayesbridge.random64 import Seed

THRESHOLD: Final = 0.5
"""Share of the effective sample size below which particles are resampled, and that a sharp step may cost."""

STEPS: Final = 200
"""Most steps of the swap chain after each resampling; it stops as soon as particles have forgotten their ancestors."""

FORGOTTEN: Final = 0.1
"""Correlation of log likelihoods before and after rejuvenation at which particles count as having forgotten."""

SURVIVORS: Final = 0.1
"""Share of the particles, in effective size, that must survive hard evidence; else all begin anew."""


_FEWEST: Final = 5
_SMALLEST: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class State:
    """Particles that stand for P(layout | evidence so far).

    layouts:        (n, 4)
    weights:        of the n particles
    log_likelihood: (n,) of all soft evidence so far
    likelihoods:    the pieces of soft evidence so far, in order
    constraints:    the hard evidence so far
    sampler:        exact draws under it
    log_hard:       log P(hard evidence since the start), exact
    log_soft:       log P(soft evidence | hard evidence), estimated
    variance:       of log_soft, as far as single steps tell: what resampling leaves correlated is not in it
    swaps:          k, elementary swaps in one step of rejuvenation, tuned as it goes
    """

    layouts: Masks
    weights: Weights
    log_likelihood: NDArray[np.float64]
    likelihoods: tuple[LogLikelihood, ...]
    constraints: Constraints
    sampler: Sampler
    log_hard: float = 0.0
    log_soft: float = 0.0
    variance: float = 0.0
    swaps: int = 16

    @property
    def log_evidence(self) -> float:
        """log P(all evidence since the start)."""
        return self.log_hard + self.log_soft

    @property
    def log_evidence_error(self) -> float:
        """About one standard error of :attr:`log_evidence`, rather too small than too large."""
        return math.sqrt(self.variance)

    def __len__(self) -> int:
        return len(self.layouts)

    def __repr__(self) -> str:
        return f"<State: {len(self)} particles, ESS {self.weights.ess:.1f}, {len(self.likelihoods)} soft evidence>"


@dataclass(frozen=True, slots=True)
class Info:
    """What one piece of evidence did.

    ess:           effective sample size at its lowest, before resampling
    resampled:     whether particles were resampled
    exponents:     φ by which soft evidence was let in, the last is 1; ``(1.0,)`` if it came at once
    acceptance:    mean acceptance of rejuvenation, nan if there was none
    log_increment: by how much the evidence raised log P(evidence)
    unique:        how many different layouts the particles hold
    restarted:     whether hard evidence left too few, so that all began anew
    """

    ess: float
    resampled: bool
    exponents: tuple[float, ...]
    acceptance: float
    log_increment: float
    unique: int
    restarted: bool = False


def init(constraints: Constraints, sampler: Sampler, n: int, rng: Seed) -> State:
    """n particles drawn exactly under the hard evidence.

    >>> spades = Constraints.free().hold(2, 0x1FFF << 39)
    >>> long_hearts = lambda layouts: 1.5 * np.bitwise_count(layouts[:, 3] >> np.uint64(26))
    >>> state, info = update(init(spades, Sampler.of(spades), 1000, rng=1), long_hearts, rng=2)
    >>> info.resampled, 0.0 < info.exponents[0] < 1.0, round(state.log_evidence)
    (True, True, 9)
    """
    if n < 2:
        raise BayesBridgeError(f"{n} particles: take at least 2, better thousands", n=n)
    layouts = sampler.draw(n, rng)
    layouts.setflags(write=False)
    return State(layouts, Weights.equal(n), np.zeros(n), (), constraints, sampler)


def update(
    state: State, likelihood: LogLikelihood, rng: Seed, *, threshold: float = THRESHOLD, steps: int = STEPS
) -> tuple[State, Info]:
    """Take in one piece of soft evidence, by degrees if it is sharp."""
    if not 0.0 < threshold < 1.0:
        raise BayesBridgeError(f"threshold {threshold}: a share between 0 and 1, such as 0.5", threshold=threshold)
    generator = np.random.default_rng(rng)
    before = state.log_evidence
    state = replace(state, likelihoods=(*state.likelihoods, likelihood))
    exponents: list[float] = []
    acceptances: list[float] = []
    lowest, done = float(len(state)), 0.0
    while done < 1.0:
        value = evaluate(likelihood, state.layouts)
        exponent = _next_exponent(state.weights, value, done, threshold)
        state = _reweighted(state, (exponent - done) * value)
        done = exponent
        exponents.append(done)
        lowest = min(lowest, state.weights.ess)
        if done < 1.0 or state.weights.ess < threshold * len(state):
            state, acceptance = _renewed(state, done, generator, steps)
            acceptances.append(acceptance)
    return state, Info(
        ess=lowest,
        resampled=bool(acceptances),
        exponents=tuple(exponents),
        acceptance=float(np.mean(acceptances)) if acceptances else math.nan,
        log_increment=state.log_evidence - before,
        unique=unique(state.layouts),
    )


def restrict(
    state: State, constraints: Constraints, rng: Seed, *, threshold: float = THRESHOLD, steps: int = STEPS
) -> tuple[State, Info]:
    """Take in hard evidence on top of what is known; raises ``Contradiction`` if nothing fits both."""
    generator = np.random.default_rng(rng)
    n, before = len(state), state.log_evidence
    known = state.constraints & constraints
    sampler = Sampler.of(known)
    log_counted = math.log(sampler.total) - math.log(state.sampler.total)
    alive = constraints.allows(state.layouts)
    share = float(state.weights.W[alive].sum())
    survivors = Weights(np.where(alive, state.weights.log, -np.inf)) if share > 0.0 else None
    renewed = replace(state, constraints=known, sampler=sampler, log_hard=state.log_hard + log_counted)
    if not state.likelihoods or survivors is None or survivors.ess < SURVIVORS * n:
        return _restarted(renewed, generator, threshold, steps, before, 0.0 if survivors is None else survivors.ess)
    # P(soft | old and new) = P(soft | old) · P(new | soft, old) / P(new | old), and the last is counted.
    renewed = replace(
        renewed,
        weights=survivors,
        log_soft=state.log_soft + math.log(share) - log_counted,
        variance=state.variance + _shift(state.weights, survivors),
    )
    acceptance = math.nan
    if not alive.all():
        renewed, acceptance = _renewed(renewed, 1.0, generator, steps)
    return renewed, Info(
        ess=survivors.ess,
        resampled=not alive.all(),
        exponents=(),
        acceptance=acceptance,
        log_increment=renewed.log_evidence - before,
        unique=unique(renewed.layouts),
    )


def unique(layouts: Masks) -> int:
    """How many different layouts there are among (n, 4)."""
    ordered = layouts[np.lexsort(layouts.T)]
    return 1 + int((ordered[1:] != ordered[:-1]).any(axis=1).sum())


def _restarted(
    state: State, generator: np.random.Generator, threshold: float, steps: int, before: float, ess: float
) -> tuple[State, Info]:
    """New particles under the state's hard evidence, and its soft evidence replayed on them."""
    fresh = init(state.constraints, state.sampler, len(state), generator)
    fresh = replace(fresh, log_hard=state.log_hard, swaps=state.swaps)
    resampled = False
    exponents: tuple[float, ...] = ()
    acceptances: list[float] = []
    for likelihood in state.likelihoods:
        fresh, info = update(fresh, likelihood, generator, threshold=threshold, steps=steps)
        resampled |= info.resampled
        exponents += info.exponents
        acceptances += [info.acceptance] * info.resampled
    return fresh, Info(
        ess=ess,
        resampled=resampled,
        exponents=exponents,
        acceptance=float(np.mean(acceptances)) if acceptances else math.nan,
        log_increment=fresh.log_evidence - before,
        unique=unique(fresh.layouts),
        restarted=True,
    )


def _next_exponent(weights: Weights, value: NDArray[np.float64], done: float, threshold: float) -> float:
    """The largest φ in (done, 1] that keeps ``threshold`` of the effective sample size.

    What likelihood 0 kills dies at the smallest φ already, so the share is of the size that is left then. However sharp
    the evidence, φ grows by a percent at least, or it might never arrive.
    """
    alive = Weights(np.where(value > -np.inf, weights.log, -np.inf))
    least = threshold * alive.ess

    def enough(step: float) -> bool:
        return Weights(weights.log + step * value).ess >= least

    low, high = 0.0, 1.0 - done
    if enough(high):
        return 1.0
    while high - low > 1e-3 * high and high > _SMALLEST:
        middle = (low + high) / 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return min(1.0, done + max(low, _SMALLEST, 0.01 * done))


def _reweighted(state: State, increment: NDArray[np.float64]) -> State:
    """Multiply the weights, and the evidence by the mean increment with its variance."""
    weights = Weights(state.weights.log + increment)
    log_mean = weights.log_mean - state.weights.log_mean
    return replace(
        state,
        weights=weights,
        log_likelihood=state.log_likelihood + increment,
        log_soft=state.log_soft + log_mean,
        variance=state.variance + _shift(state.weights, weights),
    )


def _shift(old: Weights, new: Weights) -> float:
    """Variance of the log of the mean increment g: Σ W² (g / ḡ - 1)², which is Σ (W' - W)² with W' = W g / ḡ."""
    shift = new.W - old.W
    return float(np.dot(shift, shift))


def _renewed(state: State, exponent: float, generator: np.random.Generator, steps: int) -> tuple[State, float]:
    """Resample to equal weights, then move every particle without changing what they stand for."""

    def target(layouts: Masks) -> NDArray[np.float64]:
        *earlier, last = state.likelihoods
        total = exponent * evaluate(last, layouts)
        for likelihood in earlier:
            total = total + evaluate(likelihood, layouts)
        return total

    chosen = state.weights.resample(len(state), generator)
    particles = swaps.State(state.layouts[chosen][None], state.log_likelihood[chosen][None])
    kernel = swaps.Kernel(target, Moves.of(state.constraints), state.sampler, np.ones(1), np.array([state.swaps]))
    begun = particles.log_likelihood[0]
    accepted: list[float] = []
    while len(accepted) < steps and (len(accepted) < _FEWEST or _correlation(begun, particles) > FORGOTTEN):
        particles, info = swaps.step(particles, kernel, generator)
        # Tuned, and stopped, by the whole population, so that no particle chooses its own fate.
        kernel = kernel.tuned(info)
        accepted.append(float(info.acceptance[0]))
    layouts = particles.layouts[0]
    layouts.setflags(write=False)
    renewed = replace(
        state,
        layouts=layouts,
        weights=Weights.equal(len(state)),
        log_likelihood=particles.log_likelihood[0],
        swaps=int(kernel.swaps[0]),
    )
    return renewed, float(np.mean(accepted)) if accepted else math.nan


def _correlation(begun: NDArray[np.float64], particles: swaps.State) -> float:
    before, after = begun - begun.mean(), particles.log_likelihood[0] - particles.log_likelihood[0].mean()
    scale = math.sqrt(float(before @ before) * float(after @ after))
    return float(before @ after) / scale if scale > 0.0 else 0.0
