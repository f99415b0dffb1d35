"""Swap MCMC: layouts that wander through the support and stay where the soft evidence likes them.

The target is ``P(layout | evidence) ∝ L(layout)`` over the layouts that fit the hard evidence, L the likelihood of the
soft evidence. Its two halves meet different machinery:

* **Hard evidence** lives in the compiled :mod:`~bayesbridge.engines.moves`: k swaps of hidden cards in a row, each
  made only if the hard evidence still holds, are one symmetric proposal over the layouts that are possible.
* **Soft evidence** is an ordinary vectorised function, asked once for the whole batch of chains: the proposal x → y is
  accepted with probability ``min(1, (L(y) / L(x))^β)``, the Metropolis rule for a symmetric proposal.

Swaps alone need not reach everything: with points or lengths pinned down, two layouts may both be possible and no
chain of possible single swaps join them. So now and then a chain proposes an independent layout from the exact sampler
instead. That proposal is uniform over the whole support, hence symmetric too and accepted by the same rule, and it
reaches any layout with L > 0 from any other in one step: the mixture is irreducible and aperiodic on L > 0. The choice
between the two kinds is made without looking at the state.

A ladder of exponents ``1 = β₀ > β₁ > … ≥ 0`` adds parallel tempering: replicas that target L^β feel a flatter
landscape, and neighbours offer each other their layouts, accepted with probability
``min(1, (L(x₂) / L(x₁))^(β₁ - β₂))``. At β = 0 everything possible is equally good, also where L = 0. Only the rung
β = 1 is ever reported.

The number of swaps k is tuned during warm-up and frozen after, since tuning for ever would bend the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import Suit
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.engines.convergence import Diagnostics, diagnose
from bayesbridge.engines.moves import Moves
from bayesbridge.engines.sampling import Sampler
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.layouts import Masks, high_card_points, suit_lengths
from bayesbridge.random64 import Seed

type LogLikelihood = Callable[[Masks], NDArray[np.float64]]
"""(n, 4) layouts → (n,) log P(soft evidence | layout); -inf where it is impossible."""

TARGET_ACCEPTANCE: Final = 0.4
"""What warm-up steers to: bolder proposals fail too often, timid ones go nowhere."""

MOST_SWAPS: Final = 64
"""Swaps after which a layout of 39 hidden cards has forgotten where it came from; more would only cost time."""

_TRIES: Final = 200_000
"""Layouts drawn in search of starting points before the soft evidence is called impossible."""


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """What one step does; frozen once warm-up is over.

    exponents: (rungs,) β of each rung, the first is 1 unless a caller tempers by itself
    swaps:     (rungs,) k, elementary swaps in one proposal
    fresh:     probability that a chain proposes an independent layout instead
    """

    likelihood: LogLikelihood
    moves: Moves
    sampler: Sampler
    exponents: NDArray[np.float64]
    swaps: NDArray[np.int64]
    fresh: float = 0.1

    @classmethod
    def of(
        cls,
        likelihood: LogLikelihood,
        constraints: Constraints,
        sampler: Sampler,
        ladder: Sequence[float] = (1.0,),
        swaps: int = 16,
        fresh: float = 0.1,
    ) -> Kernel:
        """A kernel from its parts; the ladder falls from 1 towards 0."""
        exponents = np.array(ladder, dtype=np.float64)
        if not len(exponents) or exponents[0] != 1.0 or exponents[-1] < 0.0 or (np.diff(exponents) >= 0).any():
            raise BayesBridgeError(
                f"ladder {list(ladder)}: exponents fall from 1 towards 0, such as [1, 0.5, 0.2]", ladder=tuple(ladder)
            )
        if not 0.0 < fresh <= 1.0:
            raise BayesBridgeError(
                f"fresh {fresh}: the share of independent proposals lies above 0, or some layouts may never be reached",
                fresh=fresh,
            )
        counts = np.full(len(exponents), swaps, dtype=np.int64)
        return cls(likelihood, Moves.of(constraints), sampler, exponents, counts, fresh)

    def tuned(self, info: Info, gain: float = 1.0) -> Kernel:
        """More swaps where swap proposals were accepted too often, fewer where too seldom. For warm-up only."""
        wanted = self.swaps * np.exp(gain * (info.acceptance - TARGET_ACCEPTANCE))
        # Round away from the present value, or a small k could never leave it.
        rounded = np.where(wanted > self.swaps, np.ceil(wanted), np.floor(wanted))
        return replace(self, swaps=np.clip(rounded, 1, MOST_SWAPS).astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Where the chains are: layouts (rungs, chains, 4), and their log_likelihood (rungs, chains), not tempered."""

    layouts: Masks
    log_likelihood: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Info:
    """What one step did, each (rungs,): mean over chains.

    acceptance: of swap proposals, mean Metropolis probability
    moved:      share of chains whose layout changed, by either kind of proposal
    exchanged:  (rungs - 1,) mean probability that neighbouring rungs trade layouts
    swapped:    share of the elementary swaps that the hard evidence allowed, over all rungs
    """

    acceptance: NDArray[np.float64]
    moved: NDArray[np.float64]
    exchanged: NDArray[np.float64]
    swapped: float


