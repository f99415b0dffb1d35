"""Every block of a document is run, compared or read, and every link has a target.

``pycon`` blocks are doctests, which pytest collects itself; the guides that build
plugins have tests of their own (``tests/test_guides.py``). What cannot be run here is
listed with the reason.
"""

import ast
import importlib
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from bayesbridge.cli import main
from bayesbridge.cli.commands import parse_arguments

ROOT = Path(__file__).parents[1]
TESTED = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
    *sorted((ROOT / "docs" / "api").glob("*.md")),
]
"""Documents whose doctests pytest collects."""
DOCUMENTS = [
    *TESTED,
    *(ROOT / f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY")),
    *sorted(ROOT.glob("plugins/*/README.md")),
]

FENCE = re.compile(
    r"(?:^\*\*(?P<file>\S+)\*\*\n\n)?^```(?P<language>\S*)(?: \S+)?\n(?P<text>.*?)^```$",
    re.M | re.S,
)
PROMPT = re.compile(r"^\w*\$ ", re.M)

NOT_RUN = {
    "class BidderModel(Protocol):": "a signature, not a program",
    "from dask_jobqueue import SLURMCluster": (
        "needs SLURM; tests/studies/test_jobs_cluster.py has a real cluster"
    ),
    "from dask_kubernetes.operator import KubeCluster": "needs a Kubernetes cluster",
}
"""Python blocks by their first line: they are compiled, and what they import from the
package is there.
"""

ELSEWHERE = {
    ".": "activates an environment",
    "export": "sets the environment of the commands below it; the plugin's tests do so",
    "dask": "tests/studies/test_jobs_cluster.py starts a scheduler and workers",
    "helm": "needs a Kubernetes cluster",
    "pip": "the guides' tests and `make package` install",
    "pytest": "the guides' tests run it",
}
"""Commands of ``sh`` blocks that other tests run, or none can."""


class Block(NamedTuple):
    """A fenced block: a file if its name stands above it."""

    file: str | None
    language: str
    text: str


def blocks(path):
    return [
        Block(**match.groupdict()) for match in FENCE.finditer(path.read_text("utf-8"))
    ]


def name(path):
    return str(path.relative_to(ROOT))


def sessions():
    """Each ``$ bayesbridge …`` in a console block, with the lines shown after it."""
    parameters = []
    for path in DOCUMENTS:
        for block in blocks(path):
            for session in (
                PROMPT.split(block.text)[1:] if block.language == "console" else ()
            ):
                command, *shown = session.rstrip().splitlines()
                if command.startswith("bayesbridge "):
                    parameters.append(
                        pytest.param(command, shown, id=f"{name(path)}: {command}")
                    )
    return parameters


def test_there_is_something_to_compare():
    assert len(sessions()) >= 10


@pytest.mark.parametrize(("command", "shown"), sessions())
def test_a_shown_answer_is_what_the_command_prints(capsys, command, shown):
    """A last line of … stands for the rest."""
    main(shlex.split(command)[1:])
    out, err = capsys.readouterr()
    printed = [line.rstrip() for line in (out + err).rstrip().splitlines()]
    if shown[-1] == "…":
        shown = shown[:-1]
        printed = printed[: len(shown)]
    assert printed == shown


def check_command(line):
    """A command that is not run here is at least one that exists."""
    match shlex.split(line, comments=True):
        case []:
            pass
        case ["bayesbridge", *words]:
            parse_arguments(words)
        case ["make", target]:
            assert re.search(
                rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M
            ), line
        case ["python", "-c", source]:
            compile(source, "command", "exec")
        case ["python", file, *_]:
            assert (ROOT / file).is_file(), line
        case [command, *_]:
            assert command in ELSEWHERE, f"nothing runs {line!r}"


def check_python(text, names):
    """Run a block with the names of those before it on the page.

    Without names it is only read.
    """
    if names is not None and text.partition("\n")[0] not in NOT_RUN:
        exec(compile(text, "block", "exec"), names)
        return
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("bayesbridge")
        ):
            module = importlib.import_module(node.module)
            assert [
                alias.name for alias in node.names if not hasattr(module, alias.name)
            ] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_every_block_is_run_or_read(path, tmp_path, monkeypatch, capsys):
    page_blocks = blocks(path)
    assert 2 * len(page_blocks) == len(
        re.findall(r"^\s*(?:```|~~~)", path.read_text("utf-8"), re.M)
    ), "an odd fence"
    monkeypatch.chdir(tmp_path)
    for block in page_blocks:
        if block.file:
            (tmp_path / block.file).write_text(block.text, "utf-8")
    names = {}
    for file, language, text in page_blocks:
        match language:
            case "pycon":
                assert ">>> " in text
                assert path in TESTED
            case "console":
                commands = [
                    session.partition("\n")[0] for session in PROMPT.split(text)[1:]
                ]
                for line in commands:
                    # Our own commands are run and compared, mistakes among them.
                    if not line.startswith("bayesbridge "):
                        check_command(line)
            case "sh":
                for line in PROMPT.sub("", text).splitlines():
                    check_command(line)
            case "python" if not file:
                check_python(text, names)
            case "python":
                compile(text, file, "exec")
            case "toml":
                table = tomllib.loads(text)
                if "observer" in table:
                    (tmp_path / "shown.toml").write_text(text, "utf-8")
                    assert main(["count", "--position", "shown.toml"]) == 0
            case "json":
                json.loads(text)
            case "text":
                assert not re.search(r"^(>>>|\$ bayesbridge) ", text, re.M), (
                    "it could be run: call it pycon or console"
                )
            case "{code-cell}":  # run when the site is built
                check_python(text, None)
            case _:
                # Sphinx reads directives, and nothing else is left.
                assert language.startswith("{"), (
                    f"```{language}: nothing runs such a block"
                )


