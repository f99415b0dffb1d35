from .auction import Auction
from .belief.belief import Belief
from .belief.posterior import Posterior
from .belief.wins import card_wins
from .bidders.iterative import IterativeBidder
from .bidders.learned import LearnedBidder
from .bidders.play import LearnedPlayer
from .bidders.style import StyleBidder
from .bidders.systems import SystemBidder
from .calls import Call, Contract
from .cards import Card, Hand, Strain, Suit
from .deal import Deal, Seat
from .dealing.plan import DealPlan, deals
from .decisions.comparison import compare
from .decisions.contracts import contracts
from .decisions.information import value_of_information
from .decisions.leads import leads
from .decisions.suit import suit_play
from .errors import (
    BayesBridgeError,
    Contradiction,
    DealError,
    IllegalCall,
    IllegalPlay,
    NotationError,
    PluginError,
    TablesTooLarge,
    TooFewDraws,
    TooManyLayouts,
    Unwritable,
    WrongArgument,
)
from .estimators.hookspecs import hookimpl
from .estimators.protocol import Estimator, Output, Question, TrickCount, estimator
from .estimators.reached import reached
from .evidence.kinds import Called, HighCards, Holds, Lacks, Length, Play, Reveal, Shape, Void
from .evidence.models import BidderModel, Cost, PlayerModel
from .history import card_history, sharpening
from .joint_distributions import joint_distribution
from .layouts import Layouts, high_card_points, suit_lengths
from .notation import open_records
from .plots import (
    plot_captures,
    plot_cards,
    plot_contract,
    plot_contracts,
    plot_distribution,
    plot_joint,
    plot_leads,
    plot_lengths,
    plot_points,
    plot_prior_posterior,
    plot_sensitivity,
    plot_sharpening,
    plot_shrinkage,
    plot_suit_play,
    plot_tricks,
)
from .results import Result, Tricks, at_least, equally_weighted, estimate, summary
from .scoring import Scheme
from .sensitivity import sensitivity
from .tricks import Trick
from .views.record import html_record
from .views.report import html_report

__version__: str

__all__ = [
    "Auction",
    "BayesBridgeError",
    "Belief",
    "BidderModel",
    "Call",
    "Called",
    "Card",
    "Contract",
    "Contradiction",
    "Cost",
    "Deal",
    "DealError",
    "DealPlan",
    "Estimator",
    "Hand",
    "HighCards",
    "Holds",
    "IllegalCall",
    "IllegalPlay",
    "IterativeBidder",
    "Lacks",
    "Layouts",
    "LearnedBidder",
    "LearnedPlayer",
    "Length",
    "NotationError",
    "Output",
    "Play",
    "PlayerModel",
    "PluginError",
    "Posterior",
    "Question",
    "Result",
    "Reveal",
    "Scheme",
    "Seat",
    "Shape",
    "Strain",
    "StyleBidder",
    "Suit",
    "SystemBidder",
    "TablesTooLarge",
    "TooFewDraws",
    "TooManyLayouts",
    "Trick",
    "TrickCount",
    "Tricks",
    "Unwritable",
    "Void",
    "WrongArgument",
    "at_least",
    "card_history",
    "card_wins",
    "compare",
    "contracts",
    "deals",
    "equally_weighted",
    "estimate",
    "estimator",
    "high_card_points",
    "hookimpl",
    "html_record",
    "html_report",
    "joint_distribution",
    "leads",
    "open_records",
    "plot_captures",
    "plot_cards",
    "plot_contract",
    "plot_contracts",
    "plot_distribution",
    "plot_joint",
    "plot_leads",
    "plot_lengths",
    "plot_points",
    "plot_prior_posterior",
    "plot_sensitivity",
    "plot_sharpening",
    "plot_shrinkage",
    "plot_suit_play",
    "plot_tricks",
    "reached",
    "sensitivity",
    "sharpening",
    "suit_lengths",
    "suit_play",
    "summary",
    "value_of_information",
]
