"""``score``: real records in, scores out by any reader, one line for what is wrong."""

import re
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bayesbridge import cli
from bayesbridge.cli import main
from bayesbridge.display.words import number
from bayesbridge.studies import benchmark
from bayesbridge.studies.benchmark import ReadingScores
from tests.positions import EAST, LIN, NORTH, SOUTH

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")


def test_score_at_several_moments(document, answer):
    words = [
        "score",
        BOARDS,
        "--boards",
        "2",
        "--reader",
        "counting",
        "--moments",
        "9,auction",
    ]
    score = document(*words)
    assert list(score["moments"]) == ["auction", "trick 9"]
    assert score["moments"]["auction"]["log_tssr"] == 0.0
    assert score["moments"]["auction"]["card_log_loss"] == pytest.approx(
        1.0986, abs=1e-4
    )
    assert score["reader"] == "counting"
    shown = answer(*words)
    assert "Reader counting, the opening leader; losses in nats" in shown
    assert "trick 9" in shown


def without_seconds(comparison):
    for reader_score in comparison["readers"].values():
        reader_score.pop("seconds_per_board")
    return comparison


def test_several_readers_are_compared_on_the_same_boards(
    document, answer, complaint, tmp_path
):
    """The same to the last bit for any number of workers, and from what a folder keeps."""
    direct = "tests.studies.test_readers:Direct"
    words = [
        "score",
        BOARDS,
        "--boards",
        "5",
        "--reader",
        "counting",
        "--reader",
        direct,
    ]
    comparison = without_seconds(document(*words, "--workers", "1"))
    counting, reference = (comparison["readers"][name] for name in ("counting", direct))
    difference = comparison["differences"]["counting"]
    assert (
        comparison["compared_with"],
        list(comparison["differences"]),
        difference["boards"],
    ) == (
        direct,
        ["counting"],
        5,
    )
    for key in (
        "honour_log_loss",
        "length_log_loss",
        "points_rmse",
        "calibration_error",
    ):
        assert difference[key] == pytest.approx(
            counting[key] - reference[key], abs=1e-9
        )
    assert difference["length_log_loss_error"] > 0
    assert difference["honour_log_loss_error"] == pytest.approx(0.0, abs=1e-9)
    resumed = [*words, "--resume", str(tmp_path / "kept")]
    assert without_seconds(document(*resumed, "--workers", "2")) == comparison
    assert sorted(path.name for path in (tmp_path / "kept").glob("*.npy")) == [
        f"chunk-{i:08d}.npy" for i in range(3)
    ]
    (tmp_path / "kept" / "chunk-00000001.npy").unlink()
    assert without_seconds(document(*resumed, "--workers", "1")) == comparison
    assert "belongs to another run: chair is" in complaint(
        *resumed, "--chair", "declarer"
    )
    assert (
        f"Less {direct} on the same boards, after auction; losses in nats"
        in " ".join(answer(*words, "--workers", "1").split())
    )


class Raises:
    """A reader with a mistake."""

    def read(self, view):
        return 1 / 0


def test_a_reader_that_raises_is_named_with_its_line(capsys):
    assert (
        main(["score", BOARDS, "--boards", "1", "--reader", f"{__name__}:Raises"]) == 1
    )
    err = capsys.readouterr().err
    assert err.startswith(
        "bayesbridge: reader Raises, board 1, raised ZeroDivisionError: division by zero (at "
    )
    assert re.search(r"test_score\.py:\d+\)\n$", err)


def test_replay_sharpens_to_one_layout(document):
    report = document(
        "report", BOARDS, "--text", "--board", "2", "--observer", "W", "--draws", "200"
    )
    steps = report["steps"]
    assert report["board"] == "2"
    assert report["contract"] == "1NT by W"
    assert {
        "event",
        "layouts",
        "entropy_bits",
        "T_mean",
        "T_mean_qualified",
        "qualified",
        "exact",
    } <= set(steps[0])
    assert steps[0]["layouts"] == "84478098072866400"
    assert (steps[-1]["layouts"], steps[-1]["entropy_bits"]) == (
        "1",
        pytest.approx(0.0, abs=1e-9),
    )
    counts = [int(step["layouts"]) for step in steps]
    assert counts == sorted(counts, reverse=True)


