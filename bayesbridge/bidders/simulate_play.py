"""Play simulated by a player model: the cards that a table might play, for tests of inference and for studies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayesbridge.auction import Auction
from bayesbridge.cards import Card, Hand
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import PlayerModel
from bayesbridge.random64 import Seed
from bayesbridge.tricks import Trick


def simulate_play(
    deal: Deal | str, auction: Auction, player: PlayerModel, cards: int = 52, rng: Seed = None
) -> tuple[tuple[Seat, Card], ...]:
    """The first ``cards`` cards of a deal after an auction of four players, (seat, card) in order.

    Dummy's cards are declarer's choice, of which a player model says nothing: they are any legal card. Nobody plays
    where all have passed.

    >>> from bayesbridge.bidders.card_play import LearnedPlayer
    >>> deal = Deal.of("N:J54.AQ2.KQ76.A54 T983.T954.J9.T96 AKQ2.KJ3.A54.Q32 76.876.T832.KJ87")
    >>> simulate_play(deal, Auction.of("S:3NT Pass Pass Pass"), LearnedPlayer(slip=0.0), cards=2, rng=1)[0]
    (<Seat.W: 3>, Card.of('H6'))
    """
    if auction.dummy is not None:
        raise BayesBridgeError(
            f"play is simulated for four players, and '{auction}' has three: give an auction of four", auction=auction
        )
    contract, dealt, generator = auction.contract, Deal.of(deal), np.random.default_rng(rng)
    if contract is None:
        return ()
    rest = {seat: dealt[seat] for seat in Seat}
    plays: list[tuple[Seat, Card]] = []
    trick = Trick(contract.declarer.next(), contract.trump)
    for _ in range(min(cards, 52)):
        seat = trick.turn
        assert seat is not None
        legal = list(trick.legal(rest[seat]))
        chances = np.ones(len(legal))
        if seat != contract.declarer.partner and len(legal) > 1:
            table = dealt[contract.declarer.partner]
            said = [
                _log_likelihood(player, dealt[seat], auction, [*plays, (seat, card)], seat, table) for card in legal
            ]
            chances = np.exp(np.array(said) - max(said))
        card = legal[int(generator.choice(len(legal), p=chances / chances.sum()))]
        plays.append((seat, card))
        rest[seat] = Hand(rest[seat].mask & ~(1 << card.index))
        trick = trick.after(seat, card)
        if trick.complete:
            assert trick.winner is not None
            trick = Trick(trick.winner, contract.trump)
    return tuple(plays)


def _log_likelihood(
    player: PlayerModel, hand: Hand, auction: Auction, plays: Sequence[tuple[Seat, Card]], seat: Seat, dummy: Hand
) -> float:
    """log P(all cards of the seat so far ∣ its hand): for cards that differ in the last alone, log P(it) + constant."""
    assert auction.contract is not None
    masks = np.array([hand.mask], dtype=np.uint64)
    return float(player.log_likelihood(masks, auction.contract, plays, seat, auction, dummy)[0])
