"""Readers by name: at the command line and in tables one text says who reads.

``counting``; ``direct``; ``BIDDER`` or ``BIDDER+PLAYER``, such as ``learned`` and ``learned+learned``; a file of
beliefs (its name ends in ``.jsonl``); ``module:name`` of any reader. A bidder is built in, of a plugin, or
``module:name``; a player is ``learned`` or ``module:name``. ``LABEL=`` before any of these is what tables call it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.registry import offered
from bayesbridge.studies.readers.beliefs_file import BeliefsFile
from bayesbridge.studies.readers.direct import DirectReader
from bayesbridge.studies.readers.models import CountingReader, ModelReader
from bayesbridge.studies.readers.reading import Reader

if TYPE_CHECKING:
    from bayesbridge.evidence import PlayerModel

COUNTING: Final = "counting"
DIRECT: Final = "direct"
USUAL: Final = "learned+learned"
BASELINES: Final = (COUNTING, "textbook", DIRECT, "learned", USUAL)
"""Nothing known, shape and points by simple rules, cards predicted directly, experts' calls, and their cards too."""


def reader_of(text: str, draws: int = 1000, seed: int = 1) -> Reader:
    """The reader of a name; ``draws`` and ``seed`` are for those that need them."""
    text = labelled(text)[1]
    if text == COUNTING:
        return CountingReader()
    if text == DIRECT:
        return DirectReader()
    if text.endswith(".jsonl"):
        return BeliefsFile(text)
    who, plus, player = text.partition("+")
    found: Any = _imported(who) if ":" in who else None
    if found is not None and not plus and isinstance(found, Reader):
        return found
    bidder = offered("bidders", [who]).bidder(who) if found is None else _model(found, who)
    return ModelReader(bidder, _player(player) if plus else None, draws, seed)


def labelled(text: str) -> tuple[str, str]:
    """What tables call a reader, and the rest of its name.

    >>> labelled("direct=my_package:Direct"), labelled("learned")
    (('direct', 'my_package:Direct'), ('learned', 'learned'))
    """
    label, equals, rest = text.partition("=")
    return (label.strip(), rest.strip()) if equals and label.strip() and "/" not in label else (text, text)


def _player(text: str) -> PlayerModel:
    if text == "learned":
        from bayesbridge.bidders.play import LearnedPlayer

        return LearnedPlayer()
    if ":" not in text:
        raise BayesBridgeError(f"unknown player {text!r}: write learned, or module:name of your own", player=text)
    player: PlayerModel = _model(_imported(text), text)
    return player


def _imported(path: str) -> Any:
    """What a module calls so; a class is made without arguments."""
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found() if isinstance(found, type) else found
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise BayesBridgeError(f"cannot load {path!r} ({what}): write module:name of an installed module") from None


def _model(found: Any, text: str) -> Any:
    if not callable(getattr(found, "log_likelihood", None)):
        raise BayesBridgeError(f"{text!r} has neither read nor log_likelihood: name a reader or a model", name=text)
    return found
