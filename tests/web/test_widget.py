"""The explorer in a notebook: its messages without a front end, then in JupyterLab and in marimo under Chromium."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.errors import BayesBridgeError
from tests.web.pages import PATIENCE

HAND = "AKQ2.KJ3.A54.Q32"
THREE = bb.Belief("S", HAND)
FOUR = bb.Belief("S", HAND, dummy=None, player=bb.LearnedPlayer())
QUESTION = {"settings": {"observer": "S", "hand": HAND}, "evidence": [["void", "E:H"]]}


class Front:
    """What a front end does with a widget: it sends messages, sets traits and hears what is sent."""

    def __init__(self, monkeypatch, *belief):
        pytest.importorskip("anywidget", reason="the extra notebook is not installed")

        def no_socket(*_):
            raise AssertionError("the widget opened a socket")

        monkeypatch.setattr(socket.socket, "bind", no_socket)
        self.widget = bb.explore(*belief)
        self.heard = []
        self.widget.send = self.heard.append

    def send(self, **message):
        self.widget._handle_custom_msg(message, [])
        return self.heard[-1]

    def ask(self, name, question):
        """The names of the events of a question, each asked for."""
        events = [self.send(id=name, kind="ask", question=question)["event"]]
        while events[-1][0] != "end":
            events.append(self.send(id=name)["event"])
        return events

    def click(self, link):
        self.widget.set_state({"link": link})
        return self.widget.belief


def test_a_question_is_answered_event_by_event(monkeypatch):
    front = Front(monkeypatch)
    names = [name for name, _ in front.ask("1", QUESTION)]
    assert names == ["board", "cards", "chip", "captures", "points", "contracts", "end"]
    assert front.send(id="2", kind="ask", question=QUESTION)["event"][0] == "board"
    assert front.send(id="3", kind="ask", question=QUESTION)["event"][0] == "board"  # before the end of the other
    assert front.send(id="2")["event"][0] == "cards"
    assert front.send(id="gone")["event"][0] == "end"
    bad = front.ask("4", {"settings": {"observer": "Q"}})
    assert [name for name, _ in bad] == ["refused", "end"]
    assert "'Q'" in bad[0][1]["message"]
    assert "iterative" in front.send(id="5", kind="about")["event"][1]["bidders"]
    assert front.send(id="6", kind="toml", question=QUESTION)["event"][1]["text"].startswith('observer = "S"')


def test_the_page_is_sent_as_one_document(monkeypatch):
    page = Front(monkeypatch).send(kind="page")["page"]
    assert page.count("</script>") == page.count("</style>") == 1
    assert "src=" not in page
    assert 'href="explorer' not in page


def test_what_is_clicked_is_the_belief(monkeypatch):
    front = Front(monkeypatch)
    assert front.widget.belief is None
    link = f"observer=S&hand={HAND}"
    assert front.click(link) == THREE
    void = THREE.given(bb.Void("E", "H"))
    front.widget._handle_custom_msg({"link": f"{link}&show=play&void=E:H"}, [])
    assert front.widget.belief == void
    assert front.click(f"{link}&void=E:H&length=E:H:3") == void  # a contradiction: as before
    assert front.click("observer=S&hand=AKQ2...&void=E:H") == void  # not 13 cards
    front.widget.belief = THREE
    assert front.heard == [{"link": front.widget.link}]
    assert front.widget.belief == THREE


@pytest.mark.parametrize(
    "belief",
    [
        THREE.given(bb.Holds("E", "SJ ST"), bb.Shape("W", "S5+ H4-5"), bb.Condition("aces(west) + hcp(east) >= 2")),
        bb.Belief("W", HAND, dummy="S", trump="H", bidder=bb.IterativeBidder(slip=0.1, suits=True)),
        FOUR.given(bb.Auction.of("S:1NT Pass 3NT Pass", dummy=None)),
        bb.Belief("S", HAND, dummy=None, bidder=bb.LearnedBidder("NS", slip=0.01)),
        bb.Belief("S", HAND, dummy=None, bidder=bb.SystemBidder(["NS:weak-notrump=0.3", "EW:weak-twos"])),
        bb.Belief("S", HAND, dummy=None, style={"EW": PairStyle.of_text("strong-club")}),
    ],
    ids=["facts", "suits", "auction", "slip", "systems", "style"],
)
def test_it_opens_on_a_belief(monkeypatch, belief):
    front = Front(monkeypatch, belief)
    assert front.widget.belief == belief
    assert front.click(f"{front.widget.link}&show=more") == belief


class Silent:
    """A bidder of one's own."""

    def log_likelihood(self, hands, auction, index):
        return 0.0 * hands


