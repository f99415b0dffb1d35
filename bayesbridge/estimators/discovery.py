"""Plugins at the command line: found by their metadata, loaded in processes of their own, never imported here.

Each process tells as plain data what its plugin offers. So a plugin that ends the process, hangs, prints or fails while
it is imported is named, and neither we nor the others notice more of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Literal

from bayesbridge.errors import PluginError
from bayesbridge.estimators.checked import verify_declaration
from bayesbridge.estimators.confined_bidders import bidder_as
from bayesbridge.estimators.confinement import confined_as
from bayesbridge.estimators.descriptions import read_bidder, read_estimator
from bayesbridge.estimators.isolation import Entry, Failed, Isolated, Limits, Lost
from bayesbridge.estimators.offers import Offers
from bayesbridge.estimators.registry import Registry, built_in, entries, load, merged, waiting_for


def offered(kind: Literal["estimators", "bidders"], names: Collection[str], limits: Limits | None = None) -> Registry:
    """A registry that has the names, if anything has: the built-ins alone where that is enough.

    Else all plugins too, imported here without ``limits`` and isolated with them.
    """
    own = load(installed=False)
    if all(name in getattr(own, kind) for name in names):
        return own
    return isolated(limits, keep=names) if limits else load()


def offered_soon(names: Collection[str], limits: Limits) -> Callable[[], Registry]:
    """Estimators found while other work is done: begun now where plugins are isolated, waited for when it is called."""
    if not limits:
        return partial(offered, "estimators", names)
    answer: SimpleQueue[Registry | BaseException] = SimpleQueue()

    def find() -> None:
        try:
            answer.put(offered("estimators", names, limits))
        except BaseException as error:
            answer.put(error)

    def wait() -> Registry:
        found = answer.get()
        if isinstance(found, BaseException):
            raise found
        return found

    Thread(target=find, daemon=True).start()
    return wait


def isolated(limits: Limits, keep: Collection[str] = ()) -> Registry:
    """What the built-ins and all installed plugins offer, each plugin in a process of its own.

    Processes whose plugins offer a name to ``keep`` stay; the others end, and begin again if they are asked.
    """
    found = entries()
    processes = [Isolated(entry, limits, f"plugin {entry.name!r}") for entry in found]
    with ThreadPoolExecutor(max(4, os.cpu_count() or 1)) as pool:
        answers = [pool.submit(_load, entry, process, keep) for entry, process in zip(found, processes, strict=True)]
        try:
            loaded = [answer.result() for answer in answers]
        except KeyboardInterrupt:
            late = [str(entry) for entry, answer in zip(found, answers, strict=True) if not answer.done()]
            for process in processes:
                process.close()
            who = f"{' and '.join(late)} {'was' if len(late) == 1 else 'were'} loading: if it hangs, remove it"
            raise KeyboardInterrupt(f"interrupted while {who}" if late else "") from None
    return merged([built_in(), *zip(found, loaded, strict=True)])


def _load(entry: Entry, process: Isolated, keep: Collection[str]) -> Offers | str:
    """What a plugin offers, or what went wrong with it."""
    try:
        with waiting_for(entry):
            offers = _offers(process)
    except Lost as lost:
        process.close()
        return f"{lost.how} when asked to load"
    except Failed as failed:
        process.close()
        return str(failed)
    if not any(name in keep for name in (*offers.estimators, *offers.bidders)):
        process.close()
    return offers


def _offers(process: Isolated) -> Offers:
    told = process.load()
    try:
        described = [read_estimator(one) for one in told["estimators"]]
        estimators = {one.name: confined_as(one, process) for one in described}
        for estimator in estimators.values():
            verify_declaration(estimator)
        bidders = {one.name: bidder_as(one, process) for one in map(read_bidder, told["bidders"])}
    except (PluginError, KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise Lost("gave an answer that cannot be read") from None
    return Offers(dict(estimators), dict(bidders))
