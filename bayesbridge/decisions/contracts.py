"""Which contract to bid: chance, tricks and expected score of every contract of a pair, on the same layouts.

Where the others' bid stands, defending it is a row among the contracts: with four players, as it stands, which is what
a pass means, and doubled.

The network of ``tricks`` judges every layout in every strain; where the estimator ``solved`` is installed, some layouts
are solved in the strains that compete for the best score, which takes the network's errors out of these
(:mod:`.trick_tables`). Everything is about double-dummy play of the whole deal: all four see all cards.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.decisions.contract_list import (
    Named,
    Pair,
    contract_if_passed,
    contract_named,
    contracts_asked,
    dummy_of,
    pair_of,
)
from bayesbridge.decisions.contract_words import caution, defending, how_high
from bayesbridge.decisions.payoffs import Payoff, Scoring, imp_table, matchpoint_table, payoff, scoring_of
from bayesbridge.decisions.trick_tables import Group, TrickTables
from bayesbridge.duplicate import Duplicate
from bayesbridge.engines.target import MOST_DRAWS
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.confinement import confined
from bayesbridge.estimators.contract_question import SOLVES
from bayesbridge.estimators.discovery import offered_soon
from bayesbridge.estimators.isolation import Limits
from bayesbridge.estimators.protocol import seconds_of
from bayesbridge.estimators.registry import Registry
from bayesbridge.notation.record import Vulnerability
from bayesbridge.random64 import Seed, generator
from bayesbridge.scoring import Scheme

if TYPE_CHECKING:
    import xarray

type Floats = NDArray[np.float64]

SECONDS: Final = 4.0
"""Time for solving on one core, unless told otherwise."""

COMPETING: Final = 3
"""Strains that are solved at most where no contracts are named."""

REACH: Final = 0.1
"""A strain competes where its best contract is less than so many standard deviations of the difference behind."""


class Asked(NamedTuple):
    """A contract with what it pays, and whose tricks count."""

    payoff: Payoff
    group: Group


class ContractTable(NamedTuple):
    """Rows by expected score; the command line needs no more, and xarray takes a second to load."""

    labels: list[str]
    columns: dict[str, list[Any]]
    attrs: dict[str, Any]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dictionary of plain values for each contract, ``None`` for what a deal that is passed out has not."""
        values = [self.labels, *(map(_plain, np.array(column).tolist()) for column in self.columns.values())]
        return [dict(zip(("contract", *self.columns), row, strict=True)) for row in zip(*values, strict=True)]

    def dataset(self) -> xarray.Dataset:
        """The same for ArviZ, pictures and computing."""
        import xarray

        variables = {name: (["contract"], np.array(values)) for name, values in self.columns.items()}
        return xarray.Dataset(variables, {"contract": self.labels}, self.attrs)


def contracts(
    posterior: Posterior,
    contracts: Named = None,
    *,
    scheme: Scheme | Duplicate | str | Mapping[str, Any] | None = None,
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    against: Contract | str | None = None,
    doubled: int = 0,
    solve: int | None = None,
    seconds: float | None = None,
    rng: Seed = 0,
    timeout: float | None = None,
    memory: int | None = None,
) -> xarray.Dataset:
    """Every contract that the pair may still bid or defend, or those named, a row each, the best expected score first.

    ``scheme``: ``old``, ``new``, ``duplicate`` with who is ``vulnerable``, or a scheme of your own; ``new`` where three
    players bid and ``duplicate`` where four do, unless told otherwise. ``doubled``: 1 or 2 as if the others doubled.
    ``against`` compares every row with another contract on the same layouts. With four players contracts of the others
    may be named (``2SX by W``); ``Pass`` is the contract that stands, and pays nothing where there is none.

    ``solve`` layouts are solved in each strain that competes (0 for none), by default as many as ``seconds`` on one
    core allow. ``timeout`` and ``memory`` isolate the solver as in :func:`estimate`.

    Variables: ``make`` P(it makes) and ``tricks``, expected tricks, both for its declarer, who may be one of the
    others; ``score`` expected net score of the pair; ``best``, the share of layouts in which it pays most, the lowest
    of equal ones; ``behind``, how much its score is below that of the first row; with ``against`` also ``difference``,
    ``matchpoints`` (share won) and, for duplicate scores, ``imps``; each with its ``…_error``. ``solved`` layouts stand
    behind a row, and ``basis`` says which of ``network``, ``corrected`` and ``all solved`` it is. Attribute ``passed``
    is the contract that a pass leaves, empty where there is none.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2").given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> found = contracts(belief.infer(draws=500, rng=1), "4S,6S,3NT", scheme="duplicate", against="4S", solve=0)
    >>> found["contract"].values.tolist(), found["basis"].values.tolist()
    (['6S by S', '3NT by S', '4S by S'], ['network', 'network', 'network'])
    >>> found["difference"].sel(contract="4S by S").item(), bool(found["imps"].sel(contract="6S by S") > 0)
    (0.0, True)
    """
    found = contract_table(
        posterior,
        contracts,
        scheme=scheme,
        vulnerable=vulnerable,
        pair=pair,
        against=against,
        doubled=doubled,
        solve=solve,
        seconds=seconds,
        rng=rng,
        limits=Limits(timeout, memory),
    )
    if found.attrs["failure"]:
        warnings.warn(f"left out {SOLVES!r}: {found.attrs['failure']}", stacklevel=2)
    return found.dataset()


