"""Calls on record with the hands that made them, and the arrays that fitting needs of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.features import cells
from bayesbridge.bidders.style import LEANING, Options, Terms
from bayesbridge.bidders.turn import Turn
from bayesbridge.calls import Call
from bayesbridge.cards import Hand
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.notation.record import Record, Vulnerability

Floats = NDArray[np.float64]

NEVER: Final = -1e6
"""Utility of an illegal call: exp of it is 0, and its derivatives are too."""

BLOCK: Final = 1 << 20
"""Probabilities worked out at a time."""


@dataclass(frozen=True, slots=True, init=False)
class CallRecord:
    """One call on record: who made it, with which hand, as call number ``index`` of which auction, how vulnerable.

    >>> auction = Auction.of("N:Pass 1H 1S")
    >>> record = CallRecord("South", "AKQ52.J3.A94.K83", auction, 2, "NS")
    >>> record.call, record.is_bid, record.is_opening_turn, record.is_overcall_turn
    (Call.of('1S'), True, False, True)
    """

    player: str
    hand: Hand
    auction: Auction
    index: int
    vulnerable: Vulnerability

    def __init__(
        self,
        player: str,
        hand: Hand | str,
        auction: Auction,
        index: int,
        vulnerable: Vulnerability | str = Vulnerability.NONE,
    ) -> None:
        turn = Turn.of(auction, index)
        full = Hand.of(hand).verify_full(f"{turn.seat.name}'s hand")
        values = (str(player), full, auction, index, Vulnerability.of(vulnerable))
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def call(self) -> Call:
        """What was called."""
        return self.auction.calls[self.index]

    @property
    def is_bid(self) -> bool:
        """Whether the call was a bid: not Pass, X or XX."""
        return self.call.strain is not None

    @property
    def before(self) -> Auction:
        """The auction up to the call."""
        return Turn.of(self.auction, self.index).before

    @property
    def is_opening_turn(self) -> bool:
        """Whether nobody had bid before, so that a bid would open the auction."""
        return self.before.last_bid is None

    @property
    def is_overcall_turn(self) -> bool:
        """Whether opponents had bid and the caller's own side had only passed, so that a bid would be an overcall."""
        turn = Turn.of(self.auction, self.index)
        side = {turn.seat} if self.auction.dummy is not None else {turn.seat, turn.seat.partner}
        own = [call for seat, call in turn.before if seat in side]
        return turn.before.last_bid is not None and all(call.index == 0 for call in own)


def records_of(
    deal: Deal | str,
    auction: Auction,
    players: Mapping[Seat, str],
    vulnerable: Vulnerability | str = Vulnerability.NONE,
) -> list[CallRecord]:
    """All calls of an auction whose callers are among the players, as records."""
    dealt = Deal.of(deal)
    return [
        CallRecord(players[seat], dealt[seat], auction, index, vulnerable)
        for index, (seat, _) in enumerate(auction)
        if seat in players
    ]


def records_of_tables(tables: Iterable[Record], by: str = "player") -> list[CallRecord]:
    """All calls of tables read from PBN or LIN files, under the names that the files give.

    ``by``: ``"player"``, or ``"pair"`` to take the calls of both partners together, as ``"Anna & Bert"``. Calls of
    seats without a name or without a full hand are left out.
    """
    if by not in ("player", "pair"):
        raise BayesBridgeError(f"by {by!r}: choose 'player' or 'pair'", by=by)
    found: list[CallRecord] = []
    seen = 0
    for table in tables:
        seen += 1
        if table.auction is None:
            continue
        names = _players(table, by)
        for index, (seat, _) in enumerate(table.auction):
            hand = table.hands[seat]
            if hand is not None and len(hand) == 13 and seat in names:
                vulnerable = table.vulnerable or Vulnerability.NONE
                found.append(CallRecord(names[seat], hand, table.auction, index, vulnerable))
    if not found:
        raise BayesBridgeError(
            f"no call to learn from in {seen} tables: each needs an auction, full hands and the players' names", by=by
        )
    return found


