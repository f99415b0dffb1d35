from .auction import Auction, Call, Contract
from .belief.belief import Belief
from .belief.posterior import Posterior
from .belief.wins import card_wins
from .bidders.iterative import IterativeBidder
from .cards import Card, Hand, Strain, Suit
from .deal import Deal, Seat
from .errors import BayesBridgeError
from .estimators.decorator import estimator
from .estimators.hookspecs import hookimpl
from .estimators.protocol import Output, Question
from .evidence import Called, HighCards, Holds, Lacks, Length, Play, Reveal, Void
from .history import sharpening
from .layouts import Layouts, high_card_points, suit_lengths
from .plots.captures import plot_captures
from .plots.cards import plot_cards, plot_lengths
from .plots.sharpening import plot_sharpening
from .plots.tricks import plot_prior_posterior, plot_tricks
from .report.page import html_report
from .results import equally_weighted, estimate
from .scoring import Scheme
from .summaries import contract_probabilities, summary
from .tricks import Trick

__version__: str

__all__ = [
    "Auction",
    "BayesBridgeError",
    "Belief",
    "Call",
    "Called",
    "Card",
    "Contract",
    "Deal",
    "Hand",
    "HighCards",
    "Holds",
    "IterativeBidder",
    "Lacks",
    "Layouts",
    "Length",
    "Output",
    "Play",
    "Posterior",
    "Question",
    "Reveal",
    "Scheme",
    "Seat",
    "Strain",
    "Suit",
    "Trick",
    "Void",
    "card_wins",
    "contract_probabilities",
    "equally_weighted",
    "estimate",
    "estimator",
    "high_card_points",
    "hookimpl",
    "html_report",
    "plot_captures",
    "plot_cards",
    "plot_lengths",
    "plot_prior_posterior",
    "plot_sharpening",
    "plot_tricks",
    "sharpening",
    "suit_lengths",
    "summary",
]
