"""The value of information: how much an answer would tell, in bits and in expected
score of a decision.

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
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.decisions.contracts import PairLike, option_payoffs, pair_of
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.trick_estimates import TrickEstimates, judged
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.cards import Card, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts, high_card_points, suit_lengths
from bayesbridge.game.scoring import SchemeLike, scoring_of
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray


type Asking = str | Sequence[str] | Mapping[str, Callable[[Layouts], NDArray[Any]]]

KNOWN: Final = "card[SQ], length[E:H], points[N], call[N], call[N:4NT Pass] or layout"
EVERYTHING: Final = "layout"  # the question that tells all


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry:
    name: str
    answers: Callable[
        [Layouts], Floats
    ]  # (n, k) P(answer ∣ layout); rows add up to one
    shares: Floats | None = None  # (k,) P(answer) where the posterior knows it exactly


def enquiries(posterior: Posterior, asked: Asking | None) -> list[Inquiry]:
    """The questions that are meant: by name, as functions of layouts by name, or
    without any the usual ones.
    """
    if asked is not None and not asked:
        raise BayesBridgeError(f"no question named: give one or more of {KNOWN}")
    if isinstance(asked, Mapping):
        return [
            Inquiry(name, partial(_kinds, name, function))
            for name, function in asked.items()
        ]
    if isinstance(asked, str):
        asked = re.split(r",(?![^\[]*\])", asked)
    if asked is None:
        # Where each honour lies that is in doubt; points and suit lengths of every hidden hand; everything.
        likeliest = posterior.card_table.max(axis=1)
        honours = [
            name
            for name, chance in zip(CARDS, likeliest, strict=True)
            if name[1] in "AKQJ" and chance < 1.0
        ]
        hidden = [
            seat.name for seat in Seat if seat in posterior.belief.constraints.hidden
        ]
        lengths = [
            f"length[{seat}:{suit.name}]" for seat in hidden for suit in reversed(Suit)
        ]
        asked = [
            *(f"card[{name}]" for name in honours),
            *(f"points[{seat}]" for seat in hidden),
            *lengths,
            EVERYTHING,
        ]
    return [_enquiry(posterior, name.strip()) for name in asked]


def _enquiry(posterior: Posterior, name: str) -> Inquiry:
    match = re.fullmatch(r"(\w+)\[([^\]]*)\]", name)
    word, where = match.groups() if match else (name, "")
    if word == EVERYTHING:
        return Inquiry(EVERYTHING, lambda layouts: np.eye(len(layouts)))
    if word == "call" and where:
        return _call(posterior, name, where)
    if word not in ("card", "length", "points") or not where:
        raise BayesBridgeError(f"unknown question {name!r}: write {KNOWN}", name=name)
    if word == "card":
        card = Card.of(where)
        shares = (
            posterior.card_table[CARDS.index(str(card))]
            if posterior.counts_cards
            else None
        )
        return Inquiry(
            name, lambda layouts: np.eye(4)[layouts.holds(card).argmax(axis=1)], shares
        )
    seat_text, _, suit_text = where.partition(":")
    seat = Seat.of(seat_text)
    if word == "points":
        shares = posterior.point_table[seat] if posterior.counts_points else None
        return Inquiry(
            name,
            lambda layouts: np.eye(38)[high_card_points(layouts.masks[:, seat])],
            shares,
        )
    suit = Suit.of(suit_text)
    shares = posterior.length_table[seat, suit] if posterior.counts_cards else None
    return Inquiry(
        name,
        lambda layouts: np.eye(14)[suit_lengths(layouts.masks[:, seat])[:, suit]],
        shares,
    )


def _call(posterior: Posterior, name: str, where: str) -> Inquiry:
    belief = posterior.belief
    seat_text, _, before = where.partition(":")
    seat = Seat.of(seat_text)
    if seat == belief.observer:
        raise BayesBridgeError(
            f"question {name!r}: {seat.name} looks at that hand: ask for another's call",
            seat=seat,
        )
    auction = belief.auction or Auction(
        belief.observer if before else seat, (), belief.dummy
    )
    auction = auction.after_all(before)
    if auction.turn != seat:
        turn = (
            "nobody's turn" if auction.turn is None else f"{auction.turn.name}'s turn"
        )
        raise BayesBridgeError(
            f"question {name!r}: after '{auction}' it is {turn}: write the calls before it, as in call[N:4NT Pass]",
            seat=seat,
        )

    def answers(layouts: Layouts) -> Floats:
        hands, partners = (
            np.ascontiguousarray(layouts.masks[:, one]) for one in (seat, seat.partner)
        )
        chances = call_probabilities(belief.bidder, hands, auction, partners)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float64)

    return Inquiry(name, answers)


type Decision = (
    str
    | Sequence[str | Contract]
    | Mapping[str, Callable[[Layouts], NDArray[Any]]]
    | None
)

FOLDS: Final = (
    5  # parts of the draws: actions are chosen on all but one and paid on that one
)


def value_of_information(
    posterior: Posterior,
    decision: Decision = None,
    questions: Asking | None = None,
    *,
    scheme: SchemeLike = None,
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    pair: PairLike = None,
    rng: Seed = 0,
) -> xarray.Dataset:
    """What answers would tell, a row for each question, the most valuable first.

    ``decision``: contracts to choose from (``"3NT,4S,Pass"``; without any all that the
    pair may bid or defend), read and paid by ``scheme`` as in :func:`contracts` on what
    the network of ``tricks`` expects; or functions by name that give what an action
    pays in each layout. ``questions``: ``card[SQ]``, ``length[E:H]``, ``points[N]``,
    ``call[N:4NT Pass]`` (what N calls after that, by the bidder model), ``layout``
    (everything), or functions by name that give the answer in each layout; without any,
    honours, points and lengths that are in doubt.

    Variables: ``bits``, ``value`` and ``optimistic`` in expected score, each with its
    ``…_error``. On average ``value`` is no more than the truth and ``optimistic`` no
    less; where the layouts are all that fit, both are the truth. Attributes:
    ``action``, the best one without an answer, its expected ``score``, and ``exact``.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("E", "T963.9864.JT8.J7").given(
    ...     bb.Reveal("N", "J54.AQ2.KQ76.A54"), bb.Holds("S", "SA SK S2 HK H3 DA CQ C2")
    ... )
    >>> guess = {name: lambda layouts, seat=bb.Seat.of(name): layouts.holds("SQ")[:, seat] for name in ("S", "W")}
    >>> found = value_of_information(belief.infer(), guess, ["card[SQ]", "card[SJ]", "card[S8]"])
    >>> found["question"].values.tolist(), found["bits"].values.round(3).tolist()
    (['card[SQ]', 'card[S8]', 'card[SJ]'], [0.852, 0.852, 0.0])
    >>> found.attrs["action"], found["value"].values.round(3).tolist()
    ('W', [0.278, 0.0, 0.0])
    """
    from bayesbridge.estimators.results import Rows

    asked = enquiries(posterior, questions)
    random = generator(rng)
    if isinstance(decision, Mapping):
        if not decision:
            raise BayesBridgeError("no action to choose: give at least one, by name")
        # Functions cost little: an exact posterior is taken whole up to so many layouts.
        tables = TrickEstimates.of(judged(posterior, random, exact_up_to=100_000), ())
        names = list(decision)
        pays = np.stack(
            [
                _called(name, function, tables.layouts)
                for name, function in decision.items()
            ],
            axis=1,
        )
        if (
            pays.dtype.kind not in "biuf"
            or not np.isfinite(pays := pays.astype(np.float64)).all()
        ):
            raise BayesBridgeError(
                f"actions {', '.join(names)}: let each pay a finite number in each layout"
            )
        scoring = "own"
    else:
        belief = posterior.belief
        scheme = scoring_of(scheme, vulnerable, belief.dummy)
        found = option_payoffs(belief, scheme, decision, pair_of(belief, pair))
        tables = TrickEstimates.of(
            judged(posterior, random), dict.fromkeys(one.group for one in found)
        )
        names, scoring = [one.name for one in found], scheme.name
        pays = np.stack(
            [tables.of_one(one.group, one.points).predicted for one in found], axis=1
        )
    judge = _Judge(tables, pays, random)
    rows = [judge.row(one, posterior) for one in asked]
    order = sorted(
        range(len(rows)),
        key=lambda place: (-rows[place]["value"], -rows[place]["bits"], place),
    )
    best = int(judge.means.argmax())
    caution = f"Over all {len(tables.layouts)} layouts: the values are exact."
    if tables.ess < np.inf:
        caution = f"From {len(tables.layouts)} layouts: on average the truth lies between value and optimistic."
    if scoring != "own":
        caution += " Scores are those that the network of tricks expects in each layout, double dummy."
    attrs = {
        "action": names[best],
        "score": float(judge.means[best]),
        "scheme": scoring,
        "exact": int(tables.ess == np.inf),
        "caution": caution,
    }
    variables = {
        name: (["question"], np.array([rows[place][name] for place in order]))
        for name in rows[0]
    }
    return Rows(variables, {"question": [asked[place].name for place in order]}, attrs)


class _Judge:
    def __init__(
        self, tables: TrickEstimates, pays: Floats, rng: np.random.Generator
    ) -> None:
        self.layouts, self.weights, self.ess, self.pays = (
            tables.layouts,
            tables.weights,
            tables.ess,
            pays,
        )
        self.means: Floats = self.weights @ pays
        every = np.ones(len(pays), np.bool_)
        self.whole = self.split = [(every, every)]
        if self.ess < np.inf:
            # The same layout drawn twice stays in one part: it must not choose for itself. Parts are drawn, since those
            # of sorted layouts would resemble each other.
            kinds, number = np.unique(self.layouts.masks, axis=0, return_inverse=True)
            part = rng.permutation(len(kinds))[number.reshape(-1)] % FOLDS
            self.split = [(part != fold, part == fold) for fold in range(FOLDS)]
        nothing = np.ones((len(pays), 1))
        self.without = self._paid(nothing, self.split), self._paid(nothing, self.whole)

    def row(self, asked: Inquiry, posterior: Posterior) -> dict[str, float]:
        if asked.name == EVERYTHING:
            best = self.pays.max(axis=1)
            bits, after, chosen = Estimate(posterior.entropy_bits, 0.0), (best, best), 0
        else:
            chances = asked.answers(self.layouts)
            bits, chosen = (
                self._bits(chances, asked.shares),
                int((self.weights @ chances > 0).sum()),
            )
            after = (
                self._paid(chances, self.split),
                self._paid(chances, self.whole),
            )  # K and M
        value = self._mean(after[0] - self.without[1], chosen + 1, after[1] - after[0])
        optimistic = self._mean(
            after[1] - self.without[0], chosen + 1, self.without[1] - self.without[0]
        )
        return with_errors({"bits": bits, "value": value, "optimistic": optimistic})

    def _mean(self, gain: Floats, chosen: int, lost: Floats) -> Estimate[float]:
        """Of (n,) gains, with its standard error, where ``chosen`` actions were chosen
        and (n,) ``lost`` by parts.
        """
        mean = float(self.weights @ gain)
        sampling = float(self.weights @ ((gain - mean) ** 2)) / max(
            1.0, self.ess - chosen
        )
        unlike = float(np.ptp(self.pays, axis=1).max()) / (self.ess + 1.0)
        rounding = 1e-9 * float(np.abs(self.pays).max())
        error = float(np.sqrt(sampling + float(self.weights @ lost) ** 2 + unlike**2))
        return Estimate(mean if abs(mean) > rounding else 0.0, error)

    def _paid(
        self,
        chances: Floats,
        parts: Sequence[tuple[NDArray[np.bool_], NDArray[np.bool_]]],
    ) -> Floats:
        """(n,) what is paid to somebody who knows the answer; ``parts``: layouts to
        choose on, to be paid on.

        After an answer that was not seen when the actions were chosen, the best action
        without one is taken.
        """
        found = np.zeros(len(self.pays))
        for learnt, paid in parts:
            weights = self.weights * learnt
            policy = ((chances * weights[:, None]).T @ self.pays).argmax(axis=1)
            policy[weights @ chances == 0.0] = (weights @ self.pays).argmax()
            found[paid] = (chances[paid] * self.pays[paid][:, policy]).sum(axis=1)
        return found

    def _bits(self, chances: Floats, shares: Floats | None) -> Estimate[float]:
        """Mutual information of answer and layout, and its standard error; 0 where the
        chances are known exactly.
        """
        if shares is not None:
            known = shares[shares > 0]
            return Estimate(float(-(known * np.log2(known)).sum()) + 0.0, 0.0)
        overall = self.weights @ chances
        with np.errstate(divide="ignore", invalid="ignore"):
            gained = np.where(
                chances > 0, chances * np.log2(chances / overall), 0.0
            ).sum(axis=1)
        bits = float(self.weights @ gained)
        spread = float(self.weights @ ((gained - bits) ** 2))
        certain = bool(((chances == 0) | (chances == 1)).all())
        # Entropy of counts is too small by about so much (Miller and Madow).
        missing = (
            ((overall > 0).sum() - 1) / (2 * self.ess * np.log(2)) if certain else 0.0
        )
        return Estimate(bits + float(missing), float(np.sqrt(spread / self.ess)))


def _called(
    name: str, function: Callable[[Layouts], NDArray[Any]], layouts: Layouts
) -> NDArray[Any]:
    values = np.asarray(function(layouts))
    if values.shape != (len(layouts),):
        raise BayesBridgeError(
            f"{name!r} gave shape {values.shape} for {len(layouts)} layouts: give one value for each",
            name=name,
        )
    return values


def _kinds(
    name: str, function: Callable[[Layouts], NDArray[Any]], layouts: Layouts
) -> Floats:
    """(n, k) which of the k different values each layout gives, by a user's function."""
    values = _called(name, function, layouts)
    kinds, places = np.unique(values, return_inverse=True)
    return np.eye(len(kinds))[places]
