"""Card play as a zero-sum game of two sides, each by one play-out policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    from numpy.typing import NDArray

    from bayesbridge.game.layouts import Floats
    from bayesbridge.game.scoring import Scheme

type Goal = Callable[[int, int], float]
"""What a contract is worth to the bidder's side, by level and tricks."""


def solve(payoff: Floats) -> dict[str, Any]:
    """The equilibrium of what the column side pays the row side.

    Exploitability is the loss to the best answer.
    """
    row_shares, value = _maximin(payoff)
    column_shares, _ = _maximin(-payoff.T)
    row_losses = [max(0.0, value - float(worst)) for worst in payoff.min(axis=1)]
    column_losses = [max(0.0, float(best) - value) for best in payoff.max(axis=0)]
    return {
        "value": value,
        "row": row_shares,
        "column": column_shares,
        "row_exploitability": row_losses,
        "column_exploitability": column_losses,
    }


def _maximin(payoff: Floats) -> tuple[list[float], float]:
    """Shares x ≥ 0 with Σx = 1, and the largest v with payoffᵀ x ≥ v."""
    import numpy as np
    from scipy.optimize import linprog

    rows, columns = payoff.shape
    solution = linprog(
        c=[*[0.0] * rows, -1.0],
        A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[*[1.0] * rows, 0.0]],
        b_eq=[1.0],
        bounds=[*[(0.0, None)] * rows, (None, None)],
        method="highs",
    )
    shares = [float(share) for share in solution.x]
    return shares[:-1], shares[-1]


SHAPE: Final = (3, 3, 7, 14)
"""Bidder's policy, defenders' policy, level − 1, tricks."""


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 882,) random deals, then contracts by ``SHAPE``, flat."""
    import numpy as np

    from bayesbridge.studies.deals import deal_blocks, find_contracts

    counts = np.zeros(1 + prod(SHAPE), dtype=np.int64)
    counts[0] = deals
    joint = counts[1:].reshape(SHAPE)
    policies = range(len(POLICIES))
    for block in deal_blocks(deals, seed):
        contracts = find_contracts(block)
        for ours, theirs in product(policies, repeat=2):
            place = (contracts.level - 1, contracts.tricks(ours, theirs))
            np.add.at(joint[ours, theirs], place, 1)
    return counts


def fields(done: Run, schemes: Mapping[str, Scheme]) -> dict[str, Any]:
    """The games of a run, by what the bidder's side plays for.

    That is the contract, tricks, or net points by each scheme.
    """
    goals: dict[str, Goal] = {
        "made": lambda level, tricks: float(tricks >= 6 + level),
        "tricks": lambda _, tricks: float(tricks),
    }
    goals |= {name: partial(net_points, scheme) for name, scheme in schemes.items()}
    joint = done.counts[1:].reshape(SHAPE)
    games = {}
    if joint[0, 0].any():
        games = {name: _game(joint, goal) for name, goal in goals.items()}
    return {
        "title": "Strategies: the bidder's side against the defenders",
        "unit": "means per contract",
        "answers": {"policies": list(POLICIES), "games": games},
    }


def _game(joint: NDArray[np.int64], goal: Goal) -> dict[str, Any]:
    """Pay-offs by the policies of both sides, with errors, and their equilibrium."""
    import numpy as np

    contracts = int(joint[0, 0].sum())
    rows = []
    for level in range(1, 8):
        rows.append([goal(level, tricks) for tricks in range(14)])
    values = np.array(rows)
    mean = (joint * values).sum(axis=(2, 3)) / contracts
    square = (joint * values**2).sum(axis=(2, 3)) / contracts
    error = np.sqrt(np.maximum(0.0, square - mean**2) / contracts)
    return {
        "payoff": mean.tolist(),
        "standard_error": error.tolist(),
        **solve(mean),
    }


def _named(counts: Counts) -> dict[str, int]:
    """The counts by the keys of the document."""
    joint = counts[1:].reshape(SHAPE)
    named = {"deals": int(counts[0]), "contracts": int(joint[0, 0].sum())}
    for ours, our_name in enumerate(POLICIES):
        for theirs, their_name in enumerate(POLICIES):
            contracts = joint[ours, theirs]
            pair = f"{our_name}_{their_name}"
            made = [row[level + 7 :].sum() for level, row in enumerate(contracts)]
            tricks = contracts.sum(axis=0)
            named[f"{pair}_made"] = int(sum(made))
            named[f"{pair}_tricks"] = sum(
                number_of_tricks * int(times)
                for number_of_tricks, times in enumerate(tricks)
            )
    return named


def tables(comparison: Comparison) -> Iterator[Table]:
    """A table of each game."""
    policies = comparison.answers["policies"]
    for name, game in comparison.answers["games"].items():
        yield _game_table(name, game, policies)


def _game_table(name: str, game: Mapping[str, Any], policies: Sequence[str]) -> Table:
    digits = 4 if name == "made" else 2
    rows = []
    for row, policy in enumerate(policies):
        payoffs = [number(value, digits) for value in game["payoff"][row]]
        share = number(game["row"][row], 3)
        loss = number(game["row_exploitability"][row], digits)
        rows.append([policy, *payoffs, share, loss])
    shares = [number(share, 3) for share in game["column"]]
    losses = [number(loss, digits) for loss in game["column_exploitability"]]
    rows.append(["share", *shares, "", ""])
    rows.append(["exploitability", *losses, "", ""])
    title = (
        f"Pay-off '{name}' to the bidder's side (rows) against defenders (columns), "
        f"value {game['value']:.4f}"
    )
    return Table(title, ["", *policies, "share", "exploitability"], rows)


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
