"""How much an answer depends on how the others are taken to bid.

One question is answered under several bidder models.

Every model gives its own posterior, and P(evidence) under each is what the evidence
itself says for the model.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, inf, nan, sqrt
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.engines.budget import Budget, ErrorLimits
from bayesbridge.engines.weights import Estimate
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.contract_question import (
    TRICKS,
    ContractQuestion,
    contract_question,
)
from bayesbridge.estimators.distribution import GOALS, Distribution
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.estimators.odds import answer_question, estimators_for
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.registry import offered
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.progress import with_progress
from bayesbridge.runtime.random64 import Seed

if TYPE_CHECKING:
    import xarray

EXPERTS: Final = "experts"
"""The name of the model fitted to experts, among systems."""

SYSTEMS_IN_DOUBT: Final = ("sayc", "acol")
"""Systems that the players may play where nobody names one."""
DRAWS_BY_SYSTEM: Final = 500
"""Draws of a posterior under each of them."""

FORMER_NAMES: Final = {"T": "T_pmf", "qualified": "T_holds"}
"""Variables of ``capture`` that stand under a second name, from when there were no
others.
"""


def sensitivity(
    belief: Belief,
    bidders: str | Sequence[str] | Mapping[str, BidderModel],
    estimators: str | Estimator | Sequence[str | Estimator] | None = None,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
    contract: Contract | str | None = None,
    by: Seat | str | None = None,
    actual: bool = False,
    draws: int | None = None,
    rng: Seed = 0,
    **limits: Unpack[ErrorLimits],
) -> xarray.Dataset:
    """The answers to one question under every bidder model.

    Parameters
    ----------
    belief : Belief
        What is known; its own bidder model is replaced.
    bidders : str, sequence of str, or mapping of str to BidderModel
        Names of models, or models by name.
    estimators : str, Estimator, or sequence of these, optional
        What is estimated: ``capture`` unless estimators or a contract are named.
    pair : str or tuple of two seats, optional
        Who play together, such as ``"S:N"``; the observer's pair unless named.
    trump : Suit, Strain or str, optional
        The strain that estimators are asked about.
    trick : Trick, optional
        A trick that has begun.
    contract : Contract or str, optional
        A contract whose chances are asked for, in place of ``pair`` and ``trump``.
    by : Seat or str, optional
        Its declarer.
    actual : bool
        Whether the tricks of real declarers are asked for instead of double dummy.
    draws : int, optional
        Layouts drawn where there are too many to walk.
    rng : seed
        Where random numbers start, for every model.
    **limits
        Of the work for a contract: ``solve`` layouts, ``seconds`` on one core, or the
        standard ``error`` that is good enough.

    Returns
    -------
    xarray.Dataset
        A row for each ``bidder``. Of the evidence: ``log_evidence``, log P(all
        evidence), and ``log_bayes_factor`` against the first model, each with its
        ``…_error``; ``entropy_bits``; ``card_probabilities`` and mean ``points`` by
        seat; ``error``, the largest standard error of a probability, 0 where exact;
        ``method``. Of every output, here ``T``, with its own dimensions: ``T_pmf``, the
        distribution of a whole number, also called ``T``; ``T_mean`` and ``T_sd``. Of
        one that counts tricks also ``T_at_least``, P(T ≥ 7 … 13) by ``tricks``; if it
        cannot always count, ``T_holds``, P(it can), also called ``qualified``, and
        ``T_mean`` is given that it can. Of a contract: ``make`` and
        ``contract_mean``, its tricks, each with its ``…_error``, and their
        distribution ``contract_pmf`` by ``contract_tricks``. A model under which the
        evidence is impossible has log_evidence -inf and no other answer.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Called("W", "2NT"))
    >>> models = {f"slip {slip}": bb.IterativeBidder(slip=slip) for slip in (0.005, 0.1)}
    >>> answers = sensitivity(belief, models)
    >>> answers["log_bayes_factor"].values.round(3).tolist()
    [0.0, 1.818]
    >>> answers["T_mean"].values.round(2).tolist()
    [9.68, 10.15]
    >>> answers["card_probabilities"].sel(card="HA", seat="W").values.round(3).tolist()
    [0.816, 0.404]
    """
    budget = Budget(draws, **limits)
    question = contract_question(
        belief, contract, by, actual, pair=pair, trump=trump, solve=budget.solve
    )
    answers = answers_by_model(
        belief,
        models_named(bidders),
        estimators_for(estimators, question),
        question,
        pair=pair,
        trump=trump,
        trick=trick,
        budget=budget,
        rng=rng,
    )
    for failure in failures_of(answers):
        warnings.warn(f"left out {failure}", stacklevel=2)
    return answers_dataset(answers)


type Arrays = dict[str, tuple[Sequence[str], NDArray[Any]]]
"""(bidders, …) arrays by name, each with its dimensions beside ``bidder``."""

type Coordinates = dict[str, Iterable[Any]]
"""The labels of dimensions."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelAnswer:
    """What one bidder model answers."""

    bidder: str
    evaluation: Evaluation | None  #: ``None`` where the evidence is impossible.

    @property
    def log_evidence(self) -> float:
        """Log P(all evidence), -inf where it is impossible."""
        if self.evaluation is None:
            return -inf
        return self.evaluation.posterior.log_evidence


