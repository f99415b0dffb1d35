"""Plans of deals: what tables do exactly, and what is tested on each draw.

Conditions go into tables as far as these hold them
(:mod:`bayesbridge.engines.conditions`); double-dummy tricks and random numbers are
always tested. How deals under an auction are drawn is
:mod:`bayesbridge.dealing.call_draws`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.dealing.call_draws import CallDraws, call_draws
from bayesbridge.engines.conditions import ConditionTables, chance_text
from bayesbridge.engines.deal_tables import DealTable
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
from bayesbridge.evidence.models import BidderModel
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.game.auction import Auction
from bayesbridge.game.cards import HAND_CARDS, Card, Hand, Strain
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts, Masks
from bayesbridge.runtime.progress import report_progress, watch_progress
from bayesbridge.runtime.random64 import Seed, State, generator, seed_state

SOLVED_AT_ONCE: Final = 256
"""Deals that are solved before progress is reported."""


def find_solver() -> Estimator:
    """Return the double-dummy solver, or say how to install it."""
    try:
        return offered("estimators", ["solved"]).estimator("solved")
    except BayesBridgeError:
        raise BayesBridgeError(
            f"tricks need a double-dummy solver: install {SOLVER}, or leave them out"
        ) from None


def solve(masks: Masks, seat: int, strain: int) -> NDArray[np.int64]:
    """Return (n,) double-dummy tricks of a declarer in n deals.

    Deals that are the same are solved once.
    """
    declarer = Seat(seat)
    question = Question((declarer, declarer.partner), Strain(strain).trump)
    distinct, deal_numbers = np.unique(masks, axis=0, return_inverse=True)
    tricks = np.zeros(len(distinct), np.int64)
    for begin in range(0, len(distinct), SOLVED_AT_ONCE):
        end = min(begin + SOLVED_AT_ONCE, len(distinct))
        layouts = Layouts.adopt(distinct[begin:end])
        tricks[begin:end] = run(find_solver(), layouts, question)["solved"]
        report_progress("deals solved", end, len(distinct))
    return tricks[deal_numbers.reshape(-1)]


MOST_DRAWS: Final = 10_000_000
"""Draws that are tested before the search ends."""

LOW: Final = 0.01
"""A share of draws that pass below which a warning is given."""

SMALLEST_BATCH: Final = 1 << 6
"""Draws in the first batch; each later one has twice as many."""

LARGEST_BATCH: Final = 1 << 16

LARGEST_SOLVED_BATCH: Final = 1 << 7
"""Draws in a batch where each may be solved, which takes seconds."""


@dataclass(slots=True)
class Drawn:
    """What a search has found so far."""

    #: Draws in all.
    drawn: int = 0
    #: Draws that the calls kept before anything was tested.
    called: int = 0
    #: Draws that passed.
    kept: int = 0
    #: What accepted draws exceeded, from :meth:`CallDraws.draw`.
    excess: float = 0.0
    #: Batches of (n, 4) masks that passed.
    masks: list[Masks] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The share of the draws that passed."""
        if not self.drawn:
            return 0.0
        return self.kept / self.drawn

    @property
    def error(self) -> float:
        """One standard error of the rate."""
        if not self.drawn:
            return 0.0
        return float(np.sqrt(self.rate * (1 - self.rate) / self.drawn))

    @property
    def cut(self) -> float:
        """The share of probability that was cut off, so far as these draws show it."""
        if not self.excess:
            return 0.0
        return self.excess / (self.called + self.excess)

    def add_batch(
        self, *, drawn: int, called: int, excess: float, passed: Masks
    ) -> None:
        """Count a batch of draws, of which (n, 4) ``passed`` are those found."""
        self.drawn += drawn
        self.called += called
        self.excess += excess
        self.kept += len(passed)
        self.masks.append(passed)

    def first(self, n: int) -> Masks:
        """Return (n, 4) masks of the first n deals."""
        no_deal = np.empty((0, 4), dtype=np.uint64)
        return np.concatenate([no_deal, *self.masks])[:n]

    def verify(self, n: int) -> None:
        """Refuse a search that found fewer than n deals."""
        if self.kept < n:
            raise BayesBridgeError(
                f"{self.kept} of {n} deals were found in {self.drawn} draws: ask for "
                "fewer, allow more draws (most=), or make the part that is tested easier "
                "to meet",
                found=self.kept,
                drawn=self.drawn,
            )


