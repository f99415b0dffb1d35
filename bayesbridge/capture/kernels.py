"""Algorithms 1 and 2 over batches of deals.

Masks come in, arrays come out. For Algorithm 2 a deal costs four look-ups in the table
of suit rows and one merge of four short sequences of gaps: always the smallest head,
the first suit on ties, until the budget or χ ends it. For Algorithm 1 a hand costs four
look-ups in a table of walks for each target of tricks. The paper's letters are those of
:class:`Captures`.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import (
    END,
    FAILS_B,
    FREE_CAPTURES,
    GAP_BITS,
    GAP_BUDGET,
    LEADING_GAP,
    LENGTH,
    MOST_CHI,
    NO_GAPS,
    TERNARY,
    leading_gap_of,
    row_table,
    suit_field,
)
from bayesbridge.errors import one_row
from bayesbridge.runtime.jit import njit

Masks = NDArray[np.uint64]
Small = NDArray[np.int8]

# Codes of the condition outcome; ``literal.CONDITIONS`` has their names.
NEITHER: Final = 0
ONLY_A: Final = 1
BOTH: Final = 2


# The captures κ of the four suits in one word while they are counted, clubs lowest.
KAPPA_BITS: Final = 4
KAPPA_MASK: Final = (1 << KAPPA_BITS) - 1
ONE_IN_EACH_SUIT: Final = 0x1111

# Algorithm 1: its targets are the tricks of levels 1 to 7.
TRICKS: Final = 13
FIRST_TARGET: Final = 7
BOOK: Final = 6  # tricks below level 1
BUDGETS: Final = TRICKS - FIRST_TARGET + 1  # what may be left for gaps is 0 … 6

# A walk down a suit in one byte: captures after the first above the gaps paid.
WALK_CAPTURES: Final = 4  # the bit where captures begin
WALK_PAID: Final = (1 << WALK_CAPTURES) - 1  # the bits of gaps paid


class Captures(NamedTuple):
    """Algorithm 2 over n deals, in the letters of ``literal.Capture``.

    (n, 4) arrays run over the suits C D H S; those of ``ONE_A_DEAL`` are (n,).
    """

    c1: Small  #: Cards of the first hand, 0 … 13.
    c2: Small  #: Cards of the second hand.
    c0: Small  #: Cards of neither.
    delta: Small  #: δ, the leading gap: cards above the highest of both hands, 0 … 13.
    M: Small  #: max(c₁, c₂), the most captures in the suit.
    kappa: Small  #: κ, the captures in the suit, 0 … M.
    Delta: Small  #: Δ = Σ δ; condition A holds up to 6.
    Z: Small  #: What is left of the budget for gaps, 6 − Δ at first.
    condition: Small  #: NEITHER, ONLY_A or BOTH hold.
    T: Small  #: The captures of all suits: 4 … 13, 0 where a condition fails.
    chi: Small  #: χ = T + (6 − Z), which ends the algorithm at 13.


ONE_A_DEAL: Final = {"Delta", "Z", "condition", "T", "chi"}
"""Fields of :class:`Captures` that are (n,) arrays."""


class Bids(NamedTuple):
    """Algorithm 1 over n hands."""

    level: Small  #: (n,) 0 for a pass … 7.
    #: (n, 7) captures counted for the targets 7 … 13, 0 where a condition fails.
    counts: Small


def captures(first_hands: Masks, second_hands: Masks) -> Captures:
    """Algorithm 2, how many cards two partners capture, for each of n pairs of hands.

    ``first_hands`` and ``second_hands`` are (n,) masks of 13 cards each, disjoint.

    >>> captures(np.array([0x1FFF], dtype=np.uint64), np.array([0x3FFE000], dtype=np.uint64)).T
    array([0], dtype=int8)
    """
    one_row("hands", first_hands, second_hands)
    deals = len(first_hands)
    arrays = {}
    for name in Captures._fields:
        shape = deals if name in ONE_A_DEAL else (deals, 4)
        arrays[name] = np.zeros(shape, np.int8)
    captured = Captures(**arrays)
    _fill_captures(first_hands, second_hands, row_table(), captured)
    return captured._replace(
        c0=np.int8(13) - captured.c1 - captured.c2,
        M=np.maximum(captured.c1, captured.c2),
        chi=captured.T + (np.int8(GAP_BUDGET) - captured.Z),
    )


def tricks(first_hands: Masks, second_hands: Masks) -> Small:
    """T alone for each pair of hands, (n,) int8: 0 where a condition fails."""
    one_row("hands", first_hands, second_hands)
    return _count_tricks(first_hands, second_hands, row_table())


def bids(hands: Masks) -> Bids:
    """Algorithm 1, the bid in no trumps, for each of (n,) hands, masks of 13 cards.

    >>> bids(np.array([0x1FFF], dtype=np.uint64)).level
    array([0], dtype=int8)
    """
    one_row("hands", hands)
    n = len(hands)
    answer = Bids(level=np.zeros(n, np.int8), counts=np.zeros((n, 7), np.int8))
    _fill_bids(hands, walk_table(), answer)
    return answer


@njit
def _cheapest_suit(
    clubs: np.int64, diamonds: np.int64, hearts: np.int64, spades: np.int64
) -> tuple[np.int64, int]:
    """The smallest next gap of four suits, and the first suit that has it.

    Each argument holds the gaps of a suit that are still to be paid, three bits each,
    the next one lowest; END, where no card is left, is larger than any gap.
    """
    gap = clubs & END
    suit = 0
    if (diamonds & END) < gap:
        gap = diamonds & END
        suit = 1
    if (hearts & END) < gap:
        gap = hearts & END
        suit = 2
    if (spades & END) < gap:
        gap = spades & END
        suit = 3
    return gap, suit


@njit
def _merge(rows: NDArray[np.int64], Delta: np.int64) -> tuple[int, np.int64, int]:
    """The captures of two hands in all, what is left of the budget, and those by suit.

    Step 6 of Algorithm 2: after a free capture in each suit the next one is always
    where its gap, the cards that neither hand holds above it, is the smallest. The
    budget Z = 6 − Δ pays the gaps; a gap that it cannot pay ends all, and so does χ,
    captures and gaps paid, at 13. ``rows`` (4,) are the packed rows of the suits, with
    their gaps; ``Delta`` is the sum of the leading gaps. T and Z are numbers, the
    captures κ by suit are packed in one word.
    """
    clubs = rows[0] & NO_GAPS
    diamonds = rows[1] & NO_GAPS
    hearts = rows[2] & NO_GAPS
    spades = rows[3] & NO_GAPS
    T = FREE_CAPTURES
    Z = GAP_BUDGET - Delta
    kappa = ONE_IN_EACH_SUIT
    while T + (GAP_BUDGET - Z) < MOST_CHI:
        gap, suit = _cheapest_suit(clubs, diamonds, hearts, spades)
        if gap > Z:
            break
        if suit == 0:
            clubs >>= GAP_BITS
        elif suit == 1:
            diamonds >>= GAP_BITS
        elif suit == 2:
            hearts >>= GAP_BITS
        else:
            spades >>= GAP_BITS
        T += 1
        Z -= gap
        kappa += 1 << (KAPPA_BITS * suit)
    return T, Z, kappa


@njit
def _look_up_suits(
    first_hand: np.int64,
    second_hand: np.int64,
    table: NDArray[np.uint32],
    rows: NDArray[np.int64],
) -> tuple[np.int64, np.int64]:
    """Look up what each suit of two hands contributes to Algorithm 2.

    ``first_hand`` and ``second_hand`` are masks. ``table`` (3¹³,) has a packed row for
    each way to share out a suit between the two and others, numbered in base 3; those
    of C D H S are written to ``rows`` (4,). Returns Δ, the sum of the leading gaps, and
    a flag that is not 0 where condition B, each hand has more cards of the suit than
    its leading gap, fails in any suit.
    """
    Delta = np.int64(0)
    row_flags = np.int64(0)
    for suit in range(4):
        first_field = suit_field(first_hand, suit)
        second_field = suit_field(second_hand, suit)
        row = np.int64(table[TERNARY[first_field] + 2 * TERNARY[second_field]])
        rows[suit] = row
        row_flags |= row & FAILS_B
        Delta += leading_gap_of(row)
    return Delta, row_flags


@njit
def _fill_captures(
    first_hands: Masks,
    second_hands: Masks,
    table: NDArray[np.uint32],
    captured: Captures,
) -> None:
    """Run Algorithm 2 on n pairs of hands, and fill the arrays of the result.

    All but c₀, M and χ, which follow from the others. ``table`` (3¹³,) is
    :func:`~bayesbridge.capture.tables.row_table`: what each suit contributes. The
    letters of ``captured``, by suit: c₁ and c₂, cards of either hand; δ, cards above
    the highest of both; κ, captures. In all: Δ = Σ δ; Z, what is left of the budget for
    gaps; T, captures.
    """
    rows = np.empty(4, dtype=np.int64)  # the packed row of each suit
    for i in range(len(first_hands)):
        first_hand = np.int64(first_hands[i])
        second_hand = np.int64(second_hands[i])
        Delta, fails_b = _look_up_suits(first_hand, second_hand, table, rows)
        for suit in range(4):
            captured.c1[i, suit] = LENGTH[suit_field(first_hand, suit)]
            captured.c2[i, suit] = LENGTH[suit_field(second_hand, suit)]
            captured.delta[i, suit] = leading_gap_of(rows[suit])
        captured.Delta[i] = Delta
        captured.Z[i] = GAP_BUDGET - Delta
        if Delta > GAP_BUDGET:
            captured.condition[i] = NEITHER
        elif fails_b:
            captured.condition[i] = ONLY_A
        else:
            captured.condition[i] = BOTH
            T, Z, kappa = _merge(rows, Delta)
            captured.T[i] = T
            captured.Z[i] = Z
            for suit in range(4):
                captured.kappa[i, suit] = kappa >> (KAPPA_BITS * suit) & KAPPA_MASK


@njit
def _count_tricks(
    first_hands: Masks, second_hands: Masks, table: NDArray[np.uint32]
) -> Small:
    """(n,) the captures T of Algorithm 2 for n pairs of hands, 0 where they fail.

    They fail condition A where the leading gaps Δ of their suits are more than 6 in
    all, or condition B. ``table`` (3¹³,) is
    :func:`~bayesbridge.capture.tables.row_table`.
    """
    tricks_of_deals = np.zeros(len(first_hands), np.int8)
    rows = np.empty(4, dtype=np.int64)  # the packed row of each suit
    for i in range(len(first_hands)):
        first_hand = np.int64(first_hands[i])
        second_hand = np.int64(second_hands[i])
        Delta, fails_b = _look_up_suits(first_hand, second_hand, table, rows)
        if Delta <= GAP_BUDGET and not fails_b:
            T, _, _ = _merge(rows, Delta)
            tricks_of_deals[i] = T
    return tricks_of_deals


@cache
def walk_table() -> NDArray[np.uint8]:
    """(8192, 7) what Algorithm 1's walk does in one suit, by field and budget R.

    It is 16 · captures after the first + gaps paid.
    """
    every_card_pays = np.full(1 << 13, TRICKS)
    return suit_walks(every_card_pays)


@njit
def suit_walks(paying: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(8192, 7) what a walk down each suit captures and pays, for each budget 0 … 6.

    A suit is a field of 13 bits, which of its cards a hand holds. The walk of Algorithm
    1 goes down the hand's cards. A card after the first costs the gap above it, the
    cards between that the hand does not hold; the first gap that the budget cannot pay
    ends the walk. Only the first ``paying`` (8192,) cards of a field have to pay: with
    long trumps the others are free. An entry is 16 · captures after the first + paid.
    """
    walks = np.zeros((1 << 13, BUDGETS), np.uint8)
    for field in range(1, 1 << 13):
        for budget in range(BUDGETS):
            cards, paid = _walk_suit(field, budget, paying[field])
            walks[field, budget] = (cards - 1) << WALK_CAPTURES | paid
    return walks


