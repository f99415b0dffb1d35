"""The value of information: how much an answer would tell.

In bits, and in the expected score of a decision.

A question gives every layout the chances of its answers. With W the weights of the
layouts, A[i, a] the chance of answer a in layout i, and u[i, d] the payoff of action d
there::

    bits  = Σ W_i A[i, a] log₂(A[i, a] / P(a)),      P(a) = Σ W_i A[i, a]
    value = Σ_a max_d Σ_i W_i A[i, a] u[i, d]  −  max_d Σ_i W_i u[i, d]

Of draws, a maximum of estimated means (M) is too high on average, and an action that is
chosen on four fifths of the draws and paid on the last fifth, in turn (K), is paid too
little (docs/decide.md). With the answer (1) and without (0), value = K₁ − M₀ and
optimistic = M₁ − K₀. K ≤ M whatever the draws: the best action without part k leads the
best of all on the other parts, so on part k it pays no more.

An error has three parts: that of the mean for these choices, less one draw for every
action that was chosen; M − K of the cross-fitted side; and one draw unlike all others,
in which the actions differ most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.decisions.contracts import PairLike, option_payoffs, pair_of
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.trick_estimates import TrickEstimates, layouts_for_decision
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.cards import Card, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts, high_card_points, suit_lengths
from bayesbridge.game.scoring import SchemeLike, Scoring, scoring_of
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray


type Answering = Callable[[Layouts], NDArray[Any]]
"""A function of layouts that gives the answer, or the payoff, in each."""
type Questions = str | Sequence[str] | Mapping[str, Answering]
type Decision = str | Sequence[str | Contract] | Mapping[str, Answering] | None

FORMS: Final = "card[SQ], length[E:H], points[N], call[N], call[N:4NT Pass] or layout"
"""How questions are written."""
EVERYTHING: Final = "layout"
"""The question that tells all."""
OWN: Final = "own"
"""In place of a scheme where functions say what is paid."""
NUMBER_KINDS: Final = "biuf"
"""Kinds of NumPy's types that are numbers: bool, int, unsigned, float."""
HONOURS: Final = "AKQJ"

FOLDS: Final = 5
"""Parts of the draws: actions are chosen on all but one and paid on that one."""
MOST_OF_EXACT: Final = 100_000
"""Layouts up to which an exact posterior is taken whole where functions say what is
paid, since these cost little.
"""
LENGTHS: Final = 14
"""Lengths of a suit: 0 … 13."""
POINT_COUNTS: Final = 38
"""High-card points of a hand: 0 … 37."""
ROUNDING: Final = 1e-9
"""A gain is nothing if it is less than this part of the largest payoff."""


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry:
    """A question about the layout."""

    name: str
    answers: Callable[[Layouts], Floats]
    """(n, k) P(each of k answers ∣ layout); rows add up to one."""
    shares: Floats | None = None
    """(k,) P(answer) where the posterior knows it exactly."""


def enquiries(posterior: Posterior, questions: Questions | None) -> list[Inquiry]:
    """The questions that are meant; without any the usual ones.

    They are named, such as ``card[SQ]``, or functions of layouts by name: two layouts
    give the same answer where the function gives the same value.
    """
    if questions is None:
        questions = usual_questions(posterior)
    elif not questions:
        raise BayesBridgeError(f"no question named: give one or more of {FORMS}")
    if isinstance(questions, Mapping):
        return [
            Inquiry(name, answers=partial(_different_values, name, function))
            for name, function in questions.items()
        ]
    if isinstance(questions, str):
        questions = re.split(r",(?![^\[]*\])", questions)  # commas outside brackets
    return [_inquiry(posterior, name.strip()) for name in questions]


