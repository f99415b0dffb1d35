"""The groups of a result, as xarray Datasets; docs/results.md names them."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from typing import Any, Final

import numpy as np
import xarray
from numpy.typing import NDArray

import bayesbridge
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior, accuracy_document
from bayesbridge.engines.target import LikelihoodTerm
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.chains import Chains
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.estimators.protocol import Question
from bayesbridge.game.deal import Seat
from bayesbridge.runtime.random64 import Seed

IN_CHAINS: Final = ("chain", "draw")
PACKAGES: Final = ("numpy", "numba", "scipy", "xarray", "arviz")  # these shape results

EQUAL_DRAWS: Final = (
    "the draws of the group posterior count the same: summaries, plots and diagnostics"
)
BY_CALL: Final = "loo and compare leave out one call at a time"
NOT_BY_CALL: Final = "no loo or compare, for lack of a log likelihood by call"


def tree_groups(
    evaluation: Evaluation, rng: Seed, *, marginals: bool
) -> dict[str, xarray.Dataset]:
    """Everything an evaluation holds, with names on every axis, by group."""
    posterior = evaluation.posterior
    numbers = evaluation.numbers
    chains = Chains.of(evaluation, rng)
    by_call = log_likelihood_by_call(evaluation, chains)
    groups = {
        "/": xarray.Dataset(attrs=_attributes(evaluation, by_call is not None)),
        "posterior": _chains_group(numbers, chains),
        "sample_stats": _statistics(evaluation, chains),
        "pmf": _distributions(numbers),
        "observed_data": _evidence(posterior.belief),
        "constant_data": _constants(posterior.belief, evaluation.question),
    }
    if chains.resampled:
        groups["weighted_draws"] = _weighted_draws(evaluation)
    if by_call is not None:
        groups["log_likelihood"] = xarray.Dataset({"calls": by_call})
    if evaluation.odds is not None:
        groups["contract"] = evaluation.odds.dataset()
    if marginals:
        groups["marginals"] = _marginals(posterior)
    return groups


def _chains_group(numbers: dict[str, Distribution], chains: Chains) -> xarray.Dataset:
    """Draws of every output that count the same, as ArviZ takes them.

    Where layouts were resampled for that, each output tells what this may cost.
    """
    draws: dict[str, Any] = {}
    for name, number in numbers.items():
        attrs = _draws_attributes(number)
        if chains.resampled:
            attrs["resampling_error"] = _plain(chains.error(number.sd))
        draws[name] = ((*IN_CHAINS, *_axes(number)), chains.take(number.draws), attrs)
    count, length = chains.layout.shape
    axes = {"chain": np.arange(count), "draw": np.arange(length)}
    about = {"resampled": int(chains.resampled)}
    return xarray.Dataset(draws, axes | _labels(numbers.values()), about)


def _weighted_draws(evaluation: Evaluation) -> xarray.Dataset:
    """The layouts behind the numbers, in their order and with their weights.

    Weights that are averages over bidding styles are told batch by batch (a batch is
    some of the styles), which the errors of the numbers need.
    """
    numbers = evaluation.numbers
    posterior = evaluation.posterior
    variables: dict[str, Any] = {
        name: (("draw", *_axes(number)), number.draws, _draws_attributes(number))
        for name, number in numbers.items()
    }
    if evaluation.log_weights is not None:
        about = {"long_name": "Log weight of the layout, not normalised."}
        variables["log_weight"] = ("draw", evaluation.log_weights, about)
    batches = posterior.batches
    if evaluation.whole and batches is not None:
        row = "Row of batch_weight: layouts whose weights vary together."
        weight = "Weight by each batch of styles alone, relative to the mean."
        variables["batch_row"] = ("draw", batches.row, {"long_name": row})
        variables["batch_weight"] = (
            ("batch", "row"),
            batches.relative,
            {"long_name": weight, "drawn": int(batches.drawn)},
        )
    coords = {"draw": np.arange(evaluation.kept)} | _labels(numbers.values())
    return xarray.Dataset(variables, coords)


def _statistics(evaluation: Evaluation, chains: Chains) -> xarray.Dataset:
    """What is known of each draw, and of the engine that made them.

    The likelihoods of the posterior are by layout: they are told where the layouts kept
    are all of its own.
    """
    posterior = evaluation.posterior
    variables: dict[str, Any] = {}
    if evaluation.whole and posterior.log_likelihood is not None:
        about = {"long_name": "log P(calls | layout) under the bidder model."}
        log_likelihood = chains.take(posterior.log_likelihood)
        # ArviZ would take a variable called log_likelihood for one of single calls.
        variables["calls_log_likelihood"] = (IN_CHAINS, log_likelihood, about)
    count, length = chains.layout.shape
    axes = {"chain": np.arange(count), "draw": np.arange(length)}
    engine = {
        "engine": posterior.method,
        "ess": float(posterior.ess),
        "exact": int(posterior.exact),
    }
    return xarray.Dataset(variables, axes, engine)


def log_likelihood_by_call(
    evaluation: Evaluation, chains: Chains
) -> xarray.DataArray | None:
    """log P(call ∣ hand, calls before it) of every call and draw.

    ``None`` where the engine asked no model, or averaged over styles (in batches), and
    where not the posterior's own layouts were kept.
    """
    posterior = evaluation.posterior
    asked_one_model = posterior.likelihood is not None and posterior.batches is None
    if not evaluation.whole or not asked_one_model:
        return None
    soft = posterior.target.soft
    layouts, place = np.unique(chains.layout, return_inverse=True)
    by_term = soft.by_term(posterior.layouts.masks[layouts])
    count, length = chains.layout.shape
    coords = {
        "chain": np.arange(count),
        "draw": np.arange(length),
        "call": [_term_label(term) for term in soft.terms],
    }
    values = by_term[place.reshape(chains.layout.shape)]
    return xarray.DataArray(values, coords, list(coords))


def _term_label(term: LikelihoodTerm) -> str:
    """Such as ``3 W 1NT`` for the third call, and ``cards of W`` for what W played."""
    seat = Seat(term.seats[0]).name
    call = term.call
    if call is None:
        return f"cards of {seat}"
    return f"{call.index + 1} {seat} {call.auction.calls[call.index]}"


def _distributions(numbers: dict[str, Distribution]) -> xarray.Dataset:
    """The whole distribution of every output of whole numbers."""
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    for name, number in numbers.items():
        if not len(number.values):
            continue
        axis = f"{name}_value"
        shares = number.pmf.reshape(*number.output.shape, -1)
        variables[name] = ((*number.output.dims, axis), shares, _pmf_attributes(number))
        coords |= _labels([number]) | {axis: number.values}
    return xarray.Dataset(variables, coords)


def _draws_attributes(number: Distribution) -> dict[str, Any]:
    """What the draws of an output say of themselves.

    :mod:`~bayesbridge.estimators.read_tree` reads it back.
    """
    output = number.output
    attrs = {
        "estimator": number.estimator,
        "output": output.name,
        "long_name": output.doc,
        "exact": int(number.exact),
        "mean": _plain(number.mean),
        "sd": _plain(number.sd),
    }
    if output.title:
        attrs["title"] = output.title
    if output.note:
        attrs["note"] = output.note
    return attrs


def _pmf_attributes(number: Distribution) -> dict[str, Any]:
    """What a distribution says of itself.

    Of a number of tricks also what it does where they cannot be counted: the value that
    stands for it, and the words for that (``failing``) and for the contrary.
    """
    count = number.output.tricks
    attrs: dict[str, Any] = {
        "long_name": number.output.doc,
        "exact": int(number.exact),
    }
    if count is not None:
        attrs["counts_tricks"] = 1
        attrs["at_table"] = int(count.at_table)
        attrs["failing"] = count.failing
        attrs["holding"] = count.holding
        if count.undefined_value is not None:
            attrs["undefined_value"] = count.undefined_value
    return attrs


def _axes(number: Distribution) -> tuple[str, ...]:
    """The dimensions of an output for one layout."""
    output = number.output
    if output.support is None:
        return output.dims
    return (*output.dims, f"{number.name}_value")


def _labels(numbers: Iterable[Distribution]) -> dict[str, list[Any]]:
    """The labels of all dimensions that the outputs have."""
    labels: dict[str, list[Any]] = {}
    for number in numbers:
        for dim in number.output.dims:
            labels[dim] = list(number.output.labels(dim))
    return labels


def _plain(cells: NDArray[np.float64]) -> Any:
    """One number as a number, several as an array: both fit into a file."""
    return float(cells[0]) if len(cells) == 1 else cells


def _evidence(belief: Belief) -> xarray.Dataset:
    """Every piece in Python, as a sentence, and whether it is hard or soft.

    Hard evidence excludes layouts, soft evidence weighs them.
    """
    pieces = belief.evidence
    columns = {
        "evidence": [repr(piece) for piece in pieces],
        "sentence": [str(piece) for piece in pieces],
        "kind": [belief.effect(piece) for piece in pieces],
    }
    variables = {
        name: ("piece", np.array(texts, np.str_)) for name, texts in columns.items()
    }
    return xarray.Dataset(variables, {"piece": np.arange(len(pieces))})


def _constants(belief: Belief, question: Question) -> xarray.Dataset:
    """The position and the models, in words."""
    contract = belief.table.contract
    return xarray.Dataset(
        {
            "observer": belief.observer.name,
            "hand": belief.hand.pbn,
            "dummy": "" if belief.dummy is None else belief.dummy.name,
            "pair": ("side", [seat.name for seat in question.pair]),
            "trump": question.strain.name,
            "contract": "" if contract is None else str(contract),
            "bidder": repr(belief.bidder),
            "player": "" if belief.player is None else repr(belief.player),
        }
    )


def _marginals(posterior: Posterior) -> xarray.Dataset:
    """Where each card lies, how long the suits are, how many points each seat has.

    They are exact where the posterior counts them over all layouts, else estimated from
    its draws.
    """
    cards_exact = int(posterior.counts_cards)
    points_exact = int(posterior.counts_points)
    cards = posterior.card_probabilities().assign_attrs(
        exact=cards_exact, long_name="P(seat holds card)"
    )
    lengths = posterior.length_probabilities().assign_attrs(
        exact=cards_exact, long_name="P(seat has so many cards of the suit)"
    )
    points = posterior.point_probabilities().assign_attrs(
        exact=points_exact, long_name="P(seat has so many high-card points)"
    )
    tables = {
        "card_probabilities": cards,
        "length_probabilities": lengths,
        "point_probabilities": points,
    }
    suits = [name[0] for name in CARDS]
    ranks = [name[1] for name in CARDS]
    return xarray.Dataset(tables).assign_coords(
        card_suit=("card", suits), rank=("card", ranks)
    )


@cache
def _versions() -> str:
    """Versions of Python and of what shapes results.

    Looked up once, since it takes as long as a small result.
    """
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return ", ".join([f"python {platform.python_version()}", *packages])


def _attributes(evaluation: Evaluation, by_call: bool) -> dict[str, Any]:
    """What a reader must know about the run, in types that every file format takes."""
    posterior = evaluation.posterior
    answer = Answer.of(evaluation)
    numbers = evaluation.numbers.values()
    exact = all(number.exact for number in numbers)
    sampled = [number.output.name for number in numbers if not number.exact]
    accuracy = accuracy_document(posterior, answer.method, exact)
    return {
        "creation_library": "bayesbridge",
        "creation_library_version": bayesbridge.__version__,
        "versions": _versions(),
        "arviz": f"{EQUAL_DRAWS}; {BY_CALL if by_call else NOT_BY_CALL}",
        "method": accuracy["method"],
        "why": accuracy["why"],
        "warning": accuracy["warning"] or "",
        "exact": int(exact),
        "sampled": ", ".join(sampled),
        "layouts": str(posterior.count()),
        "draws": len(posterior),
        "seed": "" if posterior.seed is None else str(posterior.seed),
        "ess": float(posterior.ess),
        "entropy_bits": posterior.entropy_bits,
        "log_evidence": posterior.log_evidence,
        "estimators": ", ".join(answer.estimators),
        "failures": "; ".join(map(str, evaluation.failures.values())),
    }
