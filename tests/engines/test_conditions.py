"""Any condition as evidence: counts, marginals, every engine and contradictions.

The number of layouts against brute force, binomials, and the figures in every bridge
book.
"""

import math
from itertools import product

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.dealing.plan import DealPlan
from bayesbridge.engines.conditions import count
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.game.cards import Hand
from tests.dealing.plain_conditions import holds
from tests.engines.positions import (
    HANDS,
    all_layouts,
    allows,
    brute_force,
    closed,
    random_position,
)

SOUTH = HANDS[2]
EXTRA = {
    "alone": (),
    "void": (bb.Lacks("E", "DA"),),
    "points": (bb.HighCards("W", 0, 9), bb.Length("N", "D", 0, 4)),
}
CONDITIONS = [
    "hcp(north) + hcp(south) >= 28",
    "aces(north) + aces(west) >= 2 || diamonds(east) > diamonds(west)",
    "controls(east) > controls(west) && losers(north) <= 9",
    "hascard(north, SA) != hascard(west, DA)",
]


class Strong:
    """A bidder of one hand that calls with a probability that grows with points."""

    def log_likelihood(self, hands, auction, index):
        """The same for every call."""
        points = bb.plugins.high_card_points(hands).astype(float)
        return -0.2 * np.maximum(12.0 - points, 0.0)


KNOWN = closed(3, 3, 0, 3)
HELD = [
    bb.Holds(seat, bb.Hand(KNOWN.must[seat]))
    for seat in (bb.Seat.N, bb.Seat.E, bb.Seat.W)
]
BELIEF = bb.Belief("S", SOUTH, dummy=None, bidder=Strong()).given(*HELD)
DEALS = all_layouts(KNOWN).tolist()  # of the nine high cards that the others share


def brute(pieces, condition, called=False):
    """The deals that fit, their weights, and P(seat holds card).

    ``called``: whether West made a call. Cards are in the order of ``card_table``.
    """
    constraints = BELIEF.given(*pieces).constraints
    expression = parse_expression(condition)
    deals = [deal for deal in DEALS if holds(expression, deal)]
    fitting = np.array(deals, dtype=np.uint64).reshape(-1, 4)
    fitting = fitting[allows(constraints, fitting)]
    weights = np.ones(len(fitting))
    if called:
        weights = np.exp(Strong().log_likelihood(fitting[:, 3], None, 0))
    cards = np.arange(51, -1, -1, dtype=np.uint64)
    held = fitting[:, None, :] >> cards[:, None] & np.uint64(1)
    return (
        fitting,
        weights,
        np.tensordot(weights / weights.sum(), held.astype(float), 1),
    )


@pytest.mark.parametrize("extra", EXTRA)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_counts_and_marginals_are_those_of_brute_force(condition, extra):
    fitting, _, cards = brute(EXTRA[extra], condition)
    assert 0 < len(fitting) < len(DEALS)
    posterior = BELIEF.given(*EXTRA[extra], bb.Condition(condition)).infer(rng=1)
    assert posterior.exact
    assert posterior.count() == len(fitting) == (posterior.weights > 0).sum()
    assert posterior.card_table == pytest.approx(cards)
    assert posterior.entropy_bits == pytest.approx(math.log2(len(fitting)))
    assert posterior.belief.effect(posterior.belief.evidence[-1]) == "hard"


@pytest.mark.parametrize(
    "method", ["enumerate", "likelihood-weighting", "importance", "resample-move"]
)
def test_every_engine_weighs_calls_under_a_condition(method):
    condition = CONDITIONS[0]
    pieces = EXTRA["void"]
    fitting, weights, cards = brute(pieces, condition, called=True)
    belief = BELIEF.given(*pieces, bb.Condition(condition), bb.Called("W", "1C"))
    posterior = belief.infer(method, 4_000, rng=2)
    error = 0.0 if posterior.exact else 5.5 * 0.5 / math.sqrt(posterior.ess)
    assert np.abs(posterior.card_table - cards).max() <= error + 1e-9
    log_difference = abs(posterior.log_marginal - math.log(weights.mean()))
    assert log_difference <= 5 * posterior.log_evidence_error + 1e-9
    under_another_condition = brute(pieces, CONDITIONS[1], called=True)[2]
    assert np.abs(posterior.card_table - under_another_condition).max() > error
    used = posterior.layouts.masks[posterior.weights > 0]
    assert set(map(tuple, used.tolist())) <= set(map(tuple, fitting.tolist()))


def test_levels_of_algorithm_1_under_a_condition():
    condition = bb.Condition("aces(west) + aces(east) >= 1")
    call = bb.Called("W", "1NT")
    belief = bb.Belief("S", SOUTH).given(*BELIEF.evidence, condition, call)
    exact = belief.infer("enumerate")
    drawn = belief.infer("importance", 4_000, rng=1)
    error = 5.5 * 0.5 / math.sqrt(drawn.ess)
    assert np.abs(drawn.card_table - exact.card_table).max() <= error
    assert abs(drawn.log_marginal - exact.log_marginal) <= 5 * drawn.log_evidence_error
    with pytest.raises(bb.BayesBridgeError, match="no condition"):
        belief.infer("levels")


