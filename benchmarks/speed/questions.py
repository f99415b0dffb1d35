"""The questions that several benchmarks ask, and the share of deals that fit.

South holds AKQ52.J3.A94.K83. *plain*: nothing else is known. *B*: West is void in
spades and East has five hearts or more, 1 deal in 256. *C*: West is void in hearts and
East has six spades or more, 1 deal in 102 000.
"""

from __future__ import annotations

from bayesbridge.belief.belief import Belief
from bayesbridge.evidence.kinds import Length, Piece, Void

HAND = "AKQ52.J3.A94.K83"
DUMMY = "643.AQ2.K87.A764"
SOUTH = Belief("S", HAND)
QUESTIONS: dict[str, tuple[Piece, ...]] = {
    "plain": (),
    "B": (Void("W", "S"), Length("E", "H", 5)),
    "C": (Void("W", "H"), Length("E", "S", 6)),
}


def chance(name: str) -> float:
    """The exact share of deals that fit, given South's hand."""
    return SOUTH.given(*QUESTIONS[name]).count() / SOUTH.count()
