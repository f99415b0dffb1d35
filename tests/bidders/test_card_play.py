"""The learned player: a likelihood over legal cards, and one that knows what textbooks say."""

import numpy as np
import pytest
from bayesbridge.bidders.card_features import (
    BEST_RANK,
    GONE,
    KIND,
    LATER_LEAD,
    MOST_FEATURES,
    PARTNER_WINS,
    ROLE,
    RUFFED,
    STATUS,
    TURN,
    WEIGHTS,
    features,
    situations,
)

from bayesbridge.auction import Auction
from bayesbridge.bidders.card_play import LearnedPlayer, weights
from bayesbridge.calls import Contract
from bayesbridge.cards import Card, Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import PlayerModel

AUCTION = Auction.of("S:1NT Pass 3NT Pass Pass Pass")
NOTRUMP = Contract.of("3NT by S")
HEARTS = Contract.of("4H by S")


def _plays(first: str, *tricks: str) -> list[tuple[Seat, Card]]:
    """Cards of tricks, each written as its leader and the cards clockwise: ``"W:H4 H2 HQ HA"``."""
    result = []
    for trick in (first, *tricks):
        seat, _, cards = trick.partition(":")
        result += [(Seat.of(seat).next(i), Card.of(card)) for i, card in enumerate(cards.split())]
    return result


def _log(hand: str, contract: Contract, plays: list[tuple[Seat, Card]], seat: str = "W", slip: float = 0.0) -> float:
    masks = np.array([Hand.of(hand).mask], np.uint64)
    return float(LearnedPlayer(slip).log_likelihood(masks, contract, plays, Seat.of(seat), AUCTION)[0])


def _chances(hand: str, contract: Contract, seen: list[tuple[Seat, Card]], seat: str, cards: str) -> dict[str, float]:
    """P(card) for each of some cards that the seat may play next, by one more play each."""
    before = _log(hand, contract, seen, seat) if seen else 0.0
    return {
        card: float(np.exp(_log(hand, contract, [*seen, (Seat.of(seat), Card.of(card))], seat) - before))
        for card in cards.split()
    }


def test_it_is_a_player_model():
    assert isinstance(LearnedPlayer(), PlayerModel)


def test_lead_probabilities_sum_to_one():
    hand = "KQJ95.T83.A2.743"
    cards = " ".join(map(str, Hand.of(hand)))
    for contract in (NOTRUMP, HEARTS):
        assert sum(_chances(hand, contract, [], "W", cards).values()) == pytest.approx(1.0)


def test_followers_follow_suit():
    seen = _plays("W:S4 S2")
    chances = _chances("KT7.983.A7652.K4", NOTRUMP, seen, "E", "SK ST S7")
    assert sum(chances.values()) == pytest.approx(1.0)
    with np.errstate(divide="ignore"):
        assert _log("KT7.983.A7652.K4", NOTRUMP, [*seen, (Seat.E, Card.of("DA"))], "E") == -np.inf
    slips = _log("KT7.983.A7652.K4", NOTRUMP, [*seen, (Seat.E, Card.of("DA"))], "E", slip=0.3)
    assert slips == pytest.approx(np.log(0.1))


def test_a_forced_card_says_nothing():
    assert _log("K.9832.A7652.K43", NOTRUMP, _plays("W:S4 S2 SK"), "E") == 0.0


def test_dummy_says_nothing():
    hands = np.array([Hand.of("Q2.A983.K762.KQ4").mask], np.uint64)
    assert LearnedPlayer().log_likelihood(hands, NOTRUMP, _plays("W:S4 S2"), Seat.N).tolist() == [0.0]


def test_a_card_counts_from_start_on_only():
    hands = np.array([Hand.of("KQJ95.T83.A2.743").mask], np.uint64)
    plays = _plays("W:SK S2 S3 SA", "S:HA H3")
    player = LearnedPlayer()
    both = player.log_likelihood(hands, NOTRUMP, plays, Seat.W, AUCTION)
    lead = player.log_likelihood(hands, NOTRUMP, plays[:1], Seat.W, AUCTION)
    assert player.log_likelihood(hands, NOTRUMP, plays, Seat.W, AUCTION, start=1) == pytest.approx(both - lead)