def test_large_positions_are_counted_and_drawn_by_tables():
    text = "hcp(north) + hcp(south) >= 25 && controls(west) >= 3"
    void = bb.Void("E", "H")
    belief = bb.Belief("S", SOUTH).given(bb.Condition(text), void)
    posterior = belief.infer(draws=2_000, rng=1)
    plan = DealPlan.of(void, given={"S": SOUTH}, condition=text)
    assert posterior.count() == plan.count
    assert posterior.method == "direct"
    assert "exact draws from tables of the conditions" in posterior.why
    assert not posterior.counts_cards
    expression = parse_expression(text)
    assert all(holds(expression, deal) for deal in posterior.layouts.masks.tolist())
    assert posterior.entropy_bits == pytest.approx(math.log2(posterior.count()))


TOO_LARGE = (
    "quality(north, spades) + quality(east, hearts) + quality(west, clubs) > 300 "
    "&& hcp(north) > hcp(east)"
)


def test_what_tables_do_not_hold_is_tested_on_draws():
    condition = bb.Condition(TOO_LARGE)
    belief = bb.Belief("S", SOUTH).given(condition)
    with pytest.raises(bb.errors.TablesTooLarge, match="cannot be counted, only drawn"):
        belief.count()
    posterior = belief.infer(draws=500, rng=1)
    deals = posterior.layouts.masks.tolist()
    assert all(holds(condition.expression, deal) for deal in deals)
    assert "which these do not hold" in posterior.why
    plain = bb.Belief("S", SOUTH).infer(draws=20_000, rng=2)
    share = np.mean(belief.constraints.meets(plain.layouts.masks))
    error_of_share = math.sqrt((1 - share) / share / 20_000)
    error = math.hypot(error_of_share, posterior.log_evidence_error)
    log_ratio = posterior.log_evidence - plain.log_evidence
    assert abs(log_ratio - math.log(share)) <= 5 * error
    small = BELIEF.given(condition)
    assert small.count() == len(brute((), TOO_LARGE)[0])


def test_conflicts_and_errors_are_one_line():
    with pytest.raises(
        bb.errors.Contradiction,
        match=r"these cannot hold together: .*aces\(north\) == 4",
    ) as caught:
        bb.Belief("S", "KQJ2.KJ3.Q54.Q32").given(
            bb.Void("E", "H"), bb.Condition("aces(north) == 4"), bb.Holds("W", "SA")
        ).count()
    assert caught.value.data["evidence"] == (
        bb.Condition("aces(north) == 4"),
        bb.Holds("W", "SA"),
    )
    for text, says in {
        "hpc(north) > 3": "column 1: unknown word 'hpc': did you mean 'hcp'?",
        "tricks(north, spades) > 3": "tricks and random numbers are no evidence",
        "1 > 2": "looks at no hand",
    }.items():
        with pytest.raises(bb.errors.NotationError) as error:
            bb.Condition(text)
        assert says in str(error.value)


N, E, S, W = range(4)
HEARTS = 0x1FFF << 26
SEEN = Constraints.free().hold(S, Hand.of("AKQ52.J3.A94.K83").mask)
DUMMY = SEEN.hold(N, Hand.of("643.AQ2.K87.A764").mask)


@pytest.mark.quick
def test_numbers_everybody_knows():
    assert count(Constraints.free()) == math.factorial(52) // math.factorial(13) ** 4
    assert (
        count(SEEN)
        == 84_478_098_072_866_400
        == math.factorial(39) // math.factorial(13) ** 3
    )
    assert count(DUMMY) == 10_400_600 == math.comb(26, 13)
    assert count(DUMMY.hold(E, Hand.of("JT98.K54.QJT2.Q2").mask)) == 1


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(4))
def test_counting_equals_brute_force(seed):
    rng = np.random.default_rng([7, seed])
    answers = []
    for _ in range(25):
        cards_alone, evidence = random_position(rng)
        layouts = brute_force(cards_alone, evidence)
        answers.append(len(layouts))
        assert count(evidence) == len(layouts)
    assert sum(answer > 1 for answer in answers) > 6
    assert 0 in answers


@pytest.mark.quick
def test_ranges_on_three_seats_split_the_whole():
    """Every layout falls in exactly one cell, a points range of each hidden seat."""
    ranges = [(0, 7), (8, 11), (12, 37)]
    counts = []
    for north, east, west in product(ranges, repeat=3):
        cell = SEEN.points(N, *north).points(E, *east).points(W, *west)
        counts.append(count(cell))
    assert sum(counts) == count(SEEN)
    assert 0 in counts


@pytest.mark.quick
def test_contradictions_count_to_zero():
    assert count(SEEN.lack(S, HEARTS)) == 0
    assert count(SEEN.length(E, 3, 5, 2)) == 0
    assert count(SEEN.hold(E, HEARTS)) == 0
    assert count(SEEN.points(N, 20, 40).points(E, 20, 40)) == 0
    # Nothing plain to see here: eight tops and 26 small cards allow no such pair of
    # hands.
    assert count(DUMMY.points(E, 0, 1).points(W, 0, 1)) == 0
