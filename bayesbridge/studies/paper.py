"""The figures the paper prints, as data.

S. Sarkar, *Winning Before You Play: An Iterative Capture Algorithm for Pre-Game
Dominance Analysis in Three-Player Auction Bridge*: captures and conditions from three
runs of a million deals each, the comparison of the two algorithms from 100 000 deals,
the headline results from three runs of ten million.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class PaperTable(NamedTuple):
    """A table of counts: some runs of the same number of trials, the same bins."""

    title: str
    bins: tuple[str, ...]
    runs: tuple[tuple[int, ...], ...]
    trials: int  # in each run; bins may cover only part of them


CAPTURES: Final = PaperTable(
    title="Table 1: captures T of the deals that meet both conditions",
    bins=("<=6", "7", "8", "9", "10", "11", "12", "13", ">13"),
    runs=(
        (1909, 8384, 39297, 92290, 90939, 38764, 6808, 399, 0),
        (1906, 8236, 39439, 92667, 90711, 39297, 6833, 455, 0),
        (1781, 8388, 39008, 92363, 90767, 38833, 6963, 456, 0),
    ),
    trials=1_000_000,
)

CONDITIONS: Final = PaperTable(
    title="Table 2: outcomes of the two pre-qualification conditions",
    bins=("neither", "only A", "both"),
    runs=((145048, 576162, 278790), (145114, 575342, 279544), (145775, 575666, 278559)),
    trials=1_000_000,
)

COMPARATIVE_TITLE: Final = (
    "Comparative table: Algorithm 1 for 7 tricks, and what Algorithm 2 says with the "
    "dummy"
)
COMPARATIVE_TRIALS: Final = 100_000
COMPARATIVE: Final = {7: (893, 641), 8: (544, 410), 9: (228, 176), 10: (93, 69)}
"""By Algorithm 1's count how often it occurred, and Algorithm 2 was satisfied too."""

HEADLINE_TITLE: Final = (
    "Headline table: ten million deals, bid by Algorithm 1 and played out"
)
HEADLINE_TRIALS: Final = 10_000_000
HEADLINE: Final[dict[str, tuple[float, float, float]]] = {
    "deals with a valid bidder": (1030367, 1029511, 1028714),
    "win rate (%)": (65.86, 66.00, 66.03),
    "losses with a weak dummy (%)": (99.81, 99.81, 99.82),
    "both eligible": (10167, 10231, 10019),
    "win rate, both eligible (%)": (93.42, 93.50, 93.75),
    "average bidder level, both eligible": (1.2102, 1.2088, 1.2188),
    "average dummy level, both eligible": (1.2063, 1.2081, 1.2064),
    "net points, old scheme": (153210, 154625, 151720),
    "net points, new scheme": (826750, 832805, 818785),
}
