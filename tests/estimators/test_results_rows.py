"""Rows of contracts, questions and plans show themselves as the screen does."""

import pickle
import re

import bayesbridge as bb
from tests.views.test_report import Page


def test_answers_show_the_table_of_the_screen(posterior):
    """As HTML in a notebook, as text by ``print``; a part of an answer that has no
    table is shown as xarray does.
    """
    found = bb.contracts(posterior, "3NT,4S,6NT", solve=0)
    told = bb.value_of_information(posterior, "3NT,4S", ["card[SQ]", "points[W]"])
    shown = {
        "Contracts by expected score, scheme new": found,
        "What an answer would tell, and what it is worth in score": told,
        "The best plan for each number of tricks": bb.suit_play("AJT32", "K954"),
    }
    for title, value in shown.items():
        assert title in Page(value._repr_html_()).text
        assert re.search(rf"^{title}\n\n", str(value), re.M)
        assert max(map(len, str(value).splitlines()[:6])) < 120
    best = found["contract"].values[0]
    assert re.search(rf"^{best} +\S+ %", str(found), re.M)
    assert type(found.sel(contract=[best])) is type(found)
    assert "xarray" in found[["score"]]._repr_html_()
    assert str(found[["score"]]).startswith("<xarray.")
    assert pickle.loads(pickle.dumps(found)).identical(found)
