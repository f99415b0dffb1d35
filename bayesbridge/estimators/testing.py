"""The conformance kit: whether an estimator or a bidder model keeps the contract.

``check_estimator(MyEstimator())`` and ``check_bidder(MyBidder(), players=4)`` tell it
in the tests of a plugin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands, Layouts
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

CALL_COUNT: Final = 38
"""Calls of the game, by index: Pass, X, XX and 35 bids."""

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
    """Raise an error unless an estimator keeps every promise of the contract.

    Checked: the declaration, and a name that no built-in has; shapes, types and finite
    values; the same answer twice; the input left alone; a batch equals its layouts one
    by one, in any order; one layout; none.

    Parameters
    ----------
    estimator : Estimator
        What is to be checked, an object and not its class.
    question : Question, optional
        What is asked of every layout, by default about South and North.
    layouts : int
        How many layouts to draw, half of them with a suit of thirteen.
    rng : int, Generator or None
        What they are drawn with.

    Raises
    ------
    PluginError
        With one clear line that names the first promise that is broken.
    """
    verify_declaration(estimator)
    who = f"estimator {estimator.name!r}"
    _verify_own_name(estimator, who)
    for output in estimator.outputs:
        if not output.doc.strip().endswith("."):
            raise PluginError(
                f"{who}: output {output.name!r} needs a sentence that ends in '.'"
            )
    question = question or Question.of("S:N")

    def answer(batch: Layouts) -> Answers:
        masks_before = batch.masks.copy()
        outputs = run(estimator, batch, question)
        if (batch.masks != masks_before).any():
            raise PluginError(
                f"{who} changed the layouts it was given: copy before you write"
            )
        return outputs

    batch = _layouts_to_try(layouts, rng)
    _check_rows(who, "layouts", answer, batch, rounding=0.0)


def _verify_own_name(estimator: Estimator, who: str) -> None:
    """Refuse the name of a built-in for another estimator."""
    for built_in in bayesbridge_estimators():
        if built_in.name == estimator.name and type(built_in) is not type(estimator):
            raise PluginError(
                f"{who} has the name of a built-in, which stays: rename yours"
            )


def _layouts_to_try(layouts: int, rng: Seed) -> Layouts:
    """Layouts with a void in every hand, and others where South's hand is flat."""
    batches = []
    for hand in ("AKQJT98765432...", "AQT8.KJ9.Q86.J75"):
        south_knows = Constraints.free().hold(Seat.S, Hand.from_pbn(hand).mask)
        index = LayoutIndex.of(south_knows)
        batches.append(index.draw(max(1, layouts // 2), rng))
    return Layouts.adopt(np.concatenate(batches))


def check_bidder(
    bidder: BidderModel, *, players: int = 3, hands: int = 60, rng: Seed = 1
) -> None:
    """Raise an error unless a bidder model keeps every promise of the contract.

    Checked on some auctions: shapes; every answer a number up to 0 or -inf; the chances
    of all legal calls add up to one; later calls change nothing; the same answer twice;
    the input left alone; a batch equals its hands one by one, in any order; no hands at
    all; ``probabilities``, if there is one, says the same.

    Parameters
    ----------
    bidder : BidderModel
        What is to be checked, an object and not its class.
    players : int
        3 for auctions of the paper's game, 4 for those of bridge.
    hands : int
        How many hands to ask about.
    rng : int, Generator or None
        What they are drawn with.

    Raises
    ------
    PluginError
        With one clear line that names the first promise that is broken.
    """
    if not isinstance(bidder, BidderModel) or isinstance(bidder, type):
        raise PluginError(
            f"{name_of(bidder)} is no bidder model: it needs log_likelihood(hands, auction, index)"
        )
    if players not in SO_FAR:
        raise BayesBridgeError(
            f"{players!r} players: the game has 3 or 4", players=players
        )
    masks = _hands_to_try(max(hands, 2), rng)
    start = Auction.three("S") if players == 3 else Auction.four("S")
    for calls in SO_FAR[players]:  # auctions, each up to somebody's turn
        turn = BidderTurn(bidder, start.after_all(calls))
        turn.check_rows(masks)
        turn.check_chances(masks)


def _hands_to_try(n: int, rng: Seed) -> Hands:
    """(n,) random hands, but for one of a single suit and one that is flat."""
    generator = np.random.default_rng(rng)
    cards = [generator.choice(52, 13, replace=False) for _ in range(n)]
    cards[0] = np.arange(13)
    cards[1] = np.arange(0, 52, 4)
    bits = np.uint64(1) << np.array(cards, dtype=np.uint64)
    return np.asarray(bits.sum(axis=1, dtype=np.uint64))


@dataclass(frozen=True, slots=True)
class BidderTurn:
    """A bidder model, and the auction before a call that it is asked about."""

    bidder: BidderModel
    before: Auction

    @property
    def who(self) -> str:
        """What an error begins with."""
        return f"bidder {name_of(self.bidder)}, auction '{self.before}'"

    def chances(self, auction: Auction, hands: Hands) -> Floats:
        """(n,) P(call ∣ hand): of the call of ``auction`` that comes after ``before``.

        Refuses an answer of another shape or type, chances above 1, and a model that
        writes into the hands.
        """
        copied = hands.copy()
        index = len(self.before.calls)
        try:
            answer = np.asarray(self.bidder.log_likelihood(copied, auction, index))
        except Exception as error:
            raise PluginError(
                f"{self.who}: {raised(error, f'{len(hands)} hands')}"
            ) from error
        if answer.shape != hands.shape or answer.dtype.kind != "f":
            raise PluginError(
                f"{self.who}: expected {len(hands)} floats, got shape {answer.shape} "
                f"of type {answer.dtype}"
            )
        if (copied != hands).any():
            raise PluginError(
                f"{self.who}: it changed the hands it was given: copy before you write"
            )
        wrong = answer[~(answer <= ROUNDING)]
        if wrong.size:
            raise PluginError(
                f"{self.who}: a log likelihood of {wrong[0]}: it is a number up to 0, or -inf"
            )
        return np.asarray(np.exp(answer.astype(np.float64)))

    def check_rows(self, hands: Hands) -> None:
        """Every hand stands for itself, where a pass is asked about."""
        passed = self.before.after(PASS)

        def answer(batch: Hands) -> Answers:
            return {"chances": self.chances(passed, batch)}

        _check_rows(self.who, "hands", answer, hands, rounding=ROUNDING)

    def check_chances(self, hands: Hands) -> None:
        """The chances of all calls add up to one, and ``probabilities`` says the same."""
        legal = self.before.legal_calls()
        by_call = np.zeros((len(hands), CALL_COUNT))
        for call in legal:
            after = self.before.after(call)
            chances = self.chances(after, hands)
            by_call[:, call.index] = chances
            if not after.is_over:
                later = self.chances(after.after(PASS), hands)
                if not np.allclose(later, chances, 0, ROUNDING):
                    raise PluginError(
                        f"{self.who}: a later call changes the answer: look only at calls before it"
                    )
        totals = by_call.sum(axis=1)
        worst = int(np.abs(totals - 1.0).argmax())
        if abs(totals[worst] - 1.0) > ROUNDING:
            raise PluginError(
                f"{self.who}: the chances of the {len(legal)} legal calls add up to "
                f"{totals[worst]:.6g}, not to 1"
            )
        probabilities = getattr(self.bidder, "probabilities", None)
        if probabilities is not None:
            stated = np.asarray(probabilities(hands, self.before))
            same_shape = stated.shape == by_call.shape
            if not same_shape or not np.allclose(stated, by_call, atol=ROUNDING):
                raise PluginError(
                    f"{self.who}: probabilities and log_likelihood say different things"
                )


def _check_rows(
    who: str, things: str, answer: Callable[[Any], Answers], batch: Any, rounding: float
) -> None:
    """Refuse answers in which a row of a batch does not stand for itself.

    ``answer`` asks about a batch and gives arrays by name, a row for each of its
    ``things``; ``rounding`` is by how much rows that should be equal may differ. The
    same batch again, its rows one by one, and the reversed batch must give the same. A
    batch without a row must be answered too.
    """
    outputs = answer(batch)
    repeated = answer(batch)
    reversed_batch = answer(batch[::-1])
    singles = [answer(batch[row : row + 1]) for row in range(len(batch))]
    for name, values in outputs.items():
        one_by_one = np.concatenate([single[name] for single in singles])
        answers_by_fault = {
            "the second run differs from the first: it must not": repeated[name],
            f"a batch differs from its {things} one by one": one_by_one,
            f"the order of {things} matters": reversed_batch[name][::-1],
        }
        for fault, compared in answers_by_fault.items():
            differs = ~np.isclose(values, compared, 0.0, rounding)
            if differs.any():
                row = int(np.argwhere(differs)[0][0])
                raise PluginError(
                    f"{who}, {name}: {fault} (number {row}: {values[row]} and {compared[row]})"
                )
    answer(batch[:0])  # raises if it cannot be answered
