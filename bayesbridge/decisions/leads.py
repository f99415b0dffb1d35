"""What to lead: every card of the seat on lead, tried on the same layouts of its posterior.

Layouts are drawn from what the leader believes before dummy is seen, and each is solved double dummy once for every
card that may be led. All cards live on the same layouts, so that differences between them are paired and much more
exact than the figures themselves. These layouts are weighted, the same for all cards, so that the predictions of the
network of ``tricks`` average over them as over all draws (:mod:`bayesbridge.estimators.odds`).

Double dummy means that all four see all cards from the lead on: a lead that gives away what declarer would have guessed
wrong costs more at the table, and one that declarer does not understand costs less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.decisions.contracts import judged
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.evaluate import DRAWS, Progress, evaluate
from bayesbridge.estimators.odds import SolvedSample, contract_asked, normalised
from bayesbridge.estimators.protocol import Estimator, Question, run
from bayesbridge.estimators.registry import offered
from bayesbridge.layouts import Floats
from bayesbridge.markup import Shown, Table
from bayesbridge.random64 import Seed, generator
from bayesbridge.words import SEATS, error_text, number, percent


@dataclass(frozen=True, slots=True)
class Lead:
    """One card, or several of a suit that did the same in every layout."""

    cards: tuple[Card, ...]
    """High cards first; they follow each other in the leader's hand."""
    beaten: tuple[float, float]
    """P(the contract is beaten), one standard error."""
    tricks: tuple[float, float]
    """Expected tricks of the defence, one standard error."""
    behind: tuple[float, float]
    """How far behind the best lead by the goal, P(beaten) or tricks, one standard error, paired."""
    close: bool
    """Whether the test cannot tell it from the best."""

    @property
    def name(self) -> str:
        """The suit and the ranks, such as ``H432``."""
        return self.cards[0].suit.name + "".join(str(card)[1:] for card in self.cards)


@dataclass(frozen=True, slots=True)
class Leads(Shown):
    """All leads against a contract, the best first."""

    contract: Contract
    leader: Seat
    goal: str
    """``make`` or ``tricks``."""
    choices: tuple[Lead, ...]
    solved: int
    """Layouts that were solved."""
    exact: bool
    """Whether these are all layouts that fit, with their exact weights."""

    @property
    def best(self) -> tuple[Lead, ...]:
        """The best, and all that the test cannot tell from it."""
        return tuple(choice for choice in self.choices if choice.close)

    @property
    def clear(self) -> bool:
        """Whether one lead is better than all others."""
        return len(self.best) == 1

    @property
    def sentence(self) -> str:
        """The answer in words."""
        names = [choice.name for choice in self.best]
        first = self.choices[0]
        (beaten, beaten_error), (tricks, tricks_error) = first.beaten, first.tricks
        chance = percent(beaten) + (f" ± {100 * beaten_error:.1f} %" if beaten_error else "")
        many = f"{tricks:.2f}" + (f" ± {tricks_error:.2f}" if tricks_error else "")
        after = f"{self.contract} is then beaten with {chance}; the defence takes {many} tricks on average."
        if self.clear:
            return f"Lead {names[0]}: {after}"
        others = " and ".join(filter(None, (", ".join(names[1:-1]), names[-1])))
        return f"Too close to call: {names[0]} is ahead, {others} may be as good. After {names[0]}, {after}"

    @property
    def caution(self) -> str:
        """How far the figures can be trusted, in a sentence or two."""
        basis = f"From {number(self.solved)} solved layouts; one standard error is given."
        if self.exact:
            basis = f"Every layout was solved ({number(self.solved)})."
        return f"{basis} Double dummy: after the lead all four see all cards."

    @property
    def tables(self) -> list[Table]:
        """Every lead with its chance to beat the contract, and how far it is behind the best."""
        best, goal = self.choices[0], self.goal == "make"
        unit, digits, scale = (" %", 1, 100.0) if goal else ("", 2, 1.0)
        rows = []
        for choice in self.choices:
            mean, error = (scale * part for part in choice.behind)
            behind = "" if choice is best else f"{mean:.{digits}f}{error_text(error, digits)}{unit}"
            verdict = "best" if self.clear else "ahead" if choice is best else "close"
            beaten = percent(choice.beaten[0]) + error_text(100 * choice.beaten[1], 1, " %")
            tricks = f"{choice.tricks[0]:.2f}{error_text(choice.tricks[1])}"
            rows.append([choice.name, beaten, tricks, behind, verdict if choice.close else ""])
        title = f"{SEATS[self.leader.name]} leads against {self.contract}"
        columns = ["lead", "P(beaten)", "tricks", "P(beaten) below" if goal else "tricks below", ""]
        return [Table(title, columns, rows, [self.sentence, self.caution])]

    def document(self) -> dict[str, Any]:
        """For ``--json`` and web pages."""
        return {
            "contract": str(self.contract),
            "seat": self.leader.name,
            "goal": self.goal,
            "clear": self.clear,
            "best": [str(card) for choice in self.best for card in choice.cards],
            "solved": self.solved,
            "exact": self.exact,
            "cards": [
                {"cards": [str(card) for card in choice.cards], "close": choice.close}
                | {name: getattr(choice, name)[0] for name in ("beaten", "tricks", "behind")}
                | {f"{name}_error": getattr(choice, name)[1] for name in ("beaten", "tricks", "behind")}
                for choice in self.choices
            ],
        }


