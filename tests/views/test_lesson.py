"""The pages of a lesson: the pupils' gives nothing away, the teacher's has answers."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

import bayesbridge as bb
from bayesbridge.cli import main
from bayesbridge.dealing.run import Numbering
from bayesbridge.game.deal import Seat
from bayesbridge.views.lesson import pupils_page, teachers_page

LAYOUTS = bb.deals(6, bb.HighCards("N", 20, 22), rng=1)


NUMBERING = Numbering(dealer=Seat.S, types=["strong <b>", "weak"] * 3)


@pytest.fixture(scope="module")
def pupils():
    return pupils_page(LAYOUTS, NUMBERING, (Seat.N, Seat.S))


@pytest.fixture(scope="module")
def teachers():
    return teachers_page(LAYOUTS, NUMBERING)


def cards(html):
    """The suits of the hands on a page, as its cells have them."""
    return re.findall(r"<td>([2-9AKQJ10 ]+|–)</td>", html)


def suits_of(seats):
    """The suits of these seats' hands, board after board, as a page has them."""
    hands = []
    for deal in LAYOUTS:
        hands += [deal[seat].pbn for seat in seats]
    suits = []
    for hand in hands:
        suits += hand.split(".")
    return [" ".join(suit).replace("T", "10") or "–" for suit in suits]


def test_pupils_see_the_hands_that_are_shown_and_nothing_else(pupils):
    assert re.findall(r"<h2>(.*?)</h2>", pupils) == [f"Board {n}" for n in range(1, 7)]
    assert pupils.count("Dealer South") == 6
    assert "vulnerable: EW" in pupils
    assert sorted(cards(pupils)) == sorted(suits_of((Seat.N, Seat.S)))
    for secret in ("strong", "weak", "East</b>", "Answers", "par", "oints"):
        assert secret not in pupils.partition("<body")[2]


def test_pupils_see_all_hands_unless_some_are_named():
    page = pupils_page(LAYOUTS, NUMBERING)
    assert sorted(cards(page)) == sorted(suits_of(Seat))


def test_the_teacher_sees_every_hand_its_type_and_the_answers(teachers):
    hands, answers = teachers.split("<h2>Answers</h2>")
    assert re.findall(r"<h2>(.*?)</h2>", hands)[:2] == [
        "Board 1 · strong &lt;b&gt;",
        "Board 2 · weak",
    ]
    assert sorted(cards(hands)) == sorted(suits_of(Seat))
    for deal, points in zip(LAYOUTS, LAYOUTS.points.tolist(), strict=True):
        lengths = "-".join(str(len(ranks)) for ranks in deal["N"].pbn.split("."))
        assert f"<td>{points[0]}: {lengths}</td>" in answers


def test_tricks_and_par_that_anybody_can_count():
    """Thirteen cards of one suit with each.

    Trumps of the side take all, at no trumps the leader does. North and South outbid
    seven hearts by seven spades.
    """
    deal = bb.Deal.of(
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    )
    page = teachers_page(bb.Layouts.of([deal]), Numbering())
    answers = page.split("<caption>Tricks and par</caption>")[1]
    cells = [
        re.sub("<.*?>", "", cell) for cell in re.findall(r"<td.*?>(.*?)</td>", answers)
    ]
    tricks = ["0", "13", "0", "13", "0", "0", "0", "13", "0", "13"]
    plain = [cell.replace("\N{VARIATION SELECTOR-15}", "") for cell in cells]
    assert plain[-12:] == [*tricks, "7♠ by N", "+1510"]


def test_the_type_of_a_deal_goes_into_files_and_diagrams(tmp_path, capsys):
    words = ["deal", "-n", "2", "--type", "strong: hcp(north) > 20", "--dealer", "E"]
    for name in ("a.pbn", "a.html"):
        assert main([*words, "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.pbn").read_text().count("{strong}") == 2
    (board_1, board_2) = bb.open_records(tmp_path / "a.pbn").records
    assert (board_1.dealer, board_2.dealer) == (Seat.E, Seat.E)
    assert "strong" not in (tmp_path / "a.html").read_text("utf-8")
    assert "Board 2 · strong" in (tmp_path / "a-teacher.html").read_text("utf-8")
    capsys.readouterr()
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "\nDealer East " in out
    assert "\nstrong " in out


@pytest.mark.parametrize("width", [400, 794])  # a phone, and A4 at 96 pixels an inch
@pytest.mark.parametrize(("whose", "pages"), [("pupils", 1), ("teachers", 2)])
def test_the_page_fits_phones_and_paper(browser, request, whose, pages, width):
    page = browser.new_page(viewport={"width": width, "height": 1123})
    page.emulate_media(media="print" if width == 794 else "screen")
    page.set_content(request.getfixturevalue(whose))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    serious = [
        violation["id"]
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert serious == []
    if width == 794:
        paper = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", paper)) == pages
    page.close()
