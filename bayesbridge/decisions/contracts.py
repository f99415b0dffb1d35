"""Which contract to bid: chance, tricks and expected score of every contract of a pair,
on the same layouts.

For each declarer and strain the network of ``tricks`` gives a distribution for every
layout; tricks of two contracts are taken as independent given the layout. Where the
estimator ``solved`` is installed, some layouts are solved in the strains that compete
for the best score; the network's predictions decide how these are weighted
(:mod:`bayesbridge.estimators.trick_estimates`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.display.words import STRAINS, number
from bayesbridge.engines.budget import USUAL, Budget, ErrorLimits
from bayesbridge.engines.weights import with_errors
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.contract_odds import CALIBRATION, OFF
from bayesbridge.estimators.contract_question import (
    TRICKS,
    Group,
    group_of,
    resolve_contract,
)
from bayesbridge.estimators.protocol import Question
from bayesbridge.estimators.trick_estimates import (
    SOLVES,
    Solving,
    TrickEstimates,
    judged,
    layout_solver,
)
from bayesbridge.game.calls import CALLS, PASS, Contract, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats
from bayesbridge.game.scoring import (
    SchemeLike,
    Scoring,
    imps,
    scoring_of,
    vulnerable_sides,
)
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray


type Pair = tuple[Seat, Seat]
type PairLike = str | tuple[Seat | str, Seat | str] | None
type Named = str | Contract | Sequence[str | Contract] | None


def payoff(scheme: Scoring, contract: Contract | None, *, ours: bool = True) -> Floats:
    """(14,) what a contract pays for 0 … 13 tricks to its own side, or to the other;
    nothing where all passed.
    """
    if contract is None:
        return np.zeros(14)
    return np.array([float(scheme.score(contract, tricks)) for tricks in range(14)]) * (
        1 if ours else -1
    )


def pair_of(belief: Belief, pair: PairLike) -> Pair:
    """The two seats that play together: the observer's by default, with the dummy of
    three players.
    """
    first, second = belief.pair if pair is None else Question.of(pair).pair
    if (
        first.partner != second
        if belief.dummy is None
        else belief.dummy not in (first, second)
    ):
        other = first.partner if belief.dummy is None else belief.dummy
        raise BayesBridgeError(
            f"pair {first.name}:{second.name}: partners sit opposite, and of three players the dummy is in every pair: "
            f"write {first.name}:{other.name}",
            pair=(first, second),
        )
    return first, second


def contracts_asked(belief: Belief, named: Named, pair: Pair) -> list[Contract | None]:
    """Those named, or all that the pair may still bid, rising, and defending what
    stands of the others, also doubled; once the auction is over, all 35. ``None``, the
    lowest, is a deal passed out: only where ``Pass`` is named.
    """
    if named is None:
        every = (
            contract_named(belief, str(call), pair) for call in CALLS if call.is_bid
        )
        found = [one for one in every if _may(belief, one, pair)]
        passed = (
            None
            if belief.auction is None or belief.auction.is_over
            else contract_if_passed(belief, pair)
        )
        if passed is not None and passed.declarer in pair:
            found[0] = passed
        elif passed is not None:
            found += (
                [passed] if passed.doubled else [passed, replace(passed, doubled=1)]
            )
        if not found:
            raise BayesBridgeError(
                "nothing outranks 7NT: there is no contract left to bid"
            )
    else:
        words = (
            named.split(",")
            if isinstance(named, str)
            else [named]
            if isinstance(named, Contract)
            else named
        )
        found = list(
            dict.fromkeys(contract_named(belief, word, pair) for word in words)
        )
        if not found:
            raise BayesBridgeError(
                "no contract named: give one or more, such as 4S,3NT"
            )
        if found == [None]:
            raise BayesBridgeError(
                "Pass alone pays nothing here: name a contract beside it, such as Pass,1NT"
            )
        for contract in found:
            if not _may(belief, contract, pair) and belief.auction is not None:
                higher = belief.auction.standing_contract
                raise BayesBridgeError(
                    f"contract {str(contract)!r}: {higher} outranks it: name a higher one"
                )
    return sorted(
        found,
        key=lambda one: (
            () if one is None else (one.level, one.strain, one.doubled, one.declarer)
        ),
    )


def contract_if_passed(belief: Belief, pair: Pair) -> Contract | None:
    """What a pass of the pair means: the contract that stands; ``None``, which pays
    nothing, where nobody has bid.

    With three players another's contract counts as nothing too: what its declarer loses
    is not all the pair's.
    """
    passed = None if belief.auction is None else belief.auction.standing_contract
    return (
        passed
        if passed is None or belief.dummy is None or passed.declarer in pair
        else None
    )


def _may(belief: Belief, contract: Contract | None, pair: Pair) -> bool:
    """Whether its side may still end in it: it outranks what stands, or is their own;
    anything once all is over.
    """
    auction = belief.auction
    stands = None if auction is None or auction.is_over else auction.standing_contract
    if stands is None or contract is None:
        return True
    side = (
        (contract.declarer, contract.declarer.partner) if belief.dummy is None else pair
    )
    rank, least = ((one.level, one.strain) for one in (contract, stands))
    return rank > least or (rank == least and stands.declarer in side)


def contract_named(
    belief: Belief, named: str | Contract, pair: Pair
) -> Contract | None:
    """The contract with its declarer, of the pair unless the text says so; ``Pass`` is
    the contract that it leaves.
    """
    if isinstance(named, str) and named.strip().upper() in ("PASS", "P"):
        return contract_if_passed(belief, pair)
    contract = resolve_contract(belief, named, pair=pair)
    seat = contract.declarer
    if seat not in pair and belief.dummy is not None:
        fault = f"with three players what {seat.name} loses is not all yours: name a contract of your own, or Pass"
        raise BayesBridgeError(
            f"contract {str(contract)!r}: {fault}", contract=contract
        )
    return contract


def caution(
    tables: TrickEstimates,
    passed: Contract | None,
    pair: Pair,
    shown: Sequence[Contract | None],
) -> str:
    """How far the figures can be trusted, and what rows of the others mean; ``passed``
    is what a pass leaves.
    """
    said = ["Double-dummy play, in which all four see all cards."]
    if tables.every:
        said.append(
            f"Every layout was solved ({number(len(tables.chosen))}): what is marked so is exact."
        )
    elif tables.tricks:
        strains = " and ".join(
            dict.fromkeys(STRAINS[group.strain.name] for group in tables.tricks)
        )
        said.append(
            f"From {number(len(tables.chosen))} layouts solved in {strains}, weighted so that the network's "
            f"predictions average over them as over all {number(len(tables.layouts))} draws; errors count both."
        )
        if not set(tables.pmfs) <= set(tables.tricks):
            said.append(f"The others are the network's. {OFF}.")
    else:
        said.append(
            f"The figures are the network's, not corrected by solved layouts; {CALIBRATION}. {OFF}."
        )
    others = [one for one in shown if one is not None and one.declarer not in pair]
    if passed in others:
        said.append(f"{passed} is what a pass means.")
    if others:
        said.append(
            "Of a contract of the others, makes and tricks are its declarer's, the score is that of this pair."
        )
    return " ".join(said)


class Option(NamedTuple):
    name: str
    contract: Contract | None  # None for a deal that is passed out
    points: Floats  # (14,) points of the pair for 0 … 13 tricks of its declarer
    group: Group

    @property
    def made(self) -> Floats:
        return (
            (0 if self.contract is None else self.contract.tricks_needed) <= TRICKS
        ).astype(np.float64)


class ContractTable(NamedTuple):
    """Rows by expected score, ``None`` for what a deal that is passed out has not;
    xarray takes a second to load.
    """

    rows: list[dict[str, Any]]
    attrs: dict[str, Any]

    def dataset(self) -> xarray.Dataset:
        from bayesbridge.estimators.results import Rows

        columns = {
            name: [np.nan if row[name] is None else row[name] for row in self.rows]
            for name in self.rows[0]
        }
        labels = columns.pop("contract")
        variables = {
            name: (["contract"], np.array(values)) for name, values in columns.items()
        }
        return Rows(variables, {"contract": labels}, self.attrs)


def contracts(
    posterior: Posterior,
    contracts: Named = None,
    *,
    scheme: SchemeLike = None,
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    pair: PairLike = None,
    against: Contract | str | None = None,
    rng: Seed = 0,
    **limits: Unpack[ErrorLimits],
) -> xarray.Dataset:
    """Every contract that the pair may still bid or defend, or those named, a row each,
    the best expected score first.

    ``scheme``: ``old``, ``new``, ``duplicate`` with who is ``vulnerable``, or a scheme
    of your own; ``new`` where three players bid and ``duplicate`` where four do by
    default. ``against`` compares every row with another contract on the same layouts.
    With four players contracts of the others may be named (``2SX by W``); ``Pass`` is
    the contract that stands. ``limits``: ``solve`` layouts are solved in each strain
    that competes (0 for none), by default as many as ``seconds`` on one core allow;
    fewer where the ``error`` of P(make) is small enough.

    Variables: ``make`` P(it makes) and ``tricks``, expected tricks, both for its
    declarer, who may be one of the others; ``score`` expected net score of the pair;
    ``behind``, how much its score is below that of the first row; with ``against`` also
    ``difference``, ``matchpoints`` (share won) and, for duplicate scores, ``imps``;
    each with its ``…_error``. ``solved`` layouts stand behind a row, and ``basis`` says
    which of ``network``, ``corrected`` and ``all solved`` it is. Attribute ``passed``
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
        posterior, contracts, scheme, vulnerable, pair, against, Budget(**limits), rng
    )
    if found.attrs["failure"]:
        warnings.warn(f"left out {SOLVES!r}: {found.attrs['failure']}", stacklevel=2)
    return found.dataset()


