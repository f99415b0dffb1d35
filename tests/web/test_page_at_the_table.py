"""The page as a club player uses it, on a wide screen and on a phone.

What is typed is read aloud, typos jam nothing, nothing moves under the pointer, old
answers look old.
"""

import pytest

from tests.web.pages import HAND, chips, choose, click, enter, panel, settled
from tests.web.test_answers import BOARD

WIDTHS = pytest.mark.parametrize("width", [1280, 400])
SOUTH = "AQJ74.65.KJ5.A42"
SPADES = (
    f"#observer=S&hand={SOUTH}&players=4&call=S:1S&call=W:Pass&call=N:4S"
    "&call=E:Pass&call=S:Pass&call=W:Pass"
)


def sized(tab, width, position=""):
    """A page of this width; only phones have panels that must be opened."""
    return tab(position, viewport={"width": width, "height": 800})


def text_of(page, place):
    return page.locator(place).text_content()


def refusal(page, place):
    """Wait for what a field is told, and forget what the browser tells of it."""
    page.wait_for_selector(f"{place}:not([hidden])")
    page.problems.clear()
    return page.inner_text(place)


@WIDTHS
def test_a_typed_auction_says_who_opened_and_asks_where_the_hand_does_not_fit(
    tab, width
):
    page = sized(tab, width)
    enter(page, "W: AJ6532.K742.Q.96 1NT-3NT")
    assert page.inner_text("#opening-words") == (
        "You open 1NT; you call next. Your hand hardly goes with that: who opened?"
    )
    buttons = page.locator("#openers button")
    assert buttons.all_inner_texts() == ["North", "Partner", "South", "I opened"]
    buttons.nth(0).click()
    page.wait_for_function("() => location.hash.includes('call=N:1NT')")
    settled(page)
    assert page.inner_text("#opening-words") == "North opens 1NT; you call next."
    enter(page, f"S: {SOUTH} 1S p 4S AP")
    assert "East opens 1♠; you are on lead. Your hand" in page.inner_text("#opening")
    page.click("#openers button:has-text('I opened')")
    page.wait_for_function("() => location.hash.includes('call=S:1S')")
    settled(page)
    assert page.inner_text("#opening-words") == "You open 1♠; West is on lead."
    enter(page, "S: KQ84.75.KJ73.A98 (1H)")  # brackets say whose it is
    assert page.inner_text("#opening-words") == "East opens 1♥; you call next."


@WIDTHS
def test_a_fact_that_cannot_be_read_is_refused_at_its_field(tab, width):
    page = sized(tab, width, f"#{HAND}")
    if width == 400:
        panel(page, "add")
    for kind, values, words in (
        ("hcp", {"low": "12", "high": "6"}, "the lower first"),
        ("where", {"text": "aeces(north) >= 2"}, "aeces"),
    ):
        page.select_option("#add-kind", kind)
        for name, value in values.items():
            page.fill(f"#add-{name}", value)
        page.click("#add button")
        assert words in refusal(page, "#fact-error")
        assert page.get_attribute("#add", "aria-invalid") == "true"
        page.fill(f"#add-{list(values)[-1]}", "7")
        assert page.locator("#fact-error").is_hidden()
    assert chips(page) == []


@WIDTHS
def test_a_chip_that_cannot_be_read_jams_nothing(tab, width):
    page = sized(tab, width, f"#{HAND}&void=E:H&hcp=W:12-6")
    if width == 400:
        panel(page, "add")
    assert page.locator("#chips li.conflict").count() == 1
    assert "hcp W:12-6" in page.locator("#chips li.conflict").inner_text()
    assert "12 to 6" in page.inner_text("#conflict")
    if width == 400:
        panel(page, "contracts")
    click(page, '#box [data-call="1NT"]')
    assert "call=S:1NT" in page.url
    enter(page, "KQ84.75.KJ73.A98")  # another hand lets old facts go
    assert page.locator("#chips li").count() == 0
    assert page.locator("#conflict").is_hidden()


