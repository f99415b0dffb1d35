"""Answers of engines on small positions have honest errors.

Those of equal weights are not.
"""

from functools import partial

import honesty
import numpy as np
import pytest
from honesty import row
from scipy import stats

from bayesbridge.studies.jobs import Job, RunOptions, rows

ONE = RunOptions(workers=1)

RARE = honesty.Position("no trumps", 98, 1, told="8532.J32.9854.Q3 W:2NT")
"""Three layouts in a hundred explain the call: weights differ much."""

WALKED = honesty.Position("style", 98, 2, shown=10)  # 1680 layouts


def rows_of(*cases, seed=1):
    """The rows of some (engine, position, seeds, draws)."""
    plan = honesty.Plan(tuple(honesty.Case(*case) for case in cases))
    counted = rows(
        Job("honesty", partial(honesty.count, plan), honesty.CHUNK),
        plan.answers,
        seed,
        ONE,
    )
    # tables of points take long
    exact_positions = [
        case.position for case in plan.cases if case.position.kind != "no trumps"
    ]
    truths = {position.name: honesty.truth_of(position) for position in exact_positions}
    return {
        (row.engine, row.kind): row
        for row in honesty.Honesty.of(honesty.unpacked(plan, counted), truths).rows
    }


def test_every_engine_is_tested_and_the_numbers_are_open():
    assert {*honesty.TESTED, "auto"} == set(honesty.ENGINES)
    for engine, kinds in honesty.TESTED.items():
        names = {position.name for position in honesty.POSITIONS}
        for kind, numbers in kinds.items():
            assert {f"{kind} {number}" for number in numbers} <= names, engine
    probe = honesty.probe_of(RARE)
    assert (len(probe.cards), len(probe.lengths), len(probe.points)) == (
        len(honesty.CARDS),
        len(honesty.LENGTHS),
        len(honesty.POINTS),
    )
    constraints = RARE.belief().constraints
    assert all(
        constraints.unknown_mask >> card & 1 and constraints.may[seat] >> card & 1
        for card, seat in probe.cards
    )


def test_weights_are_honest_and_equal_weights_are_not():
    rows = rows_of(
        ("likelihood-weighting", RARE, 60, 2000), (honesty.CONTROL, RARE, 30, 2000)
    )
    assert rows["likelihood-weighting", "no trumps"].verdict not in (
        honesty.SMALL,
        honesty.LARGE,
    )
    assert rows[honesty.CONTROL, "no trumps"].verdict == honesty.SMALL
    assert rows[honesty.CONTROL, "no trumps"].rms["cards"].low > 2.0


def test_engines_against_every_layout():
    rows = rows_of(
        *(
            (engine, WALKED, 25, 400)
            for engine in ("importance", "resample-move", "likelihood-weighting")
        ),
        ("auto", WALKED, 5, 400),
    )
    assert rows["auto", "style"].verdict == honesty.EXACT
    for engine in ("importance", "resample-move", "likelihood-weighting"):
        assert rows[engine, "style"].verdict not in (honesty.SMALL, honesty.LARGE)
        assert rows[engine, "style"].bias_p > 1e-6
        assert rows[engine, "style"].refused == 0.0


def test_tables_and_enumeration_agree_on_the_truth():
    walked = honesty.truth_of(WALKED)
    assert set(walked) >= set(honesty.QUANTITIES) - {"T if they hold"}
    counted = honesty.truth_of(honesty.POSITIONS[3])
    sampled = honesty.answer(
        honesty.POSITIONS[3], "direct", 20_000, np.random.default_rng(1)
    )
    for name, truth in counted.items():
        stated = sampled.stated[name]
        assert abs(stated.value - truth) <= 5.5 * stated.error + 1e-9, name


def test_what_was_found_is_shown():
    measured = honesty.measure(honesty.POSITIONS[:1], 20, ("direct",))
    assert honesty.table(measured).rows[0][:3] == ["direct, none", "1", "20"]
    answers = honesty.document(measured)
    assert answers["rows"][0]["rms_z"]["log P"]["value"] is None  # exact
    ax = honesty.plot_honesty(measured)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["none 1"]
    marks = next(line for line in ax.lines if line.get_label() == "direct")
    assert marks.get_ydata() == pytest.approx([answers["cases"][0]["rms_z"]["value"]])


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine", ["auto", "importance", "resample-move", "likelihood-weighting"]
)
def test_every_engine_on_its_positions(engine):
    measured = honesty.measure(honesty.some_positions(12), 40, (engine,))
    assert {row.verdict for row in measured.rows} <= {
        "honest",
        "needs more seeds",
        "exact",
    }


TRUTH = dict.fromkeys(honesty.QUANTITIES, 0.5)
MANY = len(honesty.QUANTITIES)


def made(
    n, stated=1.0, shift=0.0, engine="auto", seed=1, position=honesty.POSITIONS[0]
):
    """``n`` answers whose true error is 0.01, stated as ``stated`` times as much."""
    rng = np.random.default_rng(seed)
    value = 0.5 + shift + 0.01 * rng.standard_normal((n, MANY))
    error = np.full((n, MANY), 0.01 * stated)
    no = np.zeros(n, dtype=np.bool_)
    return honesty.Answers(
        honesty.Case(engine, position, n, 100), value, error, no, no, np.full(n, 2500.0)
    )


@pytest.mark.parametrize(
    ("stated", "shift", "verdict"),
    [
        (1.0, 0.0, honesty.HONEST),
        (0.7, 0.0, honesty.SMALL),
        (1.5, 0.0, honesty.LARGE),
        (1.0, 0.004, honesty.BIASED),
    ],
)
def test_a_verdict_for_each_fault(stated, shift, verdict):
    verdict_row = row([honesty.scored(made(300, stated, shift), TRUTH, None)])
    assert verdict_row.verdict == verdict
    assert verdict_row.answers == 300
    assert set(verdict_row.rms) == set(honesty.GROUPS)


def test_an_error_of_zero_must_be_the_truth():
    exact = made(20, 0.0)
    assert row([honesty.scored(exact, TRUTH, None)]).verdict == honesty.WRONG
    exact.value[:] = 0.5
    verdict_row = row([honesty.scored(exact, TRUTH, None)])
    assert (verdict_row.verdict, verdict_row.exact, verdict_row.wrong) == (
        honesty.EXACT,
        1.0,
        0,
    )
    assert np.isnan(verdict_row.within.value)


def test_the_interval_is_that_of_chi_square_and_holds_as_often_as_it_says():
    rng = np.random.default_rng(1)
    z = rng.standard_normal((20_000, 1))
    rms = honesty.rms([z])
    low, high = stats.chi2.ppf(
        [(1 + honesty.LEVEL) / 2, (1 - honesty.LEVEL) / 2], 20_000
    )
    assert (rms.low, rms.high) == pytest.approx(
        rms.value * np.sqrt([20_000 / low, 20_000 / high]), rel=0.005
    )
    # One number told three times is no more than one number; as three it would be
    # missed far more often.
    missed = 0
    for _ in range(600):
        repeated = np.repeat(rng.standard_normal((60, 1)), 3, axis=1)
        interval = honesty.rms([repeated])
        missed += not interval.low <= 1.0 <= interval.high
    assert stats.binomtest(missed, 600, 0.03, alternative="greater").pvalue > 1e-6
