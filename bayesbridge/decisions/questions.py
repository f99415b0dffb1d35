"""Questions whose answers would tell something about the layout: where a card lies, how long a suit is, the next call.

A question gives every layout the chances of its answers: one of them is certain where the layout decides, as with
cards; a call yet to come is as likely as the bidder model says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.bidders.simulate import call_probabilities
from bayesbridge.calls import CALLS
from bayesbridge.cards import Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Question
from bayesbridge.joint_distributions import feature_of
from bayesbridge.layouts import Layouts

type Floats = NDArray[np.float64]
type Asking = str | Sequence[str] | Mapping[str, Callable[[Layouts], NDArray[Any]]]

KNOWN: Final = (
    "card[SQ], void[E:H], length[E:H], points[N], call[N], call[N:4NT Pass], layout, or what joint_distribution knows"
)
EVERYTHING: Final = "layout"
"""The question that tells all."""


@dataclass(frozen=True, slots=True, eq=False)
class Enquiry:
    """One question."""

    name: str
    answers: Callable[[Layouts], Floats]
    """(n, k) P(answer ∣ layout); rows add up to one."""
    shares: Floats | None = None
    """(k,) P(answer) where the posterior knows it exactly."""


def enquiries(posterior: Posterior, asked: Asking | None) -> list[Enquiry]:
    """The questions that are meant: by name, as functions of layouts by name, or without any the usual ones."""
    if isinstance(asked, Mapping):
        if not asked:
            raise _none()
        return [Enquiry(name, _of_values(name, function)) for name, function in asked.items()]
    if asked is None:
        names: Sequence[str] = usual_questions(posterior)
    else:
        names = [part.strip() for part in re.split(r",(?![^\[]*\])", asked)] if isinstance(asked, str) else asked
    if not names:
        raise _none()
    if twice := [name for name in names if list(names).count(name) > 1]:
        raise BayesBridgeError(f"question {twice[0]!r} is given twice: give each once", name=twice[0])
    return [_enquiry(posterior, name) for name in names]


def _none() -> BayesBridgeError:
    return BayesBridgeError(f"no question named: give one or more of {KNOWN}")


def usual_questions(posterior: Posterior) -> list[str]:
    """Where each honour lies that is in doubt; points and suit lengths of every hidden hand; everything."""
    cards = posterior.card_probabilities()
    honours = [name for name in CARDS if name[1] in "AKQJ" and float(cards.sel(card=name).max()) < 1.0]
    hidden = [seat.name for seat in Seat if seat in posterior.belief.constraints.hidden]
    lengths = [f"length[{seat}:{suit.name}]" for seat in hidden for suit in reversed(Suit)]
    return [*(f"card[{name}]" for name in honours), *(f"points[{seat}]" for seat in hidden), *lengths, EVERYTHING]


def _enquiry(posterior: Posterior, name: str) -> Enquiry:
    """A question by its name."""
    match = re.fullmatch(r"(\w+)\[([^\]]*)\]", name.strip())
    word, where = match.groups() if match else (name.strip(), "")
    if word == EVERYTHING:
        return Enquiry(EVERYTHING, lambda layouts: np.eye(len(layouts)))
    if word == "call" and where:
        return _call(posterior, name, where)
    if word == "void" and where.count(":") == 1:
        length = feature_of(f"length[{where}]", Question.of(posterior.belief.pair))
        shares = _exact(posterior, "length", where)
        both = None if shares is None else np.array([1.0 - shares[0], shares[0]])
        return Enquiry(name, lambda layouts: _certain(length.values(layouts.masks) == 0, 2), both)
    try:
        feature = feature_of(name, Question.of(posterior.belief.pair))
    except BayesBridgeError as error:
        if not str(error).startswith("unknown number"):
            raise
        raise BayesBridgeError(f"unknown question {name!r}: write {KNOWN}", name=name) from None
    answers = len(feature.labels)
    return Enquiry(
        name, lambda layouts: _certain(feature.values(layouts.masks), answers), _exact(posterior, word, where)
    )


def _call(posterior: Posterior, name: str, where: str) -> Enquiry:
    """The call of a seat, after the calls that are named before it."""
    belief = posterior.belief
    seat_text, _, before = where.partition(":")
    seat = Seat.of(seat_text)
    if seat == belief.observer:
        raise BayesBridgeError(f"question {name!r}: {seat.name} looks at that hand: ask for another's call", seat=seat)
    auction = belief.auction or Auction(belief.observer if before else seat, (), belief.dummy)
    auction = auction.after_all(before)
    if auction.turn != seat:
        turn = "nobody's turn" if auction.turn is None else f"{auction.turn.name}'s turn"
        raise BayesBridgeError(
            f"question {name!r}: after '{auction}' it is {turn}: write the calls before it, as in call[N:4NT Pass]",
            seat=seat,
        )

    def answers(layouts: Layouts) -> Floats:
        hands = np.ascontiguousarray(layouts.masks[:, seat])
        chances = call_probabilities(belief.bidder, hands, auction)
        assert chances.shape == (len(hands), len(CALLS))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float64)

    return Enquiry(name, answers)


def _exact(posterior: Posterior, word: str, where: str) -> Floats | None:
    """(k,) P(answer) from exact marginals, where the posterior has them."""
    if word == "points" and posterior.counts_points:
        return np.asarray(posterior.point_probabilities().sel(seat=Seat.of(where).name).values)
    if not posterior.exact and posterior.draws.tables is None:
        return None
    if word == "card":
        return np.asarray(posterior.card_probabilities().sel(card=str(Card.of(where))).values)
    if word == "length":
        seat, _, suit = where.partition(":")
        chances = posterior.length_probabilities().sel(seat=Seat.of(seat).name, suit=Suit.of(suit).name)
        return np.asarray(chances.values)
    return None


def _certain(values: NDArray[Any], answers: int) -> Floats:
    """(n, answers) 1 for the answer that each layout gives."""
    found = np.zeros((len(values), answers))
    found[np.arange(len(values)), np.asarray(values, np.int64)] = 1.0
    return found


def _of_values(name: str, function: Any) -> Callable[[Layouts], Floats]:
    """The answers of a user's function, which gives a value for each layout."""

    def answers(layouts: Layouts) -> Floats:
        values = np.asarray(function(layouts) if callable(function) else function)
        if values.shape != (len(layouts),):
            raise BayesBridgeError(
                f"question {name!r} gave shape {values.shape} for {len(layouts)} layouts: give one value for each",
                name=name,
            )
        kinds, places = np.unique(values, return_inverse=True)
        return _certain(places, len(kinds))

    return answers
