"""Joint distributions: whole counts against every layout listed one by one, draws against counts, refusals."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.capture import literal
from bayesbridge.cards import Hand
from bayesbridge.deal import Seat
from bayesbridge.engines.levels import LevelTables
from bayesbridge.errors import BayesBridgeError, TablesTooLarge
from bayesbridge.estimators.protocol import Question
from bayesbridge.joint_distributions import feature_of, joint_distribution
from tests.engines.brute_force import all_layouts, p_value
from tests.engines.positions import brute_force, random_position
from tests.positions import called, quiet, wide

NAMES = [
    ("T", "condition"),
    ("c1[S]", "c2[S]"),
    ("T", "points[S]"),
    ("Delta", "delta[D]"),
    ("length[W:H]", "card[HJ]"),
    ("M[C]", "c0[C]", "level[S]"),
]


def plainly(name, hands, pair):
    """A number of one layout in plain Python, from the literal algorithms."""
    word, _, rest = name.partition("[")
    where = rest.rstrip("]")
    found = literal.capture(*(hands[seat] for seat in pair))
    match word:
        case "T" | "Delta" | "condition" | "Z" | "chi":
            return getattr(found, word)
        case "points":
            return hands[Seat.of(where)].points
        case "level":
            return literal.bid(hands[Seat.of(where)]).level
        case "length":
            seat, suit = where.split(":")
            return sum(card.suit == bb.Suit.of(suit) for card in hands[Seat.of(seat)])
        case "card":
            return next(seat.name for seat in Seat if bb.Card.of(where) in hands[seat])
        case _:
            return getattr(found, word)[bb.Suit.of(where)]


def listed(names, layouts, pair, weight=lambda hands: 1):
    """Weight of every combination, layout by layout."""
    total = Counter()
    for row in layouts:
        hands = {seat: Hand(int(mask)) for seat, mask in zip(Seat, row, strict=True)}
        total[tuple(plainly(name, hands, pair) for name in names)] += weight(hands)
    return total


def cells(joint, variable):
    """Non-zero cells by their labels."""
    array = joint[variable]
    labels = [array[dim].values.tolist() for dim in array.dims]
    return {
        tuple(axis[place] for axis, place in zip(labels, index, strict=True)): array.values[index].item()
        for index in zip(*np.nonzero(array.values), strict=True)
    }


@pytest.fixture(scope="module")
def few():
    """East sees the dummy and knows ten of South's cards, and that South has 16 to 19 points."""
    belief = quiet().given(bb.Holds("S", "D5 C3"), bb.HighCards("S", 16, 19))
    return belief, all_layouts(belief.constraints)


@pytest.mark.parametrize("names", NAMES, ids=",".join)
def test_counts_are_those_of_every_layout_listed(few, names):
    belief, layouts = few
    joint = joint_distribution(belief.infer(rng=1), *names, pair="S:N")
    wanted = listed(names, layouts, (Seat.S, Seat.N))
    assert joint.attrs == {"exact": 1, "method": "counting"}
    assert cells(joint, "layouts") == wanted
    total = sum(wanted.values())
    assert {key: Fraction(count, total) for key, count in cells(joint, "layouts").items()} == {
        key: Fraction(count, total) for key, count in wanted.items()
    }
    assert cells(joint, "probability") == pytest.approx({key: count / total for key, count in wanted.items()})


@pytest.mark.parametrize("seed", range(4))
def test_three_hidden_hands_with_points_and_shapes(seed):
    """Random positions, the evidence of which ties the suits together by points and shapes too."""
    rng, names = np.random.default_rng([7, seed]), ("T", "points[E]")
    while True:
        known, evidence = random_position(rng)
        layouts = brute_force(known, evidence)
        if len(layouts) and len(evidence.normalised().hidden) <= 3:
            break
    features = [feature_of(name, Question.of("S:N")) for name in names]
    counts = LevelTables.of(evidence, {}).counted(*(one.quantity for one in features))
    wanted = listed(names, layouts, (Seat.S, Seat.N))
    found = {tuple(map(int, place)): int(counts[tuple(place)]) for place in np.argwhere(counts)}
    assert found == wanted


