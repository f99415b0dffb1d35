from .benchmark import is_test
from .jobs import Job, RunOptions, rows
from .readers import PlayerView, Reader, Reading
from .registry import STUDIES
from .study import Comparison, Figure, Study

__all__ = [
    "STUDIES",
    "Comparison",
    "Figure",
    "Job",
    "PlayerView",
    "Reader",
    "Reading",
    "RunOptions",
    "Study",
    "is_test",
    "rows",
]