def contract_table(
    posterior: Posterior,
    named: Named,
    scheme: SchemeLike,
    vulnerable: Vulnerability | str,
    pair: PairLike,
    against: Contract | str | None,
    budget: Budget,
    rng: Seed,
    first: Callable[[ContractTable], object] | None = None,
) -> ContractTable:
    """The answer of :func:`contracts`, with the solver's ``failure``; ``first`` is told
    what the network alone says.
    """
    belief = posterior.belief
    scoring = scoring_of(scheme, vulnerable, belief.dummy)
    seats = pair_of(belief, pair)
    options = option_payoffs(belief, scoring, named, seats, against)
    groups = list(dict.fromkeys(one.group for one in options))
    other = None if against is None else options.pop()
    random = generator(rng)
    tables = TrickEstimates.of(judged(posterior, random), groups)
    passed = contract_if_passed(belief, seats)
    always = [
        one.group
        for one in options
        if one.contract is not None and one.contract == passed
    ]
    if other is not None:
        always.insert(0, other.group)

    def told(tables: TrickEstimates, failure: str = "") -> ContractTable:
        ranked = sorted(
            options,
            key=lambda one: -tables.mean(tables.of_one(one.group, one.points)).mean,
        )
        attrs = {
            "scheme": scoring.name,
            "vulnerable": (vulnerable_sides(scoring) or Vulnerability.NONE).value,
            "pair": f"{seats[0].name}:{seats[1].name}",
            "against": "" if other is None else other.name,
            "passed": str(passed or ""),
            "layouts": len(tables.layouts),
            "solved": len(tables.chosen),
            "caution": caution(tables, passed, seats, [one.contract for one in ranked]),
            "failure": failure,
        }
        return ContractTable(_rows(tables, ranked, other, by_imps=scoring.imps), attrs)

    if first is not None:
        first(told(tables))
    solving = groups if named is not None else competing(tables, options, always)
    try:
        return told(
            _solved(tables, options, solving, budget.over(USUAL["contracts"]), random)
        )
    except PluginError as error:
        return told(tables, str(error))


