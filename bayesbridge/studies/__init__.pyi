from .benchmark import is_test
from .engine import Job, Setting
from .pictures import plot_runs
from .readers import Reader, Reading, Seen
from .registry import STUDIES
from .study import Comparison, Figure, Study, Table

__all__ = [
    "STUDIES",
    "Comparison",
    "Figure",
    "Job",
    "Reader",
    "Reading",
    "Seen",
    "Setting",
    "Study",
    "Table",
    "is_test",
    "plot_runs",
]
