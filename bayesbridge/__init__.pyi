from . import errors, plots, plugins, pymc
from .belief.belief import Belief
from .belief.joint import infer_jointly
from .belief.posterior import Posterior
from .bidders.equilibrium import EquilibriumBidder
from .bidders.iterative import IterativeBidder
from .bidders.learned import LearnedBidder
from .bidders.pairs import learn_style
from .bidders.play import LearnedPlayer
from .bidders.style import StyleBidder
from .bidders.system_bidder import SystemBidder
from .dealing.plan import DealPlan, deals
from .decisions.call_answer import CallValues
from .decisions.call_values import call_values
from .decisions.contracts import contracts
from .decisions.history import card_history, sharpening
from .decisions.information import value_of_information
from .decisions.play import play
from .decisions.review import review
from .decisions.sensitivity import sensitivity
from .decisions.suit import suit_play
from .errors import BayesBridgeError
from .estimators.network import trick_probabilities
from .estimators.results import Result, concat, estimate
from .evidence.kinds import (
    Called,
    Condition,
    HighCards,
    Holds,
    Lacks,
    Length,
    Play,
    Reveal,
    Shape,
    Void,
)
from .game.auction import Auction
from .game.calls import Call, Contract
from .game.cards import Card, Hand, Strain, Suit
from .game.deal import Deal, Seat
from .game.layouts import Layouts
from .game.tricks import Trick
from .notation import open_records
from .studies.auction.game import AuctionGame, auction_game
from .studies.match import MatchResult, match
from .views.report import html_report
from .web import explore

__version__: str

__all__ = [
    "Auction",
    "AuctionGame",
    "BayesBridgeError",
    "Belief",
    "Call",
    "CallValues",
    "Called",
    "Card",
    "Condition",
    "Contract",
    "Deal",
    "DealPlan",
    "EquilibriumBidder",
    "Hand",
    "HighCards",
    "Holds",
    "IterativeBidder",
    "Lacks",
    "Layouts",
    "LearnedBidder",
    "LearnedPlayer",
    "Length",
    "MatchResult",
    "Play",
    "Posterior",
    "Result",
    "Reveal",
    "Seat",
    "Shape",
    "Strain",
    "StyleBidder",
    "Suit",
    "SystemBidder",
    "Trick",
    "Void",
    "auction_game",
    "call_values",
    "card_history",
    "concat",
    "contracts",
    "deals",
    "errors",
    "estimate",
    "explore",
    "html_report",
    "infer_jointly",
    "learn_style",
    "match",
    "open_records",
    "play",
    "plots",
    "plugins",
    "pymc",
    "review",
    "sensitivity",
    "sharpening",
    "suit_play",
    "trick_probabilities",
    "value_of_information",
]
