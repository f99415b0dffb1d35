"""Suits, strains, cards and hands.

Notation outside, inside numbers from 0 to 51 and 52-bit masks for sets of cards.
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
SUIT_CARDS: Final = len(RANKS)
HAND_CARDS: Final = 13
DECK_CARDS: Final = 4 * SUIT_CARDS

SUIT_MASK: Final = (1 << SUIT_CARDS) - 1
"""The 13 bits of one suit, before shifting."""

DECK_MASK: Final = (1 << DECK_CARDS) - 1

HIGH_CARD_POINTS: Final = (*(0,) * 9, 1, 2, 3, 4)
"""Milton Work points by rank, from the two up."""


class Suit(IntEnum):
    """The four suits in rising order, which is also the paper's row order.

    Examples
    --------
    >>> [suit.name for suit in Suit], Suit.of("♥") < Suit.S
    (['C', 'D', 'H', 'S'], True)
    """

    C = 0
    D = 1
    H = 2
    S = 3

    @classmethod
    def of(cls, value: Suit | str) -> Suit:
        """Read a suit letter or symbol, or pass a suit through.

        Parameters
        ----------
        value : Suit or str
            ``S``, ``♠``, or a suit, which is returned as it is.

        Returns
        -------
        Suit

        Raises
        ------
        NotationError
            If the text is no suit.
        """
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
    """What a bid names: a suit as trumps, or no trumps.

    Rising in the order of the auction.

    Examples
    --------
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
        if self is Strain.NT:
            return None
        return Suit(int(self))

    @classmethod
    def of(cls, value: Strain | Suit | str) -> Strain:
        """Read a strain (``N`` and ``NT`` both mean no trumps), or pass one through.

        Parameters
        ----------
        value : Strain, Suit or str
            A letter or symbol of a suit, ``N`` or ``NT``, or a strain.

        Returns
        -------
        Strain

        Raises
        ------
        NotationError
            If the text is no strain.
        """
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
    """One of the 52 cards.

    Parameters
    ----------
    index : int
        ``13 * suit + rank``, 0 … 51, with rank 0 for the two and 12 for the ace.

    Raises
    ------
    NotationError
        If there is no such card.

    Examples
    --------
    >>> card = Card.of("HK")
    >>> card.index, card.suit.name, card.rank, card.points
    (37, 'H', 11, 3)
    """

    index: int

    def __post_init__(self) -> None:
        if type(self.index) is not int:
            object.__setattr__(self, "index", whole(self.index, "Card: index"))
        if not 0 <= self.index < DECK_CARDS:
            raise NotationError(
                f"card index {self.index}: a card is a number from 0 to 51",
                text=self.index,
            )

    @property
    def suit(self) -> Suit:
        """The suit of the card."""
        return Suit(self.index // SUIT_CARDS)

    @property
    def rank(self) -> int:
        """0 for the two … 12 for the ace."""
        return self.index % SUIT_CARDS

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
        """Read a card, or pass one through.

        Suit and rank (``HK``, ``h10``, ``♠T``) or rank and suit (``QD``).

        Parameters
        ----------
        value : Card or str
            A text, or a card, which is returned as it is.

        Returns
        -------
        Card

        Raises
        ------
        NotationError
            If the text is no card.
        """
        if isinstance(value, Card):
            return value
        text = str(value).strip().upper().replace("10", "T")
        rank_stands_first = len(text) == 2 and text[0] in RANKS
        if rank_stands_first and text[1] in "CDHS♣♦♥♠":
            text = text[::-1]
        try:
            suit = Suit.of(text[:1])
        except NotationError:
            raise NotationError(
                f"unknown suit {text[:1]!r} in card {value!r}: write suit then rank, "
                "such as HK or S10",
                text=value,
            ) from None
        if len(text) != 2 or text[1] not in RANKS:
            raise NotationError(
                f"unknown rank {text[1:]!r} in card {value!r}: ranks are A K Q J T (or 10) 9 … 2",
                text=value,
            )
        return cls(SUIT_CARDS * suit + RANKS.index(text[1]))

    def __str__(self) -> str:
        return f"{self.suit.name}{RANKS[self.rank]}"

    def __repr__(self) -> str:
        return f"Card.of({str(self)!r})"


@lru_cache(maxsize=1 << 13)
def holding(text: str) -> int:
    """The 13 bits of the cards of one suit, as a hand in PBN writes them."""
    letters = text.strip().upper().replace("10", "T")
    if letters == "-":
        return 0
    mask = 0
    for letter in letters:
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
    """A set of cards: a full hand of 13, or any part of one.

    PBN outside, a 52-bit mask inside.

    Parameters
    ----------
    mask : int
        A bit for each card, as :class:`Card` numbers them.

    Raises
    ------
    DealError
        If the mask has bits outside the 52 cards.

    Examples
    --------
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
        """Read a hand from text, from one card, or from cards.

        Cards may be in one text too (``"SA HK"``); a hand passes through.

        Parameters
        ----------
        value : Hand, Card, str or iterable of Card or str
            A text may be a hand in PBN or a list of cards.

        Returns
        -------
        Hand

        Raises
        ------
        NotationError
            If a text cannot be read.
        DealError
            If a card stands there twice.
        """
        if isinstance(value, Hand):
            return value
        if isinstance(value, Card):
            return cls(value.mask)
        if isinstance(value, str):
            cards = value.replace(",", " ").split()
            if "." in value or not cards or _suit_by_suit(value):
                return cls.from_pbn(value)
            return cls.of(cards)
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
        """Read ``spades.hearts.diamonds.clubs``.

        ``-`` or nothing for a void, ``10`` or ``T``, any case.

        Blanks may stand for the dots, and suits may be named, as ``♠AKQ2 ♥KJ3 ♦A54
        ♣Q32`` or ``SAKQ2 HKJ3 DA54 CQ32``.

        Parameters
        ----------
        text : str
            Four suits, spades first.

        Returns
        -------
        Hand

        Raises
        ------
        NotationError
            If it has not four suits, or an unknown rank.
        DealError
            If a card stands there twice.
        """
        if not str(text).strip():
            raise NotationError(
                f"empty hand {text!r}: write spades.hearts.diamonds.clubs, such as "
                "AKQ2.KJ3.A54.Q32",
                text=text,
            )
        suits = _suit_by_suit(str(text)) or str(text).split(".")
        if len(suits) != len(Suit):
            raise NotationError(
                f"hand {text!r} has {len(suits)} suits: write four, "
                "spades.hearts.diamonds.clubs, with '.' between",
                text=text,
            )
        mask = 0
        try:
            for ranks in suits:
                mask = mask << SUIT_CARDS | holding(ranks)
        except (DealError, NotationError) as error:
            raise type(error)(f"hand {text!r}: {error}", text=text) from None
        return cls(mask)

    @property
    def pbn(self) -> str:
        """The hand in PBN, high cards first; a void is nothing between the dots."""
        return ".".join(ranks_of(self.field(suit)) for suit in reversed(Suit))

    def field(self, suit: Suit | str) -> int:
        """The 13 bits of one suit, two at bit 0, ace at bit 12.

        Parameters
        ----------
        suit : Suit, int or str
            Which suit; a number is one of C D H S = 0 … 3.

        Returns
        -------
        int
        """
        if not isinstance(suit, int) or not 0 <= suit < len(Suit):
            suit = Suit.of(suit)
        return self.mask >> (SUIT_CARDS * suit) & SUIT_MASK

    def length(self, suit: Suit | str) -> int:
        """How many cards of a suit.

        Parameters
        ----------
        suit : Suit, int or str
            Which suit; a number is one of C D H S = 0 … 3.

        Returns
        -------
        int
        """
        return self.field(suit).bit_count()

    @property
    def points(self) -> int:
        """High-card points: A 4, K 3, Q 2, J 1."""
        return sum(card.points for card in self)

    def verify_full(self, whose: str = "the hand") -> Hand:
        """Return the hand if it has 13 cards, and raise otherwise.

        Parameters
        ----------
        whose : str, default "the hand"
            What the error calls it.

        Returns
        -------
        Hand

        Raises
        ------
        DealError
            If it has not 13 cards; the message says how many are missing or too many.
        """
        surplus = len(self) - HAND_CARDS
        if surplus:
            mend = "add the missing" if surplus < 0 else "take away the surplus"
            raise DealError(
                f"{whose} {self.pbn!r} has {len(self)} cards: a full hand has 13, "
                f"{mend} {abs(surplus)}",
                hand=self,
            )
        return self

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __iter__(self) -> Iterator[Card]:
        """The cards, spades first and high cards first within a suit."""
        for index in reversed(range(DECK_CARDS)):
            if self.mask >> index & 1:
                yield Card(index)

    def __contains__(self, card: Card | str) -> bool:
        return bool(self.mask & Card.of(card).mask)

    def __or__(self, other: Hand) -> Hand:
        if not hasattr(other, "mask"):
            return NotImplemented
        return Hand(self.mask | other.mask)

    def __and__(self, other: Hand) -> Hand:
        if not hasattr(other, "mask"):
            return NotImplemented
        return Hand(self.mask & other.mask)

    def __sub__(self, other: Hand) -> Hand:
        if not hasattr(other, "mask"):
            return NotImplemented
        return Hand(self.mask & ~other.mask)

    def __str__(self) -> str:
        return self.pbn

    def __repr__(self) -> str:
        return f"Hand.from_pbn({self.pbn!r})"

    def _repr_html_(self) -> str:
        return markup.piece(
            markup.hand(self.pbn, foot=f"{self.points} points, {len(self)} cards")
        )


def ranks_of(field: int) -> str:
    """The ranks of a holding of one suit, high cards first.

    >>> ranks_of(0b1100000000001)
    'AK2'
    """
    return "".join(RANKS[rank] for rank in range(12, -1, -1) if field >> rank & 1)


def _suit_by_suit(text: str) -> list[str] | None:
    """The ranks of the four suits, spades first, of a hand without dots.

    It is written as groups of ranks after the suits they are of (a suit that is not
    named is void), or as four groups without suits. ``None`` for what is neither.
    """
    if "." in text:
        return None
    words = text.upper().replace("10", "T").replace(",", " ")
    for symbol, letter in _SUIT_SYMBOLS.items():
        words = words.replace(symbol, f" {letter}")
    groups = words.split()
    ranks_by_suit = _ranks_after_suits(groups)
    if ranks_by_suit is not None:
        if not groups:
            return None
        return [ranks_by_suit.get(suit, "") for suit in "SHDC"]
    if len(groups) == len(Suit) and all(map(_names_ranks, groups)):
        return groups
    return None


def _ranks_after_suits(groups: list[str]) -> dict[str, str] | None:
    """The ranks of each suit that is named, such as ``SAKQ2``.

    ``None`` where a group does not follow its suit or names no ranks.
    """
    ranks_by_suit: dict[str, str] = {}
    suit = ""
    for group in groups:
        ranks = group
        if group[0] in "SHDC":
            suit = group[0]
            ranks = group[1:]
        if not suit or not _names_ranks(ranks):
            return None
        earlier_ranks = ranks_by_suit.get(suit, "")
        ranks_by_suit[suit] = earlier_ranks + ranks.replace("-", "")
    return ranks_by_suit


def _names_ranks(group: str) -> bool:
    """Whether all letters of a group are ranks, or a dash for none."""
    return set(group) <= {*RANKS, "-"}
