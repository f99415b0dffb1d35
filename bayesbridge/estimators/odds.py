"""Tricks over a posterior: some layouts solved, weighted by what a network says of all,
with standard errors.

The network of ``tricks`` predicts double-dummy tricks for every draw. Where the
estimator ``solved`` is installed, m layouts of the posterior are solved too, and the
answer is theirs. They get weights, as near as possible to those they were drawn with,
under which the network's predictions x have the mean x̄ that they have over all draws::

    v_j ∝ w_j exp(λ · x_j)    with    Σ v_j x_j = x̄

(raking: Deville and Särndal, *Journal of the American Statistical Association* 87,
1992). Any number is then its mean under v over solved layouts alone. What the network
explains of it is as exact as all draws, the residual e as the layouts solved::

    variance = var(a) / ESS + Σ v_j² e_j² · n / (n − 1 − k)         n = 1 / Σ v_j², k predictions fitted

Layouts that the network is sure of tell little of whether a contract makes: they are
drawn to be solved less often, and weigh more, with P(layout is solved) ∝ P(layout) ·
√(variance of the number in it + SURE²), Neyman's allocation.

Two stated errors hold in about 95 of a hundred cases down to a handful of layouts (the
factor of Student's t), and at the edge: what was never seen otherwise in n layouts has
two errors of 3 / n (the rule of three).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior, subsample
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import (
    RARE,
    SEATS,
    error_text,
    number,
    percent,
    share_error,
)
from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.engines.weights import Estimate, Weights, with_errors
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.evaluate import Evaluation, ask, evaluate
from bayesbridge.estimators.protocol import Estimator, Question, run, seconds_of
from bayesbridge.estimators.registry import offered
from bayesbridge.game.calls import CONTRACT_KINDS, GAME_LEVELS, Contract
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, Layouts, read_only
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray


TRICKS: Final = np.arange(14, dtype=np.float64)

PREDICTS, SOLVES = "tricks", "solved"
"""The estimators that predict the tricks of every draw, and solve them: the latter is
in the double-dummy plugin.
"""

SURE: Final = 0.2
"""Standard deviation that the network is allowed at best of what is 0 or 1: it may be
wrong where it is sure.
"""

FIRST: Final = 75  # layouts that are solved before the first look at the error

type Group = Question
"""Declarer, dummy and strain: contracts of one group take the same tricks."""


def group_of(contract: Contract, dummy: Seat | None) -> Group:
    """Of a contract; its ``dummy`` is the declarer's partner unless three players bid."""
    return Question(
        (contract.declarer, contract.declarer.partner if dummy is None else dummy),
        contract.trump,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ContractQuestion(FrozenArrays):
    """A contract, and how it is asked about."""

    contract: Contract
    group: Group
    actual: (
        bool  #: Whether real declarers' tricks are asked for instead of double dummy.
    )
    bid: bool
    """Whether a defender asks about the contract of an auction of four, read by the
    usual bidder, before the lead.
    """

    @classmethod
    def of(cls, belief: Belief, contract: Contract, actual: bool = False) -> Self:
        """Of a contract with its declarer; in the three-player game the dummy stays
        where it is.
        """
        table = belief.table
        asked = (
            table.contract == contract
            and not table.plays
            and isinstance(belief.bidder, LearnedBidder)
        )
        bid = asked and belief.observer not in (
            contract.declarer,
            contract.declarer.partner,
        )
        return cls(contract, group_of(contract, belief.dummy), actual, bid)

    @property
    def after(self) -> Floats:
        """(14, 14) P(tricks taken ∣ double-dummy tricks): the identity, or what real
        declarers take.
        """
        if self.actual:
            return read_only(actual_table(self.contract))
        return read_only(np.eye(len(TRICKS)))

    @property
    def made(self) -> Floats:
        """(14,) 1 where so many tricks are enough."""
        enough = self.contract.tricks_needed <= TRICKS
        return read_only(enough.astype(np.float64))


def contract_question(
    belief: Belief,
    contract: Contract | str | None,
    by: Seat | str | None = None,
    actual: bool = False,
    **beside: Any,
) -> ContractQuestion | None:
    """What is asked about a contract; ``None`` where none is named.

    ``beside``: what must not be named with a contract (``pair``, ``trump``), or not
    without one (``solve``).
    """
    without = {"by": by, "actual": actual or None, "solve": beside.pop("solve", None)}
    for name, value in (without if contract is None else beside).items():
        if value is not None:
            what = (
                "without a contract: name one, such as 4S"
                if contract is None
                else "beside a contract: leave it out"
            )
            raise BayesBridgeError(f"{name} {value} {what}", **{name: value})
    return (
        None
        if contract is None
        else ContractQuestion.of(belief, resolve_contract(belief, contract, by), actual)
    )


def estimators_for(
    estimators: str | Estimator | Sequence[str | Estimator] | None,
    asked: ContractQuestion | None,
) -> list[Estimator]:
    """The estimators, ``capture`` unless named; for a contract ``tricks``, beside those
    that are.
    """
    named = (
        ("capture" if asked is None else PREDICTS) if estimators is None else estimators
    )
    given = (
        [named]
        if isinstance(named, str) or not isinstance(named, Sequence)
        else list(named)
    )
    if not given:
        raise BayesBridgeError(
            "no estimator named: give at least one, such as 'capture'"
        )
    if asked is not None and PREDICTS not in [
        one if isinstance(one, str) else one.name for one in given
    ]:
        given.append(PREDICTS)
    registry = offered("estimators", [one for one in given if isinstance(one, str)])
    return [registry.estimator(one) if isinstance(one, str) else one for one in given]


def layout_solver() -> Estimator | None:
    return offered("estimators", [SOLVES]).estimators.get(SOLVES)


def resolve_contract(
    belief: Belief,
    contract: Contract | str,
    by: Seat | str | None = None,
    pair: tuple[Seat, Seat] | None = None,
) -> Contract:
    """The contract with its declarer: as written, or ``by``, or who would declare it of
    the ``pair``.

    That is who of the pair bid the strain first, else the first of the pair who bids.
    Where none is named, it is the observer's pair, but the auction's own contract in
    that strain has its declarer.
    """
    whole = isinstance(contract, Contract) or len(str(contract).split()) == 3
    side = [seat for seat in pair or belief.pair if seat != belief.dummy]
    written = (
        Contract.of(contract)
        if whole
        else Contract.of(contract, side[0] if by is None else by)
    )
    if whole and by is not None and Seat.of(by) != written.declarer:
        raise BayesBridgeError(
            f"contract {str(written)!r} and by {by}: name one declarer",
            contract=written,
        )
    if not whole and by is None and (auction := belief.auction) is not None:
        bid = (
            seat
            for seat, call in auction
            if seat in side and call.strain == written.strain
        )
        final = auction.contract
        own = pair is None and final is not None and final.strain == written.strain
        written = replace(
            written, declarer=final.declarer if own and final else next(bid, side[0])
        )
    if written.declarer == belief.dummy:
        why = f"{written.declarer.name} is the dummy, who does not declare: name another seat"
        raise BayesBridgeError(f"contract {str(written)!r}: {why}", contract=written)
    return written


READ_LESS: Final = {
    "part score": (781, "0.9 ± 1.6"),
    "game": (1087, "0.3 ± 1.3"),
    "small slam": (804, "4.2 ± 1.5"),
    "grand slam": (133, "14.6 ± 3.2"),
}
"""Boards, and by how many points the opening leader expects too little on them
(``benchmarks/evaluation/odds.py``).
"""

CALIBRATION: Final = (
    "on 5 389 deals held aside its likeliest number was right in 79.0 % of suit contracts and 81.3 % of those at no "
    "trumps, and at most one trick off in 99.8 % and 98.7 %"
)
"""What was measured of the network, for answers that nothing corrects."""

OFF: Final = "The errors stated count the draws, and what the network is off by where two hands are known"

NETWORK_LEVELS: Final = (
    5.0,
    7.0,
    9.0,
    11.0,
)  # expected tricks that part the columns of :data:`NETWORK_ERROR`

NETWORK_ERROR: Final = {
    False: (0.10, 0.09, 0.13, 0.11, 0.17),
    True: (0.13, 0.08, 0.11, 0.25, 0.25),
}
"""By whether it is no trumps and by level: the network's error in tricks where two
hands are known, root mean square over 100 positions
(``benchmarks/evaluation/tricks_network.py``), the last two of no trumps together.
"""


def network_error(shares: Floats, values: Floats, strain: Strain) -> float:
    """The network's own standard error of the mean of ``values[tricks]``, where
    P(tricks) is ``shares`` (14,).

    Its error in tricks times what a trick more or less makes of the mean: no number of
    draws removes it.
    """
    more, less = (
        shares @ values[np.clip(np.arange(14) + step, 0, 13)] for step in (1, -1)
    )
    level = int(np.searchsorted(NETWORK_LEVELS, shares @ TRICKS, side="right"))
    return float(NETWORK_ERROR[strain is Strain.NT][level] * abs(more - less) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class ContractOdds(ContractQuestion, Displayable):
    """What becomes of a contract."""

    pmf: Floats  #: (14,) P(declarer takes 0 … 13 tricks).
    pmf_error: Floats  #: (14,) one standard error of each.
    make: Estimate[float]  #: P(it makes).
    mean: Estimate[float]  #: Expected tricks.
    solved: int  #: How many layouts were solved.
    #: ``network``, ``corrected`` (solved layouts, weighted by the network's
    #: predictions) or ``all solved``.
    basis: str

    @classmethod
    def of_tree(cls, result: xarray.DataTree) -> ContractOdds | None:
        """From the group ``contract`` of a result; ``None`` where it has none."""
        if "contract" not in result.children:
            return None
        kept = result["contract"].to_dataset()
        contract, dummy = (
            Contract.of(str(kept.attrs["contract"])),
            Seat.of(str(kept.attrs["dummy"])),
        )
        actual, bid = (bool(kept.attrs[name]) for name in ("actual", "bid"))
        pmf, errors = (
            np.asarray(kept[name].values, np.float64) for name in ("pmf", "pmf_error")
        )
        make, mean = (
            Estimate(float(kept[name]), float(kept[f"{name}_error"]))
            for name in ("make", "mean")
        )
        whose = group_of(contract, dummy)
        return cls(
            contract,
            whose,
            actual,
            bid,
            pmf,
            errors,
            make,
            mean,
            int(kept["solved"]),
            str(kept.attrs["basis"]),
        )

    @property
    def whose(self) -> str:
        """Declarer and dummy, by the names of their seats."""
        declarer, dummy = (SEATS[seat.name] for seat in self.group.pair)
        return f"{declarer}, dummy {dummy}"

    @property
    def sentence(self) -> str:
        """The answer in words."""
        many = f"{self.mean.mean:.2f}{error_text(self.mean.error)}"
        return f"It makes with {percent(self.make.mean)}{share_error(*self.make)}; {many} tricks on average."

    @property
    def caution(self) -> str:
        """How far the figures can be trusted, in a sentence or two."""
        if self.basis == "all solved":
            words = f"Every layout was solved ({number(self.solved)}): the figures are exact."
        elif self.basis == "corrected":
            enough = self.make.error <= (USUAL["estimate"].error or 0.0)
            words = (
                f"From {number(self.solved)} solved layouts{', enough for an error of two points at most' * enough}, "
                "weighted so that the network's predictions average over them as over all draws; the errors count both."
            )
        else:
            words = f"The figures are the network's, not corrected by solved layouts; {CALIBRATION}. {OFF}."
        if self.bid:
            kind = {6: "small ", 7: "grand "}.get(
                self.contract.level, ""
            ) + self.contract.kind
            boards, points = READ_LESS[kind]
            words += (
                f" On {number(boards)} boards of experts {kind}s made {points} points more often than the "
                "opening leader predicts by this reading of auctions."
            )
        if not self.actual:
            return words
        about = actual_counts()[1]
        aside = about["judged"]["declarer"]
        return (
            f"Double dummy is passed through what declarers took beside it at {number(about['fitted'])} tables of "
            f"experts. On {number(aside['tables'])} tables set aside, for declarer with dummy in view, P(it makes) was "
            f"{100 * aside['error']:.1f} points off the share that made, on average over the tenths of its range "
            f"({100 * aside['error_before']:.1f} without this step). Before that step: {words}"
        )

    @property
    def tables(self) -> list[Table]:
        """How many tricks it takes, and which of them make it."""
        rows: list[list[str | float]] = [
            [
                str(tricks),
                float(share),
                share_error(share, error).strip(),
                "makes" * bool(self.made[tricks]),
            ]
            for tricks, (share, error) in enumerate(
                zip(self.pmf.clip(0.0), self.pmf_error, strict=True)
            )
            if share >= RARE
        ]
        title = f"{self.contract}: {'actual' if self.actual else 'double-dummy'} tricks of {self.whose}"
        return [
            Table(
                title, ["", "P", "", ""], rows, [self.sentence, self.caution], bars=True
            )
        ]

    def document(self, draws: int) -> dict[str, Any]:
        """For ``--json``, from an answer by so many layouts."""
        name, _, declarer = str(self.contract).partition(" by ")
        return {
            "name": name,
            "by": declarer,
            "dummy": self.group.pair[1].name,
            **with_errors({"make": self.make}),
            "tricks": {
                **with_errors({"mean": self.mean}),
                "pmf": {
                    str(tricks): float(share) for tricks, share in enumerate(self.pmf)
                },
                "pmf_error": {
                    str(tricks): float(error)
                    for tricks, error in enumerate(self.pmf_error)
                },
            },
            "draws": draws,
            "solved": self.solved,
            "basis": self.basis,
            "actual": self.actual,
            "caution": self.caution,
        }

    def dataset(self) -> xarray.Dataset:
        """For a result, as the group ``contract``."""
        import xarray

        values = {
            "make": ((), self.make.mean, {"long_name": "P(the contract makes)."}),
            "make_error": (
                (),
                self.make.error,
                {"long_name": "One standard error of make."},
            ),
            "mean": (
                (),
                self.mean.mean,
                {"long_name": "Expected tricks of declarer and dummy."},
            ),
            "mean_error": (
                (),
                self.mean.error,
                {"long_name": "One standard error of mean."},
            ),
            "pmf": (("tricks",), self.pmf, {"long_name": "P(exactly so many tricks)."}),
            "pmf_error": (
                ("tricks",),
                self.pmf_error,
                {"long_name": "One standard error of pmf."},
            ),
            "solved": ((), self.solved, {"long_name": "Layouts that were solved."}),
        }
        about = {
            "contract": str(self.contract),
            "dummy": self.group.pair[1].name,
            "basis": self.basis,
        }
        flags = {
            "corrected": int(self.basis != "network"),
            "actual": int(self.actual),
            "bid": int(self.bid),
        }
        return xarray.Dataset(
            values,
            {"tricks": np.arange(14)},
            {**about, "caution": self.caution, **flags},
        )


def answer_question(
    posterior: Posterior,
    estimators: Sequence[Estimator],
    asked: ContractQuestion | None,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
    budget: Budget,
    rng: Seed = 0,
) -> Evaluation:
    """What estimators say of a posterior, and what becomes of a contract that is asked
    about, which tells the pair and the trumps.
    """
    if asked is not None:
        pair = asked.group.pair
        trump = asked.group.strain
    random = generator(rng)
    question = ask(posterior, pair, trump, trick)
    evaluation = evaluate(posterior, estimators, question, rng=random, budget=budget)
    return with_odds(evaluation, asked, budget, random)


def with_odds(
    found: Evaluation, asked: ContractQuestion | None, budget: Budget, rng: Seed
) -> Evaluation:
    """An evaluation with what becomes of a contract, where one is asked about, from its
    ``tricks``.

    A solver that fails is added to the failures; where ``tricks`` itself failed, there
    is no answer.
    """
    network = next(
        (one for one in found.numbers.values() if one.estimator == PREDICTS), None
    )
    if asked is None or network is None or network.output.support != range(14):
        return found
    random, group, posterior, predicted = (
        generator(rng),
        asked.group,
        found.posterior,
        network.draws,
    )
    if len(predicted) == len(posterior):
        estimates = TrickEstimates.of(posterior, [group], predicted)
    else:
        estimates = TrickEstimates.of(
            judged(posterior, random, len(predicted)), [group]
        )
    budget = budget.over(USUAL["estimate"])
    made, failures = asked.after @ asked.made, found.failures
    if budget.solve != 0 and (solver := layout_solver()) is not None:
        chance, tricks = (
            estimates.of_one(group, points) for points in (made, asked.after @ TRICKS)
        )
        unsure = np.sqrt(np.maximum(chance.square - chance.predicted**2, 0.0) + SURE**2)
        work = Solving(
            [group], [chance.predicted, tricks.predicted], {group: made}, unsure
        )
        try:
            estimates = estimates.solve(solver, work, budget, random)
        except PluginError as failure:
            failures = {**failures, solver.name: failure}
    return replace(found, odds=estimates.odds(asked), failures=failures)


def network_odds(
    posterior: Posterior, contract: Contract, rng: Seed = 0
) -> ContractOdds:
    """What the network alone says of a contract, quickly: of no more than 1000 layouts."""
    asked = ContractQuestion.of(posterior.belief, contract)
    return TrickEstimates.of(judged(posterior, rng, 1000, 1000), [asked.group]).odds(
        asked
    )


def game_odds(
    posterior: Posterior, pair: tuple[Seat, Seat], rng: Seed = 0
) -> list[ContractOdds]:
    """What the network says of the auction's contract; before its end of game in each
    strain, declared by the pair.
    """
    belief = posterior.belief
    if belief.auction is not None and belief.auction.contract is not None:
        return [network_odds(posterior, belief.auction.contract, rng)]
    declarer = pair[1] if pair[0] == belief.dummy else pair[0]
    return [
        network_odds(posterior, Contract(level, strain, declarer), rng)
        for strain, level in GAME_LEVELS.items()
    ]


def normalised(chances: NDArray[Any]) -> Floats:
    """Distributions along the last axis, adding up to one beyond the network's single
    precision.
    """
    exact = np.asarray(chances, np.float64)
    return np.asarray(exact / exact.sum(axis=-1, keepdims=True))


def solve_layouts(
    solver: Estimator, layouts: Layouts, question: Question
) -> NDArray[np.int64]:
    """(n,) tricks."""
    found = run(solver, layouts, question)
    tricks = np.asarray(found.get(SOLVES, next(iter(found.values()))), np.int64)
    if tricks.ndim != 1 or tricks.min() < 0 or tricks.max() > 13:
        what = f"estimator {solver.name!r}: expected tricks from 0 to 13 for each layout, got others"
        raise PluginError(what, plugin=solver.name)
    return tricks


def judged(
    posterior: Posterior, rng: Seed, most: int = 4000, exact_up_to: int = 10_000
) -> Posterior:
    """The posterior itself where it is small enough for a decision, else ``most``
    layouts drawn from it.
    """
    if len(posterior) <= (exact_up_to if posterior.exact else most):
        return posterior
    return subsample(posterior, most, rng, f"{most} of these for a decision")


class LayoutNumbers(NamedTuple):
    """A number of each layout: (n,) its mean and that of its square by the network, and
    what was solved.
    """

    predicted: Floats
    square: Floats
    #: (m,) its value in the layouts that were solved; ``None`` where it was not.
    solved: Floats | None
    points: Floats  #: All that it can be.
    step: float
    """By how much it may differ in a layout that takes one trick more or less than
    those solved; 0 for no more.
    """
    #: The network's own standard error of its mean; 0 where all that it depends on was
    #: solved.
    network: float


class Solving(NamedTuple):
    """What is to be solved."""

    groups: Sequence[Group]
    controls: Sequence[Floats]
    """(n,) each: predictions that the weights of the solved layouts are fitted to, the
    most important first.
    """
    watched: Mapping[Group, Floats]
    """(14,) what is to be as exact as the budget says: 1 where so many tricks are
    enough.
    """
    unsure: Floats | float = 1.0
    """(n,) how much a layout tells that is solved: it is solved more often, and weighs
    less.
    """


@dataclass(frozen=True, slots=True, eq=False)
class TrickEstimates:
    """Layouts with weights, and the tricks of some groups on them: by the network, and
    solved for some.
    """

    layouts: Layouts
    weights: Floats  #: (n,) adding up to one.
    #: Effective sample size of the layouts, infinite where they are all that fit.
    ess: float
    pmfs: Mapping[Group, Floats]  #: (n, 14) P(tricks) in each layout.
    chosen: NDArray[np.int64]  #: (m,) numbers of the layouts that were solved.
    #: How these are weighted; ``None`` where nothing was solved.
    sample: CalibratedSample | None
    tricks: Mapping[Group, NDArray[np.int64]]  #: (m,) solved, for the groups that were.

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        groups: Iterable[Group],
        known: NDArray[Any] | None = None,
    ) -> Self:
        """By the network alone, of all layouts of a posterior; ``known`` (n, 14) is
        what it said of them already.
        """
        layouts, ess = (
            posterior.layouts,
            np.inf if posterior.exact else max(1.0, posterior.ess),
        )
        network = TricksEstimator()
        pmfs = {
            one: normalised(
                run(network, layouts, one)[PREDICTS] if known is None else known
            )
            for one in groups
        }
        return cls(
            layouts,
            np.asarray(posterior.weights),
            ess,
            pmfs,
            np.empty(0, np.int64),
            None,
            {},
        )

    def solve(
        self, solver: Estimator, work: Solving, budget: Budget, rng: Seed
    ) -> TrickEstimates:
        """With some layouts solved, until they are as exact as the budget says; all if
        it allows that.
        """
        n, cost = len(self.layouts), seconds_of(solver)
        m = min(n, budget.layouts(cost * len(work.groups), n))
        chosen, unsure = np.arange(n), np.broadcast_to(work.unsure, n)
        predicted = (
            np.stack(work.controls, axis=1) if work.controls else np.empty((n, 0))
        )
        if m < n:
            with np.errstate(divide="ignore"):
                weights = Weights(np.log(self.weights * unsure))
            chosen = np.asarray(
                weights.resample(m, generator(rng), "multinomial"), np.int64
            )
        tricks = {one: np.empty(0, np.int64) for one in work.groups}

        def corrected(done: int) -> TrickEstimates:
            some = chosen[:done]
            sample = CalibratedSample.every(self.weights, self.ess)
            if done < n:
                drawn = 1.0 / unsure[some]
                sample = CalibratedSample.of(
                    drawn / drawn.sum(),
                    predicted[some],
                    self.weights @ predicted,
                    self.ess,
                )
            return replace(self, chosen=some, sample=sample, tricks=dict(tricks))

        # Part of a second's work: progress is seen, and little too much done.
        step, done = max(1, round(0.4 / max(cost, 1e-3))), 0
        while done < m:
            part = self.layouts[chosen[done : done + step]]
            for one in work.groups:
                tricks[one] = np.concatenate(
                    [tricks[one], solve_layouts(solver, part, one)]
                )
            done += len(part)
            report_progress("layouts solved", done, m)
            if budget.error is not None and FIRST <= done < m < n:
                found = corrected(done)
                if all(
                    found.mean(found.of_one(*of)).error <= budget.error
                    for of in work.watched.items()
                ):
                    break
        return corrected(done)

    @property
    def every(self) -> bool:
        """Whether every layout was solved."""
        return self.sample is not None and self.sample.size == np.inf

    def basis(self, group: Group) -> str:
        """What the figures of a group rest on: ``network``, ``corrected`` or ``all
        solved``.
        """
        return (
            "network"
            if group not in self.tricks
            else "all solved"
            if self.every
            else "corrected"
        )

    def odds(self, asked: ContractQuestion) -> ContractOdds:
        def of(values: Floats) -> Estimate[float]:
            return self.mean(self.of_one(asked.group, asked.after @ values))

        pmf, errors = np.array([of(one) for one in np.eye(len(TRICKS))]).T
        solved, basis = len(self.chosen), self.basis(asked.group)
        about = asked.contract, asked.group, asked.actual, asked.bid
        return ContractOdds(
            *about, pmf, errors, of(asked.made), of(TRICKS), solved, basis
        )

    def of_one(self, group: Group, points: Floats) -> LayoutNumbers:
        """``points[tricks]`` of one group."""
        pmf = self.pmfs[group]
        solved = points[self.tricks[group]] if group in self.tricks else None
        step = _largest_step(points[self._near(group)])
        return LayoutNumbers(
            pmf @ points,
            pmf @ points**2,
            solved,
            points,
            step,
            self._error(group, points),
        )

    def of_two(self, first: Group, second: Group, points: Floats) -> LayoutNumbers:
        """``points[tricks of the first, tricks of the second]``; (14, 14)."""
        if first == second:
            return self.of_one(first, np.ascontiguousarray(points.diagonal()))
        one, two = self.pmfs[first], self.pmfs[second]
        predicted, square = (
            np.asarray(((one @ each) * two).sum(axis=1)) for each in (points, points**2)
        )
        solved = None
        if first in self.tricks or second in self.tricks:
            of_first, of_second = (
                np.eye(14)[self.tricks[group]]
                if group in self.tricks
                else self.pmfs[group][self.chosen]
                for group in (first, second)
            )
            solved = np.asarray(((of_first @ points) * of_second).sum(axis=1))
        near = points[self._near(first)][:, self._near(second)]
        step = _largest_step(near) + _largest_step(near.T)
        errors = (
            self._error(first, points @ (self.weights @ two)),
            self._error(second, (self.weights @ one) @ points),
        )
        return LayoutNumbers(
            predicted, square, solved, points, step, float(np.hypot(*errors))
        )

    def mean(self, number: LayoutNumbers) -> Estimate[float]:
        """Posterior mean of a number: its spread over the draws and within each layout,
        and the network's error.
        """
        low, high = float(number.points.min()), float(number.points.max())
        if low == high:
            return Estimate(low, 0.0)
        if number.solved is not None and self.sample is not None:
            # Where no near number of tricks changes it, any change is as far as these.
            mean, error = self.sample.mean(
                number.solved, low, high, number.step or high - low
            )
            return Estimate(mean, math.hypot(error, number.network))
        mean = min(
            max(float(self.weights @ number.predicted), low), high
        )  # rounding alone
        variance = (float(self.weights @ number.square) - mean**2) / self.ess
        if self.ess == np.inf:
            variance = float(self.weights**2 @ (number.square - number.predicted**2))
        return Estimate(mean, math.sqrt(max(variance, 0.0) + number.network**2))

    def _error(self, group: Group, points: Floats) -> float:
        """The network's own error of the mean of ``points[tricks]``; none where it was
        solved.
        """
        return (
            0.0
            if group in self.tricks
            else network_error(self.weights @ self.pmfs[group], points, group.strain)
        )

    def _near(self, group: Group) -> slice:
        """Numbers of tricks up to one from those that were solved; all where none was."""
        if group not in self.tricks:
            return slice(0, 14)
        tricks = self.tricks[group]
        return slice(max(0, int(tricks.min()) - 1), min(14, int(tricks.max()) + 2))


def _largest_step(near: Floats) -> float:
    """Between neighbours along the first axis."""
    return float(np.abs(np.diff(near, axis=0)).max())


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedSample(FrozenArrays):
    """Solved layouts with their weights.

    >>> mean, error = CalibratedSample.of(np.full(100, 0.01)).share(np.ones(100))
    >>> mean, round(error, 4)
    (1.0, 0.015)
    """

    weights: Floats  #: v: (m,), non-negative, adding up to one.
    #: (m, k) the predictions that were fitted, less their means under the weights.
    controls: Floats
    ess: float
    """Effective sample size of all draws; infinite where they are all layouts, or the
    solved ones themselves.
    """
    size: float
    """n: effective number of solved layouts; infinite where these are all layouts, with
    their exact weights.
    """

    @classmethod
    def of(
        cls,
        weights: Floats,
        controls: Floats | None = None,
        targets: Floats | None = None,
        ess: float = np.inf,
    ) -> Self:
        """From the weights w (m,) they were drawn with, predictions (m, k), most
        important first, and their means ``targets`` (k,) over draws of effective size
        ``ess``.
        """
        w = np.asarray(weights, np.float64)
        if controls is None or targets is None:
            return cls(w, np.empty((len(w), 0)), ess, 1.0 / float(w @ w))
        means = w @ controls
        away = controls - means
        spread, fourth = w @ away**2, w**2 @ away**4
        differs = spread > 1e-12 * (
            means**2 + spread
        )  # what is the same in all layouts differs by rounding alone
        carried = np.divide(spread**2, fourth, out=np.zeros_like(fourth), where=differs)
        # Eight solved layouts for each prediction, and at least eight that carry its variance: with fewer, fitting
        # costs more than it explains.
        fitted = np.flatnonzero(carried >= 8)[: len(w) // 8]
        x = (controls - targets)[:, fitted]
        v = _tilted(w, x) if len(fitted) else w
        return cls(v, x - v @ x, ess, 1.0 / float(v @ v))

    @classmethod
    def every(cls, weights: Floats, ess: float = np.inf) -> Self:
        """All draws, of this effective size; infinite where they are all layouts that
        fit, whose means are exact.
        """
        size = ess if ess == np.inf else min(ess, 1.0 / float(weights @ weights))
        return cls(weights, np.empty((len(weights), 0)), np.inf, size)

    def share(self, values: Floats) -> Estimate[float]:
        """Mean and standard error of what lies in [0, 1] in every layout, (m,): whether
        it is so, or how likely.
        """
        return self.mean(values, 0.0, 1.0, 1.0)

    def mean(
        self, values: Floats, low: float, high: float, step: float
    ) -> Estimate[float]:
        """Mean and standard error of numbers in [low, high], (m,); in a layout not seen
        they may differ by ``step``.
        """
        found = min(
            max(float(self.weights @ values), float(values.min())), float(values.max())
        )  # rounding alone
        if self.size == np.inf or low == high:
            return Estimate(found, 0.0)
        residual = away = values - found
        spread, k = float(self.weights @ away**2), self.controls.shape[1]
        if k:
            weighted = self.weights[:, None] * self.controls
            gram = weighted.T @ self.controls
            ridge = np.diag(gram.diagonal() / len(values) + 1e-300)
            residual = away - self.controls @ np.linalg.solve(
                gram + ridge, weighted.T @ away
            )
        left = float(self.weights**2 @ residual**2) / float(self.weights @ self.weights)
        freedom = max(1.0, self.size - 1.0 - k)
        # The quantile of Student's t at Φ(2), over 2, by its expansion in one over the degrees of freedom.
        students = 1.0 + 1.25 / freedom + 1.53125 / freedom**2 + 1.4297 / freedom**3
        variance = (
            spread / self.ess
            + left / self.size * (freedom + 1.0) / freedom * students**2
        )
        unseen = 1.5 * step / self.size
        variance += unseen**2 * max(0.0, 1.0 - 4.0 * spread / step**2)
        # The truth is somewhere between low and high: two errors need not reach further.
        return Estimate(
            found, min(float(np.sqrt(variance)), max(found - low, high - found) / 2.0)
        )


def _tilted(w: Floats, x: Floats) -> Floats:
    """(m,) weights v ∝ w exp(λ · z) under which z, the predictions x less their targets
    in units of their spread, has mean − λ / m, which keeps λ finite where the targets
    lie outside all that was drawn.

    λ is the minimum of a convex function, found by Newton's steps.
    """
    z = x / np.sqrt(w @ x**2)
    weights, ridge = w, 1.0 / len(w)
    at, value = np.zeros(z.shape[1]), 0.0
    for _ in range(50):  # ten steps are usual
        mean = weights @ z
        slope = mean + ridge * at
        if np.abs(slope).max() < 1e-10:
            break
        curve = (
            (weights[:, None] * z).T @ z
            - np.outer(mean, mean)
            + ridge * np.eye(len(at))
        )
        step = np.linalg.solve(curve, slope)
        for _ in range(50):
            tried = at - step
            log = z @ tried
            top = float(log.max())
            raw = w * np.exp(log - top)
            found = top + float(np.log(raw.sum())) + 0.5 * ridge * float(tried @ tried)
            if found <= value + 1e-12:
                break
            step = step / 2.0
        at, value, weights = tried, found, raw / raw.sum()
    return np.asarray(weights)


STRAIN_KINDS: Final = ("suit", "no trumps")
LOWEST_MARGIN, HIGHEST_MARGIN = (
    -4,
    3,
)  # double dummy less what the contract needs; what lies beyond counts as the end
FARTHEST: Final = 5
"""Largest difference from double dummy that counts; what is farther is taken for an
error of the record.
"""
SHAPE: Final = (
    len(CONTRACT_KINDS),
    len(STRAIN_KINDS),
    2,
    HIGHEST_MARGIN - LOWEST_MARGIN + 1,
    2 * FARTHEST + 1,
)
"""Counts by class, kind, doubled, margin and difference."""


def cell_of(contract: Contract) -> tuple[int, int, int]:
    """Where a contract is counted: class, kind of strain, doubled or not."""
    return (
        CONTRACT_KINDS.index(contract.kind),
        int(contract.strain == Strain.NT),
        int(contract.doubled > 0),
    )


def smoothed(counts: NDArray[np.int64], strength: float) -> Floats:
    """Probabilities of the differences in every cell, in the shape of the counts.

    From the margin alone to margin and kind of strain, then with the class, then with
    the double::

        P(d ∣ cell) = (tables of the cell with difference d + strength · P(d ∣ coarser cell)) / (tables + strength)
    """
    by_margin = counts.sum(axis=(0, 1, 2)) + 0.5
    shares = by_margin / by_margin.sum(axis=-1, keepdims=True)
    for axes in ((0, 2), (2,), ()):
        finer = counts.sum(axis=axes, keepdims=True)
        shares = (finer + strength * shares) / (
            finer.sum(axis=-1, keepdims=True) + strength
        )
    return np.asarray(shares, np.float64)


def passed_through(shares: Floats, needed: int) -> Floats:
    """The table of :func:`actual_table` from (margins, differences) of one cell."""
    table = np.zeros((14, 14))
    for solved in range(14):
        margin = (
            min(max(solved - needed, LOWEST_MARGIN), HIGHEST_MARGIN) - LOWEST_MARGIN
        )
        for difference in range(-FARTHEST, FARTHEST + 1):
            table[solved, min(max(solved + difference, 0), 13)] += shares[
                margin, difference + FARTHEST
            ]
    return table


def actual_table(contract: Contract) -> Floats:
    """(14, 14) P(declarer takes so many ∣ double dummy), counted on real tables; a row
    for each double dummy.
    """
    counts, about = actual_counts()
    shares = smoothed(counts, float(about["strength"]))
    return passed_through(shares[cell_of(contract)], contract.tricks_needed)


@cache
def actual_counts() -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The counts that ship, and what is known of them: the records' hash, settings, and
    how they were judged.
    """
    stored = json.loads(
        files("bayesbridge.estimators").joinpath("data/actual.json").read_text("utf-8")
    )
    return np.array(stored["counts"], np.int64).reshape(SHAPE), stored["about"]
