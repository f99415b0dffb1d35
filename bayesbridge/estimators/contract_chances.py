"""The chance that a contract makes: double-dummy tricks by the network ``tricks``, over some layouts of a posterior.

The hands are taken as they were dealt, so that tricks already lost or won count no more than what they tell about the
hidden hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.estimators.protocol import Question
from bayesbridge.estimators.trick_network import trick_probabilities
from bayesbridge.products import matrix_product
from bayesbridge.random64 import Seed

LAYOUTS: Final = 1000
"""Layouts that are judged of a posterior that has more."""


@dataclass(frozen=True, slots=True)
class Chance:
    """P(the contract makes) with its standard error, which is that of the draws and not of the network."""

    share: float
    error: float


def chance_of(posterior: Posterior, contract: Contract, rng: Seed = 0) -> Chance:
    """P(declarer's side takes the tricks of its contract) if all see all cards, as the network predicts it.

    Over all layouts where they are no more than ``LAYOUTS``, else over as many drawn ones.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Reveal("N", "54.Q762.Q76.J654"))
    >>> chance_of(belief.infer(rng=1), Contract.of("4NT by S")).share < 0.05
    True
    """
    dummy = posterior.belief.dummy
    seats = Question.of((contract.declarer, contract.declarer.partner if dummy is None else dummy)).table
    every = len(posterior) <= LAYOUTS
    layouts = posterior.layouts if every else posterior.resample(LAYOUTS, rng)
    weights = posterior.weights if every else np.full(LAYOUTS, 1.0 / LAYOUTS)
    tricks = trick_probabilities(np.ascontiguousarray(layouts.masks[:, list(seats)]), contract.strain.trump)
    made = tricks[:, contract.tricks_needed :].sum(axis=1, dtype=np.float64)
    share = float(matrix_product(weights, made))
    spread = float(matrix_product(weights, (made - share) ** 2))
    worth = max(1.0, min(posterior.ess, LAYOUTS))
    return Chance(min(1.0, share), 0.0 if every and posterior.exact else (spread / worth) ** 0.5)
