"""A file is there whole, or as it was."""

import stat

import pytest

from bayesbridge.runtime.files import whole_file

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()]
)
def test_a_failure_leaves_the_old_one_and_nothing_else(tmp_path, error):
    path = tmp_path / "page.html"
    path.write_text("old")

    def write():
        with whole_file(path) as draft:
            draft.write_text("half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [
        ("page.html", "old")
    ]


def test_rights_stay_and_a_new_file_gets_the_usual_ones(tmp_path):
    path = tmp_path / "page.html"
    usual = tmp_path / "usual"
    usual.touch()
    write(path, "one")
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    write(path, "two")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("two", 0o640)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_its_file_changes(tmp_path, there):
    (tmp_path / "far").mkdir()
    target = tmp_path / "far" / "page.html"
    link = tmp_path / "link.html"
    if there:
        target.write_text("old")
    link.symlink_to(target)
    write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == [
        "far",
        "link.html",
        "page.html",
    ]


def write(path, text):
    with whole_file(path) as draft:
        draft.write_text(text)
