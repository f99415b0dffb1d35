"""``score``: any reader at the command line, one line for what is wrong."""

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


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--reader", "none:None"], "argument --reader: cannot load 'none:None'"),
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
