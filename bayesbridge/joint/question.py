"""The joint question: who is this player, and what do they hold?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.features import Cells, cells
from bayesbridge.bidders.fit import Prior, log_calls, style_variables
from bayesbridge.bidders.records import CallRecord, Design
from bayesbridge.bidders.style import Options, StyleBidder
from bayesbridge.bidders.turn import Turn
from bayesbridge.deal import Seat
from bayesbridge.engines.soft import ask
from bayesbridge.errors import BayesBridgeError
from bayesbridge.layouts import Masks

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StyleQuestion:
    """A belief, one seat whose style is not known, and what is known of that style beforehand.

    asked:  for each call of the seat in this auction, what its options were and which it was
    others: (seat, index) of the calls of the other hidden seats, which bid as the belief says
    design: the calls on record of the same player, ``None`` if there are none
    """

    belief: Belief
    auction: Auction
    seat: Seat
    prior: Prior
    asked: tuple[tuple[Options, int], ...]
    others: tuple[tuple[Seat, int], ...]
    design: Design | None

    @classmethod
    def of(cls, belief: Belief, seat: Seat | str, records: Sequence[CallRecord], prior: Prior) -> StyleQuestion:
        """Put the question; it needs a call of the seat, and records of one player."""
        caller, auction = Seat.of(seat), belief.auction
        if caller == belief.observer:
            raise BayesBridgeError(f"{caller.name} is the observer, who knows that hand: name another", seat=caller)
        calls = [] if auction is None else [(index, who) for index, (who, _) in enumerate(auction)]
        if auction is None or not any(who == caller for _, who in calls):
            raise BayesBridgeError(f"{caller.name} has not called: give the calls as evidence first", seat=caller)
        turns = [Turn.of(auction, index) for index, who in calls if who == caller]
        players = sorted({record.player for record in records})
        if len(players) > 1:
            raise BayesBridgeError(
                f"records of {', '.join(players)}: give those of {caller.name} alone", players=players
            )
        return cls(
            belief,
            auction,
            caller,
            prior,
            tuple((Options.of(turn.before), turn.call.index) for turn in turns),
            tuple((who, index) for index, who in calls if who not in (caller, belief.observer)),
            Design.of(records, players) if records else None,
        )

    def log_seat(self, cell: Cells, bidder: StyleBidder) -> Floats:
        """(n,) log P(the seat's calls ∣ hand) for (n, 5) cells of its hands and one style."""
        total = np.zeros(len(cell))
        for options, call in self.asked:
            total += bidder.log_chances(cell, options, call)
        return total

    def log_others(self, masks: Masks) -> Floats:
        """(n,) log P(the others' calls ∣ layout)."""
        total = np.zeros(len(masks))
        for who, index in self.others:
            total += ask(self.belief.bidder, masks[:, who], self.auction, index)
        return total

    def cells(self, masks: Masks) -> Cells:
        """(n, 5) cells of the seat's hands."""
        return cells(masks[:, self.seat])

    def style(self) -> list[object]:
        """The style as variables of the PyMC model in context, the records already weighed in; each (1,)."""
        import pymc as pm

        variables = style_variables(self.prior, [self.seat.name], pooled=False)
        if self.design is not None:
            pm.Potential("records", log_calls(self.design, variables).sum())
        return variables
