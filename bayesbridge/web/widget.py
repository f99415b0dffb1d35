"""The explorer in a notebook: the page in a frame, answered by the kernel.

A message of the page is answered by one event, and the page asks for the next, so that
a click waits for one event at most and nothing needs a thread. Its position comes back
as a trait, by which marimo knows that cells must run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlencode

import anywidget
import traitlets

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.display.words import model_words
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import bayesbridge_bidders
from bayesbridge.evidence.kinds import KINDS
from bayesbridge.position import SETTINGS
from bayesbridge.web import page_files
from bayesbridge.web.answers import Memory, read_question
from bayesbridge.web.worker import events, refusal


class Explorer(anywidget.AnyWidget):
    """The page as a widget. ``bayesbridge.explore`` makes it."""

    _esm = files("bayesbridge.web").joinpath("page/widget.js").read_text("utf-8")
    link = traitlets.Unicode().tag(sync=True)
    """The position of the page as in its links; empty before it is shown, unless a
    belief was given.
    """
    height = traitlets.Int().tag(sync=True)

    def __init__(self, belief: Belief | None = None, height: int = 570) -> None:
        self._belief: Belief | None = None
        self._memory = Memory()
        self._events: dict[str, Iterator[tuple[str, dict[str, Any]]]] = {}
        super().__init__(link="" if belief is None else link_of(belief), height=height)
        self.on_msg(self._answer)

    @property
    def belief(self) -> Belief | None:
        """What is believed on the page now; while its position is incomplete or
        contradicts itself, what was before.

        ``None`` before the page is shown, unless a belief was given. Another that is
        set moves the page there.
        """
        return self._belief

    @belief.setter
    def belief(self, belief: Belief) -> None:
        self.link = link_of(belief)
        self.send({"link": self.link})

    @traitlets.observe("link")
    def _moved(self, change: Any) -> None:
        with suppress(BayesBridgeError):
            belief = belief_of(change["new"])
            belief.verify()
            self._belief = belief

    def _answer(self, _widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        if message.get("kind") == "page":
            page = page_files()
            html, script, style = (
                page[name] for name in ("index.html", "explorer.js", "explorer.css")
            )
            html = html.replace(
                '<link rel="stylesheet" href="explorer.css">', f"<style>{style}</style>"
            )
            self.send(
                {
                    "page": html.replace(
                        ' src="explorer.js"></script>', f">{script}</script>"
                    )
                }
            )
            return
        if "link" in message:
            self.link = message["link"]
            return
        name = message["id"]
        if "kind" in message:
            self._events[name] = events(message, self._memory)
            for older in list(self._events)[:-8]:  # given up long ago
                del self._events[older]
        try:
            event = next(self._events.get(name, iter(())), ("end", {}))
        except KeyboardInterrupt:
            event = "refused", {"message": "The kernel was interrupted."}
        except Exception as error:
            event = "refused", refusal(error)
        if event[0] == "end":
            self._events.pop(name, None)
        self.send({"id": name, "event": event})


def belief_of(link: str) -> Belief:
    settings: dict[str, Any] = {}
    evidence = []
    for name, text in parse_qsl(link, keep_blank_values=True):
        if name in KINDS:
            evidence.append((name, text))
        elif name in SETTINGS and SETTINGS[name].many:
            settings.setdefault(name, []).append(text)
        elif name in SETTINGS:
            settings[name] = text
    question = read_question({"settings": settings, "evidence": evidence})
    return question.verify().position.belief()


def link_of(belief: Belief) -> str:
    """The link that opens the page on a belief; one that no link gives again is
    refused.
    """
    if not isinstance(belief, Belief):
        raise BayesBridgeError(
            f"the explorer shows a Belief, not {type(belief).__name__}: give bb.Belief(…)"
        )
    four = belief.dummy is None
    words = [("observer", belief.observer.name), ("hand", belief.hand.pbn)]
    words.append(
        ("players", "4") if belief.dummy is None else ("dummy", belief.dummy.name)
    )
    words += [] if belief.trump is None else [("trump", belief.trump.name)]
    base = belief.bidder
    if isinstance(base, SystemBidder):
        words += [("system", agreement.text) for agreement in base.systems]
        base = base.base
    words += [
        ("style", f"{side}:{style.pair}") for side, style in getattr(base, "named", ())
    ]
    words += [("player", "none")] if four and belief.player is None else []
    pieces = [(piece.option, piece.text) for piece in belief.evidence]
    for name, model in bayesbridge_bidders().items():
        named = (
            [] if name == ("learned" if four else "iterative") else [("bidder", name)]
        )
        for setting in ("slip", "vulnerable"):
            value = getattr(base, setting, None)
            if value is not None and value != getattr(model, setting, None):
                named.append((setting, SETTINGS[setting].write(value)))
        link = urlencode([*words, *named, *pieces], safe=":,")
        with suppress(BayesBridgeError):
            if belief_of(link) == belief:
                return link
    models = " and ".join(
        model_words(model)
        for model in (belief.bidder, belief.player)
        if model is not None
    )
    told = "give one with a bidder, systems, styles and a player that come with the package"
    raise BayesBridgeError(f"the explorer cannot show a belief with {models}: {told}")
