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
from itertools import pairwise

from bayesbridge.errors import DealError
from bayesbridge.game.cards import Hand, Suit

COLUMNS = 13

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
    """What Algorithm 1 outputs.

    ``level`` is 0 for a pass, else n of the bid nNT; ``counts`` are the captures counted
    for the targets k = 7 … 13, 0 where condition A or B fails for that target.
    """

    level: int
    counts: tuple[int, ...]


def capture(first: Hand | str, second: Hand | str) -> Capture:
    """Algorithm 2 on two full hands.

    >>> capture("AKQ2.KJ3.A54.Q32", "J54.AQ2.KQ32.A54").T
    11
    """
    hands = (
        Hand.of(first).verify_full("the first hand"),
        Hand.of(second).verify_full("the second hand"),
    )
    shared = hands[0] & hands[1]
    if shared:
        card = next(iter(shared))
        raise DealError(
            f"{card} lies in both hands {hands[0].pbn!r} and {hands[1].pbn!r}: a card "
            "has one place",
            card=card,
        )
    return capture_matrix([state_row(*hands, s) for s in Suit])


def state_row(first: Hand, second: Hand, s: Suit) -> list[int]:
    """Step 1: row s of the state matrix of two hands."""
    row = [0] * COLUMNS
    for r in columns_of(first, s):
        row[r] = 1
    for r in columns_of(second, s):
        row[r] = 2
    return row


def columns_of(hand: Hand, s: Suit) -> list[int]:
    """The columns of a hand's cards of a suit, from the ace down."""
    field = hand.field(s)
    return [r for r in range(COLUMNS) if field >> (COLUMNS - 1 - r) & 1]


def capture_matrix(matrix: Matrix) -> Capture:
    """Algorithm 2 on a state matrix D (left untouched)."""
    # Step 2: row analysis.
    state = CaptureState(matrix)
    # Step 3: pre-qualification.
    condition = state.condition()
    if condition == "both":
        state.capture_freely()
        state.capture_by_gaps()
    # Step 7: output.
    return Capture(
        c1=tuple(state.c1),
        c2=tuple(state.c2),
        c0=tuple(state.c0),
        delta=tuple(state.delta),
        M=tuple(state.M),
        kappa=tuple(state.kappa),
        Delta=state.Delta,
        Z=state.Z,
        condition=condition,
        T=state.T,
        chi=state.chi,
        D=tuple(map(tuple, state.D)),
    )


class CaptureState:
    """The variables of Algorithm 2 on a matrix of so many rows, in the paper's letters.

    Besides those of :class:`Capture`: ``Zs``, the zero budget of each row; ``pi``, the
    pointer of each row, the place in ``O`` of its last capture; ``O``, the occupied
    columns of each row.
    """

    def __init__(self, matrix: Matrix) -> None:
        self.D = [list(row) for row in matrix]
        self.c1 = [row.count(1) for row in self.D]
        self.c2 = [row.count(2) for row in self.D]
        self.c0 = [row.count(0) for row in self.D]
        self.O = [occupied(row) for row in self.D]
        self.delta = [columns[0] if columns else COLUMNS for columns in self.O]
        self.M = [max(c1, c2) for c1, c2 in zip(self.c1, self.c2, strict=True)]
        self.Delta = sum(self.delta)
        self.Z = 6 - self.Delta
        self.Zs = list(self.c0)
        self.T = 0
        self.kappa = [0 for _ in self.D]
        self.pi = [0 for _ in self.D]

    @property
    def chi(self) -> int:
        """χ, the check value: captures and gaps paid for."""
        return self.T + (6 - self.Z)

    def condition(self) -> str:
        """Step 3: which of the two conditions hold."""
        if self.Delta > 6:
            return "neither"
        rows = zip(self.c1, self.c2, self.delta, strict=True)
        if any(c1 <= delta or c2 <= delta for c1, c2, delta in rows):
            return "only A"
        return "both"

    def replace_rightmost(self, s: int, v: int) -> None:
        """Step 4: after a capture by player v the other loses his rightmost card."""
        other_player = 3 - v
        row = self.D[s]
        columns = [r for r in self.O[s] if row[r] == other_player]
        if columns:
            row[columns[-1]] = 0
        self.O[s] = occupied(row)

    def capture_freely(self) -> None:
        """Step 5: one free capture in each suit."""
        for s, row in enumerate(self.D):
            self.T += 1
            self.kappa[s] = 1
            self.replace_rightmost(s, row[self.O[s][0]])

    def capture_by_gaps(self) -> None:
        """Step 6: the smallest effective gap first, the first suit on ties."""
        while self.chi < 13:
            gaps = self.effective_gaps()
            if not gaps:
                break
            s = min(gaps, key=lambda suit: gaps[suit])
            if self.Zs[s] > 0 and gaps[s] > self.Z:
                break
            self.pi[s] += 1
            self.T += 1
            self.kappa[s] += 1
            v = self.D[s][self.O[s][self.pi[s]]]
            if self.Zs[s] > 0:
                self.Z -= gaps[s]
                self.Zs[s] -= 1
            self.replace_rightmost(s, v)

    def effective_gaps(self) -> dict[int, int]:
        """The gap before the next capture, for each row that has one."""
        gaps = {}
        for s, columns in enumerate(self.O):
            following = self.pi[s] + 1
            if self.kappa[s] < self.M[s] and following < len(columns):
                gap = columns[following] - columns[following - 1] - 1
                gaps[s] = gap if self.Zs[s] > 0 else 0
        return gaps


def occupied(row: list[int]) -> list[int]:
    """The columns of a row that hold a card of either player."""
    return [r for r, player in enumerate(row) if player != 0]


def bid(hand: Hand | str) -> Bid:
    """Algorithm 1: the highest n reached by raising the target from 7 tricks.

    It ends where a target is not met.

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
    O = [columns_of(hand, s) for s in Suit]
    delta = [columns[0] if columns else COLUMNS for columns in O]
    if sum(delta) > 13 - k or any(len(O[s]) <= delta[s] for s in Suit):
        return 0
    R = 13 - k - sum(delta)
    count = 4  # the first card of each suit
    for columns in O:
        for r, following in pairwise(columns):
            gap = following - r - 1
            if gap > R:
                break
            R -= gap
            count += 1
    return count
