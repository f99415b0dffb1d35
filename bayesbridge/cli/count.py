"""``bayesbridge count``: how many layouts fit what was seen."""

from __future__ import annotations

from argparse import Namespace
from math import log2

from bayesbridge.cli import screens
from bayesbridge.cli.positions import belief_of
from bayesbridge.display.words import counted
from bayesbridge.views.documents import evidence_document


def run(args: Namespace) -> int:
    """Count the layouts, and print how many there are."""
    position, belief = belief_of(args)
    with position.attributed():
        layouts = belief.count()
    bits = log2(layouts)
    document = {
        "layouts": str(layouts),
        "entropy_bits": bits,
        **evidence_document(belief),
    }
    parts = [
        *screens.game_line(position),
        *screens.evidence_parts(belief),
        f"{counted(layouts, 'layout', 'fit')}: {bits:.2f} bits.",
    ]
    if belief.auction is not None:
        parts.append(
            "Calls make layouts more or less likely; they rule none out and do not "
            "change the count."
        )
    return screens.present(args, document, *parts)
