"""The reference names everything public, once, and each with an example."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import bayesbridge
from bayesbridge import plots, plugins, pymc

pytestmark = pytest.mark.quick

DOCS = Path(__file__).parent.parent / "docs"
CHAPTERS = {path.stem: path.read_text("utf-8") for path in (DOCS / "api").glob("*.md")}
PAGE = "\n".join(CHAPTERS.values())
DIRECTIVE = re.compile(
    r"^\.\. (?:auto\w+|py:\w+):: (bayesbridge[\w.]*?)(?:\.(\w+))?(?:\(\))?$", re.M
)

NAMED = DIRECTIVE.findall(PAGE)
PARTS = ("errors", "plots", "plugins", "pymc")  # modules that are public names
PUBLIC = [
    *(("bayesbridge", name) for name in bayesbridge.__all__ if name not in PARTS),
    *(("bayesbridge.plots", name) for name in plots.__all__),
    *(("bayesbridge.plugins", name) for name in plugins.__all__),
    *(("bayesbridge.pymc", name) for name in pymc.__all__),
]


def test_every_public_name_is_in_the_reference_once():
    modules = {module for module, _ in PUBLIC}
    listed = [(module, name) for module, name in NAMED if module in modules]
    assert sorted(listed) == sorted(PUBLIC)


def test_the_contents_name_each_chapter_and_what_is_in_it():
    rows = dict(
        re.findall(r"^\| \[.*\]\((\w+)\.md\) \| (.*) \|$", CHAPTERS["index"], re.M)
    )
    contents = {}
    for name, text in CHAPTERS.items():
        members = [
            f"`{member or module.rpartition('.')[2]}`"
            for module, member in DIRECTIVE.findall(text)
        ]
        if name != "index":
            contents[name] = ", ".join(members)
    assert rows == contents
    assert all(f"\n{name}\n" in CHAPTERS["index"] for name in rows)


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_public_name_has_an_example(module, name):
    value = getattr(importlib.import_module(module), name)
    if name.startswith("check_"):
        assert f"{name}(" in (inspect.getdoc(inspect.getmodule(value)) or "")
    elif inspect.isclass(value) or inspect.isfunction(value):
        members = (
            [member for key, member in vars(value).items() if not key.startswith("_")]
            if inspect.isclass(value)
            else []
        )
        assert any(
            ">>> " in (inspect.getdoc(documented) or "")
            for documented in (value, *members)
        )
    elif not isinstance(value, int):  # the version of the contract
        assert re.search(rf"^ +@{re.escape(module)}\.{name}$", PAGE, re.M)


@pytest.mark.parametrize(
    ("module", "name"), [one for one in NAMED if one[0] != "bayesbridge"]
)
def test_what_the_reference_names_is_there_and_says_what_it_is(module, name):
    try:
        value = getattr(importlib.import_module(module), name)
    except (ModuleNotFoundError, AttributeError):
        value = importlib.import_module(f"{module}.{name}")
    assert (inspect.getdoc(value) or "").strip()
