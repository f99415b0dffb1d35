"""``replay`` and ``score``: real records in, steps and scores out, one line for what cannot be read."""

from pathlib import Path

import pytest

from bayesbridge.cli import main

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")


def test_replay_sharpens_to_one_layout(document):
    said = document("replay", BOARDS, "--board", "2", "--observer", "W", "--draws", "200")
    steps = said["steps"]
    assert said["board"] == "2"
    assert said["contract"] == "1NT by W"
    assert {"event", "layouts", "entropy_bits", "T_mean", "T_mean_qualified", "qualified", "exact"} <= set(steps[0])
    assert steps[0]["layouts"] == "84478098072866400"
    assert (steps[-1]["layouts"], steps[-1]["entropy_bits"]) == ("1", pytest.approx(0.0, abs=1e-9))
    counts = [int(step["layouts"]) for step in steps]
    assert counts == sorted(counts, reverse=True)


def test_replay_for_people(capsys):
    assert main(["replay", BOARDS, "--board", "2", "--observer", "W", "--draws", "100"]) == 0
    screen = capsys.readouterr().out
    assert "Board 2: what W believes (1NT by W, T of W:E)" in screen
    assert "trick 13" in screen


def test_score_keys(document):
    said = document("score", BOARDS, "--boards", "2", "--draws", "200")
    assert {"boards", "honour_log_loss", "length_log_loss", "brier", "top1", "seconds_per_board"} <= set(said)
    assert said["boards"] == 2
    assert 0.5 < said["honour_log_loss"] < 2.0
    assert sum(row["cards"] for row in said["calibration"]) % 3 == 0


def test_score_for_people(capsys):
    assert main(["score", BOARDS, "--boards", "1", "--cards", "40"]) == 0
    assert "1 boards, the opening leader after the auction and 40 cards" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["replay", "no/such.pbn"], "there is no file 'no/such.pbn': give a PBN or LIN file"),
        (["replay", BOARDS, "--board", "77"], f"no board 77 in '{BOARDS}': it has 1, 2, 3, 4, 5, 6, 7, 8"),
        (["score", BOARDS, "--boards", "0"], "argument --boards"),
        (["score", __file__], "holds no record that can be read"),
        (["replay", BOARDS, "--observer", "X"], "unknown seat 'X'"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, line):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert line in said.err.splitlines()[-1]


def test_a_damaged_file_is_read_as_far_as_it_goes(tmp_path, capsys, document):
    text = Path(BOARDS).read_text().replace('[Deal "N:T97.A96.85.AJ875', '[Deal "N:TT7.A96.85.AJ875', 1)
    damaged = tmp_path / "damaged.pbn"
    damaged.write_text(text)
    assert main(["score", str(damaged), "--boards", "1", "--draws", "100", "--json"]) == 0
    assert f"{damaged}" in capsys.readouterr().err
