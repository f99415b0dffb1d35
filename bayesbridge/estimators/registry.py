"""Finds plugins and what they offer; nothing is loaded before somebody asks, and nothing is global.

Plugins are code that the user installed: they are imported here and run in this process. A plugin that cannot be
loaded, misspells a hook or fails when called is reported by name and left out; the others stay. A name that two plugins
offer belongs to neither: an error names both. Names of the built-ins stay theirs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Final, Literal, NamedTuple

import pluggy

import bayesbridge
from bayesbridge.errors import PluginError, raised_at
from bayesbridge.estimators import builtin, hookspecs
from bayesbridge.estimators.hookspecs import PROJECT
from bayesbridge.estimators.protocol import Estimator, verify_declaration
from bayesbridge.evidence import BidderModel

BUILTIN: Final = "bayesbridge"
"""The name under which the built-ins are registered."""

DISTRIBUTION: Final = "bayesbridge-hands"
"""What ``pip`` and ``importlib.metadata`` call this project."""


class Entry(NamedTuple):
    """An entry point of a distribution, as its metadata tells."""

    name: str
    value: str
    distribution: str
    version: str


@dataclass(frozen=True, slots=True)
class Plugin:
    """Where a plugin comes from, what it offers, and what is wrong with it."""

    name: str
    distribution: str
    version: str
    estimators: tuple[str, ...] = ()
    bidders: tuple[str, ...] = ()
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything offered, by name."""

    estimators: dict[str, Estimator]
    bidders: dict[str, BidderModel]
    plugins: tuple[Plugin, ...]
    disputed: dict[tuple[str, str], str] = field(default_factory=dict)
    """Kind and name of what several plugins offer, and the line that names them."""

    def estimator(self, name: str) -> Estimator:
        """An estimator by name."""
        return self._lookup("estimator", name, self.estimators)

    def bidder(self, name: str) -> BidderModel:
        """A bidder model by name."""
        return self._lookup("bidder model", name, self.bidders)

    def _lookup[T](self, kind: str, name: str, offers: dict[str, T]) -> T:
        if name in offers:
            return offers[name]
        if (kind, name) in self.disputed:
            raise PluginError(self.disputed[kind, name], name=name)
        failed = [f"plugin {plugin.name!r} failed: {plugin.failure}" for plugin in self.plugins if plugin.failure]
        broken = f" ({'; '.join(failed)})" if failed else ""
        raise PluginError(f"unknown {kind} {name!r}: choose {', '.join(sorted(offers))}{broken}", name=name)


def offered(kind: Literal["estimators", "bidders"], names: Collection[str]) -> Registry:
    """A registry that has the names, if anything has: the built-ins alone where these are enough, else all plugins."""
    own = load(installed=False)
    return own if all(name in getattr(own, kind) for name in names) else load()


def load(plugins: Iterable[tuple[str, object]] = (), *, installed: bool = True) -> Registry:
    """Import every installed plugin here, then take ``plugins`` given as (name, object), and ask what they offer.

    ``installed=False`` leaves out what is installed: then there are the built-ins and what is given.
    """
    own = Entry(BUILTIN, builtin.__name__, DISTRIBUTION, bayesbridge.__version__)
    found: list[tuple[Entry, Offers | str]] = [(own, offers_of(builtin))]
    seen: list[tuple[str, object]] = []
    sources = [(entry, None) for entry in entries()] if installed else []
    for entry, given in [*sources, *((Entry(name, "", "given by the caller", ""), plugin) for name, plugin in plugins)]:
        try:
            plugin = metadata.EntryPoint(entry.name, entry.value, PROJECT).load() if given is None else given
            if first := [name for name, other in seen if other is plugin]:
                raise PluginError(f"already registered as {first[0]!r}: name it once")
            seen.append((entry.name, plugin))
            found.append((entry, offers_of(plugin)))
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {' '.join(str(error).split())}"
            found.append((entry, f"{what}{raised_at(error)}"))
    return merged(found)


