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
    what = Plan(BOARDS, 3, draws=60, solve=5, correct=1).verify()
    for number in (0, 2):
        cells = board(what, number, np.random.default_rng(number))
        told = dict(zip(COLUMNS, cells[2:], strict=True))
        record = what.records[number]
        contract = record.contract
        rng = np.random.default_rng(number)
        posterior = bb.Belief.of_record(
            record, contract.declarer.next(), cards=0
        ).infer("auto", 60, rng)
        asked = {
            "pair": (contract.declarer, contract.declarer.partner),
            "trump": contract.strain,
        }
        result = bb.estimate(
            posterior, "tricks", seconds=60, **asked
        )  # all layouts that the engine gave
        assert told["network"] == pytest.approx(
            result.tricks("tricks").at_least(contract.tricks_needed), abs=1e-5
        )
        question = bb.plugins.Question.of(asked["pair"], trump=contract.strain.trump)
        (tricks,) = solver().estimate(bb.Layouts.of([record.deal]), question)["solved"]
        assert cells[:2].tolist() == [tricks >= contract.tricks_needed, number == 0]
        assert (told["corrected_error"] > 0) == (number == 0)
        assert (CONTRACT_KINDS[int(told["kind"])], told["level"]) == (
            contract.kind,
            contract.level,
        )
        if number == 0:
            off = told["corrected"] - told["network"]
            assert abs(off) < 5 * np.hypot(
                told["corrected_error"], told["network_error"]
            )


def test_what_chance_alone_gives():
    """Right chances have the error that chance gives, on average; chances pushed apart
    have more.
    """
    rng = np.random.default_rng(3)
    right = [
        Forecast("", told, (rng.random(500) < told) * 1.0)
        for told in rng.random((200, 500))
    ]
    gaps = np.array([one.error - one.by_chance for one in right])
    assert abs(gaps.mean()) < 4 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    biases = np.array([one.bias[0] / one.bias[1] for one in right])
    assert abs(np.sqrt((biases**2).mean()) - 1) < 4 / np.sqrt(2 * len(biases))
    wrong = [
        Forecast("", np.clip(1.4 * one.told - 0.2, 0, 1), one.made) for one in right
    ]
    assert np.mean([one.error - one.by_chance for one in wrong]) > 20 * gaps.std(
        ddof=1
    ) / np.sqrt(len(gaps))
    shares = Forecast(
        "", right[0].told, rng.binomial(100, right[0].told) / 100, trials=100
    )
    assert shares.by_chance == pytest.approx(right[0].by_chance / 10)
    assert shares.error < 3 * shares.by_chance


def test_what_was_found_is_shown():
    found = measure(Plan(BOARDS, 2, "declarer", draws=30, solve=3, correct=1).verify())
    assert document(found)["forecasts"][NETWORK]["boards"] == 2
    assert [row[0] for row in next(tables(found)).rows] == [
        one.name for one in found.forecasts
    ]
    with pytest.raises(
        bb.BayesBridgeError, match="holds no board with four hands and a contract"
    ):
        Plan(__file__, 2).verify()


def test_the_bidder_calls_on_the_same_deals():
    """The control: the same auction every time, and nothing of the play on record."""
    on_record, simulated = (
        Plan(BOARDS, 6, simulated=one).verify() for one in (False, True)
    )
    records = dict(
        zip([one.deal for one in on_record.records], on_record.records, strict=True)
    )
    assert {one.deal for one in simulated.records} <= set(records)
    for one in simulated.records:
        assert (one.auction.first, one.plays, one.result) == (
            records[one.deal].auction.first,
            (),
            None,
        )
        assert one.contract == one.auction.contract
        assert called_by_the_bidder(records[one.deal]) == one
    assert any(one.auction != records[one.deal].auction for one in simulated.records)
