"""What an observer has seen: one class for each kind of evidence, and the models that weigh calls and cards.

*Hard* evidence excludes layouts: a hand laid open, a card played, a void, a suit length, a shape, high-card points,
cards held or not held. *Soft* evidence weighs layouts: a call, by a :class:`BidderModel`, and the choice of a card, by
a :class:`PlayerModel`. Every piece speaks of the original 13 cards of a seat and owns its meaning: its text at the
command line and in files, its sentence, and what it excludes (:class:`~bayesbridge.evidence.kinds.Piece`). Seats,
suits, cards and calls are taken as text or as values.
"""
