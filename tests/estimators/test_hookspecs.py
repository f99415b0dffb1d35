"""Every hook is documented with its exact arguments.

The script that writes the page makes sure of it.
"""

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_script_writes():
    loader = SourceFileLoader(
        "hook_reference", str(ROOT / "scripts" / "hook-reference")
    )
    script = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("hook_reference", loader)
    )
    loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.page(), "run scripts/hook-reference"
