"""The picture of the paper's runs."""

import pytest

from bayesbridge import studies
from bayesbridge.studies import captures, conditions
from tests.test_plots import bars, texts


def test_runs_of_the_paper_stand_beside_the_exact_figures():
    for study in (captures, conditions):
        found = study.count_exactly()
        ax = studies.plot_runs(found)
        shown = [figure for figure in found.figures if figure.own]
        assert sorted(bars(ax).values()) == sorted(value for figure in shown for value in figure.printed)
        (across,) = ax.collections
        assert [segment[0][1] for segment in across.get_segments()] == pytest.approx([one.own for one in shown])
        assert texts(ax) == [f"z {figure.z:+.1f}" for figure in shown]
        assert [text.get_text() for text in ax.get_legend().get_texts()] == [
            "exact",
            "paper, run 1",
            "paper, run 2",
            "paper, run 3",
        ]