def contract_table(
    posterior: Posterior,
    named: Named,
    *,
    scheme: Scheme | Duplicate | str | Mapping[str, Any] | None,
    vulnerable: Vulnerability | str,
    pair: str | tuple[Seat | str, Seat | str] | None,
    against: Contract | str | None,
    doubled: int,
    solve: int | None,
    seconds: float | None,
    rng: Seed,
    limits: Limits,
) -> ContractTable:
    """The answer of :func:`contracts`; what went wrong with the solver stands in its attributes."""
    belief = posterior.belief
    _verify(solve, seconds)
    scoring = scoring_of(scheme, vulnerable, belief.dummy)
    seats = pair_of(belief, pair)
    asked = asked_payoffs(belief, scoring, named, seats, doubled)
    other = None
    if against is not None:
        rival = contract_named(belief, against, seats)
        other = _asked(belief, scoring, rival, seats, asked[0].group)
    random = generator(rng)
    groups = list(dict.fromkeys([*(one.group for one in asked), *([] if other is None else [other.group])]))
    # The solver gets ready in its process while the network judges.
    solvers = None if solve == 0 else offered_soon([SOLVES], limits)
    tables = TrickTables.of(posterior, groups, random)
    wanted = groups if named is not None else competing(tables, asked, groups[len({one.group for one in asked}) :])
    failure = ""
    if solvers is not None:
        tables, failure = _solved(tables, asked, wanted, solve, seconds, random, limits, solvers())
    order, columns = _columns(tables, asked, other, by_imps=isinstance(scoring, Duplicate))
    asked = [asked[place] for place in order]
    attrs = {
        "scheme": scoring.name,
        "vulnerable": Vulnerability.of(vulnerable).value,
        "pair": f"{seats[0].name}:{seats[1].name}",
        "against": "" if other is None else other.payoff.name,
        "passed": str(contract_if_passed(belief, seats) or ""),
        "layouts": len(tables.layouts),
        "solved": len(tables.chosen),
        "caution": " ".join(filter(None, (caution(tables), _defending(belief, seats, asked)))),
        "how_high": how_high(belief, seats, [one.payoff.contract for one in asked], columns["score"]),
        "failure": failure,
    }
    return ContractTable([one.payoff.name for one in asked], columns, attrs)


def asked_payoffs(belief: Perspective, scoring: Scoring, named: Named, pair: Pair, doubled: int = 0) -> list[Asked]:
    """The contracts that are meant with what they pay to the pair, in rising order.

    Where none are named, doubled ones are left out if the scheme has no price for them.
    """
    found = contracts_asked(belief, named, pair, doubled)
    if named is None and isinstance(scoring, Scheme):
        found = [one for one in found if one is None or one.doubled <= doubled]
    usual = next(Group.of(one, dummy_of(belief, one)) for one in found if one is not None)
    return [_asked(belief, scoring, one, pair, usual) for one in found]


def _asked(belief: Perspective, scoring: Scoring, contract: Contract | None, pair: Pair, usual: Group) -> Asked:
    """A contract of either side with what it pays to the pair; a deal that is passed out is of the ``usual`` group."""
    if contract is None:
        return Asked(payoff(scoring, None), usual)
    group = Group.of(contract, dummy_of(belief, contract))
    return Asked(payoff(scoring, contract, ours=contract.declarer in pair), group)


def _defending(belief: Perspective, pair: Pair, asked: Sequence[Asked]) -> str:
    shown = [one.payoff.contract for one in asked]
    return defending(contract_if_passed(belief, pair), [one for one in shown if one and one.declarer not in pair])


