"""The headline table: ten million deals, bid by Algorithm 1 and played out; all follows
from one joint count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.paper import HEADLINE, HEADLINE_TITLE, HEADLINE_TRIALS
from bayesbridge.studies.study import (
    Comparison,
    Figure,
    Moments,
    Study,
    mean_figure,
    share_figure,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bayesbridge.game.scoring import Scheme

SHAPE: Final = (
    7,
    8,
    14,
    2,
)  # level − 1, the dummy's level, tricks, whether Algorithm 2's T reaches the contract


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 1568,) random deals, then those with a contract by ``SHAPE``, flat."""
    import numpy as np

    from bayesbridge.capture.kernels import tricks
    from bayesbridge.studies.deals import deal_blocks, find_contracts

    size = int(np.prod(SHAPE))
    counts = np.zeros(1 + size, dtype=np.int64)
    counts[0] = deals
    for found in map(find_contracts, deal_blocks(deals, seed)):
        promised = (
            tricks(found.table[:, 0].copy(), found.table[:, 2].copy()) >= found.target
        )
        cell = np.ravel_multi_index(
            (found.level - 1, found.dummy_level, found.tricks(), promised.astype(int)),
            SHAPE,
        )
        counts[1:] += np.bincount(cell, minlength=size)
    return counts


def fields(done: Run, schemes: Mapping[str, Scheme]) -> dict[str, Any]:
    """A run beside the paper, and the net points of a contract by each scheme, also
    where the dummy could bid too.
    """
    joint, points = done.counts[1:].reshape(SHAPE), {}
    for name, scheme in schemes.items():
        every, both = (
            Moments.of(_points(some, scheme)) for some in (joint, joint[:, 1:])
        )
        points[name] = {
            "mean": every and every.mean,
            "standard_error": every and every.error,
            "both_eligible": both and both.mean,
            "both_error": both and both.error,
        }
    return {
        "title": HEADLINE_TITLE,
        "unit": "counts and points per ten million deals",
        "figures": tuple(_figures(done.counts)),
        "trials": HEADLINE_TRIALS,
        "answers": {"points": points},
    }


def _summed(counts: Counts) -> dict[str, int]:
    """The sums behind the table, as whole numbers; points are those of bidders less
    those of both defenders.
    """
    import numpy as np

    from bayesbridge.game.scoring import SCHEMES

    deals, joint = int(counts[0]), counts[1:].reshape(SHAPE)
    valid, both = int(joint.sum()), int(joint[:, 1:].sum())
    won = np.stack(
        [joint[level, :, level + 7 :].sum(axis=1) for level in range(7)]
    )  # (7, 8, 2) contracts made
    levels = range(1, 8)
    sums = {
        "deals": deals,
        "valid_bidder": valid,
        "passed_out": deals - valid,
        "won": int(won.sum()),
        "lost": valid - int(won.sum()),
        "lost_weak_dummy": int(joint[:, 0].sum() - won[:, 0].sum()),
        "both_eligible": both,
        "won_both_eligible": int(won[:, 1:].sum()),
        "bidder_levels_both_eligible": sum(
            n * int(joint[n - 1, 1:].sum()) for n in levels
        ),
        "dummy_levels_both_eligible": sum(n * int(joint[:, n].sum()) for n in levels),
        "promised_by_algorithm_2": int(joint[..., 1].sum()),
        "promised_and_won": int(won[..., 1].sum()),
    }
    for which, some in (("", joint), ("_both_eligible", joint[:, 1:])):
        for name, scheme in SCHEMES.items():
            sums[f"net_points_{name}{which}"] = int(
                sum(p * k for p, k in _points(some, scheme).items())
            )
    return sums


def net_points(scheme: Scheme, level: int, tricks: int) -> float:
    """Net points of an NT contract: the bidder's if made, less those of both defenders
    if not.
    """
    from bayesbridge.game.calls import Contract

    return float(scheme.score(Contract.of(f"{level}NT by S"), tricks))


