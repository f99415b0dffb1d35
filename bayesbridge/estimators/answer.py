"""Answers: what estimators say of a posterior, as the parts that every screen and page
shows.

Answers with a row for each contract or question are plain dictionaries here: the
command line makes them without xarray, which takes a second to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from bayesbridge.belief.posterior import CONVOLUTION, Posterior
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import number, percent, share_error
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import CaptureEstimator
from bayesbridge.estimators.distribution import Accumulator, Distribution, TrickContext
from bayesbridge.estimators.evaluate import Evaluation, ask, counted, evaluate
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat
from bayesbridge.game.scoring import vulnerability_counts
from bayesbridge.runtime.random64 import Seed

if TYPE_CHECKING:
    import xarray


def capture_tricks(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    rng: Seed = 0,
) -> Distribution:
    """T of the pair: counted where it can be, else over the layouts of the posterior."""
    question, capture = ask(posterior, pair), CaptureEstimator()
    counts = None if posterior.exact else counted(posterior, capture, question).get("T")
    if counts is None:
        return evaluate(posterior, [capture], question, rng=rng).numbers["T"]
    sums = Accumulator(
        next(output for output in capture.outputs if output.name == "T"), capture.name
    )
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

    @classmethod
    def of(cls, found: Evaluation) -> Self:
        method = found.posterior.method_of(
            counted=any(number.exact for number in found.numbers.values())
        )
        return cls(
            found.numbers,
            TrickContext.of(found.posterior.belief, found.question),
            method,
        )

    @classmethod
    def of_tree(cls, tree: xarray.DataTree) -> Self:
        """From a result, also one that was read from a file."""
        draws = kept_draws(tree)
        pmfs, kept = (tree[group].to_dataset() for group in ("pmf", "constant_data"))
        first, second = (Seat.of(str(name)) for name in kept["pair"].values)
        contract, dummy = (str(kept[name].values) for name in ("contract", "dummy"))
        whose = (
            Contract.of(contract) if contract else None,
            Seat.of(dummy) if dummy else None,
        )
        asked = TrickContext(
            (first, second), Strain.of(str(kept["trump"].values)), *whose
        )
        numbers = {
            str(key): Distribution.of_tree(one, pmfs.get(key), asked)
            for key, one in draws.data_vars.items()
            if "estimator" in one.attrs
        }
        return cls(numbers, asked, str(tree.attrs["method"]))

    def number(self, name: str) -> Distribution:
        if name not in self.numbers:
            raise BayesBridgeError(
                f"the result has no output {name!r}: it has {', '.join(self.numbers)}",
                name=name,
            )
        return self.numbers[name]

    def reported(self, estimator: str) -> dict[str, Distribution]:
        """By output; under hard evidence, where some could be counted, the sampled ones
        are left out.
        """
        own = {
            number.output.name: number
            for number in self.numbers.values()
            if number.estimator == estimator
        }
        exact = {output: number for output, number in own.items() if number.exact}
        return exact or own if self.method == CONVOLUTION else own

    @property
    def estimators(self) -> list[str]:
        return list(dict.fromkeys(number.estimator for number in self.numbers.values()))

    @property
    def exact(self) -> bool:
        return all(
            number.exact
            for one in self.estimators
            for number in self.reported(one).values()
        )

    @property
    def shown(self) -> list[Distribution]:
        """The numbers that people are shown: of an estimator with one that has a title
        that alone, of others all.
        """
        shown: list[Distribution] = []
        for estimator in self.estimators:
            outputs = list(self.reported(estimator).values())
            shown += [number for number in outputs if number.output.title] or outputs
        return shown

    @property
    def tables(self) -> list[Table]:
        """Every number that is shown: whole numbers with their distribution, others
        with mean and spread.
        """
        plain = [
            number
            for number in self.shown
            if not number.values.size and not number.output.dims
        ]
        tables = [
            table
            for number in self.shown
            if number not in plain
            for table in number.tables
        ]
        if plain:
            rows = [
                [number.name, f"{number.mean[0]:.3f}", f"{number.sd[0]:.3f}"]
                for number in plain
            ]
            notes = [f"{number.name}: {number.output.doc}" for number in plain]
            tables.append(
                Table(
                    f"Other numbers, for {self.asked.names}",
                    ["", "mean", "sd"],
                    rows,
                    notes,
                )
            )
        return tables

    def document(self, estimator: str) -> dict[str, Any]:
        """What one estimator says, output by output; of tricks and captures also every
        goal.
        """
        outputs = self.reported(estimator)
        said: dict[str, Any] = {
            output: number.document for output, number in outputs.items()
        }
        if (
            "T" in outputs and "condition" in outputs
        ):  # what T means: the conditions, and T given that they hold
            T, shares = outputs["T"], said["condition"]["pmf"]
            said["T"] |= {
                "mean_qualified": T.mean_if_held,
                "pmf": {str(value): T.share(value) for value in range(14)},
            }
            said["qualified"] = T.holds
            conditions = enumerate(("neither", "only A", "both"))
            said["condition"] = {
                name: shares.get(str(value), 0.0) for value, name in conditions
            }
        own = [
            number for number in self.numbers.values() if number.estimator == estimator
        ]
        left_out = [
            number.output.name for number in own if number.output.name not in outputs
        ]
        exact = [output for output, number in outputs.items() if number.exact]
        return said | {
            "exact": len(exact) == len(outputs),
            "exact_outputs": exact,
            "left_out": left_out,
        }


def kept_draws(tree: xarray.DataTree) -> xarray.Dataset:
    """The layouts behind the numbers of a result: weighted ones where there are such,
    else those of the chains.
    """
    group = "weighted_draws" if "weighted_draws" in tree.children else "posterior"
    return tree[group].to_dataset()


SHOWN: Final = 12  # rows that people see unless they asked for them by name


def plain_rows(found: xarray.Dataset) -> list[dict[str, Any]]:
    """A dictionary for each row of an answer that has one dimension, that of its labels
    first.
    """
    rows: list[dict[str, Any]] = found.to_dataframe().reset_index().to_dict("records")
    return rows


def best_rows(
    rows: list[dict[str, Any]], most: int, passed: str
) -> list[dict[str, Any]]:
    """The first ``most`` contracts, and after them the one that a pass leaves, wherever
    it stands.
    """
    return [*rows[:most], *(row for row in rows[most:] if row["contract"] == passed)]


def scheme_words(scheme: str, vulnerable: str) -> str:
    """The scheme, and who is vulnerable where that counts."""
    who = {"None": "nobody", "All": "everybody"}.get(vulnerable, vulnerable)
    if vulnerability_counts(scheme, vulnerable):
        return f"scheme {scheme}, {who} vulnerable"
    return f"scheme {scheme}"


def contracts_table(
    rows: list[dict[str, Any]], attrs: Mapping[Any, Any], most: int
) -> Table:
    compared, imps = attrs["against"], "imps" in rows[0]
    columns = ["", "makes", "tricks", "score", "worked out by"]
    if compared:
        columns[4:4] = ["difference", *(["IMPs"] if imps else []), "matchpoints"]
    lines = []
    for row in best_rows(rows, most, attrs["passed"]):
        line = [
            row["contract"],
            _chance(row, "make"),
            figure(row, "tricks", 2),
            figure(row, "score", 0),
        ]
        if compared:
            more = [figure(row, "imps", 1)] if imps else []
            line += [figure(row, "difference", 0), *more, _chance(row, "matchpoints")]
        lines.append([*line, row["basis"]])
    best, chance = rows[0], _chance(rows[0], "make")
    said = [
        f"{best['contract']} is best: {figure(best, 'score', 0)} points on average, and makes with {chance}."
    ]
    if len(rows) > 1 and abs(rows[1]["behind"]) < 2 * rows[1]["behind_error"]:
        ahead = f"{number(rows[1]['behind'], 0)} ± {number(rows[1]['behind_error'], 0)}"
        said = [
            f"Too close to call: {best['contract']} is ahead of {rows[1]['contract']} by {ahead}."
        ]
    said += (
        [f"The {most} best of {len(rows)}; all are in the data (--json)."]
        if len(rows) > most
        else []
    )
    if compared:
        said.append(
            f"Difference, {'IMPs, ' if imps else ''}matchpoints: against {compared}, on the same layouts."
        )
    said.append(str(attrs["caution"]))
    scheme = scheme_words(attrs["scheme"], attrs["vulnerable"])
    return Table(f"Contracts by expected score, {scheme}", columns, lines, said)


def answers_table(rows: list[dict[str, Any]], attrs: Mapping[Any, Any]) -> Table:
    names = ("value",) if attrs["exact"] else ("value", "optimistic")
    lines = [
        [
            row["question"],
            figure(row, "bits", 2),
            *(figure(row, name, 1) for name in names),
        ]
        for row in rows[:SHOWN]
    ]
    said = (
        [f"The {SHOWN} most valuable of {len(rows)}; all are in the data (--json)."]
        if len(rows) > SHOWN
        else []
    )
    more = f"how much more than by {attrs['action']} is scored on average by whoever bids after the answer"
    said += [f"value: {more}.", str(attrs["caution"])]
    return Table(
        "What an answer would tell, and what it is worth in score",
        ["", "bits", *names],
        lines,
        said,
    )


def figure(row: Mapping[str, Any], name: str, digits: int) -> str:
    error = row[f"{name}_error"]
    return number(row[name], digits) + (f" ± {number(error, digits)}" if error else "")


def _chance(row: Mapping[str, Any], name: str) -> str:
    return (
        "–"
        if row[name] is None
        else percent(row[name]) + share_error(row[name], row[f"{name}_error"])
    )
