"""What a call is worth: its gain over the one that experts make most often.

Everybody is taken to go on as the bidders named do. The auction is finished on layouts
of the posterior after each call, and the ends are compared layout by layout. Another
call than the experts' is recommended only where it is ahead by more than two standard
errors: the best of several noisy means is no better call by itself
(docs/call-values.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

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
from bayesbridge.engines.weights import Estimate
from bayesbridge.errors import BayesBridgeError, did_you_mean, whole
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.layouts import Floats
from bayesbridge.game.scoring import Scoring
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

LAYOUTS: Final = 512
"""Layouts on which calls are compared, where nobody chooses a number."""

MOST_LAYOUTS: Final = 100_000

DRAWS_FOR_EACH: Final = 8
"""Draws of the posterior for each layout that is compared."""

FEWEST_DRAWS: Final = 2000

LAYOUTS_A_SECOND: Final = 250
"""Layouts that one core compares, with what the posterior takes."""

FIRST_DRAWS: Final = 600

FIRST_LAYOUTS: Final = 64
"""Layouts of a first answer, which is there within a second."""

STEP: Final = 256
"""Layouts whose auctions are finished together."""

ENDS_KEPT: Final = 6
"""Contracts named in which an auction ends most often."""


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
    """Tell what each call of the observer is worth beside the likeliest one.

    The auction is bid on after each call by the bidders, on layouts of the posterior,
    and the contracts in which it ends are compared. Another call than the experts' is
    recommended only where it is ahead by more than two standard errors.

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
    """Yield the answers of :func:`call_values` on more and more layouts.

    All arguments but the last are the same: among them ``calls`` to compare besides the
    usual ones, ``field`` (scores of the observer's side at other tables), ``bidders``
    (how the seats bid on) and ``rollouts``, whether a seat then makes the call that is
    likeliest with its hand or one drawn by its chances. ``quickly``: answers that come
    from few draws are yielded first; not from a posterior, whose draws are there.
    """
    belief = position if isinstance(position, Belief) else position.belief
    comparison = CallComparison.of(
        belief,
        calls,
        goal=goal,
        field=field,
        vulnerable=vulnerable,
        bidders=bidders,
        way=rollouts,
    )
    n_layouts = layouts_wanted(layouts, seconds)
    verify_way(comparison.way)
    # The draws of the posterior and the layouts taken from them follow from one seed.
    quick_seed, layouts_seed, rollouts_seed = seeds(rng, 3)
    if isinstance(position, Belief):
        if quickly:
            yield from comparison.first_answers(quick_seed)
        usual_draws = max(DRAWS_FOR_EACH * n_layouts, FEWEST_DRAWS)
        posterior = belief.infer(draws=draws or usual_draws, rng=layouts_seed)
    else:
        posterior = position
    compared = ComparedLayouts.of(posterior, most=n_layouts, rng=layouts_seed)
    yield from comparison.in_steps(compared, rollouts_seed)


def seeds(rng: Seed, n: int) -> list[int]:
    """Return n seeds that follow from one."""
    numbers: list[int] = generator(rng).integers(1 << 62, size=n).tolist()
    return numbers


def verify_way(way: str) -> None:
    """Refuse an unknown way to finish auctions."""
    if way not in WAYS:
        hint = did_you_mean(str(way), WAYS)
        raise BayesBridgeError(
            f"unknown rollouts {way!r}: {hint}write {' or '.join(WAYS)}"
        )


def layouts_wanted(layouts: int | None, seconds: float | None) -> int:
    """Return on how many layouts calls are compared."""
    if layouts is not None and seconds is not None:
        raise BayesBridgeError("layouts beside seconds: name one of them")
    if seconds is not None:
        if not 0.0 < seconds < np.inf:
            raise BayesBridgeError(f"seconds {seconds}: give a number above 0")
        return min(MOST_LAYOUTS, max(2, round(seconds * LAYOUTS_A_SECOND)))
    number = LAYOUTS if layouts is None else whole(layouts, "layouts")
    if not 2 <= number <= MOST_LAYOUTS:
        raise BayesBridgeError(
            f"{number} layouts: take from 2 to {MOST_LAYOUTS}", layouts=number
        )
    return number


