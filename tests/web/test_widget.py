"""The explorer in a notebook: messages without a front end, then under Chromium.

In JupyterLab and in marimo.
"""

import os
import re
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.errors import BayesBridgeError
from tests.web.pages import PATIENCE

HAND = "AKQ2.KJ3.A54.Q32"
THREE = bb.Belief("S", HAND)
QUESTION = {"settings": {"observer": "S", "hand": HAND}, "evidence": [["void", "E:H"]]}


def tell(widget, **message):
    """Send a message of the page, and hear what is sent back."""
    replies = []
    widget.send = replies.append
    widget._handle_custom_msg(message, [])
    return replies[0]


def test_a_question_is_answered_event_by_event(monkeypatch):
    monkeypatch.setattr(socket.socket, "bind", None)  # no server
    widget = bb.explore()
    event = tell(widget, id="1", kind="ask", question=QUESTION)["event"]
    names = [event[0]]
    # The second question is answered before the end of the first.
    assert tell(widget, id="2", kind="ask", question=QUESTION)["event"] == event
    while names[-1] != "end":
        names.append(tell(widget, id="1")["event"][0])
    assert names == ["board", "cards", "chip", "captures", "points", "contracts", "end"]
    refused = tell(
        widget, id="3", kind="ask", question={"settings": {"observer": "Q"}}
    )["event"]
    assert refused == (
        "refused",
        {"message": "observer: unknown seat 'Q': write N, E, S or W"},
    )
    assert tell(widget, id="3")["event"][0] == "end"
    page = tell(widget, kind="page")["page"]
    assert page.count("</script>") == page.count("</style>") == 1
    assert not re.search(r"src=|href=.explorer", page)


def test_what_is_clicked_is_the_belief():
    widget = bb.explore()
    void = THREE.given(bb.Void("E", "H"))
    assert widget.belief is None
    clicked = []
    for evidence in (
        "",
        "&show=play&void=E:H",
        "&void=E:H&length=E:H:3",
        "&hand=AKQ2...",
    ):
        widget.set_state({"link": f"observer=S&hand={HAND}{evidence}"})
        clicked.append(widget.belief)
    # It stays as it was while it contradicts itself or has not 13 cards.
    assert clicked == [
        THREE,
        void,
        void,
        void,
    ]
    messages = []
    widget.send = messages.append
    widget.belief = THREE
    assert messages == [{"link": widget.link}]
    assert widget.belief == THREE


@pytest.mark.parametrize(
    "belief",
    [
        THREE.given(
            bb.Holds("E", "SJ ST"),
            bb.Shape("W", "S5+ H4-5"),
            bb.Condition("aces(west) + hcp(east) >= 2"),
        ),
        bb.Belief(
            "W",
            HAND,
            dummy="S",
            trump="H",
            bidder=bb.IterativeBidder(slip=0.1, suits=True),
        ),
        bb.Belief("S", HAND, dummy=None, player=bb.LearnedPlayer()).given(
            bb.Called("N", "1NT"), bb.Called("E", "X")
        ),
        bb.Belief("S", HAND, dummy=None, bidder=bb.LearnedBidder("NS", slip=0.01)),
        bb.Belief(
            "S",
            HAND,
            dummy=None,
            bidder=bb.SystemBidder(["NS:weak-notrump=0.3", "EW:weak-twos"]),
        ),
        bb.Belief(
            "S", HAND, dummy=None, style={"EW": PairStyle.of_text("strong-club")}
        ),
    ],
)
def test_it_opens_on_a_belief(belief):
    assert bb.explore(belief).belief == belief


def test_what_it_cannot_show_is_refused_in_a_line(monkeypatch):
    for belief in (
        HAND,
        bb.Belief("S", HAND, bidder=bb.SystemBidder("weak-twos", faith=0.5)),
    ):
        with pytest.raises(
            BayesBridgeError, match=r"^the explorer (cannot show|shows) .*$"
        ):
            bb.explore(belief)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BayesBridgeError, match=r"pip install anywidget"):
        bb.explore()


SHOW = (
    "import bayesbridge as bb, sys; "
    f'widget = bb.explore(bb.Belief("S", "{HAND}").given(bb.Void("E", "H")))'
)
TELL = (
    'f"After: {widget.belief.evidence[-1]}, '
    """server: {'bayesbridge.web.server' in sys.modules}\""""
)
MARIMO = f"""import marimo
app = marimo.App()
with app.setup:
    import marimo as mo
    {SHOW}
@app.cell
def _():
    shown = mo.ui.anywidget(widget)
    shown
@app.cell
def _(shown):
    mo.md({TELL.replace("widget", "shown")})
"""


@contextmanager
def notebook(browser, folder, path, *words):
    """A page of a notebook server that is started for it, and the frame of the widget."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = dict.fromkeys(
        ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "XDG_CONFIG_HOME"),
        str(folder),
    )
    env = {**os.environ, **home, "PYTHONPATH": str(Path(bb.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-m", *words, f"--port={port}"], cwd=folder, env=env
    ) as process:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(1000 * PATIENCE)
        try:
            while process.poll() is None:
                page.wait_for_timeout(500)
                with suppress(Exception):  # it does not listen yet
                    page.goto(f"http://127.0.0.1:{port}/{path}")
                    break
            yield page, page.frame_locator('iframe[title="bayesbridge explorer"]')
        finally:
            page.close()
            process.terminate()


def bid(frame):
    """Click a call, and wait until it is answered."""
    frame.locator('#box [data-call="1NT"][aria-disabled="false"]').click()
    frame.locator("#auction td", has_text="1NT").wait_for()


@pytest.mark.slow
def test_in_jupyterlab_a_click_changes_the_belief(browser, tmp_path):
    v4 = pytest.importorskip("nbformat").v4
    book = v4.new_notebook(
        cells=[v4.new_code_cell(f"{SHOW}\nwidget"), v4.new_code_cell(TELL)]
    )
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python"}
    (tmp_path / "n.ipynb").write_text(v4.writes(book))
    words = "jupyterlab", "--no-browser", "--allow-root", "--IdentityProvider.token=abc"
    with notebook(browser, tmp_path, "lab/tree/n.ipynb?token=abc", *words) as (
        page,
        frame,
    ):
        page.get_by_text("(ipykernel) | Idle").wait_for()
        cells = page.locator(".jp-CodeCell .cm-content")
        cells.first.press("Shift+Enter")
        bid(frame)
        cells.last.press("Shift+Enter")
        page.locator(
            ".jp-OutputArea-output", has_text="After: S calls 1NT, server: False"
        ).wait_for()


@pytest.mark.slow
def test_in_marimo_a_click_runs_the_cells_that_use_the_belief(browser, tmp_path):
    (tmp_path / "n.py").write_text(MARIMO)
    with notebook(
        browser, tmp_path, "", "marimo", "run", "n.py", "--headless", "--no-token"
    ) as (page, frame):
        bid(frame)
        page.get_by_text("After: S calls 1NT, server: False").wait_for()
