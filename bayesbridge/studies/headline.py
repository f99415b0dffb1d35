"""The headline table: ten million deals, bid by Algorithm 1 and played out.

What is kept is the joint count of the contract's level, the dummy's own level, the tricks of the play-out and whether
Algorithm 2 promises the contract. Every figure of the table follows from it, under any scoring scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Final

from bayesbridge.studies.engine import Counts, Job, Setting, run
from bayesbridge.studies.paper import HEADLINE, HEADLINE_TITLE, HEADLINE_TRIALS
from bayesbridge.studies.study import (
    Comparison,
    Figure,
    Study,
    Table,
    Test,
    compare_means,
    compare_shares,
    homogeneity,
    mcnemar,
    two_proportions,
)
from bayesbridge.words import number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bayesbridge.scoring import Scheme

SHAPE: Final = (7, 8, 14, 2)
"""Level − 1, the dummy's level, tricks, and whether Algorithm 2's T reaches the contract."""


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 1568,) random deals, then those with a contract by ``SHAPE``, flat."""
    import numpy as np

    from bayesbridge.capture.kernels import tricks
    from bayesbridge.studies.deals import draw_contracts

    size = int(np.prod(SHAPE))
    counts = np.zeros(1 + size, dtype=np.int64)
    counts[0] = deals
    for found in draw_contracts(deals, seed):
        promised = tricks(found.table[:, 0].copy(), found.table[:, 2].copy()) >= found.target
        cell = np.ravel_multi_index((found.level - 1, found.dummy_level, found.tricks(), promised.astype(int)), SHAPE)
        counts[1:] += np.bincount(cell, minlength=size)
    return counts


JOB: Final = Job("headline", count)


def simulate(
    deals: int,
    seed: int,
    workers: int | None = None,
    runs: int = 1,
    how: Setting | None = None,
    schemes: Sequence[Scheme] = (),
) -> Comparison:
    """Monte Carlo over ``runs`` times ``deals`` random deals; the points of other ``schemes`` beside the built-in."""
    from bayesbridge.scoring import beside_built_in

    named = beside_built_in(schemes)
    done = run(JOB, deals, seed, runs, how or Setting(workers))
    return Comparison.of_run(
        done,
        _summed,
        title=HEADLINE_TITLE,
        unit="counts and points per ten million deals",
        figures=_figures(done.counts),
        trials=HEADLINE_TRIALS,
        answers={"points": _points_by_scheme(done.counts, named)} if schemes else {},
        hypotheses=lambda: _tests(done.counts, [_summed(counts) for counts in done.by_run]),
    )


def _summed(counts: Counts) -> dict[str, int]:
    """The sums behind the table, as whole numbers; points are those of bidders less those of both defenders."""
    import numpy as np

    from bayesbridge.scoring import NEW, OLD

    deals, joint = int(counts[0]), counts[1:].reshape(SHAPE)
    valid, both = int(joint.sum()), int(joint[:, 1:].sum())
    won = np.stack([joint[level, :, level + 7 :].sum(axis=1) for level in range(7)])  # (7, 8, 2) contracts made
    levels = range(1, 8)
    return {
        "deals": deals,
        "valid_bidder": valid,
        "passed_out": deals - valid,
        "won": int(won.sum()),
        "lost": valid - int(won.sum()),
        "lost_weak_dummy": int(joint[:, 0].sum() - won[:, 0].sum()),
        "both_eligible": both,
        "won_both_eligible": int(won[:, 1:].sum()),
        "bidder_levels_both_eligible": sum(n * int(joint[n - 1, 1:].sum()) for n in levels),
        "dummy_levels_both_eligible": sum(n * int(joint[:, n].sum()) for n in levels),
        "promised_by_algorithm_2": int(joint[..., 1].sum()),
        "promised_and_won": int(won[..., 1].sum()),
        "net_points_old": int(_points(joint, OLD)[0]),
        "net_points_new": int(_points(joint, NEW)[0]),
        "net_points_old_both_eligible": int(_points(joint[:, 1:], OLD)[0]),
        "net_points_new_both_eligible": int(_points(joint[:, 1:], NEW)[0]),
    }


