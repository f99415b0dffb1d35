"""Finds plugins and what they offer, when somebody asks.

A plugin that cannot be loaded, misspells a hook or fails when called is reported by
name and left out; the others stay. A name that two plugins offer belongs to neither: an
error names both. Names of the built-ins stay theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import Any, Final, Literal, NamedTuple

import pluggy

import bayesbridge
from bayesbridge.display.words import tell
from bayesbridge.errors import PluginError, did_you_mean, name_of, raised, shorten
from bayesbridge.estimators import builtin, hookspecs
from bayesbridge.estimators.hookspecs import CONTRACT, PROJECT
from bayesbridge.estimators.protocol import Estimator, verify_declaration
from bayesbridge.evidence.models import BidderModel

DISTRIBUTION: Final = "bayesbridge-hands"
"""What ``pip`` and ``importlib.metadata`` call this project."""

SOLVER: Final = (
    f"the plugin bayesbridge-double-dummy (pip install '{DISTRIBUTION}[solver]')"
)
"""What has the solver, and how to get it."""

KINDS: Final = {"estimators": "estimator", "bidders": "bidder model"}
"""What plugins offer, in words."""


@dataclass(slots=True)
class Plugin:
    """What a plugin offers by name, where it comes from, and what is wrong with it."""

    estimators: dict[str, Estimator] = field(default_factory=dict)
    bidders: dict[str, BidderModel] = field(default_factory=dict)
    name: str = ""
    distribution: str = ""
    version: str = ""
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything offered, by name."""

    estimators: dict[str, Estimator]
    bidders: dict[str, BidderModel]
    plugins: tuple[Plugin, ...]
    disputed: Mapping[tuple[str, str], str]
    """Kind and name of what several plugins offer, and the line that names them."""

    def estimator(self, name: str) -> Estimator:
        """The estimator of this name; else an error that says what there is."""
        return self._lookup("estimators", name, self.estimators)

    def bidder(self, name: str) -> BidderModel:
        """The bidder model of this name; else an error that says what there is."""
        return self._lookup("bidders", name, self.bidders)

    def _lookup[T](self, kind: str, name: str, offers: dict[str, T]) -> T:
        if name in offers:
            return offers[name]
        if (kind, name) in self.disputed:
            raise PluginError(self.disputed[kind, name], name=name)
        failed = [
            f"plugin {plugin.name!r} failed: {plugin.failure}"
            for plugin in self.plugins
            if plugin.failure
        ]
        broken = f" ({'; '.join(failed)})" if failed else ""
        known = f"{did_you_mean(name, offers)}choose {', '.join(sorted(offers))}"
        raise PluginError(f"unknown {KINDS[kind]} {name!r}: {known}{broken}", name=name)


def offered(kind: Literal["estimators", "bidders"], names: Collection[str]) -> Registry:
    """A registry that has the names, if anything has.

    That is the built-ins alone where these are enough, else all plugins.
    """
    built_in = load(installed=False)
    if all(name in getattr(built_in, kind) for name in names):
        return built_in
    registry = load()
    for plugin in registry.plugins:
        offers = getattr(plugin, kind)
        if plugin.failure and any(name in offers for name in names):
            tell(f"left out of plugin {plugin.name!r}: {plugin.failure}")
    return registry


def load(
    plugins: Iterable[tuple[str, object]] = (), *, installed: bool = True
) -> Registry:
    """Import every installed plugin and collect what they offer, as commands do.

    The tests of a plugin can so see whether everything that it offers is taken.

    Parameters
    ----------
    plugins : iterable of (str, module or object)
        More plugins, each with its name.
    installed : bool
        Whether installed plugins are taken. Without them there are the built-ins, and
        what is given.

    Returns
    -------
    Registry
        ``estimators`` and ``bidders`` by name, and ``plugins``, each with its
        ``failure`` where something is wrong with it, else ``None``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> plugin = SimpleNamespace(
    ...     bayesbridge_bidders=hookspecs.hookimpl(
    ...         lambda: {"mine": builtin.StyleBidder()}, specname="bayesbridge_bidders"
    ...     )
    ... )
    >>> registry = load([("my-plugin", plugin)], installed=False)
    >>> registry.bidder("mine").slip, registry.plugins[-1].failure
    (0.02, None)
    """
    sources = [Source(PROJECT, DISTRIBUTION, bayesbridge.__version__, builtin)]
    if installed:
        sources += installed_sources()
    for name, plugin in plugins:
        sources.append(Source(name, "given by the caller", "", plugin))
    loaded = [load_plugin(source) for source in sources]
    disputed = disputed_names(loaded)
    # A name that several offer belongs to none of them, but to the built-ins.
    _built_ins, *plugins_loaded = loaded
    for plugin in plugins_loaded:
        _withdraw(plugin, disputed)
    estimators: dict[str, Estimator] = {}
    bidders: dict[str, BidderModel] = {}
    for plugin in loaded:
        estimators |= plugin.estimators
        bidders |= plugin.bidders
    return Registry(estimators, bidders, tuple(loaded), disputed)


class Source(NamedTuple):
    """Where a plugin comes from: its names, and the object or how to import it."""

    name: str
    distribution: str
    version: str
    plugin: object  # an entry point is imported


