"""``bayesbridge contracts``: which contract to bid, by expected score."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.contract import MOST_SOLVED
from bayesbridge.cli.options import (
    Once,
    Parser,
    Subparsers,
    UsageError,
    add_command,
    add_evidence,
    add_pair,
    add_picture,
    picture_target,
    position_of,
    whole,
    write_picture,
)
from bayesbridge.cli.screens import add_draws, print_accuracy, print_evidence, print_json, print_table, say, show_table
from bayesbridge.errors import BayesBridgeError
from bayesbridge.views.documents import evidence_document
from bayesbridge.words import tell

if TYPE_CHECKING:
    import xarray

    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.calls import Vulnerability
    from bayesbridge.position import Position

DRAWS = 4000
"""Unless told otherwise: every layout is judged in every strain."""

SHOWN = 12
"""Rows on the screen unless contracts are named; ``--json`` has all."""


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "contracts",
        "which contract to bid: chance, tricks and expected score of each",
        run,
        "bayesbridge contracts --observer S --hand AKQ2.KJ3.A54.Q32 --call W:1NT --scheme duplicate\n"
        "  bayesbridge contracts --players 4 --observer S --hand AQ942.K3.A54.Q32 --call N:1NT --contracts 4S,3NT "
        "--against 3NT",
    )
    parser.add_argument(
        "--contracts",
        action=Once,
        metavar="4S,3NT",
        help="those to judge; 2SX by W for one of the others, Pass for what stands (default: all that the pair may "
        "still bid, and defending the others' bid)",
    )
    parser.add_argument(
        "--scheme",
        action=Once,
        metavar="NAME",
        help="duplicate, old, new, or a file with a scheme of your own (.toml) (default: new, with four players "
        "duplicate)",
    )
    parser.add_argument(
        "--against",
        action=Once,
        metavar="3NT",
        help="compare each with this one on the same layouts; Pass is the contract that stands",
    )
    _add_solving(parser)
    parser.add_argument(
        "--find-out",
        nargs="?",
        const="",
        action=Once,
        metavar="LIST",
        help="what an answer would tell and be worth: card[SQ],length[E:H],points[N],call[N:4NT Pass] … (default: "
        "honours, points and lengths in doubt)",
    )
    add_picture(parser)
    add_pair(parser)
    add_draws(parser, DRAWS)
    add_evidence(parser)


def _add_solving(parser: Parser) -> None:
    parser.add_argument(
        "--solve",
        type=whole(0, MOST_SOLVED),
        action=Once,
        metavar="N",
        help="layouts to solve in each strain that competes, 0 for none (default: as --seconds allow; needs "
        "bayesbridge-double-dummy)",
    )
    parser.add_argument(
        "--seconds", type=whole(1, 1_000_000), action=Once, metavar="N", help="time on one core for that (default: 4)"
    )


def run(args: Namespace) -> int:
    """Judge the contracts and print."""
    from bayesbridge.belief.posterior import accuracy_document
    from bayesbridge.decisions.contracts import contract_named, contract_table, contracts_asked, pair_of, plain_rows
    from bayesbridge.views.tables import contracts_table

    target = picture_target(args)
    position, vulnerable = _vulnerable(position_of(args))
    belief = position.belief()
    scheme = _scheme(args.scheme)
    with position.blaming():
        belief.count()
    pair = _blamed("--pair", pair_of, belief, args.pair)
    _blamed("--contracts", contracts_asked, belief, args.contracts, pair)
    if args.against is not None:
        _blamed("--against", contract_named, belief, args.against, pair)
    posterior = belief.infer(draws=args.draws, rng=args.seed)
    if args.find_out:
        from bayesbridge.decisions.information import enquiries

        _blamed("--find-out", enquiries, posterior, args.find_out)
    asked: dict[str, Any] = {"scheme": scheme, "vulnerable": vulnerable, "pair": pair, "against": args.against}
    asked |= {"solve": args.solve, "seconds": args.seconds, "rng": args.seed}
    found = _blamed("--scheme", contract_table, posterior, args.contracts, **asked)
    if found.attrs["failure"]:
        tell(f"not corrected: {found.attrs['failure']}")
    answers = None if args.find_out is None else _answers(posterior, args, scheme, vulnerable, pair)
    if target is not None:
        from bayesbridge import plots

        write_picture(target, plots.contracts(found.dataset()).figure)
    if args.json:
        told = {name: value for name, value in found.attrs.items() if name not in ("layouts", "failure")}
        said = {} if answers is None else {"find_out": {"questions": plain_rows(answers), **answers.attrs}}
        about = {**accuracy_document(posterior), **evidence_document(belief)}
        print_json({"contracts": found.rows, **told, "judged": found.attrs["layouts"], **said, **about})
        return 0
    print_evidence(belief)
    print_accuracy(posterior)
    say()
    show_table(contracts_table(found.rows, found.attrs, SHOWN if args.contracts is None else len(found.labels)))
    if belief.auction is not None and belief.auction.is_over:
        say("The auction is over: this is what each contract would have been worth.")
    if answers is not None:
        _show_answers(answers)
    return 0


def _answers(
    posterior: Posterior, args: Namespace, scheme: Any, vulnerable: Vulnerability, pair: Any
) -> xarray.Dataset:
    """What could be found out, for the choice among the same contracts."""
    from bayesbridge.decisions.information import value_of_information

    asked = args.find_out or None
    return value_of_information(
        posterior, args.contracts, asked, scheme=scheme, vulnerable=vulnerable, pair=pair, rng=args.seed
    )


def _scheme(text: str | None) -> Any:
    """A name, or the table of a file."""
    if text is None or not text.endswith(".toml"):
        return text
    from bayesbridge.notation.toml_text import read_toml

    return read_toml(text, "--scheme")[1]


def _vulnerable(position: Position) -> tuple[Position, Vulnerability]:
    """Who is vulnerable, and the position without it where the bidder does not care but the score may."""
    from bayesbridge.calls import Vulnerability

    settings = dict(position.settings)
    if "vulnerable" not in settings:
        return position, Vulnerability.NONE
    told: Vulnerability = settings["vulnerable"].value
    four = "players" in settings and settings["players"].value == 4
    bidder = settings["bidder"].value if "bidder" in settings else "learned" if four else "iterative"
    if bidder == "iterative":
        del settings["vulnerable"]
    return position._replace(settings=settings), told


def _blamed(option: str, function: Any, *args: Any, **named: Any) -> Any:
    """What the function answers; an error of the user names the option."""
    try:
        return function(*args, **named)
    except BayesBridgeError as error:
        raise UsageError(f"argument {option}: {error}") from None


def _show_answers(found: xarray.Dataset) -> None:
    """What to find out, for people."""
    from bayesbridge.decisions.contracts import plain_rows
    from bayesbridge.views.tables import figure

    say()
    rows = plain_rows(found)
    names = ("value",) if found.attrs["exact"] else ("value", "optimistic")
    lines = [
        [row["question"], figure(row, "bits", 2), *(figure(row, name, 1) for name in names)] for row in rows[:SHOWN]
    ]
    print_table("What an answer would tell, and what it is worth in score", ["", "bits", *names], lines)
    if len(rows) > SHOWN:
        say(f"The {SHOWN} most valuable of {len(rows)}; --json has all.")
    say(f"value: how much more than by {found.attrs['action']} is scored on average by whoever bids after the answer.")
    say(found.attrs["caution"])
