"""What the ends of auctions are worth to a seat: tricks by the network, scores by a
goal.

The tricks of two contracts are taken as independent given the layout, unless declarer
and strain are the same: then they are the same tricks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError, did_you_mean
from bayesbridge.estimators.contract_question import Group, group_of
from bayesbridge.estimators.network import table_tricks
from bayesbridge.estimators.trick_estimates import normalised
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.cards import SUIT_MASK, Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Masks
from bayesbridge.game.scoring import SCHEMES, Scheme, Scoring, imps, scoring_of

TRICK_COUNTS: Final = 14  # 0 … 13
BITS_OF_SUIT: Final = 13


def won_imps(difference: Floats) -> Floats:
    """International match points."""
    return imps(difference).astype(np.float64)


def won_matchpoints(difference: Floats) -> Floats:
    """Share of a matchpoint beyond the half that a tie gives."""
    return 0.5 * np.sign(difference)


def won_points(difference: Floats) -> Floats:
    """The difference itself."""
    return difference


MEASURES: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "imps": won_imps,
    "matchpoints": won_matchpoints,
    "points": won_points,
}
"""What a difference of two scores is worth, by the name of the goal."""

UNITS: Final = {"imps": "IMPs", "matchpoints": "matchpoints", "points": "points"}


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """What calls are compared by."""

    name: str
    scoring: Scoring
    measure: Callable[[Floats], Floats]
    #: Scores of the side at other tables, for matchpoints; empty without.
    field: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        goal: str | Mapping[str, Any] | Scoring | None,
        field: Sequence[float] | None,
        vulnerable: Vulnerability,
        dummy: Seat | None,
    ) -> Goal:
        """The goal that is meant; without one IMPs, with three players points."""
        if goal is None:
            goal = "imps" if dummy is None else "points"
        if isinstance(goal, str) and goal in SCHEMES:
            goal = SCHEMES[goal]
        if not isinstance(goal, str):
            scheme = goal if isinstance(goal, Scoring) else Scheme.of(goal)
            chosen = cls(scheme.name, scheme, won_points)
        elif goal in MEASURES:
            scoring = scoring_of(None, vulnerable, dummy)
            chosen = cls(goal, scoring, MEASURES[goal])
        else:
            names = (*MEASURES, *SCHEMES)
            hint = did_you_mean(goal, names)
            raise BayesBridgeError(
                f"unknown goal {goal!r}: {hint}write {', '.join(names)}, or a scheme of "
                "your own",
                goal=goal,
            )
        if goal == "imps" and not chosen.scoring.imps:
            raise BayesBridgeError(
                "goal 'imps' is of bridge: with three players name points, old or new",
                goal=goal,
            )
        return chosen._with_field(field)

    def _with_field(self, field: Sequence[float] | None) -> Goal:
        if field is None:
            return self
        if self.name != "matchpoints":
            raise BayesBridgeError(
                f"field beside goal {self.name!r}: scores of other tables tell "
                "matchpoints: name that goal",
                field=field,
            )
        if not len(field) or not np.isfinite(np.asarray(field, np.float64)).all():
            raise BayesBridgeError(
                "field: give one score or more, such as 420", field=field
            )
        return replace(self, field=tuple(map(float, field)))

    @property
    def unit(self) -> str:
        """What a gain is counted in."""
        return UNITS.get(self.name, f"points of scheme {self.name}")

    @property
    def in_percent(self) -> bool:
        """Whether a gain is a share."""
        return self.name == "matchpoints"

    def own_scores(
        self, contract: Contract | None, seat: Seat, dummy: Seat | None
    ) -> Floats:
        """(14,) what the side of a seat scores for 0 … 13 tricks of the declarer.

        With three players every seat scores for itself: a defender has half of what
        declarer loses, and nothing where the contract makes.
        """
        if contract is None:
            return np.zeros(TRICK_COUNTS)
        priced = contract if self.scoring.doubles else replace(contract, doubled=0)
        scores = np.array(
            [float(self.scoring.score(priced, n)) for n in range(TRICK_COUNTS)]
        )
        if dummy is None:
            ours = contract.declarer in (seat, seat.partner)
            return scores if ours else -scores
        if contract.declarer == seat:
            return scores
        return np.asarray(np.maximum(-scores, 0.0) / 2)

    def gains(self, scores: Floats, reference: Floats) -> Floats:
        """(14, 14) what scores by tricks gain over others by tricks."""
        if self.field:
            shares = self.shares_of_field(scores)
            return shares[:, None] - self.shares_of_field(reference)
        return self.measure(scores[:, None] - reference)

    def shares_of_field(self, scores: Floats) -> Floats:
        """(14,) the matchpoints of scores against the other tables."""
        ahead = np.sign(scores[:, None] - np.array(self.field))
        return np.asarray(0.5 + ahead.mean(axis=1) / 2, np.float64)


def network_tricks(
    layouts: Masks, groups: Sequence[Group], which: NDArray[np.intp]
) -> Floats:
    """(n, 14) P(tricks) by the network of n (n, 4) layouts, each played by the group
    ``which`` (n,) names.

    Suits are renamed so that trumps are always spades, which changes no answer: then
    all suit contracts are one question to the network.
    """
    tables = np.empty_like(layouts)
    at_no_trumps = np.zeros(len(layouts), np.bool_)
    for number, group in enumerate(groups):
        rows = np.flatnonzero(which == number)
        seated = layouts[np.ix_(rows, list(group.table))]
        trump = group.trump
        at_no_trumps[rows] = trump is None
        tables[rows] = seated if trump is None else with_spade_trumps(seated, trump)
    chances = np.empty((len(layouts), TRICK_COUNTS))
    for strain, played in ((None, at_no_trumps), (Suit.S, ~at_no_trumps)):
        if played.any():
            chances[played] = normalised(table_tricks(tables[played], strain))
    return chances


def with_spade_trumps(masks: Masks, trump: Suit) -> Masks:
    """Hands with trumps renamed spades, the other suits in their order below."""
    order = [suit for suit in Suit if suit != trump]
    renamed = np.zeros_like(masks)
    for place, suit in enumerate([*order, trump]):
        cards = masks >> np.uint64(BITS_OF_SUIT * suit) & np.uint64(SUIT_MASK)
        renamed |= cards << np.uint64(BITS_OF_SUIT * place)
    return renamed


class FinalScores:
    """The ends of roll-outs on layouts, scored for a seat."""

    def __init__(
        self,
        goal: Goal,
        seat: Seat,
        dummy: Seat | None,
        layouts: Masks,
        contracts: Sequence[Contract | None],
        which: NDArray[np.intp],
    ) -> None:
        """``which`` (n, calls) numbers the contract that ends the auction on each of
        (n, 4) layouts after each call.
        """
        self.goal = goal
        self.which = which
        self.scores = [goal.own_scores(one, seat, dummy) for one in contracts]
        usual = Contract(1, Strain.NT, seat)  # a deal passed out has no tricks
        groups = [group_of(one or usual, dummy) for one in contracts]
        self.groups = list(dict.fromkeys(groups))
        self.group_of_contract = np.array([self.groups.index(one) for one in groups])
        played = np.arange(len(layouts))[:, None] * len(self.groups)
        self.played = played + self.group_of_contract[which]
        distinct, place = np.unique(self.played, return_inverse=True)
        layout, group = np.divmod(distinct, len(self.groups))
        self.tricks = network_tricks(layouts[layout], self.groups, group)
        self.place = place.reshape(which.shape)

    def gains(self, call: int, reference: int) -> Floats:
        """(n,) expected gain of one call over another on every layout, both by their
        columns.
        """
        contracts = len(self.scores)
        pairs = self.which[:, call] * contracts + self.which[:, reference]
        gains = np.zeros(len(pairs))
        for pair in np.unique(pairs).tolist():
            first, second = divmod(pair, contracts)
            if first != second:
                rows = np.flatnonzero(pairs == pair)
                matrix = self.goal.gains(self.scores[first], self.scores[second])
                gains[rows] = self._expected(rows, call, reference, matrix)
        return gains

    def _expected(
        self, rows: NDArray[np.intp], call: int, reference: int, matrix: Floats
    ) -> Floats:
        """(rows,) mean of a (14, 14) matrix over the tricks of two contracts."""
        first = self.tricks[self.place[rows, call]]
        if (self.place[rows, call] == self.place[rows, reference]).all():
            return np.asarray(first @ matrix.diagonal())
        second = self.tricks[self.place[rows, reference]]
        return np.asarray(((first @ matrix) * second).sum(axis=1))