SOLVES: Final = "double_dummy_leads"
"""The estimator that solves a layout for every card, in the double-dummy plugin."""


def leads(
    posterior: Posterior,
    contract: Contract | str | None = None,
    *,
    by: Seat | str | None = None,
    goal: str = "make",
    seconds: float | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Leads:
    """Compare all leads against a contract, by what the observer, who is on lead, believes.

    The ``contract`` is that of the auction unless it is named; its declarer sits on the leader's right. ``goal`` is
    ``make``, for P(it is beaten), or ``tricks``, for what the defence takes on average; the other of the two decides
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
    if goal not in ("make", "tricks"):
        raise BayesBridgeError(f"goal {goal!r}: choose 'make' or 'tricks'", goal=goal)
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
    asked = own if contract is None else contract
    if asked is None:
        raise BayesBridgeError("no contract to lead against: name one, such as 3NT, or give the whole auction")
    if by is None and len(str(asked).split()) < 3:
        by = own.declarer if own is not None else _declarer_on_right(belief)
    against = contract_asked(belief, asked, by)
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
    goal: str = "make",
    seconds: float | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Leads:
    """The comparison itself, with a solver at hand."""
    allowed = 12.0 if seconds is None and posterior.asked[1] == DRAWS else seconds
    found = evaluate(posterior, [solver], question, rng=generator(rng), progress=progress, seconds=allowed)
    for failure in found.failures.values():
        raise failure
    taken = found.draws[solver.name, "lead_tricks"].astype(np.float64)
    groups = list(_groups(posterior.belief, taken))
    tricks = taken[:, [cards[0].index for cards in groups]]
    beaten = (tricks > 13 - contract.tricks_needed).astype(np.float64)
    sample = _sample(posterior, found.posterior, contract, question)
    goals = (beaten, tricks) if goal == "make" else (tricks, beaten)
    means = [sample.weights @ values for values in goals]
    order = np.lexsort((np.arange(len(groups)), -means[1].round(12), -means[0].round(12)))
    best = order[0]
    # 5 %: the chance of calling a card the best although another is as good, over all comparisons together.
    limit = NormalDist().inv_cdf(1.0 - 0.05 / max(1, len(groups) - 1))

    def behind(values: Floats, one: int) -> tuple[float, float]:
        """The paired difference to the best lead, which differs from itself in no layout."""
        most = 13.0 if values is tricks else 1.0
        return (0.0, 0.0) if one == best else sample.mean(values[:, best] - values[:, one], -most, most, 1.0)

    def close(one: int) -> bool:
        """Whether a lead may be as good as the best, by the other figure where the first never differs."""
        differs = [values for values in goals if (values[:, one] != values[:, best]).any()]
        mean, error = behind(differs[0], one) if differs else (0.0, 0.0)
        return mean <= limit * error

    choices = tuple(
        Lead(
            groups[one],
            sample.share(beaten[:, one]),
            sample.mean(tricks[:, one], 0.0, 13.0, 1.0),
            behind(goals[0], one),
            close(one),
        )
        for one in order
    )
    return Leads(contract, posterior.belief.observer, goal, choices, len(taken), found.posterior.exact)


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


def _sample(whole: Posterior, some: Posterior, contract: Contract, question: Question) -> SolvedSample:
    """How the layouts solved are weighted: by the network's P(beaten) and tricks for these and for all draws."""
    if some.exact:
        return SolvedSample.every(some.weights)
    if some is whole:
        return SolvedSample.of(some.weights, most=some.ess)
    pool, weights, ess = judged(whole, 0)
    made = np.arange(14)
    values = np.stack([(made < contract.tricks_needed).astype(np.float64), 13.0 - made], axis=1)
    network = TricksEstimator()
    here, everywhere = (normalised(run(network, layouts, question)["tricks"]) for layouts in (some.layouts, pool))
    return SolvedSample.of(some.weights, here @ values, weights @ everywhere @ values, ess)
