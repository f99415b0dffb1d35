"""Everything that an engine must know, compiled once.

Tables of the layouts are built on first use, and kept. ``P(layout ∣ evidence) ∝
L(layout)`` over the layouts that the hard evidence allows, with L the likelihood of the
soft evidence: a product of terms, P(what a seat called or played ∣ its hand), or P(call
∣ the two hands of the pair).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from bayesbridge.display.words import model_words
from bayesbridge.engines.conditions import ConditionTables, constraint_condition, count
from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.errors import BayesBridgeError, Contradiction, PluginError, raised
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.expressions import Held
from bayesbridge.evidence.kinds import Called, Piece
from bayesbridge.evidence.measures import POINTS
from bayesbridge.evidence.models import (
    QUICK,
    BidderModel,
    Cost,
    PlayerModel,
    guide_of,
    reads_partners_hand,
)
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands, Masks, read_only

if TYPE_CHECKING:
    from bayesbridge.engines.tables import LayoutIndex


class Likelihood(Protocol):
    """(n,) log likelihoods, given (n,) masks of each hand that they depend on.

    Or of the first alone.
    """

    def __call__(self, hands: Hands, partners: Hands | None = None, /) -> Floats:
        """(n,) log likelihoods of (n,) hands."""
        ...


@dataclass(frozen=True, slots=True)
class CallLikelihood:
    """P(call number ``index`` ∣ hand, calls before it).

    Also given partner's hand if the model reads it.
    """

    model: BidderModel
    auction: Auction
    index: int

    def __call__(self, hands: Hands, partners: Hands | None = None, /) -> Floats:
        """(n,) log P(call) of (n,) hands."""
        given_partners = {} if partners is None else {"partners": partners}
        return log_likelihood(
            self.model, hands, self.auction, self.index, **given_partners
        )

    @property
    def given(self) -> tuple[Any, ...]:
        """All that it depends on but the hands.

        Later calls say nothing of an earlier one.
        """
        return (
            self.model,
            self.auction.first,
            self.auction.calls[: self.index + 1],
            self.auction.dummy,
        )


@dataclass(frozen=True, slots=True)
class PlayLikelihood:
    """P(the cards that a seat chose ∣ its hand, what was seen before each)."""

    model: PlayerModel
    contract: Contract
    plays: tuple[tuple[Seat, Card], ...]
    seat: Seat
    auction: Auction | None
    dummy: Hand | None

    def __call__(self, hands: Hands, _: Hands | None = None, /) -> Floats:
        """(n,) log P(cards of the seat) of (n,) hands."""
        return log_likelihood(
            self.model,
            hands,
            self.contract,
            self.plays,
            self.seat,
            self.auction,
            self.dummy,
        )


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodTerm:
    """What one model says about the hand of a seat.

    Or about the caller's and partner's hands, where it reads both.
    """

    seats: tuple[int, ...]
    pieces: tuple[Piece, ...]  #: None for a pass that was assumed.
    likelihood: Likelihood
    guide: Likelihood  #: What proposals are fitted to: the same, or by a quicker model.

    @property
    def call(self) -> CallLikelihood | None:
        """For engines that know the model."""
        return self.likelihood if isinstance(self.likelihood, CallLikelihood) else None


ROWS: Final = 2048
"""Layouts whose likelihood is evaluated at a time: models keep what they worked out of
so many hands.
"""


@dataclass(frozen=True, slots=True, eq=False)
class SoftEvidence:
    """All terms: the log likelihood of a layout is their sum."""

    terms: tuple[LikelihoodTerm, ...] = ()

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats it speaks of, in the order of their first term."""
        return tuple(dict.fromkeys(chain(*(term.seats for term in self.terms))))

    @property
    def separable(self) -> bool:
        """Whether it is the sum over seats of what the guides say of one hand."""
        return all(
            len(term.seats) == 1 and term.guide is term.likelihood
            for term in self.terms
        )

    def of_layouts(self, masks: Masks, *, guide: bool = False) -> Floats:
        """(n,) log likelihood of (n, 4) layouts."""
        return self.by_term(masks, guide=guide).sum(axis=1)

    def by_term(self, masks: Masks, *, guide: bool = False) -> Floats:
        """(n, terms) log likelihood of (n, 4) layouts by each term."""
        total = np.zeros((len(masks), len(self.terms)))
        for start in range(0, len(masks), ROWS):
            hands = np.ascontiguousarray(masks[start : start + ROWS].T)
            for column, term in enumerate(self.terms):
                likelihood = term.guide if guide else term.likelihood
                of_term = likelihood(*(hands[seat] for seat in term.seats))
                total[start : start + ROWS, column] = of_term
        return total

    def __bool__(self) -> bool:
        return bool(self.terms)