def entries() -> tuple[Entry, ...]:
    """The entry points of all installed plugins, by name, from their metadata: nothing of theirs is imported."""
    found = []
    for entry in metadata.entry_points(group=PROJECT):
        about: Any = {}
        with suppress(ValueError, OSError, AttributeError):  # metadata that cannot be read
            about = entry.dist.metadata  # type: ignore[union-attr]
        origin = (str(about[key]) if key in about else "" for key in ("Name", "Version"))
        found.append(Entry(entry.name, entry.value, *origin))
    return tuple(sorted(set(found)))


def merged(found: Iterable[tuple[Entry, Offers | str]]) -> Registry:
    """One registry of what plugins offer, the built-ins first; a text is what went wrong with a plugin.

    What several plugins offer is a failure of them, not of the built-ins.
    """
    first: dict[str, Entry] = {}
    sound: list[tuple[Entry, Offers, str]] = []
    owners: dict[tuple[str, str], list[str]] = {}
    for entry, offers in found:
        if first.setdefault(entry.name, entry) is not entry:
            offers = f"the name {entry.name!r} is that of a plugin of {first[entry.name].distribution} too: rename one"
        own, failure = (Offers({}, {}), offers) if isinstance(offers, str) else (offers, "")
        sound.append((entry, own, failure))
        for kind, names in (("estimator", own.estimators), ("bidder model", own.bidders)):
            for name in names:
                owners.setdefault((kind, name), []).append(entry.name)
    disputed = {
        (kind, name): f"{kind} {name!r} is offered by both {' and '.join(map(repr, names))}: rename one"
        for (kind, name), names in owners.items()
        if len(names) > 1
    }
    estimators: dict[str, Estimator] = {}
    bidders: dict[str, BidderModel] = {}
    plugins: list[Plugin] = []
    for entry, own, failure in sound:
        lost = {} if entry.name == BUILTIN else disputed
        mine = {name: one for name, one in own.estimators.items() if ("estimator", name) not in lost}
        models = {name: one for name, one in own.bidders.items() if ("bidder model", name) not in lost}
        claims = [*(("estimator", name) for name in own.estimators), *(("bidder model", name) for name in own.bidders)]
        why = failure or next((lost[claim] for claim in claims if claim in lost), None)
        plugins.append(Plugin(entry.name, entry.distribution, entry.version, tuple(mine), tuple(models), why))
        estimators |= mine
        bidders |= models
    return Registry(estimators, bidders, tuple(plugins), disputed)


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
        raise PluginError("implements no hook: mark its functions with @bayesbridge.plugins.hookimpl")
    estimators: dict[str, Estimator] = {}
    # One answer of each plugin that does not say None, and there is one plugin.
    for offer in next(iter(manager.hook.bayesbridge_estimators()), ()):
        if not isinstance(offer, Estimator) or isinstance(offer, type) or not isinstance(offer.name, str):
            raise PluginError(f"{offer!r} is no estimator: it needs name, outputs and estimate(layouts, question)")
        if offer.name in estimators:
            raise PluginError(f"estimator {offer.name!r} is offered twice: rename one")
        verify_declaration(offer)
        estimators[offer.name] = offer
    bidders: dict[Any, Any] = dict(next(iter(manager.hook.bayesbridge_bidders()), {}))
    for name, model in bidders.items():
        if not isinstance(model, BidderModel) or isinstance(model, type) or not isinstance(name, str):
            raise PluginError(f"{name!r}: {model!r} is no bidder model: it needs log_likelihood(hands, auction, index)")
    return Offers(estimators, bidders)


def with_settings(model: BidderModel, settings: Mapping[str, Any]) -> BidderModel:
    """The model with other values of its fields; :class:`TypeError` where it has no such field."""
    if not settings:
        return model
    anything: Any = model
    # What copy.replace calls, from Python 3.13 on.
    replace = getattr(model, "__replace__", None)
    changed: BidderModel = replace(**settings) if replace is not None else dataclasses.replace(anything, **settings)
    return changed
