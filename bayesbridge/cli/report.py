"""``bayesbridge report``: an answer, or a table on record, as one HTML page."""

from __future__ import annotations

import logging
import shlex
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior, accuracy_document
from bayesbridge.cli import screens
from bayesbridge.cli.estimate_question import (
    asked_contract,
    estimators_named,
    evaluated,
)
from bayesbridge.cli.evidence_options import MODELS
from bayesbridge.cli.files import verify_target
from bayesbridge.cli.modes import Mode, verify
from bayesbridge.cli.positions import Models, belief_of, models_at
from bayesbridge.cli.record_steps import show_steps
from bayesbridge.cli.records import chosen_record, open_records, seat_of
from bayesbridge.cli.review import reviewed
from bayesbridge.cli.usage import attributed
from bayesbridge.decisions.history import sharpening
from bayesbridge.decisions.review import BoardReview
from bayesbridge.display.words import tell
from bayesbridge.errors import PluginError
from bayesbridge.estimators.contract_question import ContractQuestion
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.estimators.results import to_datatree
from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record
from bayesbridge.views.documents import styles_document

HISTORY: Final = Mode(
    "a record is stepped through call by call and trick by trick, which is its history",
    "no-history",
)
FILE: Final = Mode(
    "FILE tells what was seen, or is named by --record FILE",
    takes="observer board room alerts cards text review adapt title draws out solve "
    f"seconds seed {MODELS}",
)
TEXT: Final = Mode("--text writes no page", "out title")
TEXT_REVIEW: Final = Mode("every player is reviewed, card by card", "observer cards")
UNREVIEWED: Final = Mode("without --review nothing is solved", "solve seconds")
ADAPTED: Final = Mode("--adapt learns the styles", "style")
EVIDENCE: Final = Mode(
    "it is about the steps of a record, and no FILE is named", "cards text review adapt"
)

USUAL_TITLE: Final = "What the hidden hands hold"


def run(args: Namespace) -> int:
    """Write the page, or print the steps of a record."""
    hide_missing_fonts()
    path = None
    if not args.text:
        name = args.out or "report.html"
        content = "the report is a web page"
        path = verify_target("--out", name, content, ".html", ".htm")
    if args.file is not None:
        return record_report(args, path)
    verify(args, EVIDENCE)
    # --text goes with a record alone.
    assert path is not None
    return position_report(args, path)


def hide_missing_fonts() -> None:
    """Keep stderr for errors: pictures do without fonts that Matplotlib misses."""
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


def record_report(args: Namespace, path: Path | None) -> int:
    """Write the page of a record, or print its steps or its review."""
    verify(
        args,
        HISTORY,
        FILE,
        args.text and TEXT,
        args.text and args.review and TEXT_REVIEW,
        not args.review and UNREVIEWED,
        args.adapt and ADAPTED,
    )
    named = Seat.S if args.observer is None else args.observer
    record = chosen_record(open_records(args.file), args, args.file, named)
    observer = seat_of(record, named)
    # The record was chosen for the hand of the observer.
    assert observer is not None
    models = models_at(args, record)
    review = reviewed(args, record, models) if args.review else None
    if path is not None:
        write_record_page(args, path, record, observer, models, review)
        return 0
    if review is not None:
        return screens.present(args, review.document(), *review.parts(args.alerts))
    return show_steps(args, record, observer, models)


def write_record_page(
    args: Namespace,
    path: Path,
    record: Record,
    observer: Seat,
    models: Models,
    review: BoardReview | None,
) -> None:
    """Write the page that steps through a record."""
    from bayesbridge.views.record import html_record

    page = html_record(
        record,
        observer,
        by_card=args.cards,
        draws=args.draws,
        rng=args.seed,
        title=args.title,
        command=_command(args),
        review=review.cards if review else (),
        **models,
    )
    about = {
        "board": record.board,
        "observer": observer.name,
        **styles_document(models["bidder"]),
    }
    if review is not None:
        about |= review.document()
    screens.write_page(args, path, page, about)


def position_report(args: Namespace, path: Path) -> int:
    """Write the page of a position; status 1 if an estimator failed."""
    position, belief = belief_of(args, "trump")
    usual_estimator = "tricks" if belief.dummy is None else "capture"
    # A slip is told before the work.
    estimators = estimators_named([usual_estimator, *(args.estimator or [])])
    question = page_contract(args, belief)
    with position.attributed(), attributed(f"--method {args.method}", PluginError):
        posterior = belief.infer(args.method, args.draws, args.seed)
    evaluation = evaluated(posterior, estimators, None, args)
    contract_evaluation = None
    if question is not None:
        contract_evaluation = evaluated(
            posterior, estimators_named(None, question), question, args
        )
    page = position_page(args, evaluation, contract_evaluation, question)
    if not args.json:
        screens.say(*screens.game_line(position))
    document = page_document(evaluation, contract_evaluation)
    screens.write_page(args, path, page, document)
    for judged in (evaluation, contract_evaluation):
        if judged is not None:
            for failure in judged.failures.values():
                tell(f"left out: {failure}")
    return 1 if evaluation.failures else 0


def page_contract(args: Namespace, belief: Belief) -> ContractQuestion | None:
    """What the page asks about a contract.

    With ``--solve`` alone it is the contract of the auction. The pair of the page is
    that of T, so it does not conflict with the contract.
    """
    contract = args.contract
    if contract is None and args.by is None and args.solve is not None:
        bid_contract = belief.table.contract
        contract = str(bid_contract) if bid_contract else None
    return asked_contract(
        belief, Namespace(**{**vars(args), "contract": contract, "pair": None})
    )


def position_page(
    args: Namespace,
    evaluation: Evaluation,
    contract_evaluation: Evaluation | None,
    question: ContractQuestion | None,
) -> str:
    """The page of a position."""
    from bayesbridge.views.report import html_report

    contract_tree = None
    if contract_evaluation is not None:
        contract_tree = to_datatree(contract_evaluation)
    return html_report(
        evaluation.posterior,
        to_datatree(evaluation),
        title=args.title or USUAL_TITLE,
        steps=belief_steps(args, evaluation.posterior, question),
        command=_command(args),
        contract=contract_tree,
    )


def belief_steps(
    args: Namespace, posterior: Posterior, question: ContractQuestion | None
) -> Any:
    """How the belief sharpened; ``None`` without evidence and with ``--no-history``."""
    belief = posterior.belief
    if not belief.evidence or args.no_history:
        return None
    return sharpening(
        belief,
        pair=args.pair,
        contract=None if question is None else question.contract,
        draws=args.draws,
        rng=args.seed,
    )


def page_document(
    evaluation: Evaluation, contract_evaluation: Evaluation | None
) -> dict[str, Any]:
    """How exact the page is, and what becomes of its contract, as plain data."""
    attributes = to_datatree(evaluation).attrs
    document = accuracy_document(
        evaluation.posterior, attributes["method"], bool(attributes["exact"])
    )
    if contract_evaluation is not None and contract_evaluation.odds is not None:
        draws = len(contract_evaluation.posterior)
        document["contract"] = contract_evaluation.odds.document(draws)
    return document


def _command(args: Namespace) -> str:
    """The command line that makes the page again, on any machine.

    The folder of ``--out`` is left out.
    """
    words = [Path(word).name if word == args.out else word for word in args.words]
    return shlex.join(["bayesbridge", *words])