def calls_evidence(
    model: BidderModel,
    auction: Auction | None,
    observer: Seat | None = None,
    pieces: Sequence[Called] = (),
) -> Iterator[LikelihoodTerm]:
    """The terms of an auction, call by call.

    Parameters
    ----------
    model
        How all seats call.
    auction
        The calls; without it there are no terms.
    observer
        The seat whose hand is known. Its calls say something only where the model reads
        partner's hand.
    pieces
        The calls that were given as evidence, in order; all others were assumed.
    """
    if auction is None:
        return
    reads_partner = reads_partners_hand(model)
    guide = guide_of(model)
    remaining = list(pieces)
    for index, (seat, call) in enumerate(auction):
        call_pieces: tuple[Piece, ...] = ()
        if remaining and (remaining[0].seat, remaining[0].call) == (seat, call):
            call_pieces = (remaining.pop(0),)
        if seat == observer and not reads_partner:
            continue  # a call of one's own speaks of partner's hand alone
        likelihood = CallLikelihood(model, auction, index)
        guiding = likelihood
        if guide is not model:
            guiding = CallLikelihood(guide, auction, index)
        seats = (seat, seat.partner) if reads_partner else (seat,)
        yield LikelihoodTerm(seats, call_pieces, likelihood, guiding)


ROUNDING: Final = 1e-6
"""How far above 0 a log likelihood may lie: models compute in single precision too."""


def log_likelihood(
    model: BidderModel | PlayerModel, hands: Hands, *situation: Any, **partners: Any
) -> Floats:
    """(n,) ``model.log_likelihood(hands, *situation, **partners)``, checked.

    ``situation`` is what the model is asked about: an auction and the number of the
    call, or the play so far. A model that fails or answers nonsense is named.
    """
    try:
        answer = model.log_likelihood(read_only(hands.view()), *situation, **partners)
        values = np.asarray(answer, dtype=np.float64)
    except BayesBridgeError:  # a model may refuse by itself
        raise
    except (Exception, SystemExit) as error:
        problem = f"raised {raised(error, f'{len(hands)} hands')}"
        raise _broken(model, problem) from error
    if values.shape != (len(hands),):
        raise _broken(
            model,
            f"gave log likelihoods of shape {values.shape} for {len(hands)} hands: "
            "return one for each hand",
        )
    wrong = np.flatnonzero(~(values <= ROUNDING))
    if len(wrong):
        raise _broken(
            model,
            f"gave the log likelihood {values[wrong[0]]:g}: "
            "return a number up to 0, or -inf, for every hand",
        )
    return values


def _broken(model: BidderModel | PlayerModel, problem: str) -> PluginError:
    """The error for a model that does not keep its contract."""
    name = f"{type(model).__module__}.{type(model).__qualname__}"
    return PluginError(f"model {name} {problem}", plugin=name, got=problem)


MOST_HAND_POINTS: Final = 37  # A K Q of all suits and a jack

planned = lru_cache(maxsize=2)(ConditionTables.of)  # some hundred megabytes each


def _seat_of(term: LikelihoodTerm, certain_hands: Mapping[int, Hands]) -> int:
    """The seat that a term is about.

    A term about two hands is about the one that is not certain; where none is, about
    the first alone.
    """
    for seat in term.seats:
        if seat not in certain_hands:
            return seat
    return term.seats[0]


class Fitting(NamedTuple):
    """How many layouts fit, and whether that is exact."""

    layouts: int
    exact: bool


