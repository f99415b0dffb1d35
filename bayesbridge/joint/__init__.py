"""Joint inference of a player's style and hidden hand, in one posterior."""

from bayesbridge.joint.infer import infer_jointly
from bayesbridge.joint.posterior import Diagnostics, Estimate, JointPosterior

__all__ = ["Diagnostics", "Estimate", "JointPosterior", "infer_jointly"]
