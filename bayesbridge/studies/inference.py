"""How well a posterior finds the cards of real boards: log-loss, Brier score, top-1 and calibration.

The observer sits in one of the four chairs. After the auction, or a given number of cards, the posterior says where
each hidden honour lies (A K Q J T) and how long each suit is in each hidden hand; the record knows the truth.

Draws make the loss larger than the posterior deserves: −log p̂ exceeds −log p by Var(p̂) / 2p² on average. That part of
each loss is estimated from the draws and told beside it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.deal import Deal, Seat
from bayesbridge.engines.marginals import Marginals
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel, PlayerModel
from bayesbridge.notation.record import Record
from bayesbridge.studies.board_scores import BoardScore, at_truth, losses_of

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


def score_board(
    record: Record,
    *,
    chair: str = "leader",
    cards: int = 0,
    bidder: BidderModel | None = None,
    player: PlayerModel | None = None,
    draws: int = DRAWS,
    seed: int = 1,
) -> BoardScore:
    """Score the posterior of one chair on one board after the auction and ``cards`` cards.

    After the lead all but dummy see dummy's hand. Dummy has no cards to play from then on and is asked before it.
    """
    if chair == "dummy" and cards:
        raise BayesBridgeError(f"dummy after {cards} cards: dummy looks on from the lead on, take cards=0", cards=cards)
    deal, contract = record.deal, record.contract
    assert deal is not None
    assert contract is not None
    started = time.perf_counter()
    observer = seat_of(chair, contract.declarer)
    belief = Belief.of_record(record, observer, cards=cards, bidder=bidder, player=player)
    posterior = belief.infer("auto", draws, seed)
    honours, lengths = smoothed_marginals(posterior)
    seconds = time.perf_counter() - started
    hidden = [seat for seat in Seat if belief.constraints.must[seat].bit_count() < 13]
    scored = _scored(honours, lengths, deal, hidden, seconds, len(posterior))
    if not hidden:
        return replace(scored, honour_prior=0.0, length_prior=0.0)
    before = _scored(*hard_marginals(posterior), deal, hidden, 0.0, 0)
    noise = _scored(*monte_carlo_parts(posterior, honours, lengths), deal, hidden, 0.0, 0, like=honours)
    return replace(
        scored,
        honour_noise=float(at_truth(noise).mean()) if len(noise.truth) else 0.0,
        length_noise=float(noise.length_loss.mean()),
        honour_prior=float(losses_of(before).mean()) if len(before.truth) else 0.0,
        length_prior=float(before.length_loss.mean()),
    )


def hard_marginals(posterior: Posterior) -> tuple[Floats, Floats]:
    """P(card in seat) (52, 4) and P(length) (4, 4, 14) by the hard evidence alone, exact."""
    return posterior.draws.target.shares


def smoothed_marginals(posterior: Posterior) -> tuple[Floats, Floats]:
    """P(card in seat) (52, 4) and P(length) (4, 4, 14), mixed with what the hard evidence alone says.

    The prior weighs as much as a few draws, so exact posteriors are left alone.
    """
    cards, lengths = hard_marginals(posterior)
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
    as many independent ones.
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
        found.append((1 - share) ** 2 * variance / (2 * np.maximum(smoothed, 1e-12) ** 2))
    return found[0], found[1]


def _scored(
    cards: Floats,
    lengths: Floats,
    deal: Deal,
    hidden: list[Seat],
    seconds: float,
    layouts: int,
    like: Floats | None = None,
) -> BoardScore:
    """The numbers of one board at the truth; with ``like`` they are no probabilities and stay as they are.

    A card that is certain is not asked about: by ``like`` if given, else by ``cards``.
    """
    if not hidden:  # all has been seen
        return BoardScore(np.empty((0, 3)), np.empty(0, dtype=np.int64), np.zeros(1), seconds, layouts)
    masks = [deal[seat].mask for seat in hidden]
    held = [card for card in HONOURS if any(mask >> card & 1 for mask in masks)]
    certain = cards if like is None else like
    unsure = np.array([card for card in held if certain[card].max() < 1.0 - 1e-12], dtype=np.intp)
    truth = [next(i for i, mask in enumerate(masks) if mask >> card & 1) for card in unsure]
    chances = np.array(
        [
            lengths[seat, suit, (mask >> (13 * suit) & 0x1FFF).bit_count()]
            for seat, mask in zip(hidden, masks, strict=True)
            for suit in range(4)
        ]
    )
    chosen = cards[np.ix_(unsure, np.array(hidden, dtype=np.intp))]
    if like is None:
        chosen, chances = np.clip(chosen, 1e-12, 1.0), -np.log(np.maximum(chances, 1e-12))
    return BoardScore(chosen, np.array(truth, dtype=np.int64), chances, seconds, layouts)


def score_boards(
    records: Iterable[Record], *, chair: str = "leader", cards: int = 0, draws: int = DRAWS, seed: int = 1
) -> Iterator[tuple[Record, BoardScore | str]]:
    """Each record with its score, or with the reason why it has none."""
    for record in records:
        yield record, usable(record) or score_board(record, chair=chair, cards=cards, draws=draws, seed=seed)
