"""The direct reader: a network that says where cards lie straight from the auction, a
baseline for ``score``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from instrument import Floats

from bayesbridge.bidders.networks import Holdings, linear, look_up, read
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.runtime.jit import one_thread
from bayesbridge.studies.readers import PlayerView, Reading


class DirectReader:
    """A network that says where cards lie straight from the auction, with no bidder
    model; silent after the lead.

    A transformer reads the own hand and the auction; what it knows after the last call
    becomes P(seat) of every card and P(length) of every suit of the three hidden hands.
    It knows nothing of layouts as wholes, and nothing of the play. A baseline for the
    posterior, fitted on the same tables by ``scripts/fit_direct_reader.py``.
    """

    def read(self, seen: PlayerView) -> Reading | None:
        """P(card at seat) and P(length), softmax of the network's scores."""
        if seen.plays:
            return None
        own, (parameters, holdings) = seen.observer, _direct()
        with one_thread():
            hand = look_up(np.array([seen.hand.mask], np.uint64), holdings)
            known = read(
                parameters, tokens_of(seen), linear(parameters, "enter", hand)
            )[-1:]
            last = np.maximum(linear(parameters, "hidden", known), 0)
            card_scores, length_scores = (
                linear(parameters, name, last)[0] for name in ("cards", "lengths")
            )
        cards, lengths = np.zeros((52, 4)), np.zeros((4, 4, 14))
        for step in range(3):  # the hidden seats, from the left on
            seat = own.next(step + 1)
            cards[:, seat] = _softmax(card_scores.reshape(52, 3))[:, step]
            lengths[seat] = _softmax(length_scores.reshape(3, 4, 14))[step]
        held = np.array([seen.hand.mask >> card & 1 for card in range(52)], np.bool_)
        cards[held] = 0.0
        cards[held, own] = 1.0
        for suit in range(4):
            lengths[
                own, suit, (seen.hand.mask >> 13 * suit & SUIT_MASK).bit_count()
            ] = 1.0
        return Reading(cards, lengths)


def tokens_of(seen: PlayerView) -> np.ndarray:
    """(calls + 1, 4) rows of the reader's table, the last of them after the last call;
    at most 32 calls are read.
    """
    auction, own = seen.auction, seen.observer
    calls = [call.index for call in auction.calls][:32]
    ours, theirs = own in seen.vulnerable, own.next() in seen.vulnerable
    place = np.arange(len(calls) + 1)
    who = (auction.first + place - own) % 4
    sides = np.full(len(place), 2 * ours + theirs)
    # The call (38 after the last), who made it (0 the reader, 1 the left-hand opponent …), who is vulnerable, the
    # place in the auction: each part has rows of its own.
    tokens: np.ndarray = np.stack(
        [[*calls, 38], who, sides, place], axis=1
    ) + np.cumsum((0, 39, 4, 4))
    return tokens


@cache
def _direct() -> tuple[Any, Holdings]:
    """The fitted parameters, made ready."""
    with np.load(Path(__file__).with_name("direct.npz")) as found:
        parameters = {
            key: found[key].astype(np.float32) for key in found.files if key != "facts"
        }
    return parameters, Holdings.of(parameters)


def _softmax(scores: Floats) -> Floats:
    """Probabilities along the last axis."""
    chances: Floats = np.exp(
        scores.astype(np.float64) - scores.max(axis=-1, keepdims=True)
    )
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances
