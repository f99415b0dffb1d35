"""Auctions of three bidders, where nobody doubles and the winner is declarer, or of the
usual four.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bayesbridge.display import markup
from bayesbridge.errors import IllegalCall
from bayesbridge.game.calls import CALLS, DOUBLE, PASS, Call, Contract, call_words
from bayesbridge.game.deal import Seat


@dataclass(frozen=True, slots=True)
class _Standing:
    """All that the rules ask of the calls so far: the last bid, whose, how often
    doubled, passes since.
    """

    bid: Call | None = None
    bidder: Seat | None = None
    doubled: int = 0
    passes: int = 0

    def is_over(self, players: int) -> bool:
        return self.passes == (players if self.bid is None else players - 1)

    def objection(self, seat: Seat, call: Call, players: int) -> str | None:
        """Why the call is illegal, ``None`` if it is legal: the one place where the
        rules are written.
        """
        if self.is_over(players):
            return "the auction is over"
        if call == PASS:
            return None
        if call.is_bid:
            return (
                None
                if self.bid is None or call > self.bid
                else f"it does not outrank {self.bid}"
            )
        if players == 3:
            return "nobody doubles in the three-player game"
        if self.bid is None or self.bidder is None:
            return "there is no bid yet"
        own_side = seat in (self.bidder, self.bidder.partner)
        if call == DOUBLE:
            if own_side:
                return f"{self.bid} is the own side's bid"
            return f"{self.bid} is doubled already" if self.doubled else None
        if self.doubled != 1:
            return (
                f"{self.bid} is redoubled already"
                if self.doubled
                else f"{self.bid} is not doubled"
            )
        return None if own_side else f"{self.bid} is the other side's bid"

    def after(self, seat: Seat, call: Call) -> _Standing:
        if call.is_bid:
            return _Standing(call, seat)
        if call == PASS:
            return _Standing(self.bid, self.bidder, self.doubled, self.passes + 1)
        return _Standing(self.bid, self.bidder, self.doubled + 1)


@dataclass(frozen=True, slots=True)
class Auction:
    """The calls so far, clockwise from ``first``; ``dummy`` is the seat that does not
    bid, ``None`` if all four do.

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
                f"{self.first.name} is the dummy's seat and does not bid: let another seat call first",
                seat=self.first,
            )
        standing, players = _Standing(), len(self.bidders)
        for i, (seat, call) in enumerate(self):
            if standing.objection(seat, call, players):
                Auction(self.first, self.calls[:i], self.dummy).verify(call)
            standing = standing.after(seat, call)
        object.__setattr__(self, "_standing", standing)

    @classmethod
    def three(cls, first: Seat | str = "S", dummy: Seat | str = "N") -> Auction:
        """An empty auction of the three-player game."""
        return cls(Seat.of(first), (), Seat.of(dummy))

    @classmethod
    def four(cls, dealer: Seat | str = "N") -> Auction:
        """An empty auction of the four-player game."""
        return cls(Seat.of(dealer))

    @classmethod
    def of(
        cls,
        value: Auction | Seat | str,
        calls: str | Iterable[Call | str] = (),
        dummy: Seat | str | None = None,
    ) -> Auction:
        """Read ``S:1NT Pass Pass``, or the first seat and the calls; an auction passes
        through.
        """
        if isinstance(value, Auction):
            return value.after_all(calls)
        text = ""
        if isinstance(value, str):
            value, _, text = value.partition(":")
        return (
            cls(Seat.of(value), (), None if dummy is None else Seat.of(dummy))
            .after_all(text)
            .after_all(calls)
        )

    @property
    def bidders(self) -> tuple[Seat, ...]:
        """The seats that bid, clockwise from the first."""
        return tuple(
            seat for seat in map(self.first.next, range(4)) if seat != self.dummy
        )

    @property
    def is_over(self) -> bool:
        """True once nobody may call any more."""
        return self._standing.is_over(4 if self.dummy is None else 3)

    @property
    def turn(self) -> Seat | None:
        """The seat to call, ``None`` when the auction is over."""
        return (
            None if self.is_over else self.bidders[len(self.calls) % len(self.bidders)]
        )

    @property
    def last_bid(self) -> Call | None:
        """The highest bid so far, which is the last."""
        return self._standing.bid

    @property
    def contract(self) -> Contract | None:
        """The contract when the auction is over, ``None`` before and when it was passed
        out.
        """
        return self.standing_contract if self.is_over else None

    @property
    def standing_contract(self) -> Contract | None:
        """The contract if everybody passes from here on, ``None`` where nobody has bid."""
        bid, bidder = self._standing.bid, self._standing.bidder
        if bid is None or bidder is None or bid.strain is None:
            return None
        side = (bidder,) if self.dummy is not None else (bidder, bidder.partner)
        declarer = next(
            seat for seat, call in self if seat in side and call.strain is bid.strain
        )
        return Contract(bid.level, bid.strain, declarer, self._standing.doubled)

    def legal_calls(self) -> tuple[Call, ...]:
        """Every call that the seat in turn may make, rising; none when the auction is
        over.
        """
        seats = self.bidders
        seat = seats[len(self.calls) % len(seats)]
        return tuple(
            call
            for call in CALLS
            if self._standing.objection(seat, call, len(seats)) is None
        )

    def verify(self, call: Call | str) -> Call:
        """Return the call if the seat in turn may make it, and raise
        :class:`IllegalCall` otherwise.
        """
        wanted = Call.of(call)
        if reason := self._objection(wanted):
            legal, seat = self.legal_calls(), self.turn
            names = [str(legal_call) for legal_call in legal if not legal_call.is_bid]
            if lowest := next(
                (legal_call for legal_call in legal if legal_call.is_bid), None
            ):
                names.append(f"{lowest} … 7NT" if str(lowest) != "7NT" else "7NT")
            mend = "call no more" if seat is None else f"legal: {', '.join(names)}"
            raise self._illegal(wanted, seat, f"{reason}; {mend}")
        return wanted

    def can(self, call: Call | str) -> bool:
        """Whether the seat in turn may make the call."""
        return self._objection(Call.of(call)) is None

    def after(self, call: Call | str) -> Auction:
        """The auction with one more call, which must be legal."""
        return Auction(self.first, (*self.calls, self.verify(call)), self.dummy)

    def after_all(self, calls: str | Iterable[Call | str]) -> Auction:
        """The auction with more calls, as such or as text, which ``call_words`` reads;
        AP: all pass to the end.
        """
        words = call_words(calls) if isinstance(calls, str) else list(calls)
        calls_end = len(words)
        while calls_end and str(words[calls_end - 1]).upper() == "AP":
            calls_end -= 1
        made = map(Call.of, words[:calls_end])
        auction = Auction(self.first, (*self.calls, *made), self.dummy)
        while calls_end < len(words) and not auction.is_over:
            auction = auction.after(PASS)
        return auction

    def fill(
        self, seat: Seat | str, call: Call | str
    ) -> tuple[Auction, tuple[Seat, ...]]:
        """The auction with a call by ``seat``, and the seats before it that are taken
        to have passed.
        """
        caller, wanted = Seat.of(seat), Call.of(call)
        if caller == self.dummy:
            bidders = ", ".join(bidder.name for bidder in self.bidders)
            raise self._illegal(
                wanted, caller, f"the dummy's seat does not bid; bidders: {bidders}"
            )
        auction, passed = self, list[Seat]()
        while (turn := auction.turn) is not None and turn != caller:
            passed.append(turn)
            auction = auction.after(PASS)
        if passed and auction.is_over:
            passers = " and ".join(passer.name for passer in passed)
            raise self._illegal(
                wanted,
                caller,
                f"the auction is over when {passers} pass; write their calls, in order",
            )
        return auction.after(wanted), tuple(passed)

    def _objection(self, call: Call) -> str | None:
        seats = self.bidders
        return self._standing.objection(
            seats[len(self.calls) % len(seats)], call, len(seats)
        )

    def _illegal(self, call: Call, seat: Seat | None, why: str) -> IllegalCall:
        who = "" if seat is None else f" by {seat.name}"
        message = f"illegal call {str(call)!r}{who} after '{self}': {why}"
        return IllegalCall(
            message, call=call, seat=seat, auction=self, legal=self.legal_calls()
        )

    def __iter__(self) -> Iterator[tuple[Seat, Call]]:
        seats = self.bidders
        return ((seats[i % len(seats)], call) for i, call in enumerate(self.calls))

    def __str__(self) -> str:
        return f"{self.first.name}:{' '.join(map(str, self.calls))}"

    def __repr__(self) -> str:
        dummy = "" if self.dummy is None else f", dummy={self.dummy.name!r}"
        return f"Auction.of({str(self)!r}{dummy})"

    def _repr_html_(self) -> str:
        said = (
            "Passed out."
            if self.contract is None
            else f"The contract is {self.contract}."
        )
        return markup.piece(self.html(), markup.sentence(said if self.is_over else ""))

    def html(self) -> str:
        """The calls as an HTML table, a column for each seat that bids."""
        made = [(seat.name, str(call)) for seat, call in self]
        return markup.calls(
            [seat.name for seat in self.bidders],
            made,
            None if self.turn is None else self.turn.name,
        )
