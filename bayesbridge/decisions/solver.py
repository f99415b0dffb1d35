"""Double dummy of the last tricks.

What declarer takes from a position if all four see all cards.

Positions of one question have much in common, so one table keeps what was found for all
of them: a position at the start of a trick is known by who holds the highest, the
second, … card of each suit, counted from the leader, whatever the cards are. What is
asked is whether so many tricks can be reached, which a plain search answers soonest.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.game.cards import SUIT_CARDS, SUIT_MASK
from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit

ENTRIES: Final = 1 << 20
"""Positions that a table holds, a power of two; an older one gives way."""

UNDECIDED: Final = -1
FAILED: Final = 0
REACHED: Final = 1
"""The verdicts on a position: whether declarer takes as many tricks as the target."""

MOST_FRAMES: Final = 53
"""Frames of the stack: one for each card of the deck, and one for the end."""

LEADER: Final = 0
"""Column of a frame: the seat that led to the trick."""
PLACE: Final = 1
"""Column of a frame: how many cards lie in the trick, 0 to 3."""
TRICK_MASK: Final = 2
"""Column of a frame: these cards."""
LED_SUIT: Final = 3
"""Column of a frame: the suit of the first of them."""
TOP: Final = 4
"""Column of a frame: the one that holds the trick."""
WINNER: Final = 5
"""Column of a frame: the seat that played it."""
TRICKS_LEFT: Final = 6
"""Column of a frame: tricks to come, with the one that lies."""
TARGET: Final = 7
"""Column of a frame: how many of these declarer must take."""
HAND: Final = 8
"""Column of a frame: what the seat in turn holds before it plays."""
UNTRIED: Final = 9
"""Column of a frame: how many of its cards are still to be tried."""
SLOT: Final = 10
"""Column of a frame at the start of a trick: its place in the table."""
MINORS: Final = 11
MAJORS: Final = 12
"""Columns of a frame at the start of a trick: the two words of its key."""
FRAME_COLUMNS: Final = 13

HOLDER_BITS: Final = 2
"""Bits of a key that say who holds one card."""
SUIT_BITS: Final = 32
"""Bits of a key for one suit: up to 13 holders, and a one that marks their number."""
DECLARER_LEADS_BIT: Final = 60
"""Bit of a key that says whose side leads."""
CARD_BITS: Final = 8
"""Bits of a card below its merit, while cards are sorted by that."""
CARD_MASK: Final = (1 << CARD_BITS) - 1
NO_RANK: Final = -1
"""In place of a rank where there is no higher card."""


class Transpositions(NamedTuple):
    """What is known of positions, which those of one play share."""

    keys: Ints
    """(ENTRIES, 2) clubs and diamonds, hearts and spades: who holds each card, from the
    lowest on, two bits a card.
    """
    bounds: NDArray[np.int8]
    """(ENTRIES, 2) tricks that declarer takes at least and at most."""
    merits: Ints
    """(4, 52) by seat and card: how often it did what its side wanted."""


class Solver:
    """Solves positions of one play, with the memory that they share.

    Parameters
    ----------
    trump : int or None
        The trump suit, 0 to 3; ``None`` at no trumps.
    side : int
        Of declarer: 0 for North and South, 1 for East and West.
    """

    def __init__(self, trump: int | None, side: int) -> None:
        self.trump = -1 if trump is None else int(trump)
        self.side = side
        self.memory = Transpositions(
            keys=np.zeros((ENTRIES, 2), np.int64),
            bounds=np.zeros((ENTRIES, 2), np.int8),
            merits=np.zeros((4, 52), np.int64),
        )

    def tricks(
        self,
        own_hands: tuple[int, int],
        hidden: Ints,
        leader: int,
        cards: tuple[int, ...],
        caps: Ints,
    ) -> tuple[Ints, int]:
        """How many tricks declarer takes in each layout, and the cards tried for that.

        Parameters
        ----------
        own_hands : tuple of two ints
            Masks of what seats ``side`` and ``side + 2`` have left.
        hidden : (n, 2) array of int
            In each layout, masks of what the other two have left.
        leader : int
            The seat that led to the trick, or is to lead.
        cards : tuple of int
            The cards that lie in the trick.
        caps : (n,) array of int
            In each layout, the most tricks that are asked for.

        Returns
        -------
        tricks : (n,) array of int
            Of declarer from here on, the trick that lies among them, up to ``caps``.
        tried : int
            Cards that the search tried.
        """
        hands = np.empty((len(hidden), 4), np.int64)
        hands[:, self.side :: 2] = own_hands
        hands[:, 1 - self.side :: 2] = hidden
        tricks = np.array(caps, np.int64)
        tried = solve(  # changes the caps in ``tricks`` to what declarer takes
            layouts=hands,
            rules=(self.side, self.trump),
            trick=(leader, np.array(cards, np.int64)),
            tricks=tricks,
            memory=self.memory,
        )
        return tricks, tried


@njit
def solve(
    layouts: Ints,
    rules: tuple[int, int],
    trick: tuple[int, Ints],
    tricks: Ints,
    memory: Transpositions,
) -> int:
    """Fill in declarer's tricks of each layout; returns the number of cards tried.

    A layout is searched for the most tricks that are asked for, and then for one less,
    until so many can be reached.

    ``layouts``: (n, 4) masks of what each seat has left; ``rules``: declarer's side and
    the trump suit, -1 for none; ``trick``: its leader, and its cards (0 to 3);
    ``tricks``: (n,) at first the most that are asked for, then those of declarer from
    here on.
    """
    leader, played = trick
    _, trump = rules
    frames = np.zeros((MOST_FRAMES, FRAME_COLUMNS), np.int64)
    tries = np.zeros((MOST_FRAMES, SUIT_CARDS), np.int64)
    first = frames[0]
    _begin(first, leader, played, trump)
    tried = 0
    for i in range(len(layouts)):
        trick_has_begun = len(played) > 0
        first[TRICKS_LEFT] = _count(layouts[i, leader]) + trick_has_begun
        target = min(first[TRICKS_LEFT], tricks[i])
        while target > 0:
            first[TARGET] = target
            tried_or_failed = _search(layouts[i], rules, frames, tries, memory)
            tried += abs(tried_or_failed)
            is_reached = tried_or_failed > 0
            if is_reached:
                break
            target -= 1
        tricks[i] = target
    return tried


@njit
def _begin(frame: Ints, leader: int, played: Ints, trump: int) -> None:
    """Fill in the trick of the first frame: who led, and what was played.

    ``frame``: (``FRAME_COLUMNS``,) zeros; ``played``: 0 to 3 cards in their order.
    """
    frame[LEADER] = leader
    frame[PLACE] = len(played)
    frame[WINNER] = leader
    for place in range(len(played)):
        card = played[place]
        frame[TRICK_MASK] |= 1 << card
        if place == 0:
            frame[LED_SUIT] = card // SUIT_CARDS
        if place == 0 or _beats(card, frame[TOP], trump):
            frame[TOP] = card
            frame[WINNER] = (leader + place) % 4


@njit
def _search(
    hands: Ints,
    rules: tuple[int, int],
    frames: Ints,
    tries: Ints,
    memory: Transpositions,
) -> int:
    """Search whether declarer reaches the target of the first frame.

    Returns the number of cards tried, with a minus sign if the target is not reached.

    It is a search in depth. A kernel cannot call itself, so positions lie on a stack:
    the row ``frames[depth]`` is a position after ``depth`` cards, its columns named
    above. ``tries[depth]`` (13,) are the cards to be tried in it, as many as the column
    ``UNTRIED`` says, from the last to the first. ``hands``: (4,) masks, which change
    with each card that is tried and are restored.

    ``verdict`` is ``UNDECIDED`` where the search has just reached the position at
    ``depth``; where it comes back, it is that of the position below.
    """
    side, trump = rules
    keys, bounds, merits = memory
    depth = 0
    tried = 1
    verdict = UNDECIDED
    while True:
        is_lead = frames[depth, PLACE] == 0
        seat = (frames[depth, LEADER] + frames[depth, PLACE]) % 4
        is_declarers = (seat - side) % 2 == 0
        if verdict == UNDECIDED:  # this position was just reached
            if is_lead:
                verdict = _verdict_on_lead(
                    frames, depth, hands, is_declarers, trump, keys, bounds
                )
            if verdict == UNDECIDED:
                _list_tries(frames, depth, hands, seat, tries, merits)
        else:  # the card tried last is taken back
            hands[seat] = frames[depth, HAND]
            card_tried = tries[depth, frames[depth, UNTRIED]]
            wanted = REACHED if is_declarers else FAILED
            if verdict == wanted:  # so the side in turn plays this card
                merits[seat, card_tried] += 1
            elif frames[depth, UNTRIED] > 0:
                verdict = UNDECIDED
            if verdict != UNDECIDED and is_lead:
                _remember(frames, depth, verdict, keys, bounds)
        if verdict != UNDECIDED:
            if depth == 0:
                return tried if verdict == REACHED else -tried
            depth -= 1
        else:  # the next card is tried
            frames[depth, UNTRIED] -= 1
            card = tries[depth, frames[depth, UNTRIED]]
            hands[seat] = frames[depth, HAND] ^ 1 << card
            _play(frames, depth, card, seat, side, trump)
            tried += 1
            depth += 1


@njit
def _verdict_on_lead(
    frames: Ints,
    depth: int,
    hands: Ints,
    declarer_leads: bool,
    trump: int,
    keys: Ints,
    bounds: NDArray[np.int8],
) -> int:
    """What is known of a position at the start of a trick without trying a card.

    ``frames[depth]``: its row of the stack, in which its slot in the table of positions
    and its key are noted; ``hands``: (4,) masks; ``keys``: (entries, 2) the keys of that
    table, two words each; ``bounds``: (entries, 2) fewest and most tricks of declarer.
    """
    target = frames[depth, TARGET]
    if target <= 0:
        return REACHED
    if target > frames[depth, TRICKS_LEFT]:
        return FAILED
    verdict = _verdict_of_table(frames, depth, hands, declarer_leads, keys, bounds)
    if verdict != UNDECIDED:
        return verdict
    winners = _winners(hands, frames[depth, LEADER], trump)
    if declarer_leads:
        if winners >= target:
            return REACHED
    elif frames[depth, TRICKS_LEFT] - winners < target:
        return FAILED
    return UNDECIDED


@njit
def _verdict_of_table(
    frames: Ints,
    depth: int,
    hands: Ints,
    declarer_leads: bool,
    keys: Ints,
    bounds: NDArray[np.int8],
) -> int:
    """What the table says of a position at the start of a trick; notes its key there.

    The arguments are those of :func:`_verdict_on_lead`.
    """
    minors, majors = _key(hands, frames[depth, LEADER])
    majors |= int(declarer_leads) << DECLARER_LEADS_BIT
    slot = _slot(minors, majors, len(keys))
    frames[depth, SLOT] = slot
    frames[depth, MINORS] = minors
    frames[depth, MAJORS] = majors
    is_known = keys[slot, 0] == minors and keys[slot, 1] == majors
    if is_known:
        if bounds[slot, 0] >= frames[depth, TARGET]:
            return REACHED
        if bounds[slot, 1] < frames[depth, TARGET]:
            return FAILED
    return UNDECIDED


@njit
def _remember(
    frames: Ints, depth: int, verdict: int, keys: Ints, bounds: NDArray[np.int8]
) -> None:
    """Note the verdict on a position in the table; another there gives way.

    ``frames[depth]``: its row of the stack, with its slot in the table and its key;
    ``keys``: (entries, 2) the keys, two words each; ``bounds``: (entries, 2) fewest and
    most tricks of declarer.
    """
    slot = frames[depth, SLOT]
    target = frames[depth, TARGET]
    is_new = (
        keys[slot, 0] != frames[depth, MINORS] or keys[slot, 1] != frames[depth, MAJORS]
    )
    if is_new:
        keys[slot, 0] = frames[depth, MINORS]
        keys[slot, 1] = frames[depth, MAJORS]
        bounds[slot, 0] = 0
        bounds[slot, 1] = frames[depth, TRICKS_LEFT]
    if verdict == REACHED:
        bounds[slot, 0] = max(bounds[slot, 0], target)
    else:
        bounds[slot, 1] = min(bounds[slot, 1], target - 1)


@njit
def _list_tries(
    frames: Ints, depth: int, hands: Ints, seat: int, tries: Ints, merits: Ints
) -> None:
    """Fill in what the seat in turn holds, and its cards to be tried, the best last.

    ``frames[depth]``: the position, a row of the stack; ``hands``: (4,) masks;
    ``tries[depth]``: (13,) filled from the front; ``merits``: (4, 52) how often each
    card of each seat was good before.
    """
    hand = hands[seat]
    legal = hand
    if frames[depth, PLACE] > 0:
        led_suit_mask = SUIT_MASK << (SUIT_CARDS * frames[depth, LED_SUIT])
        follows = hand & led_suit_mask
        if follows:
            legal = follows
    # Cards that part two equals: all that may still decide a trick, this one too.
    all_other_cards = (
        hands[(seat + 1) % 4]
        | hands[(seat + 2) % 4]
        | hands[(seat + 3) % 4]
        | frames[depth, TRICK_MASK]
    )
    frames[depth, HAND] = hand
    frames[depth, UNTRIED] = _order(tries[depth], legal, all_other_cards, merits[seat])


@njit
def _play(
    frames: Ints, depth: int, card: int, seat: int, side: int, trump: int
) -> None:
    """Fill in the frame below: the position after a seat played a card.

    ``frames[depth]``: the position before, a row of the stack; ``side``: of declarer.
    """
    below = depth + 1
    place = frames[depth, PLACE]
    top = frames[depth, TOP]
    winner = frames[depth, WINNER]
    if place == 0 or _beats(card, top, trump):
        top = card
        winner = seat
    frames[below, TOP] = top
    frames[below, WINNER] = winner
    if place < 3:
        frames[below, LEADER] = frames[depth, LEADER]
        frames[below, PLACE] = place + 1
        frames[below, TRICK_MASK] = frames[depth, TRICK_MASK] | 1 << card
        frames[below, LED_SUIT] = (
            frames[depth, LED_SUIT] if place else card // SUIT_CARDS
        )
        frames[below, TRICKS_LEFT] = frames[depth, TRICKS_LEFT]
        frames[below, TARGET] = frames[depth, TARGET]
    else:  # the trick is over, and its winner leads
        declarer_wins = (winner - side) % 2 == 0
        frames[below, LEADER] = winner
        frames[below, PLACE] = 0
        frames[below, TRICK_MASK] = 0
        frames[below, TRICKS_LEFT] = frames[depth, TRICKS_LEFT] - 1
        frames[below, TARGET] = frames[depth, TARGET] - declarer_wins


@njit
def _beats(card: int, top: int, trump: int) -> bool:
    """Whether a card takes the trick from the one that holds it."""
    suit = card // SUIT_CARDS
    return card > top if suit == top // SUIT_CARDS else suit == trump


@njit
def _order(tries: Ints, legal: int, others: int, merits: Ints) -> int:
    """Fill in the cards to try, the best last, and return how many there are.

    Of equals, cards of a suit with no other card between them, the lowest is tried.

    ``tries``: (13,) filled from the front; ``legal``, ``others``: masks of what may be
    played and of all other cards left; ``merits``: (52,) how often each card was good.
    """
    n = 0
    for suit in range(4):
        ranks = _of_suit(legal, suit)
        other_ranks = _of_suit(others, suit)
        next_higher = NO_RANK
        while ranks:
            rank = _highest(ranks)
            ranks ^= 1 << rank
            is_equal = next_higher != NO_RANK and not _any_between(
                other_ranks, rank, next_higher
            )
            if not is_equal:  # else it takes the place of the next higher card
                n += 1
            card = SUIT_CARDS * suit + rank
            merit_then_card = merits[card] << CARD_BITS | card
            tries[n - 1] = merit_then_card
            next_higher = rank
    _sort(tries, n)
    for i in range(n):
        tries[i] &= CARD_MASK
    return n


@njit
def _any_between(ranks: int, low: int, high: int) -> bool:
    """Whether 13 bits of ranks have one from ``low`` on and below ``high``."""
    from_low_on = ranks >> low
    return from_low_on & ((1 << (high - low)) - 1) != 0


@njit
def _sort(values: Ints, n: int) -> None:
    """Sort the first n values, rising, by insertion."""
    for i in range(1, n):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@njit
def _of_suit(hand: int, suit: int) -> int:
    """The cards of a suit, as 13 bits."""
    return hand >> SUIT_CARDS * suit & SUIT_MASK


@njit
def _count(hand: int) -> int:
    """How many cards a mask has."""
    cards = 0
    while hand:
        hand &= hand - 1
        cards += 1
    return cards


@njit
def _highest(ranks: int) -> int:
    """The highest rank of 13 bits, which are not all 0."""
    rank = 12
    while not ranks >> rank & 1:
        rank -= 1
    return rank


@njit
def _winners(hands: Ints, leader: int, trump: int) -> int:
    """Tricks that the leader takes with the highest cards of the own hand.

    One after the other, trumps first. It is a number that is sure, not the most.
    ``hands``: (4,) masks; ``trump``: -1 for none.
    """
    left = hands[(leader + 1) % 4]
    partner = hands[(leader + 2) % 4]
    right = hands[(leader + 3) % 4]
    winners = 0
    trumps_drawn = 0
    for step in range(4):
        suit = (max(trump, 0) + step) % 4
        own = _of_suit(hands[leader], suit)
        tops = _count_above(own, _of_suit(left | right | partner, suit))
        if tops == 0:
            continue
        length_left = _count(_of_suit(left, suit))
        length_right = _count(_of_suit(right, suit))
        length_partner = _count(_of_suit(partner, suit))
        tricks_of_suit = tops
        if tops >= max(length_left, length_right, length_partner):
            tricks_of_suit = _count(own)  # nobody has a card left after the tops
        if suit == trump:
            trumps_drawn = tricks_of_suit
        elif trump >= 0:  # a defender who has trumps left must follow, else ruffs
            if _count(_of_suit(left, trump)) > trumps_drawn:
                tricks_of_suit = min(tricks_of_suit, length_left)
            if _count(_of_suit(right, trump)) > trumps_drawn:
                tricks_of_suit = min(tricks_of_suit, length_right)
        winners += tricks_of_suit
    return winners


@njit
def _count_above(own: int, others: int) -> int:
    """How many of a hand's cards of a suit are higher than all others, by 13 bits."""
    cards = 0
    while own > others:
        own ^= 1 << _highest(own)
        cards += 1
    return cards