@WIDTHS
def test_a_wrong_card_is_told_at_the_field(tab, width):
    page = sized(tab, width)
    page.fill("#entry", "AKQ2.KK3.A54.Q32")
    page.press("#entry", "Enter")
    assert "K stands twice" in refusal(page, "#entry-error")
    assert page.get_attribute("#entry", "aria-invalid") == "true"
    assert page.evaluate(
        "getComputedStyle(document.getElementById('entry-error')).color"
    ) == page.evaluate(
        "getComputedStyle(document.getElementById('entry')).borderTopColor"
    )


@WIDTHS
def test_your_call_is_the_first_panel_while_you_are_to_call(tab, width):
    page = sized(tab, width)
    enter(page, "S: KQ84.75.KJ73.A98 (1H)")
    assert page.inner_text("#h-call") == "Your call"
    likeliest_call = page.locator("#calls tr").first
    assert likeliest_call.is_visible()
    assert likeliest_call.inner_text().split()[:2] == ["X", "95.3"]
    page.click("#value-calls")
    page.wait_for_selector("#values tbody tr")
    assert page.inner_text("#values tbody tr >> nth=0").split()[0] == "X"
    assert "of experts call" in page.inner_text("#values-words")
    click(page, '#box [data-call="X"]')
    assert page.inner_text("#h-call") == "West's call"
    assert page.locator("#calls").is_hidden()


PLACES = """() => [...document.querySelectorAll(
        '#picker button, .held, #entry, #add button, #tabs button, #undo'
    )]
    .filter(one => one.offsetParent)
    .map(one => [one.dataset.card ?? one.textContent, one.getBoundingClientRect().top + scrollY])"""


@WIDTHS
def test_nothing_moves_under_the_pointer(tab, width):
    page = sized(tab, width)
    page.mouse.move(1, 1)
    if width == 400:
        panel(page, "add")
    before = dict(page.evaluate(PLACES))
    assert len(before) > 52
    for card in ("H7", "CK", "C5", "DA"):
        click(page, f'#picker [data-card="{card}"]')
        after = dict(page.evaluate(PLACES))
        assert {name: after[name] for name in before if name in after} == before
    page.select_option("#mode", "holds")
    page.select_option("#seat", "W")
    place = page.locator('#picker [data-card="SA"]').bounding_box()
    click(page, '#picker [data-card="DQ"]')
    page.click("#undo")
    assert page.locator('#picker [data-card="SA"]').bounding_box() == place


@WIDTHS
def test_the_bidding_box_stays_where_it_is(tab, width):
    page = sized(tab, width, f"#{HAND}&players=4")
    where = """() => {
        const call = document.querySelector('#box [data-call="7C"]');
        return call.getBoundingClientRect().top + scrollY;
    }"""
    place = page.evaluate(where)
    for call in ("1S", "Pass", "2S", "Pass", "3C", "Pass", "3D", "Pass", "4S", "Pass"):
        click(page, f'#box [data-call="{call}"]')
        assert page.evaluate(where) == place


HELD = """() => {
    window.held = true;
    const plain = window.fetch;
    window.fetch = async (...words) => {
        while (window.held && String(words[0]).startsWith("ask")) {
            await new Promise(act => setTimeout(act, 20));
        }
        return plain(...words);
    };
}"""


@WIDTHS
def test_what_is_out_of_date_is_dimmed_and_what_runs_can_be_stopped(tab, width):
    page = sized(tab, width, f"#{HAND}")
    panel(page, "layouts")
    page.click("#deal")
    page.wait_for_selector(".layout")
    assert page.locator("#layouts.stale").count() == 0
    page.evaluate(HELD)
    enter_unanswered(page, "KQ84.75.KJ73.A98")
    dim = "#heat.stale, #hands.stale, #layouts.stale, #captures.stale"
    assert page.locator(dim).count() == 4
    assert "earlier position" in text_of(page, "#layouts-words")
    page.wait_for_function("() => document.getElementById('seconds').textContent")
    assert page.locator("#busy progress").is_visible()
    page.click("#stop")
    assert "Stopped" in page.inner_text("#status")
    assert page.locator("#heat.stale").count() == 1
    page.evaluate("window.held = false")
    click(page, "#stop")  # it says "Go on" now
    assert page.locator("#heat.stale").count() == 0
    assert page.locator("#layouts.stale").count() == 1
    assert page.locator("#busy").is_hidden()


