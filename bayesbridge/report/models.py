"""Bidder and player models in words that a player understands."""

from __future__ import annotations

from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.systems import SystemBidder
from bayesbridge.bidders.textbook import TextbookBidder
from bayesbridge.bidders.turn import MixtureBidder


def bidder_words(model: object) -> str:
    """How the others are taken to bid.

    >>> bidder_words(IterativeBidder())
    "the paper's bidder (Algorithm 1), 2 % slips"
    >>> bidder_words(SystemBidder("weak-twos", base=TextbookBidder()))
    'bidders who follow the systems named here, else textbook bidding, 10 % slips'
    """
    match model:
        case IterativeBidder():
            strains = " in every strain" if model.suits else ""
            return f"the paper's bidder (Algorithm 1){strains}, {_slips(model.slip)}"
        case LearnedBidder():
            return f"experts, learned from records of real tables; vulnerable: {model.vulnerable.value}"
        case TextbookBidder():
            return f"textbook bidding, {_slips(model.slip)}"
        case StyleBidder():
            return f"{_style(model)}, {_slips(model.slip)}"
        case SystemBidder():
            return f"bidders who follow the systems named here, else {bidder_words(model.base)}"
        case MixtureBidder():
            return f"one of {len(model.bidders)} kinds of bidder, not known which"
    return f"the bidder model {_plain_name(model)}"


def player_words(model: object) -> str:
    """How the others are taken to choose cards.

    >>> player_words(LearnedPlayer())
    'experts, learned from records of real tables, 1 % slips'
    """
    if isinstance(model, LearnedPlayer):
        return f"experts, learned from records of real tables, {_slips(model.slip)}"
    return f"the player model {_plain_name(model)}"


def _slips(share: float) -> str:
    return f"{100 * share:.2g} % slips" if share else "no slips"


def _style(model: StyleBidder) -> str:
    """A style by what differs from the usual: aggressiveness and suit preference, in tricks."""
    said = []
    if model.aggressiveness:
        said.append(f"{'over' if model.aggressiveness > 0 else 'under'}bids by {abs(model.aggressiveness):.2g} tricks")
    if model.suit_preference:
        liked = "suits" if model.suit_preference > 0 else "no trumps"
        said.append(f"prefers {liked} by {abs(model.suit_preference):.2g} tricks")
    return f"a bidder who {' and '.join(said)}" if said else "a sober bidder who weighs tricks"


def _plain_name(model: object) -> str:
    """The name of the class as words: ``PointCounter`` becomes ``Point counter``."""
    name = type(model).__name__.strip("_")
    words = "".join(f" {letter}" if letter.isupper() and place else letter for place, letter in enumerate(name))
    return words.capitalize()
