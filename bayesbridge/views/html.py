"""The frame of a page, and pictures in SVG inside it that take its colours.

A page is whole: nothing is loaded from elsewhere. Its colours are light, dark or those
of print.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from importlib.resources import files
from io import StringIO
from typing import Any, Final

import matplotlib
from matplotlib.figure import Figure

INK: Final = "#0a0b0c"
PAPER: Final = "#f4f3f2"
"""Drawn in these two, which no picture uses otherwise; the page's own colours then take
their places.
"""

INKED: Final = (
    "text.color",
    "axes.labelcolor",
    "axes.edgecolor",
    "xtick.color",
    "ytick.color",
)
PAPERED: Final = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")

SETTINGS: Final[dict[Any, Any]] = {
    **dict.fromkeys(INKED, INK),
    **dict.fromkeys(PAPERED, PAPER),
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "svg.fonttype": "path",
    "svg.hashsalt": "bayesbridge",
}

WIDTH: Final = 4.6
"""Inches of a picture: narrow, so that figures keep a readable size on a phone."""

SUITS: Final = (
    '<p class="look"><label><input type="checkbox" id="four"> suits in four colours'
    "</label></p>"
)
"""The reader's choice; the style alone obeys it, so that it works without a script."""

REMEMBERED: Final = (
    '{const four=document.getElementById("four");try{four.checked=localStorage.getItem('
    '"suits")==="four";four.onchange=()=>localStorage.setItem("suits",four.checked?'
    '"four":"two")}catch{}}'
)
"""Keeps the choice in the browser, where that is allowed, under the name that the
explorer uses.
"""

METADATA: Final = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
NAMESPACE: Final = re.compile(r' xmlns(:xlink)?="[^"]*"')
IDENTIFIER: Final = re.compile(r'(id="|href="#|url\(#)')
OPENING_TAG: Final = re.compile(r'<svg[^>]*?viewBox="([^"]*)"[^>]*>')
LINE_BREAK: Final = re.compile(r"\s*\n\s*")


def document(
    title: str, top: str, body: str, more_style: str = "", script: str = ""
) -> str:
    """A whole page: heading, what stands under it, sections; with the style inside."""
    stylesheet = files("bayesbridge.views").joinpath("style.css").read_text("utf-8")
    heading = f"<header><h1>{escape(title)}</h1>{top}{SUITS}</header>"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{stylesheet}{more_style}</style></head>"
        f"<body><main>{heading}{body}</main>{script}"
        f"<script>{REMEMBERED}</script></body></html>\n"
    )


def shell_lines(command: str | None) -> str:
    """The line that makes a page again, if there is one."""
    if not command:
        return ""
    return f"<p>Again, from a shell:</p><pre>{escape(command)}</pre>"


def folded(heading: str, content: str, attributes: str = "") -> str:
    """A section of a page of which only the heading shows until it is opened."""
    summary = f"<summary><h2>{heading}</h2></summary>"
    return f"<details{attributes}>{summary}{content}</details>"


def draw(paint: Callable[[Figure], Any], height: float, prefix: str, title: str) -> str:
    """A picture as an SVG element, without references to the outside.

    Parameters
    ----------
    paint : callable
        Draws into the figure that it is given.
    height : float
        Of the figure, in inches.
    prefix : str
        Stands before the names inside the element, so that no other picture of the
        page has the same.
    title : str
        What readers are told who do not see it.
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure((WIDTH, height), layout="constrained")
        paint(figure)
        file = StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    svg = text[text.index("<svg") :]
    # What a page needs not: metadata, and the names of vocabularies, outside addresses.
    svg = METADATA.sub("", svg)
    svg = NAMESPACE.sub("", svg).replace("xlink:href", "href")
    svg = IDENTIFIER.sub(rf"\g<1>{prefix}-", svg)
    svg = svg.replace(INK, "currentColor").replace(PAPER, "var(--paper)")
    svg = OPENING_TAG.sub(
        lambda tag: (
            f'<svg role="img" viewBox="{tag[1]}"><title>{escape(title)}</title>'
        ),
        svg,
        count=1,
    )
    return LINE_BREAK.sub("\n", svg).strip()
