"""Calls, contracts and auctions: three bidders, or the usual four.

In the three-player game every seat but the dummy's bids, nobody doubles, and the winner of the auction is declarer.
In the four-player game sides bid, double and redouble, and declarer is the first of the winning side to have named
the strain. Either way an auction ends when everybody else has passed after a bid, or when all have passed.
One rule, three doors: ``verify`` raises and says why, ``can`` answers, ``after`` acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bayesbridge.cards import Strain, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalCall, NotationError

_WORDS: Final = {
    **dict.fromkeys(("PASS", "P", "-"), 0),
    **dict.fromkeys(("X", "DBL", "DOUBLE"), 1),
    **dict.fromkeys(("XX", "RDBL", "REDOUBLE"), 2),
}
_NAMES: Final = ("Pass", "X", "XX")


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """One of the 38 calls; ``index`` is 0 Pass, 1 double, 2 redouble, then 3 … 37 the bids 1C … 7NT, rising.

    Calls compare by index, so of two bids the one that outranks is the greater.

    >>> Call.of("1n") < Call.of("2C")
    True
    """

    index: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < 38:
            raise NotationError(f"call index {self.index}: a call is a number from 0 to 37", text=self.index)

    @classmethod
    def of(cls, value: Call | str) -> Call:
        """Read a call (``2NT``, ``1n``, ``pass``, ``X``, ``rdbl``; any case), or pass one through.

        >>> Call.of("dbl"), Call.of("3♥")
        (Call.of('X'), Call.of('3H'))
        """
        if isinstance(value, Call):
            return value
        word = str(value).strip().upper()
        if word in _WORDS:
            return cls(_WORDS[word])
        try:
            return cls.bid("1234567".index(word[:1] or "?") + 1, word[1:])
        except ValueError:
            raise NotationError(
                f"unknown call {value!r}: write Pass, X, XX, or level and strain from 1C to 7NT", text=value
            ) from None

    @classmethod
    def bid(cls, level: int, strain: Strain | Suit | str) -> Call:
        """The bid of a level, 1 … 7, and a strain."""
        if not 1 <= level <= 7:
            raise NotationError(f"unknown level {level}: a bid has a level from 1 to 7", text=level)
        return cls(3 + 5 * (level - 1) + Strain.of(strain))

    @property
    def is_bid(self) -> bool:
        """True for 1C … 7NT, False for Pass, X and XX."""
        return self.index > 2

    @property
    def level(self) -> int:
        """1 … 7 for a bid, 0 otherwise."""
        return (self.index + 2) // 5 if self.is_bid else 0

    @property
    def strain(self) -> Strain | None:
        """The strain of a bid, ``None`` otherwise."""
        return Strain((self.index - 3) % 5) if self.is_bid else None

    def __str__(self) -> str:
        return _NAMES[self.index] if self.strain is None else f"{self.level}{self.strain.name}"

    def __repr__(self) -> str:
        return f"Call.of({str(self)!r})"


PASS: Final = Call(0)
DOUBLE: Final = Call(1)
REDOUBLE: Final = Call(2)
CALLS: Final = tuple(Call(index) for index in range(38))
"""All calls: Pass, X, XX, 1C … 7NT."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What declarer undertook; ``doubled`` is 0, 1 (doubled) or 2 (redoubled).

    >>> Contract.of("3NTX", "S").tricks_needed
    9
    """

    level: int
    strain: Strain
    declarer: Seat
    doubled: int = 0

    def __post_init__(self) -> None:
        Call.bid(self.level, self.strain)
        if self.doubled not in (0, 1, 2):
            raise NotationError(f"doubled {self.doubled!r}: write 0, 1 (X) or 2 (XX)", text=self.doubled)

    @classmethod
    def of(cls, value: Contract | str, declarer: Seat | str | None = None) -> Contract:
        """Read ``3NTX by S``, or ``3NTX`` with the declarer beside it; a contract passes through.

        >>> Contract.of("4hxx by east")
        Contract.of('4HXX by E')
        """
        if isinstance(value, Contract):
            return value
        words = str(value).split()
        if declarer is None and len(words) == 3 and words[1].lower() == "by":
            words, declarer = words[:1], words[2]
        if declarer is None or len(words) != 1:
            raise NotationError(
                f"unknown contract {value!r}: write it with its declarer, such as 3NTX by S", text=value
            )
        bare = words[0].upper().rstrip("X")
        doubled = len(words[0]) - len(bare)
        try:
            call = Call.of(bare)
        except NotationError:
            call = PASS
        if call.strain is None or doubled > 2:
            raise NotationError(f"unknown contract {value!r}: write level, strain, X or XX, such as 3NTX", text=value)
        return cls(call.level, call.strain, Seat.of(declarer), doubled)

    @property
    def tricks_needed(self) -> int:
        """6 + level."""
        return 6 + self.level

    @property
    def trump(self) -> Suit | None:
        """The trump suit, ``None`` at no trumps."""
        return self.strain.trump

    def __str__(self) -> str:
        return f"{self.level}{self.strain.name}{'X' * self.doubled} by {self.declarer.name}"

    def __repr__(self) -> str:
        return f"Contract.of({str(self)!r})"


@dataclass(frozen=True, slots=True)
class _Standing:
    """All that the rules ask of the calls so far: the last bid, whose, how often doubled, passes since."""

    bid: Call | None = None
    bidder: Seat | None = None
    doubled: int = 0
    passes: int = 0

    def is_over(self, players: int) -> bool:
        return self.passes == (players if self.bid is None else players - 1)

    def objection(self, seat: Seat, call: Call, players: int) -> str | None:
        """Why the call is illegal, ``None`` if it is legal: the one place where the rules are written."""
        if self.is_over(players):
            return "the auction is over"
        if call == PASS:
            return None
        if call.is_bid:
            return None if self.bid is None or call > self.bid else f"it does not outrank {self.bid}"
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
            return f"{self.bid} is redoubled already" if self.doubled else f"{self.bid} is not doubled"
        return None if own_side else f"{self.bid} is the other side's bid"

    def after(self, seat: Seat, call: Call) -> _Standing:
        if call.is_bid:
            return _Standing(call, seat)
        if call == PASS:
            return _Standing(self.bid, self.bidder, self.doubled, self.passes + 1)
        return _Standing(self.bid, self.bidder, self.doubled + 1)


@dataclass(frozen=True, slots=True)
class Auction:
    """The calls so far, clockwise from ``first``; ``dummy`` is the seat that does not bid, ``None`` if all four do.

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
                f"{self.first.name} is the dummy's seat and does not bid: let another seat call first", seat=self.first
            )
        standing, seats = _Standing(), self.bidders
        for i, call in enumerate(self.calls):
            seat = seats[i % len(seats)]
            if standing.objection(seat, call, len(seats)):
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
        """Read ``S:1NT Pass Pass``, or the first seat and the calls; an auction passes through.

        >>> Auction.of("s: 1n p p", dummy="N")
        Auction.of('S:1NT Pass Pass', dummy='N')
        """
        if isinstance(value, Auction):
            return value.after_all(calls)
        text = ""
        if isinstance(value, str):
            value, _, text = value.partition(":")
        return cls(Seat.of(value), (), None if dummy is None else Seat.of(dummy)).after_all(text).after_all(calls)

    @property
    def bidders(self) -> tuple[Seat, ...]:
        """The seats that bid, clockwise from the first."""
        return tuple(seat for seat in map(self.first.next, range(4)) if seat != self.dummy)

    @property
    def is_over(self) -> bool:
        """True once nobody may call any more."""
        return self._standing.is_over(4 if self.dummy is None else 3)

    @property
    def turn(self) -> Seat | None:
        """The seat to call, ``None`` when the auction is over."""
        return None if self.is_over else self.bidders[len(self.calls) % len(self.bidders)]

    @property
    def last_bid(self) -> Call | None:
        """The highest bid so far, which is the last."""
        return self._standing.bid

    @property
    def contract(self) -> Contract | None:
        """The contract when the auction is over, ``None`` before and when it was passed out."""
        bid, bidder = self._standing.bid, self._standing.bidder
        if not self.is_over or bid is None or bidder is None or bid.strain is None:
            return None
        side = (bidder,) if self.dummy is not None else (bidder, bidder.partner)
        declarer = next(seat for seat, call in self if seat in side and call.strain is bid.strain)
        return Contract(bid.level, bid.strain, declarer, self._standing.doubled)

    def legal_calls(self) -> tuple[Call, ...]:
        """Every call that the seat in turn may make, rising; none when the auction is over."""
        return tuple(call for call in CALLS if self.can(call))

    def verify(self, call: Call | str) -> Call:
        """Return the call if the seat in turn may make it, and raise :class:`IllegalCall` otherwise."""
        wanted = Call.of(call)
        if reason := self._objection(wanted):
            legal, seat = self.legal_calls(), self.turn
            names = [str(legal_call) for legal_call in legal if not legal_call.is_bid]
            if lowest := next((legal_call for legal_call in legal if legal_call.is_bid), None):
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
        """The auction with more calls, given as such or as text with blanks or commas between."""
        words = calls.replace(",", " ").split() if isinstance(calls, str) else calls
        return Auction(self.first, (*self.calls, *map(Call.of, words)), self.dummy)

    def fill(self, seat: Seat | str, call: Call | str) -> tuple[Auction, tuple[Seat, ...]]:
        """The auction with a call by ``seat``, and the seats before it that are taken to have passed.

        >>> Auction.three("S").fill("E", "1NT")
        (Auction.of('S:Pass Pass 1NT', dummy='N'), (<Seat.S: 2>, <Seat.W: 3>))
        """
        caller, wanted = Seat.of(seat), Call.of(call)
        if caller == self.dummy:
            bidders = ", ".join(bidder.name for bidder in self.bidders)
            raise self._illegal(wanted, caller, f"the dummy's seat does not bid; bidders: {bidders}")
        auction, passed = self, list[Seat]()
        while (turn := auction.turn) is not None and turn != caller:
            passed.append(turn)
            auction = auction.after(PASS)
        if passed and auction.is_over:
            passers = " and ".join(passer.name for passer in passed)
            raise self._illegal(wanted, caller, f"the auction is over when {passers} pass; write their calls, in order")
        return auction.after(wanted), tuple(passed)

    def _objection(self, call: Call) -> str | None:
        seats = self.bidders
        return self._standing.objection(seats[len(self.calls) % len(seats)], call, len(seats))

    def _illegal(self, call: Call, seat: Seat | None, why: str) -> IllegalCall:
        who = "" if seat is None else f" by {seat.name}"
        message = f"illegal call {str(call)!r}{who} after '{self}': {why}"
        return IllegalCall(message, call=call, seat=seat, auction=self, legal=self.legal_calls())

    def __iter__(self) -> Iterator[tuple[Seat, Call]]:
        """Each call with its seat, in order."""
        seats = self.bidders
        return ((seats[i % len(seats)], call) for i, call in enumerate(self.calls))

    def __str__(self) -> str:
        return f"{self.first.name}:{' '.join(map(str, self.calls))}"

    def __repr__(self) -> str:
        dummy = "" if self.dummy is None else f", dummy={self.dummy.name!r}"
        return f"Auction.of({str(self)!r}{dummy})"
