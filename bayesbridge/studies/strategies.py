"""Card play as a two-player zero-sum game: the bidder's side against the defenders, each by one play-out policy.

Every contract of the headline study is played out once for each pair of policies, on the same deals. The joint counts
of level and tricks give the pay-off matrix under any measure of success; its mixed equilibrium, by linear programming,
says how well either side can do with these policies, and the exploitability of a policy what it loses against an
opponent who knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.capture.outcomes import POLICIES
from bayesbridge.studies.engine import Counts, Job, Setting, run
from bayesbridge.studies.headline import net_points
from bayesbridge.studies.study import Comparison, Study, Table, Test, mcnemar
from bayesbridge.words import number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bayesbridge.scoring import Scheme

type Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """What neither side can improve on alone.

    value: what the row side gets
    row, column: the mixed strategies, which add up to one
    row_exploitability: by row, how much less than the value it gets against the best answer; 0 is unexploitable
    column_exploitability: by column, how much more than the value it gives to the best answer
    """

    value: float
    row: tuple[float, ...]
    column: tuple[float, ...]
    row_exploitability: tuple[float, ...]
    column_exploitability: tuple[float, ...]


def solve(payoff: Floats) -> Equilibrium:
    """The equilibrium of an (m, n) matrix of what the column side pays the row side.

    >>> import numpy as np
    >>> game = solve(np.array([[3.0, -1.0], [-2.0, 4.0]]))
    >>> [round(share, 6) for share in game.row], round(game.value, 6)
    ([0.6, 0.4], 1.0)
    """
    row, value = _maximin(payoff)
    column, _ = _maximin(-payoff.T)
    return Equilibrium(
        value,
        tuple(row),
        tuple(column),
        tuple(float(max(0.0, value - worst)) for worst in payoff.min(axis=1)),
        tuple(float(max(0.0, best - value)) for best in payoff.max(axis=0)),
    )


def _maximin(payoff: Floats) -> tuple[list[float], float]:
    """Shares x ≥ 0 with Σx = 1, and the largest v with payoffᵀ x ≥ v."""
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
    return [float(share) for share in found.x[:m]], float(found.x[m])


SHAPE: Final = (3, 3, 7, 14)
"""Bidder's policy, defenders' policy, level − 1, tricks."""


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 882 + 27,) random deals; contracts by ``SHAPE``; contracts made by the first or second of a pair alone.

    The pairs are general against high, general against low, high against low; for each, made by the first alone, by
    the second alone and by both or none, against each policy of the defenders.
    """
    import numpy as np

    from bayesbridge.studies.deals import draw_contracts

    counts = np.zeros(1 + int(np.prod(SHAPE)) + 27, dtype=np.int64)
    counts[0] = deals
    joint, pairs = counts[1:-27].reshape(SHAPE), counts[-27:].reshape(3, 3, 3)
    for found in draw_contracts(deals, seed):
        for theirs in range(3):
            made = []
            for ours in range(3):
                tricks = found.tricks(ours, theirs)
                np.add.at(joint[ours, theirs], (found.level - 1, tricks), 1)
                made.append(tricks >= found.target)
            for pair, (first, second) in enumerate(_PAIRS):
                one, two = int((made[first] & ~made[second]).sum()), int((made[second] & ~made[first]).sum())
                pairs[pair, theirs] += (one, two, len(made[0]) - one - two)
    return counts


JOB: Final = Job("strategies", count)
_PAIRS: Final = ((0, 1), (0, 2), (1, 2))


def payoffs(schemes: Sequence[Scheme] = ()) -> dict[str, Callable[[int, int], float]]:
    """What the bidder's side plays for, as a function of level and tricks; the defenders lose it.

    Whether the contract is made, tricks, and net points by the built-in schemes and any others.

    >>> payoffs()["new"](1, 9)
    80.0
    """
    from bayesbridge.scoring import beside_built_in

    games: dict[str, Callable[[int, int], float]] = {
        "made": lambda level, tricks: float(tricks >= 6 + level),
        "tricks": lambda _, tricks: float(tricks),
    }
    for name, scheme in beside_built_in(schemes, taken=games).items():
        games[name] = lambda level, tricks, scheme=scheme: float(net_points(scheme, level, tricks))  # type: ignore[misc]
    return games


