"""Runs estimators over a posterior, block by block, and adds up what they say.

So memory stays flat, however many layouts there are.

Estimators that take long for a layout get as many as a stated time allows, drawn from
the posterior by their weights, and the others of the same run get the same ones. The
number follows from what they declare, not from a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior, subsample
from bayesbridge.belief.wins import verify_seen
from bayesbridge.display.words import tell
from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.engines.enumeration import BLOCK
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.target import Target
from bayesbridge.errors import BayesBridgeError, PluginError, TablesTooLarge
from bayesbridge.estimators.builtin import BUILT_IN, OWNERS, LengthsTogether
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.distribution import (
    Accumulator,
    Distribution,
    ExactCounts,
    TrickContext,
)
from bayesbridge.estimators.protocol import (
    Estimator,
    Question,
    run,
    run_exact,
    seconds_of,
    verify_declaration,
)
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import HAND_CARDS, Hand, Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

MOST_KEPT: Final = 1_000_000
"""Layouts up to which the values of every one are kept, each with its weight."""

KEPT: Final = 20_000
"""Layouts kept of a posterior with more, resampled so that they count the same."""

SLOW_RUN: Final = 2.0
"""Seconds for a block from which on an estimator should declare what it takes."""

SLOW_LAYOUT: Final = 1e-3
"""The same for one layout."""

MORE_THAN_ASKED: Final = 1.25
"""Layouts of a posterior over those that were asked for, up to which all are used."""

FEWEST_ASKED: Final = 2
"""Layouts that an estimator is asked about however long they take: a spread needs two."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What estimators say about a posterior."""

    posterior: Posterior
    question: Question
    #: By their names in results, estimator by estimator.
    numbers: dict[str, Distribution]
    #: Of the layouts kept; ``None`` where they count the same.
    log_weights: NDArray[np.float64] | None
    failures: dict[str, PluginError]  #: By estimator.
    #: What becomes of the contract that was asked about.
    odds: ContractOdds | None = None

    @property
    def kept(self) -> int:
        """How many layouts have kept their values."""
        return len(next(iter(self.numbers.values())).draws)

    @property
    def whole(self) -> bool:
        """Whether the layouts kept are those of the posterior, in their order."""
        return self.kept == len(self.posterior)

    @property
    def walked(self) -> bool:
        """Whether the layouts kept are all that fit, in the order of their numbers."""
        posterior = self.posterior
        everything = posterior.exact or len(posterior) == posterior.count()
        return self.whole and everything


class EstimatorRun:
    """Estimators that are asked the same question, and what they have said so far.

    One that fails is left out from then on, with its failure kept by its name.
    """

    def __init__(self, estimators: Sequence[Estimator], question: Question) -> None:
        self.estimators = estimators
        self.question = question
        self.sums: dict[tuple[str, str], Accumulator] = {}
        """By the names of the estimator and of the output."""
        self.failures: dict[str, PluginError] = {}
        for estimator in estimators:
            with self.catching_failures_of(estimator):
                verify_declaration(estimator)
                for output in estimator.outputs:
                    sums = Accumulator(output, estimator.name)
                    self.sums[estimator.name, output.name] = sums

    @contextmanager
    def catching_failures_of(self, estimator: Estimator) -> Iterator[None]:
        """Leave the estimator out if it fails inside the ``with`` block."""
        try:
            yield
        except PluginError as error:
            self.failures[estimator.name] = error

    @property
    def working(self) -> list[Estimator]:
        """The estimators that have not failed."""
        return [
            estimator
            for estimator in self.estimators
            if estimator.name not in self.failures
        ]

    @property
    def slow(self) -> list[Estimator]:
        """Those that say they take long for a layout."""
        return [estimator for estimator in self.working if seconds_of(estimator)]

    @property
    def seconds_for_a_layout(self) -> float:
        """What all together say they take for one layout."""
        return sum(map(seconds_of, self.slow))

    def within(
        self, budget: Budget, posterior: Posterior, rng: np.random.Generator
    ) -> Posterior:
        """The posterior, or as many layouts drawn from it as the budget allows."""
        cost = self.seconds_for_a_layout
        n = layouts_within_budget(posterior, cost, budget)
        if n >= len(posterior):
            return posterior
        names = " and ".join(estimator.name for estimator in self.slow)
        why = (
            f"{n} layouts of these for {names}, at {cost:.2g} seconds each on one core"
        )
        return subsample(posterior, n, rng, why)

    def add_layouts(self, posterior: Posterior, keep_values: bool) -> None:
        """Ask about every layout, block by block, and add up what is said."""
        layouts_done = 0
        for masks, weights in posterior.blocks(self._block_size()):
            if not self.working:
                break
            layouts = Layouts.adopt(masks)
            for estimator in self.working:
                with self.catching_failures_of(estimator):
                    begun = perf_counter()
                    values_by_output = run(estimator, layouts, self.question)
                    if layouts_done == 0:
                        tell_if_slow(estimator, perf_counter() - begun, len(layouts))
                    for name, values in values_by_output.items():
                        self.sums[estimator.name, name].add(values, weights)
                    if keep_values:
                        self._keep(estimator, values_by_output)
            layouts_done += len(masks)
            report_progress("layouts", layouts_done, len(posterior))

    def _block_size(self) -> int:
        """Layouts asked about at a time: about a second's work, to show progress."""
        cost = self.seconds_for_a_layout
        if not cost:
            return BLOCK
        return max(1, min(BLOCK, round(1.0 / cost)))

    def keep_values(self, layouts: Layouts) -> None:
        """Ask about these layouts, and keep every value."""
        for estimator in self.working:
            with self.catching_failures_of(estimator):
                self._keep(estimator, run(estimator, layouts, self.question))

    def _keep(self, estimator: Estimator, values_by_output: Mapping[str, Any]) -> None:
        for name, values in values_by_output.items():
            self.sums[estimator.name, name].kept.append(values)

    def count_exactly(self, posterior: Posterior) -> None:
        """Put exact counts in place of sums over draws, where they can be had."""
        for estimator in self.working:
            with self.catching_failures_of(estimator):
                counts_by_output = exact_counts(posterior, estimator, self.question)
                for name, counts in counts_by_output.items():
                    self.sums[estimator.name, name].count(counts)

    def distributions(self, posterior: Posterior) -> dict[str, Distribution]:
        """What every output is, by its name in results; none of those that failed."""
        context = TrickContext.of(posterior.belief, self.question)
        numbers: dict[str, Distribution] = {}
        for estimator in self.working:
            with self.catching_failures_of(estimator):
                for output in estimator.outputs:
                    name = result_name(estimator.name, output.name)
                    if name in numbers:
                        raise _taken(name, numbers[name].estimator, estimator.name)
                    sums = self.sums[estimator.name, output.name]
                    numbers[name] = sums.distribution(posterior.exact, name, context)
        return {
            name: number
            for name, number in numbers.items()
            if number.estimator not in self.failures
        }


