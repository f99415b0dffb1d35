"""Runs estimators over a posterior, block by block, and adds up what they say (:class:`OutputAccumulator`).

Integer outputs become distributions, floating-point ones a mean and a spread; memory stays flat however many layouts
there are. Where the evidence is hard and an estimator can count, its distributions are exact without walking
anything.

Estimators that take long for a layout get as many as a stated time allows, drawn from the posterior by their weights;
the others of the same run get the same ones, so that all outputs live on the same draws. The number follows from what
the estimators declare and not from a clock: the same seed gives the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior, subsample
from bayesbridge.belief.wins import verify_seen
from bayesbridge.cards import Strain, Suit
from bayesbridge.deal import Seat
from bayesbridge.engines.enumeration import BLOCK
from bayesbridge.engines.levels import LevelTables
from bayesbridge.errors import BayesBridgeError, PluginError, TablesTooLarge
from bayesbridge.estimators.protocol import (
    Estimator,
    Output,
    Question,
    SuitwiseEstimator,
    run,
    run_exact,
    seconds_of,
    verify_declaration,
)
from bayesbridge.jit import njit
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed, generator
from bayesbridge.tricks import Trick

KEPT: Final = 20_000
"""Draws kept of a posterior with more layouts than MOST_KEPT, resampled to equal weights."""

MOST_KEPT: Final = 1_000_000
"""Layouts up to which every one is kept with its weight."""

DRAWS: Final = 20_000
"""Layouts that estimators which take time are asked about at most, where nobody chose a number of draws."""

SECONDS: Final = 10.0
"""Time for the estimators that take long, on one core by default."""

type Progress = Callable[[int, int], None]
"""Called with the layouts done and all layouts."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What estimators say about a posterior."""

    posterior: Posterior
    question: Question
    estimators: tuple[Estimator, ...]
    """Those that answered."""
    sums: dict[tuple[str, str], OutputAccumulator]
    """By estimator and output."""
    draws: dict[tuple[str, str], NDArray[Any]]
    """Outputs of the layouts kept, by estimator and output: (n, …)."""
    log_weights: NDArray[np.float64] | None
    """Of the layouts kept; ``None`` where they count the same."""
    failures: dict[str, PluginError]
    """What went wrong, by estimator."""


