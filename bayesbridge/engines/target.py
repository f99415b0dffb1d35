"""Target: everything that an engine must know, compiled once.

``P(layout ∣ evidence) ∝ L(layout)`` over the layouts that the hard evidence allows, with L the likelihood of the soft
evidence: a product of terms, each of them P(what a seat called or played ∣ its hand). The tables that count and number
the layouts are built on first use, and kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.constraints import Constraints
from bayesbridge.engines.counting import count
from bayesbridge.errors import BayesBridgeError, Contradiction, PluginError, raised_at
from bayesbridge.evidence.kinds import Piece
from bayesbridge.evidence.models import QUICK, BidderModel, Cost, PlayerModel
from bayesbridge.layouts import Floats, Masks, read_only
from bayesbridge.words import model_words

if TYPE_CHECKING:
    from bayesbridge.engines.conditions import Plan
    from bayesbridge.engines.deal_tables import DealTable
    from bayesbridge.engines.enumeration import Enumeration
    from bayesbridge.engines.tables import Sampler


type HandLikelihood = Callable[[NDArray[np.uint64]], Floats]
"""(n,) masks of a hand → (n,) log likelihoods."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """What one model says about the hand of one seat."""

    seat: int
    pieces: tuple[Piece, ...]
    """The evidence behind it; none for a pass that was assumed."""
    likelihood: HandLikelihood
    call: tuple[BidderModel, Auction, int] | None = None
    """For a call: the model, the auction and the number of the call, for engines that know the model."""
    given: tuple[Any, ...] | None = None
    """All that the likelihood depends on but the hand: terms given the same are the same; ``None`` if not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """A pair whose style is one of several, the same for both partners: their calls together, by style."""

    log_weights: Floats
    """(k,) log P(style)."""
    likelihoods: Mapping[int, HandLikelihood]
    """For each of the pair's seats that called, (n,) masks of its hand → (n, k) log P(its calls ∣ hand, style)."""


