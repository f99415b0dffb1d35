"""Bidder models of plugins isolated in a process: hands go there and log likelihoods come back, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.engines.soft import objection_to
from bayesbridge.estimators.confinement import naming
from bayesbridge.estimators.descriptions import DescribedBidder, read_bidder
from bayesbridge.estimators.isolation import Entry, Isolated, Limits, Lost

type Floats = NDArray[np.float64]
type Settings = tuple[tuple[str, Any], ...]
"""Fields of a model and the values that they are to have."""

HANDS: Final = 1 << 16
"""Hands that are sent at a time."""

CALLS: Final = 38


class ConfinedBidder:
    """A bidder model whose work is done by an isolated process; ``settings`` are values of its fields."""

    def __init__(self, described: DescribedBidder, process: Isolated, settings: Settings = ()) -> None:
        self.name, self.cost, self.honour_values = described.name, described.cost, described.honours
        self.described, self.process, self._settings = described, process, settings

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> Floats:
        """Piece by piece."""
        return self._pieces("log_likelihood", (), hands, auction, index)

    def limited(self, limits: Limits) -> ConfinedBidder:
        """The same model in another process, with other limits."""
        return bidder_as(self.described, Isolated(self.process.source, limits, self.process.who), self._settings)

    def __replace__(self, **settings: Any) -> ConfinedBidder:
        """The same model with other values of its fields; :class:`TypeError` where it has no such field."""
        both = tuple((dict(self._settings) | settings).items())
        with self._asking(f"for {', '.join(settings)}"):
            head, _ = self.process.ask(0, "settle", self.name, both)
            found = head.get("bidder")
            if found is None:
                raise TypeError(f"bidder {self.name!r} has no field {' or '.join(settings)}")
            try:
                described = read_bidder(found)
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
                raise Lost("gave an answer that cannot be read") from None
        return bidder_as(described._replace(name=self.name), self.process, both)

    def __reduce__(self) -> tuple[Any, ...]:
        """Whoever gets a copy starts a process of their own."""
        source, limits, who = self.process.source, self.process.limits, self.process.who
        return _again, (self.described, source, limits, who, self._settings)

    def __repr__(self) -> str:
        return self.described.text

    def __getattr__(self, name: str) -> Any:
        """``probabilities``, (n, 38) chances of all calls at once, where the model has it."""
        if name == "probabilities" and self.described.probabilities:
            return lambda hands, auction: self._pieces("probabilities", (CALLS,), hands, auction)
        raise AttributeError(f"bidder model {self.name!r} has no {name}")

    def _pieces(self, method: str, shape: tuple[int, ...], hands: NDArray[np.uint64], *args: Any) -> Floats:
        found = np.empty((len(hands), *shape))
        for begin in range(0, max(len(hands), 1), HANDS):
            piece = hands[begin : begin + HANDS]
            found[begin : begin + HANDS] = self._floats(
                (len(piece), *shape), method, np.ascontiguousarray(piece), *args
            )
        return found

    def _floats(self, shape: tuple[int, ...], method: str, *args: Any) -> Floats:
        what = f"about {shape[0]} hands" if len(args) > 1 and isinstance(args[0], np.ndarray) else "about a call"
        size = 8 * int(np.prod(shape))
        with self._asking(what):
            _, raw = self.process.ask(size, method, self.name, self._settings, *args)
            if len(raw) != size:
                raise Lost(f"gave {len(raw)} bytes where {size} are expected")
            found = np.ndarray(shape, np.float64, raw)
            if method == "log_likelihood" and (wrong := objection_to(found, shape[0])):
                raise Lost(wrong)
            if method != "log_likelihood" and not ((found >= 0.0) & np.isfinite(found)).all():
                raise Lost("gave chances that are no numbers from 0 on")
        return found

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        who = f"bidder model {self.name!r}"
        try:
            with naming(who, self.name, self.process, what):
                yield
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted while {who} of {self.process.who} was asked {what}") from None


class ConfinedLevelBidder(ConfinedBidder):
    """The same for a model whose calls depend on a hand through its bid by Algorithm 1 alone."""

    @property
    def suits(self) -> bool:
        """Whether a hand bids in every strain."""
        return bool(self.described.level)

    def bid_likelihood(self, auction: Auction, index: int) -> Floats:
        """(38,) P(call ∣ highest bid of the hand)."""
        return self._floats((CALLS,), "bid_likelihood", auction, index)


def bidder_as(described: DescribedBidder, process: Isolated, settings: Settings = ()) -> ConfinedBidder:
    """A bidder model that an isolated process offers."""
    kind = ConfinedBidder if described.level is None else ConfinedLevelBidder
    return kind(described, process, settings)


def _again(described: DescribedBidder, source: Entry, limits: Limits, who: str, settings: Settings) -> ConfinedBidder:
    return bidder_as(described, Isolated(source, limits, who), settings)
