"""``convert``: several files into one, and what is lost is said."""

import json

import pytest

from bayesbridge.notation import open_records
from tests.notation.records import GOLDEN

PBN = (GOLDEN / "match.pbn").read_text("utf-8").replace('[Event ""]', '[Event "Cup"]')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "match.pbn").write_text(PBN, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_goes_there_and_back(folder, answer):
    summary = answer("convert", "match.pbn", "match.lin")
    assert summary.startswith("6 tables of 1 file are in match.lin.\n")
    assert "tag Event" in summary
    summary = answer("convert", "match.lin", "back.pbn")
    assert "hold" not in summary
    records = open_records("match.pbn").records
    copies = open_records("back.pbn").records
    assert [copy.plays for copy in copies] == [record.plays for record in records]


def test_programs_are_told_what_is_lost_by_tables(folder, answer):
    document = json.loads(answer("convert", "match.pbn", "match.lin", "--json"))
    assert document["tables"] == 6
    assert document["lost"]["tag Event"] == 6


def test_several_files_are_numbered_on(folder, answer):
    answer("convert", "match.pbn", "match.lin")
    answer("convert", "--renumber", "match.pbn", "match.lin", "all.pbn")
    boards = [record.board for record in open_records("all.pbn").records]
    assert len(boards) == 12
    assert boards[:6] == boards[6:]
    assert sorted(set(boards)) == [str(n) for n in range(1, len(set(boards)) + 1)]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("match.pbn",), "arguments are required: OUT"),
        (("match.pbn", "match.txt"), "let its name end in .pbn"),
        (("match.pbn", "match.pbn"), "'match.pbn' is there already: name a new file"),
        (("none.pbn", "match.lin"), "there is no file 'none.pbn'"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(folder, complaint, words, reason):
    assert reason in complaint("convert", *words)
    assert [path.name for path in folder.iterdir()] == ["match.pbn"]
    assert (folder / "match.pbn").read_text("utf-8") == PBN