def init(kernel: Kernel, chains: int, rng: Seed) -> State:
    """Start every chain at a uniform layout among those with L > 0: wider than the target, as R-hat wants it."""
    generator = np.random.default_rng(rng)
    rungs, needed = len(kernel.exponents), len(kernel.exponents) * chains
    found: list[Masks] = []
    values: list[NDArray[np.float64]] = []
    have = tried = 0
    while have < needed and (tried < _TRIES or not tried):
        batch = kernel.sampler.draw(max(needed, min(tried, 20_000)), generator)
        value = evaluate(kernel.likelihood, batch)
        possible = value > -np.inf
        found.append(batch[possible])
        values.append(value[possible])
        have += int(possible.sum())
        tried += len(batch)
    if not have:
        raise Contradiction(
            f"the soft evidence is impossible under the model: its likelihood is 0 on all {tried} layouts drawn; "
            "give the model a slip probability (slip=0.01, say), or check the calls",
            evidence=(),
            draws=tried,
        )
    chosen = np.arange(needed) % have
    return State(
        np.concatenate(found)[chosen].reshape(rungs, chains, 4), np.concatenate(values)[chosen].reshape(rungs, chains)
    )


def step(state: State, kernel: Kernel, rng: Seed) -> tuple[State, Info]:
    """Propose once in every chain of every rung, accept or stay, then let neighbouring rungs trade layouts."""
    generator = np.random.default_rng(rng)
    rungs, chains = state.log_likelihood.shape
    here = state.layouts.reshape(-1, 4)
    here_value = state.log_likelihood.ravel()
    exponents = np.repeat(kernel.exponents, chains)
    fresh = generator.random(len(here)) < kernel.fresh
    there, made = kernel.moves.shuffle(here, np.where(fresh, 0, np.repeat(kernel.swaps, chains)), generator)
    if fresh.any():
        there[fresh] = kernel.sampler.draw(int(fresh.sum()), generator)
    there_value = evaluate(kernel.likelihood, there)
    probability = _metropolis(_tempered(exponents, there_value) - _tempered(exponents, here_value))
    accepted = generator.random(len(here)) < probability
    moved = accepted & (there != here).any(axis=1)
    layouts = np.where(accepted[:, None], there, here).reshape(rungs, chains, 4)
    values = np.where(accepted, there_value, here_value).reshape(rungs, chains)
    layouts, values, exchanged = _exchange(layouts, values, kernel.exponents, generator)
    by_swaps = (~fresh).reshape(rungs, chains)
    proposals = int((by_swaps * kernel.swaps[:, None]).sum())
    info = Info(
        acceptance=(probability.reshape(rungs, chains) * by_swaps).sum(1) / np.maximum(by_swaps.sum(1), 1),
        moved=moved.reshape(rungs, chains).mean(1),
        exchanged=exchanged,
        swapped=made / max(proposals, 1),
    )
    return State(layouts, values), info


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Chains:
    """Draws of the rung β = 1 after warm-up, all of the same weight.

    layouts:        (chains, draws, 4)
    log_likelihood: (chains, draws)
    acceptance, moved, exchanged, swapped: as in :class:`Info`, means over the steps after warm-up;
                    the first two at β = 1
    kernel:         as frozen after warm-up; ``kernel.swaps[0]`` is the k that was found
    """

    layouts: Masks
    log_likelihood: NDArray[np.float64]
    acceptance: float
    moved: float
    exchanged: tuple[float, ...]
    swapped: float
    kernel: Kernel

    def flat(self) -> Masks:
        """All draws as one batch, (chains · draws, 4)."""
        return self.layouts.reshape(-1, 4)

    def diagnostics(self) -> Diagnostics:
        """R-hat and ESS of the log likelihood and of every seat's lengths and points."""
        lengths, points = suit_lengths(self.layouts), high_card_points(self.layouts)
        quantities: dict[str, NDArray[np.float64]] = {"log likelihood": self.log_likelihood}
        for seat in Seat:
            quantities[f"points {seat.name}"] = points[..., seat].astype(np.float64)
            for suit in Suit:
                quantities[f"length {seat.name} {suit.name}"] = lengths[..., seat, suit].astype(np.float64)
        return diagnose(quantities)

    def __repr__(self) -> str:
        chains, draws = self.log_likelihood.shape
        return f"<Chains: {chains} × {draws} draws, {self.kernel.swaps[0]} swaps a step, {self.moved:.0%} moved>"


