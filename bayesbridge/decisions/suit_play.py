"""How to play a suit: for each number of tricks the plan that reaches it most often, and the plan for most tricks.

The layouts are weighed by vacant places, or by a posterior: what was called, played and shown counts. Entries, ruffs
and blocked suits are left out (``suit_play_search``).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import RANKS, SUIT_MASK, Suit
from bayesbridge.deal import Seat
from bayesbridge.decisions.suit_play_layouts import (
    Combination,
    prior_weights,
    read_pair,
    verify_size,
    weights_of_fields,
)
from bayesbridge.decisions.suit_play_lines import Step, Table, steps, told
from bayesbridge.decisions.suit_play_search import MOST_WORK, Search, TooMuchWork
from bayesbridge.errors import BayesBridgeError

type Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SuitLine:
    """One plan, and what it reaches against the best defence."""

    goal: int | None
    """The number of tricks that it reaches most often; ``None`` for the plan with most tricks on average."""
    at_least: dict[int, float]
    """P(so many tricks or more) by this plan, from one more than the highest cards win."""
    tricks: float
    """Expected tricks."""
    error: float
    """One standard error of P(goal) where the layouts are weighed by draws, 0 where exactly; of tricks without goal."""
    step: Step | None
    """The plan as a tree; ``None`` where nothing is to choose."""
    lowest: str
    """The defenders' lowest equals, which the words call low."""

    @property
    def chance(self) -> float:
        """P(the goal is reached), 1 without a goal."""
        return 1.0 if self.goal is None else self.at_least.get(self.goal, 0.0)

    def text(self, tricks: int = 2) -> tuple[str, ...]:
        """The plan in words, a line for each trick and each condition, so many tricks deep."""
        return tuple(told(self.step, self.lowest, tricks)) or ("Nothing is to choose.",)

    def document(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "goal": self.goal,
            "chance": None if self.goal is None else self.chance,
            "tricks": self.tricks,
            "error": self.error,
            "at_least": {str(goal): share for goal, share in self.at_least.items()},
            "text": list(self.text()),
            "plan": None if self.step is None else self.step.document,
        }


@dataclass(frozen=True, slots=True)
class SuitPlay:
    """The plans for a suit."""

    first: str
    """Cards of declarer's first hand."""
    second: str
    missing: str
    """Cards of the defenders."""
    table: Table
    sure: int
    """Tricks that are certain by the best play for them."""
    goals: tuple[SuitLine, ...]
    """The best plan for each number of tricks that is possible and more than the highest cards win, rising."""
    best: SuitLine
    """The plan with most tricks on average."""
    small: str
    """Declarer's cards that were counted as the lowest, to end the search; the figures are then lower bounds."""
    weighed: str
    """How the layouts were weighed, in words."""

    def document(self) -> dict[str, Any]:
        """For ``--json`` and web pages."""
        return {
            "hands": {self.table.first.name: self.first, self.table.second.name: self.second},
            "missing": self.missing,
            "sure": self.sure,
            "counted_as_small": self.small,
            "weighed": self.weighed,
            "goals": [line.document() for line in self.goals],
            "best": self.best.document(),
        }


def suit_play(
    first: str | None = None,
    second: str | None = None,
    posterior: Posterior | None = None,
    *,
    suit: Suit | str | None = None,
    vacant: tuple[int, int] = (13, 13),
    work: int = MOST_WORK,
) -> SuitPlay:
    """The best play of one suit against defenders who see all cards, declarer seeing none of theirs.

    ``first`` and ``second`` are the holdings of dummy (North) and declarer (South), such as ``AJT32`` and ``K954``; an
    ``x`` is a lowest card. ``vacant`` are the places of West and East for cards that are unknown, those of the suit
    among them. With a ``posterior`` of declarer, who sees dummy, the layouts are weighed by it instead. The holdings
    are then found in the hands, and may be left out where ``suit`` names it. A search of more than ``work`` comparisons
    is repeated with more of declarer's low cards counted as the lowest.

    >>> play = suit_play("AJT32", "K954")
    >>> [(line.goal, round(line.chance, 4)) for line in play.goals], round(play.best.tricks, 3)
    ([(3, 1.0), (4, 1.0), (5, 0.5791)], 4.579)
    """
    if posterior is None:
        if first is None or second is None:
            raise BayesBridgeError("no holdings: give both, such as AJT32 and K954, or a posterior and a suit")
        fields = read_pair(first, second)
        verify_size(*fields)
        combination = Combination.of(*fields)
        prior_weights(combination, vacant)
        where = Table(Seat.N, Seat.S)
        places = "" if vacant == (13, 13) else f", West with {vacant[0]} vacant places and East with {vacant[1]}"
        return _solved(combination, where, f"by vacant places{places}", inf, work, vacant=vacant)
    belief = posterior.belief
    if belief.observer.partner in belief.constraints.hidden:
        partner = belief.observer.partner.name
        raise BayesBridgeError(
            f"{partner}'s hand is hidden, so that nobody can plan the suit: show it, such as Reveal({partner!r}, …)",
            seat=partner,
        )
    masks, _ = next(posterior.blocks(1))
    gone = sum(card.mask for trick in belief.tricks for card in trick.cards)
    hands = {seat: int(masks[0, seat]) & ~gone for seat in (belief.observer.partner, belief.observer)}
    chosen, where = _placed(hands, first, second, None if suit is None else Suit.of(suit))
    fields = _field(hands[where.first], chosen), _field(hands[where.second], chosen)
    played = _field(gone, chosen)
    verify_size(*fields, played)
    shares = np.zeros(1 << 13)
    missing = SUIT_MASK & ~(fields[0] | fields[1] | played)
    for block, weights in posterior.blocks():
        held = (block[:, where.left] >> np.uint64(13 * chosen)).astype(np.int64) & missing
        shares += np.bincount(held, weights, minlength=1 << 13)
    shares /= shares.sum()
    combination = Combination.of(*fields, played, _apart(belief, chosen, missing))
    how = "exactly" if posterior.exact else f"from draws worth {posterior.ess:.0f}"
    weighed = f"by what {belief.observer.name} believes, {how}"
    return _solved(combination, where, weighed, inf if posterior.exact else posterior.ess, work, shares=shares)


