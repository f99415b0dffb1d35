"""Answers of engines on small positions: their errors are honest, and those of equal weights are not."""

from functools import partial

import numpy as np
import pytest
from honesty import (
    CARDS,
    CHUNK,
    CONTROL,
    ENGINES,
    EXACT,
    LARGE,
    LENGTHS,
    POINTS,
    POSITIONS,
    QUANTITIES,
    SMALL,
    TESTED,
    Case,
    Honesty,
    Plan,
    Position,
    answer,
    count,
    document,
    measure,
    plot_honesty,
    probe_of,
    some_positions,
    table,
    truth_of,
    unpacked,
)
from instrument import in_chunks

from bayesbridge.studies.engine import Setting

ONE = Setting(workers=1)

RARE = Position("no trumps", 98, 1, told="8532.J32.9854.Q3 W:2NT")
"""Three layouts in a hundred explain the call: weights differ much."""

WALKED = Position("style", 98, 2, shown=10)
"""1680 layouts."""


def rows_of(*cases, seed=1):
    """The rows of some (engine, position, seeds, draws)."""
    what = Plan(tuple(Case(*case) for case in cases))
    rows = np.concatenate(in_chunks("honesty", partial(count, what), CHUNK, what.answers, seed, ONE))
    known = [case.position for case in what.cases if case.position.kind != "no trumps"]  # tables of points take long
    truths = {position.name: truth_of(position) for position in known}
    return {(row.engine, row.kind): row for row in Honesty.of(unpacked(what, rows), truths).rows}


def test_every_engine_is_tested_and_the_numbers_are_open():
    assert {*TESTED, "auto"} == set(ENGINES)
    for engine, kinds in TESTED.items():
        names = {position.name for position in POSITIONS}
        assert {f"{kind} {number}" for kind, numbers in kinds.items() for number in numbers} <= names, engine
    probe = probe_of(RARE)
    assert (len(probe.cards), len(probe.lengths), len(probe.points)) == (len(CARDS), len(LENGTHS), len(POINTS))
    known = RARE.belief().constraints
    assert all(known.unknown_mask >> card & 1 and known.may[seat] >> card & 1 for card, seat in probe.cards)


def test_weights_are_honest_and_equal_weights_are_not():
    rows = rows_of(("weights", RARE, 60, 2000), (CONTROL, RARE, 30, 2000))
    assert rows["weights", "no trumps"].verdict not in (SMALL, LARGE)
    assert rows[CONTROL, "no trumps"].verdict == SMALL
    assert rows[CONTROL, "no trumps"].rms["cards"].low > 2.0


def test_engines_against_every_layout():
    rows = rows_of(*((engine, WALKED, 25, 400) for engine in ("tilted", "smc", "weights")), ("auto", WALKED, 5, 400))
    assert rows["auto", "style"].verdict == EXACT
    for engine in ("tilted", "smc", "weights"):
        assert rows[engine, "style"].verdict not in (SMALL, LARGE)
        assert rows[engine, "style"].bias_p > 1e-6
        assert rows[engine, "style"].refused == 0.0


def test_tables_and_enumeration_agree_on_the_truth():
    walked = truth_of(WALKED)
    assert set(walked) >= set(QUANTITIES) - {"T if they hold"}
    counted = truth_of(POSITIONS[3])
    found = answer(POSITIONS[3], "sample", 20_000, np.random.default_rng(1))
    for name, truth in counted.items():
        stated = found.stated[name]
        assert abs(stated.value - truth) <= 5.5 * stated.error + 1e-9, name


def test_what_was_found_is_shown():
    found = measure(POSITIONS[:1], 20, ("sample",))
    assert table(found).rows[0][:3] == ["sample, none", "1", "20"]
    told = document(found)
    assert told["rows"][0]["rms_z"]["log P"]["value"] is None  # exact
    ax = plot_honesty(found)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["none 1"]
    marks = next(line for line in ax.lines if line.get_label() == "sample")
    assert marks.get_ydata() == pytest.approx([told["cases"][0]["rms_z"]["value"]])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "tilted", "smc", "weights"])
def test_every_engine_on_its_positions(engine):
    found = measure(some_positions(12), 40, (engine,))
    assert {row.verdict for row in found.rows} <= {"honest", "needs more seeds", "exact"}