def usual_questions(posterior: Posterior) -> list[str]:
    """The names of the usual questions.

    Where each honour lies that is in doubt; points and suit lengths of every hidden
    hand; everything.
    """
    highest_chances = posterior.card_table.max(axis=1)  # of the 52 cards in some hand
    questions = []
    for card, highest_chance in zip(CARDS, highest_chances, strict=True):
        rank_letter = card[1]  # of a name such as ``SQ``
        if rank_letter in HONOURS and highest_chance < 1.0:
            questions.append(f"card[{card}]")
    hidden = [seat for seat in Seat if seat in posterior.belief.constraints.hidden]
    questions += [f"points[{seat.name}]" for seat in hidden]
    for seat in hidden:
        questions += [f"length[{seat.name}:{suit.name}]" for suit in reversed(Suit)]
    return [*questions, EVERYTHING]


def _inquiry(posterior: Posterior, name: str) -> Inquiry:
    """A question by its name, such as ``card[SQ]``."""
    match = re.fullmatch(r"(\w+)\[([^\]]*)\]", name)
    kind, subject = match.groups() if match else (name, "")
    if kind == EVERYTHING:
        return Inquiry(EVERYTHING, _own_answer)
    if kind not in KINDS or not subject:
        raise BayesBridgeError(f"unknown question {name!r}: write {FORMS}", name=name)
    return KINDS[kind](posterior, name, subject)


def _card_inquiry(posterior: Posterior, name: str, subject: str) -> Inquiry:
    """Who holds a card, by ``SQ``."""
    card = Card.of(subject)
    shares = None
    if posterior.counts_cards:
        shares = posterior.card_table[CARDS.index(str(card))]
    return Inquiry(name, partial(_holders, card), shares)


def _points_inquiry(posterior: Posterior, name: str, subject: str) -> Inquiry:
    """The high-card points of a hand, by ``N``."""
    seat = Seat.of(subject.partition(":")[0])
    shares = posterior.point_table[seat] if posterior.counts_points else None
    return Inquiry(name, partial(_points, seat), shares)


def _length_inquiry(posterior: Posterior, name: str, subject: str) -> Inquiry:
    """The length of a suit in a hand, by ``E:H``."""
    seat_text, _, suit_text = subject.partition(":")
    seat = Seat.of(seat_text)
    suit = Suit.of(suit_text)
    shares = posterior.length_table[seat, suit] if posterior.counts_cards else None
    return Inquiry(name, partial(_lengths, seat, suit), shares)


def _call_inquiry(posterior: Posterior, name: str, subject: str) -> Inquiry:
    """What a hand calls next, by ``N`` or, after these calls, ``N:4NT Pass``."""
    belief = posterior.belief
    seat_text, _, calls_before = subject.partition(":")
    seat = Seat.of(seat_text)
    if seat == belief.observer:
        raise BayesBridgeError(
            f"question {name!r}: {seat.name} looks at that hand: "
            "ask for another's call",
            seat=seat,
        )
    auction = belief.auction
    if not auction:
        dealer = belief.observer if calls_before else seat
        auction = Auction(dealer, (), belief.dummy)
    auction = auction.after_all(calls_before)
    if auction.turn != seat:
        turn = "nobody's" if auction.turn is None else f"{auction.turn.name}'s"
        raise BayesBridgeError(
            f"question {name!r}: after '{auction}' it is {turn} turn: "
            "write the calls before it, as in call[N:4NT Pass]",
            seat=seat,
        )
    return Inquiry(name, partial(_calls, belief.bidder, auction, seat))


KINDS: Final[Mapping[str, Callable[[Posterior, str, str], Inquiry]]] = {
    "card": _card_inquiry,
    "points": _points_inquiry,
    "length": _length_inquiry,
    "call": _call_inquiry,
}
"""What reads each kind of question, from its name and the text in its brackets."""


def _own_answer(layouts: Layouts) -> Floats:
    """(n, n) an answer of its own for each layout."""
    return np.eye(len(layouts))


def _holders(card: Card, layouts: Layouts) -> Floats:
    """(n, 4) who holds a card."""
    return np.eye(len(Seat))[layouts.holds(card).argmax(axis=1)]


