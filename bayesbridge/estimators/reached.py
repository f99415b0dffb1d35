"""Experts stop where it makes: the contract that was reached, as evidence of its own.

A bidder model weighs every call by the caller's hand alone. The hands of a pair fit each other better than that says:
partners share a system and a judgement that the model, fitted to many pairs, averages over. Over its posteriors a
contract that experts reached makes more often than the draws say. One number corrects it::

    P(layout ∣ calls, experts stopped in this contract) ∝ P(layout ∣ calls) · exp(s · m(layout))

m is the chance that the contract makes in that layout, by the network of ``tricks``; s was fitted to boards on record
that fitted nothing else (``scripts/fit_reached.py``), as the number under which the true layouts are likeliest. It
belongs to contracts of experts after a whole auction, weighed by the learned bidder.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.arguments import checked
from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.thinning import thinned
from bayesbridge.calls import Contract
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Question
from bayesbridge.estimators.trick_network import trick_probabilities
from bayesbridge.layouts import Masks
from bayesbridge.words import number

type Floats = NDArray[np.float64]

MOST: Final = 20_000
"""Layouts that are asked about; of a posterior with more so many are drawn."""


@checked
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
    said = fitted()
    if (posterior.exact and len(posterior) > MOST) or posterior.draws.batches is not None:
        posterior = thinned(posterior, MOST, 0, f"{number(MOST)} layouts drawn from it")
    draws = posterior.draws
    masks = draws.stretch(0, len(draws))
    # One less than m, so that the factor is at most 1 and the likelihood stays one.
    factor = float(said["strength"]) * (makes(masks, contract) - 1.0)
    before = Weights.equal(len(draws)) if draws.importance is None else draws.importance
    after = Weights(before.log + factor)
    likelihood = factor if draws.log_likelihood is None else draws.log_likelihood + factor
    told = replace(
        draws,
        why=f"{draws.why}; {_sentence(said)}",
        source=masks,
        importance=after,
        proposed=None,
        likelihood=likelihood,
        tables=None,
        mean_log=None,
        log_soft=draws.log_soft + after.log_mean - before.log_mean,
        ess=float(len(draws)) if draws.exact else draws.ess * after.ess / before.ess,
    )
    return replace(posterior, draws=told)


def contract_reached(posterior: Posterior) -> Contract:
    """The contract of the posterior's auction, or one line that says why there is none."""
    auction = posterior.belief.auction
    if auction is None or auction.turn is not None:
        raise BayesBridgeError("no contract was reached: give the whole auction, with the passes that end it")
    if auction.contract is None:
        raise BayesBridgeError("no contract was reached: all passed")
    if auction.dummy is not None:
        raise BayesBridgeError("the contracts of experts are those of four players: give an auction of four")
    return auction.contract


def makes(masks: Masks, contract: Contract) -> Floats:
    """(n,) chance that the contract makes in each layout, double dummy, by the network."""
    question = Question.of((contract.declarer, contract.declarer.partner), trump=contract.strain.trump)
    table = np.ascontiguousarray(masks[:, list(question.table)])
    chances = np.asarray(trick_probabilities(table, question.trump), np.float64)
    return np.asarray(chances[:, contract.tricks_needed :].sum(axis=1))


def strength_of(draws: list[tuple[Floats, Floats]], truth: Floats) -> tuple[float, float, float]:
    """The likeliest s, one standard error, and the nats a board that it gains.

    ``draws`` has for each board the chance m of each draw and its weight, ``truth`` the chance in the true layout. The
    log likelihood Σ s · m(true) − log E exp(s · m) is concave; Newton's steps find its top.

    >>> rng = np.random.default_rng(1)
    >>> even = [(np.array([0.0, 1.0]), np.array([0.5, 0.5]))] * 4000
    >>> s, error, gain = strength_of(even, (rng.random(4000) < 1 / (1 + np.exp(-0.7))).astype(float))
    >>> bool(abs(s - 0.7) < 3 * error), round(error, 3)
    (True, 0.034)
    """
    s = 0.0
    for _ in range(50):
        slope = curve = gain = 0.0
        for (chance, weight), true in zip(draws, truth, strict=True):
            tilted = weight * np.exp(s * chance)
            total = tilted.sum()
            mean = float((tilted * chance).sum() / total)
            slope += true - mean
            curve += float((tilted * (chance - mean) ** 2).sum() / total)
            gain += s * true - log(total / weight.sum())
        step = slope / curve
        s += step
        if abs(step) < 1e-9:
            break
    return s, curve**-0.5, gain / len(truth)


@cache
def fitted() -> dict[str, Any]:
    """The strength that ships: its error, the boards it was fitted to and their hash, and what it gains."""
    found: dict[str, Any] = json.loads(files("bayesbridge.estimators").joinpath("data/reached.json").read_text("utf-8"))
    return found


def _sentence(said: dict[str, Any]) -> str:
    """What is added to how the posterior was found."""
    return (
        f"weighed by exp({said['strength']:.2f} · P(the contract makes)), since experts stopped there "
        f"(fitted to {number(said['boards'])} boards, ± {said['error']:.2f})"
    )
