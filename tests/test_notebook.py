"""What notebooks show: values as small HTML with the right figures, each picture once."""

import pickle
import re
from io import BytesIO
from pathlib import Path

import matplotlib.image
import nbformat
import numpy as np
import pytest
import xarray
from matplotlib.figure import Figure
from nbclient import NotebookClient

import bayesbridge as bb
from bayesbridge.plots import DPI, Panels, Picture
from tests import positions
from tests.views.test_report import Page

DEAL = "N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -"
MOST_BYTES = 50_000


@pytest.fixture(scope="module")
def values(posterior, result):
    deal = bb.Deal.of(DEAL)
    return {
        "hand": deal["N"],
        "part of a hand": bb.Hand.of("SA HK"),
        "deal": deal,
        "auction": bb.Auction.of("S:1H Pass 1NT 2C Pass"),
        "auction of three": bb.Auction.of("S:1NT Pass Pass", dummy="N"),
        "passed out": bb.Auction.of("N:Pass Pass Pass Pass"),
        "empty auction": bb.Auction.three(),
        "belief": posterior.belief,
        "posterior": posterior,
        "drawn": positions.passed().infer("weights", draws=100, rng=1),
        "result": result,
    }


def test_every_value_is_a_small_piece_of_html_that_needs_nothing(values):
    for name, value in values.items():
        shown = value._repr_html_()
        page = Page(shown)
        assert len(shown.encode()) < MOST_BYTES, name
        assert page.text, name
        assert not re.search(r"<script|<link|<img|https?:|url\(", shown), name
        assert not {key for _, attrs in page.elements for key in attrs} & {"src", "href", "onclick", "onload", "id"}, (
            name
        )


@pytest.mark.parametrize(
    ("auction", "words"),
    [
        (bb.Auction.of("S:1H Pass 1NT 2C Pass"), "West North East South 1 ♥ Pass 1NT 2 ♣ Pass ?"),
        (bb.Auction.of("S:1NT Pass Pass", dummy="N"), "West East South 1NT Pass Pass The contract is 1NT by S."),
        (bb.Auction.of("N:Pass Pass Pass Pass"), "West North East South Pass Pass Pass Pass Passed out."),
        (bb.Auction.three("E"), "West East South ?"),
    ],
)
def test_an_auction_is_a_table_of_the_seats_that_bid(auction, words):
    assert Page(auction._repr_html_()).text == words


def test_a_belief_says_what_was_seen_and_how_many_layouts_fit(posterior):
    text = Page(posterior.belief._repr_html_()).text
    for piece in posterior.belief.evidence[1:]:
        assert str(piece) in text
    assert "8 568 layouts fit: 13.1 bits." in text
    assert "South 1NT" in text


def test_a_belief_that_cannot_be_says_why():
    """West's points can only come from the jack of hearts and the king of clubs: 1, 3 or 4."""
    belief = positions.quiet().given(bb.Lacks("W", "SQ"), bb.HighCards("W", 2, 2))
    text = Page(belief._repr_html_()).text
    with pytest.raises(bb.errors.Contradiction) as caught:
        belief.count()
    assert " ".join(str(caught.value).split()) in text


def test_a_result_says_which_figures_are_estimated(values):
    """Points by draws where their tables would be too large; tricks of the network by draws, T counted."""
    drawn = Page(bb.estimate(values["drawn"])._repr_html_()).text
    assert re.search(r"Estimated, one standard error .* Sampled: cards and lengths, points, T\.", drawn)
    both = bb.estimate(positions.wide().infer(draws=60, rng=1), ["capture", "tricks"])
    text = Page(both._repr_html_()).text
    assert "Sampled: tricks." in text
    assert "Tricks of South, dummy North, in no trumps" in text
    assert "conditions fail" in text


def test_text_of_strangers_is_escaped(posterior):
    @bb.plugins.estimator("odd", doc="<script>alert('&')</script>.", dtype="int8")
    def odd(deal, question):
        return 1

    shown = bb.estimate(posterior, odd)._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown


def test_answers_show_the_table_of_the_screen(posterior):
    """As HTML in a notebook, as text by ``print``; a part of an answer that has no table is shown as xarray does."""
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


def test_deals_show_themselves():
    some = bb.deals(12, rng=1)
    assert str(some).splitlines() == [*(deal.pbn for deal in some[:10]), "… and 2 more deals."]
    text = Page(some._repr_html_()).text
    assert (text.count("North"), text.count("… and 2 more deals.")) == (10, 1)


