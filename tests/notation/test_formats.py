"""Formats of records: found by name or content, and a new one is a line."""

import gzip

import pytest

from bayesbridge.cli import main
from bayesbridge.game.auction import Auction
from bayesbridge.notation import Record, Skipped, open_records, read_pbn
from bayesbridge.notation.formats import FORMATS, Format, format_named, format_of
from bayesbridge.notation.reading import Document
from tests.notation.records import GOLDEN

pytestmark = pytest.mark.quick


def iter_toy(source):
    """A board in each line after the first, with its auction."""
    document = Document(source)
    for number, line in document.lines():
        board, equals, auction = line.partition("=")
        if equals:
            yield Record(board=board, auction=Auction.of(auction))
        elif line != "toy":
            yield Skipped(document.name, number, f"{line!r} is no board")


def write_toy(records, stream):
    stream.write("toy\n")
    stream.writelines(f"{record.board}={record.auction}\n" for record in records)


def begins_as_toy(lines):
    return lines[:1] == ["toy"]


@pytest.fixture
def toy(monkeypatch):
    toy_format = Format("TOY", ".toy", begins_as_toy, iter_toy, write_toy)
    monkeypatch.setattr("bayesbridge.notation.formats.FORMATS", [*FORMATS, toy_format])
    monkeypatch.setattr("bayesbridge.cli.convert.FORMATS", [*FORMATS, toy_format])
    return toy_format


TEXT = "toy\n1=N:1NT Pass\n2\n3=E:Pass\n"


@pytest.mark.parametrize("name", ["a.toy", "a.toy.gz", "a.txt", "TOY"])
def test_a_new_format_is_found_by_name_and_by_content(toy, tmp_path, name):
    path = tmp_path / name
    raw = TEXT.encode()
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    reading = open_records(path)
    assert [record.board for record in reading.records] == ["1", "3"]
    assert [str(note) for note in reading.skipped] == [f"{path}:3: '2' is no board"]


def test_a_new_format_is_converted(toy, tmp_path, capsys):
    source = tmp_path / "a.toy"
    source.write_text(TEXT, "utf-8")
    for name in ("b.pbn", "c.toy"):
        main(["convert", str(source), str(tmp_path / name)])
        assert "2 tables of 1 file are in" in capsys.readouterr().out
        source = tmp_path / name
    assert source.read_text("utf-8") == "toy\n1=N:1NT Pass\n3=E:Pass\n"


def test_what_nothing_recognises_is_read_as_pbn():
    assert format_of("", b"").name == "PBN"
    assert format_of("notes.txt", b"nothing\n").name == "PBN"
    assert format_named("notes.txt") is None


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_format_reads_what_it_writes(form, tmp_path):
    records = read_pbn(GOLDEN / "match.pbn").records
    path = tmp_path / f"match{form.ending}"
    with path.open("w", encoding="utf-8") as stream:
        form.write(records, stream)
    assert form.read(path).records == records
    assert format_of("", path.read_bytes()) == form
