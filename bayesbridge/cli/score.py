"""``bayesbridge score``: how well the posterior finds the cards of real boards."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.accuracy import MOST_DRAWS
from bayesbridge.cli.parsing import Subparsers, UsageError, add_command, whole
from bayesbridge.cli.printing import bar, print_json, print_table, progress_line, say
from bayesbridge.cli.records import open_file
from bayesbridge.words import number, percent

if TYPE_CHECKING:
    from bayesbridge.notation import Record


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "score",
        "score the posterior of one chair on real boards: where the honours lie, how long the suits are",
        run,
        "bayesbridge score match.pbn --boards 100 --chair declarer --cards 1",
    )
    parser.add_argument("file", metavar="FILE", help="a PBN or LIN file, also gzipped")
    parser.add_argument(
        "--boards", type=whole(1, 10**9), metavar="N", help="score N boards, evenly spread (default: all)"
    )
    parser.add_argument(
        "--chair",
        choices=("leader", "partner", "declarer", "dummy"),
        default="leader",
        help="whose posterior: the opening leader's (default), the leader's partner's, declarer's or dummy's",
    )
    parser.add_argument(
        "--cards", type=whole(0, 52), default=0, metavar="N", help="after N cards of the play (default: 0, the auction)"
    )
    parser.add_argument(
        "--draws", type=whole(2, MOST_DRAWS), default=1000, metavar="N", help="draws for each board (default: 1_000)"
    )


def run(args: Namespace) -> int:
    """Score and print."""
    from bayesbridge.studies.board_scores import BoardScore, Sums
    from bayesbridge.studies.inference import CHAIRS, score_boards, usable

    if args.chair == "dummy" and args.cards:
        raise UsageError("argument --chair dummy: dummy looks on from the lead on, leave --cards out")
    records = open_file(args.file)

    def hindrance(record: Record) -> str | None:
        return usable(record) or ("the play is shorter" if len(record.plays) < args.cards else None)

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

    def chosen() -> Iterator[Record]:
        """Evenly spread: of ``good`` records number i · good // wanted, for each i."""
        taken = 0
        for place, record in enumerate(one for one in records() if hindrance(one) is None):
            if place == taken * good // wanted:
                taken += 1
                yield record

    asked: dict[str, Any] = {"chair": args.chair, "cards": args.cards, "draws": args.draws}
    first = next(chosen())
    next(score_boards([first], **asked))  # compiles and loads before the clock starts
    progress = progress_line("boards")
    sums = Sums()
    for _, one in score_boards(chosen(), **asked, seed=args.seed):
        if isinstance(one, BoardScore):
            sums.add(one)
        if progress is not None:
            progress(sums.boards, wanted)
    found = sums.scores()
    document: dict[str, Any] = {name: getattr(found, name) for name in found.__slots__ if name != "calibration"}
    if args.json:
        curve = [one._asdict() for one in found.calibration]
        told = {"chair": args.chair, "after_cards": args.cards, "draws": args.draws, "left_out": left_out}
        print_json({**document, "calibration": curve, **told})
        return 0
    rows = [
        _loss("honours", found.honour_log_loss, found.honour_error, found.honour_monte_carlo, found.honour_hard_loss),
        _loss("lengths", found.length_log_loss, found.length_error, found.length_monte_carlo, found.length_hard_loss),
        ["honours, Brier score", number(found.brier, 4), "", "", ""],
        ["honours, most likely seat is right", percent(found.top1), "", "", ""],
        ["calibration error", number(found.calibration_error, 4), "", "", ""],
        ["seconds a board", number(found.seconds_per_board, 3), "", "", ""],
    ]
    when = "after the auction" if args.cards == 0 else f"after the auction and {args.cards} cards"
    header = ["", "score", "±", "by chance of draws", "by hard evidence alone"]
    print_table(f"{found.boards} boards, {CHAIRS[args.chair]} {when}", header, rows)
    curve_rows = [
        [percent(predicted), percent(observed), str(cards), bar(observed, 30)]
        for predicted, observed, cards in found.calibration
        if cards >= 10
    ]
    print_table(
        "Cards predicted in a seat, and those that lay there", ["predicted", "observed", "cards", ""], curve_rows
    )
    for reason, count in left_out.items():
        say(f"{count} records left out: {reason}.")
    if found.honour_monte_carlo > found.honour_error or found.length_monte_carlo > found.length_error:
        say("The chance of draws weighs more than the standard error (±): more --draws lower the loss.")
    return 0


def _loss(what: str, loss: float, error: float, monte_carlo: float, hard: float) -> list[str]:
    return [f"{what}, log-loss (nats)", *(number(value, 4) for value in (loss, error, monte_carlo, hard))]
