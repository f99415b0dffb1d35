"""A record's page has the posterior's states; a real browser steps through them."""

import json
import re
from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.notation import read_pbn
from bayesbridge.views.record import html_record
from tests.views.test_report import Page

DEAL = "N:J54.AQ2.KQ76.A54 T963.9864.JT8.J7 AKQ2.KJ3.A54.Q32 87.T75.932.KT986"
RECORD = f"""[Board "3 <b>"]
[West "A & B"]
[Dealer "S"]
[Vulnerable "NS"]
[Deal "{DEAL}"]
[Auction "S"]
1NT Pass 3NT Pass
Pass Pass
[Play "W"]
CT C4 CJ CQ
H5 HQ H4 H3
"""
"""The contract is 3NT by South; two tricks are on record."""


@pytest.fixture(scope="module")
def record():
    return read_pbn(RECORD).records[0]


@pytest.fixture(scope="module")
def html(record):
    return html_record(record, "E", draws=100, rng=1, command="bayesbridge report …")


@pytest.fixture(scope="module")
def page_data(html):
    return json.loads(
        re.search(r'<script type="application/json" id="states">(.*?)</script>', html)[
            1
        ]
    )


def test_nothing_comes_from_elsewhere_and_nothing_breaks_out(html):
    page = Page(html)
    assert "://" not in html
    assert not {"link", "iframe", "img", "object", "embed", "base"} & {
        tag for tag, _ in page.elements
    }
    assert all("src" not in attrs and "href" not in attrs for _, attrs in page.elements)
    assert "<b>: what" not in html
    assert len(html) < 200_000
    assert len(page.ids) == len(set(page.ids))


def test_every_call_the_lead_the_dummy_and_every_trick_is_a_step(page_data):
    events = [step["event"] for step in page_data["steps"]]
    assert events == [
        "East looks at 13 cards",
        "South bids 1NT",
        "West passes",
        "North bids 3NT",
        "East passes",
        "South passes",
        "West passes",
        "West leads ♣10",
        "North lays down dummy",
        "Trick 1, won by South: West led ♣10 ♣4 ♣J ♣Q",
        "Trick 2, won by North: South led ♥3 ♥5 ♥Q ♥4",
    ]
    assert [step["cards"] for step in page_data["steps"][-4:]] == [1, 1, 4, 8]


def test_states_are_those_of_the_posterior(record, page_data):
    """The last step, asked of the belief itself."""
    belief = bb.Belief.of_record(record, "E")
    posterior = belief.infer(draws=100, rng=1)
    last_step = page_data["steps"][-1]
    assert last_step["hidden"] == ["S", "W"]
    cards = posterior.card_probabilities()
    # Its draws are others, since the fit starts elsewhere.
    error = 5 * (0.25 / max(posterior.ess, 1)) ** 0.5
    for card in ("CK", "SA", "HK"):
        share = last_step["places"]["W"][page_data["table"]["cards"].index(card)] / 1000
        assert share == pytest.approx(float(cards.sel(card=card, seat="W")), abs=error)
    assert last_step["layouts"].replace(" ", "") == str(belief.count())
    bits_told = [step["told"] for step in page_data["steps"]]
    assert bits_told[0] is None
    bits_at_first = page_data["steps"][0]["bits"]
    bits_at_last = last_step["bits"]
    assert sum(bits_told[1:]) == pytest.approx(
        bits_at_first - bits_at_last, abs=0.02 * len(bits_told)
    )


@pytest.fixture
def shown(browser, html, tmp_path):
    """The page from a file, on a phone's screen; an error of its script fails the test."""
    path = Path(tmp_path) / "record.html"
    path.write_text(html, "utf-8")
    page = browser.new_page(viewport={"width": 400, "height": 800})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "request",
        lambda request: (
            errors.append(request.url) if not request.url.startswith("file:") else None
        ),
    )
    page.goto(path.as_uri())
    yield page
    page.close()
    assert errors == []


def test_a_browser_steps_through_the_record(shown, page_data):
    steps = page_data["steps"]

    def event():
        return shown.inner_text("#event")

    assert event() == f"Step 1 of {len(steps)}: {steps[0]['event']}"
    assert shown.is_disabled("#back")
    for number, step in enumerate(steps[1:], 2):
        shown.click("#next")
        assert event() == f"Step {number} of {len(steps)}: {step['event']}"
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert shown.is_disabled("#next")
    shown.keyboard.press("ArrowLeft")
    assert event().endswith(steps[-2]["event"])
    shown.keyboard.press("Home")
    assert event().endswith(steps[0]["event"])
    shown.fill("#slider", "8")
    assert event().endswith("North lays down dummy")
    assert shown.get_attribute("#slider", "aria-valuetext") == event()
    north = shown.inner_text(".hand.n")
    assert "J 5 4" in north
    share = steps[8]["places"]["W"][page_data["table"]["cards"].index("CK")]
    clubs = shown.locator("#cards table").nth(3).locator("tbody tr").last.locator("td")
    assert abs(int(clubs.nth(1).inner_text()) - share / 10) <= 0.51
    shown.check("#truth")
    assert shown.locator("#cards td.true").count() > 0
    shown.check("#honours")
    assert shown.locator("#cards table").first.locator("thead th").count() == 5
    symbols = """[...'SHDC'].map(suit => {
        const symbol = document.querySelector(`#table .suit-${suit}`);
        return getComputedStyle(symbol).color;
    })"""
    assert len(set(shown.evaluate(symbols))) == 2
    shown.check("#four")
    shown.reload()
    assert len(set(shown.evaluate(symbols))) == 4  # the browser keeps it
    shown.locator("#strip i").nth(3).click()
    assert event().endswith("North bids 3NT")
