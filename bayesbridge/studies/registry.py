"""All studies by name, in the order of the help text. A new study is a module with ``STUDY``, and a line here."""

from __future__ import annotations

from typing import Final

from bayesbridge.studies import captures, comparative, conditions, headline, opponents, strategies
from bayesbridge.studies.calibration import study as calibration
from bayesbridge.studies.study import Study

STUDIES: Final[dict[str, Study]] = {
    module.STUDY.name: module.STUDY
    for module in (
        conditions,
        captures,
        comparative,
        headline,
        strategies,
        opponents,
        calibration,
    )
}