@njit
def _key(hands: Ints, leader: int) -> tuple[int, int]:
    """Who holds each card left, in two words: the minors and the majors.

    A word has two suits, 32 bits each. Of a suit these are a 1, then two bits for each
    card that is left, from the lowest on: its holder, 0 to 3, counted clockwise from the
    leader. The 1 marks how many there are, since the leader's cards are zeros.
    ``hands``: (4,) masks.
    """
    all_hands = hands[0] | hands[1] | hands[2] | hands[3]
    left = hands[(leader + 1) % 4]
    partner = hands[(leader + 2) % 4]
    right = hands[(leader + 3) % 4]
    minors = 0
    majors = 0
    for suit in range(4):
        holders = 1
        cards = all_hands & SUIT_MASK << SUIT_CARDS * suit
        while cards:
            lowest = cards & -cards
            holder = 0
            if left & lowest:
                holder = 1
            elif partner & lowest:
                holder = 2
            elif right & lowest:
                holder = 3
            holders = holders << HOLDER_BITS | holder
            cards ^= lowest
        if suit < 2:
            minors = minors << SUIT_BITS | holders
        else:
            majors = majors << SUIT_BITS | holders
    return minors, majors


@njit
def _slot(minors: int, majors: int, entries: int) -> int:
    """The place of a key in a table of so many entries, by bits that look random."""
    mixed = minors * 0x9E3779B97F4A7C1 ^ majors * 0x632BE59BD9B4E01
    return mixed >> 24 & (entries - 1)