def models_named(
    bidders: str | Sequence[str] | Mapping[str, BidderModel],
) -> dict[str, BidderModel]:
    """The bidder models by name; those that are only named are looked up."""
    if isinstance(bidders, Mapping):
        models = dict(bidders)
    else:
        names = [bidders] if isinstance(bidders, str) else bidders
        plugins = offered("bidders", names)
        models = {name: plugins.bidder(name) for name in names}
    if not models:
        raise BayesBridgeError(
            "no bidder named: give at least one, such as 'iterative'"
        )
    return models


def answers_by_model(
    belief: Belief,
    models: Mapping[str, BidderModel],
    estimators: Sequence[Estimator],
    contract: ContractQuestion | None,
    *,
    budget: Budget,
    rng: Seed,
    **settings: Any,
) -> list[ModelAnswer]:
    """One question under every model; raises where every estimator fails.

    ``settings``: pair, trump and trick, where no contract says them.
    """
    answers = []
    for name, model in with_progress("models", models.items()):
        evaluation = None
        try:
            posterior = belief.with_bidder(model).infer(draws=budget.draws, rng=rng)
        except Contradiction:
            posterior = None
        if posterior is not None:
            evaluation = answer_question(
                posterior, estimators, contract, budget=budget, rng=rng, **settings
            )
            if not evaluation.numbers:
                raise next(iter(evaluation.failures.values()))
        answers.append(ModelAnswer(name, evaluation))
    return answers


def failures_of(answers: Sequence[ModelAnswer]) -> list[str]:
    """What was left out, and under which model."""
    lines = []
    for answer in answers:
        if answer.evaluation is not None:
            failures = answer.evaluation.failures.values()
            lines += [f"under {answer.bidder!r}: {failure}" for failure in failures]
    return lines


def answers_dataset(answers: Sequence[ModelAnswer]) -> xarray.Dataset:
    """A row for each model, as :func:`sensitivity` describes it."""
    import xarray

    evaluations = [answer.evaluation for answer in answers]
    arrays, coordinates = evidence_arrays(evaluations)
    for arrays_of_part, coordinates_of_part in (
        estimator_arrays(evaluations),
        contract_arrays(evaluations),
    ):
        arrays |= arrays_of_part
        coordinates |= coordinates_of_part
    for former_name, name in FORMER_NAMES.items():
        if name in arrays:  # what programs of before may still ask for
            arrays[former_name] = arrays[name]
    variables = {
        name: (["bidder", *dims], array) for name, (dims, array) in arrays.items()
    }
    labels = {dim: list(names) for dim, names in coordinates.items()}
    labels["bidder"] = [answer.bidder for answer in answers]
    return xarray.Dataset(variables, labels)


def estimator_arrays(
    evaluations: Sequence[Evaluation | None],
) -> tuple[Arrays, Coordinates]:
    """What each model says of the outputs of all estimators.

    An evaluation is ``None`` where the evidence is impossible under the model.
    """
    arrays: Arrays = {}
    coordinates: Coordinates = {}
    for name, example in outputs_named(evaluations).items():
        distributions = [
            distributions_of(evaluation).get(name) for evaluation in evaluations
        ]
        arrays_of_output, coordinates_of_output = output_arrays(
            name, example, distributions
        )
        arrays |= arrays_of_output
        coordinates |= coordinates_of_output
    return arrays, coordinates


def distributions_of(evaluation: Evaluation | None) -> Mapping[str, Distribution]:
    """The outputs of an evaluation; none where the evidence is impossible."""
    return {} if evaluation is None else evaluation.numbers


def outputs_named(
    evaluations: Sequence[Evaluation | None],
) -> dict[str, Distribution]:
    """Every output that some evaluation has, as the first of them has it."""
    outputs: dict[str, Distribution] = {}
    for evaluation in evaluations:
        if evaluation is not None:
            outputs = evaluation.numbers | outputs
    return outputs


