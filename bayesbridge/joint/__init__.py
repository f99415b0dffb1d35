"""Joint inference of a player's style and hidden hand, in one posterior."""

from bayesbridge.joint.infer import JointPosterior, infer_jointly

__all__ = ["JointPosterior", "infer_jointly"]
