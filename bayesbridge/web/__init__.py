"""The explorer: a page on which positions are set by clicking.

It is answered by a local server or by a notebook's kernel.
"""

from __future__ import annotations

import importlib.util
import json
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from bayesbridge import __version__
from bayesbridge.errors import BayesBridgeError

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.web.widget import Explorer


PAGE_FILES: Final = ("index.html", "explorer.js", "explorer.css")


def explore(belief: Belief | None = None, *, height: int = 570) -> Explorer:
    """Open the explorer as a widget for Jupyter, marimo and Colab.

    The notebook's kernel answers it; no server is started. What is clicked comes back
    as :attr:`~bayesbridge.web.widget.Explorer.belief`.

    Parameters
    ----------
    belief : Belief, optional
        What the page opens on; by default its first moment, before a hand is given.
    height : int, default 570
        Height of the page in pixels.

    Returns
    -------
    Explorer
        The widget, which a notebook shows.

    Raises
    ------
    BayesBridgeError
        If ``anywidget`` is not installed, or the page cannot show the belief: one with
        a model or a system of your own, or with a style learned from records.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Void("E", "H"))
    >>> bb.explore(belief).belief == belief
    True
    """
    if importlib.util.find_spec("anywidget") is None:
        raise BayesBridgeError("anywidget is not installed: pip install anywidget")
    from bayesbridge.web.widget import Explorer

    return Explorer(belief, height)


def page_files() -> dict[str, str]:
    """The files of the page by name.

    A tag of the HTML says which kinds of evidence, settings and models there are.
    """
    page = {
        name: files("bayesbridge.web").joinpath("page", name).read_text("utf-8")
        for name in PAGE_FILES
    }
    about = escape(json.dumps(_about()))
    page["index.html"] = page["index.html"].replace(
        'name="about" content=""', f'name="about" content="{about}"'
    )
    style = files("bayesbridge.views").joinpath("style.css").read_text("utf-8")
    page["explorer.css"] = style + page["explorer.css"]
    return page


def _about() -> dict[str, Any]:
    """What the page offers: kinds of evidence, settings, models."""
    from bayesbridge.bidders.learned import TYPICAL
    from bayesbridge.bidders.system_files import system_names
    from bayesbridge.estimators.builtin import bayesbridge_bidders
    from bayesbridge.evidence.kinds import KINDS
    from bayesbridge.position import SETTINGS

    kinds = {
        name: {
            "verb": getattr(kind, "verb", name),
            "example": kind.example,
            "help": kind.help,
        }
        for name, kind in KINDS.items()
    }
    return {
        "version": __version__,
        "kinds": kinds,
        "settings": list(SETTINGS),
        "many": [name for name, setting in SETTINGS.items() if setting.many],
        "bidders": list(bayesbridge_bidders()),
        "systems": list(system_names()),
        "styles": list(TYPICAL),
    }
