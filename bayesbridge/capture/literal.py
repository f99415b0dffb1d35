"""Algorithm 2 (capture) and Algorithm 1 (the iterative bid), as the paper writes them.

Plain Python with the paper's letters, to be read beside it: S. Sarkar, *Winning Before
You Play: An Iterative Capture Algorithm for Pre-Game Dominance Analysis in Three-Player
Auction Bridge*, sections II and III. Every table and kernel of the package is tested
against these two functions.

Rows s are suits C D H S = 0 1 2 3; columns r run from the ace (0) to the two (12). The
step numbers are the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass

from bayesbridge.errors import DealError
from bayesbridge.game.cards import Hand, Suit

Matrix = list[list[int]]
"""The 4 × 13 state matrix D: 1 for player 1's cards, 2 for player 2's, 0 for cards held
by neither.
"""

CONDITIONS = ("neither", "only A", "both")
"""Outcomes of the pre-qualification, by code: condition A fails; A holds and B fails;
both hold.
"""


@dataclass(frozen=True, slots=True)
class Capture:
    """What Algorithm 2 outputs.

    By suit, C D H S: ``c1``, ``c2``, ``c0``, cards of player 1, of player 2 and of
    neither; ``delta``, the leading gap δ, the column of the first card of either, 13 in
    an empty row; ``M`` = max(c₁, c₂), the most captures that the suit allows;
    ``kappa``, captures, all 0 where a condition fails.

    In all: ``Delta`` = Σ δ; ``Z``, the zero budget left at the end (6 − Δ where nothing
    was captured); ``condition``, ``neither`` (A fails), ``only A`` (B fails) or
    ``both``; ``T``, the captures, 0 where a condition fails; ``chi`` = T + (6 − Z);
    ``D``, the final state matrix.
    """

    c1: tuple[int, ...]
    c2: tuple[int, ...]
    c0: tuple[int, ...]
    delta: tuple[int, ...]
    M: tuple[int, ...]
    kappa: tuple[int, ...]
    Delta: int
    Z: int
    condition: str
    T: int
    chi: int
    D: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Bid:
    """What Algorithm 1 outputs: ``level``, 0 for a pass, else n of the bid nNT;
    ``counts``, the captures counted for the targets k = 7 … 13, 0 where condition A or
    B fails for that target.
    """

    level: int
    counts: tuple[int, ...]


def capture(first: Hand | str, second: Hand | str) -> Capture:
    """Algorithm 2 on two full hands.

    >>> capture("AKQ2.KJ3.A54.Q32", "J54.AQ2.KQ32.A54").T
    11
    """
    one, two = (
        Hand.of(first).verify_full("the first hand"),
        Hand.of(second).verify_full("the second hand"),
    )
    if one.mask & two.mask:
        card = next(iter(one & two))
        raise DealError(
            f"{card} lies in both hands {one.pbn!r} and {two.pbn!r}: a card has one place",
            card=card,
        )
    # Step 1: the state matrix.
    D = [
        [
            (one.field(s) >> (12 - r) & 1) + 2 * (two.field(s) >> (12 - r) & 1)
            for r in range(13)
        ]
        for s in Suit
    ]
    return capture_matrix(D)


def capture_matrix(matrix: Matrix) -> Capture:
    """Algorithm 2 on a state matrix D (left untouched)."""
    D = [list(row) for row in matrix]
    S = range(len(D))
    columns = range(13)

    # Step 2: row analysis.
    c1 = [row.count(1) for row in D]
    c2 = [row.count(2) for row in D]
    c0 = [row.count(0) for row in D]
    delta = [min((r for r in columns if D[s][r] != 0), default=13) for s in S]
    M = [max(c1[s], c2[s]) for s in S]
    Delta = sum(delta)
    Z = 6 - Delta
    Zs = list(c0)
    T = 0
    kappa = [0 for _ in S]
    pi = [0 for _ in S]
    O = [[r for r in columns if D[s][r] != 0] for s in S]

    # Step 4: after every capture the other player loses his rightmost card of the suit.
    def replace_rightmost(s: int, v: int) -> None:
        theirs = [r for r in columns if D[s][r] == 3 - v]
        if theirs:
            D[s][max(theirs)] = 0
        O[s] = [r for r in columns if D[s][r] != 0]

    # Step 3: pre-qualification.
    if Delta > 6:
        condition = "neither"
    elif any(c1[s] <= delta[s] or c2[s] <= delta[s] for s in S):
        condition = "only A"
    else:
        condition = "both"

        # Step 5: one free capture in each suit.
        T = len(D)
        for s in S:
            kappa[s] = 1
            replace_rightmost(s, D[s][O[s][0]])

        # Step 6: the smallest effective gap first, the first suit on ties.
        while T + (6 - Z) < 13:
            best, smallest = -1, 0
            for s in S:
                if kappa[s] >= M[s] or pi[s] + 1 >= len(O[s]):
                    continue
                gap = 0 if Zs[s] <= 0 else O[s][pi[s] + 1] - O[s][pi[s]] - 1
                if best < 0 or gap < smallest:
                    best, smallest = s, gap
            if best < 0 or (Zs[best] > 0 and smallest > Z):
                break
            s = best
            pi[s] += 1
            T += 1
            kappa[s] += 1
            v = D[s][O[s][pi[s]]]
            if Zs[s] > 0:
                Z -= smallest
                Zs[s] -= 1
            replace_rightmost(s, v)

    # Step 7: output.
    by_suit = tuple(c1), tuple(c2), tuple(c0), tuple(delta), tuple(M), tuple(kappa)
    return Capture(*by_suit, Delta, Z, condition, T, T + (6 - Z), tuple(map(tuple, D)))


def bid(hand: Hand | str) -> Bid:
    """Algorithm 1: the highest n reached by raising the target from 7 tricks until it
    is not met.

    >>> bid("AKQ2.AKJ.AK4.A32")
    Bid(level=3, counts=(9, 9, 9, 9, 9, 9, 8))
    """
    full = Hand.of(hand).verify_full()
    counts = tuple(captures_for_target(full, k) for k in range(7, 14))
    level = 0
    while level < 7 and counts[level] >= level + 7:
        level += 1
    return Bid(level=level, counts=counts)


def captures_for_target(hand: Hand, k: int) -> int:
    """Algorithm 1's count for a target of k tricks; 0 where condition A or B fails.

    The budget for gaps is 13 − k; a suit's walk ends at the first gap it cannot pay,
    and the next suit goes on with what is left.
    """
    O = [[r for r in range(13) if hand.field(s) >> (12 - r) & 1] for s in Suit]
    delta = [columns[0] if columns else 13 for columns in O]
    if sum(delta) > 13 - k or any(len(O[s]) <= delta[s] for s in Suit):
        return 0
    R = 13 - k - sum(delta)
    count = 4
    for s in Suit:
        for r, following in zip(O[s], O[s][1:], strict=False):
            gap = following - r - 1
            if gap > R:
                break
            R -= gap
            count += 1
    return count
