"""What is asked of deals, by a script and the options."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

from bayesbridge.cli.positions import settings_of
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.dealing.language import Script, parse
from bayesbridge.dealing.plan import (
    MOST_DRAWS,
    DealPlan,
    HandType,
    Levelled,
    find_solver,
    given_cards,
)
from bayesbridge.dealing.run import exact_statistics
from bayesbridge.display.words import tell
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence.expressions import (
    TRUE,
    Expression,
    conjunction,
    needs_solver,
)
from bayesbridge.evidence.kinds import Called, Piece
from bayesbridge.evidence.parser import LONGEST_SCRIPT, parse_expression
from bayesbridge.game.calls import PASS, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.position import Position, Sourced

if TYPE_CHECKING:
    from bayesbridge.evidence.models import BidderModel

USUAL_DEALS: Final = 10
USUAL_PRINTED: Final = 40
"""Deals of a script that prints them."""
USUAL_COUNTED: Final = 100_000
"""Deals of a script that only counts."""

USUAL_SEED: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class DealQuestion:
    """Which deals are asked for, how many, and how long they may be searched."""

    script: Script
    plan: DealPlan
    levels: Levelled | None
    """The types of hands that are dealt in shares; ``None`` without types."""
    exact: Sequence[Any]
    """For each statistic of the script its exact counts; ``None`` where it needs deals."""
    dealer: Seat | None
    """Who deals every board; ``None`` where the seats deal in turn."""
    vulnerable: Vulnerability | None
    """The vulnerability of every board; ``None`` where it changes."""
    wanted: int
    most_draws: int
    seed: int

    @property
    def needs_deals(self) -> bool:
        """Whether deals are drawn: tables may tell all that a script asks."""
        if self.levels is not None or self.script.prints:
            return True
        return any(counts is None for counts in self.exact)


def deal_question(args: Namespace) -> DealQuestion:
    """The question of the options and of the script that they name."""
    script = read_script(args) or Script()
    condition = script_condition(args, script)
    types = hand_types(args)
    values = chain.from_iterable(action.values for action in script.actions)
    if any(map(needs_solver, values)):
        find_solver()
    dealer = board_dealer(args, script)
    vulnerable = board_vulnerability(args, script)
    bidder = bidder_of_all(args, vulnerable)
    hands = [(seat, hand.mask) for seat, hand in args.given]
    known_cards = given_cards([*hands, *enumerate(script.predealt)])
    evidence = evidence_from_dealer(args, dealer)

    def planned(type_condition: Expression = TRUE) -> DealPlan:
        """The plan for all deals, or for those of a type."""
        return DealPlan.of(
            *evidence,
            given=known_cards,
            condition=conjunction((condition, type_condition)),
            bidder=bidder,
        )

    plan = planned()
    return DealQuestion(
        script=script,
        plan=plan,
        levels=Levelled.of(types, planned) if types else None,
        exact=exact_statistics(script, plan),
        dealer=dealer,
        vulnerable=vulnerable,
        wanted=args.n or script.produce or usual_number(args, script),
        most_draws=args.generate or script.generate or MOST_DRAWS,
        seed=seed_of(args, script),
    )


def usual_number(args: Namespace, script: Script) -> int:
    """How many deals there are where neither an option nor the script says it."""
    if args.script is None:
        return USUAL_DEALS
    return USUAL_PRINTED if script.prints else USUAL_COUNTED


def seed_of(args: Namespace, script: Script) -> int:
    """The seed of ``--seed``, else that of the script."""
    if script.seed is None or args.seed != USUAL_SEED:
        return int(args.seed)
    return script.seed


def read_script(args: Namespace) -> Script | None:
    """The script, with a note on conditions that do not count; ``None`` without one."""
    if args.script is None:
        return None
    with attributed(f"SCRIPT {args.script}"):
        script = parse(script_text(args.script))
    if script.overruled:
        lines = " and ".join(map(str, script.overruled))
        tell(
            f"SCRIPT {args.script}: only the last condition counts, not that in line "
            f"{lines}: join them with && to have both"
        )
    return script


def script_text(name: str) -> str:
    """The text of a script, by its file or ``-`` for stdin; no more than may be read."""
    longest = LONGEST_SCRIPT + 1
    try:
        if name == "-":
            return sys.stdin.read(longest)
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read(longest)
    except OSError as error:
        raise UsageError(
            f"cannot read {name!r} ({error.strerror}): name a script, or give a "
            "condition with --condition"
        ) from None


def script_condition(args: Namespace, script: Script) -> Expression:
    """The conditions of the script and of ``--condition``, both of which must hold."""
    condition: Expression = TRUE
    with attributed("--condition"):
        if args.condition is not None:
            condition = parse_expression(args.condition)
    return conjunction((script.condition, condition))


def hand_types(args: Namespace) -> list[HandType]:
    """The types of ``--type``, each with a name of its own."""
    with attributed("--type"):
        types = [HandType.of(text) for text in args.type]
        if len({hand_type.name for hand_type in types}) < len(types):
            raise BayesBridgeError(
                "two types have the same name: give each a name of its own"
            )
    return types


def first_caller(args: Namespace) -> Seat | None:
    """Who makes the first call among the options; ``None`` without calls."""
    for sourced in args.evidence:
        if isinstance(sourced.value, Called):
            return sourced.value.seat
    return None


def board_dealer(args: Namespace, script: Script) -> Seat | None:
    """Who deals every board; ``None`` where the seats deal in turn."""
    if args.dealer is not None:
        return cast(Seat, args.dealer)
    if script.dealer is not None:
        return Seat(script.dealer)
    return first_caller(args)


def evidence_from_dealer(args: Namespace, dealer: Seat | None) -> tuple[Piece, ...]:
    """The evidence of the options; a dealer before the first caller has passed."""
    pieces = tuple(sourced.value for sourced in args.evidence)
    if dealer is None or first_caller(args) in (None, dealer):
        return pieces
    return (Called(dealer, PASS), *pieces)


def board_vulnerability(args: Namespace, script: Script) -> Vulnerability | None:
    """The vulnerability of every board; ``None`` where it changes."""
    if args.vulnerable is not None:
        return cast(Vulnerability, args.vulnerable)
    return None if script.vulnerable is None else Vulnerability.of(script.vulnerable)


def bidder_of_all(
    args: Namespace, vulnerable: Vulnerability | None
) -> BidderModel | None:
    """How all four bid by the options; ``None`` for the usual model as it is."""
    settings = settings_of(args, ("bidder", "slip", "system", "style"))
    if vulnerable is not None:
        source = "argument --vulnerable"
        settings["vulnerable"] = Sourced(vulnerable, source, needed=False)
    return Position(settings).bidder("learned")
