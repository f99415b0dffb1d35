"""The answer of ``estimate``: all that is worked out of a posterior, for programs too."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bayesbridge.belief.posterior import Posterior
from bayesbridge.cli.usage import attributed
from bayesbridge.decisions.ending import MOST_TRICKS
from bayesbridge.decisions.history import (
    CallReading,
    card_history,
    readings,
)
from bayesbridge.decisions.play import CardChoices, play, turn_of
from bayesbridge.decisions.sensitivity import by_system
from bayesbridge.decisions.shortage import Shortage, shortages
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.contract_question import ContractQuestion
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.estimators.odds import game_odds, network_odds
from bayesbridge.game.calls import Contract
from bayesbridge.views.documents import estimate_document, readings_document

ALL_TRICKS: Final = 13

LEAST_STEP_DRAWS: Final = 2000
STEPS_PER_DRAWS: Final = 10
"""A step in the history of a card takes this part of the draws: there may be thirty."""


@dataclass(frozen=True, slots=True, eq=False)
class EstimateAnswer:
    """What ``estimate`` answers about a posterior."""

    evaluation: Evaluation
    answer: Answer
    games: Sequence[ContractOdds]
    """The chances of the pair's games, where four bid and no contract is asked about."""
    readings: Sequence[CallReading]
    """What each call says of its caller's hand."""
    shortages: Sequence[Shortage]
    """What calls show more of than there is."""
    plan: CardChoices | None
    """The play from here on, where declarer chooses and few tricks remain."""
    systems: Mapping[str, Estimate[float]]
    """P(the contract makes) by what the others may play."""
    card_steps: Sequence[Mapping[str, Any]]
    """Where the card of ``--card`` lies, after each piece of evidence."""

    @property
    def posterior(self) -> Posterior:
        """What is believed of the hidden hands."""
        return self.evaluation.posterior

    @property
    def contracts(self) -> list[ContractOdds]:
        """The contract that is asked about, else the games."""
        if self.evaluation.odds is not None:
            return [self.evaluation.odds]
        return list(self.games)

    def document(self, args: Namespace) -> dict[str, Any]:
        """The answer as plain data; parts that it does not have are left out."""
        document = estimate_document(self.evaluation, self.answer)
        draws = len(self.posterior)
        if self.games:
            document["games"] = [odds.document(draws) for odds in self.games]
        if self.evaluation.odds is not None:
            document["contract"] = self.evaluation.odds.document(draws)
        if self.plan is not None:
            document["single_dummy"] = self.plan.document()
        if self.systems:
            document["by_system"] = {
                name: with_errors({"make": make}) for name, make in self.systems.items()
            }
        if self.readings:
            document["readings"] = readings_document(self.readings)
        if self.shortages:
            document["hardly_fits"] = [
                shortage.document() for shortage in self.shortages
            ]
        if self.card_steps:
            document["card_history"] = {
                "card": str(args.card),
                "steps": self.card_steps,
            }
        return document


def answered(
    args: Namespace, evaluation: Evaluation, question: ContractQuestion | None
) -> EstimateAnswer:
    """All that is answered about the posterior of an evaluation."""
    posterior = evaluation.posterior
    belief = posterior.belief
    games: list[ContractOdds] = []
    plan = None
    systems: dict[str, Estimate[float]] = {}
    if question is not None:
        contract = question.contract
        plan = plan_from_here(posterior, contract, args)
        systems = by_system(
            belief,
            lambda drawn: network_odds(drawn, contract, args.seed).make,
            args.seed,
        )
    elif belief.dummy is None and args.estimator is None:
        # In the game of three the captures T answer; in bridge the chances of games do.
        games = game_odds(posterior, evaluation.question.pair, args.seed)
    call_readings = readings(belief, args.seed)
    return EstimateAnswer(
        evaluation=evaluation,
        answer=Answer.of(evaluation),
        games=games,
        readings=call_readings,
        shortages=shortages(belief, call_readings),
        plan=plan,
        systems=systems,
        card_steps=card_steps(posterior, args),
    )


def plan_from_here(
    posterior: Posterior, contract: Contract, args: Namespace
) -> CardChoices | None:
    """The play from here on, where declarer chooses and at most MOST_TRICKS remain.

    ``None`` otherwise, and where the play cannot be judged: without a solver a search
    that would take too long is refused.
    """
    try:
        turn = turn_of(posterior.belief, contract)
        if turn.defends or turn.tricks < ALL_TRICKS - MOST_TRICKS:
            return None
        return play(posterior, contract, seconds=args.seconds, rng=args.seed)
    except BayesBridgeError:
        return None


def card_steps(posterior: Posterior, args: Namespace) -> list[dict[str, Any]]:
    """A row for each piece of evidence: where the card of ``--card`` lies after it."""
    if args.card is None:
        return []
    belief = posterior.belief
    usual_draws = args.draws or belief.target.cost.draws
    least_draws = min(usual_draws, LEAST_STEP_DRAWS)
    with attributed("--card"):
        table = card_history(
            belief,
            args.card,
            draws=max(least_draws, usual_draws // STEPS_PER_DRAWS),
            rng=args.seed,
            last=posterior,
        )
    rows = table.to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in rows]