def enter_unanswered(page, text):
    """Type a hand while answers are held back."""
    page.fill("#entry", text)
    page.press("#entry", "Enter")
    page.wait_for_function("() => document.getElementById('entry').value === ''")


@WIDTHS
def test_play_says_why_no_card_is_ranked(tab, width):
    page = sized(tab, width)
    assert "West is to play" in text_of(page, "#leads-notes")
    choose(page, "#moment", "slam")
    assert "once the auction is over" in text_of(page, "#leads-notes")


@WIDTHS
def test_the_hand_of_dummy_is_typed_where_it_lies(tab, width):
    page = sized(tab, width, SPADES)
    if width == 400:
        panel(page, "add")
    assert page.locator("#lay").is_hidden()
    click(page, '#picker [data-card="HK"]')
    page.fill("#dummy-hand", "K983.A42.T8.KJ9")
    page.press("#dummy-hand", "Enter")
    assert "add the missing 1" in refusal(page, "#dummy-error")
    page.fill("#dummy-hand", "K983.A42.T8.KJ95")
    page.press("#dummy-hand", "Enter")
    page.wait_for_selector("#lay", state="hidden")
    settled(page)
    assert chips(page)[-2:] == ["W plays HK", "N shows SK983 HA42 DT8 CKJ95"]
    click(page, "#undo")
    enter(page, "N: K983.A42.T8.KJ95")  # the one field takes it for dummy's too
    assert len(chips(page)) == 8
    assert f"hand={SOUTH}" in page.url
    click(page, "#undo")
    page.click("#click-dummy")
    assert "0 of 13 cards of North" in page.inner_text("#pick-hint")


@WIDTHS
def test_back_undoes_one_step(tab, width):
    page = sized(tab, width, f"#{HAND}")
    for call in ("1NT", "Pass"):
        if width == 400:
            panel(page, "contracts")
        click(page, f'#box [data-call="{call}"]')
    assert page.locator("#chips li").count() == 2
    for count in (1, 0):
        page.go_back()
        page.wait_for_function(
            "count => document.querySelectorAll('#chips li').length === count",
            arg=count,
        )
    settled(page)
    click(page, "#redo")
    assert page.locator("#chips li").count() == 1


@WIDTHS
def test_a_record_is_still_there_after_a_reload(tab, width):
    page = sized(tab, width)
    page.set_input_files(
        "#file", {"name": "match.pbn", "mimeType": "", "buffer": BOARD.encode()}
    )
    page.wait_for_selector("#stepper:not([hidden])")
    settled(page)
    for _ in range(3):
        click(page, "#step-next")
    page.evaluate(
        """() => {
            const saved = JSON.parse(sessionStorage.getItem("record"));
            const card = {trick: 1, seat: "N", player: "N", card: "H4", number: 2,
                verdict: "costly", best: "H2", cost: 1, cost_error: 0};
            const summary = {rows: [["North", "1", "1", "1.00", "0", "1"]], note: "As it was."};
            saved.reviewed = {cards: [card], last: 4, of: 4, summary};
            sessionStorage.setItem("record", JSON.stringify(saved));
        }"""
    )
    page.reload()
    settled(page)
    assert "Step 3 of 14" in page.inner_text("#step-words")
    assert "As it was." in text_of(page, "#review-words")
    click(page, "#step-next")
    assert "Step 4 of 14" in page.inner_text("#step-words")
    page.click("#step-back")
    page.click("#start-review")
    page.click("#start-review")
    page.wait_for_function(
        "() => document.getElementById('review-words').textContent"
        " === 'Stopped before the first card was judged.'"
    )
    click(page, "#clear")
    assert page.locator("#stepper").is_hidden()
    page.reload()
    settled(page)
    assert page.locator("#stepper").is_hidden()


