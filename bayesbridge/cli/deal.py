"""``bayesbridge deal``: deals that meet a script, a condition or evidence, as many as wanted."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.cards import Hand
from bayesbridge.cli import options, screens
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError
from bayesbridge.evidence.kinds import KINDS, Called
from bayesbridge.words import tell

if TYPE_CHECKING:
    from bayesbridge.dealing.language import Script

FORMS: Final = ("diagram", "pbn", "lin", "oneline", "printall", "printew", "compact")
_ENDINGS: Final = {".pbn": "pbn", ".lin": "lin", ".txt": "oneline", ".html": "lesson"}


PLAN = options.Mode("--plan deals nothing", "n out form generate seed dealer")
JSON = options.Mode("--json holds the deals as PBN", "form")
UNCALLED = options.Mode("nobody has called", "bidder")


def add(commands: options.Subparsers) -> None:
    text = """
        deal  deals that meet a script of the dealer language, a condition or evidence

        SCRIPT             a file in the dealer language, - for stdin
        -n N               how many deals (default: the script's, or 10)
        --condition TEXT   a condition of the dealer language
        --type NAME: TEXT  a type of hand with its condition, repeatable; NAME=2: gives it twice the share
        --plan             say what is exact and what is tested, and deal nothing
        --form             how deals are written (default: diagram)
        --out FILE         write deals to .pbn, .lin, .txt or .html, a page to print
        --dealer S         who deals every board (default: in turn)
        --generate N       draws that may be tested before it gives up (default: the script's, or 10_000_000)

        bayesbridge deal -n 100 --shape N:balanced --hcp N:15-17 --hcp S:8+ --out deals.pbn
        """
    many = {"action": "append", "default": []}
    more: dict[str, Any] = {"script": {"nargs": "?"}, "type": many, "form": {"choices": FORMS}}
    n, generate = options.whole(1, 10_000_000), options.whole(1, 10**12)
    group = options.add_command(commands, run, text, n=n, generate=generate, **more).add_evidence(
        "Repeatable; on any seats."
    )
    given = "--given S:AKQ..J2.  cards of a seat, a whole hand or a part of one: spades.hearts.diamonds.clubs"
    options.add_options(group, given, given={"type": _given, **many})
    options.add_kinds(group, [name for name in KINDS if name != "play"])
    options.add_options(group, "--bidder NAME  how all four bid (default: learned)")


def run(args: Namespace) -> int:
    """Plan, deal and write; status 1 if fewer deals were found than asked for."""
    from bayesbridge.cli.deal_job import DealJob

    called = any(isinstance(piece.value, Called) for piece in args.evidence)
    options.verify(args, not called and UNCALLED, args.json and not args.out and JSON)
    options.verify(args, args.plan and PLAN, uses="n" if args.type else "")
    target = None
    if args.out is not None:
        target = options.verify_target("--out", args.out, "deals are PBN, LIN, text or a page", *_ENDINGS)
    usual = "diagram" if target is None else _ENDINGS[target.suffix]
    if target is not None and args.form not in (None, usual) and target.suffix != ".txt":
        what = f"{args.out!r} would not hold {args.form}: leave it out, or write to .txt"
        raise options.UsageError(f"argument --form: {what}")
    job = DealJob.of(args, _script(args))
    if args.plan:
        return screens.present(args, job.plan_document(), *job.plan_lines())
    for line in job.plan_lines() if not args.json else ():
        tell(line, begin="")
    job.deal()
    found = len(job.layouts)
    written = target is not None and (found > 0 or job.wanted == 0)
    if target is not None and written:
        with options.writing("--out", target) as part:
            part.write_text(job.text(args.form or usual), encoding="utf-8")
    if args.json:
        screens.print_json(job.document())
    elif target is None:
        screens.say_whole(*job.lines(args.form))
    elif written:
        screens.say_whole(f"{found} deals are in {target}.", *job.statistics())
    else:
        screens.say_whole(f"No deal was found, and {target} was not written.")
    for line in job.remarks() if not args.json else ():
        tell(line)
    return 1 if found < job.wanted else 0


def _given(text: str) -> tuple[Seat, Hand]:
    seat, colon, cards = text.partition(":")
    if not colon:
        raise NotationError(f"{text!r} names no seat: write S:AKQ..J2.", text=text)
    return Seat.of(seat), Hand.of(cards.strip())


def _script(args: Namespace) -> Script | None:
    from bayesbridge.dealing.language import LONGEST_SCRIPT, parse

    if args.script is None:
        return None
    try:
        if args.script == "-":
            text = sys.stdin.read(LONGEST_SCRIPT + 1)
        else:
            text = Path(args.script).read_text("utf-8", "replace")[: LONGEST_SCRIPT + 1]
    except OSError as error:
        raise options.UsageError(
            f"cannot read {args.script!r} ({error.strerror}): name a script, or give a condition with --condition"
        ) from None
    with options.attributed(f"SCRIPT {args.script}"):
        return parse(text)
