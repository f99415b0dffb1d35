"""A contract over a posterior: the chance that it makes, how many tricks it takes, and how sure that is.

The network of ``tricks`` predicts the tricks of every draw. Where the estimator ``solved`` is installed, a number of
layouts drawn from the posterior is solved too, and the answer is theirs, weighted by :class:`SolvedSample`.
Everything is about double-dummy play of the whole deal from the first lead: all four see all cards. Tricks already lost
or won count no more than what they tell about the hidden hands. Asked for actual tricks, double dummy is passed through
what real declarers take beside it (``actual``): a function of the tricks becomes its mean over what declarers take with
that double dummy, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.errors import PluginError
from bayesbridge.estimators.correction import SolvedSample
from bayesbridge.estimators.evaluate import SECONDS, Evaluation, Progress
from bayesbridge.estimators.odds import PREDICTS, SOLVES, ContractQuestion, actual_caution, actual_table
from bayesbridge.estimators.protocol import Estimator, Question, run, seconds_of
from bayesbridge.estimators.tricks import TricksEstimator
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed, generator
from bayesbridge.words import number, percent

if TYPE_CHECKING:
    import xarray

type Floats = NDArray[np.float64]

TRICKS: Final = np.arange(14, dtype=np.float64)

LAYOUTS: Final = 1000
"""Layouts that :func:`network_odds` judges of a posterior that has more."""

CALIBRATION: Final = (
    "on 5 389 deals held aside its likeliest number was right in 79.0 % of suit contracts and 81.3 % of those at no "
    "trumps, and at most one trick off in 99.8 % and 98.7 %"
)
"""What was measured of the network, for answers that nothing corrects."""

OFF: Final = (
    "Where two hands are known its errors go the same way in every layout: in ten such positions the chance of a "
    "contract was off by 9 points (root mean square), in ten with one hand known by less than 1"
)
"""The same of chances over a posterior (``benchmarks/speed/bench_contracts.py``)."""


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

    @classmethod
    def of(cls, result: xarray.DataTree) -> ContractOdds | None:
        """From the group ``contract`` of a result; ``None`` where it has none."""
        if "contract" not in result.children:
            return None
        kept = result["contract"].to_dataset()
        make, mean = ((float(kept[name]), float(kept[f"{name}_error"])) for name in ("make", "mean"))
        contract, dummy = Contract.of(str(kept.attrs["contract"])), Seat.of(str(kept.attrs["dummy"]))
        pmf, errors = (np.asarray(kept[name].values, np.float64) for name in ("pmf", "pmf_error"))
        solved, basis, actual = int(kept["solved"]), str(kept.attrs["basis"]), bool(kept.attrs["actual"])
        return cls(contract, dummy, pmf, errors, make, mean, solved, basis, actual)

    def makes(self, tricks: int) -> bool:
        """Whether so many tricks are enough."""
        return tricks >= self.contract.tricks_needed

    @property
    def sentence(self) -> str:
        """The answer in words."""
        error = f" ± {100 * self.make[1]:.1f} %" if self.make[1] else ""
        many = f"{self.mean[0]:.2f}" + (f" ± {self.mean[1]:.2f}" if self.mean[1] else "")
        return f"It makes with {percent(self.make[0])}{error}; {many} tricks on average."

    @property
    def caution(self) -> str:
        """How far the figures can be trusted, in a sentence or two."""
        return f"{actual_caution()} Before that step: {self._basis_in_words}" if self.actual else self._basis_in_words

    @property
    def _basis_in_words(self) -> str:
        if self.basis == "all solved":
            return f"Every layout was solved ({number(self.solved)}): the figures are exact."
        if self.basis == "corrected":
            return (
                f"From {number(self.solved)} solved layouts, weighted so that the network's predictions average over "
                "them as over all draws; the errors count both."
            )
        return (
            f"The figures are the network's, not corrected by solved layouts; {CALIBRATION}. "
            f"{OFF}. The errors stated are of the draws alone."
        )

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
        flags = {"corrected": int(self.basis != "network"), "actual": int(self.actual)}
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
    return found, _corrected(found, asked, layouts, tricks)


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
    worth = np.inf if every and posterior.exact else max(1.0, min(posterior.ess, LAYOUTS))
    return _of_draws(ContractQuestion(contract, dummy), np.asarray(weights @ guesses, np.float64), worth)


def _corrected(found: Evaluation, asked: ContractQuestion, layouts: Layouts, tricks: NDArray[np.int64]) -> ContractOdds:
    """From solved layouts, weighted by what the network says of these and of all draws."""
    posterior, predicted = found.posterior, found.sums[PREDICTS, PREDICTS].pmf
    assert predicted is not None
    network = next(estimator for estimator in found.estimators if estimator.name == PREDICTS)
    guesses = normalised(run(network, layouts, found.question)[PREDICTS])
    controls = np.stack([_after(asked) @ _made(asked), TRICKS], axis=1)
    m = len(layouts)
    ess = np.inf if posterior.exact else posterior.ess
    sample = SolvedSample.of(np.full(m, 1.0 / m), guesses @ controls, normalised(predicted) @ controls, ess)
    return _told(asked, lambda worth, step: sample.mean(worth[tricks], worth.min(), worth.max(), step), m, "corrected")


def normalised(chances: NDArray[Any]) -> Floats:
    """Distributions along the last axis, adding up to one beyond the network's single precision."""
    exact = np.asarray(chances, np.float64)
    return np.asarray(exact / exact.sum(axis=-1, keepdims=True))


def _after(asked: ContractQuestion) -> Floats:
    """(14, 14) P(tricks taken) by double-dummy tricks: the same, or what real declarers take."""
    return actual_table(asked.contract) if asked.actual else np.eye(len(TRICKS))


def _made(asked: ContractQuestion) -> Floats:
    """(14,) whether so many tricks are enough."""
    return (asked.contract.tricks_needed <= TRICKS).astype(np.float64)


def _told(
    asked: ContractQuestion, of: Callable[[Floats, float], tuple[float, float]], solved: int, basis: str
) -> ContractOdds:
    """The answer, from what gives the mean and the error of any function of double-dummy tricks, which changes by
    ``step`` if an unseen layout differs.
    """
    after = _after(asked)
    pmf, errors = np.array([of(after @ one, 1.0) for one in np.eye(len(TRICKS))]).T
    made, mean = of(after @ _made(asked), 1.0), of(after @ TRICKS, 1.0)
    return ContractOdds(asked.contract, asked.dummy, pmf, errors, made, mean, solved, basis, asked.actual)


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
    asked: ContractQuestion, pmf: Floats, ess: float, solved: int = 0, basis: str = "network"
) -> ContractOdds:
    """Of a distribution over draws worth ``ess``: the errors are those of the draws."""

    shares = normalised(pmf)

    def of(worth: Floats, _step: float) -> tuple[float, float]:
        mean = min(max(float(shares @ worth), float(worth.min())), float(worth.max()))  # rounding alone
        return mean, float(np.sqrt(float(shares @ (worth - mean) ** 2) / ess))

    return _told(asked, of, solved, basis)
