"""The conformance kit: ``check_estimator(MyEstimator())`` and
``check_bidder(MyBidder(), players=4)``, in tests of a plugin, tell whether an estimator
or a bidder model keeps the contract.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.errors import BayesBridgeError, PluginError, name_of, raised
from bayesbridge.estimators.builtin import bayesbridge_estimators
from bayesbridge.estimators.protocol import Estimator, Question, run, verify_declaration
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import PASS
from bayesbridge.game.cards import Hand
from bayesbridge.game.layouts import Layouts
from bayesbridge.runtime.random64 import Seed

type Answers = dict[str, NDArray[Any]]

SO_FAR: Final = {
    3: ("", "Pass Pass", "1H", "1C 1NT Pass", "Pass 2S Pass 3D", "7S"),
    4: (
        "",
        "Pass Pass Pass",
        "1NT",
        "1C X",
        "1D X XX",
        "1S Pass 2S 3H Pass",
        "Pass 1NT Pass Pass X",
        "7NT",
    ),
}
"""Calls made before the one that is asked for, in the game of three players and of
four.
"""

ROUNDING: Final = 1e-4
"""Chances may differ by so much where they should be the same: models of single
precision, batches of another size.
"""


def check_estimator(
    estimator: Estimator,
    question: Question | None = None,
    *,
    layouts: int = 40,
    rng: Seed = 1,
) -> None:
    """Raise :class:`PluginError` with one clear line unless the estimator keeps every
    promise.

    Checked: the declaration, and a name that no built-in has; shapes, types and finite
    values; the same answer twice; the input left alone; a batch equals its layouts one
    by one, in any order; one layout; none.
    """
    verify_declaration(estimator)
    who, asked = f"estimator {estimator.name!r}", question or Question.of("S:N")
    if any(
        one.name == estimator.name and type(one) is not type(estimator)
        for one in bayesbridge_estimators()
    ):
        raise PluginError(
            f"{who} has the name of a built-in, which stays: rename yours"
        )
    for output in estimator.outputs:
        if not output.doc.strip().endswith("."):
            raise PluginError(
                f"{who}: output {output.name!r} needs a sentence that ends in '.'"
            )

    def answer(batch: Layouts) -> Answers:
        before = batch.masks.copy()
        found = run(estimator, batch, asked)
        if (batch.masks != before).any():
            raise PluginError(
                f"{who} changed the layouts it was given: copy before you write"
            )
        return found

    # South has a suit of thirteen, so that everybody has a void, or a flat hand.
    known = [
        Constraints.free().hold(2, Hand.from_pbn(hand).mask)
        for hand in ("AKQJT98765432...", "AQT8.KJ9.Q86.J75")
    ]
    masks = np.concatenate(
        [LayoutIndex.of(one).draw(max(1, layouts // 2), rng) for one in known]
    )
    _check_rows(who, "layouts", answer, Layouts.adopt(masks), 0.0)


def check_bidder(
    bidder: BidderModel, *, players: int = 3, hands: int = 60, rng: Seed = 1
) -> None:
    """Raise :class:`PluginError` with one clear line unless the model keeps every
    promise.

    Checked on some auctions of ``players`` players: shapes; every answer a number up to
    0 or -inf; the chances of all legal calls add up to one; later calls change nothing;
    the same answer twice; the input left alone; a batch equals its hands one by one, in
    any order; no hands at all; ``probabilities``, if there is one, says the same.
    """
    if not isinstance(bidder, BidderModel) or isinstance(bidder, type):
        raise PluginError(
            f"{name_of(bidder)} is no bidder model: it needs log_likelihood(hands, auction, index)"
        )
    if players not in SO_FAR:
        raise BayesBridgeError(
            f"{players!r} players: the game has 3 or 4", players=players
        )
    generator = np.random.default_rng(rng)
    cards = [generator.choice(52, 13, replace=False) for _ in range(max(hands, 2))]
    cards[:2] = [np.arange(13), np.arange(0, 52, 4)]
    some = (np.uint64(1) << np.array(cards, dtype=np.uint64)).sum(
        axis=1, dtype=np.uint64
    )
    start = Auction.three("S") if players == 3 else Auction.four("S")
    for calls in SO_FAR[players]:
        _check_turn(bidder, some, start.after_all(calls))


def _check_turn(
    bidder: BidderModel, hands: NDArray[np.uint64], before: Auction
) -> None:
    who, index, legal = (
        f"bidder {name_of(bidder)}, auction '{before}'",
        len(before.calls),
        before.legal_calls(),
    )

    def chances(auction: Auction, hands: NDArray[np.uint64]) -> NDArray[Any]:
        given = hands.copy()
        try:
            found = np.asarray(bidder.log_likelihood(given, auction, index))
        except Exception as error:
            raise PluginError(
                f"{who}: {raised(error, f'{len(hands)} hands')}"
            ) from error
        if found.shape != hands.shape or found.dtype.kind != "f":
            raise PluginError(
                f"{who}: expected {len(hands)} floats, got shape {found.shape} of type {found.dtype}"
            )
        if (given != hands).any():
            raise PluginError(
                f"{who}: it changed the hands it was given: copy before you write"
            )
        if (wrong := found[~(found <= ROUNDING)]).size:
            raise PluginError(
                f"{who}: a log likelihood of {wrong[0]}: it is a number up to 0, or -inf"
            )
        return np.exp(found.astype(np.float64))

    _check_rows(
        who,
        "hands",
        lambda some: {"chances": chances(before.after(PASS), some)},
        hands,
        ROUNDING,
    )
    by_call = np.zeros((len(hands), 38))
    for call in legal:
        after = before.after(call)
        by_call[:, call.index] = now = chances(after, hands)
        if not after.is_over and not np.allclose(
            chances(after.after(PASS), hands), now, 0, ROUNDING
        ):
            raise PluginError(
                f"{who}: a later call changes the answer: look only at calls before it"
            )
    total = by_call.sum(axis=1)
    off = int(np.abs(total - 1.0).argmax())
    if abs(total[off] - 1.0) > ROUNDING:
        raise PluginError(
            f"{who}: the chances of the {len(legal)} legal calls add up to {total[off]:.6g}, not to 1"
        )
    if (own := getattr(bidder, "probabilities", None)) is not None:
        stated = np.asarray(own(hands, before))
        if stated.shape != by_call.shape or not np.allclose(
            stated, by_call, atol=ROUNDING
        ):
            raise PluginError(
                f"{who}: probabilities and log_likelihood say different things"
            )


def _check_rows(
    who: str, things: str, answer: Callable[[Any], Answers], batch: Any, rounding: float
) -> None:
    """Every row of a batch stands for itself, whatever comes with it."""
    whole = answer(batch)
    again, turned = answer(batch), answer(batch[::-1])
    singles = [answer(batch[i : i + 1]) for i in range(len(batch))]
    for name, values in whole.items():
        tried = {
            "the second run differs from the first: it must not": again[name],
            f"a batch differs from its {things} one by one": np.concatenate(
                [single[name] for single in singles]
            ),
            f"the order of {things} matters": turned[name][::-1],
        }
        for what, other in tried.items():
            if not np.allclose(values, other, 0.0, rounding):
                row = int(np.argwhere(~np.isclose(values, other, 0.0, rounding))[0][0])
                raise PluginError(
                    f"{who}, {name}: {what} (number {row}: {values[row]} and {other[row]})"
                )
    answer(batch[:0])
