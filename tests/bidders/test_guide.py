"""docs/write-a-plugin.md builds a bidder's plugin, and every block about bidders runs."""

import pytest

from tests.guides import Guide, install, run

GUIDE = Guide("write-a-plugin.md", "A bidder")


def test_every_block_is_a_file_a_command_or_a_doctest():
    assert GUIDE.strangers() == 0
    assert list(GUIDE.files) == ["bayesbridge_weak_notrump.py", "pyproject.toml", "test_weak_notrump.py"]


@pytest.mark.slow
def test_every_command_of_the_page_works_in_order(tmp_path):
    project = GUIDE.write(tmp_path)
    done, answers = [], []
    for command in GUIDE.commands:
        match command.split():
            case ["pip", "install", "."]:
                install(project)
            case ["bayesbridge", "plugins"]:
                listed = run(project, "-m", "bayesbridge", "plugins")
                assert "weak-notrump" in listed
                assert "bayesbridge-weak-notrump 0.1.0" in listed
            case ["bayesbridge", *arguments]:
                answers.append(run(project, "-m", "bayesbridge", *arguments, "--draws", "500"))
                assert "W calls 1NT" in answers[-1]
            case ["pytest"]:
                assert "3 passed" in run(project, "-m", "pytest", "-p", "no:cacheprovider", "test_weak_notrump.py")
            case _:
                pytest.fail(f"nobody runs {command!r}")
        done.append(command.split()[0])
    assert done == ["pip", "bayesbridge", "bayesbridge", "bayesbridge", "pytest"]
    assert answers[0] != answers[1]
