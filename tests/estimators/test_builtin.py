"""Built-in estimators: the literal algorithms, tricks by brute force, exact counts by walking every layout."""

import numpy as np
import pytest

from bayesbridge.capture import literal
from bayesbridge.cards import Card, Hand, Suit
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import BidEstimator, CaptureEstimator, CardWinsEstimator
from bayesbridge.estimators.protocol import ExactEstimator, Question, run
from bayesbridge.layouts import Layouts
from bayesbridge.tricks import Trick
from tests.capture.deals import strange_deals
from tests.engines.positions import brute_force, random_position
from tests.estimators.deals import random_layouts


def strange_layouts(n, seed):
    """Layouts with long suits and high cards together: two strange hands South and North, the rest split by parity."""
    south, north = strange_deals(n, seed)
    rows = []
    for first, second in zip(south.tolist(), north.tolist(), strict=True):
        rest = [card for card in range(52) if not (first | second) >> card & 1]
        east, west = (sum(1 << card for card in rest[i::2]) for i in (0, 1))
        rows.append((second, east, first, west))
    return Layouts(np.array(rows, dtype=np.uint64))


@pytest.mark.parametrize("pair", ["S:N", "N:S", "E:N"])
@pytest.mark.parametrize("batch", [random_layouts(200, 3), strange_layouts(200, 4)], ids=["random", "strange"])
def test_capture_equals_the_literal_algorithm(pair, batch):
    question = Question.of(pair)
    found = run(CaptureEstimator(), batch, question)
    conditions = set()
    for i, deal in enumerate(batch):
        expected = literal.capture(*(deal[seat] for seat in question.pair))
        conditions.add(expected.condition)
        assert literal.CONDITIONS[found["condition"][i]] == expected.condition
        for name in found.keys() - {"condition"}:
            value = getattr(expected, name)
            assert found[name][i].tolist() == (list(value) if isinstance(value, tuple) else value), name
    assert len(conditions) > 1


def test_bid_equals_the_literal_algorithm():
    batch = strange_layouts(200, 5)
    found = run(BidEstimator(), batch, Question.of("S:N"))
    for i, deal in enumerate(batch):
        for seat in Seat:
            expected = literal.bid(deal[seat])
            assert found["level"][i, seat] == expected.level
            assert found["counts"][i, seat].tolist() == list(expected.counts)
    assert len(np.unique(found["level"])) > 3


@pytest.mark.parametrize("pair", ["S:N", "E:N"])
def test_exact_counts_of_capture_equal_walking_every_layout(pair):
    rng = np.random.default_rng(6)
    question, estimator, compared = Question.of(pair), CaptureEstimator(), 0
    assert isinstance(estimator, ExactEstimator)
    while compared < 15:
        known, evidence = random_position(rng)
        walked = brute_force(known, evidence)
        counts = estimator.distribution(evidence, question) if len(walked) else None
        if counts is None:
            continue
        found = run(estimator, Layouts(walked), question)
        for name, (first, table) in counts.items():
            for place in range(np.shape(table)[-1]):
                walked_so = (found[name] == first + place).sum(axis=0)
                assert (np.asarray(table)[..., place] == walked_so).all(), (name, first + place)
            assert (np.sum(table, axis=-1) == len(walked)).all(), name
        compared += 1


def test_exact_counts_are_refused_where_points_tie_the_suits():
    north, south = Hand.of("J54.AQ2.KQ32.A54"), Hand.of("AKQ2.KJ3.A54.Q32")
    known = Constraints.free().hold(Seat.N, north.mask).hold(Seat.S, south.mask)
    assert CaptureEstimator().distribution(known, Question.of("S:E")) is not None
    assert CaptureEstimator().distribution(known.points(Seat.E, 1, 3), Question.of("S:E")) is None


def wins_by_brute_force(deal, trick, card, pair, played):
    """Play the card, then try every legal card of every opposing hand still to play against it."""
    seat = trick.turn
    left = {s: deal[s] - Hand(played) - Hand.of(trick.cards) for s in Seat}
    if not trick.can(seat, card, left[seat]):
        return False, False
    after = trick.after(seat, card)
    if after.winner != seat:
        return True, False
    for step in range(1, 4 - len(trick.cards)):
        other = seat.next(step)
        if (other in pair) == (seat in pair):
            continue
        for answer in after.legal(left[other]):
            if Trick(after.leader, after.trump, (*after.cards, answer)).winner == after.turn:
                return True, False
    return True, True


@pytest.mark.parametrize("trump", [None, Suit.H, Suit.C])
@pytest.mark.parametrize("lying", [0, 1, 2, 3])
@pytest.mark.parametrize("pair", ["S:N", "E:N"])
def test_card_wins_equals_brute_force(trump, lying, pair):
    rng = np.random.default_rng(8 + lying)
    seen = set()
    for deal in random_layouts(12, int(rng.integers(1000))):
        gone = Hand(sum(hand.mask for seat in Seat if (hand := Hand.of(list(deal[seat])[:: int(rng.integers(2, 5))]))))
        trick = Trick(Seat(int(rng.integers(4))), trump)
        for _ in range(lying):
            legal = list(trick.legal(deal[trick.turn] - gone))
            trick = trick.after(trick.turn, legal[rng.integers(len(legal))])
        question = Question.of(pair, trump=trump, trick=trick, played=gone.mask)
        found = run(CardWinsEstimator(), Layouts.of([deal]), question)
        for index in range(52):
            expected = wins_by_brute_force(deal, trick, Card(index), question.pair, gone.mask)
            assert (found["playable"][0, index], found["wins"][0, index]) == expected, (trick, Card(index))
            seen.add(expected)
    assert seen == {(False, False), (True, False), (True, True)}


def test_card_wins_without_a_trick_leads_with_the_first_of_the_pair():
    batch = random_layouts(20, 9)
    free = run(CardWinsEstimator(), batch, Question.of("E:W", trump=Suit.S))
    led = run(CardWinsEstimator(), batch, Question.of("E:W", trump=Suit.S, trick=Trick(Seat.E, Suit.S)))
    assert all(np.array_equal(free[name], led[name]) for name in free)
    assert (free["playable"].sum(axis=1) == 13).all()


def test_card_wins_refuses_a_complete_trick():
    with pytest.raises(BayesBridgeError, match="is complete: give at most three cards"):
        CardWinsEstimator().estimate(random_layouts(1, 1), Question.of("S:N", trick=Trick.of("W:S5 SK S2 S3")))