def stacked[Answer](
    answers: Sequence[Answer | None],
    figure: Callable[[Answer], ArrayLike],
    shape: tuple[int, ...] = (),
    impossible: float | str = nan,
) -> NDArray[Any]:
    """(bidders, …) a figure of each answer, ``impossible`` where there is none."""
    rows = []
    for answer in answers:
        if answer is None:
            rows.append(np.full(shape, impossible))
        else:
            rows.append(np.reshape(figure(answer), shape))
    return np.array(rows)


def evidence_arrays(
    evaluations: Sequence[Evaluation | None],
) -> tuple[Arrays, Coordinates]:
    """What the evidence says for each model, and of the hidden hands."""
    posteriors = [
        None if evaluation is None else evaluation.posterior
        for evaluation in evaluations
    ]
    log_evidence = stacked(posteriors, attrgetter("log_evidence"), impossible=-inf)
    errors = stacked(posteriors, attrgetter("log_evidence_error"), impossible=0.0)
    log_factors, factor_errors = log_bayes_factors(log_evidence, errors)
    methods = stacked(posteriors, attrgetter("method"), impossible="impossible")
    arrays: Arrays = {
        "method": ((), methods),
        "log_evidence": ((), log_evidence),
        "log_evidence_error": ((), errors),
        "log_bayes_factor": ((), log_factors),
        "log_bayes_factor_error": ((), factor_errors),
        "entropy_bits": ((), stacked(posteriors, attrgetter("entropy_bits"))),
        "error": ((), stacked(evaluations, largest_error, impossible=0.0)),
        "points": (("seat",), stacked(posteriors, mean_points, (4,))),
        "card_probabilities": (
            ("card", "seat"),
            stacked(posteriors, attrgetter("card_table"), (52, 4)),
        ),
    }
    return arrays, {"card": CARDS, "seat": [seat.name for seat in Seat]}


def mean_points(posterior: Posterior) -> Floats:
    """(4,) mean high-card points of each seat."""
    return np.asarray(posterior.point_table @ np.arange(38))


