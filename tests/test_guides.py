"""docs/write-a-plugin.md builds plugins/bayesbridge-template and the plugin of a
bidder, and every block runs.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_documents import FENCE, ROOT


class Guide:
    """The blocks of a part of a page: files under their names, commands to type, and
    doctests.
    """

    def __init__(self, page, heading):
        _, _, rest = (
            (ROOT / "docs" / page).read_text("utf-8").partition(f"\n## {heading}\n")
        )
        self.text = rest.partition("\n## ")[0]
        self.blocks = [match.groupdict() for match in FENCE.finditer(self.text)]
        self.files = {
            block["file"]: block["text"] for block in self.blocks if block["file"]
        }
        self.commands = [
            line
            for block in self.blocks
            if block["language"] == "sh"
            for line in block["text"].splitlines()
        ]

    def strangers(self):
        """Blocks that nothing runs."""
        known = [
            b
            for b in self.blocks
            if b["file"] or b["language"] == "sh" or ">>>" in b["text"]
        ]
        return (
            len(self.blocks)
            - len(known)
            + abs(self.text.count("\n```") // 2 - len(self.blocks))
        )

    def write(self, folder):
        """Put the files into a folder."""
        for name, text in self.files.items():
            (folder / name).write_text(text, "utf-8")
        return folder


def run(project, *command):
    """What Python prints in the folder of the project, with what was installed there."""
    environment = os.environ | {
        "PYTHONPATH": f"{project / 'site'}{os.pathsep}{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, "-P", *command],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def install(project):
    """Install with pip, into a folder where Python looks and not into the environment
    that runs the tests.
    """
    pip = (
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-build-isolation",
        "--no-deps",
    )
    run(project, *pip, "--target", "site", ".")


TEMPLATE = ROOT / "plugins" / "bayesbridge-template"
ESTIMATOR, BIDDER = (
    Guide("write-a-plugin.md", "An estimator"),
    Guide("write-a-plugin.md", "A bidder"),
)


def test_every_block_is_a_file_a_command_or_a_doctest():
    assert ESTIMATOR.strangers() == BIDDER.strangers() == 0
    assert list(BIDDER.files) == [
        "bayesbridge_weak_notrump.py",
        "pyproject.toml",
        "test_weak_notrump.py",
    ]


def test_the_page_builds_the_template():
    written = {
        path.name: path.read_text("utf-8")
        for path in TEMPLATE.iterdir()
        if path.is_file()
    }
    assert written == ESTIMATOR.files


def typed(guide, folder, name, *more):
    """What the commands of the page print, typed one after the other."""
    project, told = guide.write(folder), []
    for command in guide.commands:
        match command.split():
            case ["pip", "install", "."]:
                install(project)
                told.append(
                    run(
                        project,
                        "-c",
                        f"import bayesbridge_{name} as t; print(t.__file__)",
                    )
                )
                assert Path(told[-1].strip()).parent == project / "site"
            case ["bayesbridge", "plugins"]:
                told.append(run(project, "-m", "bayesbridge", "plugins"))
            case ["bayesbridge", *arguments]:
                told.append(run(project, "-m", "bayesbridge", *arguments, *more))
            case ["pytest"]:
                told.append(
                    run(
                        project,
                        "-m",
                        "pytest",
                        "-p",
                        "no:cacheprovider",
                        f"test_{name}.py",
                    )
                )
            case _:
                pytest.fail(f"nobody runs {command!r}")
    return [command.split()[0] for command in guide.commands], told


@pytest.mark.slow
def test_every_command_about_an_estimator_works_in_order(tmp_path):
    done, (_, listed, answered, tested) = typed(ESTIMATOR, tmp_path, "template")
    assert done == ["pip", "bayesbridge", "bayesbridge", "pytest"]
    assert re.search(r"fit +bayesbridge-template 0.1.0 +fit", listed)
    assert "fit: Cards of the pair in the suit." in answered
    assert "1 passed" in tested


@pytest.mark.slow
def test_every_command_about_a_bidder_works_in_order(tmp_path):
    done, (_, listed, one, other, tested) = typed(
        BIDDER, tmp_path, "weak_notrump", "--draws", "500"
    )
    assert done == ["pip", "bayesbridge", "bayesbridge", "bayesbridge", "pytest"]
    assert re.search(r"weak-notrump.*bayesbridge-weak-notrump 0\.1\.0", listed)
    assert "W calls 1NT" in one
    assert "W calls 1NT" in other
    assert one != other
    assert "3 passed" in tested
