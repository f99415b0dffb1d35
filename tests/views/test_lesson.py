"""The page for a lesson: its boards, their types, and the answers behind them."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

import bayesbridge as bb
from bayesbridge.cli import main
from bayesbridge.deal import Seat
from bayesbridge.dealing.run import Numbering
from bayesbridge.views.lesson import lesson_page

LAYOUTS = bb.deals(6, bb.HighCards("N", 20, 22), rng=1)


@pytest.fixture(scope="module")
def lesson():
    return lesson_page(
        LAYOUTS, Numbering(dealer=Seat.S, types=["strong <b>", "weak"] * 3)
    )


def test_the_page_has_every_board_and_then_the_answers(lesson):
    hands, answers = lesson.split("<h2>Answers</h2>")
    assert re.findall(r"<h2>(.*?)</h2>", hands)[:2] == [
        "Board 1 · strong &lt;b&gt;",
        "Board 2 · weak",
    ]
    assert hands.count("Dealer South") == 6
    assert "vulnerable: EW" in hands
    for deal, points in zip(LAYOUTS, LAYOUTS.points.tolist(), strict=True):
        lengths = "-".join(str(len(ranks)) for ranks in deal["N"].pbn.split("."))
        assert f"<td>{points[0]}: {lengths}</td>" in answers


def test_tricks_that_anybody_can_count():
    """Thirteen cards of one suit with each: trumps of the side take all, at no trumps
    the leader does.
    """
    deal = bb.Deal.of(
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    )
    answers = lesson_page(bb.Layouts.of([deal]), Numbering()).split(
        "<caption>Tricks</caption>"
    )[1]
    assert re.findall(r"<td>(.*?)</td>", answers) == [
        "0",
        "13",
        "0",
        "13",
        "0",
        "0",
        "0",
        "13",
        "0",
        "13",
    ]


def test_the_type_of_a_deal_goes_into_files_and_diagrams(tmp_path, capsys):
    words = ["deal", "-n", "2", "--type", "strong: hcp(north) > 20", "--dealer", "E"]
    for name in ("a.pbn", "a.html"):
        assert main([*words, "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.pbn").read_text().count("{strong}") == 2
    (first, second) = bb.open_records(tmp_path / "a.pbn").records
    assert (first.dealer, second.dealer) == (Seat.E, Seat.E)
    assert "Board 2 · strong" in (tmp_path / "a.html").read_text("utf-8")
    capsys.readouterr()
    assert main(words) == 0
    assert "\nDealer East " in (out := capsys.readouterr().out)
    assert "\nstrong " in out


@pytest.mark.parametrize("width", [400, 794])  # a phone, and A4 at 96 pixels an inch
def test_the_page_fits_phones_and_paper(browser, lesson, width):
    page = browser.new_page(viewport={"width": width, "height": 1123})
    page.emulate_media(media="print" if width == 794 else "screen")
    page.set_content(lesson)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    bad = [
        one["id"]
        for one in Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert bad == []
    if width == 794:
        paper = page.pdf(prefer_css_page_size=True)
        assert (
            len(re.findall(rb"/Type\s*/Page\b", paper)) == 2
        )  # six boards, then the answers
    page.close()
