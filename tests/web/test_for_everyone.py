"""The page for everyone: screen readers, phones, dark rooms, keyboards.

axe-core looks for what is missing.
"""

import json
from itertools import islice

import pytest
from axe_playwright_python.sync_playwright import Axe

import bayesbridge as bb
from bayesbridge.game.tricks import Trick
from tests.web.pages import HAND, chips, panel, settled, share


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (400, "light"),
        pytest.param(1280, "light", marks=pytest.mark.slow),
        pytest.param(1280, "dark", marks=pytest.mark.slow),
        pytest.param(400, "dark", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_serious(tab, width, scheme):
    position = f"#{HAND}&reveal=N:J54.AQ2.KQ76.A54&holds=E:HT&contract=3NT+by+S"
    page = tab(position, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name in page.eval_on_selector_all(
        "#tabs button:not([hidden])", "all => all.map(one => one.dataset.tab)"
    ):
        panel(page, name)
        violations = Axe().run(page).response["violations"]
        serious = [
            violation
            for violation in violations
            if violation["impact"] in ("serious", "critical")
        ]
        for violation in serious:
            places = [node["html"][:120] for node in violation["nodes"]]
            assert places == [], (name, violation["id"])


@pytest.mark.parametrize("width", [400, 768, 1280])
def test_the_table_and_an_answer_are_in_sight(tab, width):
    page = tab("", viewport={"width": width, "height": 800}, has_touch=width == 400)
    for selector in ("#compass", "#auction", "#heat"):
        box = page.locator(selector).bounding_box()
        # The tabs of a phone stand below.
        assert box["y"] + box["height"] <= (750 if width == 400 else 800)
    for name in page.eval_on_selector_all(
        "#tabs button:not([hidden])", "all => all.map(one => one.dataset.tab)"
    ):
        panel(page, name)
        assert page.locator(f"#p-{name}").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#tabs").bounding_box()["y"] < 800


def test_a_phone_by_touch(tab):
    page = tab("", viewport={"width": 400, "height": 800}, has_touch=True)
    page.tap('#tabs [data-tab="add"]')
    assert page.locator("#heat").is_hidden()
    page.tap('#picker [data-card="H7"]')
    settled(page)
    assert page.locator("#moved .shift").count() > 0
    page.tap('#tabs [data-tab="cards"]')
    assert int(share(page, "DQ", "W")) > 55
    assert page.evaluate("scrollY") == 0
    assert page.locator("#heat").bounding_box()["y"] < 700


def test_colours_motion_and_suits(tab):
    dark = tab(color_scheme="dark", reduced_motion="reduce")
    assert (
        dark.evaluate("getComputedStyle(document.body).backgroundColor")
        == "rgb(20, 22, 26)"
    )
    assert (
        dark.evaluate(
            "getComputedStyle(document.querySelector('#heat td')).transitionDuration"
        )
        == "0s"
    )
    assert (
        dark.eval_on_selector(
            "#points .plot i", "bar => bar.getBoundingClientRect().width"
        )
        > 4
    )
    suits = """[...'SHDC'].map(suit => {
        const symbol = document.querySelector(`#picker .suit-${suit}`);
        return getComputedStyle(symbol).color;
    })"""
    assert len(set(dark.evaluate(suits))) == 2
    panel(dark, "more")
    dark.check("#four")
    assert len(set(dark.evaluate(suits))) == 4
    dark.reload()
    assert len(set(dark.evaluate(suits))) == 4  # the browser keeps it
    status = dark.locator("#status")
    assert (status.get_attribute("role"), status.get_attribute("aria-live")) == (
        "status",
        "polite",
    )
    dark.keyboard.press("Tab")
    dark.keyboard.press("Enter")
    assert dark.evaluate("document.activeElement.id") == "answers"


def test_text_from_a_link_stays_text(tab):
    page = tab(f"#{HAND}&shape=N:<img src=x onerror=alert(1)>")
    assert page.locator("#chips img").count() == 0
    assert json.loads(page.evaluate("JSON.stringify([...document.images].length)")) == 0


DEAL = bb.Deal.from_pbn(
    "N:J54.AQ2.KQ76.A54 T98.T987.JT9.T98 AKQ2.KJ3.A54.Q32 763.654.832.KJ76"
)


def play_order():
    """The play of the deal in no trumps, West to lead.

    Everybody plays the lowest legal card, or wins if it can.
    """
    hands = dict(zip(bb.Seat, DEAL, strict=True))
    trick = Trick(bb.Seat.W)
    for _ in range(52):
        seat = trick.turn
        legal = list(trick.legal(hands[seat]))
        card = legal[-1] if len(trick.cards) % 2 else legal[0]
        yield seat, card
        hands[seat] -= bb.Hand.of(card)
        trick = trick.after(seat, card)
        if trick.complete:
            trick = Trick(trick.winner)


@pytest.mark.slow
def test_a_board_by_keyboard_alone(tab):
    page = tab()

    def to(selector):
        """Tab until an element within the selector has the focus."""
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate(
                "selector => Boolean(document.activeElement.closest(selector))",
                selector,
            ):
                return
        raise AssertionError(f"Tab does not reach {selector}")

    def within(columns, at, wanted):
        """Arrow keys from one place of a group to another."""
        for key, steps in (
            ("Down", wanted // columns - at // columns),
            ("Right", wanted % columns - at % columns),
        ):
            turned = {"Down": "Up", "Right": "Left"}[key] if steps < 0 else key
            for _ in range(abs(steps)):
                page.keyboard.press(f"Arrow{turned}")

    def index(group):
        return page.evaluate(
            """group => {
                const buttons = [...document.querySelectorAll(`${group} button`)];
                return buttons.indexOf(document.activeElement);
            }""",
            group,
        )

    to("#box")
    order = page.eval_on_selector_all(
        "#box button", "all => all.map(one => one.dataset.call)"
    )
    for wanted in ("1NT", "Pass", "Pass"):
        within(5, index("#box"), order.index(wanted))
        if page.evaluate("document.activeElement.dataset.call") != wanted:
            page.keyboard.press("End")
            while page.evaluate("document.activeElement.dataset.call") != wanted:
                page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        settled(page)
    page.evaluate("document.activeElement.blur()")
    to("#picker")
    cards = page.eval_on_selector_all(
        "#picker button", "all => all.map(one => one.dataset.card)"
    )
    for seat, card in islice(play_order(), 24):
        within(13, index("#picker"), cards.index(str(card)))
        page.keyboard.press("Enter")
        settled(page)
        assert chips(page)[-1] == f"{seat.name} plays {card}"
    page.keyboard.press("Control+z")
    settled(page)
    assert len(chips(page)) == 3 + 24 - 1
