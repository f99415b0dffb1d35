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

NARROWEST_COLUMN: Final = 20
GAPS: Final = 4
"""Columns between the three columns of a table that is too wide."""

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
    """What is offered: names, sources, and what each gives in as many lines as needed."""
    sources = [source(offer) for offer in offers.values()]
    names_width = max(map(len, offers))
    sources_width = max(map(len, sources))
    room = max(NARROWEST_COLUMN, terminal_width() - names_width - sources_width - GAPS)
    rows: list[Sequence[str]] = []
    for (name, offer), offer_source in zip(offers.items(), sources, strict=True):
        gives = ", ".join(offer.get("outputs", ())) or offer["doc"]
        first, *further = wrap(gives, room) or [""]
        rows.append([name, offer_source, first])
        rows += [["", "", line] for line in further]
    return Table(title, ["name", "from", "gives"], rows, left=3)


def source(offer: Mapping[str, Any]) -> str:
    """The distribution that an offer comes from, with its version."""
    return f"{offer['distribution']} {offer['version']}".strip()


def first_sentence(offer: object) -> str:
    """The first paragraph of the docstring of an offer, as plain text."""
    paragraph = (type(offer).__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.split()).replace("``", "")