def _points(seat: Seat, layouts: Layouts) -> Floats:
    """(n, 38) the points of a seat."""
    return np.eye(POINT_COUNTS)[high_card_points(layouts.masks[:, seat])]


def _lengths(seat: Seat, suit: Suit, layouts: Layouts) -> Floats:
    """(n, 14) the length of a seat's suit."""
    return np.eye(LENGTHS)[suit_lengths(layouts.masks[:, seat])[:, suit]]


def _calls(
    bidder: BidderModel, auction: Auction, seat: Seat, layouts: Layouts
) -> Floats:
    """(n, 38) P(each call of a seat), by the bidder model."""
    hands = np.ascontiguousarray(layouts.masks[:, seat])
    partners = np.ascontiguousarray(layouts.masks[:, seat.partner])
    chances = call_probabilities(bidder, hands, auction, partners)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float64)


def _different_values(name: str, function: Answering, layouts: Layouts) -> Floats:
    """(n, k) which of k different values a user's function gives in each layout."""
    values, places = np.unique(_values(name, function, layouts), return_inverse=True)
    return np.eye(len(values))[places]


def _values(name: str, function: Answering, layouts: Layouts) -> NDArray[Any]:
    """(n,) what a user's function gives in each layout."""
    values = np.asarray(function(layouts))
    if values.shape != (len(layouts),):
        raise BayesBridgeError(
            f"{name!r} gave shape {values.shape} for {len(layouts)} layouts: "
            "give one value for each",
            name=name,
        )
    return values


def value_of_information(
    posterior: Posterior,
    decision: Decision = None,
    questions: Questions | None = None,
    *,
    scheme: SchemeLike = None,
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    pair: PairLike = None,
    rng: Seed = 0,
) -> xarray.Dataset:
    """What answers would tell, in bits and in expected score of a decision.

    Parameters
    ----------
    posterior : Posterior
        What is believed without an answer.
    decision : str, sequence of str or Contract, or mapping of str to function, optional
        Contracts to choose from, such as ``"3NT,4S,Pass"``, paid by what the network of
        ``tricks`` expects; without any all that the pair may bid or defend. Or
        functions by name that give what an action pays in each layout.
    questions : str, sequence of str, or mapping of str to function, optional
        ``card[SQ]``, ``length[E:H]``, ``points[N]``, ``call[N:4NT Pass]`` (what N calls
        after that, by the bidder model), ``layout`` (everything), or functions by name
        that give the answer in each layout. Without any, honours, points and lengths
        that are in doubt.
    scheme, vulnerable, pair
        How contracts are paid, and to whom, as in :func:`contracts`.
    rng : seed
        Where random numbers start.

    Returns
    -------
    xarray.Dataset
        A row for each ``question``, the most valuable first. Variables: ``bits``,
        ``value`` and ``optimistic`` in expected score, each with its ``…_error``. On
        average ``value`` is no more than the truth and ``optimistic`` no less; where
        the layouts are all that fit, both are the truth. Attributes: ``action``, the
        best one without an answer, its expected ``score``, and ``exact``.

    Raises
    ------
    BayesBridgeError
        If a question or a contract cannot be read, or a function does not give a finite
        number for each layout.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("E", "T963.9864.JT8.J7").given(
    ...     bb.Reveal("N", "J54.AQ2.KQ76.A54"), bb.Holds("S", "SA SK S2 HK H3 DA CQ C2")
    ... )
    >>> def held_by(seat):
    ...     return lambda layouts: layouts.holds("SQ")[:, bb.Seat.of(seat)]
    >>> guess = {"S": held_by("S"), "W": held_by("W")}
    >>> questions = ["card[SQ]", "card[SJ]", "card[S8]"]
    >>> answers = value_of_information(belief.infer(), guess, questions)
    >>> answers["question"].values.tolist(), answers["bits"].values.round(3).tolist()
    (['card[SQ]', 'card[S8]', 'card[SJ]'], [0.852, 0.852, 0.0])
    >>> answers.attrs["action"], answers["value"].values.round(3).tolist()
    ('W', [0.278, 0.0, 0.0])
    """
    inquiries = enquiries(posterior, questions)
    random = generator(rng)
    if isinstance(decision, Mapping):
        actions = _actions_of_functions(posterior, decision, random)
    else:
        scoring = scoring_of(scheme, vulnerable, posterior.belief.dummy)
        actions = _actions_of_contracts(posterior, decision, scoring, pair, random)
    valuation = Valuation(actions, random)
    rows = [
        InquiryRow(inquiry.name, valuation.figures(inquiry, posterior))
        for inquiry in inquiries
    ]
    return _rows_dataset(rows, valuation.attributes)


