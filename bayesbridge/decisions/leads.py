"""What to lead: every card of the seat on lead, tried on the same layouts of its posterior.

Layouts are drawn from what the leader believes before dummy is seen, and each is solved double dummy once for every
card that may be led. All cards live on the same layouts, so that differences between them are paired and much more
exact than the figures themselves. These are helped by the network of ``tricks``: its prediction is known on all draws,
and its error on the layouts solved corrects the sample (a control variate, with one coefficient for all cards so that
differences stay as they are).

Double dummy means that all four see all cards from the lead on: a lead that gives away what declarer would have guessed
wrong costs more at the table, and one that declarer does not understand costs less.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.decisions.lead_table import Lead, Leads
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.evaluate import DRAWS, Progress, evaluate
from bayesbridge.estimators.protocol import Estimator, Question, run
from bayesbridge.estimators.registry import offered
from bayesbridge.estimators.tricks import TricksEstimator
from bayesbridge.random64 import Seed, generator

type Floats = NDArray[np.float64]

SOLVES: Final = "double_dummy_leads"
"""The estimator that solves a layout for every card, in the double-dummy plugin."""

SECONDS: Final = 12.0
"""Time for solving on one core, unless told otherwise."""

DOUBT: Final = 0.05
"""Chance of calling a card the best although another is as good, over all comparisons together."""


def leads(
    posterior: Posterior,
    contract: Contract | str | None = None,
    *,
    by: Seat | str | None = None,
    goal: str = "beat",
    seconds: float | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Leads:
    """Compare all leads against a contract, by what the observer, who is on lead, believes.

    The ``contract`` is that of the auction unless it is named; its declarer sits on the leader's right. ``goal`` is
    ``beat``, for P(it is beaten), or ``tricks``, for what the defence takes on average; the other of the two decides
    where the first is the same in every layout. ``seconds`` on one core are the most for solving: as many layouts
    are drawn as that allows, all of a posterior for which a number of draws was chosen unless ``seconds`` are given.
    Needs the plugin bayesbridge-double-dummy.

    >>> from bayesbridge import Belief
    >>> try:
    ...     leads(Belief("W", "Q8642.93.J84.K75", dummy=None).infer(rng=1), "3NT by N")
    ... except BayesBridgeError as error:
    ...     print(error)
    contract '3NT by N': E is on lead, not W: ask what E believes, or name S as declarer
    """
    if goal not in ("beat", "tricks"):
        raise BayesBridgeError(f"goal {goal!r}: choose 'beat' or 'tricks'", goal=goal)
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise BayesBridgeError(f"seconds {seconds}: give a number above 0", seconds=seconds)
    against, question = lead_question(posterior.belief, contract, by)
    return compare_leads(posterior, against, question, lead_solver(), goal, seconds, rng, progress)


def lead_question(
    belief: Perspective, contract: Contract | str | None, by: Seat | str | None = None
) -> tuple[Contract, Question]:
    """The contract that the observer leads against, and the question for the solver.

    >>> from bayesbridge import Belief
    >>> lead_question(Belief("W", "AKQ2.KJ3.A54.Q32", dummy=None), "3NT")[0]
    Contract.of('3NT by S')
    """
    own = None if belief.auction is None else belief.auction.contract
    leader = belief.observer
    if contract is None:
        if own is None:
            raise BayesBridgeError("no contract to lead against: name one, such as 3NT, or give the whole auction")
        against = own
    else:
        usual = own.declarer if own is not None else _declarer_on_right(belief)
        words = str(contract).split()
        named = Contract.of(contract, None if len(words) == 3 else usual if by is None else by)
        against = named
    if by is not None and Seat.of(by) != against.declarer:
        raise BayesBridgeError(f"contract {str(against)!r} and by {Seat.of(by).name}: name one declarer", by=by)
    if against.declarer == belief.dummy:
        raise BayesBridgeError(f"contract {str(against)!r}: {against.declarer.name} is the dummy: name another seat")
    dummy = against.declarer.partner if belief.dummy is None else belief.dummy
    question = Question((against.declarer, dummy), against.trump)
    if question.table[1] != leader:
        raise BayesBridgeError(
            f"contract {str(against)!r}: {question.table[1].name} is on lead, not {leader.name}: "
            f"ask what {question.table[1].name} believes, or name {_declarer_on_right(belief).name} as declarer",
            leader=leader,
        )
    if belief.tricks:
        raise BayesBridgeError(f"the lead is made, '{belief.tricks[0]}': leave the cards played out")
    return against, question


def _declarer_on_right(belief: Perspective) -> Seat:
    """Against whom the observer leads: the seat on the right, past a dummy beside them."""
    right = belief.observer.next(3)
    return right if right != belief.dummy else right.next(3)


def lead_solver() -> Estimator:
    """The solver; one line says what to install where there is none."""
    try:
        return offered("estimators", [SOLVES]).estimator(SOLVES)
    except PluginError:
        raise BayesBridgeError(
            "leads need a double-dummy solver: install the plugin bayesbridge-double-dummy"
        ) from None


def compare_leads(
    posterior: Posterior,
    contract: Contract,
    question: Question,
    solver: Estimator,
    goal: str = "beat",
    seconds: float | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Leads:
    """The comparison itself, with a solver at hand."""
    allowed = SECONDS if seconds is None and posterior.asked[1] == DRAWS else seconds
    found = evaluate(posterior, [solver], question, rng=generator(rng), progress=progress, seconds=allowed)
    for failure in found.failures.values():
        raise failure
    taken = found.draws[solver.name, "lead_tricks"].astype(np.float64)
    groups = list(_groups(posterior.belief, taken))
    tricks = taken[:, [cards[0].index for cards in groups]]
    beaten = (tricks > 13 - contract.tricks_needed).astype(np.float64)
    W = found.posterior.weights
    exact = found.posterior.exact
    controls = None if exact else _controls(posterior, found.posterior, contract, question)
    scale = 0.0 if exact else 1.0 / found.posterior.ess
    of_beaten, of_tricks = (
        _means(values, W, scale, None if controls is None else controls[place], min(posterior.ess, DRAWS))
        for place, values in enumerate((beaten, tricks))
    )
    means = W @ beaten, W @ tricks
    first, second = means if goal == "beat" else means[::-1]
    order = np.lexsort((np.arange(len(groups)), -second, -first))
    best = order[0]
    behind_beaten = [_difference(beaten[:, best] - beaten[:, one], W, scale) for one in range(len(groups))]
    behind_tricks = [_difference(tricks[:, best] - tricks[:, one], W, scale) for one in range(len(groups))]
    decisive = (behind_beaten, behind_tricks) if goal == "beat" else (behind_tricks, behind_beaten)
    limit = NormalDist().inv_cdf(1.0 - DOUBT / max(1, len(groups) - 1))
    choices = tuple(
        Lead(
            groups[one],
            of_beaten[one],
            of_tricks[one],
            behind_beaten[one],
            behind_tricks[one],
            bool(one == best or _close(decisive[0][one], decisive[1][one], limit)),
        )
        for one in order
    )
    return Leads(
        contract, posterior.belief.observer, "beat" if goal == "beat" else "tricks", choices, len(taken), exact
    )


def _groups(belief: Perspective, taken: Floats) -> Iterator[tuple[Card, ...]]:
    """The leader's cards, those next to each other in a suit together if they did the same in every layout."""
    group: tuple[Card, ...] = ()
    for card in belief.hand:
        same = group and card.suit == group[0].suit and (taken[:, card.index] == taken[:, group[0].index]).all()
        if group and not same:
            yield group
            group = ()
        group = (*group, card)
    yield group


