"""What calls are worth, as an answer: rows, sentences, a table, plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbridge.decisions.call_question import ComparedLayouts
from bayesbridge.decisions.final_scores import Goal
from bayesbridge.decisions.gain_splits import GainSplit, best_split, split_sentence
from bayesbridge.decisions.rollouts import Way
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import SEATS, number, percent
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call, Contract
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, Masks

if TYPE_CHECKING:
    import pandas

NOTHING: Final = Estimate(0.0, 0.0)

GUARD: Final = 2.0
"""Standard errors by which a call must be ahead of the experts' to be recommended."""

ENDS_SHOWN: Final = 3
RARE_END: Final = 0.01  # share below which an end is not named
EXPERTS: Final = "experts"
PLAIN_WORDS: Final = {"X": "Double", "XX": "Redouble"}
HOW_SEATS_CALL: Final = {
    "likeliest": "what its bidder makes most often",
    "sampled": "a call drawn from its bidder",
}
"""By the way in which auctions are finished."""


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
        """The contract as people write it."""
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
        form = "+.1f" if signed else ".1f"
        if self.goal.in_percent:
            return f"{100 * gain:{form}} %".replace("-", "−")
        return f"{gain:{form}}".replace("-", "−")

    def gain_text(self, gain: Estimate[float] | None) -> str:
        """A gain with its standard error, a dash for the likeliest call."""
        if gain is None:
            return "–"
        if not gain.error:
            return self.figure(gain.mean)
        return f"{self.figure(gain.mean)} ± {self.figure(gain.error, signed=False)}"

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
        others = (row for row in self.rows if row.gain is not None)
        return next(others, None)

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
        """One table, with what it says in sentences below."""
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
            gain = row.gain or NOTHING
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
    """A call as plain data."""
    gain = row.gain or NOTHING
    return {
        "call": str(row.call),
        "chance": row.chance,
        **with_errors({"gain": gain}),
        "ahead": row.ahead,
        "level": row.level,
        "ends": [{"contract": end.words, "share": end.share} for end in row.ends],
    }


def split_document(values: CallValues, split: GainSplit) -> dict[str, Any]:
    """Where a call gains, as plain data."""
    return {
        "statement": split.statement,
        "share": split.share,
        **with_errors({"inside": split.inside, "outside": split.outside}),
        "sentence": values.when,
    }
