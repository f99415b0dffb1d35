"""All studies by name, in the order of the help text.

A new one is a module with ``STUDY``, listed in ``MODULES``.
"""

from __future__ import annotations

from typing import Final

from bayesbridge.studies import (
    captures,
    claims,
    comparative,
    conditions,
    headline,
    opponents,
    shift,
    strategies,
)
from bayesbridge.studies.auction import study as auction
from bayesbridge.studies.study import Experiment

MODULES: Final = (
    conditions,
    captures,
    comparative,
    shift,
    headline,
    claims,
    strategies,
    opponents,
    auction,
)
STUDIES: Final[dict[str, Experiment]] = {
    module.STUDY.name: module.STUDY for module in MODULES
}
