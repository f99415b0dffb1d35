"""Tilted draws for soft evidence that speaks of one hand at a time: any bidder, any player model.

Likelihoods of hands become a proposal whose draws explain the evidence, in rounds: draw from the proposal so far (at
first all layouts alike), ask the model, fit the tilts to the answers (:mod:`~bayesbridge.engines.tilt_rounds`), draw
again. The last round alone is reported, weighed by ``L / q``. Its draws are independent and no choice depended on them,
so, whatever the fit, its mean weight is an unbiased estimate of P(evidence) with the error that independent draws have.
(With ``most``, a last round that is worth next to nothing is one more pilot round, and a larger one is drawn from a fit
to it; one that is worth too little is continued from the same proposal, and all of it is reported. These choices do
depend on its draws, and are made where a few heavy ones carry the weight.)

No finite number of draws proves that the hands that explain the evidence were met. What can be seen is told: a seat
whose likelihood never changed is *unexplained* (the model answered nothing but slips), and the last ``degree`` says how
much of the evidence the proposal has taken in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bayesbridge.constraints import Constraints
from bayesbridge.engines.proposal import Proposal, Uniform
from bayesbridge.engines.tilt_rounds import Round, SeatLikelihood, ask, joined, refit
from bayesbridge.engines.tilt_split import HONOUR_POINTS
from bayesbridge.engines.tilt_sums import Floats, Ints
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed

FIRST: Final = 1200
"""Draws of the first round: uniform ones are cheap, and each seat is fitted to those that explain its own calls."""

PILOT: Final = 500
"""Draws of the second round; half as many more in each round after it, as a fit that is still poor needs more."""

ROUNDS: Final = 5
"""Rounds before the last, at most."""

GOOD: Final = 0.3
"""Effective share of a round's draws that makes it the last but one."""

FAIR: Final = 0.2
"""Effective share that is enough if the round before had about as much."""

WANTED: Final = 0.8
"""Effective draws that the last round aims at, in each draw asked for."""

AGAIN: Final = 4
"""A last round that is worth less than it should is continued, to so many times the most draws and no further."""

POOR: Final = 0.05
"""Effective draws, in each draw asked for, below which a last round is one more pilot: the next fit needs its draws."""

LATE: Final = 2
"""Such rounds, at most."""

SEARCH: Final = 100_000
"""Layouts drawn at most in the first round, as long as a seat's likelihood does not change from hand to hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Tilted:
    """Weighted independent draws.

    layouts:        (n, 4), without dead draws
    weights:        of the layouts
    log_likelihood: (n,) of all soft evidence
    log_soft:       log P(soft evidence ∣ hard evidence), estimated
    log_soft_error: one standard error of it
    drawn:          draws of the last round, dead ones included
    proposal:       what they were drawn from; a later question about more evidence may start from it
    evaluations:    layouts whose likelihood was asked for, in all rounds
    degrees:        of all rounds: the share φ of the evidence that leaves enough effective draws; 1 at the end if all
                    went well
    best:           the largest log likelihood met in any round
    unexplained:    seats whose likelihood was the same small number for every hand: nothing that explains it was met
    """

    layouts: Masks
    weights: Weights
    log_likelihood: Floats
    log_soft: float
    log_soft_error: float
    drawn: int
    proposal: Proposal
    evaluations: int
    degrees: tuple[float, ...]
    best: float
    unexplained: tuple[int, ...]

    @property
    def ess(self) -> float:
        """Kish's effective sample size; 1 where some seat is unexplained, as equal weights then mean nothing."""
        return 1.0 if self.unexplained else self.weights.ess

    @property
    def share(self) -> float:
        """Effective draws in each draw of the last round."""
        return self.ess / self.drawn

    @property
    def diagnosis(self) -> str:
        """One sentence: what the draws are worth, and what to do when that is little."""
        if self.unexplained:
            return (
                f"{self.evaluations} hands were tried and none explains what seat {self.unexplained[0]} did: "
                "the weights say nothing; take more draws, or check the call"
            )
        if self.degrees[-1] < 1.0:
            return f"the draws took in {self.degrees[-1]:.0%} of the evidence only; {self.weights.diagnosis}"
        return self.weights.diagnosis

    def thinned(self, n: int, rng: Seed) -> Tilted:
        """About ``n`` of the draws, of nearly equal weight and still independent.

        A draw of weight w stays with probability min(1, w / c) and then weighs max(w, c): means keep their expectation
        (J. S. Liu, R. Chen and W. H. Wong, "Rejection control and sequential importance sampling", 1998).
        """
        if n >= len(self.layouts):
            return self
        relative = self.weights.W / self.weights.W.max()
        low, high = 0.0, max(1.0, float(relative.sum()) / n)
        for _ in range(50):
            limit = (low + high) / 2
            low, high = (limit, high) if np.minimum(1.0, relative / limit).sum() > n else (low, limit)
        kept = np.flatnonzero(np.random.default_rng(rng).random(len(relative)) * high < relative)
        if not len(kept):
            return self
        layouts = self.layouts[kept]
        layouts.setflags(write=False)
        weights = Weights(np.log(np.maximum(relative[kept], high)))
        return replace(self, layouts=layouts, weights=weights, log_likelihood=self.log_likelihood[kept])


