"""What goes wrong, said in one line: what, where, and how to mend it.

Every error of the package is a :class:`BayesBridgeError`, so one ``except`` catches them all, and a
``ValueError``, so code that does not know the package still catches it. Each child carries the data it speaks of.
"""

from __future__ import annotations

from typing import Any


class BayesBridgeError(ValueError):
    """Base of all errors of the package; ``data`` holds what the message speaks of.

    >>> from bayesbridge.cards import Card
    >>> try:
    ...     Card.of("H11")
    ... except BayesBridgeError as error:
    ...     error.data
    {'text': 'H11'}
    """

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.data = data


class NotationError(BayesBridgeError):
    """A text is not the card, hand, seat, call or document it should be; ``data['text']`` quotes it."""


class DealError(BayesBridgeError):
    """Cards that cannot lie so: twice in one place, in two places, or too many for a hand."""


class IllegalCall(BayesBridgeError):
    """A call that the auction so far does not allow."""


class IllegalPlay(BayesBridgeError):
    """A card that the trick so far does not allow."""


class Contradiction(BayesBridgeError):
    """Evidence that cannot hold together; ``data['evidence']`` is a smallest set of pieces in conflict."""


class TooManyLayouts(BayesBridgeError):
    """An exact engine was asked for more layouts than it can walk; ``data['layouts']`` is how many there are."""


class PluginError(BayesBridgeError):
    """An estimator or a model broke its contract; ``data`` names plugin, output, expected and got."""


class Unwritable(BayesBridgeError):
    """A file that cannot be written although its name is good, as on a full disk; ``data['path']`` says which."""
