"""Pictures as SVG inside the page: they take its colours, so that one drawing serves light, dark and print."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

import matplotlib
from matplotlib.figure import Figure

from bayesbridge.plots import (
    QUANTITIES,
    plot_captures,
    plot_cards,
    plot_lengths,
    plot_numbers,
    plot_prior_posterior,
    plot_sharpening,
    plot_tricks,
)
from bayesbridge.summaries import counts_tricks
from bayesbridge.trick_counts import Asked, Tricks

if TYPE_CHECKING:
    import pandas
    import xarray

INK: Final = "#0a0b0c"
PAPER: Final = "#f4f3f2"
"""Drawn in these two, which no picture uses otherwise; the page's own colours then take their places."""

SETTINGS: Final[dict[Any, Any]] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), PAPER),
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "svg.fonttype": "path",
    "svg.hashsalt": "bayesbridge",
}

PLACES: Final = (
    "Where each card lies; a letter names the hand that certainly holds it",
    "How long the suits of the hidden hands are",
)
HISTORY: Final = ("How the belief sharpened; full marks are exact, open ones sampled",)
"""Captions of pictures that have sections of their own."""

WIDTH: Final = 4.6
"""Inches: narrow, so that figures keep a readable size on a phone."""


def pictures(
    result: xarray.DataTree,
    level: int | None,
    steps: pandas.DataFrame | None,
    prior: xarray.DataTree | None,
) -> dict[str, str]:
    """Caption → SVG, those that the result has numbers for."""
    has = set(map(str, result["pmf"].data_vars))
    hidden = int(((result["marginals"]["card_probabilities"] % 1.0) > 1e-9).any("card").sum())
    tall = 0.8 + 0.85 * (hidden or 4)
    drawn: dict[str, tuple[float, Callable[[Figure], Any]]] = {}
    for name, pmf in outputs_shown(result).items():
        if pmf.ndim == 1:
            caption, paint = _distribution(result, name, level)
            drawn[caption] = 3.0, paint
    if prior is not None and "T" in has:
        drawn["T before the evidence and after it"] = (
            3.0,
            lambda figure: plot_prior_posterior(prior, result, ax=figure.subplots()),
        )
    drawn[PLACES[0]] = (
        tall,
        lambda figure: plot_cards(result, ax=figure.subplots()),
    )
    drawn[PLACES[1]] = (
        tall,
        lambda figure: plot_lengths(result, ax=figure.subplots()),
    )
    if set(QUANTITIES) <= has:
        drawn["What Algorithm 2 sees in each suit: cards of the first hand, of the second, and the leading gap"] = (
            5.0,
            lambda figure: plot_captures(result, figure=figure),
        )
    if steps is not None:
        drawn[HISTORY[0]] = (
            5.4,
            lambda figure: plot_sharpening(steps, figure=figure),
        )
    return {
        caption: draw(paint, height, f"p{number}", caption)
        for number, (caption, (height, paint)) in enumerate(drawn.items())
    }


def outputs_shown(result: xarray.DataTree) -> dict[str, xarray.DataArray]:
    """Distributions by name that the page shows: of the capture algorithm T alone, of other estimators all."""
    draws, pmfs = result["posterior"].to_dataset(), result["pmf"].to_dataset()
    return {
        str(name): pmf
        for name, pmf in pmfs.data_vars.items()
        if name in ("T", "capture_T") or draws[name].attrs["estimator"] != "capture"
    }


def _distribution(result: xarray.DataTree, name: str, level: int | None) -> tuple[str, Callable[[Figure], Any]]:
    """Caption and picture of one output."""
    if not counts_tricks(result, name):
        said = str(result["pmf"][name].attrs["long_name"]).removesuffix(".")
        pair = Asked.of_result(result).names
        return f"{name}, for {pair}: {said}", lambda figure: plot_numbers(result, name, figure.subplots())
    tricks = Tricks.of(result, name)
    own = level if tricks.asked is None or tricks.asked.declares else None
    line = "; darker bars reach the dashed line" if own else ""
    named = "" if name == "T" else f" ({name})"
    return f"{tricks.title}{named}{line}", lambda figure: plot_tricks(result, name, level=own, ax=figure.subplots())


def draw(paint: Callable[[Figure], Any], height: float, prefix: str, title: str) -> str:
    """An SVG element with the names inside it made its own by ``prefix``, and without references to the outside."""
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
    return re.sub(r"\s*\n\s*", "\n", re.sub(size, lambda found: found.expand(head), svg, count=1)).strip()
