"""Kept deals a second for ten conditions of the dealer language.

    python benchmarks/speed/bench_scripts.py [--json | --write]

They are common to rarer than one in a million. dealer is measured by the deals that it
makes and looks at in a second, times the exact chance that one is kept. All on one
core, in processor time. What planning takes, once for each script, has a column of its
own.
"""

from __future__ import annotations

import os
import shutil
import time
from fractions import Fraction

from page import Cell, Table, run, shown
from timing import of_command, rate

from bayesbridge.dealing.plan import DealPlan

BALANCED = "any 4333 + any 4432 + any 5332"
STRONG_NOTRUMP = f"shape(north, {BALANCED}) && hcp(north) >= 15 && hcp(north) <= 17"
SCRIPTS = {
    "any deal": "1",
    "12 points or more": "hcp(north) >= 12",
    "strong no-trump": STRONG_NOTRUMP,
    "all four under 12 points": (
        "hcp(north) < 12 && hcp(east) < 12 && hcp(south) < 12 && hcp(west) < 12"
    ),
    "strong no-trump and a four-card major": (
        f"{STRONG_NOTRUMP} && "
        "hcp(south) >= 8 && (hearts(south) == 4 || spades(south) == 4)"
    ),
    "weak two with a good suit": (
        "spades(east) == 6 && hcp(east) >= 6 && hcp(east) <= 10 && "
        "top5(east, spades) >= 3"
    ),
    "33 points in two hands": "hcp(north) + hcp(south) >= 33",
    "two no-trump against a pre-empt": (
        f"shape(north, {BALANCED}) && hcp(north) >= 20 && hcp(north) <= 21 && "
        "shape(east, x7xx) && hcp(east) <= 9"
    ),
    "majors opposite majors": "shape(north, 55xx) && shape(south, 55xx)",
    "29 points opposite a long suit": "hcp(north) >= 29 && spades(south) >= 6",
}


def rates() -> Table:
    """A row for each script."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
    program = shutil.which("dealer", path=path)
    for condition in SCRIPTS.values():
        DealPlan.of(condition=condition).deals(1, rng=1)  # compiles what it needs
    header = (
        "kept deals a second",
        "chance",
        "planning, seconds",
        "bayesbridge",
        "dealer",
        "ratio",
    )
    rows = [row_of(name, script, program) for name, script in SCRIPTS.items()]
    return Table("scripts", "Conditions of the dealer language", header, rows, words=2)


def row_of(name: str, condition: str, program: str | None) -> tuple[Cell, ...]:
    """One script by the package, and by dealer if that is installed."""
    started = time.process_time()
    plan = DealPlan.of(condition=condition)
    plan.deals(1, rng=1)
    planning = time.process_time() - started
    chance = plan.probability or Fraction(0)
    one_in = f"1 in {shown(float(1 / chance))}"
    own_rate = rate(lambda n: plan.deals(n, rng=1), 50_000)
    if program is None:
        return (name, one_in, planning, own_rate, None, None)
    dealer_rate = by_dealer(program, condition) * float(chance)
    return (name, one_in, planning, own_rate, dealer_rate, own_rate / dealer_rate)


def by_dealer(program: str, condition: str, deals: int = 1_000_000) -> float:
    """Deals that dealer makes and looks at in a second."""
    script = f'condition {condition}\naction average "found" 1\n'
    command = [program, "-s", "1", "-g", str(deals), "-p", str(deals)]
    spent, _ = of_command(command, script)
    return deals / spent


if __name__ == "__main__":
    run(__doc__, rates)
