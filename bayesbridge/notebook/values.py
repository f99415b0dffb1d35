"""Each kind of value as HTML: a hand, a deal, an auction, a belief, a posterior, a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from html import escape
from math import sqrt
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import Card, Hand, Suit
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence.kinds import Called
from bayesbridge.notebook import markup
from bayesbridge.results import Result, Tricks
from bayesbridge.words import SEATS, SYMBOLS, number, percent

if TYPE_CHECKING:
    import xarray

SURE: Final = 1e-9
"""Sums of weights miss 0 and 1 by so much."""

HONOURS: Final = "AKQJ"

MOST_COLUMNS: Final = 20
"""Values of a distribution that one table shows."""


@singledispatch
def html(value: object) -> str:
    """The value as a piece of HTML that needs nothing from elsewhere."""
    raise TypeError(f"{type(value).__name__} has no HTML")


@html.register
def _hand(hand: Hand) -> str:
    return markup.piece(markup.hand(markup.known_hand(hand.pbn), "", f"{hand.points} points, {len(hand)} cards"))


@html.register
def _deal(deal: Deal) -> str:
    hands = {
        seat.name: markup.hand(markup.known_hand(hand.pbn), SEATS[seat.name], f"{hand.points} points")
        for seat, hand in zip(Seat, deal, strict=True)
    }
    return markup.piece(markup.compass(hands))


@html.register
def _auction(auction: Auction) -> str:
    said = "Passed out." if auction.contract is None else f"The contract is {auction.contract}."
    return markup.piece(_calls(auction), markup.sentence(said if auction.is_over else ""))


@html.register
def _belief(belief: Belief) -> str:
    """Known cards, the auction, everything else that was seen, and how many layouts fit."""
    known = belief.constraints
    others = [str(piece) for piece in belief.evidence if not isinstance(piece, Called)]
    return markup.piece(
        markup.compass(_hands(known.must, known.may, _roles(belief)), _middle(belief)),
        "" if belief.auction is None else _calls(belief.auction),
        markup.listed(others),
        markup.sentence(_counted(belief)),
    )


@html.register
def _posterior(posterior: Posterior) -> str:
    """Hands with what is to be expected of the hidden ones, honours, and how exact that is."""
    belief = posterior.belief
    names = ("card_probabilities", "length_probabilities", "point_probabilities")
    marginals = {name: getattr(posterior, name)() for name in names}
    return markup.piece(
        _position(marginals, _roles(belief), _middle(belief)),
        markup.sentence(_exactness(posterior)),
        markup.sentence(posterior.draws.warning),
    )


@html.register
def _result(result: Result) -> str:
    """Hands, honours, the distributions of one number each, and how exact they are."""
    kept = result["constant_data"].to_dataset()
    dummy, observer, contract = (str(kept[name].values) for name in ("dummy", "observer", "contract"))
    who = {**({dummy: "dummy"} if dummy else {}), observer: "observer"}
    middle = markup.call(contract) if contract else ""
    marginals = result["marginals"].to_dataset()
    position = _position({str(name): found for name, found in marginals.data_vars.items()}, who, middle)
    groups = ", ".join(sorted(result.children))
    return markup.piece(
        position,
        *(_table(result, name, pmf) for name, pmf in _shown(result).items()),
        markup.sentence(_accuracy(result)),
        markup.sentence(f"A tree for ArviZ with the groups {groups}."),
    )


def _position(marginals: Mapping[str, xarray.DataArray], who: Mapping[str, str], middle: str) -> str:
    """The hands around a compass and the honours, from the marginals that a posterior or a result has.

    ``marginals``: ``card_probabilities``, ``length_probabilities`` and ``point_probabilities``; ``who``: seat → role.
    """
    cards = marginals["card_probabilities"]
    masks = np.array([Card.of(str(name)).mask for name in cards["card"].values], dtype=np.uint64)
    table = cards.transpose("card", "seat").values
    must = [int(masks[table[:, seat] > 1.0 - SURE].sum()) for seat in Seat]
    may = [int(masks[table[:, seat] > SURE].sum()) for seat in Seat]
    lengths, points = marginals["length_probabilities"], marginals["point_probabilities"]
    mean_lengths = (lengths * lengths["length"]).sum("length").transpose("seat", "suit").values
    mean_points = (points * points["points"]).sum("points").values
    hands = _hands(must, may, who, mean_lengths, mean_points)
    return markup.compass(hands, middle) + _honours(cards)


def _honours(cards: xarray.DataArray) -> str:
    """P(seat holds honour) for those that are not certain, a row for each hidden hand; nothing where all are known."""
    table = cards.transpose("card", "seat")
    shares = table.values
    seats = [str(seat) for seat in table["seat"].values]
    open_cards = (shares > SURE) & (shares < 1.0 - SURE)
    hidden = [column for column in range(len(seats)) if open_cards[:, column].any()]
    shown = [
        row for row, name in enumerate(map(str, table["card"].values)) if name[1] in HONOURS and open_cards[row].any()
    ]
    if not shown:
        return ""
    heads = [f"{markup.symbol(name[0])}{name[1]}" for name in map(str, table["card"].values[shown])]
    rows = [(SEATS[seats[column]], [float(shares[row, column]) for row in shown]) for column in hidden]
    return markup.shades("Where the honours lie, in %", heads, rows)


def _roles(belief: Perspective) -> dict[str, str]:
    """Seat → what it is to the observer."""
    named = {} if belief.dummy is None else {belief.dummy.name: "dummy"}
    return {**named, belief.observer.name: "observer"}


def _middle(belief: Perspective) -> str:
    """The contract or the trumps, as HTML."""
    contract = None if belief.auction is None else belief.auction.contract
    if contract is not None:
        return markup.call(str(contract))
    if belief.contract_strain is None:
        return ""
    trump = belief.contract_strain.trump
    return "no trumps" if trump is None else f"trumps {markup.symbol(trump.name)}"


def _calls(auction: Auction) -> str:
    made = [(seat.name, str(call)) for seat, call in auction]
    return markup.calls(
        [seat.name for seat in auction.bidders], made, None if auction.turn is None else auction.turn.name
    )


def _exactness(posterior: Posterior) -> str:
    """How exact the figures shown are: layouts were walked or counted, or drawn."""
    layouts, draws = posterior.count(), number(len(posterior))
    fit = "1 layout fits." if layouts == 1 else f"{number(layouts)} layouts fit."
    if posterior.exact:
        return f"{fit} Every figure is exact: all of them were weighed."
    if posterior.draws.tables is not None:
        points = "" if posterior.counts_points else ", but for the points"
        return f"{fit} These figures are exact, by counting{points}; other questions are answered by {draws} draws."
    error = percent(0.5 / sqrt(max(posterior.ess, 1.0)))
    worth = f"worth {number(round(posterior.ess))} independent ones"
    return f"{fit} Estimated from {draws} draws, {worth}: one standard error of a probability is at most {error}."


def _hands(
    must: Sequence[int],
    may: Sequence[int],
    who: Mapping[str, str],
    lengths: NDArray[np.float64] | None = None,
    points: NDArray[np.float64] | None = None,
) -> dict[str, str]:
    """Seat → its hand: ``must`` and ``may`` are the cards that it certainly and possibly holds."""
    shown = {}
    for seat in Seat:
        sure, possible = Hand(must[seat]), Hand(may[seat])
        hidden = 13 - len(sure)
        suits = dict(zip(SYMBOLS, sure.pbn.split("."), strict=True))
        holdings = {
            suit: markup.Holding(
                ranks,
                bool(hidden and possible.field(suit) & ~sure.field(suit)),
                None if lengths is None else float(lengths[seat, Suit.of(suit)]),
            )
            for suit, ranks in suits.items()
        }
        worth = f"{sure.points} points"
        if hidden:
            about = "" if points is None else f"≈ {points[seat]:.1f} points, "
            worth = f"{about}{hidden} hidden"
        role = who.get(seat.name, "")
        shown[seat.name] = markup.hand(holdings, f"{SEATS[seat.name]}{f', {role}' if role else ''}", worth)
    return shown


def _counted(belief: Perspective) -> str:
    """How many layouts fit, or why none does."""
    try:
        layouts = belief.count()
    except BayesBridgeError as error:
        return str(error)
    return "1 layout fits." if layouts == 1 else f"{number(layouts)} layouts fit: {np.log2(float(layouts)):.1f} bits."


def _shown(result: Result) -> dict[str, xarray.DataArray]:
    """Distributions of outputs that are one whole number, by name; of the capture algorithm T alone."""
    draws, pmfs = result["posterior"].to_dataset(), result["pmf"].to_dataset()
    return {
        str(name): pmf
        for name, pmf in pmfs.data_vars.items()
        if pmf.ndim == 1 and (name in ("T", "capture_T") or draws[name].attrs["estimator"] != "capture")
    }


def _table(result: Result, name: str, pmf: xarray.DataArray) -> str:
    """A distribution as one shaded row; of tricks also P(at least so many)."""
    values, shares = pmf[f"{name}_value"].values, pmf.values
    met = np.flatnonzero(shares > 0)
    places = np.sort(met[np.argsort(shares[met])[-MOST_COLUMNS:]])
    caption, heads = f"{name}: {pmf.attrs['long_name']} P in %", {int(value): str(value) for value in values[places]}
    rows: list[tuple[str, list[float | str]]] = [("P", [float(share) for share in shares[places]])]
    if pmf.attrs.get("counts_tricks"):
        tricks = Tricks.of(result, name)
        caption, failing = f"{tricks.title}: P in %", tricks.count.fails_at
        rows.append(("P(at least)", ["" if value == failing else tricks.at_least(value) for value in heads]))
        if failing is not None and failing in heads:
            heads[failing] = tricks.count.failing
    left = 1.0 - float(shares[places].sum()) if len(places) < len(met) else 0.0
    rest = f"Values not shown: {percent(left)} together." if left else ""
    return markup.shades(caption, [escape(head) for head in heads.values()], rows) + markup.sentence(rest)


def _accuracy(result: Result) -> str:
    """Which of the figures shown are exact, in one line."""
    attrs, marginals = result.attrs, result["marginals"].to_dataset()
    told = {"cards and lengths": marginals["card_probabilities"], "points": marginals["point_probabilities"]}
    exact = {name: bool(found.attrs["exact"]) for name, found in (told | _shown(result)).items()}
    fit = f"{number(int(attrs['layouts']))} layouts fit."
    if all(exact.values()):
        return f"{fit} Every figure shown is exact ({attrs['method']})."
    draws, worth = number(int(attrs["draws"])), number(round(float(attrs["ess"])))
    drawn, counted = (", ".join(name for name in exact if exact[name] is wanted) for wanted in (False, True))
    rest = f" Exact: {counted}." if counted else ""
    return f"{fit} Estimated from {draws} draws, worth {worth} independent ones: {drawn}.{rest}"