def layouts_that_fit(constraints: Constraints) -> Fitting:
    """How many layouts meet constraints and their conditions, and whether exactly.

    Tables count the layouts that meet all conditions that they can hold. The other
    conditions are *tested*: on each layout, one by one, if those that meet the
    constraints are few enough to be walked. Else the number is that of the tables, and
    not exact.
    """
    without_conditions = count(constraints)
    if not constraints.conditions or not without_conditions:
        return Fitting(without_conditions, exact=True)
    from bayesbridge.engines.enumeration import MOST_LAYOUTS, Enumeration

    try:
        plan = planned(constraints)
    except Contradiction:
        return Fitting(0, exact=True)
    if not plan.tested:
        return Fitting(plan.table.total, exact=True)
    if without_conditions > MOST_LAYOUTS:
        return Fitting(plan.table.total, exact=False)
    blocks = Enumeration.of(constraints).blocks()
    meeting = sum(int(constraints.meets(block).sum()) for block in blocks)
    return Fitting(meeting, exact=True)


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be inferred; the constraints are normalised."""

    constraints: Constraints
    soft: SoftEvidence = SoftEvidence()
    cost: Cost = QUICK

    @cached_property
    def fitting(self) -> Fitting:
        """How many layouts fit, and whether that is exact."""
        return layouts_that_fit(self.constraints)

    @property
    def count(self) -> int:
        """How many layouts fit, see :func:`layouts_that_fit`."""
        return self.fitting.layouts

    @cached_property
    def support_size(self) -> int:
        """How many layouts a walk visits.

        These are all that fit the hard evidence, conditions aside.
        """
        if self.constraints.conditions:
            return count(self.constraints)
        return self.count

    @property
    def plain(self) -> bool:
        """Whether tables by suit tell the posterior.

        They do without soft evidence and conditions.
        """
        return not self.soft and not self.constraints.conditions

    @cached_property
    def plan(self) -> ConditionTables:
        """What of the conditions tables hold, and what is tested on draws."""
        return planned(self.constraints)

    @property
    def uniform(self) -> LayoutIndex | DealTable:
        """Exact draws under the hard evidence, as far as tables hold it."""
        return self.plan.table if self.constraints.conditions else self.sampler

    def log_likelihood(self, masks: Masks) -> Floats:
        """(n,) log likelihood of (n, 4) layouts; -inf where a condition is not met."""
        values = self.soft.of_layouts(masks)
        if not self.constraints.conditions:
            return values
        return np.where(self.constraints.meets(masks), values, -np.inf)

    def guide_likelihood(self, seat: int, hands: Hands) -> Floats:
        """(n,) log likelihood of (n,) hands of one seat, to which proposals are fitted.

        By the guides, quick stand-ins for slow models. Terms about the seat count. One
        about two hands, of a pair, counts for the hidden one, with the other where that
        is certain; where both are hidden, for the first of them alone.
        """
        certain_hands = {
            certain_seat: np.full(len(hands), mask, np.uint64)
            for certain_seat, mask in enumerate(self.constraints.must)
            if mask.bit_count() == 13
        }
        hands_by_seat = certain_hands | {seat: hands}
        total = np.zeros(len(hands))
        for term in self.soft.terms:
            if seat == _seat_of(term, certain_hands):
                hands_of_term = [
                    hands_by_seat[term_seat]
                    for term_seat in term.seats
                    if term_seat in hands_by_seat
                ]
                total += term.guide(*hands_of_term)
        return total

    def log_share(self, layouts: int) -> float:
        """What to add to the log of a mean over so many layouts.

        It gives that of the mean over those that :attr:`count` counts.
        """
        return math.log(layouts) - math.log(self.count)

    def same_as(self, other: Target) -> bool:
        """Whether the posterior is known to be the same.

        Draws for one are draws for both then.
        """
        return (
            self.constraints == other.constraints
            and self._given_terms == other._given_terms
        )

    @property
    def _given_terms(self) -> list[tuple[tuple[int, ...], Any]]:
        """All that the soft evidence depends on but the hands."""
        terms: list[tuple[tuple[int, ...], Any]] = []
        for term in self.soft.terms:
            if term.call is None:
                terms.append((term.seats, term.likelihood))
            else:
                terms.append((term.seats, term.call.given))
        return terms

    @cached_property
    def sampler(self) -> LayoutIndex:
        """Under the hard evidence alone, conditions aside."""
        from bayesbridge.engines.tables import LayoutIndex

        return LayoutIndex.of(self.constraints)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has 0 … 37 high-card points), exact.

        That is under the hard evidence alone, conditions aside: the layouts with these
        points, out of all that the sampler counts.
        """
        hard = replace(self.constraints, conditions=())
        condition = constraint_condition(hard)
        counts = np.zeros((4, MOST_HAND_POINTS + 1), dtype=np.int64)
        for seat in range(4):
            tables = DealTable.of(hard, condition, Held(POINTS, seat, None))
            for (points,), layouts in tables.counts().items():
                counts[seat, points] = layouts
        return counts / self.sampler.total

    def unexplained(self, tried: int | None = None) -> Contradiction:
        """The error for soft evidence that no layout explains.

        ``tried`` layouts are no proof, ``None`` is one.
        """
        pieces: dict[Piece, None] = {}
        models: dict[str, None] = {}
        for term in self.soft.terms:
            pieces.update(dict.fromkeys(term.pieces))
            if term.call is not None:
                models[model_words(term.call.model)] = None
        nothing_explains = "no layout explains"
        no_proof = ""
        if tried is not None:
            nothing_explains = f"none of {tried} layouts tried explains"
            no_proof = " That is no proof that none does."
        under = " and ".join(models) or "the model"
        return Contradiction(
            f"{nothing_explains} the calls under {under}: "
            f"{'; '.join(map(str, pieces))}.{no_proof} "
            "Give the model a slip (slip=0.02), or take a call back.",
            evidence=tuple(pieces),
        )
