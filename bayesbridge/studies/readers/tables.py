"""What readers were worth, as plain data and as tables of text: the command line and pages show the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, Final

from bayesbridge.studies.readers.tally import Measured, Summary
from bayesbridge.studies.study import Table
from bayesbridge.words import number

KEYS: Final = {
    "honours": ("honour_log_loss", "honour_error"),
    "cards": ("card_log_loss", "card_error"),
    "lengths": ("length_log_loss", "length_error"),
    "points": ("points_rmse", "points_error"),
    "log_true": ("log_true", "log_true_error"),
    "log_tssr": ("log_tssr", "log_tssr_error"),
    "brier": ("brier", "brier_error"),
    "top1": ("top1", "top1_error"),
    "calibration_error": ("calibration_error", "calibration_error_error"),
}
"""Each figure of a summary: its key in a document, and that of its standard error."""

COLUMNS: Final = {
    "honours": ("honours", 4),
    "cards": ("all cards", 4),
    "lengths": ("lengths", 4),
    "points": ("points", 3),
    "log_true": ("log P(true)", 2),
    "log_tssr": ("log TSSR", 2),
    "brier": ("Brier", 4),
    "calibration_error": ("calibration", 4),
}
"""Of the table of several moments or readers: the field, its title and its digits."""

UNITS: Final = (
    "losses in nats; points: root mean squared error; ± one standard error, tables of one deal taken together"
)


def document(found: Summary) -> dict[str, Any]:
    """All figures; ``None`` for what no board tells."""
    told: dict[str, Any] = {"boards": found.boards}
    for field, (value, error) in KEYS.items():
        measured: Measured = getattr(found, field)
        told |= {value: measured.value, error: measured.error}
    told |= {"honour_monte_carlo": found.noise[0], "length_monte_carlo": found.noise[1]}
    told |= {"honour_hard_loss": found.hard[0], "length_hard_loss": found.hard[1]}
    told |= {"log_true_by": dict(found.ways), "seconds_per_board": found.seconds}
    told["calibration"] = [one._asdict() for one in found.calibration]
    return {key: finite(value) for key, value in told.items()}


def finite(value: Any) -> Any:
    """``None`` for what JSON cannot say."""
    return None if isinstance(value, float) and not isfinite(value) else value


def figures(found: Mapping[str, Any]) -> list[str]:
    """A document as a row of COLUMNS, each with its error."""
    return [told(found, field, digits) for field, (_, digits) in COLUMNS.items()]


def told(found: Mapping[str, Any], field: str, digits: int) -> str:
    """One figure with its error; a dash where no board tells it."""
    value, error = (found[key] for key in KEYS[field])
    return "–" if value is None else f"{number(value, digits)} ± {number(error, digits)}"


def markdown(shown: Table) -> str:
    """A table for a page, which tells the units itself; figures do not break at their spaces."""
    rule = ["---"] + ["---:"] * (len(shown.header) - 1)
    rows = [[row[0], *(cell.replace(" ", "\u00a0") for cell in row[1:])] for row in shown.rows]
    body = "\n".join(f"| {' | '.join(row)} |" for row in [shown.header, rule, *rows])
    return f"**{shown.title.partition(';')[0]}**\n\n{body}\n"


def table(title: str, first: str, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Table:
    """A row for each moment or reader, from documents."""
    header = [first, "boards", *(name for name, _ in COLUMNS.values())]
    return Table(f"{title}; {UNITS}", header, [[name, number(one["boards"]), *figures(one)] for name, one in rows])