@dataclass(frozen=True, slots=True, eq=False)
class CallComparison:
    """Calls that are compared by a goal."""

    belief: Belief
    question: CallQuestion
    goal: Goal
    way: Way

    @classmethod
    def of(
        cls,
        belief: Belief,
        calls: Calls,
        goal: str | Mapping[str, Any] | Scoring | None,
        field: Sequence[float] | None,
        vulnerable: Vulnerability | str | None,
        bidders: Bidders,
        way: Way,
    ) -> Self:
        """Read what is asked, as :func:`call_values` takes it."""
        question = CallQuestion.of(belief, calls, bidders)
        if vulnerable is None:
            vulnerable = usual_vulnerability(belief)
        sides = Vulnerability.of(vulnerable)
        return cls(belief, question, Goal.of(goal, field, sides, belief.dummy), way)

    def first_answers(self, seed: int) -> Iterator[CallValues]:
        """Yield answers that come from few draws, within a second."""
        posterior = self.belief.infer(draws=FIRST_DRAWS, rng=seed)
        compared = ComparedLayouts.of(posterior, FIRST_LAYOUTS, seed)
        yield from self.in_steps(compared, seed)

    def in_steps(self, compared: ComparedLayouts, seed: int) -> Iterator[CallValues]:
        """Yield the answer on the first layouts, then on more, at last on all of them.

        On each layout the auction is finished after each call. ``ends`` (layouts,
        calls) has the finished auctions, by their numbers in the tree of the roll-outs.
        """
        question = self.question
        rollouts = Rollouts(question.auction, question.bidders, self.way)
        random = generator(seed)
        n = len(compared)
        ends = np.empty((0, len(question.calls)), np.intp)
        report_progress("layouts", 0, n)
        while len(ends) < n:
            masks_of_step = compared.masks[len(ends) : len(ends) + STEP]
            ends_of_step = rollouts.ends(masks_of_step, question.calls, random)
            ends = np.concatenate([ends, ends_of_step])
            report_progress("layouts", len(ends), n)
            finished_layouts = compared.beginning(len(ends))
            yield self._values(finished_layouts, rollouts, ends)

    def _values(
        self,
        compared: ComparedLayouts,
        rollouts: Rollouts,
        ends: NDArray[np.intp],
    ) -> CallValues:
        """The answer on n layouts whose auctions are finished.

        ``ends`` (n, calls) are the finished auctions, by their numbers in the tree.
        """
        question = self.question
        contracts, contract_numbers = distinct_contracts(rollouts, ends)
        scores = FinalScores(
            goal=self.goal,
            seat=question.seat,
            dummy=question.auction.dummy,
            layouts=compared.masks,
            contracts=contracts,
            contract_numbers=contract_numbers,
        )
        columns = range(len(question.calls))
        # (n, calls): gains over the call of the first column, which is the likeliest.
        gains = np.stack(
            [scores.gains(column, reference=0) for column in columns], axis=1
        )
        rows = []
        for column, call in enumerate(question.calls):
            contract_shares = shares_of_ends(
                contracts, contract_numbers[:, column], compared.weights
            )
            row = CallValue(
                call,
                chance=float(question.chances[call.index]),
                gain=self._mean_gain(compared, gains, column),
                ends=contract_shares,
            )
            rows.append(row)
        order = ranked(rows)
        return CallValues(
            seat=question.seat,
            hand=self.belief.hand.pbn,
            auction=question.auction,
            goal=self.goal,
            way=self.way,
            callers=callers_of(question.bidders[question.seat]),
            rows=tuple(rows[column] for column in order),
            compared=compared,
            gains=gains[:, order],
        )

    def _mean_gain(
        self, compared: ComparedLayouts, gains: Floats, column: int
    ) -> Estimate[float] | None:
        """Mean of a column of (n, calls) gains; ``None`` for the first, the likeliest."""
        if column == 0:
            return None
        return compared.mean(gains[:, column], certain=self.way == "likeliest")


def callers_of(bidder: BidderModel) -> str:
    """Return ``experts`` for a bidder that is learned from them, else ``bidder``."""
    model = getattr(bidder, "base", bidder)
    if isinstance(model, LearnedBidder):
        return EXPERTS
    return "bidder"


def ranked(rows: Sequence[CallValue]) -> list[int]:
    """Return the numbers of the rows by gain, but the recommended one first.

    That is the likeliest call, the first of the rows, unless another is clearly ahead.
    """
    by_gain = sorted(range(len(rows)), key=lambda column: -rows[column].mean_gain)
    recommended = next((column for column in by_gain if rows[column].ahead), 0)
    by_gain.remove(recommended)
    return [recommended, *by_gain]


def distinct_contracts(
    rollouts: Rollouts, ends: NDArray[np.intp]
) -> tuple[list[Contract | None], NDArray[np.intp]]:
    """Return the contracts in which auctions end, and their numbers (n, calls)."""
    nodes, node_of_end = np.unique(ends, return_inverse=True)
    contract_of_node = [rollouts.contract(node) for node in nodes.tolist()]
    contracts = list(dict.fromkeys(contract_of_node))
    number_of_node = np.array(
        [contracts.index(contract) for contract in contract_of_node], np.intp
    )
    return contracts, number_of_node[node_of_end.reshape(ends.shape)]


def shares_of_ends(
    contracts: Sequence[Contract | None], numbers: NDArray[np.intp], weights: Floats
) -> tuple[End, ...]:
    """Return how often auctions end in each contract, most often first.

    ``numbers`` (n,) are those of the contracts on layouts with (n,) ``weights``.
    """
    shares = np.bincount(numbers, weights=weights, minlength=len(contracts))
    falling = np.argsort(-shares, kind="stable")[:ENDS_KEPT]
    return tuple(
        End(contracts[number], float(shares[number]))
        for number in falling.tolist()
        if shares[number] > 0.0
    )
