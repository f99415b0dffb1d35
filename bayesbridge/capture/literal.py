"""Algorithm 2 (capture) and Algorithm 1 (the iterative bid), as the paper writes them.

Plain Python with the paper's letters, to be read beside it: S. Sarkar, *Winning Before
You Play: An Iterative Capture Algorithm for Pre-Game Dominance Analysis in Three-Player
Auction Bridge*, sections II and III. Every table and kernel of the package is tested
against these two functions.

Two partners, players 1 and 2, hold 13 cards each. Algorithm 2 counts captures, the
paper's model of tricks: from the top of each suit down the pair captures a card at a
time, and pays for the gaps, the higher cards that neither partner holds, from a budget
of six. Algorithm 1 does the same with one hand, and bids as many tricks as it counts.

Rows s are suits C D H S = 0 1 2 3; columns r run from the ace (0) to the two (12). The
step numbers are the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from bayesbridge.errors import DealError
from bayesbridge.game.cards import Hand, Suit

COLUMNS = 13
"""Columns of the state matrix, one for each rank; also δ of a suit without cards."""

ZERO_BUDGET = 6
"""Columns of gaps that may be paid for in all; condition A: Δ is at most this."""

MOST_CHI = 13
"""Algorithm 2 ends when captures and gaps paid for, χ, reach it."""

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
    """Algorithm 2: how many cards two partners capture, by suit and in all.

    The captures T are the paper's model of their tricks. ``first`` and ``second`` are
    full hands, of player 1 and of player 2, without a card in common.

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
    """Step 1: (13,) whose card stands in each column of suit s, from the ace down.

    1 for player 1, who holds the ``first`` hand, 2 for player 2, 0 for neither.
    """
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
    """Algorithm 2 on a state matrix D, which is left untouched.

    D has a row for each suit s: 1 for player 1's cards, 2 for player 2's, 0 for those
    of neither, from the ace down. The other letters are those of the paper, explained
    at :class:`Capture`: by suit the numbers of cards c₁, c₂, c₀, the leading gap δ, the
    most captures M and the captures κ; in all Δ = Σ δ, the budget for gaps Z, the
    captures T and χ = T + (6 − Z).
    """
    state = CaptureState(matrix)  # step 2: what the suits hold
    condition = state.condition()  # step 3: whether the pair qualifies
    if condition == "both":
        # Steps 5 and 6; step 4 is part of every capture.
        state.capture_freely()
        state.capture_by_gaps()
    # Step 7: the output.
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
    """What Algorithm 2 keeps of the suits of two partners, in the paper's letters.

    Those of :class:`Capture`, and for each row, a suit: ``O``, the columns that hold a
    card of either player; ``pi``, the pointer π, the place in ``O`` of the card
    captured last; ``Zs``, the row budget, how many more captures pay for their gaps.
    """

    def __init__(self, matrix: Matrix) -> None:
        """Step 2: what each suit holds, before anything is captured.

        ``matrix`` has a row for each suit: 1 for player 1's cards, 2 for player 2's, 0
        for those of neither, from the ace (column 0) down to the two.
        """
        # D: the matrix, from which cards will go.
        self.D = [list(row) for row in matrix]
        # c₁, c₂, c₀: cards of a suit with player 1, with player 2 and with neither.
        self.c1 = [row.count(1) for row in self.D]
        self.c2 = [row.count(2) for row in self.D]
        self.c0 = [row.count(0) for row in self.D]
        # O: the columns of the pair's cards in a suit. δ, the leading gap: the cards
        # above the highest of them, 13 where there is none. Δ: all leading gaps.
        self.O = [occupied(row) for row in self.D]
        self.delta = [columns[0] if columns else COLUMNS for columns in self.O]
        self.Delta = sum(self.delta)
        # M: the most captures in a suit, as many as the longer holding has cards.
        self.M = [max(c1, c2) for c1, c2 in zip(self.c1, self.c2, strict=True)]
        # Z: the budget for gaps that the leading ones leave. Z_s: how many captures in
        # a suit pay for their gaps; those after them are free.
        self.Z = ZERO_BUDGET - self.Delta
        self.Zs = list(self.c0)
        # T, and by suit κ: captures so far. π: the place in O of a suit's last capture.
        self.T = 0
        self.kappa = [0 for _ in self.D]
        self.pi = [0 for _ in self.D]

    @property
    def chi(self) -> int:
        """χ, which ends the algorithm at 13: captures T and gaps paid for, 6 − Z."""
        return self.T + (ZERO_BUDGET - self.Z)

    def condition(self) -> str:
        """Step 3: whether the pair qualifies: ``both``, ``only A`` or ``neither``.

        The leading gap of a suit, δ, is the number of cards above the highest one that
        the pair holds. Condition A: all leading gaps together, Δ, are six at most.
        Condition B: in every suit each player has more cards than its leading gap. Where
        A fails B is not looked at, so that ``neither`` says no more than that A fails.
        """
        meets_a = self.Delta <= ZERO_BUDGET
        if not meets_a:
            return "neither"
        shorter_lengths = map(min, self.c1, self.c2)  # of the two players, by suit
        meets_b = all(
            length > leading_gap
            for length, leading_gap in zip(shorter_lengths, self.delta, strict=True)
        )
        return "both" if meets_b else "only A"

    def replace_rightmost(self, s: int, player: int) -> None:
        """Step 4: the partner of the ``player`` who captured loses a card of suit s.

        It is the lowest one, the rightmost in its row of D, as it falls on the same
        trick; O, the columns that still hold a card, follows.
        """
        partner = 3 - player
        row = self.D[s]
        partner_columns = [r for r in self.O[s] if row[r] == partner]
        if partner_columns:
            row[partner_columns[-1]] = 0
        self.O[s] = occupied(row)

    def capture_freely(self) -> None:
        """Step 5: the highest card of each suit is captured, for nothing."""
        for s, row in enumerate(self.D):
            self.T += 1
            self.kappa[s] = 1
            highest_column = self.O[s][0]
            self.replace_rightmost(s, row[highest_column])

    def capture_by_gaps(self) -> None:
        """Step 6: capture card after card, in the suit where the next costs least.

        A card costs its effective gap: the empty columns between it and the capture
        before. The budget Z pays, as long as the row budget Z_s of the suit lasts, which
        falls by one each time; then the suit is free. All ends where no card is left,
        where the cheapest is too dear, or where χ, captures and gaps paid, reaches 13.
        """
        while self.chi < MOST_CHI:
            gaps = self.effective_gaps()
            if not gaps:
                break
            s = min(gaps, key=lambda suit: gaps[suit])  # of equal ones the first suit
            pays = self.Zs[s] > 0
            if pays and gaps[s] > self.Z:
                break
            self.pi[s] += 1
            self.T += 1
            self.kappa[s] += 1
            column = self.O[s][self.pi[s]]
            player = self.D[s][column]
            if pays:
                self.Z -= gaps[s]
                self.Zs[s] -= 1
            self.replace_rightmost(s, player)

    def effective_gaps(self) -> dict[int, int]:
        """By suit, what the next capture costs; only suits that have a next one.

        It is the number of columns without a card since the last capture, and 0 once
        the row budget ``Zs`` of the suit is used up.
        """
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
    """Algorithm 1: the bid in no trumps of one hand.

    The target rises from 7 tricks, level 1, to 13, level 7. The bid is the level of the
    last target that is met before the first that is not.

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
    """How many cards of a hand Algorithm 1 counts as tricks, for a target of k tricks.

    A hand that is to take k tricks can pay for 13 − k cards that others hold above its
    own. First it pays the leading gaps δ, the cards above its highest in each suit.
    Condition A: it can. Condition B: each suit has more cards than its leading gap.
    Where either fails the count is 0. Then it goes down each suit and pays the gap
    before every further card; the first gap that it cannot pay ends the suit, and the
    next suit goes on with the rest of the budget.
    """
    columns_by_suit = [columns_of(hand, s) for s in Suit]
    delta = [columns[0] if columns else COLUMNS for columns in columns_by_suit]
    budget = 13 - k - sum(delta)
    meets_a = budget >= 0
    lengths = map(len, columns_by_suit)
    meets_b = all(c1 > gap for c1, gap in zip(lengths, delta, strict=True))
    if not (meets_a and meets_b):
        return 0
    count = 4  # the highest card of each suit
    for columns in columns_by_suit:
        for column, next_column in pairwise(columns):
            gap = next_column - column - 1
            if gap > budget:
                break
            budget -= gap
            count += 1
    return count
