"""Whether each card would win the trick, if the seat in turn played it now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.wins import winning_cards
from bayesbridge.cards import Card
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Output, Question
from bayesbridge.layouts import Layouts
from bayesbridge.tricks import Trick


@dataclass(frozen=True, slots=True)
class CardWinsEstimator:
    """A card wins if it holds the trick and no legal card of an opposing hand still to play can beat it."""

    name: str = "card_wins"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """By card, in the order of mask bits."""
        return (
            Output("playable", "Whether the seat in turn holds the card and may play it.", ("card",), "bool"),
            Output("wins", "Whether the card is playable and wins the trick.", ("card",), "bool"),
        )

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """One row a layout; without a trick in the question the first seat of the pair is on lead."""
        trick = question.trick or Trick(question.pair[0], question.trump)
        if trick.turn is None:
            raise BayesBridgeError(f"trick '{trick}' is complete: give at most three cards", cards=trick.cards)
        playable = np.zeros((len(layouts), 52), dtype=np.bool_)
        wins = np.zeros((len(layouts), 52), dtype=np.bool_)
        for index in range(52):
            playable[:, index], wins[:, index] = winning_cards(
                layouts.masks, trick, Card(index), question.pair, np.uint64(question.played)
            )
        return {"playable": playable, "wins": wins}
