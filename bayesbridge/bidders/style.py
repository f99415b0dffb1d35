"""A bidder with a style: a multinomial logit over the legal calls, four numbers a
player.

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
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.cards import Strain
from bayesbridge.game.layouts import Floats, Hands, read_only
from bayesbridge.runtime.jit import njit

Cells = NDArray[
    np.int16
]  # (n, 5) 8 · value in sixteenths of a trick + Algorithm 1's level, by strain C D H S NT
CELLS: Final = 8 * 320  # cells are numbers below this
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
    found = np.empty((len(hands), 5), dtype=np.int16)
    _fill_cells(np.ascontiguousarray(hands), *walks(), _VALUE, found)
    return found


@njit
def _fill_cells(
    hands: Hands, side: Walk, trumps: Walk, values: NDArray[np.int16], out: Cells
) -> None:
    levels = np.empty(5, dtype=np.int8)
    for i in range(len(hands)):
        mask = np.int64(hands[i])
        fill_levels(mask, side, trumps, levels)
        shared, longest, short = 64, 0, 0
        for suit in range(4):
            field = (mask >> (13 * suit)) & 0x1FFF
            shared += values[field, 0]
            longest = max(longest, LENGTH[field])
            short += LENGTH[field] < 2
        for suit in range(4):
            field = (mask >> (13 * suit)) & 0x1FFF
            value = shared + values[field, 1] + 4 * (LENGTH[field] == longest)
            out[i, suit] = 8 * max(value, 0) + levels[suit]
        out[i, 4] = 8 * max(shared - 12 * short, 0) + levels[4]


BOUNDS: Final = {
    "aggressiveness": (-4.0, 4.0),
    "suit_preference": (-4.0, 4.0),
    "temperature": (0.1, 100.0),
    "slip": (0.0, 1.0),
}  # where the numbers of a style lie; a prior ends there too

LEANING: Final = np.array([0.0] * 3 + [0.2, 0.2, 0.2, 0.2, -0.8] * 7)
"""(38,) what a trick of suit preference adds to a hand, by call: a suit gains one trick
on no trumps, and as it adds up to nothing over the five strains it is no aggressiveness
in disguise.
"""


class Options(NamedTuple):
    """The legal calls other than Pass before one call, rising; m of them."""

    call: NDArray[np.int64]  # (m,) index of each
    strain: NDArray[
        np.int64
    ]  # (m,) whose cell its utility depends on; no trumps for X and XX
    tricks: Floats  # (m,) t, the tricks it undertakes
    entry: Floats  # (m,) what y is compared with in the first term
    match: Floats  # (m,) 1 for a bid, 0 for X and XX, which undertake nothing
    shift: Floats  # (m,) what the auction adds to the hand, in tricks

    @classmethod
    @lru_cache(maxsize=256)
    def of(
        cls, before: Auction, vulnerable: Vulnerability = Vulnerability.NONE
    ) -> Options:
        # By strain, the tricks that the auction so far adds to the hand of the seat in turn.
        seat = seat_to_call(before)
        last_seat = (
            before.last_bid is None and len(before.calls) == len(before.bidders) - 1
        )
        shift = [0.25 * last_seat - 0.25 * (seat in vulnerable)] * 5
        partner = seat.partner if before.dummy is None else None
        named = {
            (caller == partner, call.strain)
            for caller, call in before
            if caller != seat and call.strain is not None
        }
        for by_partner, one in named:
            if not by_partner:
                shift[one] -= 1.0
            elif one is not Strain.NT:
                shift[one] += 1.0
        call = np.array(
            [index for index in legal_indices(before) if index], dtype=np.int64
        )
        bid = call > 2
        strain = np.where(bid, (call - 3) % 5, int(Strain.NT))
        tricks = np.where(bid, 7.0 + (call - 3) // 5, 0.0)
        lowest = np.array(
            [tricks[bid & (strain == one)].min(initial=13.0) for one in range(5)]
        )
        entry = np.where(bid, lowest[strain], 8.0)
        columns = (
            call,
            strain,
            tricks,
            entry,
            bid.astype(np.float64),
            np.array(shift)[strain],
        )
        return cls(*map(read_only, columns))


class Terms(NamedTuple):
    """Utility as a quadratic in b, the tricks that a style adds to the hand: u = u0 +
    u1 · b + u2 · b².
    """

    u0: Floats
    u1: Floats
    u2: Floats

    @classmethod
    def of(cls, cell: NDArray[np.integer], options: Options) -> Terms:
        """Utilities of the options (m,) for the cells of their strains, (…, m)."""
        y = (cell // 8) / 16.0 + options.shift
        over = options.tricks - y
        iterative = (cell % 8 >= options.tricks - 6) * options.match
        u0 = 3.0 * (y - options.entry) - options.match * over**2 + iterative
        return cls(u0, 3.0 + 2.0 * options.match * over, -options.match)

    def utility(self, added: Any) -> Any:
        """u for a style that adds b tricks, an array or a tensor."""
        return self.u0 + (self.u1 + self.u2 * added) * added


@dataclass(frozen=True, slots=True)
class StyleBidder:
    """A player by four numbers; the default is a sober one who bids what they hold.

    >>> from bayesbridge.game.cards import Hand
    >>> hands = np.array([Hand.of("AKQ2.AKJ.AK4.A32").mask, Hand.of("J54.Q72.9876.865").mask], dtype=np.uint64)
    >>> np.exp(StyleBidder().log_likelihood(hands, Auction.of("W:Pass", dummy="N"), 0)).round(2).tolist()
    [0.0, 0.98]
    """

    aggressiveness: float = 0.0  #: Tricks by which the player overvalues the hand.
    suit_preference: float = (
        0.0  #: Tricks by which the player prefers a suit to no trumps.
    )
    #: How loosely the player follows their own judgement: near 0 they take the best
    #: call.
    temperature: float = 1.0
    slip: float = 0.02  #: ε, the share of calls made at random.
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
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        turn = Turn.of(auction, index)
        totals, chosen, strain = _odds_by_cell(self, turn.before, turn.call.index)
        floor = self.slip / len(legal_indices(turn.before))
        return _log_chances(
            cells(hands), totals, (1.0 - self.slip) * chosen, strain, floor
        )

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is
        illegal.
        """
        seat_to_call(auction)
        options = Options.of(auction, self.vulnerable)
        odds = self._odds(cells(hands)[:, options.strain], options)
        chances = np.zeros((len(hands), 38))
        chances[:, 0] = 1.0
        chances[:, options.call] = odds
        chances *= (1.0 - self.slip) / chances.sum(axis=1, keepdims=True)
        chances[:, [0, *options.call]] += self.slip / (1 + len(options.call))
        return chances

    def _odds(self, cell: Cells, options: Options) -> Floats:
        """exp(u / temperature): the odds of each option against Pass, but for slips."""
        added = self.aggressiveness + self.suit_preference * LEANING[options.call]
        return np.asarray(
            np.exp(Terms.of(cell, options).utility(added) / self.temperature)
        )


@lru_cache(maxsize=256)
def _odds_by_cell(
    bidder: StyleBidder, before: Auction, call: int
) -> tuple[Floats, Floats, int]:
    """(5, CELLS) by strain and cell the odds of all options, (CELLS,) those of a call
    by its cell, and its strain.
    """
    options = Options.of(before, bidder.vulnerable)
    odds = bidder._odds(np.arange(CELLS, dtype=np.int16)[:, None], options)
    totals = np.stack(
        [odds[:, options.strain == strain].sum(axis=1) for strain in range(5)]
    )
    if not call:
        return totals, np.ones(CELLS), 0
    column = int(np.searchsorted(options.call, call))
    return totals, np.ascontiguousarray(odds[:, column]), int(options.strain[column])


@njit
def _log_chances(
    cell: Cells, totals: Floats, chosen: Floats, strain: int, floor: float
) -> Floats:
    out = np.empty(len(cell))
    for i in range(len(out)):
        total = 1.0
        for s in range(5):
            total += totals[s, cell[i, s]]
        out[i] = np.log(floor + chosen[cell[i, strain]] / total)
    return out
