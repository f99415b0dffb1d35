"""``bayesbridge study honesty``: one JSON object, a table for people, and refusals in one line."""

import json

import pytest

from bayesbridge.cli import main

SMALL = ["study", "honesty", "--positions", "1", "--seeds", "5", "--engine", "sample", "--workers", "1"]


def test_json_and_table_say_the_same_and_a_checkpoint_is_continued(capsys, tmp_path):
    file = str(tmp_path / "honesty.jsonl")
    assert main([*SMALL, "--resume", file, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (row,) = found["rows"]
    assert (row["engine"], row["kind"], row["answers"], row["refused"]) == ("sample", "none", 5, 0)
    assert found["cases"][0]["position"] == "none 1"
    assert row["rms_z"]["log P"]["value"] is None  # exact
    assert main([*SMALL, "--resume", file]) == 0
    out = capsys.readouterr().out
    assert "Honesty: the spread of answers over seeds" in out
    assert f"{row['rms_z']['T']['value']:.2f} [" in out
    assert row["verdict"] in out
    assert main([*SMALL[:-4], "--engine", "auto", "--resume", file]) == 2
    assert "checkpoint" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["honesty", "--engine", "magic"], "argument --engine: unknown engine 'magic': choose auto, "),
        (["honesty", "--seeds", "many"], "argument --seeds: 'many': write a whole number from 1 on"),
        (["honesty", "--positions", "41"], "41 positions: take 1 to 40"),
        (["honesty", "--positions", "1", "--engine", "smc"], "none of these positions tests smc"),
        (["captures", "--seeds", "5"], "study 'captures' takes no --seeds: it goes with honesty"),
    ],
)
def test_mistakes_are_one_line(capsys, words, what):
    assert main(["study", *words]) == 2
    assert capsys.readouterr().err.startswith(f"bayesbridge: {what}")
