"""TOML files as people write them, and those that cannot be read."""

import pytest

import bayesbridge as bb
from bayesbridge.errors import NotationError
from bayesbridge.notation.toml_text import LONGEST_TOML, Toml
from tests.test_position import HAND, START, believed

pytestmark = pytest.mark.quick


def test_windows_line_ends_and_a_byte_order_mark_are_read_past(tmp_path):
    path = tmp_path / "position.toml"
    path.write_bytes(b"\xef\xbb\xbf" + START.replace("\n", "\r\n").encode())
    assert believed("--position", str(path)) == bb.Belief("S", HAND)


def test_a_file_that_cannot_be_read(complaint, tmp_path):
    assert "cannot read 'none.toml': No such file" in complaint(
        "count", "--position", "none.toml"
    )
    assert f"cannot read '{tmp_path}': Is a directory" in complaint(
        "count", "--position", str(tmp_path)
    )
    path = tmp_path / "position.toml"
    path.write_text(START)
    twice = ("--position", str(path)) * 2
    assert "argument --position: given twice" in complaint("count", *twice)


def next_places(raw, *keys):
    file = Toml("a.toml", raw)
    return [file.next(key) for key in keys]


def test_a_key_is_named_by_its_line_and_its_texts_by_theirs():
    raw = b"""
# call = "in a comment"
observer = "S"

call = ["W:1NT",
  "N:Pass", # "x"

  'E:Pass']
"""
    assert next_places(raw, "observer", "call") == [
        ("a.toml:3: observer", ["a.toml:3: observer"]),
        ("a.toml:5: call", ["a.toml:5: call", "a.toml:6: call", "a.toml:8: call"]),
    ]


def test_keys_of_one_name_are_found_in_order_until_there_is_none():
    raw = b'evidence = [\n{ call = "a" },\n{ void = "b", call = "c" }]\n"call" = 1'
    assert next_places(raw, "call", "call", "void", "call", "call", "hand") == [
        ("a.toml:2: call", ["a.toml:2: call"]),
        ("a.toml:3: call", ["a.toml:3: call"]),
        ("a.toml:3: void", ["a.toml:3: void"]),
        ("a.toml:4: call", []),
        ("a.toml: call", []),
        ("a.toml: hand", []),
    ]


def test_texts_of_several_lines_count_as_lines():
    raw = b'a = """\nb = 1\n"""\nb = \'\'\'\n\'\'\'\nc = "x"'
    assert next_places(raw, "a", "b", "c") == [
        ("a.toml:1: a", ["a.toml:1: a"]),
        ("a.toml:4: b", ["a.toml:4: b"]),
        ("a.toml:6: c", ["a.toml:6: c"]),
    ]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"a = 1\nb = x\n", "a.toml:2: b: not TOML: Invalid value; write key"),
        (b"a = 1\n\nb-c = [1,\n", "a.toml:3: b-c: not TOML: Invalid value; write"),
        (b"a = 1\n= 2\n", "a.toml:2: not TOML: Invalid statement; write key"),
        (b"a = 1\na = 2\n", "a.toml:2: a: not TOML: Cannot overwrite a value; write"),
        (b"a = 1\n\xff", "a.toml: not UTF-8 at byte 6: save it as UTF-8"),
        (b"a = 1\n" + b"b." * 16 + b"c = 1", "a.toml:2: 'b.b.b.b.b.b.b."),
        (b"a = 1" + b"0" * 5000, "a.toml: not TOML: Exceeds the limit"),
        (b"#" * (LONGEST_TOML + 1), "a.toml: more than 1000000 bytes: name a file"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(raw, says):
    with pytest.raises(NotationError) as caught:
        Toml("a.toml", raw)
    assert str(caught.value).startswith(says)


def test_keys_of_fifteen_dots_are_read():
    assert Toml("a.toml", b"b." * 15 + b"c = 1").document["b"]


def test_a_file_of_the_greatest_length_is_read():
    assert Toml("a.toml", b"#" * LONGEST_TOML).document == {}
