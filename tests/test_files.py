"""A file is there whole, or as it was."""

import pytest

from bayesbridge.files import whole_file


def test_it_takes_its_place_at_the_end(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with whole_file(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("page.html", "new")]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_one_and_nothing_else(tmp_path, error):
    path = tmp_path / "page.html"
    path.write_text("old")

    def write():
        with whole_file(path) as part:
            part.write_text("half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("page.html", "old")]


def test_two_writers_do_not_meet(tmp_path):
    path = tmp_path / "page.html"
    with whole_file(path) as one:
        one.write_text("one")
        with whole_file(path) as two:
            two.write_text("two")
        assert path.read_text() == "two"
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("page.html", "one")]
