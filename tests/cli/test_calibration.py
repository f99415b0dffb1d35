"""``bayesbridge study calibration``: one JSON object, tables for people, and refusals in one line."""

import json

import pytest

from bayesbridge.cli import main
from bayesbridge.cli.study import ENGINES
from bayesbridge.studies.calibration import CHAINS

SMALL = ["study", "calibration", "--method", "sample", "--deals", "8", "--workers", "1"]


def test_every_engine_that_has_a_chain_can_be_named():
    assert tuple(CHAINS) == ENGINES


def test_json_is_the_whole_calibration(capsys):
    assert main([*SMALL, "--runs", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    said = json.loads(out)
    assert said["total"] == "16"
    assert said["method"] == "sample"
    assert said["levels"] == [0.5, 0.8, 0.9, 0.95]
    assert set(said["coverage"]) == set(said["ranks"])
    assert all(len(shares) == 4 for shares in said["coverage"].values())
    assert all(len(cells) == 40 and sum(cells) == 16 for cells in said["ranks"].values())
    assert said["cards"] == 16 * 33
    assert said["calibration_error_by_chance"] > 0
    places = sum(one["cards"] for one in said["calibration"])
    gap = sum(abs(one["said"] - one["so"]) * one["cards"] for one in said["calibration"])
    assert said["calibration_error"] == pytest.approx(gap / places)
    assert len(said["tests"]) == 2 * len(said["ranks"]) + 1
    for key, count in said["counts"].items():
        assert int(count) == sum(int(run[key]) for run in said["runs"])


def test_people_read_tables(capsys):
    assert main(SMALL) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "Calibration of sample: the truth among what the posterior says" in out
    assert "Places of 264 cards: calibration error 0." in out
    assert "left's points" in out
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
        (["captures", "--method", "smc"], "study 'captures' has no engine to choose: --method goes with calibration"),
        (["headline", "--bidder", "style"], "study 'headline' has no engine to choose: --bidder goes with calibration"),
        (["calibration", "--bidder", "nobody"], "argument --bidder: unknown bidder model 'nobody'"),
        (["calibration", "--method", "magic"], "argument --method: invalid choice: 'magic'"),
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
