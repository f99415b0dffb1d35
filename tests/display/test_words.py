"""Names and figures as people read them, at the edges where the words change."""

import sys

import pytest

from bayesbridge.display.words import (
    card_words,
    counted,
    duration,
    error_text,
    model_words,
    number,
    percent,
    share_error,
    short_percent,
    tell,
    with_symbols,
)

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("share", "digits", "words"),
    [
        (0.0, 1, "0 %"),
        (1e-12, 1, "0 %"),
        (1.1e-12, 1, "<0.1 %"),
        (0.00049, 1, "<0.1 %"),
        (0.0005, 1, "0.1 %"),
        (0.0049, 0, "<1 %"),
        (0.006, 0, "1 %"),
        (0.5, 1, "50.0 %"),
        (0.9994, 1, "99.9 %"),
        (0.99951, 1, ">99.9 %"),
        (0.996, 0, ">99 %"),
        (1.0 - 2e-10, 1, ">99.9 %"),
        (1.0 - 0.5e-10, 1, "100 %"),
    ],
)
def test_only_nought_and_all_are_shown_as_such(share, digits, words):
    assert percent(share, digits) == words


@pytest.mark.parametrize(
    ("share", "error", "words"),
    [
        (0.44, 0.0, ""),
        (0.0005, 0.01, " ± 1.0 %"),
        (0.0004, 0.01, " (at most 2 %)"),
        (0.0, 0.005, " (at most 1.0 %)"),
        (0.0, 0.0051, " (at most 1 %)"),
        (0.0, 0.0001, ""),
        (0.9995, 0.01, " ± 1.0 %"),
        (0.9996, 0.01, " (at least 98 %)"),
        (1.0, 0.004, " (at least 99.2 %)"),
        (0.0, 0.5, " ± 50.0 %"),
    ],
)
def test_at_the_edge_a_bound_stands_for_the_error(share, error, words):
    assert share_error(share, error) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.00049, "<0.1"),
        (0.0005, "0.1"),
        (0.0994, "9.9"),
        (0.0995, "10"),
        (0.9949, "99"),
        (0.9951, ">99"),
    ],
)
def test_short_shares(share, words):
    assert short_percent(share) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 second"),
        (1.4, "1 second"),
        (1.9, "2 seconds"),
        (2.0, "2 seconds"),
        (119.4, "119 seconds"),
        (120, "2 minutes"),
        (7199, "120 minutes"),
        (7200, "2 hours"),
    ],
)
def test_a_time_is_told_in_the_largest_unit_that_it_has_two_of(seconds, words):
    assert duration(seconds) == words


def test_one_is_told_in_the_singular():
    assert counted(0, "deal", "fit") == "0 deals fit"
    assert counted(1, "deal", "fit") == "1 deal fits"
    assert counted(1, "deal", "was") == "1 deal was"
    assert counted(1000, "deal") == "1 000 deals"


def test_figures_have_their_thousands_apart():
    assert number(-1234567) == "-1 234 567"
    assert number(999.96, 1) == "1 000.0"
    assert error_text(0.5, 1, " %") == " ± 0.5 %"


def test_cards_and_suits_have_symbols_where_they_stand_alone():
    assert card_words("CT92") == "♣10 9 2"
    assert with_symbols("S.J is a hand, S5. ends") == "S.J is a hand, S5. ends"
    assert with_symbols("W has 5 cards in S") == "W has 5 cards in ♠"
    assert with_symbols("the S is a letter") == "the S is a letter"


class Model:
    slip = 0.0009


def test_slips_are_told_from_a_thousandth_on():
    assert model_words(Model()) == "the model Model"
    Model.slip = 0.001
    assert model_words(Model()) == "the model Model, 0.1 % slips"


def test_nothing_is_told_without_a_stderr(capsys, monkeypatch):
    tell("one\x07line")
    assert capsys.readouterr().err == "bayesbridge: one\\x07line\n"
    monkeypatch.setattr(sys, "stderr", None)
    tell("another line")
    assert capsys.readouterr().out == ""
