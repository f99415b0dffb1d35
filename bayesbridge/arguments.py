"""Arguments of public functions are checked against their annotations, at the door and in one line.

``@checked`` goes on a public function, or on a dataclass for its constructor: an argument whose type does not fit is
refused by name before anything else happens. The annotation is the check, so what mypy reads and what callers are told
cannot differ. Only arguments that were given are looked at: a call costs some microseconds more. Whether a *value* of
the right type makes sense (13 cards, a level from 1 to 7) is the business of the function.

A name that is imported for type checkers alone is matched by the name of the class, so nothing is imported to check.
"""

from __future__ import annotations

import builtins
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from functools import wraps
from inspect import Parameter, signature, unwrap
from numbers import Integral, Real
from operator import index
from typing import Any, Final, NoReturn, cast

from bayesbridge.errors import WrongArgument

type Test = Callable[[object], bool]

_WORDS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "True or False",
    "None": "None",
    "Callable": "a function",
    "IO": "an open file",
}
LONGEST_VALUE: Final = 80
"""Letters of a refused value that a message shows."""


def checked[F: Callable[..., Any]](door: F) -> F:
    """The function, or the dataclass, that refuses arguments whose types do not fit its annotations.

    >>> @checked
    ... def deal(cards: int, names: tuple[str, ...] = ()) -> int:
    ...     return cards
    >>> deal("all")
    Traceback (most recent call last):
        ...
    bayesbridge.WrongArgument: deal: cards 'all' is of type str: give a whole number
    """
    if isinstance(door, type):
        kind: Any = door
        kind.__init__ = _guarded(kind.__init__, door.__name__)
        return door
    return cast(F, _guarded(door, door.__qualname__.removesuffix(".__init__")))


def whole(value: object, what: str) -> int:
    """A whole number as a Python int, for constructors that must stay quick: they ask only for what is not an int yet.

    >>> whole(True, "Card: index")
    1
    """
    try:
        return index(cast(int, value))
    except TypeError:
        raise WrongArgument(f"{what} {shorten(value)}: give a whole number", argument=what, value=value) from None


def one_row(name: str, *arrays: Any) -> None:
    """Refuse arrays of masks that are not (n,), or not all of the same length: a kernel would read past their ends."""
    if any(array.ndim != 1 or len(array) != len(arrays[0]) for array in arrays):
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise WrongArgument(f"{name} of shape {shapes}: give (n,) masks", argument=name, value=arrays)


def _guarded(function: Callable[..., Any], where: str) -> Callable[..., Any]:
    parameters = signature(function).parameters.values()
    names = [one.name for one in parameters if one.kind not in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)]
    more = [one.name for one in parameters if one.kind is Parameter.VAR_POSITIONAL]
    tests: dict[str, Test] = {}
    plain: set[str] = set()
    # Types that fit whatever the value is, by parameter: most calls need not look further.
    known: dict[str, set[type]] = {one.name: set() for one in parameters if one.kind is not Parameter.VAR_KEYWORD}

    def look(name: str, value: object) -> None:
        if not tests:
            hints = _hints(function)
            tests.update({one: _test(hints.get(one, Any)) for one in known})
            plain.update(one for one in known if _is_plain(hints.get(one, Any)))
        if not tests[name](value):
            _refuse(function, where, name, value)
        if name in plain:
            known[name].add(type(value))

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        for name, value in zip(names, args, strict=False):
            if type(value) not in known[name]:
                look(name, value)
        for value in args[len(names) :] if more else ():
            look(more[0], value)
        for name, value in named.items():
            if name in known and type(value) not in known[name]:
                look(name, value)
        return function(*args, **named)

    return call


def _refuse(function: Callable[..., Any], where: str, name: str, value: object) -> NoReturn:
    shown = shorten(value)
    raise WrongArgument(
        f"{where}: {name} {shown} is of type {type(value).__name__}: give {_words(_hints(function)[name])}",
        argument=name,
        value=value,
    )


