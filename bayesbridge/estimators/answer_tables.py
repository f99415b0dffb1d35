"""Tables of answers with a row for each contract or question.

Such rows are plain dictionaries here: the command line makes them without xarray, which
takes a second to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number, percent, share_error
from bayesbridge.game.scoring import vulnerability_counts

if TYPE_CHECKING:
    import xarray

SHOWN: Final = 12
"""Rows that people see unless they asked for them by name."""


def plain_rows(dataset: xarray.Dataset) -> list[dict[str, Any]]:
    """A dictionary for each row of an answer of one dimension.

    The label of the row comes first.
    """
    rows: list[dict[str, Any]] = dataset.to_dataframe().reset_index().to_dict("records")
    return rows


def best_rows(
    rows: list[dict[str, Any]], most: int, passed: str
) -> list[dict[str, Any]]:
    """The first ``most`` contracts, and the one that a pass leaves.

    The latter comes last, wherever it stands, if it is not among the first.
    """
    after_pass = [row for row in rows[most:] if row["contract"] == passed]
    return rows[:most] + after_pass


def scheme_words(scheme: str, vulnerable: str) -> str:
    """The scheme, and who is vulnerable where that counts."""
    who = {"None": "nobody", "All": "everybody"}.get(vulnerable, vulnerable)
    if vulnerability_counts(scheme, vulnerable):
        return f"scheme {scheme}, {who} vulnerable"
    return f"scheme {scheme}"


def contracts_table(
    rows: list[dict[str, Any]], attrs: Mapping[Any, Any], most: int
) -> Table:
    """The best contracts, and how each compares with another one, if one was named.

    ``rows`` are dictionaries of figures, one for each contract, the best first; ``most``
    of them are shown, and the one that a pass leaves (``attrs["passed"]``). ``attrs``
    says besides what they were compared ``against`` (empty: nothing), and by which
    scheme they are scored.
    """
    shown = best_rows(rows, most, attrs["passed"])
    columns = {
        "": [row["contract"] for row in shown],
        "makes": [_chance(row, "make") for row in shown],
        "tricks": [figure(row, "tricks", 2) for row in shown],
        "score": [figure(row, "score", 0) for row in shown],
    }
    notes = [_best_contract(rows)]
    if len(rows) > most:
        notes.append(f"The {most} best of {len(rows)}; all are in the data (--json).")
    compared_with = attrs["against"]
    if compared_with:
        comparison_columns = _comparison_columns(shown)
        columns |= comparison_columns
        _, *scales = comparison_columns
        notes.append(
            f"Difference, {', '.join(scales)}: against {compared_with}, on the same "
            "layouts."
        )
    columns["worked out by"] = [row["basis"] for row in shown]
    notes.append(str(attrs["caution"]))
    scheme = scheme_words(attrs["scheme"], attrs["vulnerable"])
    title = f"Contracts by expected score, {scheme}"
    lines = [list(line) for line in zip(*columns.values(), strict=True)]
    return Table(title, list(columns), lines, notes)


def _comparison_columns(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The columns, by their heads, that compare each contract with the one named.

    First comes the difference in score, then other scales; not all schemes have IMPs.
    """
    columns = {"difference": [figure(row, "difference", 0) for row in rows]}
    if "imps" in rows[0]:
        columns["IMPs"] = [figure(row, "imps", 1) for row in rows]
    columns["matchpoints"] = [_chance(row, "matchpoints") for row in rows]
    return columns


CLEARLY: Final = 2
"""Standard errors by which the best contract is ahead of the second if it is named."""


def _best_contract(rows: list[dict[str, Any]]) -> str:
    """Which contract is best, or that two cannot be told apart."""
    best = rows[0]
    if len(rows) > 1:
        runner_up = rows[1]
        behind = runner_up["behind"]
        error = runner_up["behind_error"]
        if abs(behind) < CLEARLY * error:
            ahead = f"{number(behind, 0)} ± {number(error, 0)}"
            return (
                f"Too close to call: {best['contract']} is ahead of "
                f"{runner_up['contract']} by {ahead}."
            )
    score = figure(best, "score", 0)
    chance = _chance(best, "make")
    return f"{best['contract']} is best: {score} points on average, and makes with {chance}."


def answers_table(rows: list[dict[str, Any]], attrs: Mapping[Any, Any]) -> Table:
    """The most valuable answers to questions that might be asked."""
    values = ["value"]
    if not attrs["exact"]:
        values.append("optimistic")
    lines = []
    for row in rows[:SHOWN]:
        figures = [figure(row, name, 1) for name in values]
        lines.append([row["question"], figure(row, "bits", 2), *figures])
    notes = []
    if len(rows) > SHOWN:
        notes.append(
            f"The {SHOWN} most valuable of {len(rows)}; all are in the data (--json)."
        )
    notes.append(
        f"value: how much more than by {attrs['action']} is scored on average by "
        "whoever bids after the answer."
    )
    notes.append(str(attrs["caution"]))
    title = "What an answer would tell, and what it is worth in score"
    return Table(title, ["", "bits", *values], lines, notes)


def figure(row: Mapping[str, Any], name: str, digits: int) -> str:
    """A figure of a row with its error, where it has one."""
    error = row[f"{name}_error"]
    words = number(row[name], digits)
    if not error:
        return words
    return f"{words} ± {number(error, digits)}"


def _chance(row: Mapping[str, Any], name: str) -> str:
    """A chance with its error; a dash where there is none."""
    share = row[name]
    if share is None:
        return "–"
    return percent(share) + share_error(share, row[f"{name}_error"])
