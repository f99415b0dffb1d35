"""docs/write-an-estimator.md builds plugins/bayesbridge-template, and every block of it runs."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TEMPLATE = ROOT / "plugins" / "bayesbridge-template"
PAGE = (ROOT / "docs" / "write-an-estimator.md").read_text("utf-8")
BLOCK = re.compile(r"(?:^\*\*(?P<file>\S+)\*\*\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)

BLOCKS = [match.groupdict() for match in BLOCK.finditer(PAGE)]
FILES = {block["file"]: block["text"] for block in BLOCKS if block["file"]}
COMMANDS = [line for block in BLOCKS if block["language"] == "sh" for line in block["text"].splitlines()]


def test_every_block_is_a_file_a_command_or_a_doctest():
    assert len(BLOCKS) == PAGE.count("\n```") // 2
    for block in BLOCKS:
        assert block["file"] or block["language"] == "sh" or ">>>" in block["text"]


def test_the_page_builds_the_template():
    written = {path.name: path.read_text("utf-8") for path in TEMPLATE.iterdir() if path.is_file()}
    assert written == FILES


def test_the_template_is_small():
    lines = [line for line in FILES["bayesbridge_template.py"].splitlines() if line.strip()]
    assert len(lines) <= 22


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def run(project, *command):
    environment = os.environ | {"PYTHONPATH": f"{project / 'site'}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-P", *command], cwd=project, env=environment, capture_output=True, text=True, check=True
    ).stdout


def install(project):
    """What pip does: build a wheel, unpack it where Python looks."""
    run(project, "-m", "hatchling", "build", "-t", "wheel")
    (wheel,) = (project / "dist").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(project / "site")


def test_every_command_of_the_page_works_in_order(project):
    done = []
    for command in COMMANDS:
        match command.split():
            case ["pip", "install", "."]:
                install(project)
                origin = run(project, "-c", "import bayesbridge_template as t; print(t.__file__)")
                assert Path(origin.strip()).parent == project / "site"
            case ["bayesbridge", "plugins"]:
                assert re.search(r"fit +bayesbridge-template 0.1.0 +fit", run(project, "-m", "bayesbridge", "plugins"))
            case ["bayesbridge", *arguments]:
                assert "fit S" in run(project, "-m", "bayesbridge", *arguments)
            case ["pytest"]:
                assert "1 passed" in run(project, "-m", "pytest", "-p", "no:cacheprovider", "test_template.py")
            case _:
                pytest.fail(f"nobody runs {command!r}")
        done.append(command.split()[0])
    assert done == ["pip", "bayesbridge", "bayesbridge", "pytest"]
