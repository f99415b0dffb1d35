"""What ``bayesbridge study calibration`` shows people: coverage of intervals, and cards said against cards so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesbridge.cli.printing import print_table
from bayesbridge.words import number, percent

if TYPE_CHECKING:
    from bayesbridge.studies.comparison import Comparison

FEWEST = 10
"""Places of a card that a row of the table stands for at least; the rest is in --json."""


def show_calibration(found: Comparison) -> None:
    """Two tables; the tests follow, as in every study."""
    said = found.answers
    rows = [[name, *(percent(share) for share in shares)] for name, shares in said["coverage"].items()]
    means = [sum(column) / len(column) for column in zip(*said["coverage"].values(), strict=True)]
    rows.append(["mean", *(percent(mean) for mean in means)])
    header = ["central intervals that held the true …", *(percent(level, 0) for level in said["levels"])]
    print_table(f"{found.title}, {found.unit}", header, rows)
    curve = [
        [percent(one["said"]), percent(one["so"]), f"± {100 * one['error']:.1f}", number(one["cards"])]
        for one in said["calibration"]
        if one["cards"] >= FEWEST
    ]
    error, chance = said["calibration_error"], said["calibration_error_by_chance"]
    title = f"Places of {number(said['cards'])} cards: calibration error {error:.4f}, by chance alone {chance:.4f}"
    print_table(title, ["said", "so", "", "places"], curve)
