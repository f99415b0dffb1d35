"""P(make) of a contract over a posterior, with the distribution of its tricks and standard errors.

The network of ``tricks`` predicts double-dummy tricks for every draw: all four players see all cards, from the first
lead on. Where the estimator ``solved`` is installed, m layouts of the posterior are solved too, and the answer is
theirs. The layouts drawn to be solved are never quite a mirror of the posterior: perhaps too many of them look easy to
the network. So they get weights, as near as possible to those they were drawn with, under which the network's
predictions x have the mean x̄ that they have over all draws::

    v_j ∝ w_j exp(λ · x_j)    with    Σ v_j x_j = x̄

(calibration weights by exponential tilting, or raking: Deville and Särndal, *Journal of the American Statistical
Association* 87, 1992). Any number that depends on the cards is then its mean under v over solved layouts alone. So a
probability lies in [0, 1], a distribution is non-negative and adds up to one, differences are differences, and what
held in every solved layout is reported as that, by construction; the network decides how the layouts are weighted and
nothing else. What it explains of a number is as exact as all draws, the residual e as the layouts solved::

    variance = var(a) / ESS + Σ v_j² e_j² · n / (n − 1 − k)         n = 1 / Σ v_j², k predictions fitted

Two stated errors hold in about 95 of a hundred cases down to a handful of layouts (the factor of Student's t), and at
the edge: what was never seen otherwise in n layouts has two errors of 3 / n (the rule of three).

Experts do not play double dummy. With ``actual`` a function of the tricks is replaced by its mean over what declarers
take with that double dummy: P(actual tricks ∣ double dummy, contract) was counted on real tables
(``scripts/fit_actual.py``), cells with few tables shrunk towards coarser ones (:func:`smoothed`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import CONTRACT_KINDS, GAME_LEVELS, Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.evaluate import SECONDS, Evaluation, Progress
from bayesbridge.estimators.protocol import Estimator, Question, run, seconds_of
from bayesbridge.estimators.registry import offered
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed, generator
from bayesbridge.words import error_text, number, percent, share_error

if TYPE_CHECKING:
    import xarray

type Floats = NDArray[np.float64]

TRICKS: Final = np.arange(14, dtype=np.float64)

PREDICTS: Final = "tricks"
"""The estimator that predicts the tricks of every draw."""

SOLVES: Final = "solved"
"""The one that solves them, in the double-dummy plugin."""


@dataclass(frozen=True, slots=True)
class ContractQuestion:
    """A contract, who is dummy, and how much of it is to be solved."""

    contract: Contract
    dummy: Seat
    solve: int | None = None
    """Layouts to solve; ``None`` for as many as the time allows."""
    seconds: float | None = None
    """Time for that on one core; ``None`` for the usual."""
    actual: bool = False
    """Whether real declarers' tricks are asked for, by ``actual``, instead of double dummy."""
    bid: bool = False
    """Whether a defender asks about the contract of an auction of four, read by the usual bidder, before the lead."""

    @property
    def pair(self) -> tuple[Seat, Seat]:
        """Declarer and dummy."""
        return self.contract.declarer, self.dummy

    @property
    def strain(self) -> Strain:
        """Trumps, or none."""
        return self.contract.strain

    @property
    def after(self) -> Floats:
        """(14, 14) P(tricks taken ∣ double-dummy tricks): the identity, or what real declarers take."""
        return actual_table(self.contract) if self.actual else np.eye(len(TRICKS))

    @property
    def made(self) -> Floats:
        """(14,) 1 where so many tricks are enough."""
        return (self.contract.tricks_needed <= TRICKS).astype(np.float64)