def _controls(whole: Posterior, some: Posterior, contract: Contract, question: Question) -> list[tuple[Floats, float]]:
    """For P(beaten) and tricks: what the network says of the layouts solved, (m,), and on average of all draws."""
    network = TricksEstimator()
    guesses = np.asarray(run(network, some.layouts, question)["tricks"], np.float64)
    if some is whole:
        everywhere = whole.weights @ guesses
    else:
        every = whole if len(whole) <= DRAWS else None
        layouts = whole.layouts if every is not None else whole.resample(DRAWS, 0)
        weights = whole.weights if every is not None else np.full(DRAWS, 1.0 / DRAWS)
        everywhere = weights @ np.asarray(run(network, layouts, question)["tricks"], np.float64)
    made = np.arange(14)
    worths = (made < contract.tricks_needed).astype(np.float64), 13.0 - made
    return [(np.asarray(guesses @ worth), float(everywhere @ worth)) for worth in worths]


def _means(
    values: Floats, W: Floats, scale: float, control: tuple[Floats, float] | None, ess: float
) -> list[tuple[float, float]]:
    """Mean and standard error of each column, helped by the control with one coefficient for all columns."""
    if control is None or scale == 0.0:
        return [_difference(column, W, scale) for column in values.T]
    guesses, everywhere = control
    average = values.mean(axis=1)
    middle = float(W @ guesses)
    spread = float(W @ ((guesses - middle) ** 2))
    slope = 0.0 if spread < 1e-12 else float(W @ ((guesses - middle) * average)) / spread
    shift = slope * (everywhere - middle)
    found = []
    for column in values.T:
        mean, _ = _difference(column, W, scale)
        total = float(W @ ((column - mean) ** 2))
        left = column - mean - slope * (guesses - middle)
        # The part that the control explains is as exact as all draws, the rest as the layouts solved.
        variance = total / ess + float(W @ (left**2)) * max(0.0, scale - 1.0 / ess)
        found.append((mean + shift, float(np.sqrt(variance))))
    return found


def _difference(values: Floats, W: Floats, scale: float) -> tuple[float, float]:
    """Weighted mean, and its standard error where ``scale`` is one over the worth of the draws."""
    mean = float(W @ values)
    return mean, float(np.sqrt(float(W @ ((values - mean) ** 2)) * scale))


def _close(first: tuple[float, float], second: tuple[float, float], limit: float) -> bool:
    """Whether a lead may be as good as the best, by the second difference where the first is none in any layout."""
    mean, error = second if first == (0.0, 0.0) else first
    return mean <= limit * error
