"""Layouts: the batch of full deals that engines produce and estimators consume.

One layout is one row of four 52-bit masks, N E S W, and always the *original* deal of
13 cards a hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, Self, overload

import numpy as np
from numpy.typing import NDArray

from bayesbridge.display import markup
from bayesbridge.errors import DealError
from bayesbridge.game.cards import (
    DECK_CARDS,
    DECK_MASK,
    HAND_CARDS,
    HIGH_CARD_POINTS,
    SUIT_CARDS,
    SUIT_MASK,
    Card,
    Hand,
)
from bayesbridge.game.deal import Deal, around_table

type Masks = NDArray[np.uint64]
"""(n, 4) masks of cards, column = seat; ``Hands``: (n,) of one seat."""
type Hands = NDArray[np.uint64]
type Floats = NDArray[np.float64]
type Singles = NDArray[np.float32]
type Ints = NDArray[np.int64]
type Bools = NDArray[np.bool_]

SHOWN: Final = 10
"""Deals that ``print`` and notebooks show of many."""

_TWOS: Final = sum(1 << SUIT_CARDS * suit for suit in range(4))
"""Mask of the four twos, and shifted of the four cards of any other rank."""

HONOURS: Final = tuple(
    (points, _TWOS << rank) for rank, points in enumerate(HIGH_CARD_POINTS) if points
)
"""Pairs (points, mask of the four cards that count so much)."""


def read_only[Kind: NDArray[Any]](array: Kind) -> Kind:
    """The same array, which nobody writes to from now on.

    For arrays that a value keeps and shows.
    """
    array.flags.writeable = False
    return array


class FrozenArrays:
    """A dataclass with arrays that nobody can write to.

    One that is read-only already is shared, any other copied.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        members: Any = self
        for member in fields(members):
            array = getattr(self, member.name)
            if isinstance(array, np.ndarray) and array.flags.writeable:
                object.__setattr__(self, member.name, read_only(array.copy()))


