"""Algorithm 2 with trumps, step by step: an extension of this package, not of the paper.

At no trumps it is the paper's algorithm (``literal.capture``). With a trump suit s two things change and nothing else,
the same two that ``strains`` changes in Algorithm 1:

* **Shortness stops losing.** A side suit t loses at most as many tricks as its shorter holding has cards, for after
  that it is ruffed: its leading gap counts as λ(t) = min(δ(t), c₁(t), c₂(t)). Condition B is asked of the trump suit
  alone. A side suit with M(t) ≤ δ(t), where neither hand outlasts the gap, is all losers and captures nothing, where
  at no trumps it ends the matter.
* **Length wins.** The defenders hold c₀(s) trumps; shared evenly they are gone after m = ⌈c₀(s) / 2⌉ rounds. From the
  capture m + 1 on, every trump captures and its gap costs nothing: the row budget of trumps is m − 1 instead of c₀(s).

Condition A is Δ = λ(C) + λ(D) + λ(H) + λ(S) ≤ 6, with λ(s) = δ(s). Every suit that captures gives one free capture;
then the smallest gap comes first, as in the paper. Ruffs are not counted as captures of their own.

Plain Python with the letters of ``literal``; kernels and tables are tested against it.
"""

from __future__ import annotations

from dataclasses import dataclass

from bayesbridge.capture.literal import Matrix, state_matrix
from bayesbridge.cards import Hand, Strain, Suit


@dataclass(frozen=True, slots=True)
class TrumpCapture:
    """What the extended algorithm outputs. Tuples run over the suits C D H S."""

    losers: tuple[int, ...]
    """λ(s): the leading gap as far as it loses tricks."""
    kappa: tuple[int, ...]
    """κ(s), captures in the suit; all 0 where a condition fails."""
    Delta: int
    """Δ = Σ λ(s)."""
    Z: int
    """Z, the zero budget left at the end (6 − Δ where nothing was captured)."""
    condition: str
    """``neither`` (A fails), ``only A`` (B fails) or ``both``."""
    T: int
    """T, the captures in all; 0 where a condition fails."""
    chi: int
    """χ = T + (6 − Z)."""


def capture_trumps(first: Hand | str, second: Hand | str, trump: Suit | Strain | str | None) -> TrumpCapture:
    """The captures of two full hands with a trump suit; ``None`` and ``"NT"`` are no trumps.

    >>> capture_trumps("AKQJ54.3.A54.Q32", "T32.A762.K2.A654", "S").T
    12
    """
    strain = Strain.NT if trump is None else Strain.of(trump)
    return capture_trumps_matrix(state_matrix(first, second), strain.trump)


def capture_trumps_matrix(matrix: Matrix, trump: Suit | None) -> TrumpCapture:
    """The same on a state matrix D (left untouched)."""
    D = [list(row) for row in matrix]
    S = range(len(D))
    columns = range(13)

    # Step 2: row analysis.
    c1 = [row.count(1) for row in D]
    c2 = [row.count(2) for row in D]
    c0 = [row.count(0) for row in D]
    delta = [min((r for r in columns if D[s][r] != 0), default=13) for s in S]
    M = [max(c1[s], c2[s]) for s in S]
    Zs = list(c0)
    O = [[r for r in columns if D[s][r] != 0] for s in S]
    losers = list(delta)
    if trump is not None:
        losers = [delta[s] if s == trump else min(delta[s], c1[s], c2[s]) for s in S]
        Zs[trump] = max(0, -(-c0[trump] // 2) - 1)
    Delta = sum(losers)
    Z = 6 - Delta
    T = 0
    kappa = [0 for _ in S]
    pi = [0 for _ in S]

    # Step 4: after every capture the other player loses their rightmost card of the suit.
    def replace_rightmost(s: int, v: int) -> None:
        theirs = [r for r in columns if D[s][r] == 3 - v]
        if theirs:
            D[s][max(theirs)] = 0
        O[s] = [r for r in columns if D[s][r] != 0]

    # Step 3: pre-qualification; with trumps, condition B is asked of them alone.
    if Delta > 6:
        condition = "neither"
    elif any(c1[s] <= delta[s] or c2[s] <= delta[s] for s in S if trump in (None, s)):
        condition = "only A"
    else:
        condition = "both"

        # Step 5: one free capture in each suit that captures.
        capturing = [s for s in S if M[s] > delta[s]]
        T = len(capturing)
        for s in capturing:
            kappa[s] = 1
            replace_rightmost(s, D[s][O[s][0]])

        # Step 6: the smallest effective gap first, the first suit on ties.
        while T + (6 - Z) < 13:
            best, smallest = -1, 0
            for s in capturing:
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

    return TrumpCapture(tuple(losers), tuple(kappa), Delta, Z, condition, T, T + (6 - Z))
