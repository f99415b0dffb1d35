"""What the ends of auctions are worth to a seat.

The network tells how many tricks a contract takes, a goal what that scores. The tricks
of two contracts are taken as independent given the layout, unless declarer and strain
are the same: then they are the same tricks.
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
from bayesbridge.game.cards import SUIT_CARDS, SUIT_MASK, Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Masks
from bayesbridge.game.scoring import SCHEMES, Scheme, Scoring, imps, scoring_of

TRICK_COUNTS: Final = 14
"""Numbers of tricks that a declarer may take: 0 … 13."""


def won_imps(difference: Floats) -> Floats:
    """Return differences in international match points."""
    return imps(difference).astype(np.float64)


def won_matchpoints(difference: Floats) -> Floats:
    """Return the share of a matchpoint beyond the half that a tie gives."""
    return 0.5 * np.sign(difference)


def won_points(difference: Floats) -> Floats:
    """Return the difference itself."""
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
    #: What differences of two scores are worth.
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
        """Read a goal; without one it is IMPs, with three players points.

        ``field``: scores of the side at other tables, which matchpoints are against.
        """
        if goal is None:
            goal = "imps" if dummy is None else "points"
        if isinstance(goal, str) and goal in MEASURES:
            scoring = scoring_of(None, vulnerable, dummy)
            score_goal = cls(goal, scoring, MEASURES[goal])
        else:
            scoring = cls._own_scoring(goal)
            score_goal = cls(scoring.name, scoring, won_points)
        if goal == "imps" and not score_goal.scoring.imps:
            raise BayesBridgeError(
                "goal 'imps' is of bridge: with three players name points, old or new",
                goal=goal,
            )
        if field is None:
            return score_goal
        return score_goal._with_field(field)

    @staticmethod
    def _own_scoring(goal: str | Mapping[str, Any] | Scoring) -> Scoring:
        """The scoring of a goal that is a scheme, by its name or as a value."""
        if isinstance(goal, str):
            if goal in SCHEMES:
                return SCHEMES[goal]
            names = (*MEASURES, *SCHEMES)
            hint = did_you_mean(goal, names)
            raise BayesBridgeError(
                f"unknown goal {goal!r}: {hint}write {', '.join(names)}, or a scheme of "
                "your own",
                goal=goal,
            )
        if isinstance(goal, Scoring):
            return goal
        return Scheme.of(goal)

    def _with_field(self, field: Sequence[float]) -> Goal:
        """The goal with the scores of other tables; refused unless it is matchpoints."""
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
        """Return (14,) what the side of a seat scores for 0 … 13 tricks of declarer.

        With three players every seat scores for itself: a defender has half of what
        declarer loses, and nothing where the contract makes.
        """
        if contract is None:
            return np.zeros(TRICK_COUNTS)
        priced = contract if self.scoring.doubles else replace(contract, doubled=0)
        scores = np.array(
            [
                float(self.scoring.score(priced, tricks))
                for tricks in range(TRICK_COUNTS)
            ]
        )
        if dummy is None:
            if contract.declarer in (seat, seat.partner):
                return scores
            return -scores
        if contract.declarer == seat:
            return scores
        return np.asarray(np.maximum(-scores, 0.0) / 2)

    def gains(self, scores: Floats, reference: Floats) -> Floats:
        """Return (14, 14) what (14,) scores by tricks gain over a reference's."""
        if self.field:
            shares = self.shares_of_field(scores)
            return shares[:, None] - self.shares_of_field(reference)
        return self.measure(scores[:, None] - reference)

    def shares_of_field(self, scores: Floats) -> Floats:
        """Return (14,) the matchpoints of scores against the other tables."""
        ahead = np.sign(scores[:, None] - np.array(self.field))
        return np.asarray(0.5 + ahead.mean(axis=1) / 2, np.float64)


def network_tricks(
    layouts: Masks, groups: Sequence[Group], group_numbers: NDArray[np.intp]
) -> Floats:
    """Return (n, 14) P(tricks) by the network of n (n, 4) layouts.

    A group is declarer's pair and the trumps; ``group_numbers`` (n,) say which of them
    plays each layout. Suits are renamed so that trumps are always spades, which changes
    no answer: then all suit contracts are one question to the network.
    """
    tables = np.empty_like(layouts)  # the hands from declarer on, as the network wants
    is_notrump = np.zeros(len(layouts), np.bool_)
    for number, group in enumerate(groups):
        rows = np.flatnonzero(group_numbers == number)
        seats_from_declarer = list(group.table)
        hands = layouts[np.ix_(rows, seats_from_declarer)]
        if group.trump is None:
            is_notrump[rows] = True
            tables[rows] = hands
        else:
            tables[rows] = with_spade_trumps(hands, group.trump)
    chances = np.empty((len(layouts), TRICK_COUNTS))
    for trump, rows_of_trump in ((None, is_notrump), (Suit.S, ~is_notrump)):
        if rows_of_trump.any():
            tricks = table_tricks(tables[rows_of_trump], trump)
            chances[rows_of_trump] = normalised(tricks)
    return chances


