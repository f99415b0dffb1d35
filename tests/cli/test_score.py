"""``score``: any reader at the command line, one line for what is wrong."""

import re
from pathlib import Path

import pytest

from bayesbridge.cli import main

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")


def test_score_at_several_moments(document, answer):
    words = ["score", BOARDS, "--boards", "2", "--reader", "counting", "--moments", "9,auction"]
    said = document(*words)
    assert list(said["moments"]) == ["auction", "trick 9"]
    assert said["moments"]["auction"]["log_tssr"] == 0.0
    assert said["moments"]["auction"]["card_log_loss"] == pytest.approx(1.0986, abs=1e-4)
    assert said["reader"] == "counting"
    shown = answer(*words)
    assert "Reader counting, the opening leader; losses in nats" in shown
    assert "trick 9" in shown


def without_seconds(said):
    for one in said["readers"].values():
        one.pop("seconds_per_board")
    return said


def test_several_readers_are_compared_on_the_same_boards(document, answer, complaint, tmp_path):
    """The same to the last bit for any number of workers, and from what a folder keeps."""
    direct = "tests.studies.test_readers:Direct"
    words = ["score", BOARDS, "--boards", "5", "--reader", "counting", "--reader", direct]
    alone = without_seconds(document(*words, "--workers", "1"))
    counting, other = (alone["readers"][name] for name in ("counting", direct))
    less = alone["differences"]["counting"]
    assert (alone["compared_with"], list(alone["differences"]), less["boards"]) == (direct, ["counting"], 5)
    for key in ("honour_log_loss", "length_log_loss", "points_rmse", "calibration_error"):
        assert less[key] == pytest.approx(counting[key] - other[key], abs=1e-9)
    assert less["length_log_loss_error"] > 0
    assert less["honour_log_loss_error"] == pytest.approx(0.0, abs=1e-9)
    kept = [*words, "--resume", str(tmp_path / "kept")]
    assert without_seconds(document(*kept, "--workers", "2")) == alone
    assert sorted(path.name for path in (tmp_path / "kept").glob("*.npy")) == [f"chunk-{i:08d}.npy" for i in range(3)]
    (tmp_path / "kept" / "chunk-00000001.npy").unlink()
    assert without_seconds(document(*kept)) == alone
    assert "belongs to another run: chair is" in complaint(*kept, "--chair", "declarer")
    assert f"Less {direct} on the same boards, after auction; losses in nats" in answer(*words)


class Raises:
    """A reader with a mistake."""

    def read(self, seen):
        return 1 / 0


def test_a_reader_that_raises_is_named_with_its_line(capsys):
    assert main(["score", BOARDS, "--boards", "1", "--reader", f"{__name__}:Raises"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("bayesbridge: reader Raises, board 1, raised ZeroDivisionError: division by zero (at ")
    assert re.search(r"test_readers\.py:\d+\)\n$", err)
