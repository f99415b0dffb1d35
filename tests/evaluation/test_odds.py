"""Odds of contracts: boards judged twice, and calibration that chance explains or not."""

from pathlib import Path

import numpy as np
import pytest
from odds import (
    COLUMNS,
    NETWORK,
    Forecast,
    Plan,
    board,
    called_by_the_bidder,
    document,
    measure,
    solver,
    tables,
)

import bayesbridge as bb
from bayesbridge.game.calls import CONTRACT_KINDS

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")


def test_a_board_is_judged_as_the_estimators_judge_it():
    plan = Plan(BOARDS, 3, draws=60, solve=5, correct=1).verify()
    for number in (0, 2):
        cells = board(plan, number, np.random.default_rng(number))
        figures = dict(zip(COLUMNS, cells[2:], strict=True))
        record = plan.records[number]
        contract = record.contract
        rng = np.random.default_rng(number)
        posterior = bb.Belief.of_record(
            record, contract.declarer.next(), cards=0
        ).infer("auto", 60, rng)
        options = {
            "pair": (contract.declarer, contract.declarer.partner),
            "trump": contract.strain,
        }
        # all layouts that the engine gave
        result = bb.estimate(posterior, "tricks", seconds=60, **options)
        assert figures["network"] == pytest.approx(
            result.tricks("tricks").at_least(contract.tricks_needed), abs=1e-5
        )
        question = bb.plugins.Question.of(options["pair"], trump=contract.strain.trump)
        (tricks,) = solver().estimate(bb.Layouts.of([record.deal]), question)["solved"]
        assert cells[:2].tolist() == [tricks >= contract.tricks_needed, number == 0]
        assert (figures["corrected_error"] > 0) == (number == 0)
        assert (CONTRACT_KINDS[int(figures["kind"])], figures["level"]) == (
            contract.kind,
            contract.level,
        )
        if number == 0:
            off = figures["corrected"] - figures["network"]
            assert abs(off) < 5 * np.hypot(
                figures["corrected_error"], figures["network_error"]
            )


def test_what_chance_alone_gives():
    """Right chances have the error that chance gives, on average.

    Chances pushed apart have more.
    """
    rng = np.random.default_rng(3)
    right = [
        Forecast("", chances, (rng.random(500) < chances) * 1.0)
        for chances in rng.random((200, 500))
    ]
    gaps = np.array([forecast.error - forecast.by_chance for forecast in right])
    assert abs(gaps.mean()) < 4 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    biases = np.array([forecast.bias[0] / forecast.bias[1] for forecast in right])
    assert abs(np.sqrt((biases**2).mean()) - 1) < 4 / np.sqrt(2 * len(biases))
    wrong = [
        Forecast("", np.clip(1.4 * forecast.told - 0.2, 0, 1), forecast.made)
        for forecast in right
    ]
    assert np.mean(
        [forecast.error - forecast.by_chance for forecast in wrong]
    ) > 20 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    shares = Forecast(
        "", right[0].told, rng.binomial(100, right[0].told) / 100, trials=100
    )
    assert shares.by_chance == pytest.approx(right[0].by_chance / 10)
    assert shares.error < 3 * shares.by_chance


def test_what_was_found_is_shown():
    measured = measure(
        Plan(BOARDS, 2, "declarer", draws=30, solve=3, correct=1).verify()
    )
    assert document(measured)["forecasts"][NETWORK]["boards"] == 2
    assert [row[0] for row in next(tables(measured)).rows] == [
        forecast.name for forecast in measured.forecasts
    ]
    with pytest.raises(
        bb.BayesBridgeError, match="holds no board with four hands and a contract"
    ):
        Plan(__file__, 2).verify()


def test_the_bidder_calls_on_the_same_deals():
    """The control: the same auction every time, and nothing of the play on record."""
    on_record, simulated = (
        Plan(BOARDS, 6, simulated=simulated_calls).verify()
        for simulated_calls in (False, True)
    )
    records = dict(
        zip(
            [record.deal for record in on_record.records],
            on_record.records,
            strict=True,
        )
    )
    assert {record.deal for record in simulated.records} <= set(records)
    for record in simulated.records:
        assert (record.auction.first, record.plays, record.result) == (
            records[record.deal].auction.first,
            (),
            None,
        )
        assert record.contract == record.auction.contract
        assert called_by_the_bidder(records[record.deal]) == record
    assert any(
        record.auction != records[record.deal].auction for record in simulated.records
    )
