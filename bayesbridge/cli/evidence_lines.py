"""What an observer has seen, as every command that takes evidence says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesbridge.cli.printing import say
from bayesbridge.words import SEATS, printable

if TYPE_CHECKING:
    from bayesbridge.belief.perspective import Perspective


def print_evidence(belief: Perspective) -> None:
    """For people: the hand, the evidence in order, and the passes that nobody mentioned."""
    hand = belief.hand
    say(f"{SEATS[belief.observer.name]} holds {hand.pbn}, {hand.points} points.")
    if belief.evidence:
        _say_wrapped(f"Seen: {'; '.join(map(str, belief.evidence))}.")
    for said in belief.systems:
        _say_wrapped(f"System: {said}.")
    if belief.assumed_passes:
        who = ", ".join(seat.name for seat in belief.assumed_passes)
        say(f"Taken to have passed, since no call of theirs was given: {who}. The auction is '{belief.auction}'.")


def _say_wrapped(text: str) -> None:
    from textwrap import wrap

    say(*wrap(printable(text), 100, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False))
