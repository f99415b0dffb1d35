"""``score``: any reader at the command line, files there and back, one line for what is wrong."""

from pathlib import Path

import pytest

from bayesbridge.notation import open_records
from bayesbridge.studies.benchmark import frozen_list

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")
RECORDS = open_records(BOARDS).records


def test_score_at_several_moments(document, answer):
    words = ["score", BOARDS, "--boards", "2", "--draws", "100", "--reader", "counting", "--moments", "9,auction"]
    said = document(*words)
    assert list(said["moments"]) == ["auction", "trick 9"]
    assert said["moments"]["auction"]["log_tssr"] == 0.0
    assert said["moments"]["auction"]["card_log_loss"] == pytest.approx(1.0986, abs=1e-4)
    assert said["reader"] == "counting"
    shown = answer(*words)
    assert "Reader counting, the opening leader; losses in nats" in shown
    assert "trick 9" in shown


def test_what_score_writes_it_reads(tmp_path, document, answer):
    """The same reader by its file: all figures but those of layouts."""
    out = tmp_path / "mine.jsonl"
    words = ["score", BOARDS, "--boards", "2", "--moments", "auction,9"]
    first = document(*words, "--reader", "style", "--draws", "100", "--write-beliefs", str(out))
    assert len(out.read_text().splitlines()) == 4
    second = document(*words, "--reader", str(out))
    for moment, told in first["moments"].items():
        for name in (
            "honour_log_loss",
            "card_log_loss",
            "length_log_loss",
            "points_rmse",
            "brier",
            "calibration_error",
        ):
            assert second["moments"][moment][name] == pytest.approx(told[name], abs=1e-3)
    out.write_text(out.read_text().splitlines()[0] + "\n")
    assert document(*words, "--reader", str(out))["unanswered"] == 3
    assert "3 times the reader said nothing: they count as if it knew nothing." in answer(*words, "--reader", str(out))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--write-beliefs", "x.jsonl"], "argument --write-beliefs: say at which --moments"),
        (["--reader", "none.jsonl"], "argument --reader: cannot read 'none.jsonl'"),
        (["--moments", "tea"], "argument --moments: unknown moment 'tea': choose auction, lead, 1, 3, 6 or 9"),
        (["--moments", "1", "--chair", "dummy"], "argument --chair dummy: dummy looks on from the lead on"),
    ],
)
def test_what_score_refuses(complaint, words, line):
    assert line in complaint("score", BOARDS, *words)


def test_the_test_list_as_a_file(tmp_path, answer, document, complaint):
    out = tmp_path / "test.pbn"
    expected = frozen_list(RECORDS)
    if not expected:
        assert "is on the test list: give a larger collection" in complaint("score", BOARDS, "--test-list", str(out))
        return
    assert answer("score", BOARDS, "--test-list", str(out)) == f"1 board of the test list in {out}.\n"
    assert list(open_records(out).records) == expected
    assert document("score", BOARDS, "--test-list", str(out), "--boards", "1")["boards"] == 1
