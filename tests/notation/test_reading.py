"""Sources of every kind: paths, texts, bytes, streams, compressed, in any encoding."""

import gzip
import io

import pytest

from bayesbridge.errors import NotationError
from bayesbridge.notation import iter_records, open_records, read_lin, read_pbn
from tests.notation.records import GOLDEN

pytestmark = pytest.mark.quick

TEXT = (GOLDEN / "match.pbn").read_text("utf-8")
RECORDS = read_pbn(TEXT).records


def test_every_kind_of_source(tmp_path):
    raw = TEXT.encode()
    packed = tmp_path / "match.pbn.gz"
    packed.write_bytes(gzip.compress(raw))
    sources = [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        raw,
        gzip.compress(raw),
        packed,
        str(packed),
    ]
    sources += [
        io.StringIO(TEXT),
        io.BytesIO(raw),
        TEXT.encode("utf-16"),
        b"\xef\xbb\xbf" + raw,
    ]
    for source in sources:
        reading = read_pbn(source)
        assert reading.records == RECORDS
        assert reading.skipped == ()


def test_the_name_in_notes(tmp_path):
    path = tmp_path / "odd.pbn"
    path.write_text('[Board "1"]\n[Dealer "Q"]\n', "utf-8")
    wanted = f"{path}:2: unknown seat 'Q': write N, E, S or W; the dealer is left out"
    with open(path, encoding="utf-8") as stream:
        assert [
            str(note) for note in (*read_pbn(path).skipped, *read_pbn(stream).skipped)
        ] == [wanted, wanted]


def test_a_compressed_file_that_ends_early_is_read_up_to_there():
    packed = gzip.compress(TEXT.encode() * 40)
    reading = read_pbn(packed[:-12])
    assert 200 < len(reading.records) <= 240
    assert reading.records[:6] == RECORDS
    assert reading.skipped[-1].reason.startswith(
        "the file ends early or is damaged after line "
    )


def test_latin_1_where_it_is_not_utf_8():
    (record,) = read_pbn(
        '[Event "Jütland"]\n[Site "Ærø"]\n'.encode("latin-1")
        + '[West "Bjørn"]'.encode()
    ).records
    assert [record.tag(name) for name in ("Event", "Site", "West")] == [
        "Jütland",
        "Ærø",
        "Bjørn",
    ]


@pytest.mark.parametrize("path", ["missing.pbn", "", ".", "\udcff", "x" * 5000])
def test_a_file_that_cannot_be_opened(path):
    if path == "":
        assert read_pbn(path).records == read_lin(path).records == ()
        return
    with pytest.raises(NotationError, match=r"^cannot read"):
        open_records(path)


def test_the_format_by_name_or_content(tmp_path):
    for name in ("match.pbn", "match.lin"):
        raw = (GOLDEN / name).read_bytes()
        for file_name in (name, "plain.txt", f"{name}.gz"):
            path = tmp_path / file_name
            path.write_bytes(gzip.compress(raw) if file_name.endswith("gz") else raw)
            assert open_records(path).records == RECORDS
            assert tuple(iter_records(path)) == RECORDS
