"""Runs estimators over a posterior, block by block, and adds up what they say: memory
stays flat.

Estimators that take long for a layout get as many as a stated time allows, drawn from
the posterior by their weights, and the others of the same run get the same ones. The
number follows from what they declare, not from a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
from bayesbridge.errors import BayesBridgeError, PluginError, TablesTooLarge
from bayesbridge.estimators.builtin import OWNERS, LengthsTogether
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.distribution import Accumulator, Distribution, TrickContext
from bayesbridge.estimators.protocol import (
    Estimator,
    Question,
    run,
    run_exact,
    seconds_of,
    verify_declaration,
)
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import Hand, Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

# Draws kept of a posterior with more layouts than MOST_KEPT, resampled to equal weights
KEPT: Final = 20_000
MOST_KEPT: Final = 1_000_000  # layouts up to which every one is kept with its weight
SLOW: Final = (
    2.0,
    1e-3,
)  # seconds, in all and for one layout, from which on an estimator should declare what it takes


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What estimators say about a posterior."""

    posterior: Posterior
    question: Question
    numbers: dict[
        str, Distribution
    ]  #: By their names in results, estimator by estimator.
    #: Of the layouts kept; ``None`` where they count the same.
    log_weights: NDArray[np.float64] | None
    failures: dict[str, PluginError]  #: By estimator.
    odds: ContractOdds | None = (
        None  #: What becomes of the contract that was asked about.
    )

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


def evaluate(
    posterior: Posterior,
    estimators: Sequence[Estimator],
    question: Question,
    *,
    rng: Seed = 0,
    budget: Budget | None = None,
) -> Evaluation:
    """Run every estimator over every layout; one that fails is left out and reported,
    the others go on.

    Where that would take longer than the budget, they get fewer:
    :func:`layouts_within_budget`.
    """
    names = [estimator.name for estimator in estimators]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BayesBridgeError(
            f"estimator {twice[0]!r} is given twice: give each name once", name=twice[0]
        )
    random, asked = generator(rng), TrickContext.of(posterior.belief, question)
    sums: dict[tuple[str, str], Accumulator] = {}
    numbers: dict[str, Distribution] = {}
    failures: dict[str, PluginError] = {}

    @contextmanager
    def trying(estimator: Estimator) -> Iterator[None]:
        try:
            yield
        except PluginError as error:
            failures[estimator.name] = error

    def working() -> list[Estimator]:
        return [estimator for estimator in estimators if estimator.name not in failures]

    for estimator in estimators:
        with trying(estimator):
            verify_declaration(estimator)
            sums |= {
                (estimator.name, output.name): Accumulator(output, estimator.name)
                for output in estimator.outputs
            }
    slow = [estimator for estimator in working() if seconds_of(estimator)]
    cost = sum(map(seconds_of, slow))
    if (
        n := layouts_within_budget(
            posterior, cost, budget or Budget(posterior.asked[1])
        )
    ) < len(posterior):
        who = " and ".join(estimator.name for estimator in slow)
        why = f"{n} layouts of these for {who}, at {cost:.2g} seconds each on one core"
        posterior = subsample(posterior, n, random, why)
    block = (
        BLOCK if not cost else max(1, min(BLOCK, round(1.0 / cost)))
    )  # a second's work, so that progress is seen
    whole, importance, done = len(posterior) <= MOST_KEPT, posterior.importance, 0
    for masks, weights in posterior.blocks(block):
        if not working():
            break
        layouts = Layouts.adopt(masks)
        for estimator in working():
            with trying(estimator):
                begun = perf_counter()
                answers = run(estimator, layouts, question)
                took = perf_counter() - begun
                # The package's own are quick, once they are compiled.
                silent = (
                    not seconds_of(estimator)
                    and type(estimator).__module__ != "bayesbridge.estimators.builtin"
                )
                if silent and not done and took > max(SLOW[0], SLOW[1] * len(masks)):
                    tell(
                        f"estimator {estimator.name!r} took {took:.0f} s for {len(masks)} layouts: if it declares "
                        f"seconds = {took / len(masks):.1g}, the time of one, it gets as many as the time allows"
                    )
                for name, values in answers.items():
                    sums[estimator.name, name].add(values, weights)
                    if whole:
                        sums[estimator.name, name].kept.append(values)
        done += len(masks)
        report_progress("layouts", done, len(posterior))
    some = None if whole else posterior.resample(KEPT, random)
    for estimator in working():
        with trying(estimator):
            if some is not None:
                for name, values in run(estimator, some, question).items():
                    sums[estimator.name, name].kept.append(values)
            if not posterior.exact:
                for name, counts in counted(posterior, estimator, question).items():
                    sums[estimator.name, name].count(*counts)
            for output in estimator.outputs:
                key = (estimator.name, output.name)
                name = result_name(*key)
                if name in numbers:
                    raise _taken(name, numbers[name].estimator, estimator.name)
                numbers[name] = sums[key].distribution(posterior.exact, name, asked)
    answered = {
        name: number
        for name, number in numbers.items()
        if number.estimator not in failures
    }
    log_weights = importance.log if whole and importance is not None else None
    return Evaluation(posterior, question, answered, log_weights, failures)


