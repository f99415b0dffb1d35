"""Fields of the JSON documents that a page sends.

Each is of the kind that it must be, or the error names it and says what it takes.
"""

from __future__ import annotations

from typing import Any, Final

from bayesbridge.errors import NotationError, shorten

_KINDS: Final = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    dict: "an object",
}


def required[T](document: Any, name: str, kind: type[T]) -> T:
    """The field of an object; ``kind`` is ``str``, ``int``, ``list`` or ``dict``."""
    value = document.get(name) if isinstance(document, dict) else None
    return of_kind(value, name, kind)


def optional[T, D](
    document: dict[str, Any], name: str, kind: type[T], default: D
) -> T | D:
    """The field of an object, ``default`` where it is left out or null."""
    if document.get(name) is None:
        return default
    return required(document, name, kind)


def of_kind[T](value: Any, name: str, kind: type[T]) -> T:
    """The value, if it is of the kind; ``true`` is no whole number here."""
    if type(value) is not kind:
        sent = "" if value is None else f", not {shorten(value)}"
        raise NotationError(f"{name}: send {_KINDS[kind]}{sent}")
    return value


def pairs_of_texts(document: dict[str, Any], name: str) -> list[tuple[str, str]]:
    """A list of pairs of texts, as ``[["void", "E:H"]]``; none where it is left out."""
    items = optional(document, name, list, [])
    for number, item in enumerate(items, 1):
        words = item if isinstance(item, list | tuple) else ()
        if len(words) != 2 or not all(isinstance(word, str) for word in words):
            raise NotationError(
                f"{name}, item {number}: send a pair of texts, "
                f'such as ["void", "E:H"], not {shorten(item)}'
            )
    return [(kind, text) for kind, text in items]
