"""The learned player: a likelihood over legal cards, and one that knows what textbooks say."""

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.bidders.learned import stored
from bayesbridge.bidders.play import HEARD, NO_CALL, NO_CARD, NO_RANK, NO_SUIT, STARTS, LearnedPlayer, situations
from bayesbridge.calls import Contract
from bayesbridge.cards import Card, Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import PlayerModel
from tests.bidders import plain_network

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
    dummy = Hand.of("Q52.K984.4.AJ763")
    plays = _plays("W:DA D4 D9 D3", "W:DK H4 H2 D8", "N:S5 SA")
    seen = situations(HEARTS, auction, plays, dummy.mask)
    parts = seen.tokens - STARTS[:-1]
    calls, cards = parts[:HEARD], parts[HEARD:]
    assert calls[:-8, 0].tolist() == [NO_CALL] * (HEARD - 8)
    assert calls[-8:, 0].tolist() == [call.index for call in auction.calls]
    assert calls[-8:, 1].tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert cards[:, 2].tolist() == [NO_CARD, *(card.index for _, card in plays[:-1])]
    assert cards[:, 3].tolist() == [1, 2, 3, 0, 1, 2, 3, 0, 2, 3]  # from declarer, South
    assert cards[:, 4].tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert seen.led.tolist() == cards[:, 5].tolist() == [NO_SUIT, 1, 1, 1, NO_SUIT, 1, 1, 1, NO_SUIT, 3]
    assert cards[:, 6].tolist() == [NO_RANK, 12, 12, 12, NO_RANK, 11, NO_RANK, NO_RANK, NO_RANK, 3]
    assert cards[:, 7].tolist() == [2, 1, 0, 1, 2, 1, 1, 0, 2, 1]  # 0 partner's, 1 the other side's, 2 nobody's
    assert cards[:, 8].tolist() == [0] * 4 + [1] * 4 + [2] * 2
    held = [Hand(int(mask)) for mask in seen.dummy[HEARD:]]
    assert held[:3] == [Hand(0), dummy, dummy - Hand.of("D4")]
    assert held[-1] == dummy - Hand.of("D4 H4 S5")


def test_the_network_against_a_plain_transcription():
    """The same numbers from the parameters, one hand, one card, loops and no tables."""
    p = plain_network.plain(stored("play.npz"))
    auction = Auction.of("S:1H 2D 2H Pass 4H Pass Pass Pass")
    dummy, west = Hand.of("Q52.K984.4.AJ763"), Hand.of("A93.5.AK9762.K84")
    plays = _plays("W:DA D4 D5 D3", "W:DK H4 H2 D8", "N:S5 S7 SJ SA")
    seen = situations(HEARTS, auction, plays, dummy.mask)
    shown = [sum(p["reader_table_weight"][STARTS[-1] + c] for c in range(52) if int(m) >> c & 1) for m in seen.dummy]
    known = plain_network.read(
        p, seen.tokens, np.array([x + np.zeros(p["reader_table_weight"].shape[1]) for x in shown])
    )
    rest, expected = west, 0.0
    for i, (seat, card) in enumerate(plays):
        if seat != Seat.W:
            continue
        legal = [c.index for c in rest if seen.led[i] == NO_SUIT or c.suit == seen.led[i]] or [c.index for c in rest]
        found = plain_network.scores(p, known[HEARD + i], rest.mask)
        expected += plain_network.log_chance(found, legal, card.index)
        rest -= Hand.of(card)
    masks = np.array([west.mask], np.uint64)
    player = LearnedPlayer(slip=0.0)
    assert player.log_likelihood(masks, HEARTS, plays, Seat.W, auction, dummy)[0] == pytest.approx(expected, abs=2e-3)
    assert player.log_likelihood(masks, HEARTS, plays, Seat.W, auction)[0] != pytest.approx(expected, abs=2e-3)


def test_a_slip_must_be_a_probability():
    with pytest.raises(BayesBridgeError, match="slip -1"):
        LearnedPlayer(-1)
