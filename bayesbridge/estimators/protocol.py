"""What an estimator is.

A name, the outputs it declares, and one method over a whole batch of layouts.

Estimators are asked by :func:`run` and :func:`run_exact`, which check what is declared
and returned, and name the estimator in whatever goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import index
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError, PluginError, name_of, raised, shorten
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.game.tricks import Trick

COORDS: Final[Mapping[str, tuple[Any, ...]]] = {
    "suit": tuple(suit.name for suit in Suit),
    "strain": tuple(strain.name for strain in Strain),
    "seat": tuple(seat.name for seat in Seat),
    "card": tuple(f"{suit.name}{rank}" for suit in Suit for rank in "23456789TJQKA"),
}
"""Labels of the dimensions that every estimator may use without saying more; cards in
the order of mask bits.
"""


WHOLE_NUMBERS: Final = "biu"
"""Kinds of NumPy's types that hold booleans and integers."""

NUMBERS: Final = WHOLE_NUMBERS + "f"
MOST_ROUNDING: Final = 1e-3
"""What the probabilities of a layout may miss 1 by."""

RESERVED: Final = ("chain", "draw", "log_weight", "batch_row", "batch_weight")
"""Names that results use for themselves beside the outputs."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every layout alike.

    Parameters
    ----------
    pair : pair of Seat
        The two seats that play together, the bidder first.
    trump : Suit, optional
        The trump suit, ``None`` at no trumps.
    trick : Trick, optional
        The trick so far, for estimators that judge the next card.
    played : int
        Mask of the cards that have left their hands, those of ``trick`` among them.

    Examples
    --------
    >>> Question.of("S:N").pair
    (<Seat.S: 2>, <Seat.N: 0>)
    """

    pair: tuple[Seat, Seat]
    trump: Suit | None = None
    trick: Trick | None = None
    played: int = 0

    @classmethod
    def of(cls, pair: str | tuple[Seat | str, Seat | str], **rest: Any) -> Question:
        """A question about a pair such as ``"S:N"``, ``"SN"`` or ``("S", "N")``.

        Parameters
        ----------
        pair : str or pair of Seat
            Two different seats.
        **rest
            The other fields by name.

        Returns
        -------
        Question
        """
        seats: list[Seat | str]
        if isinstance(pair, str) and len(pair) != 2:
            seats = list(pair.replace(":", " ").split())
        else:
            seats = list(pair)
        if len(seats) != 2 or Seat.of(seats[0]) == Seat.of(seats[1]):
            raise BayesBridgeError(
                f"pair {pair!r}: name two different seats, such as S:N", pair=pair
            )
        return cls((Seat.of(seats[0]), Seat.of(seats[1])), **rest)

    @property
    def strain(self) -> Strain:
        """The strain: that of the trump suit, or no trumps."""
        return Strain.NT if self.trump is None else Strain(self.trump)

    @property
    def table(self) -> tuple[Seat, ...]:
        """The seats in order of play, the first of the pair first.

        The second of the pair is taken to sit opposite.

        >>> [seat.name for seat in Question.of("E:N").table]
        ['E', 'S', 'N', 'W']
        """
        declarer, dummy = self.pair
        opponents = [declarer.next(step) for step in (1, 2, 3)]
        opponents.remove(dummy)
        left_opponent, right_opponent = opponents
        return declarer, left_opponent, dummy, right_opponent


