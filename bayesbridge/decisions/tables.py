"""Tables of :func:`bayesbridge.contracts` and :func:`bayesbridge.value_of_information`, for screen and notebook.

The rows are plain dictionaries: the command line makes them without xarray, which takes a second to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.markup import Table
from bayesbridge.words import number, percent, share_error

if TYPE_CHECKING:
    import xarray

SHOWN: Final = 12
"""Rows that people see unless they asked for them by name."""


def plain_rows(found: xarray.Dataset) -> list[dict[str, Any]]:
    """A dictionary for each row of an answer that has one dimension, that of its labels first.

    >>> import xarray
    >>> plain_rows(xarray.Dataset({"score": (["contract"], [420.0])}, {"contract": ["4S by S"]}))
    [{'contract': '4S by S', 'score': 420.0}]
    """
    rows: list[dict[str, Any]] = found.to_dataframe().reset_index().to_dict("records")
    return rows


def best_rows(rows: list[dict[str, Any]], most: int, passed: str) -> list[dict[str, Any]]:
    """The first ``most`` contracts, and after them the one that a pass leaves, wherever it stands.

    >>> best_rows([{"contract": "3NT by S"}, {"contract": "4C by S"}, {"contract": "2S by W"}], 1, "2S by W")
    [{'contract': '3NT by S'}, {'contract': '2S by W'}]
    """
    return [*rows[:most], *(row for row in rows[most:] if row["contract"] == passed)]


def scheme_words(scheme: str, vulnerable: str) -> str:
    """The scheme, and who is vulnerable where that counts.

    >>> scheme_words("new", "None"), scheme_words("duplicate", "None"), scheme_words("duplicate", "NS")
    ('scheme new', 'scheme duplicate, nobody vulnerable', 'scheme duplicate, NS vulnerable')
    """
    who = {"None": "nobody", "All": "everybody"}.get(vulnerable, vulnerable)
    return f"scheme {scheme}, {who} vulnerable" if scheme == "duplicate" else f"scheme {scheme}"


def contracts_table(rows: list[dict[str, Any]], attrs: Mapping[Any, Any], most: int) -> Table:
    """The ``most`` best contracts by expected score."""
    compared, imps = attrs["against"], "imps" in rows[0]
    columns = ["", "makes", "tricks", "score", "by"]
    if compared:
        columns[4:4] = ["difference", *(["IMPs"] if imps else []), "matchpoints"]
    lines = []
    for row in best_rows(rows, most, attrs["passed"]):
        line = [row["contract"], _chance(row, "make"), figure(row, "tricks", 2), figure(row, "score", 0)]
        if compared:
            line.append(figure(row, "difference", 0))
            line += [figure(row, "imps", 1)] if imps else []
            line.append(_chance(row, "matchpoints"))
        lines.append([*line, row["basis"]])
    best, chance = rows[0], _chance(rows[0], "make")
    said = [f"{best['contract']} is best: {figure(best, 'score', 0)} points on average, and makes with {chance}."]
    if len(rows) > 1 and abs(rows[1]["behind"]) < 2 * rows[1]["behind_error"]:
        ahead = f"{number(rows[1]['behind'], 0)} ± {number(rows[1]['behind_error'], 0)}"
        said = [f"Too close to call: {best['contract']} is ahead of {rows[1]['contract']} by {ahead}."]
    said += [f"The {most} best of {len(rows)}; all are in the data (--json)."] if len(rows) > most else []
    if compared:
        said.append(f"Difference, {'IMPs, ' if imps else ''}matchpoints: against {compared}, on the same layouts.")
    said.append(str(attrs["caution"]))
    scheme = scheme_words(attrs["scheme"], attrs["vulnerable"])
    return Table(f"Contracts by expected score, {scheme}", columns, lines, said)


def answers_table(rows: list[dict[str, Any]], attrs: Mapping[Any, Any]) -> Table:
    """What to find out: the most valuable answers."""
    names = ("value",) if attrs["exact"] else ("value", "optimistic")
    lines = [
        [row["question"], figure(row, "bits", 2), *(figure(row, name, 1) for name in names)] for row in rows[:SHOWN]
    ]
    said = [f"The {SHOWN} most valuable of {len(rows)}; all are in the data (--json)."] if len(rows) > SHOWN else []
    more = f"how much more than by {attrs['action']} is scored on average by whoever bids after the answer"
    said += [f"value: {more}.", str(attrs["caution"])]
    return Table("What an answer would tell, and what it is worth in score", ["", "bits", *names], lines, said)


def figure(row: Mapping[str, Any], name: str, digits: int) -> str:
    """A figure of a row with its error."""
    error = row[f"{name}_error"]
    return number(row[name], digits) + (f" ± {number(error, digits)}" if error else "")


def _chance(row: Mapping[str, Any], name: str) -> str:
    return "–" if row[name] is None else percent(row[name]) + share_error(row[name], row[f"{name}_error"])
