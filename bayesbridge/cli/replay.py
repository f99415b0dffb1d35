"""``bayesbridge replay``: a table on record, and how one seat's posterior sharpens."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from bayesbridge.cli.options import (
    Once,
    Subparsers,
    UsageError,
    add_board,
    add_command,
    chosen_record,
    open_file,
    reading,
    whole,
)
from bayesbridge.cli.screens import MOST_DRAWS, print_json, print_table, progress_line, say
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.position import SETTINGS
from bayesbridge.words import BITS, CAPTURES, MADE, WITHOUT_TRUMPS, number, percent

if TYPE_CHECKING:
    from bayesbridge.evidence.models import BidderModel
    from bayesbridge.notation import Record


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "replay",
        "walk a real record and show how the posterior of one seat sharpens",
        run,
        "bayesbridge replay match.pbn --board 7 --observer W",
    )
    parser.add_argument("file", metavar="FILE", help="a PBN or LIN file, also gzipped")
    add_board(parser)
    parser.add_argument(
        "--observer", type=reading(Seat.of), action=Once, metavar="S", help="the seat that looks (default: S)"
    )
    system = SETTINGS["system"]
    parser.add_argument(
        "--system", type=reading(system.read), action="append", metavar=system.metavar, help=system.help
    )
    parser.add_argument("--cards", action="store_true", help="a step for every card, not for every trick")
    parser.add_argument(
        "--draws",
        type=whole(2, MOST_DRAWS),
        default=1000,
        metavar="N",
        help="layouts drawn where there are too many to walk (default: 1_000)",
    )


def run(args: Namespace) -> int:
    """Replay and print."""
    from bayesbridge.belief.belief import Belief
    from bayesbridge.history import sharpening

    observer = Seat.S if args.observer is None else args.observer
    record = chosen_record(open_file(args.file)(), args.file, args.board, args.room, observer)
    belief = Belief.of_record(record, observer, bidder=_bidder(args, record))
    contract = record.contract
    pair = belief.pair if contract is None else (contract.declarer, contract.declarer.partner)
    table = sharpening(
        belief,
        pair=pair,
        contract=contract,
        by_card=args.cards,
        draws=args.draws,
        rng=args.seed,
        progress=progress_line("steps"),
    )
    steps = table.to_dict("records")
    if args.json:
        document = [
            {key: None if value != value else value for key, value in step.items()}  # a nan is not equal to itself
            | {"layouts": str(step["layouts"]), "exact": bool(step["exact"])}
            for step in steps
        ]
        told = None if contract is None else str(contract)
        print_json(
            {
                "steps": document,
                "board": record.board,
                "room": record.room,
                "observer": observer.name,
                "contract": told,
                "pair": [seat.name for seat in pair],
                **({"systems": list(belief.systems)} if belief.systems else {}),
            }
        )
        return 0
    rows = [
        [
            step["event"],
            f"{step['layouts']:,}".replace(",", " "),
            number(step["entropy_bits"], 1),
            percent(step["qualified"]),
            number(step["T_mean_qualified"], 2),
            percent(step["T_at_least"]),
            "–" if contract is None else percent(step["made"]),
            "exact" if step["exact"] else step["method"],
        ]
        for step in steps
    ]
    goal = "no contract" if contract is None else str(contract)
    reached = f"T ≥ {7 if contract is None else contract.tricks_needed}"
    where = f"Board {record.board} {record.room}".strip()
    title = f"{where}: what {observer.name} believes ({goal}, T of {pair[0].name}:{pair[1].name})"
    print_table(title, ["event", "layouts", "bits", "qualified", "T if so", reached, "P(made)", "T by"], rows)
    for said in belief.systems:
        say(f"System: {said}.")
    say("qualified: P(both conditions of Algorithm 2 hold); T if so: the mean of T then.")
    say(CAPTURES)
    if contract is not None:
        if contract.strain.trump is not None:
            say(WITHOUT_TRUMPS)
        error = max(step["made_error"] for step in steps)
        told = f"; one standard error of the draws is at most {percent(error)}" if error else ""
        say(f"{MADE}: {contract}, on the hands as dealt{told}.")
    say(BITS)
    return 0


def _bidder(args: Namespace, record: Record) -> BidderModel | None:
    """The usual bidders with the systems that they play; ``None`` for the usual ones alone."""
    if not args.system:
        return None
    from bayesbridge.belief.belief import bidder_at
    from bayesbridge.bidders.systems import SystemBidder

    try:
        return SystemBidder(args.system, base=bidder_at(record))
    except BayesBridgeError as error:
        raise UsageError(f"argument --system: {error}") from None