def option_payoffs(
    belief: Belief,
    scoring: Scoring,
    named: Named,
    pair: Pair,
    against: Contract | str | None = None,
) -> list[Option]:
    """The contracts that are meant with what they pay to the pair, in rising order, and
    at the end that ``against``.

    Where none are named, doubled ones are left out if the scheme has no price for them.
    """
    found = contracts_asked(belief, named, pair)
    if named is None and not scoring.doubles:
        found = [one for one in found if one is None or not one.doubled]
    usual = next(
        one for one in found if one is not None
    )  # whose group a deal that is passed out is taken to be of
    found += [] if against is None else [contract_named(belief, against, pair)]
    payoffs = [
        payoff(scoring, one, ours=one is None or one.declarer in pair) for one in found
    ]
    return [
        Option(str(one or PASS), one, paid, group_of(one or usual, belief.dummy))
        for one, paid in zip(found, payoffs, strict=True)
    ]


def competing(
    tables: TrickEstimates, options: Sequence[Option], always: Sequence[Group]
) -> list[Group]:
    """Groups to solve: ``always`` these, that of the best score, two less than a tenth
    of a deviation behind it.
    """
    scores = [tables.of_one(one.group, one.points) for one in options]
    means = [tables.mean(score)[0] for score in scores]
    order = np.argsort(means)[::-1]
    first = scores[order[0]]
    found = [options[order[0]].group]
    for place in order[1:]:
        group = options[place].group
        if group in found or len(found) == 3:
            continue
        difference = first.predicted - scores[place].predicted
        doubt = (
            first.square
            - first.predicted**2
            + scores[place].square
            - scores[place].predicted ** 2
        )
        spread = (
            float(
                (tables.weights * ((difference - difference.mean()) ** 2 + doubt)).sum()
            )
            ** 0.5
        )
        if means[order[0]] - means[place] < 0.1 * spread:
            found.append(group)
    return list(dict.fromkeys([*found, *always]))


