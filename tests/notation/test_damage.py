"""Damaged documents give one line with file, line and reason, never an error.

The readable rest is kept.
"""

import io
import re

import pytest

from bayesbridge.notation import ParsedRecords, read_lin, read_pbn, write_pbn
from tests.mutants import mutants
from tests.notation.records import DOCUMENTS, GOLDEN

pytestmark = pytest.mark.quick

PBN = (GOLDEN / "match.pbn").read_text("utf-8")
LIN = (GOLDEN / "match.lin").read_text("utf-8")
SOUND = read_pbn(PBN).records


def damages():
    """The cases of golden/damage.txt: format, what is lost, old text, new text, notes."""
    for block in (GOLDEN / "damage.txt").read_text("utf-8").strip().split("\n\n")[1:]:
        head, sound_text, damaged_text, *notes = block.split("\n")
        kind, lost = head.removeprefix("= ").split()
        yield (
            kind,
            lost,
            sound_text.removeprefix("- "),
            damaged_text.removeprefix("+ "),
            notes,
        )


@pytest.mark.parametrize(
    ("kind", "lost", "sound_text", "damaged_text", "notes"), list(damages())
)
def test_damage_is_told_and_the_rest_kept(kind, lost, sound_text, damaged_text, notes):
    text, read = (PBN, read_pbn) if kind == "pbn" else (LIN, read_lin)
    assert sound_text in text
    reading = read(text.replace(sound_text, damaged_text, 1))
    assert [str(note) for note in reading.skipped] == [
        f"<text>:{note}" for note in notes
    ]
    if lost == "record":
        assert reading.records == SOUND[1:]
        return
    assert reading.records[1:] == SOUND[1:]
    damaged = reading.records[0]
    sound = SOUND[0]
    assert damaged.deal == sound.deal
    assert (damaged.auction is None) == (lost in ("auction", "auction+play"))
    plays_kept = {"play": 0, "auction+play": 0, "tricks": 4}.get(lost, len(sound.plays))
    assert damaged.plays == sound.plays[:plays_kept]
    assert (damaged.vulnerable is None) == (lost == "vulnerability")
    if lost == "nothing":
        assert damaged == sound


@pytest.mark.parametrize(
    ("read", "text", "reason"),
    [
        (
            read_pbn,
            "some text\n",
            "'some text' stands in no section: text follows [Auction] or [Play]",
        ),
        (
            read_pbn,
            "% only an escape\n",
            'no tag pair such as [Board "1"] in the file: is it PBN?',
        ),
        (
            read_pbn,
            "{ never closed\n",
            "comment '{' is not closed before the end of the file: write '}'",
        ),
        (
            read_pbn,
            '[Deal "#"]\n',
            "[Deal '#'] repeats the game before, which has no Deal",
        ),
        (
            read_lin,
            "some|text|\n",
            "no board such as 'qx|o1|md|3…|' in the file: is it LIN?",
        ),
    ],
)
def test_documents_of_another_kind(read, text, reason):
    assert [str(note) for note in read(text).skipped] == [f"<text>:1: {reason}"]


@pytest.mark.parametrize(
    ("read", "text", "trick"),
    [
        pytest.param(read_pbn, PBN, r"\w\w \w\w \w\w \w\w(?=\n)", id="pbn"),
        pytest.param(read_lin, LIN, r"(pc\|\w\w\|){4}", id="lin"),
    ],
)
def test_a_file_that_ends_in_the_play_keeps_the_tricks_before(read, text, trick):
    begin = text.index("[Play") if read is read_pbn else text.index("pc|")
    tricks = [match.end() for match in re.finditer(trick, text[begin:])][:13]
    for end in range(tricks[0], tricks[-1]):
        reading = read(text[: begin + end])
        whole_tricks = sum(place <= end for place in tricks)
        plays = reading.records[0].plays
        assert plays == SOUND[0].plays[: len(plays)]
        assert len(plays) // 4 == whole_tricks


def test_a_record_says_why_its_play_ends_early():
    record = read_lin(LIN.replace("pc|D6|", "pc|ZZ|", 1)).records[0]
    assert record.rest.startswith(", the rest is left out: unknown suit 'Z' in card")


def check_mutants(seed, count):
    for damaged in mutants([path.read_bytes() for path in DOCUMENTS], seed, count):
        for read in (read_pbn, read_lin):
            reading = read(damaged)
            assert isinstance(reading, ParsedRecords)
            for note in reading.skipped:
                assert note.reason.isprintable()
                assert 1 <= note.line <= damaged.count(b"\n") + damaged.count(b"\r") + 1
            stream = io.StringIO()
            write_pbn(reading.records, stream)
            assert read_pbn(stream.getvalue()).records == reading.records


def test_mutated_documents_are_read_without_an_error_and_what_is_read_comes_back():
    check_mutants(seed=7, count=300)


@pytest.mark.parametrize("read", [read_pbn, read_lin])
@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 400,
        b"[" * 200_000,
        b'[Deal "' + b"A" * 300_000 + b'"]',
        b'[Deal "N:' + b"\\" * 300_000,
        b"qx|o1|md|3" + b"SAK" * 100_000 + b"|",
        b"|" * 200_000,
        b"{" * 100_000,
        b'[Auction "N"]\n' + b"1C " * 100_000,
        b'[Auction "N"]\n' + b"=" * 100_000,
        b"\x1f\x8b not gzip at all",
        b"\xff\xfe\x00",
    ],
)
def test_monsters(read, data):
    reading = read(data)
    assert all(len(note.reason) < 400 for note in reading.skipped)
