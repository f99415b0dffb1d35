"""The report's page: whole, self-contained, true to the result.

In a real browser light and dark, wide and narrow.
"""

import contextlib
import io
import re
from html import unescape
from html.parser import HTMLParser

import pytest

import bayesbridge as bb
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.views.html import INK, PAPER
from tests import positions


class Page(HTMLParser):
    """Elements, texts and identifiers of a page.

    Unclosed or crossed elements are an error.
    """

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.elements = []
        self.words = []
        self.ids = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id"]
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).replace("\ufe0e", "").split())


@pytest.fixture(scope="module")
def question():
    belief = positions.called()
    posterior = belief.infer(rng=7)
    result = bb.estimate(posterior, ["capture", "bid"], pair="S:N")
    steps = bb.sharpening(belief, pair="S:N", level=6, draws=100)
    return posterior, result, {"steps": steps}


@pytest.fixture(scope="module")
def html(question):
    posterior, result, options = question
    named = {"title": "Seat <E> & friends", "command": "bayesbridge report …"}
    return bb.html_report(posterior, result, **named, **options)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_nothing_comes_from_elsewhere(html, page):
    assert "://" not in html
    assert INK not in html  # pictures take the colours of the page
    assert PAPER not in html
    # The one script remembers the colours of the suits.
    assert [attrs for tag, attrs in page.elements if tag == "script"] == [{}]
    assert not {"link", "iframe", "img", "object", "embed", "base"} & {
        tag for tag, _ in page.elements
    }
    for _, attrs in page.elements:
        assert attrs.get("href", "#").startswith("#")
        assert "src" not in attrs
        assert not any(key.startswith("on") for key in attrs)
    assert not re.search(r"@import|url\((?!#)", html)


def test_identifiers_are_unique_and_references_lead_to_one(html, page):
    assert len(page.ids) == len(set(page.ids)) > 100
    wanted = {attrs["href"][1:] for _, attrs in page.elements if "href" in attrs}
    wanted |= set(re.findall(r"url\(#([^)]+)\)", html))
    assert wanted <= set(page.ids)


def test_every_section_is_there(page):
    heads = [
        "The table",
        "Points of the hidden hands",
        "What can be made",
        "What was seen",
        "Every card and every suit",
        "How the belief sharpened",
        "Captures by the paper's rule, and other estimators",
        "How it was computed",
    ]
    places = [page.text.index(f" {head} ") for head in heads]
    assert places == sorted(places)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("figure") == tags.count("figcaption") == 2
    assert tags.count("h1") == tags.count("main") == tags.count("title") - 2 == 1
    assert tags.count("details") == 4


def test_three_sentences_come_first(question, html):
    """Strength, honours, tricks: each figure by another way than the page's own."""
    posterior, _, _ = question
    sentences = re.findall(
        r"<p>(.*?)</p>", re.search(r'<div class="short">(.*?)</div>', html)[1]
    )
    assert len(sentences) == 3
    points = posterior.expect(lambda layouts: layouts.points[:, [2, 3]])
    assert sentences[0].startswith(f"Points: South {points[0]:.0f} (80 %: ")
    assert sentences[0].endswith(f"), West {points[1]:.0f}.")
    assert sentences[1].startswith("No missing ace, king or queen is likelier")
    assert re.fullmatch(
        r"Of all games .* by South has the best chance: .* tricks on average\.",
        sentences[2],
    )


def test_the_diagram_shows_known_cards_and_what_to_expect(question, html):
    posterior, _, _ = question
    shown = re.findall(r"<b>(\w+)[^<]*</b><table><tbody>(.*?)</tbody>", html)
    hands = {seat: re.findall(r"</i></td><td>(.*?)</td>", rows) for seat, rows in shown}
    assert hands["North"] == ["J 5 4", "A Q 2", "K Q 7 6", "A 5 4"]
    assert hands["East"] == ["10 9 6 3", "9 8 6 4", "J 10 8", "J 7"]
    assert [held.partition(" ≈")[0] for held in hands["South"]] == [
        "A K 2 …",
        "K 3 …",
        "A …",
        "Q 2 …",
    ]
    lengths = posterior.length_probabilities().sel(seat="S", suit="S")
    assert hands["South"][0].endswith(
        f"≈ {float((lengths * lengths.length).sum()):.1f}"
    )


def test_texts_are_escaped(html, page):
    assert "<E>" not in html
    assert "Seat <E> & friends" in page.text


def test_the_code_on_the_page_gives_the_numbers_on_it(question, html):
    _, result, _ = question
    code = Page(re.search(r"in Python:</p>(<pre>.*?</pre>)", html, re.DOTALL)[1]).words[
        0
    ]
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)
    assert names["result"].identical(result)


def test_a_contract_has_a_section_of_its_own():
    posterior = positions.quiet().infer(rng=1)
    contract_tree = bb.estimate(posterior, contract="1NT", solve=0, rng=1)
    odds = ContractOdds.of_tree(contract_tree)
    html = bb.html_report(posterior, bb.estimate(posterior), contract=contract_tree)
    page = Page(html)
    assert f"Whether {odds.contract} makes" in page.text
    assert odds.sentence in page.text
    assert odds.caution in page.text
    likeliest = int(odds.pmf.argmax())
    assert re.search(
        rf'<th scope="row">{likeliest}</th><td[^>]*>{100 * odds.pmf[likeliest]:.1f} %</td>',
        html,
    )
    names = {"bb": bb, "posterior": posterior}
    exec(
        re.search(r"^contract = .*$", unescape(html), re.MULTILINE)[0].removesuffix(
            "</pre>"
        ),
        names,
    )
    assert names["contract"]["contract"].identical(contract_tree["contract"])
    assert "Whether" not in Page(bb.html_report(posterior, bb.estimate(posterior))).text
