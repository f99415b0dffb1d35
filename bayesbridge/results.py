"""Results as DataTrees for ArviZ: draws, weights, exact distributions, and what was asked.

Groups: ``posterior`` (draws of every output), ``sample_stats`` (log weights and likelihoods), ``pmf`` (whole
distributions of integer outputs, exact where the attribute says so), ``marginals`` (where cards lie, suit lengths,
points), ``observed_data`` (the evidence in order), ``constant_data`` (observer, hand, pair, contract), ``contract``
(chance and tricks of one that is asked about). The tree round-trips through netCDF and zarr. ArviZ takes draws as
equally likely: where there are log weights, give it :func:`equally_weighted` draws. Same seed, same tree: no clock.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

import bayesbridge
from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.cards import Strain, Suit
from bayesbridge.deal import Seat
from bayesbridge.engines.weights import Weights
from bayesbridge.estimators.contract_odds import ContractOdds, contract_odds
from bayesbridge.estimators.evaluate import Evaluation, Progress, Sums, ask, evaluate
from bayesbridge.estimators.odds import contract_question, estimators_for
from bayesbridge.estimators.protocol import Estimator, Question
from bayesbridge.random64 import Seed, generator
from bayesbridge.trick_counts import trick_attributes
from bayesbridge.tricks import Trick

if TYPE_CHECKING:
    import xarray

    from bayesbridge.result_tree import Result

SHAPERS: Final = ("numpy", "numba", "scipy", "xarray", "arviz")
"""Packages whose version can change a figure."""


def estimate(
    posterior: Posterior,
    estimators: str | Estimator | Sequence[str | Estimator] | None = None,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
    contract: Contract | str | None = None,
    by: Seat | str | None = None,
    solve: int | None = None,
    actual: bool = False,
    seconds: float | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Result:
    """Run estimators, by name or as objects, over a posterior; ``capture`` unless others are named.

    A ``contract`` such as ``"4SX"``, played ``by`` a declarer, asks whether it makes: the result then has a group
    ``contract``, from ``tricks`` and, where ``solved`` is installed, corrected by ``solve`` layouts. It is about double
    dummy; ``actual`` passes it through what real declarers took beside that. ``seconds`` on one core are the most for
    that, and for estimators that take long: they get fewer layouts.

    ``pair`` are the two seats that play together, the observer and the dummy unless said otherwise. An estimator that
    fails is left out with a warning that names it, unless none is left. A name that is not built in imports all
    installed plugins.

    >>> from bayesbridge import Belief
    >>> result = estimate(Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1), "capture", pair="S:N")
    >>> result.attrs["method"], round(result["pmf"]["T"].sel(T_value=10).item(), 4)
    ('convolution', 0.2977)
    """
    asked = contract_question(posterior.belief, contract, by, pair, trump, solve, seconds, actual)
    chosen, solver = estimators_for(estimators, asked)
    question = ask(posterior, pair, trump, trick) if asked is None else ask(posterior, asked.pair, asked.strain, trick)
    random = generator(rng)
    found = evaluate(posterior, chosen, question, rng=random, progress=progress, seconds=seconds)
    found, odds = contract_odds(found, asked, solver, rng=random, progress=progress)
    for name, failure in found.failures.items():
        if not found.estimators:
            raise failure
        warnings.warn(f"left out {name!r}: {failure}", stacklevel=2)
    return to_datatree(found, odds=odds)


def to_datatree(found: Evaluation, *, marginals: bool = True, odds: ContractOdds | None = None) -> Result:
    """Everything an evaluation holds, with names on every axis; without ``marginals`` the outputs alone."""
    import xarray

    from bayesbridge.result_tree import Result

    posterior, belief = found.posterior, found.posterior.belief
    names = _names(found)
    chains = posterior.draws.chains
    draws: dict[str, Any] = {}
    pmfs: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    for key, sums in found.sums.items():
        name, output = names[key], sums.output
        coords |= {dim: list(output.labels(dim)) for dim in output.dims}
        values = found.draws[key]
        attrs = {"long_name": output.doc, "estimator": key[0], "exact": int(sums.exact)}
        attrs |= {"mean": _attr(sums.mean), "sd": _attr(sums.sd.ravel())}
        axes_of = output.dims if output.support is None else (*output.dims, f"{name}_value")
        draws[name] = (("chain", "draw", *axes_of), values.reshape(chains, -1, *values.shape[1:]), attrs)
        if sums.pmf is not None:
            pmfs[name] = _pmf(name, sums)
    n = len(next(iter(found.draws.values())))
    axes = {"chain": np.arange(chains), "draw": np.arange(n // chains)}
    pmf_group = xarray.Dataset({name: variable for name, (variable, _) in pmfs.items()})
    pmf_group = pmf_group.assign_coords({dim: labels for _, own in pmfs.values() for dim, labels in own.items()})
    pmf_group = pmf_group.assign_coords({dim: labels for dim, labels in coords.items() if dim in pmf_group.dims})
    groups = {
        "/": xarray.Dataset(attrs=_attributes(found)),
        "posterior": xarray.Dataset(draws, coords=axes | coords),
        "sample_stats": xarray.Dataset(
            _statistics(found, n), coords=axes, attrs={"engine": posterior.method, "ess": float(posterior.ess)}
        ),
        "pmf": pmf_group,
        "observed_data": _evidence(belief),
        "constant_data": _position(belief, found.question),
    }
    if odds is not None:
        groups["contract"] = odds.dataset()
    if marginals:
        groups["marginals"] = _marginals(posterior)
    return Result.from_dict(groups)


def equally_weighted(result: xarray.DataTree, draws: int = 20_000, rng: Seed = 0) -> xarray.DataTree:
    """The result with its weighted draws resampled to equally likely ones, for functions that know no weights.

    A result without weights passes through. Where it has them ArviZ's own summary would be silently wrong.

    >>> from bayesbridge import Belief, Called
    >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32").given(Called("W", "Pass"))
    >>> result = estimate(belief.infer("weights", draws=1000, rng=1))
    >>> "log_weight" in result["sample_stats"], "log_weight" in equally_weighted(result, 500)["sample_stats"]
    (True, False)
    """
    if "log_weight" not in result["sample_stats"]:
        return result
    # Engines that weigh their draws have one chain.
    weights = Weights(result["sample_stats"].to_dataset()["log_weight"].values[0])
    chosen = weights.resample(draws, rng, "multinomial")
    tree = result.copy()
    for name in ("posterior", "sample_stats"):
        group = result[name].to_dataset().drop_vars("log_weight", errors="ignore")
        tree[name] = type(result)(group.isel(draw=chosen).assign_coords(draw=np.arange(draws)))
    return tree


def _statistics(found: Evaluation, n: int) -> dict[str, Any]:
    """What is known of each draw that was kept; nothing where all count the same."""
    posterior = found.posterior
    values = {"log_weight": found.log_weights}
    if n == len(posterior):
        values["log_likelihood"] = posterior.draws.log_likelihood
    docs = {
        "log_weight": "Log weight of the draw, not normalised.",
        "log_likelihood": "log P(calls | layout) under the bidder model.",
    }
    told = {
        name: (("chain", "draw"), array.reshape(posterior.draws.chains, -1), {"long_name": docs[name]})
        for name, array in values.items()
        if array is not None
    }
    batches = posterior.draws.batches
    if batches is None or n != len(posterior):
        return told
    row = "Row of batch_weight: layouts whose weights vary together."
    weight = {"long_name": "Weight by each batch of styles alone, relative to the mean.", "drawn": int(batches.drawn)}
    return told | {
        "batch_row": (("chain", "draw"), batches.row.reshape(posterior.draws.chains, -1), {"long_name": row}),
        "batch_weight": (("batch", "row"), batches.relative, weight),
    }


def _marginals(posterior: Posterior) -> xarray.Dataset:
    """Where each card lies, how long the suits are, how many points each seat has."""
    import xarray

    exact = {"exact": int(posterior.exact or posterior.draws.tables is not None)}
    cards, lengths = posterior.card_probabilities(), posterior.length_probabilities()
    group = xarray.Dataset(
        {
            "card_probabilities": cards.assign_attrs(exact, long_name="P(seat holds card)"),
            "length_probabilities": lengths.assign_attrs(exact, long_name="P(seat has so many cards of the suit)"),
            "point_probabilities": posterior.point_probabilities().assign_attrs(
                exact=int(posterior.counts_points), long_name="P(seat has so many high-card points)"
            ),
        }
    )
    names = [str(name) for name in group["card"].values]
    return group.assign_coords(
        card_suit=("card", [name[0] for name in names]), rank=("card", [name[1] for name in names])
    )


def _evidence(belief: Perspective) -> xarray.Dataset:
    """Every piece in order: in Python, as a sentence, and whether it excludes (hard) or weighs (soft) layouts."""
    import xarray

    def texts(words: list[str]) -> tuple[str, NDArray[np.str_]]:
        return "piece", np.array(words, dtype=np.str_)

    pieces = belief.evidence
    return xarray.Dataset(
        {
            "evidence": texts([repr(piece) for piece in pieces]),
            "sentence": texts([str(piece) for piece in pieces]),
            "kind": texts([belief.effect(piece) for piece in pieces]),
        }
    )


def _position(belief: Perspective, question: Question) -> xarray.Dataset:
    """What was known from the start, and what was asked."""
    import xarray

    contract = None if belief.auction is None else belief.auction.contract
    return xarray.Dataset(
        {
            "observer": belief.observer.name,
            "hand": belief.hand.pbn,
            "dummy": "" if belief.dummy is None else belief.dummy.name,
            "pair": ("side", [seat.name for seat in question.pair]),
            "trump": "NT" if question.trump is None else question.trump.name,
            "contract": "" if contract is None else str(contract),
            "bidder": repr(belief.bidder),
            "player": "" if belief.player is None else repr(belief.player),
        }
    )


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
    attrs = {"long_name": sums.output.doc, "exact": int(sums.exact), **trick_attributes(sums.output.tricks)}
    return ((*sums.output.dims, f"{name}_value"), pmf, attrs), {f"{name}_value": values}


def _attr(values: NDArray[np.float64]) -> Any:
    return float(values[0]) if len(values) == 1 else values


@cache
def _versions() -> str:
    """Python and the packages that shape results; looked up once, since it takes as long as a small result."""
    return ", ".join([f"python {platform.python_version()}", *(f"{one} {version(one)}" for one in SHAPERS)])


def _attributes(found: Evaluation) -> dict[str, Any]:
    """What a reader must know about the run, in types that every file format takes."""
    posterior = found.posterior
    counted = any(sums.exact for sums in found.sums.values()) and not posterior.draws.target.soft
    return {
        "creation_library": "bayesbridge",
        "creation_library_version": bayesbridge.__version__,
        "versions": _versions(),
        "method": "convolution" if counted and not posterior.exact else posterior.method,
        "why": posterior.why,
        "exact": int(all(sums.exact for sums in found.sums.values())),
        "sampled": ", ".join(output for (_, output), sums in found.sums.items() if not sums.exact),
        "layouts": str(posterior.count()),
        "draws": len(posterior),
        "seed": "" if posterior.seed is None else str(posterior.seed),
        "ess": float(posterior.ess),
        "entropy_bits": posterior.entropy_bits,
        "log_evidence": posterior.log_evidence,
        "estimators": ", ".join(estimator.name for estimator in found.estimators),
        "failures": "; ".join(map(str, found.failures.values())),
    }
