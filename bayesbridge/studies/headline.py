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
    Sample,
    Study,
    mean_figure,
    share_figure,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bayesbridge.game.scoring import Scheme

SHAPE: Final = (7, 8, 14, 2)
"""The table of contracts, by four axes: level − 1, the level that the dummy could bid (0
for none), tricks taken, and whether the T of Algorithm 2 reaches the contract.
"""

DUMMY_COULD_BID: Final = slice(1, None)
"""On the second axis of ``SHAPE``: contracts where both hands are eligible to bid."""

PERCENT: Final = 100

PAPER_RUNS: Final = 3.0


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """Count random deals, and the contracts that are bid on them.

    The first number is that of all deals; after it, flat, comes the table of contracts:
    level − 1, the level that the dummy could bid (0 for none), tricks taken, and
    whether Algorithm 2 promises the contract, as in ``SHAPE``.
    """
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
        promised_tricks = tricks(bidders, dummies)  # by Algorithm 2
        indices = (
            contracts.level - 1,
            contracts.dummy_level,
            contracts.tricks(),
            (promised_tricks >= contracts.target).astype(int),
        )
        cell = np.ravel_multi_index(indices, SHAPE)
        counts[1:] += np.bincount(cell, minlength=size)
    return counts


def fields(finished_run: Run, schemes: Mapping[str, Scheme]) -> dict[str, Any]:
    """What a comparison with the paper has beside the counts of a run, by its fields.

    ``figures`` are the printed ones beside ours; they are out of ``trials``, ten million
    deals. ``answers`` has the net points of a contract by each scheme: of all contracts,
    and of those where the dummy's hand could bid too.
    """
    contracts = contract_table(finished_run.counts)
    points_by_scheme = {
        name: _moments_of_points(contracts, scheme) for name, scheme in schemes.items()
    }
    return {
        "title": HEADLINE_TITLE,
        "unit": "counts and points per ten million deals",
        "figures": tuple(_figures(finished_run.counts)),
        "trials": HEADLINE_TRIALS,
        "answers": {"points": points_by_scheme},
    }


def contract_table(counts: Counts) -> Counts:
    """How many contracts there were, by the four axes of ``SHAPE``.

    These are level − 1, the level that the dummy could bid (0 for none), tricks, and
    whether Algorithm 2 promises the contract. The first of the flat ``counts`` is the
    number of deals, and no part of the table.
    """
    return counts[1:].reshape(SHAPE)


def _moments_of_points(
    contracts: NDArray[np.int64], scheme: Scheme
) -> dict[str, float | None]:
    """Mean and standard error of net points.

    Of all contracts, and of those where the dummy could bid too. ``contracts`` is the
    table of ``SHAPE``: by level − 1, the dummy's level, tricks, and T.
    """
    all_contracts = Moments.of(_points(contracts, scheme))
    both_eligible = Moments.of(_points(contracts[:, DUMMY_COULD_BID], scheme))
    return {
        "mean": all_contracts and all_contracts.mean,
        "standard_error": all_contracts and all_contracts.error,
        "both_eligible": both_eligible and both_eligible.mean,
        "both_error": both_eligible and both_eligible.error,
    }


def _summed(counts: Counts) -> dict[str, int]:
    """The sums behind the table, by the keys of the document.

    ``counts`` has the number of deals, then, flat, contracts by four axes: level − 1,
    the dummy's level (0 if it could not bid), tricks, and whether Algorithm 2 promises
    the contract. Points are those of bidders less those of both defenders.
    """
    import numpy as np

    deals = int(counts[0])
    contracts = contract_table(counts)
    tricks_axis = 2
    # Three axes each: level − 1, the dummy's level, whether promised.
    bid = contracts.sum(axis=tricks_axis)
    won = _won(contracts)
    lost = bid - won
    weak_dummy = 0
    promised = 1
    bid_both_eligible = bid[:, DUMMY_COULD_BID]
    levels = np.arange(1, 8)
    sums = {
        "deals": deals,
        "valid_bidder": int(bid.sum()),
        "passed_out": deals - int(bid.sum()),
        "won": int(won.sum()),
        "lost": int(lost.sum()),
        "lost_weak_dummy": int(lost[:, weak_dummy].sum()),
        "both_eligible": int(bid_both_eligible.sum()),
        "won_both_eligible": int(won[:, DUMMY_COULD_BID].sum()),
        "bidder_levels_both_eligible": int(levels @ bid_both_eligible.sum(axis=(1, 2))),
        "dummy_levels_both_eligible": int(levels @ bid_both_eligible.sum(axis=(0, 2))),
        "promised_by_algorithm_2": int(bid[..., promised].sum()),
        "promised_and_won": int(won[..., promised].sum()),
    }
    return sums | _summed_points(contracts)


