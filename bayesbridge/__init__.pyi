from .cards import Card, Hand, Strain, Suit
from .deal import Deal, Seat
from .errors import BayesBridgeError

__version__: str

__all__ = ["BayesBridgeError", "Card", "Deal", "Hand", "Seat", "Strain", "Suit"]
