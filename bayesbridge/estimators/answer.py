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
from bayesbridge.estimators.distribution import Accumulator, Distribution, TrickContext
from bayesbridge.estimators.draw_errors import KeptDraws
from bayesbridge.estimators.evaluate import Evaluation, ask, counted, evaluate
from bayesbridge.game.deal import Seat
from bayesbridge.runtime.random64 import Seed


def capture_tricks(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    rng: Seed = 0,
) -> Distribution:
    """T of the pair: counted where it can be, else over the layouts of the posterior."""
    question = ask(posterior, pair)
    capture = CaptureEstimator()
    counts = None
    if not posterior.exact:
        counts = counted(posterior, capture, question).get("T")
    if counts is None:
        return evaluate(posterior, [capture], question, rng=rng).numbers["T"]
    (output,) = (output for output in capture.outputs if output.name == "T")
    sums = Accumulator(output, capture.name)
    sums.count(*counts)
    return sums.distribution(True, "T", TrickContext.of(posterior.belief, question))


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
        """The answer of an evaluation."""
        posterior = evaluation.posterior
        numbers = evaluation.numbers
        counted = any(number.exact for number in numbers.values())
        return cls(
            numbers,
            TrickContext.of(posterior.belief, evaluation.question),
            posterior.method_of(counted=counted),
            KeptDraws(
                evaluation.kept,
                evaluation.log_weights,
                float(posterior.ess),
                posterior.exact,
                posterior.batches if evaluation.whole else None,
            ),
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
        """The numbers to report, by output.

        Under hard evidence, where some could be counted, the sampled ones are left out.
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
        """A table for each number that is shown.

        Whole numbers with their distribution, others with mean and spread.
        """
        tables: list[Table] = []
        plain: list[Distribution] = []
        for number in self.shown:
            if number.values.size or number.output.dims:
                tables += number.tables
            else:
                plain.append(number)
        if plain:
            tables.append(self._plain_table(plain))
        return tables

    def _plain_table(self, numbers: list[Distribution]) -> Table:
        """Mean and spread of single numbers that have no distribution."""
        rows = [
            [number.name, f"{number.mean[0]:.3f}", f"{number.sd[0]:.3f}"]
            for number in numbers
        ]
        notes = [f"{number.name}: {number.output.doc}" for number in numbers]
        title = f"Other numbers, for {self.asked.names}"
        return Table(title, ["", "mean", "sd"], rows, notes)

    def document(self, estimator: str) -> dict[str, Any]:
        """What one estimator says, output by output.

        Of tricks and captures also every goal.
        """
        outputs = self.reported(estimator)
        document: dict[str, Any] = {
            name: number.document for name, number in outputs.items()
        }
        if "T" in outputs and "condition" in outputs:
            document |= _conditions_document(outputs["T"], document)
        exact = [name for name, number in outputs.items() if number.exact]
        left_out = [
            number.output.name
            for number in self.numbers.values()
            if number.estimator == estimator and number.output.name not in outputs
        ]
        return document | {
            "exact": len(exact) == len(outputs),
            "exact_outputs": exact,
            "left_out": left_out,
        }


CONDITIONS: Final = ("neither", "only A", "both")  # by the number of `condition`
CAPTURES: Final = range(14)


def _conditions_document(T: Distribution, document: dict[str, Any]) -> dict[str, Any]:
    """What T means: the conditions, and T given that they hold."""
    shares = document["condition"]["pmf"]
    conditions = {
        name: shares.get(str(value), 0.0) for value, name in enumerate(CONDITIONS)
    }
    captures = {
        "mean_qualified": T.mean_if_held,
        "pmf": {str(value): T.share(value) for value in CAPTURES},
    }
    return {
        "T": document["T"] | captures,
        "qualified": T.holds,
        "condition": conditions,
    }
