"""Honesty of stated errors as a study: its options, table and picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.engine import Setting
from bayesbridge.studies.study import Option, Study, Table
from bayesbridge.words import number, percent

if TYPE_CHECKING:
    from bayesbridge.studies.honesty.scores import Honesty, Interval

SEEDS: Final = 200
"""Answers of an engine on a position, where the model is quick to ask."""


def simulate(
    deals: int,
    seed: int,
    workers: int | None = None,
    runs: int = 1,
    how: Setting | None = None,
    *,
    positions: int | None = None,
    seeds: int = SEEDS,
    engine: tuple[str, ...] | None = None,
    kind: tuple[str, ...] | None = None,
) -> Comparison:
    """Every engine on ``positions`` of the fixed positions (``deals`` unless given), over so many seeds."""
    from bayesbridge.studies.engine import run
    from bayesbridge.studies.honesty.answers import ENGINES, truth_of
    from bayesbridge.studies.honesty.measure import job, plan, unpacked
    from bayesbridge.studies.honesty.positions import some_positions
    from bayesbridge.studies.honesty.scores import Honesty

    chosen = some_positions(deals if positions is None else positions)
    chosen = tuple(position for position in chosen if kind is None or position.kind in kind)
    what = plan(chosen, seeds, engine or ENGINES)
    done = run(job(what), what.answers, seed, runs, how or Setting(workers))
    tested = dict.fromkeys(case.position for case in what.cases)
    found = Honesty.of(unpacked(what, done.by_run), {position.name: truth_of(position) for position in tested})
    return Comparison.of_run(
        done,
        lambda _: {"answers": what.answers, "cases": len(what.cases), "positions": len(tested)},
        title="Honesty: the spread of answers over seeds, in units of the errors that they state",
        unit="root mean square of z, 1 if errors are honest",
        answers=_answers(found),
        source=found,
    )


def _answers(found: Honesty) -> dict[str, Any]:
    """What was found, as plain data."""
    from bayesbridge.studies.honesty.scores import rms

    return {
        "rows": [
            {
                "engine": row.engine,
                "kind": row.kind,
                "positions": row.positions,
                "answers": row.answers,
                "rms_z": {name: _interval(one) for name, one in row.rms.items()},
                "within_two_errors": _interval(row.within),
                "cards_in_half_by_root_ess": _interval(row.bound),
                "largest_bias": None if row.bias != row.bias else row.bias,
                "bias_p": row.bias_p,
                "exact": row.exact,
                "exact_but_wrong": row.wrong,
                "warned": row.warned,
                "refused": row.refused,
                "verdict": row.verdict,
            }
            for row in found.rows
        ],
        "cases": [
            {
                "engine": one.answers.case.engine,
                "position": one.answers.case.position.name,
                "calls": one.answers.case.position.calls,
                "answers": len(one.z),
                "rms_z": _interval(rms([one.told])),
            }
            for one in found.scores
        ],
    }


def _interval(one: Interval) -> dict[str, float | None]:
    """``None`` for what JSON cannot say."""
    from math import isfinite

    return {name: value if isfinite(value) else None for name, value in one._asdict().items()}


def _tables(found: Comparison) -> Iterator[Table]:
    """A row for each engine and kind of position, with its verdict."""
    rows = []
    for row in found.answers["rows"]:
        groups = [_rms(one) for one in row["rms_z"].values()]
        share = row["within_two_errors"]["value"]
        rows.append(
            [
                f"{row['engine']}, {row['kind']}",
                str(row["positions"]),
                number(row["answers"]),
                *groups,
                "–" if share is None else percent(share),
                "–" if row["largest_bias"] is None else f"{row['largest_bias']:.1f}",
                percent(row["warned"], 0),
                percent(row["refused"], 0),
                row["verdict"],
            ]
        )
    names = list(found.answers["rows"][0]["rms_z"])
    header = ["engine, who calls", "positions", "answers", *names, "within two", "bias", "warned", "refused", "verdict"]
    yield Table(f"{found.title}; {found.unit}", header, rows)


def _rms(one: dict[str, float | None]) -> str:
    if one["value"] is None:
        return "exact"
    high = "∞" if one["high"] is None else f"{one['high']:.2f}"
    return f"{one['value']:.2f} [{one['low']:.2f}, {high}]"


def _whole(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise BayesBridgeError(f"{text!r}: write a whole number from 1 on", text=text)
    return int(text)


def _engines(text: str) -> tuple[str, ...]:
    from bayesbridge.studies.honesty.answers import ENGINES

    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in ENGINES]:
        raise BayesBridgeError(f"unknown engine {unknown[0]!r}: choose {', '.join(ENGINES)}", engine=unknown[0])
    return names


def _kinds(text: str) -> tuple[str, ...]:
    from bayesbridge.studies.honesty.positions import KINDS

    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in KINDS]:
        raise BayesBridgeError(f"unknown kind {unknown[0]!r}: choose {', '.join(KINDS)}", kind=unknown[0])
    return names


_SEEDS: Final = f"answers of an engine on a position; slow models take a part of them (default: {SEEDS})"

STUDY: Final = Study(
    "honesty",
    "whether stated errors are those that answers show",
    40,
    simulate,
    options=(
        Option("--positions", "positions", "N", "how many of the 40 positions (default: all)", _whole),
        Option("--seeds", "seeds", "N", _SEEDS, _whole),
        Option("--engine", "engine", "NAMES", "engines to test, with commas (default: all)", _engines),
        Option("--kind", "kind", "NAMES", "kinds of positions, with commas (default: all)", _kinds),
    ),
    tables=_tables,
    pictures=("bayesbridge.studies.honesty.pictures:plot_honesty",),
)
