"""Answers as plain objects for programs: what ``--json`` prints."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.results import Tricks, counts_tricks, reported

if TYPE_CHECKING:
    import xarray

    from bayesbridge.belief.perspective import Perspective
    from bayesbridge.estimators.contract_odds import ContractOdds
    from bayesbridge.estimators.evaluate import Evaluation

CONDITIONS: Final = ("neither", "only A", "both")
"""What the values 0, 1, 2 of the output ``condition`` mean."""

MOST_TRICKS: Final = 13


def evidence_document(belief: Perspective) -> dict[str, Any]:
    """What an observer has seen."""
    return {
        "observer": belief.observer.name,
        "hand": belief.hand.pbn,
        "evidence": [str(piece) for piece in belief.evidence],
        "auction": None if belief.auction is None else str(belief.auction),
        "assumed_passes": [seat.name for seat in belief.assumed_passes],
        **({"systems": list(belief.systems)} if belief.systems else {}),
    }


def estimate_document(found: Evaluation, result: xarray.DataTree) -> dict[str, Any]:
    """Everything of an evaluation and the result made of it, with a name on every number."""
    posterior = found.posterior
    return {
        **accuracy_document(posterior, result.attrs["method"], is_exact(result)),
        "pair": [seat.name for seat in found.question.pair],
        "trump": None if found.question.trump is None else found.question.trump.name,
        **evidence_document(posterior.belief),
        "estimators": {estimator.name: answers(result, estimator.name) for estimator in found.estimators},
        "failures": {name: str(failure) for name, failure in found.failures.items()},
        "card_probabilities": nested(posterior.card_probabilities()),
        "length_probabilities": nested(posterior.length_probabilities()),
        "point_probabilities": nested(posterior.point_probabilities()),
        "points_exact": posterior.counts_points,
    }


def is_exact(result: xarray.DataTree) -> bool:
    """Whether every number that is reported is exact."""
    names = [name for one in result.attrs["estimators"].split(", ") for name in reported(result, one).values()]
    return all(result["posterior"][name].attrs["exact"] for name in names)


def answers(result: xarray.DataTree, estimator: str) -> dict[str, Any]:
    """What one estimator says, output by output; of tricks and captures also every goal."""
    draws, pmfs = result["posterior"].to_dataset(), result["pmf"].to_dataset()
    outputs = reported(result, estimator)
    said = {output: _by_label(name, draws[name], pmfs.get(name)) for output, name in outputs.items()}
    for output, name in outputs.items():
        if counts_tricks(result, name):
            tricks = Tricks.of(result, name)
            if output == "T" and "condition" in outputs:
                said |= _captures(said, tricks)
            said[output] |= _goals(tricks)
    left_out = [
        str(found.attrs["output"])
        for name, found in draws.data_vars.items()
        if found.attrs["estimator"] == estimator and name not in outputs.values()
    ]
    exact = all(draws[name].attrs["exact"] for name in outputs.values())
    return said | {"exact": exact, "left_out": left_out}


def _goals(tricks: Tricks) -> dict[str, Any]:
    """P(at least so many); contracts that make are named only by tricks at the table."""
    said: dict[str, Any] = {
        "at_table": tricks.count.at_table,
        "at_least": {str(goal): share for goal, share in tricks.goals.items()},
    }
    makes = {tricks.goal(goal).removesuffix(" makes"): share for goal, share in tricks.goals.items()}
    return said | {"makes": makes} if tricks.judges else said


def _captures(said: dict[str, Any], tricks: Tricks) -> dict[str, Any]:
    """What T means: the conditions, and T given that they hold."""
    condition = said["condition"]["pmf"]
    return {
        "T": {
            "mean": said["T"]["mean"],
            "sd": said["T"]["sd"],
            "mean_qualified": tricks.mean_if_held,
            "pmf": {str(value): tricks.share(value) for value in range(MOST_TRICKS + 1)},
        },
        "qualified": condition.get("2", 0.0),
        "condition": {name: condition.get(str(value), 0.0) for value, name in enumerate(CONDITIONS)},
    }


def _by_label(name: str, draws: xarray.DataArray, pmf: xarray.DataArray | None) -> dict[str, Any]:
    """Mean, spread and distribution, nested by the labels of the output's dimensions."""
    means, spreads = np.ravel(draws.attrs["mean"]), np.ravel(draws.attrs["sd"])
    labels = [draws[dim].values for dim in draws.dims[2:] if dim != f"{name}_value"]
    said: dict[str, Any] = {}
    for place, cell in enumerate(product(*labels)):
        inner = said
        for label in map(str, cell):
            inner = inner.setdefault(label, {})
        inner |= {"mean": float(means[place]), "sd": float(spreads[place])}
        if pmf is not None:
            shares = pmf.values.reshape(len(means), -1)[place]
            inner["pmf"] = {str(v): _share(p) for v, p in zip(pmf[f"{name}_value"].values, shares, strict=True)}
    return said


def contract_document(odds: ContractOdds | None) -> dict[str, Any]:
    """What becomes of a contract; nothing where nothing was asked."""
    if odds is None:
        return {}
    said = {
        "contract": str(odds.contract),
        "dummy": odds.dummy.name,
        "make": odds.make[0],
        "make_error": odds.make[1],
        "mean": odds.mean[0],
        "mean_error": odds.mean[1],
        "pmf": {str(tricks): float(share) for tricks, share in enumerate(odds.pmf)},
        "pmf_error": {str(tricks): float(error) for tricks, error in enumerate(odds.pmf_error)},
        "solved": odds.solved,
        "basis": odds.basis,
        "actual": odds.actual,
        "caution": odds.caution,
    }
    return {"contract": said}


def nested(array: xarray.DataArray) -> dict[str, Any]:
    """A labelled array as objects within objects, one level for each dimension."""
    first = array.dims[0]
    parts = {str(label): array.isel({first: place}) for place, label in enumerate(array[first].values)}
    return {label: nested(part) if part.ndim else _share(part) for label, part in parts.items()}


def _share(sum_of_weights: Any) -> float:
    """A probability: ten million weights may add up to a hair more than one."""
    return min(1.0, float(sum_of_weights))