def suit_lengths(masks: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Suit lengths of hands.

    Parameters
    ----------
    masks : array of uint64, any shape
        Masks of hands, as ``Hand.mask`` gives them.

    Returns
    -------
    array of uint8, shape (..., 4)
        How many cards of each suit; the last axis is C D H S.

    Examples
    --------
    >>> hand = Hand.of("AKQ2.KJ3.A54.Q32")
    >>> suit_lengths(np.array([hand.mask], dtype=np.uint64)).tolist()
    [[3, 3, 3, 4]]
    """
    shifts = np.arange(0, DECK_CARDS, SUIT_CARDS, dtype=np.uint64)
    holdings = masks[..., None] >> shifts & np.uint64(SUIT_MASK)
    return np.bitwise_count(holdings)


def high_card_points(masks: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """High-card points of hands: A 4, K 3, Q 2, J 1.

    Parameters
    ----------
    masks : array of uint64, any shape
        Masks of hands, as ``Hand.mask`` gives them.

    Returns
    -------
    array of uint8, the same shape
        0 to 40 points.

    Examples
    --------
    >>> hand = Hand.of("AKQ2.KJ3.A54.Q32")
    >>> high_card_points(np.array([hand.mask], dtype=np.uint64)).tolist()
    [19]
    """
    total = np.zeros(masks.shape, dtype=np.uint8)
    for points, honours in HONOURS:
        total += np.uint8(points) * np.bitwise_count(masks & np.uint64(honours))
    return total


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Layouts:
    """A batch of full deals, which estimators count in one go.

    Parameters
    ----------
    masks : array of integers, shape (n, 4)
        The hands of every deal as 52-bit masks, in the order N E S W; kept as
        read-only uint64.

    Raises
    ------
    DealError
        If a row is not four hands of 13 cards that share none.

    Examples
    --------
    >>> deal = Deal.of("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    >>> batch = Layouts.of([deal, deal])
    >>> len(batch), batch[0] == deal, batch.points[0].tolist()
    (2, True, [10, 10, 10, 10])
    """

    masks: Masks

    def __post_init__(self) -> None:
        rows = np.asarray(self.masks)
        if rows.ndim != 2 or rows.shape[1] != 4 or rows.dtype.kind not in "ui":
            raise DealError(
                f"layouts of shape {rows.shape} and type {rows.dtype}: give (n, 4) "
                "integer masks, column = seat",
                shape=rows.shape,
            )
        # A read-only array is shared, for batches run to hundreds of megabytes; any
        # other is copied.
        masks = rows.astype(np.uint64, copy=rows.flags.writeable)
        _verify_deals(masks)
        object.__setattr__(self, "masks", read_only(masks))

    @classmethod
    def of(cls, deals: Iterable[Deal | str]) -> Self:
        """Collect deals, or their PBN texts, into a batch.

        Parameters
        ----------
        deals : iterable of Deal or str
            Deals, or their PBN texts.

        Returns
        -------
        Layouts

        Raises
        ------
        NotationError
            If a text cannot be read.
        DealError
            If a card is dealt twice, or a hand has not 13 cards.
        """
        rows = []
        for deal in deals:
            rows.append([hand.mask for hand in Deal.of(deal)])
        return cls.adopt(np.array(rows, dtype=np.uint64).reshape(-1, 4))

    @classmethod
    def adopt(cls, masks: Masks) -> Self:
        """Take over a fresh array of deals without copying it or looking at it.

        Engines give such arrays; it becomes read-only.

        Parameters
        ----------
        masks : array of uint64, shape (n, 4)
            Masks of hands, column = seat.

        Returns
        -------
        Layouts
        """
        layouts = cls.__new__(cls)
        object.__setattr__(layouts, "masks", read_only(masks))
        return layouts

    @property
    def lengths(self) -> NDArray[np.uint8]:
        """(n, 4, 4) suit lengths by seat and suit."""
        return read_only(suit_lengths(self.masks))

    @property
    def points(self) -> NDArray[np.uint8]:
        """(n, 4) high-card points by seat."""
        return read_only(high_card_points(self.masks))

    def holds(self, card: Card | str) -> NDArray[np.bool_]:
        """(n, 4) whether each seat holds a card: one true a row.

        Parameters
        ----------
        card : Card or str
            The card.

        Returns
        -------
        array of bool, shape (n, 4)
            A row for each layout, a column for each seat.
        """
        index = np.uint64(Card.of(card).index)
        return (self.masks >> index & np.uint64(1)).astype(np.bool_)

    def __len__(self) -> int:
        return len(self.masks)

    @overload
    def __getitem__(self, index: int) -> Deal: ...
    @overload
    def __getitem__(
        self, index: slice | NDArray[np.bool_] | NDArray[np.integer]
    ) -> Layouts: ...
    def __getitem__(
        self, index: int | slice | NDArray[np.bool_] | NDArray[np.integer]
    ) -> Deal | Layouts:
        """One deal for a number, else a smaller batch.

        A batch for a slice, a boolean mask or an array of numbers.
        """
        if isinstance(index, int | np.integer):
            return _deal_of(self.masks[int(index)])
        return Layouts.adopt(self.masks[index])

    def __iter__(self) -> Iterator[Deal]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<Layouts: {len(self)} deals>"

    def __str__(self) -> str:
        lines = [deal.pbn for deal in self[:SHOWN]]
        if len(self) > SHOWN:
            lines.append(self._not_shown)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        tables = (around_table(masks, masks) for masks in self.masks[:SHOWN].tolist())
        return markup.piece(*tables, markup.sentence(self._not_shown))

    @property
    def _not_shown(self) -> str:
        """How many deals are not shown; nothing where all are."""
        hidden = len(self) - SHOWN
        if hidden <= 0:
            return ""
        return f"… and {hidden} more deals."


def _deal_of(row: Hands) -> Deal:
    """The deal of four masks, N E S W."""
    north, east, south, west = (Hand(int(mask)) for mask in row)
    return Deal((north, east, south, west))


def _verify_deals(masks: Masks) -> None:
    """Refuse the first row that is not four hands of 13 cards that share none."""
    full_hands = (np.bitwise_count(masks) == HAND_CARDS).all(axis=1)
    whole_deck = np.bitwise_or.reduce(masks, axis=1) == DECK_MASK
    wrong = np.flatnonzero(~(full_hands & whole_deck))
    if not len(wrong):
        return
    row = int(wrong[0])
    try:
        _deal_of(masks[row])
    except DealError as error:
        raise DealError(f"layout {row}: {error}", row=row, **error.data) from None
