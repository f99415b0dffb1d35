from .measure import Plan, plan
from .scores import Forecast, Odds
from .study import simulate

__all__ = ["Forecast", "Odds", "Plan", "plan", "simulate"]
