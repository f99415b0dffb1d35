"""``style``, ``--style``, ``score --history`` and ``report --adapt``.

Their keys, and one line for each mistake.
"""

from pathlib import Path

FILE = str(Path(__file__).parents[2] / "examples" / "opponents.pbn")
POSITION = (
    "--observer",
    "S",
    "--hand",
    "QJ4.KJ3.9542.J32",
    "--auction",
    "W:1C Pass 1D Pass",
)


def test_a_pair_is_learned_kept_and_used(document, answer, tmp_path):
    assert document("style", FILE) == {"pairs": {"Ash+Elm": 60, "Birch+Oak": 60}}
    eighteen_boards, four_boards, style_file = (
        str(tmp_path / name) for name in ("some.pbn", "few.pbn", "style.json")
    )
    boards = Path(FILE).read_text("utf-8").split("[Event ")
    for path, count in ((eighteen_boards, 18), (four_boards, 4)):
        Path(path).write_text("[Event ".join(boards[: count + 1]), "utf-8")
    learned = document(
        "style",
        eighteen_boards,
        "--pair",
        "Oak+Birch",
        "--tables",
        "15",
        "--out",
        style_file,
    )
    assert (learned["pair"], learned["tables"], learned["judged_by"]) == (
        "Birch+Oak",
        15,
        3,
    )
    assert {"log_loss", "log_loss_average", "summary"} <= learned.keys()
    club = next(row for row in learned["summary"] if row["what"].startswith("1C"))
    assert club["value"] > club["average"] + 2 * club["error"]
    used = document(
        "estimate", *POSITION, "--style", f"EW:{style_file}", "--draws", "500"
    )
    assert used["styles"] == [{"side": "EW", "pair": "Birch+Oak", "tables": 15}]
    shown = answer("style", four_boards, "--pair", "Oak+Birch")
    assert (
        "Calls at 4 tables, each half judging what is learned from the other: " in shown
    )


def test_boards_are_scored_and_shown_with_a_history(document):
    words = ("--boards", "2", "--draws", "100", "--workers", "1")
    score = document("score", FILE, "--history", FILE, "--history-tables", "3", *words)
    assert score["history"] == {"pairs": 2, "mean_tables": 3}
    assert {
        "call_log_loss",
        "call_log_loss_average_error",
        "honour_log_loss",
        "without_styles",
    } <= score.keys()
    assert score["differences"]["boards"] == 2
    steps = document(
        "report", FILE, "--board", "3", "--adapt", "--text", "--draws", "50"
    )
    assert [style["tables"] for style in steps["styles"]] == [2, 2]
