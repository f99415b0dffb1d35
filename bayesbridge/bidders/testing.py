"""The conformance kit: one call that tells whether a bidder model keeps the contract.

For authors of plugins::

    from bayesbridge.plugins import check_bidder

    def test_conformance():
        check_bidder(MyBidder())
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.calls import PASS
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.evidence import BidderModel
from bayesbridge.random64 import Seed

type Hands = NDArray[np.uint64]
type Floats = NDArray[np.float64]

SO_FAR: Final = {
    3: ("", "Pass Pass", "1H", "1C 1NT Pass", "Pass 2S Pass 3D", "7S"),
    4: ("", "Pass Pass Pass", "1NT", "1C X", "1D X XX", "1S Pass 2S 3H Pass", "Pass 1NT Pass Pass X", "7NT"),
}
"""Calls made before the one that is asked for, in the game of three players and of four."""

ROUNDING: Final = 1e-4
"""Chances may differ by so much where they should be the same: models of single precision, batches of another size."""


def check_bidder(bidder: BidderModel, *, players: int = 3, hands: int = 60, rng: Seed = 1) -> None:
    """Raise :class:`PluginError` with one clear line unless the model keeps every promise.

    Checked on some auctions of ``players`` players: shapes; every answer a number up to 0 or -inf; the chances of all
    legal calls add up to one; later calls change nothing; the same answer twice; the input left alone; a batch equals
    its hands one by one, in any order; no hands at all; ``probabilities``, if there is one, says the same.

    >>> from bayesbridge.bidders.iterative import IterativeBidder
    >>> check_bidder(IterativeBidder())
    """
    if not isinstance(bidder, BidderModel) or isinstance(bidder, type):
        raise PluginError(
            f"{bidder!r} is no bidder model: it needs log_likelihood(hands, auction, index)", bidder=bidder
        )
    if players not in SO_FAR:
        raise BayesBridgeError(f"{players!r} players: the game has 3 or 4", players=players)
    some = _random_hands(hands, rng)
    start = Auction.three("S") if players == 3 else Auction.four("S")
    for calls in SO_FAR[players]:
        _check_turn(bidder, some, start.after_all(calls))


def _random_hands(n: int, rng: Seed) -> Hands:
    """(n,) masks of 13 cards; the first two are a suit of thirteen and a flat hand."""
    generator = np.random.default_rng(rng)
    cards = [generator.choice(52, 13, replace=False) for _ in range(max(n, 2))]
    cards[:2] = [np.arange(13), np.arange(0, 52, 4)]
    return (np.uint64(1) << np.array(cards, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)


def _check_turn(bidder: BidderModel, hands: Hands, before: Auction) -> None:
    """All promises at one point of an auction."""
    legal = before.legal_calls()
    _check_batch(bidder, hands, before.after(PASS))
    total = np.zeros(len(hands))
    by_call = np.zeros((len(hands), 38))
    for call in legal:
        after = before.after(call)
        whole = _answer(bidder, hands, after)
        by_call[:, call.index] = np.exp(whole)
        total += by_call[:, call.index]
        if not after.is_over:
            longer = _answer(bidder, hands, after.after(PASS), len(before.calls))
            _same(bidder, after, whole, longer, "a later call changes the answer: look only at calls before it")
    off = int(np.abs(total - 1.0).argmax())
    if abs(total[off] - 1.0) > ROUNDING:
        _broken(bidder, before, f"the chances of the {len(legal)} legal calls add up to {total[off]:.6g}, not to 1")
    if (own := getattr(bidder, "probabilities", None)) is not None:
        stated = np.asarray(own(hands, before))
        if stated.shape != by_call.shape or not np.allclose(stated, by_call, atol=ROUNDING):
            _broken(bidder, before, "probabilities and log_likelihood say different things")


def _check_batch(bidder: BidderModel, hands: Hands, after: Auction) -> None:
    """Every hand stands for itself, whatever comes with it."""
    whole = _answer(bidder, hands, after)
    _same(bidder, after, whole, _answer(bidder, hands, after), "the second answer differs from the first: it must not")
    singles = np.concatenate([_answer(bidder, hands[i : i + 1], after) for i in range(len(hands))])
    _same(bidder, after, whole, singles, "a batch differs from its hands one by one: each must stand for itself")
    turned = _answer(bidder, np.ascontiguousarray(hands[::-1]), after)[::-1]
    _same(bidder, after, whole, turned, "the order of hands matters")
    _answer(bidder, hands[:0], after)


def _answer(bidder: BidderModel, hands: Hands, auction: Auction, index: int | None = None) -> Floats:
    """The model's answer about one call, the last unless said otherwise; checked as far as it can be by itself."""
    number = len(auction.calls) - 1 if index is None else index
    given = hands.copy()
    try:
        found: Any = bidder.log_likelihood(given, auction, number)
    except Exception as error:
        _broken(bidder, auction, f"{type(error).__name__} on {len(hands)} hands: {error}", error)
    values = np.asarray(found)
    if values.shape != hands.shape or values.dtype.kind != "f":
        _broken(bidder, auction, f"expected {len(hands)} floats, got shape {values.shape} of type {values.dtype}")
    if (given != hands).any():
        _broken(bidder, auction, "it changed the hands it was given: copy before you write")
    if np.isnan(values).any() or (values > ROUNDING).any():
        worst = values[np.isnan(values) | (values > ROUNDING)][0]
        _broken(bidder, auction, f"a log likelihood of {worst}: it is a number up to 0, or -inf")
    return values.astype(np.float64)


def _same(bidder: BidderModel, auction: Auction, one: Floats, two: Floats, what: str) -> None:
    first, second = np.exp(one), np.exp(two)
    if (apart := np.abs(first - second)).max(initial=0.0) > ROUNDING:
        hand = int(apart.argmax())
        _broken(bidder, auction, f"{what} (hand {hand}: {first[hand]:.6g} and {second[hand]:.6g})")


def _broken(bidder: BidderModel, auction: Auction, what: str, error: Exception | None = None) -> NoReturn:
    raise PluginError(f"bidder {bidder!r}, auction '{auction}': {what}", bidder=bidder, auction=auction) from error
