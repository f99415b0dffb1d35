"""Example layouts, for a reader who wants to see hands."""

from __future__ import annotations

from html import escape

from bayesbridge.belief.posterior import Posterior
from bayesbridge.deal import Seat
from bayesbridge.report.tables import spaced, table
from bayesbridge.words import SEATS


def examples_section(posterior: Posterior, n: int) -> str:
    """``n`` layouts drawn by their probability, the hidden hands alone, folded; nothing if none are wanted.

    They depend on the posterior's seed alone, as those of ``bayesbridge estimate --show N`` do.
    """
    if not n:
        return ""
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    rows = [
        [str(place), *(escape(deal[seat].pbn) for seat in hidden)]
        for place, deal in enumerate(posterior.resample(n, posterior.seed), 1)
    ]
    heads = ["", *(SEATS[seat.name] for seat in hidden)]
    caption = "Layouts drawn by their probability: spades.hearts.diamonds.clubs"
    return f"<details><summary>{spaced(n)} layouts</summary>{table(heads, rows, caption)}</details>"
