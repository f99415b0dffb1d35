"""Simulated play: legal cards, chosen as often as the model says."""

import numpy as np
import pytest
from calibration import simulate_play

from bayesbridge.auction import Auction
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.deal import Deal, Seat
from bayesbridge.tricks import Trick

DEAL = Deal.of("N:J54.AQ2.KQ76.A54 T983.T954.J9.T96 AKQ2.KJ3.A54.Q32 76.876.T832.KJ87")
AUCTION = Auction.of("S:3S Pass Pass Pass")


def test_a_whole_deal_is_played_by_the_rules():
    plays = simulate_play(DEAL, AUCTION, LearnedPlayer(), cards=52, rng=1)
    assert len(plays) == len({card for _, card in plays}) == 52
    trick = Trick(Seat.W, AUCTION.contract.trump)
    for seat, card in plays:
        left = [held for held in DEAL[seat] if held not in [gone for _, gone in plays[: plays.index((seat, card))]]]
        trick = trick.after(seat, card, type(DEAL[seat]).of(left))
        if trick.complete:
            trick = Trick(trick.winner, trick.trump)
    assert plays == simulate_play(DEAL, AUCTION, LearnedPlayer(), cards=52, rng=1)
    assert plays[:7] == simulate_play(DEAL, AUCTION, LearnedPlayer(), cards=7, rng=1)


def frequencies(player, n=600):
    led = [simulate_play(DEAL, AUCTION, player, cards=1, rng=seed)[0][1] for seed in range(n)]
    return {card: led.count(card) for card in DEAL["W"]}


def test_cards_are_led_as_often_as_the_model_says():
    player, hand = LearnedPlayer(), np.array([DEAL["W"].mask], dtype=np.uint64)
    chances = {
        card: float(np.exp(player.log_likelihood(hand, AUCTION.contract, [(Seat.W, card)], Seat.W, AUCTION)[0]))
        for card in DEAL["W"]
    }
    assert sum(chances.values()) == pytest.approx(1.0)
    found = frequencies(player)
    for card, chance in chances.items():
        assert abs(found[card] - 600 * chance) < 5 * np.sqrt(600 * chance * (1 - chance)) + 1
    most = 600 / 13 + 5 * np.sqrt(600 / 13) + 1
    assert max(frequencies(LearnedPlayer(slip=1.0)).values()) < most
    assert max(found.values()) > most  # the control: experts do not lead at random
