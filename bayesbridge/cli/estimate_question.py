"""What ``estimate`` and ``report`` ask of a posterior, by the options."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.cli.modes import Mode, refuse_options, refuse_solving_without_solver
from bayesbridge.cli.usage import attributed
from bayesbridge.engines.budget import Budget
from bayesbridge.estimators.contract_question import ContractQuestion, contract_question
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.estimators.odds import answer_question, estimators_for
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.game.tricks import Trick

NO_CONTRACT: Final = Mode("no --contract is named", "by solve actual")


def asked_contract(belief: Belief, args: Namespace) -> ContractQuestion | None:
    """What the options ask about a contract; ``None`` without one."""
    refuse_options(args, NO_CONTRACT.when(not args.contract))
    refuse_solving_without_solver(args, uses=["seconds"])
    with attributed("--contract"):
        return contract_question(
            belief,
            args.contract,
            args.by,
            args.actual,
            pair=args.pair,
            solve=args.solve,
        )


def estimators_named(
    names: list[str] | None, question: ContractQuestion | None = None
) -> list[Estimator]:
    """The estimators with these names, each once, else those usual for the question."""
    with attributed("--estimator"):
        return estimators_for(list(dict.fromkeys(names)) if names else None, question)


def evaluated(
    posterior: Posterior,
    estimators: list[Estimator],
    question: ContractQuestion | None,
    args: Namespace,
) -> Evaluation:
    """What the estimators say, and what becomes of the contract in question."""
    return answer_question(
        posterior,
        estimators,
        question,
        pair=args.pair,
        trick=begun_trick(posterior.belief),
        budget=budget_of(args),
        rng=args.seed,
    )


def budget_of(args: Namespace) -> Budget:
    """The limits of the work that the options name."""
    return Budget(args.draws, args.solve, args.seconds)


def begun_trick(belief: Belief) -> Trick | None:
    """The trick that is not complete yet."""
    tricks = belief.table.tricks
    return tricks[-1] if tricks and not tricks[-1].complete else None
