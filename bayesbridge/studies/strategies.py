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


SHAPE: Final = (len(POLICIES), len(POLICIES), 7, 14)
"""The table of contracts, by four axes: the policy of the bidder's side in the play, that
of the defenders, level − 1, and tricks taken. Every contract is played by all pairs of
policies.
"""

BOOK: Final = 6  # tricks that a level stands on


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """Count random deals, and the contracts on them by how they are played.

    The first number is that of all deals; after it, flat, comes the table of ``SHAPE``:
    each contract is played out once by every pair of policies of the two sides, and
    counted by level and tricks.
    """
    import numpy as np

    from bayesbridge.studies.deals import deal_blocks, find_contracts

    counts = np.zeros(1 + prod(SHAPE), dtype=np.int64)
    counts[0] = deals
    contract_counts = counts[1:].reshape(SHAPE)
    policies = range(len(POLICIES))
    for block in deal_blocks(deals, seed):
        contracts = find_contracts(block)
        for ours, theirs in product(policies, repeat=2):
            tricks = contracts.tricks(ours, theirs)
            np.add.at(contract_counts[ours, theirs], (contracts.level - 1, tricks), 1)
    return counts


def fields(finished_run: Run, schemes: Mapping[str, Scheme]) -> dict[str, Any]:
    """The games of a run, by what the bidder's side plays for.

    That is making the contract, tricks, or net points by each scheme: a number for
    every level and number of tricks.
    """
    goals: dict[str, Goal] = {"made": _is_made, "tricks": _tricks}
    goals |= {name: partial(net_points, scheme) for name, scheme in schemes.items()}
    contract_counts = finished_run.counts[1:].reshape(SHAPE)
    games = {}
    # Every pair of policies plays the same contracts: the first tells if there are any.
    if contract_counts[0, 0].any():
        games = {name: _game(contract_counts, goal) for name, goal in goals.items()}
    return {
        "title": "Strategies: the bidder's side against the defenders",
        "unit": "means per contract",
        "answers": {"policies": list(POLICIES), "games": games},
    }


def _is_made(level: int, tricks: int) -> float:
    """1 for a contract that is made, 0 for one that is not."""
    return float(tricks >= BOOK + level)


def _tricks(_level: int, tricks: int) -> float:
    """The tricks themselves."""
    return float(tricks)


def _game(contract_counts: NDArray[np.int64], goal: Goal) -> dict[str, Any]:
    """Mean pay-offs by the policies of both sides, with errors, and their equilibrium.

    ``contract_counts`` (policies of the bidder's side, policies of the defenders, 7,
    14): contracts by level − 1 and tricks, the same contracts for each pair of
    policies. ``goal(level, tricks)`` is what a contract pays the bidder's side.
    """
    import numpy as np

    contracts = int(contract_counts[0, 0].sum())
    payoffs_by_level = []
    for level in range(1, 8):
        payoffs_by_level.append([goal(level, tricks) for tricks in range(14)])
    payoffs = np.array(payoffs_by_level)  # (7, 14)
    level_and_tricks = (2, 3)
    mean = (contract_counts * payoffs).sum(axis=level_and_tricks) / contracts
    mean_square = (contract_counts * payoffs**2).sum(axis=level_and_tricks) / contracts
    variance = np.maximum(0.0, mean_square - mean**2)
    error = np.sqrt(variance / contracts)
    return {
        "payoff": mean.tolist(),
        "standard_error": error.tolist(),
        **solve(mean),
    }


def _named(counts: Counts) -> dict[str, int]:
    """The counts of a run by the keys of its document.

    These are deals and contracts, and for each pair of policies the contracts made and
    the tricks taken.
    """
    contract_counts = counts[1:].reshape(SHAPE)
    # Every pair of policies plays the same contracts.
    contracts = int(contract_counts[0, 0].sum())
    named = {"deals": int(counts[0]), "contracts": contracts}
    for ours, our_name in enumerate(POLICIES):
        for theirs, their_name in enumerate(POLICIES):
            by_level = contract_counts[ours, theirs]  # (7, 14) by level − 1, tricks
            made = 0
            for level, by_tricks in enumerate(by_level, start=1):
                made += int(by_tricks[BOOK + level :].sum())
            tricks_taken = 0
            for tricks, number_of_contracts in enumerate(by_level.sum(axis=0)):
                tricks_taken += tricks * int(number_of_contracts)
            named[f"{our_name}_{their_name}_made"] = made
            named[f"{our_name}_{their_name}_tricks"] = tricks_taken
    return named


def tables(comparison: Comparison) -> Iterator[Table]:
    """A table of each game."""
    policies = comparison.answers["policies"]
    for name, game in comparison.answers["games"].items():
        yield _game_table(name, game, policies)


def _game_table(name: str, game: Mapping[str, Any], policies: Sequence[str]) -> Table:
    """The pay-offs of a game, and what share each policy has in the equilibrium.

    A row for each policy of the bidder's side, a column for each of the defenders'; and
    for each policy its exploitability, the loss to the best answer. ``name`` is what
    the bidder's side plays for, as ``made``, which is a probability.
    """
    digits = 4 if name == "made" else 2
    rows = []
    rows_of_game = zip(
        policies, game["payoff"], game["row"], game["row_exploitability"], strict=True
    )
    for policy, payoffs, share, exploitability in rows_of_game:
        payoff_cells = [number(payoff, digits) for payoff in payoffs]
        share_cell = number(share, 3)
        rows.append([policy, *payoff_cells, share_cell, number(exploitability, digits)])
    defenders_shares = [number(share, 3) for share in game["column"]]
    defenders_losses = [number(loss, digits) for loss in game["column_exploitability"]]
    rows.append(["share", *defenders_shares, "", ""])
    rows.append(["exploitability", *defenders_losses, "", ""])
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
