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
from bayesbridge.cli.modes import Mode, refuse_options
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
    refuse_options(args, EVIDENCE)
    # --text goes with a record alone.
    assert path is not None
    return position_report(args, path)


def hide_missing_fonts() -> None:
    """Keep stderr for errors: pictures do without fonts that Matplotlib misses."""
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


def record_report(args: Namespace, path: Path | None) -> int:
    """Answer about a record: write its page to the path, or print it as text.

    The text is the review of every card where ``--review`` asks for it, else the belief
    after each step of the record.
    """
    # Options that have no part in what is asked are refused.
    refuse_options(
        args,
        HISTORY,
        FILE,
        TEXT.when(args.text),
        TEXT_REVIEW.when(args.text and args.review),
        UNREVIEWED.when(not args.review),
        ADAPTED.when(args.adapt),
    )
    record, observer = observed_record(args)
    models = models_at(args, record)
    review = reviewed(args, record, models) if args.review else None
    if path is not None:
        write_record_page(args, path, record, observer, models, review)
        return 0
    if review is not None:
        return screens.present(args, review.document(), *review.parts(args.alerts))
    return show_steps(args, record, observer, models)


def observed_record(args: Namespace) -> tuple[Record, Seat]:
    """The record that the options choose, and the seat that looks at it, by default S.

    ``--observer`` may be the name of a player, whose seat depends on the record.
    """
    named = Seat.S if args.observer is None else args.observer
    record = chosen_record(open_records(args.file), args, args.file, named)
    observer = seat_of(record, named)
    # The record was chosen for the hand of the observer.
    assert observer is not None
    return record, observer


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
    """Write the page of a position; status 1 if an estimator failed.

    The page has the pair's tricks (captures in the game of three) and what other
    estimators say of the hands; and, where one is asked about, what becomes of a
    contract, which is estimated apart, for its own declarer and trumps.
    """
    position, belief = belief_of(args, used_options=["trump"])
    usual_estimator = "tricks" if belief.dummy is None else "capture"
    # Whatever is wrong with the options is said here, before the work begins.
    estimators = estimators_named([usual_estimator, *(args.estimator or [])])
    question = page_contract(args, belief)
    with position.attributed(), attributed(f"--method {args.method}", PluginError):
        posterior = belief.infer(args.method, args.draws, args.seed)
    evaluation = evaluated(posterior, estimators, question=None, args=args)
    contract_evaluation = None
    if question is not None:
        of_contract = estimators_named(None, question)
        contract_evaluation = evaluated(posterior, of_contract, question, args)
    page = position_page(args, evaluation, contract_evaluation, question)
    if not args.json:
        screens.say(*screens.game_line(position))
    document = page_document(evaluation, contract_evaluation)
    screens.write_page(args, path, page, document)
    tell_left_out(evaluation)
    if contract_evaluation is not None:
        tell_left_out(contract_evaluation)
    return 1 if evaluation.failures else 0


def tell_left_out(evaluation: Evaluation) -> None:
    """Say on stderr which estimators failed."""
    for failure in evaluation.failures.values():
        tell(f"left out: {failure}")


def page_contract(args: Namespace, belief: Belief) -> ContractQuestion | None:
    """What the page asks about a contract; ``None`` where it asks about none.

    ``--solve`` without a contract means that of the auction. ``--pair`` says whose
    captures are counted; elsewhere it may not be named beside a contract, here it may.
    """
    contract = args.contract
    if contract is None and args.by is None and args.solve is not None:
        auction_contract = belief.table.contract
        contract = str(auction_contract) if auction_contract else None
    options_of_contract = {**vars(args), "contract": contract, "pair": None}
    return asked_contract(belief, Namespace(**options_of_contract))


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
