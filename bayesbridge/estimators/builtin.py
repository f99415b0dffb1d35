"""What bayesbridge offers itself, through the same hooks as any plugin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.equilibrium import EquilibriumBidder
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.capture import POLICIES
from bayesbridge.capture.kernels import bids, captures
from bayesbridge.capture.playout import play_out
from bayesbridge.display.words import CAPTURES
from bayesbridge.engines.convolution import LOWEST_Z, capture_counts, factors
from bayesbridge.engines.quantities import (
    CaptureConditions,
    CaptureTricks,
    Quantity,
)
from bayesbridge.estimators.hookspecs import hookimpl
from bayesbridge.estimators.protocol import Estimator, Output, Question, TrickCount
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts, Masks

SUIT = ("suit",)
AT_TABLE = TrickCount(at_table=True)
CARDS_OF_A_SUIT = range(14)
TRICKS = range(14)
LARGEST_GAP = 52  # Δ where no suit has a card of the pair


@dataclass(frozen=True, slots=True)
class LengthsTogether:
    """In each suit, how many cards these seats have together."""

    seats: frozenset[Seat]


class CaptureEstimator:
    """Algorithm 2 for the pair; T is 0 where a condition fails."""

    name = "capture"
    outputs = (
        Output(
            "c1",
            "Cards of the first seat in the suit.",
            SUIT,
            "int8",
            domain=CARDS_OF_A_SUIT,
        ),
        Output(
            "c2",
            "Cards of the second seat in the suit.",
            SUIT,
            "int8",
            domain=CARDS_OF_A_SUIT,
        ),
        Output(
            "c0",
            "Cards of the suit that neither holds.",
            SUIT,
            "int8",
            domain=CARDS_OF_A_SUIT,
        ),
        Output(
            "delta",
            "Leading gap of the suit: columns before the pair's highest card.",
            SUIT,
            "int8",
            domain=CARDS_OF_A_SUIT,
        ),
        Output(
            "M",
            "Most captures that the suit allows.",
            SUIT,
            "int8",
            domain=CARDS_OF_A_SUIT,
        ),
        Output(
            "kappa",
            "Captures in the suit, 0 where a condition fails.",
            SUIT,
            "int8",
            domain=CARDS_OF_A_SUIT,
        ),
        Output(
            "Delta",
            "Sum of the leading gaps.",
            dtype="int8",
            domain=range(LARGEST_GAP + 1),
        ),
        Output(
            "Z",
            "Zero budget left at the end.",
            dtype="int8",
            domain=range(LOWEST_Z, 13),
        ),
        Output(
            "condition",
            "0 condition A fails, 1 only B fails, 2 both hold.",
            dtype="int8",
            domain=range(3),
        ),
        Output(
            "T",
            "Captures by the paper's rule (Algorithm 2), 0 where a condition fails.",
            dtype="int8",
            tricks=TrickCount(0, "conditions fail", "they hold"),
            title="captures by the paper's rule",
            note=CAPTURES,
            domain=TRICKS,
        ),
        Output(
            "chi",
            "Check value T + (6 - Z).",
            dtype="int8",
            domain=range(LARGEST_GAP + 1),
        ),
    )

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """The numbers of Algorithm 2 for the hands of the pair."""
        pair_hands = [
            np.ascontiguousarray(layouts.masks[:, seat]) for seat in question.pair
        ]
        return captures(*pair_hands)._asdict()

    def quantities(
        self, question: Question
    ) -> Mapping[str, Quantity | LengthsTogether]:
        """Outputs that are found suit by suit, so that tables of exact calls give them.

        By name: the first seat's cards of a suit (c1), the second's (c2), the
        opponents' (c0), captures (T), and which conditions of Algorithm 2 hold.
        """
        pair = question.pair
        opponents = frozenset(Seat) - set(pair)
        return {
            "c1": LengthsTogether(frozenset(pair[:1])),
            "c2": LengthsTogether(frozenset(pair[1:])),
            "c0": LengthsTogether(opponents),
            "T": CaptureTricks(*pair),
            "condition": CaptureConditions(*pair),
        }

    def distribution(
        self, constraints: Constraints, question: Question
    ) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
        """Exact counts by suit convolution.

        Only where the evidence ties the suits together by lengths alone. Every output
        begins at 0, but for the zero budget Z that is left, which may be negative.
        """
        if not factors(constraints):
            return None
        counts = capture_counts(constraints, *question.pair)
        lowest_values = dict.fromkeys(counts, 0)
        lowest_values["Z"] = LOWEST_Z
        return {name: (lowest_values[name], ways) for name, ways in counts.items()}


class BidEstimator:
    """The iterative bid of each seat, whoever it belongs to."""

    name = "bid"
    outputs = (
        Output(
            "level",
            "Level of the no-trump bid by Algorithm 1, 0 for a pass.",
            ("seat",),
            "int8",
            domain=range(8),
        ),
        Output(
            "counts",
            "Captures counted for each target.",
            ("seat", "target"),
            "int8",
            {"target": tuple(range(7, 14))},
            domain=TRICKS,
        ),
    )

    def estimate(
        self,
        layouts: Layouts,
        question: Question,  # noqa: ARG002
    ) -> Mapping[str, NDArray[Any]]:
        """The bids of Algorithm 1 for all four hands."""
        hand_bids = bids(layouts.masks.reshape(-1))
        return {
            "level": hand_bids.level.reshape(-1, 4),
            "counts": hand_bids.counts.reshape(-1, 4, 7),
        }


class PlayOutEstimator:
    """The pair's tricks where all four play by the general policy.

    The first seat of the pair leads to the first trick.
    """

    name = "play_out"
    outputs = (
        Output(
            "tricks",
            "Tricks of the pair, general play against general.",
            dtype="int8",
            tricks=AT_TABLE,
            domain=TRICKS,
        ),
    )

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """Every layout played to its end, a share of them on each core."""
        masks = np.ascontiguousarray(layouts.masks[:, list(question.table)])
        general = POLICIES.index("general")
        workers = os.cpu_count() or 1

        def tricks_of(hands: Masks) -> NDArray[Any]:
            """(n,) tricks in layouts of (n, 4) hands in the order of play."""
            return play_out(hands, int(question.strain), general, general)

        with ThreadPoolExecutor(workers) as pool:
            tricks = pool.map(tricks_of, np.array_split(masks, workers))
            return {"tricks": np.concatenate(list(tricks))}


class TricksEstimator:
    """Double-dummy tricks of the pair, as a small network predicts them.

    The first of the pair declares, in the question's strain.
    """

    name = "tricks"
    seconds = 5e-5
    outputs = (
        Output(
            "tricks",
            "Double-dummy tricks of the declaring side, as a network predicts them.",
            dtype="float32",
            support=TRICKS,
            tricks=AT_TABLE,
        ),
    )

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """P(tricks) of every layout, by the network."""
        from bayesbridge.estimators.network import table_tricks

        table = np.ascontiguousarray(layouts.masks[:, list(question.table)])
        return {"tricks": table_tricks(table, question.trump)}


BUILT_IN: Final = (
    CaptureEstimator,
    BidEstimator,
    PlayOutEstimator,
    TricksEstimator,
)
"""The package's own estimators."""

OWNERS: Final = {
    output.name: estimator.name
    for estimator in (CaptureEstimator, BidEstimator, TricksEstimator)
    for output in estimator.outputs
}
"""Names in results that belong to one estimator: another estimator's output of such a
name stands under the names of both.
"""


@hookimpl
def bayesbridge_estimators() -> list[Estimator]:
    """The paper's two algorithms, a whole play, and tricks by a network."""
    return [CaptureEstimator(), BidEstimator(), PlayOutEstimator(), TricksEstimator()]


@hookimpl
def bayesbridge_bidders() -> dict[str, BidderModel]:
    """The bidder models that ship.

    The paper's bidder, the same with suits, equilibria of the paper's auction, a sober
    player with a style, and experts.
    """
    return {
        "iterative": IterativeBidder(),
        "iterative-suits": IterativeBidder(suits=True),
        "equilibrium": EquilibriumBidder(),
        "equilibrium-old": EquilibriumBidder(scheme="old"),
        "style": StyleBidder(),
        "learned": LearnedBidder(),
    }
