"""``bayesbridge suit``: how to play one suit."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.cli import screens
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.positions import belief_of
from bayesbridge.cli.usage import UsageError
from bayesbridge.decisions.suit import suit_play
from bayesbridge.views.documents import evidence_document

HOLDINGS: Final = "give dummy's and declarer's, such as AJT32 K954"
EVIDENCE: Final = (
    "--suit S and evidence that shows both hands: "
    "--observer S --hand AKQ2.KJ3.A54.Q32 --reveal N:J54.AQ2.KQ76.A54"
)
EMPTY_HANDS: Final = (13, 13)
"""Vacant places of West and East of whom nothing is known."""

NO_EVIDENCE: Final = Mode(
    "without --observer and --hand only vacant places weigh the layouts",
    takes="vacant tricks",
)
BY_EVIDENCE: Final = Mode("the evidence tells the vacant places", "vacant")


def run(args: Namespace) -> int:
    """Print the best plan for each number of tricks."""
    has_evidence = any((args.observer, args.position, args.record))
    if len(args.holding) not in (0, 2):
        raise UsageError(f"argument HOLDING: {len(args.holding)} given: {HOLDINGS}")
    if not args.holding and not has_evidence:
        raise UsageError(f"no holdings: {HOLDINGS}, or {EVIDENCE}")
    return by_evidence(args) if has_evidence else by_vacant_places(args)


def by_vacant_places(args: Namespace) -> int:
    """Print the plans where only vacant places are known of West and East."""
    refuse_options(args, NO_EVIDENCE)
    dummys, declarers = args.holding
    plays = suit_play(dummys, declarers, vacant=args.vacant or EMPTY_HANDS)
    document = plays.document(args.tricks)
    return screens.present(args, document, *plays.heading, "", plays.shown(args.tricks))


def by_evidence(args: Namespace) -> int:
    """Print the plans by what declarer, who sees dummy, believes."""
    refuse_options(args, BY_EVIDENCE)
    position, belief = belief_of(args)
    with position.attributed():
        posterior = belief.infer(draws=args.draws, rng=args.seed)
    dummys, declarers = args.holding or (None, None)
    plays = suit_play(dummys, declarers, posterior, suit=args.suit)
    document = {
        **plays.document(args.tricks),
        **accuracy_document(posterior),
        **evidence_document(belief),
    }
    return screens.present(
        args,
        document,
        *screens.game_line(position),
        *plays.heading,
        "",
        plays.shown(args.tricks),
    )