def run(
    likelihood: LogLikelihood,
    constraints: Constraints,
    sampler: Sampler,
    *,
    chains: int = 32,
    draws: int = 500,
    warmup: int = 500,
    thin: int = 8,
    rng: Seed,
    ladder: Sequence[float] = (1.0,),
    fresh: float = 0.1,
) -> Chains:
    """Warm up, freeze the number of swaps, then record every ``thin``-th step of every chain.

    A step costs about the same for one chain and for fifty, as long as the likelihood is quick; but R-hat close to 1
    takes some fifty effective draws in *each* chain, so neither chains nor steps should be scarce.

    >>> spades = Constraints.free().hold(2, 0x1FFF << 39)
    >>> strong_west = lambda layouts: 0.3 * high_card_points(layouts)[:, 3]
    >>> run(strong_west, spades, Sampler.of(spades), draws=50, warmup=50, rng=1).layouts.shape
    (32, 50, 4)
    """
    if chains < 2 or draws < 4 or warmup < 0 or thin < 1:
        raise BayesBridgeError(
            f"{chains} chains of {draws} draws (warmup={warmup}, thin={thin}): take at least 2 chains of 4 draws",
            chains=chains,
            draws=draws,
        )
    generator = np.random.default_rng(rng)
    kernel = Kernel.of(likelihood, constraints, sampler, ladder, fresh=fresh)
    state = init(kernel, chains, generator)
    for t in range(warmup):
        state, info = step(state, kernel, generator)
        kernel = kernel.tuned(info, gain=2.0 / np.sqrt(1.0 + t))
    layouts = np.empty((chains, draws, 4), dtype=np.uint64)
    values = np.empty((chains, draws))
    infos: list[Info] = []
    for draw in range(draws):
        for _ in range(thin):
            state, info = step(state, kernel, generator)
            infos.append(info)
        layouts[:, draw], values[:, draw] = state.layouts[0], state.log_likelihood[0]
    layouts.setflags(write=False)
    values.setflags(write=False)
    # A pair of rungs is offered a trade only every other step; the rest is nan.
    offered = np.array([info.exchanged for info in infos])
    return Chains(
        layouts=layouts,
        log_likelihood=values,
        acceptance=float(np.mean([info.acceptance[0] for info in infos])),
        moved=float(np.mean([info.moved[0] for info in infos])),
        exchanged=tuple(
            float(np.mean(column[~np.isnan(column)])) for column in offered.T if not np.isnan(column).all()
        ),
        swapped=float(np.mean([info.swapped for info in infos])),
        kernel=kernel,
    )


def _exchange(
    layouts: Masks, values: NDArray[np.float64], exponents: NDArray[np.float64], generator: np.random.Generator
) -> tuple[Masks, NDArray[np.float64], NDArray[np.float64]]:
    """Offer trades between rungs (0, 1), (2, 3) … or (1, 2), (3, 4) …, a coin says which; chain by chain."""
    rungs, chains = values.shape
    exchanged = np.full(rungs - 1, np.nan)
    if rungs == 1:
        return layouts, values, exchanged
    first = int(generator.integers(2)) if rungs > 2 else 0
    for upper in range(first, rungs - 1, 2):
        lower = upper + 1
        before = _tempered(exponents[upper], values[upper]) + _tempered(exponents[lower], values[lower])
        after = _tempered(exponents[upper], values[lower]) + _tempered(exponents[lower], values[upper])
        probability = _metropolis(after - before)
        exchanged[upper] = probability.mean()
        traded = generator.random(chains) < probability
        pair = [upper, lower]
        layouts[pair] = np.where(traded[:, None], layouts[pair][::-1], layouts[pair])
        values[pair] = np.where(traded, values[pair][::-1], values[pair])
    return layouts, values, exchanged


def evaluate(likelihood: LogLikelihood, layouts: Masks) -> NDArray[np.float64]:
    """The log likelihood of a batch, (n,), checked: numbers or -inf, one a layout."""
    values = np.asarray(likelihood(layouts), dtype=np.float64)
    if values.shape != (len(layouts),):
        raise BayesBridgeError(
            f"log likelihood of shape {values.shape} for {len(layouts)} layouts: return one number a layout",
            shape=values.shape,
        )
    if np.isnan(values).any() or (values == np.inf).any():
        raise BayesBridgeError("log likelihood is nan or inf: return a number or -inf for every layout")
    return values


def _tempered(exponent: float | NDArray[np.float64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    """β · log L, with 0 · -inf = 0: at β = 0 all that is possible is equally good."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(exponent) == 0.0, 0.0, exponent * value)


def _metropolis(log_ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.exp(np.minimum(log_ratio, 0.0))
