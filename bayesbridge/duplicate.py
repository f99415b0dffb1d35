"""Duplicate scoring by the Laws of Duplicate Bridge (2017): what a contract scores (law 77), and IMPs (law 78B).

Everything depends on the contract, on the tricks taken and on whether the declaring side is vulnerable. A contract made
scores for its odd tricks, a bonus for game or part score, one for a slam and one for a contract made doubled, and its
overtricks; a contract down scores for the other side.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbridge.calls import Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.notation.record import Vulnerability
from bayesbridge.scoring import Score

ODD_TRICK: Final = {Strain.C: 20, Strain.D: 20, Strain.H: 30, Strain.S: 30, Strain.NT: 30}
"""Each odd trick bid and made; the first at no trumps counts 10 more."""
FACTOR: Final = (1, 2, 4)
"""Odd tricks undoubled, doubled, redoubled."""
GAME: Final = 100
"""Trick points from which a contract is a game."""
PART_SCORE: Final = 50
GAMES: Final = (300, 500)
"""Bonus for a game, not vulnerable and vulnerable; the other pairs of numbers are ordered alike."""
SLAMS: Final = {6: (500, 750), 7: (1000, 1500)}
MADE_DOUBLED: Final = (0, 50, 100)
"""Bonus for a contract made undoubled, doubled, redoubled."""
DOUBLED_OVERTRICK: Final = (100, 200)
UNDERTRICK: Final = (50, 100)
DOUBLED_UNDERTRICKS: Final = ((100, 200, 200), (200,))
"""The first ones in order when doubled; each after them costs ``LATER_UNDERTRICK``. Redoubled everything is twice."""
LATER_UNDERTRICK: Final = 300

IMP_STEPS: Final = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""Differences of scores from which one IMP more is won."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Standard duplicate scoring, a scheme like ``old`` and ``new``; ``vulnerable`` says which sides are.

    >>> Duplicate().score(Contract.of("3NT by S"), 10).net
    Fraction(430, 1)
    >>> Duplicate(Vulnerability.NS).score(Contract.of("4SX by S"), 8).net
    Fraction(-500, 1)
    """

    vulnerable: Vulnerability = Vulnerability.NONE
    name: str = "duplicate"

    def score(self, contract: Contract, tricks: int) -> Score:
        """What the declaring side scores when it takes ``tricks`` tricks, 0 … 13, below zero if the contract is down.

        All of it stands as declarer's; the defenders' score is the opposite.
        """
        if not 0 <= tricks <= 13:
            raise BayesBridgeError(f"{tricks} tricks: declarer takes 0 to 13", tricks=tricks)
        side = int(contract.declarer in self.vulnerable)
        over = tricks - contract.tricks_needed
        return Score(Fraction(_made(contract, over, side) if over >= 0 else -_down(contract, -over, side)), Fraction(0))


def _made(contract: Contract, over: int, side: int) -> int:
    """Points of a contract made with ``over`` overtricks; ``side`` is 1 for a vulnerable one."""
    odd = ODD_TRICK[contract.strain]
    tricks = (contract.level * odd + 10 * (contract.strain == Strain.NT)) * FACTOR[contract.doubled]
    bonus = (GAMES[side] if tricks >= GAME else PART_SCORE) + SLAMS.get(contract.level, (0, 0))[side]
    overtrick = DOUBLED_OVERTRICK[side] * contract.doubled if contract.doubled else odd
    return tricks + bonus + MADE_DOUBLED[contract.doubled] + over * overtrick


def _down(contract: Contract, short: int, side: int) -> int:
    """Points of the defenders for ``short`` undertricks."""
    if not contract.doubled:
        return short * UNDERTRICK[side]
    first = DOUBLED_UNDERTRICKS[side][:short]
    return (sum(first) + LATER_UNDERTRICK * (short - len(first))) * contract.doubled


@lru_cache(maxsize=128)
def scores_by_tricks(level: int, strain: int, vulnerable: bool) -> NDArray[np.int64]:
    """(14,) what declarer scores undoubled with 0 to 13 tricks; ``strain`` C D H S NT = 0 … 4.

    >>> scores_by_tricks(3, 4, True)[[7, 9, 10]].tolist()
    [-200, 600, 630]
    """
    scheme = Duplicate(Vulnerability.ALL if vulnerable else Vulnerability.NONE)
    contract = Contract(level, Strain(strain), Seat.N)
    scores = np.array([int(scheme.score(contract, tricks).net) for tricks in range(14)])
    scores.flags.writeable = False
    return scores


def imps(difference: ArrayLike) -> NDArray[np.int64]:
    """International match points for differences of two scores, with their signs.

    The laws name multiples of ten alone; a difference between two of them counts as the larger, as *dealer* has it.

    >>> imps([0, 10, 11, 20, -420, 430, 4000, 9000]).tolist()
    [0, 0, 1, 1, -9, 10, 24, 24]
    """
    most = np.array(IMP_STEPS) - 10
    return np.asarray(np.sign(difference) * np.searchsorted(most, np.abs(difference), side="left"), np.int64)
