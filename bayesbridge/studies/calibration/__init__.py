"""Are the posteriors right? Deals drawn from a model, and whether the truth is like one more draw of the posterior."""

from bayesbridge.studies.calibration.calibrate import CHAINS, Calibration, calibrate, chain_for, simulate
from bayesbridge.studies.calibration.scenarios import Scenario

__all__ = ["CHAINS", "Calibration", "Scenario", "calibrate", "chain_for", "simulate"]