def evaluate(
    posterior: Posterior,
    estimators: Sequence[Estimator],
    question: Question,
    *,
    rng: Seed = 0,
    budget: Budget | None = None,
) -> Evaluation:
    """Run every estimator over every layout of a posterior.

    An estimator that fails is left out and reported, the others go on. Where all
    layouts would take longer than the budget (by default the draws that the posterior
    was asked for), they get fewer: :func:`layouts_within_budget`. The value of each
    layout is kept too, for errors and plots; of more than ``MOST_KEPT`` layouts that of
    some only, resampled by their weights so that they count the same.
    """
    _verify_names_differ(estimators)
    random = generator(rng)
    if budget is None:
        _, wanted_draws = posterior.asked
        budget = Budget(wanted_draws)
    estimator_run = EstimatorRun(estimators, question)
    posterior = estimator_run.within(budget, posterior, random)
    keeps_all = len(posterior) <= MOST_KEPT
    estimator_run.add_layouts(posterior, keep_values=keeps_all)
    if not keeps_all:
        estimator_run.keep_values(posterior.resample(KEPT, random))
    if not posterior.exact:
        estimator_run.count_exactly(posterior)
    log_weights = None
    if keeps_all and posterior.importance is not None:
        log_weights = posterior.importance.log
    return Evaluation(
        posterior=posterior,
        question=question,
        numbers=estimator_run.distributions(posterior),
        log_weights=log_weights,
        failures=estimator_run.failures,
    )


def _verify_names_differ(estimators: Sequence[Estimator]) -> None:
    names = [estimator.name for estimator in estimators]
    for name in names:
        if names.count(name) > 1:
            raise BayesBridgeError(
                f"estimator {name!r} is given twice: give each name once", name=name
            )


def tell_if_slow(estimator: Estimator, seconds: float, layouts: int) -> None:
    """Say on stderr that an estimator which declares no time took long for a block."""
    # The package's own are quick, once they are compiled.
    if seconds_of(estimator) or type(estimator) in BUILT_IN:
        return
    if seconds > max(SLOW_RUN, SLOW_LAYOUT * layouts):
        tell(
            f"estimator {estimator.name!r} took {seconds:.0f} s for {layouts} layouts: "
            "if it declares "
            f"seconds = {seconds / layouts:.1g}, the time of one, it gets as many as "
            "the time allows"
        )


def result_name(estimator: str, output: str) -> str:
    """The name that an output has in results, the same in every run.

    The output's own name; but if an estimator of the package has an output of this
    name, others' get the name of their estimator before it.

    >>> result_name("capture", "T"), result_name("mine", "fit"), result_name("mine", "T")
    ('T', 'fit', 'mine_T')
    """
    owner = OWNERS.get(output, estimator)
    if owner == estimator:
        return output
    return f"{estimator}_{output}"