def simulate(
    deals: int,
    seed: int,
    workers: int | None = None,
    runs: int = 1,
    how: Setting | None = None,
    schemes: Sequence[Scheme] = (),
) -> Comparison:
    """Monte Carlo over ``runs`` times ``deals`` random deals; a game for each of the ``schemes`` too."""
    measures = payoffs(schemes)
    done = run(JOB, deals, seed, runs, how or Setting(workers))
    return Comparison.of_run(
        done,
        _named,
        title="Strategies: the bidder's side against the defenders",
        unit="means per contract",
        answers={"policies": list(POLICIES), "games": _games(done.counts, measures)},
        hypotheses=lambda: _tests(done.counts),
    )


def _named(counts: Counts) -> dict[str, int]:
    joint = counts[1:-27].reshape(SHAPE)
    named = {"deals": int(counts[0]), "contracts": int(joint[0, 0].sum())}
    for ours, one in enumerate(POLICIES):
        for theirs, other in enumerate(POLICIES):
            made = sum(int(joint[ours, theirs, level, level + 7 :].sum()) for level in range(7))
            tricks = sum(t * int(joint[ours, theirs, :, t].sum()) for t in range(14))
            named[f"{one}_{other}_made"] = made
            named[f"{one}_{other}_tricks"] = tricks
    return named


def _games(counts: Counts, measures: Mapping[str, Callable[[int, int], float]]) -> dict[str, Any]:
    import numpy as np

    joint = counts[1:-27].reshape(SHAPE)
    contracts = int(joint[0, 0].sum())
    if not contracts:
        return {}
    games: dict[str, Any] = {}
    for name, payoff in measures.items():
        table = np.array([[payoff(level, tricks) for tricks in range(14)] for level in range(1, 8)])
        mean = (joint * table).sum(axis=(2, 3)) / contracts
        square = (joint * table**2).sum(axis=(2, 3)) / contracts
        games[name] = {
            "payoff": mean.tolist(),
            "standard_error": [[sqrt(max(0.0, v) / contracts) for v in row] for row in square - mean**2],
            **{key: list(v) if isinstance(v, tuple) else v for key, v in asdict(solve(mean)).items()},
        }
    return games


def _tests(counts: Counts) -> list[Test]:
    pairs = counts[-27:].reshape(3, 3, 3)
    tests = []
    for theirs, defenders in enumerate(POLICIES):
        for pair, (first, second) in enumerate(_PAIRS):
            same = f"{POLICIES[first]} play makes as many contracts as {POLICIES[second]} play"
            one, two, _ = (int(k) for k in pairs[pair, theirs])
            tests.append(mcnemar(f"{same} against {defenders} defenders", one, two))
    return tests


def tables(found: Comparison) -> Iterator[Table]:
    """A pay-off matrix for each game, with the equilibrium at its edges."""
    policies = found.answers["policies"]
    for name, game in found.answers["games"].items():
        digits = 4 if name == "made" else 2
        rows = [
            [policy, *(number(value, digits) for value in payoff), number(share, 3), number(lost, digits)]
            for policy, payoff, share, lost in zip(
                policies, game["payoff"], game["row"], game["row_exploitability"], strict=True
            )
        ]
        rows.append(["share", *(number(share, 3) for share in game["column"]), "", ""])
        rows.append(["exploitability", *(number(lost, digits) for lost in game["column_exploitability"]), "", ""])
        title = f"Pay-off '{name}' to the bidder's side (rows) against defenders (columns), value {game['value']:.4f}"
        yield Table(title, ["", *policies, "share", "exploitability"], rows)


STUDY: Final = Study("strategies", "card play as a zero-sum game", 200_000, simulate, schemes=True, tables=tables)
