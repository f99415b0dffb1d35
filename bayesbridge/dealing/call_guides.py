"""Which way deals under an auction are drawn: by rejection where it is not too rare, else by levels or by tilts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.constraints import Constraints
from bayesbridge.dealing.calls import CallDraws, Floats, Guide, Pilot, Way, limit_of, lost, soft_evidence
from bayesbridge.dealing.drawing import Test, expression_test
from bayesbridge.dealing.expressions import Expression, Held, Number, Operation, ShapeIn
from bayesbridge.dealing.holdings import LENGTH, POINTS
from bayesbridge.dealing.planning import Plan
from bayesbridge.dealing.splitting import by_seat
from bayesbridge.engines.level_proposal import LevelProposal
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.soft import SoftEvidence
from bayesbridge.engines.target import Target
from bayesbridge.engines.tilt import SEARCH, tilted
from bayesbridge.engines.tilt_rounds import SeatLikelihood
from bayesbridge.engines.tilt_sums import Hands
from bayesbridge.engines.tilted import honour_points
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.models import BidderModel, cost_of
from bayesbridge.jit import one_thread
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, seed_state

PILOT: Final = 4000
"""Draws from which a chance, a bound and the worth of a way are told."""

FITTED: Final = 500
"""Draws of the last round of a fit, from which nothing else is told."""

RARE: Final = 0.002
"""An auction that is likelier than this is left to rejection."""

GAIN: Final = 10.0
"""Another way must keep so many times as many draws as rejection: its draws cost more."""

CUT: Final = 0.001
"""The share of probability that a pilot may lose: to notice it takes about a million deals."""

MOST_CUT: Final = 0.05
"""A share beyond which tilted draws are not used."""

DOUBLINGS: Final = 3
"""A bound is tried on as many fresh draws as it was chosen from, and chosen again from both if it loses too much."""

UNMET: Final = -4.0
"""The log likelihood that a hand which does not meet the plan loses in a fit: more would spoil the regression."""

WORTH: Final = 100.0
"""Independent draws that a pilot must be worth."""

SEED: Final = 1
"""Fits and pilots are the same whatever the deals' own seed is, so a plan is what it says."""


@dataclass(frozen=True, slots=True, eq=False)
class Anywhere:
    """Uniform draws of a plan: c g is 1. They serve fits too, as what the tilts start from."""

    plan: Plan

    @property
    def total(self) -> int:
        """How many deals there are."""
        return self.plan.table.total

    def draw(self, n: int, rng: Seed = None) -> Masks:
        """``n`` independent deals."""
        return self.plan.table.draw(n, seed_state(rng))

    def propose(self, n: int, rng: np.random.Generator) -> tuple[Masks, Floats]:
        """``n`` deals."""
        return self.draw(n, rng), np.zeros(n)


@dataclass(frozen=True, slots=True, eq=False)
class ByLevels:
    """Draws by exact tables of the levels of some callers, whose weights are c g."""

    proposal: LevelProposal
    meets: Test

    def propose(self, n: int, rng: np.random.Generator) -> tuple[Masks, Floats]:
        """Those of ``n`` draws that meet the exact part of the plan."""
        masks = self.proposal.tables.draw(n, rng)
        masks = masks[self.meets(masks, rng)]
        return masks, self.proposal.log_weights(masks)


@dataclass(frozen=True, slots=True, eq=False)
class ByTilts:
    """Draws of a fitted proposal."""

    proposal: Proposal
    meets: Test
    log_limit: float = 0.0

    def propose(self, n: int, rng: np.random.Generator) -> tuple[Masks, Floats]:
        """Those of ``n`` draws that are alive and meet the exact part of the plan."""
        masks, log_q = self.proposal.draw(n, rng)
        alive = np.flatnonzero(log_q > -np.inf)
        alive = alive[self.meets(masks[alive], rng)]
        return masks[alive], log_q[alive] + self.log_limit


