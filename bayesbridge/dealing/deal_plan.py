"""DealPlan: deals asked for by evidence, conditions and tests, planned once and drawn as often as wanted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.cards import Card, Hand
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.dealing.call_guides import call_draws
from bayesbridge.dealing.calls import CallDraws, auction_of
from bayesbridge.dealing.drawing import LOW, MOST_DRAWS, Drawn, Test, draw, expression_test, first, too_few
from bayesbridge.dealing.expressions import TRUE, Expression, Taken, walk
from bayesbridge.dealing.parser import parse_expression
from bayesbridge.dealing.planning import Plan, chance_text
from bayesbridge.dealing.solving import Solver, find_solver
from bayesbridge.dealing.statistics import exact_counts
from bayesbridge.errors import BayesBridgeError, Contradiction, NotationError, TablesTooLarge, shorten, whole
from bayesbridge.evidence.calls import Called
from bayesbridge.evidence.kinds import pieces
from bayesbridge.evidence.models import BidderModel
from bayesbridge.evidence.piece import Piece
from bayesbridge.evidence.play import Play
from bayesbridge.layouts import Layouts, Masks
from bayesbridge.random64 import Seed

_PACKAGE: Final = str(Path(__file__).parents[1])

type Where = Callable[[Layouts], NDArray[np.bool_]]
"""A test of users: a batch of layouts → which of them to keep."""


@dataclass(frozen=True, eq=False)
class DealPlan:
    """What is asked of deals, and how it is done: exactly by tables, or tested on each draw.

    >>> plan = DealPlan.of(condition="hcp(north) + hcp(south) == 40")
    >>> plan.exact, plan.count
    (True, 27496022688430148160000)
    >>> round(float(plan.frequency("aces(north)")[2,]), 4)
    0.407
    """

    plan: Plan
    tests: tuple[tuple[str, Test], ...] = ()
    """What is tested on each draw, with a name for it."""
    calls: CallDraws | None = None
    """How deals under an auction are drawn."""

    @classmethod
    def of(
        cls,
        *evidence: Piece | Auction,
        given: Mapping[Seat | str, Hand | str] | None = None,
        condition: str | None = None,
        where: Callable[..., Any] | None = None,
        bidder: BidderModel | None = None,
    ) -> DealPlan:
        """Plan deals.

        ``given``: cards of some seats, whole hands or parts of them. ``condition``: an expression of the dealer
        language. ``where``: a function of a batch of :class:`bayesbridge.Layouts` that says which to keep. Calls among
        the evidence make deals more or less likely, as ``bidder`` sees it (default: experts learned from records).
        """
        asked = TRUE if condition is None else parse_expression(condition)
        held = given_cards((Seat.of(seat), Hand.of(cards).mask) for seat, cards in (given or {}).items())
        return cls.compiled(held, asked, evidence, where=where, bidder=bidder)

    @classmethod
    def compiled(
        cls,
        given: Constraints,
        condition: Expression,
        evidence: tuple[Piece | Auction, ...] = (),
        *,
        where: Where | None = None,
        bidder: BidderModel | None = None,
        solver: Solver | None = None,
    ) -> DealPlan:
        """The same from parts that have been read."""
        seen = pieces(*evidence)
        plan = _planned(given, condition, seen)
        tests: list[tuple[str, Test]] = []
        if plan.tested:
            needs = any(isinstance(node, Taken) for part in plan.tested for node in walk(part))
            ready = solver or (find_solver() if needs else None)
            tests.append(("condition", expression_test(plan.tested, ready)))
        if where is not None:
            tests.append(("where", _where_test(where)))
        auction = auction_of([piece for piece in seen if isinstance(piece, Called)])
        calls = None if auction is None else call_draws(plan, auction, bidder or _experts())
        return cls(plan, tuple(tests), calls)

    @property
    def exact(self) -> bool:
        """Whether every draw is a deal that was asked for, with nothing tested."""
        return not self.tests and self.calls is None

    @property
    def count(self) -> int | None:
        """How many deals there are, exactly; ``None`` where some of it is tested."""
        return self.plan.table.total if self.exact else None

    @property
    def probability(self) -> Fraction | None:
        """Their share of all deals with the known cards, exactly; ``None`` where some of it is tested."""
        return self.plan.exact_chance if self.exact else None

    def deals(self, n: int, *, rng: Seed = None, most: int = MOST_DRAWS) -> Layouts:
        """``n`` independent deals; raises an error if ``most`` draws that are tested give fewer.

        A warning says so when fewer than one draw in a hundred is kept.
        """
        found = self.search(n, rng, most=most)
        wanted = whole(n, "n")
        if found.kept < wanted:
            raise too_few(found, wanted)
        if not self.exact and found.rate < LOW:
            told = f"{chance_text(found.rate)} of the draws are kept: deals take as much longer"
            warnings.warn(told, skip_file_prefixes=(_PACKAGE,), stacklevel=2)
        return Layouts.adopt(first(found, wanted))

    def search(
        self,
        n: int,
        rng: Seed = None,
        *,
        most: int = MOST_DRAWS,
        progress: Callable[[int, int], None] | None = None,
    ) -> Drawn:
        """The same with how many draws it took, and without an error if there are fewer."""
        wanted, limit = whole(n, "n"), whole(most, "most")
        if not 0 <= wanted <= MOST_DRAWS:
            raise BayesBridgeError(f"{wanted} deals: ask for 0 to {MOST_DRAWS} at a time", n=wanted)
        tests = [test for _, test in self.tests]
        return draw(self.plan, wanted, rng, tests=tests, calls=self.calls, most=max(limit, 1), progress=progress)

    def frequency(self, *values: str) -> dict[tuple[int, ...], Fraction]:
        """The exact probability of each value, or tuple of values, of expressions of the dealer language.

        Nothing is drawn; raises :class:`bayesbridge.TablesTooLarge` where tables cannot tell.
        """
        counts = exact_counts(self.plan, *map(parse_expression, values)) if self.exact else None
        if counts is None:
            raise TablesTooLarge(
                f"the frequency of {shorten(', '.join(values))} cannot be counted here: draw deals and count those",
                needed=0,
            )
        total = sum(counts.values())
        return {value: Fraction(ways, total) for value, ways in sorted(counts.items())}

    def average(self, value: str) -> Fraction:
        """The exact mean of an expression, as :meth:`frequency` gives it."""
        return sum((one * chance for (one,), chance in self.frequency(value).items()), Fraction(0))

    def lines(self) -> list[str]:
        """The plan for people: what is exact, what is tested, the chance of the exact part, how calls are heard."""
        named = [name for name, _ in self.tests if name != "condition"]
        heard = [] if self.calls is None else self.calls.lines()
        return self.plan.lines() + [f"Tested on each draw: {name}" for name in named] + heard

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<DealPlan: {len(self.plan.exact)} parts exact, {len(self.plan.tested) + len(self.tests)} tested>"


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
    """``n`` independent deals that fit the evidence, every such deal equally likely; all four hands hidden by default.

    See :meth:`bayesbridge.DealPlan.of` for what can be asked, and :class:`bayesbridge.DealPlan` to draw more than once.

    >>> from bayesbridge import HighCards, Shape
    >>> found = deals(3, Shape("N", "balanced"), HighCards("N", 15, 17), given={"S": "AK...Q32"}, rng=1)
    >>> all(15 <= deal["N"].points <= 17 for deal in found)
    True
    """
    plan = DealPlan.of(*evidence, given=given, condition=condition, where=where, bidder=bidder)
    return plan.deals(n, rng=rng, most=most)


def given_cards(given: Iterable[tuple[int, int]]) -> Constraints:
    """Cards of some seats, as masks; raises ``Contradiction`` where a card is given twice or a hand has too many."""
    held = [0, 0, 0, 0]
    for seat, mask in given:
        held[seat] |= mask
    for seat, other in combinations(Seat, 2):
        if both := held[seat] & held[other]:
            card = Card((both & -both).bit_length() - 1)
            raise Contradiction(f"{card} is given to {seat.name} and to {other.name}: give it once", evidence=())
    for seat in Seat:
        if (many := held[seat].bit_count()) > 13:
            raise Contradiction(f"{seat.name} is given {many} cards: a hand has 13", evidence=())
    return reduce(lambda known, seat: known.hold(seat, held[seat]), Seat, Constraints.free())


def _planned(given: Constraints, condition: Expression, seen: tuple[Piece, ...]) -> Plan:
    """The plan of all hard evidence; where no deal fits, the error names a smallest set of pieces in conflict."""
    if play := next((piece for piece in seen if isinstance(piece, Play)), None):
        raise NotationError(f"{play}: deals are made before the play, give the card with Holds", text=str(play))
    hard = tuple(piece for piece in seen if not isinstance(piece, Called))

    def plan(some: tuple[Piece, ...]) -> Plan:
        return Plan.of(reduce(lambda known, piece: piece.constrain(known, 0), some, given), condition)

    try:
        return plan(hard)
    except Contradiction as error:
        if not hard:
            raise
        needed, told = hard, error
    for piece in hard:
        fewer = tuple(other for other in needed if other is not piece)
        try:
            plan(fewer)
        except Contradiction as error:
            needed, told = fewer, error
    if not needed:
        raise told
    raise Contradiction(f"{told}; in conflict: {'; '.join(map(str, needed))}", evidence=needed)


def _where_test(where: Where) -> Test:
    def test(masks: Masks, _: np.random.Generator) -> NDArray[np.bool_]:
        found = np.asarray(where(Layouts(masks)))
        if found.shape != (len(masks),) or found.dtype != np.bool_:
            raise BayesBridgeError(
                f"where gave {shorten(found)} for {len(masks)} layouts: return an array with one boolean for each"
            )
        return found

    return test


def _experts() -> BidderModel:
    from bayesbridge.bidders.learned import LearnedBidder

    return LearnedBidder()