def _won(contracts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(7, 8, 2) contracts that were made, of (7, 8, 14, 2) by level − 1, …, tricks, …"""
    import numpy as np

    won_by_level = []
    for level, of_level in enumerate(contracts, start=1):
        enough_tricks = slice(level + 6, None)
        won_by_level.append(of_level[:, enough_tricks].sum(axis=1))
    return np.stack(won_by_level)


def _summed_points(contracts: NDArray[np.int64]) -> dict[str, int]:
    """Net points by each built-in scheme, in whole numbers, by the document's keys.

    Of all ``contracts``, (7, 8, 14, 2) as in ``SHAPE``, and of those where the dummy
    could bid too.
    """
    from bayesbridge.game.scoring import SCHEMES

    contracts_by_suffix = {
        "": contracts,
        "_both_eligible": contracts[:, DUMMY_COULD_BID],
    }
    sums = {}
    for suffix, counted_contracts in contracts_by_suffix.items():
        for name, scheme in SCHEMES.items():
            points = _points(counted_contracts, scheme)
            total = sum(value * times for value, times in points.items())
            sums[f"net_points_{name}{suffix}"] = int(total)
    return sums


def net_points(scheme: Scheme, level: int, tricks: int) -> float:
    """Net points of a contract in no trumps.

    The bidder's points if it is made, less those of both defenders if not.
    """
    from bayesbridge.game.calls import Contract

    return float(scheme.score(Contract.of(f"{level}NT by S"), tricks))


def _points(contracts: NDArray[np.int64], scheme: Scheme) -> Counter[float]:
    """How many of the contracts, by level − 1, …, tricks, …, earn so many net points."""
    contracts_by_points: Counter[float] = Counter()
    for level, tricks in product(range(1, 8), range(14)):
        points = net_points(scheme, level, tricks)
        contracts_by_points[points] += int(contracts[level - 1, :, tricks].sum())
    return contracts_by_points


class Share(NamedTuple):
    """A share in the printed table, and the sums of ours that it is made of."""

    name: str  # in ``HEADLINE``
    hits: str  # the sum that counts hits
    trials: str  # the sum of which they are a share
    paper_trials: float  # of all runs of the paper
    unit: int  # what the printed share is out of
    needs_play: bool  # whether it depends on how the cards are played
    why: str


def _shares() -> tuple[Share, ...]:
    """The shares of the printed table, with the sums of ours that they are made of."""
    deals = PAPER_RUNS * float(HEADLINE_TRIALS)
    contracts = float(sum(HEADLINE["deals with a valid bidder"]))
    both_eligible = float(sum(HEADLINE["both eligible"]))
    win_rates = HEADLINE["win rate (%)"]
    mean_win_rate = sum(win_rates) / (PERCENT * len(win_rates))
    lost = contracts * (1 - mean_win_rate)
    return (
        Share(
            "deals with a valid bidder",
            hits="valid_bidder",
            trials="deals",
            paper_trials=deals,
            unit=HEADLINE_TRIALS,
            needs_play=False,
            why=WHY_VALID,
        ),
        Share(
            "win rate (%)",
            hits="won",
            trials="valid_bidder",
            paper_trials=contracts,
            unit=PERCENT,
            needs_play=True,
            why=WHY_PLAY,
        ),
        Share(
            "losses with a weak dummy (%)",
            hits="lost_weak_dummy",
            trials="lost",
            paper_trials=lost,
            unit=PERCENT,
            needs_play=True,
            why=WHY_PLAY,
        ),
        Share(
            "both eligible",
            hits="both_eligible",
            trials="deals",
            paper_trials=deals,
            unit=HEADLINE_TRIALS,
            needs_play=False,
            why=WHY_BOTH,
        ),
        Share(
            "win rate, both eligible (%)",
            hits="won_both_eligible",
            trials="both_eligible",
            paper_trials=both_eligible,
            unit=PERCENT,
            needs_play=True,
            why=WHY_PLAY,
        ),
    )


def _figures(counts: Counts) -> Iterator[Figure]:
    """The printed figures beside ours: shares, mean levels and net points.

    What does not depend on the play is determined by the text, though our reading of
    the auction was chosen by these very figures.
    """
    sums = _summed(counts)
    for share in _shares():
        yield share_figure(
            share.name,
            printed=HEADLINE[share.name],
            unit=share.unit,
            paper_trials=share.paper_trials,
            own=Sample(hits=sums[share.hits], trials=sums[share.trials]),
            digits=2 if share.unit == PERCENT else 0,
            determined=not share.needs_play,
            chosen=not share.needs_play,
            why=share.why,
        )
    deals = int(counts[0])
    contracts = contract_table(counts)
    yield from _level_figures(contracts)
    yield from _points_figures(contracts, deals)


def _level_figures(contracts: NDArray[np.int64]) -> Iterator[Figure]:
    """Average levels of bidder and dummy where both could bid.

    ``contracts`` (7, 8, 14, 2): by level − 1, the level that the dummy could bid,
    tricks, and whether Algorithm 2 promises the contract.
    """
    both_eligible = contracts[:, DUMMY_COULD_BID]
    # (7, 7) by the levels 1 … 7 of bidder and dummy
    by_both_levels = both_eligible.sum(axis=(2, 3))
    contracts_by_level = {
        "bidder": by_both_levels.sum(axis=1),
        "dummy": by_both_levels.sum(axis=0),
    }
    printed_both_eligible = HEADLINE["both eligible"]
    for player, numbers in contracts_by_level.items():
        name = f"average {player} level, both eligible"
        yield mean_figure(
            name,
            printed=HEADLINE[name],
            unit=1,
            paper_trials=float(sum(printed_both_eligible)),
            values=dict(enumerate(numbers.tolist(), start=1)),
            digits=4,
            chosen=True,
            why=WHY_LEVELS,
        )


def _points_figures(contracts: NDArray[np.int64], deals: int) -> Iterator[Figure]:
    """Net points of all deals by each built-in scheme, as the paper prints them.

    Once those of all ``contracts``, (7, 8, 14, 2) as in ``SHAPE``; once those of
    contracts where the dummy could bid too. All other deals count as nought.
    """
    from bayesbridge.game.scoring import SCHEMES

    readings = (
        ("", contracts, WHY_POINTS),
        (" (both eligible)", contracts[:, DUMMY_COULD_BID], WHY_POINTS_BOTH),
    )
    for suffix, counted_contracts, why in readings:
        for scheme in SCHEMES.values():
            name = f"net points, {scheme.name} scheme"
            deals_by_points = _points(counted_contracts, scheme)
            deals_by_points[0.0] += deals - deals_by_points.total()
            yield mean_figure(
                name + suffix,
                printed=HEADLINE[name],
                unit=HEADLINE_TRIALS,
                paper_trials=PAPER_RUNS * float(HEADLINE_TRIALS),
                values=deals_by_points,
                digits=0,
                determined=False,
                why=why,
            )


WHY_VALID: Final = (
    "Algorithm 1, raised from 7 tricks until it fails, by three of the four hands."
)
WHY_BOTH: Final = (
    "The highest of three levels wins, the earliest seat on ties, and the fourth hand "
    "is the dummy."
)
WHY_LEVELS: Final = "Averages over the same deals."
WHY_PLAY: Final = (
    "The text does not say how cards are played; our figure: the highest card that "
    "beats the one led."
)
WHY_POINTS: Final = (
    "Neither scheme is printed and the play is open; our figure: all contracts, as the "
    "text says."
)
WHY_POINTS_BOTH: Final = (
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
