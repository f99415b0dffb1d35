"""The explorer in a notebook: the page in a frame, answered by the kernel.

A message of the page is answered by one event, and the page asks for the next, so that
a click waits for one event at most and nothing needs a thread. Its position comes back
as a trait, by which marimo knows that cells must run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import anywidget
import traitlets

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.display.words import model_words
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import bayesbridge_bidders
from bayesbridge.evidence.kinds import KINDS
from bayesbridge.evidence.models import BidderModel
from bayesbridge.position import SETTINGS
from bayesbridge.web import page_files
from bayesbridge.web.memory import Memory
from bayesbridge.web.questions import read_question
from bayesbridge.web.worker import Event, events, refusal

MOST_ANSWERS: Final = 8
"""Answers that are kept until the page asks for their next event."""

END: Final[Event] = ("end", {})


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
        self._events: dict[str, Iterator[Event]] = {}
        super().__init__(link="" if belief is None else link_of(belief), height=height)
        self.on_msg(self._answer)

    @property
    def belief(self) -> Belief | None:
        """What is believed on the page now.

        While its position is incomplete or contradicts itself, it is what was before;
        ``None`` before the page is shown, unless a belief was given. Another that is
        set moves the page there.
        """
        return self._belief

    @belief.setter
    def belief(self, belief: Belief) -> None:
        self.link = link_of(belief)
        self.send({"link": self.link})

    @traitlets.observe("link")
    def _update_belief(self, change: Any) -> None:
        """Keep the belief of a link that has one."""
        with suppress(BayesBridgeError):
            belief = belief_of(change["new"])
            belief.verify()
            self._belief = belief

    def _answer(self, _widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        """Answer a message: with the page, or with the next event of a question."""
        if message.get("kind") == "page":
            self.send({"page": whole_page()})
        elif "link" in message:
            self.link = message["link"]
        else:
            name = message["id"]
            if "kind" in message:
                self._begin(name, message)
            self.send({"id": name, "event": self._next_event(name)})

    def _begin(self, name: str, question: dict[str, Any]) -> None:
        """Begin to answer a question; the oldest answers are given up."""
        self._events[name] = events(question, self._memory)
        for older in list(self._events)[:-MOST_ANSWERS]:
            del self._events[older]

    def _next_event(self, name: str) -> Event:
        """The next event of an answer, by its name.

        An error is an event too, ``refused``, which the page shows; ``END`` tells it
        that nothing more comes.
        """
        event = END
        try:
            if name in self._events:
                event = next(self._events[name], END)
        except KeyboardInterrupt:
            event = "refused", {"message": "The kernel was interrupted."}
        except Exception as error:
            event = "refused", refusal(error)
        if event[0] == "end":
            self._events.pop(name, None)
        return event


def whole_page() -> str:
    """The page with its script and its style inside."""
    page = page_files()
    html = page["index.html"].replace(
        '<link rel="stylesheet" href="explorer.css">',
        f"<style>{page['explorer.css']}</style>",
    )
    return html.replace(
        ' src="explorer.js"></script>', f">{page['explorer.js']}</script>"
    )


def belief_of(link: str) -> Belief:
    """The belief that a link of the page opens it on."""
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
    """The link that opens the page on a belief.

    The words of the link name a bidder of the package. Which one the belief has cannot
    be seen, so that each is tried, until a link gives the same belief again. A belief
    that no link gives is refused: one with models that the page does not know.
    """
    if not isinstance(belief, Belief):
        raise BayesBridgeError(
            f"the explorer shows a Belief, not {type(belief).__name__}: give bb.Belief(…)"
        )
    base_bidder, systems = _base_and_systems(belief.bidder)
    words = [*_table_words(belief), *systems, *_style_words(base_bidder)]
    if belief.dummy is None and belief.player is None:
        words.append(("player", "none"))
    pieces = [(piece.option, piece.text) for piece in belief.evidence]
    for name, packaged_bidder in bayesbridge_bidders().items():
        bidder_words = _bidder_words(belief, base_bidder, name, packaged_bidder)
        link = urlencode([*words, *bidder_words, *pieces], safe=":,")
        with suppress(BayesBridgeError):
            if belief_of(link) == belief:
                return link
    raise _unknown_models(belief)


def _unknown_models(belief: Belief) -> BayesBridgeError:
    """The error for a belief with models that no link names."""
    names = model_words(belief.bidder)
    if belief.player is not None:
        names += f" and {model_words(belief.player)}"
    return BayesBridgeError(
        f"the explorer cannot show a belief with {names}: give one with a bidder, "
        "systems, styles and a player that come with the package"
    )


def _style_words(bidder: BidderModel) -> list[tuple[str, str]]:
    """The words for the styles of pairs, if the bidder has such (``named``)."""
    styles = getattr(bidder, "named", ())
    return [("style", f"{side}:{style.pair}") for side, style in styles]


def _table_words(belief: Belief) -> list[tuple[str, str]]:
    """Who looks, at what, and which game it is."""
    words = [("observer", belief.observer.name), ("hand", belief.hand.pbn)]
    if belief.dummy is None:
        words.append(("players", "4"))
    else:
        words.append(("dummy", belief.dummy.name))
    if belief.trump is not None:
        words.append(("trump", belief.trump.name))
    return words


def _base_and_systems(
    bidder: BidderModel,
) -> tuple[BidderModel, list[tuple[str, str]]]:
    """The bidder below the systems that it follows, and the words for these."""
    if not isinstance(bidder, SystemBidder):
        return bidder, []
    return bidder.base, [("system", agreement.text) for agreement in bidder.systems]


def _bidder_words(
    belief: Belief, bidder: BidderModel, name: str, packaged: BidderModel
) -> list[tuple[str, str]]:
    """The words of a link for a belief's bidder, taken to be the packaged one of a name.

    Each is an option and its text: the name, unless it is the usual one of the game,
    and the settings in which the bidder differs from the packaged one.
    """
    words = []
    usual_name = "learned" if belief.dummy is None else "iterative"
    if name != usual_name:
        words.append(("bidder", name))
    for setting in ("slip", "vulnerable"):
        value = getattr(bidder, setting, None)
        if value is not None and value != getattr(packaged, setting, None):
            text = SETTINGS[setting].write(value)
            words.append((setting, text))
    return words
