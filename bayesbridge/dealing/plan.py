"""Plans of deals: what of a condition tables do exactly, what is tested on each draw,
and how calls weigh deals.

Conditions go into tables as far as these hold them
(:mod:`bayesbridge.engines.conditions`); double-dummy tricks and random numbers are
always tested. Calls are soft evidence. Let L be the probability that the four hands bid
so under a model of bidders, and g the density of the proposal. A draw is accepted with
probability L / (c g), c a constant with L ≤ c g; accepted deals are independent and
have the posterior distribution given the auction. There are two ways:

* *rejection*: g is uniform and c g = 1. Exact; a deal costs as many draws as the auction is rare.
* *tilted*: g is fitted to the model (:mod:`bayesbridge.engines.tilt`). No bound is known, so c comes from a pilot, and
  where L > c g a deal is accepted once instead of L / (c g) times. The share of probability that is *cut off* so is the
  total variation distance to the exact distribution; it is small, and measured.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.engines.conditions import ConditionTables, chance_text, tightened
from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.engines.proposal import Proposal, Proposed
from bayesbridge.engines.target import SoftEvidence, Target, calls_evidence
from bayesbridge.engines.tilt import SEARCH, tilted
from bayesbridge.engines.weights import Estimate, Weights
from bayesbridge.errors import (
    BayesBridgeError,
    Contradiction,
    NotationError,
    TablesTooLarge,
    shorten,
    whole,
)
from bayesbridge.estimators.protocol import Estimator, Question, run
from bayesbridge.estimators.registry import SOLVER, offered
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.expressions import (
    TRUE,
    Expression,
    LayoutValues,
    Operation,
    conjunction,
    is_random,
    needs_solver,
    opaque,
)
from bayesbridge.evidence.kinds import Called, Piece, Play, pieces
from bayesbridge.evidence.models import BidderModel, cost_of
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.game.auction import Auction
from bayesbridge.game.cards import Card, Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts, Masks
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.progress import report_progress, watch_progress
from bayesbridge.runtime.random64 import Seed, generator, seed_state


def find_solver() -> Estimator:
    try:
        return offered("estimators", ["solved"]).estimator("solved")
    except BayesBridgeError:
        raise BayesBridgeError(
            f"tricks need a double-dummy solver: install {SOLVER}, or leave them out"
        ) from None


def solve(masks: Masks, seat: int, strain: int) -> NDArray[np.int64]:
    """(n,) double-dummy tricks of a declarer; deals that are the same are solved once."""
    question = Question(
        (Seat(seat), Seat(seat).partner), None if strain == 4 else Suit(strain)
    )
    distinct, places = np.unique(masks, axis=0, return_inverse=True)
    tricks = np.zeros(len(distinct), np.int64)
    for begin in range(0, len(distinct), _SOLVED_AT_ONCE):
        part = slice(begin, begin + _SOLVED_AT_ONCE)
        solved = run(find_solver(), Layouts.adopt(distinct[part]), question)["solved"]
        tricks[part] = solved
        done = min(begin + _SOLVED_AT_ONCE, len(distinct))
        report_progress("deals solved", done, len(distinct))
    return tricks[places.reshape(-1)]


_SOLVED_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True, eq=False)
class CallDraws:
    """Deals under an auction; the last four are estimates of a pilot."""

    auction: Auction
    soft: SoftEvidence
    tables: DealTable  # uniform draws that meet the exact part of the plan
    proposal: Proposal | None = (
        # Where the calls point; None for uniform draws, kept with the chance of the
        # calls
        None
    )
    log_limit: float = 0.0  # log c
    # the same for the guides, which refuse most draws before the model is asked
    log_guide_limit: float = np.inf
    chance: float = (
        0.0  # P(auction) among the deals that the tables hold, with one standard error
    )
    error: float = 0.0
    kept: float = 0.0  # the share of draws that is kept
    cut: float = (
        0.0  # the share of probability that is cut off; 0 where the way is exact
    )

    def propose(self, n: int, rng: np.random.Generator) -> Proposed:
        """What of ``n`` draws meets the exact part of the plan and passes the guides,
        and log g of each.

        The guides leave a density of min(g, L' / c'), L' their likelihood.
        """
        if self.proposal is None:
            return Proposed(self.tables.draw(n, rng), np.zeros(n))
        masks, log_q = self.proposal.draw(n, rng)
        masks, log_q = masks[log_q > -np.inf], log_q[log_q > -np.inf]
        if self.log_guide_limit == np.inf:
            return Proposed(masks, log_q)
        log_h = np.minimum(
            log_q, self.soft.of_layouts(masks, guide=True) - self.log_guide_limit
        )
        kept = log_h - log_q >= np.log1p(-rng.random(len(masks)))
        return Proposed(masks[kept], log_h[kept])

    def log_weights(self, n: int, rng: np.random.Generator) -> Floats:
        """log L / g of what is proposed, where L is not 0."""
        masks, log_q = self.propose(n, rng)
        found = self.soft.of_layouts(masks) - log_q
        return found[found > -np.inf]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Masks, float]:
        """What is accepted of ``n`` draws, and the sum of L / (c g) - 1 over those for
        which it is positive.
        """
        masks, log_q = self.propose(n, rng)
        log_ratio = self.soft.of_layouts(masks) - log_q - self.log_limit
        kept = log_ratio >= np.log1p(-rng.random(len(masks)))
        return masks[kept], 0.0 if self.exact else float(
            np.expm1(np.maximum(log_ratio[kept], 0.0)).sum()
        )

    @property
    def exact(self) -> bool:
        return self.proposal is None

    def lines(self) -> list[str]:
        way = "exact, each draw is kept with the probability that these hands bid so"
        rare = [
            f"  about {chance_text(self.chance)} of these deals are bid so, ± {100 * self.error:.2g} %"
        ]
        rare *= self.chance > 0.0
        if not self.exact:
            way = "independent deals, drawn where the calls point and kept by their weight"
            rare.append(f"  about {chance_text(self.kept)} of the draws are kept")
            rare.append(
                f"  within about {100 * self.cut:.1g} % of the exact distribution, by a pilot"
            )
        return [f"Calls {self.auction}: {way}", *rare]

    def document(self) -> dict[str, Any]:
        numbers = {
            "probability": self.chance,
            "error": self.error,
            "kept": self.kept,
            "cut": self.cut,
        }
        way = "rejection" if self.exact else "tilted"
        return {
            "auction": str(self.auction),
            "way": way,
            "exact": self.exact,
            **numbers,
        }


def pilot(log_weights: Floats, drawn: int) -> Estimate[float]:
    """The mean of the weights of ``drawn`` draws, and its standard error, which counts
    a missed draw of weight 1.

    >>> pilot(np.zeros(5), 10).mean
    0.5
    """
    weights = np.exp(log_weights)
    mean = float(weights.sum()) / drawn
    variance = max(float(np.square(weights).sum()) / drawn - mean**2, 0.0) / drawn
    return Estimate(mean, math.hypot(math.sqrt(variance), 1.0 / drawn))


def limit_of(log_weights: Floats, cut: float) -> float:
    """The smallest log c for which the weights lose a share ``cut`` of their sum if all
    above c count as c.

    >>> round(math.exp(limit_of(np.log([1.0, 1.0, 1.0, 5.0]), 0.25)), 6)
    3.0
    """
    if not len(log_weights):
        raise Contradiction("no draw explains the calls", evidence=())
    top = float(log_weights.max())
    weights = np.sort(np.exp(log_weights - top))[::-1]
    above = np.cumsum(weights) - weights * np.arange(
        1, len(weights) + 1
    )  # lost if c is the weight at each place
    place = int(np.searchsorted(above, cut * weights.sum(), side="right"))
    return top + math.log(
        (float(weights[:place].sum()) - cut * float(weights.sum())) / place
    )


MOST_DRAWS: Final = 10_000_000  # draws that are tested before the search ends
LOW: Final = 0.01  # a share of draws that pass below which a warning is given
_SMALLEST: Final = 1 << 6  # draws in the first batch; each later one has twice as many
_LARGEST: Final = 1 << 16
_LARGEST_SOLVED: Final = 1 << 7  # where each may be solved: seconds


@dataclass(slots=True)
class Drawn:
    """What a search has found so far."""

    drawn: int = 0
    called: int = 0  # draws that the calls kept before anything was tested
    kept: int = 0  # draws that passed
    over: float = 0.0  # from CallDraws.draw
    masks: list[Masks] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.kept / self.drawn if self.drawn else 0.0

    @property
    def error(self) -> float:
        return (
            float(np.sqrt(self.rate * (1 - self.rate) / self.drawn))
            if self.drawn
            else 0.0
        )

    @property
    def cut(self) -> float:
        """The share of probability that was cut off, so far as these draws show it."""
        return self.over / (self.called + self.over) if self.over else 0.0

    def first(self, n: int) -> Masks:
        return np.concatenate([np.empty((0, 4), dtype=np.uint64), *self.masks])[:n]

    def verify(self, n: int) -> None:
        if self.kept < n:
            raise BayesBridgeError(
                f"{self.kept} of {n} deals were found in {self.drawn} draws: ask for fewer, allow more draws (most=), "
                "or make the part that is tested easier to meet",
                found=self.kept,
                drawn=self.drawn,
            )


type Counts = dict[tuple[int, ...], int]


# The share of probability that a pilot may lose: to notice it takes about a million
# deals
CUT: Final = 0.001
# The same where the two hands of a pair are weighted together, whose weights have
# longer tails
PAIR_CUT: Final = 0.01
# Fits and pilots are the same whatever the deals' own seed is, so a plan is what it
# says
SEED: Final = 1


def call_draws(
    plan: ConditionTables, auction: Auction, bidder: BidderModel
) -> CallDraws:
    """Deals under an auction: by rejection, or by tilts where it is rare and they fit."""
    soft = SoftEvidence(tuple(calls_evidence(bidder, auction)))
    most = cost_of(bidder).most_layouts // 10
    n = min(4000, max(most, 100))
    plain = CallDraws(auction, soft, plan.table)
    with one_thread():
        chance, error = pilot(plain.log_weights(n, np.random.default_rng(SEED)), n)
        plain = replace(plain, chance=chance, error=error, kept=chance)
        if chance >= (0.002 if soft.separable else 0.02):
            return plain
        try:
            found = _by_tilts(plan, plain, n, min(SEARCH, most))
        except Contradiction:
            return plain
    # Tilted draws must keep many more than rejection, since they cost more; not so where guides refuse most of them.
    dear = soft.separable and found.kept < 10.0 * chance
    return plain if dear or found.cut > 0.05 else found


def _by_tilts(
    plan: ConditionTables, plain: CallDraws, n: int, search: int
) -> CallDraws:
    """Deals drawn where the calls point; raises ``Contradiction`` where tilts do not
    fit.
    """
    soft = plain.soft
    random = np.random.default_rng(SEED)
    draws = replace(plain, proposal=_fitted_proposal(plan, soft, search))
    wanted_cut = CUT
    if not soft.separable:
        draws, n = _with_guides(draws, n, random)
        wanted_cut = PAIR_CUT
    bound = _chosen_bound(draws, n, wanted_cut, random)
    largest = float(bound.log_weights.max())
    mean, error = pilot(bound.log_weights - largest, bound.drawn)
    scale = math.exp(largest - math.log(plan.table.total))
    log_kept = np.minimum(bound.log_weights - bound.log_limit, 0.0)
    return replace(
        draws,
        log_limit=bound.log_limit,
        chance=mean * scale,
        error=error * scale,
        kept=pilot(log_kept, bound.drawn).mean,
        cut=bound.cut,
    )


def _fitted_proposal(
    plan: ConditionTables, soft: SoftEvidence, search: int
) -> Proposal:
    """A density of deals that is fitted to the guides of the model."""
    known = replace(plan.known, conditions=plan.exact)
    target = Target(tightened(known, plan.exact), soft)
    fitted = tilted(
        target.constraints,
        plan.table,
        target.guide_likelihood,
        soft.seats,
        draws=500,
        rng=SEED,
        search=search,
    )
    return fitted.proposal


def _with_guides(
    draws: CallDraws, n: int, random: np.random.Generator
) -> tuple[CallDraws, int]:
    """The same where guides refuse most draws before the model is asked, and how many
    to draw: one that the guides refuse is cheap.
    """
    masks, log_q = draws.propose(n, random)
    log_weights = draws.soft.of_layouts(masks, guide=True) - log_q
    limit = limit_of(log_weights[log_weights > -np.inf], PAIR_CUT)
    passed = float(np.exp(np.minimum(log_weights - limit, 0.0)).sum()) / n
    cheaper_n = int(min(n, 1000) / max(passed, 0.02))
    return replace(draws, log_guide_limit=limit), cheaper_n


class _Bound(NamedTuple):
    """A bound on the weights, what it cuts off, and the draws that it was chosen by."""

    log_limit: float
    cut: float
    log_weights: Floats
    drawn: int


_BOUNDS_TRIED: Final = 3
_LEAST_ESS: Final = 100.0


def _chosen_bound(
    draws: CallDraws, n: int, wanted_cut: float, random: np.random.Generator
) -> _Bound:
    """A bound is tried on as many fresh draws as it was chosen from, and chosen again
    from both if it loses too much.
    """
    log_weights = draws.log_weights(n, random)
    drawn = n
    log_limit = 0.0
    cut = 1.0
    for _ in range(_BOUNDS_TRIED):
        log_limit = limit_of(log_weights, wanted_cut)
        if Weights(log_weights).ess < _LEAST_ESS:
            raise Contradiction("too few draws explain the calls", evidence=())
        fresh = draws.log_weights(drawn, random)
        cut = max(wanted_cut, _share_above(fresh, log_limit))
        log_weights = np.concatenate([log_weights, fresh])
        drawn *= 2
        if cut <= 2 * wanted_cut:
            break
    return _Bound(log_limit, cut, log_weights, drawn)


def _share_above(log_weights: Floats, log_limit: float) -> float:
    """The share of the weights that lies above a limit; all of it without weights."""
    if not len(log_weights):
        return 1.0
    largest = float(log_weights.max(initial=log_limit))
    weights = np.exp(log_weights - largest)
    limit = math.exp(log_limit - largest)
    return float(np.maximum(weights - limit, 0.0).sum() / weights.sum())


_PACKAGE: Final = str(Path(__file__).parents[1])


@dataclass(frozen=True, eq=False)
class DealPlan:
    """What deals must meet, and how it is done: exactly by tables, or tested on each
    draw. :meth:`of` makes one.

    Examples
    --------
    >>> plan = DealPlan.of(condition="hcp(north) + hcp(south) == 40")
    >>> plan.exact, plan.count
    (True, 27496022688430148160000)
    >>> round(float(plan.frequency("aces(north)")[2,]), 4)
    0.407
    """

    plan: ConditionTables
    where: Callable[[Layouts], NDArray[np.bool_]] | None = (
        None  #: What is tested on each draw, beside the condition.
    )
    calls: CallDraws | None = None  #: How deals under an auction are drawn.

    @classmethod
    def of(
        cls,
        *evidence: Piece | Auction,
        given: Mapping[Seat | str, Hand | str] | Constraints | None = None,
        condition: str | Expression | None = None,
        where: Callable[..., Any] | None = None,
        bidder: BidderModel | None = None,
    ) -> DealPlan:
        """Plan deals.

        Parameters
        ----------
        *evidence : Piece or Auction
            What every deal must fit. Calls make deals more or less likely.
        given : mapping from seats to hands, optional
            Cards of some seats, whole hands or parts of them.
        condition : str, optional
            An expression of the dealer language, true in every deal.
        where : function, optional
            Says of a batch of :class:`bayesbridge.Layouts` which to keep, by an array
            with one boolean for each.
        bidder : BidderModel, optional
            How the hands call; by default as experts, learned from records.

        Returns
        -------
        DealPlan
            What is exact, what is tested, and how deals are drawn.

        Raises
        ------
        Contradiction
            If no deal fits; the error names a smallest set of pieces in conflict.
        NotationError
            If a condition cannot be read.
        """
        if not isinstance(given, Constraints):
            cards = (given or {}).items()
            given = given_cards(
                (Seat.of(seat), Hand.of(hand).mask) for seat, hand in cards
            )
        if not isinstance(condition, Expression):
            condition = TRUE if condition is None else parse_expression(condition)
        seen = pieces(*evidence)
        plan = _planned(given, condition, seen)
        if any(map(needs_solver, plan.tested)):
            find_solver()
        auction: Auction | None = None
        for piece in seen:
            if isinstance(piece, Called):
                auction, _ = (auction or Auction(piece.seat)).fill(
                    piece.seat, piece.call
                )
        if auction is None:
            return cls(plan, where)
        if bidder is None:
            bidder = LearnedBidder()
        return cls(plan, where, call_draws(plan, auction, bidder))

    @property
    def exact(self) -> bool:
        """Whether every draw meets the request, with nothing tested."""
        return not self.plan.tested and self.where is None and self.calls is None

    @property
    def count(self) -> int | None:
        """How many deals there are, exactly; ``None`` where some of it is tested."""
        return self.plan.table.total if self.exact else None

    @property
    def probability(self) -> Fraction | None:
        """Their share of all deals with the known cards, exactly; ``None`` where some
        of it is tested.
        """
        return self.plan.exact_chance if self.exact else None

    def deals(self, n: int, *, rng: Seed = None, most: int = MOST_DRAWS) -> Layouts:
        """``n`` independent deals.

        Parameters
        ----------
        n : int
            How many.
        rng : seed or generator, optional
            Anything that ``numpy.random.default_rng`` takes.
        most : int, optional
            Draws that are tested before the search ends.

        Returns
        -------
        Layouts
            The deals, each equally likely among those that fit.

        Raises
        ------
        BayesBridgeError
            If so many draws give fewer deals.

        Warns
        -----
        UserWarning
            If few draws are kept, so that deals take long.
        """
        found = self.search(n, rng, most=most)
        found.verify(n)
        if not self.exact and found.rate < LOW:
            message = f"{chance_text(found.rate)} of the draws are kept: deals take as much longer"
            warnings.warn(message, skip_file_prefixes=(_PACKAGE,), stacklevel=2)
        return Layouts.adopt(found.first(n))

    def search(
        self,
        n: int,
        rng: Seed = None,
        *,
        most: int = MOST_DRAWS,
        watch: Callable[[Drawn], object] | None = None,
    ) -> Drawn:
        """The same with how many draws it took, and without an error if there are
        fewer; ``watch`` is told after every batch of draws.

        The same seed gives the same deals, and more deals begin with those that fewer
        give.
        """
        n = whole(n, "n")
        most = max(whole(most, "most"), 1)
        if not 0 <= n <= MOST_DRAWS:
            fault = f"{n} deals: ask for 0 to {MOST_DRAWS} at a time"
            raise BayesBridgeError(fault, n=n)
        random = generator(rng)
        state, found = seed_state(random), Drawn()
        if self.is_one_deal:
            return self._copies(n, random)
        largest = _LARGEST_SOLVED if self._solves else _LARGEST
        size = _SMALLEST
        while found.kept < n and found.drawn < most:
            batch = min(size, most - found.drawn)
            if self.exact:
                batch = min(_LARGEST, n - found.kept)
            if self.calls is None:
                masks = self.plan.table.draw(batch, state)
            else:
                masks, over = self.calls.draw(batch, random)
                found.over += over
            found.called += len(masks)
            masks = self._tested(masks, random)
            found.drawn += batch
            found.kept += len(masks)
            found.masks.append(masks)
            size = min(2 * size, largest)
            report_progress("deals", min(found.kept, n), n)
            if watch is not None:
                watch(found)
        return found

    @property
    def is_one_deal(self) -> bool:
        """Whether the known cards leave one deal, which passes all tests or never does."""
        settled = self.calls is None and self.where is None
        return settled and self.plan.table.total == 1 and not self._draws_numbers

    @property
    def _draws_numbers(self) -> bool:
        """Whether a test depends on chance."""
        return any(map(is_random, self.plan.tested))

    @property
    def _solves(self) -> bool:
        """Whether a test needs double-dummy tricks."""
        return any(map(needs_solver, self.plan.tested))

    def _copies(self, n: int, random: np.random.Generator) -> Drawn:
        """The only deal, tested once, as often as it is wanted."""
        deal = self.plan.table.draw(1, seed_state(random))
        kept = self._tested(deal, random)
        masks = np.repeat(kept, n, axis=0)
        drawn = max(len(masks), 1)
        return Drawn(drawn=drawn, called=drawn, kept=len(masks), masks=[masks])

    def _tested(self, masks: Masks, rng: np.random.Generator) -> Masks:
        """Parts that need tricks come late, for what has passed the others."""
        dear = [part for part in self.plan.tested if needs_solver(part)]
        for parts in ([part for part in self.plan.tested if part not in dear], dear):
            if parts and len(masks):
                masks = masks[
                    LayoutValues(masks, rng, solve).of(conjunction(tuple(parts))) != 0
                ]
        if self.where is None or not len(masks):
            return masks
        kept = np.asarray(self.where(Layouts.adopt(masks)))
        if kept.shape != (len(masks),) or kept.dtype != np.bool_:
            raise BayesBridgeError(
                f"where gave {shorten(kept)} for {len(masks)} layouts: return an array with one boolean for each"
            )
        return masks[kept]

    def counts(self, *values: Expression) -> Counts | None:
        """In how many deals expressions have each tuple of values; ``None`` where there
        are no tables for it.
        """
        if not self.exact or any(map(opaque, values)):
            return None
        try:
            return DealTable.of(
                self.plan.known, conjunction(self.plan.exact), *values
            ).counts()
        except TablesTooLarge:
            return None

    def frequency(self, *values: str) -> dict[tuple[int, ...], Fraction]:
        """The exact probability of each value, or tuple of values, of expressions of
        the dealer language.

        Nothing is drawn; raises :class:`bayesbridge.errors.TablesTooLarge` where there
        are no tables for it.
        """
        counts = self.counts(*map(parse_expression, values))
        if counts is None:
            raise TablesTooLarge(
                f"the frequency of {shorten(', '.join(values))} cannot be counted here: draw deals and count those",
                needed=0,
            )
        total = sum(counts.values())
        return {value: Fraction(ways, total) for value, ways in sorted(counts.items())}

    def average(self, value: str) -> Fraction:
        """The exact mean of an expression, as :meth:`frequency` gives it."""
        return sum(
            (one * chance for (one,), chance in self.frequency(value).items()),
            Fraction(0),
        )

    def lines(self) -> list[str]:
        """The plan for people: what is exact, what is tested, the chance of the exact
        part, how calls are used.
        """
        where = [] if self.where is None else ["Tested on each draw: where"]
        return [
            *self.plan.lines(),
            *where,
            *([] if self.calls is None else self.calls.lines()),
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        tested = len(self.plan.tested) + (self.where is not None)
        return f"<DealPlan: {len(self.plan.exact)} parts exact, {tested} tested>"


def deals(
    n: int,
    *evidence: Piece | Auction,
    rng: Seed = None,
    given: Mapping[Seat | str, Hand | str] | None = None,
    condition: str | None = None,
    where: Callable[..., Any] | None = None,
    bidder: BidderModel | None = None,
    most: int = MOST_DRAWS,
) -> Layouts:
    """``n`` independent deals that fit the evidence, every such deal equally likely;
    all four hands hidden by default.

    Parameters
    ----------
    n : int
        How many.
    *evidence : Piece or Auction
        What every deal must fit. Calls make deals more or less likely.
    rng : seed or generator, optional
        Anything that ``numpy.random.default_rng`` takes.
    given : mapping from seats to hands, optional
        Cards of some seats, whole hands or parts of them.
    condition : str, optional
        An expression of the dealer language, true in every deal.
    where : function, optional
        Says of a batch of :class:`bayesbridge.Layouts` which to keep, by an array with
        one boolean for each.
    bidder : BidderModel, optional
        How the hands call; by default as experts, learned from records.
    most : int, optional
        Draws that are tested before the search ends.

    Returns
    -------
    Layouts
        The deals.

    Raises
    ------
    Contradiction
        If no deal fits.
    BayesBridgeError
        If ``most`` draws give fewer deals.

    See Also
    --------
    bayesbridge.DealPlan : To draw more than once, or to count.

    Examples
    --------
    >>> from bayesbridge import HighCards, Shape
    >>> notrump = (Shape("N", "balanced"), HighCards("N", 15, 17))
    >>> batch = deals(3, *notrump, given={"S": "AK...Q32"}, rng=1)
    >>> all(15 <= deal["N"].points <= 17 for deal in batch)
    True
    """
    plan = DealPlan.of(
        *evidence, given=given, condition=condition, where=where, bidder=bidder
    )
    return plan.deals(n, rng=rng, most=most)


def given_cards(given: Iterable[tuple[int, int]]) -> Constraints:
    held = [0, 0, 0, 0]
    for seat, mask in given:
        held[seat] |= mask
    for seat, other in combinations(Seat, 2):
        if both := held[seat] & held[other]:
            card = Card((both & -both).bit_length() - 1)
            raise Contradiction(
                f"{card} is given to {seat.name} and to {other.name}: give it once",
                evidence=(),
            )
    for seat in Seat:
        if (many := held[seat].bit_count()) > 13:
            raise Contradiction(
                f"{seat.name} is given {many} cards: a hand has 13", evidence=()
            )
    return replace(Constraints.free(), must=tuple(held))


def _planned(
    given: Constraints, condition: Expression, seen: tuple[Piece, ...]
) -> ConditionTables:
    """Where no deal fits, the error names a smallest set of pieces in conflict."""
    for piece in seen:
        if isinstance(piece, Play):
            raise NotationError(
                f"{piece}: deals are made before the play, give the card with Holds",
                text=str(piece),
            )
    needed = tuple(piece for piece in seen if not isinstance(piece, Called))
    try:
        return _tables(given, condition, needed)
    except Contradiction as error:
        contradiction = error
    for piece in needed:
        fewer = tuple(other for other in needed if other is not piece)
        try:
            _tables(given, condition, fewer)
        except Contradiction as error:
            needed = fewer
            contradiction = error
    if not needed:
        raise contradiction
    raise Contradiction(
        f"{contradiction}; in conflict: {'; '.join(map(str, needed))}", evidence=needed
    )


def _tables(
    given: Constraints, condition: Expression, evidence: tuple[Piece, ...]
) -> ConditionTables:
    """What tables do of cards, a condition and pieces together."""
    known = given
    for piece in evidence:
        known = piece.constrain(known)
    return ConditionTables.of(known, condition)


@dataclass(frozen=True, slots=True)
class HandType:
    """A name, its condition, and its share of the deals in relation to those of the
    other types.
    """

    name: str
    condition: Expression
    share: Fraction = Fraction(1)

    @classmethod
    def of(cls, text: str) -> HandType:
        """Read ``name: condition`` or ``name=share: condition``.

        >>> HandType.of("strong=3: hcp(north) > 19").share
        Fraction(3, 1)
        """
        head, colon, condition = text.partition(":")
        name, sign, share = (part.strip() for part in head.partition("="))
        if not colon or not name:
            raise NotationError(
                f"{text!r} is no type: write name: condition, or name=2: condition",
                text=text,
            )
        try:
            relative = Fraction(share) if sign else Fraction(1)
        except (ValueError, ZeroDivisionError):
            relative = Fraction(0)
        if not 0 < relative <= 1_000_000:
            raise NotationError(
                f"share {share!r} of type {name!r}: write a positive number", text=text
            )
        return cls(name, parse_expression(condition), relative)


@dataclass(frozen=True, eq=False)
class Levelled:
    """A plan for each type, all under what every deal must meet."""

    types: tuple[HandType, ...]
    plans: tuple[DealPlan, ...]

    @classmethod
    def of(
        cls, types: Sequence[HandType], planned: Callable[[Expression], DealPlan]
    ) -> Levelled:
        """``planned`` makes the plan of a condition that comes on top of the common
        one.
        """
        plans = []
        for place, one in enumerate(types):
            earlier = tuple(
                Operation("not", (other.condition,)) for other in types[:place]
            )
            try:
                plans.append(planned(conjunction((one.condition, *earlier))))
            except Contradiction as error:
                reason = (
                    "; a deal belongs to the first type that it fits" if earlier else ""
                )
                raise Contradiction(
                    f"type {one.name!r}: {error}{reason}", **error.data
                ) from None
        return cls(tuple(types), tuple(plans))

    def sizes(self, n: int) -> list[int]:
        """How many deals of each type, by largest remainders.

        >>> from bayesbridge.evidence.expressions import TRUE
        >>> Levelled((HandType("a", TRUE), HandType("b", TRUE, Fraction(2))), ()).sizes(10)
        [3, 7]
        """
        total = sum(one.share for one in self.types)
        exact = [n * one.share / total for one in self.types]
        order = sorted(
            range(len(exact)), key=lambda place: int(exact[place]) - exact[place]
        )
        more = order[: n - sum(map(int, exact))]
        return [int(size) + (place in more) for place, size in enumerate(exact)]

    def deals(
        self,
        n: int,
        rng: Seed = None,
        *,
        most: int = MOST_DRAWS,
        watch: Callable[[str, int], Callable[[Drawn], object]] | None = None,
    ) -> tuple[Layouts, list[str], Mapping[str, Drawn]]:
        """``n`` deals in random order with the name of the type of each, and what each
        search took; ``watch`` makes what :meth:`DealPlan.search` tells, from the name of
        a type and how many deals of it are wanted.
        """
        random = generator(rng)
        found: dict[str, Drawn] = {}
        parts, names = [], []
        for one, plan, size in zip(self.types, self.plans, self.sizes(n), strict=True):
            with watch_progress(None):
                told = None if watch is None else watch(one.name, size)
                found[one.name] = plan.search(size, random, most=most, watch=told)
            found[one.name].verify(size)
            parts.append(found[one.name].first(size))
            names += [one.name] * size
            report_progress("deals", len(names), n)
        order = random.permutation(n)
        return (
            Layouts.adopt(np.concatenate(parts)[order]),
            [names[place] for place in order.tolist()],
            found,
        )
