"""What a call is worth: how much each sensible call gains over the one that experts
make most often, if everybody goes on as the bidders named do.

The auction is finished on layouts of the posterior after each call, and the ends are
compared layout by layout. Another call than the experts' is recommended only where it
is ahead by more than two standard errors: the best of several noisy means is no better
call by itself (docs/call-values.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.decisions.call_answer import EXPERTS, CallValue, CallValues, End
from bayesbridge.decisions.call_question import (
    Bidders,
    CallQuestion,
    Calls,
    ComparedLayouts,
    usual_vulnerability,
)
from bayesbridge.decisions.final_scores import FinalScores, Goal
from bayesbridge.decisions.rollouts import WAYS, Rollouts, Way
from bayesbridge.errors import BayesBridgeError, did_you_mean, whole
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.layouts import Floats
from bayesbridge.game.scoring import Scoring
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

LAYOUTS: Final = 512  # on which calls are compared, where nobody chooses a number
MOST_LAYOUTS: Final = 100_000
DRAWS_FOR_EACH: Final = 8  # draws of the posterior for each layout that is compared
FEWEST_DRAWS: Final = 2000
LAYOUTS_A_SECOND: Final = 250  # that one core compares, with what the posterior takes
FIRST_DRAWS: Final = 600
FIRST_LAYOUTS: Final = 64  # of a first answer, which is there within a second
STEP: Final = 256  # layouts whose auctions are finished together
ENDS_KEPT: Final = 6  # contracts named in which an auction ends most often


def call_values(
    position: Belief | Posterior,
    calls: Calls = None,
    *,
    goal: str | Mapping[str, Any] | Scoring | None = None,
    field: Sequence[float] | None = None,
    vulnerable: Vulnerability | str | None = None,
    bidders: Bidders = None,
    rollouts: Way = "likeliest",
    layouts: int | None = None,
    draws: int | None = None,
    seconds: float | None = None,
    rng: Seed = 0,
) -> CallValues:
    """What each call of the observer is worth beside the one that experts make most
    often, if everybody bids on as the bidders do.

    Parameters
    ----------
    position : Belief or Posterior
        The observer, whose turn it is, with the calls so far. A posterior gives its own
        draws.
    calls : str or sequence of Call or str, optional
        Calls to compare besides those that the bidder makes with 2 % or more, five at
        most.
    goal : str, mapping or Scoring, optional
        ``imps``, the usual one in bridge, ``matchpoints`` or ``points``; ``old`` or
        ``new`` for the schemes of the game of three; or a scheme of your own.
    field : sequence of float, optional
        What the observer's side scored at other tables, for matchpoints; without it
        every call is matched against the likeliest.
    vulnerable : Vulnerability or str, optional
        Who is vulnerable; without it as the bidder of the belief has it.
    bidders : BidderModel, or mapping of seat or side to BidderModel, optional
        How the seats go on; without it as the belief takes the others to bid.
    rollouts : "likeliest" or "sampled"
        Whether a seat makes the call that its bidder makes most often with its hand, or
        one drawn by its chances.
    layouts : int, optional
        On how many layouts calls are compared, 512 by default.
    draws : int, optional
        Draws of the posterior from which they are taken, 8 for each by default.
    seconds : float, optional
        Time on one core that decides how many layouts are compared, in place of
        ``layouts``.
    rng : seed
        Where random numbers start: same seed, same answer.

    Returns
    -------
    CallValues
        The calls, the one that is recommended first.

    Raises
    ------
    BayesBridgeError
        If the auction is over, it is another seat's turn, or a goal is not known.
    IllegalCall
        If a call that is named may not be made.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "KQ84.75.KJ73.A98").given(bb.Auction.of("E:1H"))
    >>> values = bb.call_values(belief, layouts=64, draws=500, rng=1)
    >>> str(values.best.call), values.of("Pass").gain.mean < 0
    ('X', True)
    """
    *_, values = values_in_steps(
        position,
        calls,
        goal=goal,
        field=field,
        vulnerable=vulnerable,
        bidders=bidders,
        rollouts=rollouts,
        layouts=layouts,
        draws=draws,
        seconds=seconds,
        rng=rng,
    )
    return values


def values_in_steps(
    position: Belief | Posterior,
    calls: Calls = None,
    *,
    goal: str | Mapping[str, Any] | Scoring | None = None,
    field: Sequence[float] | None = None,
    vulnerable: Vulnerability | str | None = None,
    bidders: Bidders = None,
    rollouts: Way = "likeliest",
    layouts: int | None = None,
    draws: int | None = None,
    seconds: float | None = None,
    rng: Seed = 0,
    quickly: bool = False,
) -> Iterator[CallValues]:
    """The answers of :func:`call_values` on more and more layouts; ``quickly`` begins
    with one that comes from few draws.
    """
    belief = position if isinstance(position, Belief) else position.belief
    question = CallQuestion.of(belief, calls, bidders)
    sides = usual_vulnerability(belief) if vulnerable is None else vulnerable
    aim = Goal.of(goal, field, Vulnerability.of(sides), belief.dummy)
    most = layouts_wanted(layouts, seconds)
    verify_way(rollouts)
    comparison = Comparison(belief, question, aim, rollouts)
    quick, drawing, finishing = generator(rng).integers(1 << 62, size=3).tolist()
    if quickly and isinstance(position, Belief):
        first = belief.infer(draws=FIRST_DRAWS, rng=quick)
        few = ComparedLayouts.of(first, FIRST_LAYOUTS, quick)
        yield from comparison.in_steps(few, quick)
    if isinstance(position, Belief):
        wanted = draws or max(DRAWS_FOR_EACH * most, FEWEST_DRAWS)
        position = belief.infer(draws=wanted, rng=drawing)
    yield from comparison.in_steps(
        ComparedLayouts.of(position, most, drawing), finishing
    )


def verify_way(way: str) -> None:
    """Refuse a way to finish auctions that there is not."""
    if way not in WAYS:
        hint = did_you_mean(str(way), WAYS)
        raise BayesBridgeError(
            f"unknown rollouts {way!r}: {hint}write {' or '.join(WAYS)}"
        )


def layouts_wanted(layouts: int | None, seconds: float | None) -> int:
    """On how many layouts calls are compared."""
    if layouts is not None and seconds is not None:
        raise BayesBridgeError("layouts beside seconds: name one of them")
    if seconds is not None:
        if not 0.0 < seconds < np.inf:
            raise BayesBridgeError(f"seconds {seconds}: give a number above 0")
        return min(MOST_LAYOUTS, max(2, round(seconds * LAYOUTS_A_SECOND)))
    most = LAYOUTS if layouts is None else whole(layouts, "layouts")
    if not 2 <= most <= MOST_LAYOUTS:
        raise BayesBridgeError(
            f"{most} layouts: take from 2 to {MOST_LAYOUTS}", layouts=most
        )
    return most


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Calls that are compared by a goal."""

    belief: Belief
    question: CallQuestion
    goal: Goal
    way: Way

    def in_steps(self, compared: ComparedLayouts, seed: int) -> Iterator[CallValues]:
        """The answer on the first layouts, then on more, at last on all of them."""
        rollouts = Rollouts(self.question.auction, self.question.bidders, self.way)
        numbers = generator(seed)
        n = len(compared)
        ends = np.empty((0, len(self.question.calls)), np.intp)
        report_progress("layouts", 0, n)
        while len(ends) < n:
            masks = compared.masks[len(ends) : len(ends) + STEP]
            more = rollouts.ends(masks, self.question.calls, numbers)
            ends = np.concatenate([ends, more])
            report_progress("layouts", len(ends), n)
            yield self._values(compared.beginning(len(ends)), rollouts, ends)

    def _values(
        self,
        compared: ComparedLayouts,
        rollouts: Rollouts,
        ends: NDArray[np.intp],
    ) -> CallValues:
        """The answer on layouts whose auctions are finished: ``ends`` (n, calls)."""
        question = self.question
        contracts, which = distinct_contracts(rollouts, ends)
        dummy = question.auction.dummy
        scores = FinalScores(
            self.goal, question.seat, dummy, compared.masks, contracts, which
        )
        gains = np.stack(
            [scores.gains(column, 0) for column in range(len(question.calls))], axis=1
        )
        certain = self.way == "likeliest"
        rows = [
            CallValue(
                call,
                float(question.chances[call.index]),
                compared.mean(gains[:, column], certain) if column else None,
                shares_of_ends(contracts, which[:, column], compared.weights),
            )
            for column, call in enumerate(question.calls)
        ]
        order = ranked(rows)
        return CallValues(
            question.seat,
            self.belief.hand.pbn,
            question.auction,
            self.goal,
            self.way,
            callers_of(question.bidders[question.seat]),
            tuple(rows[column] for column in order),
            compared,
            gains[:, order],
        )


