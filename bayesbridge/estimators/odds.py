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
    layout_solver,
    layouts_for_decision,
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
    """The estimators to run, from their names or as they are given.

    By default ``capture``. A question about a contract is answered from the network's
    ``tricks``: it is the default then, and added to others.
    """
    choices: list[str | Estimator]
    if estimators is None:
        usual = "capture" if question is None else PREDICTS
        choices = [usual]
    elif isinstance(estimators, str) or not isinstance(estimators, Sequence):
        choices = [estimators]
    else:
        choices = list(estimators)
    if not choices:
        raise BayesBridgeError(
            "no estimator named: give at least one, such as 'capture'"
        )
    if question is not None and PREDICTS not in map(_name, choices):
        choices.append(PREDICTS)
    names = [choice for choice in choices if isinstance(choice, str)]
    registry = offered("estimators", names)
    instances = []
    for choice in choices:
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

    That follows from what the network ``tricks`` said in the evaluation; where it was
    not asked or failed, there is no answer. If a solver is installed, some layouts are
    solved to correct it, as many as the budget says (none if it says ``solve=0``, the
    usual number if it says nothing). A solver that fails is added to the failures.
    """
    network = _predicted_tricks(evaluation)
    if question is None or network is None:
        return evaluation
    random = generator(rng)
    estimates = _estimates_by_network(evaluation, question, network, random)
    budget = budget.over(USUAL["estimate"])  # the usual where nothing is said
    failures = evaluation.failures
    solver = layout_solver() if budget.solve != 0 else None
    if solver is not None:
        work = _work_of_solver(estimates, question)
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


def _estimates_by_network(
    evaluation: Evaluation,
    question: ContractQuestion,
    network: Distribution,
    rng: np.random.Generator,
) -> TrickEstimates:
    """The network's tricks of the contract, in every layout behind the evaluation.

    ``network.draws`` are the (n, 14) P(tricks) of the layouts whose values were kept.
    Where these are the posterior's own, they are used; else the posterior has too many
    layouts, and the network is asked anew about n drawn from it.
    """
    groups = [question.group]
    if evaluation.whole:
        return TrickEstimates.of(
            evaluation.posterior, groups, trick_shares=network.draws
        )
    drawn = layouts_for_decision(evaluation.posterior, rng, most=len(network.draws))
    return TrickEstimates.of(drawn, groups)


def _work_of_solver(estimates: TrickEstimates, question: ContractQuestion) -> Solving:
    """What to solve for P(the contract makes): more of the layouts that leave it open.

    The solved layouts are weighted so that they agree with all layouts on the network's
    P(it makes) and on its mean tricks, which many other figures hang on.
    """
    make_by_tricks: Floats = question.after @ question.made
    tricks_by_tricks: Floats = question.after @ TRICKS
    make = estimates.of_one(question.group, make_by_tricks)
    tricks = estimates.of_one(question.group, tricks_by_tricks)
    variance = np.maximum(make.square - make.predicted**2, 0.0)
    # Neyman's allocation: in proportion to the standard deviation in a layout.
    return Solving(
        groups=[question.group],
        controls=[make.predicted, tricks.predicted],
        watched={question.group: make_by_tricks},
        solving_rate=np.sqrt(variance + SURE**2),
    )


def network_odds(
    posterior: Posterior, contract: Contract, rng: Seed = 0
) -> ContractOdds:
    """What the network alone says of a contract, quickly: of no more than 1000 layouts."""
    question = ContractQuestion.of(posterior.belief, contract)
    layouts = layouts_for_decision(
        posterior, rng, most=FEW_LAYOUTS, exact_up_to=FEW_LAYOUTS
    )
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
