"""Finds plugins and what they offer; nothing is loaded before somebody asks, and nothing is global.

A plugin that cannot be loaded, misspells a hook or fails when called is reported by name and left out; the others stay.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any, Final

import pluggy

import bayesbridge
from bayesbridge.errors import PluginError
from bayesbridge.estimators import builtin, hookspecs
from bayesbridge.estimators.checked import verify_declaration
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.evidence import BidderModel
from bayesbridge_hands import DISTRIBUTION

BUILTIN: Final = "bayesbridge"
"""The name under which the built-ins are registered."""

GIVEN: Final = "given by the caller"
"""The distribution of a plugin that is not installed."""

PATIENCE: Final = 10.0
"""Seconds after which it is said which plugin is being waited for."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """Where a plugin comes from, what it offers, and what went wrong with it."""

    name: str
    distribution: str
    version: str
    estimators: tuple[str, ...] = ()
    bidders: tuple[str, ...] = ()
    failure: str | None = None

    @property
    def installed(self) -> bool:
        """Whether another process finds it too."""
        return self.distribution != GIVEN


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything offered, by name."""

    estimators: dict[str, Estimator]
    bidders: dict[str, BidderModel]
    plugins: tuple[Plugin, ...]

    def estimator(self, name: str) -> Estimator:
        """An estimator by name."""
        return _lookup("estimator", name, self.estimators, self.plugins)

    def bidder(self, name: str) -> BidderModel:
        """A bidder model by name."""
        return _lookup("bidder model", name, self.bidders, self.plugins)

    def owner(self, estimator: Estimator) -> Plugin | None:
        """The plugin that offers this very estimator."""
        return next(
            (
                one
                for one in self.plugins
                if self.estimators.get(estimator.name) is estimator and estimator.name in one.estimators
            ),
            None,
        )


def build_manager(
    plugins: Iterable[tuple[str, object]] = (), only: str | None = None
) -> tuple[pluggy.PluginManager, dict[str, str]]:
    """A plugin manager with the built-ins, then every installed plugin, then ``plugins`` given as (name, object).

    Also what went wrong: plugin name → one line. ``only`` leaves all other installed plugins out.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    failures: dict[str, str] = {}
    manager.register(builtin, BUILTIN)
    for entry in sorted(metadata.entry_points(group=hookspecs.PROJECT), key=lambda entry: entry.name):
        if only in (None, entry.name):
            _register(manager, entry.name, entry.load, failures)
    for name, plugin in plugins:
        _register(manager, name, partial(_itself, plugin), failures)
    return manager, failures


def load(plugins: Iterable[tuple[str, object]] = (), only: str | None = None) -> Registry:
    """Ask every plugin what it offers; two plugins that offer the same name are an error that names both."""
    manager, failures = build_manager(plugins, only)
    estimators: dict[str, Estimator] = {}
    bidders: dict[str, BidderModel] = {}
    owners: dict[tuple[str, str], str] = {}
    found: list[Plugin] = []
    for name, plugin in manager.list_name_plugin():
        try:
            with _waiting_for(name):
                own_estimators = _estimators(_offers(manager, plugin, "bayesbridge_estimators", list))
                own_bidders = _bidders(_offers(manager, plugin, "bayesbridge_bidders", dict))
        except (Exception, SystemExit) as error:
            failures[name] = _one_line(error)
            continue
        for kind, offers in (("estimator", own_estimators), ("bidder model", own_bidders)):
            for offer in offers:
                if (kind, offer) in owners:
                    raise PluginError(
                        f"{kind} {offer!r} is offered by both {owners[kind, offer]!r} and {name!r}: rename one",
                        plugins=(owners[kind, offer], name),
                    )
                owners[kind, offer] = name
        estimators |= own_estimators
        bidders |= own_bidders
        found.append(Plugin(name, *_origin(name), tuple(own_estimators), tuple(own_bidders)))
    found += [Plugin(name, *_origin(name), failure=why) for name, why in failures.items()]
    return Registry(estimators, bidders, tuple(found))


def _itself(plugin: object) -> object:
    return plugin


def _register(manager: pluggy.PluginManager, name: str, get: Callable[[], object], failures: dict[str, str]) -> None:
    try:
        with _waiting_for(name):
            plugin = get()
        if manager.is_registered(plugin):
            raise PluginError(f"already registered as {manager.get_name(plugin)!r}: name it once")
    except (Exception, SystemExit) as error:
        failures[name] = _one_line(error)
        return
    try:
        manager.register(plugin, name)
        manager.check_pending()  # a hook that nobody calls is a misspelt one
        if not manager.get_hookcallers(plugin):
            raise PluginError("implements no hook: mark its functions with @bayesbridge.hookimpl")
    except Exception as error:
        failures[name] = _one_line(error)
        if manager.is_registered(plugin):
            manager.unregister(plugin)


@contextmanager
def _waiting_for(name: str) -> Iterator[None]:
    """Say who it is that takes long to load, and in whom an interrupt came."""

    def who() -> str:
        return f"plugin {name!r} ({' '.join(_origin(name)).strip()})"

    remark = threading.Timer(PATIENCE, lambda: print(f"bayesbridge: waiting for {who()} to load", file=sys.stderr))
    remark.daemon = True
    remark.start()
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted while {who()} was loading: if it hangs, remove it") from None
    finally:
        remark.cancel()


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _offers(manager: pluggy.PluginManager, plugin: object, hook: str, collect: type) -> Any:
    """What one plugin alone offers through one hook."""
    # Not by calling the hook, which stops at the first plugin that raises and names none.
    own = [impl for impl in getattr(manager.hook, hook).get_hookimpls() if impl.plugin is plugin]
    offers = own[0].function() if own else None
    return collect() if offers is None else collect(offers)


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


def _origin(name: str) -> tuple[str, str]:
    """Distribution and version that a plugin comes from."""
    if name == BUILTIN:
        return DISTRIBUTION, bayesbridge.__version__
    for entry in metadata.entry_points(group=hookspecs.PROJECT):
        if entry.name == name and entry.dist is not None:
            return entry.dist.name, entry.dist.version
    return GIVEN, ""


def _lookup[T](kind: str, name: str, offers: dict[str, T], plugins: tuple[Plugin, ...]) -> T:
    if name in offers:
        return offers[name]
    broken = "; ".join(f"plugin {plugin.name!r} failed: {plugin.failure}" for plugin in plugins if plugin.failure)
    raise PluginError(
        f"unknown {kind} {name!r}: choose {', '.join(sorted(offers))}{f' ({broken})' if broken else ''}", name=name
    )
