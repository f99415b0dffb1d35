"""Finds plugins and what they offer; nothing is loaded before somebody asks, and nothing is global.

Plugins are code that the user installed: they are imported here and run in this process. A plugin that cannot be
loaded, misspells a hook or fails when called is reported by name and left out; the others stay. A name that two plugins
offer belongs to neither: whoever asks for it is told both. Names of the built-ins stay theirs.
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

GIVEN: Final = "given by the caller"
"""The distribution of a plugin that is not installed."""


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
    found: list[tuple[Entry, Offers | str]] = [built_in()]
    seen: list[tuple[str, object]] = []
    sources = [(entry, None) for entry in entries()] if installed else []
    for entry, given in [*sources, *((Entry(name, "", GIVEN, ""), plugin) for name, plugin in plugins)]:
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
        told: Any = {}
        with suppress(ValueError, OSError, AttributeError):  # metadata that cannot be read
            told = entry.dist.metadata  # type: ignore[union-attr]
        origin = (str(told[key]) if key in told else "" for key in ("Name", "Version"))
        found.append(Entry(entry.name, entry.value, *origin))
    return tuple(sorted(set(found)))


def built_in() -> tuple[Entry, Offers]:
    """What bayesbridge offers itself."""
    return Entry(BUILTIN, builtin.__name__, DISTRIBUTION, bayesbridge.__version__), offers_of(builtin)


def merged(found: Iterable[tuple[Entry, Offers | str]]) -> Registry:
    """One registry of what plugins offer, the built-ins first; a text is what went wrong with a plugin."""
    first: dict[str, Entry] = {}
    sound: list[tuple[Entry, Offers | str]] = []
    claims: dict[tuple[str, str], list[str]] = {}
    for entry, offers in found:
        if first.setdefault(entry.name, entry) is not entry:
            offers = f"the name {entry.name!r} is that of a plugin of {first[entry.name].distribution} too: rename one"
        sound.append((entry, offers))
        for claim in _claims(offers):
            claims.setdefault(claim, []).append(entry.name)
    disputed = {
        (kind, name): f"{kind} {name!r} is offered by both {' and '.join(map(repr, names))}: rename one"
        for (kind, name), names in claims.items()
        if len(names) > 1
    }
    registry = Registry({}, {}, tuple(_plugin(entry, offers, disputed) for entry, offers in sound), disputed)
    for plugin, (_, offers) in zip(registry.plugins, sound, strict=True):
        if isinstance(offers, Offers):
            registry.estimators.update({name: offers.estimators[name] for name in plugin.estimators})
            registry.bidders.update({name: offers.bidders[name] for name in plugin.bidders})
    return registry


def _claims(offers: Offers | str) -> list[tuple[str, str]]:
    """Kind and name of everything that is offered."""
    if isinstance(offers, str):
        return []
    return [("estimator", name) for name in offers.estimators] + [("bidder model", name) for name in offers.bidders]


def _plugin(entry: Entry, offers: Offers | str, disputed: Mapping[tuple[str, str], str]) -> Plugin:
    """A plugin with the names that are its alone; what several offer is a failure of them, not of the built-ins."""
    if isinstance(offers, str):
        return Plugin(entry.name, entry.distribution, entry.version, failure=offers)
    lost = {} if entry.name == BUILTIN else {claim: disputed[claim] for claim in _claims(offers) if claim in disputed}
    return Plugin(
        entry.name,
        entry.distribution,
        entry.version,
        tuple(name for name in offers.estimators if ("estimator", name) not in lost),
        tuple(name for name in offers.bidders if ("bidder model", name) not in lost),
        next(iter(lost.values()), None),
    )


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
