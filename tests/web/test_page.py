"""The page in a real browser: every control, links, files, tabs.

Also a server that goes and comes back.
"""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from bayesbridge.bidders.learned import PairStyle
from tests.web.pages import (
    HAND,
    call,
    chips,
    choose,
    click,
    enter,
    panel,
    settled,
    share,
)
from tests.web.test_answers import BOARD

MOMENTS = ["own", "finesse", "lead", "slam", "paper"]


def add(page, kind, **values):
    """Add a fact by the form."""
    page.select_option("#add-kind", kind)
    for name, value in values.items():
        field = page.locator(f"#add-{name}")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    click(page, "#add button")


def test_the_first_visit_is_a_moment_of_four_players(tab):
    page = tab("")
    assert page.input_value("#players") == "4"
    assert "Click ♥7" in page.inner_text("#hint")
    assert page.locator("#box").is_hidden()  # the auction is over
    assert int(share(page, "DQ", "E")) > 50
    assert (
        page.eval_on_selector_all("#moment option", "all => all.map(one => one.value)")
        == MOMENTS
    )
    click(page, '#picker [data-card="H7"]')  # West has no club left
    assert int(share(page, "DQ", "W")) > 55
    assert page.locator("#hint").is_hidden()
    assert (
        page.locator("#moved .shift").count() == page.locator("#heat .far").count() > 0
    )
    click(page, "#undo")
    assert page.locator("#moved").is_hidden()
    click(page, "#reset")
    assert page.locator("#hint").is_visible()
    # The own card tells nothing, the own call little of partner's 1NT.
    for moment, answer, own, moved in (
        ("lead", "#leads", '#picker [data-card="D9"]', "no card moved by more"),
        ("slam", "#contracts", '#box [data-call="3NT"]', "S calls 3NT: "),
    ):
        choose(page, "#moment", moment)
        assert page.locator(f"{answer} tbody tr").first.is_visible()
        click(page, own)
        assert moved in page.inner_text("#moved")
    choose(page, "#moment", "paper")
    assert page.evaluate("location.hash") == f"#{HAND}"


def test_three_players_are_counted_exactly(tab):
    page = tab()
    assert share(page, "SJ", "N") == "33"
    assert share(page, "SA", "S") == "100"
    assert page.inner_text("#how-short") == "Exact: 84 478 098 072 866 400 layouts fit"
    assert page.locator("#how").is_hidden()
    page.click("#how-short")
    assert "convolution" in page.inner_text("#how")
    assert "T = 10" in page.inner_text("#captures")
    track, table = (
        page.locator(selector).first.bounding_box()["width"]
        for selector in ("#captures .track", "#captures")
    )
    assert track > table / 2
    assert page.locator("#box [aria-disabled=false]").count() == 36


