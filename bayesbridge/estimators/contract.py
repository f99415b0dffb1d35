"""What an estimator is: a name, the outputs it declares, and one method over a whole batch of layouts.

>>> from bayesbridge.posterior.layouts import Layouts
>>> class Points:
...     name = "points"
...     outputs = (Output("points", "High-card points of the pair.", dtype="int16"),)
...
...     def estimate(self, layouts, question):
...         return {"points": layouts.points()[:, list(question.pair)].sum(axis=1)}
>>> deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
>>> run(Points(), Layouts.of([deal]), Question.of("SN"))
{'points': array([20], dtype=int16)}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import Strain, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.posterior.constraints import Constraints
from bayesbridge.posterior.layouts import Layouts
from bayesbridge.tricks import Trick

COORDS: Final[Mapping[str, tuple[Any, ...]]] = {
    "suit": tuple(suit.name for suit in Suit),
    "strain": tuple(strain.name for strain in Strain),
    "seat": tuple(seat.name for seat in Seat),
    "card": tuple(f"{suit.name}{rank}" for suit in Suit for rank in "23456789TJQKA"),
}
"""Labels of the dimensions that every estimator may use without saying more; cards in the order of mask bits."""


class PluginError(BayesBridgeError):
    """A plugin broke the contract; ``data`` names plugin, output, expected and got."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every layout alike."""

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
class Output:
    """One named array that an estimator returns: (n, …) with a value for each layout."""

    name: str
    doc: str
    """A sentence that says what the number is."""
    dims: tuple[str, ...] = ()
    """Dimensions after the first; those of ``COORDS`` need no coords."""
    dtype: str = "float64"
    """Integer outputs get a distribution, floating-point ones a mean and a spread."""
    coords: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Labels of dimensions of its own."""

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
        """The shape for one layout."""
        return tuple(len(self.labels(dim)) for dim in self.dims)


@runtime_checkable
class Estimator(Protocol):
    """Anything with these three; a class, a dataclass or a module-level object."""

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


def run(estimator: Estimator, layouts: Layouts, question: Question) -> dict[str, NDArray[Any]]:
    """The outputs of an estimator, checked against what it declares and cast to the declared types."""
    try:
        found = estimator.estimate(layouts, question)
    except Exception as error:
        raise PluginError(
            f"estimator {estimator.name!r} raised {type(error).__name__} on {len(layouts)} layouts: {error}",
            plugin=estimator.name,
            output="result",
            expected=f"outputs {[output.name for output in estimator.outputs]}",
            got=f"{type(error).__name__}: {error}",
        ) from error
    if not isinstance(found, Mapping):
        raise _broken(estimator, "result", "a mapping of arrays", type(found).__name__)
    declared = {output.name for output in estimator.outputs}
    if set(found) != declared:
        raise _broken(estimator, "result", f"outputs {sorted(declared)}", f"{sorted(map(str, found))}")
    return {output.name: _checked(estimator, output, found[output.name], len(layouts)) for output in estimator.outputs}


def _checked(estimator: Estimator, output: Output, values: Any, n: int) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise _broken(estimator, output.name, f"shape {(n, *output.shape)}", "rows of different lengths") from None
    if array.shape != (n, *output.shape):
        raise _broken(estimator, output.name, f"shape {(n, *output.shape)}", f"{array.shape}")
    wanted = np.dtype(output.dtype)
    if array.dtype == wanted:
        cast = array
    elif array.dtype.kind not in "biuf" or (wanted.kind in "biu" and array.dtype.kind == "f"):
        raise _broken(estimator, output.name, f"type {wanted}", f"{array.dtype}")
    else:
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, and is reported as such
            cast = array.astype(wanted)
        if wanted.kind in "biu" and (cast != array).any():
            raise _broken(estimator, output.name, f"values within {wanted}", f"{array.min()} … {array.max()}")
    if cast.dtype.kind == "f" and not np.isfinite(cast).all():
        row = int(np.argwhere(~np.isfinite(cast))[0][0])
        raise _broken(estimator, output.name, "finite numbers", f"{cast[row]} for layout {row}")
    return cast


def _broken(estimator: Estimator, output: str, expected: str, got: str) -> PluginError:
    return PluginError(
        f"estimator {estimator.name!r}, {output}: expected {expected}, got {got}",
        plugin=estimator.name,
        output=output,
        expected=expected,
        got=got,
    )
