"""The gallery of the site: every example is run, and gets a page with its code, what it prints and what it draws.

What an example printed and drew is kept until the example or the bidders change, as the notebooks of the site are.
"""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
ROOT = DOCS.parent
EXAMPLES = ROOT / "examples"
PAGES = DOCS / "gallery"

LINES, LETTERS = 9, 44
"""What a picture of printed text holds."""


class Ran(NamedTuple):
    """What an example printed, and the picture that it drew, if it drew one."""

    printed: str
    picture: Path | None


def write_gallery(kept: Path, names: tuple[str, ...] | None = None) -> None:
    """Run the examples that are not yet in ``kept``, and write all pages anew; ``names`` picks some."""
    found = [path for path in sorted(EXAMPLES.glob("*.py")) if names is None or path.stem in names]
    PAGES.mkdir(exist_ok=True)
    cards = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each example is a process of its own
        results = list(pool.map(partial(run, kept=kept), found))
    for path, ran in zip(found, results, strict=True):
        title, text = described(path)
        thumbnail = PAGES / f"{path.stem}.png"
        if ran.picture is None:
            draw_text(ran.printed, thumbnail)
        else:
            shutil.copy(ran.picture, thumbnail)
        write(PAGES / f"{path.stem}.md", page(path.stem, title, text, ran))
        cards.append(f"```{{figure}} {path.stem}.png\n:target: {path.stem}.html\n:alt: {path.stem}\n\n{title}\n```\n")
    listed = "\n".join(path.stem for path in found)
    write(
        PAGES / "index.md",
        "# Gallery\n\nEvery example of the repository, run when this site was built: its code, what it prints and what "
        "it draws.\n\n:::{container} gallery\n\n"
        + "\n".join(cards)
        + f"\n:::\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n",
    )


def described(path: Path) -> tuple[str, str]:
    """The first sentence of an example's docstring without the command, and the rest."""
    first, _, rest = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or path.stem).partition("\n")
    return first.partition(" python examples/")[0].strip(" :."), rest.strip()


def run(path: Path, kept: Path) -> Ran:
    """What the example gives with its defaults; from ``kept`` where it was run before."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    printed, picture = kept / f"{path.stem}-{digest}.txt", kept / f"{path.stem}-{digest}.png"
    if not printed.exists():
        kept.mkdir(parents=True, exist_ok=True)
        drawn = ROOT / "demo" / f"{path.stem}.png"
        drawn.unlink(missing_ok=True)
        where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
        command = [sys.executable, str(path)]
        result = subprocess.run(command, cwd=ROOT, env=where, capture_output=True, text=True, check=False)
        if result.returncode:
            raise RuntimeError(f"{path.name} failed: {result.stderr.strip()}")
        if drawn.exists():
            shutil.copy(drawn, picture)
        printed.write_text(result.stdout, "utf-8")
    return Ran(printed.read_text("utf-8"), picture if picture.exists() else None)


def page(name: str, title: str, text: str, ran: Ran) -> str:
    """One example: what it asks, what it prints and draws, its code."""
    drawn = "" if ran.picture is None else f":::{{container}} example\n![What it draws]({name}.png)\n:::\n\n"
    rest = f"{text}\n\n" if text else ""
    printed = ran.printed if len(ran.printed) < 20_000 else ran.printed[:20_000] + "\n…\n"
    return (
        f"# {title}\n\n{rest}{drawn}It prints:\n\n````text\n{printed.rstrip()}\n````\n\n"
        f"`python examples/{name}.py`\n\n```{{literalinclude}} ../../examples/{name}.py\n:language: python\n```\n"
    )


def draw_text(printed: str, target: Path) -> None:
    """The first lines of what was printed, as a picture."""
    from matplotlib.figure import Figure

    figure = Figure((4.0, 2.0))
    shown = "\n".join(line[:LETTERS] for line in printed.splitlines()[:LINES])
    figure.text(0.03, 0.95, shown.replace("$", r"\$"), family="DejaVu Sans Mono", fontsize=10, va="top")
    figure.savefig(target, dpi=150)


def write(path: Path, text: str) -> None:
    """Only what changed, so that Sphinx does not read the rest again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
