"""What goes wrong, said in one line: what, where, and how to fix it.

Every error is a :class:`BayesBridgeError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from operator import index
from typing import Any, Final, cast

LONGEST_VALUE: Final = 60
"""Characters of a refused value that a message shows."""

LONGEST_PATH: Final = 255
"""Characters of a refused value that may be the name of a file."""

QUOTED: Final = re.compile(r"(?<!\w)(['\"])(?:\\.|(?!\1).)*\1")
"""A text in quotation marks."""

UNBROKEN: Final = re.compile(r"[^\s'\"]+")
"""A word without blanks."""


class BayesBridgeError(ValueError):
    """Base of all errors of the package.

    Parameters
    ----------
    message : str
        What is wrong, where, and how to fix it. It becomes one line, in which over-long
        values are cut.
    **data
        What the message speaks of, whole.

    Attributes
    ----------
    data : dict
        What the message speaks of, by name.

    Examples
    --------
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
    """An answer to be wary of.

    Few effective draws, weights that deceive, a call that no hand explains.
    """


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """A question about the nearest of some names, with a blank after it.

    Nothing where none is near.

    >>> did_you_mean("captur", ["capture", "tricks"]), did_you_mean("x", ["capture"])
    ("did you mean 'capture'? ", '')
    """
    from difflib import get_close_matches

    if len(text) > LONGEST_VALUE:
        return ""
    choices = list(names)
    for word in (text, text.lower()):
        nearest = get_close_matches(word, choices, 1)
        if nearest:
            return f"did you mean {nearest[0]!r}? "
    return ""


class NotationError(BayesBridgeError):
    """A text is not the card, hand, seat, call or document it should be.

    ``data['text']`` quotes it.
    """


class DealError(BayesBridgeError):
    """Cards that cannot lie so.

    A card twice in one place or in two places, or too many for a hand.
    """


class IllegalCall(BayesBridgeError):
    """A call that the auction so far does not allow."""


class IllegalPlay(BayesBridgeError):
    """A card that the trick so far does not allow."""


class Contradiction(BayesBridgeError):
    """Evidence that cannot hold together.

    ``data['evidence']`` is a smallest set of pieces in conflict.
    """


class TooManyLayouts(BayesBridgeError):
    """An exact engine was asked for more layouts than it can walk.

    ``data['layouts']`` is how many there are.
    """


class TablesTooLarge(BayesBridgeError):
    """Exact tables would take too much memory or time.

    ``data['needed']`` is how many entries or products they need.
    """


class TooFewDraws(BayesBridgeError):
    """Weighted draws cannot state their own error.

    ``data['worth']`` is their effective sample size.
    """


class PluginError(BayesBridgeError):
    """An estimator or a model broke its contract.

    ``data`` names the plugin, its output, what was expected and what came.
    """


class WrongArgument(BayesBridgeError, TypeError):
    """An argument of the wrong type, a ``TypeError`` too.

    ``data`` holds its name (``argument``) and its ``value``.
    """


class Unwritable(BayesBridgeError):
    """A file that cannot be written although its name is good, as on a full disk.

    ``data['path']`` says which.
    """


def caused_by_interrupt(error: BaseException) -> bool:
    """Whether a ``KeyboardInterrupt`` lies behind an error.

    A compiler may wrap it in an exception of its own.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def raised(error: BaseException, work: str = "") -> str:
    """What a plugin's own code raised: ``TypeError: no card (at mine.py:12)``.

    ``work`` is what it was asked to do, where that helps.
    """
    error_name = type(error).__name__
    message = " ".join(str(error).split())
    doing = f" on {work}" if work else ""
    return f"{error_name}{doing}: {message}{_plugin_line(error)}"


def _plugin_line(error: BaseException) -> str:
    """The deepest line of the first file outside of this package that an error passed.

    Empty where it passed none.
    """
    import importlib
    import traceback
    from pathlib import Path

    our_folders = {Path(__file__).parent, Path(importlib.__file__).parent}
    plugin_path: Path | None = None
    plugin_line = 0
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        is_ours = not path.is_absolute() or bool(our_folders & {*path.parents})
        if plugin_path is None and not is_ours:
            plugin_path = path
        if path == plugin_path:
            plugin_line = line
    return "" if plugin_path is None else f" (at {plugin_path}:{plugin_line})"


@contextmanager
def naming(who: str) -> Iterator[None]:
    """Let errors of somebody else's code name it, with the file and line of that code.

    Errors of this package are left as they are: the code may refuse by itself.
    """
    try:
        yield
    except BayesBridgeError:
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
    """A text of at most ``LONGEST_VALUE`` characters, cut with an ellipsis.

    A quotation keeps its marks. The name of a file stays as it is.
    """
    longest = LONGEST_PATH if "/" in text or "\\" in text else LONGEST_VALUE
    if len(text) <= longest:
        return text
    mark = text[-1] if text[0] in "'\"" else ""
    return f"{text[: LONGEST_VALUE - 1 - len(mark)]}…{mark}"


def name_of(thing: object) -> str:
    """The thing as Python writes it, cut where it is long.

    The name of its class where Python would write an address.
    """
    kind = type(thing)
    if kind.__repr__ is object.__repr__:
        return f"{kind.__module__}.{kind.__qualname__}"
    return shorten(thing)


def whole(value: object, what: str) -> int:
    """A whole number as a Python int; ``what`` names it in the error.

    Constructors that must stay quick ask only for what is not an int yet.
    """
    try:
        return index(cast(int, value))
    except TypeError:
        raise WrongArgument(
            f"{what} {shorten(value)}: give a whole number", argument=what, value=value
        ) from None


def one_row(name: str, *arrays: Any) -> None:
    """Refuse arrays of masks that are not (n,), or not all of the same length.

    A kernel would read past their ends.
    """
    if any(array.ndim != 1 or len(array) != len(arrays[0]) for array in arrays):
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise WrongArgument(
            f"{name} of shape {shapes}: give (n,) masks", argument=name, value=arrays
        )


# Where users find it, and what a traceback says.
BayesBridgeError.__module__ = "bayesbridge"