def _players(table: Record, by: str) -> dict[Seat, str]:
    """Seat → the name its calls are kept under; seats without a name are left out."""
    tags = {Seat.N: "North", Seat.E: "East", Seat.S: "South", Seat.W: "West"}
    names = {seat: name for seat, tag in tags.items() if (name := table.tag(tag).strip()) not in ("", "?")}
    if by == "player":
        return names
    return {
        seat: " & ".join(sorted((name, names[seat.partner]))) for seat, name in names.items() if seat.partner in names
    }


class Design(NamedTuple):
    """Records as arrays, r of them.

    u0, u1, u2: (r, 38) utilities as in :class:`Terms`; Pass has 0, an illegal call :data:`NEVER`
    legal:      (r, 38) 1 where the call was legal, else 0
    call:       (r,) the call made
    player:     (r,) its player's number
    """

    u0: Floats
    u1: Floats
    u2: Floats
    legal: NDArray[np.int64]
    call: NDArray[np.int64]
    player: NDArray[np.int64]

    @classmethod
    def of(cls, records: Sequence[CallRecord], players: Sequence[str]) -> Design:
        """Work out all that the hands and auctions contribute."""
        shape = len(records), 38
        u0, u1, u2 = np.full(shape, NEVER), np.zeros(shape), np.zeros(shape)
        u0[:, 0] = 0.0
        found = cells(np.array([record.hand.mask for record in records], dtype=np.uint64))
        for row, record in enumerate(records):
            options = Options.of(record.before, record.vulnerable)
            terms = Terms.of(found[row, options.strain], options)
            u0[row, options.call], u1[row, options.call], u2[row, options.call] = terms
        call = np.array([record.call.index for record in records], dtype=np.int64)
        player = np.array([players.index(record.player) for record in records], dtype=np.int64)
        return cls(u0, u1, u2, (u0 > NEVER).astype(np.int64), call, player)

    def probabilities(self, style: Floats) -> Floats:
        """(d, r, 38) P(call) under d draws of the players' styles, (d, players, 4)."""
        added = style[:, self.player, 0, None] + style[:, self.player, 1, None] * LEANING
        u = (self.u0 + (self.u1 + self.u2 * added) * added) / style[:, self.player, 2, None]
        odds = np.exp(u - u.max(axis=-1, keepdims=True))
        slip = style[:, self.player, 3, None]
        floor = self.legal / self.legal.sum(axis=-1, keepdims=True)
        chances: Floats = slip * floor + (1.0 - slip) * odds / odds.sum(axis=-1, keepdims=True)
        return chances


def bid_rates(turns: Sequence[CallRecord], styles: ArrayLike) -> Floats:
    """(n,) how often players of n styles, (n, 4), would bid in these turns, with the hands on record there.

    All are asked about the same turns, whoever made the calls, so that their rates can be compared.

    >>> turn = CallRecord("South", "AKQ52.J3.A94.K83", Auction.of("S:1S"), 0)
    >>> timid, sober = (-2.0, 0.0, 1.0, 0.02), (0.0, 0.0, 1.0, 0.02)
    >>> bid_rates([turn], [timid, sober]).round(2).tolist()
    [0.41, 1.0]
    """
    if not turns:
        raise BayesBridgeError("no turns to bid in: give at least one record", turns=())
    design = Design.of(turns, sorted({record.player for record in turns}))
    design = design._replace(player=np.zeros_like(design.player))
    each = np.asarray(styles, dtype=np.float64)[:, None, :]
    rates = np.empty(len(each))
    step = max(1, BLOCK // design.u0.size)
    for start in range(0, len(each), step):
        chances = design.probabilities(each[start : start + step])
        rates[start : start + step] = chances[:, :, 3:].sum(axis=2).mean(axis=1)
    return rates
