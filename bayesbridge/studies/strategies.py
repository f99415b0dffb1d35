"""Card play as a two-player zero-sum game: the bidder's side against the defenders,
each by one play-out policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.capture import POLICIES
from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.headline import net_points
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.study import Comparison, Study

if TYPE_CHECKING:
    import numpy as np

    from bayesbridge.game.layouts import Floats
    from bayesbridge.game.scoring import Scheme


def solve(payoff: Floats) -> dict[str, Any]:
    """The equilibrium of what the column side pays the row side; exploitability: the
    loss to the best answer.
    """
    *row, value = _maximin(payoff)
    *column, _ = _maximin(-payoff.T)
    return {
        "value": value,
        "row": row,
        "column": column,
        "row_exploitability": [
            float(max(0.0, value - worst)) for worst in payoff.min(axis=1)
        ],
        "column_exploitability": [
            float(max(0.0, best - value)) for best in payoff.max(axis=0)
        ],
    }


def _maximin(payoff: Floats) -> list[float]:
    """Shares x ≥ 0 with Σx = 1, and last the largest v with payoffᵀ x ≥ v."""
    import numpy as np
    from scipy.optimize import linprog

    m, n = payoff.shape
    found = linprog(
        c=[*[0.0] * m, -1.0],
        A_ub=np.hstack([-payoff.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[*[1.0] * m, 0.0]],
        b_eq=[1.0],
        bounds=[*[(0.0, None)] * m, (None, None)],
        method="highs",
    )
    return [float(share) for share in found.x]


SHAPE: Final = (3, 3, 7, 14)  # bidder's policy, defenders' policy, level − 1, tricks


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 882,) random deals, then contracts by ``SHAPE``, flat."""
    import numpy as np

    from bayesbridge.studies.deals import deal_blocks, find_contracts

    counts = np.zeros(1 + prod(SHAPE), dtype=np.int64)
    counts[0] = deals
    joint = counts[1:].reshape(SHAPE)
    for found in map(find_contracts, deal_blocks(deals, seed)):
        for ours in range(3):
            for theirs in range(3):
                np.add.at(
                    joint[ours, theirs],
                    (found.level - 1, found.tricks(ours, theirs)),
                    1,
                )
    return counts


def fields(done: Run, schemes: Mapping[str, Scheme]) -> dict[str, Any]:
    """The games of a run, by what the bidder's side plays for: the contract, tricks,
    net points by each scheme.
    """
    import numpy as np

    payoffs: dict[str, Callable[[int, int], float]] = {
        "made": lambda level, tricks: float(tricks >= 6 + level),
        "tricks": lambda _, tricks: float(tricks),
    }
    payoffs |= {name: partial(net_points, scheme) for name, scheme in schemes.items()}
    joint, games = done.counts[1:].reshape(SHAPE), dict[str, Any]()
    contracts = int(joint[0, 0].sum())
    for name, payoff in payoffs.items() if contracts else ():
        table = np.array(
            [[payoff(level, tricks) for tricks in range(14)] for level in range(1, 8)]
        )
        mean = (joint * table).sum(axis=(2, 3)) / contracts
        square = (joint * table**2).sum(axis=(2, 3)) / contracts
        games[name] = {
            "payoff": mean.tolist(),
            "standard_error": np.sqrt(
                np.maximum(0.0, square - mean**2) / contracts
            ).tolist(),
            **solve(mean),
        }
    title = "Strategies: the bidder's side against the defenders"
    return {
        "title": title,
        "unit": "means per contract",
        "answers": {"policies": list(POLICIES), "games": games},
    }


def _named(counts: Counts) -> dict[str, int]:
    joint = counts[1:].reshape(SHAPE)
    named = {"deals": int(counts[0]), "contracts": int(joint[0, 0].sum())}
    for (ours, one), (theirs, other) in product(enumerate(POLICIES), repeat=2):
        game = joint[ours, theirs]
        named[f"{one}_{other}_made"] = sum(
            int(game[level, level + 7 :].sum()) for level in range(7)
        )
        named[f"{one}_{other}_tricks"] = sum(
            t * int(game[:, t].sum()) for t in range(14)
        )
    return named


def tables(found: Comparison) -> Iterator[Table]:
    policies = found.answers["policies"]
    for name, game in found.answers["games"].items():
        digits = 4 if name == "made" else 2
        rows = [
            [
                policy,
                *(number(value, digits) for value in payoff),
                number(share, 3),
                number(lost, digits),
            ]
            for policy, payoff, share, lost in zip(
                policies,
                game["payoff"],
                game["row"],
                game["row_exploitability"],
                strict=True,
            )
        ]
        rows.append(["share", *(number(share, 3) for share in game["column"]), "", ""])
        rows.append(
            [
                "exploitability",
                *(number(lost, digits) for lost in game["column_exploitability"]),
                "",
                "",
            ]
        )
        title = f"Pay-off '{name}' to the bidder's side (rows) against defenders (columns), value {game['value']:.4f}"
        yield Table(title, ["", *policies, "share", "exploitability"], rows)


STUDY: Final = Study(
    Job("strategies", count),
    "card play as a zero-sum game",
    200_000,
    _named,
    fields,
    schemes=True,
    tables=tables,
)
simulate: Final = STUDY.simulate