def net_points(scheme: Scheme, level: int, tricks: int) -> Fraction:
    """Net points of an NT contract: the bidder's if made, less those of both defenders if not."""
    from bayesbridge.calls import Contract

    return scheme.score(Contract.of(f"{level}NT by S"), tricks).net


def _points(joint: NDArray[np.int64], scheme: Scheme) -> tuple[Fraction, Fraction]:
    """Sum of net points and of their squares."""
    cells = [(net_points(scheme, n, t), int(joint[n - 1, :, t].sum())) for n in range(1, 8) for t in range(14)]
    return sum((p * k for p, k in cells), Fraction()), sum((p**2 * k for p, k in cells), Fraction())


def _points_by_scheme(counts: Counts, schemes: Mapping[str, Scheme]) -> dict[str, dict[str, float | None]]:
    """Mean net points of a contract by scheme with its standard error, and where the dummy could bid too."""
    joint = counts[1:].reshape(SHAPE)
    found = {}
    for name, scheme in schemes.items():
        mean, error = _mean_points(joint, scheme)
        both, both_error = _mean_points(joint[:, 1:], scheme)
        found[name] = {"mean": mean, "standard_error": error, "both_eligible": both, "both_error": both_error}
    return found


def _mean_points(joint: NDArray[np.int64], scheme: Scheme) -> tuple[float | None, float | None]:
    contracts = int(joint.sum())
    if not contracts:
        return None, None
    total, squares = _points(joint, scheme)
    mean = total / contracts
    return float(mean), sqrt((squares / contracts - mean**2) / contracts)


def _figures(counts: Counts) -> tuple[Figure, ...]:
    from bayesbridge.scoring import NEW, OLD

    deals, joint = int(counts[0]), counts[1:].reshape(SHAPE)
    own = _summed(counts)
    paper_deals = 3.0 * HEADLINE_TRIALS
    mean = {name: sum(printed) / 3 for name, printed in HEADLINE.items()}
    paper_valid = 3 * mean["deals with a valid bidder"]
    paper_both = 3 * mean["both eligible"]
    paper_lost = paper_valid * (1 - mean["win rate (%)"] / 100)
    shares = {
        "deals with a valid bidder": (own["valid_bidder"], deals, paper_deals, HEADLINE_TRIALS, 0, True, _VALID),
        "win rate (%)": (own["won"], own["valid_bidder"], paper_valid, 100, 2, False, _PLAY),
        "losses with a weak dummy (%)": (own["lost_weak_dummy"], own["lost"], paper_lost, 100, 2, False, _PLAY),
        "both eligible": (own["both_eligible"], deals, paper_deals, HEADLINE_TRIALS, 0, True, _BOTH),
        "win rate, both eligible (%)": (
            own["won_both_eligible"], own["both_eligible"], paper_both, 100, 2, False, _PLAY
        ),
    }  # fmt: skip
    figures = []
    for name, (hits, trials, paper_trials, unit, digits, determined, why) in shares.items():
        printed = mean[name] / unit * paper_trials, paper_trials
        z, spread = compare_shares(printed, (hits, trials))
        value = hits * unit / trials if trials else None
        figures.append(Figure(name, HEADLINE[name], value, z, digits, spread, determined, why))
    for name, axis in (("average bidder level, both eligible", 0), ("average dummy level, both eligible", 1)):
        by_level = joint[:, 1:].sum(axis=(1 - axis, 2, 3))
        figures.append(_mean_level(name, [int(k) for k in by_level], paper_both))
    for which, some, why in (("", joint, _POINTS), (" (both eligible)", joint[:, 1:], _POINTS_BOTH)):
        for name, scheme in (("net points, old scheme", OLD), ("net points, new scheme", NEW)):
            total, squares = _points(some, scheme)
            average = float(total / deals)
            deviation = sqrt(float(squares / deals) - average**2)
            z, _ = compare_means(mean[name] / HEADLINE_TRIALS, paper_deals, average, deviation, deals)
            own_sum = average * HEADLINE_TRIALS
            figures.append(Figure(name + which, HEADLINE[name], own_sum, z, 0, determined=False, why=why))
    return tuple(figures)


