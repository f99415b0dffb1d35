"""What a contract is worth to each player, by a scoring scheme and what players want.

The schemes say what bidder and defenders score; the paper does not say what a player
wants. Two readings, of which both add up to nothing over the players:

- *relative*: the points of a player less the mean of the others'.
- *net*: the bidder's points less those of all defenders, as the headline study counts
  them; the defenders share what the bidder nets.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bayesbridge.errors import NotationError
from bayesbridge.game.calls import Contract
from bayesbridge.game.layouts import Floats
from bayesbridge.game.scoring import SCHEMES, Scheme

UTILITIES: Final = ("relative", "net")
DECLARER: Final = 0  # column of a table of pay-offs
DEFENDER: Final = 1
TRICKS: Final = 14  # declarer takes 0 … 13
# The score of a defeat is negative: the points of this many defenders together.
DEFENDERS_SCORED: Final = 2


def scheme_of(scheme: Scheme | str) -> Scheme:
    """A scheme by its name, or the scheme itself."""
    if isinstance(scheme, Scheme):
        return scheme
    if scheme not in SCHEMES:
        known = " or ".join(SCHEMES)
        raise NotationError(
            f"unknown scoring scheme {scheme!r}: write {known}, or give a Scheme",
            text=scheme,
        )
    return SCHEMES[scheme]


def payoffs(
    scheme: Scheme, utility: str = "relative", levels: int = 7, players: int = 3
) -> Floats:
    """What contracts pay the declarer and each defender.

    A contract that is made scores for the declarer. One that is defeated scores for
    each defender: by ``relative`` the declarer, whose pay-off is their points less the
    mean of the others', loses what one of them scores; by ``net`` what all of them do.
    The defenders share what the declarer loses, or lose what the declarer gains.

    Parameters
    ----------
    scheme : Scheme
        What contracts score.
    utility : str
        ``relative`` or ``net``.
    levels : int
        The highest level.
    players : int
        How many bid.

    Returns
    -------
    array, shape (levels, 14, 2)
        By level − 1, tricks, and ``DECLARER`` or ``DEFENDER``.

    Examples
    --------
    >>> from bayesbridge.game.scoring import NEW
    >>> table = payoffs(NEW)
    >>> table[0, 8].tolist(), table[0, 5].tolist()
    ([75.0, -37.5], [-50.0, 25.0])
    """
    if utility not in UTILITIES:
        raise NotationError(
            f"unknown utility {utility!r}: write {' or '.join(UTILITIES)}",
            text=utility,
        )
    defenders = players - 1
    defenders_paid = 1 if utility == "relative" else defenders
    table = np.empty((levels, TRICKS, 2))
    for level in range(1, levels + 1):
        contract = Contract.of(f"{level}NT by S")
        for tricks in range(TRICKS):
            score = float(scheme.score(contract, tricks))
            is_made = tricks >= contract.tricks_needed
            if is_made:
                declarer = score
            else:
                points_of_a_defender = -score / DEFENDERS_SCORED
                declarer = -points_of_a_defender * defenders_paid
            table[level - 1, tricks, DECLARER] = declarer
            table[level - 1, tricks, DEFENDER] = -declarer / defenders
    return table
