"""Names and figures as people read them: on the screen, on pages, in pictures."""

from __future__ import annotations

import re
import sys
from typing import Final

SEATS: Final = {"N": "North", "E": "East", "S": "South", "W": "West"}

SYMBOLS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
"""Suit letters in the order of hands, with their symbols."""

SUITS: Final = {"S": "♠ spades", "H": "♥ hearts", "D": "♦ diamonds", "C": "♣ clubs"}

STRAINS: Final = {
    "NT": "no trumps",
    "S": "spades",
    "H": "hearts",
    "D": "diamonds",
    "C": "clubs",
}


def card_words(card: object) -> str:
    """A card with its symbol, or several cards of one suit.

    >>> card_words("ST"), card_words("D864")
    ('♠10', '♦8 6 4')
    """
    name = str(card)
    return SYMBOLS[name[0]] + " ".join(name[1:]).replace("T", "10")


_CARDS: Final = re.compile(r"\b[SHDC][AKQJT2-9]+\b(?!\.)")
"""A card, or several of one suit; not the first suit of a hand such as ``SA.HK``."""

_SUIT_AFTER_IN: Final = re.compile(r"(?<= in )[SHDC]\b")


def with_symbols(text: object) -> str:
    """A sentence with the cards in it as people write them.

    >>> with_symbols("W plays ST; E is void in H; N calls 1S; 'W:H5 HK'")
    "W plays ♠10; E is void in ♥; N calls 1S; 'W:♥5 ♥K'"
    """
    with_cards = _CARDS.sub(lambda cards: card_words(cards[0]), str(text))
    return _SUIT_AFTER_IN.sub(lambda suit: SYMBOLS[suit[0]], with_cards)


CAPTURES: Final = (
    "T counts captures by the paper's rule (Algorithm 2), without a defence: it is not "
    "the number of tricks at the table, which the estimator tricks gives. Where its two "
    "conditions fail it gives no number."
)
WITHOUT_TRUMPS: Final = "T is counted without trumps."
MADE: Final = "P(made), double dummy from the deal"
NOT_FROM_THE_DEAL: Final = {"solved": ", from here on", "settled": ", settled"}
"""What follows a chance that does not rest on the network, by its basis."""
LETTERS: Final = (
    "c₁, c₂, c₀: cards of the first hand, of the second, of neither. δ: cards above the "
    "pair's highest one. M: the longer of the two holdings; κ: captures. χ = T + (6 − "
    "Z), which ends the rule at 13; Z: the budget for gaps."
)
BITS: Final = (
    "Bits measure what is unknown: one bit less halves the number of equally likely "
    "layouts."
)


def game(dummy: str | None) -> str:
    """Which game is spoken of.

    ``dummy`` is the letter of the seat that does not bid, ``None`` where all four do.

    >>> print(game(None), game("N"), sep="\\n")
    Bridge, where all four seats bid.
    The paper's game of three, where North does not bid.
    """
    if dummy is None:
        return "Bridge, where all four seats bid."
    return f"The paper's game of three, where {SEATS[dummy]} does not bid."


def game_with_choice(dummy: str | None) -> str:
    """The same, with the option that asks for the other game.

    >>> print(game_with_choice(None), game_with_choice("N"), sep="\\n")
    Bridge, where all four seats bid. For the paper's game of three: --players 3.
    The paper's game of three, where North does not bid. For bridge: --players 4.
    """
    if dummy is None:
        return f"{game(dummy)} For the paper's game of three: --players 3."
    return f"{game(dummy)} For bridge: --players 4."


LEAST_SLIP: Final = 0.001
"""Share of slips, calls that a model did not mean, from which it is worth a word."""

_MODELS: Final = {
    "IterativeBidder": "the paper's bidder (Algorithm 1)",
    "LearnedBidder": "an average of experts, learned from records",
    "LearnedPlayer": "an average of experts, learned from records",
    "StyleBidder": "a bidder who weighs tricks, with a style",
    "SystemBidder": "the systems named below, else an average of experts",
}


def model_words(model: object) -> str:
    """How the others are taken to bid, or to choose cards.

    >>> from bayesbridge import IterativeBidder
    >>> model_words(IterativeBidder())
    "the paper's bidder (Algorithm 1), 2 % slips"
    """
    class_name = type(model).__name__
    words = _MODELS.get(class_name, f"the model {class_name}")
    slip = getattr(model, "slip", 0.0)
    if slip >= LEAST_SLIP:
        words += f", {100 * slip:.2g} % slips"
    return words


def printable(text: object) -> str:
    r"""Text from elsewhere as one line that a terminal shows and does not obey.

    What cannot be seen is escaped.

    >>> print(printable("Board 1\x1b[2J\u202e\n"), printable("Bäcker ♠"))
    Board 1\x1b[2J\u202e\n Bäcker ♠
    """
    line = str(text)
    if line.isprintable():
        return line
    return "".join(map(_printable_letter, line))


def _printable_letter(letter: str) -> str:
    """The letter, or its escape sequence where it cannot be seen."""
    if letter.isprintable():
        return letter
    return repr(letter)[1:-1]


