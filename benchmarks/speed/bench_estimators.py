"""How many layouts a second each estimator judges.

    python benchmarks/speed/bench_estimators.py [--json | --write]

They answer different questions, so there is no ratio. South's hand is that of
questions.py, North is his partner, everything else is drawn.
Processor time: the double-dummy solver spreads over all cores, which are added up. It
is compared with the same solver called through endplay, where both must give the same
tricks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from page import Table, run
from questions import SOUTH
from timing import once, rate

from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.estimators import registry
from bayesbridge.estimators.protocol import Estimator, Question
from bayesbridge.estimators.protocol import run as judge
from bayesbridge.game.layouts import Layouts

QUESTION = Question.of("S:N")
SAYS = {
    "capture": "T and all quantities of Algorithm 2",
    "bid": "what each of the four hands bids by Algorithm 1",
    "play_out": "tricks when all four play by a fixed rule",
    "tricks": "double-dummy tricks of one contract, predicted by a network",
    "solved": "double-dummy tricks of one contract, solved",
    "double_dummy": "tricks of perfect play, four declarers, five strains",
    "double_dummy_leads": "tricks of perfect play after each lead, at no trumps",
}
FEW = {"solved": 100, "double_dummy": 20, "double_dummy_leads": 40}
"""How many layouts are judged where one takes long."""


def drawn(n: int) -> Layouts:
    """Layouts that fit South's hand."""
    return Layouts.adopt(LayoutIndex.of(SOUTH.constraints).draw(n, 1))


def speed(estimator: Estimator) -> float:
    """Layouts a second; who takes long for one is asked about a few, once."""

    if estimator.name in FEW:
        layouts = drawn(FEW[estimator.name])
        return len(layouts) / once(lambda: judge(estimator, layouts, QUESTION))
    layouts = drawn(100_000)
    return rate(lambda n: judge(estimator, layouts[:n], QUESTION), len(layouts))


def estimators() -> Table:
    """Layouts a second, by the estimators that are installed."""
    found = registry.load().estimators
    rows: list[tuple[str | float | None, ...]] = []
    for name, says in SAYS.items():
        if name not in found:
            rows.append((f"`{name}`: not installed", says, None))
            continue
        rows.append((f"`{name}`", says, speed(found[name])))
    return Table(
        "estimators",
        "Layouts that an estimator judges in a second of processor time",
        ("estimator", "says", "layouts a second"),
        rows,
        words=2,
    )


def solver() -> Table:
    """The same solver by way of the plugin and of endplay itself: what the plugin costs
    beside the solving.
    """
    title = "Whole double-dummy tables a second of processor time: DDS through the plugin and through endplay"
    header = ("a second", "plugin", "endplay", "ratio")
    found = registry.load().estimators
    if "double_dummy" not in found:
        return Table("solver", title, header, [("not installed", None, None, None)])
    from endplay.dds import calc_all_tables
    from endplay.types import Deal, Denom, Player

    layouts = drawn(20)
    ours: list[Any] = []
    theirs: list[Any] = []

    def by_plugin() -> None:
        ours.append(judge(found["double_dummy"], layouts, QUESTION)["dd_tricks"])

    def by_endplay() -> None:
        theirs.extend(calc_all_tables([Deal(deal.pbn) for deal in layouts]))

    fast, slow = (len(layouts) / once(work) for work in (by_plugin, by_endplay))
    strains = (Denom.clubs, Denom.diamonds, Denom.hearts, Denom.spades, Denom.nt)
    seats = (Player.north, Player.east, Player.south, Player.west)
    assert np.array_equal(
        ours[0],
        [[[table[seat, s] for seat in seats] for s in strains] for table in theirs],
    )
    return Table(
        "solver", title, header, [("tables of random layouts", fast, slow, fast / slow)]
    )


if __name__ == "__main__":
    run(__doc__, estimators, solver)