type Counts = dict[tuple[int, ...], int]
"""In how many deals expressions have each tuple of values."""

_PACKAGE: Final = str(Path(__file__).parents[1])
"""The folder of the package: warnings name the line of its caller."""


@dataclass(frozen=True, eq=False)
class DealPlan:
    """A plan of deals: what they must meet, and how that is done.

    It is done exactly by tables, or tested on each draw. :meth:`of` makes a plan.

    Parameters
    ----------
    plan : ConditionTables
        What tables do of the known cards and conditions.
    where : function, optional
        Another test of each draw, as :meth:`of` takes it.
    calls : CallDraws, optional
        How deals under an auction are drawn.

    Examples
    --------
    >>> plan = DealPlan.of(condition="hcp(north) + hcp(south) == 40")
    >>> plan.exact, plan.count
    (True, 27496022688430148160000)
    >>> round(float(plan.frequency("aces(north)")[2,]), 4)
    0.407
    """

    plan: ConditionTables
    where: Callable[[Layouts], NDArray[np.bool_]] | None = None
    calls: CallDraws | None = None

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
        if condition is None:
            condition = TRUE
        elif not isinstance(condition, Expression):
            condition = parse_expression(condition)
        all_pieces = pieces(*evidence)
        plan = _plan_tables(given, condition, all_pieces)
        if any(map(needs_solver, plan.tested)):
            find_solver()
        auction = _auction_of(all_pieces)
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
        """Their exact share of all deals with the known cards; ``None`` where tested."""
        return self.plan.exact_chance if self.exact else None

    def deals(self, n: int, *, rng: Seed = None, most: int = MOST_DRAWS) -> Layouts:
        """Draw independent deals.

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
        search = self.search(n, rng, most=most)
        search.verify(n)
        if not self.exact and search.rate < LOW:
            share = chance_text(search.rate)
            message = f"{share} of the draws are kept: deals take as much longer"
            warnings.warn(message, skip_file_prefixes=(_PACKAGE,), stacklevel=2)
        return Layouts.adopt(search.first(n))

    def search(
        self,
        n: int,
        rng: Seed = None,
        *,
        most: int = MOST_DRAWS,
        watch: Callable[[Drawn], object] | None = None,
    ) -> Drawn:
        """Look for deals, and tell how many draws that took.

        There is no error if fewer are found. The same seed gives the same deals, and
        more deals begin with those that fewer give.

        Parameters
        ----------
        n : int
            How many.
        rng : seed or generator, optional
            Anything that ``numpy.random.default_rng`` takes.
        most : int, optional
            Draws that are tested before the search ends.
        watch : function, optional
            Called with the search so far after every batch of draws.

        Returns
        -------
        Drawn
            The deals that were found, up to a batch more than ``n``, and the number of
            draws.
        """
        n = whole(n, "n")
        most = max(whole(most, "most"), 1)
        if not 0 <= n <= MOST_DRAWS:
            fault = f"{n} deals: ask for 0 to {MOST_DRAWS} at a time"
            raise BayesBridgeError(fault, n=n)
        random = generator(rng)
        state = seed_state(random)
        if self.is_one_deal:
            return self._copies(n, random)
        search = Drawn()
        batch_sizes = self._batch_sizes()
        while search.kept < n and search.drawn < most:
            draws = min(next(batch_sizes), most - search.drawn)
            if self.exact:  # every draw is a deal that is wanted
                draws = min(LARGEST_BATCH, n - search.kept)
            proposed, excess = self._propose(draws, random, state)
            search.add_batch(
                drawn=draws,
                called=len(proposed),
                excess=excess,
                passed=self._tested(proposed, random),
            )
            report_progress("deals", min(search.kept, n), n)
            if watch is not None:
                watch(search)
        return search

    def _batch_sizes(self) -> Iterator[int]:
        """How many draws to make at a time: few at first, each time twice as many."""
        largest = LARGEST_SOLVED_BATCH if self._solves else LARGEST_BATCH
        size = SMALLEST_BATCH
        while True:
            yield size
            size = min(2 * size, largest)

    def _propose(
        self, draws: int, random: np.random.Generator, state: State
    ) -> tuple[Masks, float]:
        """Make draws from the tables, or such as the calls accept, before any test.

        Returns (n, 4) masks, fewer than ``draws`` where calls refuse some, and what the
        accepted ones exceeded (:attr:`Drawn.excess`). Tables take their random numbers
        from ``state``, calls from ``random``.
        """
        if self.calls is None:
            return self.plan.table.draw(draws, state), 0.0
        return self.calls.draw(draws, random)

    @property
    def is_one_deal(self) -> bool:
        """Whether the known cards leave one deal, which passes all tests or never does."""
        only_tables = self.calls is None and self.where is None
        return only_tables and self.plan.table.total == 1 and not self._draws_numbers

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
        """The (n, 4) draws that pass the tests: parts of the condition, then ``where``.

        Parts that need double-dummy tricks, which take seconds, are tested last, on
        what has passed the others.
        """
        tested = self.plan.tested
        quick_parts = [condition for condition in tested if not needs_solver(condition)]
        solved_parts = [condition for condition in tested if needs_solver(condition)]
        for conditions in (quick_parts, solved_parts):
            if conditions and len(masks):
                values = LayoutValues(masks, rng, solve).of(
                    conjunction(tuple(conditions))
                )
                masks = masks[values != 0]
        if self.where is None or not len(masks):
            return masks
        passes = np.asarray(self.where(Layouts.adopt(masks)))
        if passes.shape != (len(masks),) or passes.dtype != np.bool_:
            raise BayesBridgeError(
                f"where gave {shorten(passes)} for {len(masks)} layouts: return an array "
                "with one boolean for each"
            )
        return masks[passes]

    def counts(self, *values: Expression) -> Counts | None:
        """Count the deals in which expressions have each tuple of values.

        Parameters
        ----------
        *values : Expression
            Expressions of the dealer language.

        Returns
        -------
        dict from tuple of int to int, or None
            How many deals have these values; ``None`` where there are no tables for it.
        """
        if not self.exact or any(map(opaque, values)):
            return None
        condition = conjunction(self.plan.exact)
        try:
            return DealTable.of(self.plan.known, condition, *values).counts()
        except TablesTooLarge:
            return None

    def frequency(self, *values: str) -> dict[tuple[int, ...], Fraction]:
        """Return the exact probability of each value of an expression.

        Nothing is drawn.

        Parameters
        ----------
        *values : str
            One or more expressions of the dealer language, such as ``"aces(north)"``.

        Returns
        -------
        dict from tuple of int to Fraction
            The probability of each tuple of values, one number for each expression.

        Raises
        ------
        TablesTooLarge
            If there are no tables for it.
        """
        counts = self.counts(*map(parse_expression, values))
        if counts is None:
            raise TablesTooLarge(
                f"the frequency of {shorten(', '.join(values))} cannot be counted here: "
                "draw deals and count those",
                needed=0,
            )
        total = sum(counts.values())
        return {value: Fraction(ways, total) for value, ways in sorted(counts.items())}

    def average(self, value: str) -> Fraction:
        """Return the exact mean of an expression.

        Parameters
        ----------
        value : str
            An expression of the dealer language.

        Returns
        -------
        Fraction
            The mean over all deals that fit.

        Raises
        ------
        TablesTooLarge
            If there are no tables for it.
        """
        mean = Fraction(0)
        for (number,), probability in self.frequency(value).items():
            mean += number * probability
        return mean

    def lines(self) -> list[str]:
        """Return the plan for people.

        Returns
        -------
        list of str
            What is exact, what is tested, the chance of the exact part, and how calls
            are used.
        """
        lines = list(self.plan.lines())
        if self.where is not None:
            lines.append("Tested on each draw: where")
        if self.calls is not None:
            lines += self.calls.lines()
        return lines

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
    """Draw independent deals that fit the evidence, each such deal equally likely.

    All four hands are hidden by default.

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
    """Return constraints by which seats hold cards, from pairs of seat and mask."""
    held = [0, 0, 0, 0]
    for seat, mask in given:
        held[seat] |= mask
    for seat, other_seat in combinations(Seat, 2):
        twice = held[seat] & held[other_seat]
        if twice:
            lowest_bit = twice & -twice
            card = Card(lowest_bit.bit_length() - 1)
            raise Contradiction(
                f"{card} is given to {seat.name} and to {other_seat.name}: give it once",
                evidence=(),
            )
    for seat in Seat:
        cards = held[seat].bit_count()
        if cards > HAND_CARDS:
            raise Contradiction(
                f"{seat.name} is given {cards} cards: a hand has 13", evidence=()
            )
    return replace(Constraints.free(), must=tuple(held))


