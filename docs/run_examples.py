"""The gallery of the site: every example is run, and gets a page with its picture, what it prints, and its code.

What an example printed and drew is kept by a digest of the example and the package; the tests look at the same results.
"""

import ast
import hashlib
import importlib
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from functools import cache
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

PRINTED = {
    "lesson": ("A lesson to print", "deals.html#a-lesson-to-print"),
    "session": ("An evening, card by card", "records.html#an-evening"),
}
"""Pages that commands write for people, by their picture: title, and where the site tells of them."""


class Ran(NamedTuple):
    """What an example printed, and the picture that it drew, if it drew one."""

    printed: str
    picture: Path | None


def write_gallery(kept: Path = KEPT, names: tuple[str, ...] | None = None) -> None:
    """Run the examples that are not yet in ``kept``, and write all pages anew; ``names`` picks some."""
    found = [path for path in sorted(EXAMPLES.glob("*.py")) if names is None or path.stem in names]
    PAGES.mkdir(exist_ok=True)
    cards = []
    for path, ran in zip(found, run_all(found, kept), strict=True):
        title, text = described(path)
        thumbnail = PAGES / f"{path.stem}.png"
        if ran.picture is None:
            draw_text(ran.printed, thumbnail)
        else:
            shutil.copy(ran.picture, thumbnail)
        write(PAGES / f"{path.stem}.md", page(path.stem, title, text, ran))
        cards.append(f"```{{figure}} {path.stem}.png\n:target: {path.stem}.html\n:alt: {title}\n\n{title}\n```\n")
    for name, (title, told) in PRINTED.items():
        cards.append(f"```{{figure}} ../pictures/{name}.png\n:target: ../{told}\n:alt: {title}\n\n{title}\n```\n")
    listed = "\n".join(path.stem for path in found)
    write(
        PAGES / "index.md",
        "# Gallery\n\n:::{container} gallery\n\n"
        + "\n".join(cards)
        + "\n:::\n\nEvery example of the repository, run when this site was built: picture, output and code.\n\n"
        + f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n",
    )


def described(path: Path) -> tuple[str, str]:
    """The title of an example, its docstring's first line without the command, and the rest."""
    first, _, rest = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or path.stem).partition("\n")
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
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(sources))).hexdigest()


def run(path: Path, kept: Path = KEPT) -> Ran:
    """What the example gives with its defaults; from ``kept`` where it was run before with the same package."""
    return run_all([path], kept)[0]


def run_all(paths: list[Path], kept: Path) -> list[Ran]:
    """The same of several examples, side by side."""
    names = {
        path: f"{path.stem}-{hashlib.sha256(package_digest().encode() + path.read_bytes()).hexdigest()[:16]}"
        for path in paths
    }
    missing = [path for path in paths if not (kept / f"{names[path]}.txt").exists()]
    if missing:
        kept.mkdir(parents=True, exist_ok=True)
        for path in missing:
            (ROOT / "demo" / f"{path.stem}.png").unlink(missing_ok=True)
        where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, __file__, folder, *map(str, missing)], cwd=ROOT, env=where, check=True)
            for path in missing:
                printed, errors = (Path(folder, f"{path.stem}.{kind}") for kind in ("out", "err"))
                if errors.exists():
                    raise RuntimeError(f"{path.name} failed: {errors.read_text('utf-8').strip()}")
                for old in kept.glob(f"{path.stem}-????????????????.*"):
                    old.unlink(missing_ok=True)
                if (drawn := ROOT / "demo" / f"{path.stem}.png").exists():
                    shutil.copy(drawn, kept / f"{names[path]}.png")
                shutil.copy(printed, kept / f"{names[path]}.txt")
    found = [(kept / f"{name}.txt", kept / f"{name}.png") for name in names.values()]
    return [Ran(text.read_text("utf-8"), picture if picture.exists() else None) for text, picture in found]


def execute_all(folder: str, *paths: str) -> None:
    """Run examples, each in a fork of this process, which has loaded what takes longest to import.

    What one prints goes into a file of ``folder`` that ends in ``.out``; ``.err`` is left where it failed.
    """
    for name in ("arviz", "bayesbridge.jit", "matplotlib.pyplot", "scipy.stats"):
        importlib.import_module(name)
    left, running = list(paths), {}
    while left or running:
        # The first runs alone: the others find what it has compiled.
        if left and len(running) < (1 if len(left) + len(running) == len(paths) else os.cpu_count() or 1):
            path = left.pop(0)
            if (child := os.fork()) == 0:
                for stream, kind in ((1, "out"), (2, "err")):
                    os.dup2(os.open(Path(folder, f"{Path(path).stem}.{kind}"), os.O_WRONLY | os.O_CREAT), stream)
                sys.argv = [path]
                runpy.run_path(path, run_name="__main__")
                return
            running[child] = path
        else:
            child, status = os.wait()
            if status == 0:
                Path(folder, f"{Path(running[child]).stem}.err").unlink()
            del running[child]


def page(name: str, title: str, text: str, ran: Ran) -> str:
    """One example: what it asks, what it draws and prints, its code."""
    drawn = "" if ran.picture is None else f":::{{container}} example\n![{title}]({name}.png)\n:::\n\n"
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
    figure.text(0.03, 0.95, shown.replace("$", r"\$"), family="DejaVu Sans Mono", fontsize=10, va="top")
    figure.savefig(target, dpi=150)


def write(path: Path, text: str) -> None:
    """Only what changed, so that Sphinx does not read the rest again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    execute_all(*sys.argv[1:])