def _points(joint: NDArray[np.int64], scheme: Scheme) -> Counter[float]:
    """How many contracts earn so many net points."""
    found: Counter[float] = Counter()
    for level, tricks in product(range(1, 8), range(14)):
        found[net_points(scheme, level, tricks)] += int(
            joint[level - 1, :, tricks].sum()
        )
    return found


def _figures(counts: Counts) -> Iterator[Figure]:
    from bayesbridge.game.scoring import SCHEMES

    deals, joint = int(counts[0]), counts[1:].reshape(SHAPE)
    own = _summed(counts)
    paper_deals = 3.0 * HEADLINE_TRIALS
    paper_valid, paper_both = (
        float(sum(HEADLINE[name]))
        for name in ("deals with a valid bidder", "both eligible")
    )
    paper_lost = paper_valid * (1 - sum(HEADLINE["win rate (%)"]) / 300)
    for name, hits, trials, paper_trials, unit, why in (
        (
            "deals with a valid bidder",
            "valid_bidder",
            "deals",
            paper_deals,
            HEADLINE_TRIALS,
            _VALID,
        ),
        ("win rate (%)", "won", "valid_bidder", paper_valid, 100, _PLAY),
        (
            "losses with a weak dummy (%)",
            "lost_weak_dummy",
            "lost",
            paper_lost,
            100,
            _PLAY,
        ),
        (
            "both eligible",
            "both_eligible",
            "deals",
            paper_deals,
            HEADLINE_TRIALS,
            _BOTH,
        ),
        (
            "win rate, both eligible (%)",
            "won_both_eligible",
            "both_eligible",
            paper_both,
            100,
            _PLAY,
        ),
    ):
        digits = 2 if unit == 100 else 0
        ours = own[hits], own[trials]
        known = why != _PLAY
        yield share_figure(
            name,
            HEADLINE[name],
            unit,
            paper_trials,
            ours,
            digits=digits,
            determined=known,
            chosen=known,
            why=why,
        )
    for axis, who in enumerate(("bidder", "dummy")):
        name = f"average {who} level, both eligible"
        by_level: dict[float, int] = dict(
            enumerate(joint[:, 1:].sum(axis=(1 - axis, 2, 3)).tolist(), 1)
        )
        yield mean_figure(
            name,
            HEADLINE[name],
            1,
            paper_both,
            by_level,
            digits=4,
            chosen=True,
            why=_LEVELS,
        )
    for which, some, why in (
        ("", joint, _POINTS),
        (" (both eligible)", joint[:, 1:], _POINTS_BOTH),
    ):
        for scheme in SCHEMES.values():
            name = f"net points, {scheme.name} scheme"
            points = _points(some, scheme)
            points[0.0] += (
                deals - points.total()
            )  # the deals that do not count pay nothing
            yield mean_figure(
                name + which,
                HEADLINE[name],
                HEADLINE_TRIALS,
                paper_deals,
                points,
                digits=0,
                determined=False,
                why=why,
            )


_VALID: Final = (
    "Algorithm 1, raised from 7 tricks until it fails, by three of the four hands."
)
_BOTH: Final = "The highest of three levels wins, the earliest seat on ties, and the fourth hand is the dummy."
_LEVELS: Final = "Averages over the same deals."
_PLAY: Final = "The text does not say how cards are played; our figure: the highest card that beats the one led."
_POINTS: Final = "Neither scheme is printed and the play is open; our figure: all contracts, as the text says."
_POINTS_BOTH: Final = (
    "The printed sums are 15 and 81 for each deal with both eligible in each run, "
    "so they may be of these alone."
)


def _tables(found: Comparison) -> Iterator[Table]:
    rows = [
        [
            name,
            *(
                number(points[key], 2)
                for key in ("mean", "standard_error", "both_eligible", "both_error")
            ),
        ]
        for name, points in found.answers["points"].items()
    ]
    yield Table(
        "Net points of a contract, by scoring scheme",
        ["", "mean", "±", "both eligible", "±"],
        rows,
    )


STUDY: Final = Study(
    Job("headline", count),
    "deals bid and played out",
    1_000_000,
    _summed,
    fields,
    schemes=True,
    tables=_tables,
)
simulate: Final = STUDY.simulate
