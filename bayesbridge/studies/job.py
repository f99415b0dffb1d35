"""A job: what the engine counts over random deals, and how it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

type Counts = NDArray[np.int64]
type Count = Callable[[np.random.SeedSequence, int], Counts]
type Progress = Callable[[int, int], None]
"""Called with the number of deals done and the number of deals wanted, after every chunk."""

CHUNK: Final = 1 << 19
"""Deals in a chunk unless the job says otherwise: work of a fraction of a second, so that workers end together, an
interrupt is obeyed at once and little is lost when a run is killed."""

THREADS: Final = "threads"
PROCESSES: Final = "processes"


@dataclass(frozen=True, slots=True)
class Job:
    """What the engine counts. Other processes find the function by its name, so it stands at the top of its module.

    >>> from bayesbridge.studies import captures
    >>> captures.JOB.name
    'captures'
    """

    name: str
    count: Count
    """(chunk seed, deals) → (k,) counts, always of the same length."""
    chunk: int = CHUNK
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    """What else the counts depend on; a checkpoint made with other parameters is refused."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How to run a job. Nothing here changes the counts."""

    workers: int | None = None
    scheduler: str = THREADS
    """``threads``, ``processes``, or the address of a Dask scheduler."""
    checkpoint: Path | None = None
    resume: bool = False
    """Continue the checkpoint if it is there."""
    progress: Progress | None = None