def call_draws(plan: Plan, auction: Auction, bidder: BidderModel, way: Way | None = None) -> CallDraws:
    """Choose and prepare a way, or prepare the one that is named; raises ``Contradiction`` if no deal is bid so."""
    soft = soft_evidence(auction, bidder)
    pilot = min(PILOT, max(cost_of(bidder).most_layouts // 10, 100))
    with one_thread():
        plain = _measured(auction, soft, Anywhere(plan), "rejection", pilot)
        if way == "rejection" or (way is None and plain.chance >= RARE):
            return plain
        found = None if way == "tilted" else _by_levels(plan, auction, soft, pilot)
        if found is None and way != "levels":
            found = _by_tilts(plan, auction, soft, bidder, pilot)
    if found is None:
        if way is not None:
            raise BayesBridgeError(f"deals under {auction} cannot be drawn by {way} here: leave the choice to the plan")
        return plain
    return found if way is not None or found.kept >= GAIN * plain.chance else plain


def _measured(
    auction: Auction, soft: SoftEvidence, guide: Guide, way: Way, n: int, scale: float = 1.0, cut: float = 0.0
) -> CallDraws:
    """What a pilot says of a guide; ``scale`` turns the mean of L / (c g) into the chance of the auction."""
    masks, log_limit = guide.propose(n, np.random.default_rng(SEED))
    kept = Pilot.of(soft.of_layouts(masks) - log_limit, n)
    return CallDraws(auction, soft, guide, way, kept.mean * scale, kept.error * scale, kept.mean, cut)


def _by_levels(plan: Plan, auction: Auction, soft: SoftEvidence, n: int) -> CallDraws | None:
    """By tables of levels, where there are any."""
    if len(plan.known.hidden) > 3:
        return None
    target = Target(plan.known, soft)
    try:
        proposal = LevelProposal.of(target)
    except Contradiction:
        models = ", ".join(soft.models)
        raise Contradiction(
            f"no deal explains the calls {auction} under {models}: take a call back", evidence=()
        ) from None
    if proposal is None:
        return None
    scale = math.exp(proposal.tables.log_mean) * float(target.count / plan.table.total)
    return _measured(auction, soft, ByLevels(proposal, expression_test(plan.exact, None)), "levels", n, scale)


def _by_tilts(plan: Plan, auction: Auction, soft: SoftEvidence, bidder: BidderModel, n: int) -> CallDraws | None:
    """By tilts; ``None`` where they do not fit."""
    likelihood, seats = _by_seat(plan, soft)
    try:
        fitted = tilted(
            tightened(plan.known, plan.exact),
            Anywhere(plan),
            likelihood,
            seats,
            draws=FITTED,
            rng=SEED,
            worth=honour_points(soft),
            search=min(SEARCH, cost_of(bidder).most_layouts // 10),
        )
    except Contradiction:
        return None
    guide = ByTilts(fitted.proposal, expression_test(plan.exact, None))
    random = np.random.default_rng(SEED)
    seen, drawn, log_limit, cut = _log_weights(guide, soft, n, random), n, 0.0, 1.0
    for _ in range(DOUBLINGS):
        if not len(seen) or Pilot.of(seen - seen.max(), drawn).worth < min(WORTH, n / 10):
            return None
        log_limit = limit_of(seen, CUT)
        fresh = _log_weights(guide, soft, drawn, random)
        cut = max(CUT, lost(fresh, log_limit))
        seen, drawn = np.concatenate([seen, fresh]), 2 * drawn
        if cut <= 2 * CUT:
            break
    if cut > MOST_CUT:
        return None
    top = float(seen.max())
    mean = Pilot.of(seen - top, drawn)
    scale = math.exp(top - math.log(plan.table.total))
    kept = Pilot.of(np.minimum(seen - log_limit, 0.0), drawn).mean
    limited = ByTilts(guide.proposal, guide.meets, log_limit)
    return CallDraws(auction, soft, limited, "tilted", mean.mean * scale, mean.error * scale, kept, cut)


def _log_weights(guide: Guide, soft: SoftEvidence, n: int, rng: np.random.Generator) -> Floats:
    """log L / (c g) of those of ``n`` draws that have any weight."""
    masks, log_limit = guide.propose(n, rng)
    found = soft.of_layouts(masks) - log_limit
    return found[found > -np.inf]


def tightened(known: Constraints, parts: Sequence[Expression]) -> Constraints:
    """Constraints with what parts of a condition say of lengths, shapes and points, as far as they say it plainly.

    >>> from bayesbridge.dealing.parser import parse_expression
    >>> tightened(Constraints.free(), [parse_expression("spades(south) > 4")]).shortest[2]
    (0, 0, 0, 5)
    """
    for part in parts:
        match part:
            case ShapeIn(seat, shapes):
                known = known.shape(seat, shapes)
            case Operation(sign, (Held(measure, seat, suit), Number(value))) if sign in _RANGES:
                below, above = _RANGES[sign]
                low = -99 if below is None else value + below
                high = 99 if above is None else value + above
                if measure == LENGTH and suit is not None:
                    known = known.length(seat, suit, low, high)
                elif measure == POINTS and suit is None:
                    known = known.points(seat, low, high)
    return known.normalised()


_RANGES: Final[dict[str, tuple[int | None, int | None]]] = {
    ">": (1, None),
    ">=": (0, None),
    "<": (None, -1),
    "<=": (None, 0),
    "==": (0, 0),
}
"""How far the lowest and the highest value lie from the number that is compared with."""


def _by_seat(plan: Plan, soft: SoftEvidence) -> tuple[SeatLikelihood, tuple[int, ...]]:
    """What calls and the exact part of the plan say of one hand, and the seats of which they say something."""
    own, _ = by_seat(plan.exact)

    def likelihood(seat: int, hands: Hands) -> Floats:
        found = soft.of_seat(seat, hands)
        return found if seat not in own else np.where(_meets(own[seat], seat, hands), found, found + UNMET)

    return likelihood, tuple(dict.fromkeys((*soft.seats, *own)))


def _meets(part: Expression, seat: int, hands: Hands) -> NDArray[np.bool_]:
    """(n,) whether hands of a seat meet a condition on this seat alone."""
    masks = np.zeros((len(hands), 4), dtype=np.uint64)
    masks[:, seat] = hands
    return expression_test((part,), None)(masks, np.random.default_rng(SEED))
