"""Which code this is: the files that a module depends on, and a hash of what stands in them.

Imports are followed from file to file, those inside functions and for type checkers too, so what is left out is what
cannot matter. The hash is taken over syntax trees, so comments, docstrings and layout do not count, and over the data
files of the packages reached.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import pickle
import pickletools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = Path(__file__).parent

type Texts = dict[str, bytes]
"""Module → the text of its file."""


def code_of(*functions: Callable[..., Any]) -> str:
    """A hash of the code that functions run, that of their arguments' classes included where they are partial ones.

    Edits that change no syntax tree (comments, docstrings, layout) leave it as it is, and so does another version
    number. A module of another distribution counts with all files of its package, and then so does all of this one.

    >>> from functools import partial
    >>> code_of(meaning) == code_of(partial(meaning, PACKAGE))
    True
    """
    return meaning(frozenset(module for function in functions for module in _modules(function)))


@functools.cache
def meaning(modules: frozenset[str], package: Path = PACKAGE) -> str:
    """A hash of the syntax trees of modules and of all that they import from the package, and of its data files."""
    texts = _texts(package)
    start = {name for name in modules if name in texts}
    if PACKAGE.name in modules:  # nobody can say from which file: it may be any
        start |= texts.keys()
    foreign: Texts = {}
    for name in modules - start:
        foreign |= _foreign_texts(name)
    if foreign:  # what strangers import as ``bayesbridge`` is loaded by name: it may be anything
        start |= texts.keys()
    reached = _reached(start, texts)
    digest = hashlib.sha256()
    for name, text in (*((name, texts[name]) for name in reached), *sorted(foreign.items())):
        digest.update(f"{name}\0{_tree(text)}\0".encode())
    folders = {name.split(".")[1] for name in reached if "." in name}
    for path in sorted(package.glob("*/data/*")):
        if path.relative_to(package).parts[0] in folders and path.is_file():
            digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _modules(function: Callable[..., Any]) -> Iterator[str]:
    """The modules that another process would load to be given the function."""
    while isinstance(function, functools.partial):
        yield from _classes((function.args, function.keywords))
        function = function.func
    yield function.__module__


def _classes(value: object) -> Iterator[str]:
    """The modules of all classes and functions in a value."""
    try:
        content = pickle.dumps(value, protocol=2)
    except (pickle.PicklingError, TypeError, AttributeError):
        return  # threads alone can run it, and they share its code
    for code, argument, _ in pickletools.genops(content):
        if code.name == "GLOBAL":
            module, _, name = str(argument).partition(" ")
            yield _real_module(module, name)


def _real_module(module: str, name: str) -> str:
    """Where a class or function is written; public ones say that they belong to the package itself."""
    if module != PACKAGE.name:
        return module
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    inner = (found, *vars(found).values()) if isinstance(found, type) else (found,)
    homes = (getattr(inspect.unwrap(one), "__globals__", {}).get("__name__", "") for one in inner if callable(one))
    return next((home for home in homes if home.startswith(f"{PACKAGE.name}.")), module)


def _texts(package: Path) -> Texts:
    """Every file of a package but its own ``__init__``, which holds no more than names and the version."""
    own = package / "__init__.py"
    return {_module(package, path): path.read_bytes() for path in sorted(package.rglob("*.py")) if path != own}


def _foreign_texts(name: str) -> Texts:
    """The files of the distribution that a module belongs to; none for one without a file, or for a library."""
    if name.partition(".")[0] in _LIBRARIES:
        return {}
    top = getattr(sys.modules.get(name.partition(".")[0]), "__file__", None)
    file = top or getattr(sys.modules.get(name), "__file__", None)
    if not file or not file.endswith(".py"):
        return {}
    path = Path(file)
    if path.name == "__init__.py":
        return _texts(path.parent) | {path.parent.name: path.read_bytes()}
    return {path.stem: path.read_bytes()}


def _reached(start: Iterable[str], texts: Texts) -> list[str]:
    """The modules themselves and all that they import, directly or not, by name."""
    seen: set[str] = set()
    left = set(start)
    while left:
        seen |= left
        left = {target for name in left for target in _targets(texts[name], texts)} - seen
    return sorted(seen)


_LIBRARIES: Final = sys.stdlib_module_names | {"numpy"}
"""Packages whose code is not looked at: they promise the same numbers from one version to the next."""

_IMPORT: Final = re.compile(
    rb"^[ \t]*(?:from[ \t]+(bayesbridge[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+(bayesbridge[^\n]*))",
    re.MULTILINE,
)
_WORD: Final = re.compile(rb"\w+")
_NAME: Final = re.compile(rb"bayesbridge[\w.]*")


def _targets(text: bytes, texts: Mapping[str, bytes]) -> set[str]:
    """Modules that a file imports, and the packages they lie in.

    A package that loads its names when they are used does not say from where: one such name counts as all of it.
    """
    found = set[str]()
    for source, names, plain in _IMPORT.findall(text):
        if plain:
            found.update(name.decode() for name in _NAME.findall(plain))
            continue
        module = source.decode()
        inside = {f"{module}.{name.decode('utf-8', 'replace')}" for name in _WORD.findall(names)}
        found |= {module, *inside}
        if b"attach_stub" in texts.get(module, b"") and not inside <= texts.keys():
            found.update(name for name in texts if name.startswith(f"{module}."))
    return {
        target
        for name in found
        for target in (".".join(name.split(".")[:n]) for n in range(2, name.count(".") + 2))
        if target in texts
    }


def _tree(text: bytes) -> str:
    """The syntax tree of a file in one line, without docstrings."""
    words: list[str] = []

    def put(node: object) -> None:
        if isinstance(node, ast.AST):
            words.append(type(node).__name__)
            for field in node._fields:
                value = getattr(node, field, None)
                if value is not None and value != []:
                    words.append(field)
                    put(value)
            words.append(")")
        elif isinstance(node, list):
            for part in node:
                if not _is_remark(part):
                    put(part)
            words.append("]")
        else:
            words.append(repr(node))

    put(ast.parse(text))
    return " ".join(words)


def _is_remark(node: object) -> bool:
    """Whether a statement is a text alone: a docstring, or what is said of a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _module(package: Path, path: Path) -> str:
    return ".".join([package.name, *path.relative_to(package).with_suffix("").parts]).removesuffix(".__init__")
