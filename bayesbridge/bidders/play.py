"""The learned player: P(card ∣ hand, what was seen), so that the lead and every later
card are soft evidence.

A transformer reads the auction, dummy and every card so far; the cards still held join
it in one hidden layer, and P(card) is a softmax over the legal ones
(:mod:`~bayesbridge.bidders.networks`). Seats are counted from declarer: 0 declarer, 1
the leader, 2 dummy, 3 the leader's partner. ``scripts/fit_card_play.py`` makes the
parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.networks import BLOCK, Context, network, read
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import SUIT_MASK, Card, Hand
from bayesbridge.game.deal import Seat
from bayesbridge.runtime.jit import one_thread

HEARD: Final = 24  # calls that are read, the last ones of the auction
NO_CALL: Final = 38
NO_CARD: Final = 52
NO_SUIT: Final = 4
NO_RANK: Final = 13  # nothing was led yet, or a side suit has been ruffed
PARTNER, OPPONENT, NOBODY = range(3)  # who has the best card of the trick so far
STARTS: Final = np.cumsum((0, 39, 4, 53, 4, 4, 5, 14, 3, 13, 5, 7, 2))
"""Where the rows of each part of a token begin: the call and who made it; the card
before, who is to play, the place in the trick, the suit led, the rank of the best card,
who has it, the number of the trick; the strain, the level, and whether it is a call or
a card. After them come 52 rows for the cards that dummy still holds.
"""


class Situations(NamedTuple):
    """What was seen before each of n cards."""

    tokens: NDArray[np.intp]  # (24 + n, 12) rows of the reader's table, the calls first
    dummy: NDArray[
        np.uint64
    ]  # (24 + n,) what dummy still holds, as masks; 0 where it is not open
    led: NDArray[np.intp]  # (n,) the suit to follow, NO_SUIT for a lead


def situations(
    contract: Contract,
    auction: Auction | None,
    plays: Sequence[tuple[Seat, Card]],
    dummy: int | None = None,
) -> Situations:
    """The situation before each card; cards in the order played, ``dummy`` the 13 cards
    of dummy as a mask.
    """
    strain = int(contract.strain)
    level = contract.level - 1
    declarer = contract.declarer
    tokens = np.zeros((HEARD + len(plays), len(STARTS) - 1), np.intp)
    tokens[:HEARD] = _call_tokens(auction, declarer, strain, level)
    dummy_holds = np.zeros(len(tokens), np.uint64)
    led = np.zeros(len(plays), np.intp)
    dummy_cards = dummy or 0
    card_before = NO_CARD
    trick = _Trick(strain)
    for i, (seat, card) in enumerate(plays):
        turn = (seat - declarer) % 4
        place = i % 4
        if not place:
            trick = _Trick(strain)
        led[i] = trick.suit
        tokens[HEARD + i] = (
            NO_CALL,
            0,
            card_before,
            turn,
            place,
            trick.suit,
            trick.rank,
            trick.holder_beside(turn),
            i // 4,
            strain,
            level,
            1,
        )
        dummy_holds[HEARD + i] = dummy_cards if i else 0
        trick.take(card, turn)
        dummy_cards &= ~card.mask
        card_before = card.index
    return Situations(tokens + STARTS[:-1], dummy_holds, led)


def _call_tokens(
    auction: Auction | None, declarer: Seat, strain: int, level: int
) -> NDArray[np.intp]:
    """(24, 12) the last calls of the auction, rows without a call before them."""
    calls = [] if auction is None else [call.index for call in auction.calls]
    first = declarer if auction is None else auction.first
    tokens = np.zeros((HEARD, len(STARTS) - 1), np.intp)
    for i in range(HEARD):
        number = len(calls) - HEARD + i
        tokens[i] = (
            calls[number] if number >= 0 else NO_CALL,
            (first + number - declarer) % 4,
            NO_CARD,
            0,
            0,
            NO_SUIT,
            NO_RANK,
            NOBODY,
            0,
            strain,
            level,
            0,
        )
    return tokens


class _Trick:
    """The best card of a trick so far, and who has it, counted from declarer."""

    def __init__(self, strain: int) -> None:
        self.strain = strain
        self.suit = NO_SUIT
        """The suit led."""
        self._best: Card | None = None
        self._winner = 0

    @property
    def rank(self) -> int:
        """The rank of the best card; none where a side suit has been ruffed."""
        if self._best is None or self._best.suit != self.suit:
            return NO_RANK
        return self._best.rank

    def holder_beside(self, turn: int) -> int:
        """Who has the best card: the partner or an opponent of the seat in turn."""
        if self._best is None:
            return NOBODY
        return PARTNER if (self._winner - turn) % 4 == 2 else OPPONENT

    def take(self, card: Card, turn: int) -> None:
        """A card is played by the seat in turn."""
        if self._best is None:
            self.suit = int(card.suit)
            wins = True
        elif card.suit == self._best.suit:
            wins = card > self._best
        else:
            wins = card.suit == self.strain
        if wins:
            self._best = card
            self._winner = turn


FOURTH_BEST: Final = "fourth best"
THIRD_AND_FIFTH: Final = "third and fifth"
LEADS: Final = (FOURTH_BEST, THIRD_AND_FIFTH, "top of sequence")
"""Agreements on which card of a suit with an honour is the opening lead: the first two
of its low cards (the third of three or four, the fifth of more), the last of honours
whose best two touch, in no trumps with a third near them.
"""

LOW: Final = 8  # cards of a suit below the ten
ACE_RANK: Final = 12
TINY: Final = 1e-30
"""Below any chance, so that nothing is divided by 0."""


class AgreedLeads(NamedTuple):
    """What a pair may have agreed on opening leads, of :data:`LEADS`, its share, and
    how surely they keep to it.
    """

    share: float
    agreed: tuple[str, ...]
    faith: float


type Leads = tuple[AgreedLeads, ...]


@cache
def agreed_ranks(agreement: str, notrump: bool) -> NDArray[np.int64]:
    """(8192,) the rank that is led from each holding in a suit, -1 where the agreement
    says nothing of it.
    """
    ranks = np.full(1 << 13, -1)
    for holding in range(1 << 13):
        falling = [rank for rank in reversed(range(13)) if holding >> rank & 1]
        count = _agreed_count(falling, agreement, notrump)
        if count and falling[0] >= LOW:
            rank = falling[count - 1]
            about_low_cards = agreement in LEADS[:2]
            if about_low_cards == (rank < LOW):
                ranks[holding] = rank
    return ranks


def _agreed_count(falling: list[int], agreement: str, notrump: bool) -> int:
    """Which card of a suit is led, counted from its best as 1; 0 where nothing is
    agreed. ``falling`` are its ranks.
    """
    length = len(falling)
    if agreement == FOURTH_BEST:
        return 4 if length >= 4 else 0
    if agreement == THIRD_AND_FIFTH:
        if length < 3:
            return 0
        return 3 if length <= 4 else 5
    if length < 2:
        return 0
    touching = falling[0] < ACE_RANK and falling[0] == falling[1] + 1
    third_near = length > 2 and falling[1] - falling[2] <= 2
    return 1 if touching and (third_near or not notrump) else 0


@dataclass(frozen=True, slots=True)
class LearnedPlayer:
    """Experts at the table; with probability ``slip`` they play any legal card.

    >>> from bayesbridge.game.cards import Hand
    >>> hands = np.array([Hand.of("KQJ2.543.8642.73").mask, Hand.of("K742.543.8642.73").mask], np.uint64)
    >>> lead = LearnedPlayer().log_likelihood(hands, Contract.of("3NT by S"), [(Seat.W, Card.of("SK"))], Seat.W)
    >>> bool(lead[0] > lead[1])  # a king is led from a sequence
    True
    """

    of_bridge: ClassVar[bool] = True

    slip: float = 0.01
    leads: tuple[Leads, Leads] = field(default=((), ()), repr=False)
    """What NS and EW have agreed on opening leads, which a belief takes from their
    systems: of the honours of the suit led, or of its low cards, the one agreed on has
    at least the probability ``faith``.
    """

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(
                f"slip {self.slip}: it is a probability, from 0 to 1", slip=self.slip
            )

    def log_likelihood(
        self,
        hands: NDArray[np.uint64],
        contract: Contract,
        plays: Sequence[tuple[Seat, Card]],
        seat: Seat,
        auction: Auction | None = None,
        dummy: Hand | None = None,
    ) -> NDArray[np.float64]:
        """Σ log P(card ∣ hand, cards before it) over a seat's cards, none for dummy's,
        whose hand is open.

        hands: (n,) masks of the 13 cards the seat was dealt; they must hold the cards
        it played. dummy: its 13 cards, which everybody sees after the lead; without
        them the player knows less.
        """
        one_row("hands", hands)
        if seat == contract.declarer.partner:
            return np.zeros(len(hands))
        contexts = _contexts(contract, auction, tuple(plays), dummy)
        held = hands.astype(np.uint64)
        logs = np.zeros(len(hands))
        notrump = contract.trump is None
        with one_thread():
            for i, (player, card) in enumerate(plays):
                if player != seat:
                    continue
                is_side_suit_lead = i == 0 and card.suit is not contract.trump
                leads = self.leads[seat % 2] if is_side_suit_lead else ()
                logs += self._choice(contexts[i], held, card.index, leads, notrump)
                held &= ~np.uint64(card.mask)
        return logs

    def _choice(
        self,
        context_and_suit: tuple[Context, int],
        held: NDArray[np.uint64],
        card: int,
        leads: Leads,
        notrump: bool,
    ) -> NDArray[np.float64]:
        """(n,) log P(card ∣ cards still held), for the context before it and the suit
        to follow.
        """
        context, led = context_and_suit
        legal = _legal_cards(held, led)
        logs = np.zeros(len(held))
        choosing = np.flatnonzero(np.bitwise_count(legal) > 1)
        net = network("play.npz")
        column = int(np.searchsorted(context.choices, card))
        lowest_of_suit = column - card % 13
        bits = context.choices.astype(np.uint64)
        for begin in range(0, len(choosing), BLOCK):
            block = choosing[begin : begin + BLOCK]
            allowed = (legal[block, None] >> bits & np.uint64(1)).astype(np.bool_)
            chances = _softmax(context.scores(*net.vectors(held[block])), allowed)
            if leads:
                of_suit = chances[:, lowest_of_suit:][:, :13]
                chance = _as_agreed(of_suit, held[block], card, leads, notrump)
            else:
                chance = chances[:, column].astype(np.float64)
            slipped = self.slip / allowed.sum(axis=1)
            with np.errstate(divide="ignore"):
                logs[block] = np.log((1.0 - self.slip) * chance + slipped)
        return logs


def _legal_cards(held: NDArray[np.uint64], led: int) -> NDArray[np.uint64]:
    """(n,) masks of the cards that follow suit, or of all where none does."""
    if led == NO_SUIT:
        return held.copy()
    following = held & np.uint64(SUIT_MASK << 13 * led)
    return np.where(following, following, held)


def _softmax(
    scores: NDArray[np.float32], allowed: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """(n, cards) chances of the cards that each hand may play, from their scores, of
    which there may be one row for all.
    """
    if len(scores) < len(allowed):
        scores = np.broadcast_to(scores, allowed.shape).copy()
    scores[~allowed] = -np.inf
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _as_agreed(
    chances: NDArray[np.float32],
    hands: NDArray[np.uint64],
    card: int,
    leads: Leads,
    notrump: bool,
) -> NDArray[np.float64]:
    """(n,) the chance of an opening lead, from (n, 13) those of all cards of its suit."""
    rank = card % 13
    alike = chances[:, LOW:] if rank >= LOW else chances[:, :LOW]
    of_alike = alike.sum(axis=1, dtype=np.float64)
    plain = chances[:, rank].astype(np.float64)
    holdings = hands >> np.uint64(card - rank) & np.uint64(SUIT_MASK)
    mixed = np.zeros(len(hands))
    for share, agreements, faith in leads:
        chance = plain
        for agreement in agreements:
            about_low_cards = agreement in LEADS[:2]
            if about_low_cards == (rank < LOW):
                agreed = agreed_ranks(agreement, notrump)[holdings]
                chance = _kept_by(faith, chances, agreed, rank, of_alike)
        mixed += share * chance
    return mixed


def _kept_by(
    faith: float,
    chances: NDArray[np.float32],
    agreed: NDArray[np.int64],
    rank: int,
    of_alike: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(n,) the chance of a rank where the agreed one has at least the share ``faith`` of
    the chance of cards like it; nothing is agreed where it is below 0.
    """
    plain = chances[:, rank].astype(np.float64)
    usual = chances[np.arange(len(chances)), agreed].astype(np.float64)
    raised = np.maximum(usual, faith * of_alike)
    lowered = plain * (of_alike - raised) / np.maximum(of_alike - usual, TINY)
    return np.where(agreed < 0, plain, np.where(agreed == rank, raised, lowered))


@lru_cache(maxsize=16)
def _contexts(
    contract: Contract,
    auction: Auction | None,
    plays: tuple[tuple[Seat, Card], ...],
    dummy: Hand | None,
) -> tuple[tuple[Context, int], ...]:
    """What is known before each card, and the suit to follow."""
    net = network("play.npz")
    dummy_mask = None if dummy is None else dummy.mask
    before = situations(contract, auction, plays, dummy_mask)
    earlier_cards = [card.mask for _, card in plays[:-1]]
    played = np.cumsum([0, *earlier_cards], dtype=np.uint64)
    deck = np.arange(52, dtype=np.uint64)
    unplayed = [np.flatnonzero(~mask >> deck & np.uint64(1)) for mask in played]
    with one_thread():
        in_dummy = (before.dummy[:, None] >> deck & np.uint64(1)).astype(np.float32)
        dummy_rows = net.parameters["reader_table_weight"][STARTS[-1] :]
        known = read(net.parameters, before.tokens, in_dummy @ dummy_rows)
        contexts = net.contexts(known[HEARD:], unplayed[: len(plays)])
    return tuple(zip(contexts, before.led.tolist(), strict=True))
