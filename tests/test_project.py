"""Promises of the project: a light import, one door for each heavy dependency.

Also that lock files are whole.
"""

import ast
import functools
import os
import pydoc
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest

import bayesbridge
from bayesbridge.estimators.registry import DISTRIBUTION

pytestmark = pytest.mark.quick

PACKAGE = Path(bayesbridge.__file__).parent
ROOT = PACKAGE.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

DOORS = {
    "anywidget": ("web.widget",),
    "arviz": (
        "estimators.results",
        "engines.weights",
        "bidders.fit",
        "belief.joint",
        "plots",
    ),
    "dask": ("studies",),
    "distributed": ("studies",),
    "matplotlib": ("plots", "views"),
    "numba": ("runtime.jit",),
    "pluggy": ("estimators",),
    "pymc": ("bidders.fit", "bidders.pairs", "belief.joint", "pymc"),
    "pytensor": ("bidders.fit", "bidders.pairs", "belief.joint", "pymc"),
    "rich": ("cli",),
    "starlette": ("web",),
    "traitlets": ("web.widget",),
    "uvicorn": ("web",),
}
"""Which rooms of the package may import a heavy dependency, anywhere in their files."""


def test_importing_the_package_loads_nothing_heavy():
    heavy = [*DOORS, "numpy", "scipy", "xarray", "pandas"]
    code = f"import bayesbridge, sys; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert (result.stdout, result.stderr) == ("[]\n", "")


def test_every_public_name_is_there_and_listed_once():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    imported = []
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            imported += [alias.name for alias in node.names]
    (listed,) = (
        ast.literal_eval(node.value)
        for node in stub.body
        if isinstance(node, ast.Assign)
    )
    assert listed == sorted(set(listed))
    assert sorted(imported) == listed == sorted(bayesbridge.__all__)
    for name in listed:
        assert getattr(bayesbridge, name) is not None


@functools.cache
def imported_packages(path):
    """Names of the packages that a file imports anywhere; ArviZ's parts count as arviz."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return {re.sub(r"^arviz_(base|plots|stats)$", "arviz", name) for name in names}


@pytest.mark.parametrize("dependency", DOORS)
def test_a_heavy_dependency_has_its_door(dependency):
    strangers = []
    for path in PACKAGE.rglob("*.py"):
        room = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        allowed = any(f"{room}.".startswith(f"{door}.") for door in DOORS[dependency])
        if dependency in imported_packages(path) and not allowed:
            strangers.append(room)
    assert strangers == []


def pins(lock):
    """Name → the lines of one pinned requirement."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text("utf-8")
    return [
        entry
        for entry in re.split(r"^(?=\w|#)", text, flags=re.M)
        if entry.strip() and entry[0] != "#"
    ]


@pytest.mark.parametrize("lock", ["uv", "user", "dev"])
def test_locks_pin_and_hash_everything_and_name_no_registry(lock):
    for entry in pins(lock):
        assert re.match(r"[\w.-]+==\S+", entry)
        assert "--hash=sha256:" in entry
        assert "://" not in entry


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("user", PROJECT["project"]["dependencies"]),
        (
            "dev",
            [
                text
                for text in chain.from_iterable(PROJECT["dependency-groups"].values())
                if isinstance(text, str)
            ],
        ),
        *[
            ("dev", PROJECT["project"]["optional-dependencies"][name])
            for name in ("cluster", "web", "notebook")
        ],
    ],
)
def test_locks_hold_what_the_project_asks_for(lock, wanted):
    locked = {re.match(r"[\w.-]+", entry)[0] for entry in pins(lock)}
    assert {re.match(r"[\w.-]+", text)[0] for text in wanted} <= locked


def test_it_is_installed_under_the_name_of_its_distribution():
    assert metadata.version(DISTRIBUTION) == bayesbridge.__version__


def distribution_name(text):
    """That of a requirement, or of a package to import."""
    return re.match(r"[\w.-]+", text)[0].replace("_", "-")


