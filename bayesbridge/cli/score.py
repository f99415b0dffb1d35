"""``bayesbridge score``: how well a reader finds the cards of real boards."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from math import isfinite
from typing import TYPE_CHECKING

from bayesbridge.cli.options import (
    Subparsers,
    UsageError,
    add_command,
    blaming,
    open_file,
    reading,
    verify_target,
    whole,
    writing,
)
from bayesbridge.cli.screens import MOST_DRAWS, print_json, print_table, progress_line, say
from bayesbridge.errors import BayesBridgeError
from bayesbridge.words import counted

if TYPE_CHECKING:
    from bayesbridge.notation import Record
    from bayesbridge.studies.benchmark import Tally

AFTER_CARDS = "after"
"""Key of the one moment that ``--cards`` names."""


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "score",
        "score a reader on real boards: where the honours lie, how long the suits are",
        run,
        "bayesbridge score match.pbn --boards 100 --chair declarer --cards 1\n"
        "  bayesbridge score test.pbn --moments auction,lead,1,3,6,9 --reader learned",
    )
    parser.add_argument("file", metavar="FILE", help="a PBN or LIN file, also gzipped")
    parser.add_argument(
        "--boards", type=whole(1, 10**9), metavar="N", help="score N boards, evenly spread (default: all)"
    )
    parser.add_argument(
        "--reader",
        default="learned+learned",
        metavar="NAME",
        help="who reads: counting (nothing known), BIDDER or BIDDER+PLAYER, or module:name (default: learned+learned)",
    )
    parser.add_argument(
        "--chair",
        choices=("leader", "partner", "declarer", "dummy"),
        default="leader",
        help="whose posterior: the opening leader's (default), the leader's partner's, declarer's or dummy's",
    )
    when = parser.add_mutually_exclusive_group()
    when.add_argument(
        "--cards", type=whole(0, 52), default=0, metavar="N", help="after N cards of the play (default: 0, the auction)"
    )
    when.add_argument(
        "--moments",
        type=_moments,
        metavar="LIST",
        help="some of auction,lead,1,3,6,9: after the auction, lead or trick",
    )
    parser.add_argument(
        "--draws", type=whole(2, MOST_DRAWS), default=1000, metavar="N", help="draws for each board (default: 1_000)"
    )
    parser.add_argument(
        "--test-list", metavar="FILE", help="score nothing: write the first --boards of the test list (.pbn)"
    )


@reading
def _moments(text: str) -> tuple[str, ...]:
    """Names of moments with commas between them, put in order."""
    from bayesbridge.studies.readers import MOMENTS, moment_of

    asked = {moment_of(word) for word in text.split(",")}
    return tuple(name for name in MOMENTS if name in asked)


def run(args: Namespace) -> int:
    """Score and print."""
    from bayesbridge.studies.benchmark import summary_table
    from bayesbridge.studies.readers import CHAIRS, MOMENTS

    if args.test_list:
        return _write_test_list(args)
    moments = {AFTER_CARDS: args.cards} if args.moments is None else {name: MOMENTS[name] for name in args.moments}
    if args.chair == "dummy" and any(moments.values()):
        flag = "--cards" if args.moments is None else "--moments"
        raise UsageError(f"argument --chair dummy: dummy looks on from the lead on, leave {flag} out")
    boards, chosen, left_out = _choose(args, min(moments.values()))
    tallies, unanswered = _score(args, chosen, boards, moments)
    found = {name: tally.summary() for name, tally in tallies.items()}
    if args.moments is None and not isfinite(found[AFTER_CARDS].figures["honours"].value):
        raise BayesBridgeError(
            f"nothing is left to score: no honour is in doubt on any of {counted(boards, 'board')}; take fewer cards"
        )
    told = {"reader": args.reader, "chair": args.chair, "draws": args.draws, "left_out": left_out}
    rows = {name: one.document() for name, one in found.items()}
    if args.json:
        scored = {"moments": rows} if args.moments else {**rows[AFTER_CARDS], "after_cards": args.cards}
        print_json({**scored, **told, "unanswered": unanswered})
        return 0
    named = rows if args.moments else {f"{args.cards} cards" if args.cards else "auction": rows[AFTER_CARDS]}
    print_table(*summary_table(f"Reader {args.reader}, {CHAIRS[args.chair][1]}", "after", named.items()))
    for reason, count in left_out.items():
        say(f"{count} records left out: {reason}.")
    if unanswered:
        say(f"{unanswered} times the reader said nothing: they count as if it knew nothing.")
    return 0


def _choose(args: Namespace, cards: int) -> tuple[int, Callable[[], Iterator[tuple[int, Record]]], dict[str, int]]:
    """How many boards, a walk over them with their numbers in the file, and the reasons for those left out."""
    from bayesbridge.studies.readers import usable

    records = open_file(args.file)

    def hindrance(record: Record) -> str | None:
        return usable(record) or ("the play is shorter" if len(record.plays) < cards else None)

    left_out: dict[str, int] = {}
    good = 0
    for record in records():
        reason = hindrance(record)
        if reason is None:
            good += 1
        else:
            left_out[reason] = left_out.get(reason, 0) + 1
    if not good:
        reasons = "; ".join(f"{reason} ({count})" for reason, count in left_out.items())
        raise UsageError(f"argument FILE: no board of {args.file!r} can be scored: {reasons}")
    wanted = min(args.boards or good, good)

    def chosen() -> Iterator[tuple[int, Record]]:
        """Evenly spread: of ``good`` records number i · good // wanted, for each i."""
        taken = 0
        able = ((place, one) for place, one in enumerate(records(), 1) if hindrance(one) is None)
        for place, (board, record) in enumerate(able):
            if place == taken * good // wanted:
                taken += 1
                yield board, record

    return wanted, chosen, left_out


def _score(
    args: Namespace, chosen: Callable[[], Iterator[tuple[int, Record]]], wanted: int, moments: dict[str, int]
) -> tuple[dict[str, Tally], int]:
    """The sums of each moment, and how often the reader said nothing."""
    from bayesbridge.studies.benchmark import Tally, bucket_of, look, see
    from bayesbridge.studies.readers import reader_of

    with blaming("--reader"):
        reader = reader_of(args.reader, args.draws, args.seed)
    board, first = next(chosen())
    look(reader, first, see(first, args.chair, min(moments.values()), board))  # compiles before the clock starts
    progress = progress_line("boards")
    tallies = {name: Tally() for name in moments}
    unanswered = 0
    for done, (board, record) in enumerate(chosen(), 1):
        assert record.deal is not None
        bucket = bucket_of(record.deal)
        for name, cards in moments.items():
            if len(record.plays) >= cards:
                found = look(reader, record, see(record, args.chair, cards, board))
                tallies[name].add(found.judged, bucket)
                unanswered += not found.answered
        if progress is not None:
            progress(done, wanted)
    return tallies, unanswered


def _write_test_list(args: Namespace) -> int:
    from bayesbridge.notation import write_pbn
    from bayesbridge.studies.benchmark import frozen_list

    target = verify_target("--test-list", args.test_list, "a list of boards is PBN", ".pbn")
    boards = frozen_list(open_file(args.file)(), args.boards)
    if not boards:
        raise UsageError(f"argument FILE: no board of {args.file!r} is on the test list: give a larger collection")
    with writing("--test-list", target) as part, part.open("w", encoding="utf-8") as stream:
        write_pbn(boards, stream)
    if args.json:
        print_json({"boards": len(boards), "file": str(target)})
    else:
        say(f"{counted(len(boards), 'board')} of the test list in {target}.")
    return 0
