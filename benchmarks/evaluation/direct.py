"""The direct reader, a baseline for ``score``.

It is a network that says where cards lie straight from the auction.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from instrument import Floats

from bayesbridge.bidders.networks import Holdings, linear, look_up, read
from bayesbridge.game.cards import Suit
from bayesbridge.game.layouts import Singles
from bayesbridge.runtime.jit import one_thread
from bayesbridge.studies.readers import PlayerView, Reading


class DirectReader:
    """A network that says where cards lie straight from the auction.

    It has no bidder model, and is silent after the lead. A transformer reads the own
    hand and the auction; what it knows after the last call becomes P(seat) of every
    card and P(length) of every suit of the three hidden hands. It knows nothing of
    layouts as wholes, and nothing of the play. A baseline for the posterior, fitted on
    the same tables by ``scripts/fit_direct_reader.py``.
    """

    def read(self, view: PlayerView) -> Reading | None:
        """P(card at seat) and P(length), softmax of the network's scores."""
        if view.plays:
            return None
        card_scores, length_scores = _scores(view)
        card_chances = _softmax(card_scores.reshape(52, 3))
        length_chances = _softmax(length_scores.reshape(3, 4, 14))
        own = view.observer
        cards = np.zeros((52, 4))
        lengths = np.zeros((4, 4, 14))
        for step in range(3):  # the hidden seats, from the left on
            seat = own.next(step + 1)
            cards[:, seat] = card_chances[:, step]
            lengths[seat] = length_chances[step]
        is_held = np.array([view.hand.mask >> card & 1 for card in range(52)], np.bool_)
        cards[is_held] = 0.0
        cards[is_held, own] = 1.0
        for suit in Suit:
            lengths[own, suit, view.hand.length(suit)] = 1.0
        return Reading(cards, lengths)


def _scores(view: PlayerView) -> tuple[Singles, Singles]:
    """What the network says after the last call, (156,) of cards, (168,) of lengths."""
    parameters, holdings = _direct()
    with one_thread():
        hand = look_up(np.array([view.hand.mask], np.uint64), holdings)
        entered = linear(parameters, "enter", hand)
        context = read(parameters, tokens_of(view), entered)[-1:]
        hidden_layer = np.maximum(linear(parameters, "hidden", context), 0)
        card_scores = linear(parameters, "cards", hidden_layer)[0]
        length_scores = linear(parameters, "lengths", hidden_layer)[0]
    return card_scores, length_scores


MOST_CALLS = 32
"""Calls that are read; later ones are not."""


AFTER_LAST_CALL = 38
"""The number that stands in the place of a call after the last one."""


FIRST_ROWS = np.cumsum((0, 39, 4, 4))
"""Rows of the table of calls, of callers, of vulnerabilities, of places."""


def tokens_of(view: PlayerView) -> np.ndarray:
    """(calls + 1, 4) rows of the reader's table, the last of them after the last call.

    They are the call; who made it (0 the reader, 1 the left-hand opponent …); who is
    vulnerable; the place in the auction. Each part has rows of its own.
    """
    auction = view.auction
    own = view.observer
    calls = [call.index for call in auction.calls][:MOST_CALLS]
    places = np.arange(len(calls) + 1)
    callers = (auction.first + places - own) % 4
    own_side = own in view.vulnerable
    other_side = own.next() in view.vulnerable
    sides = np.full(len(places), 2 * own_side + other_side)
    parts = np.stack([[*calls, AFTER_LAST_CALL], callers, sides, places], axis=1)
    tokens: np.ndarray = parts + FIRST_ROWS
    return tokens


@cache
def _direct() -> tuple[Any, Holdings]:
    """The fitted parameters, made ready."""
    with np.load(Path(__file__).with_name("direct.npz")) as arrays:
        parameters = {
            key: arrays[key].astype(np.float32)
            for key in arrays.files
            if key != "facts"
        }
    return parameters, Holdings.of(parameters)


def _softmax(scores: Floats) -> Floats:
    """Probabilities along the last axis."""
    chances: Floats = np.exp(
        scores.astype(np.float64) - scores.max(axis=-1, keepdims=True)
    )
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances
