"""What one plugin offers through its hooks, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import pluggy

from bayesbridge.errors import PluginError
from bayesbridge.estimators import hookspecs
from bayesbridge.estimators.checked import verify_declaration
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.evidence import BidderModel


class Offers(NamedTuple):
    """Estimators and bidder models by name."""

    estimators: dict[str, Estimator]
    bidders: dict[str, BidderModel]


def offers_of(plugin: object) -> Offers:
    """Call the hooks of a plugin; raises where it misspells one, has none, or offers something else."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    manager.check_pending()  # a hook that nobody calls is a misspelt one
    if not manager.get_hookcallers(plugin):
        raise PluginError("implements no hook: mark its functions with @bayesbridge.hookimpl")
    return Offers(
        _estimators(_offered(manager, "bayesbridge_estimators", list)),
        _bidders(_offered(manager, "bayesbridge_bidders", dict)),
    )


def with_settings(model: BidderModel, settings: Mapping[str, Any]) -> BidderModel:
    """The model with other values of its fields; :class:`TypeError` where it has no such field."""
    if not settings:
        return model
    anything: Any = model
    # What copy.replace calls, from Python 3.13 on.
    replace = getattr(model, "__replace__", None)
    changed: BidderModel = replace(**settings) if replace is not None else dataclasses.replace(anything, **settings)
    return changed


def _offered(manager: pluggy.PluginManager, hook: str, collect: type) -> Any:
    found = getattr(manager.hook, hook)()  # one answer of each plugin that does not say None, and there is one plugin
    return collect(found[0]) if found else collect()


def _estimators(offers: list[object]) -> dict[str, Estimator]:
    """Offers by name, each of them an estimator."""
    named: dict[str, Estimator] = {}
    for offer in offers:
        if not isinstance(offer, Estimator) or isinstance(offer, type) or not isinstance(offer.name, str):
            raise PluginError(f"{offer!r} is no estimator: it needs name, outputs and estimate(layouts, question)")
        if offer.name in named:
            raise PluginError(f"estimator {offer.name!r} is offered twice: rename one")
        verify_declaration(offer)
        named[offer.name] = offer
    return named


def _bidders(offers: dict[object, object]) -> dict[str, BidderModel]:
    """Offers by name, each of them a bidder model."""
    named: dict[str, BidderModel] = {}
    for name, offer in offers.items():
        if not isinstance(offer, BidderModel) or isinstance(offer, type) or not isinstance(name, str):
            raise PluginError(f"{name!r}: {offer!r} is no bidder model: it needs log_likelihood(hands, auction, index)")
        named[name] = offer
    return named
