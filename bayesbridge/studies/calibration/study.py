"""Calibration as a study: its options, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.engine import Counts, Setting
from bayesbridge.studies.study import Option, Study, Table
from bayesbridge.words import number, percent

if TYPE_CHECKING:
    from bayesbridge.evidence import BidderModel
    from bayesbridge.studies.calibration.calibrate import Calibration
    from bayesbridge.studies.calibration.scenarios import Scenario

FEWEST: Final = 10
"""Places of a card that a row of the table stands for at least; the JSON document has the others too."""


def simulate(
    deals: int,
    seed: int,
    workers: int | None = None,
    runs: int = 1,
    how: Setting | None = None,
    *,
    method: str = "enumerate",
    bidder: BidderModel | None = None,
) -> Comparison:
    """The scenario of an engine on ``runs`` times ``deals`` random deals."""
    from bayesbridge.studies.calibration.calibrate import Calibration, job, scenario_for

    scenario = scenario_for(method, bidder)
    from bayesbridge.studies.engine import run

    done = run(job(scenario), deals, seed, runs, how or Setting(workers))
    found = Calibration.of(scenario, done.counts)
    return Comparison.of_run(
        done,
        partial(_named, scenario),
        title=f"Calibration of {method}: the rank of the truth in the posterior",
        unit="shares of deals",
        answers=_answers(found),
        source=found,
        hypotheses=lambda: list(found.tests()),
    )


def _answers(found: Calibration) -> dict[str, Any]:
    """A calibration as plain data."""
    from bayesbridge.studies.calibration.ranks import LEVELS

    return {
        "method": found.scenario.method,
        "chain": repr(found.scenario),
        "levels": list(LEVELS),
        "coverage": {name: list(by_level.values()) for name, by_level in found.coverage.items()},
        "ranks": dict(zip(found.names, found.ranks.tolist(), strict=True)),
        "cards": found.cards,
        "calibration_error": found.card_error,
        "calibration_error_by_chance": found.chance_error,
        "calibration": [
            {**one._asdict(), "error": error} for one, error in zip(found.reliability, found.errors, strict=True)
        ],
    }


def _named(scenario: Scenario, counts: Counts) -> dict[str, int]:
    from bayesbridge.studies.calibration.calibrate import Calibration
    from bayesbridge.studies.calibration.ranks import covered

    found = Calibration.of(scenario, counts)
    return {"deals": found.deals, "cards": found.cards} | {
        f"{name}, {level:.0%} intervals that hold the truth": k
        for name, row in zip(found.names, found.ranks, strict=True)
        for level, k in covered(row).items()
    }


def _tables(found: Comparison) -> Iterator[Table]:
    """Coverage of intervals, and predicted against observed places of cards."""
    answer = found.answers
    rows = [[name, *(percent(share) for share in shares)] for name, shares in answer["coverage"].items()]
    means = [sum(column) / len(column) for column in zip(*answer["coverage"].values(), strict=True)]
    rows.append(["mean", *(percent(mean) for mean in means)])
    header = ["central intervals that held the true …", *(percent(level, 0) for level in answer["levels"])]
    yield Table(f"{found.title}, {found.unit}", header, rows)
    curve = [
        [percent(one["predicted"]), percent(one["observed"]), f"± {100 * one['error']:.1f}", number(one["cards"])]
        for one in answer["calibration"]
        if one["cards"] >= FEWEST
    ]
    error, chance = answer["calibration_error"], answer["calibration_error_by_chance"]
    title = f"Places of {number(answer['cards'])} cards: calibration error {error:.4f}, by chance alone {chance:.4f}"
    yield Table(title, ["predicted", "observed", "", "places"], curve)


def _method(name: str) -> str:
    from bayesbridge.studies.calibration.calibrate import scenario_for

    return scenario_for(name).method


def _bidder(name: str) -> BidderModel:
    from bayesbridge.estimators.registry import offered

    return offered("bidders", [name]).bidder(name)


_METHODS: Final = "the engine to calibrate: one of 'bayesbridge estimate --method', counting or joint"
_BIDDERS: Final = "who calls, a model of 'bayesbridge plugins'"

STUDY: Final = Study(
    "calibration",
    "whether posteriors are right",
    200,
    simulate,
    options=(
        Option("--method", "method", "NAME", f"{_METHODS} (default: enumerate)", _method),
        Option("--bidder", "bidder", "NAME", f"{_BIDDERS} (default: as fits the engine)", _bidder),
    ),
    tables=_tables,
    pictures=tuple(
        f"bayesbridge.studies.calibration.pictures:plot_{kind}" for kind in ("ranks", "reliability", "coverage")
    ),
)
