"""Tricks by playing every layout out, trick by trick, with fixed policies for both sides."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.policies import POLICIES
from bayesbridge.cards import Strain
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Output, Question, TrickCount
from bayesbridge.layouts import Layouts


@dataclass(frozen=True, slots=True)
class PlayOutEstimator:
    """The pair's tricks when its first seat leads to the first trick; policies are ``general``, ``high`` or ``low``."""

    ours: str = "general"
    theirs: str = "general"
    name: str = "play_out"

    def __post_init__(self) -> None:
        for policy in (self.ours, self.theirs):
            if policy not in POLICIES:
                raise BayesBridgeError(f"unknown policy {policy!r}: choose {', '.join(POLICIES)}", policy=policy)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """One number a layout."""
        doc = f"Tricks of the pair, {self.ours} play against {self.theirs}."
        return (Output("tricks", doc, dtype="int8", tricks=TrickCount(at_table=True)),)

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """One row a layout, over all cores."""
        from bayesbridge.capture.playout import play_out

        masks = np.ascontiguousarray(layouts.masks[:, list(question.table)])
        trump = int(Strain.NT if question.trump is None else question.trump)
        leaders = np.zeros(len(masks), dtype=np.int8)
        tricks = np.empty(len(masks), dtype=np.int8)
        policies = POLICIES.index(self.ours), POLICIES.index(self.theirs)

        def play(part: slice) -> None:
            play_out(masks[part], leaders[part], trump, *policies, tricks[part])

        workers = os.cpu_count() or 1
        step = max(1, -(-len(masks) // workers))
        parts = [slice(begin, begin + step) for begin in range(0, len(masks), step)]
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(play, parts))
        return {"tricks": tricks}