@dataclass(frozen=True, slots=True)
class TrickCount:
    """What an output that counts tricks does where it cannot count.

    Parameters
    ----------
    undefined_value : int, optional
        What stands for it there; ``None`` for an output that always counts.
    failing : str
        What failing means, in two or three words.
    holding : str
        What the contrary means, as in "T if they hold".
    at_table : bool
        Whether it estimates tricks taken against a defence: then contracts *make*;
        otherwise the number is reached.

    Examples
    --------
    >>> count = TrickCount(0, "conditions fail")
    >>> Output("T", "Total captures.", dtype="int8", tricks=count).tricks.failing
    'conditions fail'
    """

    undefined_value: int | None = None
    failing: str = "fails"
    holding: str = "holds"
    at_table: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """One named array that an estimator returns: (n, …) with a value for each layout.

    Parameters
    ----------
    name : str
        An identifier; results have it for a name.
    doc : str
        A sentence that says what the number is.
    dims : tuple of str
        Dimensions after the first; ``suit``, ``strain``, ``seat`` and ``card`` need no
        ``coords``.
    dtype : str
        Integer outputs get a distribution, floating-point ones a mean and a spread.
    coords : mapping of str to tuple
        Labels of dimensions of its own.
    support : range, optional
        Set where each layout gets a distribution: probabilities of these whole numbers,
        on a last axis.
    tricks : TrickCount, optional
        Set where the number counts tricks: then its contracts are summed up and drawn
        wherever results are shown.
    title : str
        What tricks of another kind are called, in a few words; people are then shown no
        other output beside it.
    note : str
        What a reader must know of these, in place of the sentence.
    domain : range, optional
        All values that a whole number may have, where that is known: a distribution
        lists each of them, with 0 where it never occurs.

    Examples
    --------
    >>> Output("fit", "Cards of the pair in the suit.", dims=("suit",), dtype="int8").shape
    (4,)
    """

    name: str
    doc: str
    dims: tuple[str, ...] = ()
    dtype: str = "float64"
    coords: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    support: range | None = None
    tricks: TrickCount | None = None
    title: str = ""
    note: str = ""
    domain: range | None = None

    def labels(self, dim: str) -> tuple[Any, ...]:
        """The labels of a dimension.

        Parameters
        ----------
        dim : str
            One of ``dims``.

        Returns
        -------
        tuple
        """
        return tuple(self.coords[dim] if dim in self.coords else COORDS[dim])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the number for one layout."""
        return tuple(len(self.labels(dim)) for dim in self.dims)

    @property
    def listed(self) -> range | None:
        """The values that its distribution lists whether they occur or not."""
        return self.domain if self.support is None else self.support

    @property
    def returned(self) -> tuple[int, ...]:
        """The shape of what is returned for one layout.

        Where it is a distribution, the probabilities are on a last axis.
        """
        return self.shape if self.support is None else (*self.shape, len(self.support))


@runtime_checkable
class Estimator(Protocol):
    """What plugins offer: a name, declared outputs, and a method over many layouts.

    Anything with these three is one, such as an object of a class or a dataclass. One
    that takes long says so by an attribute more, ``seconds``, the time for one layout on
    one core: it then gets as many layouts as the time allows.

    Examples
    --------
    >>> from bayesbridge.plugins import Estimator
    >>> from bayesbridge.estimators.builtin import CaptureEstimator
    >>> isinstance(CaptureEstimator(), Estimator)
    True
    """

    @property
    def name(self) -> str:
        """The name users type; unique among all plugins."""

    @property
    def outputs(self) -> tuple[Output, ...]:
        """What :meth:`estimate` returns, declared beforehand."""

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """The declared arrays for a batch of layouts.

        The same batch and question give the same arrays.

        Parameters
        ----------
        layouts : Layouts
            n full deals, as (n, 4) masks; they must be left alone.
        question : Question
            What is asked of every layout alike.

        Returns
        -------
        mapping of str to array
            For each output an array of n rows.
        """


def seconds_of(estimator: Estimator) -> float:
    """Seconds that an estimator says it takes for one layout on one core.

    0, next to nothing, unless it says more.
    """
    return float(getattr(estimator, "seconds", 0.0))


@runtime_checkable
class ExactEstimator(Protocol):
    """An estimator that can also count its outputs over all layouts.

    Of those that fit hard evidence, without walking them.
    """

    def distribution(
        self, constraints: Constraints, question: Question
    ) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
        """A lowest value and exact counts of layouts, for some outputs.

        The last axis of the counts goes by value, from the lowest on.

        ``None`` where it cannot count.
        """


type OfOneDeal = Callable[[Deal, Question], float]


def estimator(
    name: str, *, doc: str | None = None, dtype: str = "float64"
) -> Callable[[OfOneDeal], Estimator]:
    """Make an estimator of a function of one deal.

    Parameters
    ----------
    name : str
        The name of the estimator, and of its output.
    doc : str, optional
        A sentence that says what the number is; by default the first line of the
        function's docstring.
    dtype : str
        Type of the number: an integer gets a distribution.

    Returns
    -------
    callable
        A decorator of a function that takes a :class:`Deal` and a :class:`Question` and
        returns a number.

    Examples
    --------
    >>> @estimator("aces", dtype="int8")
    ... def aces(deal, question):
    ...     "Aces of the pair."
    ...     return sum(card.rank == 12 for seat in question.pair for card in deal[seat])
    >>> aces.outputs[0].doc
    'Aces of the pair.'
    """

    def wrap(function: OfOneDeal) -> Estimator:
        text = doc or function.__doc__ or f"{name}."
        first_line = text.strip().splitlines()[0]
        sentence = first_line if first_line.endswith(".") else f"{first_line}."
        output = Output(name, sentence, dtype=dtype)
        return PlainEstimator(name, (output,), function)

    return wrap


@dataclass(frozen=True, slots=True)
class PlainEstimator:
    """Calls a function of one deal for every layout."""

    name: str
    outputs: tuple[Output, ...]
    function: OfOneDeal

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """The function's number for each layout."""
        return {
            self.name: np.array(
                [self.function(deal, question) for deal in layouts],
                dtype=self.outputs[0].dtype,
            )
        }


