"""A board on the page, by keyboard alone."""

from itertools import islice

import pytest

import bayesbridge as bb
from bayesbridge.tricks import Trick
from tests.web.pages import chips, settled

DEAL = bb.Deal.from_pbn("N:J54.AQ2.KQ76.A54 T98.T987.JT9.T98 AKQ2.KJ3.A54.Q32 763.654.832.KJ76")


PLAYED = 24
"""Cards that are played: six tricks."""


def play_order():
    """The play of the deal in no trumps, West to lead: everybody plays the lowest legal card, or wins if it can."""
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
            if page.evaluate("selector => Boolean(document.activeElement.closest(selector))", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}")

    def within(columns, at, wanted):
        """Arrow keys from one place of a group to another."""
        for key, steps in (("Down", wanted // columns - at // columns), ("Right", wanted % columns - at % columns)):
            turned = {"Down": "Up", "Right": "Left"}[key] if steps < 0 else key
            for _ in range(abs(steps)):
                page.keyboard.press(f"Arrow{turned}")

    def index(group):
        return page.evaluate(
            "group => [...document.querySelectorAll(`${group} button`)].indexOf(document.activeElement)", group
        )

    to("#box")
    order = page.eval_on_selector_all("#box button", "all => all.map(one => one.dataset.call)")
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
    cards = page.eval_on_selector_all("#picker button", "all => all.map(one => one.dataset.card)")
    for seat, card in islice(play_order(), PLAYED):
        within(13, index("#picker"), cards.index(str(card)))
        page.keyboard.press("Enter")
        settled(page)
        assert chips(page)[-1] == f"{seat.name} plays {card}"
    page.keyboard.press("Control+z")
    settled(page)
    assert len(chips(page)) == 3 + PLAYED - 1