def test_under_calls_as_exact_fractions():
    """Every layout weighed by plain Python; the counts behind the tables, weighed alike, give these fractions."""
    belief, names = called().given(bb.Holds("S", "D5 C3")), ("T", "card[SQ]")
    posterior = belief.infer("exact", rng=1)
    by_bid = IterativeBidder().bid_likelihood(belief.auction, 0)

    def weight(hands):
        level = literal.bid(hands[Seat.S]).level
        return Fraction(float(by_bid[5 * level + 2 if level else 0]))

    wanted = listed(names, all_layouts(belief.constraints), (Seat.S, Seat.N), weight)
    shares = {key: value / sum(wanted.values()) for key, value in wanted.items()}
    tables, features = posterior.draws.tables, [feature_of(name, Question.of("S:N")) for name in names]
    assert isinstance(tables, LevelTables)
    counts = tables._extended_counts(tuple(one.quantity for one in features))
    weighed = Counter()
    for value, *place in np.argwhere(counts).tolist():
        key = tuple(one.labels[index] for one, index in zip(features, place, strict=True))
        weighed[key] += Fraction(tables.weights[value]) * int(counts[value, *place])
    assert {key: value / sum(weighed.values()) for key, value in weighed.items()} == shares
    joint = joint_distribution(posterior, *names, pair="S:N")
    assert (joint.attrs["exact"], "layouts" in joint) == (1, False)
    assert cells(joint, "probability") == pytest.approx({key: float(share) for key, share in shares.items()})
    walked = joint_distribution(belief.infer("enumerate"), *names, pair="S:N")
    assert walked.attrs == {"exact": 1, "method": "enumerate"}
    assert cells(walked, "probability") == pytest.approx(cells(joint, "probability"), abs=1e-12)


def test_draws_agree_with_counts_and_a_wrong_table_does_not(monkeypatch):
    posterior = wide().infer(draws=20_000, rng=3)
    truth = joint_distribution(posterior, "T", "points[N]")
    assert truth.attrs["exact"] == 1

    def refuse(*_):
        raise TablesTooLarge("too large", needed=1)

    monkeypatch.setattr(LevelTables, "counted", refuse)
    drawn = joint_distribution(posterior, "T", "points[N]")
    assert drawn.attrs == {"exact": 0, "method": "sample"}
    wanted = truth["probability"].reindex_like(drawn["probability"], fill_value=0.0)
    observed = np.rint(drawn["probability"].values * 20_000).astype(np.int64).ravel()
    shares = wanted.values.ravel() / wanted.values.sum()
    assert p_value(observed, shares) > 1e-6
    assert p_value(observed, np.roll(wanted.values, 1, axis=1).ravel() / wanted.values.sum()) < 1e-6  # the control


@pytest.mark.parametrize("method", ["weights", "tilted"])
def test_standard_errors_of_weighted_draws_are_what_they_say(method):
    """Over many seeds the deviations from the exact table are of the size of the errors; half of it is too small."""
    belief, names = wide().given(bb.Called("W", "1NT")), ("T", "card[HA]")
    truth = joint_distribution(belief.infer("exact", rng=1), *names)["probability"]
    scores, draws = [], 20_000 if method == "weights" else 2000
    for seed in range(30):
        found = joint_distribution(belief.infer(method, draws=draws, rng=seed), *names)
        truth_here = truth.reindex_like(found["probability"], fill_value=0.0)
        common = truth_here.values > 0.05
        scores.append(((found["probability"] - truth_here) / found["error"]).values[common])
    squares = np.concatenate(scores) ** 2
    # Cells of a seed depend on each other: 30 seeds are worth at least 30 independent squares, of deviation √2.
    error = np.sqrt(2 / 30)
    assert squares.mean() < 1 + 5 * error
    assert 4 * squares.mean() > 1 + 5 * error  # the control: errors of half the size would be found out


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ((), "no number named"),
        (("T", "points"), "unknown number 'points': choose among T, condition"),
        (("length[N]",), "unknown number 'length[N]'"),
        (("points[X]",), "unknown seat 'X'"),
    ],
)
def test_refusals(names, line):
    with pytest.raises(BayesBridgeError, match=line.replace("[", r"\[").replace("]", r"\]")):
        joint_distribution(quiet().infer(), *names)
