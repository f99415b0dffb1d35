"""What is said beside the table of contracts: how far to trust it, and how high to bid."""

from __future__ import annotations

from collections.abc import Sequence

from bayesbridge.belief.perspective import Perspective
from bayesbridge.calls import PASS, Call, Contract
from bayesbridge.capture.literal import bid
from bayesbridge.deal import Seat
from bayesbridge.decisions.payoffs import DUPLICATE
from bayesbridge.decisions.trick_tables import TrickTables
from bayesbridge.estimators.contract_odds import CALIBRATION, OFF
from bayesbridge.words import SEATS, STRAINS, number


def scheme_words(scheme: str, vulnerable: str) -> str:
    """The scheme, and who is vulnerable where that counts.

    >>> scheme_words("new", "None"), scheme_words("duplicate", "None"), scheme_words("duplicate", "NS")
    ('scheme new', 'scheme duplicate, nobody vulnerable', 'scheme duplicate, NS vulnerable')
    """
    who = {"None": "nobody", "All": "everybody"}.get(vulnerable, vulnerable)
    return f"scheme {scheme}, {who} vulnerable" if scheme == DUPLICATE else f"scheme {scheme}"


def caution(tables: TrickTables) -> str:
    """How far the figures can be trusted, in a sentence or two."""
    start = "Double-dummy play, in which all four see all cards. "
    if tables.every:
        return f"{start}Every layout was solved ({number(len(tables.chosen))}): what is marked so is exact."
    if tables.tricks:
        strains = " and ".join(dict.fromkeys(STRAINS[group.strain.name] for group in tables.tricks))
        others = (
            " The others are the network's, and their errors are of the draws alone."
            if any(group not in tables.tricks for group in tables.pmfs)
            else ""
        )
        return (
            f"{start}The network's predictions, corrected by {number(len(tables.chosen))} layouts solved in {strains}: "
            f"these figures are unbiased, and their errors count both.{others}"
        )
    return (
        f"{start}The figures are the network's, not corrected by solved layouts; {CALIBRATION}. {OFF}. The errors "
        "stated are of the draws alone."
    )


def defending(passed: Contract | None, defended: Sequence[Contract]) -> str:
    """What the rows of the others' contracts mean, where there are any; ``passed`` is what a pass leaves."""
    if not defended:
        return ""
    start = f"{passed} is what a pass means. " if passed in defended else ""
    return f"{start}Of a contract of the others, makes and tricks are its declarer's, the score is that of this pair."


def how_high(
    belief: Perspective, pair: tuple[Seat, Seat], contracts: Sequence[Contract | None], scores: Sequence[float]
) -> str:
    """In the three-player game how high declarer may bid, beside Algorithm 1's own bid; empty where four bid.

    ``contracts`` with their expected ``scores``, the highest first. A pass is taken to pay nothing.
    """
    if belief.dummy is None:
        return ""
    seat = next(seat for seat in pair if seat != belief.dummy)
    who = SEATS[seat.name]
    gaining = [one for one, score in zip(contracts, scores, strict=True) if one is not None and score > 0]
    if gaining:
        highest = max(gaining, key=lambda one: (one.level, one.strain))
        top = f"{gaining[0].level}{gaining[0].strain.name}"
        said = (
            f"How high may {who} bid? Up to {highest.level}{highest.strain.name}, the highest bid that earns more than "
            f"nothing on average; {top} earns most."
        )
    else:
        said = f"How high may {who} bid? Not at all: every bid here loses on average, so {who} passes."
    if seat != belief.observer:
        return said
    level = bid(belief.hand).level
    return f"{said} Algorithm 1 on this hand alone: {Call.bid(level, 'NT') if level else PASS}."
