"""``bayesbridge suit``: how to play one suit."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.cli import screens
from bayesbridge.cli.modes import Mode, verify
from bayesbridge.cli.positions import belief_of
from bayesbridge.cli.usage import UsageError
from bayesbridge.decisions.suit import suit_play
from bayesbridge.views.documents import evidence_document

HOLDINGS: Final = "give dummy's and declarer's, such as AJT32 K954"
EVIDENCE: Final = (
    "--suit S and evidence that shows both hands: "
    "--observer S --hand AKQ2.KJ3.A54.Q32 --reveal N:J54.AQ2.KQ76.A54"
)


def run(args: Namespace) -> int:
    has_evidence = any((args.observer, args.position, args.record))
    if len(args.holding) not in (0, 2):
        raise UsageError(f"argument HOLDING: {len(args.holding)} given: {HOLDINGS}")
    if not args.holding and not has_evidence:
        raise UsageError(f"no holdings: {HOLDINGS}, or {EVIDENCE}")
    first, second = args.holding or (None, None)
    if not has_evidence:
        why = "without --observer and --hand only vacant places weigh the layouts"
        verify(args, Mode(why, takes="vacant tricks"))
        found = suit_play(first, second, vacant=args.vacant or (13, 13))
        about, game = {}, list[str]()
    else:
        verify(args, Mode("the evidence tells the vacant places", "vacant"))
        position, belief = belief_of(args)
        with position.attributed():
            posterior = belief.infer(draws=args.draws, rng=args.seed)
        found = suit_play(first, second, posterior, suit=args.suit)
        about = {**accuracy_document(posterior), **evidence_document(belief)}
        game = screens.game_line(position)
    document = {**found.document(args.tricks), **about}
    plans = found.shown(args.tricks)
    return screens.present(args, document, *game, *found.heading, "", plans)