@pytest.mark.parametrize("belief", [bb.Belief("S", HAND, bidder=Silent()), HAND], ids=["bidder", "text"])
def test_a_belief_that_the_page_cannot_show_is_refused(monkeypatch, belief):
    with pytest.raises(BayesBridgeError, match=r"^the explorer (cannot show|shows) .*$"):
        Front(monkeypatch, belief)


def test_without_anywidget_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BayesBridgeError, match=r"pip install 'bayesbridge-hands\[notebook\]'"):
        bb.explore()


SHOW = """import sys
import bayesbridge as bb
widget = bb.explore(bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Void("E", "H")))"""
TELL = """f"After: {widget.belief.evidence[-1]}, server: {'bayesbridge.web.server' in sys.modules}\""""
MARIMO = f"""import marimo
app = marimo.App()
with app.setup:
    import marimo as mo
    {SHOW.replace(chr(10), chr(10) + "    ")}
@app.cell
def _():
    shown = mo.ui.anywidget(widget)
    shown
    return (shown,)
@app.cell
def _(shown):
    mo.md({TELL.replace("widget", "shown")})
"""


@contextmanager
def notebook(browser, folder, module, *options):
    """A page at a notebook server that was started for it; what goes wrong in the page is an error."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = {name: str(folder) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "XDG_CONFIG_HOME")}
    env = {**os.environ, **home, "PYTHONPATH": str(Path(bb.__file__).parents[1])}
    words = [sys.executable, "-m", module, *options, f"--port={port}"]
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(words, cwd=folder, env=env, stdout=log, stderr=log)
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(1000 * PATIENCE)
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    try:
        page.wait_for_timeout(1000)
        while process.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE).close()
                break
            except OSError:
                page.wait_for_timeout(200)
        yield page, f"http://127.0.0.1:{port}"
        assert problems == []
    finally:
        context.close()
        process.terminate()
        process.wait(PATIENCE)


def bid(page):
    """Click a call in the page of the widget, and wait until it is answered."""
    frame = page.frame_locator('iframe[title="bayesbridge explorer"]')
    frame.locator('#box [data-call="1NT"][aria-disabled="false"]').click()
    frame.locator("#auction td", has_text="1NT").wait_for()


@pytest.mark.slow
def test_in_jupyterlab_a_click_changes_the_belief(browser, tmp_path):
    pytest.importorskip("jupyterlab")
    usual = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    cells = [{**usual, "id": f"cell-{number}", "source": text} for number, text in enumerate([f"{SHOW}\nwidget", TELL])]
    book = {"cells": cells, "metadata": {"kernelspec": {"name": "python3", "display_name": "Python"}}}
    (tmp_path / "n.ipynb").write_text(json.dumps(book | {"nbformat": 4, "nbformat_minor": 5}))
    options = "--no-browser", "--allow-root", "--IdentityProvider.token=abc", f"--ServerApp.root_dir={tmp_path}"
    with notebook(browser, tmp_path, "jupyterlab", *options) as (page, address):
        page.goto(f"{address}/lab/tree/n.ipynb?token=abc")
        page.get_by_text("(ipykernel) | Idle").wait_for()
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        bid(page)
        page.locator(".jp-CodeCell .cm-content").last.click()
        page.keyboard.press("Shift+Enter")
        page.locator(".jp-OutputArea-output", has_text="After: S calls 1NT, server: False").wait_for()


@pytest.mark.slow
def test_in_marimo_a_click_runs_the_cells_that_use_the_belief(browser, tmp_path):
    pytest.importorskip("marimo")
    (tmp_path / "n.py").write_text(MARIMO)
    with notebook(browser, tmp_path, "marimo", "run", "n.py", "--headless", "--no-token") as (page, address):
        page.goto(address)
        page.get_by_text("After: E is void in H, server: False").wait_for()
        bid(page)
        page.get_by_text("After: S calls 1NT, server: False").wait_for()
