"""``bayesbridge report``: the answer to a question, or a table on record, as one HTML
page.
"""

from __future__ import annotations

import logging
import shlex
from argparse import Namespace
from pathlib import Path
from typing import Any

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.cli import screens
from bayesbridge.cli.estimate_question import (
    asked_contract,
    estimators_named,
    evaluated,
)
from bayesbridge.cli.evidence_options import MODELS
from bayesbridge.cli.files import verify_target
from bayesbridge.cli.modes import Mode, verify
from bayesbridge.cli.play import reviewed
from bayesbridge.cli.positions import Models, belief_of, models_at
from bayesbridge.cli.records import chosen_record, open_records, seat_of
from bayesbridge.cli.usage import attributed
from bayesbridge.decisions.history import sharpening
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    BITS,
    MADE,
    NOT_FROM_THE_DEAL,
    number,
    percent,
    tell,
    with_symbols,
)
from bayesbridge.engines.budget import USUAL
from bayesbridge.errors import PluginError
from bayesbridge.estimators.outlook import Basis
from bayesbridge.estimators.results import to_datatree
from bayesbridge.game.calls import Contract
from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record
from bayesbridge.views.documents import styles_document

HISTORY = Mode(
    "a record is stepped through call by call and trick by trick, which is its history",
    "no-history",
)
FILE = Mode(
    "FILE tells what was seen, or is named by --record FILE",
    takes=f"observer board room alerts cards text review adapt title draws out solve seconds seed {MODELS}",
)
TEXT = Mode("--text writes no page", "out title")
TEXT_REVIEW = Mode("every player is reviewed, card by card", "observer cards")
UNREVIEWED = Mode("without --review nothing is solved", "solve seconds")
ADAPTED = Mode("--adapt learns the styles", "style")
EVIDENCE = Mode(
    "it is about the steps of a record, and no FILE is named", "cards text review adapt"
)


def run(args: Namespace) -> int:
    # Matplotlib tells of fonts that it looked for in vain; the pictures do without, and stderr is for errors.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    path = None
    if not args.text:
        path = verify_target(
            "--out",
            args.out or "report.html",
            "the report is a web page",
            ".html",
            ".htm",
        )
    return (
        _position_report(args, path)
        if args.file is None
        else _record_report(args, path)
    )


def _record_report(args: Namespace, path: Path | None) -> int:
    whole, text = args.text and args.review and TEXT_REVIEW, args.text and TEXT
    verify(args, HISTORY)
    verify(
        args, FILE, text, whole, not args.review and UNREVIEWED, args.adapt and ADAPTED
    )
    named = Seat.S if args.observer is None else args.observer
    records = open_records(args.file)
    record = chosen_record(records, args, args.file, named)
    observer = seat_of(record, named)
    assert observer is not None  # since the record was chosen for its hand
    models = models_at(args, record)
    review = reviewed(args, record, models) if args.review else None
    if review is not None and args.text:
        return screens.present(args, review.document(), *review.parts(args.alerts))
    if path is None:
        return _show_steps(args, record, observer, models)
    from bayesbridge.views.record import html_record

    told: dict[str, Any] = {
        "title": args.title,
        "command": _command(args),
        "review": review.cards if review else (),
    }
    page = html_record(
        record,
        observer,
        by_card=args.cards,
        draws=args.draws,
        rng=args.seed,
        **told,
        **models,
    )
    about = {
        "board": record.board,
        "observer": observer.name,
        **styles_document(models["bidder"]),
    }
    screens.write_page(
        args, path, page, about | ({} if review is None else review.document())
    )
    return 0


