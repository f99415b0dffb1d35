"""Two callers by a mixture of tables: against enumeration, against common tables and against weighed draws."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from bayesbridge import Belief, Called
from bayesbridge.cards import Card, Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines import class_pairs, level_mixture
from bayesbridge.engines.callers import NO_TRUMP, Caller
from bayesbridge.engines.exact import exact_tables
from bayesbridge.engines.level_mixture import LevelMixture
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.sampling import Sampler
from bayesbridge.errors import Contradiction, TablesTooLarge
from tests.engines.positions import in_order
from tests.engines.strong_positions import Weights, levels_of, questions
from tests.engines.test_level_tables import STRONG, E, N, W, _p_value, called, check_marginals, weights_of

WEST_AND_EAST = Constraints.free().hold(2, Hand.of("8532.J32.9854.Q3").mask)


def callers(weights: Weights | dict[int, list[float]], strain: int = NO_TRUMP) -> list[Caller]:
    """Callers in no trumps; fractions stay fractions."""
    return [Caller(seat, strain, np.array(by_level, dtype=object), exact=True) for seat, by_level in weights.items()]


def check_against_enumeration(seed: int, wanted: int) -> Counter[str]:
    """Counts as integers, P(calls) as a fraction, the layouts themselves, marginals to 1e-12."""
    seen: Counter[str] = Counter()
    for evidence, layouts, weights in questions(seed, wanted):
        if len(weights) != 2 or evidence.normalised().shaped:
            continue
        by_layout = weights_of(layouts, weights)
        mass = sum(by_layout)
        if not mass:
            with pytest.raises(Contradiction, match="no layout that fits the evidence explains the calls"):
                LevelMixture.of(evidence, callers(weights))
            seen["impossible"] += 1
            continue
        mixture = LevelMixture.of(evidence, callers(weights))
        assert mixture.total == len(layouts)
        counted: Counter[Fraction] = Counter()
        for row, counts in zip(mixture.weights, mixture.counts, strict=True):
            for weight, count in zip(row, counts, strict=True):
                counted[Fraction(weight)] += count
        assert +counted == Counter(by_layout)
        assert mixture.mean == mass / len(layouts)
        share = np.array([float(weight / mass) for weight in by_layout])
        logs = np.log(np.array(by_layout, dtype=np.float64), where=share > 0, out=np.zeros(len(share)))
        assert mixture.mean_log == pytest.approx(share @ logs, abs=1e-9)
        check_numbers(mixture, layouts, list(weights))
        check_marginals(mixture, layouts, share)
        seen["checked"] += 1
        seen["both bid"] += sum(mixture.both.counts) > 0
        seen["several values"] += len(mixture.both.counts) > 1
    return seen


def check_numbers(mixture: LevelMixture, layouts: NDArray[np.uint64], seats: list[int]) -> None:
    """The numbers of each pair of values that is not 0 lead to the layouts with these values, each once."""
    one, two = (np.array(level.by_level)[levels_of(layouts, s)] for level, s in zip(mixture.levels, seats, strict=True))
    for value, count in enumerate(mixture.both.counts):
        j, i = divmod(value, mixture.levels[0].size - 1)
        number = np.random.default_rng(1).permutation(count)
        found = mixture.both.tables.layouts(mixture.both.low_rest, np.full(count, value), number)
        assert (in_order(found) == in_order(layouts[(one == i + 1) & (two == j + 1)])).all()


def test_enumeration_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_mixture, "MOST_TRIES", math.inf)
    seen = check_against_enumeration(71, 50)
    assert seen["checked"] >= 8
    assert seen["both bid"] >= 4
    assert seen["several values"] >= 2


@pytest.mark.slow
def test_enumeration_says_the_same_of_many_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_mixture, "MOST_TRIES", math.inf)
    seen = check_against_enumeration(72, 250)
    assert seen["impossible"] >= 1
    assert seen["both bid"] >= 30


def test_draws_have_the_exact_probabilities() -> None:
    """χ² over layouts on small positions; draws for other weights are told apart."""
    values, controls = [], []
    for number, (evidence, layouts, weights) in enumerate(questions(73, 60)):
        if len(weights) != 2 or evidence.normalised().shaped or len(layouts) > 1000:
            continue
        share = np.array(list(map(float, weights_of(layouts, weights))))
        if share.sum() == 0 or len(set(share)) == 1:
            continue
        try:
            mixture = LevelMixture.of(evidence, callers(weights))
        except TablesTooLarge:
            continue
        values.append(_p_value(mixture.draw(50 * len(layouts), rng=number), layouts, share))
        controls.append(_p_value(mixture.free.draw(50 * len(layouts), rng=number), layouts, share))
    assert len(values) >= 5
    assert min(values) > 1e-4
    assert np.median(controls) < 1e-6