def evaluate(
    posterior: Posterior,
    estimators: Sequence[Estimator],
    question: Question,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Evaluation:
    """Run every estimator over every layout; one that fails is left out and reported, the others go on.

    Where that would take longer than ``seconds`` on one core, they get fewer: :func:`layouts_within_budget`.
    """
    names = [estimator.name for estimator in estimators]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BayesBridgeError(f"estimator {twice[0]!r} is given twice: give each name once", name=twice[0])
    random = generator(rng)
    sums: dict[tuple[str, str], OutputAccumulator] = {}
    draws: dict[tuple[str, str], list[NDArray[Any]]] = {}
    failures: dict[str, PluginError] = {}

    @contextmanager
    def trying(estimator: Estimator) -> Iterator[None]:
        try:
            yield
        except PluginError as error:
            if error.data.get("plugin") != estimator.name:
                error = PluginError(
                    f"estimator {estimator.name!r}: {error}", **{**error.data, "plugin": estimator.name}
                )
            failures[estimator.name] = error

    def working() -> list[Estimator]:
        return [estimator for estimator in estimators if estimator.name not in failures]

    for estimator in estimators:
        with trying(estimator):
            verify_declaration(estimator)
            for output in estimator.outputs:
                sums[estimator.name, output.name] = OutputAccumulator.of(output)
                draws[estimator.name, output.name] = []
    slow = [estimator for estimator in working() if seconds_of(estimator)]
    cost = sum(map(seconds_of, slow))
    if (n := layouts_within_budget(posterior, cost, seconds)) < len(posterior):
        who = " and ".join(estimator.name for estimator in slow)
        why = f"{n} layouts of these for {who}, at {cost:.2g} seconds each on one core"
        posterior = subsample(posterior, n, random, why)
    block = BLOCK if not cost else max(1, min(BLOCK, round(1.0 / cost)))  # a second's work, so that progress is seen
    whole = len(posterior) <= MOST_KEPT
    importance = posterior.draws.importance
    done = 0
    for masks, weights in posterior.blocks(block):
        if not working():
            break
        layouts = Layouts.adopt(masks)
        for estimator in working():
            with trying(estimator):
                for name, values in run(estimator, layouts, question).items():
                    sums[estimator.name, name].add(values, weights)
                    if whole:
                        draws[estimator.name, name].append(values)
        done += len(masks)
        if progress is not None:
            progress(done, len(posterior))
    some = None if whole else posterior.resample(KEPT, random)
    for estimator in working():
        with trying(estimator):
            for name, values in run(estimator, some, question).items() if some is not None else ():
                draws[estimator.name, name].append(values)
            if not posterior.exact:
                exact = counted(posterior, estimator, question)
                sums |= {(estimator.name, name): of_all for name, of_all in exact.items()}
            for output in estimator.outputs:
                sums[estimator.name, output.name].finish()
                sums[estimator.name, output.name].exact |= posterior.exact
    return Evaluation(
        posterior,
        question,
        tuple(working()),
        {key: total for key, total in sums.items() if key[0] not in failures},
        {key: np.concatenate(parts) for key, parts in draws.items() if key[0] not in failures},
        importance.log if whole and importance is not None else None,
        failures,
    )


def layouts_within_budget(posterior: Posterior, cost: float, seconds: float | None = None) -> int:
    """How many layouts a question of ``cost`` seconds a layout gets: all of them, or as many as ``seconds`` allow.

    Without ``seconds`` a number of draws that was chosen for the posterior is obeyed, however long they take; where
    none was chosen, they get what :data:`SECONDS` allow, and no more than :data:`DRAWS`, as where layouts cannot all be
    walked. An engine may return somewhat more than were chosen: these are all kept, since drawing anew from them would
    make the answer worse.
    """
    if not cost:
        return len(posterior)
    if seconds is not None:
        allowed = seconds / cost
        return len(posterior) if allowed >= len(posterior) else max(2, int(allowed))
    chosen = posterior.asked[1]
    most = max(2, int(min(SECONDS / cost, DRAWS))) if chosen is None else chosen
    return len(posterior) if len(posterior) <= 1.25 * most else most


def counted(posterior: Posterior, estimator: Estimator, question: Question) -> dict[str, OutputAccumulator]:
    """The outputs that the estimator can count exactly without a single draw."""
    target, tables = posterior.draws.target, posterior.draws.tables
    outputs = {output.name: output for output in estimator.outputs}
    if not target.plain:
        if not isinstance(tables, LevelTables) or not isinstance(estimator, SuitwiseEstimator):
            return {}
        lengths = tables.length_distributions()
        try:
            shares = {
                name: lengths[one] if isinstance(one, Seat) else tables.distribution(one)
                for name, one in estimator.quantities(question).items()
            }
        except TablesTooLarge:
            return {}
        return {name: OutputAccumulator.counted(outputs[name], 0, share, 1) for name, share in shares.items()}
    found = run_exact(estimator, target.constraints, question, target.count)
    return {name: OutputAccumulator.counted(outputs[name], *counts, target.count) for name, counts in found.items()}


def ask(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
) -> Question:
    """The question behind the arguments of ``bayesbridge.estimate``; what was played comes from the evidence."""
    belief = posterior.belief
    if trick is not None:
        verify_seen(belief, trick)
    strain = belief.contract_strain if trump is None else Strain.of(trump)
    cards = [card for one in (*belief.tricks, *((trick,) if trick else ())) for card in one.cards]
    return Question.of(
        belief.pair if pair is None else pair,
        trump=None if strain is None else strain.trump,
        trick=trick,
        played=sum(card.mask for card in set(cards)),
    )


@dataclass(slots=True)
class OutputAccumulator:
    """Running sums of one output: a distribution of integers, moments of any numbers."""

    output: Output
    lowest: int = 0
    table: NDArray[np.float64] | None = None
    """(cells, values) weight of each value from ``lowest`` on; ``None`` for floating-point numbers."""
    mean: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    square: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    exact: bool = False

    @classmethod
    def of(cls, output: Output) -> OutputAccumulator:
        """Sums before the first layout."""
        cells = int(np.prod(output.shape))
        sums = cls(output, mean=np.zeros(cells), square=np.zeros(cells))
        if output.support is not None:
            sums.lowest, sums.table = output.support.start, np.zeros((cells, len(output.support)))
        elif np.dtype(output.dtype).kind in "biu":
            sums.table = np.zeros((cells, 1))
        return sums

    @classmethod
    def counted(cls, output: Output, lowest: int, counts: NDArray[Any], total: int) -> OutputAccumulator:
        """Exact sums from counts of layouts by value, from ``lowest`` on, or from probabilities with a total of 1."""
        shares = np.array(counts, dtype=np.float64).reshape(-1, np.shape(counts)[-1]) / total
        used = np.flatnonzero(shares.any(axis=0))
        shares, first = shares[:, used[0] : used[-1] + 1], lowest + int(used[0])
        values = first + np.arange(shares.shape[1])
        return cls(output, first, shares, shares @ values, shares @ (values**2), True)

    def add(self, values: NDArray[Any], weights: NDArray[np.float64]) -> None:
        """Add (n, …) values with (n,) weights."""
        flat = values.reshape(len(values), -1)
        if self.output.support is not None:
            assert self.table is not None
            self.table += (weights @ flat).reshape(self.table.shape)
            return
        if self.table is None:
            with np.errstate(over="ignore", invalid="ignore"):  # `finish` reports what grew too large
                self.mean += weights @ flat
                self.square += weights @ (flat.astype(np.float64) ** 2)
            return
        if flat.dtype == np.bool_:
            flat = flat.view(np.int8)
        low, high = (int(flat.min()), int(flat.max())) if len(flat) else (self.lowest, self.lowest)
        low, high = min(low, self.lowest), max(high, self.lowest + self.table.shape[1] - 1)
        if high - low >= 4096:
            raise PluginError(
                f"output {self.output.name!r} ranges from {low} to {high}: declare a floating-point dtype for values "
                "spread over more than 4096 integers",
                output=self.output.name,
            )
        before, after = self.lowest - low, high - self.lowest - self.table.shape[1] + 1
        if before or after:
            self.table = np.pad(self.table, ((0, 0), (before, after)))
            self.lowest = low
        _tally(np.ascontiguousarray(flat), weights, self.lowest, self.table)

    def finish(self) -> None:
        """Moments of integer outputs, from their distribution; refuses numbers too large to have any."""
        if self.table is not None and not self.exact:
            self.table /= self.table.sum(axis=1, keepdims=True)  # ten million weights miss one by rounding
            values = self.lowest + np.arange(self.table.shape[1])
            self.mean, self.square = self.table @ values, self.table @ (values**2)
        if not np.isfinite(self.square).all():
            raise PluginError(
                f"output {self.output.name!r} has numbers whose squares pass {np.finfo(np.float64).max:.0e}: scale it",
                output=self.output.name,
            )

    @property
    def sd(self) -> NDArray[np.float64]:
        """Standard deviation, in the shape of the output."""
        return np.sqrt(np.maximum(self.square - self.mean**2, 0.0)).reshape(self.output.shape)

    @property
    def pmf(self) -> NDArray[np.float64] | None:
        """Probability of each value from ``lowest`` on: the shape of the output, then the values."""
        return None if self.table is None else self.table.reshape(*self.output.shape, -1)


@njit
def _tally(values: NDArray[Any], weights: NDArray[np.float64], lowest: int, table: NDArray[np.float64]) -> None:
    for i in range(len(values)):
        weight = weights[i]
        for cell in range(values.shape[1]):
            table[cell, values[i, cell] - lowest] += weight