def test_north_looks_where_north_is_asked(document, tmp_path):
    """North is seat 0, which must not be taken for no seat."""
    position = document(
        "count",
        "--record",
        BOARDS,
        "--board",
        "2",
        "--observer",
        "N",
        "--after-trick",
        "0",
    )
    assert (position["observer"], position["hand"]) == ("N", "AT982.KQ5.9.JT72")
    short = tmp_path / "short.pbn"
    short.write_text(
        '[Board "1"]\n[Deal "N:AKQ2.KJ3.A54.Q32 - - -"]\n[Auction "N"]\n1NT\n', "utf-8"
    )
    assert (
        document("report", str(short), "--text", "--observer", "N", "--draws", "20")[
            "observer"
        ]
        == "N"
    )


def test_score_keys(document):
    score = document("score", BOARDS, "--boards", "2", "--draws", "200")
    assert {
        "boards",
        "honour_log_loss",
        "length_log_loss",
        "brier",
        "top1",
        "seconds_per_board",
    } <= set(score)
    assert score["boards"] == 2
    assert 0.5 < score["honour_log_loss"] < 2.0
    assert sum(row["cards"] for row in score["calibration"]) % 3 == 0
    score = document(
        "score",
        BOARDS,
        "--boards",
        "2",
        "--draws",
        "100",
        "--chair",
        "declarer",
        "--cards",
        "1",
    )
    assert (score["chair"], score["after_cards"], score["draws"]) == (
        "declarer",
        1,
        100,
    )


def test_records_that_cannot_be_scored_are_counted_with_the_reason(
    tmp_path, answer, document, complaint
):
    """A board whose play is short and one without a play, beside one that will do."""
    boards = Path(BOARDS).read_text("utf-8").split("[Event ")[1:4]
    complete, short, bare = (f"[Event {board}" for board in boards)
    bare = bare[: bare.index("[Play ")] + "\n"
    lines = short.splitlines(keepends=True)
    play_line = next(i for i, line in enumerate(lines) if line.startswith("[Play "))
    short = "".join(lines[: play_line + 3]) + "*\n\n"
    file = tmp_path / "mixed.pbn"
    file.write_text(complete + short + bare, "utf-8")
    score = document("score", str(file), "--cards", "20", "--draws", "100")
    assert score["boards"] == 1
    assert score["left_out"] == {"the play is shorter": 2}
    assert "2 records left out: the play is shorter." in answer(
        "score", str(file), "--cards", "20", "--draws", "100"
    )
    file.write_text(short + bare, "utf-8")
    line = complaint("score", str(file), "--cards", "20")
    assert (
        line
        == f"argument FILE: no board of '{file}' can be scored: the play is shorter (2)"
    )


def test_of_many_notes_the_first_five_are_told(tmp_path, capsys):
    text = Path(BOARDS).read_text("utf-8")
    damaged = tmp_path / "damaged.pbn"
    damaged.write_text(re.sub(r'\[Deal "', '[Deal "?', text), "utf-8")
    main(["report", str(damaged), "--text"])
    notes = capsys.readouterr().err.splitlines()
    assert sum(str(damaged) in line for line in notes[:5]) == 5
    assert re.fullmatch(r"bayesbridge: \d+ more notes on what was left out", notes[5])


PBN = (
    '[Board "1"]\n[Dealer "N"]\n'
    f'[Deal "N:{NORTH} {EAST} {SOUTH} -"]\n'
    '[Auction "N"]\n1NT Pass Pass Pass\n'
)


@pytest.mark.parametrize("ending", ["pbn", pytest.param("lin", marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_boards(capsys, tmp_path, monkeypatch, ending):
    board = PBN if ending == "pbn" else LIN

    scores = ReadingScores(
        np.ones(8), np.full((4, 3), 1 / 3), np.zeros(4, dtype=np.int64), 1.0
    )
    monkeypatch.setattr(
        benchmark,
        "score_reader",
        lambda reader, record, view: replace(scores, values=np.ones(8)),
    )

    def peak(n, command, *words, status):
        path = tmp_path / f"{n}.{ending}"
        path.write_text("\n".join([board] * n))
        tracemalloc.start()
        try:
            assert cli.main([command, str(path), *words]) == status
            output = capsys.readouterr()
            assert "no board none" in output.err or number(n) in output.out
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    for arguments in (
        ("report", "--text", "--board", "none", 2),
        ("score", "--workers", "1", 0),
    ):
        command, *words, status = arguments
        peak(50, command, *words, status=status)  # loads what is loaded once
        # What other tests left behind may be collected, or anything loaded late, during
        # one of the runs. A record that is kept, 330 bytes where all boards are alike,
        # would make it a third more.
        few = max(peak(100, command, *words, status=status) for _ in range(2))
        assert (
            min(peak(700, command, *words, status=status) for _ in range(2))
            < 1.15 * few
        ), command