class InquiryRow(NamedTuple):
    """A question, and what its answer tells and is worth, by name."""

    question: str
    figures: dict[str, float]

    @property
    def rank(self) -> tuple[float, float]:
        """Lower for more value, then for more bits."""
        return -self.figures["value"], -self.figures["bits"]


def _rows_dataset(
    rows: Sequence[InquiryRow], attributes: Mapping[str, Any]
) -> xarray.Dataset:
    """A row for each question, the most valuable first."""
    from bayesbridge.estimators.results import Rows

    ranked = sorted(rows, key=lambda row: row.rank)
    variables = {}
    for name in ranked[0].figures:
        column = np.array([row.figures[name] for row in ranked])
        variables[name] = (["question"], column)
    labels = {"question": [row.question for row in ranked]}
    return Rows(variables, labels, attributes)


@dataclass(frozen=True, eq=False)
class Actions:
    """What may be chosen, and what it pays on weighted layouts."""

    names: Sequence[str]
    tables: TrickEstimates
    """The layouts, n of them, with their weights."""
    pays: Floats
    """(n, actions) what each pays in each layout."""
    scheme: str
    """The name of the scoring, ``own`` for functions."""


def _actions_of_functions(
    posterior: Posterior, functions: Mapping[str, Answering], random: Generator
) -> Actions:
    """Actions whose payoffs a user's functions give."""
    if not functions:
        raise BayesBridgeError("no action to choose: give at least one, by name")
    draws = layouts_for_decision(posterior, random, exact_up_to=MOST_OF_EXACT)
    # Only for the layouts and their weights: no tricks are estimated.
    tables = TrickEstimates.of(draws, groups=())
    names = list(functions)
    columns = [
        _values(name, function, tables.layouts) for name, function in functions.items()
    ]
    pays = np.stack(columns, axis=1)
    is_number = pays.dtype.kind in NUMBER_KINDS
    if not is_number or not np.isfinite(pays.astype(np.float64)).all():
        raise BayesBridgeError(
            f"actions {', '.join(names)}: let each pay a finite number in each layout"
        )
    return Actions(names, tables, pays=pays.astype(np.float64), scheme=OWN)


def _actions_of_contracts(
    posterior: Posterior,
    decision: str | Sequence[str | Contract] | None,
    scoring: Scoring,
    pair: PairLike,
    random: Generator,
) -> Actions:
    """Contracts, paid by what the network of tricks expects in each layout."""
    belief = posterior.belief
    options = option_payoffs(belief, scoring, decision, pair_of(belief, pair))
    groups = dict.fromkeys(option.group for option in options)
    estimates = TrickEstimates.of(layouts_for_decision(posterior, random), groups)
    # (n,) each: the score that is expected in every layout.
    columns = [
        estimates.of_one(option.group, option.points).predicted for option in options
    ]
    names = [option.name for option in options]
    return Actions(
        names, estimates, pays=np.stack(columns, axis=1), scheme=scoring.name
    )


