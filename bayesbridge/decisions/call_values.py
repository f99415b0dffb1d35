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
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.decisions.call_question import (
    Bidders,
    CallQuestion,
    Calls,
    ComparedLayouts,
    usual_vulnerability,
)
from bayesbridge.decisions.final_scores import FinalScores, Goal
from bayesbridge.decisions.gain_splits import GainSplit, best_split, split_sentence
from bayesbridge.decisions.rollouts import WAYS, Rollouts, Way
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import SEATS, number, percent
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError, did_you_mean, whole
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call, Contract, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, Masks
from bayesbridge.game.scoring import Scoring
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pandas

GUARD: Final = 2.0
"""Standard errors by which a call must be ahead of the experts' to be recommended."""

LAYOUTS: Final = 512  # on which calls are compared, where nobody chooses a number
MOST_LAYOUTS: Final = 100_000
DRAWS_FOR_EACH: Final = 8  # draws of the posterior for each layout that is compared
FEWEST_DRAWS: Final = 2000
LAYOUTS_A_SECOND: Final = 110  # that one core compares, with what the posterior takes
FIRST_DRAWS: Final = 600
FIRST_LAYOUTS: Final = 64  # of a first answer, which is there within a second
STEP: Final = 256  # layouts whose auctions are finished together
ENDS_KEPT: Final = 6  # contracts named in which an auction ends most often
ENDS_SHOWN: Final = 3
RARE_END: Final = 0.01  # share below which an end is not named
EXPERTS: Final = "experts"
PLAIN_WORDS: Final = {"X": "Double", "XX": "Redouble"}


def call_word(call: Call) -> str:
    """A call as sentences have it.

    >>> call_word(Call.of("X")), call_word(Call.of("2H"))
    ('Double', '2H')
    """
    return PLAIN_WORDS.get(str(call), str(call))


@dataclass(frozen=True, slots=True)
class End:
    """A contract in which the auction ends after a call, and how often."""

    contract: Contract | None  #: ``None`` for a deal that is passed out.
    share: float

    @property
    def words(self) -> str:
        return "passed out" if self.contract is None else str(self.contract)


@dataclass(frozen=True, slots=True)
class CallValue:
    """One call."""

    call: Call
    chance: float  #: P(call ∣ hand, auction) by the bidder of the seat.
    #: Mean gain over the likeliest call, ``None`` for that call itself.
    gain: Estimate[float] | None
    ends: tuple[End, ...]  #: Where the auction ends, most often first.

    @property
    def ahead(self) -> bool:
        """Whether it is better than the likeliest call by more than the guard."""
        return self.gain is not None and self.gain.mean > GUARD * self.gain.error

    @property
    def level(self) -> bool:
        """Whether nothing tells it from the likeliest call."""
        return self.gain is None or abs(self.gain.mean) <= GUARD * self.gain.error


