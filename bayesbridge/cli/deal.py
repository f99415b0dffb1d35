"""``bayesbridge deal``: deals that meet a script, a condition or evidence."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Final

from bayesbridge.cli import screens
from bayesbridge.cli.deal_answer import (
    LESSON,
    DealAnswer,
    boards_document,
    boards_line,
    plan_document,
    plan_lines,
)
from bayesbridge.cli.deal_question import DealQuestion, deal_question
from bayesbridge.cli.files import verify_target
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.usage import UsageError
from bayesbridge.display.words import tell
from bayesbridge.evidence.kinds import Called

FORMS_BY_ENDING: Final = {
    ".pbn": "pbn",
    ".lin": "lin",
    ".txt": "oneline",
    ".html": LESSON,
}

PLAN: Final = Mode("--plan deals nothing", "out form generate seed show")
SHOWN: Final = Mode("only a page to print, --out lesson.html, hides hands", "show")
JSON: Final = Mode("--json holds the deals as PBN", "form")
UNCALLED: Final = Mode("nobody has called", "bidder slip system style")


def run(args: Namespace) -> int:
    """Plan, deal and write; status 1 if fewer deals were found than asked for."""
    somebody_called = any(isinstance(piece.value, Called) for piece in args.evidence)
    # Options that have no part in what is asked are refused.
    refuse_options(
        args,
        UNCALLED.when(not somebody_called),
        JSON.when(args.json and not args.out),
        PLAN.when(args.plan),
    )
    form, target = form_and_target(args)
    question = deal_question(args)
    if args.plan:
        return show_plan(args, question)
    if not args.json:
        for line in plan_lines(question):
            tell(line, begin="")
    answer = DealAnswer.of(question)
    present_deals(args, answer, form, target)
    if not args.json:
        for line in answer.remarks():
            tell(line)
    return 0 if answer.is_complete else 1


def form_and_target(args: Namespace) -> tuple[str, Path | None]:
    """How deals are written, and the file that is named."""
    if args.out is None:
        refuse_options(args, SHOWN)
        return args.form or "diagram", None
    content = "deals are PBN, LIN, text or a page"
    target = verify_target("--out", args.out, content, *FORMS_BY_ENDING)
    usual_form = FORMS_BY_ENDING[target.suffix]
    form = args.form or usual_form
    if form != usual_form and target.suffix != ".txt":
        raise UsageError(
            f"argument --form: {args.out!r} would not hold {form}: leave it out, or "
            "write to .txt"
        )
    refuse_options(args, SHOWN.when(form != LESSON))
    return form, target


def show_plan(args: Namespace, question: DealQuestion) -> int:
    """Print what is exact and what is tested, and which boards there would be."""
    document = {**plan_document(question), **boards_document(question)}
    parts = [*plan_lines(question), boards_line(question)]
    return screens.present(args, document, *parts)


def present_deals(
    args: Namespace, answer: DealAnswer, file_form: str, target: Path | None
) -> None:
    """Write the deals into the file that is named, and print what there is to say.

    A file gets the deals in its form; without deals it is written only where none was
    wanted (a script may ask for statistics alone). The screen has them in the form of
    ``--form``, else as the script says.
    """
    written = ""
    none_wanted = answer.wanted == 0
    if target is not None and (len(answer.layouts) > 0 or none_wanted):
        written = answer.write(target, file_form, args.show)
    if args.json:
        screens.print_json(answer.document())
    elif target is None:
        lines = answer.lines(args.form)
        screens.say_whole(*(lines or [""]))
    elif written:
        screens.say_whole(written, *answer.statistics())
    else:
        screens.say_whole(f"No deal was found, and {target} was not written.")