def tell(line: object, begin: str = "bayesbridge: ") -> None:
    """Write one line to stderr, if there is one: under a window system there is none."""
    # Without one, print would turn to stdout.
    if sys.stderr is not None:
        sys.stderr.write(f"{begin}{printable(line)}\n")


def number(value: float | None, digits: int = 0) -> str:
    """A figure with its thousands apart; a dash where there is none.

    >>> number(5157850293780050462400), number(145674.20244, 4), number(None)
    ('5 157 850 293 780 050 462 400', '145 674.2024', '–')
    """
    if value is None:
        return "–"
    # As floats, large whole numbers would lose their last digits.
    if isinstance(value, int):
        text = f"{value:,}"
    else:
        text = f"{value:,.{digits}f}"
    return text.replace(",", " ")


SINGULAR: Final = {"are": "is", "fit": "fits"}


def counted(count: int, noun: str, verb: str = "") -> str:
    """A number of things, and what they do; one of them in the singular.

    >>> counted(1, "board"), counted(5389, "board"), counted(1, "deal", "are")
    ('1 board', '5 389 boards', '1 deal is')
    """
    if count == 1:
        return f"1 {noun} {SINGULAR.get(verb, verb)}".rstrip()
    return f"{number(count)} {noun}s {verb}".rstrip()


_UNITS: Final = (("hour", 3600), ("minute", 60), ("second", 1))


def duration(seconds: float) -> str:
    """A time as people say it, in the largest unit that it has two of.

    >>> duration(0.2), duration(95), duration(5_000), duration(126_000)
    ('1 second', '95 seconds', '83 minutes', '35 hours')
    """
    for unit, length in _UNITS:
        if seconds >= 2 * length:
            return counted(round(seconds / length), unit)
    return counted(max(round(seconds), 1), "second")


RARE: Final = 0.0005
"""Share that is shown as less than a tenth of a percent."""

_NOUGHT: Final = 1e-12
_ALL: Final = 1.0 - 1e-10
"""Bounds for what is 0 or 1 but for rounding, as the sum of ten million weights."""


def percent(share: float, digits: int = 1) -> str:
    """A probability as people read it.

    What is not quite nought or all is never shown as such.

    >>> percent(0.4426), percent(0.00001), percent(1 - 1e-7), percent(1.0)
    ('44.3 %', '<0.1 %', '>99.9 %', '100 %')
    """
    if share <= _NOUGHT:
        return "0 %"
    if share > _ALL:
        return "100 %"
    smallest_shown = 10.0**-digits
    if 100 * share < smallest_shown / 2:
        return f"<{smallest_shown:.{digits}f} %"
    if 100 * (1 - share) < smallest_shown / 2:
        return f">{100 - smallest_shown:.{digits}f} %"
    return f"{100 * share:.{digits}f} %"


def error_text(error: float, digits: int = 2, unit: str = "") -> str:
    """One standard error; nothing where it is exact.

    >>> error_text(0.125), error_text(0.0)
    (' ± 0.12', '')
    """
    if not error:
        return ""
    return f" ± {error:.{digits}f}{unit}"


COARSE_ERROR: Final = 0.005
"""Standard error of a share above which its bound has no decimals."""


def share_error(share: float, error: float) -> str:
    """What stands after a probability: its standard error, or at the edge a bound.

    The bound lies two standard errors away and holds in 95 of 100 cases.

    >>> share_error(0.44, 0.02), share_error(1.0, 0.047), share_error(0.0, 0.047)
    (' ± 2.0 %', ' (at least 91 %)', ' (at most 9 %)')
    >>> share_error(1.0, 0.0)
    ''
    >>> share_error(1.0, 0.5)  # at least 0 % says nothing
    ' ± 50.0 %'
    """
    at_edge = share < RARE or share > 1.0 - RARE
    if share < 0.5:
        side = "most"
        bound = min(share + 2 * error, 1.0)
    else:
        side = "least"
        bound = max(share - 2 * error, 0.0)
    says_nothing = bound in (0.0, 1.0)
    if not error or not at_edge or says_nothing:
        return error_text(100 * error, 1, " %")
    digits = 0 if error > COARSE_ERROR else 1
    bound_text = percent(bound, digits)
    # The share itself is shown as 0 % or 100 % so nearly: a bound would add nothing.
    if bound_text.startswith(("<", ">")):
        return ""
    return f" (at {side} {bound_text})"


def short_percent(share: float) -> str:
    """A probability in at most four characters, without the sign.

    >>> [short_percent(share) for share in (0, 0.0004, 0.004, 0.0449, 0.449, 0.9996, 1)]
    ['0', '<0.1', '0.4', '4.5', '45', '>99', '100']
    """
    hundredths = 100.0 * share
    whole_number = f"{hundredths:.0f}"
    if hundredths in (0.0, 100.0):
        return whole_number
    if hundredths < 0.05:
        return "<0.1"
    if hundredths > 99.5:
        return ">99"
    if hundredths < 9.95:
        return f"{hundredths:.1f}"
    return whole_number