@pytest.mark.parametrize("width", [400, pytest.param(1280, marks=pytest.mark.slow)])
def test_an_empty_table_takes_a_hand_an_auction_and_a_link(tab, width):
    page = tab("", viewport={"width": width, "height": 900})
    assert len(chips(page)) == 29  # the first visit is the middle of a play
    click(page, "#clear")
    assert page.input_value("#moment") == "own"
    assert "empty table" in page.inner_text("#hint")
    assert (chips(page), page.inner_text("#heat td").strip()) == ([], "")
    assert page.locator(
        "#entry"
    ).is_visible()  # on a phone too, where it stands under Add
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    serious = [
        violation["id"]
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert serious == []
    page.fill("#entry", "AKQ2.KJ3.A54.Q3")
    page.press("#entry", "Enter")
    page.wait_for_function(
        "() => document.getElementById('entry-error').textContent.includes('add the missing 1')"
    )
    page.problems.clear()  # the browser tells of every request that is refused
    enter(page, "1NT p 3NT all pass")
    assert page.locator("#auction td").all_inner_texts() == [
        "1NT",
        "Pass",
        "3NT",
        "Pass",
        "Pass",
        "Pass",
    ]
    enter(page, "♠AJ6532 ♥K742 ♦Q ♣96")
    assert chips(page)[0] == "E calls 1NT"  # South leads
    assert share(page, "SA", "S") == "100"
    assert page.locator("#conflict").is_hidden()
    enter(page, "W:KQ84.75.KJ73.A98")  # another hand is another deal
    assert (chips(page), page.input_value("#observer")) == ([], "W")
    enter(page, "(1H)")
    assert chips(page) == ["S calls 1H"]
    click(page, "#reset")
    assert "hand=KQ84.75.KJ73.A98" in page.url  # not the moment of the first visit
    deal = (
        "md|1SAJ6532HK742DQC96,SKQ84H95DKJ73CA84,ST97HAQ3DA9852CK7|sv|o|"
        "mb|1N|mb|p|mb|3N|mb|p|mb|p|mb|p|pc|H5|"
    )
    for link in (deal, deal.replace("|", "%7C").replace(",", "%2C")):
        enter(
            page,
            f"https://viewer.example/handviewer.html?lin=pn|a,b,c,d|st||{link}&zoom=1",
        )
        assert "Step 0 of" in page.inner_text("#step-words")
        assert "hand=AJ6532.K742.Q.96" in page.url
    enter(page, f"{page.url.split('#')[0]}#{HAND}&void=E:H")
    assert page.url.endswith(f"#{HAND}&void=E:H")
    click(page, "#undo")
    assert "hand=AJ6532.K742.Q.96" in page.url


@pytest.mark.parametrize("width", [pytest.param(400, marks=pytest.mark.slow), 1280])
def test_a_ranking_sharpens_while_it_is_watched(tab, width):
    page = tab("", viewport={"width": width, "height": 900})
    choose(page, "#moment", "lead")
    count_solved = """() => {
        const notes = document.getElementById('leads-notes').textContent;
        return Number(/From ([0-9]+) solved/.exec(notes)[1]);
    }"""
    solved_at_first = page.evaluate(count_solved)
    assert "More are being solved" in page.inner_text("#leads-notes")
    page.wait_for_function(
        f"first => ({count_solved})() >= 1.9 * first", arg=solved_at_first
    )
    assert page.locator("#leads tbody tr").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # A click ends it, and finds a process that computes.
    click(page, '#compass [data-key="h-SQ"]')
    assert "More are being solved" not in page.inner_text("#leads-notes")
    assert chips(page)[-1] == "W plays SQ"


def test_a_contradiction_marks_its_chips_and_undo_takes_it_back(tab):
    page = tab()
    page.select_option("#mode", "holds")
    page.select_option("#seat", "E")
    click(page, '#picker [data-card="HA"]')
    assert share(page, "HA", "E") == "100"
    add(page, "length", seat="W", suit="S", low="5", high="13")
    add(page, "void", seat="E", suit="H")
    assert page.locator("#chips li.conflict").count() == 2
    assert chips(page) == ["E holds HA", "W has 5 to 13 cards in S", "E is void in H"]
    assert "cannot hold together" in page.inner_text("#conflict")
    click(page, "#undo")
    assert page.locator("#conflict").is_hidden()
    assert len(chips(page)) == 2
    click(page, "#redo")
    assert page.locator("#chips li.conflict").count() == 2
    click(page, "#chips li:first-child button")
    assert page.locator("#conflict").is_hidden()
    assert share(page, "HA", "E") == "0"


@pytest.mark.slow
def test_the_table_can_be_set_in_every_way(tab):
    page = tab()
    page.click("#setup summary")
    choose(page, "#observer", "W")
    assert share(page, "SA", "W") == "100"
    choose(page, "#dummy", "E")
    choose(page, "#first", "N")
    assert "North is to call" in page.inner_text("#turn-to-call")
    call(page, "1NT")
    assert page.locator("#first").is_disabled()
    panel(page, "more")
    choose(page, "#bidder", "style")
    assert "with a style" in page.inner_text("#models")
    page.select_option("#bidder", "")
    page.fill("#slip", "0.05")
    page.keyboard.press("Enter")
    settled(page)
    assert "5 % slips" in page.inner_text("#models")
    page.select_option("#mode", "hand")
    page.click('#picker [data-card="C2"]')
    assert "1 more card makes West's hand" in page.inner_text("#pick-hint")
    click(page, '#picker [data-card="C2"]')
    assert share(page, "C2", "W") == "100"
    choose(page, "#players", "4")
    assert chips(page) == []
    choose(page, "#vulnerable", "EW")
    choose(page, "#system-EW", "weak-twos")
    assert "system=EW:weak-twos" in page.url
    assert "weak-twos" in page.inner_text("#models")
    choose(page, "#system-NS", "weak-twos")
    assert "system=weak-twos" in page.url
    choose(page, "#style-NS", "strong-club")
    style = json.dumps(PairStyle("Ash+Elm", np.full(16, 0.5), np.eye(16), 9).to_dict())
    page.set_input_files(
        "#file", {"name": "own.json", "mimeType": "", "buffer": style.encode()}
    )
    # West looks, so the style is that of its opponents.
    page.wait_for_function("() => location.hash.includes('style=NS:Ash%2BElm.9.')")
    settled(page)
    assert "NS bid as Ash+Elm did at 9 tables" in page.inner_text("#models")
    assert "Ash+Elm, 9 tables" in page.inner_text("#style-EW")
    choose(page, "#style-NS", "")
    assert "style" not in page.url
    add(page, "where", text="aces(north) >= 2")
    assert chips(page)[-1].endswith("aces(north) >= 2")
    assert "Cards are judged by" in page.inner_text("#models")
    choose(page, "#player", "none")
    assert "Cards say no more than where they lie" in page.inner_text("#models")
    click(page, "#reset")
    assert page.evaluate("location.hash") == f"#{HAND}"


@pytest.mark.slow
def test_contracts_comparison_layouts_and_downloads(tab):
    page = tab()
    choose(page, "#contract", "3NT")
    assert "3NT by S: It makes with" in page.inner_text("#odds")
    choose(page, "#declarer", "W")
    assert "3NT by W" in page.inner_text("#odds")
    panel(page, "more")
    page.click("#keep")
    add(page, "void", seat="E", suit="H")
    assert "HA" not in page.inner_text("#compare-words")
    assert page.locator("#compare tbody").count() == 9
    assert "33.3 %" in page.inner_text("#compare table")
    click(page, "#swap")
    assert chips(page) == []
    click(page, "#swap")
    panel(page, "layouts")
    page.click("#deal")
    page.wait_for_selector(".layout")
    assert page.locator(".layout").count() == 6
    panel(page, "more")
    for button, check in [
        (
            "#get-toml",
            lambda text: tomllib.loads(text)["evidence"] == [{"void": "E:H"}],
        ),
        ("#get-report", lambda text: text.startswith("<!DOCTYPE html>")),
    ]:
        with page.expect_download() as waiting:
            page.click(button)
        assert check(Path(waiting.value.path()).read_text("utf-8"))
    page.click("#copy")
    assert page.input_value("#link") == page.url
    page.click("summary:has-text('Python')")
    names = {}
    exec(page.inner_text("#python"), names)
    assert names["belief"].count() == 705825434349000
    assert page.inner_text("#command").startswith("bayesbridge estimate --observer S")
    click(page, "#drop-a")
    assert page.locator("#compare").is_hidden()


def test_a_link_gives_the_same_page_again(tab):
    compared = HAND.replace("&", "%26").replace("=", "%3D")
    page = tab(f"#{HAND}&void=E:H&length=W:S:5-13&show=more&with={compared}")
    page.wait_for_selector("#compare table")
    linked_page = tab("#" + page.url.split("#")[1])
    linked_page.wait_for_selector("#compare table")
    assert linked_page.inner_text("#heat") == page.inner_text("#heat")
    assert (
        chips(linked_page)
        == chips(page)
        == ["E is void in H", "W has 5 to 13 cards in S"]
    )
    assert linked_page.inner_text("#compare") == page.inner_text("#compare")


def test_a_link_says_what_it_does_not_know(tab):
    page = tab(f"#{HAND}&auction=1NT+p&void=E:H&first=Q")
    words = page.inner_text("#notice")
    assert "auction=1NT p, first=Q" in words
    assert "write call=N:1NT for each call" in words
    assert chips(page) == ["E is void in H"]
    click(page, "#chips button")
    assert page.locator("#notice").is_hidden()


def test_a_dropped_file_is_stepped_through(tab):
    page = tab()
    page.evaluate(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "match.pbn"));
            const drop = {dataTransfer: transfer, bubbles: true};
            document.body.dispatchEvent(new DragEvent("drop", drop));
        }""",
        BOARD,
    )
    page.wait_for_selector("#stepper:not([hidden])")
    settled(page)
    assert "Step 0 of 14" in page.inner_text("#step-words")
    assert page.input_value("#players") == "4"
    click(page, "#step-next")
    assert chips(page) == ["N calls 1D"]
    page.click("#step-next")
    click(page, "#step-back")
    assert chips(page) == ["N calls 1D"]
    position = b'observer = "S"\nhand = "AKQ2.KJ3.A54.Q32"\n'
    page.set_input_files(
        "#file", {"name": "p.toml", "mimeType": "", "buffer": position}
    )
    page.wait_for_function("() => location.hash.startsWith('#observer=S&hand=AKQ2')")
    page.set_input_files(
        "#file", {"name": "bad.pbn", "mimeType": "", "buffer": b"nothing"}
    )
    page.wait_for_function(
        "() => document.getElementById('entry-error').textContent.includes('no board')"
    )
    page.problems.clear()  # the browser tells of every request that is refused


@pytest.mark.slow
def test_a_record_is_reviewed_and_a_line_leads_to_its_moment(tab):
    page = tab()
    page.set_input_files(
        "#file", {"name": "match.pbn", "mimeType": "", "buffer": BOARD.encode()}
    )
    page.wait_for_selector("#stepper:not([hidden])")
    settled(page)
    page.click("#start-review")
    page.wait_for_selector("#by-player tbody")
    assert page.inner_text("#start-review") == "Review the play"
    click(page, "#costly button >> text=1 North ♥\ufe0e2")
    assert chips(page)[-1] == "W plays H4"  # the moment before, as North saw it
    assert page.locator("#leads tbody tr").first.is_visible()
    assert "4 of 52 cards are on record" in page.inner_text("#review-words")
    bare = BOARD.split("[Play")[0].encode()
    page.set_input_files("#file", {"name": "bare.pbn", "mimeType": "", "buffer": bare})
    page.wait_for_selector("#review", state="hidden")
    page.click("#start-review")
    page.wait_for_function(
        "() => document.getElementById('review-words').textContent.includes('no cards played')"
    )


def test_a_server_that_comes_back_is_asked_again(tab):
    page = tab()
    page.context.set_offline(True)
    page.select_option("#mode", "lacks")
    page.select_option("#seat", "E")
    page.click('#picker [data-card="HA"]')
    page.wait_for_function(
        "() => document.getElementById('status').textContent.includes('does not answer')"
    )
    page.context.set_offline(False)
    page.wait_for_function(
        "() => document.querySelector('[data-place=HA-E]').textContent === '0'",
        polling=50,
    )
    settled(page)
    assert chips(page) == ["E lacks HA"]
    page.problems = []  # the browser told of what it could not reach