@njit
def _walk_suit(field: int, budget: int, paying: np.int64) -> tuple[int, int]:
    """How many cards of a suit a walk down from the top captures, and what it pays.

    ``field`` has a bit for each card of the suit that the hand holds, the two lowest.
    The first card is free; so are those after the first ``paying``.
    """
    captured = 0
    paid = 0
    gap = 0
    for rank in range(12, -1, -1):
        if not field >> rank & 1:
            gap += 1
            continue
        if 0 < captured < paying:
            if paid + gap > budget:
                break
            paid += gap
        captured += 1
        gap = 0
    return captured, paid


@njit
def _fill_bids(hands: Masks, walks: NDArray[np.uint8], answer: Bids) -> None:
    """Run Algorithm 1 on n hands: what it counts for each target, and the level bid.

    A hand that is to take ``target`` tricks can pay for 13 − target cards above its
    own. Condition A: the leading gaps Δ, those above its highest card of each suit, are
    no more. Condition B: each suit is longer than its leading gap. Where one fails the
    count is 0. Else it is one for each suit, and what walks down the suits in turn
    capture with the rest of the budget: ``walks`` (8192, 7) says it, by the field of a
    suit and the budget, see :func:`suit_walks`. The bid is the level of the last target
    met before the first that is not.
    """
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        Delta = 0
        fails_b = False
        for suit in range(4):
            field = suit_field(hand, suit)
            delta = LEADING_GAP[field]
            Delta += delta
            fails_b |= LENGTH[field] <= delta
        climbing = True
        for target in range(FIRST_TARGET, TRICKS + 1):
            budget = TRICKS - target - Delta
            count = 0
            if budget >= 0 and not fails_b:
                count = FREE_CAPTURES
                for suit in range(4):
                    walk = walks[suit_field(hand, suit), budget]
                    count += walk >> WALK_CAPTURES
                    budget -= walk & WALK_PAID  # the next suit has what is left
            answer.counts[i, target - FIRST_TARGET] = count
            climbing = climbing and count >= target
            if climbing:
                answer.level[i] = target - BOOK
