"""``bayesbridge estimate``: what estimators say about all that may be hidden."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import Final

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.cli import screens
from bayesbridge.cli.estimate_answer import answered
from bayesbridge.cli.estimate_question import (
    asked_contract,
    begun_trick,
    budget_of,
    estimators_named,
    evaluated,
)
from bayesbridge.cli.estimate_screen import estimate_parts
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.positions import belief_of, position_of
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.decisions.history import read_calls
from bayesbridge.decisions.sensitivity import (
    answers_by_model,
    answers_dataset,
    failures_of,
)
from bayesbridge.display.words import tell
from bayesbridge.engines.target import calls_evidence
from bayesbridge.errors import PluginError
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.models import BidderModel
from bayesbridge.position import Position, Sourced
from bayesbridge.views.call_readings import readings_table
from bayesbridge.views.documents import (
    evidence_document,
    models_document,
    readings_document,
)
from bayesbridge.views.models import models_table

BIDDERS: Final = Mode(
    "--bidders names the models, each with the engine that fits it",
    "bidder method card all",
)
UNSEEN: Final = Mode(
    "without --hand the calls alone are read: give --hand, or",
    takes="auction call dealer players bidder slip vulnerable system style seed",
)
CONTRACT: Final = Mode(
    "the contract tells who play together, and the trumps", "pair trump"
)


def run(args: Namespace) -> int:
    """Infer, estimate and print; or compare the bidder models that ``--bidders`` names.

    Status 1 if an estimator failed, though the others are printed.
    """
    if args.bidders is not None:
        return compare_models(args)
    position = position_of(args)
    if position.is_unseen:
        # Nobody's hand is known: all that can be said is what the calls show.
        return show_calls(position, args)
    if args.contract:
        refuse_options(args, CONTRACT)
    return estimate(args)


def estimate(args: Namespace) -> int:
    """Answer about what an observer believes."""
    position, belief = belief_of(args, used_options=["trump"])
    question = asked_contract(belief, args)
    estimators = estimators_named(args.estimator, question)
    with position.attributed(), attributed(f"--method {args.method}", PluginError):
        posterior = belief.infer(args.method, args.draws, args.seed)
    evaluation = evaluated(posterior, estimators, question, args)
    if evaluation.numbers:
        answer = answered(args, evaluation, question)
        parts = estimate_parts(answer, args, screens.game_line(position))
        screens.present(args, answer.document(args), *parts)
    return tell_failures(f"left out: {line}" for line in evaluation.failures.values())


def tell_failures(lines: Iterable[str]) -> int:
    """Say which estimators failed; returns the exit status."""
    status = 0
    for line in lines:
        tell(line)
        status = 1
    return status


def show_calls(position: Position, args: Namespace) -> int:
    """What each call of an auction shows to somebody who sees no card."""
    refuse_options(args, UNSEEN)
    auction = position.auction
    bidder = position.bidder("learned") or LearnedBidder()
    call_readings = read_calls(
        calls_evidence(bidder, auction), Constraints.free(), rng=args.seed
    )
    heading = f"What each call of {auction} shows, to somebody who sees no cards."
    if len(auction.calls) > len(position.pieces):
        heading += (
            " The others are taken to have passed; for a call of theirs use brackets: "
            "1H (2H)."
        )
    document = {
        "auction": str(auction),
        "readings": readings_document(call_readings),
    }
    game = screens.game_line(position)
    table = readings_table(call_readings)
    return screens.present(args, document, *game, heading, "", table)


def compare_models(args: Namespace) -> int:
    """Answer the same question under every bidder model that is named."""
    refuse_options(args, BIDDERS, CONTRACT.when(args.contract))
    position, belief = belief_of(args, used_options=["trump"])
    verify_called(position, belief)
    question = asked_contract(belief, args)
    answers = answers_by_model(
        belief,
        models_of(args.bidders, position),
        estimators_named(args.estimator, question),
        question,
        pair=args.pair,
        trick=begun_trick(belief),
        budget=budget_of(args),
        rng=args.seed,
    )
    document = {
        "models": models_document(answers_dataset(answers)),
        **evidence_document(belief),
    }
    game = screens.game_line(position)
    evidence = screens.evidence_parts(belief)
    screens.present(args, document, *game, *evidence, models_table(answers))
    return tell_failures(f"left out {line}" for line in failures_of(answers))


def verify_called(position: Position, belief: Belief) -> None:
    """Refuse evidence that no bidder model reads, or that cannot hold together."""
    if not belief.target.soft:
        raise UsageError(
            "no call of another seat: the answer depends on no bidder model; give a "
            "--call"
        )
    with position.attributed():
        belief.verify()


def models_of(names: str, position: Position) -> dict[str, BidderModel]:
    """The bidder models of a list with commas, with the settings of the position."""
    models = {}
    for name in map(str.strip, names.split(",")):
        setting = {"bidder": Sourced(name, "argument --bidders")}
        bidder = position.with_more(setting, ()).bidder(name)
        if bidder is not None:
            models[name] = bidder
    return models