def with_spade_trumps(masks: Masks, trump: Suit) -> Masks:
    """Return hands with trumps renamed spades, the other suits in their order below."""
    side_suits = [suit for suit in Suit if suit != trump]
    renamed = np.zeros_like(masks)
    for place, suit in enumerate([*side_suits, trump]):
        cards = masks >> np.uint64(SUIT_CARDS * suit) & np.uint64(SUIT_MASK)
        renamed |= cards << np.uint64(SUIT_CARDS * place)
    return renamed


class FinalScores:
    """The ends of roll-outs on layouts, scored for a seat.

    Parameters
    ----------
    goal : Goal
        What scores are worth.
    seat : Seat
        Whose side scores.
    dummy : Seat or None
        The dummy of three players.
    layouts : (n, 4) array of uint64
        The layouts.
    contracts : sequence of Contract or None
        The contracts in which auctions end; ``None`` for a deal that is passed out.
    contract_numbers : (n, calls) array of int
        The contract that ends the auction on each layout after each call.
    """

    def __init__(
        self,
        goal: Goal,
        seat: Seat,
        dummy: Seat | None,
        layouts: Masks,
        contracts: Sequence[Contract | None],
        contract_numbers: NDArray[np.intp],
    ) -> None:
        """Ask for the tricks of every layout and contract, each once."""
        self.goal = goal
        self.contract_numbers = contract_numbers
        # Of each contract (14,): what the side scores by declarer's tricks.
        self.scores = [goal.own_scores(contract, seat, dummy) for contract in contracts]
        # A deal that is passed out has no tricks: any group will do.
        any_contract = Contract(1, Strain.NT, seat)
        groups = [group_of(contract or any_contract, dummy) for contract in contracts]
        distinct_groups = list(dict.fromkeys(groups))
        group_of_contract = np.array([distinct_groups.index(group) for group in groups])
        # A question is a layout and a group (declarer's pair and trumps), as one number;
        # the tricks of each are asked for once.
        layout_numbers = np.arange(len(layouts))[:, None]
        questions = (
            layout_numbers * len(distinct_groups) + group_of_contract[contract_numbers]
        )
        distinct_questions, question_numbers = np.unique(questions, return_inverse=True)
        layout_of_question, group_of_question = np.divmod(
            distinct_questions, len(distinct_groups)
        )
        # (questions, 14) P(tricks).
        self.tricks = network_tricks(
            layouts[layout_of_question], distinct_groups, group_of_question
        )
        # (n, calls): the row of ``tricks`` for each layout and call.
        self.question_numbers = question_numbers.reshape(contract_numbers.shape)

    def gains(self, call: int, reference: int) -> Floats:
        """Return (n,) the expected gain of one call over another on every layout.

        Both calls are named by their columns.
        """
        # The two contracts of each layout as one number.
        contracts = len(self.scores)
        contract_pairs = (
            self.contract_numbers[:, call] * contracts
            + self.contract_numbers[:, reference]
        )
        gains = np.zeros(len(contract_pairs))
        for contract_pair in np.unique(contract_pairs).tolist():
            own_contract, reference_contract = divmod(contract_pair, contracts)
            if own_contract != reference_contract:
                rows = np.flatnonzero(contract_pairs == contract_pair)
                gain_by_tricks = self.goal.gains(
                    self.scores[own_contract], self.scores[reference_contract]
                )
                gains[rows] = self._expected(rows, call, reference, gain_by_tricks)
        return gains

    def _expected(
        self,
        rows: NDArray[np.intp],
        call: int,
        reference: int,
        gain_by_tricks: Floats,
    ) -> Floats:
        """(r,) expected gains on r layouts, on which the same two contracts are played.

        ``rows`` (r,) are the numbers of the layouts; ``gain_by_tricks`` (14, 14) is by
        the tricks of the call's contract and of the reference's. These are taken as
        independent, unless the same pair plays the same trumps: then they are equal.
        """
        own_questions = self.question_numbers[rows, call]
        reference_questions = self.question_numbers[rows, reference]
        own_tricks = self.tricks[own_questions]
        if (own_questions == reference_questions).all():
            return np.asarray(own_tricks @ gain_by_tricks.diagonal())
        reference_tricks = self.tricks[reference_questions]
        expected = ((own_tricks @ gain_by_tricks) * reference_tricks).sum(axis=1)
        return np.asarray(expected)
