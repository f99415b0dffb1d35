"""Results as ArviZ DataTrees: draws, weights, exact distributions, and what was asked.

Groups: ``posterior`` (draws of every output), ``sample_stats`` (log weights), ``pmf`` (whole distributions of integer
outputs, exact where the attribute says so), ``observed_data`` (the evidence in order), ``constant_data`` (observer,
hand, pair). The tree round-trips through netCDF and zarr, and every ArviZ function takes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import bayesbridge
from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import Strain, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.contract import Estimator, Question
from bayesbridge.estimators.evaluate import Evaluation, Progress, Sums, evaluate
from bayesbridge.estimators.registry import load
from bayesbridge.random64 import Seed
from bayesbridge.tricks import Trick

if TYPE_CHECKING:
    import xarray


def estimate(
    posterior: Posterior,
    estimators: str | Estimator | Sequence[str | Estimator] = "capture",
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> xarray.DataTree:
    """Run estimators, by name or as objects, over a posterior.

    ``pair`` are the two seats that play together, the observer and the dummy unless said otherwise. An estimator that
    fails is left out with a warning that names it, unless none is left.
    """
    given = [estimators] if isinstance(estimators, str) or not isinstance(estimators, Sequence) else list(estimators)
    if not given:
        raise BayesBridgeError("no estimator named: give at least one, such as 'capture'")
    registry = load() if any(isinstance(one, str) for one in given) else None
    chosen = [registry.estimator(one) if registry is not None and isinstance(one, str) else one for one in given]
    question = ask(posterior, pair, trump, trick)
    found = evaluate(
        posterior, [one for one in chosen if not isinstance(one, str)], question, rng=rng, progress=progress
    )
    for name, failure in found.failures.items():
        if not found.estimators:
            raise failure
        warnings.warn(f"left out {name!r}: {failure}", stacklevel=2)
    return to_datatree(found)


def ask(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
) -> Question:
    """The question behind the arguments of :func:`estimate`; what was played comes from the evidence."""
    belief = posterior.belief
    strain = belief.contract_strain if trump is None else Strain.of(trump)
    cards = [card for one in (*belief.tricks, *((trick,) if trick else ())) for card in one.cards]
    return Question.of(
        belief.pair if pair is None else pair,
        trump=None if strain is None else strain.trump,
        trick=trick,
        played=sum(card.mask for card in set(cards)),
    )


def to_datatree(found: Evaluation) -> xarray.DataTree:
    """Everything an evaluation holds, with names on every axis."""
    import xarray

    posterior, belief = found.posterior, found.posterior.belief
    names = _names(found)
    chains = posterior.chains
    draws: dict[str, Any] = {}
    pmfs: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    for key, sums in found.sums.items():
        name, output = names[key], sums.output
        coords |= {dim: list(output.labels(dim)) for dim in output.dims}
        values = found.draws[key]
        attrs = {"long_name": output.doc, "estimator": key[0], "mean": _attr(sums.mean), "sd": _attr(sums.sd.ravel())}
        draws[name] = (("chain", "draw", *output.dims), values.reshape(chains, -1, *values.shape[1:]), attrs)
        if sums.pmf is not None:
            pmfs[name] = _pmf(name, sums)
    n = len(next(iter(found.draws.values())))
    stats: dict[str, Any] = {}
    if found.log_weights is not None:
        stats["log_weight"] = (("chain", "draw"), found.log_weights.reshape(chains, -1))
    axes = {"chain": np.arange(chains), "draw": np.arange(n // chains)}
    pmf_group = xarray.Dataset({name: variable for name, (variable, _) in pmfs.items()})
    pmf_group = pmf_group.assign_coords({dim: labels for _, own in pmfs.values() for dim, labels in own.items()})
    pmf_group = pmf_group.assign_coords({dim: labels for dim, labels in coords.items() if dim in pmf_group.dims})
    groups = {
        "/": xarray.Dataset(attrs=_attributes(found)),
        "posterior": xarray.Dataset(draws, coords=axes | coords),
        "sample_stats": xarray.Dataset(stats, coords=axes),
        "pmf": pmf_group,
        "observed_data": xarray.Dataset({"evidence": ("piece", [repr(piece) for piece in belief.evidence])}),
        "constant_data": xarray.Dataset(
            {
                "observer": belief.observer.name,
                "hand": belief.hand.pbn,
                "pair": ("side", [seat.name for seat in found.question.pair]),
            }
        ),
    }
    return xarray.DataTree.from_dict(groups)


def _names(found: Evaluation) -> dict[tuple[str, str], str]:
    """The variable name of each output: its own, or with the estimator's before it where two estimators share it."""
    outputs = [output for _, output in found.sums]
    return {
        (estimator, output): output if outputs.count(output) == 1 else f"{estimator}_{output}"
        for estimator, output in found.sums
    }


def _pmf(name: str, sums: Sums) -> tuple[Any, dict[str, NDArray[np.int64]]]:
    pmf = sums.pmf
    assert pmf is not None
    values = sums.lowest + np.arange(pmf.shape[-1])
    attrs = {"long_name": sums.output.doc, "exact": int(sums.exact)}
    return ((*sums.output.dims, f"{name}_value"), pmf, attrs), {f"{name}_value": values}


def _attr(values: NDArray[np.float64]) -> Any:
    return float(values[0]) if len(values) == 1 else values


def _attributes(found: Evaluation) -> dict[str, Any]:
    """What a reader must know about the run, in types that every file format takes."""
    posterior = found.posterior
    counted = any(sums.exact for sums in found.sums.values())
    return {
        "creation_library": "bayesbridge",
        "creation_library_version": bayesbridge.__version__,
        "method": "convolution" if counted and not posterior.exact else posterior.method,
        "why": posterior.why,
        "exact": int(all(sums.exact for sums in found.sums.values())),
        "sampled": ", ".join(output for (_, output), sums in found.sums.items() if not sums.exact),
        "layouts": str(posterior.count),
        "draws": len(posterior),
        "ess": float(posterior.ess),
        "entropy_bits": posterior.entropy_bits,
        "log_evidence": posterior.log_evidence,
        "estimators": ", ".join(estimator.name for estimator in found.estimators),
        "failures": "; ".join(map(str, found.failures.values())),
    }
