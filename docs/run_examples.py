"""The gallery of the site: every example is run, and gets a page with its picture, what
it prints, and its code.

What an example printed and drew is kept by a digest of the example and the package; the
tests look at the same results.
"""

import ast
import hashlib
import multiprocessing
import os
import runpy
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from multiprocessing.connection import wait
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
ROOT = DOCS.parent
EXAMPLES = ROOT / "examples"
PAGES = DOCS / "gallery"
KEPT = DOCS / "_build" / "examples"

LINES = 24
"""Printed lines that a page shows; of a longer output it shows half as many."""
CARD = 9, 44
"""Lines and letters of printed text on the card of an example that draws nothing."""

LIBRARIES = (
    "arviz",
    "bayesbridge.plots",
    "bayesbridge.estimators.results",
    "matplotlib.figure",
    "pymc",
)
"""Imported once for several examples, which takes longer than most of them."""

PRINTED = {
    "lesson": ("A lesson to print", "deals.html#a-lesson-to-print"),
    "session": ("An evening, card by card", "records.html#an-evening"),
}
"""Pages that commands write for people, by their picture: title, and where the site
tells of them.
"""


class Ran(NamedTuple):
    """What an example printed, and the picture that it drew, if it drew one."""

    printed: str
    picture: Path | None


def write_gallery(kept: Path = KEPT, names: tuple[str, ...] | None = None) -> None:
    """Run the examples that are not yet in ``kept``, and write all pages anew;
    ``names`` picks some.
    """
    found = [
        path
        for path in sorted(EXAMPLES.glob("*.py"))
        if names is None or path.stem in names
    ]
    PAGES.mkdir(exist_ok=True)
    cards = []
    results = run(found, kept)
    for path, ran in zip(found, results, strict=True):
        title, text = described(path)
        thumbnail = PAGES / f"{path.stem}.png"
        if ran.picture is None:
            draw_text(ran.printed, thumbnail)
        else:
            shutil.copy(ran.picture, thumbnail)
        write(PAGES / f"{path.stem}.md", page(path.stem, title, text, ran))
        cards.append(
            f"```{{figure}} {path.stem}.png\n:target: {path.stem}.html\n:alt: {title}\n\n{title}\n```\n"
        )
    for name, (title, told) in PRINTED.items():
        cards.append(
            f"```{{figure}} ../pictures/{name}.png\n:target: ../{told}\n:alt: {title}\n\n{title}\n```\n"
        )
    listed = "\n".join(path.stem for path in found)
    write(
        PAGES / "index.md",
        "# Gallery\n\n:::{container} gallery\n\n"
        + "\n".join(cards)
        + "\n:::\n\nEvery example of the repository, run when this site was built: picture, output and code.\n\n"
        + f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n",
    )


def described(path: Path) -> tuple[str, str]:
    """The title of an example, its docstring's first line without the command, and the
    rest.
    """
    first, _, rest = (
        ast.get_docstring(ast.parse(path.read_text("utf-8"))) or path.stem
    ).partition("\n")
    return first.partition(" python examples/")[0].strip(" :."), rest.strip()


@cache
def package_digest() -> str:
    """Of all that an example may import from the package and its plugins."""
    sources = [
        path
        for folder in ("bayesbridge", "plugins")
        for kind in ("*.py", "*.npz", "*.toml")
        for path in (ROOT / folder).rglob(kind)
    ]
    return hashlib.sha256(
        b"".join(path.read_bytes() for path in sorted(sources))
    ).hexdigest()


def run(paths: list[Path], kept: Path = KEPT) -> list[Ran]:
    """What examples give with their defaults; from ``kept`` where they were run before
    with the same package.
    """
    digests = [
        hashlib.sha256(package_digest().encode() + path.read_bytes()).hexdigest()[:16]
        for path in paths
    ]
    results = [
        kept / f"{path.stem}-{digest}"
        for path, digest in zip(paths, digests, strict=True)
    ]
    missing = [
        path
        for path, result in zip(paths, results, strict=True)
        if not result.with_suffix(".txt").exists()
    ]
    if missing:
        kept.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, __file__, ROOT, kept, *missing],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
    for path, result in zip(paths, results, strict=True):
        if path in missing:
            for old in kept.glob(f"{path.stem}-????????????????.*"):
                old.unlink()
            (kept / f"{path.stem}.part").rename(result.with_suffix(".txt"))
            if (drawn := ROOT / "demo" / f"{path.stem}.png").exists():
                shutil.copy(drawn, result.with_suffix(".png"))
    pictures = [result.with_suffix(".png") for result in results]
    return [
        Ran(
            result.with_suffix(".txt").read_text("utf-8"),
            picture if picture.exists() else None,
        )
        for result, picture in zip(results, pictures, strict=True)
    ]


def run_side_by_side(root: Path, kept: Path, paths: list[Path]) -> str:
    """Each in a process of its own that has the libraries already; which of them
    failed, and what they said.
    """
    os.chdir(root)
    for library in LIBRARIES if len(paths) > 1 else ():
        import_module(library)
    context, waiting, running, failed = (
        multiprocessing.get_context("fork"),
        list(reversed(paths)),
        {},
        "",
    )
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            path = waiting.pop()
            (root / "demo" / f"{path.stem}.png").unlink(missing_ok=True)
            example = context.Process(
                target=run_as_a_script, args=(path, kept / path.stem)
            )
            example.start()
            running[example.sentinel] = path, example
        for sentinel in wait(running):
            path, example = running.pop(sentinel)
            example.join()
            said = (log := kept / f"{path.stem}.log").read_text("utf-8")
            log.unlink()
            failed += f"{path.name} failed: {said}" if example.exitcode else ""
    return failed


def run_as_a_script(path: Path, kept: Path) -> None:
    """What ``python PATH`` does, its two streams written to files."""
    for kind, stream in ((".part", 1), (".log", 2)):
        os.dup2(
            os.open(kept.with_suffix(kind), os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            stream,
        )
    sys.argv, sys.path[:1] = [str(path)], [str(path.parent)]
    runpy.run_path(str(path), run_name="__main__")


def page(name: str, title: str, text: str, ran: Ran) -> str:
    """One example: what it asks, what it draws and prints, its code."""
    drawn = (
        ""
        if ran.picture is None
        else f":::{{container}} example\n![{title}]({name}.png)\n:::\n\n"
    )
    rest = f"{text}\n\n" if text else ""
    lines = ran.printed.rstrip().splitlines()
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], f"… {len(lines) - LINES // 2} lines more"]
    printed = "\n".join(lines)
    return (
        f"# {title}\n\n{drawn}{rest}````text\n{printed}\n````\n\n"
        f"`python examples/{name}.py`\n\n```{{literalinclude}} ../../examples/{name}.py\n:language: python\n```\n"
    )


def draw_text(printed: str, target: Path) -> None:
    """The first lines of what was printed, as a picture."""
    from matplotlib.figure import Figure

    lines, letters = CARD
    figure = Figure((4.0, 2.0))
    shown = "\n".join(line[:letters] for line in printed.splitlines()[:lines])
    figure.text(
        0.03,
        0.95,
        shown.replace("$", r"\$"),
        family="DejaVu Sans Mono",
        fontsize=10,
        va="top",
    )
    figure.savefig(target, dpi=150)


def write(path: Path, text: str) -> None:
    """Only what changed, so that Sphinx does not read the rest again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    at, to, *examples = map(Path, sys.argv[1:])
    sys.exit(run_side_by_side(at, to, examples) or None)
