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

EVERYWHERE: Final = 0
AS_TRUMPS: Final = 1
"""Columns of ``_VALUE``."""

_VALUE: Final = np.stack(
    [
        HOLDS_RANK[:, 9:] @ np.array([3, 6, 9 + 2, 12 + 4]),
        8 * HOLDS_RANK.sum(axis=1) - 40 + 2 * HOLDS_RANK[:, 8:].sum(axis=1),
    ],
    axis=1,
).astype(np.int16)
"""(8192, 2) sixteenths of a trick by the 13 bits of a suit: for points and controls,
which count in every strain; for length and honours, which count where the suit is
trumps.
"""


def cells(hands: Hands) -> Cells:
    """The cells of n hands of 13 cards, given as (n,) masks."""
    one_row("hands", hands)
    hand_cells = np.empty((len(hands), len(Strain)), dtype=np.int16)
    side_walk, trump_walk = walks()
    masks = np.ascontiguousarray(hands)
    _fill_cells(masks, side_walk, trump_walk, _VALUE, hand_cells)
    return hand_cells


@njit
def _pack(value: int, level: int) -> int:
    """The cell of a hand in a strain: its value and level as one integer."""
    return LEVELS * max(value, 0) + level


@njit
def _fill_cells(
    hands: Hands,
    side_walk: Walk,
    trump_walk: Walk,
    suit_values: NDArray[np.int16],
    cells: Cells,
) -> None:
    """Write the cells of (n,) hands into ``cells``, (n, 5), strains C D H S NT.

    A cell has all that the style model sees of a hand in a strain: what the hand is
    worth, in sixteenths of a trick, and the level that Algorithm 1 (the paper's rule
    for how high to bid) reaches there.

    ``side_walk`` and ``trump_walk`` are tables of Algorithm 1, (8192, 7) by the 13 bits
    of a suit. ``suit_values`` is (8192, 2): what such a suit adds in every strain, and
    what it adds where it is trumps.
    """
    levels = np.empty(5, dtype=np.int8)
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        fill_levels(hand, side_walk, trump_walk, levels)
        value_everywhere = BASE_VALUE
        longest = 0
        short_suits = 0
        for suit in range(4):
            holding = (hand >> (13 * suit)) & SUIT_MASK
            value_everywhere += suit_values[holding, EVERYWHERE]
            longest = max(longest, LENGTH[holding])
            if LENGTH[holding] < 2:
                short_suits += 1
        for suit in range(4):
            holding = (hand >> (13 * suit)) & SUIT_MASK
            value = value_everywhere + suit_values[holding, AS_TRUMPS]
            if LENGTH[holding] == longest:
                value += LONGEST_SUIT_VALUE
            cells[i, suit] = _pack(value, levels[suit])
        value_in_notrump = value_everywhere - SHORT_SUIT_VALUE * short_suits
        cells[i, 4] = _pack(value_in_notrump, levels[4])


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
"""Tricks that a hand should be worth for X and XX."""


