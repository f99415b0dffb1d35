"""What a warm command takes, as a multiple of importing numba and NumPy.

    python benchmarks/speed/bench_commands.py [--json | --write]

Every answer of this kind needs both imports. Processor time (``user``) of whole processes, medians of several in turn with the two
imports, so that a loaded machine slows both sides. Kernels and tables are in the cache,
and so is bytecode.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from page import Table, run

ROOT = Path(__file__).parents[2]
TIMES = 3
"""Runs of each command, after one that fills the caches."""
HAND = "--observer S --hand AKQ2.KJ3.A54.Q32"
BOARDS = str(ROOT / "examples" / "boards.pbn")
COMMANDS = {
    "estimate, a void": f"estimate {HAND} --void E:H",
    "estimate, a contract opposite an open dummy": f"estimate {HAND} --reveal N:54.Q762.Q76.J654 --contract 3NT",
    "report, a call": f"report {HAND} --call W:1NT --out report.html",
    "estimate, a card of a record": f"estimate --record {BOARDS} --board 2 --card HQ",
}


def user(words: Sequence[str], folder: str, environment: Mapping[str, str]) -> float:
    """Seconds that Python spent on the words, and on processes that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [sys.executable, *words]
    subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def commands() -> Table:
    """A row for each command."""
    rows = []
    with TemporaryDirectory() as folder:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONDONTWRITEBYTECODE"
        }
        environment = kept | {
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode")),
        }
        for name, words in COMMANDS.items():
            both = ["-c", "import numba, numpy"], ["-m", "bayesbridge", *words.split()]
            for one in both:
                user(one, folder, environment)
            imports, whole = zip(
                *(
                    [user(one, folder, environment) for one in both]
                    for _ in range(TIMES)
                ),
                strict=True,
            )
            rows.append(
                (name, median(whole), median(imports), median(whole) / median(imports))
            )
    header = ("command", "seconds", "two imports", "ratio")
    return Table(
        "commands",
        "Processor time of a warm command, and of importing numba and NumPy",
        header,
        rows,
    )


if __name__ == "__main__":
    run(__doc__, commands)
