from . import errors, plots, plugins, pymc
from .auction import Auction
from .belief.belief import Belief
from .belief.posterior import Posterior
from .bidders.iterative import IterativeBidder
from .bidders.learned import LearnedBidder
from .bidders.pairs import learn_style
from .bidders.play import LearnedPlayer
from .bidders.style import StyleBidder
from .bidders.systems import SystemBidder
from .calls import Call, Contract
from .cards import Card, Hand, Strain, Suit
from .deal import Deal, Seat
from .dealing.plan import DealPlan, deals
from .decisions.contracts import contracts
from .decisions.information import value_of_information
from .decisions.play import play
from .decisions.review import review
from .decisions.suit import suit_play
from .errors import BayesBridgeError
from .estimators.network import trick_probabilities
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
from .history import card_history, sharpening
from .joint import infer_jointly
from .layouts import Layouts
from .notation import open_records
from .results import Result, estimate
from .sensitivity import sensitivity
from .tricks import Trick
from .views.report import html_report
from .web import explore

__version__: str

__all__ = [
    "Auction",
    "BayesBridgeError",
    "Belief",
    "Call",
    "Called",
    "Card",
    "Condition",
    "Contract",
    "Deal",
    "DealPlan",
    "Hand",
    "HighCards",
    "Holds",
    "IterativeBidder",
    "Lacks",
    "Layouts",
    "LearnedBidder",
    "LearnedPlayer",
    "Length",
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
    "card_history",
    "contracts",
    "deals",
    "errors",
    "estimate",
    "explore",
    "html_report",
    "infer_jointly",
    "learn_style",
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
