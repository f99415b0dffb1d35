"""What notebooks show: values as small HTML with the right figures, each picture once."""

import re
from io import BytesIO
from pathlib import Path

import matplotlib.image
import pytest
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.plots import DPI, Panels, Picture
from tests import positions


def test_pictures_show_themselves_and_those_of_others_do_not(result):
    for drawn in (
        bb.plots.tricks(result),
        bb.plots.sharpening(positions.quiet(), draws=50),
    ):
        png, size = drawn._repr_png_()
        height, width = matplotlib.image.imread(BytesIO(png)).shape[:2]
        inches = drawn.figure.get_size_inches()
        assert (width, height) == pytest.approx(DPI * inches, abs=1)
        assert size == {"width": round(96 * inches[0]), "height": round(96 * inches[1])}
    assert isinstance(drawn, Panels)
    assert drawn._display_() is drawn.figure  # what marimo shows
    own = Figure().subplots()
    assert not isinstance(bb.plots.tricks(result, ax=own), Picture)


CELLS = {
    "import bayesbridge as bb\n"
    "posterior = bb.Belief('S', 'AKQ2.KJ3.A54.Q32').infer(draws=100, rng=1)\n"
    "result = bb.estimate(posterior)": (0, 0),
    "bb.plots.tricks(result)": (1, 0),
    "ax = bb.plots.points(result)": (0, 0),
    "posterior": (0, 1),
    "result": (0, 1),
    "import matplotlib.pyplot as plt\n"
    "figure, ax = plt.subplots()\n"
    "bb.plots.cards(posterior, ax=ax)": (1, 0),
    "bb.plots.cards(posterior)": (1, 0),
    "display(bb.plots.tricks(result))\nbb.plots.distribution(result, 'delta')": (2, 0),
}
"""Cell → how many pictures and how many pieces of HTML it shows, also once pyplot is
there.
"""


def test_a_notebook_shows_each_picture_once():
    for cell, expected in zip(executed(CELLS), CELLS.values(), strict=True):
        assert shown_by(cell) == expected, cell.source


@pytest.mark.slow
def test_the_notebook_of_the_site_shows_something_in_every_cell():
    page = (Path(__file__).parent.parent / "docs" / "results.md").read_text("utf-8")
    sources = re.findall(r"^```\{code-cell\}\n(.*?)^```$", page, re.M | re.S)
    for cell in executed(sources):
        assert shown_by(cell) == ((1, 0) if "bb.plots." in cell.source else (0, 1)), (
            cell.source
        )


def executed(sources):
    """The cells of a notebook after they were run, in a kernel of their own."""
    import nbformat  # here, since it takes seconds to import
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )
    NotebookClient(notebook, timeout=1200, kernel_name="python3").execute()
    return notebook.cells


def shown_by(cell):
    """How many pictures and how many pieces of HTML a cell shows."""
    shown = [output.get("data", {}) for output in cell.outputs]
    return sum("image/png" in formats for formats in shown), sum(
        "text/html" in formats for formats in shown
    )
