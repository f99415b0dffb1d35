"""HTML of values: small, complete, self-contained, with foreign text escaped."""

import re
from itertools import chain

import pytest

import bayesbridge as bb
from tests import positions
from tests.views.test_report import Page

DEAL = "N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -"
MOST_BYTES = 50_000


@pytest.fixture(scope="module")
def values(posterior, result):
    deal = bb.Deal.of(DEAL)
    return {
        "hand": deal["N"],
        "part of a hand": bb.Hand.of("SA HK"),
        "deal": deal,
        "auction": bb.Auction.of("S:1H Pass 1NT 2C Pass"),
        "auction of three": bb.Auction.of("S:1NT Pass Pass", dummy="N"),
        "passed out": bb.Auction.of("N:Pass Pass Pass Pass"),
        "empty auction": bb.Auction.three(),
        "belief": posterior.belief,
        "posterior": posterior,
        "drawn": positions.passed().infer("likelihood-weighting", draws=100, rng=1),
        "result": result,
    }


def test_every_value_is_a_small_piece_of_html_that_needs_nothing(values):
    for name, value in values.items():
        shown = value._repr_html_()
        page = Page(shown)
        assert len(shown.encode()) < MOST_BYTES, name
        assert page.text, name
        assert not re.search(r"<script|<link|<img|https?:|url\(", shown), name
        keys = {*chain.from_iterable(attrs for _, attrs in page.elements)}
        assert not keys & {"src", "href", "onclick", "onload", "id"}, name


@pytest.mark.parametrize(
    ("auction", "words"),
    [
        (
            bb.Auction.of("S:1H Pass 1NT 2C Pass"),
            "West North East South 1 ♥ Pass 1NT 2 ♣ Pass ?",
        ),
        (
            bb.Auction.of("S:1NT Pass Pass", dummy="N"),
            "West East South 1NT Pass Pass The contract is 1NT by S.",
        ),
        (
            bb.Auction.of("N:Pass Pass Pass Pass"),
            "West North East South Pass Pass Pass Pass Passed out.",
        ),
        (bb.Auction.three("E"), "West East South ?"),
    ],
)
def test_an_auction_is_a_table_of_the_seats_that_bid(auction, words):
    assert Page(auction._repr_html_()).text == words


def test_a_belief_says_what_was_seen_and_how_many_layouts_fit(posterior):
    text = Page(posterior.belief._repr_html_()).text
    for piece in posterior.belief.evidence[1:]:
        assert str(piece) in text
    assert "8 568 layouts fit: 13.1 bits." in text
    assert "South 1NT" in text


def test_a_belief_that_cannot_be_says_why():
    """West's points can only be 1, 3 or 4.

    They can only come from the jack of hearts and the king of clubs.
    """
    belief = positions.quiet().given(bb.Lacks("W", "SQ"), bb.HighCards("W", 2, 2))
    text = Page(belief._repr_html_()).text
    with pytest.raises(bb.errors.Contradiction) as caught:
        belief.count()
    assert " ".join(str(caught.value).split()) in text


def test_a_result_says_which_figures_are_estimated(values):
    """Points are by draws where their tables would be too large.

    Tricks of the network are by draws, and T is counted.
    """
    drawn = Page(bb.estimate(values["drawn"])._repr_html_()).text
    assert re.search(
        r"Estimated: probabilities ± .* \(one standard error\)\. .* "
        r"Sampled: cards and lengths, points, T\.",
        drawn,
    )
    result = bb.estimate(positions.wide().infer(draws=60, rng=1), ["capture", "tricks"])
    text = Page(result._repr_html_()).text
    assert "Sampled: tricks." in text
    assert "Tricks of South, dummy North, in no trumps" in text
    assert "conditions fail" in text


def test_text_of_strangers_is_escaped(posterior):
    @bb.plugins.estimator("odd", doc="<script>alert('&')</script>.", dtype="int8")
    def odd(deal, question):
        return 1

    shown = bb.estimate(posterior, odd)._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown


def test_deals_show_themselves():
    deals = bb.deals(12, rng=1)
    assert str(deals).splitlines() == [
        *(deal.pbn for deal in deals[:10]),
        "… and 2 more deals.",
    ]
    text = Page(deals._repr_html_()).text
    assert (text.count("North"), text.count("… and 2 more deals.")) == (10, 1)
