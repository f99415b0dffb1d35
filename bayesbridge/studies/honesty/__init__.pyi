from .positions import POSITIONS, Position
from .scores import Honesty, Row
from .study import simulate

__all__ = ["POSITIONS", "Honesty", "Position", "Row", "simulate"]
