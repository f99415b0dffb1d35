"""What an observer has seen: one class for each kind of evidence, and the models that weigh calls and cards.

*Hard* evidence excludes layouts: a hand laid open, a card played, a void, a suit length, a shape, high-card points,
cards held or not held. *Soft* evidence weighs layouts: a call, by a :class:`BidderModel`, and the choice of a card, by
a :class:`PlayerModel`. Every piece speaks of the original 13 cards of a seat and owns its meaning: its text at the
command line and in files, its sentence, and what it excludes (:class:`~bayesbridge.evidence.piece.Piece`). Seats,
suits, cards and calls are taken as text or as values.
"""

from bayesbridge.evidence.calls import Called
from bayesbridge.evidence.cards import Holds, Lacks, Reveal
from bayesbridge.evidence.kinds import KINDS, pieces
from bayesbridge.evidence.models import BidderModel, Cost, PlayerModel
from bayesbridge.evidence.piece import Piece
from bayesbridge.evidence.play import Play, Void
from bayesbridge.evidence.ranges import HighCards, Length
from bayesbridge.evidence.shape import Shape

__all__ = [
    "KINDS",
    "BidderModel",
    "Called",
    "Cost",
    "HighCards",
    "Holds",
    "Lacks",
    "Length",
    "Piece",
    "Play",
    "PlayerModel",
    "Reveal",
    "Shape",
    "Void",
    "pieces",
]
