"""bayesbridge report: a whole page or none."""

import os
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

HAND = "AKQ2.KJ3.A54.Q32"
BOARDS = Path(__file__).parents[2] / "examples" / "boards.pbn"
QUESTION = ["report", "--observer", "S", "--hand", HAND, "--draws", "300"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_is_written_and_named(folder, answer):
    screen = answer(
        *QUESTION, "--void", "E:H", "--out", "page.html", "--title", "A void"
    )
    game, page = screen.splitlines()
    assert game.endswith("For bridge: --players 4.")
    assert page.startswith("page.html: ")
    text = (folder / "page.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.endswith("</html>\n")
    assert "<h1>A void</h1>" in text
    assert [path.name for path in folder.iterdir()] == ["page.html"]


TWO = [
    *QUESTION,
    "--dummy",
    "W",
    "--call",
    "N:Pass",
    "--no-history",
    "--seed",
    "4",
    "--title",
    "Two hands",
]
RECORD = ["report", "one.pbn", "--observer", "W", "--draws", "50"]


@pytest.mark.parametrize(
    ("words", "title"), [(TWO, "Two hands"), (RECORD, "Board 1: what West believes")]
)
def test_the_command_on_the_page_makes_it_again(folder, answer, document, words, title):
    text = BOARDS.read_text("utf-8").split("[Event ")[1]
    short = "[Event " + re.sub(r'(\[Play "N"\]\n.*?\n).*', r"\1*\n", text, flags=re.S)
    (folder / "one.pbn").write_text(re.sub(r'\[Result ".*?"\]\n', "", short), "utf-8")
    report = document(*words, "--out", str(folder / "report.html"))
    assert report["bytes"] == (folder / "report.html").stat().st_size < 1_000_000
    assert words == TWO or (report["board"], report["observer"]) == ("1", "W")
    html = (folder / "report.html").read_text("utf-8")
    assert f"<h1>{title}</h1>" in html
    assert str(folder) not in html
    command = unescape(re.search(r"<pre>(bayesbridge report .*?)</pre>", html)[1])
    answer(*shlex.split(command)[1:])
    assert (folder / "report.html").read_text("utf-8") == html


@pytest.mark.parametrize(
    ("words", "complaint_says"),
    [
        (
            ["--out", "page.txt"],
            "argument --out: 'page.txt': the report is a web page, let its name end in .html",
        ),
        (["--estimator", "weather"], "argument --estimator"),
        (["--void", "E:H", "--holds", "E:HA"], "cannot hold together"),
        (["--method", "enumerate"], "argument --method enumerate"),
    ],
)
def test_bad_input_writes_nothing(folder, complaint, words, complaint_says):
    (folder / "report.html").write_text("old")
    assert complaint_says in complaint(*QUESTION, *words)
    assert (folder / "report.html").read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["report.html"]


def test_a_contract_by_options_and_json_that_says_where_and_how(folder, document):
    report = document(
        *QUESTION, "--contract", "3NT", "--by", "S", "--solve", "0", "--no-history"
    )
    assert report["file"] == "report.html"
    assert report["bytes"] == (folder / "report.html").stat().st_size
    assert (report["method"], report["layouts"]) == ("convolution", "84478098072866400")
    contract = report["contract"]
    assert (
        contract["name"],
        contract["by"],
        contract["basis"],
        contract["solved"],
    ) == (
        "3NT",
        "S",
        "network",
        0,
    )
    text = (folder / "report.html").read_text("utf-8")
    assert "<h2>Whether 3NT by S makes</h2>" in text
    assert "T ≥ 9" in text


def test_solve_means_the_contract_of_the_auction(folder, document):
    calls = ["--call", "S:1NT", "--call", "W:Pass", "--call", "E:Pass"]
    assert (
        document(*QUESTION, *calls, "--solve", "0", "--no-history")["contract"]["name"]
        == "1NT"
    )


@pytest.mark.parametrize("kind", ["folder", "device", "read-only"])
def test_what_hinders_a_report_is_said_before_the_work(
    complaint, tmp_path, kind, monkeypatch
):
    path = tmp_path / "page.html"
    expected = {"folder": "it is a folder", "device": "it is a device"}
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to(os.devnull)
    else:
        path.write_text("old")
        monkeypatch.setattr(os, "access", lambda *_: False)
    message = complaint(*QUESTION, "--out", str(path))
    assert message.startswith(f"argument --out: cannot write {str(path)!r} (")
    assert expected.get(kind, "change the rights there") in message
    assert "make room" not in message


def test_the_steps_of_a_record_say_what_each_chance_of_the_contract_is(answer, folder):
    """Board 2 made: by the deal it was unlikely in the end, by the play it was not."""
    words = ("report", str(BOARDS), "--board", "2", "--text", "--observer", "W")
    screen = answer(*words, "--draws", "200")
    assert "P(made), double dummy from the deal" in screen
    rows = [line for line in screen.splitlines() if line.startswith("trick ")][13:]
    chances = [row.rsplit("  ", 1)[-1].strip() for row in rows]
    assert len(chances) == 13
    assert chances[-1] == "100 %, settled"
    assert chances[9] == "100 %, from here on"
    assert not any("," in chance for chance in chances[:5])
    assert "Settled: by the tricks taken." in screen
