"""Doctests of public classes run in the module of their file, though the classes say
that they live in bayesbridge.
"""

import ast
import doctest
from pathlib import Path

STUB = ast.parse(
    Path(__file__).with_name("bayesbridge").joinpath("__init__.pyi").read_text("utf-8")
)
HOMES = {
    alias.name: f"bayesbridge.{node.module}"
    for node in STUB.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
belongs = doctest.DocTestFinder._from_module


def _from_module(finder, module, thing):
    if isinstance(thing, type) and thing.__module__ == "bayesbridge":
        return HOMES.get(thing.__name__) == module.__name__
    return belongs(finder, module, thing)


doctest.DocTestFinder._from_module = _from_module