def competing(tables: TrickTables, asked: Sequence[Asked], always: Sequence[Group]) -> list[Group]:
    """The groups worth solving: that of the best expected score, and those whose best is close to it."""
    scores = [tables.of_one(one.group, one.payoff.worth) for one in asked]
    means = [tables.mean(score)[0] for score in scores]
    order = np.argsort(means)[::-1]
    first = scores[order[0]]
    found = [asked[order[0]].group]
    for place in order[1:]:
        group = asked[place].group
        if group in found or len(found) == COMPETING:
            continue
        difference = first.predicted - scores[place].predicted
        doubt = first.square - first.predicted**2 + scores[place].square - scores[place].predicted ** 2
        spread = float((tables.weights * ((difference - difference.mean()) ** 2 + doubt)).sum()) ** 0.5
        if means[order[0]] - means[place] < REACH * spread:
            found.append(group)
    return [*found, *(group for group in always if group not in found)]


def _verify(solve: int | None, seconds: float | None) -> None:
    if solve is not None and not (solve == 0 or 2 <= solve <= MOST_DRAWS):
        raise BayesBridgeError(f"solve {solve}: give 0 for none, or 2 to {MOST_DRAWS} layouts", solve=solve)
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise BayesBridgeError(f"seconds {seconds}: give a number above 0", seconds=seconds)


def _solved(
    tables: TrickTables,
    asked: Sequence[Asked],
    groups: Sequence[Group],
    solve: int | None,
    seconds: float | None,
    rng: Seed,
    limits: Limits,
    registry: Registry,
) -> tuple[TrickTables, str]:
    """The tables corrected where a solver is installed, and what went wrong with it."""
    if SOLVES not in registry.estimators:
        return tables, ""
    with confined([registry.estimators[SOLVES]], limits) as (solver,):
        allowed = (SECONDS if seconds is None else seconds) / max(seconds_of(solver), 1e-9) / len(groups)
        m = max(2, int(min(allowed, len(tables.layouts)))) if solve is None else solve
        try:
            return tables.solved_by(solver, groups, m, _doubt(tables, asked, groups), rng), ""
        except PluginError as error:
            return tables, str(error)


def _doubt(tables: TrickTables, asked: Sequence[Asked], groups: Sequence[Group]) -> Floats:
    """(n,) how unsure the network is of the best contract of each group, as standard deviations of scores added up."""
    total = np.zeros(len(tables.layouts))
    for group in groups:
        scores = [tables.of_one(group, one.payoff.worth) for one in asked if one.group == group]
        if scores:
            top = max(scores, key=lambda score: tables.mean(score)[0])
            total += np.sqrt(np.maximum(top.square - top.predicted**2, 0.0))
    return total


def _columns(
    tables: TrickTables, asked: Sequence[Asked], other: Asked | None, *, by_imps: bool
) -> tuple[list[int], dict[str, list[Any]]]:
    """The order of the rows, and the numbers of every row in that order."""
    scores = [tables.mean(tables.of_one(one.group, one.payoff.worth)) for one in asked]
    order = sorted(range(len(asked)), key=lambda place: (-scores[place][0], place))
    shares = tables.best([one.group for one in asked], [one.payoff for one in asked])
    first = asked[order[0]]
    columns: dict[str, list[Any]] = {}

    def put(name: str, value: tuple[float, float]) -> None:
        columns.setdefault(name, []).append(value[0])
        columns.setdefault(f"{name}_error", []).append(value[1])

    tricks = np.arange(14, dtype=np.float64)
    for place in order:
        one = asked[place]
        contract = one.payoff.contract
        if contract is None:
            put("make", (np.nan, np.nan))
            put("tricks", (np.nan, np.nan))
        else:
            made = (tricks >= contract.tricks_needed).astype(np.float64)
            put("make", _between(tables.mean(tables.of_one(one.group, made))))
            put("tricks", tables.mean(tables.of_one(one.group, tricks)))
        put("score", scores[place])
        put("best", _between(tables.mean(shares[place])))
        put("behind", tables.mean(tables.of_two(first.group, one.group, _less(first.payoff, one.payoff))))
        if other is not None:
            rival, group = other
            put("difference", tables.mean(tables.of_two(one.group, group, _less(one.payoff, rival))))
            put("matchpoints", tables.mean(tables.of_two(one.group, group, matchpoint_table(one.payoff, rival))))
            if by_imps:
                put("imps", tables.mean(tables.of_two(one.group, group, imp_table(one.payoff, rival))))
        solved = one.group in tables.tricks
        columns.setdefault("solved", []).append(len(tables.chosen) if solved else 0)
        basis = "network" if not solved else "all solved" if tables.every else "corrected"
        columns.setdefault("basis", []).append(basis)
    return order, columns


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and np.isnan(value) else value


def _between(value: tuple[float, float]) -> tuple[float, float]:
    """A chance as people are told it: an unbiased estimate may lie just outside 0 and 1."""
    return min(max(value[0], 0.0), 1.0), value[1]


def _less(first: Payoff, second: Payoff) -> Floats:
    """(14, 14) what the first pays less what the second does."""
    return first.worth[:, None] - second.worth
