"""Pictures of calibration: what is drawn is what was counted."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge import plots, studies
from bayesbridge.studies.calibration import SCENARIOS, Calibration, calibrate
from bayesbridge.studies.calibration.ranks import BINS, EDGES, cells_for, ecdf_band, share_band
from bayesbridge.studies.engine import Setting


@pytest.fixture(scope="module")
def found():
    return calibrate(replace(SCENARIOS["enumerate"], shown=8), 24, 1, Setting(workers=1))


def test_ranks_are_bars_and_a_curve_in_a_band(found):
    axes = studies.plot_ranks(found)
    assert axes.shape == (len(found.names), 2)
    cells = cells_for(found.deals)
    for (left, right), name, counts in zip(axes, found.names, found.ranks, strict=True):
        assert left.get_ylabel() == name
        assert [bar.get_height() for bar in left.patches] == pytest.approx(
            counts.reshape(cells, -1).sum(axis=1) / found.deals
        )
        assert [line.get_ydata()[0] for line in left.lines] == pytest.approx(
            [1 / cells, *share_band(found.deals, 1 / cells)]
        )
        curve = right.lines[-1]
        np.testing.assert_allclose(curve.get_ydata()[1:-1], counts.cumsum()[:-1] / found.deals - EDGES)
        assert curve.get_ydata()[[0, -1]] == pytest.approx([0, 0])
        (band,) = right.collections
        heights = band.get_paths()[0].vertices[:, 1]
        low, high = ecdf_band(found.deals)
        assert (heights.min(), heights.max()) == pytest.approx(((low - EDGES).min(), (high - EDGES).max()))


def test_some_numbers_or_one(found):
    assert studies.plot_ranks(found, "T").shape == (1, 2)
    assert [ax.get_ylabel() for ax in studies.plot_ranks(found, ["likelihood", "T"])[:, 0]] == ["likelihood", "T"]
    with pytest.raises(bb.BayesBridgeError, match="no ranks of 'tricks'"):
        studies.plot_ranks(found, "tricks")


def test_reliability_is_a_mark_for_each_bin_with_enough_cards(found):
    ax = studies.plot_reliability(found)
    shown = [(one.predicted, one.observed) for one in found.reliability if one.cards >= 10]
    assert 0 < len(shown) < len(found.reliability)
    marks = ax.collections[-1]
    np.testing.assert_allclose(marks.get_offsets(), shown)
    assert ax.lines[0].get_xydata().tolist() == [[0, 0], [1, 1]]
    assert ax.get_title().startswith(f"{found.cards} cards: calibration error {found.card_error:.4f}")
    largest = max((one for one in found.reliability), key=lambda one: one.cards)
    assert marks.get_offsets()[np.argmax(marks.get_sizes())].tolist() == pytest.approx(
        [largest.predicted, largest.observed]
    )


def test_coverage_has_a_mark_for_each_number_and_level(found):
    ax = studies.plot_coverage(found)
    marks = [line for line in ax.lines if line.get_label().endswith("%")]
    assert [line.get_label() for line in marks] == ["50%", "80%", "90%", "95%"]
    for line, level in zip(marks, (0.5, 0.8, 0.9, 0.95), strict=True):
        assert line.get_xdata() == pytest.approx([found.coverage[name][level] for name in found.names])
    assert [label.get_text() for label in ax.get_yticklabels()] == list(found.names)
    for bars, level in zip(ax.collections, (0.5, 0.8, 0.9, 0.95), strict=True):
        assert bars.get_segments()[0][:, 0] == pytest.approx(share_band(found.deals, level))


def test_given_axes_are_used_and_returned(found):
    for draw in (studies.plot_reliability, studies.plot_coverage):
        ax = Figure().subplots()
        assert draw(found, ax=ax) is ax
    axes = Figure().subplots(1, 2, squeeze=False)
    assert studies.plot_ranks(found, "T", axes=axes) is axes
    figure = Figure()
    studies.plot_ranks(found, ["T", "likelihood"], figure=figure)
    assert len(figure.axes) == 4


def test_no_cards_are_no_marks():
    nothing = Calibration.of(SCENARIOS["enumerate"], np.array([1, *[1, *[0] * (BINS - 1)] * 7, *[0] * 83]))
    assert len(studies.plot_reliability(nothing).collections[-1].get_offsets()) == 0
    assert studies.plot_coverage(nothing).lines[1].get_xdata().tolist() == [0] * 7


def test_marks_of_levels_differ_in_shape_and_colour():
    from bayesbridge.studies.calibration.pictures import MARKS

    colours, shapes = zip(*MARKS.values(), strict=True)
    assert len(set(colours)) == len(set(shapes)) == 4
    assert set(colours) == {plots.SKY, plots.BLUE, plots.ORANGE, plots.VERMILION}
