"""A bidder with a style: a multinomial logit over the legal calls.

A player's style is four numbers.

docs/bidders.md has the utilities, and what a hand is worth in sixteenths of a trick.
With Algorithm 1's level in the strain the value makes one small integer, the *cell* ``8
· value + level``. The five cells of a hand, one a strain, are a sufficient statistic,
whatever the style and the auction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, legal_indices, seat_to_call
from bayesbridge.capture.strains import Walk, fill_levels, walks
from bayesbridge.capture.tables import HOLDS_RANK, LENGTH
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS, Vulnerability
from bayesbridge.game.cards import SUIT_MASK, Strain
from bayesbridge.game.layouts import Floats, Hands, read_only
from bayesbridge.runtime.jit import njit

Cells = NDArray[np.int16]
"""(n, 5) 8 · value in sixteenths of a trick + Algorithm 1's level, by strain C D H S
NT.
"""

LEVELS: Final = 8
"""Levels of a cell, 0 to 7."""

CELLS: Final = LEVELS * 320
"""Cells are numbers below this."""

BASE_VALUE: Final = 64
LONGEST_SUIT_VALUE: Final = 4
SHORT_SUIT_VALUE: Final = 12
"""Sixteenths of a trick: of every hand; of a suit than which none is longer; that each
singleton or void costs in no trumps.
"""

_VALUE: Final = np.stack(
    [
        HOLDS_RANK[:, 9:] @ np.array([3, 6, 9 + 2, 12 + 4]),
        8 * HOLDS_RANK.sum(axis=1) - 40 + 2 * HOLDS_RANK[:, 8:].sum(axis=1),
    ],
    axis=1,
).astype(np.int16)
"""(8192, 2) by the 13 bits of a suit: points and controls, which count everywhere; what
counts in the suit alone.
"""


def cells(hands: Hands) -> Cells:
    """The cells of n hands of 13 cards, given as (n,) masks."""
    one_row("hands", hands)
    hand_cells = np.empty((len(hands), len(Strain)), dtype=np.int16)
    _fill_cells(np.ascontiguousarray(hands), *walks(), _VALUE, hand_cells)
    return hand_cells


@njit
def _fill_cells(
    hands: Hands, side: Walk, trumps: Walk, values: NDArray[np.int16], out: Cells
) -> None:
    """Write the cells of (n,) hands into ``out``, (n, 5).

    ``side`` and ``trumps`` are the tables of Algorithm 1, ``values`` is ``_VALUE``.
    """
    levels = np.empty(5, dtype=np.int8)
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        fill_levels(hand, side, trumps, levels)
        shared = BASE_VALUE
        longest = 0
        short_suits = 0
        for suit in range(4):
            holding = (hand >> (13 * suit)) & SUIT_MASK
            shared += values[holding, 0]
            longest = max(longest, LENGTH[holding])
            if LENGTH[holding] < 2:
                short_suits += 1
        for suit in range(4):
            holding = (hand >> (13 * suit)) & SUIT_MASK
            value = shared + values[holding, 1]
            if LENGTH[holding] == longest:
                value += LONGEST_SUIT_VALUE
            out[i, suit] = LEVELS * max(value, 0) + levels[suit]
        value_in_notrump = max(shared - SHORT_SUIT_VALUE * short_suits, 0)
        out[i, 4] = LEVELS * value_in_notrump + levels[4]


BOUNDS: Final = {
    "aggressiveness": (-4.0, 4.0),
    "suit_preference": (-4.0, 4.0),
    "temperature": (0.1, 100.0),
    "slip": (0.0, 1.0),
}
"""Where the numbers of a style lie; a prior ends there too."""

LEANING: Final = np.array([0.0] * 3 + [0.2, 0.2, 0.2, 0.2, -0.8] * 7)
"""(38,) what a trick of suit preference adds to a hand, by call: a suit gains one trick
on no trumps, and as it adds up to nothing over the five strains it is no aggressiveness
in disguise.
"""


SUIT_SHOWN: Final = 1.0
"""Tricks that partner's suit adds to a hand there, and an opponent's strain takes."""

VULNERABLE: Final = 0.25
LAST_SEAT: Final = 0.25
"""Tricks that vulnerability takes, and that the last seat to open adds."""

FIRST_BID: Final = 3
"""Index of 1C among the 38 calls, after Pass, X and XX."""

BOOK: Final = 6
"""A bid undertakes so many tricks beyond its level."""

ENTRY_OF_DOUBLES: Final = 8.0
"""What X and XX compare the value of the hand with."""


class Options(NamedTuple):
    """The legal calls other than Pass before one call, rising; m of them."""

    call: NDArray[np.int64]
    """(m,) index of each"""
    strain: NDArray[np.int64]
    """(m,) whose cell its utility depends on; no trumps for X and XX"""
    tricks: Floats
    """(m,) t, the tricks it undertakes"""
    entry: Floats
    """(m,) what y is compared with in the first term"""
    match: Floats
    """(m,) 1 for a bid, 0 for X and XX, which undertake nothing"""
    shift: Floats
    """(m,) what the auction adds to the hand, in tricks"""

    @classmethod
    @lru_cache(maxsize=256)
    def of(
        cls, before: Auction, vulnerable: Vulnerability = Vulnerability.NONE
    ) -> Options:
        """The options of the seat in turn after an auction."""
        shift_by_strain = _shifts(before, vulnerable)
        # A row for every legal call but pass; doubles count as no trumps.
        legal = legal_indices(before)
        calls = np.array(
            [index for index in legal if index != PASS.index], dtype=np.int64
        )
        is_bid = calls >= FIRST_BID
        bids = calls - FIRST_BID
        strains = np.where(is_bid, bids % 5, int(Strain.NT))
        tricks = np.where(is_bid, BOOK + 1.0 + bids // 5, 0.0)
        # The fewest tricks for which a strain may be bid now.
        fewest_by_strain = np.array(
            [tricks[is_bid & (strains == s)].min(initial=13.0) for s in Strain]
        )
        entries = np.where(is_bid, fewest_by_strain[strains], ENTRY_OF_DOUBLES)
        matches = is_bid.astype(np.float64)
        shifts = shift_by_strain[strains]
        columns = (calls, strains, tricks, entries, matches, shifts)
        return cls(*map(read_only, columns))


def _shifts(before: Auction, vulnerable: Vulnerability) -> Floats:
    """(5,) tricks that an auction adds to the hand of the seat in turn, by strain."""
    seat = seat_to_call(before)
    shifts = np.zeros(len(Strain))
    if before.last_bid is None and len(before.calls) == len(before.bidders) - 1:
        shifts += LAST_SEAT
    if seat in vulnerable:
        shifts -= VULNERABLE
    partner = seat.partner if before.dummy is None else None
    strains_shown = {
        (caller == partner, call.strain)
        for caller, call in before
        if caller != seat and call.strain is not None
    }
    for by_partner, strain in strains_shown:
        if not by_partner:
            shifts[strain] -= SUIT_SHOWN
        elif strain is not Strain.NT:
            shifts[strain] += SUIT_SHOWN
    return shifts


class Terms(NamedTuple):
    """Utility as a quadratic in b, the tricks that a style adds to the hand.

    u = u0 + u1 · b + u2 · b².
    """

    u0: Floats
    u1: Floats
    u2: Floats

    @classmethod
    def of(cls, cell: NDArray[np.integer], options: Options) -> Terms:
        """Utilities of the options (m,) for the cells of their strains, (…, m)."""
        y = (cell // LEVELS) / 16.0 + options.shift
        shortage = options.tricks - y
        reached = (cell % LEVELS >= options.tricks - BOOK) * options.match
        u0 = 3.0 * (y - options.entry) - options.match * shortage**2 + reached
        return cls(u0, 3.0 + 2.0 * options.match * shortage, -options.match)

    def utility(self, added: Any) -> Any:
        """u for a style that adds b tricks, an array or a tensor."""
        return self.u0 + (self.u1 + self.u2 * added) * added


@dataclass(frozen=True, slots=True)
class StyleBidder:
    """A player by four numbers, a multinomial logit over the legal calls.

    The default is a sober player who bids what they hold. They are of the game of three
    or of four players.

    Parameters
    ----------
    aggressiveness : float
        Tricks by which the player overvalues the hand, from -4 to 4.
    suit_preference : float
        Tricks by which the player prefers a suit to no trumps, from -4 to 4.
    temperature : float
        How loosely the player follows their own judgement, from 0.1 to 100: near 0 they
        take the best call.
    slip : float
        ε, the share of calls made at random.
    vulnerable : Vulnerability or str
        ``"none"``, ``"NS"``, ``"EW"`` or ``"both"``.

    Raises
    ------
    BayesBridgeError
        If a number lies outside its range.

    Examples
    --------
    >>> from bayesbridge.game.cards import Hand
    >>> strong, weak = Hand.of("AKQ2.AKJ.AK4.A32"), Hand.of("J54.Q72.9876.865")
    >>> hands = np.array([strong.mask, weak.mask], dtype=np.uint64)
    >>> auction = Auction.of("W:Pass", dummy="N")
    >>> np.exp(StyleBidder().log_likelihood(hands, auction, 0)).round(2).tolist()
    [0.0, 0.98]
    """

    aggressiveness: float = 0.0
    suit_preference: float = 0.0
    temperature: float = 1.0
    slip: float = 0.02
    vulnerable: Vulnerability = Vulnerability.NONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "vulnerable", Vulnerability.of(self.vulnerable))
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not isinstance(value, int | float) or not low <= value <= high:
                raise BayesBridgeError(
                    f"{name} {value!r}: it lies from {low:g} to {high:g}",
                    **{name: value},
                )

    def log_likelihood(self, hands: Hands, auction: Auction, index: int) -> Floats:
        """log P(call ∣ hand, calls before it), for many hands at once.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of hands that the caller may hold.
        auction : Auction
            All calls so far.
        index : int
            Which of its calls is in question, from 0.

        Returns
        -------
        array of float64, shape (n,)
            Natural logarithms; ``-inf`` where the hand never makes the call.
        """
        turn = Turn.of(auction, index)
        odds = _odds_by_cell(self, turn.before, turn.call.index)
        slip_each = self.slip / len(legal_indices(turn.before))
        scaled_odds = (1.0 - self.slip) * odds.of_call
        return _log_chances(
            cells(hands), odds.of_all, scaled_odds, odds.strain, slip_each
        )

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """P(call ∣ hand, auction so far) of the seat in turn, for every call.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of hands that the seat in turn may hold.
        auction : Auction
            The calls so far.

        Returns
        -------
        array of float64, shape (n, 38)
            By the index of the call; 0 for what is illegal.
        """
        seat_to_call(auction)
        options = Options.of(auction, self.vulnerable)
        odds = self._odds(cells(hands)[:, options.strain], options)
        chances = np.zeros((len(hands), len(CALLS)))
        chances[:, PASS.index] = 1.0
        chances[:, options.call] = odds
        chances *= (1.0 - self.slip) / chances.sum(axis=1, keepdims=True)
        legal = [PASS.index, *options.call]
        chances[:, legal] += self.slip / len(legal)
        return chances

    def _odds(self, cell: Cells, options: Options) -> Floats:
        """exp(u / temperature): the odds of each option against Pass, but for slips."""
        added = self.aggressiveness + self.suit_preference * LEANING[options.call]
        utility = Terms.of(cell, options).utility(added)
        return np.asarray(np.exp(utility / self.temperature))


class _CellOdds(NamedTuple):
    """The odds of a call against Pass, but for slips, by the cells of a hand."""

    of_all: Floats
    """(5, CELLS) summed over all options, by strain and its cell"""
    of_call: Floats
    """(CELLS,) of the call"""
    strain: int
    """Whose cell the call depends on."""


@lru_cache(maxsize=256)
def _odds_by_cell(bidder: StyleBidder, before: Auction, call: int) -> _CellOdds:
    """The odds of a call, by its index, after an auction."""
    options = Options.of(before, bidder.vulnerable)
    odds = bidder._odds(np.arange(CELLS, dtype=np.int16)[:, None], options)
    of_all = np.stack(
        [odds[:, options.strain == strain].sum(axis=1) for strain in Strain]
    )
    if call == PASS.index:
        return _CellOdds(of_all, np.ones(CELLS), 0)
    column = int(np.searchsorted(options.call, call))
    of_call = np.ascontiguousarray(odds[:, column])
    return _CellOdds(of_all, of_call, int(options.strain[column]))


@njit
def _log_chances(
    cell: Cells, odds: Floats, odds_of_call: Floats, strain: int, slip_each: float
) -> Floats:
    """(n,) log P(call) of hands by their cells, (n, 5).

    ``odds`` is (5, CELLS), summed over all calls but Pass, and ``odds_of_call``
    (CELLS,) those of the call by its strain; a slip adds ``slip_each``.
    """
    logs = np.empty(len(cell))
    for i in range(len(logs)):
        total = 1.0
        for s in range(5):
            total += odds[s, cell[i, s]]
        logs[i] = np.log(slip_each + odds_of_call[cell[i, strain]] / total)
    return logs
