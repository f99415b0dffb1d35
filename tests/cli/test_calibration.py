"""``bayesbridge study calibration``: one JSON object, tables for people, and refusals in one line."""

import json
import re

import pytest

from bayesbridge.cli import main
from bayesbridge.studies.calibration import SCENARIOS
from bayesbridge.studies.calibration.predictions import ENGINES

SMALL = ["study", "calibration", "--method", "sample", "--deals", "8", "--workers", "1"]


def test_every_engine_has_a_scenario():
    assert SCENARIOS.keys() == ENGINES.keys()
    assert all(scenario.method == name for name, scenario in SCENARIOS.items())


def test_json_is_the_whole_calibration(capsys):
    assert main([*SMALL, "--runs", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out)
    assert found["total"] == "16"
    assert found["method"] == "sample"
    assert found["levels"] == [0.5, 0.8, 0.9, 0.95]
    assert set(found["coverage"]) == set(found["ranks"])
    assert all(len(shares) == 4 for shares in found["coverage"].values())
    assert all(len(cells) == 40 and sum(cells) == 16 for cells in found["ranks"].values())
    assert found["cards"] == 16 * 33
    assert found["calibration_error_by_chance"] > 0
    places = sum(one["cards"] for one in found["calibration"])
    gap = sum(abs(one["predicted"] - one["observed"]) * one["cards"] for one in found["calibration"])
    assert found["calibration_error"] == pytest.approx(gap / places)
    assert len(found["tests"]) == 2 * len(found["ranks"]) + 1
    for key, count in found["counts"].items():
        assert int(count) == sum(int(run[key]) for run in found["runs"])


def test_people_read_tables(capsys):
    assert main(SMALL) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "Calibration of sample: the rank of the truth in the posterior" in out
    assert "Places of 264 cards: calibration error 0." in out
    assert "left's points" in out
    assert re.search(r"^predicted +observed +places$", out, re.M)
    assert "Hypothesis tests" in out
    assert "8 deals, seed 1, " in out
    assert "million a second" not in out


def test_a_bidder_by_name_calls(capsys):
    words = ["study", "calibration", "--bidder", "iterative", "--deals", "2", "--workers", "1", "--json"]
    assert main(words) == 0
    assert "bidder=IterativeBidder(" in json.loads(capsys.readouterr().out)["chain"]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["captures", "--method", "smc"], "study 'captures' takes no --method: it goes with calibration"),
        (["headline", "--bidder", "style"], "study 'headline' takes no --bidder: it goes with calibration"),
        (["calibration", "--bidder", "nobody"], "argument --bidder: unknown bidder model 'nobody'"),
        (["calibration", "--method", "magic"], "argument --method: unknown method 'magic': choose enumerate, "),
        (["calibration", "--method", "sample", "--bidder", "style"], "nobody calls where method is 'sample'"),
        (["calibration", "--exact"], "study 'calibration' has no exact count"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(capsys, words, what):
    assert main(["study", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert what in err
