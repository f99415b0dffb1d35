"""The headline table: ten million deals, bid by Algorithm 1 and played out.

All follows from one joint count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

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

SHAPE: Final = (7, 8, 14, 2)
"""Level − 1, the dummy's level, tricks, whether Algorithm 2's T reaches the contract."""

PAPER_RUNS: Final = 3.0


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 1568,) random deals, then those with a contract by ``SHAPE``, flat."""
    import numpy as np

    from bayesbridge.capture.kernels import tricks
    from bayesbridge.studies.deals import deal_blocks, find_contracts

    size = int(np.prod(SHAPE))
    counts = np.zeros(1 + size, dtype=np.int64)
    counts[0] = deals
    for block in deal_blocks(deals, seed):
        contracts = find_contracts(block)
        bidders = contracts.table[:, 0].copy()
        dummies = contracts.table[:, 2].copy()
        promised = tricks(bidders, dummies) >= contracts.target
        place = (
            contracts.level - 1,
            contracts.dummy_level,
            contracts.tricks(),
            promised.astype(int),
        )
        cell = np.ravel_multi_index(place, SHAPE)
        counts[1:] += np.bincount(cell, minlength=size)
    return counts


def fields(done: Run, schemes: Mapping[str, Scheme]) -> dict[str, Any]:
    """A run beside the paper, and the net points of a contract by each scheme.

    Also of those contracts where the dummy could bid too.
    """
    contracts = done.counts[1:].reshape(SHAPE)
    points = {
        name: _moments_of_points(contracts, scheme) for name, scheme in schemes.items()
    }
    return {
        "title": HEADLINE_TITLE,
        "unit": "counts and points per ten million deals",
        "figures": tuple(_figures(done.counts)),
        "trials": HEADLINE_TRIALS,
        "answers": {"points": points},
    }


def _moments_of_points(
    contracts: NDArray[np.int64], scheme: Scheme
) -> dict[str, float | None]:
    """Mean and standard error of net points.

    Of all contracts, and of those where the dummy could bid too.
    """
    every = Moments.of(_points(contracts, scheme))
    both_eligible = Moments.of(_points(contracts[:, 1:], scheme))
    return {
        "mean": every and every.mean,
        "standard_error": every and every.error,
        "both_eligible": both_eligible and both_eligible.mean,
        "both_error": both_eligible and both_eligible.error,
    }


def _summed(counts: Counts) -> dict[str, int]:
    """The sums behind the table, as whole numbers.

    Points are those of bidders less those of both defenders.
    """
    deals = int(counts[0])
    contracts = counts[1:].reshape(SHAPE)
    both_eligible = contracts[:, 1:]
    made = _made(contracts)
    levels = _levels()
    valid = int(contracts.sum())
    lost = valid - int(made.sum())
    sums = {
        "deals": deals,
        "valid_bidder": valid,
        "passed_out": deals - valid,
        "won": int(made.sum()),
        "lost": lost,
        "lost_weak_dummy": int(contracts[:, 0].sum() - made[:, 0].sum()),
        "both_eligible": int(both_eligible.sum()),
        "won_both_eligible": int(made[:, 1:].sum()),
        "bidder_levels_both_eligible": int(levels @ both_eligible.sum(axis=(1, 2, 3))),
        "dummy_levels_both_eligible": int(levels @ both_eligible.sum(axis=(0, 2, 3))),
        "promised_by_algorithm_2": int(contracts[..., 1].sum()),
        "promised_and_won": int(made[..., 1].sum()),
    }
    return sums | _summed_points(contracts)


def _levels() -> NDArray[np.int64]:
    """(7,) the levels 1 … 7."""
    import numpy as np

    return np.arange(1, 8)