def tilted(
    constraints: Constraints,
    sampler: Uniform,
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    *,
    draws: int,
    rng: Seed,
    start: Proposal | None = None,
    worth: Ints = HONOUR_POINTS,
    first: int = FIRST,
    pilot: int = PILOT,
    rounds: int = ROUNDS,
    search: int = SEARCH,
    most: int = 0,
) -> Tilted:
    """``draws`` weighted layouts for soft evidence about ``seats``, from a proposal fitted to it.

    Up to ``most`` where that is more: as many as should be worth ``WANTED`` · ``draws`` independent ones, by what the
    rounds before tell.
    ``start`` is the proposal of an earlier question, with less evidence say; it must be about the same hidden seats.
    ``worth`` is the (16,) points of sets of honours that the tilts count, ten at most; where hard evidence is about
    high-card points, these count in any case.

    >>> from bayesbridge.engines.sampling import Sampler
    >>> from bayesbridge.layouts import high_card_points
    >>> spades = Constraints.free().hold(2, 0x1FFF << 39)
    >>> strong = lambda seat, hands: 0.3 * high_card_points(hands) - 10.0
    >>> found = tilted(spades, Sampler.of(spades), strong, [3], draws=500, rng=1)
    >>> found.layouts.shape, found.share > 0.8
    ((500, 4), True)
    """
    if draws < 2:
        raise BayesBridgeError(f"{draws} draws: take at least 2, better a thousand", draws=draws)
    generator, wanted = np.random.default_rng(rng), draws
    proposal = _begin(constraints, sampler, start, worth)
    known = proposal.known
    told = [seat for seat in known.hidden if seat in seats]
    certain = [seat for seat in seats if seat not in told]
    constant = sum(float(likelihood(seat, np.array([known.must[seat]], dtype=np.uint64))[0]) for seat in certain)
    done: list[Round] = []
    caution = 1.0
    while told and len(done) < rounds:
        n = first if proposal.uniform else pilot * (1 + len(done)) // 2
        done.append(ask(proposal, likelihood, told, n, generator))
        while len(done) == 1 and done[0].unexplained(told) and done[0].drawn < search:
            done[0] = ask(proposal, likelihood, told, min(4 * done[0].drawn, search), generator)
        best = max(done, key=lambda one: one.worth)
        if _settled(done):
            break
        caution = 1.0 if best is done[-1] else caution / 2
        proposal = refit(best, [one for one in done if one is not best], told, caution)
    if done:
        best = max(done, key=lambda one: one.worth)
        proposal = best.proposal
        draws = max(draws, min(most, int(WANTED * draws / max(best.share, 1e-3))))
    last = ask(proposal, likelihood, told, draws, generator)
    while told and most and last.share * last.drawn < POOR * wanted and len(done) < rounds + LATE:
        proposal = refit(last, done, told, 1.0)
        done.append(last)
        last = ask(proposal, likelihood, told, most, generator)
    while told and most and last.share * last.drawn < FAIR * wanted and last.drawn < AGAIN * most:
        more = min(2 * last.drawn, AGAIN * most - last.drawn)
        last = joined(last, ask(proposal, likelihood, told, more, generator))
    draws = last.drawn
    every = [*done, last]
    if not len(last.layouts) or last.log_weights.max() == -np.inf:
        raise Contradiction(
            f"the soft evidence is impossible under the model: its likelihood is 0 on all {draws} layouts drawn; "
            "give the model a slip probability (slip=0.01, say), or check the calls",
            evidence=(),
            draws=sum(one.drawn for one in every),
        )
    weights = Weights(last.log_weights)
    log_likelihood: Floats = last.terms.sum(axis=1) + constant
    return Tilted(
        last.layouts,
        weights,
        log_likelihood,
        weights.log_mean + math.log(len(weights) / draws) - math.log(sampler.total) + constant,
        weights.log_mean_error_of(draws),
        draws,
        proposal,
        sum(len(one.layouts) for one in every),
        tuple(one.degree for one in every),
        max(float(one.terms.sum(axis=1).max(initial=-np.inf)) for one in every) + constant,
        tuple(seat for seat in told if all(seat in one.unexplained(told) for one in every)),
    )


def _settled(done: Sequence[Round]) -> bool:
    """Whether another round is not worth its price: the last one is good, or fair and hardly better than before."""
    last = done[-1]
    if last.degree < 1.0:
        return False
    before = max((one.share for one in done[:-1] if one.degree == 1.0), default=0.0)
    return last.share >= GOOD or (len(done) > 2 and max(last.share, before) >= FAIR and last.share < 1.15 * before)


def _begin(constraints: Constraints, sampler: Uniform, start: Proposal | None, worth: Ints) -> Proposal:
    """The uniform proposal, or an earlier one made to fit the hard evidence of today."""
    flat = Proposal.flat(constraints, sampler, worth)
    if start is None or start.uniform or set(start.order) != set(flat.order) or (start.worth != flat.worth).any():
        return flat
    return replace(start, known=flat.known, sampler=sampler)