def anchors(path):
    """Of the headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text("utf-8")), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_every_link_leads_somewhere(path):
    """But in blocks and in inline code."""
    prose = re.sub(r"`[^`\n]+`", "", FENCE.sub("", path.read_text("utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)\)|<(\w+://[^>\s]+)>", prose):
        link = urlsplit("".join(target))
        if link.scheme:
            assert link.scheme == "https", target
            assert "." in link.netloc, target
            continue
        file = path.parent / link.path if link.path else path
        assert file.exists(), target
        assert not link.fragment or link.fragment in anchors(file), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_every_file_that_is_named_is_there(path):
    """Paths of the repository in inline code."""
    folders = "|".join(
        sorted(
            folder.name
            for folder in ROOT.iterdir()
            if folder.is_dir() and folder.name[0] != "."
        )
    )
    named = re.findall(rf"`((?:{folders})/[\w./-]*\w)`", path.read_text("utf-8"))
    assert [file for file in named if not (ROOT / file).exists()] == []


PAGE = "".join(
    (ROOT / "docs" / name).read_text("utf-8")
    for name in ("benchmarks.md", "scaling.md")
)
FILES = sorted((ROOT / "benchmarks" / "speed").glob("bench_*.py"))


def test_every_table_has_its_place_and_every_place_its_table():
    made = []
    for file in FILES:
        made += re.findall(r'\b[Tt]able\(\s*"([\w-]+)"', file.read_text("utf-8"))
    assert len(made) > 10
    assert sorted({*made, "headline"}) == sorted(
        re.findall(r"^<!-- (?!end)([\w-]+) -->$", PAGE, flags=re.M)
    )
    assert re.findall(r"^<!-- end of ([\w-]+) -->$", PAGE, flags=re.M) == re.findall(
        r"^<!-- (?!end)([\w-]+) -->$", PAGE, flags=re.M
    )


def test_every_table_is_filled_and_names_its_command():
    for name, body in re.findall(
        r"^<!-- (?!end)([\w-]+) -->\n(.*?)<!-- end", PAGE, flags=re.M | re.S
    ):
        assert re.search(r"^\| .* \|$", body, flags=re.M), (
            f"table {name} is empty: run its benchmark with --write"
        )
        if name == "headline":
            continue
        (command,) = re.findall(
            r"^\(`python (benchmarks/speed/bench_\w+\.py)`, ", body, flags=re.M
        )
        assert f'"{name}"' in (ROOT / command).read_text("utf-8")


def test_the_headline_is_taken_from_the_tables(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "speed"))
    page = importlib.import_module("page")
    assert page.with_headline(page.PAGE.read_text("utf-8")) == page.PAGE.read_text(
        "utf-8"
    )
