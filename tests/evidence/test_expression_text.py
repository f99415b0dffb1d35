"""Texts of expressions are read back as the same expression."""

import pytest

from bayesbridge.evidence.expression_text import LONGEST, short_text, text_of
from bayesbridge.evidence.parser import parse_expression

pytestmark = pytest.mark.quick

TEXTS = {
    "(1+2)*3": "(1 + 2) * 3",
    "!(hcp(north)>9)&&1": "!(hcp(north) > 9) && 1",
    "!cccc(east)": "!(cccc(east) - (short(east) ? 100 : 50))",
    "spade(west)": "spades(west)",
    "hcps(west,heart)": "hcp(west, hearts)",
    "tens(south)": "tens(south)",
    "hascard(south,ST)": "hascard(south, TS)",
    "trick(east,notrump)": "tricks(east, notrumps)",
    "score(nonvul,x3N,tricks(north,spade))": "score(nv, x3N, tricks(north, spades))",
    "imp(100)+rnd(3)": "imps(100) + rnd(3)",
    "1?2:3": "1 ? 2 : 3",
    "(1==2)+1": "(1 == 2) + 1",
    "1<2 and 2<3 or 0": "(1 < 2 && 2 < 3) || 0",
    "shape(north,4333+5332)": "shape(north, 4333 + 5332)",
    "shape(north,4333-4333)": "shape(north, none)",
    "shape(north,any 4333+5332)": "shape(north, 3334 + 3343 + … 5 shapes)",
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_have_blanks_and_the_brackets_that_are_needed(text):
    expression = parse_expression(text)
    assert text_of(expression) == TEXTS[text]
    if not any(word in TEXTS[text] for word in ("short", "none", "…")):
        assert parse_expression(TEXTS[text]) == expression


def test_a_message_shows_the_begin_of_a_long_expression():
    longest = f"12345{' || 1' * 19}"
    assert len(longest) == LONGEST
    assert short_text(parse_expression(longest)) == longest
    longer = f"123456{' || 1' * 19}"
    assert text_of(parse_expression(longer)) == longer
    assert short_text(parse_expression(longer)) == f"{longer[: LONGEST - 2]} …"
