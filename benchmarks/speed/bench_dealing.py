"""How fast deals are found that fit: exact sampling beside rejection.

    python benchmarks/speed/bench_dealing.py [--json | --write]

All in one run. The questions are those of questions.py. Whoever rejects is measured by the deals that
he makes and looks at in a second, and finds the exact share of those that fit: at C
that is a few deals a minute, too few to time. All on one core, in processor time.
Programs that are not installed are left out.
"""

from __future__ import annotations

import os
import random
import shutil
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import numpy as np
from page import Table, run
from questions import HAND, QUESTIONS, SOUTH, chance
from timing import of_command, rate

from bayesbridge.engines.tables import LayoutIndex

UNSEEN = [1 << card for card in range(52) if not SOUTH.hand.mask >> card & 1]
HEARTS, SPADES = 0x1FFF << 26, 0x1FFF << 39
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
    """Shuffle the unseen cards, share them out, ask ``accept``: redeal's way, without
    its objects for cards.
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
            _ = (hands[:, 0] & np.uint64(void) == 0) & (
                np.bitwise_count(hands[:, 1] & np.uint64(long)) >= least
            )

    return rate(deals, 10_000)


def by_endplay(name: str) -> float:
    """The deal generator of endplay, the condition given as a function, which is faster
    than as text.
    """
    from endplay.dealer import generate_deals
    from endplay.types import Deal

    fits = {
        "plain": lambda _: True,
        "B": lambda deal: len(deal.west.spades) == 0 and len(deal.east.hearts) >= 5,
        "C": lambda deal: len(deal.west.hearts) == 0 and len(deal.east.spades) >= 6,
    }
    predeal = Deal(f"S:{HAND} ... ... ...")

    def deals(n: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # it says that it gave up after as many deals as it was told to
            for _ in generate_deals(
                fits[name], predeal=predeal, produce=n + 1, max_attempts=n, seed=1
            ):
                pass

    return rate(deals, 2000)


def by_dealer(program: str, name: str, deals: int = 2_000_000) -> float:
    """The program dealer, which prints nothing but how many it found."""
    cards = ",".join(
        suit + held for suit, held in zip("SHDC", HAND.split("."), strict=True)
    )
    script = f'predeal south {cards}\ncondition {CONDITIONS[name]}\naction average "found" 1\n'
    spent, told = of_command(
        [program, "-s", "1", "-g", str(deals), "-p", str(deals)], script
    )
    found = int(told.split("Produced ")[1].split()[0])
    expected = deals * chance(name)
    assert abs(found - expected) <= 6 * expected**0.5, (
        f"dealer found {found} at {name}, not about {expected:.0f}"
    )
    return deals / spent


def systems() -> dict[str, Tries | None]:
    """Everybody who rejects; ``None`` for who is not installed."""
    program = shutil.which(
        "dealer", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
    )
    try:
        endplay = f"endplay {version('endplay')}, rejection"
    except ImportError:
        endplay = ""
    return {
        "dealer (C), rejection": partial(by_dealer, program) if program else None,
        "NumPy, rejection": in_arrays,
        "plain Python, rejection: redeal's way": shuffled,
        endplay or "endplay, rejection": by_endplay if endplay else None,
    }


def rates() -> Table:
    """Fitting deals a second, and how many times as many exact sampling finds."""
    exact = {name: exact_sampling(name) for name in QUESTIONS}
    rows: list[tuple[str | float | None, ...]] = [
        (
            "bayesbridge, exact sampling",
            *(cell for name in QUESTIONS for cell in (exact[name], 1.0)),
        )
    ]
    for system, tries in systems().items():
        if tries is None:
            rows.append((f"{system}: not installed", *[None] * (2 * len(QUESTIONS))))
            continue
        found = {name: tries(name) * chance(name) for name in QUESTIONS}
        rows.append(
            (
                system,
                *(
                    cell
                    for name in QUESTIONS
                    for cell in (found[name], exact[name] / found[name])
                ),
            )
        )
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


if __name__ == "__main__":
    run(__doc__, rates)
