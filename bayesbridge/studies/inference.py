"""What a posterior says of the cards of real boards: whose it is, its probabilities, and what draws add to their loss.

Draws make the loss larger than the posterior deserves: −log p̂ exceeds −log p by Var(p̂) / 2p² on average. That part of
each loss is estimated from the draws and told beside it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.deal import Seat
from bayesbridge.engines.marginals import Marginals
from bayesbridge.errors import BayesBridgeError
from bayesbridge.notation.record import Record

type Floats = NDArray[np.float64]

HONOURS: Final = tuple(13 * suit + rank for suit in range(4) for rank in range(8, 13))
"""T J Q K A of each suit."""

PSEUDO: Final = 10.0
"""Draws that the prior is worth beside the particles', so that no place is ever called impossible by chance."""

DRAWS: Final = 1000
"""After the auction the Monte Carlo part of the honours' loss is then about 0.001, of the lengths' 0.004: less than the
standard error up to some thousand boards."""

CHAIRS: Final = {
    "leader": "the opening leader",
    "partner": "the leader's partner",
    "declarer": "declarer",
    "dummy": "dummy",
}
"""Whose posterior is scored, and how it is called in a sentence."""


def usable(record: Record) -> str | None:
    """Why a record cannot be scored; ``None`` if it can."""
    if record.deal is None:
        return "not all four hands are on record"
    if record.auction is None or not record.auction.is_over:
        return "no complete auction is on record"
    return "passed out: nobody leads" if record.contract is None else None


def seat_of(chair: str, declarer: Seat) -> Seat:
    """The seat of a chair.

    >>> [seat_of(chair, Seat.S).name for chair in CHAIRS]
    ['W', 'E', 'S', 'N']
    """
    steps = {"leader": 1, "partner": 3, "declarer": 0, "dummy": 2}
    if chair not in steps:
        raise BayesBridgeError(f"unknown chair {chair!r}: choose {', '.join(CHAIRS)}", chair=chair)
    return declarer.next(steps[chair])


def hard_marginals(posterior: Posterior) -> tuple[Floats, Floats]:
    """P(card in seat) (52, 4) and P(length) (4, 4, 14) by the hard evidence alone, exact."""
    return posterior.draws.target.shares


def smoothed_marginals(posterior: Posterior, hard: tuple[Floats, Floats] | None = None) -> tuple[Floats, Floats]:
    """P(card in seat) (52, 4) and P(length) (4, 4, 14), mixed with what the hard evidence alone says.

    The prior weighs as much as a few draws, so exact posteriors are left alone. ``hard``: :func:`hard_marginals`, where
    they were counted already.
    """
    cards, lengths = hard or hard_marginals(posterior)
    if posterior.draws.log_likelihood is None:
        return cards, lengths
    share = _prior_share(posterior)
    sums = posterior.marginals
    return (1 - share) * sums.cards() + share * cards, (1 - share) * sums.lengths() + share * lengths


def _prior_share(posterior: Posterior) -> float:
    return 0.0 if posterior.exact else PSEUDO / (PSEUDO + len(posterior))


def monte_carlo_parts(posterior: Posterior, cards: Floats, lengths: Floats) -> tuple[Floats, Floats]:
    """Var(p̂) / 2p̂² of every smoothed probability: by how much draws raise −log p̂ on average; 0 where exact.

    The variance is Σ W² (x − p)² over weighted draws, and no less than draws of equal weight would give that are worth
    as many independent ones. It is a first-order figure, which grows beyond all bounds for a cell that few draws met:
    no part is said to be more than the whole loss −log p̂.
    """
    if posterior.exact or posterior.draws.log_likelihood is None:
        return np.zeros_like(cards), np.zeros_like(lengths)
    squares = Marginals.empty()
    for masks, weights in posterior.blocks():
        squares.add(masks, weights**2)
    total, ess, share = float(np.square(posterior.weights).sum()), max(posterior.ess, 1.0), _prior_share(posterior)
    sums = posterior.marginals
    found = []
    for p, in_cell, smoothed in (
        (sums.cards(), squares.cards(), cards),
        (sums.lengths(), squares.lengths(), lengths),
    ):
        at_least = np.clip(p, 1 / ess, 1.0)
        variance = np.maximum(in_cell * (1 - 2 * p) + total * p**2, at_least * (1 - at_least) / ess)
        known = np.maximum(smoothed, 1e-12)
        found.append(np.minimum((1 - share) ** 2 * variance / (2 * known**2), -np.log(np.minimum(known, 1.0))))
    return found[0], found[1]