def test_pictures_show_themselves_and_those_of_others_do_not(result):
    for drawn in (bb.plots.tricks(result), bb.plots.sharpening(positions.called(), draws=50)):
        data, size = drawn._repr_png_()
        height, width = matplotlib.image.imread(BytesIO(data)).shape[:2]
        inches = drawn.figure.get_size_inches()
        assert (width, height) == pytest.approx(DPI * inches, abs=1)
        assert size == {"width": round(96 * inches[0]), "height": round(96 * inches[1])}
    assert isinstance(drawn, Panels)
    assert drawn._display_() is drawn.figure  # what marimo shows
    own = Figure().subplots()
    assert not isinstance(bb.plots.tricks(result, ax=own), Picture)


CELLS = {
    "import bayesbridge as bb\nposterior = bb.Belief('S', 'AKQ2.KJ3.A54.Q32').infer(draws=100, rng=1)\n"
    "result = bb.estimate(posterior)": (0, 0),
    "bb.plots.tricks(result)": (1, 0),
    "ax = bb.plots.points(result)": (0, 0),
    "posterior": (0, 1),
    "result": (0, 1),
    "import matplotlib.pyplot as plt\nfigure, ax = plt.subplots()\nbb.plots.cards(posterior, ax=ax)": (1, 0),
    "bb.plots.cards(posterior)": (1, 0),
    "display(bb.plots.tricks(result))\nbb.plots.distribution(result, 'delta')": (2, 0),
}
"""Cell → how many pictures and how many pieces of HTML it shows, also once pyplot is there."""


def test_a_notebook_shows_each_picture_once():
    for cell, expected in zip(executed(CELLS), CELLS.values(), strict=True):
        assert shown_by(cell) == expected, cell.source


@pytest.mark.slow
def test_the_notebook_of_the_site_shows_something_in_every_cell():
    page = (Path(__file__).parent.parent / "docs" / "results.md").read_text("utf-8")
    sources = re.findall(r"^```\{code-cell\}\n(.*?)^```$", page, re.M | re.S)
    for cell in executed(sources):
        assert shown_by(cell) == ((1, 0) if "bb.plots." in cell.source else (0, 1)), cell.source


def executed(sources):
    """The cells of a notebook after they were run, in a kernel of their own."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=1200, kernel_name="python3").execute()
    return notebook.cells


def shown_by(cell):
    """How many pictures and how many pieces of HTML a cell shows."""
    shown = [output.get("data", {}) for output in cell.outputs]
    return sum("image/png" in data for data in shown), sum("text/html" in data for data in shown)


def test_layouts_as_a_table(posterior):
    table = posterior.to_dataframe()
    assert len(table) == len(posterior)
    assert table["weight"].sum() == pytest.approx(1)
    assert set(table["N"]) == {positions.NORTH}
    first = bb.Deal.of(dict(table.loc[0, list("NESW")]))
    assert first == posterior.layouts[0]
    assert (table["points[S]"] == [bb.Hand.of(text).points for text in table["S"]]).all()
    assert (table["length[W:H]"] == [bb.Hand.of(text).length("H") for text in table["W"]]).all()
    mean = float(np.average(table["points[S]"], weights=table["weight"]))
    assert mean == pytest.approx(posterior.expect(lambda layouts: layouts.points[:, bb.Seat.S]))
    some = posterior.to_dataframe(n=7, rng=1)
    assert (len(some), some["weight"].tolist()) == (7, [1 / 7] * 7)


def test_a_result_as_a_table(result):
    table = result.to_dataframe()
    sums = table.groupby("quantity")["probability"].sum()
    np.testing.assert_allclose(sums, 1.0)
    assert table["exact"].all()
    T = table[table["quantity"] == "T"].set_index("value")["probability"]
    assert T.to_dict() == pytest.approx(result["pmf"]["T"].to_series().to_dict())
    mean = (table["value"] * table["probability"]).groupby(table["quantity"]).sum()
    summed = result.summary()
    np.testing.assert_allclose(mean[["T", "delta[C]"]], summed.loc[["T", "delta[C]"], "mean"])


def test_a_tree_from_elsewhere_is_no_result(result):
    assert bb.Result.of(result) is result
    with pytest.raises(bb.BayesBridgeError, match="the tree has no group 'posterior'"):
        bb.Result.of(xarray.DataTree.from_dict({"pmf": result["pmf"].to_dataset()}))