def test_leads_of_the_textbook():
    sequence = _chances("KQJ95.T83.A2.743", NOTRUMP, [], "W", "SK SQ S9 S5")
    assert sequence["SK"] > sequence["SQ"] > sequence["S5"] / 3
    fourth = _chances("KJ852.T83.A2.743", NOTRUMP, [], "W", "SK SJ S8 S5 S2")
    assert max(fourth, key=fourth.__getitem__) == "S5"
    single = _chances("Q8532.T83.9.A743", HEARTS, [], "W", "D9 S3 CA C3")
    assert max(single, key=single.__getitem__) == "D9"


def test_third_hand_plays_high_and_second_hand_low():
    third = _chances("K72.983.A765.KT4", NOTRUMP, _plays("W:S4 S3"), "E", "SK S7 S2")
    assert max(third, key=third.__getitem__) == "SK"
    second = _chances("K72.983.A765.KT4", NOTRUMP, _plays("W:C4 C2 CK CA", "S:S4"), "W", "SK S7 S2")
    assert second["SK"] < 0.25


def test_a_lead_moves_the_hands_that_explain_it():
    """After a small spade against 3NT the leader has longer spades than before."""
    rng = np.random.default_rng(1)
    lead = Card.of("S5")
    others = [card for card in range(52) if card != lead.index]
    masks = np.array([lead.mask | sum(1 << int(c) for c in rng.choice(others, 12, replace=False)) for _ in range(2000)])
    hands = masks.astype(np.uint64)
    weight = np.exp(LearnedPlayer().log_likelihood(hands, NOTRUMP, [(Seat.W, lead)], Seat.W, AUCTION))
    spades = np.bitwise_count(hands >> np.uint64(39))
    assert weight @ spades / weight.sum() > spades.mean() + 0.5


def test_many_hands_at_once_are_each_as_if_alone():
    plays = _plays("W:SK S2 S3 SA", "S:HA H3")
    hands = ["KQJ95.T83.A2.743", "KQT.T83.A942.743", "K.T83.A942.76543"]
    masks = np.array([Hand.of(hand).mask for hand in hands], np.uint64)
    together = LearnedPlayer(0.0).log_likelihood(masks, NOTRUMP, plays, Seat.W, AUCTION)
    assert together == pytest.approx([_log(hand, NOTRUMP, plays) for hand in hands])


def test_situations_of_a_play_by_hand():
    auction = Auction.of("S:1H 2D 2H Pass 4H Pass Pass Pass")
    rows = situations(HEARTS, auction, _plays("W:DA D2 D9 D3", "W:DK D4 H2 D8", "E:S5 SA"))
    assert rows[0, STATUS:].tolist() == [1, 6, 0, 1]  # nobody's clubs, his own diamonds, trumps, nobody's spades
    assert rows[:, TURN].tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert rows[:, ROLE].tolist() == [1, 0, 2, 0, 1, 0, 2, 0, 2, 0]
    assert rows[4, KIND] == rows[8, KIND] == LATER_LEAD
    assert rows[[2, 6, 7], BEST_RANK].tolist() == [12, 11, RUFFED]
    assert rows[[2, 3, 6, 7], PARTNER_WINS].tolist() == [1, 0, 1, 0]
    assert rows[8, STATUS:].tolist() == [3, 1, 0, 3]
    assert rows[1, GONE] == Card.of("DA").mask


def test_features_stay_within_the_weights():
    rng = np.random.default_rng(5)
    found = np.empty(MOST_FEATURES, np.int64)
    seen: set[int] = set()
    for _ in range(300):
        deck = rng.permutation(52)
        contract = Contract(int(rng.integers(1, 8)), HEARTS.strain if rng.random() < 0.5 else NOTRUMP.strain, Seat.S)
        plays = [(Seat((3 + i) % 4), Card(int(card))) for i, card in enumerate(deck[:8])]
        for row in situations(contract, AUCTION, plays):
            rest = sum(1 << int(card) for card in deck[20:33])
            for card in deck[20:33]:
                n = features(int(card), rest, row, found)
                assert n <= MOST_FEATURES
                assert len(set(found[:n].tolist())) == n
                seen.update(found[:n].tolist())
    assert min(seen) >= 0
    assert max(seen) < WEIGHTS == len(weights())
    assert len(seen) > 2000


def test_a_slip_must_be_a_probability():
    with pytest.raises(BayesBridgeError, match="slip -1"):
        LearnedPlayer(-1)
