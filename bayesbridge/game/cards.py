"""Suits, strains, cards and hands: notation outside, inside numbers from 0 to 51 and
52-bit masks for sets of cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final

from bayesbridge.display import markup
from bayesbridge.errors import DealError, NotationError, whole

RANKS: Final = "23456789TJQKA"
SUIT_MASK: Final = 0x1FFF  # the 13 bits of one suit, before shifting
DECK_MASK: Final = (1 << 52) - 1
HIGH_CARD_POINTS: Final = (
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    2,
    3,
    4,
)  # Milton Work points by rank


class Suit(IntEnum):
    """The four suits in rising order, which is also the paper's row order.

    >>> [suit.name for suit in Suit], Suit.of("♥") < Suit.S
    (['C', 'D', 'H', 'S'], True)
    """

    C = 0
    D = 1
    H = 2
    S = 3

    @classmethod
    def of(cls, value: Suit | str) -> Suit:
        """Read a suit letter or symbol, or pass a suit through."""
        if isinstance(value, Suit):
            return value
        try:
            letter = value.strip()
            return cls[_SUIT_SYMBOLS.get(letter, letter).upper()]
        except (KeyError, AttributeError):
            raise NotationError(
                f"unknown suit {value!r}: write C, D, H or S", text=value
            ) from None


_SUIT_SYMBOLS: Final = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}


class Strain(IntEnum):
    """What a bid names: a suit as trumps, or no trumps; rising in the order of the
    auction.

    >>> Strain.of("n"), Strain.H.trump
    (<Strain.NT: 4>, <Suit.H: 2>)
    """

    C = 0
    D = 1
    H = 2
    S = 3
    NT = 4

    @property
    def trump(self) -> Suit | None:
        """The trump suit, ``None`` at no trumps."""
        return None if self is Strain.NT else Suit(int(self))

    @classmethod
    def of(cls, value: Strain | Suit | str) -> Strain:
        """Read a strain (``N`` and ``NT`` both mean no trumps), or pass one through."""
        if isinstance(value, Strain | Suit):
            return cls(int(value))
        try:
            letter = value.strip().upper()
            return cls["NT" if letter == "N" else _SUIT_SYMBOLS.get(letter, letter)]
        except (KeyError, AttributeError):
            raise NotationError(
                f"unknown strain {value!r}: write C, D, H, S or NT", text=value
            ) from None


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One of the 52 cards; ``index = 13 * suit + rank`` with rank 0 for the two and 12
    for the ace.

    >>> card = Card.of("HK")
    >>> card.index, card.suit.name, card.rank, card.points
    (37, 'H', 11, 3)
    """

    index: int

    def __post_init__(self) -> None:
        if type(self.index) is not int:
            object.__setattr__(self, "index", whole(self.index, "Card: index"))
        if not 0 <= self.index < 52:
            raise NotationError(
                f"card index {self.index}: a card is a number from 0 to 51",
                text=self.index,
            )

    @property
    def suit(self) -> Suit:
        """The suit of the card."""
        return Suit(self.index // 13)

    @property
    def rank(self) -> int:
        """0 for the two … 12 for the ace."""
        return self.index % 13

    @property
    def points(self) -> int:
        """High-card points: A 4, K 3, Q 2, J 1."""
        return HIGH_CARD_POINTS[self.rank]

    @property
    def mask(self) -> int:
        """The card as a set of one."""
        return 1 << self.index

    @classmethod
    def of(cls, value: Card | str) -> Card:
        """Read a card as suit and rank (``HK``, ``h10``, ``♠T``) or rank and suit
        (``QD``), or pass one through.
        """
        if isinstance(value, Card):
            return value
        text = str(value).strip().upper().replace("10", "T")
        if len(text) == 2 and text[0] in RANKS and text[1] in "CDHS♣♦♥♠":
            text = text[::-1]
        try:
            suit = Suit.of(text[:1])
        except NotationError:
            raise NotationError(
                f"unknown suit {text[:1]!r} in card {value!r}: write suit then rank, such as HK or S10",
                text=value,
            ) from None
        if len(text) != 2 or text[1] not in RANKS:
            raise NotationError(
                f"unknown rank {text[1:]!r} in card {value!r}: ranks are A K Q J T (or 10) 9 … 2",
                text=value,
            )
        return cls(13 * suit + RANKS.index(text[1]))

    def __str__(self) -> str:
        return f"{self.suit.name}{RANKS[self.rank]}"

    def __repr__(self) -> str:
        return f"Card.of({str(self)!r})"


@lru_cache(maxsize=1 << 13)
def holding(text: str) -> int:
    """The 13 bits of the cards of one suit, as a hand in PBN writes them."""
    mask, letters = 0, text.strip().upper().replace("10", "T")
    for letter in "" if letters == "-" else letters:
        if letter not in RANKS:
            raise NotationError(
                f"unknown rank {letter!r} in {text!r}: ranks are A K Q J T (or 10) 9 … 2",
                text=text,
            )
        bit = 1 << RANKS.index(letter)
        if mask & bit:
            raise DealError(f"{letter} stands twice in {text!r}: remove one", text=text)
        mask |= bit
    return mask


@dataclass(frozen=True, slots=True)
class Hand:
    """A set of cards: a full hand of 13, or any part of one. PBN outside, a 52-bit mask
    inside.

    >>> hand = Hand.from_pbn("AKQ2.KJ3.A54.Q32")
    >>> len(hand), hand.points, hand.length(Suit.S), "HK" in hand
    (13, 19, 4, True)
    >>> hand & Hand.of("SA S3 C2")
    Hand.from_pbn('A...2')
    """

    mask: int

    def __post_init__(self) -> None:
        if type(self.mask) is not int:
            object.__setattr__(self, "mask", whole(self.mask, "Hand: mask"))
        if not 0 <= self.mask <= DECK_MASK:
            raise DealError(
                f"hand mask {self.mask:#x} has bits outside the 52 cards",
                mask=self.mask,
            )

    @classmethod
    def of(cls, value: Hand | Card | str | Iterable[Card | str]) -> Hand:
        """Read a hand from text, from one card, or from cards (``"SA HK"`` too); a hand
        passes through.
        """
        if isinstance(value, Hand):
            return value
        if isinstance(value, Card):
            return cls(value.mask)
        if isinstance(value, str):
            cards = value.replace(",", " ").split()
            return (
                cls.from_pbn(value)
                if "." in value or not cards or _suit_by_suit(value)
                else cls.of(cards)
            )
        if not isinstance(value, Iterable):
            raise NotationError(
                f"{value!r} is no hand: write it in PBN, such as AKQ2.KJ3.A54.Q32",
                text=value,
            )
        mask = 0
        for card in map(Card.of, value):
            if mask & card.mask:
                raise DealError(
                    f"{card} is listed twice: name each card once", card=card
                )
            mask |= card.mask
        return cls(mask)

    @classmethod
    def from_pbn(cls, text: str) -> Hand:
        """Read ``spades.hearts.diamonds.clubs``; ``-`` or nothing for a void, ``10`` or
        ``T``, any case.

        Blanks may stand for the dots, and suits may be named, as ``♠AKQ2 ♥KJ3 ♦A54
        ♣Q32`` or ``SAKQ2 HKJ3 DA54 CQ32``.
        """
        if not str(text).strip():
            raise NotationError(
                f"empty hand {text!r}: write spades.hearts.diamonds.clubs, such as AKQ2.KJ3.A54.Q32",
                text=text,
            )
        fields = _suit_by_suit(str(text)) or str(text).split(".")
        if len(fields) != 4:
            raise NotationError(
                f"hand {text!r} has {len(fields)} suits: write four, spades.hearts.diamonds.clubs, with '.' between",
                text=text,
            )
        mask = 0
        try:
            for field in fields:
                mask = mask << 13 | holding(field)
        except (DealError, NotationError) as error:
            raise type(error)(f"hand {text!r}: {error}", text=text) from None
        return cls(mask)

    @property
    def pbn(self) -> str:
        """The hand in PBN, high cards first; a void is nothing between the dots."""
        return ".".join(
            "".join(
                RANKS[rank]
                for rank in range(12, -1, -1)
                if self.field(suit) >> rank & 1
            )
            for suit in reversed(Suit)
        )

    def field(self, suit: Suit | str) -> int:
        """The 13 bits of one suit, two at bit 0, ace at bit 12."""
        place = suit if isinstance(suit, int) and 0 <= suit < 4 else Suit.of(suit)
        return self.mask >> (13 * place) & SUIT_MASK

    def length(self, suit: Suit | str) -> int:
        """How many cards of a suit."""
        return self.field(suit).bit_count()

    @property
    def points(self) -> int:
        """High-card points: A 4, K 3, Q 2, J 1."""
        return sum(card.points for card in self)

    def verify_full(self, whose: str = "the hand") -> Hand:
        """Return the hand if it has 13 cards, and raise otherwise."""
        if len(self) != 13:
            mend = "add the missing" if len(self) < 13 else "take away the surplus"
            raise DealError(
                f"{whose} {self.pbn!r} has {len(self)} cards: a full hand has 13, {mend} {abs(13 - len(self))}",
                hand=self,
            )
        return self

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __iter__(self) -> Iterator[Card]:
        """The cards, spades first and high cards first within a suit."""
        for index in range(51, -1, -1):
            if self.mask >> index & 1:
                yield Card(index)

    def __contains__(self, card: Card | str) -> bool:
        return bool(self.mask & Card.of(card).mask)

    def __or__(self, other: Hand) -> Hand:
        return (
            Hand(self.mask | other.mask) if hasattr(other, "mask") else NotImplemented
        )

    def __and__(self, other: Hand) -> Hand:
        return (
            Hand(self.mask & other.mask) if hasattr(other, "mask") else NotImplemented
        )

    def __sub__(self, other: Hand) -> Hand:
        return (
            Hand(self.mask & ~other.mask) if hasattr(other, "mask") else NotImplemented
        )

    def __str__(self) -> str:
        return self.pbn

    def __repr__(self) -> str:
        return f"Hand.from_pbn({self.pbn!r})"

    def _repr_html_(self) -> str:
        return markup.piece(
            markup.hand(self.pbn, foot=f"{self.points} points, {len(self)} cards")
        )


def _suit_by_suit(text: str) -> list[str] | None:
    """The ranks of the four suits, spades first, of a hand without dots: four groups,
    or groups after their suit.
    """
    if "." in text:
        return None
    words = text.upper().replace("10", "T")
    for symbol, letter in _SUIT_SYMBOLS.items():
        words = words.replace(symbol, f" {letter}")
    named: dict[str, str] = {}
    groups = words.replace(",", " ").split()
    letter = ""
    for group in groups:
        if group[0] in "SHDC":
            letter, group = group[0], group[1:]
        if not letter or not set(group) <= {*RANKS, "-"}:
            plain = len(groups) == 4 and all(
                set(one) <= {*RANKS, "-"} for one in groups
            )
            return groups if plain else None
        named[letter] = named.get(letter, "") + group.replace("-", "")
    return [named.get(letter, "") for letter in "SHDC"] if named else None
