"""Rows of contracts, questions and plans show themselves as the screen does."""

import pickle
import re

import bayesbridge as bb
from tests.views.test_report import Page


def test_answers_show_the_table_of_the_screen(posterior):
    """Answers are shown as HTML in a notebook and as text by ``print``.

    A part of an answer that has no table is shown as xarray does.
    """
    contracts = bb.contracts(posterior, "3NT,4S,6NT", solve=0)
    information = bb.value_of_information(
        posterior, "3NT,4S", ["card[SQ]", "points[W]"]
    )
    shown = {
        "Contracts by expected score, scheme new": contracts,
        "What an answer would tell, and what it is worth in score": information,
        "The best plan for each number of tricks": bb.suit_play("AJT32", "K954"),
    }
    for title, value in shown.items():
        assert title in Page(value._repr_html_()).text
        assert re.search(rf"^{title}\n\n", str(value), re.M)
        assert max(map(len, str(value).splitlines()[:6])) < 120
    best = contracts["contract"].values[0]
    assert re.search(rf"^{best} +\S+ %", str(contracts), re.M)
    assert type(contracts.sel(contract=[best])) is type(contracts)
    assert "xarray" in contracts[["score"]]._repr_html_()
    assert str(contracts[["score"]]).startswith("<xarray.")
    assert pickle.loads(pickle.dumps(contracts)).identical(contracts)
