"""Double dummy of the last tricks: what declarer takes from a position if all four see
all cards.

Positions of one question have much in common, so one table keeps what was found for all
of them: a position at the start of a trick is known by who holds the highest, the
second, … card of each suit, counted from the leader, whatever the cards are. What is
asked is whether so many tricks can be reached, which a plain search answers soonest.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit

ENTRIES: Final = 1 << 20  # positions that a table holds; an older one gives way
LEADER, PLACE, TOP, WINNER, TARGET, LEFT, NEXT, HAND, SLOT, LOW, HIGH, BEFORE = range(
    12
)
"""Of a card to be played: who led, cards before it in the trick, the highest and whose
it is, tricks that declarer must take of those left, the number of the try, the hand,
its place and key in the table, the cards of the trick.
"""


class Transpositions(NamedTuple):
    """What is known of positions, which those of one play share."""

    # (ENTRIES, 2) two suits each: by card from the lowest on two bits, whose it is
    keys: Ints
    bounds: NDArray[
        np.int8
    ]  # (ENTRIES, 2) tricks that declarer takes at least and at most
    good: Ints  # (4, 52) by seat and card: how often it did what its side wanted


class Solver:
    """Solves positions of one play, with the memory that they share."""

    def __init__(self, trump: int | None, side: int) -> None:
        self.trump, self.side = -1 if trump is None else int(trump), side
        bounds = np.zeros((ENTRIES, 2), np.int8)
        self.known = Transpositions(
            np.zeros((ENTRIES, 2), np.int64), bounds, np.zeros((4, 52), np.int64)
        )

    def tricks(
        self,
        ours: tuple[int, int],
        hidden: Ints,
        leader: int,
        cards: tuple[int, ...],
        caps: Ints,
    ) -> tuple[Ints, int]:
        """(n,) tricks of declarer from here on, the one that lies among them, up to
        ``caps``, and the cards tried; ``hidden``: (n, 2) as of an ending.
        """
        hands = np.empty((len(hidden), 4), np.int64)
        hands[:, self.side :: 2], hands[:, 1 - self.side :: 2] = ours, hidden
        taken = np.array(caps, np.int64)
        return taken, solve(
            hands,
            (self.side, self.trump),
            (leader, np.array(cards, np.int64)),
            taken,
            self.known,
        )


@njit
def solve(
    layouts: Ints,
    rules: tuple[int, int],
    trick: tuple[int, Ints],
    tricks: Ints,
    memory: Transpositions,
) -> int:
    """The number of cards tried; ``tricks``, at first the most that are asked for,
    become those of declarer from here on in each layout. ``rules`` are declarer's side
    and the trumps, ``trick`` its leader and cards.
    """
    leader, played = trick
    trump = rules[1]
    # The cards to be played, one below the other, and those to be tried in the place of each.
    stack = np.zeros((53, 12), np.int64), np.zeros((53, 14), np.int64)
    first = stack[0][0]
    first[LEADER], first[PLACE], first[WINNER] = leader, len(played), leader
    for i in range(len(played)):
        card = played[i]
        first[BEFORE] |= 1 << card
        if i == 0 or _beats(card, first[TOP], trump):
            first[TOP], first[WINNER] = card, (leader + i) % 4
    nodes = 0
    for i in range(len(layouts)):
        first[LEFT] = _many(layouts[i, leader]) + (len(played) > 0)
        value = min(first[LEFT], tricks[i])
        while value > 0:
            first[TARGET] = value
            reached = _reaches(layouts[i], rules, played, stack, memory)
            nodes += abs(reached)
            if reached > 0:
                break
            value -= 1
        tricks[i] = value
    return nodes


@njit
def _reaches(
    hands: Ints,
    rules: tuple[int, int],
    played: Ints,
    stack: tuple[Ints, Ints],
    memory: Transpositions,
) -> int:
    """Whether the target of the first frame can be reached: the number of cards tried,
    negative if not.
    """
    side, trump = rules
    frames, tries = stack
    keys, bounds, good = memory
    depth, nodes = 0, 1
    entering, reached = True, False
    led = played[0] // 13 if len(played) else 0
    while True:
        frame = frames[depth]
        leader, place = frame[LEADER], frame[PLACE]
        seat = (leader + place) % 4
        ours = (seat - side) % 2 == 0
        done = False
        if entering:
            if place == 0:
                if frame[TARGET] <= 0 or frame[TARGET] > frame[LEFT]:
                    reached, done = frame[TARGET] <= 0, True
                else:
                    low, high = _key(hands, leader)
                    high |= int(ours) << 60
                    slot = (
                        low * 0x9E3779B97F4A7C1 ^ high * 0x632BE59BD9B4E01
                    ) >> 24 & (len(keys) - 1)
                    frame[SLOT], frame[LOW], frame[HIGH] = slot, low, high
                    if keys[slot, 0] == low and keys[slot, 1] == high:
                        if bounds[slot, 0] >= frame[TARGET]:
                            reached, done = True, True
                        elif bounds[slot, 1] < frame[TARGET]:
                            reached, done = False, True
                    if not done:
                        sure = _sure(hands, leader, trump)
                        if (
                            (sure >= frame[TARGET])
                            if ours
                            else (frame[LEFT] - sure < frame[TARGET])
                        ):
                            reached, done = ours, True
            if not done:
                hand = hands[seat]
                frame[HAND] = hand
                legal = hand
                if place:
                    suit = tries[depth - place, 0] if depth >= place else led
                    if hand & SUIT_MASK << 13 * suit:
                        legal = hand & SUIT_MASK << 13 * suit
                others = (
                    hands[(seat + 1) % 4]
                    | hands[(seat + 2) % 4]
                    | hands[(seat + 3) % 4]
                    | frame[BEFORE]
                )
                frame[NEXT] = _order(tries[depth], legal, others, good[seat])
        else:  # the answer to the last card tried
            hands[seat] = frame[HAND]
            done = reached == ours
            if done:
                good[seat, tries[depth, frame[NEXT] + 1]] += 1
        if not done and frame[NEXT] == 0:
            reached, done = not ours, True
        if done:
            if place == 0 and not entering:
                slot = frame[SLOT]
                if keys[slot, 0] != frame[LOW] or keys[slot, 1] != frame[HIGH]:
                    keys[slot, 0], keys[slot, 1] = frame[LOW], frame[HIGH]
                    bounds[slot, 0], bounds[slot, 1] = 0, frame[LEFT]
                if reached:
                    bounds[slot, 0] = max(bounds[slot, 0], frame[TARGET])
                else:
                    bounds[slot, 1] = min(bounds[slot, 1], frame[TARGET] - 1)
            if depth == 0:
                return nodes if reached else -nodes
            depth -= 1
            entering = False
            continue
        card = tries[depth, frame[NEXT]]
        frame[NEXT] -= 1
        nodes += 1
        hands[seat] = frame[HAND] ^ 1 << card
        if place == 0:
            tries[depth, 0] = card // 13
        after = frames[depth + 1]
        after[LEADER], after[PLACE] = leader, place + 1
        after[TARGET], after[LEFT], after[BEFORE] = (
            frame[TARGET],
            frame[LEFT],
            frame[BEFORE] | 1 << card,
        )
        after[TOP], after[WINNER] = frame[TOP], frame[WINNER]
        if place == 0 or _beats(card, frame[TOP], trump):
            after[TOP], after[WINNER] = card, seat
        if place == 3:
            winner = after[WINNER]
            after[LEADER], after[PLACE], after[LEFT], after[BEFORE] = (
                winner,
                0,
                frame[LEFT] - 1,
                0,
            )
            after[TARGET] -= (winner - side) % 2 == 0
        depth += 1
        entering = True


@njit
def _beats(card: int, top: int, trump: int) -> bool:
    return card > top if card // 13 == top // 13 else card // 13 == trump


@njit
def _order(tries: Ints, legal: int, others: int, good: Ints) -> int:
    """How many cards to try, of equals the lowest; those that were good most often come
    last and are tried first.
    """
    n = 0
    for suit in range(4):
        own, rest = legal >> 13 * suit & SUIT_MASK, others >> 13 * suit & SUIT_MASK
        last = 13
        while own:
            rank = _highest(own)
            own ^= 1 << rank
            if last == 13 or rest >> rank & (1 << last - rank) - 1:
                n += 1
            last = rank
            card = 13 * suit + rank
            tries[n] = good[card] << 8 | card
    for i in range(2, n + 1):
        j, one = i, tries[i]
        while j > 1 and tries[j - 1] > one:
            tries[j] = tries[j - 1]
            j -= 1
        tries[j] = one
    for i in range(1, n + 1):
        tries[i] &= 255
    return n


@njit
def _many(hand: int) -> int:
    many = 0
    while hand:
        hand &= hand - 1
        many += 1
    return many


@njit
def _highest(suit: int) -> int:
    rank = 12
    while not suit >> rank & 1:
        rank -= 1
    return rank


@njit
def _sure(hands: Ints, leader: int, trump: int) -> int:
    """Tricks that the leader takes with the highest cards of the own hand, one after
    the other, trumps first.
    """
    left, right, partner = (
        hands[(leader + 1) % 4],
        hands[(leader + 3) % 4],
        hands[(leader + 2) % 4],
    )
    many, drawn = 0, 0
    for step in range(4):
        suit = (max(trump, 0) + step) % 4
        own = hands[leader] >> 13 * suit & SUIT_MASK
        rest = (left | right | partner) >> 13 * suit & SUIT_MASK
        sure, high = 0, own
        while high > rest:
            high ^= 1 << _highest(high)
            sure += 1
        if sure:
            before, behind = (
                _many(left >> 13 * suit & SUIT_MASK),
                _many(right >> 13 * suit & SUIT_MASK),
            )
            if sure >= max(before, behind, _many(partner >> 13 * suit & SUIT_MASK)):
                sure = _many(own)
            if suit == trump:
                drawn = sure
            elif trump >= 0:  # whoever has trumps left must follow
                sure = (
                    min(sure, before)
                    if _many(left >> 13 * trump & SUIT_MASK) > drawn
                    else sure
                )
                sure = (
                    min(sure, behind)
                    if _many(right >> 13 * trump & SUIT_MASK) > drawn
                    else sure
                )
        many += sure
    return many


@njit
def _key(hands: Ints, leader: int) -> tuple[int, int]:
    """Who holds each card left, in the order of their ranks, spades and hearts, and
    diamonds and clubs.
    """
    every = hands[0] | hands[1] | hands[2] | hands[3]
    one, two, three = (
        hands[(leader + 1) % 4],
        hands[(leader + 2) % 4],
        hands[(leader + 3) % 4],
    )
    low, high = 0, 0
    for suit in range(4):
        word, left = 1, every & SUIT_MASK << 13 * suit
        while left:
            bit = left & -left
            word = word << 2 | (
                1 if one & bit else 2 if two & bit else 3 if three & bit else 0
            )
            left ^= bit
        if suit < 2:
            low = low << 32 | word
        else:
            high = high << 32 | word
    return low, high
