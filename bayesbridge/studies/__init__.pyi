from .calibration.pictures import plot_coverage, plot_ranks, plot_reliability
from .comparison import Comparison, Figure
from .deal_split import is_test
from .engine import Job, Setting
from .honesty.pictures import plot_honesty
from .odds.pictures import plot_odds
from .pictures import plot_algorithms, plot_headline, plot_runs, plot_second_hand
from .readers.reading import Reader, Reading
from .readers.seen import Seen
from .registry import STUDIES
from .study import Option, Study, Table

__all__ = [
    "STUDIES",
    "Comparison",
    "Figure",
    "Job",
    "Option",
    "Reader",
    "Reading",
    "Seen",
    "Setting",
    "Study",
    "Table",
    "is_test",
    "plot_algorithms",
    "plot_coverage",
    "plot_headline",
    "plot_honesty",
    "plot_odds",
    "plot_ranks",
    "plot_reliability",
    "plot_runs",
    "plot_second_hand",
]
