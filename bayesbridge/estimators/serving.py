"""The other side of an isolated plugin: a process that loads it, tells what it offers and answers for it."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.constraints import Constraints
from bayesbridge.engines import soft
from bayesbridge.errors import PluginError
from bayesbridge.estimators import frames
from bayesbridge.estimators.checked import blaming, plain_counts, run
from bayesbridge.estimators.descriptions import describe_bidder, describe_estimator
from bayesbridge.estimators.hookspecs import PROJECT
from bayesbridge.estimators.offers import Offers, offers_of, one_line, with_settings
from bayesbridge.estimators.protocol import Estimator, ExactEstimator, Question
from bayesbridge.evidence import BidderModel
from bayesbridge.layouts import Layouts

MEGABYTE: Final = 1_000_000

type Answer = tuple[dict[str, Any], list[bytes]]
type Settings = tuple[tuple[str, Any], ...]


def serve() -> NoReturn:
    """Answer requests until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a plugin reads or prints must not get between requests and answers.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    me = os.getpid()
    number, frame = 0, frames.pack(0, {"kind": "answer"})
    while True:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        stray = os.getpid() != me  # a process that the plugin forked came back here instead of ending
        try:
            answers.write(frames.pack(number, {"kind": "stray"}) if stray else frame)
            answers.flush()
            if stray:
                os._exit(1)
            number, method, *args = pickle.load(requests)
        except (EOFError, BrokenPipeError):
            os._exit(0)
        frame = answer(number, method, *args)


def answer(number: int, method: str, *args: Any) -> bytes:
    """The frame that answers a request, also where that fails."""
    try:
        head, raw = _METHODS[method](*args)
        return frames.pack(number, {"kind": "answer", **head}, raw)
    except MemoryError:
        return frames.pack(number, {"kind": "memory"})
    except BaseException as error:  # a plugin may raise what it likes
        if isinstance(error.__cause__, MemoryError):
            return frames.pack(number, {"kind": "memory"})
        data = {key: str(value) for key, value in getattr(error, "data", {}).items()}
        message = str(error) if isinstance(error, PluginError) else one_line(error)
        return frames.pack(number, {"kind": "failed", "message": message, "data": data})


_OFFERS: Final = Offers({}, {})
"""What the plugin of a serving process offers."""


def _load(source: tuple[Any, ...], memory: int | None) -> Answer:
    if memory is not None:
        _limit(memory * MEGABYTE)
    if isinstance(source[0], bytes):
        estimator = pickle.loads(source[0])
        found = Offers({estimator.name: estimator}, {})
    else:
        name, value, *_ = source
        found = offers_of(metadata.EntryPoint(name, value, PROJECT).load())
    _OFFERS.estimators.update(found.estimators)
    _OFFERS.bidders.update(found.bidders)
    return {
        "estimators": [describe_estimator(estimator) for estimator in found.estimators.values()],
        "bidders": [describe_bidder(name, bidder) for name, bidder in found.bidders.items()],
    }, []


def _estimate(name: str, masks: NDArray[np.uint64], question: Question) -> Answer:
    estimator = _estimator(name)
    found = run(estimator, Layouts.adopt(masks), question)
    return {}, [np.ascontiguousarray(found[output.name]).tobytes() for output in estimator.outputs]


def _distribution(name: str, constraints: Constraints, question: Question) -> Answer:
    estimator = _estimator(name)
    assert isinstance(estimator, ExactEstimator)
    with blaming(estimator, "the distribution of all layouts"):
        found = estimator.distribution(constraints, question)
    return {"counts": plain_counts(estimator, found)}, []


def _settle(name: str, settings: Settings) -> Answer:
    """What a bidder model is like with settings of its fields; ``None`` where it has no such field."""
    try:
        return {"bidder": describe_bidder(name, _bidder(name, settings))}, []
    except TypeError:
        return {"bidder": None}, []


def _log_likelihood(name: str, settings: Settings, hands: NDArray[np.uint64], auction: Auction, index: int) -> Answer:
    return {}, [soft.ask(_bidder(name, settings), hands, auction, index).tobytes()]


def _probabilities(name: str, settings: Settings, hands: NDArray[np.uint64], auction: Auction) -> Answer:
    return _floats(_bidder(name, settings), "probabilities", (len(hands), 38), hands, auction)


def _bid_likelihood(name: str, settings: Settings, auction: Auction, index: int) -> Answer:
    return _floats(_bidder(name, settings), "bid_likelihood", (38,), auction, index)


def _floats(model: Any, method: str, shape: tuple[int, ...], *args: Any) -> Answer:
    found = np.ascontiguousarray(getattr(model, method)(*args), dtype=np.float64)
    if found.shape != shape:
        raise PluginError(f"{method} gave shape {found.shape} where {shape} is expected")
    return {}, [found.tobytes()]


def _estimator(name: str) -> Estimator:
    return _OFFERS.estimators[name]


def _bidder(name: str, settings: Settings) -> BidderModel:
    return with_settings(_OFFERS.bidders[name], dict(settings))


_METHODS: Final[Mapping[str, Callable[..., Answer]]] = {
    "load": _load,
    "estimate": _estimate,
    "distribution": _distribution,
    "settle": _settle,
    "log_likelihood": _log_likelihood,
    "probabilities": _probabilities,
    "bid_likelihood": _bid_likelihood,
}


def _limit(more: int) -> None:
    """Let this process take so many bytes more than it has; where the system does not tell, it is not limited."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as told:
            taken = int(told.read().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = taken + more
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
