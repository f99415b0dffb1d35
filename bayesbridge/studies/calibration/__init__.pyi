from .calibrate import SCENARIOS, Calibration, calibrate, scenario_for
from .scenarios import Scenario
from .study import simulate

__all__ = ["SCENARIOS", "Calibration", "Scenario", "calibrate", "scenario_for", "simulate"]
