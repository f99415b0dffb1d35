"""Estimators and a contract over one posterior: what both answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from bayesbridge.belief.posterior import Posterior
from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.contract_question import TRICKS, ContractQuestion
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.evaluate import Evaluation, ask, evaluate
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.registry import offered
from bayesbridge.estimators.trick_estimates import (
    PREDICTS,
    SURE,
    Solving,
    TrickEstimates,
    judged,
    layout_solver,
)
from bayesbridge.game.calls import GAME_LEVELS, Contract
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.random64 import Seed, generator

FEW_LAYOUTS: Final = 1000
"""Layouts of which the network is asked where the answer must come quickly."""


def estimators_for(
    estimators: str | Estimator | Sequence[str | Estimator] | None,
    question: ContractQuestion | None,
) -> list[Estimator]:
    """The estimators, ``capture`` unless named.

    For a contract ``tricks``, beside those that are named.
    """
    chosen: list[str | Estimator]
    if estimators is None:
        usual = "capture" if question is None else PREDICTS
        chosen = [usual]
    elif isinstance(estimators, str) or not isinstance(estimators, Sequence):
        chosen = [estimators]
    else:
        chosen = list(estimators)
    if not chosen:
        raise BayesBridgeError(
            "no estimator named: give at least one, such as 'capture'"
        )
    if question is not None and PREDICTS not in map(_name, chosen):
        chosen.append(PREDICTS)
    names = [choice for choice in chosen if isinstance(choice, str)]
    registry = offered("estimators", names)
    instances = []
    for choice in chosen:
        if isinstance(choice, str):
            instances.append(registry.estimator(choice))
        else:
            instances.append(choice)
    return instances


def _name(estimator: str | Estimator) -> str:
    """The name of an estimator, which may be given by it."""
    if isinstance(estimator, str):
        return estimator
    return estimator.name


def answer_question(
    posterior: Posterior,
    estimators: Sequence[Estimator],
    contract: ContractQuestion | None,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
    budget: Budget,
    rng: Seed = 0,
) -> Evaluation:
    """What estimators say of a posterior, and what becomes of a contract.

    A contract, where one is asked about, tells the pair and the trumps.
    """
    if contract is not None:
        pair = contract.group.pair
        trump = contract.group.strain
    random = generator(rng)
    question = ask(posterior, pair, trump, trick)
    evaluation = evaluate(posterior, estimators, question, rng=random, budget=budget)
    return with_odds(evaluation, contract, budget, random)


def with_odds(
    evaluation: Evaluation,
    question: ContractQuestion | None,
    budget: Budget,
    rng: Seed,
) -> Evaluation:
    """An evaluation with what becomes of a contract, where one is asked about.

    It is told from the evaluation's ``tricks``.

    A solver that fails is added to the failures; where ``tricks`` itself failed, there
    is no answer.
    """
    network = _predicted_tricks(evaluation)
    if question is None or network is None:
        return evaluation
    random = generator(rng)
    estimates = _by_network(evaluation, question, network, random)
    budget = budget.over(USUAL["estimate"])
    failures = evaluation.failures
    solver = layout_solver() if budget.solve != 0 else None
    if solver is not None:
        work = _what_to_solve(estimates, question)
        try:
            estimates = estimates.solve(solver, work, budget, random)
        except PluginError as failure:
            failures = {**failures, solver.name: failure}
    return replace(evaluation, odds=estimates.odds(question), failures=failures)


def _predicted_tricks(evaluation: Evaluation) -> Distribution | None:
    """What the network said, ``None`` where it was not asked or failed."""
    for number in evaluation.numbers.values():
        if number.estimator == PREDICTS:
            by_tricks = number.output.support == range(len(TRICKS))
            if by_tricks:
                return number
            return None
    return None


def _by_network(
    evaluation: Evaluation,
    question: ContractQuestion,
    network: Distribution,
    rng: np.random.Generator,
) -> TrickEstimates:
    """The network's word, of all layouts, or of as many as were kept."""
    groups = [question.group]
    if evaluation.whole:
        return TrickEstimates.of(evaluation.posterior, groups, network.draws)
    drawn = judged(evaluation.posterior, rng, len(network.draws))
    return TrickEstimates.of(drawn, groups)


def _what_to_solve(estimates: TrickEstimates, question: ContractQuestion) -> Solving:
    """Layouts for P(it makes): of those that the network is unsure of, more."""
    made: Floats = question.after @ question.made
    chance = estimates.of_one(question.group, made)
    tricks = estimates.of_one(question.group, question.after @ TRICKS)
    variance = np.maximum(chance.square - chance.predicted**2, 0.0)
    return Solving(
        groups=[question.group],
        controls=[chance.predicted, tricks.predicted],
        watched={question.group: made},
        unsure=np.sqrt(variance + SURE**2),
    )


def network_odds(
    posterior: Posterior, contract: Contract, rng: Seed = 0
) -> ContractOdds:
    """What the network alone says of a contract, quickly: of no more than 1000 layouts."""
    question = ContractQuestion.of(posterior.belief, contract)
    layouts = judged(posterior, rng, FEW_LAYOUTS, FEW_LAYOUTS)
    return TrickEstimates.of(layouts, [question.group]).odds(question)


def game_odds(
    posterior: Posterior, pair: tuple[Seat, Seat], rng: Seed = 0
) -> list[ContractOdds]:
    """What the network says of the auction's contract, or of the games.

    While no contract is reached: of game in each strain, declared by the pair.
    """
    belief = posterior.belief
    if belief.auction is not None and belief.auction.contract is not None:
        return [network_odds(posterior, belief.auction.contract, rng)]
    declarer, partner = pair
    if declarer == belief.dummy:
        declarer = partner
    return [
        network_odds(posterior, Contract(level, strain, declarer), rng)
        for strain, level in GAME_LEVELS.items()
    ]