def callers_of(bidder: BidderModel) -> str:
    """Experts, where the bidder is learned from them; else the bidder."""
    model = getattr(bidder, "base", bidder)
    return EXPERTS if isinstance(model, LearnedBidder) else "bidder"


def ranked(rows: Sequence[CallValue]) -> list[int]:
    """The rows by their gain, but the recommended one first: the likeliest call, the
    first of the rows, unless another is clearly ahead.
    """
    gains = [0.0 if row.gain is None else row.gain.mean for row in rows]
    ahead = [column for column, row in enumerate(rows) if row.ahead]
    recommended = max(ahead, key=lambda column: gains[column], default=0)
    others = [column for column in range(len(rows)) if column != recommended]
    return [recommended, *sorted(others, key=lambda column: -gains[column])]


def distinct_contracts(
    rollouts: Rollouts, ends: NDArray[np.intp]
) -> tuple[list[Contract | None], NDArray[np.intp]]:
    """The contracts in which auctions end, and the number of that of every end."""
    nodes, place = np.unique(ends, return_inverse=True)
    of_nodes = [rollouts.contract(node) for node in nodes.tolist()]
    contracts = list(dict.fromkeys(of_nodes))
    numbers = np.array([contracts.index(contract) for contract in of_nodes], np.intp)
    return contracts, numbers[place.reshape(ends.shape)]


def shares_of_ends(
    contracts: Sequence[Contract | None], which: NDArray[np.intp], weights: Floats
) -> tuple[End, ...]:
    """How often auctions end in a contract, most often first."""
    shares = np.bincount(which, weights=weights, minlength=len(contracts))
    order = np.argsort(-shares, kind="stable")[:ENDS_KEPT]
    return tuple(
        End(contracts[number], float(shares[number]))
        for number in order.tolist()
        if shares[number] > 0.0
    )
