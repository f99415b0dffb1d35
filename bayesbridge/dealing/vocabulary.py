"""The words of the dealer language that stand for seats, suits, measures and cards; singular and plural alike."""

from __future__ import annotations

from typing import Final

from bayesbridge.cards import RANKS
from bayesbridge.dealing.holdings import CONTROLS, COUNTS, LOSERS, POINTS, Measure

SEATS: Final = {"north": 0, "east": 1, "south": 2, "west": 3}
SUITS: Final = {
    word: suit for suit, name in enumerate(("club", "diamond", "heart", "spade")) for word in (name, f"{name}s")
}
STRAINS: Final = {**SUITS, "notrump": 4, "notrumps": 4}
SUIT_LETTERS: Final = "CDHS"
STRAIN_LETTERS: Final = {"C": 0, "D": 1, "H": 2, "S": 3, "N": 4, "NT": 4}
VULNERABILITIES: Final = {"none": "None", "ns": "NS", "ew": "EW", "all": "All"}

MEASURES: Final[dict[str, Measure]] = {
    **dict.fromkeys(("hcp", "hcps"), POINTS),
    **dict.fromkeys(("control", "controls"), CONTROLS),
    **dict.fromkeys(("loser", "losers"), LOSERS),
}
"""Measures that a script cannot change, but for the points."""

COUNT_WORDS: Final = {
    **{f"pt{number}": number for number in range(10)},
    **{count.name: number for number, count in enumerate(COUNTS)},
    **{count.name.removesuffix("s"): number for number, count in enumerate(COUNTS) if count.name.endswith("s")},
}
"""Words for the ten counts that ``altcount`` can change."""

COMMANDS: Final = frozenset(
    (
        *("predeal", "condition", "produce", "generate", "dealer", "vulnerable", "pointcount", "altcount", "action"),
        "seed",
    )
)
PRINTS: Final = frozenset(("printall", "printew", "printpbn", "printcompact", "printoneline", "printes", "print"))
ACTIONS: Final = PRINTS | {"average", "frequency", "evalcontract"}
FUNCTIONS: Final = frozenset(
    (*MEASURES, *COUNT_WORDS, *SUITS, "shape", "hascard", "quality", "cccc", "tricks", "trick", "score", "imps", "imp")
) | {"rnd"}
OPERATORS: Final = frozenset(("and", "or", "not", "any"))
RESERVED: Final = COMMANDS | ACTIONS | FUNCTIONS | OPERATORS | frozenset((*SEATS, *STRAINS))


def card_of(word: str) -> int | None:
    """The number of a card written as rank and suit, ``AS`` or ``TC``; also as ``SA``. ``None`` if it is none.

    >>> card_of("AS"), card_of("C2"), card_of("XY")
    (51, 0, None)
    """
    if len(word) == 2:
        for rank, suit in ((word[0], word[1]), (word[1], word[0])):
            if rank in RANKS and suit in SUIT_LETTERS:
                return 13 * SUIT_LETTERS.index(suit) + RANKS.index(rank)
    return None
