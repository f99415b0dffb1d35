"""Answers as plain objects for programs: what ``--json`` prints, and what a web page is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import log2
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.belief.posterior import accuracy_document

if TYPE_CHECKING:
    import xarray

    from bayesbridge.belief.perspective import Perspective
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.evaluate import Evaluation, Sums
    from bayesbridge.results import Tricks

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


def estimate_document(found: Evaluation) -> dict[str, Any]:
    """Everything, with a name on every number."""
    posterior = found.posterior
    return {
        **accuracy_document(posterior, method_of(found), is_exact(found)),
        "pair": [seat.name for seat in found.question.pair],
        "trump": None if found.question.trump is None else found.question.trump.name,
        **evidence_document(posterior.belief),
        "estimators": {estimator.name: answers(found, estimator.name) for estimator in found.estimators},
        "failures": {name: str(failure) for name, failure in found.failures.items()},
        "card_probabilities": nested(posterior.card_probabilities()),
        "length_probabilities": nested(posterior.length_probabilities()),
        "point_probabilities": nested(posterior.point_probabilities()),
        "points_exact": posterior.counts_points,
    }


def strength(shares: Sequence[float]) -> tuple[float, int, int]:
    """Mean points of a hand, and the points below and above which one case in ten lies each.

    >>> strength([0.25, 0.5, 0.25])
    (1.0, 0, 2)
    """
    mean = sum(points * share for points, share in enumerate(shares))
    so_far = list(accumulate(shares))
    low, high = (
        next((n for n, total in enumerate(so_far) if total >= edge - 1e-9), len(so_far) - 1) for edge in (0.1, 0.9)
    )
    return mean, low, high


def told_bits(posterior: Posterior) -> list[float]:
    """What is told of the place of each card, spades first and high cards first, in bits; 0 for cards in sight.

    It is what the evidence says beyond the number of places left in each hidden hand: Σ p log₂ p/q, where q is a
    hand's share of the places.
    """
    known = posterior.belief.constraints
    places = {seat: 13 - known.must[seat].bit_count() for seat in known.hidden}
    total = sum(places.values())
    bits = [0.0] * 52
    for card, shares in enumerate(posterior.card_probabilities().values):
        if known.unknown_mask >> (51 - card) & 1:
            terms = ((float(shares[seat]), total / room) for seat, room in places.items())
            bits[card] = max(0.0, sum(p * log2(p * inverse) for p, inverse in terms if p > 0.0))
    return bits


def method_of(found: Evaluation) -> str:
    """The engine behind the numbers: ``convolution`` where draws were not needed after all."""
    counted = any(sums.exact for sums in found.sums.values()) and not found.posterior.draws.target.soft
    return "convolution" if counted and not found.posterior.exact else found.posterior.method


def is_exact(found: Evaluation) -> bool:
    """Whether every number that is reported is exact."""
    return all(sums.exact for estimator in found.estimators for sums in reported(found, estimator.name).values())


def reported(found: Evaluation, estimator: str) -> dict[str, Sums]:
    """The outputs of an estimator; under hard evidence, where some could be counted, the sampled ones are left out."""
    own = {output: sums for (name, output), sums in found.sums.items() if name == estimator}
    counted = {output: sums for output, sums in own.items() if sums.exact}
    return own if found.posterior.draws.target.soft else counted or own


def answers(found: Evaluation, estimator: str) -> dict[str, Any]:
    """What one estimator says, output by output; of tricks and captures also every goal."""
    from bayesbridge.results import Asked, Tricks

    outputs = reported(found, estimator)
    said = {name: _by_label(sums) for name, sums in outputs.items()}
    asked = Asked.of(found.posterior.belief, found.question)
    for name, sums in outputs.items():
        if sums.output.tricks and not sums.output.dims:
            said[name] |= _goals(Tricks.of_sums(sums, asked))
    if "T" in outputs and outputs["T"].output.tricks and "condition" in outputs:
        tricks = Tricks.of_sums(outputs["T"], asked)
        said |= _captures(outputs, tricks)
        said["T"] |= _goals(tricks)
    left_out = [output for name, output in found.sums if name == estimator and output not in outputs]
    return said | {"exact": all(sums.exact for sums in outputs.values()), "left_out": left_out}


def _goals(tricks: Tricks) -> dict[str, Any]:
    """P(at least so many); contracts that make are named only by tricks at the table."""
    said: dict[str, Any] = {
        "at_table": tricks.count.at_table,
        "at_least": {str(goal): share for goal, share in tricks.goals.items()},
    }
    makes = {tricks.goal(goal).removesuffix(" makes"): share for goal, share in tricks.goals.items()}
    return said | {"makes": makes} if tricks.judges else said


def _captures(outputs: dict[str, Sums], tricks: Tricks) -> dict[str, Any]:
    """What T means: the conditions, and T given that they hold."""
    condition = _pmf(outputs["condition"], 0)
    return {
        "T": {
            **_moments(outputs["T"], 0),
            "mean_qualified": tricks.mean_if_held,
            "pmf": {str(value): tricks.share(value) for value in range(MOST_TRICKS + 1)},
        },
        "qualified": condition.get("2", 0.0),
        "condition": {name: condition.get(str(value), 0.0) for value, name in enumerate(CONDITIONS)},
    }


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
