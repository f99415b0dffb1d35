"""docs/write-a-plugin.md builds plugins/bayesbridge-template, and every block about estimators runs."""

import re
from pathlib import Path

import pytest

from tests.guides import ROOT, Guide, install, run

TEMPLATE = ROOT / "plugins" / "bayesbridge-template"
GUIDE = Guide("write-a-plugin.md", "An estimator")


def test_every_block_is_a_file_a_command_or_a_doctest():
    assert GUIDE.strangers() == 0


def test_the_page_builds_the_template():
    written = {path.name: path.read_text("utf-8") for path in TEMPLATE.iterdir() if path.is_file()}
    assert written == GUIDE.files


def test_every_command_of_the_page_works_in_order(tmp_path):
    project = GUIDE.write(tmp_path)
    done = []
    for command in GUIDE.commands:
        match command.split():
            case ["pip", "install", "."]:
                install(project)
                origin = run(project, "-c", "import bayesbridge_template as t; print(t.__file__)")
                assert Path(origin.strip()).parent == project / "site"
            case ["bayesbridge", "plugins"]:
                assert re.search(r"fit +bayesbridge-template 0.1.0 +fit", run(project, "-m", "bayesbridge", "plugins"))
            case ["bayesbridge", *arguments]:
                assert "fit: Cards of the pair in the suit." in run(project, "-m", "bayesbridge", *arguments)
            case ["pytest"]:
                assert "1 passed" in run(project, "-m", "pytest", "-p", "no:cacheprovider", "test_template.py")
            case _:
                pytest.fail(f"nobody runs {command!r}")
        done.append(command.split()[0])
    assert done == ["pip", "bayesbridge", "bayesbridge", "pytest"]
