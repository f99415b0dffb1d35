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
    strain, declarer = int(contract.strain), contract.declarer
    fixed = strain, contract.level - 1
    tokens = np.zeros((HEARD + len(plays), len(STARTS) - 1), np.intp)
    calls = [call.index for _, call in auction] if auction is not None else []
    first = auction.first if auction is not None else declarer
    for i in range(HEARD):
        back = len(calls) - HEARD + i
        call = calls[back] if back >= 0 else NO_CALL
        tokens[i] = (
            call,
            (first + back - declarer) % 4,
            NO_CARD,
            0,
            0,
            NO_SUIT,
            NO_RANK,
            NOBODY,
            0,
            *fixed,
            0,
        )
    held = np.zeros(len(tokens), np.uint64)
    led = np.zeros(len(plays), np.intp)
    left = dummy or 0
    before, best, winner = NO_CARD, Card(0), 0
    for i, (seat, card) in enumerate(plays):
        turn, place = (seat - declarer) % 4, i % 4
        led[i], rank, holder = NO_SUIT, NO_RANK, NOBODY
        if place:
            led[i] = plays[i - place][1].suit
            holder = PARTNER if (winner - turn) % 4 == 2 else OPPONENT
            rank = best.rank if best.suit == led[i] else NO_RANK
        tokens[HEARD + i] = (
            NO_CALL,
            0,
            before,
            turn,
            place,
            led[i],
            rank,
            holder,
            i // 4,
            *fixed,
            1,
        )
        held[HEARD + i] = left if i else 0
        if not place or (
            card > best if card.suit == best.suit else card.suit == strain
        ):
            best, winner = card, turn
        left &= ~card.mask
        before = card.index
    return Situations(tokens + STARTS[:-1], held, led)


LEADS: Final = ("fourth best", "third and fifth", "top of sequence")
"""Agreements on which card of a suit with an honour is the opening lead: the first two
of its low cards (the third of three or four, the fifth of more), the last of honours
whose best two touch, in no trumps with a third near them.
"""

LOW: Final = 8  # cards of a suit below the ten


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
    found = np.full(1 << 13, -1)
    for holding in range(1 << 13):
        falling = [rank for rank in reversed(range(13)) if holding >> rank & 1]
        n = len(falling)
        if agreement == LEADS[0]:
            best = 4 * (n > 3)
        elif agreement == LEADS[1]:
            best = 3 * (n > 2) + 2 * (n > 4)
        else:
            near = not notrump or (n > 2 and falling[1] - falling[2] < 3)
            best = int(n > 1 and 12 > falling[0] == falling[1] + 1 and near)
        if (
            best
            and falling[0] >= LOW
            and (falling[best - 1] < LOW) == (agreement in LEADS[:2])
        ):
            found[holding] = falling[best - 1]
    return found


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
        seen = _seen(contract, auction, tuple(plays), dummy)
        rest = hands.astype(np.uint64)
        result = np.zeros(len(hands))
        with one_thread():
            for i, (player, card) in enumerate(plays):
                if player == seat:
                    leads = (
                        self.leads[seat % 2]
                        if i == 0 and card.suit is not contract.trump
                        else ()
                    )
                    result += self._choice(
                        seen[i], rest, card.index, leads, contract.trump is None
                    )
                    rest &= ~np.uint64(card.mask)
        return result

    def _choice(
        self,
        seen: tuple[Context, int],
        rest: NDArray[np.uint64],
        card: int,
        leads: Leads,
        notrump: bool,
    ) -> NDArray[np.float64]:
        context, led = seen
        legal = rest.copy()
        if led != NO_SUIT:
            follow = rest & np.uint64(SUIT_MASK << 13 * led)
            legal = np.where(follow, follow, rest)
        result = np.zeros(len(rest))
        chosen = np.flatnonzero(np.bitwise_count(legal) > 1)
        place, net = int(np.searchsorted(context.choices, card)), network("play.npz")
        bits = context.choices.astype(np.uint64)
        for begin in range(0, len(chosen), BLOCK):
            block = chosen[begin : begin + BLOCK]
            allowed = (legal[block, None] >> bits & np.uint64(1)).astype(np.bool_)
            found = context.scores(*net.vectors(rest[block]))
            found = (
                np.broadcast_to(found, allowed.shape).copy()
                if len(found) < len(block)
                else found
            )
            found[~allowed] = -np.inf
            found -= found.max(axis=1, keepdims=True)
            np.exp(found, out=found)
            found /= found.sum(axis=1, keepdims=True)
            chance = found[:, place].astype(np.float64)
            if leads:
                chance = _as_agreed(
                    found[:, place - card % 13 :][:, :13],
                    rest[block],
                    card,
                    leads,
                    notrump,
                )
            with np.errstate(divide="ignore"):
                result[block] = np.log(
                    (1.0 - self.slip) * chance + self.slip / allowed.sum(axis=1)
                )
        return result


def _as_agreed(
    chances: NDArray[np.float32],
    hands: NDArray[np.uint64],
    card: int,
    leads: Leads,
    notrump: bool,
) -> NDArray[np.float64]:
    """(n,) the chance of an opening lead, from (n, 13) those of all cards of its suit."""
    rank, rows = card % 13, np.arange(len(hands))
    alike = chances[:, LOW:] if rank >= LOW else chances[:, :LOW]
    total, plain = (
        alike.sum(axis=1, dtype=np.float64),
        chances[:, rank].astype(np.float64),
    )
    result = np.zeros(len(hands))
    for share, agreed, faith in leads:
        chance = plain
        for one in agreed:
            if (one in LEADS[:2]) == (rank < LOW):
                best = agreed_ranks(one, notrump)[
                    hands >> np.uint64(card - rank) & np.uint64(SUIT_MASK)
                ]
                usual = chances[rows, best].astype(np.float64)
                more = np.maximum(usual, faith * total)
                fewer = plain * (total - more) / np.maximum(total - usual, 1e-30)
                chance = np.where(best < 0, plain, np.where(best == rank, more, fewer))
        result += share * chance
    return result


@lru_cache(maxsize=16)
def _seen(
    contract: Contract,
    auction: Auction | None,
    plays: tuple[tuple[Seat, Card], ...],
    dummy: Hand | None,
) -> tuple[tuple[Context, int], ...]:
    net = network("play.npz")
    seen = situations(contract, auction, plays, None if dummy is None else dummy.mask)
    gone = np.cumsum([0, *(card.mask for _, card in plays[:-1])], dtype=np.uint64)
    every = np.arange(52, dtype=np.uint64)
    left = [np.flatnonzero(~mask >> every & np.uint64(1)) for mask in gone]
    with one_thread():
        held = (seen.dummy[:, None] >> every & np.uint64(1)).astype(np.float32)
        known = read(
            net.parameters,
            seen.tokens,
            held @ net.parameters["reader_table_weight"][STARTS[-1] :],
        )
        contexts = net.contexts(known[HEARD:], left[: len(plays)])
    return tuple(zip(contexts, seen.led.tolist(), strict=True))