@dataclass(frozen=True, slots=True, eq=False)
class CallValues(FrozenArrays, Displayable):
    """What calls are worth beside the one that is made most often.

    Printed, shown in a notebook, or taken apart: :meth:`to_dataframe`, :meth:`document`
    and :func:`bayesbridge.plots.call_values`.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "KQ84.75.KJ73.A98").given(bb.Auction.of("E:1H"))
    >>> values = bb.call_values(belief, layouts=64, draws=500, rng=1)
    >>> values.sentence
    'Double: it is what 95 % of experts call, and nothing is ahead of it.'
    """

    seat: Seat
    hand: str
    auction: Auction
    goal: Goal
    way: Way  #: How the auctions were finished.
    #: Who makes the calls, in words: ``experts``, or any other ``bidder``.
    callers: str
    rows: tuple[CallValue, ...]  #: The best call first.
    #: The layouts, each once, with their weights.
    compared: ComparedLayouts
    gains: Floats  #: (n, rows) gain on every layout, 0 for the likeliest call.

    @property
    def layouts(self) -> Masks:
        """(n, 4) masks of the layouts on which calls were compared."""
        return self.compared.masks

    @property
    def weights(self) -> Floats:
        """(n,) of the layouts, adding up to one."""
        return self.compared.weights

    @property
    def exact(self) -> bool:
        """Whether these are all layouts that fit."""
        return self.compared.exact

    @property
    def reference(self) -> CallValue:
        """The likeliest call."""
        return max(self.rows, key=lambda row: row.chance)

    @property
    def best(self) -> CallValue:
        """The call that is recommended: the likeliest, unless another is clearly ahead."""
        return self.rows[0]

    def chosen(self, guard: float) -> CallValue:
        """The call with most gain of those ahead by more than ``guard`` standard
        errors, else the likeliest.
        """
        ahead = [
            row
            for row in self.rows
            if row.gain is not None and row.gain.mean > guard * row.gain.error
        ]
        if not ahead:
            return self.reference
        return max(ahead, key=lambda row: 0.0 if row.gain is None else row.gain.mean)

    def of(self, call: Call | str) -> CallValue:
        """The row of a call."""
        wanted = Call.of(call)
        for row in self.rows:
            if row.call == wanted:
                return row
        names = ", ".join(str(row.call) for row in self.rows)
        raise BayesBridgeError(f"{wanted} was not compared: choose {names}, or name it")

    def lead(self, call: Call | str, other: Call | str) -> Estimate[float]:
        """Mean gain of one call over another, on the same layouts."""
        columns = [self.rows.index(self.of(one)) for one in (call, other)]
        gains = self.gains[:, columns[0]] - self.gains[:, columns[1]]
        return self.compared.mean(gains, self.way == "likeliest")

    def figure(self, gain: float, signed: bool = True) -> str:
        """A gain as people read it."""
        shown = 100 * gain if self.goal.in_percent else gain
        text = f"{shown:+.1f}" if signed else f"{shown:.1f}"
        return text.replace("-", "−") + (" %" if self.goal.in_percent else "")

    def gain_text(self, gain: Estimate[float] | None) -> str:
        if gain is None:
            return "–"
        error = f" ± {self.figure(gain.error, signed=False)}" if gain.error else ""
        return f"{self.figure(gain.mean)}{error}"

    @property
    def sentence(self) -> str:
        """What is recommended, and why."""
        best, reference = self.best, self.reference
        usual = usual_words(self.callers, reference.chance)
        if len(self.rows) == 1:
            return f"{call_word(best.call)}: it is {usual}, and no other call is usual."
        if best is reference:
            return f"{call_word(best.call)}: it is {usual}, and nothing is ahead of it."
        ahead = self.gain_text(best.gain).removeprefix("+")
        return (
            f"{call_word(best.call)}: ahead of {call_word(reference.call)}, which is "
            f"{usual}, by {ahead} {self.goal.unit} if all bid on so."
        )

    @property
    def split(self) -> GainSplit | None:
        """What about a hidden hand parts the gains of the call nearest to the likeliest
        most clearly.
        """
        rival = self._rival
        if rival is None:
            return None
        seats = [
            seat
            for seat in self.auction.bidders
            if len(np.unique(self.layouts[:, seat])) > 1
        ]
        gains = self.gains[:, self.rows.index(rival)]
        return best_split(self.layouts, self.weights, gains, seats)

    @property
    def when(self) -> str:
        """Where the nearest rival gains and where it loses, in a sentence; empty where
        nothing tells.
        """
        rival, split = self._rival, self.split
        if rival is None or split is None:
            return ""
        head = f"{call_word(rival.call)} beside {call_word(self.reference.call)}"
        return split_sentence(head, split, self.figure)

    @property
    def _rival(self) -> CallValue | None:
        """The call that the reference is most doubtful against: the best of the others."""
        others = [row for row in self.rows if row.gain is not None]
        return others[0] if others else None

    @property
    def caution(self) -> str:
        """What the figures rest on."""
        reference = call_word(self.reference.call)
        how = (
            "what its bidder makes most often"
            if self.way == "likeliest"
            else "a call drawn from its bidder"
        )
        layouts = number(len(self.layouts))
        drawn = (
            f"all {layouts} layouts" if self.exact else f"the same {layouts} layouts"
        )
        sentences = [
            f"Beside {reference}: gain on average over {drawn}, with one standard error, "
            f"if everybody bids on: each seat by its own hand, {how}.",
            "Tricks double dummy, by a network.",
        ]
        if any(row.ahead for row in self.rows):
            sentences.append(
                "Figures of the best of several calls promise too much on average."
            )
        return " ".join(sentences)

    @property
    def tables(self) -> list[Table]:
        reference = self.reference
        columns = [
            "call",
            self.callers,
            f"{self.goal.unit} beside {call_word(reference.call)}",
            "then it ends most often in",
        ]
        rows = [
            [
                call_word(row.call),
                percent(row.chance),
                self.gain_text(row.gain),
                ends_text(row.ends),
            ]
            for row in self.rows
        ]
        notes = [note for note in (self.sentence, self.when, self.caution) if note]
        when = f"after {self.auction}" if self.auction.calls else "first in hand"
        title = f"What {SEATS[self.seat.name]} may call with {self.hand} {when}"
        return [Table(title, columns, rows, notes)]

    def document(self) -> dict[str, Any]:
        """As plain data, for ``--json``."""
        split = self.split
        return {
            "recommended": str(self.best.call),
            "reference": str(self.reference.call),
            "goal": self.goal.name,
            "rollouts": self.way,
            "layouts": len(self.layouts),
            "exact": self.exact,
            "calls": [row_document(row) for row in self.rows],
            "when": None if split is None else split_document(self, split),
            "sentence": self.sentence,
            "caution": self.caution,
        }

    def to_dataframe(self) -> pandas.DataFrame:
        """A row for each call: ``chance``, ``gain`` with its ``gain_error``, ``ahead``,
        ``level``, and where it ``ends`` most often.
        """
        import pandas

        rows = []
        for row in self.rows:
            gain = row.gain or Estimate(0.0, 0.0)
            rows.append(
                {
                    "call": str(row.call),
                    "chance": row.chance,
                    "gain": gain.mean,
                    "gain_error": gain.error,
                    "ahead": row.ahead,
                    "level": row.level,
                    "ends": ends_text(row.ends),
                }
            )
        return pandas.DataFrame(rows).set_index("call")


