"""How soon the explorer shows a new heat map after a click, in the browser.

    python benchmarks/speed/bench_explorer.py [--json | --write]

A server with two processes that compute, and the Chromium of the system. Two hundred
random clicks of each kind: facts and cards (hard evidence alone), calls of the
three-player game (counted exactly), calls of four players judged by the learned bidder
(a first look of 300 draws). After six chips, or a contradiction, the position begins
anew. The time runs in the page, from the click to the frame that shows the new figures;
the next click comes within half a second, while estimators of the last one may still be
running and have to be interrupted.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from page import Cell, Table, run

CLICKS = 200
LONGEST = 6
"""Chips after which the position begins anew."""
PAUSE = 500
"""Milliseconds to the next click, at most."""
ROOT = Path(__file__).parents[2]


CARD_SHARE = 0.7
"""How often a card is clicked, and not a void or a length."""
BID_SHARE = 0.6
"""How often a bid is clicked, and not a pass."""
LOW_BIDS = 6
"""The lowest bids, of which one is clicked."""


def cards(page: Any, chance: random.Random) -> None:
    """A fact about the hidden hands.

    A card that is somewhere or is not, a void, a length.
    """
    page.select_option("#mode", chance.choice(["holds", "lacks"]))
    page.select_option("#seat", chance.choice("NEW"))
    if chance.random() < CARD_SHARE:
        open_cards = page.locator('#picker button[aria-disabled="false"]')
        open_cards.nth(chance.randrange(open_cards.count())).click()
        return
    page.select_option("#add-seat", chance.choice("NEW"))
    page.select_option("#add-kind", chance.choice(["void", "length"]))
    page.select_option("#add-suit", chance.choice("SHDC"))
    page.click("#add button")


def calls(page: Any, chance: random.Random) -> None:
    """A legal call, often a pass, else a low bid."""
    legal = page.eval_on_selector_all(
        '#box button[aria-disabled="false"]', "all => all.map(one => one.dataset.call)"
    )
    bids = [call for call in legal if call not in ("Pass", "X", "XX")][:LOW_BIDS]
    call = "Pass"
    if bids and chance.random() < BID_SHARE:
        call = chance.choice(bids)
    page.click(f'#box [data-call="{call}"]')


KINDS: dict[str, tuple[str, Callable[[Any, random.Random], None]]] = {
    "cards and facts": ("3", cards),
    "calls, three players": ("3", calls),
    "calls, four players": ("4", calls),
}


@contextmanager
def opened() -> Iterator[Any]:
    """The page of a server of its own, once it is warm."""
    from playwright.sync_api import sync_playwright

    words = ("bayesbridge", "serve", "--no-browser", "--port", "0")
    command = [sys.executable, "-m", *words]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=installed_browser(), args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 1000})
            page.set_default_timeout(600_000)
            page.goto(f"{address}#observer=S&hand=AKQ2.KJ3.A54.Q32")
            page.wait_for_function(
                "() => explorer.timings.length && !document.documentElement.dataset.busy"
            )
            page.click("#setup summary")
            yield page
            browser.close()
    finally:
        server.terminate()
        server.wait()


def installed_browser() -> str | None:
    """The Chromium of the system, by its first name that is known."""
    names = ("chromium", "chrome", "google-chrome")
    paths = map(shutil.which, names)
    return next((path for path in paths if path is not None), None)


def measured(
    page: Any, players: str, click: Callable[[Any, random.Random], None]
) -> list[float]:
    """Milliseconds of every click that has an answer; a contradiction has none."""
    chance = random.Random(1)
    milliseconds: list[float] = []
    page.click("#reset")
    page.select_option("#players", players)
    click(page, chance)  # the first of its kind loads tables
    answered(page)
    while len(milliseconds) < CLICKS:
        if must_begin_anew(page):
            page.click("#reset")
            page.select_option("#players", players)
            answered(page)
        before = page.evaluate("explorer.timings.length")
        click(page, chance)
        answered(page)
        if page.evaluate("explorer.timings.length") > before:
            milliseconds.append(page.evaluate("explorer.timings.at(-1)"))
        page.wait_for_timeout(chance.randrange(PAUSE))
    return milliseconds


def must_begin_anew(page: Any) -> bool:
    """Whether there are many chips, no legal call, or a contradiction."""
    if page.locator("#chips li").count() >= LONGEST:
        return True
    if page.locator('#box button[aria-disabled="false"]').count() == 0:
        return True
    return bool(page.locator("#chips li.conflict").count())


def answered(page: Any) -> None:
    """Wait for the heat map of the last click, or for its contradiction."""
    page.wait_for_function("() => explorer.asked === explorer.shown")


def clicks() -> Table:
    """Milliseconds from click to heat map."""
    rows: list[tuple[Cell, ...]] = []
    with opened() as page:
        for name, (players, click) in KINDS.items():
            times = np.array(measured(page, players, click))
            median, within = np.quantile(times, (0.5, 0.95)).tolist()
            rows.append((name, len(times), median, within, times.max()))
    header = ("clicks", "number", "median, ms", "95 of 100 within, ms", "longest, ms")
    return Table("explorer", "From click to heat map, in the browser", header, rows)


if __name__ == "__main__":
    run(__doc__ or "", clicks)