def _field(mask: int, suit: Suit) -> int:
    return mask >> (13 * suit) & SUIT_MASK


def _placed(hands: dict[Seat, int], first: str | None, second: str | None, suit: Suit | None) -> tuple[Suit, Table]:
    """Which suit is meant, and which of the two hands is the first."""
    dummy, declarer = hands
    if first is None or second is None:
        if suit is None:
            raise BayesBridgeError("no suit: name it, such as S, or give both holdings")
        return suit, Table(dummy, declarer)
    wanted = read_pair(first, second)
    for one in reversed(Suit) if suit is None else (suit,):
        for table in (Table(dummy, declarer), Table(declarer, dummy)):
            if (_field(hands[table.first], one), _field(hands[table.second], one)) == wanted:
                return one, table
    raise BayesBridgeError(
        f"{first} and {second} are not what {dummy.name} and {declarer.name} hold in "
        f"{'any suit' if suit is None else suit.name}: give their cards that are not yet played"
    )


def _apart(belief: Perspective, suit: Suit, missing: int) -> list[int]:
    """Missing cards that hard evidence treats in another way than the next higher one: they are no equals of it."""
    found, before = [], None
    for rank in range(12, -1, -1):
        if missing >> rank & 1:
            now = tuple(may >> (13 * suit + rank) & 1 for may in belief.constraints.may)
            if before is not None and now != before:
                found.append(rank)
            before = now
    return found


def _solved(
    combination: Combination,
    table: Table,
    weighed: str,
    ess: float,
    work: int,
    *,
    vacant: tuple[int, int] = (13, 13),
    shares: Floats | None = None,
) -> SuitPlay:
    """Search, and pick the plans from the front."""
    first, second = combination.first, combination.second
    top = combination.groups[0][0] if combination.groups else -1
    longest = max(len(first), len(second))
    winners = min(sum(rank > top for rank in (*first, *second)), longest)
    while True:
        weights = prior_weights(combination, vacant) if shares is None else weights_of_fields(combination, shares)
        live = sum(1 << place for place, weight in enumerate(weights) if weight > 0.0)
        coarser = combination.coarser()
        try:
            front = Search(combination, live, winners + 1, work if coarser else 1 << 62).front()
            break
        except TooMuchWork:
            assert coarser is not None
            combination = coarser
    levels = max(1, longest - winners)
    reached = [_reached(outcome, weights, levels) for outcome, _ in front]
    means = [winners + float(row.sum()) for row in reached]
    lowest = "".join(RANKS[rank] for rank in combination.groups[-1]) if combination.groups else ""

    def line(goal: int | None) -> SuitLine:
        level = None if goal is None else goal - winners - 1
        place = max(range(len(front)), key=lambda i: (0.0 if level is None else round(reached[i][level], 12), means[i]))
        step = steps(front[place][1], combination, table)
        row = reached[place]
        spread = _variance(row) if level is None else float(row[level] * (1.0 - row[level]))
        at_least = {winners + 1 + i: float(share) for i, share in enumerate(row)} if longest > winners else {}
        return SuitLine(goal, at_least, means[place], sqrt(spread / ess), step, lowest)

    def certain(goal: int) -> bool:
        shift = (goal - winners - 1) * len(weights)
        return any(outcome >> shift & live == live for outcome, _ in front)

    goals = [line(goal) for goal in range(winners + 1, longest + 1)]
    small = "".join(RANKS[rank] for rank in sorted((*first, *second), reverse=True) if rank < combination.small)
    return SuitPlay(
        _text(first),
        _text(second),
        "".join(RANKS[rank] for group in combination.groups for rank in group),
        table,
        max((goal for goal in range(winners + 1, longest + 1) if certain(goal)), default=winners),
        tuple(one for one in goals if one.chance > 0.0),
        line(None),
        small if _parts(combination, small) else "",
        weighed,
    )


def _reached(outcome: int, weights: Floats, levels: int) -> Floats:
    """(levels,) P(so many tricks or more) of an outcome."""
    n = len(weights)
    bits = np.array([[outcome >> (level * n + i) & 1 for i in range(n)] for level in range(levels)], np.float64)
    return np.minimum(np.asarray(bits @ weights, np.float64), 1.0)


def _variance(at_least: Floats) -> float:
    """Of a count with these shares of at least 1, 2, …"""
    k = np.arange(1, len(at_least) + 1)
    return max(0.0, float(((2 * k - 1) * at_least).sum() - at_least.sum() ** 2))


def _text(ranks: tuple[int, ...]) -> str:
    return "".join(RANKS[rank] for rank in ranks) or "-"


def _parts(combination: Combination, small: str) -> bool:
    """Whether counting cards as small has lowered any of them."""
    return any(RANKS.index(letter) > combination.groups[-1][-1] for letter in small) if small else False