def _auction_of(evidence: Iterable[Piece]) -> Auction | None:
    """The calls among pieces of evidence; ``None`` where there is none."""
    auction: Auction | None = None
    for piece in evidence:
        if isinstance(piece, Called):
            if auction is None:
                auction = Auction(piece.seat)
            auction, _ = auction.fill(piece.seat, piece.call)
    return auction


def _plan_tables(
    given: Constraints, condition: Expression, evidence: tuple[Piece, ...]
) -> ConditionTables:
    """Tables of the known cards, a condition, and the pieces of evidence.

    Calls are left out, since they forbid no deal. Where no deal fits, the error names a
    smallest set of pieces in conflict.
    """
    for piece in evidence:
        if isinstance(piece, Play):
            raise NotationError(
                f"{piece}: deals are made before the play, give the card with Holds",
                text=str(piece),
            )
    hard_evidence = tuple(piece for piece in evidence if not isinstance(piece, Called))
    try:
        return _tables(given, condition, hard_evidence)
    except Contradiction as error:
        contradiction = error
    raise _smallest_conflict(given, condition, hard_evidence, contradiction)


def _smallest_conflict(
    given: Constraints,
    condition: Expression,
    evidence: tuple[Piece, ...],
    contradiction: Contradiction,
) -> Contradiction:
    """The error that names pieces of evidence which no deal fits together.

    ``contradiction`` is that of all pieces. Each piece without which no deal fits
    either is left out; the cards and the condition alone are named by their own error.
    """
    in_conflict = evidence
    for piece in evidence:
        without_piece = tuple(
            kept_piece for kept_piece in in_conflict if kept_piece is not piece
        )
        try:
            _tables(given, condition, without_piece)
        except Contradiction as error:
            in_conflict = without_piece
            contradiction = error
    if not in_conflict:
        return contradiction
    return Contradiction(
        f"{contradiction}; in conflict: {'; '.join(map(str, in_conflict))}",
        evidence=in_conflict,
    )


