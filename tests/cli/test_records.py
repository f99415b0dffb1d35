"""``replay`` and ``score``: real records in, steps and scores out, one line for what cannot be read."""

import re
from pathlib import Path

import pytest

from bayesbridge.cli import main

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")


def test_replay_sharpens_to_one_layout(document):
    said = document("report", BOARDS, "--text", "--board", "2", "--observer", "W", "--draws", "200")
    steps = said["steps"]
    assert said["board"] == "2"
    assert said["contract"] == "1NT by W"
    assert {"event", "layouts", "entropy_bits", "T_mean", "T_mean_qualified", "qualified", "exact"} <= set(steps[0])
    assert steps[0]["layouts"] == "84478098072866400"
    assert (steps[-1]["layouts"], steps[-1]["entropy_bits"]) == ("1", pytest.approx(0.0, abs=1e-9))
    counts = [int(step["layouts"]) for step in steps]
    assert counts == sorted(counts, reverse=True)


def test_north_looks_where_north_is_asked(document, tmp_path):
    """North is seat 0, which must not be taken for no seat."""
    said = document("count", "--record", BOARDS, "--board", "2", "--observer", "N", "--after-trick", "0")
    assert (said["observer"], said["hand"]) == ("N", "AT982.KQ5.9.JT72")
    short = tmp_path / "short.pbn"
    short.write_text('[Board "1"]\n[Deal "N:AKQ2.KJ3.A54.Q32 - - -"]\n[Auction "N"]\n1NT\n', "utf-8")
    assert document("report", str(short), "--text", "--observer", "N", "--draws", "20")["observer"] == "N"


def test_score_keys(document):
    said = document("score", BOARDS, "--boards", "2", "--draws", "200")
    assert {"boards", "honour_log_loss", "length_log_loss", "brier", "top1", "seconds_per_board"} <= set(said)
    assert said["boards"] == 2
    assert 0.5 < said["honour_log_loss"] < 2.0
    assert sum(row["cards"] for row in said["calibration"]) % 3 == 0


def test_score_of_another_chair(document, complaint):
    said = document("score", BOARDS, "--boards", "2", "--draws", "100", "--chair", "declarer", "--cards", "1")
    assert (said["chair"], said["after_cards"], said["draws"]) == ("declarer", 1, 100)
    line = complaint("score", BOARDS, "--chair", "dummy", "--cards", "3")
    assert line == "argument --chair dummy: dummy looks on from the lead on, leave --cards out"


def test_records_that_cannot_be_scored_are_counted_with_the_reason(tmp_path, answer, document, complaint):
    """A board whose play is short and one without a play, beside one that will do."""
    boards = Path(BOARDS).read_text("utf-8").split("[Event ")[1:4]
    whole, short, bare = (f"[Event {board}" for board in boards)
    bare = bare[: bare.index("[Play ")] + "\n"
    lines = short.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.startswith("[Play "))
    short = "".join(lines[: at + 3]) + "*\n\n"
    file = tmp_path / "mixed.pbn"
    file.write_text(whole + short + bare, "utf-8")
    said = document("score", str(file), "--cards", "20", "--draws", "100")
    assert said["boards"] == 1
    assert said["left_out"] == {"the play is shorter": 2}
    assert "2 records left out: the play is shorter." in answer("score", str(file), "--cards", "20", "--draws", "100")
    file.write_text(short + bare, "utf-8")
    line = complaint("score", str(file), "--cards", "20")
    assert line == f"argument FILE: no board of '{file}' can be scored: the play is shorter (2)"


def test_of_many_notes_the_first_five_are_told(tmp_path, capsys):
    text = Path(BOARDS).read_text("utf-8")
    damaged = tmp_path / "damaged.pbn"
    damaged.write_text(re.sub(r'\[Deal "', '[Deal "?', text), "utf-8")
    main(["report", str(damaged), "--text"])
    told = capsys.readouterr().err.splitlines()
    assert sum(str(damaged) in line for line in told[:5]) == 5
    assert re.fullmatch(r"bayesbridge: \d+ more notes on what was left out", told[5])
