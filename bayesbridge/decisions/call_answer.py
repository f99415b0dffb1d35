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
"""The gain of a call over itself."""

GUARD: Final = 2.0
"""Standard errors by which a call must be ahead of the experts' to be recommended."""

ENDS_SHOWN: Final = 3

RARE_END: Final = 0.01
"""Share below which a contract in which the auction ends is not named."""

EXPERTS: Final = "experts"
PLAIN_WORDS: Final = {"X": "Double", "XX": "Redouble"}
HOW_SEATS_CALL: Final = {
    "likeliest": "what its bidder makes most often",
    "sampled": "a call drawn from its bidder",
}
"""How a seat calls, by the way in which auctions are finished."""


def call_word(call: Call) -> str:
    """A call as sentences have it.

    >>> call_word(Call.of("X")), call_word(Call.of("2H"))
    ('Double', '2H')
    """
    return PLAIN_WORDS.get(str(call), str(call))


@dataclass(frozen=True, slots=True)
class End:
    """A contract in which the auction ends after a call, and how often.

    ``None`` stands for a deal that is passed out.
    """

    contract: Contract | None
    share: float

    @property
    def words(self) -> str:
        """The contract as people write it."""
        return "passed out" if self.contract is None else str(self.contract)


@dataclass(frozen=True, slots=True)
class CallValue:
    """What one call is worth, compared with the likeliest one.

    Parameters
    ----------
    call : Call
        The call.
    chance : float
        P(call ∣ hand, auction) by the bidder of the seat.
    gain : Estimate or None
        Mean gain over the likeliest call with its standard error; ``None`` for the
        likeliest itself.
    ends : tuple of End
        Contracts in which the auction ends, most often first.
    """

    call: Call
    chance: float
    gain: Estimate[float] | None
    ends: tuple[End, ...]

    def is_ahead(self, guard: float) -> bool:
        """Whether it gains more than ``guard`` standard errors over the likeliest."""
        return self.gain is not None and self.gain.mean > guard * self.gain.error

    @property
    def ahead(self) -> bool:
        """Whether it is better than the likeliest call by more than the guard."""
        return self.is_ahead(GUARD)

    @property
    def mean_gain(self) -> float:
        """Mean gain over the likeliest call, 0 for that itself."""
        return 0.0 if self.gain is None else self.gain.mean

    @property
    def level(self) -> bool:
        """Whether nothing tells it from the likeliest call."""
        return self.gain is None or abs(self.gain.mean) <= GUARD * self.gain.error


