"""How many layouts a second each estimator judges.

    python benchmarks/speed/bench_estimators.py [--json | --write]

They answer different questions, so there is no ratio. South's hand is that of
questions.py, North is his partner, everything else is drawn.
Processor time: the double-dummy solver spreads over all cores, which are added up. It
is compared with the same solver called through endplay, where both must give the same
tricks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from page import Cell, Table, run
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
        return len(layouts) / once(partial(judge, estimator, layouts, QUESTION))
    layouts = drawn(100_000)
    return rate(lambda n: judge(estimator, layouts[:n], QUESTION), len(layouts))


def estimators() -> Table:
    """Layouts a second, by the estimators that are installed."""
    installed = registry.load().estimators
    rows: list[tuple[Cell, ...]] = []
    for name, says in SAYS.items():
        if name in installed:
            rows.append((f"`{name}`", says, speed(installed[name])))
        else:
            rows.append((f"`{name}`: not installed", says, None))
    return Table(
        "estimators",
        "Layouts that an estimator judges in a second of processor time",
        ("estimator", "says", "layouts a second"),
        rows,
        words=2,
    )


def solver() -> Table:
    """The same solver by way of the plugin and of endplay itself.

    The ratio is what the plugin costs beside the solving.
    """
    title = (
        "Whole double-dummy tables a second of processor time: "
        "DDS through the plugin and through endplay"
    )
    header = ("a second", "plugin", "endplay", "ratio")
    estimator = registry.load().estimators.get("double_dummy")
    if estimator is None:
        return Table("solver", title, header, [("not installed", None, None, None)])
    layouts = drawn(20)
    plugin_seconds, plugin_tricks = timed(partial(by_plugin, estimator, layouts))
    endplay_seconds, endplay_tricks = timed(partial(by_endplay, layouts))
    assert np.array_equal(plugin_tricks, tricks_of_tables(endplay_tricks))
    plugin_rate = len(layouts) / plugin_seconds
    endplay_rate = len(layouts) / endplay_seconds
    row = (
        "tables of random layouts",
        plugin_rate,
        endplay_rate,
        plugin_rate / endplay_rate,
    )
    return Table("solver", title, header, [row])


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time, and the answer."""
    answers: list[Any] = []
    seconds = once(lambda: answers.append(work()))
    return seconds, answers[0]


def by_plugin(estimator: Estimator, layouts: Layouts) -> Any:
    """(layouts, strains, seats) tricks."""
    return judge(estimator, layouts, QUESTION)["dd_tricks"]


def by_endplay(layouts: Layouts) -> Any:
    """The tables of endplay."""
    from endplay.dds import calc_all_tables
    from endplay.types import Deal

    return calc_all_tables([Deal(deal.pbn) for deal in layouts])


def tricks_of_tables(tables: Any) -> list[list[list[int]]]:
    """(layouts, strains, seats) tricks of tables of endplay, in the plugin's order."""
    from endplay.types import Denom, Player

    strains = (Denom.clubs, Denom.diamonds, Denom.hearts, Denom.spades, Denom.nt)
    seats = (Player.north, Player.east, Player.south, Player.west)
    tricks = []
    for table in tables:
        by_strain = []
        for strain in strains:
            by_strain.append([table[seat, strain] for seat in seats])
        tricks.append(by_strain)
    return tricks


if __name__ == "__main__":
    run(__doc__, estimators, solver)
