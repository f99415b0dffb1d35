"""Families of calls: what they show in every suit, and how sections name them."""

from functools import cache

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.families import CallPattern, Family
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.bidders.systems import System
from bayesbridge.plugins import high_card_points
from tests.deals import deal_masks

START = bb.Auction.four("N")
RANDOM_HANDS = 40_000
LIKELY = 0.998
"""Share of the probability whose hands are followed from one call to the next."""


@cache
def random_hands():
    return deal_masks(RANDOM_HANDS // 4, 21).ravel()


def caller_hands(bidder, calls):
    """Hands that the last caller may hold by its own calls, and their weights."""
    auction = START.after_all(calls)
    hands = random_hands()
    logs = np.zeros(len(hands))
    for index in range((len(auction.calls) - 1) % 4, len(auction.calls), 4):
        logs = logs + bidder.log_likelihood(hands, auction, index)
        weights = np.exp(logs - logs.max())
        order = np.argsort(-weights)
        cumulative = weights[order].cumsum()
        kept = order[: 1 + np.searchsorted(cumulative, LIKELY * cumulative[-1])]
        hands = hands[kept]
        logs = logs[kept]
    weights = np.exp(logs - logs.max())
    return hands, weights / weights.sum()


def lengths(hands):
    """(n, 4) clubs, diamonds, hearts, spades."""
    of_suit = [np.uint64(0x1FFF << 13 * suit) for suit in range(4)]
    return np.column_stack([np.bitwise_count(hands & mask) for mask in of_suit])


TEXTBOOK = [
    ("1C P 1D P 2H", lambda points, cards: (points >= 16) & (cards[:, 0] >= 5)),
    ("1D P 1S P 2H", lambda points, cards: points >= 16),
    ("1H P 1S P 3C", lambda points, cards: points >= 17),
    ("1C P 1D P 1H", lambda points, cards: cards[:, 2] >= 4),
    ("1C P 1H P 1S", lambda points, cards: cards[:, 3] >= 4),
    ("1H P 1S P 2NT", lambda points, cards: cards.min(axis=1) > 1),
    (
        "1H P 1S P 3H",
        lambda points, cards: (points >= 15) & (points <= 18) & (cards[:, 2] >= 6),
    ),
    ("1H P 1S P 4S", lambda points, cards: points >= 17),
    ("1NT X", lambda points, cards: points >= 15),
    ("1H P 3H P 4H", lambda points, cards: points <= 19),
]


@pytest.mark.parametrize("system", ["sayc", "two-over-one"])
@pytest.mark.parametrize(("calls", "shows"), TEXTBOOK)
def test_calls_show_what_players_of_the_system_mean(system, calls, shows):
    hands, weights = caller_hands(SystemBidder(system), calls)
    fits = shows(high_card_points(hands), lengths(hands))
    share = weights @ fits
    error = np.sqrt(weights**2 @ (fits - share) ** 2)
    assert share > 0.85 - 3 * error, (share, error)


@pytest.mark.parametrize(
    ("calls", "word", "expected"),
    [
        ("1D P 1S P", "reverse-z", "2H"),
        ("1H P 2C P", "reverse-z", "2S"),
        ("1C P 1NT P", "reverse-z", "2D 2H 2S"),
        ("1C P 1D P", "1z", "1H 1S"),
        ("1C P 1D P", "jump-z", "2H 2S"),
        ("1H P 1S P", "jump-z", "3C 3D"),
        ("1H P 1S P", "2z", "2C 2D"),
        ("1D P 1S P", "splinter-z", "3H 4C"),
        ("1H P 2H P", "2z", "2S"),
        ("1H X P", "4z", "4C 4D 4S"),
    ],
)
def test_words_of_calls_name_those_of_a_family(calls, word, expected):
    """The letters x and y are the first two suits."""
    before = START.after_all(calls).calls
    named = [call.strain.trump for call in before if call.strain is not None]
    in_order = dict.fromkeys(suit for suit in named if suit is not None)
    suits = dict(zip("xy", in_order, strict=False))
    pattern = CallPattern.of(word)
    legal = START.after_all(calls).legal_calls()
    fitting = [call for call in legal if pattern.match(call, before, suits) is not None]
    assert " ".join(map(str, fitting)) == expected


def test_letters_stand_for_the_same_suits_in_a_section_and_its_statements():
    family = Family.of("1M Pass 2m Pass", {"2O": ("11+ points, M5+ O4+ m-2",)})
    meanings = family.meanings(START.after_all("1S P 2C P").calls)
    texts = {str(call): statement.text for call, (statement,) in meanings.items()}
    assert texts == {"2H": "11+ points, S5+ H4+ C-2"}
    assert family.meanings(START.after_all("1D P 2C P").calls) == {}


OWN = """
like = "sayc"
["after 1x Pass 1y Pass"]
2NT = "17-18 points, balanced"
["after 1C Pass 1D Pass"]
1NT = "15-17 points, balanced"
["after 1S Pass …"]
"""


def test_sections_with_letters_add_to_a_system_and_others_replace_it(tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    own = System.of(str(tmp_path / "own.toml"))
    sayc = System.of("sayc")

    def texts(system, calls):
        meanings = system.meanings(START.after_all(calls)) or {}
        texts_by_call = {}
        for call, statements in meanings.items():
            texts_by_call[str(call)] = [statement.text for statement in statements]
        return texts_by_call

    changed = texts(sayc, "1D P 1S P") | {"2NT": ["17-18 points, balanced"]}
    assert texts(own, "1D P 1S P") == changed
    assert texts(own, "1C P 1D P") == {
        "1NT": ["15-17 points, balanced"],
        "2NT": ["17-18 points, balanced"],
    }
    assert texts(own, "1S P") == {}
    assert texts(own, "1S P 2C P") == {}
    assert texts(own, "1H P") == texts(sayc, "1H P")


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ('["after 1x Pass"]\n1z = "11 pints"', "own.toml:2: 1z: "),
        ('["after 1x Pass 1y Pass"]\n2x = "w4+"', "the letter w stands for no suit"),
        ('["after 1x Pass"]\nreverse-z = "16+ points"', "no such call is possible"),
    ],
)
def test_a_family_that_cannot_be_is_refused(section, line, tmp_path):
    (tmp_path / "own.toml").write_text(section)
    with pytest.raises(bb.errors.NotationError, match=line):
        System.of(str(tmp_path / "own.toml"))


@pytest.mark.parametrize(
    ("system", "calls", "call", "text"),
    [
        ("two-over-one", "1S P", "2C", "12+ points, C3+"),
        ("two-over-one", "P P 1S P", "2C", "9-12 points, S3+"),
        ("two-over-one", "P 1S P", "2C", "12+ points, C3+"),
        ("sayc", "P P 1S P", "2C", "10+ points, C4+"),
        ("sayc+drury", "P P 1S P", "2C", "9-12 points, S3+"),
        ("two-over-one", "1S P", "3D", "16+ points, D5+"),
        ("two-over-one+bergen", "1S P", "3D", "10-12 points, S4+"),
        ("two-over-one+bergen", "1S P", "3H", "16+ points, H5+"),
    ],
)
def test_conventions_take_the_place_of_calls_of_a_system(system, calls, call, text):
    meanings = System.of(system).meanings(START.after_all(calls))
    assert meanings[bb.Call.of(call)][0].text == text
