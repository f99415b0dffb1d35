"""Foreign estimators isolated in a process, with a limit on time and on memory.

An estimator that hangs, takes all memory or crashes the interpreter then ends alone: it is named in one line, and the
others go on. Layouts are sent in pieces, so that the limit of time is for a piece however many layouts there are; every
row of an answer stands for itself, which makes any pieces give the same answer.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators import builtin
from bayesbridge.estimators.descriptions import DescribedEstimator, sentence
from bayesbridge.estimators.isolation import Entry, Failed, Isolated, Limits, Lost
from bayesbridge.estimators.protocol import Estimator, ExactEstimator, Question, seconds_of
from bayesbridge.layouts import Layouts

PIECE: Final = 1024
"""Layouts that are sent at a time."""

MOST_BYTES: Final = 1 << 30
"""Bytes of the outputs for a piece: a megabyte for each layout."""

MOST_COUNTS: Final = 1 << 26
"""Bytes of the exact distributions that an estimator may give."""


@contextmanager
def confined(estimators: Sequence[Estimator], limits: Limits) -> Iterator[list[Estimator]]:
    """The estimators, those that are not built in each in a process for the time of the ``with``.

    One that is isolated already stays so and ends with it; any other is sent pickled.
    """
    own = tuple(type(estimator) for estimator in builtin.bayesbridge_estimators())
    with ExitStack() as stack:
        ready: list[Estimator] = []
        for estimator in estimators:
            isolated = estimator
            if limits and not isinstance(estimator, (*own, Confined)):
                isolated = sent(estimator, limits)
            if isinstance(isolated, Confined):
                stack.enter_context(contextlib.closing(isolated))
            ready.append(isolated)
        yield ready


class Confined:
    """An estimator whose work is done by an isolated process."""

    def __init__(self, described: DescribedEstimator, process: Isolated) -> None:
        self.name, self.outputs, self.seconds = described.name, described.outputs, described.seconds
        self.described = described
        self.process = process

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """Piece by piece."""
        parts: list[dict[str, NDArray[Any]]] = []
        for begin in range(0, max(len(layouts), 1), PIECE):
            piece = layouts.masks[begin : begin + PIECE]
            with self._asking(f"about {len(piece)} layouts"):
                parts.append(self._arrays(len(piece), piece, question))
        return {output.name: np.concatenate([part[output.name] for part in parts]) for output in self.outputs}

    def close(self) -> None:
        """End the process, and whatever it has started."""
        self.process.close()

    def _arrays(self, n: int, *args: Any) -> dict[str, NDArray[Any]]:
        """The declared arrays: their shapes and types are known, so that the answer is their bytes alone."""
        sizes = [n * prod(output.returned) * np.dtype(output.dtype).itemsize for output in self.outputs]
        if sum(sizes) > MOST_BYTES:
            raise Lost(f"declares outputs of {sum(sizes)} bytes, more than {MOST_BYTES},")
        _, raw = self.process.ask(sum(sizes), "estimate", self.name, *args)
        if len(raw) != sum(sizes):
            raise Lost(f"gave {len(raw)} bytes where {sum(sizes)} are expected")
        arrays: dict[str, NDArray[Any]] = {}
        at = 0
        for output, size in zip(self.outputs, sizes, strict=True):
            arrays[output.name] = _array(raw[at : at + size], np.dtype(output.dtype), (n, *output.returned))
            at += size
        return arrays

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        """Name the estimator and its plugin in whatever goes wrong."""
        with naming(f"estimator {self.name!r}", self.name, self.process, what):
            yield


class ConfinedExact(Confined):
    """The same for an estimator that can count too."""

    def distribution(
        self, constraints: Constraints, question: Question
    ) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
        """All at once."""
        with self._asking("about the distribution of all layouts"):
            head, _ = self.process.ask(MOST_COUNTS, "distribution", self.name, constraints, question)
        counts: Mapping[str, tuple[int, NDArray[Any]]] | None = head.get("counts")
        return counts


def confined_as(described: DescribedEstimator, process: Isolated) -> Confined:
    """An estimator that an isolated process offers."""
    return ConfinedExact(described, process) if described.exact else Confined(described, process)


def sent(estimator: Estimator, limits: Limits) -> Confined:
    """An estimator that works, pickled, in a process of its own."""
    try:
        source = pickle.dumps(estimator)
    except Exception as error:
        raise BayesBridgeError(
            f"estimator {estimator.name!r} cannot be sent to a process of its own ({error}): define it in a module, "
            "install it as a plugin, or leave timeout and memory out",
            plugin=estimator.name,
        ) from None
    exact = isinstance(estimator, ExactEstimator)
    told = estimator.name, sentence(estimator), tuple(estimator.outputs), exact, seconds_of(estimator)
    described = DescribedEstimator(*told)
    return confined_as(described, Isolated(source, limits, f"estimator {estimator.name!r}"))


@contextmanager
def naming(who: str, name: str, process: Isolated, what: str) -> Iterator[None]:
    """Turn what an isolated process lost or failed at into one line that names who it was."""
    origin = f" of {process.source}" if isinstance(process.source, Entry) else ""
    try:
        yield
    except Lost as lost:
        process.close()  # nothing that it still says can be trusted
        message = f"{who}{origin} {lost.how} when asked {what}: {lost.fix}, or do without it"
        raise PluginError(message, plugin=name, got=lost.how) from None
    except Failed as failed:
        if failed.data.get("plugin") == name:
            raise PluginError(str(failed), **failed.data) from None
        message = f"{who}{origin} failed ({failed}) when asked {what}: fix it, or do without it"
        raise PluginError(message, plugin=name, got=str(failed)) from None


def _array(raw: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if dtype.kind == "b":
        return np.ndarray(shape, np.uint8, raw).astype(np.bool_)  # a truth value is one of two bytes
    return np.ndarray(shape, dtype, raw)
