"""docs/write-a-plugin.md builds two plugins, and every block runs.

They are plugins/bayesbridge-template and the plugin of a bidder.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_documents import FENCE, ROOT


class Guide:
    """The blocks of a part of a page.

    Files under their names, commands to type, and doctests.
    """

    def __init__(self, page, heading):
        _, _, from_heading_on = (
            (ROOT / "docs" / page).read_text("utf-8").partition(f"\n## {heading}\n")
        )
        self.text = from_heading_on.partition("\n## ")[0]
        self.blocks = [match.groupdict() for match in FENCE.finditer(self.text)]
        self.files = {
            block["file"]: block["text"] for block in self.blocks if block["file"]
        }
        self.commands = []
        for block in self.blocks:
            if block["language"] == "sh":
                self.commands += block["text"].splitlines()

    def strangers(self):
        """Blocks that nothing runs."""
        used_blocks = [
            block
            for block in self.blocks
            if block["file"] or block["language"] == "sh" or ">>>" in block["text"]
        ]
        return (
            len(self.blocks)
            - len(used_blocks)
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
    """Install with pip, into a folder where Python looks.

    The environment that runs the tests stays as it is.
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
ESTIMATOR = Guide("write-a-plugin.md", "An estimator")
BIDDER = Guide("write-a-plugin.md", "A bidder")


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


def typed(guide, folder, name, *options):
    """What the commands of the page print, typed one after the other."""
    project = guide.write(folder)
    outputs = []
    for command in guide.commands:
        match command.split():
            case ["pip", "install", "."]:
                install(project)
                outputs.append(
                    run(
                        project,
                        "-c",
                        f"import bayesbridge_{name} as t; print(t.__file__)",
                    )
                )
                assert Path(outputs[-1].strip()).parent == project / "site"
            case ["bayesbridge", "plugins"]:
                outputs.append(run(project, "-m", "bayesbridge", "plugins"))
            case ["bayesbridge", *arguments]:
                outputs.append(run(project, "-m", "bayesbridge", *arguments, *options))
            case ["pytest"]:
                outputs.append(
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
    return [command.split()[0] for command in guide.commands], outputs


@pytest.mark.slow
def test_every_command_about_an_estimator_works_in_order(tmp_path):
    done, (_, listed, answered, tested) = typed(ESTIMATOR, tmp_path, "template")
    assert done == ["pip", "bayesbridge", "bayesbridge", "pytest"]
    assert re.search(r"fit +bayesbridge-template 0.1.0 +fit", listed)
    assert "fit: Cards of the pair in the suit." in answered
    assert "1 passed" in tested


@pytest.mark.slow
def test_every_command_about_a_bidder_works_in_order(tmp_path):
    done, (_, listed, bidder_answer, plain_answer, tested) = typed(
        BIDDER, tmp_path, "weak_notrump", "--draws", "500"
    )
    assert done == ["pip", "bayesbridge", "bayesbridge", "bayesbridge", "pytest"]
    assert re.search(r"weak-notrump.*bayesbridge-weak-notrump 0\.1\.0", listed)
    assert "W calls 1NT" in bidder_answer
    assert "W calls 1NT" in plain_answer
    assert bidder_answer != plain_answer
    assert "3 passed" in tested