class Options(NamedTuple):
    """The legal calls other than Pass before one call, rising; m of them."""

    call: NDArray[np.int64]
    """(m,) index of each"""
    strain: NDArray[np.int64]
    """(m,) whose cell its utility depends on; no trumps for X and XX"""
    tricks: Floats
    """(m,) t, the tricks it undertakes"""
    entry: Floats
    """(m,) tricks that a hand should be worth to enter its strain at all"""
    match: Floats
    """(m,) 1 for a bid, which should match the hand; 0 for X and XX, which undertake
    nothing
    """
    shift: Floats
    """(m,) tricks that the auction adds to the hand's value"""

    @classmethod
    @lru_cache(maxsize=256)
    def of(
        cls, before: Auction, vulnerable: Vulnerability = Vulnerability.NONE
    ) -> Options:
        """The m options of the seat in turn: its legal calls other than Pass.

        A double or redouble is judged by the hand's value in no trumps, and it
        undertakes no tricks.
        """
        shift_by_strain = _shifts(before, vulnerable)
        legal = legal_indices(before)
        calls = np.array(
            [index for index in legal if index != PASS.index], dtype=np.int64
        )
        is_bid = calls >= FIRST_BID
        # Bids are numbered 1C 1D 1H 1S 1NT 2C …, five at each level.
        bids = calls - FIRST_BID
        strains = np.where(is_bid, bids % 5, int(Strain.NT))
        tricks = np.where(is_bid, BOOK + 1.0 + bids // 5, 0.0)
        # The fewest tricks for which each strain may be bid now; where it may not be
        # bid any more nothing reads the 13.
        fewest_tricks = np.array(
            [
                tricks[is_bid & (strains == strain)].min(initial=13.0)
                for strain in Strain
            ]
        )
        return cls(
            call=read_only(calls),
            strain=read_only(strains),
            tricks=read_only(tricks),
            entry=read_only(np.where(is_bid, fewest_tricks[strains], ENTRY_OF_DOUBLES)),
            match=read_only(is_bid.astype(np.float64)),
            shift=read_only(shift_by_strain[strains]),
        )


def _shifts(before: Auction, vulnerable: Vulnerability) -> Floats:
    """(5,) tricks that an auction adds to the hand of the seat in turn, by strain.

    A strain that an opponent has bid is worth less, a suit of partner's more; partner's
    no trumps says nothing of where the hands fit.
    """
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
        is_suit = strain is not Strain.NT
        if not by_partner:
            shifts[strain] -= SUIT_SHOWN
        elif is_suit:
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
        """The utilities of m options, from the hand's cells in their strains, (…, m).

        A cell is what a hand is worth in a strain, in sixteenths of a trick, and the
        level that Algorithm 1 reaches there. A hand of y tricks gains 3 for each trick
        beyond the entry of the strain. A bid loses the square of the tricks by which it
        misses y, and gains 1 where Algorithm 1 reaches its level::

            u(b) = 3 · (y + b − entry) − match · (tricks − y − b)² + reached
        """
        y = (cell // LEVELS) / 16.0 + options.shift
        shortage = options.tricks - y
        reached = (cell % LEVELS >= options.tricks - BOOK) * options.match
        # The coefficients of 1, b and b² in u(b), multiplied out.
        u0 = 3.0 * (y - options.entry) - options.match * shortage**2 + reached
        u1 = 3.0 + 2.0 * options.match * shortage
        return cls(u0, u1, u2=-options.match)

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
        """(n,) log P(call number ``index`` ∣ hand, calls before it) for (n,) masks.

        Parameters and result are those of :class:`~bayesbridge.plugins.BidderModel`.
        """
        turn = Turn.of(auction, index)
        odds = _odds_by_cell(self, turn.before, turn.call.index)
        legal_calls = len(legal_indices(turn.before))
        return _log_chances(
            cells(hands),
            odds.of_all_bids,
            (1.0 - self.slip) * odds.of_call,
            odds.strain,
            self.slip / legal_calls,
        )

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, for (n,) masks.

        The columns are the calls by their index; what is illegal has 0.
        """
        seat_to_call(auction)  # raises where the auction is over
        options = Options.of(auction, self.vulnerable)
        # What is seen of a hand is one integer in each strain, its cell.
        cells_of_options = cells(hands)[:, options.strain]
        odds = np.zeros((len(hands), len(CALLS)))
        odds[:, PASS.index] = 1.0  # all odds are against Pass, whose utility is 0
        odds[:, options.call] = self._odds(cells_of_options, options)
        chances = odds * ((1.0 - self.slip) / odds.sum(axis=1, keepdims=True))
        legal = [PASS.index, *options.call]
        chances[:, legal] += self.slip / len(legal)
        return chances

    def _odds(self, cells_of_options: Cells, options: Options) -> Floats:
        """(…, m) the odds of m options against Pass, slips aside: exp(u / temperature).

        ``cells_of_options`` are what is seen of a hand in the strain of each option,
        (…, m), or (…, 1) where all are the same.
        """
        added_tricks = (
            self.aggressiveness + self.suit_preference * LEANING[options.call]
        )
        utility = Terms.of(cells_of_options, options).utility(added_tricks)
        return np.asarray(np.exp(utility / self.temperature))


class _CellOdds(NamedTuple):
    """The odds of calls against Pass, slips aside, by what is seen of a hand.

    That is its cell in a strain, one of ``CELLS`` integers.
    """

    of_all_bids: Floats
    """(5, CELLS) by strain and the hand's cell there, summed over the options that
    depend on this strain
    """
    of_call: Floats
    """(CELLS,) of the call alone, by the hand's cell in ``strain``"""
    strain: int


@lru_cache(maxsize=256)
def _odds_by_cell(bidder: StyleBidder, before: Auction, call: int) -> _CellOdds:
    """The odds of a call, given by its index, and of all others after an auction.

    A cell is one integer for what a hand is worth in a strain, below ``CELLS``; the odds
    are tabulated for all of them.
    """
    options = Options.of(before, bidder.vulnerable)
    every_cell = np.arange(CELLS, dtype=np.int16)
    odds = bidder._odds(every_cell[:, None], options)  # (CELLS, options)
    of_all_bids = np.stack(
        [odds[:, options.strain == strain].sum(axis=1) for strain in Strain]
    )
    if call == PASS.index:
        # The odds of Pass against itself are 1 with any hand, so any strain will do.
        return _CellOdds(of_all_bids, of_call=np.ones(CELLS), strain=int(Strain.C))
    column = int(np.searchsorted(options.call, call))
    return _CellOdds(
        of_all_bids,
        of_call=np.ascontiguousarray(odds[:, column]),
        strain=int(options.strain[column]),
    )


@njit
def _log_chances(
    cells: Cells,
    odds_of_all_bids: Floats,
    odds_of_call: Floats,
    strain_of_call: int,
    slip_each: float,
) -> Floats:
    """(n,) log P(call) of n hands by their cells, (n, 5), integers below ``CELLS``.

    All odds are against Pass. ``odds_of_all_bids`` is (5, CELLS) by strain and cell,
    summed over all calls but Pass that depend on this strain; ``odds_of_call``
    (CELLS,), by the cell in the strain of the call, is already multiplied by
    1 − P(slip). A slip adds ``slip_each``.
    """
    logs = np.empty(len(cells))
    for i in range(len(logs)):
        total = 1.0  # the odds of Pass
        for strain in range(5):
            total += odds_of_all_bids[strain, cells[i, strain]]
        logs[i] = np.log(slip_each + odds_of_call[cells[i, strain_of_call]] / total)
    return logs