@WIDTHS
def test_the_first_seconds_say_what_the_page_is(tab, width):
    page = sized(tab, width)
    label = page.locator("label[for=entry]")
    assert label.is_visible()
    assert "What do the hidden hands hold" in label.inner_text()
    entry, table = (
        page.locator(selector).bounding_box()["y"]
        for selector in ("#entry", "#compass")
    )
    assert entry < table
    assert "7♠ hangs on the ♦Q" in page.inner_text("#hint")
    assert ">99" not in page.locator("#answers").inner_text()
    if width == 400:
        panel(page, "add")
    stops = page.evaluate(
        """() => {
            const all = [...document.querySelectorAll('button, input, select, textarea, summary')];
            const add = document.querySelector('#add');
            const following = Node.DOCUMENT_POSITION_FOLLOWING;
            const before = one => one.compareDocumentPosition(add) & following;
            const stops = one => one.checkVisibility() && one.tabIndex >= 0;
            return all.filter(one => stops(one) && before(one)).length;
        }"""
    )
    assert stops <= 13


class Counted:
    """Clicks and keys of somebody at the page."""

    def __init__(self, page):
        self.page = page
        self.clicks = 0
        self.keys = 0

    def click(self, selector):
        self.clicks += 1
        click(self.page, selector)

    def type(self, field, text):
        """Click a field, type or paste, and press Enter."""
        self.clicks += 1
        self.keys += 1
        self.page.click(field)
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Enter")
        self.page.wait_for_function(
            "field => document.querySelector(field).value === ''", arg=field
        )
        settled(self.page)

    def open(self, name):
        """Open a panel where it is not in sight."""
        if not self.page.locator(f"#p-{name}").is_visible():
            self.click(f'#tabs [data-tab="{name}"]')


@WIDTHS
def test_how_many_clicks_and_keys_the_tasks_of_a_newcomer_take(tab, width):
    """No task takes more clicks than before, at 1280 and at 400 pixels.

    Bid 1 and 3, lead 1 and 3, six tricks 41 and 42, a record 1 and 2, a hand 1 and 2, T
    1 and 2.
    """
    phone = width == 400
    page = sized(tab, width)
    bid = Counted(page)
    bid.type("#entry", "S: KQ84.75.KJ73.A98 (1H)")
    assert page.locator("#calls tr").first.is_visible()
    assert (bid.clicks, bid.keys) == (1, 1)

    lead = Counted(sized(tab, width))
    lead.type("#entry", "W: AJ6532.K742.Q.96 1NT-3NT AP")
    lead.open("play")
    assert lead.page.locator("#leads tbody tr").first.is_visible()
    assert lead.clicks == (2 if phone else 1)

    record = Counted(sized(tab, width))
    record.type("#entry", BOARD)
    record.click("#step-next")
    assert record.clicks == 2

    hand = Counted(sized(tab, width))
    hand.type("#entry", "KQ84.75.KJ73.A98")
    assert "hand=KQ84.75.KJ73.A98" in hand.page.url
    assert hand.clicks == 1

    paper = Counted(sized(tab, width))
    paper.clicks += 1
    choose(paper.page, "#moment", "paper")
    paper.open("contracts")
    assert "T is" in paper.page.inner_text("#captures-words")
    assert paper.clicks == 1


@WIDTHS
def test_six_tricks_take_thirty_clicks(tab, width):
    page = sized(tab, width)
    declare = Counted(page)
    declare.type("#entry", f"S: {SOUTH} S:1S p 4S AP")
    declare.open("add")
    declare.click('#picker [data-card="HK"]')
    declare.type("#dummy-hand", "K983.A42.T8.KJ95")
    for _ in range(23):
        card = page.locator('#picker button[aria-disabled="false"]').last
        declare.click(f'#picker [data-card="{card.get_attribute("data-card")}"]')
    assert page.locator("#tricks li").count() == 6
    assert declare.clicks == (27 if width == 400 else 26)  # and 2 keys
