"""What an observer has seen.

*Hard* evidence excludes layouts: a hand laid open, a card played, a void, points.
*Soft* evidence weighs them: a call, by a bidder model, and the choice of a card, by a
player model. Every piece speaks of the original 13 cards of a seat and owns its meaning
(:class:`~bayesbridge.evidence.kinds.Piece`).
"""
