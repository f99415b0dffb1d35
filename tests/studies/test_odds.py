"""Study odds: boards judged twice, calibration that chance explains or not, and mistakes in one line."""

import json
from pathlib import Path

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.cli import main
from bayesbridge.studies import plot_odds
from bayesbridge.studies.odds import Forecast, Odds, plan
from bayesbridge.studies.odds.measure import COLUMNS, SCALE, WIDTH, board, solver
from bayesbridge.studies.odds.scores import AT_TRUTH, BESIDE_SOLVER, CORRECTED, NETWORK, REACHED, SAME

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")


def test_a_board_is_judged_as_the_estimators_judge_it():
    what = plan(BOARDS, 3, draws=60, solve=5, correct=1, held_out=False)
    for number in (0, 2):
        cells = board(what, number, np.random.default_rng(number))
        told = dict(zip(COLUMNS, cells[3:] / SCALE, strict=True))
        record = what.records[number]
        contract = record.contract
        rng = np.random.default_rng(number)
        posterior = bb.Belief.of_record(record, contract.declarer.next(), cards=0).infer("auto", 60, rng)
        asked = {"pair": (contract.declarer, contract.declarer.partner), "trump": contract.strain}
        result = bb.estimate(posterior, "tricks", **asked)
        assert told["network"] == pytest.approx(
            bb.Tricks.of(result, "tricks").at_least(contract.tricks_needed), abs=1e-5
        )
        question = bb.Question.of(asked["pair"], trump=contract.strain.trump)
        (tricks,) = solver().estimate(bb.Layouts.of([record.deal]), question)["solved"]
        assert cells[:3].tolist() == [1, tricks >= contract.tricks_needed, number == 0]
        assert (told["corrected_error"] > 0) == (number == 0)
        again = bb.estimate(bb.reached(posterior), "tricks", **asked)
        assert told["reached"] == pytest.approx(
            bb.Tricks.of(again, "tricks").at_least(contract.tricks_needed), abs=1e-5
        )
        if number == 0:
            off = told["corrected"] - told["reached"]
            assert abs(off) < 5 * np.hypot(told["corrected_error"], told["network_error"])


def test_all_forecasts_of_a_table():
    what = plan(BOARDS, 4, solve=10, correct=2, held_out=False)
    rows = np.zeros((4, WIDTH), dtype=np.int64)
    rows[:, 0], rows[::2, 1], rows[:2, 2] = 1, 1, 1
    rows[:, 3:] = np.array([0.5, 0.1, 0.9, 0.6, 0.4, 0.2, 0.3]) * SCALE
    found = Odds.of(what, rows.ravel())
    assert [(one.name, len(one.told), float(one.told[0]), float(one.made.mean())) for one in found.forecasts] == [
        (NETWORK, 4, 0.5, 0.5),
        (REACHED, 4, 0.6, 0.5),
        (AT_TRUTH, 4, 0.9, 0.5),
        (CORRECTED, 2, 0.4, 0.5),
        (SAME, 2, 0.6, 0.5),
        (BESIDE_SOLVER, 2, 0.6, 0.3),
    ]
    assert plot_odds(found).get_xlabel() == "told: the contract makes"


def test_what_chance_alone_gives():
    """Right chances have the error that chance gives, on average; chances pushed apart have more."""
    rng = np.random.default_rng(3)
    right = [Forecast("", told, (rng.random(500) < told) * 1.0) for told in rng.random((200, 500))]
    gaps = np.array([one.error - one.by_chance for one in right])
    assert abs(gaps.mean()) < 4 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    biases = np.array([one.bias[0] / one.bias[1] for one in right])
    assert abs(np.sqrt((biases**2).mean()) - 1) < 4 / np.sqrt(2 * len(biases))
    wrong = [Forecast("", np.clip(1.4 * one.told - 0.2, 0, 1), one.made) for one in right]
    assert np.mean([one.error - one.by_chance for one in wrong]) > 20 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    shares = Forecast("", right[0].told, rng.binomial(100, right[0].told) / 100, trials=100)
    assert shares.by_chance == pytest.approx(right[0].by_chance / 10)
    assert shares.error < 3 * shares.by_chance


def test_at_the_command_line(capsys):
    words = ["study", "odds", "--records", BOARDS, "--deals", "2", "--correct", "1", "--solve", "3", "--draws", "30"]
    assert main([*words, "--chair", "declarer", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["chair"], found["counts"]) == ("declarer", {"boards": "2", "corrected": "1"})
    assert found["forecasts"][NETWORK]["boards"] == 2
    assert main([*words, "--part", "all"]) == 0
    assert "calibration error" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "study 'odds' needs boards: name a PBN or LIN file by --records"),
        (["--records", BOARDS, "--chair", "king"], "unknown chair 'king'"),
        (["--records", BOARDS, "--part", "some"], "unknown part 'some': choose all or held-out"),
        (["--records", BOARDS, "--draws", "1"], "'1': write a whole number from 2 on"),
        (["--records", BOARDS, "--correct", "few"], "'few': write a whole number"),
        (["--records", "nowhere.pbn"], "there is no file 'nowhere.pbn'"),
        (["--records", __file__], "holds no board with four hands and a contract"),
    ],
)
def test_mistakes_are_one_line(capsys, words, said):
    assert main(["study", "odds", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