def verify_declaration(estimator: Estimator) -> None:
    """Raise :class:`PluginError` unless it is an estimator that can be used.

    Its outputs must be such that they can be checked and added up.
    """
    thing: Any = estimator
    if (
        not isinstance(thing, Estimator)
        or isinstance(thing, type)
        or not isinstance(thing.name, str)
        or not thing.name
    ):
        raise PluginError(
            f"{name_of(thing)} is no estimator: it needs name, outputs and "
            "estimate(layouts, question)"
        )
    if (fault := next(_faults(estimator), None)) is not None:
        raise PluginError(f"estimator {estimator.name!r}{fault}", plugin=estimator.name)


def _faults(estimator: Estimator) -> Iterator[str]:
    """What is wrong with a declaration, in words that follow the name.

    Only the first fault is sure to be true.
    """
    outputs: Any = estimator.outputs
    if not isinstance(outputs, tuple | list) or not outputs:
        yield " declares no output: give a tuple of Output"
    seconds = getattr(estimator, "seconds", 0.0)
    if not _is_duration(seconds):
        yield f" declares seconds {seconds!r}: give the time for one layout, a number from 0 on"
    names: set[str] = set()
    for output in outputs:
        if not isinstance(output, Output):
            yield f" declares {output!r}: an output must be an Output"
        for fault in _output_faults(output, names):
            yield f": output {output.name!r} {fault}"
        names.add(output.name)


def _is_duration(seconds: Any) -> bool:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return is_number and 0.0 <= seconds < float("inf")


def _output_faults(output: Output, other_names: set[str]) -> Iterator[str]:
    """What is wrong with an output beside others, in words that follow its name."""
    name = output.name
    dims = tuple(output.dims)
    if not isinstance(name, str) or name in other_names or not name.isidentifier():
        yield "is taken or no identifier"
    if name in RESERVED or name in COORDS or name in dims:
        yield "has the name of a dimension of results: give it another"
    if not _holds_numbers(output.dtype):
        yield f"has type {output.dtype!r}: it must hold numbers or booleans"
    if len({*dims, "chain", "draw"}) < len(dims) + 2:
        yield f"has dimensions {dims}: give each another name, not 'chain' or 'draw'"
    if output.domain is not None and not _is_domain(output):
        yield f"has domain {output.domain!r}: give the range of an integer output, in steps of 1"
    for dim in dims:
        if dim not in output.coords and dim not in COORDS:
            yield f"has no labels for dimension {dim!r}: give coords"


def _holds_numbers(dtype: Any) -> bool:
    try:
        return np.dtype(dtype).kind in NUMBERS
    except TypeError:  # no type at all
        return False


def _is_domain(output: Output) -> bool:
    """Whether the domain is one that an output of whole numbers may have."""
    domain = output.domain
    if not isinstance(domain, range) or domain.step != 1 or len(domain) == 0:
        return False
    return np.dtype(output.dtype).kind in WHOLE_NUMBERS and output.support is None


def run(
    estimator: Estimator, layouts: Layouts, question: Question
) -> dict[str, NDArray[Any]]:
    """The outputs of an estimator for each layout, by name.

    Checked against what it declares, and cast to the declared types.
    """
    n = len(layouts)
    with attributed(estimator, f"{n} layouts"):
        arrays = estimator.estimate(layouts, question)
    if not isinstance(arrays, Mapping):
        raise _broken(estimator, "result", "a mapping of arrays", type(arrays).__name__)
    declared = {output.name for output in estimator.outputs}
    if set(arrays) != declared:
        got = str(sorted(map(str, arrays)))
        raise _broken(estimator, "result", f"outputs {sorted(declared)}", got)
    return {
        output.name: _checked(estimator, output, arrays[output.name], n)
        for output in estimator.outputs
    }


def run_exact(
    estimator: Estimator, constraints: Constraints, question: Question, total: int
) -> dict[str, tuple[int, NDArray[Any]]]:
    """The exact distributions that an estimator can count, by output.

    Each is a lowest value and counts of layouts from there on, checked to be of a
    declared output and to add up to ``total``.
    """
    if not isinstance(estimator, ExactEstimator):
        return {}
    with attributed(estimator, "the distribution of all layouts"):
        distributions: Any = estimator.distribution(constraints, question)
    if distributions is None:
        return {}
    whole_outputs = {
        output.name: output
        for output in estimator.outputs
        if np.dtype(output.dtype).kind in WHOLE_NUMBERS
    }
    expected = f"some of the integer outputs {sorted(whole_outputs)}"
    if not isinstance(distributions, Mapping):
        got = type(distributions).__name__
        raise _broken(estimator, "distribution", expected, got)
    if not set(distributions) <= set(whole_outputs):
        got = str(sorted(map(str, distributions)))
        raise _broken(estimator, "distribution", expected, got)
    return {
        name: _checked_counts(estimator, whole_outputs[name], pair, total)
        for name, pair in distributions.items()
    }