def callers_of(bidder: BidderModel) -> str:
    """Experts, where the bidder is learned from them; else the bidder."""
    model = getattr(bidder, "base", bidder)
    return EXPERTS if isinstance(model, LearnedBidder) else "bidder"


def usual_words(callers: str, chance: float) -> str:
    """That a call is made so often."""
    share = percent(chance, 0)
    if callers == EXPERTS:
        return f"what {share} of experts call"
    return f"what the bidder calls with {share}"


def ends_text(ends: Sequence[End]) -> str:
    """The ends that are met most often, in a line."""
    named = [end for end in ends[:ENDS_SHOWN] if end.share >= RARE_END] or ends[:1]
    return ", ".join(f"{end.words} {percent(end.share, 0)}" for end in named)


def row_document(row: CallValue) -> dict[str, Any]:
    gain = row.gain or Estimate(0.0, 0.0)
    return {
        "call": str(row.call),
        "chance": row.chance,
        **with_errors({"gain": gain}),
        "ahead": row.ahead,
        "level": row.level,
        "ends": [{"contract": end.words, "share": end.share} for end in row.ends],
    }


def split_document(values: CallValues, split: GainSplit) -> dict[str, Any]:
    return {
        "statement": split.statement,
        "share": split.share,
        **with_errors({"inside": split.inside, "outside": split.outside}),
        "sentence": values.when,
    }


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
    if rollouts not in WAYS:
        hint = did_you_mean(str(rollouts), WAYS)
        raise BayesBridgeError(
            f"unknown rollouts {rollouts!r}: {hint}write {' or '.join(WAYS)}"
        )
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
