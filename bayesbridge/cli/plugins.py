"""``bayesbridge plugins``: estimators and bidder models, and where each comes from."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from bayesbridge.cli import screens
from bayesbridge.cli.terminal import terminal_width
from bayesbridge.display.markup import Table
from bayesbridge.estimators.registry import Plugin, Registry, load

NARROWEST_GIVES: Final = 20
"""Characters that the column of what a plugin gives has at least."""

WIDTH_OF_GAPS: Final = 4
"""Characters between the three columns of a table, where they stand close."""

KINDS: Final = {
    "estimators": "Estimators (--estimator NAME)",
    "bidders": "Bidder models (--bidder NAME)",
}
"""The titles of the tables, by their keys in the document."""


def run(args: Namespace) -> int:
    """Print what is offered, what is broken, and what offers nothing."""
    document = registry_document(load())
    parts: list[screens.Part] = [
        offers_table(title, document[kind]) for kind, title in KINDS.items()
    ]
    for name, failed in document["failures"].items():
        parts.append(
            f"Plugin {name!r} of {source(failed)} is broken: {failed['failure']}"
        )
    for name, origin in document["empty"].items():
        parts.append(
            f"Plugin {name!r} of {source(origin)} offers nothing as it is set up: see "
            "its own documentation."
        )
    return screens.present(args, document, *parts)


def registry_document(registry: Registry) -> dict[str, dict[str, Any]]:
    """All that plugins offer, as plain data."""
    document: dict[str, dict[str, Any]] = {
        "estimators": {},
        "bidders": {},
        "failures": {},
        "empty": {},
    }
    for plugin in registry.plugins:
        origin = {
            "plugin": plugin.name,
            "distribution": plugin.distribution,
            "version": plugin.version,
        }
        for name in plugin.estimators:
            estimator = registry.estimators[name]
            outputs = {output.name: output.doc for output in estimator.outputs}
            offer = {**origin, "doc": first_sentence(estimator), "outputs": outputs}
            document["estimators"][name] = offer
        for name in plugin.bidders:
            offer = {**origin, "doc": first_sentence(registry.bidders[name])}
            document["bidders"][name] = offer
        if plugin.failure is not None:
            key = failure_key(plugin, document["failures"])
            document["failures"][key] = {**origin, "failure": plugin.failure}
        elif not plugin.estimators and not plugin.bidders:
            document["empty"][plugin.name] = origin
    return document


def failure_key(plugin: Plugin, failures: Mapping[str, Any]) -> str:
    """The name of a broken plugin; with its distribution where two have the name."""
    if plugin.name in failures:
        return f"{plugin.name} ({plugin.distribution})"
    return plugin.name


def offers_table(title: str, offers: Mapping[str, Mapping[str, Any]]) -> Table:
    """The table of the estimators, or of the bidder models: rows for each, by name.

    ``offers[name]`` is the plain data about one: the plugin it comes from, ``doc`` (a
    sentence about it), and of an estimator its ``outputs`` by name. The last column has
    the names of the outputs, else the sentence, on as many lines as it needs.
    """
    sources = {name: source(offer) for name, offer in offers.items()}
    names_width = max(map(len, sources))
    sources_width = max(map(len, sources.values()))
    width_left = terminal_width() - names_width - sources_width - WIDTH_OF_GAPS
    gives_width = max(NARROWEST_GIVES, width_left)
    rows: list[Sequence[str]] = []
    for name, offer in offers.items():
        output_names = ", ".join(offer.get("outputs", ()))
        # An empty text has no line: its row has an empty cell.
        gives_lines = wrap(output_names or offer["doc"], gives_width) or [""]
        rows.append([name, sources[name], gives_lines[0]])
        rows += [["", "", line] for line in gives_lines[1:]]
    columns = ["name", "from", "gives"]
    # All columns are words, which stand to the left in them.
    return Table(title, columns, rows, left=len(columns))


def source(offer: Mapping[str, Any]) -> str:
    """The distribution that an offer comes from, with its version."""
    return f"{offer['distribution']} {offer['version']}".strip()


def first_sentence(offer: object) -> str:
    """The first paragraph of the docstring of an offer, as plain text."""
    paragraph = (type(offer).__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.split()).replace("``", "")
