"""Runs estimators over a posterior, block by block, and adds up what they say.

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
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.thinning import thinned
from bayesbridge.engines.enumeration import BLOCK
from bayesbridge.engines.levels import LevelMixture, LevelTables
from bayesbridge.errors import BayesBridgeError, PluginError, TablesTooLarge
from bayesbridge.estimators.checked import run, run_exact, verify_declaration
from bayesbridge.estimators.protocol import Estimator, Question, SuitwiseEstimator, seconds_of
from bayesbridge.estimators.sums import Sums
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed, generator

KEPT: Final = 20_000
"""Draws kept of a posterior with more layouts than MOST_KEPT, resampled to equal weights."""

MOST_KEPT: Final = 1_000_000
"""Layouts up to which every one is kept with its weight."""

DRAWS: Final = 20_000
"""Draws of a posterior for which nobody chose a number."""

AT_A_TIME: Final = 1.0
"""Seconds for the layouts that an estimator which takes long gets at a time, so that progress is seen."""

SECONDS: Final = 10.0
"""Time for the estimators that take long, on one core, unless told otherwise."""

SOMEWHAT_MORE: Final = 1.25
"""Layouts that an engine may return for each draw that was chosen, without being thinned."""

type Progress = Callable[[int, int], None]
"""Called with the layouts done and all layouts."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What estimators say about a posterior."""

    posterior: Posterior
    question: Question
    estimators: tuple[Estimator, ...]
    """Those that answered."""
    sums: dict[tuple[str, str], Sums]
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

    Where that would take longer than ``seconds`` on one core, they get fewer layouts, see :func:`affordable`.
    """
    names = [estimator.name for estimator in estimators]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BayesBridgeError(f"estimator {twice[0]!r} is given twice: give each name once", name=twice[0])
    random = generator(rng)
    slow = [estimator for estimator in estimators if _takes_long(estimator)]
    cost = sum(map(seconds_of, slow))
    if (n := affordable(posterior, cost, seconds)) < len(posterior):
        who = " and ".join(estimator.name for estimator in slow)
        why = f"{n} layouts of these for {who}, at {cost:.2g} seconds each on one core"
        posterior = thinned(posterior, n, random, why)
    block = BLOCK if not cost else max(1, min(BLOCK, round(AT_A_TIME / cost)))
    whole = len(posterior) <= MOST_KEPT
    importance = posterior.draws.importance
    sums: dict[tuple[str, str], Sums] = {}
    draws: dict[tuple[str, str], list[NDArray[Any]]] = {}
    failures: dict[str, PluginError] = {}

    @contextmanager
    def trying(estimator: Estimator) -> Iterator[None]:
        try:
            yield
        except PluginError as error:
            failures[estimator.name] = _naming(estimator, error)

    def working() -> list[Estimator]:
        return [estimator for estimator in estimators if estimator.name not in failures]

    for estimator in estimators:
        with trying(estimator):
            verify_declaration(estimator)
            for output in estimator.outputs:
                sums[estimator.name, output.name] = Sums.of(output)
                draws[estimator.name, output.name] = []
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
            _count(posterior, estimator, question, sums)
            for output in estimator.outputs:
                sums[estimator.name, output.name].finish()
    return Evaluation(
        posterior,
        question,
        tuple(working()),
        {key: total for key, total in sums.items() if key[0] not in failures},
        {key: np.concatenate(parts) for key, parts in draws.items() if key[0] not in failures},
        importance.log if whole and importance is not None else None,
        failures,
    )


def affordable(posterior: Posterior, cost: float, seconds: float | None = None) -> int:
    """How many layouts a question of ``cost`` seconds a layout gets: all of them, or as many as ``seconds`` allow.

    Without ``seconds`` a number of draws that was chosen for the posterior is obeyed, however long they take; where
    none was chosen, it is :data:`SECONDS`. An engine may return somewhat more than were chosen: these are all kept,
    since drawing anew from them would make the answer worse.
    """
    chosen = posterior.asked[1]
    if not cost:
        return len(posterior)
    if seconds is None and chosen != DRAWS:
        return len(posterior) if len(posterior) <= SOMEWHAT_MORE * chosen else chosen
    allowed = (SECONDS if seconds is None else seconds) / cost
    return len(posterior) if allowed >= len(posterior) else max(2, int(allowed))


def _takes_long(estimator: Estimator) -> bool:
    """Whether an estimator says that it takes time; what it declares is checked later, and may be anything."""
    told = getattr(estimator, "seconds", 0.0)
    return isinstance(told, int | float) and 0.0 < told < float("inf")


def _naming(estimator: Estimator, error: PluginError) -> PluginError:
    """The error, with the estimator's name in front unless it is there already."""
    if error.data.get("plugin") == estimator.name:
        return error
    return PluginError(f"estimator {estimator.name!r}: {error}", **{**error.data, "plugin": estimator.name})


def counted(posterior: Posterior, estimator: Estimator, question: Question) -> dict[str, Sums]:
    """The outputs that the estimator can count exactly without a single draw."""
    target, tables = posterior.draws.target, posterior.draws.tables
    outputs = {output.name: output for output in estimator.outputs}
    if target.soft:
        if not isinstance(tables, LevelMixture | LevelTables) or not isinstance(estimator, SuitwiseEstimator):
            return {}
        try:
            shares = {name: tables.distribution(one) for name, one in estimator.quantities(question).items()}
        except TablesTooLarge:
            return {}
        return {name: Sums.counted(outputs[name], 0, share, 1) for name, share in shares.items()}
    found = run_exact(estimator, target.constraints, question, target.count)
    return {name: Sums.counted(outputs[name], *counts, target.count) for name, counts in found.items()}


def _count(posterior: Posterior, estimator: Estimator, question: Question, sums: dict[tuple[str, str], Sums]) -> None:
    """Put exact distributions in place of sampled ones, where the estimator can count them; mark what is exact."""
    if not posterior.exact:
        sums |= {(estimator.name, name): exact for name, exact in counted(posterior, estimator, question).items()}
    if posterior.exact:
        for output in estimator.outputs:
            sums[estimator.name, output.name].finish()
            sums[estimator.name, output.name].exact = True
