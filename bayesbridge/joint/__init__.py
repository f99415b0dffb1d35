"""Joint inference of a player's style and hidden hand, in one posterior."""

from bayesbridge.joint.infer import Diagnostics, Estimate, JointPosterior, infer_jointly

__all__ = ["Diagnostics", "Estimate", "JointPosterior", "infer_jointly"]