def contract_question(
    belief: Belief,
    contract: Contract | str | None,
    by: Seat | str | None = None,
    pair: Any = None,
    trump: Any = None,
    solve: int | None = None,
    seconds: float | None = None,
    actual: bool = False,
) -> ContractQuestion | None:
    """What is asked about a contract; ``None`` where none is named.

    >>> from bayesbridge import Belief
    >>> contract_question(Belief("S", "AKQ2.KJ3.A54.Q32"), "4SX").pair
    (<Seat.S: 2>, <Seat.N: 0>)
    """
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise BayesBridgeError(f"seconds {seconds}: give a number above 0", seconds=seconds)
    without, beside = {"by": by, "solve": solve, "actual": actual or None}, {"pair": pair, "trump": trump}
    for name, value in (without if contract is None else beside).items():
        if value is not None:
            what = "without a contract: name one, such as 4S" if contract is None else "beside a contract: leave it out"
            raise BayesBridgeError(f"{name} {value} {what}", **{name: value})
    if contract is None:
        return None
    if solve is not None and (solve < 0 or solve == 1):
        raise BayesBridgeError(f"solve {solve}: give 0 for none, or at least 2 layouts", solve=solve)
    named = resolve_contract(belief, contract, by)
    # In the three-player game the dummy stays where it is, whoever declares.
    dummy = named.declarer.partner if belief.dummy is None else belief.dummy
    return ContractQuestion(named, dummy, solve, seconds, actual, _was_bid(belief, named))


def estimators_for(
    estimators: str | Estimator | Sequence[str | Estimator] | None, asked: ContractQuestion | None
) -> tuple[list[Estimator], list[Estimator]]:
    """The estimators, ``capture`` unless named; for a contract with ``tricks``, and apart ``solved`` if installed."""
    named = ("capture" if asked is None else PREDICTS) if estimators is None else estimators
    given = [named] if isinstance(named, str) or not isinstance(named, Sequence) else list(named)
    if not given:
        raise BayesBridgeError("no estimator named: give at least one, such as 'capture'")
    have = [one if isinstance(one, str) else one.name for one in given]
    every = list(given) if asked is None or PREDICTS in have else [*given, PREDICTS]
    solving = asked is not None and asked.solve != 0
    names = [one for one in every if isinstance(one, str)]
    registry = offered("estimators", [*names, *([SOLVES] if solving else [])])
    chosen = [registry.estimator(one) if isinstance(one, str) else one for one in every]
    return chosen, [registry.estimators[SOLVES]] if solving and SOLVES in registry.estimators else []


def resolve_contract(belief: Belief, contract: Contract | str, by: Seat | str | None = None) -> Contract:
    """The contract with its declarer: as written, or ``by``, or who would declare it on the observer's side.

    That is the declarer of the auction's own contract in that strain, else who of the observer's side bid the strain
    first, else the observer.

    >>> from bayesbridge import Belief
    >>> resolve_contract(Belief("S", "AKQ2.KJ3.A54.Q32"), "4SX")
    Contract.of('4SX by S')
    """
    whole = isinstance(contract, Contract) or len(str(contract).split()) == 3
    written = Contract.of(contract) if whole else Contract.of(contract, belief.observer if by is None else by)
    if whole and by is not None and Seat.of(by) != written.declarer:
        raise BayesBridgeError(f"contract {str(written)!r} and by {by}: name one declarer", contract=written)
    if not whole and by is None and (auction := belief.auction) is not None:
        side = (belief.observer, belief.observer.partner) if belief.dummy is None else (belief.observer,)
        bid = (seat for seat, call in auction if seat in side and call.strain == written.strain)
        final = auction.contract
        own = final is not None and final.strain == written.strain
        written = replace(written, declarer=final.declarer if own and final else next(bid, belief.observer))
    if written.declarer == belief.dummy:
        raise BayesBridgeError(
            f"contract {str(written)!r}: {written.declarer.name} is the dummy, who does not declare: name another seat",
            contract=written,
        )
    return written


READ: Final = number(2000)
READ_LESS: Final = {"part score": "1.7 ± 1.6", "game": "1.6 ± 1.3", "slam": "16.0 ± 3.7"}
"""By how many points the opening leader's posterior expects too little (``benchmarks/evaluation/odds.py``)."""


def _was_bid(belief: Belief, contract: Contract) -> bool:
    """Whether a defender asks about the contract of an auction of four, read by the usual bidder, before the lead."""
    from bayesbridge.bidders.learned import LearnedBidder

    table = belief.table
    asked = table.contract == contract and not table.plays and isinstance(belief.bidder, LearnedBidder)
    return asked and belief.observer not in (contract.declarer, contract.declarer.partner)


