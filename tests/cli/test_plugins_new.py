"""``plugins new`` makes a package; ``make package`` installs it and runs its tests."""

import json

import pytest

from bayesbridge.cli import main
from tests.guides import install, run


def test_a_package_is_made(document, tmp_path):
    said = document("plugins", "new", "my-count", "--at", str(tmp_path))
    project = tmp_path / "bayesbridge-my-count"
    assert said == {
        "folder": str(project),
        "files": ["README.md", "bayesbridge_my_count.py", "pyproject.toml", "test_my_count.py"],
        "distribution": "bayesbridge-my-count",
        "module": "bayesbridge_my_count",
        "name": "my_count",
        "kind": "estimator",
    }
    assert sorted(path.name for path in project.iterdir()) == said["files"]
    assert "$" not in "".join(path.read_text("utf-8") for path in project.iterdir())


def test_a_bidder_passes_its_own_tests_and_is_listed(document, tmp_path):
    assert document("plugins", "new", "our-club", "--kind", "bidder", "--at", str(tmp_path))["name"] == "our_club"
    project = tmp_path / "bayesbridge-our-club"
    assert "$" not in "".join(path.read_text("utf-8") for path in project.iterdir())
    assert "3 passed" in run(project, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", ".")
    install(project)
    listed = json.loads(run(project, "-m", "bayesbridge", "plugins", "--json"))
    assert listed["bidders"]["our_club"]["distribution"] == "bayesbridge-our-club"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("My Count", "'My Count' cannot be a name: write at most 40 small letters"),
        ("learned", "'learned' is taken by bayesbridge itself: choose another name"),
        ("capture", "'capture' is taken by bayesbridge itself: choose another name"),
    ],
)
def test_bad_names_are_refused_in_one_line(complaint, tmp_path, name, words):
    assert words in complaint("plugins", "new", name, "--at", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays(complaint, tmp_path):
    (tmp_path / "bayesbridge-mine").mkdir()
    assert "(File exists): choose another NAME" in complaint("plugins", "new", "mine", "--at", str(tmp_path))
    assert list((tmp_path / "bayesbridge-mine").iterdir()) == []
    assert "No such file" in complaint("plugins", "new", "mine", "--at", str(tmp_path / "none"))


def test_a_folder_that_cannot_be_made_leaves_nothing(capsys, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    assert main(["plugins", "new", "mine", "--at", str(tmp_path)]) == 1
    assert "(No space left on device): make room, or name another file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
