"""The joint question: who is this player, and what do they hold?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.features import Cells, cells
from bayesbridge.bidders.fit import Prior, log_calls
from bayesbridge.bidders.records import CallRecord, Design
from bayesbridge.bidders.style import Options, StyleBidder
from bayesbridge.bidders.turn import Turn
from bayesbridge.deal import Seat
from bayesbridge.engines.soft import SoftEvidence
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.joint.points import Cloud, fit_cloud, log_mean
from bayesbridge.joint.space import StyleSpace
from bayesbridge.layouts import Masks

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StyleQuestion:
    """A belief in style bidders, one seat whose style is not known, and what is known of that style beforehand.

    space:  the numbers of the style that are not known, and their prior
    asked:  for each call of the seat in this auction, what its options were and which it was
    others: all other soft evidence: calls of the other seats, who bid as the belief says, and cards weighed by a model
    design: the calls on record of the same player, ``None`` if there are none
    """

    belief: Belief
    seat: Seat
    space: StyleSpace
    asked: tuple[tuple[Options, int], ...]
    others: SoftEvidence
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
        bidder = belief.bidder
        if not isinstance(bidder, StyleBidder):
            raise BayesBridgeError(
                f"the belief takes the others for {type(bidder).__name__}, which has no style to learn: "
                "ask about belief.with_bidder(bb.StyleBidder())",
                bidder=bidder,
            )
        turns = [Turn.of(auction, index) for index, who in calls if who == caller]
        players = sorted({record.player for record in records})
        if len(players) > 1:
            raise BayesBridgeError(
                f"records of {', '.join(players)}: give those of {caller.name} alone", players=players
            )
        return cls(
            belief,
            caller,
            StyleSpace.of(prior),
            tuple((Options.of(turn.before, bidder.vulnerable), turn.call.index) for turn in turns),
            SoftEvidence(tuple(one for one in belief.target.soft.terms if one.seat != caller or one.call is None)),
            Design.of(records, players) if records else None,
        )

    def log_seat(self, cell: Cells, bidder: StyleBidder) -> Floats:
        """(n,) log P(the seat's calls ∣ hand) for (n, 5) cells of its hands and one style."""
        total = np.zeros(len(cell))
        for options, call in self.asked:
            total += bidder.log_chances(cell, options, call)
        return total

    def log_records(self, styles: Floats) -> Floats:
        """(d,) log P(the calls on record) for (d, 4) styles."""
        total = np.zeros(len(styles))
        if self.design is not None:
            at = np.arange(len(self.design.call)), self.design.call
            for row, style in enumerate(styles):
                total[row] = np.log(self.design.probabilities(style[None, None])[0][at]).sum()
        return total

    def log_of_records(self, n: int, rng: np.random.Generator) -> tuple[float, float]:
        """log P(the calls on record) with the style summed out over ``n`` points or some more, and its error."""
        if self.design is None:
            return 0.0, 0.0
        cloud = self.cloud_of_records(rng)
        points = cloud.points(n, rng)
        log = cloud.log_weight(points) + self.log_records(self.space.styles(points).reshape(-1, 4)).reshape(
            points.shape[:2]
        )
        found, error = log_mean(np.exp(log - log.max()).mean(axis=1))
        return found + float(log.max()), error

    def cloud_of_records(self, rng: np.random.Generator) -> Cloud:
        """A mixture that covers what is known of the style before this auction."""
        if self.design is None:
            return Cloud.prior(len(self.space))
        return fit_cloud(lambda points: self.log_records(self.space.styles(points)), len(self.space), rng)

    def cells(self, masks: Masks) -> Cells:
        """(n, 5) cells of the seat's hands."""
        return cells(masks[:, self.seat])

    def style(self) -> list[Any]:
        """The style as variables of the PyMC model in context, the records already weighed in; each (1,)."""
        import pymc as pm

        variables = self.space.variables()
        if self.design is not None:
            pm.Potential("records", log_calls(self.design, variables).sum())
        return variables

    def unexplained(self) -> Contradiction:
        """The error for other evidence that no layout explains."""
        return Contradiction(
            f"no layout explains what the others called under {self.belief.bidder!r}: "
            "give the model a slip (slip=0.02), or take a call back",
            evidence=self.belief.evidence,
        )
