"""The answer in three sentences: strength, honours, tricks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.decisions.history import strength
from bayesbridge.display.words import SEATS, STRAINS, percent, share_error
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.game.deal import Seat
from bayesbridge.views.tables import card_information

RANK_NAMES: Final = {"A": "ace", "K": "king", "Q": "queen"}

EQUAL_STRENGTH: Final = 0.5
"""Points between the strongest and the weakest hand that are no difference."""

TELLING_BITS: Final = 0.02
"""Information about an honour above which it is worth a word."""

HONOURS_NAMED: Final = 2

GOOD_GAME: Final = 0.3
"""Chance below which no game is worth bidding, whatever the scoring."""


def sentences(posterior: Posterior, contracts: Sequence[ContractOdds]) -> list[str]:
    """Three sentences: strength, honours, tricks.

    ``contracts`` is the one contract that is meant, or the games of all strains.
    """
    condition = ""
    if posterior.belief.table.plays:
        condition = "As dealt, whatever was played: "
    if len(contracts) == 1:
        tricks = _contract_sentence(contracts[0])
    else:
        tricks = _best_game_sentence(contracts, posterior.belief)
    return [
        _strength_sentence(posterior),
        _honours_sentence(posterior),
        f"{condition}{tricks}",
    ]


def _strength_sentence(posterior: Posterior) -> str:
    """How strong the strongest hidden hand is, and how strong the others are."""
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    if not hidden:
        return "Every card is known."
    strengths = sorted(
        (*strength(posterior.point_table[seat]), SEATS[seat.name]) for seat in hidden
    )
    *weaker, (mean, low, high, name) = strengths
    if not weaker:
        return f"{name} has {mean:.1f} high-card points on average."
    weakest_mean = weaker[0][0]
    if mean - weakest_mean < EQUAL_STRENGTH:
        return (
            f"The hidden hands are about equally strong: some {mean:.0f} points each."
        )
    weaker_means = [f"{seat} {mean:.0f}" for mean, _, _, seat in reversed(weaker)]
    weaker_words = ", ".join(weaker_means)
    return f"Points: {name} {mean:.0f} (80 %: {low} to {high}), {weaker_words}."


def _honours_sentence(posterior: Posterior) -> str:
    """Where the missing aces, kings and queens lie that most is known about.

    Cards go by their place in ``CARDS`` (such as ``SA``); those of equal information,
    but for rounding, by rank.
    """
    bits = card_information(posterior)
    missing = [place for place in bits if CARDS[place][1] in RANK_NAMES]
    if not missing:
        return "Every ace, king and queen is in sight."
    best_known = sorted(missing, key=lambda place: -round(bits[place], 4))
    places = [
        _honour_words(posterior, place)
        for place in best_known[:HONOURS_NAMED]
        if bits[place] > TELLING_BITS
    ]
    if not places:
        return (
            "No missing ace, king or queen is likelier in one hand than the room in "
            "the hands says."
        )
    return f"Among the missing honours most is known about {' and '.join(places)}."


def _honour_words(posterior: Posterior, place: int) -> str:
    """An honour, by its place in ``CARDS``, with the hand that is likeliest to hold it."""
    hidden = posterior.belief.constraints.hidden
    # Rounded, so that of equal chances the first seat is named.
    shares = {
        Seat(seat): round(float(posterior.card_table[place][seat]), 9)
        for seat in hidden
    }
    holder = max(shares, key=shares.__getitem__)
    card = CARDS[place]
    return (
        f"the {RANK_NAMES[card[1]]} of {STRAINS[card[0]]} "
        f"({SEATS[holder.name]} with {percent(shares[holder])})"
    )


def _contract_words(odds: ContractOdds) -> str:
    """A contract and who plays it: ``4H by South``."""
    name, _, _declarer = str(odds.contract).partition(" ")
    return f"{name} by {SEATS[odds.contract.declarer.name]}"


def _contract_sentence(odds: ContractOdds) -> str:
    """How often the contract that is meant makes, and its tricks."""
    return (
        f"{_contract_words(odds)} makes with {percent(odds.make.mean)}"
        f"{share_error(*odds.make)}; {odds.mean.mean:.1f} tricks on average."
    )


def _best_game_sentence(games: Sequence[ContractOdds], belief: Belief) -> str:
    """Which game has the best chance, or that none has a good one."""
    best = max(games, key=lambda game: game.make.mean)
    name = _contract_words(best)
    makes = f"makes with {percent(best.make.mean)}"
    tricks = f"{best.mean.mean:.1f} tricks on average"
    if best.make.mean >= GOOD_GAME:
        return f"Of all games {name} has the best chance: it {makes}, with {tricks}."
    our_seats = (belief.observer, belief.observer.partner, belief.dummy)
    side = "The other side"
    if best.contract.declarer in our_seats:
        side = "Your side"
    return f"{side} has no good game: {name}, the best, {makes}, with {tricks}."
