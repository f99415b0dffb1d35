"""The command ``bayesbridge``, under a name that no other distribution has.

This distribution is called ``bayesbridge-hands`` and its package ``bayesbridge``. The distribution ``bayesbridge`` on
the package index is another project with a package of the same name. Installed into one environment, both write into
one folder: the files of the later one win, and removing either leaves the other incomplete. This module says so in one
line, instead of a strange error later. It uses nothing of the package, which may be the other project's.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Final

DISTRIBUTION: Final = "bayesbridge-hands"
"""What ``pip`` and ``importlib.metadata`` call this project."""

REPAIR: Final = "run 'pip uninstall bayesbridge bayesbridge-hands', then install bayesbridge-hands again"


def other_distribution(folder: str) -> str | None:
    """One line if the other project is installed into ``folder``, where this one is; ``None`` if it is not.

    It looks for the folder ``bayesbridge-VERSION.dist-info`` that every installer writes: one listing of a directory,
    a fraction of a millisecond, where ``importlib.metadata`` takes many.
    """
    try:
        names = os.listdir(folder)
    except OSError:  # a zip file, or a folder that may be used and not listed
        return None
    for name in names:
        if name.startswith("bayesbridge-") and name.endswith((".dist-info", ".egg-info")):
            return (
                f"another project's distribution 'bayesbridge' ({name}) is installed in {folder} and shares the folder "
                f"bayesbridge with bayesbridge-hands: {REPAIR}"
            )
    return None


def conflict() -> str | None:
    """One line if ``import bayesbridge`` would not give the package of this distribution, whole; else ``None``."""
    folder = os.path.dirname(os.path.abspath(__file__))
    if line := other_distribution(folder):
        return line
    own = os.path.join(folder, "bayesbridge", "__init__.py")
    spec = importlib.util.find_spec("bayesbridge")  # found, not run
    if spec is None or spec.origin is None:
        return f"{own} is missing, as after another project's distribution 'bayesbridge' was removed: {REPAIR}"
    if not os.path.exists(own) or not os.path.samefile(spec.origin, own):
        return (
            f"'import bayesbridge' finds {spec.origin}, which is not part of bayesbridge-hands (in {folder}): "
            "run 'pip uninstall bayesbridge', or remove that file"
        )
    return None


def main() -> int:
    """Run the command line; with another project in the way, say so in one line and end with status 1."""
    if line := conflict():
        if sys.stderr is not None:
            shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in line)
            print(f"bayesbridge: {shown}", file=sys.stderr)
        return 1
    return int(importlib.import_module("bayesbridge.__main__").main())  # by name: nothing here depends on the package


if __name__ == "__main__":
    sys.exit(main())
