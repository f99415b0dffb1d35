"""``bayesbridge plugins new``: a package with an estimator or a bidder of one's own."""

from __future__ import annotations

import re
import shutil
from argparse import Namespace
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from bayesbridge import __version__
from bayesbridge.cli import screens
from bayesbridge.cli.files import unwritable
from bayesbridge.cli.usage import UsageError
from bayesbridge.estimators.builtin import bayesbridge_bidders, bayesbridge_estimators
from bayesbridge.estimators.hookspecs import CONTRACT

PURPOSES: Final = {
    "estimator": "an estimator that counts aces",
    "bidder": "a bidder model that opens a weak no trump",
}
"""What the package does as it is made, by kind."""

QUESTIONS: Final = {"estimator": "", "bidder": "--call W:1NT "}
"""Evidence that makes the answer depend on what is made, by kind."""

NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
LONGEST_NAME: Final = 40
AXES: Final = ("chain", "draw", "suit", "strain", "seat", "card", "weight")
"""Names of the axes of results."""


def run(args: Namespace) -> int:
    """Make the package, and say what to do with it."""
    purpose = PURPOSES[args.kind]
    names = plugin_names(args.name)
    question = (
        f"--observer S --hand AKQ2.KJ3.A54.Q32 {QUESTIONS[args.kind]}"
        f"--{args.kind} {names['name']}"
    )
    # What stands in braces in the templates.
    words = names | {
        "does": purpose,
        "version": __version__,
        "contract": str(CONTRACT),
        "asked": question,
    }
    folder = Path(args.at or ".") / names["distribution"]
    templates = templates_by_file(args.kind, names)
    make_folder(folder, templates, words)
    module = names["module"]
    document = {
        "folder": str(folder),
        "files": sorted([*templates, f"{module}/py.typed"]),
        "distribution": names["distribution"],
        "module": module,
        "name": names["name"],
        "kind": args.kind,
    }
    return screens.present(
        args,
        document,
        f"{names['distribution']} in {folder}: {purpose}, called {names['name']!r}, "
        "and its test.",
        f"Change {module}/__init__.py, then in that folder:",
        "  pip install .",
        "  pytest",
        f"  bayesbridge estimate {question}",
        f"  bayesbridge report {question} --out report.html",
    )


def templates_by_file(kind: str, names: Mapping[str, str]) -> dict[str, str]:
    """The files of the package, each with the template that it is made from."""
    return {
        "pyproject.toml": "pyproject",
        "README.md": "readme",
        "LICENSE": "licence",
        f"{names['module']}/__init__.py": kind,
        f"test_{names['name']}.py": f"{kind}_test",
    }


def make_folder(
    folder: Path, templates: Mapping[str, str], words: Mapping[str, str]
) -> None:
    """Make the folder of the package; what cannot be written leaves nothing."""
    data = files("bayesbridge.cli").joinpath("data")
    try:
        folder.mkdir()
        module = folder / words["module"]
        module.mkdir()
        (module / "py.typed").touch()
        for name, template in templates.items():
            text = data.joinpath(f"plugin_{template}.txt").read_text("utf-8")
            (folder / name).write_text(Template(text).substitute(words), "utf-8")
    except (FileExistsError, FileNotFoundError) as error:
        raise UsageError(
            f"cannot make {str(folder)!r} ({error.strerror}): choose another NAME or "
            "--at"
        ) from None
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise unwritable("--at", folder, error) from None


def plugin_names(text: str) -> dict[str, str]:
    """All names that follow from the one given.

    Raises where an estimator or a bidder cannot be called so.

    >>> names = plugin_names("bayesbridge-my-count")
    >>> [names[key] for key in ("distribution", "module", "name", "kind")]
    ['bayesbridge-my-count', 'bayesbridge_my_count', 'my_count', 'MyCount']
    """
    word = text.removeprefix("bayesbridge-")
    if not NAME.fullmatch(word) or len(word) > LONGEST_NAME:
        raise UsageError(
            f"argument NAME: {text!r} cannot be a name: write at most {LONGEST_NAME} "
            "small letters, digits and hyphens, a letter first, such as my-count"
        )
    name = word.replace("-", "_")
    dashed = word.replace("_", "-")
    estimators = {estimator.name for estimator in bayesbridge_estimators()}
    if name in {*AXES, *estimators, *bayesbridge_bidders()}:
        raise UsageError(
            f"argument NAME: {text!r} is taken by bayesbridge itself: choose another "
            "name"
        )
    return {
        "name": name,
        "distribution": f"bayesbridge-{dashed}",
        "entry": dashed,
        "module": f"bayesbridge_{name}",
        "kind": "".join(part.capitalize() for part in dashed.split("-")),
    }