def _taken(name: str, first: str, second: str) -> PluginError:
    return PluginError(
        f"estimators {first!r} and {second!r} both have an output {name!r}: ask them in "
        "two runs, or rename it in one of them",
        plugin=second,
        output=name,
    )


def layouts_within_budget(posterior: Posterior, cost: float, budget: Budget) -> int:
    """How many layouts of a posterior are asked about, at ``cost`` seconds for each.

    That is all of them, or as many as the budget allows. A number of draws that was
    chosen is obeyed, however long they take, unless a time was chosen too. An engine
    may return somewhat more: these are all kept, since drawing anew from them would
    make the answer worse.
    """
    layouts = len(posterior)
    if not cost:
        return layouts
    if budget.seconds is not None:
        affordable = int(min(budget.seconds / cost, layouts))
        return min(layouts, max(FEWEST_ASKED, affordable))
    wanted = budget.draws
    if wanted is None:
        usual = USUAL["estimate"]
        wanted = usual.layouts(cost, usual.draws or 0)
    if layouts <= MORE_THAN_ASKED * wanted:
        return layouts
    return wanted


def exact_counts(
    posterior: Posterior, estimator: Estimator, question: Question
) -> dict[str, ExactCounts]:
    """The outputs of an estimator that can be counted over all layouts, without a draw.

    Under hard evidence alone all layouts that fit weigh the same, and the estimator may
    count them itself. Under calls that are exact conditions on single hands, the tables
    of these may give the distribution of a quantity that the estimator names.
    """
    target = posterior.target
    if target.plain:
        return _counts_by_estimator(target, estimator, question)
    tables = posterior.tables
    if isinstance(tables, LevelTables):
        return _shares_by_tables(tables, target.constraints, estimator, question)
    return {}


def _counts_by_estimator(
    target: Target, estimator: Estimator, question: Question
) -> dict[str, ExactCounts]:
    """By output, the layouts with each value, as the estimator counts them."""
    layouts = target.count
    counts_by_output = run_exact(estimator, target.constraints, question, layouts)
    return {
        output: ExactCounts(lowest, counts, total=layouts)
        for output, (lowest, counts) in counts_by_output.items()
    }


def _shares_by_tables(
    tables: LevelTables,
    constraints: Constraints,
    estimator: Estimator,
    question: Question,
) -> dict[str, ExactCounts]:
    """By output, P(0, 1, 2 …), where the tables of exact calls give it.

    None for an estimator that names no ``quantities``, as only those of the package do,
    nor where the tables would be too large.
    """
    quantities = getattr(estimator, "quantities", None)
    if quantities is None:
        return {}
    lengths = tables.length_distributions()
    shares_by_output: dict[str, ExactCounts] = {}
    try:
        for output, quantity in quantities(question).items():
            if isinstance(quantity, LengthsTogether):
                shares = lengths_together(lengths, constraints, quantity.seats)
            else:
                shares = tables.distribution(quantity)
            if shares is not None:
                shares_by_output[output] = ExactCounts(0, shares, total=1)
    except TablesTooLarge:
        return {}
    return shares_by_output


def lengths_together(
    lengths: Floats, constraints: Constraints, seats: Collection[Seat]
) -> Floats | None:
    """(4, 14) P(these seats have so many cards of a suit together), for each suit.

    ``lengths`` are (4, 4, 14) such probabilities of each seat. Two seats need a known
    hand among the four, else the answer is ``None``: what they have together is what
    the two others leave.
    """
    if len(seats) == 1:
        (seat,) = seats
        of_seat: Floats = lengths[seat]
        return of_seat
    known_hands = {
        seat for seat in Seat if constraints.must[seat].bit_count() == HAND_CARDS
    }
    side = set(seats)
    other_side = set(Seat) - side
    pair = side if known_hands & side else other_side
    if not known_hands & pair:
        return None
    known_seat = min(known_hands & pair)
    (hidden_seat,) = pair - {known_seat}
    together = np.zeros((4, HAND_CARDS + 1))
    for suit in Suit:
        known_length = Hand(constraints.must[known_seat]).length(suit)
        most_hidden = HAND_CARDS - known_length
        hidden_lengths = lengths[hidden_seat, suit, : most_hidden + 1]
        together[suit, known_length:] = hidden_lengths
    if pair == other_side:
        return together[:, ::-1]
    return together


def ask(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
) -> Question:
    """The question behind the arguments of ``bayesbridge.estimate``.

    What was played comes from the evidence; the pair and the trumps do too, where they
    are not given.
    """
    belief = posterior.belief
    tricks = list(belief.table.tricks)
    if trick is not None:
        verify_seen(belief, trick)
        tricks.append(trick)
    strain = belief.table.strain if trump is None else Strain.of(trump)
    played = set(chain.from_iterable(trick_played.cards for trick_played in tricks))
    return Question.of(
        belief.pair if pair is None else pair,
        trump=None if strain is None else strain.trump,
        trick=trick,
        played=sum(card.mask for card in played),
    )