def _tables(
    given: Constraints, condition: Expression, evidence: tuple[Piece, ...]
) -> ConditionTables:
    """What tables do of cards, a condition and pieces together."""
    constraints = given
    for piece in evidence:
        constraints = piece.constrain(constraints)
    return ConditionTables.of(constraints, condition)


MOST_SHARE: Final = 1_000_000
"""The largest share of a type in relation to those of the others."""


@dataclass(frozen=True, slots=True)
class HandType:
    """A kind of deal: its name, its condition, and its share beside other types'."""

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
        name, sign, share = (text_part.strip() for text_part in head.partition("="))
        if not colon or not name:
            raise NotationError(
                f"{text!r} is no type: write name: condition, or name=2: condition",
                text=text,
            )
        try:
            relative_share = Fraction(share if sign else 1)
        except (ValueError, ZeroDivisionError):
            relative_share = Fraction(0)
        if not 0 < relative_share <= MOST_SHARE:
            raise NotationError(
                f"share {share!r} of type {name!r}: write a positive number", text=text
            )
        return cls(name, parse_expression(condition), relative_share)


class LevelledDeals(NamedTuple):
    """Deals of several types in random order."""

    layouts: Layouts
    names: list[str]  #: The name of the type of each deal.
    searches: Mapping[str, Drawn]  #: By name, what the search for each type took.