LAYOUTS: Final = 1000
"""Layouts that :func:`network_odds` judges of a posterior that has more."""

CALIBRATION: Final = (
    "on 5 389 deals held aside its likeliest number was right in 79.0 % of suit contracts and 81.3 % of those at no "
    "trumps, and at most one trick off in 99.8 % and 98.7 %"
)
"""What was measured of the network, for answers that nothing corrects."""

OFF: Final = "The errors stated count the draws, and what the network is off by where two hands are known"
"""What errors of such answers count."""


NETWORK_LEVELS: Final = (5.0, 7.0, 9.0, 11.0)
"""Expected tricks that part the columns of :data:`NETWORK_ERROR`."""

NETWORK_ERROR: Final = {False: (0.10, 0.09, 0.13, 0.11, 0.17), True: (0.13, 0.08, 0.11, 0.25, 0.25)}
"""By whether it is no trumps and by level: the network's error in tricks where two hands are known, root mean square
over 100 positions (``benchmarks/evaluation/tricks_network.py``), the last two of no trumps together."""


def network_error(shares: Floats, values: Floats, strain: Strain) -> float:
    """The network's own standard error of the mean of ``values[tricks]``, where P(tricks) is ``shares`` (14,).

    Its error in tricks times what a trick more or less makes of the mean. It is the same in all layouts of a position,
    so that no number of draws removes it.

    >>> network_error(np.eye(14)[10], TRICKS, Strain.S) == NETWORK_ERROR[False][3]
    True
    """
    more, less = (shares @ values[np.clip(np.arange(14) + step, 0, 13)] for step in (1, -1))
    level = int(np.searchsorted(NETWORK_LEVELS, shares @ TRICKS, side="right"))
    return float(NETWORK_ERROR[strain is Strain.NT][level] * abs(more - less) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class ContractOdds:
    """What becomes of a contract."""

    contract: Contract
    dummy: Seat
    pmf: Floats
    """(14,) P(declarer takes 0 … 13 tricks)."""
    pmf_error: Floats
    """(14,) one standard error of each."""
    make: tuple[float, float]
    """P(it makes), one standard error."""
    mean: tuple[float, float]
    """Expected tricks, one standard error."""
    solved: int
    """How many layouts were solved."""
    basis: str
    """``network``, ``corrected`` (solved layouts, weighted by the network's predictions) or ``all solved``."""
    actual: bool = False
    """Whether the tricks are those of real declarers, not of double dummy."""
    bid: bool = False
    """Whether a defender asks about the contract of an auction of four, read by the usual bidder, before the lead."""

    @classmethod
    def of(cls, result: xarray.DataTree) -> ContractOdds | None:
        """From the group ``contract`` of a result; ``None`` where it has none."""
        if "contract" not in result.children:
            return None
        kept = result["contract"].to_dataset()
        make, mean = ((float(kept[name]), float(kept[f"{name}_error"])) for name in ("make", "mean"))
        contract, dummy = Contract.of(str(kept.attrs["contract"])), Seat.of(str(kept.attrs["dummy"]))
        pmf, errors = (np.asarray(kept[name].values, np.float64) for name in ("pmf", "pmf_error"))
        solved, basis = int(kept["solved"]), str(kept.attrs["basis"])
        actual, bid = (bool(kept.attrs[name]) for name in ("actual", "bid"))
        return cls(contract, dummy, pmf, errors, make, mean, solved, basis, actual, bid)

    def makes(self, tricks: int) -> bool:
        """Whether so many tricks are enough."""
        return tricks >= self.contract.tricks_needed

    @property
    def sentence(self) -> str:
        """The answer in words."""
        many = f"{self.mean[0]:.2f}{error_text(self.mean[1])}"
        return f"It makes with {percent(self.make[0])}{share_error(*self.make)}; {many} tricks on average."

    @property
    def caution(self) -> str:
        """How far the figures can be trusted, in a sentence or two."""
        if self.basis == "all solved":
            words = f"Every layout was solved ({number(self.solved)}): the figures are exact."
        elif self.basis == "corrected":
            words = (
                f"From {number(self.solved)} solved layouts, weighted so that the network's predictions average over "
                "them as over all draws; the errors count both."
            )
        else:
            words = f"The figures are the network's, not corrected by solved layouts; {CALIBRATION}. {OFF}."
        if self.bid:
            words += (
                f" On {READ} boards of experts {self.contract.kind}s made {READ_LESS[self.contract.kind]} points more "
                "often than the opening leader predicts by this reading of auctions."
            )
        return f"{actual_caution()} Before that step: {words}" if self.actual else words

    def dataset(self) -> xarray.Dataset:
        """For a result, as the group ``contract``."""
        import xarray

        values = {
            "make": ((), self.make[0], {"long_name": "P(the contract makes)."}),
            "make_error": ((), self.make[1], {"long_name": "One standard error of make."}),
            "mean": ((), self.mean[0], {"long_name": "Expected tricks of declarer and dummy."}),
            "mean_error": ((), self.mean[1], {"long_name": "One standard error of mean."}),
            "pmf": (("tricks",), self.pmf, {"long_name": "P(exactly so many tricks)."}),
            "pmf_error": (("tricks",), self.pmf_error, {"long_name": "One standard error of pmf."}),
            "solved": ((), self.solved, {"long_name": "Layouts that were solved."}),
        }
        attrs = {"contract": str(self.contract), "dummy": self.dummy.name, "basis": self.basis, "caution": self.caution}
        flags = {"corrected": int(self.basis != "network"), "actual": int(self.actual), "bid": int(self.bid)}
        return xarray.Dataset(values, {"tricks": np.arange(14)}, attrs | flags)


def contract_odds(
    found: Evaluation,
    asked: ContractQuestion | None,
    solvers: Sequence[Estimator] = (),
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> tuple[Evaluation, ContractOdds | None]:
    """What becomes of a contract, from an evaluation of ``tricks`` for its declarer and strain.

    ``solvers`` is empty where nothing can be solved. One that fails is added to the failures of the evaluation, and
    nothing is corrected; where ``tricks`` itself failed, or nothing was asked, there is no answer.
    """
    sums = found.sums.get((PREDICTS, PREDICTS))
    if asked is None or sums is None or sums.pmf is None or sums.output.support != range(14):
        return found, None
    posterior, predicted = found.posterior, sums.pmf
    uncorrected = _of_draws(asked, predicted, np.inf if posterior.exact else posterior.ess)
    if not solvers or asked.solve == 0:
        return found, uncorrected
    solver = solvers[0]
    seconds = SECONDS if asked.seconds is None else asked.seconds
    allowed = min(float(len(posterior)), seconds / max(seconds_of(solver), 1e-9))
    n = max(2, int(allowed)) if asked.solve is None else asked.solve
    every = posterior.exact and len(posterior) <= n
    layouts = posterior.layouts if every else posterior.resample(n, generator(rng))
    try:
        tricks = solve_layouts(solver, layouts, found.question, progress)
    except PluginError as failure:
        return replace(found, failures={**found.failures, solver.name: failure}), uncorrected
    if every:
        shares = np.bincount(tricks, posterior.weights, minlength=len(TRICKS))
        return found, _of_draws(asked, shares, np.inf, len(layouts), "all solved")
    network = next(estimator for estimator in found.estimators if estimator.name == PREDICTS)
    guesses = normalised(run(network, layouts, found.question)[PREDICTS])
    controls = np.stack([asked.after @ asked.made, TRICKS], axis=1)
    ess = np.inf if posterior.exact else posterior.ess
    sample = CalibratedSample.of(np.full(n, 1.0 / n), guesses @ controls, normalised(predicted) @ controls, ess)

    def of(values: Floats) -> tuple[float, float]:
        return sample.mean(values[tricks], values.min(), values.max(), 1.0)

    return found, _odds(asked, of, n, "corrected")


def network_odds(posterior: Posterior, contract: Contract, rng: Seed = 0) -> ContractOdds:
    """What the network alone says of a contract, quickly: of no more than ``LAYOUTS`` layouts.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Reveal("N", "54.Q762.Q76.J654"))
    >>> network_odds(belief.infer(rng=1), Contract.of("4NT by S")).make[0] < 0.05
    True
    """
    dummy = contract.declarer.partner if posterior.belief.dummy is None else posterior.belief.dummy
    question = Question.of((contract.declarer, dummy), trump=contract.strain.trump)
    every = len(posterior) <= LAYOUTS
    layouts = posterior.layouts if every else posterior.resample(LAYOUTS, rng)
    weights = posterior.weights if every else np.full(LAYOUTS, 1.0 / LAYOUTS)
    guesses = run(TricksEstimator(), layouts, question)[PREDICTS]
    ess = np.inf if every and posterior.exact else max(1.0, min(posterior.ess, LAYOUTS))
    asked = ContractQuestion(contract, dummy, bid=_was_bid(posterior.belief, contract))
    return _of_draws(asked, np.asarray(weights @ guesses, np.float64), ess)


def game_odds(posterior: Posterior, pair: tuple[Seat, Seat], rng: Seed = 0) -> list[ContractOdds]:
    """What the network says of the auction's contract; before its end of game in each strain, declared by the pair.

    Of the pair the first that may declare does.
    """
    belief = posterior.belief
    if belief.auction is not None and belief.auction.contract is not None:
        return [network_odds(posterior, belief.auction.contract, rng)]
    declarer = pair[1] if pair[0] == belief.dummy else pair[0]
    return [network_odds(posterior, Contract(level, strain, declarer), rng) for strain, level in GAME_LEVELS.items()]


def normalised(chances: NDArray[Any]) -> Floats:
    """Distributions along the last axis, adding up to one beyond the network's single precision."""
    exact = np.asarray(chances, np.float64)
    return np.asarray(exact / exact.sum(axis=-1, keepdims=True))


def _odds(
    question: ContractQuestion, of: Callable[[Floats], tuple[float, float]], solved: int, basis: str
) -> ContractOdds:
    """The answer; ``of`` gives the mean and the error of any function (14,) of double-dummy tricks."""
    after = question.after
    pmf, errors = np.array([of(after @ one) for one in np.eye(len(TRICKS))]).T
    made, mean = of(after @ question.made), of(after @ TRICKS)
    about = question.contract, question.dummy
    return ContractOdds(*about, pmf, errors, made, mean, solved, basis, question.actual, question.bid)


def solve_layouts(
    solver: Estimator, layouts: Layouts, question: Question, progress: Progress | None = None
) -> NDArray[np.int64]:
    """(n,) tricks, solved about a second's work at a time."""
    step = max(1, round(1.0 / max(seconds_of(solver), 1e-3)))
    parts: list[NDArray[np.int64]] = []
    for begin in range(0, len(layouts), step):
        found = run(solver, layouts[begin : begin + step], question)
        tricks = np.asarray(found.get(SOLVES, next(iter(found.values()))), np.int64)
        if tricks.ndim != 1 or tricks.min() < 0 or tricks.max() > 13:
            raise PluginError(
                f"estimator {solver.name!r}: expected tricks from 0 to 13 for each layout, got others",
                plugin=solver.name,
            )
        parts.append(tricks)
        if progress is not None:
            progress(min(begin + step, len(layouts)), len(layouts))
    return np.concatenate(parts)


def _of_draws(
    question: ContractQuestion, pmf: Floats, ess: float, solved: int = 0, basis: str = "network"
) -> ContractOdds:
    """From a distribution over draws of that effective size: the errors are those of the draws and of the network."""
    shares = normalised(pmf)

    def of(values: Floats) -> tuple[float, float]:
        mean = min(max(float(shares @ values), float(values.min())), float(values.max()))  # rounding alone
        drawn = float(np.sqrt(float(shares @ (values - mean) ** 2) / ess))
        return mean, drawn if solved else math.hypot(drawn, network_error(shares, values, question.strain))

    return _odds(question, of, solved, basis)


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedSample:
    """Solved layouts with their weights.

    >>> rng = np.random.default_rng(1)
    >>> chance = rng.random(4000)  # the network's, for all draws; here it is right
    >>> made = (rng.random(200) < chance[:200]).astype(float)
    >>> sample = CalibratedSample.of(np.full(200, 1 / 200), chance[:200, None], chance.mean()[None], 4000)
    >>> mean, error = sample.share(made)
    >>> bool(abs(mean - 0.5) < 4 * error), error < 0.5 / 200**0.5
    (True, True)
    >>> mean, error = CalibratedSample.of(np.full(100, 0.01)).share(np.ones(100))
    >>> mean, round(error, 4)
    (1.0, 0.015)
    """

    weights: Floats
    """v: (m,), non-negative, adding up to one."""
    controls: Floats
    """(m, k) the predictions that were fitted, less their means under the weights."""
    ess: float
    """Effective sample size of all draws; infinite where they are all layouts, or the solved ones themselves."""
    size: float
    """n: effective number of solved layouts; infinite where these are all layouts, with their exact weights."""

    @classmethod
    def of(
        cls,
        weights: Floats,
        controls: Floats | None = None,
        targets: Floats | None = None,
        ess: float = np.inf,
        most: float = np.inf,
    ) -> Self:
        """From the weights w (m,) they were drawn with, predictions (m, k), most important first, and their means
        ``targets`` (k,) over draws of effective size ``ess``. ``most`` bounds the effective number of solved layouts
        where these are not independent.
        """
        w = np.asarray(weights, np.float64)
        if controls is None or targets is None:
            return cls(w, np.empty((len(w), 0)), ess, min(most, 1.0 / float(w @ w)))
        away = controls - w @ controls
        fourth = w**2 @ away**4
        carried = np.divide((w @ away**2) ** 2, fourth, out=np.zeros_like(fourth), where=fourth > 0)
        # Eight solved layouts for each prediction, and at least eight that carry its variance: with fewer, fitting
        # costs more than it explains.
        fitted = np.flatnonzero(carried >= 8)[: len(w) // 8]
        x = (controls - targets)[:, fitted]
        v = _tilted(w, x) if len(fitted) else w
        return cls(v, x - v @ x, ess, min(most, 1.0 / float(v @ v)))

    @classmethod
    def every(cls, weights: Floats) -> Self:
        """All layouts that fit, with their exact weights: their means are exact."""
        return cls(weights, np.empty((len(weights), 0)), np.inf, np.inf)

    def share(self, values: Floats) -> tuple[float, float]:
        """Mean and standard error of what lies in [0, 1] in every layout, (m,): whether it is so, or how likely."""
        return self.mean(values, 0.0, 1.0, 1.0)

    def mean(self, values: Floats, low: float, high: float, step: float) -> tuple[float, float]:
        """Mean and standard error of numbers in [low, high], (m,); in a layout not seen they may differ by ``step``."""
        found = min(max(float(self.weights @ values), float(values.min())), float(values.max()))  # rounding alone
        if self.size == np.inf or low == high:
            return found, 0.0
        away = values - found
        spread = float(self.weights @ away**2)
        residual = away
        k = self.controls.shape[1]
        if k:
            weighted = self.weights[:, None] * self.controls
            gram = weighted.T @ self.controls
            ridge = np.diag(gram.diagonal() / len(values) + 1e-300)
            residual = away - self.controls @ np.linalg.solve(gram + ridge, weighted.T @ away)
        left = float(self.weights**2 @ residual**2) / float(self.weights @ self.weights)
        freedom = max(1.0, self.size - 1.0 - k)
        # The quantile of Student's t at Φ(2), over 2, by its expansion in one over the degrees of freedom.
        students = 1.0 + 1.25 / freedom + 1.53125 / freedom**2 + 1.4297 / freedom**3
        variance = spread / self.ess + left / self.size * (freedom + 1.0) / freedom * students**2
        unseen = 1.5 * step / self.size
        variance += unseen**2 * max(0.0, 1.0 - 4.0 * spread / step**2)
        # The truth is somewhere between low and high: two errors need not reach further.
        return found, min(float(np.sqrt(variance)), max(found - low, high - found) / 2.0)


def _tilted(w: Floats, x: Floats) -> Floats:
    """(m,) weights v ∝ w exp(λ · z) under which z, the predictions x less their targets in units of their spread, has
    mean − λ / m.

    The right side keeps λ finite where the targets lie outside all that was drawn; it vanishes with the number of
    layouts. λ is the minimum of a convex function, found by Newton's steps.
    """
    z = x / np.sqrt(w @ x**2)
    ridge = 1.0 / len(w)
    weights = w
    at = np.zeros(z.shape[1])
    value = 0.0
    for _ in range(50):  # ten steps are usual
        mean = weights @ z
        slope = mean + ridge * at
        if np.abs(slope).max() < 1e-10:
            break
        curve = (weights[:, None] * z).T @ z - np.outer(mean, mean) + ridge * np.eye(len(at))
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
LOWEST_MARGIN, HIGHEST_MARGIN = -4, 3
"""Double dummy less what the contract needs; what lies beyond counts as the end."""
FARTHEST: Final = 5
"""Largest difference from double dummy that counts; what is farther is taken for an error of the record."""
SHAPE: Final = (len(CONTRACT_KINDS), len(STRAIN_KINDS), 2, HIGHEST_MARGIN - LOWEST_MARGIN + 1, 2 * FARTHEST + 1)
"""Counts by class, kind, doubled, margin and difference."""


def cell_of(contract: Contract) -> tuple[int, int, int]:
    """Where a contract is counted: class, kind of strain, doubled or not."""
    return CONTRACT_KINDS.index(contract.kind), int(contract.strain == Strain.NT), int(contract.doubled > 0)


def smoothed(counts: NDArray[np.int64], strength: float) -> Floats:
    """Probabilities of the differences in every cell, in the shape of the counts.

    From the margin alone to margin and kind of strain, then with the class, then with the double::

        P(d ∣ cell) = (tables of the cell with difference d + strength · P(d ∣ coarser cell)) / (tables + strength)
    """
    by_margin = counts.sum(axis=(0, 1, 2)) + 0.5
    shares = by_margin / by_margin.sum(axis=-1, keepdims=True)
    for axes in ((0, 2), (2,), ()):
        finer = counts.sum(axis=axes, keepdims=True)
        shares = (finer + strength * shares) / (finer.sum(axis=-1, keepdims=True) + strength)
    return np.asarray(shares, np.float64)


def passed_through(shares: Floats, needed: int) -> Floats:
    """(14, 14) P(actual tricks ∣ double dummy), a row per double dummy, from (margins, differences) of one cell."""
    table = np.zeros((14, 14))
    for solved in range(14):
        margin = min(max(solved - needed, LOWEST_MARGIN), HIGHEST_MARGIN) - LOWEST_MARGIN
        for difference in range(-FARTHEST, FARTHEST + 1):
            table[solved, min(max(solved + difference, 0), 13)] += shares[margin, difference + FARTHEST]
    return table


def actual_table(contract: Contract) -> Floats:
    """(14, 14) P(declarer takes so many ∣ double dummy), by what was counted.

    >>> table = actual_table(Contract.of("4S by S"))
    >>> bool(np.allclose(table.sum(axis=1), 1.0)), int(table[10].argmax())
    (True, 10)
    """
    counts, about = actual_counts()
    shares = smoothed(counts, float(about["strength"]))
    return passed_through(shares[cell_of(contract)], contract.tricks_needed)


@cache
def actual_counts() -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The counts that ship, and what is known of them: the records' hash, settings, and how they were judged."""
    path = files("bayesbridge.estimators").joinpath("data/actual.json")
    stored = json.loads(path.read_text("utf-8"))
    return np.array(stored["counts"], np.int64).reshape(SHAPE), stored["about"]


def actual_caution() -> str:
    """What the step from double dummy to the table rests on, in a sentence."""
    _, about = actual_counts()
    judged = about["judged"]["declarer"]
    return (
        f"Double dummy is passed through what declarers took beside it at {number(about['fitted'])} tables of experts. "
        f"On {number(judged['tables'])} tables set aside, for declarer with dummy in view, P(it makes) was "
        f"{100 * judged['error']:.1f} points off the share that made, on average over the tenths of its range "
        f"({100 * judged['error_before']:.1f} without this step)."
    )
