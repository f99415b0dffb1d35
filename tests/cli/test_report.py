"""bayesbridge report: a whole page or none."""

import re
import shlex
from html import unescape

import pytest

from bayesbridge.cli import main

HAND = "AKQ2.KJ3.A54.Q32"
QUESTION = ["report", "--observer", "S", "--hand", HAND, "--draws", "300"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_is_written_and_named(folder, answer):
    said = answer(*QUESTION, "--void", "E:H", "--out", "page.html", "--title", "A void")
    assert said.startswith("page.html: ")
    text = (folder / "page.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.endswith("</html>\n")
    assert "<h1>A void</h1>" in text
    assert [path.name for path in folder.iterdir()] == ["page.html"]


def test_json_says_where_and_how(folder, document):
    said = document(*QUESTION, "--show", "2")
    assert len(said["examples"]) == 2
    assert said["file"] == "report.html"
    assert said["bytes"] == (folder / "report.html").stat().st_size
    assert (said["method"], said["layouts"]) == ("convolution", "84478098072866400")


def test_the_command_on_the_page_makes_it_again(folder, answer):
    (folder / "position.toml").write_text(
        f'observer = "S"\nhand = "{HAND}"\nslip = 0.1\n'
        'evidence = [{ call = "W:1NT" }, { length = "E:S:2-5" }, { hcp = "E:0-9" }, { holds = "W:HA" }, '
        '{ lacks = "E:C4" }, { void = "N:H" }]\n'
    )
    words = "--position position.toml --draws 300 --no-history --seed 4 --level 2 --show 3"
    answer("report", *words.split())
    first = (folder / "report.html").read_bytes()
    (folder / "position.toml").unlink()
    command = unescape(re.search(r"<pre>(bayesbridge report .*?)</pre>", first.decode("utf-8"))[1])
    (folder / "report.html").unlink()
    answer(*shlex.split(command)[1:])
    assert (folder / "report.html").read_bytes() == first


@pytest.mark.parametrize(
    "words",
    [
        f"--hand {HAND} --players 4 --trump H --reveal N:J54.AQ2.KQ32.A54 --play W:S9 --play N:S4 --play E:ST "
        "--pair S:N --estimator bid --estimator capture --title 'Two hands'",
        f"--hand {HAND} --dummy W --call N:Pass --bidder iterative --method weights --draws 400 --level 1",
    ],
    ids=["four players", "dummy elsewhere"],
)
def test_the_command_on_the_page_leaves_nothing_out(folder, answer, words):
    given = ["--observer", "S", *shlex.split(words), "--no-history"]
    answer("report", *given)
    page = (folder / "report.html").read_text("utf-8")
    command = shlex.split(unescape(re.search(r"<pre>(bayesbridge report .*?)</pre>", page)[1]))
    assert [word for word in given if word not in command] == []
    answer(*command[1:])
    assert (folder / "report.html").read_text("utf-8") == page


@pytest.mark.parametrize(
    ("words", "complaint_says"),
    [
        (["--out", "page.txt"], "argument --out: 'page.txt': the report is a web page, let its name end in .html"),
        (["--out", "nowhere/page.html"], "name a file in a folder that exists"),
        (["--level", "8"], "argument --level: '8' is out of range"),
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


def test_an_interrupt_leaves_no_page(folder, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesbridge.views.report.html_report", interrupt)
    assert main(QUESTION) == 130
    assert list(folder.iterdir()) == []


def test_a_contract_by_options(folder, document):
    words = [*QUESTION, "--contract", "3NT", "--by", "S", "--solve", "0", "--no-history"]
    said = document(*words)["contract"]
    assert (said["contract"], said["basis"], said["solved"]) == ("3NT by S", "network", 0)
    text = (folder / "report.html").read_text("utf-8")
    assert "<h2>Whether 3NT by S makes</h2>" in text
    assert "T ≥ 9" in text
    command = unescape(re.search(r"<pre>(bayesbridge report .*?)</pre>", text)[1])
    assert "--contract 3NT --by S --solve 0" in command
    document(*shlex.split(command)[1:])
    assert (folder / "report.html").read_text("utf-8") == text


def test_solve_means_the_contract_of_the_auction(folder, document):
    calls = ["--call", "S:1NT", "--call", "W:Pass", "--call", "E:Pass"]
    assert document(*QUESTION, *calls, "--solve", "0", "--no-history")["contract"]["contract"] == "1NT by S"
