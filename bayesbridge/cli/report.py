"""``bayesbridge report FILE``: a table on record as a page with a step control.

``bayesbridge report``: the answer to a question as one HTML page with pictures.
"""

from __future__ import annotations

import logging
import shlex
import warnings
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.cli.contract import add_contract, as_reached, asked_contract, contract_words
from bayesbridge.cli.estimate import add_method, blaming_method, estimators_and_solvers, evaluated
from bayesbridge.cli.options import (
    Once,
    Subparsers,
    UsageError,
    add_command,
    add_evidence,
    add_pair,
    chosen_record,
    open_file,
    position_of,
    verify_target,
    whole,
    writing,
)
from bayesbridge.cli.screens import DRAWS, add_draws, add_show, examples, print_json, progress_line, say
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.notices import tell
from bayesbridge.position import SETTINGS
from bayesbridge.views.documents import contract_document
from bayesbridge.words import number

if TYPE_CHECKING:
    import xarray

    from bayesbridge.belief.belief import Belief
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.decisions.leads import Leads
    from bayesbridge.estimators.contract_odds import ContractOdds
    from bayesbridge.estimators.odds import ContractQuestion
    from bayesbridge.position import Position


RECORD_DRAWS = 2000
"""Layouts of each step unless told otherwise: one standard error of a probability is about one percent."""

OWN = {"observer"}
"""Settings of a position that a record's page takes; the others are those of the record."""

QUESTIONS = ("contract", "by", "pair", "solve", "seconds", "level", "estimator")
MOMENTS = ("position", "record", "after_trick", "after_call", "dealer")

NOT_HERE = (*(set(SETTINGS) - OWN), *MOMENTS, *QUESTIONS)
"""Options of the page of a position that say nothing here."""


def write_record_page(args: Namespace, path: Path) -> int:
    """Compute the steps and write the page in one step."""
    from bayesbridge.views.record import html_record

    for name in sorted(NOT_HERE):
        if getattr(args, name) is not None:
            option = name.replace("_", "-")
            raise UsageError(f"argument --{option}: a page of FILE takes it from the record: leave --{option} out")
    if args.evidence or args.method != "auto" or args.actual or args.reached or args.show or args.no_history:
        raise UsageError(
            "argument FILE: it tells what was seen: leave evidence and other questions out, or use --record"
        )
    observer = Seat.S if args.observer is None else args.observer
    record = chosen_record(open_file(args.file)(), args.file, args.board, args.room, observer)
    page = html_record(
        record,
        observer,
        title=args.title,
        by_card=args.cards,
        draws=args.draws or RECORD_DRAWS,
        rng=args.seed,
        progress=progress_line("steps"),
        command=_record_command(args, observer),
    )
    with writing("--out", path) as part:
        part.write_text(page, "utf-8", newline="\n")
    told = {"file": str(path), "bytes": path.stat().st_size, "board": record.board, "observer": observer.name}
    if args.json:
        print_json(told)
    else:
        say(
            f"{path}: {number(path.stat().st_size)} bytes, opens in any browser; the arrow keys step through the board."
        )
    return 0


def _record_command(args: Namespace, observer: Seat) -> str:
    """The command line that makes the page again."""
    words = ["bayesbridge", "report", args.file, "--observer", observer.name]
    for name in ("board", "room", "title", "draws"):
        if (value := getattr(args, name)) is not None:
            words += [f"--{name}", str(value)]
    words += ["--cards"] if args.cards else []
    return shlex.join([*words, "--seed", str(args.seed), "--out", Path(args.out or "report.html").name])