@contextmanager
def attributed(estimator: Estimator, work: str) -> Iterator[None]:
    """Name the estimator in whatever goes wrong inside.

    Also when it tries to end the process.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        if (
            isinstance(error, PluginError)
            and error.data.get("plugin") == estimator.name
        ):
            raise
        words = f"estimator {estimator.name!r} raised {raised(error, work)}"
        raise PluginError(words, plugin=estimator.name) from error


def _checked_counts(
    estimator: Estimator, output: Output, answer: Any, total: int
) -> tuple[int, NDArray[Any]]:
    """An output's lowest value, and whole counts of layouts by value from there on.

    ``answer`` is what the estimator gave, which may be anything. In every cell (number
    of the output) the counts must add up to ``total``, all layouts.
    """
    try:
        lowest = index(answer[0])
        counts = np.asarray(answer[1], dtype=object)  # Python integers: they pass 2⁶³
        cells = counts.reshape(-1, counts.shape[-1])
        adds_up = all(sum(cell) == total and min(cell) >= 0 for cell in cells)
        is_sound = counts.shape[:-1] == output.shape and adds_up
    except (TypeError, ValueError, IndexError, KeyError):
        is_sound = False
    if not is_sound:
        shape = (*output.shape, "values")
        expected = f"a lowest value and counts of shape {shape} that add up to {total}"
        raise _broken(estimator, output.name, expected, shorten(answer))
    return lowest, counts


def _checked(estimator: Estimator, output: Output, values: Any, n: int) -> NDArray[Any]:
    """The values of an output for n layouts, in the declared type.

    Refuses another shape, values that the type cannot hold or that are not finite, and,
    for an output with a ``support`` (a distribution for each layout), what are no
    probabilities.
    """
    shape = (n, *output.returned)
    try:
        array = np.asarray(values)
    except ValueError:
        got = "rows of different lengths"
        raise _broken(estimator, output.name, f"shape {shape}", got) from None
    if array.shape != shape:
        raise _broken(estimator, output.name, f"shape {shape}", f"{array.shape}")
    cast = _cast(estimator, output, array)
    if cast.dtype.kind == "f":
        row = _first_row(~np.isfinite(cast))
        if row is not None:
            got = f"{cast[row]} for layout {row}"
            raise _broken(estimator, output.name, "finite numbers", got)
    if output.support is not None:
        row = _first_row(~_are_probabilities(cast))
        if row is not None:
            expected = "probabilities that add up to 1"
            got = f"{cast[row]} for layout {row}"
            raise _broken(estimator, output.name, expected, got)
    return cast


def _cast(estimator: Estimator, output: Output, array: NDArray[Any]) -> NDArray[Any]:
    """The array in the declared type, which must hold its values."""
    dtype = np.dtype(output.dtype)
    is_whole = dtype.kind in WHOLE_NUMBERS
    kind = array.dtype.kind
    if kind not in NUMBERS or (is_whole and kind == "f"):
        raise _broken(estimator, output.name, f"type {dtype}", f"{array.dtype}")
    # What does not fit becomes infinite, and is reported as such.
    with np.errstate(over="ignore"):
        cast = array.astype(dtype, copy=False)
    if is_whole and cast is not array and (cast != array).any():
        got = f"{array.min()} … {array.max()}"
        raise _broken(estimator, output.name, f"values within {dtype}", got)
    return cast


def _are_probabilities(chances: NDArray[Any]) -> NDArray[np.bool_]:
    """(…) whether chances along the last axis are a distribution."""
    totals = chances.sum(axis=-1, dtype=np.float64)
    add_up = np.abs(totals - 1.0) <= MOST_ROUNDING
    return np.asarray(add_up & (chances >= 0).all(axis=-1))


def _first_row(flags: NDArray[np.bool_]) -> int | None:
    """The number of the first row in which a flag is set, ``None`` without one."""
    if not flags.any():
        return None
    return int(np.argwhere(flags)[0][0])


def _broken(estimator: Estimator, output: str, expected: str, got: str) -> PluginError:
    """The error for an answer that is not what was declared."""
    words = f"estimator {estimator.name!r}, {output}: expected {expected}, got {got}"
    return PluginError(
        words, plugin=estimator.name, output=output, expected=expected, got=got
    )
