"""What an estimator is: a name, the outputs it declares, and one method over a whole batch of layouts.

>>> from bayesbridge.estimators.checked import run
>>> from bayesbridge.layouts import Layouts
>>> class Points:
...     name = "points"
...     outputs = (Output("points", "High-card points of the pair.", dtype="int16"),)
...
...     def estimate(self, layouts, question):
...         return {"points": layouts.points[:, list(question.pair)].sum(axis=1)}
>>> deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
>>> run(Points(), Layouts.of([deal]), Question.of("SN"))
{'points': array([20], dtype=int16)}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from numpy.typing import NDArray

from bayesbridge.cards import Strain, Suit
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.layouts import Layouts
from bayesbridge.tricks import Trick

if TYPE_CHECKING:
    from bayesbridge.engines.classes import Quantity

COORDS: Final[Mapping[str, tuple[Any, ...]]] = {
    "suit": tuple(suit.name for suit in Suit),
    "strain": tuple(strain.name for strain in Strain),
    "seat": tuple(seat.name for seat in Seat),
    "card": tuple(f"{suit.name}{rank}" for suit in Suit for rank in "23456789TJQKA"),
}
"""Labels of the dimensions that every estimator may use without saying more; cards in the order of mask bits."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every layout alike.

    >>> Question.of("S:N").pair
    (<Seat.S: 2>, <Seat.N: 0>)
    """

    pair: tuple[Seat, Seat]
    """The two seats that play together, the bidder first."""
    trump: Suit | None = None
    """The trump suit, ``None`` at no trumps."""
    trick: Trick | None = None
    """The trick so far, for estimators that judge the next card."""
    played: int = 0
    """Mask of the cards that have left their hands, those of ``trick`` among them."""

    @classmethod
    def of(cls, pair: str | tuple[Seat | str, Seat | str], **rest: Any) -> Question:
        """A question about a pair such as ``"S:N"``, ``"SN"`` or ``("S", "N")``."""
        words = (pair if len(pair) == 2 else pair.replace(":", " ").split()) if isinstance(pair, str) else pair
        letters: list[Seat | str] = list(words)
        if len(letters) != 2 or Seat.of(letters[0]) == Seat.of(letters[1]):
            raise BayesBridgeError(f"pair {pair!r}: name two different seats, such as S:N", pair=pair)
        return cls((Seat.of(letters[0]), Seat.of(letters[1])), **rest)

    @property
    def table(self) -> tuple[Seat, Seat, Seat, Seat]:
        """The seats in order of play, the first of the pair first and the second taken to sit opposite.

        >>> [seat.name for seat in Question.of("E:N").table]
        ['E', 'S', 'N', 'W']
        """
        first, second = self.pair
        left, right = (seat for step in (1, 2, 3) if (seat := first.next(step)) != second)
        return first, left, second, right


@dataclass(frozen=True, slots=True)
class TrickCount:
    """What an output that counts tricks does where it cannot count: ``fails_at`` is the value that stands for it.

    >>> Output("T", "Total captures.", dtype="int8", tricks=TrickCount(0, "conditions fail")).tricks.failing
    'conditions fail'
    """

    fails_at: int | None = None
    """``None`` for an output that always counts."""
    failing: str = "fails"
    """What failing means, in two or three words."""
    holding: str = "holds"
    """What the contrary means, as in "T if they hold"."""
    at_table: bool = False
    """Whether it estimates tricks taken against a defence: then contracts *make*; otherwise the number is reached."""


@dataclass(frozen=True, slots=True)
class Output:
    """One named array that an estimator returns: (n, …) with a value for each layout.

    >>> Output("fit", "Cards of the pair in the suit.", dims=("suit",), dtype="int8").shape
    (4,)
    """

    name: str
    doc: str
    """A sentence that says what the number is."""
    dims: tuple[str, ...] = ()
    """Dimensions after the first; those of ``COORDS`` need no coords."""
    dtype: str = "float64"
    """Integer outputs get a distribution, floating-point ones a mean and a spread."""
    coords: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Labels of dimensions of its own."""
    support: range | None = None
    """Set where each layout gets a distribution: probabilities of these whole numbers, on a last axis."""
    tricks: TrickCount | None = None
    """Set where the number counts tricks: then its contracts are summed up and drawn wherever results are shown."""

    def labels(self, dim: str) -> tuple[Any, ...]:
        """The labels of a dimension."""
        found = self.coords.get(dim, COORDS.get(dim))
        if found is None:
            raise PluginError(
                f"output {self.name!r} has no labels for dimension {dim!r}: give coords", output=self.name
            )
        return tuple(found)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the number for one layout."""
        return tuple(len(self.labels(dim)) for dim in self.dims)

    @property
    def returned(self) -> tuple[int, ...]:
        """The shape of what is returned for one layout: with probabilities on a last axis where there are such."""
        return self.shape if self.support is None else (*self.shape, len(self.support))


@runtime_checkable
class Estimator(Protocol):
    """Anything with these three; a class, a dataclass or a module-level object.

    One that takes long says so by an attribute more, ``seconds``: the time for one layout on one core, see
    ``seconds_of``.

    >>> from bayesbridge import Estimator
    >>> from bayesbridge.estimators.capture import CaptureEstimator
    >>> isinstance(CaptureEstimator(), Estimator)
    True
    """

    @property
    def name(self) -> str:
        """The name users type; unique among all plugins."""
        ...

    @property
    def outputs(self) -> tuple[Output, ...]:
        """What :meth:`estimate` returns, declared beforehand."""
        ...

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """The declared arrays for a batch; the same batch and question give the same arrays."""
        ...


def seconds_of(estimator: Estimator) -> float:
    """Seconds that an estimator says it takes for one layout on one core; 0, next to nothing, unless it says more."""
    return float(getattr(estimator, "seconds", 0.0))


@runtime_checkable
class SuitwiseEstimator(Protocol):
    """An estimator some of whose outputs are found suit by suit: they are counted exactly under exact calls too."""

    def quantities(self, question: Question) -> Mapping[str, Quantity]:
        """By the name of the output, values from 0 on."""
        ...


@runtime_checkable
class ExactEstimator(Protocol):
    """An estimator that can also count its outputs over all layouts that fit hard evidence, without walking them."""

    def distribution(
        self, constraints: Constraints, question: Question
    ) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
        """For some outputs a lowest value and exact counts of layouts by value from there on (last axis).

        ``None`` where it cannot count.
        """
        ...