@dataclass(frozen=True, eq=False)
class Levelled:
    """A plan for each type, all under what every deal must meet."""

    types: tuple[HandType, ...]
    plans: tuple[DealPlan, ...]

    @classmethod
    def of(
        cls, types: Sequence[HandType], planned: Callable[[Expression], DealPlan]
    ) -> Levelled:
        """Plan each type.

        ``planned`` makes the plan of a condition that comes on top of the common one. A
        deal belongs to the first type that it fits.
        """
        plans = []
        not_earlier: tuple[Expression, ...] = ()
        for hand_type in types:
            condition = conjunction((hand_type.condition, *not_earlier))
            try:
                plans.append(planned(condition))
            except Contradiction as error:
                reason = ""
                if not_earlier:
                    reason = "; a deal belongs to the first type that it fits"
                raise Contradiction(
                    f"type {hand_type.name!r}: {error}{reason}", **error.data
                ) from None
            not_earlier += (Operation("not", (hand_type.condition,)),)
        return cls(tuple(types), tuple(plans))

    def sizes(self, n: int) -> list[int]:
        """Return how many of n deals are of each type, by largest remainders.

        >>> from bayesbridge.evidence.expressions import TRUE
        >>> types = HandType("a", TRUE), HandType("b", TRUE, Fraction(2))
        >>> Levelled(types, ()).sizes(10)
        [3, 7]
        """
        total = sum(hand_type.share for hand_type in self.types)
        quotas = [n * hand_type.share / total for hand_type in self.types]
        sizes = [int(quota) for quota in quotas]
        by_remainder = sorted(
            range(len(sizes)), key=lambda place: sizes[place] - quotas[place]
        )
        for place in by_remainder[: n - sum(sizes)]:
            sizes[place] += 1
        return sizes

    def deals(
        self,
        n: int,
        rng: Seed = None,
        *,
        most: int = MOST_DRAWS,
        watch: Callable[[str, int], Callable[[Drawn], object]] | None = None,
    ) -> LevelledDeals:
        """Draw n deals, of each type its share, in random order.

        ``watch`` makes, from the name of a type and how many deals of it are wanted,
        the function that :meth:`DealPlan.search` calls after every batch of draws.
        """
        random = generator(rng)
        searches: dict[str, Drawn] = {}
        masks: list[Masks] = []
        names: list[str] = []
        for hand_type, plan, size in zip(
            self.types, self.plans, self.sizes(n), strict=True
        ):
            name = hand_type.name
            watch_search = None
            if watch is not None:
                watch_search = watch(name, size)
            # Progress is told below, over the deals of all types.
            with watch_progress(None):
                search = plan.search(size, random, most=most, watch=watch_search)
            search.verify(size)
            searches[name] = search
            masks.append(search.first(size))
            names += [name] * size
            report_progress("deals", len(names), n)
        order = random.permutation(n)
        return LevelledDeals(
            layouts=Layouts.adopt(np.concatenate(masks)[order]),
            names=[names[place] for place in order.tolist()],
            searches=searches,
        )
