"""The style model beside its tables and kernels.

Utilities are told call by call in plain Python.
"""

from math import exp

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bayesbridge import Auction, Hand, Strain, StyleBidder, Suit
from bayesbridge.capture.strains import strain_levels
from bayesbridge.game.calls import Vulnerability
from tests import strategies

styles = st.builds(
    StyleBidder, st.floats(-2, 2), st.floats(-2, 2), st.floats(0.2, 5), st.floats(0, 1)
)


def value(hand, strain):
    """What a hand is worth in a strain, in tricks."""
    controls = sum({"A": 2, "K": 1}.get(str(card)[1], 0) for card in hand)
    worth = 4 + 3 / 16 * hand.points + controls / 8
    lengths = [hand.length(suit) for suit in Suit]
    if strain is Strain.NT:
        return worth - 0.75 * sum(length < 2 for length in lengths)
    suit = Suit(int(strain))
    quality = sum(card.rank >= 8 for card in hand if card.suit is suit)
    worth += (
        (hand.length(suit) - 5) / 2
        + quality / 8
        + (hand.length(suit) == max(lengths)) / 4
    )
    return max(worth, 0.0)


def probabilities(style, hand, auction):
    """P(call) for every legal call, straight from the formulas."""
    seat = auction.turn
    level = strain_levels(np.array([hand.mask], dtype=np.uint64))[0]
    shift = dict.fromkeys(Strain, -0.25 if seat in style.vulnerable else 0.0)
    everybody_passed = (
        len(auction.calls) == len(auction.bidders) - 1 and auction.last_bid is None
    )
    for strain in Strain:
        partner = auction.dummy is None and any(
            c.strain is strain and s is seat.partner for s, c in auction
        )
        opponent = any(
            c.strain is strain
            and s is not seat
            and (auction.dummy is not None or s is not seat.partner)
            for s, c in auction
        )
        shift[strain] += (
            0.25 * everybody_passed + (partner and strain is not Strain.NT) - opponent
        )
    u = {"Pass": 0.0}
    for call in auction.legal_calls():
        strain = Strain.NT if call.strain is None else call.strain
        y = value(hand, strain) + shift[strain] + style.aggressiveness
        if call.strain is None:
            if call.index:
                u[str(call)] = 3 * (y - 8)
            continue
        y += style.suit_preference * (-0.8 if strain is Strain.NT else 0.2)
        t = 6 + call.level
        lowest = next(6 + c.level for c in auction.legal_calls() if c.strain is strain)
        u[str(call)] = 3 * (y - lowest) - (t - y) ** 2 + (call.level <= level[strain])
    odds = {call: exp(utility / style.temperature) for call, utility in u.items()}
    total = sum(odds.values())
    return {
        call: style.slip / len(u) + (1 - style.slip) * odds[call] / total
        for call in odds
    }


@given(styles, strategies.hands, strategies.auctions(), st.sampled_from(Vulnerability))
@example(
    StyleBidder(),
    Hand.from_pbn("AKQJ.AKQ.AKQ.AKQ"),
    Auction.four("N"),
    Vulnerability.ALL,
)
@example(
    StyleBidder(),
    Hand.from_pbn("...AKQJT98765432"),
    Auction.of("N:1C 1H X"),
    Vulnerability.NONE,
)
@example(
    StyleBidder(),
    Hand.from_pbn("5432.5432.5432.2"),
    Auction.of("N:1S Pass 2S"),
    Vulnerability.EW,
)
def test_chances_are_what_the_formulas_say(style, hand, auction, vulnerable):
    if auction.is_over:
        return
    style = StyleBidder(
        style.aggressiveness,
        style.suit_preference,
        style.temperature,
        style.slip,
        vulnerable,
    )
    chances = style.probabilities(np.array([hand.mask], dtype=np.uint64), auction)[0]
    expected = probabilities(style, hand, auction)
    calls = auction.legal_calls()
    assert {str(call) for call in calls} == set(expected)
    np.testing.assert_allclose(
        [chances[call.index] for call in calls],
        [expected[str(c)] for c in calls],
        atol=1e-12,
    )


def test_styles_do_what_their_names_say(random_hands):
    opening = Auction.three("S")

    def share(style, of):
        return style.probabilities(random_hands, opening)[:, of].sum(axis=1).mean()

    bids = slice(3, None)
    no_trumps = slice(7, None, 5)
    assert share(StyleBidder(1.0), bids) > share(StyleBidder(), bids) + 0.15
    assert (
        share(StyleBidder(0.0, -1.0), no_trumps)
        > share(StyleBidder(), no_trumps) + 0.05
    )
    assert share(StyleBidder(vulnerable="NS"), bids) < share(StyleBidder(), bids)
    cold = (
        StyleBidder(temperature=0.1, slip=0.0)
        .probabilities(random_hands, opening)
        .max(axis=1)
    )
    hot = (
        StyleBidder(temperature=10.0, slip=0.0)
        .probabilities(random_hands, opening)
        .max(axis=1)
    )
    assert cold.mean() > 0.9 > 0.3 > hot.mean()
