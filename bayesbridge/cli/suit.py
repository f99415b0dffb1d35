"""``bayesbridge suit``: how to play one suit."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from bayesbridge.cards import Suit
from bayesbridge.cli import options, screens
from bayesbridge.views.documents import evidence_document

HOLDINGS = options.Mode("without --observer and --hand only vacant places weigh the layouts", takes="vacant tricks")
EVIDENCE = options.Mode("the evidence tells the vacant places", "vacant")


def add(commands: options.Subparsers) -> None:
    text = """
        suit  how to play a suit: the best plan for each number of tricks

        HOLDING       dummy's cards of the suit, then declarer's; x is a lowest card (with evidence: may be left out)
        --suit S      the suit, where the evidence shows both hands
        --vacant W:E  places of West and East for unknown cards, those of the suit among them (default: 13:13)
        --tricks N    how many tricks of a plan to tell (default: 2)
        --draws N     layouts drawn, if too many to walk (default: 20_000, learned bidder 5_000)

        bayesbridge suit AJT32 K954
        """
    more: dict[str, Any] = {"holding": {"nargs": "*"}, "tricks": {"type": options.whole(1, 13), "default": 2}}
    options.add_evidence(options.add_command(commands, run, text, suit=Suit.of, vacant=_vacant, **more))


def run(args: Namespace) -> int:
    from bayesbridge.belief.posterior import accuracy_document
    from bayesbridge.decisions.suit import suit_play

    if len(args.holding) not in (0, 2):
        raise options.UsageError(
            f"argument HOLDING: {len(args.holding)} given: give dummy's and declarer's, such as AJT32 K954"
        )
    first, second = args.holding or (None, None)
    if (args.observer, args.position, args.record) == (None, None, None):
        options.verify(args, HOLDINGS)
        found = suit_play(first, second, vacant=args.vacant or (13, 13))
        about = {}
    else:
        options.verify(args, EVIDENCE)
        position, belief = options.belief_of(args)
        with position.attributed():
            posterior = belief.infer(draws=args.draws, rng=args.seed)
        found = suit_play(first, second, posterior, suit=args.suit)
        about = {**accuracy_document(posterior), **evidence_document(belief)}
    document = {**found.document(args.tricks), **about}
    return screens.present(args, document, *found.heading, "", found.shown(args.tricks))


def _vacant(text: str) -> tuple[int, int]:
    """Two whole numbers, such as 7:12."""
    try:
        west, east = map(int, text.split(":"))
    except ValueError:
        raise options.UsageError(f"{text!r}: write two whole numbers, such as 7:12") from None
    return west, east
