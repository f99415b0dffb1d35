"""Every hook is documented with its exact arguments."""

import importlib.util
import inspect
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pluggy
import pytest

from bayesbridge.estimators import hookspecs

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
HOOKS = {name: hook for name, hook in vars(hookspecs).items() if hasattr(hook, "bayesbridge_spec")}


def headings(page):
    return [line.removeprefix("### ").strip("`") for line in page.splitlines() if line.startswith("### `")]


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_documented_with_its_exact_arguments(name):
    page = (ROOT / "docs" / "write-a-plugin.md").read_text("utf-8")
    documented = [heading for heading in headings(page) if name in heading]
    hook = HOOKS[name]
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    parameters = list(inspect.signature(hook).parameters)
    assert list(getattr(manager.hook, name).spec.argnames) == parameters
    assert documented == [f"{name}{inspect.signature(hook)}".replace("'", "")]
    assert len(inspect.getdoc(hook)) > 80
    assert inspect.signature(hook).return_annotation is not inspect.Signature.empty


def test_the_page_is_what_the_script_writes():
    loader = SourceFileLoader("hook_reference", str(ROOT / "scripts" / "hook-reference"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("hook_reference", loader))
    loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.page(), "run scripts/hook-reference"