LEAD_SECONDS = 6.0
"""Time on one core for solving leads, of which the page has a section."""


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "report",
        "the same as estimate, as an HTML page that needs no network; of a record, a page to step through",
        run,
        "bayesbridge report --observer S --hand AKQ2.KJ3.A54.Q32 --call W:1NT --void E:H --out report.html\n"
        "  bayesbridge report match.lin --board 3 --observer W",
    )
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a PBN or LIN file: a page that steps through the auction and the tricks of one board",
    )
    parser.add_argument("--cards", action="store_true", help="with FILE: a step for every card, not for every trick")
    parser.add_argument(
        "--out", action=Once, default=None, metavar="FILE.html", help="where to write (default: report.html)"
    )
    parser.add_argument("--title", action=Once, metavar="TEXT", help="the heading of the page")
    parser.add_argument(
        "--level",
        type=whole(1, 7),
        action=Once,
        metavar="N",
        help="asks for 6 + N tricks or captures (default: level of the contract, else 1)",
    )
    add_pair(parser)
    parser.add_argument(
        "--estimator", action="append", metavar="NAME", help="what to compute besides capture, repeatable"
    )
    add_method(parser)
    add_draws(parser)
    parser.set_defaults(draws=None)
    add_contract(parser)
    add_show(parser)
    parser.add_argument(
        "--no-history", action="store_true", help="leave out how the belief sharpened, which takes longest"
    )
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Infer, estimate, draw, and write the page in one step: a failure leaves no file and an old one as it was."""
    # Matplotlib tells of fonts that it looked for in vain; the pictures do without, and stderr is for errors.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    path = verify_target("--out", args.out or "report.html", "the report is a web page", ".html", ".htm")
    if args.file is not None:
        return write_record_page(args, path)
    if args.cards:
        raise UsageError("argument --cards: it makes steps of a record: name its FILE")
    args.draws = args.draws or DRAWS
    names = list(dict.fromkeys(["capture", *(args.estimator or [])]))
    estimators = estimators_and_solvers(names)[0]  # a slip is told before the work
    position = position_of(args)
    belief = position.belief()
    asked = _asked(belief, args)
    with position.blaming(), blaming_method(args.method):
        posterior = as_reached(belief.infer(args.method, args.draws, args.seed), args)

    from bayesbridge.history import sharpening
    from bayesbridge.results import estimate
    from bayesbridge.views.report import contract_level, html_report

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what failed is said below, and stands in the page
        result = estimate(
            posterior,
            estimators,
            pair=args.pair,
            seconds=args.seconds,
            rng=args.seed,
            progress=progress_line("layouts"),
        )
    contract, odds = _judged(posterior, asked, args)
    own = contract_level(belief) if asked is None else asked.contract.level
    level = own if args.level is None else args.level
    steps = prior = None
    if belief.evidence:
        start = next(belief.history()).infer(draws=args.draws, rng=args.seed)
        prior = estimate(start, "capture", pair=args.pair, rng=args.seed)
        if not args.no_history:
            steps = sharpening(
                belief,
                pair=args.pair,
                level=level,
                draws=args.draws,
                rng=args.seed,
                progress=progress_line("steps"),
            )
    named: dict[str, Any] = {} if args.title is None else {"title": args.title}
    page = html_report(
        posterior,
        result,
        level=level,
        steps=steps,
        prior=prior,
        command=_command(args, position),
        contract=contract,
        leads=_leads(posterior, asked, args),
        examples=args.show or 0,
        **named,
    )
    with writing("--out", path) as part:
        part.write_text(page, "utf-8", newline="\n")
    if args.json:
        how = accuracy_document(posterior, result.attrs["method"], bool(result.attrs["exact"]))
        shown = {**contract_document(odds), **examples(posterior, args)}
        print_json({"file": str(path), "bytes": path.stat().st_size, **how, **shown})
    else:
        say(f"{path}: {number(path.stat().st_size)} bytes, opens in any browser.")
    failures = result.attrs["failures"]
    if failures:
        tell(f"left out: {failures}")
    return 1 if failures else 0


def _asked(belief: Belief, args: Namespace) -> ContractQuestion | None:
    """The contract of the options; that of the auction where only --solve or --seconds is given.

    The pair of the page is asked about T, so it does not stand against the contract.
    """
    auction = belief.auction
    own = None if auction is None or auction.contract is None else str(auction.contract)
    wanted = own if args.contract is None and args.by is None and args.solve is not None else args.contract
    return asked_contract(belief, Namespace(**{**vars(args), "contract": wanted, "pair": None}))


def _judged(
    posterior: Posterior, asked: ContractQuestion | None, args: Namespace
) -> tuple[xarray.DataTree | None, ContractOdds | None]:
    """What becomes of the contract that the options ask about."""
    if asked is None:
        return None, None
    from bayesbridge.results import to_datatree

    estimators, solvers = estimators_and_solvers(None, asked)
    found, odds = evaluated(posterior, estimators, solvers, asked, args)
    for failure in found.failures.values():
        tell(f"left out: {failure}")
    return to_datatree(found, odds=odds), odds


def _leads(posterior: Posterior, asked: ContractQuestion | None, args: Namespace) -> Leads | None:
    """What to lead, where the observer is on lead against the contract and the solver is installed."""
    from bayesbridge.decisions.leads import compare_leads, lead_question, lead_solver

    try:
        contract, question = lead_question(posterior.belief, None if asked is None else asked.contract)
        solver = lead_solver()
    except BayesBridgeError:
        return None
    show = progress_line("layouts solved")
    return compare_leads(posterior, contract, question, solver, "beat", LEAD_SECONDS, args.seed, show)


def _command(args: Namespace, position: Position) -> str:
    """The command line that makes the page again, from the position itself, so that no file is needed for it."""
    words = ["bayesbridge", "report", *position.words()]
    if args.pair is not None:
        words += ["--pair", ":".join(seat.name for seat in args.pair)]
    for name in ("level", "show", "title"):
        if (value := getattr(args, name)) is not None:
            words += [f"--{name}", str(value)]
    words += contract_words(args)
    for name in args.estimator or []:
        words += ["--estimator", name]
    if args.method != "auto":
        words += ["--method", args.method]
    if args.draws != DRAWS:
        words += ["--draws", str(args.draws)]
    words += ["--no-history"] if args.no_history else []
    return shlex.join([*words, "--seed", str(args.seed), "--out", Path(args.out or "report.html").name])