def result_name(estimator: str, output: str) -> str:
    """The name of an output in results, whoever else is asked: its own, unless that is
    an output of another estimator of the package.

    >>> result_name("capture", "T"), result_name("mine", "fit"), result_name("mine", "T")
    ('T', 'fit', 'mine_T')
    """
    return (
        output
        if OWNERS.get(output, estimator) == estimator
        else f"{estimator}_{output}"
    )


def _taken(name: str, first: str, second: str) -> PluginError:
    return PluginError(
        f"estimators {first!r} and {second!r} both have an output {name!r}: ask them in "
        "two runs, or rename it in one of them",
        plugin=second,
        output=name,
    )


def layouts_within_budget(posterior: Posterior, cost: float, budget: Budget) -> int:
    """How many layouts a question of ``cost`` seconds a layout gets: all of them, or as
    many as the budget allows.

    A number of draws that was chosen is obeyed, however long they take, unless a time
    was chosen too. An engine may return somewhat more: these are all kept, since
    drawing anew from them would make the answer worse.
    """
    if not cost:
        return len(posterior)
    if budget.seconds is not None:
        return min(
            len(posterior), max(2, int(min(budget.seconds / cost, len(posterior))))
        )
    usual = USUAL["estimate"]
    most = (
        usual.layouts(cost, usual.draws or 0) if budget.draws is None else budget.draws
    )
    return len(posterior) if len(posterior) <= 1.25 * most else most


def counted(
    posterior: Posterior, estimator: Estimator, question: Question
) -> dict[str, tuple[int, NDArray[Any], int]]:
    """The outputs that the estimator can count exactly without a draw, as
    :meth:`Accumulator.count` takes them.
    """
    target, tables = posterior.target, posterior.tables
    if target.plain:
        found = run_exact(estimator, target.constraints, question, target.count)
        return {name: (*counts, target.count) for name, counts in found.items()}
    quantities = getattr(estimator, "quantities", None)
    if not isinstance(tables, LevelTables) or quantities is None:
        return {}
    lengths = tables.length_distributions()
    distributions: dict[str, tuple[int, NDArray[Any], int]] = {}
    try:
        for name, quantity in quantities(question).items():
            if isinstance(quantity, LengthsTogether):
                shares = lengths_together(lengths, target.constraints, quantity.seats)
            else:
                shares = tables.distribution(quantity)
            if shares is not None:
                distributions[name] = (0, shares, 1)
    except TablesTooLarge:
        return {}
    return distributions


def lengths_together(
    lengths: Floats, constraints: Constraints, seats: Collection[Seat]
) -> Floats | None:
    """(4, 14) P(these seats have so many cards of the suit together), from (4, 4, 14)
    such probabilities of each seat.

    Two seats need a known hand among the four, else ``None``: what they have together
    is what the two others leave.
    """
    if len(seats) == 1:
        (seat,) = seats
        of_seat: Floats = lengths[seat]
        return of_seat
    known = {seat for seat in Seat if constraints.must[seat].bit_count() == 13}
    opposite = set(Seat) - set(seats)
    pair = set(seats) if known & set(seats) else opposite
    if not known & pair:
        return None
    certain = min(known & pair)
    (hidden,) = pair - {certain}
    together = np.zeros((4, 14))
    for suit in Suit:
        own = Hand(constraints.must[certain]).length(suit)
        together[suit, own:] = lengths[hidden, suit, : 14 - own]
    return together[:, ::-1] if pair == opposite else together


def ask(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
) -> Question:
    """The question behind the arguments of ``bayesbridge.estimate``; what was played
    comes from the evidence.
    """
    belief = posterior.belief
    if trick is not None:
        verify_seen(belief, trick)
    strain = belief.table.strain if trump is None else Strain.of(trump)
    cards = [
        card
        for one in (*belief.table.tricks, *((trick,) if trick else ()))
        for card in one.cards
    ]
    suit, played = (
        None if strain is None else strain.trump,
        sum(card.mask for card in set(cards)),
    )
    return Question.of(
        belief.pair if pair is None else pair, trump=suit, trick=trick, played=played
    )