@dataclass(frozen=True, slots=True, eq=False)
class SoftEvidence:
    """All terms, each about one hand; the calls of a pair that shares an unknown style are weighed together.

    Without such pairs the log likelihood of a layout is the sum of the terms. :meth:`of_seat` is that sum for one seat
    in any case, by the mean of a style: what proposals are fitted to.
    """

    terms: tuple[Term, ...] = ()
    shared: tuple[Shared, ...] = ()

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats it speaks of, in the order of their first term."""
        return tuple(dict.fromkeys(term.seat for term in self.terms))

    def of_seat(self, seat: int, hands: NDArray[np.uint64]) -> Floats:
        """(n,) log likelihood of (n,) hands of one seat."""
        total = np.zeros(len(hands))
        for term in self.terms:
            if term.seat == seat:
                total += term.likelihood(hands)
        return total

    def of_layouts(self, masks: Masks) -> Floats:
        """(n,) log likelihood of (n, 4) layouts."""
        return self.together(self.parts(masks)) if self.terms else np.zeros(len(masks))

    def by_seat(self, masks: Masks) -> Floats:
        """(n, seats) the same seat by seat, as if partners did not share their style."""
        parts = self.parts(masks)
        found = np.stack([parts[seat][:, 0] for seat in self.seats], axis=1)
        for pair in self.shared:
            for seat in pair.likelihoods:
                found[:, self.seats.index(seat)] += np.logaddexp.reduce(pair.log_weights + parts[seat][:, 1:], axis=1)
        return found

    def parts(self, masks: Masks) -> dict[int, Floats]:
        """What :meth:`part` says of every seat; a hand that is the same in all layouts is evaluated once."""
        found = {}
        for seat in self.seats:
            hands = np.ascontiguousarray(masks[:, seat])
            same = len(hands) > 1 and bool((hands == hands[0]).all())
            part = self.part(seat, hands[:1] if same else hands)
            found[seat] = np.broadcast_to(part, (len(hands), part.shape[1]))
        return found

    def part(self, seat: int, hands: NDArray[np.uint64]) -> Floats:
        """(n, 1 + k) what does not depend on a style that is shared, then the calls by each of the styles."""
        by_style = next((pair.likelihoods[seat] for pair in self.shared if seat in pair.likelihoods), None)
        if by_style is None:
            return self.of_seat(seat, hands)[:, None]
        plain = np.zeros(len(hands))
        for term in self.terms:
            if term.seat == seat and term.call is None:
                plain += term.likelihood(hands)
        return np.column_stack([plain, by_style(hands)])

    def together(self, parts: Mapping[int, Floats]) -> Floats:
        """(n,) log likelihood, from the parts of all seats."""
        total: Floats = np.sum([part[:, 0] for part in parts.values()], axis=0)
        for pair in self.shared:
            by_style = pair.log_weights + np.sum([parts[seat][:, 1:] for seat in pair.likelihoods], axis=0)
            total = total + np.logaddexp.reduce(by_style, axis=1)
        return total

    def same_as(self, other: SoftEvidence) -> bool:
        """Whether the likelihood of every layout is known to be the same."""
        one, two = ([(term.seat, term.given) for term in soft.terms] for soft in (self, other))
        return one == two and all(given is not None for _, given in one)

    def weighs(self, piece: Piece) -> bool:
        """Whether the piece is behind a term."""
        return any(piece is one for term in self.terms for one in term.pieces)

    def __bool__(self) -> bool:
        return bool(self.terms)


def log_likelihood(model: BidderModel | PlayerModel, hands: NDArray[np.uint64], *rest: Any) -> Floats:
    """(n,) ``model.log_likelihood(hands, …)``, checked; a model that fails or answers nonsense is named."""
    try:
        found = np.asarray(model.log_likelihood(read_only(hands.view()), *rest), dtype=np.float64)
    except BayesBridgeError:  # a model may refuse by itself
        raise
    except (Exception, SystemExit) as error:
        what = " ".join(str(error).split())
        where = raised_at(error)
        raise _broken(model, f"raised {type(error).__name__} on {len(hands)} hands: {what}{where}") from error
    if found.shape != (len(hands),):
        shape = f"gave log likelihoods of shape {found.shape} for {len(hands)} hands"
        raise _broken(model, f"{shape}: return one for each hand")
    wrong = np.flatnonzero(~(found <= 1e-6))  # models compute in single precision too
    if len(wrong):
        value = f"gave the log likelihood {found[wrong[0]]:g}"
        raise _broken(model, f"{value}: return a number up to 0, or -inf, for every hand")
    return found


def call_term(seat: int, pieces: Sequence[Piece], model: BidderModel, auction: Auction, index: int) -> Term:
    """The term of one call; the calls after it say nothing of it."""
    given = model, auction.first, auction.calls[: index + 1], auction.dummy
    return Term(
        seat, tuple(pieces), lambda hands: log_likelihood(model, hands, auction, index), (model, auction, index), given
    )


def _broken(model: BidderModel | PlayerModel, what: str) -> PluginError:
    name = f"{type(model).__module__}.{type(model).__qualname__}"
    return PluginError(f"model {name} {what}", plugin=name, got=what)


@lru_cache(maxsize=2)  # some hundred megabytes each
def planned(known: Constraints) -> Plan:
    """What tables hold of constraints with conditions; raises ``Contradiction`` if no layout fits."""
    from bayesbridge.engines.conditions import Plan

    return Plan.of(known)


def layouts_that_fit(known: Constraints) -> tuple[int, bool]:
    """How many layouts fit, conditions among it, and whether that is exact.

    What tables do not hold is counted by a walk over all layouts. Where these are too many, the number is that of the
    layouts that meet what the tables do hold.
    """
    everything = count(known)
    if not known.conditions or not everything:
        return everything, True
    from bayesbridge.engines.enumeration import MOST_LAYOUTS, Enumeration

    try:
        plan = planned(known)
    except Contradiction:
        return 0, True
    if not plan.tested or everything > MOST_LAYOUTS:
        return plan.table.total, not plan.tested
    return sum(int(known.meets(block).sum()) for block in Enumeration.of(known).blocks()), True


MOST_DRAWS: Final = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory of most machines."""


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be inferred; engines take it and nothing else.

    >>> Target(Constraints.free().hold(2, 0x1FFF)).count
    84478098072866400
    """

    constraints: Constraints
    """The hard evidence, normalised."""
    soft: SoftEvidence = SoftEvidence()
    cost: Cost = QUICK

    @cached_property
    def count(self) -> int:
        """How many layouts fit the hard evidence, 0 if it contradicts itself; exact where :attr:`counted` says so.

        Else it is how many meet what tables hold of the conditions.
        """
        return self._fitting[0]

    @property
    def counted(self) -> bool:
        """Whether :attr:`count` is exact."""
        return self._fitting[1]

    @cached_property
    def _fitting(self) -> tuple[int, bool]:
        return layouts_that_fit(self.constraints)

    @cached_property
    def walked(self) -> int:
        """How many layouts a walk visits: all that fit the hard evidence, conditions aside."""
        return count(self.constraints) if self.constraints.conditions else self.count

    @property
    def plain(self) -> bool:
        """Whether tables by suit tell the posterior: there is no soft evidence and no condition."""
        return not self.soft and not self.constraints.conditions

    @cached_property
    def plan(self) -> Plan:
        """The tables of the conditions, and what is tested."""
        return planned(self.constraints)

    @property
    def uniform(self) -> Sampler | DealTable:
        """Exact draws under the hard evidence, as far as tables hold it."""
        return self.plan.table if self.constraints.conditions else self.sampler

    def log_likelihood(self, masks: Masks) -> Floats:
        """(n,) log likelihood of (n, 4) layouts; -inf where they do not meet the conditions."""
        found = self.soft.of_layouts(masks)
        return np.where(self.constraints.meets(masks), found, -np.inf) if self.constraints.conditions else found

    def log_share(self, layouts: int) -> float:
        """What to add to the log of a mean over so many layouts, for that over those that :attr:`count` counts."""
        return math.log(layouts) - math.log(self.count)

    def same_as(self, other: Target) -> bool:
        """Whether the posterior is known to be the same: draws for one are draws for both."""
        return self.constraints == other.constraints and self.soft.same_as(other.soft)

    @cached_property
    def sampler(self) -> Sampler:
        """Exact draws and marginals under the hard evidence alone, conditions aside."""
        from bayesbridge.engines.tables import Sampler

        return Sampler.of(self.constraints)

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """P(seat holds card) (52, 4) and P(length) (4, 4, 14) under the hard evidence alone, exact."""
        sampler = self.sampler
        counts = sampler.card_marginals(), sampler.length_distributions()
        return read_only(counts[0] / sampler.total), read_only(counts[1] / sampler.total)

    @cached_property
    def walk(self) -> Enumeration:
        """All layouts, in order; refuses more than enumeration walks."""
        from bayesbridge.engines.enumeration import Enumeration

        return Enumeration.of(self.sampler)

    def unexplained(self, tried: int | None = None) -> Contradiction:
        """The error for soft evidence that no layout explains; ``tried`` layouts are no proof, ``None`` is one."""
        pieces = tuple(dict.fromkeys(piece for term in self.soft.terms for piece in term.pieces))
        models = dict.fromkeys(model_words(term.call[0]) for term in self.soft.terms if term.call is not None)
        what = "no layout explains" if tried is None else f"none of {tried} layouts tried explains"
        no_proof = "" if tried is None else " That is no proof that none does."
        return Contradiction(
            f"{what} the calls under {' and '.join(models) or 'the model'}: {'; '.join(map(str, pieces))}.{no_proof} "
            "Give the model a slip (slip=0.02), or take a call back.",
            evidence=pieces,
        )
