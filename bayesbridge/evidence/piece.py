"""Piece: what every kind of evidence knows about itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError

if TYPE_CHECKING:
    from bayesbridge.constraints import Constraints


class Piece(ABC):
    """One piece of evidence about one seat; its subclasses are frozen dataclasses.

    ``of(text)`` and ``text`` are a pair: what one writes the other reads, at the command line, in position files and in
    the lines of a report. ``str`` gives a sentence, ``repr`` Python that can be pasted.
    """

    __slots__ = ()

    seat: Seat

    option: ClassVar[str]
    """The name of the option at the command line and of the key in a position file."""
    example: ClassVar[str]
    """The text of an example; its colons say how many parts a text has."""
    parts: ClassVar[str]
    """What the parts of the text are, in words."""
    help: ClassVar[str]
    """What the piece says, in words that follow the name of the option."""
    excludes: ClassVar[bool] = True
    """Whether it excludes layouts."""
    weighs: ClassVar[bool] = False
    """Whether it weighs layouts, by a model of the player."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a piece from its text, such as ``W:1NT``; the seat stands before the first colon."""
        parts = [part.strip() for part in text.split(":")]
        if len(parts) != cls.example.count(":") + 1 or not all(parts):
            raise NotationError(f"{text!r}: write {cls.parts}, such as {cls.example}", text=text)
        return cls._read(*parts)

    @property
    def text(self) -> str:
        """The text that :meth:`of` reads."""
        return f"{self.seat.name}:{self._said()}"

    @abstractmethod
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """What is known once the piece is too; ``played`` are the cards that its seat had played before (a mask)."""

    @classmethod
    @abstractmethod
    def _read(cls, *parts: str) -> Self:
        """Make a piece of the parts of its text."""

    @abstractmethod
    def _said(self) -> str:
        """The text without the seat."""

    def _set(self, **values: object) -> None:
        """Fill the fields of a frozen piece that is being made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)
