"""The extension manual: every hook that bayesbridge calls.

A plugin is a module (or object) with functions marked
``@bayesbridge.plugins.hookimpl``, named in the entry-point group ``bayesbridge`` of its
distribution::

    [project.entry-points.bayesbridge]
    my-plugin = "my_package"

Hooks *offer* named things; they do not compute. They are called when names are looked
up, not when bayesbridge is imported, so keep heavy imports inside the things they
return. A plugin runs in the process that asks for it.

A plugin may say which version of this contract it was written for,
``BAYESBRIDGE_CONTRACT = 1`` in its module. It is then left out, with a line that says
so, where bayesbridge offers an older one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import pluggy

if TYPE_CHECKING:
    from bayesbridge.estimators.protocol import Estimator
    from bayesbridge.evidence.models import BidderModel

PROJECT = "bayesbridge"

CONTRACT: Final = 1
"""The version of the contract: the hooks below and the names of
:mod:`bayesbridge.plugins`. It rises by one with a release that adds to them.
"""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin as the implementation of the hook of the same name."""


@hookspec
def bayesbridge_estimators() -> Iterable[Estimator]:  # type: ignore[empty-body]
    """Estimators to offer.

    Each has a ``name``, its declared ``outputs`` and ``estimate(layouts, question)``.

    ``layouts`` is a batch of full deals, ``(n, 4)`` masks with one column for each
    seat; ``question`` names the pair, the trump suit and the trick so far. Every output
    is an array of ``n`` rows. Names are unique among all plugins.
    """


@hookspec
def bayesbridge_bidders() -> Mapping[str, BidderModel]:  # type: ignore[empty-body]
    """Bidder models to offer, by name.

    Each has ``log_likelihood(hands, auction, index)``.

    ``hands`` are ``(n,)`` masks of the caller's possible hands; the answer is log
    P(call number ``index`` of the ``auction`` ∣ hand, calls before it) for each of
    them. Names are unique among all plugins.
    """
