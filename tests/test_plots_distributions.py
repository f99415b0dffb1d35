"""Pictures of points and of any output, and of played cards."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import bayesbridge as bb
from bayesbridge import plots
from bayesbridge.plots import BLUE
from bayesbridge.results import shortest_interval
from tests import positions


def dashed(ax):
    return [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_points_are_a_row_of_bars_for_each_hidden_hand(posterior, result):
    chances = posterior.point_probabilities()
    for source in (posterior, result):
        ax = bb.plots.points(source)
        means = {seat: float((chances.sel(seat=seat) * chances["points"]).sum()) for seat in "SW"}
        assert labels(ax.yaxis) == [f"South\nmean {means['S']:.1f}", f"West\nmean {means['W']:.1f}"]
        assert "as East sees it" in ax.get_title()
    highest = float(chances.sel(seat=["S", "W"]).max())
    for row, seat in enumerate("SW"):
        shares = chances.sel(seat=seat).values
        drawn = {round(bar.get_x() + bar.get_width() / 2): bar for bar in ax.patches if bar.get_y() == -row}
        heights = {points: bar.get_height() * highest / 0.78 for points, bar in drawn.items()}
        assert heights == pytest.approx({points: shares[points] for points in drawn}, abs=1e-9)
        assert sum(heights.values()) == pytest.approx(1, abs=0.01)
        low, high = shortest_interval(np.arange(38), shares, 0.5)
        dark = {points for points, bar in drawn.items() if to_hex(bar.get_facecolor()) == BLUE.lower()}
        assert dark == set(range(int(low), int(high) + 1)) & drawn.keys()


def test_an_output_of_several_numbers_is_a_table_with_means(result):
    ax = bb.plots.distribution(result, "delta")
    pmf = result["pmf"]["delta"]
    assert labels(ax.yaxis) == [str(suit) for suit in pmf["suit"].values]
    shown = [text.get_text() for text in ax.texts]
    for suit in "CDHS":
        shares = pmf.sel(suit=suit)
        assert f"{float((shares * shares['delta_value']).sum()):.2f}" in shown
        for share in shares.values[shares.values > 0]:
            assert plots.short_percent(float(min(share, 1.0))) in shown
    assert labels(ax.xaxis)[-1] == "mean"


def test_one_number_is_drawn_as_bars(result):
    ax = bb.plots.distribution(result, "delta", suit="S")
    shares = result["pmf"]["delta"].sel(suit="S")
    drawn = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in ax.patches}
    assert drawn == pytest.approx({int(v): float(shares.sel(delta_value=v)) for v in drawn})
    assert ax.get_title().startswith("delta of S and N, S (exact)")


@bb.plugins.estimator("share", doc="Points of the pair as a share of all.", dtype="float64")
def share(deal, question):
    return sum(deal[seat].points for seat in question.pair) / 40


def test_numbers_that_are_not_whole_are_a_histogram_by_weight(posterior):
    result = bb.estimate(posterior, share, pair="S:N")
    ax = bb.plots.distribution(result, "share")
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(1)
    mean = posterior.expect(lambda layouts: layouts.points[:, [0, 2]].sum(axis=1) / 40)
    assert dashed(ax) == pytest.approx([mean])
    middles = np.array([bar.get_x() + bar.get_width() / 2 for bar in ax.patches])
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert float(middles @ heights) == pytest.approx(mean, abs=ax.patches[0].get_width())


def test_played_cards_have_a_line_through_them():
    belief = positions.quiet().given(bb.Play("W", "S8"), bb.Play("N", "SJ"))
    posterior = belief.infer(rng=1)
    marked = []
    for source in (posterior, bb.estimate(posterior, pair="S:N")):
        ax = bb.plots.cards(source)
        assert ax.get_title().endswith("in %; a line: played")
        marked.append(sorted((line.get_xdata()[0], line.get_ydata()[1]) for line in ax.lines))
    assert marked[0] == marked[1] == [(3, 0.0), (6, 0.0)], "the jack and the eight, in the block of spades"
    assert not bb.plots.cards(positions.quiet().infer(rng=1)).lines
