"""Contracts that experts reached: the chance that one makes, set right by how often such contracts made.

A bidder model weighs every call by the caller's hand alone; what partners know of each other beyond that is lost, and
the contracts that experts reached make more often than the draws say. How much was counted on boards on record
(``scripts/fit_reached.py``)::

    logit P(it makes) = slope · logit P(it makes, by the posterior) + its kind's shift + doubled, if it is

The posterior follows: of all that give the contract this chance, the nearest has the weights

    P(layout ∣ calls, experts stopped there) ∝ P(layout ∣ calls) · exp(s · m(layout))

with m the chance that the contract makes in a layout, by the network of ``tricks`` (exponential tilting).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import Any, Final

import numpy as np

from bayesbridge.belief.posterior import Posterior, thinned
from bayesbridge.calls import CONTRACT_KINDS, Contract
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.network import table_tricks
from bayesbridge.estimators.protocol import Question
from bayesbridge.layouts import Floats, Masks
from bayesbridge.words import number, percent

MOST: Final = 20_000
"""Layouts that are reweighted; of a posterior with more so many are drawn."""


def reached(posterior: Posterior) -> Posterior:
    """The posterior given also that experts stopped in the contract of its auction, which must be over.

    >>> from bayesbridge import Auction, Belief, LearnedBidder
    >>> belief = Belief("W", "J9.T8642.K53.A97", dummy=None, bidder=LearnedBidder())
    >>> posterior = belief.given(Auction.of("S:1NT Pass 3NT Pass Pass Pass")).infer(draws=1000, rng=1)
    >>> after = reached(posterior)
    >>> bool(makes(after.layouts.masks, contract_reached(after)).mean() > 0.4), after.ess < posterior.ess
    (True, True)
    """
    contract = contract_reached(posterior)
    if (posterior.exact and len(posterior) > MOST) or posterior.draws.batches is not None:
        posterior = thinned(posterior, MOST, 0, f"{number(MOST)} layouts drawn from it")
    draws, line = posterior.draws, fitted()
    masks = draws.stretch(0, len(draws))
    chances = makes(masks, contract)
    before_it = float(draws.weights @ chances)
    target = chance_at_the_table(before_it, contract, line)
    # Not above 1, so that the likelihood stays one.
    factor = strength_for(target, chances, draws.weights) * chances
    factor -= factor.max()
    before = Weights(np.zeros(len(draws))) if draws.importance is None else draws.importance
    after = Weights(before.log + factor)
    likelihood = factor if draws.log_likelihood is None else draws.log_likelihood + factor
    after_all = replace(
        draws,
        why=f"{draws.why}; experts stopped there, and such contracts make {percent(target)} of the time where the "
        f"calls alone say {percent(before_it)} (fitted to {number(line['boards'])} boards): layouts are weighed so",
        source=masks,
        importance=after,
        proposed=None,
        likelihood=likelihood,
        tables=None,
        mean_log=None,
        log_soft=draws.log_soft + after.log_mean - before.log_mean,
        ess=float(len(draws)) if draws.exact else draws.ess * after.ess / before.ess,
    )
    return replace(posterior, draws=after_all)


def contract_reached(posterior: Posterior) -> Contract:
    """The contract of the posterior's auction, or one line that says why there is none."""
    auction = posterior.belief.auction
    if auction is None or auction.contract is None or auction.dummy is not None:
        raise BayesBridgeError("no contract was reached: give a whole auction of four players, with its last passes")
    return auction.contract


def makes(masks: Masks, contract: Contract) -> Floats:
    """(n,) chance that the contract makes in each layout, double dummy, by the network."""
    question = Question.of((contract.declarer, contract.declarer.partner), trump=contract.strain.trump)
    table = np.ascontiguousarray(masks[:, list(question.table)])
    chances = np.asarray(table_tricks(table, question.trump), np.float64)
    return np.asarray(chances[:, contract.tricks_needed :].sum(axis=1))


def terms_of(chance: float, contract: Contract) -> dict[str, float]:
    """The terms of the log odds by name, each to be multiplied with its fitted coefficient."""
    inside = min(max(chance, 0.005), 0.995)
    kinds = {name: float(name == contract.kind) for name in CONTRACT_KINDS}
    return {"slope": log(inside / (1.0 - inside)), **kinds, "doubled": float(contract.doubled > 0)}


def chance_at_the_table(chance: float, contract: Contract, line: Mapping[str, float]) -> float:
    """What a chance by the posterior means for a contract that experts reached.

    >>> line = {"slope": 1.0, "part score": 0.0, "game": 0.4, "slam": 0.8, "doubled": -0.5}
    >>> round(chance_at_the_table(0.5, Contract.of("3NT by S"), line), 3)
    0.599
    """
    return 1.0 / (1.0 + exp(-sum(line[name] * term for name, term in terms_of(chance, contract).items())))


def strength_for(target: float, chances: Floats, weights: Floats) -> float:
    """The s in [-20, 20] for which the mean of ``chances`` under ``weights · exp(s · chances)`` is nearest ``target``.

    >>> s = strength_for(0.6, np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    >>> round(s, 4), round(log(0.6 / 0.4), 4)
    (0.4055, 0.4055)
    """
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        tilted = weights * np.exp(middle * (chances - chances.max()))
        if float(tilted @ chances) < target * float(tilted.sum()):
            low = middle
        else:
            high = middle
    return (low + high) / 2


@cache
def fitted() -> dict[str, Any]:
    """What ships: every factor by name, their errors, the boards they were fitted to and the hash of their records."""
    found: dict[str, Any] = json.loads(files("bayesbridge.estimators").joinpath("data/reached.json").read_text("utf-8"))
    return found