def log_bayes_factors(log_evidence: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Log Bayes factors of each model against the first, and their errors.

    Both (bidders,); nan for two models under both of which the evidence is impossible.
    """
    with np.errstate(invalid="ignore"):
        factors = log_evidence - log_evidence[0]
    factor_errors = np.hypot(errors, errors[0])
    factors[0] = 0.0
    factor_errors[0] = 0.0
    return factors, factor_errors


def largest_error(evaluation: Evaluation) -> float:
    """The largest standard error of a probability; 0 where all shown is exact."""
    posterior = evaluation.posterior
    numbers_exact = all(number.exact for number in Answer.of(evaluation).shown)
    if posterior.exact or (posterior.counts_cards and numbers_exact):
        return 0.0
    return 0.5 / sqrt(max(posterior.ess, 1.0))


def output_arrays(
    name: str,
    example: Distribution,
    distributions: Sequence[Distribution | None],
) -> tuple[Arrays, Coordinates]:
    """What each model says of an output, in variables that begin with its name.

    ``example``: the output under one of the models, whose labels and kind all have;
    ``distributions``: the output under each model, ``None`` where it has none. An output
    has a cell for each combination of its labels. An output of tricks also has the
    chances of goals (at least 7 … 13 tricks), and P(they can be counted) if that may
    fail.
    """
    dims = tuple(example.labels)
    shape = tuple(map(len, example.labels.values()))
    means = stacked(distributions, means_if_held, shape)
    deviations = stacked(distributions, attrgetter("sd"), shape)
    arrays: Arrays = {f"{name}_mean": (dims, means), f"{name}_sd": (dims, deviations)}
    coordinates: Coordinates = dict(example.labels)
    if len(example.values):
        values = domain(
            [distribution for distribution in distributions if distribution is not None]
        )
        value_dim = f"{name}_value"
        shares = stacked(
            distributions,
            lambda distribution: shares_of(distribution, values),
            (*shape, len(values)),
        )
        arrays[f"{name}_pmf"] = ((*dims, value_dim), shares)
        coordinates[value_dim] = values
    counts_tricks = example.output.tricks is not None
    if counts_tricks:
        at_least = stacked(distributions, goals_of, (*shape, len(GOALS)))
        arrays[f"{name}_at_least"] = ((*dims, "tricks"), at_least)
        coordinates["tricks"] = GOALS
    may_be_undefined = example.count.undefined_value is not None
    if counts_tricks and may_be_undefined:
        held = stacked(distributions, held_shares, shape)
        arrays[f"{name}_holds"] = (dims, held)
    return arrays, coordinates


def domain(distributions: Sequence[Distribution]) -> Ints:
    """All whole numbers between those that occur; of tricks 0 to 13 at least."""
    lowest = min(distribution.values[0] for distribution in distributions)
    highest = max(distribution.values[-1] for distribution in distributions)
    if distributions[0].output.tricks is not None:
        lowest = min(lowest, 0)
        highest = max(highest, 13)
    return np.arange(lowest, highest + 1)


def shares_of(number: Distribution, values: Ints) -> Floats:
    """(cells, values) P(each of the values)."""
    shares = np.zeros((len(number.mean), len(values)))
    shares[:, number.values - values[0]] = number.pmf
    return shares


def means_if_held(number: Distribution) -> Floats:
    """The mean of each cell, (cells,).

    Of tricks given that they can be counted; nan where they cannot.
    """
    if number.output.tricks is None:
        return number.mean
    means = [number.tricks(**cell).mean_if_held for cell in number.cells]
    return np.array(means, np.float64)


def goals_of(number: Distribution) -> Floats:
    """(cells, 7) P(at least 7 … 13 tricks)."""
    goals = [number.tricks(**cell).goals.values() for cell in number.cells]
    return np.array([list(chances) for chances in goals])


def held_shares(number: Distribution) -> Floats:
    """(cells,) P(the tricks can be counted)."""
    return np.array([number.tricks(**cell).holds for cell in number.cells])


def contract_arrays(
    evaluations: Sequence[Evaluation | None],
) -> tuple[Arrays, Coordinates]:
    """What each model says of the contract; nothing where none is asked about."""
    odds = [
        None if evaluation is None else evaluation.odds for evaluation in evaluations
    ]
    if not any(odds):
        return {}, {}
    dims = ("contract_tricks",)
    pmf = stacked(odds, attrgetter("pmf"), (len(TRICKS),))
    pmf_error = stacked(odds, attrgetter("pmf_error"), (len(TRICKS),))
    arrays: Arrays = {
        "make": ((), stacked(odds, attrgetter("make.mean"))),
        "make_error": ((), stacked(odds, attrgetter("make.error"))),
        "contract_mean": ((), stacked(odds, attrgetter("mean.mean"))),
        "contract_mean_error": ((), stacked(odds, attrgetter("mean.error"))),
        "contract_pmf": (dims, pmf),
        "contract_pmf_error": (dims, pmf_error),
        "solved": ((), stacked(odds, attrgetter("solved"))),
    }
    return arrays, {"contract_tricks": range(len(TRICKS))}


def bidders_in_doubt(bidder: BidderModel) -> dict[str, BidderModel]:
    """The experts on average and two systems, by name.

    None where something is known of how the players bid.
    """
    if not isinstance(bidder, LearnedBidder) or bidder.named:
        return {}
    models: dict[str, BidderModel] = {EXPERTS: bidder}
    for name in SYSTEMS_IN_DOUBT:
        models[name] = SystemBidder(name, base=bidder)
    return models


def by_system[T](
    belief: Belief, ask: Callable[[Posterior], T], rng: Seed = 0
) -> dict[str, T]:
    """What a posterior answers under each of :func:`bidders_in_doubt`.

    From 500 draws each; nothing where no other seat has called, nor with three players,
    whose auctions the systems do not know.
    """
    has_three_players = belief.dummy is not None
    if belief.auction is None or has_three_players:
        return {}
    if all(seat == belief.observer for seat, _ in belief.auction):
        return {}
    answers = {}
    for name, bidder in bidders_in_doubt(belief.bidder).items():
        under_system = belief.with_bidder(bidder)
        answers[name] = ask(under_system.infer(draws=DRAWS_BY_SYSTEM, rng=rng))
    return answers


CLEAR_CHANGE: Final = 0.1
"""A change of a chance that advice mentions, if it is also two standard errors."""


def far_from_experts(
    chances: Mapping[str, Estimate[float]],
) -> dict[str, Estimate[float]]:
    """Of chances by system those that differ clearly from that of the experts."""
    if not chances:
        return {}
    experts = chances[EXPERTS]
    far_chances = {}
    for name, chance in chances.items():
        error = hypot(chance.error, experts.error)
        if abs(chance.mean - experts.mean) > max(CLEAR_CHANGE, 2 * error):
            far_chances[name] = chance
    return far_chances


def depends_sentence(answers: Mapping[str, str]) -> str:
    """That advice depends on what the players play, in a sentence.

    ``answers``: those that differ, by system; empty where none does.
    """
    if not answers:
        return ""
    systems_by_answer: dict[str, list[str]] = {}
    for system, answer in answers.items():
        systems_by_answer.setdefault(answer, []).append(system)
    clauses = [
        f"with --system {' or '.join(systems)} {answer}"
        for answer, systems in systems_by_answer.items()
    ]
    return f"This depends on what they play: {'; '.join(clauses)}."
