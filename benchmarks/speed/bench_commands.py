"""What a warm command takes, as a multiple of importing numba and NumPy.

    python benchmarks/speed/bench_commands.py [--json | --write]

Every answer of this kind needs both imports. Processor time (``user``) of whole
processes, medians of several in turn with the two imports, so that a loaded machine
slows both sides. Kernels and tables are in the cache, and so is bytecode.
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
    "estimate, a contract opposite an open dummy": (
        f"estimate {HAND} --reveal N:54.Q762.Q76.J654 --contract 3NT"
    ),
    "report, a call": f"report {HAND} --call W:1NT --out report.html",
    "estimate, a card of a record": f"estimate --record {BOARDS} --board 2 --card HQ",
}


IMPORTS = ("-c", "import numba, numpy")


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
        environment = environment_with_bytecode(folder)
        for name, words in COMMANDS.items():
            command = ("-m", "bayesbridge", *words.split())
            user(IMPORTS, folder, environment)
            user(command, folder, environment)
            import_seconds = []
            command_seconds = []
            for _ in range(TIMES):
                import_seconds.append(user(IMPORTS, folder, environment))
                command_seconds.append(user(command, folder, environment))
            imports = median(import_seconds)
            whole = median(command_seconds)
            rows.append((name, whole, imports, whole / imports))
    header = ("command", "seconds", "two imports", "ratio")
    return Table(
        "commands",
        "Processor time of a warm command, and of importing numba and NumPy",
        header,
        rows,
    )


def environment_with_bytecode(folder: str) -> dict[str, str]:
    """The environment of a command whose bytecode is kept in a folder."""
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPATH"] = str(ROOT)
    environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "bytecode"))
    return environment


if __name__ == "__main__":
    run(__doc__, commands)