def shorten(value: object) -> str:
    """The value as Python writes it, on one line and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 2]} …"


class _ByName(type):
    """A class that is not loaded: its instances are known by the names of their classes."""

    def __instancecheck__(cls, value: object) -> bool:
        name = cls.__name__.lower()  # NDArray is the alias of ndarray
        return any(base.__name__.lower() == name for base in type(value).__mro__)

    def __getitem__(cls, _: object) -> _ByName:
        return cls

    def __getattr__(cls, name: str) -> _ByName:
        if name.startswith("_"):
            raise AttributeError(name)
        return _ByName(name, (), {})


class _Names(dict[str, Any]):
    """What annotations of a function may speak of; a name that is not loaded stands for a class of that name."""

    def __missing__(self, name: str) -> Any:
        if name.startswith("_"):
            raise KeyError(name)
        return getattr(builtins, name) if hasattr(builtins, name) else _ByName(name, (), {})


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    names = _Names(unwrap(function).__globals__)
    hints = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    return {name: eval(hint, {}, names) if isinstance(hint, str) else hint for name, hint in hints.items()}


def _always(_: object) -> bool:
    return True


def _parts(hint: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    """An annotation with its aliases resolved, its outer type (``None`` for a plain class) and what stands inside."""
    while True:
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if isinstance(hint, typing.TypeAliasType):
            hint = hint.__value__
        elif isinstance(origin, typing.TypeAliasType):
            hint = origin.__value__[parts]
        else:
            return hint, origin, parts


def _test(hint: Any) -> Test:
    """Whether a value fits an annotation."""
    hint, origin, parts = _parts(hint)
    if origin in (typing.Union, types.UnionType):
        return _either([_test(part) for part in parts])
    if origin is typing.Literal:
        return lambda value: value in parts
    if origin is not None:
        return _test_of_parts(origin, parts)
    if hint is None or hint is types.NoneType:
        return lambda value: value is None
    if hint is bool:
        return lambda value: type(value).__name__ in ("bool", "bool_")
    if hint is Any or not isinstance(hint, type):
        return _always  # the variables of generics are no types
    kind: type = {int: Integral, float: Real}.get(hint, hint)
    return lambda value: isinstance(value, kind)


def _is_plain(hint: Any) -> bool:
    """Whether the type of a value alone decides: there are no parts to look at."""
    _, origin, parts = _parts(hint)
    return origin is None or (origin in (typing.Union, types.UnionType) and all(map(_is_plain, parts)))


def _test_of_parts(origin: Any, parts: tuple[Any, ...]) -> Test:
    """Of a tuple the elements are looked at too, of a sequence as well; of an array the type of its elements."""
    if origin is typing.IO:
        return lambda value: hasattr(value, "read") or hasattr(value, "write")
    if origin.__name__ == "ndarray":
        wanted = typing.get_args(parts[1])
        return lambda value: isinstance(value, origin) and _numbers(value.dtype, wanted[0] if wanted else None)
    if origin is tuple and parts[-1:] != (...,):
        tests = [_test(part) for part in parts]
        return lambda value: isinstance(value, tuple) and len(value) == len(tests) and all(map(_ask, tests, value))
    if issubclass(origin, Sequence):
        element, plain, known = _test(parts[0]), _is_plain(parts[0]), set[type]()

        def all_fit(value: Any) -> bool:
            if not isinstance(value, origin) or isinstance(value, str | bytes):
                return False
            if known.issuperset(map(type, value)):
                return True
            if fits := all(map(element, value)):
                known.update(map(type, value) if plain else ())
            return fits

        return all_fit
    if origin is Iterable:
        part = _test(parts[0])
        return lambda value: isinstance(value, Iterable) and (not isinstance(value, Sized) or all(map(part, value)))
    return lambda value: isinstance(value, origin)


def _ask(test: Test, value: object) -> bool:
    return test(value)


def _either(tests: list[Test]) -> Test:
    return lambda value: any(test(value) for test in tests)


def _numbers(dtype: Any, wanted: Any) -> bool:
    """Whether an array has the elements wanted; ``None`` and Any stand for all."""
    return not isinstance(wanted, type) or issubclass(dtype.type, wanted)


def _words(hint: Any) -> str:
    """What to give, in words."""
    return " or ".join(dict.fromkeys(_kinds(hint)))


def _kinds(hint: Any) -> Iterator[str]:
    hint, origin, parts = _parts(hint)
    if origin in (typing.Union, types.UnionType):
        for part in parts:
            yield from _kinds(part)
    elif origin is typing.Literal:
        yield from map(repr, parts)
    elif hint is None or hint is types.NoneType:
        yield "None"
    elif origin is not None and origin.__name__ == "ndarray":
        kinds = typing.get_args(parts[1])
        yield f"a NumPy array of {kinds[0].__name__}" if kinds and isinstance(kinds[0], type) else "a NumPy array"
    elif origin is not None and issubclass(origin, Sequence | Mapping):
        inner = " and ".join(_words(part) for part in parts if part is not ... and part is not Any)
        yield f"a {origin.__name__} of {inner}" if inner else f"a {origin.__name__}"
    else:
        name = getattr(origin or hint, "__name__", str(hint))
        yield _WORDS.get(name, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")
