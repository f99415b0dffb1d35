"""Auctions of three bidders, or of the usual four.

Of three nobody doubles and the winner is declarer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle

from bayesbridge.display import markup
from bayesbridge.errors import IllegalCall
from bayesbridge.game.calls import (
    ALL_PASS,
    CALLS,
    DOUBLE,
    PASS,
    Call,
    Contract,
    call_words,
)
from bayesbridge.game.deal import Seat


@dataclass(frozen=True, slots=True)
class _Standing:
    """All that the rules ask of the calls so far.

    The last bid, whose it is, how often it was doubled, and the passes since.
    """

    bid: Call | None = None
    bidder: Seat | None = None
    doubled: int = 0
    passes: int = 0

    def is_over(self, players: int) -> bool:
        """Whether all have passed since the last bid, or at all."""
        passes_to_end = players if self.bid is None else players - 1
        return self.passes == passes_to_end

    def objection(self, seat: Seat, call: Call, players: int) -> str | None:
        """Why the call is illegal, ``None`` if it is legal.

        The one place where the rules are written.
        """
        if self.is_over(players):
            return "the auction is over"
        if call == PASS:
            return None
        if call.is_bid:
            if self.bid is None or call > self.bid:
                return None
            return f"it does not outrank {self.bid}"
        if players == 3:
            return "nobody doubles in the three-player game"
        if self.bid is None or self.bidder is None:
            return "there is no bid yet"
        is_own_bid = seat in (self.bidder, self.bidder.partner)
        if call == DOUBLE:
            return self._objection_to_double(is_own_bid)
        return self._objection_to_redouble(is_own_bid)

    def _objection_to_double(self, is_own_bid: bool) -> str | None:
        if is_own_bid:
            return f"{self.bid} is the own side's bid"
        if self.doubled:
            return f"{self.bid} is doubled already"
        return None

    def _objection_to_redouble(self, is_own_bid: bool) -> str | None:
        if self.doubled == 0:
            return f"{self.bid} is not doubled"
        if self.doubled == 2:
            return f"{self.bid} is redoubled already"
        if not is_own_bid:
            return f"{self.bid} is the other side's bid"
        return None

    def after(self, seat: Seat, call: Call) -> _Standing:
        """The same after a call that is legal."""
        if call.is_bid:
            return _Standing(call, seat)
        if call == PASS:
            return _Standing(self.bid, self.bidder, self.doubled, self.passes + 1)
        return _Standing(self.bid, self.bidder, self.doubled + 1)


@dataclass(frozen=True, slots=True)
class Auction:
    """The calls so far, clockwise from the seat that called first.

    Parameters
    ----------
    first : Seat
        Who calls first.
    calls : tuple of Call, optional
        The calls in order.
    dummy : Seat or None, optional
        The seat that does not bid in the three-player game; ``None`` if all four do.

    Raises
    ------
    IllegalCall
        If a call may not be made where it stands, or the dummy's seat is to call first.

    Examples
    --------
    >>> auction = Auction.three("S").after_all("1H 1NT pass")
    >>> auction.turn, auction.can("2C"), auction.can("1S"), auction.can("X")
    (<Seat.S: 2>, True, False, False)
    >>> auction.after("pass").contract
    Contract.of('1NT by W')
    """

    first: Seat
    calls: tuple[Call, ...] = ()
    dummy: Seat | None = None
    _standing: _Standing = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.first == self.dummy:
            raise IllegalCall(
                f"{self.first.name} is the dummy's seat and does not bid: let another "
                "seat call first",
                seat=self.first,
            )
        standing = _Standing()
        players = len(self.bidders)
        for place, (seat, call) in enumerate(self):
            if standing.objection(seat, call, players):
                Auction(self.first, self.calls[:place], self.dummy).verify(call)
            standing = standing.after(seat, call)
        object.__setattr__(self, "_standing", standing)

    @classmethod
    def three(cls, first: Seat | str = "S", dummy: Seat | str = "N") -> Auction:
        """An empty auction of the three-player game.

        Parameters
        ----------
        first : Seat or str, default "S"
            Who calls first.
        dummy : Seat or str, default "N"
            The seat that does not bid.

        Returns
        -------
        Auction
        """
        return cls(Seat.of(first), (), Seat.of(dummy))

    @classmethod
    def four(cls, dealer: Seat | str = "N") -> Auction:
        """An empty auction of the four-player game.

        Parameters
        ----------
        dealer : Seat or str, default "N"
            Who calls first.

        Returns
        -------
        Auction
        """
        return cls(Seat.of(dealer))

    @classmethod
    def of(
        cls,
        value: Auction | Seat | str,
        calls: str | Iterable[Call | str] = (),
        dummy: Seat | str | None = None,
    ) -> Auction:
        """Read ``S:1NT Pass Pass``, or the first seat and the calls.

        An auction passes through.

        Parameters
        ----------
        value : Auction, Seat or str
            A text such as ``S:1NT Pass Pass``, or the first seat.
        calls : str or iterable of Call or str, optional
            Calls after those of ``value``, as :meth:`after_all` takes them.
        dummy : Seat or str, optional
            The seat that does not bid; by default all four do.

        Returns
        -------
        Auction

        Raises
        ------
        NotationError
            If the text cannot be read.
        IllegalCall
            If a call is not legal.
        """
        if isinstance(value, Auction):
            return value.after_all(calls)
        first = value
        text = ""
        if isinstance(value, str):
            first, _, text = value.partition(":")
        silent = None if dummy is None else Seat.of(dummy)
        empty = cls(Seat.of(first), (), silent)
        return empty.after_all(text).after_all(calls)

    @property
    def bidders(self) -> tuple[Seat, ...]:
        """The seats that bid, clockwise from the first."""
        clockwise = map(self.first.next, range(len(Seat)))
        return tuple(seat for seat in clockwise if seat != self.dummy)

    @property
    def is_over(self) -> bool:
        """True once nobody may call any more."""
        players = 4 if self.dummy is None else 3
        return self._standing.is_over(players)

    @property
    def turn(self) -> Seat | None:
        """The seat to call, ``None`` when the auction is over."""
        if self.is_over:
            return None
        return self._next_bidder

    @property
    def _next_bidder(self) -> Seat:
        """Whose turn it is, were the auction not over."""
        bidders = self.bidders
        return bidders[len(self.calls) % len(bidders)]

    @property
    def last_bid(self) -> Call | None:
        """The highest bid so far, which is the last."""
        return self._standing.bid

    @property
    def contract(self) -> Contract | None:
        """The contract when the auction is over.

        ``None`` before, and when it was passed out.
        """
        if not self.is_over:
            return None
        return self.standing_contract

    @property
    def standing_contract(self) -> Contract | None:
        """The contract if everybody passes from here on, ``None`` where nobody has bid."""
        bid = self._standing.bid
        bidder = self._standing.bidder
        if bid is None or bidder is None or bid.strain is None:
            return None
        side = [bidder]
        if self.dummy is None:
            side.append(bidder.partner)
        declarer = next(
            seat for seat, call in self if seat in side and call.strain is bid.strain
        )
        return Contract(bid.level, bid.strain, declarer, self._standing.doubled)

    def legal_calls(self) -> tuple[Call, ...]:
        """Every call that the seat in turn may make, rising.

        None when the auction is over.
        """
        seat = self._next_bidder
        players = len(self.bidders)
        return tuple(
            call
            for call in CALLS
            if self._standing.objection(seat, call, players) is None
        )

    def verify(self, call: Call | str) -> Call:
        """Return the call if the seat in turn may make it.

        Raises :class:`IllegalCall` otherwise.

        Parameters
        ----------
        call : Call or str
            What the seat in turn may want to call.

        Returns
        -------
        Call

        Raises
        ------
        IllegalCall
            If it may not; the message says why, and what is legal.
        """
        wanted = Call.of(call)
        objection = self._objection(wanted)
        if objection is None:
            return wanted
        mend = "call no more"
        if self.turn is not None:
            mend = f"legal: {_call_range(self.legal_calls())}"
        raise self._illegal(wanted, self.turn, f"{objection}; {mend}")

    def can(self, call: Call | str) -> bool:
        """Whether the seat in turn may make the call.

        Parameters
        ----------
        call : Call or str
            What the seat in turn may want to call.

        Returns
        -------
        bool
        """
        return self._objection(Call.of(call)) is None

    def after(self, call: Call | str) -> Auction:
        """The auction with one more call, which must be legal.

        Parameters
        ----------
        call : Call or str
            The call of the seat in turn.

        Returns
        -------
        Auction

        Raises
        ------
        IllegalCall
            If it may not be made.
        """
        return Auction(self.first, (*self.calls, self.verify(call)), self.dummy)

    def after_all(self, calls: str | Iterable[Call | str]) -> Auction:
        """The auction with more calls, as such or as text.

        ``call_words`` reads a text; AP: all pass to the end.

        Parameters
        ----------
        calls : str or iterable of Call or str
            Calls in order. A text may have passes left out around calls in brackets, and
            ``AP`` at its end where all others pass.

        Returns
        -------
        Auction

        Raises
        ------
        IllegalCall
            If one may not be made.
        """
        words = call_words(calls) if isinstance(calls, str) else list(calls)
        end_of_calls = len(words)
        while end_of_calls and str(words[end_of_calls - 1]).upper() == ALL_PASS:
            end_of_calls -= 1
        added_calls = map(Call.of, words[:end_of_calls])
        auction = Auction(self.first, (*self.calls, *added_calls), self.dummy)
        if end_of_calls < len(words):
            while not auction.is_over:
                auction = auction.after(PASS)
        return auction

    def fill(
        self, seat: Seat | str, call: Call | str
    ) -> tuple[Auction, tuple[Seat, ...]]:
        """The auction with a call by ``seat``, and the seats that passed before it.

        These are the seats in turn before it, which are taken to have passed.

        Parameters
        ----------
        seat : Seat or str
            Who calls.
        call : Call or str
            The call.

        Returns
        -------
        auction : Auction
            With the passes and the call.
        passers : tuple of Seat
            The seats that are taken to have passed.

        Raises
        ------
        IllegalCall
            If the seat does not bid, or the call may not be made there.
        """
        caller = Seat.of(seat)
        wanted = Call.of(call)
        if caller == self.dummy:
            bidders = ", ".join(bidder.name for bidder in self.bidders)
            raise self._illegal(
                wanted, caller, f"the dummy's seat does not bid; bidders: {bidders}"
            )
        auction = self
        passers: list[Seat] = []
        while auction.turn is not None and auction.turn != caller:
            passers.append(auction.turn)
            auction = auction.after(PASS)
        if passers and auction.is_over:
            names = " and ".join(passer.name for passer in passers)
            raise self._illegal(
                wanted,
                caller,
                f"the auction is over when {names} pass; write their calls, in order",
            )
        return auction.after(wanted), tuple(passers)

    def _objection(self, call: Call) -> str | None:
        """Why the seat in turn may not make the call, ``None`` if it may."""
        return self._standing.objection(self._next_bidder, call, len(self.bidders))

    def _illegal(self, call: Call, seat: Seat | None, reason: str) -> IllegalCall:
        caller = "" if seat is None else f" by {seat.name}"
        message = f"illegal call {str(call)!r}{caller} after '{self}': {reason}"
        return IllegalCall(
            message, call=call, seat=seat, auction=self, legal=self.legal_calls()
        )

    def __iter__(self) -> Iterator[tuple[Seat, Call]]:
        return zip(cycle(self.bidders), self.calls, strict=False)

    def __str__(self) -> str:
        return f"{self.first.name}:{' '.join(map(str, self.calls))}"

    def __repr__(self) -> str:
        dummy = "" if self.dummy is None else f", dummy={self.dummy.name!r}"
        return f"Auction.of({str(self)!r}{dummy})"

    def _repr_html_(self) -> str:
        outcome = ""
        if self.contract is not None:
            outcome = f"The contract is {self.contract}."
        elif self.is_over:
            outcome = "Passed out."
        return markup.piece(self.html(), markup.sentence(outcome))

    def html(self) -> str:
        """The calls as an HTML table, a column for each seat that bids."""
        bidders = [seat.name for seat in self.bidders]
        calls = [(seat.name, str(call)) for seat, call in self]
        turn = None if self.turn is None else self.turn.name
        return markup.calls(bidders, calls, turn)


def _call_range(legal_calls: tuple[Call, ...]) -> str:
    """Legal calls as a message names them: those that are no bids, and a range."""
    names = [str(call) for call in legal_calls if not call.is_bid]
    bids = [str(call) for call in legal_calls if call.is_bid]
    if len(bids) > 1:
        names.append(f"{bids[0]} … {bids[-1]}")
    else:
        names += bids
    return ", ".join(names)
