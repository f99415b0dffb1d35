"""The deals that were found: for programs, on the screen, in files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from bayesbridge.cli.deal_question import DealQuestion
from bayesbridge.cli.deal_search import SearchNotes
from bayesbridge.cli.files import writing
from bayesbridge.dealing.language import Script
from bayesbridge.dealing.plan import LOW, DealPlan, Drawn, HandType, solve
from bayesbridge.dealing.run import FORMS, Numbering, findings, printed
from bayesbridge.display.words import counted, number
from bayesbridge.engines.conditions import chance_text
from bayesbridge.evidence.expressions import LayoutValues
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.runtime.random64 import generator

LESSON: Final = "lesson"
"""The form of a page to print."""


@dataclass(frozen=True, slots=True, eq=False)
class DealAnswer:
    """The deals of a question, and how they were found."""

    question: DealQuestion
    wanted: int
    """How many deals are wanted; none where tables tell all that is asked."""
    layouts: Layouts = field(default_factory=lambda: Layouts.of(()))
    types: Sequence[str] = ()
    """The type of each deal, where there are types."""
    search: Drawn = field(default_factory=Drawn)
    search_by_type: Mapping[str, Drawn] = field(default_factory=dict)

    @classmethod
    def of(cls, question: DealQuestion) -> DealAnswer:
        """Draw the deals, unless tables tell all that is asked."""
        if not question.needs_deals:
            return cls(question, wanted=0)
        wanted = question.wanted
        most = question.most_draws
        if question.levels is not None:
            layouts, types, search_by_type = question.levels.deals(
                wanted,
                question.seed,
                most=most,
                watch=lambda kind, size: SearchNotes(size, most, kind),
            )
            return cls(question, wanted, layouts, types, search_by_type=search_by_type)
        search = question.plan.search(
            wanted, question.seed, most=most, watch=SearchNotes(wanted, most)
        )
        return cls(question, wanted, Layouts.adopt(search.first(wanted)), search=search)

    @property
    def is_complete(self) -> bool:
        """Whether as many deals were found as are wanted."""
        return len(self.layouts) >= self.wanted

    @property
    def numbering(self) -> Numbering:
        """Numbers, dealers and vulnerability of the boards."""
        question = self.question
        return Numbering(1, question.dealer, question.vulnerable, list(self.types))

    @property
    def values(self) -> LayoutValues:
        """What expressions of the script are worth on each deal."""
        return LayoutValues(self.layouts.masks, generator(self.question.seed), solve)

    def document(self) -> dict[str, Any]:
        """The deals as plain data."""
        numbering = self.numbering
        deals = list(self.layouts)
        numbers = range(numbering.first, numbering.first + len(deals))
        document = plan_document(self.question)
        if not self.question.plan.exact:
            document |= {"drawn": self.search.drawn, "kept": self.search.kept}
        document |= {
            "deals": [deal.pbn for deal in deals],
            "dealers": [numbering.dealer_of(board).name for board in numbers],
            "vulnerable": [numbering.vulnerable_on(board).value for board in numbers],
        }
        if self.types:
            document["deal_types"] = list(self.types)
        document["statistics"] = self.statistics_document()
        return document

    def statistics_document(self) -> list[dict[str, Any]]:
        """The statistics of the script as plain data, each with a name."""
        statistics = []
        for place, finding in enumerate(self.findings(), 1):
            statistic = finding.document()
            if not statistic["name"]:
                statistic["name"] = f"{statistic['kind']} {place}"
            statistics.append(statistic)
        return statistics

    def findings(self) -> Iterator[Any]:
        """The statistics of the script over the deals."""
        yield from findings(self.question.script, self.question.exact, self.values)

    def lines(self, form: str | None) -> list[str]:
        """The deals on the screen, as the form or else the script says; statistics."""
        return [*self.deal_lines(form), *self.statistics()]

    def deal_lines(self, form: str | None) -> Iterator[str]:
        """The deals on the screen."""
        script = self.question.script
        says_more = script != Script(script.condition)
        if form is None and script.prints and says_more:
            return printed(script, self.layouts, self.numbering, self.values)
        if form is None and script.actions:
            return iter(())
        return FORMS[form or "diagram"](self.layouts, self.numbering)

    def statistics(self) -> list[str]:
        """The statistics of the script in lines."""
        return list(chain.from_iterable(finding.lines() for finding in self.findings()))

    def write(self, target: Path, form: str, shown: Sequence[Seat] | None) -> str:
        """Write the deals, and say where they are.

        Of a lesson the pupils' page shows some hands, by default all, and the teacher's
        is written next to it.
        """
        deals = counted(len(self.layouts), "deal")
        if form != LESSON:
            lines = FORMS[form](self.layouts, self.numbering)
            write_text(target, "".join(f"{line}\n" for line in lines))
            verb = "is" if len(self.layouts) == 1 else "are"
            return f"{deals} {verb} in {target}."
        from bayesbridge.views.lesson import pupils_page, teachers_page

        seats = tuple(Seat) if shown is None else shown
        teachers = target.with_stem(f"{target.stem}-teacher")
        write_text(target, pupils_page(self.layouts, self.numbering, seats))
        write_text(teachers, teachers_page(self.layouts, self.numbering))
        return f"{deals}: {target} for pupils, {teachers} for the teacher."

    def remarks(self) -> Iterator[str]:
        """What is said on stderr after the deals: how many draws, and what is missing.

        Draws are counted for all deals, and where deals have types for each type.
        """
        plan = self.question.plan
        missing = f"{len(self.layouts)} of {self.wanted} deals were found"
        if plan.is_one_deal:
            if not self.is_complete:
                yield (
                    f"{missing}: the cards given are one deal, and it does not meet "
                    "the condition"
                )
            return
        if self.search.drawn and not plan.exact:
            yield from self.draws_remarks()
        for name, search in self.search_by_type.items():
            if search.kept < search.drawn:
                draws = f"{number(search.kept)} of {number(search.drawn)} draws"
                yield f"type {name}: {draws} were kept, {chance_text(search.rate)}"
        if not self.is_complete:
            yield (
                f"{missing}: allow more draws with --generate, or make the condition "
                "easier to meet"
            )

    def draws_remarks(self) -> Iterator[str]:
        """How many draws passed, and what that says of the condition or the calls.

        Draws come from the part of the deals that tables make exactly (its share is the
        plan's ``exact_chance``), and the others of the condition are tests: of these
        the share is estimated. Calls are read by weights, of which the search cuts off
        the largest.
        """
        search = self.search
        plan = self.question.plan
        verb = "passed the tests" if plan.calls is None else "were kept"
        draws = f"{number(search.kept)} of {number(search.drawn)} draws"
        yield f"{draws} {verb}, {chance_text(search.rate)}"
        if plan.calls is None:
            share_of_deals = float(plan.plan.exact_chance) * search.rate
            share = chance_text(share_of_deals)
            yield (
                f"about {share} of all deals with the known cards meet the whole, "
                f"± {100 * search.error:.2g} %"
            )
            if search.rate < LOW:
                yield (
                    "few draws are kept: a deal costs as many more; say more of it in "
                    "words that tables know"
                )
        elif not plan.calls.exact:
            share = f"{100 * search.cut:.2g} % of the probability"
            yield f"calls: {share} was cut off, by these draws"


def write_text(target: Path, text: str) -> None:
    """Write a file that then appears whole."""
    with writing("--out", target) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def planned_types(
    question: DealQuestion, wanted: int
) -> Iterator[tuple[HandType, DealPlan, int]]:
    """Each type with its plan and how many of it are wanted; none without types."""
    levels = question.levels
    if levels is not None:
        sizes = levels.sizes(wanted)
        yield from zip(levels.types, levels.plans, sizes, strict=True)


def plan_lines(question: DealQuestion) -> list[str]:
    """What is exact and what is tested, of all deals and of each type."""
    plan_of_all = question.plan
    lines = plan_of_all.lines()
    for hand_type, plan, size in planned_types(question, question.wanted):
        chance = chance_text(plan.plan.exact_chance)
        share = f"at most {chance} of all deals, and tested"
        if plan.count is not None and plan_of_all.count is not None:
            exact_share = chance_text(plan.count / plan_of_all.count)
            share = f"exactly {exact_share} of what is asked"
        lines.append(f"Type {hand_type.name}: {number(size)} deals, {share}")
    return lines


def plan_document(question: DealQuestion) -> dict[str, Any]:
    """The plan as plain data."""
    plan = question.plan
    document = {"plan": plan.lines(), "exact": plan.exact, **chances(plan)}
    if plan.calls is not None:
        document["calls"] = plan.calls.document()
    if question.levels is not None:
        document["types"] = {
            hand_type.name: chances(type_plan)
            for hand_type, type_plan, _wanted in planned_types(
                question, question.wanted
            )
        }
    return document


def chances(plan: DealPlan) -> dict[str, Any]:
    """How many deals fit a plan, and how likely one is; ``None`` where not known."""
    count = None if plan.count is None else str(plan.count)
    probability = None if plan.probability is None else float(plan.probability)
    return {"deals_that_fit": count, "probability": probability}


def boards_line(question: DealQuestion) -> str:
    """How many boards there would be, who deals them, and who is vulnerable."""
    dealer = "dealers in turn"
    if question.dealer is not None:
        dealer = f"dealer {question.dealer.name}"
    vulnerable = "vulnerability in turn"
    if question.vulnerable is not None:
        vulnerable = f"vulnerable {question.vulnerable.value}"
    return f"{counted(question.wanted, 'board')}, {dealer}, {vulnerable}."


def boards_document(question: DealQuestion) -> dict[str, Any]:
    """The same as plain data."""
    dealer = None if question.dealer is None else question.dealer.name
    vulnerable = None if question.vulnerable is None else question.vulnerable.value
    return {"n": question.wanted, "dealer": dealer, "vulnerability": vulnerable}
