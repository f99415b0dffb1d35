"""``bayesbridge plugins``: estimators and bidder models, and where each comes from;
``new``: a package of one's own.
"""

from __future__ import annotations

import re
import shutil
from argparse import Namespace
from importlib.resources import files
from pathlib import Path
from string import Template
from textwrap import wrap
from typing import Any

from bayesbridge import __version__
from bayesbridge.cli import screens
from bayesbridge.cli.terminal import terminal_width
from bayesbridge.cli.usage import UsageError
from bayesbridge.display.markup import Table
from bayesbridge.errors import Unwritable
from bayesbridge.estimators.builtin import bayesbridge_bidders, bayesbridge_estimators
from bayesbridge.estimators.hookspecs import CONTRACT
from bayesbridge.estimators.registry import load
from bayesbridge.runtime.files import advice


def run(args: Namespace) -> int:
    registry = load()
    document: dict[str, dict[str, Any]] = {
        "estimators": {},
        "bidders": {},
        "failures": {},
        "empty": {},
    }
    for plugin in registry.plugins:
        origin = {
            "plugin": plugin.name,
            "distribution": plugin.distribution,
            "version": plugin.version,
        }
        for name in plugin.estimators:
            offer = registry.estimators[name]
            outputs = {output.name: output.doc for output in offer.outputs}
            document["estimators"][name] = {
                **origin,
                "doc": _sentence(offer),
                "outputs": outputs,
            }
        for name in plugin.bidders:
            document["bidders"][name] = {
                **origin,
                "doc": _sentence(registry.bidders[name]),
            }
        if plugin.failure is not None:
            key = (
                plugin.name
                if plugin.name not in document["failures"]
                else f"{plugin.name} ({plugin.distribution})"
            )
            document["failures"][key] = {**origin, "failure": plugin.failure}
        elif not plugin.estimators and not plugin.bidders:
            document["empty"][plugin.name] = origin
    parts: list[Table | str] = []
    for title, kind in (
        ("Estimators (--estimator NAME)", "estimators"),
        ("Bidder models (--bidder NAME)", "bidders"),
    ):
        offers = {
            (name, _source(offer)): offer for name, offer in document[kind].items()
        }
        used = sum(max(map(len, column)) for column in zip(*offers, strict=True))
        room = max(20, terminal_width() - 4 - used)
        rows = []
        for names, offer in offers.items():
            first, *more = wrap(
                ", ".join(offer.get("outputs", ())) or offer["doc"], room
            ) or [""]
            rows += [[*names, first], *(["", "", line] for line in more)]
        parts.append(Table(title, ["name", "from", "gives"], rows, left=3))
    for name, failed in document["failures"].items():
        parts.append(
            f"Plugin {name!r} of {_source(failed)} is broken: {failed['failure']}"
        )
    for name, origin in document["empty"].items():
        parts.append(
            f"Plugin {name!r} of {_source(origin)} offers nothing as it is set up: see its own documentation."
        )
    return screens.present(args, document, *parts)


def _source(offer: dict[str, Any]) -> str:
    return f"{offer['distribution']} {offer['version']}".strip()


def _sentence(offer: object) -> str:
    return " ".join((type(offer).__doc__ or "").split("\n\n")[0].split()).replace(
        "``", ""
    )


MADE = {
    "estimator": "an estimator that counts aces",
    "bidder": "a bidder model that opens a weak no trump",
}


def run_new(args: Namespace) -> int:
    does = MADE[args.kind]
    words = names(args.name) | {
        "does": does,
        "version": __version__,
        "contract": str(CONTRACT),
    }
    seen = "" if args.kind == "estimator" else "--call W:1NT "
    words["asked"] = asked = (
        f"--observer S --hand AKQ2.KJ3.A54.Q32 {seen}--{args.kind} {words['name']}"
    )
    folder = Path(args.at or ".") / words["distribution"]
    kinds = {
        "pyproject.toml": "pyproject",
        "README.md": "readme",
        "LICENSE": "licence",
        f"{words['module']}/__init__.py": args.kind,
        f"test_{words['name']}.py": f"{args.kind}_test",
    }
    data = files("bayesbridge.cli").joinpath("data")
    try:
        folder.mkdir()
        (folder / words["module"]).mkdir()
        (folder / words["module"] / "py.typed").touch()
        for name, kind in kinds.items():
            text = data.joinpath(f"plugin_{kind}.txt").read_text("utf-8")
            (folder / name).write_text(Template(text).substitute(words), "utf-8")
    except (FileExistsError, FileNotFoundError) as error:
        told = f"({error.strerror}): choose another NAME or --at"
        raise UsageError(f"cannot make {str(folder)!r} {told}") from None
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        why = error.strerror or error
        raise Unwritable(
            f"argument --at: cannot write {str(folder)!r} ({why}): {advice(error)}",
            path=folder,
        ) from None
    name, module, distribution = (
        words[key] for key in ("name", "module", "distribution")
    )
    made = {
        "distribution": distribution,
        "module": module,
        "name": name,
        "kind": args.kind,
    }
    return screens.present(
        args,
        {
            "folder": str(folder),
            "files": sorted([*kinds, f"{module}/py.typed"]),
            **made,
        },
        f"{distribution} in {folder}: {does}, called {name!r}, and its test.",
        f"Change {module}/__init__.py, then in that folder:",
        "  pip install .",
        "  pytest",
        f"  bayesbridge estimate {asked}",
        f"  bayesbridge report {asked} --out report.html",
    )


def names(text: str) -> dict[str, str]:
    """All names that follow from the one given; raises where an estimator or a bidder
    cannot be called so.

    >>> [names("bayesbridge-my-count")[key] for key in ("distribution", "module", "name", "kind")]
    ['bayesbridge-my-count', 'bayesbridge_my_count', 'my_count', 'MyCount']
    """
    word = text.removeprefix("bayesbridge-")
    if not re.fullmatch(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*", word) or len(word) > 40:
        raise UsageError(
            f"argument NAME: {text!r} cannot be a name: write at most 40 small letters, digits and hyphens, a letter "
            "first, such as my-count"
        )
    name, dashed = word.replace("-", "_"), word.replace("_", "-")
    taken = {
        "chain",
        "draw",
        "suit",
        "strain",
        "seat",
        "card",
        "weight",
    }  # axes of results
    if name in taken | {estimator.name for estimator in bayesbridge_estimators()} | {
        *bayesbridge_bidders()
    }:
        raise UsageError(
            f"argument NAME: {text!r} is taken by bayesbridge itself: choose another name"
        )
    return {
        "name": name,
        "distribution": f"bayesbridge-{dashed}",
        "entry": dashed,
        "module": f"bayesbridge_{name}",
        "kind": "".join(part.capitalize() for part in dashed.split("-")),
    }
