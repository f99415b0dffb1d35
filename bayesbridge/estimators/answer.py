"""Answers: what estimators say of a posterior.

Answers have the parts that every screen and page shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

from bayesbridge.belief.posterior import CONVOLUTION, Posterior
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import CaptureEstimator
from bayesbridge.estimators.distribution import (
    Accumulator,
    Distribution,
    ExactCounts,
    TrickContext,
)
from bayesbridge.estimators.draw_errors import KeptDraws
from bayesbridge.estimators.evaluate import (
    Evaluation,
    ask,
    evaluate,
    exact_counts,
)
from bayesbridge.game.deal import Seat
from bayesbridge.runtime.random64 import Seed


def capture_tricks(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    rng: Seed = 0,
) -> Distribution:
    """The distribution of T, the pair's captures by the paper's Algorithm 2.

    Where all layouts that fit can be counted without drawing them (hard evidence, exact
    calls), it comes from these counts and is exact. Else the estimator ``capture`` is
    run over the layouts of the posterior; ``rng`` picks some where they are too many.
    """
    question = ask(posterior, pair)
    capture = CaptureEstimator()
    T_counts: ExactCounts | None = None
    if not posterior.exact:
        T_counts = exact_counts(posterior, capture, question).get("T")
    if T_counts is None:
        evaluation = evaluate(posterior, [capture], question, rng=rng)
        return evaluation.numbers["T"]
    (T_output,) = (output for output in capture.outputs if output.name == "T")
    sums = Accumulator(T_output, capture.name)
    sums.count(T_counts)
    context = TrickContext.of(posterior.belief, question)
    return sums.distribution(exact=True, name="T", asked=context)


@dataclass(frozen=True, slots=True, eq=False)
class Answer(Displayable):
    """What estimators say of a posterior: ``numbers`` by their names in results."""

    numbers: dict[str, Distribution]
    asked: TrickContext
    method: str
    """The engine behind the numbers: ``convolution`` where some were counted under hard
    evidence without a walk.
    """

    kept: KeptDraws  #: The layouts behind what is not exact.

    @classmethod
    def of(cls, evaluation: Evaluation) -> Self:
        """The answer of an evaluation: its numbers, and how good its layouts are.

        The batches of the posterior (which of its layouts have weights that vary
        together, as averages over the same bidding styles) are handed on only where the
        layouts kept are the posterior's own, in their order: they go by row.
        """
        posterior = evaluation.posterior
        numbers = evaluation.numbers
        some_are_exact = any(number.exact for number in numbers.values())
        kept = KeptDraws(
            layouts=evaluation.kept,
            log_weights=evaluation.log_weights,
            ess=float(posterior.ess),
            exact=posterior.exact,
            batches=posterior.batches if evaluation.whole else None,
        )
        return cls(
            numbers=numbers,
            asked=TrickContext.of(posterior.belief, evaluation.question),
            method=posterior.method_of(counted=some_are_exact),
            kept=kept,
        )

    def number(self, name: str) -> Distribution:
        """The number of an output, by its name in results."""
        if name not in self.numbers:
            raise BayesBridgeError(
                f"the result has no output {name!r}: it has {', '.join(self.numbers)}",
                name=name,
            )
        return self.numbers[name]

    def reported(self, estimator: str) -> dict[str, Distribution]:
        """The numbers of an estimator to report, by output.

        All of them; but where the method is convolution (counting under hard evidence,
        for which no layout was drawn), only those that could be counted: a number
        sampled beside them would be the poorer one.
        """
        outputs = {
            number.output.name: number
            for number in self.numbers.values()
            if number.estimator == estimator
        }
        exact = {name: number for name, number in outputs.items() if number.exact}
        if self.method == CONVOLUTION and exact:
            return exact
        return outputs

    @property
    def estimators(self) -> list[str]:
        """The names of the estimators that have an answer, in order."""
        return list(dict.fromkeys(number.estimator for number in self.numbers.values()))

    @property
    def exact(self) -> bool:
        """Whether all numbers to report are exact."""
        for estimator in self.estimators:
            numbers = self.reported(estimator).values()
            if not all(number.exact for number in numbers):
                return False
        return True

    @property
    def shown(self) -> list[Distribution]:
        """The numbers that people are shown.

        Of an estimator with a number that has a title that alone, of others all.
        """
        shown: list[Distribution] = []
        for estimator in self.estimators:
            outputs = list(self.reported(estimator).values())
            shown += [number for number in outputs if number.output.title] or outputs
        return shown

    @property
    def tables(self) -> list[Table]:
        """The tables of all numbers that are shown.

        Whole numbers and numbers with labels (as for each suit) have tables of their
        own; single floating-point numbers share one, with mean and spread.
        """
        tables: list[Table] = []
        single_floats: list[Distribution] = []
        for number in self.shown:
            is_whole = number.values.size > 0
            has_labels = bool(number.output.dims)
            if is_whole or has_labels:
                tables += number.tables
            else:
                single_floats.append(number)
        if single_floats:
            tables.append(self._means_table(single_floats))
        return tables

    def _means_table(self, numbers: list[Distribution]) -> Table:
        """Mean and spread of single numbers that have no distribution."""
        rows = [
            [number.name, f"{number.mean[0]:.3f}", f"{number.sd[0]:.3f}"]
            for number in numbers
        ]
        notes = [f"{number.name}: {number.output.doc}" for number in numbers]
        title = f"Other numbers, for {self.asked.names}"
        return Table(title, ["", "mean", "sd"], rows, notes)

    def document(self, estimator: str) -> dict[str, Any]:
        """What one estimator says, as ``--json`` prints it: plain data for each output.

        Beside the outputs there are lists of those that are exact, and of those that
        are left out since others of the estimator could be counted exactly.
        """
        distributions = self.reported(estimator)  # by the name of the output
        document: dict[str, Any] = {
            output: distribution.document
            for output, distribution in distributions.items()
        }
        if "T" in distributions and "condition" in distributions:
            document |= _algorithm_2_entries(distributions)
        exact_outputs = [
            output
            for output, distribution in distributions.items()
            if distribution.exact
        ]
        all_outputs = [
            number.output.name
            for number in self.numbers.values()
            if number.estimator == estimator
        ]
        left_out = [output for output in all_outputs if output not in distributions]
        return document | {
            "exact": len(exact_outputs) == len(distributions),
            "exact_outputs": exact_outputs,
            "left_out": left_out,
        }


CONDITIONS: Final = ("neither", "only A", "both")
"""Which conditions of Algorithm 2 hold, by the number that ``condition`` gives them."""

CAPTURES: Final = range(14)


def _algorithm_2_entries(distributions: dict[str, Distribution]) -> dict[str, Any]:
    """What the document of the paper's Algorithm 2 has in place of its plain outputs.

    The output ``T`` is the number of captures, and counts only where conditions of the
    algorithm hold; ``condition`` is the number of the conditions that do. The entry
    ``qualified`` is P(T counts).
    """
    T = distributions["T"]
    condition_pmf = distributions["condition"].document["pmf"]
    return {
        "T": T.document | _captures_if_held(T),
        "qualified": T.holds,
        "condition": _named_conditions(condition_pmf),
    }


def _captures_if_held(T: Distribution) -> dict[str, Any]:
    """Mean of T (captures) given that the conditions hold, and P(T = 0 … 13) of all."""
    return {
        "mean_qualified": T.mean_if_held,
        "pmf": {str(captures): T.share(captures) for captures in CAPTURES},
    }


def _named_conditions(pmf: dict[str, float]) -> dict[str, float]:
    """P(these conditions hold) by name, from P by number (as text); 0 where it lacks."""
    return {name: pmf.get(str(number), 0.0) for number, name in enumerate(CONDITIONS)}