def _show_steps(args: Namespace, record: Record, observer: Seat, models: Models) -> int:
    belief = Belief.of_record(record, observer, **models)
    contract = record.contract
    pair = (
        belief.pair
        if contract is None
        else (contract.declarer, contract.declarer.partner)
    )
    draws = args.draws or USUAL["record"].draws
    table = sharpening(
        belief,
        pair=pair,
        contract=contract,
        by_card=args.cards,
        draws=draws,
        rng=args.seed,
    )
    steps = table.to_dict("records")
    document = {
        "steps": [
            {
                key: None if value != value else value for key, value in step.items()
            }  # a nan is not equal to itself
            | {"layouts": str(step["layouts"]), "exact": bool(step["exact"])}
            for step in steps
        ],
        "board": record.board,
        "room": record.room,
        "observer": observer.name,
        "contract": None if contract is None else str(contract),
        "pair": [seat.name for seat in pair],
        **({"systems": list(belief.systems)} if belief.systems else {}),
        **styles_document(belief.bidder),
    }
    hidden = [seat.name for seat in Seat if seat != observer]
    heads = [
        "event",
        "layouts",
        "bits",
        *(f"points {name}" for name in hidden),
        MADE,
    ]
    rows = [
        [
            with_symbols(step["event"]),
            number(step["layouts"]),
            number(step["entropy_bits"], 1),
            *(number(step[f"points_{name}"], 1) for name in hidden),
            "–" if contract is None else _made_text(step),
        ]
        for step in steps
    ]
    said = [f"System: {one}." for one in belief.systems]
    said.append("points: the mean high-card points of the other hands.")
    if contract is not None:
        said += _made_sentences(contract, steps)
    title = (
        f"{record.title}: what {observer.name} believes ({contract or 'no contract'})"
    )
    return screens.present(args, document, Table(title, heads, rows), *said, BITS)


def _made_text(step: dict[str, Any]) -> str:
    """The chance of the contract; where it is not double dummy from the deal, what it
    is.
    """
    return percent(step["made"]) + NOT_FROM_THE_DEAL.get(step["made_basis"], "")


def _made_sentences(contract: Contract, steps: list[dict[str, Any]]) -> list[str]:
    """What the column of P(made) holds, and how exact it is."""
    errors = [step["made_error"] for step in steps]
    sentence = f"{MADE}: {contract}, by the network tricks on the hands as dealt"
    if any(errors):
        share = percent(max(errors))
        sentence += f"; one standard error of the draws is at most {share}"
    sentences = [f"{sentence}."]
    bases = {step["made_basis"] for step in steps}
    if Basis.SOLVED in bases:
        sentences.append("From here on: all layouts that are left, solved.")
    if Basis.SETTLED in bases:
        sentences.append("Settled: by the tricks taken.")
    return sentences


def _position_report(args: Namespace, path: Path | None) -> int:
    from bayesbridge.views.report import html_report

    verify(args, EVIDENCE)
    assert path is not None  # --text goes with a record alone
    position, belief = belief_of(args, "trump")
    usual = ["tricks"] if belief.dummy is None else ["capture"]
    estimators = estimators_named(
        [*usual, *(args.estimator or [])]
    )  # a slip is told before the work
    wanted = args.contract
    if (
        wanted is None
        and args.by is None
        and args.solve is not None
        and belief.table.contract
    ):
        wanted = str(belief.table.contract)
    # The pair of the page is asked about T, so it does not stand against the contract.
    asked = asked_contract(
        belief, Namespace(**{**vars(args), "contract": wanted, "pair": None})
    )
    with (
        position.attributed(),
        attributed(f"--method {args.method}", PluginError),
    ):
        posterior = belief.infer(args.method, args.draws, args.seed)
    found = evaluated(posterior, estimators, None, args)
    result, contract, odds = to_datatree(found), None, {}
    failures = list(found.failures.values())
    if asked is not None:
        judged = evaluated(posterior, estimators_named(None, asked), asked, args)
        contract = to_datatree(judged)
        odds = (
            {}
            if judged.odds is None
            else {"contract": judged.odds.document(len(judged.posterior))}
        )
        failures += judged.failures.values()
    steps = None
    if belief.evidence and not args.no_history:
        goal = None if asked is None else asked.contract
        steps = sharpening(
            belief, pair=args.pair, contract=goal, draws=args.draws, rng=args.seed
        )
    title = args.title or "What the hidden hands hold"
    page = html_report(
        posterior,
        result,
        title=title,
        steps=steps,
        command=_command(args),
        contract=contract,
    )
    if not args.json:
        screens.say(*screens.game_line(position))
    how = accuracy_document(
        posterior, result.attrs["method"], bool(result.attrs["exact"])
    )
    screens.write_page(args, path, page, {**how, **odds})
    for failure in failures:
        tell(f"left out: {failure}")
    return 1 if found.failures else 0


def _command(args: Namespace) -> str:
    """The command line that makes the page again; where on this machine it was written
    is left out.
    """
    return shlex.join(
        [
            "bayesbridge",
            *(Path(word).name if word == args.out else word for word in args.words),
        ]
    )
