"""From the arguments of an estimate to the question that estimators are asked."""

from __future__ import annotations

from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.wins import verify_seen
from bayesbridge.cards import Strain, Suit
from bayesbridge.deal import Seat
from bayesbridge.estimators.protocol import Question
from bayesbridge.tricks import Trick


def ask(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
) -> Question:
    """The question behind the arguments of ``bayesbridge.estimate``; what was played comes from the evidence."""
    belief = posterior.belief
    if trick is not None:
        verify_seen(belief, trick)
    strain = belief.contract_strain if trump is None else Strain.of(trump)
    cards = [card for one in (*belief.tricks, *((trick,) if trick else ())) for card in one.cards]
    return Question.of(
        belief.pair if pair is None else pair,
        trump=None if strain is None else strain.trump,
        trick=trick,
        played=sum(card.mask for card in set(cards)),
    )
