"""``bayesbridge estimate``: what estimators say about all that may be hidden."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import hypot
from typing import Any

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import (
    Posterior,
    accuracy_document,
    accuracy_sentences,
)
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.cli import screens
from bayesbridge.cli.modes import Mode, verify, verify_solver
from bayesbridge.cli.positions import belief_of, position_of
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.decisions.ending import MOST_TRICKS
from bayesbridge.decisions.history import (
    CallReading,
    card_history,
    read_calls,
    readings,
)
from bayesbridge.decisions.play import CardChoices, play, turn_of
from bayesbridge.decisions.sensitivity import (
    EXPERTS,
    answers_by_model,
    answers_dataset,
    by_system,
    depends_sentence,
    failures_of,
)
from bayesbridge.decisions.shortage import length_changes, shortages
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    BITS,
    card_words,
    percent,
    share_error,
    tell,
    with_symbols,
)
from bayesbridge.engines.budget import Budget
from bayesbridge.engines.target import calls_evidence
from bayesbridge.engines.weights import with_errors
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.estimators.odds import (
    ContractOdds,
    ContractQuestion,
    answer_question,
    contract_question,
    estimators_for,
    game_odds,
    network_odds,
)
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Card
from bayesbridge.game.tricks import Trick
from bayesbridge.position import Position, Sourced
from bayesbridge.views.documents import (
    estimate_document,
    evidence_document,
    models_document,
    readings_document,
)
from bayesbridge.views.tables import (
    games_table,
    hidden_tables,
    models_table,
    readings_table,
    sentences,
)

BIDDERS = Mode(
    "--bidders names the models, each with the engine that fits it",
    "bidder method card",
)
UNSEEN = Mode(
    "without --hand the calls alone are read: give --hand, or",
    takes="auction call dealer players bidder slip vulnerable system style seed",
)
CONTRACT = Mode("the contract tells who play together, and the trumps", "pair trump")
NO_CONTRACT = Mode("no --contract is named", "by solve actual")


def run(args: Namespace) -> int:
    """Infer, estimate and print; status 1 if an estimator failed, though the others are
    printed.
    """
    if args.bidders is not None:
        return compare_models(args)
    if (position := position_of(args)).is_unseen:
        return show_calls(position, args)
    verify(args, args.contract and CONTRACT)
    position, belief = belief_of(args, "trump")
    asked = asked_contract(belief, args)
    estimators = estimators_named(args.estimator, asked)
    with (
        position.attributed(),
        attributed(f"--method {args.method}", PluginError),
    ):
        posterior = belief.infer(args.method, args.draws, args.seed)
    looked_for = _card_steps(belief, posterior, args)
    found = evaluated(posterior, estimators, asked, args)
    if found.numbers:
        answer = Answer.of(found)
        games = []
        if (
            belief.dummy is None and asked is None and args.estimator is None
        ):  # T is of the paper's game
            games = game_odds(posterior, found.question.pair, args.seed)
        read = readings(belief, args.seed)
        excess = shortages(belief, read)
        plan, systems = None, dict[str, Any]()
        if asked is not None:
            plan = _one_plan(posterior, asked.contract, args)
            systems = by_system(
                belief,
                lambda drawn: network_odds(drawn, asked.contract, args.seed).make,
                args.seed,
            )
        told = {  # systems that move P(make) by ten points and two standard errors
            name: f"it makes with about {percent(mean, 0)}"
            for name, (mean, error) in systems.items()
            if abs(mean - systems[EXPERTS].mean)
            > max(0.1, 2 * hypot(error, systems[EXPERTS].error))
        }
        document = estimate_document(found, answer)
        document |= (
            {"games": [one.document(len(posterior)) for one in games]} if games else {}
        )
        document |= (
            {}
            if found.odds is None
            else {"contract": found.odds.document(len(found.posterior))}
        )
        document |= {} if plan is None else {"single_dummy": plan.document()}
        by = {name: with_errors({"make": make}) for name, make in systems.items()}
        document |= {"by_system": by} if by else {}
        document |= {"readings": readings_document(read)} if read else {}
        if excess:
            document["hardly_fits"] = [shortage.document() for shortage in excess]
        document |= (
            {"card_history": {"card": str(args.card), "steps": looked_for}}
            if looked_for
            else {}
        )
        card: list[Table | str] = (
            ["", _card_table(looked_for, args.card)] if looked_for else []
        )
        first = () if plan is None else (plan.sentence, plan.caution)
        screens.present(
            args,
            document,
            *screens.game_line(position),
            *(shortage.sentence for shortage in excess),
            *first,
            *_parts(found, answer, games, read, depends_sentence(told)),
            *card,
        )
    for failure in found.failures.values():
        tell(f"left out: {failure}")
    return 1 if found.failures else 0


def _parts(
    found: Evaluation,
    answer: Answer,
    games: Sequence[ContractOdds],
    read: Sequence[CallReading],
    depends: str,
) -> Iterator[Table | str | Callable[[], None]]:
    """The answer in a sentence, on what it ``depends``, tables, and at the end what was
    seen and how it was found.
    """
    posterior = found.posterior
    asked = list(games) if found.odds is None else [found.odds]
    tables = (
        [games_table(asked)]
        if len(asked) > 1
        else asked[0].tables
        if asked
        else answer.tables
    )
    notes, how = tables[0].notes, posterior.marginal_accuracy
    if asked:
        strength, _, tricks = sentences(posterior, asked, len(asked) == 1)
        yield from filter(None, (tricks, depends, strength))
    else:
        yield from notes[:1]
        how = accuracy_sentences(
            accuracy_document(
                posterior, answer.method, all(one.exact for one in answer.shown)
            )
        )
    yield ""
    if len(asked) < 2:  # whose first note is the answer
        tables = [replace(tables[0], notes=notes[1:]), *tables[1:]]
    hidden = hidden_tables(posterior)
    called = [readings_table(read, length_changes(posterior, read))] if read else []
    first = (
        posterior.belief.dummy is None and found.odds is None
    )  # what the calls and the hands are comes first
    yield from (
        (*called, *hidden[:2], *tables, *hidden[2:])
        if first
        else (*tables, *called, *hidden)
    )
    if not posterior.belief.constraints.hidden:
        yield "Every card is known."
    yield partial(
        screens.print_how, posterior, [*how, *([BITS] if posterior.count() > 1 else [])]
    )


def _one_plan(
    posterior: Posterior, contract: Contract, args: Namespace
) -> CardChoices | None:
    """The play from here on where declarer chooses and at most eight tricks are left,
    else ``None``.
    """
    try:
        turn = turn_of(posterior.belief, contract)
        late = not turn.defends and turn.tricks >= 13 - MOST_TRICKS
        return (
            play(posterior, contract, seconds=args.seconds, rng=args.seed)
            if late
            else None
        )
    except BayesBridgeError:  # somebody else's turn, or a search that takes too long where no solver is installed
        return None


def show_calls(position: Position, args: Namespace) -> int:
    """What each call of an auction shows to somebody who sees no card."""
    verify(args, UNSEEN)
    auction = position.auction
    terms = calls_evidence(position.bidder("learned") or LearnedBidder(), auction)
    read = read_calls(terms, Constraints.free(), rng=args.seed)
    said = f"What each call of {auction} shows, to somebody who sees no cards."
    if len(auction.calls) > len(position.pieces):
        said += " The others are taken to have passed; for a call of theirs use brackets: 1H (2H)."
    document = {"auction": str(auction), "readings": readings_document(read)}
    game = screens.game_line(position)
    return screens.present(args, document, *game, said, "", readings_table(read))


def asked_contract(belief: Belief, args: Namespace) -> ContractQuestion | None:
    """What the options ask about a contract; ``None`` without one."""
    verify(args, not args.contract and NO_CONTRACT)
    verify_solver(args, "seconds")
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
    names: list[str] | None, asked: ContractQuestion | None = None
) -> list[Estimator]:
    with attributed("--estimator"):
        return estimators_for(list(dict.fromkeys(names)) if names else None, asked)


def evaluated(
    posterior: Posterior,
    estimators: list[Estimator],
    asked: ContractQuestion | None,
    args: Namespace,
) -> Evaluation:
    """What the estimators say, and what becomes of the contract that is asked about."""
    return answer_question(
        posterior,
        estimators,
        asked,
        pair=args.pair,
        trick=begun_trick(posterior.belief),
        budget=Budget(args.draws, args.solve, args.seconds),
        rng=args.seed,
    )


def begun_trick(belief: Belief) -> Trick | None:
    """The trick that is not complete yet."""
    tricks = belief.table.tricks
    return tricks[-1] if tricks and not tricks[-1].complete else None


def _card_steps(
    belief: Belief, posterior: Posterior, args: Namespace
) -> list[dict[str, Any]]:
    """A row for each piece of evidence, none where no card was asked for."""
    if args.card is None:
        return []
    usual = args.draws or belief.target.cost.draws
    draws = max(min(usual, 2000), usual // 10)  # there may be thirty steps
    with attributed("--card"):
        table = card_history(
            belief, args.card, draws=draws, rng=args.seed, last=posterior
        )
    return [
        {str(key): value for key, value in row.items()}
        for row in table.to_dict("records")
    ]


def _card_table(steps: list[dict[str, Any]], card: Card) -> Table:
    seats = [name for name in "NESW" if any(step[name] > 0.0 for step in steps)]
    rows = [
        [
            with_symbols(step["event"]),
            *(percent(step[name]) for name in seats),
            "exact"
            if step["exact"]
            else share_error(max(step[name] for name in seats), step["error"]).strip(),
        ]
        for step in steps
    ]
    return Table(
        f"Where {card_words(card)} lies, after each piece of evidence",
        ["after", *seats, ""],
        rows,
    )


def compare_models(args: Namespace) -> int:
    """The same question under every bidder model that is named."""
    verify(args, BIDDERS, args.contract and CONTRACT)
    position, belief = belief_of(args, "trump")
    if not belief.target.soft:
        raise UsageError(
            "no call of another seat: the answer depends on no bidder model; give a --call"
        )
    with position.attributed():
        belief.verify()
    asked = asked_contract(belief, args)
    answers = answers_by_model(
        belief,
        models_of(args.bidders, position),
        estimators_named(args.estimator, asked),
        asked,
        pair=args.pair,
        trick=begun_trick(belief),
        budget=Budget(args.draws, args.solve, args.seconds),
        rng=args.seed,
    )
    document = {
        "models": models_document(answers_dataset(answers)),
        **evidence_document(belief),
    }
    game = screens.game_line(position)
    evidence = partial(screens.print_evidence, belief)
    screens.present(args, document, *game, evidence, models_table(answers))
    failures = failures_of(answers)
    for failure in failures:
        tell(f"left out {failure}")
    return 1 if failures else 0


def models_of(names: str, position: Position) -> dict[str, BidderModel]:
    """The bidder models of a list with commas, each with the settings of the
    position.
    """
    models = {}
    for name in map(str.strip, names.split(",")):
        setting = {"bidder": Sourced(name, "argument --bidders")}
        bidder = position.with_more(setting, ()).bidder(name)
        if bidder is not None:
            models[name] = bidder
    return models