def test_what_the_package_imports_is_declared():
    groups = [
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
    ]
    declared = set()
    for group in groups:
        declared |= {distribution_name(text) for text in group}
    imported = (
        set().union(*map(imported_packages, PACKAGE.rglob("*.py")))
        - sys.stdlib_module_names
        - {"bayesbridge"}
    )
    assert {"pandas", "traitlets"} < imported
    assert set(map(distribution_name, imported)) - declared == set()


RELEASED = [
    path
    for path in ROOT.glob("plugins/*/pyproject.toml")
    if path.parent.name != "bayesbridge-template"
]


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.parent.name)
def test_a_plugin_is_released_with_the_package_and_needs_that_version(path):
    about = tomllib.loads(path.read_text("utf-8"))["project"]
    assert about["version"] == bayesbridge.__version__
    assert f"{DISTRIBUTION}=={bayesbridge.__version__}" in about["dependencies"]


def test_the_solver_that_a_message_names_is_an_extra_and_a_plugin_of_this_repository():
    assert PROJECT["project"]["optional-dependencies"]["solver"] == [
        "bayesbridge-double-dummy"
    ]
    assert (ROOT / "plugins" / "bayesbridge-double-dummy").is_dir()


def test_links_of_the_readme_lead_to_the_tag_on_the_package_index():
    from scripts.metadata import with_absolute_links

    text = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(
        r"\]\(([^)\s]+)\)", with_absolute_links(text, "https://host/a/b", "v1.2")
    )
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []
    assert (
        "https://host/a/b/blob/v1.2/docs/on-record.md#played-against-reality" in links
    )


def test_every_action_is_pinned_by_its_hash():
    workflows = [
        path.read_text("utf-8") for path in ROOT.glob(".github/workflows/*.yml")
    ]
    used = []
    for text in workflows:
        used += re.findall(r"uses: (.*)", text)
    assert len(used) > 10
    assert [
        line
        for line in used
        if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", line)
    ] == []


def test_every_dependency_has_a_reason():
    reasons = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    names = [
        re.match(r"[\w.-]+", text)[0] for text in PROJECT["project"]["dependencies"]
    ]
    assert [name for name in names if f"| {name} |" not in reasons] == []


def test_a_named_python_is_taken_or_refused_and_setting_up_needs_no_home(tmp_path):
    """In a checkout with a toy installer.

    It only writes down where its cache is and what it is asked.
    """
    scripts = {
        ".venv/bin/python": f'exec {sys.executable} "$@"',
        "other": f'case "$2" in *print*) echo other;; *) exec {sys.executable} "$@";; esac',
        ".uv/bin/uv": 'echo "$UV_CACHE_DIR $1" >>asked\n'
        "case $1 in cache) echo /dev/null/cache;; "
        'venv) mkdir -p .venv/bin; cp "$5" .venv/bin/python;; esac',
    }
    for name, line in scripts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    for name in (
        "Makefile",
        "pyproject.toml",
        "requirements/user.txt",
        "requirements/uv.txt",
        "scripts/setup-venv",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    for name in (".venv/.user", "asked"):
        (tmp_path / name).touch()

    def make(*words):
        command = ["make", *words, ".venv/.user"]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
        )
        requests = (tmp_path / "asked").read_text().split("\n")[:-1]
        (tmp_path / "asked").write_text("")
        return done.returncode, done.stderr.split("\n")[0], requests

    cache = tmp_path / ".uv/cache"
    assert make() == make(f"PYTHON={tmp_path}/.venv/bin/python") == (0, "", [])
    status, _, requests = make(f"PYTHON={tmp_path}/other")
    assert (status, requests[1:]) == (
        0,
        [" cache", f"{cache} venv", *[f"{cache} pip"] * 3],
    )
    assert make(f"PYTHON={tmp_path}/other") == (0, "", [])
    refusal = "PYTHON=/bin/false is no Python 3.12, 3.13 or 3.14: name another, or none"
    assert make("PYTHON=/bin/false")[:2] == (2, refusal)


def test_the_steps_of_a_question_are_functions_of_the_package():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = text.partition("## A question on its way")[2].partition("\n## ")[0]
    steps = re.findall(r"^\| (\d+)\. .* \| `([\w.]+)` \|$", section, re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, 16))
    for _, path in steps:
        assert pydoc.locate(f"bayesbridge.{path}") is not None, path