class Fold(NamedTuple):
    """Layouts on which actions are chosen, and those on which they are paid."""

    chosen_on: NDArray[np.bool_]  #: (n,)
    paid_on: NDArray[np.bool_]  #: (n,)


class Valuation:
    """What answers are worth to somebody who then chooses the best action.

    The truth is bounded from both sides. *Hindsight* chooses actions on all layouts and
    pays them on the same ones, which is too much on average. *Folds* choose on four
    fifths of the layouts and pay on the last, which is too little. Where the layouts
    are all that fit, hindsight is the truth, and nothing else is done.

    Parameters
    ----------
    actions : Actions
        What may be chosen, and what it pays in each layout.
    random : Generator
        Draws the folds.
    """

    def __init__(self, actions: Actions, random: Generator) -> None:
        """Note what is paid without a question, in hindsight and by folds."""
        self.actions = actions
        self.layouts = actions.tables.layouts
        self.weights = actions.tables.weights
        self.ess = actions.tables.ess
        self.pays = actions.pays
        self.means: Floats = self.weights @ self.pays
        all_layouts = np.ones(len(self.pays), np.bool_)
        self.hindsight = [Fold(chosen_on=all_layouts, paid_on=all_layouts)]
        self.folds = self.hindsight
        if self.ess < np.inf:
            self.folds = _folds(self.layouts, random)
        # What is paid without a question: all layouts give the same answer.
        no_answer = np.ones((len(self.pays), 1))
        self.paid_by_folds = self._paid(no_answer, self.folds)
        self.paid_in_hindsight = self._paid(no_answer, self.hindsight)

    @property
    def attributes(self) -> dict[str, Any]:
        """The best action without an answer, and how exact all figures are."""
        n = len(self.layouts)
        exact = self.ess == np.inf
        if exact:
            caution = f"Over all {n} layouts: the values are exact."
        else:
            caution = (
                f"From {n} layouts: "
                "on average the truth lies between value and optimistic."
            )
        if self.actions.scheme != OWN:
            caution += (
                " Scores are those that the network of tricks expects in each layout, "
                "double dummy."
            )
        best = int(self.means.argmax())
        return {
            "action": self.actions.names[best],
            "score": float(self.means[best]),
            "scheme": self.actions.scheme,
            "exact": int(exact),
            "caution": caution,
        }

    def figures(self, inquiry: Inquiry, posterior: Posterior) -> dict[str, float]:
        """What an answer tells (bits) and is worth, with the errors.

        The worth is what is paid with the answer less what is paid without. Actions
        that are chosen in hindsight, on the layouts that they are paid on, are paid too
        much; by folds, on other layouts, too little. So ``value`` is by folds with the
        answer and in hindsight without, and ``optimistic`` the reverse.
        """
        if inquiry.name == EVERYTHING:
            bits = Estimate(posterior.entropy_bits, 0.0)
            with_answer_by_folds = self.pays.max(axis=1)
            with_answer_in_hindsight = with_answer_by_folds
            answers = 0
        else:
            chances = inquiry.answers(self.layouts)
            bits = self._bits(chances, inquiry.shares)
            with_answer_by_folds = self._paid(chances, self.folds)
            with_answer_in_hindsight = self._paid(chances, self.hindsight)
            answers = int((self.weights @ chances > 0).sum())
        # One action is chosen after each answer, and one without any.
        choices = answers + 1
        value = self._mean_gain(
            with_answer_by_folds - self.paid_in_hindsight,
            choices=choices,
            lost_by_folds=with_answer_in_hindsight - with_answer_by_folds,
        )
        optimistic = self._mean_gain(
            with_answer_in_hindsight - self.paid_by_folds,
            choices=choices,
            lost_by_folds=self.paid_in_hindsight - self.paid_by_folds,
        )
        return with_errors({"bits": bits, "value": value, "optimistic": optimistic})

    def _mean_gain(
        self, gains: Floats, *, choices: int, lost_by_folds: Floats
    ) -> Estimate[float]:
        """Mean of (n,) gains with its standard error.

        ``choices``: how many actions were chosen on the draws; each costs a degree of
        freedom. ``lost_by_folds``: (n,) what is paid less since actions were chosen on
        parts of the draws, which tells how far the choice depends on the draws. The
        third part of the error is by the rule of succession: one layout more may differ
        from all that were drawn, by as much as the actions pay differently anywhere.
        """
        mean = float(self.weights @ gains)
        variance = float(self.weights @ ((gains - mean) ** 2))
        variance_of_mean = variance / max(1.0, self.ess - choices)
        error_of_choice = float(self.weights @ lost_by_folds)
        most_at_stake = float(np.ptp(self.pays, axis=1).max())
        error_of_unseen = most_at_stake / (self.ess + 1.0)
        error = float(
            np.sqrt(variance_of_mean + error_of_choice**2 + error_of_unseen**2)
        )
        rounding = ROUNDING * float(np.abs(self.pays).max())
        return Estimate(mean if abs(mean) > rounding else 0.0, error)

    def _paid(self, chances: Floats, folds: Sequence[Fold]) -> Floats:
        """(n,) what is paid in each layout to somebody who knows an answer.

        ``chances``: (n, k) P(each of k answers ∣ layout); ``folds``: the layouts on
        which actions are chosen, and those that are paid. After an answer that was not
        seen when the actions were chosen, the best action without one is taken.
        """
        paid = np.zeros(len(self.pays))
        for chosen_on, paid_on in folds:
            weights = np.where(chosen_on, self.weights, 0.0)
            # (k, actions): the mean payoff after each answer, times P(the answer).
            pays_by_answer = (chances * weights[:, None]).T @ self.pays
            action_by_answer = pays_by_answer.argmax(axis=1)
            answer_is_unseen = weights @ chances == 0.0
            best_without_answer = (weights @ self.pays).argmax()
            action_by_answer[answer_is_unseen] = best_without_answer
            # (layouts paid on, k): what the action after each answer pays there.
            pays = self.pays[paid_on][:, action_by_answer]
            paid[paid_on] = (chances[paid_on] * pays).sum(axis=1)
        return paid

    def _bits(self, chances: Floats, shares: Floats | None) -> Estimate[float]:
        """Mutual information of answer and layout, with its standard error.

        ``chances``: (n, k) of the answers in each layout; ``shares``: (k,) of the
        answers where they are known exactly.
        """
        if shares is not None:
            return Estimate(_entropy(shares), 0.0)
        overall = self.weights @ chances
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = chances * np.log2(chances / overall)
        gained = np.where(chances > 0, terms, 0.0).sum(axis=1)
        bits = float(self.weights @ gained)
        variance = float(self.weights @ ((gained - bits) ** 2))
        too_little = 0.0
        each_layout_has_one_answer = ((chances == 0) | (chances == 1)).all()
        if each_layout_has_one_answer:
            # Then it is the entropy of counts, too small on average by about so much
            # (Miller and Madow).
            answers = (overall > 0).sum()
            too_little = float((answers - 1) / (2 * self.ess * np.log(2)))
        return Estimate(bits + too_little, float(np.sqrt(variance / self.ess)))


def _folds(layouts: Layouts, random: Generator) -> list[Fold]:
    """Five parts of the layouts, each paid on once.

    The same layout drawn twice stays in one part: it must not choose for itself. Parts
    are drawn, since those of sorted layouts would resemble each other.
    """
    different, numbers = np.unique(layouts.masks, axis=0, return_inverse=True)
    parts = random.permutation(len(different))[numbers.reshape(-1)] % FOLDS
    return [Fold(parts != part, parts == part) for part in range(FOLDS)]


def _entropy(shares: Floats) -> float:
    """Of a distribution (k,), in bits."""
    positive = shares[shares > 0]
    return float(-(positive * np.log2(positive)).sum()) + 0.0
