"""P(make) on real boards as a study: its options, table and picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.engine import Setting
from bayesbridge.studies.study import Option, Study, Table
from bayesbridge.words import number, percent

if TYPE_CHECKING:
    from bayesbridge.studies.odds.scores import Forecast, Odds


def simulate(
    deals: int,
    seed: int,
    workers: int | None = None,
    runs: int = 1,
    how: Setting | None = None,
    *,
    records: str | None = None,
    chair: str = "leader",
    draws: int = 300,
    solve: int = 40,
    correct: int = 200,
    held_out: bool = False,
) -> Comparison:
    """The first ``deals`` boards of a file with records, the first ``correct`` of them with solved layouts."""
    if records is None:
        raise BayesBridgeError("study 'odds' needs boards: name a PBN or LIN file by --records")
    from bayesbridge.studies.engine import run
    from bayesbridge.studies.odds.measure import job, plan
    from bayesbridge.studies.odds.scores import Odds

    what = plan(records, deals, chair, draws, solve, correct, held_out=held_out)
    done = run(job(what), what.deals, seed, runs, how or Setting(workers))
    found = Odds.of(what, done.by_run)
    return Comparison.of_run(
        done,
        lambda _: {"boards": what.deals, "corrected": what.correct},
        title="Whether contracts make: chances told beside what the solver finds",
        unit="shares of boards",
        answers=_answers(found),
        source=found,
    )


def _answers(found: Odds) -> dict[str, Any]:
    """What was found, as plain data."""
    what = found.plan
    asked = {"chair": what.chair, "draws": what.draws, "solve": what.solve, "held_out": what.held_out}
    return {**asked, "forecasts": {one.name: _answer(one) for one in found.forecasts}}


def _answer(one: Forecast) -> dict[str, Any]:
    bias, error = one.bias
    return {
        "boards": len(one.told),
        "told": float(one.told.mean()),
        "made": float(one.made.mean()),
        "bias": bias,
        "bias_error": error,
        "calibration_error": one.error,
        "calibration_error_by_chance": one.by_chance,
        "brier": one.brier,
        "bins": [{"told": cell.predicted, "made": cell.observed, "boards": cell.cards} for cell in one.bins],
    }


def _tables(found: Comparison) -> Iterator[Table]:
    """A row for each way to tell the chance, then the bins."""
    forecasts = found.answers["forecasts"]
    rows = [
        [
            name,
            number(one["boards"]),
            percent(one["told"]),
            percent(one["made"]),
            f"{100 * one['bias']:+.1f} ± {100 * one['bias_error']:.1f}",
            f"{100 * one['calibration_error']:.1f}",
            f"{100 * one['calibration_error_by_chance']:.1f}",
            f"{one['brier']:.4f}",
        ]
        for name, one in forecasts.items()
    ]
    header = ["", "boards", "told", "make", "bias", "calibration error", "by chance", "Brier score"]
    yield Table(f"{found.title}; bias and errors in points", header, rows)
    for name, one in forecasts.items():
        cells = [[percent(cell["told"]), percent(cell["made"]), number(cell["boards"])] for cell in one["bins"]]
        yield Table(name, ["told", "make", "boards"], cells)


def _file(text: str) -> str:
    if not Path(text).is_file():
        raise BayesBridgeError(f"there is no file {text!r}: give a PBN or LIN file", path=text)
    return text


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise BayesBridgeError(f"{text!r}: write a whole number", text=text)
    return int(text)


def _several(text: str) -> int:
    if _whole(text) < 2:
        raise BayesBridgeError(f"{text!r}: write a whole number from 2 on", text=text)
    return int(text)


def _chair(text: str) -> str:
    from bayesbridge.studies.inference import CHAIRS

    if text not in CHAIRS:
        raise BayesBridgeError(f"unknown chair {text!r}: choose {', '.join(CHAIRS)}", chair=text)
    return text


def _part(text: str) -> bool:
    parts = {"all": False, "held-out": True}
    if text not in parts:
        raise BayesBridgeError(f"unknown part {text!r}: choose all or held-out", part=text)
    return parts[text]


_PART: Final = "all deals (default), or those held-out when the learned bidder was fitted to the same records"

STUDY: Final = Study(
    "odds",
    "whether contracts make as often as is said",
    2_000,
    simulate,
    options=(
        Option("--records", "records", "FILE", "a PBN or LIN file with the boards", _file),
        Option("--part", "held_out", "PART", _PART, _part),
        Option("--chair", "chair", "NAME", "who asks, after the auction: leader (default), partner, …", _chair),
        Option("--draws", "draws", "N", "draws of each posterior (default: 300)", _several),
        Option("--solve", "solve", "N", "layouts to solve on a board that is corrected (default: 40)", _several),
        Option("--correct", "correct", "N", "boards that are corrected, the first (default: 200)", _whole),
    ),
    tables=_tables,
    pictures=("bayesbridge.studies.odds.pictures:plot_odds",),
)