def _mean_level(name: str, by_level: list[int], paper_trials: float) -> Figure:
    trials = sum(by_level)
    if not trials:
        return Figure(name, HEADLINE[name], None, None, 4, why=_LEVELS)
    average = sum(n * k for n, k in enumerate(by_level, 1)) / trials
    deviation = sqrt(sum((n - average) ** 2 * k for n, k in enumerate(by_level, 1)) / trials)
    printed = sum(HEADLINE[name]) / 3
    z, spread = compare_means(printed, paper_trials, average, deviation, trials)
    return Figure(name, HEADLINE[name], average, z, 4, spread, why=_LEVELS)


def _tests(counts: Counts, by_run: list[dict[str, int]]) -> list[Test]:
    own = _summed(counts)
    printed = HEADLINE["deals with a valid bidder"]
    valid = [round(k) for k in printed]
    won = [round(k * rate / 100) for k, rate in zip(valid, HEADLINE["win rate (%)"], strict=True)]
    tests = [
        homogeneity("the paper's runs have the same share of valid bidders", [[k, HEADLINE_TRIALS - k] for k in valid]),
        homogeneity("the paper's runs have the same win rate", [[w, k - w] for w, k in zip(won, valid, strict=True)]),
        two_proportions(
            "the paper's share of valid bidders equals ours",
            (sum(valid), own["valid_bidder"]),
            (3 * HEADLINE_TRIALS, own["deals"]),
        ),
    ]
    if own["both_eligible"] and own["valid_bidder"] > own["both_eligible"]:
        weak = own["valid_bidder"] - own["both_eligible"]
        tests.append(
            two_proportions(
                "contracts are made as often with an eligible dummy as with a weak one",
                (own["won_both_eligible"], own["won"] - own["won_both_eligible"]),
                (own["both_eligible"], weak),
            )
        )
    if own["valid_bidder"]:
        tests.append(
            mcnemar(
                "Algorithm 2 and the play-out grant a contract equally often (paired)",
                own["promised_by_algorithm_2"] - own["promised_and_won"],
                own["won"] - own["promised_and_won"],
            )
        )
    if len(by_run) > 1 and all(run["valid_bidder"] for run in by_run):
        tests.append(homogeneity("our runs have the same win rate", [[r["won"], r["lost"]] for r in by_run]))
    return tests


_VALID: Final = "Algorithm 1, raised from 7 tricks until it fails, by three of the four hands."
_BOTH: Final = "The highest of three levels wins, the earliest seat on ties, and the fourth hand is the dummy."
_LEVELS: Final = "Averages over the same deals."
_PLAY: Final = "The text does not say how cards are played; our figure: the highest card that beats the one led."
_POINTS: Final = "Neither scheme is printed and the play is open; our figure: all contracts, as the text says."
_POINTS_BOTH: Final = (
    "The printed sums are 15 and 81 for each deal with both eligible in each run, so they may be of these alone."
)


def _tables(found: Comparison) -> Iterator[Table]:
    if "points" in found.answers:
        rows = [
            [name, *(number(points[key], 2) for key in ("mean", "standard_error", "both_eligible", "both_error"))]
            for name, points in found.answers["points"].items()
        ]
        yield Table("Net points of a contract, by scoring scheme", ["", "mean", "±", "both eligible", "±"], rows)


STUDY: Final = Study("headline", "deals bid and played out", 1_000_000, simulate, schemes=True, tables=_tables)
