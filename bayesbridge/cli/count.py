"""``bayesbridge count``: how many layouts fit what was seen."""

from __future__ import annotations

from argparse import Namespace
from math import log2

from bayesbridge.cli import screens
from bayesbridge.cli.positions import belief_of
from bayesbridge.display.words import number
from bayesbridge.views.documents import evidence_document


def run(args: Namespace) -> int:
    position, belief = belief_of(args)
    with position.attributed():
        layouts = belief.count()
    document = {
        "layouts": str(layouts),
        "entropy_bits": log2(layouts),
        **evidence_document(belief),
    }
    said = [
        f"{number(layouts)} {'layout fits' if layouts == 1 else 'layouts fit'}: {log2(layouts):.2f} bits."
    ]
    if belief.auction is not None:
        said.append(
            "Calls make layouts more or less likely; they rule none out and do not change the count."
        )
    evidence = screens.evidence_parts(belief)
    return screens.present(
        args, document, *screens.game_line(position), *evidence, *said
    )
