"""Joint inference of a player's style and hidden hand, in one posterior."""

from bayesbridge.joint.infer import Diagnostics, JointPosterior, infer_jointly
from bayesbridge.joint.question import Estimate

__all__ = ["Diagnostics", "Estimate", "JointPosterior", "infer_jointly"]