@dataclass(frozen=True, slots=True, eq=False)
class CallValues(FrozenArrays, Displayable):
    """What calls are worth, compared with the one that is made most often.

    :func:`bayesbridge.call_values` makes one. It is printed, shown in a notebook, or
    taken apart: :meth:`to_dataframe`, :meth:`document` and
    :func:`bayesbridge.plots.call_values`.

    Parameters
    ----------
    seat : Seat
        Who calls.
    hand : str
        The cards of the seat: spades.hearts.diamonds.clubs.
    auction : Auction
        The calls so far.
    goal : Goal
        What gains are counted in.
    way : "likeliest" or "sampled"
        How the auctions were finished.
    callers : str
        Who makes the calls, in words: ``experts``, or any other ``bidder``.
    rows : tuple of CallValue
        The calls, the best first.
    compared : ComparedLayouts
        The n layouts on which calls were compared, each once, with their weights.
    gains : (n, calls) array of float
        Gain of every row's call on every layout, 0 for the likeliest call.

    Examples
    --------
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
    way: Way
    callers: str
    rows: tuple[CallValue, ...]
    compared: ComparedLayouts
    gains: Floats

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
        """Return the call to make by value.

        Parameters
        ----------
        guard : float
            Standard errors by which a call must be ahead of the likeliest.

        Returns
        -------
        CallValue
            The call that gains most of those that are ahead, else the likeliest.
        """
        ahead = [row for row in self.rows if row.is_ahead(guard)]
        return max(ahead, key=lambda row: row.mean_gain, default=self.reference)

    def of(self, call: Call | str) -> CallValue:
        """Return the row of a call.

        Parameters
        ----------
        call : str or Call
            One of the calls that were compared.

        Returns
        -------
        CallValue
            What it is worth.

        Raises
        ------
        BayesBridgeError
            If the call was not compared.
        """
        wanted = Call.of(call)
        for row in self.rows:
            if row.call == wanted:
                return row
        names = ", ".join(str(row.call) for row in self.rows)
        raise BayesBridgeError(f"{wanted} was not compared: choose {names}, or name it")

    def lead(self, call: Call | str, other: Call | str) -> Estimate[float]:
        """Return the mean gain of one call over another, on the same layouts.

        Parameters
        ----------
        call, other : str or Call
            Two of the calls that were compared.

        Returns
        -------
        Estimate
            The mean gain with its standard error.
        """
        difference = self._gains_of(call) - self._gains_of(other)
        calls_are_sure = self.way == "likeliest"
        return self.compared.mean(difference, certain=calls_are_sure)

    def _gains_of(self, call: Call | str) -> Floats:
        """(n,) gains of a call over the likeliest on every layout."""
        return self.gains[:, self.rows.index(self.of(call))]

    def figure(self, gain: float, signed: bool = True) -> str:
        """Write a gain as people read it.

        Parameters
        ----------
        gain : float
            The gain, in the unit of the goal.
        signed : bool
            Whether a gain above 0 begins with ``+``.

        Returns
        -------
        str
            One decimal, in percent where the goal is a share.
        """
        form = "+.1f" if signed else ".1f"
        if self.goal.in_percent:
            return f"{100 * gain:{form}} %".replace("-", "−")
        return f"{gain:{form}}".replace("-", "−")

    def gain_text(self, gain: Estimate[float] | None) -> str:
        """Write a gain with its standard error.

        Parameters
        ----------
        gain : Estimate or None
            The gain; ``None`` for the likeliest call.

        Returns
        -------
        str
            Such as ``+1.6 ± 0.2``; a dash for the likeliest call.
        """
        if gain is None:
            return "–"
        if not gain.error:
            return self.figure(gain.mean)
        return f"{self.figure(gain.mean)} ± {self.figure(gain.error, signed=False)}"

    @property
    def sentence(self) -> str:
        """What is recommended, and why."""
        best = self.best
        reference = self.reference
        usual = usual_words(self.callers, reference.chance)
        if len(self.rows) == 1:
            return f"{call_word(best.call)}: it is {usual}, and no other call is usual."
        if best is reference:
            return f"{call_word(best.call)}: it is {usual}, and nothing is ahead of it."
        gain_with_sign = self.gain_text(best.gain)  # such as ``+1.6 ± 0.2``
        gain = gain_with_sign.removeprefix("+")
        return (
            f"{call_word(best.call)}: ahead of {call_word(reference.call)}, which is "
            f"{usual}, by {gain} {self.goal.unit} if all bid on so."
        )

    @property
    def split(self) -> GainSplit | None:
        """The statement about a hidden hand that best tells where the rival gains.

        The nearest rival is the best of the calls that are compared with the likeliest
        one. Its gains over that one, layout by layout, are parted by statements such as
        ``North has four or more spades``: the answer has the one that parts them most
        clearly, with the mean gains where it holds and where not. It is ``None`` where
        there is no rival, or no statement tells much.
        """
        rival = self._nearest_rival
        if rival is None:
            return None
        gains = self._gains_of(rival.call)  # (n,), one for each layout
        hidden_seats = [seat for seat in self.auction.bidders if self._is_hidden(seat)]
        return best_split(self.layouts, self.weights, gains, hidden_seats)

    def _is_hidden(self, seat: Seat) -> bool:
        """Whether the hand of a seat is not the same in all layouts."""
        hands = self.layouts[:, seat]  # (n,) the cards of each hand as a bit mask
        return len(np.unique(hands)) > 1

    @property
    def when(self) -> str:
        """Where the nearest rival gains and where it loses, in a sentence.

        It is empty where nothing tells.
        """
        rival = self._nearest_rival
        split = self.split
        if rival is None or split is None:
            return ""
        head = f"{call_word(rival.call)} against {call_word(self.reference.call)}"
        return split_sentence(head, split, self.figure)

    @property
    def _nearest_rival(self) -> CallValue | None:
        """The best call other than the likeliest, which alone has no gain."""
        rivals = (row for row in self.rows if row.gain is not None)
        return next(rivals, None)

    @property
    def caution(self) -> str:
        """What the figures rest on: layouts, how auctions are finished, double dummy."""
        reference = call_word(self.reference.call)
        how_seats_call = HOW_SEATS_CALL[self.way]
        layouts = f"{number(len(self.layouts))} layouts"
        quantity = "all" if self.exact else "the same"
        sentences = [
            f"Against {reference}: gain on average over {quantity} {layouts}, with one "
            "standard error, if everybody bids on: each seat by its own hand, "
            f"{how_seats_call}.",
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
            f"{self.goal.unit} against {call_word(reference.call)}",
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
        """Return the answer as plain data.

        Returns
        -------
        dict
            What ``bayesbridge bid --json`` prints of it: the call that is
            ``recommended``, the likeliest one as ``reference`` of all gains, how seats
            call in ``rollouts``, and ``when`` the nearest rival gains.
        """
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
        """Return a table with a row for each call, the best first.

        Returns
        -------
        pandas.DataFrame
            By ``call``: its ``chance``; ``gain`` over the likeliest call with its
            ``gain_error``; whether it is ``ahead`` of that or ``level`` with it; and
            the contracts in which it ``ends`` most often.
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
