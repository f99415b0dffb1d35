"""The tables of records as tensors, call by call, for the fit of the learned bidder.

:func:`prepare` puts all tables on the device, with the state of the auction before
every call. :func:`batch_of` makes of some tables what a network is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import grouped, holdings_of, tensors, token_rows
from table_arrays import Tables
from torch import Tensor

CALLS = 38
PASS, DOUBLE, REDOUBLE = range(3)
"""Indices of these calls; the bids follow from 1C on."""

FOUR_CLUBS = 3 + 15
FOUR_NOTRUMP = 3 + 19
NOTRUMP = 4
"""Strain of no trumps: a bid's index is 3 + 5 · (level - 1) + strain."""

NO_CALL = CALLS
"""In the place of a call before the first, and behind the last."""

NOBODY = 4
"""In the place of who made the last bid, where there was none."""

REACH = 48
"""Distances, and places in the auction, that are told apart."""

STARTS = np.cumsum([0, 39, 36, 3, 5, 4, REACH])
"""Where the rows of each part of a token begin.

The parts: the call before (38: none), the last bid (0: none), its doubling, whose it
is, vulnerability, the place.
"""

ROWS = int(STARTS[-1])
TOKENS_A_STEP = 40_000
TRICK_UNITS = 20
"""Parts of a trick in which the tables count expected tricks."""


class Auctions(NamedTuple):
    """Tables and deals as tensors on the device, but for the lengths of auctions."""

    length: np.ndarray
    """(tables,) how many calls."""
    calls: Tensor
    """(tables, longest + 1) calls, padded with ``NO_CALL``."""
    last_bid: Tensor
    """(tables, longest) the last bid before each call: 0 none, 1 for 1C …"""
    doubled: Tensor
    """(tables, longest) its doubling: 0, ``DOUBLE`` or ``REDOUBLE``."""
    owner: Tensor
    """(tables, longest) who made it, in seats from the caller on, or ``NOBODY``."""
    vulnerable: Tensor
    """(tables, 2) dealer's side and the other."""
    holdings: Tensor
    """(deals, 4, 4) the hands N E S W by suit, 13 bits each."""
    deal: Tensor
    """(tables,) which deal."""
    dealer: Tensor
    """(tables,) seat of the first call."""
    pair: Tensor
    """(tables, 2) pairs of dealer's side and of the other, -1 where nobody is named."""
    tricks: Tensor
    """(deals, 2, 5) tricks that North–South and East–West expect in each strain."""


def prepare(tables: Tables, device: torch.device) -> Auctions:
    """All tables on the device."""
    length = np.diff(tables.call_start).astype(np.int64)
    longest = int(length.max())
    calls = np.full((len(length), longest + 1), NO_CALL, np.uint8)
    is_call = np.arange(longest) < length[:, None]
    calls[:, :-1][is_call] = tables.calls
    last_bid, doubled, owner = states_before(calls[:, :-1])
    arrays = {
        "calls": calls,
        "last_bid": last_bid,
        "doubled": doubled,
        "owner": owner,
        "holdings": holdings_of(tables.masks),
        "vulnerable": tables.vulnerable.astype(np.uint8),
        "deal": tables.deal.astype(np.int64),
        "dealer": tables.dealer.astype(np.int64),
        "pair": tables.pair.astype(np.int64),
        "tricks": (tables.tricks / TRICK_UNITS).astype(np.float32),
    }
    return Auctions(length, **tensors(arrays, device))


