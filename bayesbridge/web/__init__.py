"""The explorer: a page on which positions are set by clicking, answered by a local
server or by a notebook's kernel.
"""

from __future__ import annotations

import importlib.util
import json
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from bayesbridge import __version__
from bayesbridge.errors import BayesBridgeError

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.web.widget import Explorer


def explore(belief: Belief | None = None, *, height: int = 570) -> Explorer:
    """The explorer as a widget for Jupyter, marimo and Colab, answered by the kernel;
    no server is started.

    It opens on ``belief``, or else on the page's first moment, and is ``height`` pixels
    high. What is clicked comes back as :attr:`~bayesbridge.web.widget.Explorer.belief`.
    A belief that the page cannot show is refused: one with a model or a system of your
    own, or with a style learned from records.

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
    """The files of the page by name; a tag of the HTML says which kinds of evidence,
    settings and models there are.
    """
    from bayesbridge.bidders.learned import TYPICAL
    from bayesbridge.bidders.system_files import system_names
    from bayesbridge.estimators.builtin import bayesbridge_bidders
    from bayesbridge.evidence.kinds import KINDS
    from bayesbridge.position import SETTINGS

    names = "index.html", "explorer.js", "explorer.css"
    found = {
        name: files("bayesbridge.web").joinpath("page", name).read_text("utf-8")
        for name in names
    }
    about = {
        "version": __version__,
        "kinds": {
            name: {
                "verb": getattr(kind, "verb", name),
                "example": kind.example,
                "help": kind.help,
            }
            for name, kind in KINDS.items()
        },
        "settings": list(SETTINGS),
        "many": [name for name, setting in SETTINGS.items() if setting.many],
        "bidders": list(bayesbridge_bidders()),
        "systems": list(system_names()),
        "styles": list(TYPICAL),
    }
    offered = f'name="about" content="{escape(json.dumps(about))}"'
    found["index.html"] = found["index.html"].replace(
        'name="about" content=""', offered
    )
    found["explorer.css"] = (
        files("bayesbridge.views").joinpath("style.css").read_text("utf-8")
        + found["explorer.css"]
    )
    return found
