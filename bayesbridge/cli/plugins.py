"""``bayesbridge plugins``: estimators and bidder models, and where each comes from."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from bayesbridge.cli.options import Subparsers, add_command
from bayesbridge.cli.screens import print_json, print_table, say


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    add_command(
        commands,
        "plugins",
        "estimators and bidder models, and where each comes from",
        run,
        "bayesbridge plugins --json",
    )


def run(args: Namespace) -> int:
    """List what is installed, and what is broken."""
    from bayesbridge.estimators.registry import load

    registry = load()
    estimators: dict[str, dict[str, Any]] = {}
    bidders: dict[str, dict[str, Any]] = {}
    failures: dict[str, dict[str, Any]] = {}
    empty: dict[str, dict[str, Any]] = {}
    for plugin in registry.plugins:
        origin = {"plugin": plugin.name, "distribution": plugin.distribution, "version": plugin.version}
        for name in plugin.estimators:
            offer = registry.estimators[name]
            outputs = {output.name: output.doc for output in offer.outputs}
            estimators[name] = {**origin, "doc": _sentence(offer), "outputs": outputs}
        for name in plugin.bidders:
            bidders[name] = {**origin, "doc": _sentence(registry.bidders[name])}
        if plugin.failure is not None:
            key = plugin.name if plugin.name not in failures else f"{plugin.name} ({plugin.distribution})"
            failures[key] = {**origin, "failure": plugin.failure}
        elif not plugin.estimators and not plugin.bidders:
            empty[plugin.name] = origin
    if args.json:
        print_json({"estimators": estimators, "bidders": bidders, "failures": failures, "empty": empty})
        return 0
    _show("Estimators (--estimator NAME)", estimators)
    _show("Bidder models (--bidder NAME)", bidders)
    for name, failed in failures.items():
        source = f"{failed['distribution']} {failed['version']}".strip()
        say(f"Plugin {name!r} of {source} is broken: {failed['failure']}")
    for name, origin in empty.items():
        source = f"{origin['distribution']} {origin['version']}".strip()
        say(f"Plugin {name!r} of {source} offers nothing as it is set up: see its own documentation.")
    return 0


def _sentence(offer: object) -> str:
    """The first paragraph of its docstring, on one line."""
    return " ".join((type(offer).__doc__ or "").split("\n\n")[0].split())


def _show(title: str, offers: dict[str, dict[str, Any]]) -> None:
    rows = [
        [
            name,
            f"{offer['distribution']} {offer['version']}".strip(),
            ", ".join(offer.get("outputs", ())) or offer["doc"],
        ]
        for name, offer in offers.items()
    ]
    print_table(title, ["name", "from", "gives"], rows, left=3)
