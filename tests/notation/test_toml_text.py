"""TOML files as people write them, and those that cannot be read."""

import pytest

import bayesbridge as bb
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
