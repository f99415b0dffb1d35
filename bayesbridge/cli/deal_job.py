"""One run of ``bayesbridge deal``: its plan, its deals, and what is said about them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from bayesbridge.calls import Vulnerability
from bayesbridge.cli import options
from bayesbridge.deal import Seat
from bayesbridge.dealing.language import Script
from bayesbridge.dealing.plan import (
    LOW,
    MOST_DRAWS,
    Counts,
    DealPlan,
    Drawn,
    HandType,
    Levelled,
    find_solver,
    given_cards,
    solve,
)
from bayesbridge.dealing.run import FORMS, Numbering, exact_statistics, findings, printed
from bayesbridge.engines.conditions import chance_text
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.registry import offered
from bayesbridge.expressions import TRUE, Expression, LayoutValues, conjunction, needs_solver, parse_expression
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import generator
from bayesbridge.words import number

_PRINTED: Final = 40
_COUNTED: Final = 100_000
_WITHOUT_SCRIPT: Final = 10


@dataclass(slots=True)
class DealJob:
    """What was asked, and after :meth:`deal` what was found."""

    script: Script
    plan: DealPlan
    levels: Levelled | None
    wanted: int
    most: int
    seed: int
    dealer: Seat | None
    exact: list[Counts | None]
    layouts: Layouts = field(default_factory=lambda: Layouts.of(()))
    types: list[str] = field(default_factory=list)
    search: Drawn = field(default_factory=Drawn)
    by_type: Mapping[str, Drawn] = field(default_factory=dict)

    @classmethod
    def of(cls, args: Namespace, script: Script | None) -> DealJob:
        """Plan what the options and the script ask for."""
        asked = script or Script()
        known = given_cards([*((seat, hand.mask) for seat, hand in args.given), *enumerate(asked.predealt)])
        with options.attributed("--condition"):
            more = TRUE if args.condition is None else parse_expression(args.condition)
        common = conjunction((asked.condition, more))
        with options.attributed("--type"):
            types = [HandType.of(text) for text in args.type]
            if len({one.name for one in types}) < len(types):
                raise BayesBridgeError("two types have the same name: give each a name of its own")
        if any(needs_solver(value) for action in asked.actions for value in action.values):
            find_solver()
        seen = tuple(piece.value for piece in args.evidence)
        with options.attributed("--bidder"):
            bidder = None if args.bidder is None else offered("bidders", [args.bidder]).bidder(args.bidder)

        def planned(extra: Expression = TRUE) -> DealPlan:
            return DealPlan.of(*seen, given=known, condition=conjunction((common, extra)), bidder=bidder)

        plan = planned()
        exact = exact_statistics(asked, plan)
        usual = _WITHOUT_SCRIPT if script is None else _PRINTED if asked.prints else _COUNTED
        return cls(
            asked,
            plan,
            Levelled.of(types, planned) if types else None,
            args.n or asked.produce or usual,
            args.generate or asked.generate or MOST_DRAWS,
            args.seed if asked.seed is None or args.seed != 1 else asked.seed,
            Seat(asked.dealer) if args.dealer is None and asked.dealer is not None else args.dealer,
            exact,
        )

    def deal(self) -> None:
        """Draw the deals, unless tables tell all that is asked."""
        if self.levels is not None:
            self.layouts, self.types, self.by_type = self.levels.deals(self.wanted, self.seed, most=self.most)
        elif self.script.prints or any(counts is None for counts in self.exact):
            self.search = self.plan.search(self.wanted, self.seed, most=self.most)
            self.layouts = Layouts.adopt(self.search.first(self.wanted))
        else:
            self.wanted = 0

    def plan_lines(self) -> list[str]:
        """What is exact, what is tested, and the chances of the types."""
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
            yield from zip(self.levels.types, self.levels.plans, self.levels.sizes(self.wanted), strict=True)

    def plan_document(self) -> dict[str, Any]:
        def chances(plan: DealPlan) -> dict[str, Any]:
            return {
                "deals_that_fit": None if plan.count is None else str(plan.count),
                "probability": None if plan.probability is None else float(plan.probability),
            }

        document = {"plan": self.plan.lines(), "exact": self.plan.exact, **chances(self.plan)}
        if self.plan.calls is not None:
            document["calls"] = self.plan.calls.document()
        if self.levels is not None:
            document["types"] = {one.name: chances(plan) for one, plan, _ in self._types()}
        return document

    @property
    def numbering(self) -> Numbering:
        """By the options and the script, else by rotation."""
        vulnerable = self.script.vulnerable
        return Numbering(1, self.dealer, None if vulnerable is None else Vulnerability.of(vulnerable), self.types)

    def document(self) -> dict[str, Any]:
        numbering, dealt = self.numbering, list(self.layouts)
        numbers = range(numbering.first, numbering.first + len(dealt))
        boards = {
            "deals": [deal.pbn for deal in dealt],
            "dealers": [numbering.dealer_of(board).name for board in numbers],
            "vulnerable": [numbering.vulnerable_on(board).value for board in numbers],
            **({"deal_types": list(self.types)} if self.types else {}),
        }
        tested = {"drawn": self.search.drawn, "kept": self.search.kept} if not self.plan.exact else {}
        statistics = [found.document() for found in findings(self.script, self.exact, self._values)]
        for place, one in enumerate(statistics, 1):
            one["name"] = one["name"] or f"{one['kind']} {place}"
        return {**self.plan_document(), **tested, **boards, "statistics": statistics}

    def text(self, form: str) -> str:
        if form == "lesson":
            from bayesbridge.views.lesson import lesson_page

            return lesson_page(self.layouts, self.numbering)
        return "".join(f"{line}\n" for line in FORMS[form](self.layouts, self.numbering))

    def lines(self, form: str | None) -> Iterator[str]:
        """The deals on screen, as the form or else the script says, then the statistics."""
        if form is None and self.script.prints and self.script != Script(self.script.condition):
            shown = printed(self.script, self.layouts, self.numbering, self._values)
        elif form is None and self.script.actions:
            shown = iter(())
        else:
            shown = FORMS[form or "diagram"](self.layouts, self.numbering)
        return chain(shown, self.statistics())

    def statistics(self) -> Iterator[str]:
        """The lines of averages and frequencies."""
        return chain.from_iterable(found.lines() for found in findings(self.script, self.exact, self._values))

    def remarks(self) -> Iterator[str]:
        """How much was tested, and whether that was enough."""
        search, calls = self.search, self.plan.calls
        if search.drawn and not self.plan.exact:
            told = "passed the tests" if calls is None else "were kept"
            yield f"{number(search.kept)} of {number(search.drawn)} draws {told}, {chance_text(search.rate)}"
            if calls is None:
                exact = float(self.plan.plan.exact_chance)
                told = f"about {chance_text(exact * search.rate)} of all deals with the known cards meet the whole"
                yield f"{told}, ± {100 * exact * search.error:.2g} %"
            elif not calls.exact:
                yield f"calls: {100 * search.cut:.2g} % of the probability was cut off, by these draws"
            if calls is None and search.rate < LOW:
                yield "few draws are kept: a deal costs as many more; say more of it in words that tables know"
        for name, one in self.by_type.items():
            if one.kept < one.drawn:
                yield f"type {name}: {number(one.kept)} of {number(one.drawn)} draws were kept, {chance_text(one.rate)}"
        if len(self.layouts) < self.wanted:
            yield (
                f"{len(self.layouts)} of {self.wanted} deals were found: allow more draws with --generate, "
                "or make the condition easier to meet"
            )

    @property
    def _values(self) -> LayoutValues:
        return LayoutValues(self.layouts.masks, generator(self.seed), solve)
