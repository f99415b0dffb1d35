"""The learned player is a likelihood over legal cards.

It knows what textbooks say.
"""

import numpy as np
import pytest

from bayesbridge import Auction, BayesBridgeError, Contract, Seat
from bayesbridge.bidders.play import AgreedLeads, LearnedPlayer, agreed_ranks
from bayesbridge.game.cards import RANKS, Card, Hand, Suit

AUCTION = Auction.of("S:1NT Pass 3NT Pass Pass Pass")
NOTRUMP = Contract.of("3NT by S")
HEARTS = Contract.of("4H by S")


def _plays(first_trick, *tricks):
    """The plays of tricks, each written as its leader and the cards clockwise.

    For example ``"W:H4 H2 HQ HA"``.
    """
    result = []
    for trick in (first_trick, *tricks):
        seat, _, cards = trick.partition(":")
        result += [
            (Seat.of(seat).next(i), Card.of(card))
            for i, card in enumerate(cards.split())
        ]
    return result


def _log(hand, contract, plays, seat="W", slip=0.0):
    masks = np.array([Hand.of(hand).mask], np.uint64)
    return float(
        LearnedPlayer(slip).log_likelihood(
            masks, contract, plays, Seat.of(seat), AUCTION
        )[0]
    )


def _chances(hand, contract, plays, seat, cards):
    """P(card) for each of some cards that the seat may play next.

    It is computed by one more play each.
    """
    before = _log(hand, contract, plays, seat) if plays else 0.0
    return {
        card: float(
            np.exp(
                _log(hand, contract, [*plays, (Seat.of(seat), Card.of(card))], seat)
                - before
            )
        )
        for card in cards.split()
    }


def test_followers_follow_suit():
    plays = _plays("W:S4 S2")
    chances = _chances("KT7.983.A7652.K4", NOTRUMP, plays, "E", "SK ST S7")
    assert sum(chances.values()) == pytest.approx(1.0)
    with np.errstate(divide="ignore"):
        assert (
            _log("KT7.983.A7652.K4", NOTRUMP, [*plays, (Seat.E, Card.of("DA"))], "E")
            == -np.inf
        )
    slips = _log(
        "KT7.983.A7652.K4", NOTRUMP, [*plays, (Seat.E, Card.of("DA"))], "E", slip=0.3
    )
    assert slips == pytest.approx(np.log(0.1))


def test_leads_of_the_textbook():
    sequence = _chances("KQJ95.T83.A2.743", NOTRUMP, [], "W", "SK SQ S9 S5")
    assert sequence["SK"] > sequence["SQ"] > sequence["S5"] / 3
    fourth = _chances("KJ852.T83.A2.743", NOTRUMP, [], "W", "SK SJ S8 S5 S2")
    assert max(fourth, key=fourth.__getitem__) == "S5"
    single = _chances("Q8532.T83.9.A743", HEARTS, [], "W", "D9 S3 CA C3")
    assert max(single, key=single.__getitem__) == "D9"


@pytest.mark.parametrize(
    ("agreement", "notrump", "cards"),
    [
        ("fourth best", True, "KT742:4 AJ85:5 J97653:6 8642:- K72:- KQJT:-"),
        ("third and fifth", False, "KT742:2 AJ85:8 J97653:5 8642:- K72:2 KQJT:- K7:-"),
        ("top of sequence", True, "KQJ2:K QJ93:Q T972:T KQ32:- AKQ2:- KJT3:- 9872:-"),
        ("top of sequence", False, "KQ32:K JT:J AK32:-"),
    ],
)
def test_the_card_agreed_on(agreement, notrump, cards):
    for holding, card in (pair.split(":") for pair in cards.split()):
        rank = agreed_ranks(agreement, notrump)[Hand.of(f"{holding}...").mask >> 39]
        assert ("-" if rank < 0 else RANKS[rank]) == card, holding


def test_an_unknown_agreement_is_named():
    with pytest.raises(BayesBridgeError, match="'second best': choose fourth best, "):
        agreed_ranks("second best", True)


def test_an_agreement_keeps_the_suit_and_moves_the_card():
    """With probability 0.4 they lead third and fifth, and with it so surely.

    No suit is led more often than before.
    """
    hand = Hand.of("KT742.Q3.8653.A4")
    half = AgreedLeads(0.6, (), 0.9)
    masks = np.array([hand.mask], np.uint64)

    def lead_chances(player):
        chances = {}
        for card in hand:
            lead = [(Seat.W, card)]
            logs = player.log_likelihood(masks, NOTRUMP, lead, Seat.W, AUCTION)
            chances[card] = np.exp(logs[0])
        return chances

    third_and_fifth = AgreedLeads(0.4, ("third and fifth",), 0.9)
    plain = lead_chances(LearnedPlayer(0))
    agreed = lead_chances(LearnedPlayer(0, ((), (third_and_fifth, half))))
    assert sum(plain.values()) == pytest.approx(1.0)
    low = [c for c in hand if c.suit is Suit.S and c.rank < 8]
    wanted = sum(plain[c] for c in low)
    assert sum(agreed[c] for c in low) == pytest.approx(wanted)
    assert agreed[low[-1]] == pytest.approx(0.6 * plain[low[-1]] + 0.4 * 0.9 * wanted)
    assert agreed == pytest.approx(
        agreed | {c: chance for c, chance in plain.items() if c not in low}
    )


def test_a_lead_moves_the_hands_that_explain_it():
    """After a small spade the leader has longer spades than before.

    The more so where fourth best is agreed.
    """
    rng = np.random.default_rng(1)
    lead = Card.of("S5")
    other_cards = [card for card in range(52) if card != lead.index]
    masks = np.full(2000, lead.mask)
    for i in range(2000):
        cards = rng.choice(other_cards, 12, replace=False)
        masks[i] |= sum(1 << int(card) for card in cards)
    hands = masks.astype(np.uint64)
    spades = np.bitwise_count(hands >> np.uint64(39))
    fourth = LearnedPlayer(leads=((), (AgreedLeads(1.0, ("fourth best",), 0.9),)))
    lead_only = [(Seat.W, lead)]
    weights = (
        np.exp(who.log_likelihood(hands, NOTRUMP, lead_only, Seat.W, AUCTION))
        for who in (LearnedPlayer(), fourth)
    )
    usual, agreed = (weight @ (spades > 4) / weight.sum() for weight in weights)
    assert agreed - 0.02 > usual > (spades > 4).mean() + 0.1
