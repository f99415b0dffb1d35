"""``bayesbridge deal``: deals that meet a script, a condition or evidence, as many as
wanted.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

from bayesbridge.cli import screens
from bayesbridge.cli.files import verify_target, writing
from bayesbridge.cli.modes import Mode, verify
from bayesbridge.cli.positions import settings_of
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.dealing.language import Script, parse
from bayesbridge.dealing.plan import (
    LOW,
    MOST_DRAWS,
    DealPlan,
    Drawn,
    HandType,
    Levelled,
    find_solver,
    given_cards,
    solve,
)
from bayesbridge.dealing.run import (
    FORMS,
    Numbering,
    exact_statistics,
    findings,
    printed,
)
from bayesbridge.display.words import counted, duration, number, tell
from bayesbridge.engines.conditions import chance_text
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence.expressions import (
    TRUE,
    Expression,
    LayoutValues,
    conjunction,
    needs_solver,
)
from bayesbridge.evidence.kinds import Called, Piece
from bayesbridge.evidence.parser import LONGEST_SCRIPT, parse_expression
from bayesbridge.game.calls import PASS, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.position import Position, Sourced
from bayesbridge.runtime.random64 import generator

if TYPE_CHECKING:
    from bayesbridge.evidence.models import BidderModel

LESSON: Final = "lesson"

_ENDINGS: Final = {".pbn": "pbn", ".lin": "lin", ".txt": "oneline", ".html": LESSON}

PLAN = Mode("--plan deals nothing", "out form generate seed show")
SHOWN = Mode("only a page to print, --out lesson.html, hides hands", "show")
JSON = Mode("--json holds the deals as PBN", "form")
UNCALLED = Mode("nobody has called", "bidder slip system style")


def run(args: Namespace) -> int:
    """Plan, deal and write; status 1 if fewer deals were found than asked for."""
    called = any(isinstance(piece.value, Called) for piece in args.evidence)
    verify(args, not called and UNCALLED, args.json and not args.out and JSON)
    verify(args, args.plan and PLAN)
    form, target = _form_and_target(args)
    job = DealJob(args, _script(args))
    if args.plan:
        document = {**job.plan_document(), **job.boards_document()}
        return screens.present(args, document, *job.plan_lines(), job.boards_line())
    for line in job.plan_lines() if not args.json else ():
        tell(line, begin="")
    job.deal()
    found = len(job.layouts)
    written = ""
    if target is not None and (found > 0 or job.wanted == 0):
        written = job.write(target, form, args.show)
    if args.json:
        screens.print_json(job.document())
    elif target is None:
        screens.say_whole(*(list(job.lines(args.form)) or [""]))
    elif written:
        screens.say_whole(written, *job.statistics())
    else:
        screens.say_whole(f"No deal was found, and {target} was not written.")
    for line in job.remarks() if not args.json else ():
        tell(line)
    return 1 if found < job.wanted else 0


def _form_and_target(args: Namespace) -> tuple[str, Path | None]:
    """How deals are written, and the file that is named."""
    if args.out is None:
        verify(args, SHOWN)
        return args.form or "diagram", None
    what = "deals are PBN, LIN, text or a page"
    target = verify_target("--out", args.out, what, *_ENDINGS)
    usual = _ENDINGS[target.suffix]
    form = args.form or usual
    if form != usual and target.suffix != ".txt":
        told = f"{args.out!r} would not hold {form}: leave it out, or write to .txt"
        raise UsageError(f"argument --form: {told}")
    verify(args, form != LESSON and SHOWN)
    return form, target


def _script(args: Namespace) -> Script | None:
    if args.script is None:
        return None
    try:
        with (
            sys.stdin
            if args.script == "-"
            else open(args.script, encoding="utf-8", errors="replace") as file
        ):
            text = file.read(LONGEST_SCRIPT + 1)
    except OSError as error:
        told = "name a script, or give a condition with --condition"
        raise UsageError(
            f"cannot read {args.script!r} ({error.strerror}): {told}"
        ) from None
    with attributed(f"SCRIPT {args.script}"):
        script = parse(text)
    if script.overruled:
        lines = " and ".join(map(str, script.overruled))
        tell(
            f"SCRIPT {args.script}: only the last condition counts, not that in line "
            f"{lines}: join them with && to have both"
        )
    return script


def _write(target: Path, text: str) -> None:
    with writing("--out", target) as part:
        part.write_text(text, encoding="utf-8")


def _first_caller(args: Namespace) -> Seat | None:
    """Who makes the first call among the options; ``None`` without calls."""
    pieces = (sourced.value for sourced in args.evidence)
    return next((piece.seat for piece in pieces if isinstance(piece, Called)), None)


def _dealer(args: Namespace, script: Script) -> Seat | None:
    """Who deals every board; ``None`` where the seats deal in turn."""
    if args.dealer is not None:
        return cast(Seat, args.dealer)
    if script.dealer is not None:
        return Seat(script.dealer)
    return _first_caller(args)


def _from_dealer(args: Namespace, dealer: Seat | None) -> tuple[Piece, ...]:
    """The evidence of the options; a dealer before the first caller has passed."""
    pieces = tuple(sourced.value for sourced in args.evidence)
    if _first_caller(args) in (None, dealer) or dealer is None:
        return pieces
    return (Called(dealer, PASS), *pieces)


def _board_vulnerability(args: Namespace, script: Script) -> Vulnerability | None:
    """The vulnerability of every board; ``None`` where it changes from board to board."""
    if args.vulnerable is not None:
        return cast(Vulnerability, args.vulnerable)
    return None if script.vulnerable is None else Vulnerability.of(script.vulnerable)


def _bidder(args: Namespace, vulnerable: Vulnerability | None) -> BidderModel | None:
    """How all four bid by the options; ``None`` for the usual model as it is."""
    settings = settings_of(args, ("bidder", "slip", "system", "style"))
    if vulnerable is not None:
        source = "argument --vulnerable"
        settings["vulnerable"] = Sourced(vulnerable, source, needed=False)
    return Position(settings).bidder("learned")


FIRST_NOTE: Final = 5.0
"""Seconds after which a search says how it goes."""

NOTE_GROWTH: Final = 4.0
"""How many times as late each note comes as the one before."""


class SearchNotes:
    """Says on stderr how a search goes, when it takes more than seconds."""

    def __init__(self, wanted: int, most: int, kind: str = "") -> None:
        self.prefix = f"type {kind}: " if kind else ""
        self.wanted = wanted
        self.most = most
        self.begun = monotonic()
        self.next_note = FIRST_NOTE

    def __call__(self, search: Drawn) -> None:
        seconds = monotonic() - self.begun
        if seconds >= self.next_note and search.kept < self.wanted:
            self.next_note = NOTE_GROWTH * seconds
            note = search_note(search, self.wanted, self.most, seconds)
            tell(f"{self.prefix}{note}", begin="")


def search_note(search: Drawn, wanted: int, most: int, seconds: float) -> str:
    """How many draws were kept, how fast it goes, and what it will take.

    >>> search_note(Drawn(drawn=640, kept=2), 10, 10_000_000, 8.0)
    '2 of 640 draws kept after 8 seconds, 80 a second: 10 deals take about 32 seconds more'
    >>> search_note(Drawn(drawn=640), 10, 10_000_000, 8.0)
    'none of 640 draws kept after 8 seconds, 80 a second: it gives up in about 35 hours'
    """
    speed = search.drawn / seconds
    kept = number(search.kept) if search.kept else "none"
    draws = f"{kept} of {number(search.drawn)} draws kept after {duration(seconds)}"
    until_end = (most - search.drawn) / speed
    forecast = f"it gives up in about {duration(until_end)}"
    if search.kept:
        missing = (wanted - search.kept) / search.rate / speed
        forecast = f"{counted(wanted, 'deal')} take about {duration(missing)} more"
        if missing > until_end:
            forecast += f", and it gives up in {duration(until_end)}"
    return f"{draws}, {number(round(speed))} a second: {forecast}"


class DealJob:
    """What was asked, and after :meth:`deal` what was found."""

    def __init__(self, args: Namespace, script: Script | None) -> None:
        self.script = asked = script or Script()
        known = given_cards(
            [
                *((seat, hand.mask) for seat, hand in args.given),
                *enumerate(asked.predealt),
            ]
        )
        with attributed("--condition"):
            more = TRUE if args.condition is None else parse_expression(args.condition)
        common = conjunction((asked.condition, more))
        with attributed("--type"):
            types = [HandType.of(text) for text in args.type]
            if len({one.name for one in types}) < len(types):
                raise BayesBridgeError(
                    "two types have the same name: give each a name of its own"
                )
        if any(
            needs_solver(value) for action in asked.actions for value in action.values
        ):
            find_solver()
        self.dealer = _dealer(args, asked)
        seen = _from_dealer(args, self.dealer)
        self.vulnerable = _board_vulnerability(args, asked)
        bidder = _bidder(args, self.vulnerable)

        def planned(extra: Expression = TRUE) -> DealPlan:
            return DealPlan.of(
                *seen,
                given=known,
                condition=conjunction((common, extra)),
                bidder=bidder,
            )

        self.plan = planned()
        self.exact = exact_statistics(asked, self.plan)
        self.levels = Levelled.of(types, planned) if types else None
        self.wanted = (
            args.n
            or asked.produce
            or (10 if script is None else 40 if asked.prints else 100_000)
        )
        self.most = args.generate or asked.generate or MOST_DRAWS
        self.seed = args.seed if asked.seed is None or args.seed != 1 else asked.seed
        self.layouts, self.search = Layouts.of(()), Drawn()
        self.types: list[str] = []
        self.by_type: Mapping[str, Drawn] = {}

    def deal(self) -> None:
        """Draw the deals, unless tables tell all that is asked."""
        if self.levels is not None:
            self.layouts, self.types, self.by_type = self.levels.deals(
                self.wanted,
                self.seed,
                most=self.most,
                watch=lambda kind, size: SearchNotes(size, self.most, kind),
            )
        elif self.script.prints or any(counts is None for counts in self.exact):
            self.search = self.plan.search(
                self.wanted,
                self.seed,
                most=self.most,
                watch=SearchNotes(self.wanted, self.most),
            )
            self.layouts = Layouts.adopt(self.search.first(self.wanted))
        else:
            self.wanted = 0

    def plan_lines(self) -> list[str]:
        lines = self.plan.lines()
        for one, plan, size in self._types():
            share = f"at most {chance_text(plan.plan.exact_chance)} of all deals, and tested"
            if plan.count is not None and self.plan.count is not None:
                share = f"exactly {chance_text(plan.count / self.plan.count)} of what is asked"
            lines.append(f"Type {one.name}: {number(size)} deals, {share}")
        return lines

    def _types(self) -> Iterator[tuple[HandType, DealPlan, int]]:
        """Each type with its plan and how many of it are wanted."""
        if self.levels is not None:
            yield from zip(
                self.levels.types,
                self.levels.plans,
                self.levels.sizes(self.wanted),
                strict=True,
            )

    def plan_document(self) -> dict[str, Any]:
        def chances(plan: DealPlan) -> dict[str, Any]:
            return {
                "deals_that_fit": None if plan.count is None else str(plan.count),
                "probability": None
                if plan.probability is None
                else float(plan.probability),
            }

        document = {
            "plan": self.plan.lines(),
            "exact": self.plan.exact,
            **chances(self.plan),
        }
        if self.plan.calls is not None:
            document["calls"] = self.plan.calls.document()
        if self.levels is not None:
            document["types"] = {
                one.name: chances(plan) for one, plan, _ in self._types()
            }
        return document

    def boards_line(self) -> str:
        """How many boards there would be, who deals them, and who is vulnerable."""
        dealer = (
            "dealers in turn" if self.dealer is None else f"dealer {self.dealer.name}"
        )
        vulnerable = "vulnerability in turn"
        if self.vulnerable is not None:
            vulnerable = f"vulnerable {self.vulnerable.value}"
        return f"{counted(self.wanted, 'board')}, {dealer}, {vulnerable}."

    def boards_document(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "n": self.wanted,
            "dealer": None if self.dealer is None else self.dealer.name,
            "vulnerability": None if self.vulnerable is None else self.vulnerable.value,
        }

    def write(self, target: Path, form: str, shown: Sequence[Seat] | None) -> str:
        """Write the deals, and say where they are; of a lesson the pupils' page shows
        some hands, all by default, and the teacher's stands beside it.
        """
        deals = counted(len(self.layouts), "deal")
        if form != LESSON:
            lines = FORMS[form](self.layouts, self.numbering)
            _write(target, "".join(f"{line}\n" for line in lines))
            return f"{deals} {'is' if len(self.layouts) == 1 else 'are'} in {target}."
        from bayesbridge.views.lesson import pupils_page, teachers_page

        seats = tuple(Seat) if shown is None else shown
        beside = target.with_stem(f"{target.stem}-teacher")
        _write(target, pupils_page(self.layouts, self.numbering, seats))
        _write(beside, teachers_page(self.layouts, self.numbering))
        return f"{deals}: {target} for pupils, {beside} for the teacher."

    @property
    def numbering(self) -> Numbering:
        return Numbering(1, self.dealer, self.vulnerable, self.types)

    def document(self) -> dict[str, Any]:
        numbering, dealt = self.numbering, list(self.layouts)
        numbers = range(numbering.first, numbering.first + len(dealt))
        boards = {
            "deals": [deal.pbn for deal in dealt],
            "dealers": [numbering.dealer_of(board).name for board in numbers],
            "vulnerable": [numbering.vulnerable_on(board).value for board in numbers],
            **({"deal_types": list(self.types)} if self.types else {}),
        }
        tested = (
            {"drawn": self.search.drawn, "kept": self.search.kept}
            if not self.plan.exact
            else {}
        )
        statistics = [
            found.document()
            for found in findings(self.script, self.exact, self._values)
        ]
        for place, one in enumerate(statistics, 1):
            one["name"] = one["name"] or f"{one['kind']} {place}"
        return {**self.plan_document(), **tested, **boards, "statistics": statistics}

    def lines(self, form: str | None) -> Iterator[str]:
        """The deals on screen, as the form or else the script says, then the
        statistics.
        """
        if (
            form is None
            and self.script.prints
            and self.script != Script(self.script.condition)
        ):
            shown = printed(self.script, self.layouts, self.numbering, self._values)
        elif form is None and self.script.actions:
            shown = iter(())
        else:
            shown = FORMS[form or "diagram"](self.layouts, self.numbering)
        return chain(shown, self.statistics())

    def statistics(self) -> Iterator[str]:
        return chain.from_iterable(
            found.lines() for found in findings(self.script, self.exact, self._values)
        )

    def remarks(self) -> Iterator[str]:
        """What is said on stderr after the deals: how many draws it took, and what is
        missing.
        """
        found = f"{len(self.layouts)} of {self.wanted} deals were found"
        if self.plan.is_one_deal:
            if len(self.layouts) < self.wanted:
                why = "the cards given are one deal, and it does not meet the condition"
                yield f"{found}: {why}"
            return
        if self.search.drawn and not self.plan.exact:
            yield from self._draws_remarks()
        for name, search in self.by_type.items():
            if search.kept < search.drawn:
                draws = f"{number(search.kept)} of {number(search.drawn)} draws"
                yield f"type {name}: {draws} were kept, {chance_text(search.rate)}"
        if len(self.layouts) < self.wanted:
            mend = (
                "allow more draws with --generate, or make the condition easier to meet"
            )
            yield f"{found}: {mend}"

    def _draws_remarks(self) -> Iterator[str]:
        """How many draws passed, and what that says of the condition or the calls."""
        search, calls = self.search, self.plan.calls
        verb = "passed the tests" if calls is None else "were kept"
        draws = f"{number(search.kept)} of {number(search.drawn)} draws"
        yield f"{draws} {verb}, {chance_text(search.rate)}"
        if calls is None:
            share = chance_text(float(self.plan.plan.exact_chance) * search.rate)
            whole = f"about {share} of all deals with the known cards meet the whole"
            yield f"{whole}, ± {100 * search.error:.2g} %"
            if search.rate < LOW:
                cost = "few draws are kept: a deal costs as many more"
                yield f"{cost}; say more of it in words that tables know"
        elif not calls.exact:
            share = f"{100 * search.cut:.2g} % of the probability"
            yield f"calls: {share} was cut off, by these draws"

    @property
    def _values(self) -> LayoutValues:
        return LayoutValues(self.layouts.masks, generator(self.seed), solve)