def installed_sources() -> list[Source]:
    """The plugins of installed distributions, by name.

    An entry that is met twice counts once: a folder may be on the path twice.
    """
    sources: dict[tuple[str, str, str, str], Source] = {}
    for entry in metadata.entry_points(group=PROJECT):
        distribution, version = _distribution_of(entry)
        key = (entry.name, distribution, version, entry.value)
        sources[key] = Source(entry.name, distribution, version, entry)
    return [sources[key] for key in sorted(sources)]


def _distribution_of(entry: metadata.EntryPoint) -> tuple[str, str]:
    """Name and version of a plugin's distribution, empty where they cannot be read."""
    about: Any = {}
    with suppress(ValueError, OSError, AttributeError):
        about = entry.dist.metadata  # type: ignore[union-attr]
    name = str(about["Name"]) if "Name" in about else ""
    version = str(about["Version"]) if "Version" in about else ""
    return name, version


def load_plugin(source: Source) -> Plugin:
    """What a plugin offers, or why it cannot be loaded."""
    try:
        if isinstance(source.plugin, metadata.EntryPoint):
            plugin = offers_of(source.plugin.load())
        else:
            plugin = offers_of(source.plugin)
    except (Exception, SystemExit) as error:
        plugin = Plugin(failure=raised(error))
    return replace(
        plugin,
        name=source.name,
        distribution=source.distribution,
        version=source.version,
    )


def disputed_names(plugins: Iterable[Plugin]) -> dict[tuple[str, str], str]:
    """Kind and name of what several plugins offer, and the line that names them."""
    owners: dict[tuple[str, str], list[str]] = defaultdict(list)
    for plugin in plugins:
        for kind in KINDS:
            for name in getattr(plugin, kind):
                owners[kind, name].append(plugin.name)
    disputed = {}
    for (kind, name), plugin_names in owners.items():
        if len(plugin_names) > 1:
            who = " and ".join(map(repr, plugin_names))
            line = f"{KINDS[kind]} {name!r} is offered by both {who}: rename one"
            disputed[kind, name] = line
    return disputed


def _withdraw(plugin: Plugin, disputed: Mapping[tuple[str, str], str]) -> None:
    """Take what is disputed out of a plugin's offers, and say so as its failure."""
    for (kind, name), line in disputed.items():
        offer = getattr(plugin, kind).pop(name, None)
        if offer is not None and not plugin.failure:
            plugin.failure = line


def offers_of(plugin: object) -> Plugin:
    """What the hooks of a plugin give.

    Raises where it misspells a hook, has none, or offers or asks for something else.
    """
    verify_contract(getattr(plugin, "BAYESBRIDGE_CONTRACT", CONTRACT))
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    _verify_hooks(manager.get_hookcallers(plugin) or [])
    # One answer of each plugin that does not say None, and there is one plugin.
    estimators = next(iter(manager.hook.bayesbridge_estimators()), ())
    estimators_by_name = _verified_estimators(estimators)
    bidders: dict[Any, Any] = next(iter(manager.hook.bayesbridge_bidders()), {})
    return Plugin(estimators_by_name, _verified_bidders(dict(bidders)))


def _verify_hooks(callers: list[pluggy.HookCaller]) -> None:
    """Refuse a plugin without a hook, or with one that nobody calls."""
    for caller in callers:
        if not caller.has_spec():  # misspelt
            known = [name for name in vars(hookspecs) if name.startswith(f"{PROJECT}_")]
            hint = did_you_mean(caller.name, known)
            raise PluginError(
                f"unknown hook {caller.name!r}: {hint}choose {', '.join(known)}"
            )
    if not callers:
        raise PluginError(
            "implements no hook: mark its functions with @bayesbridge.plugins.hookimpl"
        )


def _verified_estimators(offers: Iterable[Estimator]) -> dict[str, Estimator]:
    """Estimators by name."""
    estimators: dict[str, Estimator] = {}
    for estimator in offers:
        verify_declaration(estimator)
        if estimator.name in estimators:
            raise PluginError(
                f"estimator {estimator.name!r} is offered twice: rename one"
            )
        estimators[estimator.name] = estimator
    return estimators


def _verified_bidders(offers: dict[Any, Any]) -> dict[str, BidderModel]:
    """Bidder models by name."""
    for name, model in offers.items():
        is_model = isinstance(model, BidderModel) and not isinstance(model, type)
        if not is_model or not isinstance(name, str):
            raise PluginError(
                f"{name!r}: {name_of(model)} is no bidder model: it needs "
                "log_likelihood(hands, auction, index)"
            )
    return offers


def verify_contract(version: object) -> None:
    """Refuse what a plugin may not say as its ``BAYESBRIDGE_CONTRACT``."""
    problem = ""
    if type(version) is not int:
        problem = f"is no whole number: write {CONTRACT}, or leave it out"
    elif version < 1:
        problem = f"is no contract: they are numbered from 1 to {CONTRACT}"
    elif version > CONTRACT:
        problem = (
            f"is newer than bayesbridge {bayesbridge.__version__}, which keeps {CONTRACT}: "
            f"install a newer {DISTRIBUTION}, or an older version of the plugin"
        )
    if problem:
        raise PluginError(f"BAYESBRIDGE_CONTRACT {shorten(version)} {problem}")
