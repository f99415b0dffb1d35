"""Joint inference of a player's style and hidden hand, in one posterior."""

from bayesbridge.engines.weights import Estimate
from bayesbridge.joint.infer import Diagnostics, JointPosterior, infer_jointly

__all__ = ["Diagnostics", "Estimate", "JointPosterior", "infer_jointly"]