def states_before(calls: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The last bid, its doubling and its owner before each of (tables, n) calls.

    All tables are walked at once, call by call. The arrays are those of
    :class:`Auctions`.
    """
    last_bids = np.zeros(calls.shape, np.uint8)
    doublings = np.zeros(calls.shape, np.uint8)
    owners = np.full(calls.shape, NOBODY, np.uint8)
    tables, n = calls.shape
    last_bid = np.full(tables, REDOUBLE, np.int64)  # none: 1C follows
    doubled = np.zeros(tables, np.int64)
    bid_place = np.full(tables, -1, np.int64)
    for place in range(n):
        last_bids[:, place] = last_bid - REDOUBLE
        doublings[:, place] = doubled
        owners[:, place] = np.where(bid_place < 0, NOBODY, (bid_place - place) % 4)
        call = calls[:, place].astype(np.int64)
        is_bid = (call > REDOUBLE) & (call < NO_CALL)
        is_double = (call == DOUBLE) | (call == REDOUBLE)
        last_bid = np.where(is_bid, call, last_bid)
        bid_place = np.where(is_bid, place, bid_place)
        doubled = np.where(is_double, call, doubled)
        doubled = np.where(is_bid, 0, doubled)
    return last_bids, doublings, owners


class Batch(NamedTuple):
    """Some tables, b of them, of up to n calls each.

    Their calls stand one after the other, n to a table, those behind the end of an
    auction included: so arrays of calls have b n rows.
    """

    tokens: Tensor
    """(b, n, 6) rows of the reader's table: what is known before each call."""
    legal: Tensor
    """(b n, 38) which calls are legal."""
    call: Tensor
    """(b n,) the call made, 0 behind the end of an auction."""
    is_real: Tensor
    """(b n,) whether the auction has not ended."""
    holdings: Tensor
    """(4 b, 4) the hands N E S W of each table by suit."""
    caller: Tensor
    """(b n,) which of the hands calls."""
    partner: Tensor
    """(b n,) which of them is the caller's partner's."""
    pair: Tensor
    """(b, 2) pairs of dealer's side and of the other, -1 where unknown or hidden."""
    tricks: Tensor
    """(b, 2, 5) tricks that North–South and East–West expect in each strain."""
    row: Tensor
    """(b,) which of all tables."""
    pair_hidden: Tensor
    """(b, 2) whether the pair is hidden."""

    def hide(self, pair_hidden: Tensor) -> Batch:
        """The same with some pairs hidden; ``pair_hidden`` (b, 2)."""
        pair = self.pair.masked_fill(pair_hidden, -1)
        return self._replace(pair=pair, pair_hidden=pair_hidden)

    @property
    def place(self) -> Tensor:
        """(b n,) place of each call in its auction."""
        tables, n, _ = self.tokens.shape
        return torch.arange(n, device=self.call.device).repeat(tables)

    @property
    def table(self) -> Tensor:
        """(b n,) which of the b tables each call is of."""
        tables, n, _ = self.tokens.shape
        return torch.arange(tables, device=self.call.device).repeat_interleave(n)

    @property
    def calling_pair(self) -> Tensor:
        """(b n,) the pair of the caller, -1 where unknown or hidden."""
        return self.pair[self.table, self.place % 2]

    @property
    def compass_side(self) -> Tensor:
        """(b n,) row of the caller's side: 2 · table, and 1 more for East–West."""
        return 2 * self.table + self.caller % 2


def batch_of(auctions: Auctions, rows: Tensor, n: int) -> Batch:
    """Some tables, whose auctions have up to ``n`` calls."""
    call = auctions.calls[rows, :n].long()
    is_real = call < NO_CALL
    deal = auctions.deal[rows]
    pair = auctions.pair[rows]
    place = torch.arange(n, device=call.device)
    caller_seat = auctions.dealer[rows][:, None] + place
    table = torch.arange(len(rows), device=call.device)
    first_hand = 4 * table[:, None]
    return Batch(
        tokens=tokens_of(auctions, rows, n),
        legal=legal_calls(auctions, rows, n).flatten(0, 1),
        call=call.masked_fill(~is_real, 0).flatten(),
        is_real=is_real.flatten(),
        holdings=auctions.holdings[deal].long().flatten(0, 1),
        caller=(first_hand + caller_seat % 4).flatten(),
        partner=(first_hand + (caller_seat + 2) % 4).flatten(),
        pair=pair,
        tricks=auctions.tricks[deal],
        row=rows,
        pair_hidden=torch.zeros_like(pair, dtype=torch.bool),
    )


def tokens_of(auctions: Auctions, rows: Tensor, n: int) -> Tensor:
    """(b, n, 6) rows of the reader's table: what is known before each call."""
    call = auctions.calls[rows, :n].long()
    call_before_first = torch.full_like(call[:, :1], NO_CALL)
    call_before = torch.cat([call_before_first, call[:, :-1]], dim=1)
    place = torch.arange(n, device=call.device).expand_as(call)
    is_dealers_side = place % 2 == 0
    vulnerable = auctions.vulnerable[rows].long()
    dealers_side = vulnerable[:, :1]
    other_side = vulnerable[:, 1:]
    own_vulnerable = torch.where(is_dealers_side, dealers_side, other_side)
    their_vulnerable = torch.where(is_dealers_side, other_side, dealers_side)
    columns = (
        call_before,
        auctions.last_bid[rows, :n].long(),
        auctions.doubled[rows, :n].long(),
        auctions.owner[rows, :n].long(),
        2 * own_vulnerable + their_vulnerable,
        place.clamp(max=REACH - 1),
    )
    return token_rows(columns, STARTS)


def legal_calls(auctions: Auctions, rows: Tensor, n: int) -> Tensor:
    """(b, n, 38) which calls are legal at each place."""
    last_bid = auctions.last_bid[rows, :n].long()
    doubled = auctions.doubled[rows, :n].long()
    owner = auctions.owner[rows, :n].long()
    is_opponents = (owner % 2 == 1) & (owner < NOBODY)
    is_own = ~is_opponents & (owner < NOBODY)
    call = torch.arange(CALLS, device=rows.device)
    legal = call > (last_bid + REDOUBLE)[:, :, None]
    legal[:, :, PASS] = True
    legal[:, :, DOUBLE] = (doubled == 0) & is_opponents
    legal[:, :, REDOUBLE] = (doubled == DOUBLE) & is_own
    return legal


def groups_of(auctions: Auctions, chosen: np.ndarray) -> Iterator[Batch]:
    """All chosen tables, always in the same order, many at a time."""
    order = np.random.default_rng(0)
    for group in grouped(auctions.length, chosen, TOKENS_A_STEP, order):
        rows = torch.as_tensor(group, device=auctions.calls.device)
        yield batch_of(auctions, rows, int(auctions.length[group].max()))


def answers_to_four_notrump(call: Tensor) -> Tensor:
    """(b, n) whether a call is 5C to 5S after partner's 4NT and a pass.

    Before the 4NT the last bid of the caller's side was in a suit. ``call`` (b, n) has
    ``NO_CALL`` behind the end of an auction.
    """
    is_answer = torch.zeros_like(call, dtype=torch.bool)
    bid = torch.where((call > REDOUBLE) & (call < NO_CALL), call, -1)
    for place in range(4, call.shape[1]):
        is_four_notrump = call[:, place - 2] == FOUR_NOTRUMP
        is_passed = call[:, place - 1] == PASS
        own_bids = bid[:, place % 2 : place - 2 : 2]
        turn = torch.arange(own_bids.shape[1], device=call.device)
        last_turn = torch.where(own_bids >= 0, turn, -1).amax(dim=1)
        column = last_turn.clamp(min=0)[:, None]
        last_bid = own_bids.gather(1, column)[:, 0]
        is_suit = (last_turn >= 0) & ((last_bid - 3) % 5 != NOTRUMP)
        is_above = call[:, place] > FOUR_NOTRUMP
        is_at_most_five_spades = call[:, place] <= FOUR_NOTRUMP + 4
        is_asked = is_four_notrump & is_passed
        is_answer[:, place] = is_asked & is_suit & is_above & is_at_most_five_spades
    return is_answer
