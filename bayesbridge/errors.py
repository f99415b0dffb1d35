"""What goes wrong, said in one line: what, where, and how to fix it; every error is a
:class:`BayesBridgeError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from operator import index
from typing import Any, Final, cast

LONGEST_VALUE: Final = 60  # characters of a refused value that a message shows
LONGEST_PATH: Final = 255  # of one that may be the name of a file

QUOTED: Final = re.compile(r"(?<!\w)(['\"])(?:\\.|(?!\1).)*\1")
UNBROKEN: Final = re.compile(r"[^\s'\"]+")


class BayesBridgeError(ValueError):
    """Base of all errors of the package; ``data`` holds what the message speaks of.

    The message is one line, in which over-long values are cut: ``data`` has them whole.

    >>> from bayesbridge.game.cards import Card
    >>> try:
    ...     Card.of("H11")
    ... except BayesBridgeError as error:
    ...     error.data
    {'text': 'H11'}
    """

    def __init__(self, message: str, **data: Any) -> None:
        line = " ".join(message.split("\n")) if "\n" in message else message
        super().__init__(with_short_values(line))
        self.data = data


class BayesBridgeWarning(UserWarning):
    """An answer to be wary of: few effective draws, weights that deceive, a call that
    no hand explains.
    """


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """A question about the nearest of the names that are known, with a blank after it;
    nothing where none is near.

    >>> did_you_mean("captur", ["capture", "tricks"]), did_you_mean("x", ["capture"])
    ("did you mean 'capture'? ", '')
    """
    from difflib import get_close_matches

    if len(text) > LONGEST_VALUE:
        return ""
    names = list(known)
    near = get_close_matches(text, names, 1) or get_close_matches(
        text.lower(), names, 1
    )
    return f"did you mean {near[0]!r}? " if near else ""


class NotationError(BayesBridgeError):
    """A text is not the card, hand, seat, call or document it should be;
    ``data['text']`` quotes it.
    """


class DealError(BayesBridgeError):
    """Cards that cannot lie so: twice in one place, in two places, or too many for a
    hand.
    """


class IllegalCall(BayesBridgeError):
    """A call that the auction so far does not allow."""


class IllegalPlay(BayesBridgeError):
    """A card that the trick so far does not allow."""


class Contradiction(BayesBridgeError):
    """Evidence that cannot hold together; ``data['evidence']`` is a smallest set of
    pieces in conflict.
    """


class TooManyLayouts(BayesBridgeError):
    """An exact engine was asked for more layouts than it can walk; ``data['layouts']``
    is how many there are.
    """


class TablesTooLarge(BayesBridgeError):
    """Exact tables would take too much memory or time; ``data['needed']`` is how many
    entries or products.
    """


class TooFewDraws(BayesBridgeError):
    """Weighted draws cannot state their own error; ``data['worth']`` is their effective
    sample size.
    """


class PluginError(BayesBridgeError):
    """An estimator or a model broke its contract; ``data`` names plugin, output,
    expected and got.
    """


class WrongArgument(BayesBridgeError, TypeError):
    """An argument of the wrong type, a ``TypeError`` too; ``data`` holds its name and
    the value.
    """


class Unwritable(BayesBridgeError):
    """A file that cannot be written although its name is good, as on a full disk;
    ``data['path']`` says which.
    """


def caused_by_interrupt(error: BaseException) -> bool:
    """Whether a ``KeyboardInterrupt`` lies behind an error: a compiler may wrap it in
    an exception of its own.
    """
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__cause__ or seen.__context__
    return seen is not None


def raised(error: BaseException, work: str = "") -> str:
    """What a plugin's own code, the first outside of this package, raised: ``TypeError:
    no card (at mine.py:12)``.
    """
    import importlib
    import traceback
    from pathlib import Path

    ours = Path(__file__).parent, Path(importlib.__file__).parent
    lines = [
        (Path(frame.f_code.co_filename), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    foreign = [
        (path, line)
        for path, line in lines
        if path.is_absolute() and not {*ours} & {*path.parents}
    ]
    own = [(path, line) for path, line in foreign if path == foreign[0][0]]
    where = f" (at {own[-1][0]}:{own[-1][1]})" if own else ""
    return f"{type(error).__name__}{work and f' on {work}'}: {' '.join(str(error).split())}{where}"


@contextmanager
def naming(who: str) -> Iterator[None]:
    """Let what somebody else's code raises name it, with the file and line of that
    code.
    """
    try:
        yield
    except BayesBridgeError:  # it may refuse by itself
        raise
    except Exception as error:
        raise PluginError(f"{who} raised {raised(error)}") from error


@contextmanager
def located(where: str) -> Iterator[None]:
    """Say of what is refused inside where it was written."""
    try:
        yield
    except BayesBridgeError as error:
        raise NotationError(f"{where}: {error}") from None


def shorten(value: object) -> str:
    """The value as Python writes it, on one line and not too long."""
    return cut(" ".join(repr(value).split()))


def with_short_values(line: str) -> str:
    """The line with every value in it cut: what is quoted, and what has no blank.

    >>> len(with_short_values(f"unknown seat {'N' * 9999!r}: write N, E, S or W"))
    93
    """
    if len(line) <= LONGEST_VALUE:
        return line
    for values in (QUOTED, UNBROKEN):
        line = values.sub(lambda value: cut(value[0]), line)
    return line


def cut(text: str) -> str:
    """A text of at most ``LONGEST_VALUE`` characters, the last of them an ellipsis where
    it is cut; a quotation keeps its marks. The name of a file stays as it is.
    """
    longest = LONGEST_PATH if "/" in text or "\\" in text else LONGEST_VALUE
    if len(text) <= longest:
        return text
    mark = text[-1] if text[0] in "'\"" else ""
    return f"{text[: LONGEST_VALUE - 1 - len(mark)]}…{mark}"


def name_of(thing: object) -> str:
    """The thing as Python writes it, or the name of its class where Python would write
    an address.
    """
    kind = type(thing)
    return (
        f"{kind.__module__}.{kind.__qualname__}"
        if kind.__repr__ is object.__repr__
        else shorten(thing)
    )


def whole(value: object, what: str) -> int:
    """A whole number as a Python int; constructors that must stay quick ask only for
    what is not an int yet.
    """
    try:
        return index(cast(int, value))
    except TypeError:
        raise WrongArgument(
            f"{what} {shorten(value)}: give a whole number", argument=what, value=value
        ) from None


def one_row(name: str, *arrays: Any) -> None:
    """Refuse arrays of masks that are not (n,), or not all of the same length: a kernel
    would read past their ends.
    """
    if any(array.ndim != 1 or len(array) != len(arrays[0]) for array in arrays):
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise WrongArgument(
            f"{name} of shape {shapes}: give (n,) masks", argument=name, value=arrays
        )


BayesBridgeError.__module__ = (
    "bayesbridge"  # where users find it, and what a traceback says
)
