"""The play-out kernel equals a plain one that plays card by card through the rules of ``bayesbridge.tricks``."""

import itertools

import numpy as np
import pytest

from bayesbridge.capture.outcomes import POLICIES
from bayesbridge.cards import Hand, Suit
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import PlayOutEstimator
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.layouts import Layouts
from bayesbridge.tricks import Trick
from tests.estimators.deals import random_layouts

PAIRS = list(itertools.product(POLICIES, POLICIES))
TRUMPS = [None, *Suit]
ONE_SUIT_EACH = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


def low(card):
    return card.rank, card.suit


def high(card):
    return -card.rank, card.suit


def choose(policy, trick, hand):
    """The card that a policy plays: ranks decide, clubs first among equals."""
    seat = trick.turn
    if not trick.cards:
        return min(hand, key=low if policy == "low" else high)
    following = [card for card in hand if card.suit == trick.suit]
    if following:
        top, bottom = max(following), min(following)
        if policy == "general":
            return top if top.rank > trick.cards[0].rank else bottom
        return bottom if policy == "low" else top
    if policy != "low" and trick.winner not in (seat, seat.partner):
        ruffs = [card for card in hand if card.suit == trick.trump and trick.after(seat, card).winner == seat]
        if ruffs:
            return min(ruffs)
    return min(hand, key=low)


def tricks_by_hand(deal, leader, trump, ours, theirs):
    """Tricks of the leader's side and of the other, every card verified by the rules."""
    left = dict(zip(Seat, deal, strict=True))
    side = (leader, leader.partner)
    won = [0, 0]
    for _ in range(13):
        trick = Trick(leader, trump)
        while (seat := trick.turn) is not None:
            card = choose(ours if seat in side else theirs, trick, left[seat])
            trick = trick.after(seat, card, left[seat])
            left[seat] -= Hand.of(card)
        leader = trick.winner
        won[leader not in side] += 1
    return tuple(won)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_every_pair_of_policies_equals_the_plain_play_out(ours, theirs):
    batch = random_layouts(20, 10 + PAIRS.index((ours, theirs)))
    question = "S:N", "E:W"
    for trump, pair in itertools.product(TRUMPS, question):
        asked = Question.of(pair, trump=trump)
        found = run(PlayOutEstimator(ours, theirs), batch, asked)["tricks"]
        expected = [tricks_by_hand(deal, asked.pair[0], trump, ours, theirs) for deal in batch]
        assert found.tolist() == [ours for ours, _ in expected]
        assert all(ours + theirs == 13 for ours, theirs in expected)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_turning_the_table_changes_nothing(ours, theirs):
    batch = random_layouts(300, 20)
    turned = Layouts(np.roll(batch.masks, 1, axis=1))
    for trump in (None, Suit.D):
        here = run(PlayOutEstimator(ours, theirs), batch, Question.of("S:N", trump=trump))["tricks"]
        there = run(PlayOutEstimator(ours, theirs), turned, Question.of("W:E", trump=trump))["tricks"]
        assert np.array_equal(here, there)


def test_neighbours_are_seated_opposite():
    batch = random_layouts(200, 21)
    moved = Layouts.of([Deal((deal["E"], deal["S"], deal["N"], deal["W"])) for deal in batch])
    beside = run(PlayOutEstimator(), batch, Question.of("E:N"))["tricks"]
    assert np.array_equal(beside, run(PlayOutEstimator(), moved, Question.of("N:S"))["tricks"])


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_one_suit_each_is_known_beforehand(ours, theirs):
    batch = Layouts.of([ONE_SUIT_EACH])

    def tricks(trump):
        return int(run(PlayOutEstimator(ours, theirs), batch, Question.of("S:N", trump=trump))["tricks"][0])

    assert tricks(None) == 13  # South's diamonds run
    assert tricks(Suit.D) == 13
    # Clubs are West's. Whoever plays low ruffs only because a hand of trumps has nothing else to throw.
    assert tricks(Suit.C) == 0


def test_policies_differ():
    batch = random_layouts(500, 22)
    means = {pair: run(PlayOutEstimator(*pair), batch, Question.of("S:N"))["tricks"].mean() for pair in PAIRS}
    assert len(set(means.values())) == len(PAIRS)
    assert means["high", "low"] > means["general", "general"] > means["low", "high"]


def test_an_unknown_policy_is_said():
    with pytest.raises(BayesBridgeError, match="unknown policy 'best': choose general, high, low"):
        PlayOutEstimator("general", "best")