def _made(contracts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(7, 8, 2) contracts that were made: by ``SHAPE`` without tricks."""
    import numpy as np

    enough = [
        by_level[:, level + 6 :].sum(axis=1)
        for level, by_level in enumerate(contracts, start=1)
    ]
    return np.stack(enough)


def _summed_points(contracts: NDArray[np.int64]) -> dict[str, int]:
    """Net points by each built-in scheme, in whole numbers."""
    from bayesbridge.game.scoring import SCHEMES

    sums = {}
    for which, part in (("", contracts), ("_both_eligible", contracts[:, 1:])):
        for name, scheme in SCHEMES.items():
            points = _points(part, scheme)
            total = sum(value * times for value, times in points.items())
            sums[f"net_points_{name}{which}"] = int(total)
    return sums


def net_points(scheme: Scheme, level: int, tricks: int) -> float:
    """Net points of a contract in no trumps.

    The bidder's points if it is made, less those of both defenders if not.
    """
    from bayesbridge.game.calls import Contract

    return float(scheme.score(Contract.of(f"{level}NT by S"), tricks))


def _points(contracts: NDArray[np.int64], scheme: Scheme) -> Counter[float]:
    """How many contracts earn so many net points."""
    times: Counter[float] = Counter()
    for level, tricks in product(range(1, 8), range(14)):
        points = net_points(scheme, level, tricks)
        times[points] += int(contracts[level - 1, :, tricks].sum())
    return times


class Share(NamedTuple):
    """A share in the printed table, and the sums of ours that it is made of."""

    name: str  # in ``HEADLINE``
    hits: str  # the sum that counts hits
    trials: str  # the sum of which they are a share
    paper_trials: float
    unit: int  # what the printed share is out of
    why: str


def _shares() -> tuple[Share, ...]:
    """The shares of the table."""
    valid = float(sum(HEADLINE["deals with a valid bidder"]))
    both = float(sum(HEADLINE["both eligible"]))
    lost = valid * (1 - sum(HEADLINE["win rate (%)"]) / 300)
    deals = PAPER_RUNS * float(HEADLINE_TRIALS)
    return (
        Share(
            "deals with a valid bidder",
            "valid_bidder",
            "deals",
            deals,
            HEADLINE_TRIALS,
            _VALID,
        ),
        Share("win rate (%)", "won", "valid_bidder", valid, 100, _PLAY),
        Share(
            "losses with a weak dummy (%)", "lost_weak_dummy", "lost", lost, 100, _PLAY
        ),
        Share("both eligible", "both_eligible", "deals", deals, HEADLINE_TRIALS, _BOTH),
        Share(
            "win rate, both eligible (%)",
            "won_both_eligible",
            "both_eligible",
            both,
            100,
            _PLAY,
        ),
    )


def _figures(counts: Counts) -> Iterator[Figure]:
    """The printed figures beside ours."""
    sums = _summed(counts)
    contracts = counts[1:].reshape(SHAPE)
    for share in _shares():
        is_known = share.why != _PLAY
        yield share_figure(
            share.name,
            HEADLINE[share.name],
            share.unit,
            share.paper_trials,
            (sums[share.hits], sums[share.trials]),
            digits=2 if share.unit == 100 else 0,
            determined=is_known,
            chosen=is_known,
            why=share.why,
        )
    yield from _level_figures(contracts)
    yield from _points_figures(contracts, int(counts[0]))


def _level_figures(contracts: NDArray[np.int64]) -> Iterator[Figure]:
    """Average levels of bidder and dummy where both could bid."""
    both_eligible = contracts[:, 1:]
    paper_trials = float(sum(HEADLINE["both eligible"]))
    for axis, who in enumerate(("bidder", "dummy")):
        name = f"average {who} level, both eligible"
        other_axes = (1 - axis, 2, 3)
        by_level = both_eligible.sum(axis=other_axes).tolist()
        times: dict[float, int] = dict(enumerate(by_level, start=1))
        yield mean_figure(
            name,
            HEADLINE[name],
            1,
            paper_trials,
            times,
            digits=4,
            chosen=True,
            why=_LEVELS,
        )


def _points_figures(contracts: NDArray[np.int64], deals: int) -> Iterator[Figure]:
    """Net points by each built-in scheme; deals that do not count pay nothing."""
    from bayesbridge.game.scoring import SCHEMES

    for which, part, why in (
        ("", contracts, _POINTS),
        (" (both eligible)", contracts[:, 1:], _POINTS_BOTH),
    ):
        for scheme in SCHEMES.values():
            name = f"net points, {scheme.name} scheme"
            times = _points(part, scheme)
            times[0.0] += deals - times.total()
            yield mean_figure(
                name + which,
                HEADLINE[name],
                HEADLINE_TRIALS,
                PAPER_RUNS * float(HEADLINE_TRIALS),
                times,
                digits=0,
                determined=False,
                why=why,
            )


_VALID: Final = (
    "Algorithm 1, raised from 7 tricks until it fails, by three of the four hands."
)
_BOTH: Final = (
    "The highest of three levels wins, the earliest seat on ties, and the fourth hand "
    "is the dummy."
)
_LEVELS: Final = "Averages over the same deals."
_PLAY: Final = (
    "The text does not say how cards are played; our figure: the highest card that "
    "beats the one led."
)
_POINTS: Final = (
    "Neither scheme is printed and the play is open; our figure: all contracts, as the "
    "text says."
)
_POINTS_BOTH: Final = (
    "The printed sums are 15 and 81 for each deal with both eligible in each run, "
    "so they may be of these alone."
)


def _tables(comparison: Comparison) -> Iterator[Table]:
    """Net points of a contract by each scheme."""
    columns = ("mean", "standard_error", "both_eligible", "both_error")
    rows = []
    for name, points in comparison.answers["points"].items():
        rows.append([name, *(number(points[column], 2) for column in columns)])
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
