"""The frame of a page, and pictures in SVG inside it that take its colours: light, dark
and print.
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

SETTINGS: Final[dict[Any, Any]] = {
    **dict.fromkeys(
        (
            "text.color",
            "axes.labelcolor",
            "axes.edgecolor",
            "xtick.color",
            "ytick.color",
        ),
        INK,
    ),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), PAPER),
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "svg.fonttype": "path",
    "svg.hashsalt": "bayesbridge",
}

WIDTH: Final = 4.6  # inches: narrow, so that figures keep a readable size on a phone

SUITS: Final = '<p class="look"><label><input type="checkbox" id="four"> suits in four colours</label></p>'
"""The reader's choice; the style alone obeys it, so that it works without a script."""

REMEMBERED: Final = (
    '{const four=document.getElementById("four");try{four.checked=localStorage.getItem("suits")==="four";'
    'four.onchange=()=>localStorage.setItem("suits",four.checked?"four":"two")}catch{}}'
)
"""Keeps the choice in the browser, where that is allowed, under the name that the
explorer uses.
"""


def document(
    title: str, top: str, body: str, more_style: str = "", script: str = ""
) -> str:
    """A whole page: heading, what stands under it, sections; the style inside, so that
    nothing is loaded.
    """
    style = (
        files("bayesbridge.views").joinpath("style.css").read_text("utf-8") + more_style
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body><main><header><h1>{escape(title)}</h1>{top}{SUITS}</header>{body}</main>{script}"
        f"<script>{REMEMBERED}</script></body></html>\n"
    )


def draw(paint: Callable[[Figure], Any], height: float, prefix: str, title: str) -> str:
    """An SVG element with the names inside it made its own by ``prefix``, and without
    references to the outside.
    """
    with matplotlib.rc_context(SETTINGS):
        figure = Figure((WIDTH, height), layout="constrained")
        paint(figure)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    svg = svg.replace(INK, "currentColor").replace(PAPER, "var(--paper)")
    size = r'<svg[^>]*?viewBox="([^"]*)"[^>]*>'
    head = f'<svg role="img" viewBox="\\1"><title>{escape(title)}</title>'
    return re.sub(
        r"\s*\n\s*", "\n", re.sub(size, lambda found: found.expand(head), svg, count=1)
    ).strip()