def _solved(
    tables: TrickEstimates,
    options: Sequence[Option],
    groups: Sequence[Group],
    budget: Budget,
    rng: Seed,
) -> TrickEstimates:
    if budget.solve == 0 or (solver := layout_solver()) is None:
        return tables
    # What the network expects in each layout: the score of the best contract of each group, and its tricks.
    rising = sorted(
        options, key=lambda one: tables.mean(tables.of_one(one.group, one.points)).mean
    )
    by_group = {one.group: one for one in rising}
    best = [by_group[group] for group in groups if group in by_group]
    scores = [tables.of_one(one.group, one.points).predicted for one in best]
    tricks = [tables.of_one(group, TRICKS).predicted for group in groups]
    work = Solving(groups, [*scores, *tricks], {one.group: one.made for one in best})
    return tables.solve(solver, work, budget, rng)


def _rows(
    tables: TrickEstimates,
    options: Sequence[Option],
    other: Option | None,
    *,
    by_imps: bool,
) -> list[dict[str, Any]]:
    first, rows = options[0], []
    for one in options:
        own = {"make": one.made, "tricks": TRICKS, "score": one.points}
        figures = {
            name: tables.of_one(one.group, points) for name, points in own.items()
        }
        figures["behind"] = tables.of_two(
            first.group, one.group, first.points[:, None] - one.points
        )
        if other is not None:
            less = one.points[:, None] - other.points
            against = {
                "difference": less,
                "matchpoints": (less > 0) + 0.5 * (less == 0),
            }
            if by_imps:
                against["imps"] = imps(less).astype(np.float64)
            figures |= {
                name: tables.of_two(one.group, other.group, points)
                for name, points in against.items()
            }
        found: dict[str, Any] = with_errors(
            {name: tables.mean(figure) for name, figure in figures.items()}
        )
        if one.contract is None:
            found |= dict.fromkeys(("make", "make_error", "tricks", "tricks_error"))
        solved = len(tables.chosen) if one.group in tables.tricks else 0
        rows.append(
            {
                "contract": one.name,
                **found,
                "solved": solved,
                "basis": tables.basis(one.group),
            }
        )
    return rows
