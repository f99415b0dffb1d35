"""Every example is short and runs; the arguments here keep it small."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
SMALL = {"play_against_double_dummy.py": ["24"], "what_to_lead.py": ["12"], "who_opens_light.py": ["--draws", "40"]}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_runs(path):
    assert len(path.read_text("utf-8").splitlines()) <= 40
    command = [sys.executable, str(path), *SMALL.get(path.name, [])]
    result = subprocess.run(command, cwd=path.parent.parent, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout
    if path.stem == "simulate_pairs":
        assert result.stdout == path.with_name("pairs.pbn").read_text("utf-8")
