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
from typing import Any, Final, Literal

import pluggy

import bayesbridge
from bayesbridge.display.words import tell
from bayesbridge.errors import PluginError, did_you_mean, name_of, raised, shorten
from bayesbridge.estimators import builtin, hookspecs
from bayesbridge.estimators.hookspecs import CONTRACT, PROJECT
from bayesbridge.estimators.protocol import Estimator, verify_declaration
from bayesbridge.evidence.models import BidderModel

DISTRIBUTION: Final = (
    "bayesbridge-hands"  # what ``pip`` and ``importlib.metadata`` call this project
)

SOLVER: Final = (
    f"the plugin bayesbridge-double-dummy (pip install '{DISTRIBUTION}[solver]')"
)
"""What has the solver, and how to get it."""

KINDS: Final = {
    "estimators": "estimator",
    "bidders": "bidder model",
}  # what plugins offer, in words


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
        return self._lookup("estimators", name, self.estimators)

    def bidder(self, name: str) -> BidderModel:
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
    """A registry that has the names, if anything has: the built-ins alone where these
    are enough, else all plugins.
    """
    own = load(installed=False)
    if all(name in getattr(own, kind) for name in names):
        return own
    found = load()
    for plugin in found.plugins:
        if plugin.failure and not {*getattr(plugin, kind)}.isdisjoint(names):
            tell(f"left out of plugin {plugin.name!r}: {plugin.failure}")
    return found


def load(
    plugins: Iterable[tuple[str, object]] = (), *, installed: bool = True
) -> Registry:
    """Import every installed plugin, and ask all what they offer, as commands do.

    A plugin's own tests see by it whether everything that it offers is taken.

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
    sources: list[tuple[str, str, str, object]] = [
        (PROJECT, DISTRIBUTION, bayesbridge.__version__, builtin)
    ]
    found_entries: dict[
        tuple[str, str, str, str], metadata.EntryPoint
    ] = {}  # a folder may be on the path twice
    for entry in metadata.entry_points(group=PROJECT) if installed else ():
        about: Any = {}
        with suppress(
            ValueError, OSError, AttributeError
        ):  # metadata that cannot be read
            about = entry.dist.metadata  # type: ignore[union-attr]
        distribution, version = (
            str(about[key]) if key in about else "" for key in ("Name", "Version")
        )
        found_entries[entry.name, distribution, version, entry.value] = entry
    sources += [(*key[:3], found_entries[key]) for key in sorted(found_entries)]
    sources += [(name, "given by the caller", "", plugin) for name, plugin in plugins]
    found: list[Plugin] = []
    owners: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, distribution, version, source in sources:
        try:
            plugin = offers_of(
                source.load() if isinstance(source, metadata.EntryPoint) else source
            )
        except (Exception, SystemExit) as error:
            plugin = Plugin(failure=raised(error))
        found.append(
            replace(plugin, name=name, distribution=distribution, version=version)
        )
        for kind in KINDS:
            for one in getattr(plugin, kind):
                owners[kind, one].append(name)
    disputed = {
        (
            kind,
            one,
        ): f"{KINDS[kind]} {one!r} is offered by both {' and '.join(map(repr, names))}: rename one"
        for (kind, one), names in owners.items()
        if len(names) > 1
    }
    for plugin in found[1:]:  # what the built-ins offer stays theirs
        for (kind, one), line in disputed.items():
            if getattr(plugin, kind).pop(one, None) is not None:
                plugin.failure = plugin.failure or line
    estimators = {
        name: offer for plugin in found for name, offer in plugin.estimators.items()
    }
    bidders = {
        name: offer for plugin in found for name, offer in plugin.bidders.items()
    }
    return Registry(estimators, bidders, tuple(found), disputed)


def offers_of(plugin: object) -> Plugin:
    """Call the hooks of a plugin; raises where it misspells one, has none, or offers or
    asks for something else.
    """
    verify_contract(getattr(plugin, "BAYESBRIDGE_CONTRACT", CONTRACT))
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    callers = manager.get_hookcallers(plugin)
    for caller in callers or ():
        if not caller.has_spec():  # a hook that nobody calls is a misspelt one
            known = [name for name in vars(hookspecs) if name.startswith(f"{PROJECT}_")]
            hint = did_you_mean(caller.name, known)
            raise PluginError(
                f"unknown hook {caller.name!r}: {hint}choose {', '.join(known)}"
            )
    if not callers:
        raise PluginError(
            "implements no hook: mark its functions with @bayesbridge.plugins.hookimpl"
        )
    estimators: dict[str, Estimator] = {}
    # One answer of each plugin that does not say None, and there is one plugin.
    for offer in next(iter(manager.hook.bayesbridge_estimators()), ()):
        verify_declaration(offer)
        if offer.name in estimators:
            raise PluginError(f"estimator {offer.name!r} is offered twice: rename one")
        estimators[offer.name] = offer
    bidders: dict[Any, Any] = dict(next(iter(manager.hook.bayesbridge_bidders()), {}))
    for name, model in bidders.items():
        if (
            not isinstance(model, BidderModel)
            or isinstance(model, type)
            or not isinstance(name, str)
        ):
            words = f"{name!r}: {name_of(model)} is no bidder model: it needs log_likelihood(hands, auction, index)"
            raise PluginError(words)
    return Plugin(estimators, bidders)


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
