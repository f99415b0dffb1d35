"""How fast deals are found that fit: exact sampling beside rejection.

    python benchmarks/speed/bench_dealing.py [--json | --write]

All in one run. The questions are those of questions.py. Whoever rejects is measured by
the deals that he makes and looks at in a second, and finds the exact share of those
that fit: at C that is a few deals a minute, too few to time. All on one core, in
processor time. Programs that are not installed are left out.
"""

from __future__ import annotations

import os
import random
import shutil
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
from page import Cell, Table, run
from questions import HAND, QUESTIONS, SOUTH, chance
from timing import of_command, rate

from bayesbridge.engines.tables import LayoutIndex

UNSEEN = [1 << card for card in range(52) if not SOUTH.hand.mask >> card & 1]
HEARTS = 0x1FFF << 26
SPADES = 0x1FFF << 39
WANTED = {"B": (SPADES, HEARTS, 5), "C": (HEARTS, SPADES, 6)}
"""The suit of which West has none, East's suit, and its least length."""
CONDITIONS = {
    "plain": "1",
    "B": "spades(west)==0 && hearts(east)>=5",
    "C": "hearts(west)==0 && spades(east)>=6",
}
"""The same in the language of dealer."""

type Tries = Callable[[str], float]
"""Question → deals made and looked at, a second."""


def exact_sampling(name: str) -> float:
    """Unranking the counting tables: every deal fits."""
    sampler = LayoutIndex.of(SOUTH.given(*QUESTIONS[name]).constraints)
    return rate(lambda n: sampler.draw(n, 1), 200_000)


def accept(west: int, east: int, name: str) -> bool:
    """What a user writes in Python."""
    if name == "plain":
        return True
    void, long, least = WANTED[name]
    return not west & void and (east & long).bit_count() >= least


def shuffled(name: str) -> float:
    """Shuffle the unseen cards, share them out, ask ``accept``.

    That is redeal's way, without its objects for cards.
    """
    random.seed(1)

    def deals(n: int) -> None:
        for _ in range(n):
            random.shuffle(UNSEEN)
            accept(sum(UNSEEN[:13]), sum(UNSEEN[13:26]), name)

    return rate(deals, 1000)


def in_arrays(name: str) -> float:
    """The same in NumPy, thousands at a time."""
    generator = np.random.default_rng(1)
    unseen = np.array(UNSEEN, dtype=np.uint64)

    def deals(n: int) -> None:
        order = np.argsort(generator.random((n, 39), dtype=np.float32), axis=1)
        hands = unseen[order].reshape(n, 3, 13).sum(axis=2)
        if name != "plain":
            void, long, least = WANTED[name]
            has_void = hands[:, 0] & np.uint64(void) == 0
            lengths = np.bitwise_count(hands[:, 1] & np.uint64(long))
            _ = has_void & (lengths >= least)

    return rate(deals, 10_000)


def fits_plain(_deal: Any) -> bool:
    """Any deal of endplay."""
    return True


def fits_b(deal: Any) -> bool:
    """Question B of a deal of endplay."""
    return len(deal.west.spades) == 0 and len(deal.east.hearts) >= 5


def fits_c(deal: Any) -> bool:
    """Question C of a deal of endplay."""
    return len(deal.west.hearts) == 0 and len(deal.east.spades) >= 6


FITS = {"plain": fits_plain, "B": fits_b, "C": fits_c}


def by_endplay(name: str) -> float:
    """The deal generator of endplay.

    The condition is given as a function, which is faster than as text.
    """
    from endplay.dealer import generate_deals
    from endplay.types import Deal

    predeal = Deal(f"S:{HAND} ... ... ...")

    def deals(n: int) -> None:
        with warnings.catch_warnings():
            # It says that it gave up after as many deals as it was told to.
            warnings.simplefilter("ignore")
            for _ in generate_deals(
                FITS[name], predeal=predeal, produce=n + 1, max_attempts=n, seed=1
            ):
                pass

    return rate(deals, 2000)


def by_dealer(program: str, name: str, deals: int = 2_000_000) -> float:
    """The program dealer, which prints nothing but how many it found."""
    suits = zip("SHDC", HAND.split("."), strict=True)
    cards = ",".join(suit + held for suit, held in suits)
    script = f'predeal south {cards}\ncondition {CONDITIONS[name]}\naction average "found" 1\n'
    command = [program, "-s", "1", "-g", str(deals), "-p", str(deals)]
    spent, printed = of_command(command, script)
    fitting = int(printed.split("Produced ")[1].split()[0])
    expected = deals * chance(name)
    assert abs(fitting - expected) <= 6 * expected**0.5, (
        f"dealer found {fitting} at {name}, not about {expected:.0f}"
    )
    return deals / spent


def systems() -> dict[str, Tries | None]:
    """Everybody who rejects; ``None`` for who is not installed."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
    program = shutil.which("dealer", path=path)
    systems: dict[str, Tries | None] = {
        "dealer (C), rejection": partial(by_dealer, program) if program else None,
        "NumPy, rejection": in_arrays,
        "plain Python, rejection: redeal's way": shuffled,
    }
    try:
        systems[f"endplay {version('endplay')}, rejection"] = by_endplay
    except ImportError:
        systems["endplay, rejection"] = None
    return systems


def rates() -> Table:
    """Fitting deals a second, and how many times as many exact sampling finds."""
    exact = {name: exact_sampling(name) for name in QUESTIONS}
    rows = [row_of("bayesbridge, exact sampling", exact, exact)]
    for system, tries in systems().items():
        if tries is None:
            rows.append((f"{system}: not installed", *[None] * (2 * len(QUESTIONS))))
            continue
        fitting = {name: tries(name) * chance(name) for name in QUESTIONS}
        rows.append(row_of(system, fitting, exact))
    header = (
        "a second",
        "plain",
        "ratio",
        "B, 1 in 256",
        "ratio at B",
        "C, 1 in 102 000",
        "ratio at C",
    )
    return Table(
        "dealing",
        "Three hidden hands: deals a second that fit; exact sampling finds `ratio` times as many",
        header,
        rows,
    )


def row_of(
    system: str, fitting: dict[str, float], exact: dict[str, float]
) -> tuple[Cell, ...]:
    """Fitting deals a second, and how many times as many ``exact`` has, by question."""
    cells: list[Cell] = [system]
    for name in QUESTIONS:
        cells += [fitting[name], exact[name] / fitting[name]]
    return tuple(cells)


if __name__ == "__main__":
    run(__doc__, rates)
