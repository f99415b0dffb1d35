"""What ``bayesbridge estimate --json`` prints: the answers of an evaluation as one plain object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.accuracy import worth
from bayesbridge.cli.evidence_lines import seen

if TYPE_CHECKING:
    import xarray

    from bayesbridge.estimators.evaluate import Evaluation, Sums

CONDITIONS = ("neither", "only A", "both")
"""What the values 0, 1, 2 of the output ``condition`` mean."""

MOST_TRICKS = 13


def document(found: Evaluation) -> dict[str, Any]:
    """Everything, with a name on every number."""
    posterior = found.posterior
    return {
        **worth(posterior, method_of(found), is_exact(found)),
        "pair": [seat.name for seat in found.question.pair],
        **seen(posterior.belief),
        "estimators": {estimator.name: answers(found, estimator.name) for estimator in found.estimators},
        "failures": {name: str(failure) for name, failure in found.failures.items()},
        "card_probabilities": nested(posterior.card_probabilities()),
        "length_probabilities": nested(posterior.length_probabilities()),
    }


def method_of(found: Evaluation) -> str:
    """The engine behind the numbers: ``convolution`` where draws were not needed after all."""
    counted = any(sums.exact for sums in found.sums.values())
    return "convolution" if counted and not found.posterior.exact else found.posterior.method


def is_exact(found: Evaluation) -> bool:
    """Whether every number that is reported is exact."""
    return all(sums.exact for estimator in found.estimators for sums in reported(found, estimator.name).values())


def reported(found: Evaluation, estimator: str) -> dict[str, Sums]:
    """The outputs of an estimator; where some could be counted, the sampled ones are left out."""
    own = {output: sums for (name, output), sums in found.sums.items() if name == estimator}
    counted = {output: sums for output, sums in own.items() if sums.exact}
    return counted or own


def answers(found: Evaluation, estimator: str) -> dict[str, Any]:
    """What one estimator says, output by output; with the captures, also what they mean."""
    outputs = reported(found, estimator)
    said = {name: _by_label(sums) for name, sums in outputs.items()}
    if estimator == "capture":
        said |= _captures(outputs)
    left_out = [output for name, output in found.sums if name == estimator and output not in outputs]
    return said | {"exact": all(sums.exact for sums in outputs.values()), "left_out": left_out}


def _captures(outputs: dict[str, Sums]) -> dict[str, Any]:
    T = tricks_pmf(outputs["T"])
    qualified = sum(T[1:])
    given = sum(tricks * share for tricks, share in enumerate(T)) / qualified if qualified else None
    spread = _moments(outputs["T"], 0)
    condition = dict(_pmf(outputs["condition"], 0))
    return {
        "T": {**spread, "mean_qualified": given, "pmf": {str(tricks): share for tricks, share in enumerate(T)}},
        "qualified": condition.get("2", 0.0),
        "condition": {name: condition.get(str(value), 0.0) for value, name in enumerate(CONDITIONS)},
        "makes": {str(level): share for level, share in makes(T).items()},
    }


def tricks_pmf(sums: Sums) -> list[float]:
    """P(T) for 0 … 13; 0 stands for conditions that fail."""
    pmf = dict(_pmf(sums, 0))
    return [pmf.get(str(tricks), 0.0) for tricks in range(MOST_TRICKS + 1)]


def makes(T: list[float]) -> dict[int, float]:
    """P(T ≥ 6 + level), the contract made at no trumps, by level."""
    return {level: min(1.0, sum(T[6 + level :])) for level in range(1, 8)}


def _by_label(sums: Sums) -> dict[str, Any]:
    """Mean, spread and distribution, nested by the labels of the output's dimensions."""
    labels = [[str(label) for label in sums.output.labels(dim)] for dim in sums.output.dims]
    cells = iter(range(len(sums.mean)))

    def cell() -> dict[str, Any]:
        index = next(cells)
        moments = _moments(sums, index)
        return moments if sums.table is None else {**moments, "pmf": _pmf(sums, index)}

    return _nest(labels, cell)


def _moments(sums: Sums, cell: int) -> dict[str, float]:
    return {"mean": float(sums.mean[cell]), "sd": float(sums.sd.ravel()[cell])}


def _pmf(sums: Sums, cell: int) -> dict[str, float]:
    assert sums.table is not None
    return {str(value): _share(share) for value, share in enumerate(sums.table[cell], sums.lowest)}


def _share(sum_of_weights: Any) -> float:
    """A probability: ten million weights may add up to a hair more than one."""
    return min(1.0, float(sum_of_weights))


def _nest(labels: list[list[str]], cell: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    if not labels:
        return cell()
    return {label: _nest(labels[1:], cell) for label in labels[0]}


def nested(array: xarray.DataArray) -> dict[str, Any]:
    """A labelled array as objects within objects, one level for each dimension."""
    first = array.dims[0]
    parts = {str(label): array.isel({first: place}) for place, label in enumerate(array[first].values)}
    return {label: nested(part) if part.ndim else _share(part) for label, part in parts.items()}
