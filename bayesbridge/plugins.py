"""What authors of plugins import.

:mod:`bayesbridge.estimators.hookspecs` describes the hooks.

These names are the contract that has the version ``CONTRACT``: what is imported from
elsewhere may change with any release.
"""

from bayesbridge.bidders.auctions import Turn, sample_call
from bayesbridge.estimators.hookspecs import CONTRACT, hookimpl
from bayesbridge.estimators.protocol import (
    Estimator,
    Output,
    Question,
    TrickCount,
    estimator,
)
from bayesbridge.estimators.registry import load
from bayesbridge.estimators.testing import check_bidder, check_estimator
from bayesbridge.evidence.models import BidderModel, Cost, PairModel, PlayerModel
from bayesbridge.game.layouts import high_card_points, suit_lengths

__all__ = [
    "CONTRACT",
    "BidderModel",
    "Cost",
    "Estimator",
    "Output",
    "PairModel",
    "PlayerModel",
    "Question",
    "TrickCount",
    "Turn",
    "check_bidder",
    "check_estimator",
    "estimator",
    "high_card_points",
    "hookimpl",
    "load",
    "sample_call",
    "suit_lengths",
]
