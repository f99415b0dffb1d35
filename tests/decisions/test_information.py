"""The value of information: against plain sums over every layout, and of draws neither too hopeful nor useless."""

from collections import defaultdict
from math import log2

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.simulate import call_probabilities
from bayesbridge.decisions.payoffs import payoff
from bayesbridge.decisions.questions import usual_questions
from bayesbridge.decisions.rows import plain_rows
from bayesbridge.duplicate import Duplicate
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.network import trick_probabilities
from tests import positions
from tests.decisions.test_contracts import small

E, N, S, W = bb.Seat.E, bb.Seat.N, bb.Seat.S, bb.Seat.W
PAYS = {
    "on points": lambda layouts: layouts.points[:, S] - 15.0,
    "on spades": lambda layouts: 3.0 * (layouts.lengths[:, S, bb.Suit.S] - 3),
    "nothing": lambda layouts: np.zeros(len(layouts)),
}


def by_hand(posterior, answers, pays):
    """Bits and value from dictionaries: no array knows of another."""
    weight, paid = defaultdict(float), defaultdict(lambda: np.zeros(pays.shape[1]))
    for answer, share, row in zip(answers, posterior.weights, pays, strict=True):
        weight[answer] += share
        paid[answer] += share * row
    bits = -sum(share * log2(share) for share in weight.values())
    return bits, sum(map(max, paid.values())) - max(posterior.weights @ pays)


@pytest.mark.parametrize("position", [small, positions.called])
def test_values_equal_brute_force(position):
    posterior = position().infer()
    layouts = posterior.layouts
    pays = np.stack([np.asarray(function(layouts), float) for function in PAYS.values()], axis=1)
    answers = {
        "card[SQ]": layouts.holds("SQ").argmax(axis=1),
        "length[S:S]": layouts.lengths[:, S, bb.Suit.S],
        "void[W:S]": layouts.lengths[:, W, bb.Suit.S] == 0,
        "points[W]": layouts.points[:, W],
        "layout": np.arange(len(layouts)),
    }
    found = {row["question"]: row for row in plain_rows(bb.value_of_information(posterior, PAYS, list(answers)))}
    for name, values in answers.items():
        bits, value = by_hand(posterior, values.tolist(), pays)
        assert (found[name]["bits"], found[name]["value"]) == pytest.approx((bits, value)), name
        assert found[name]["optimistic"] == pytest.approx(value)
        assert found[name]["value_error"] == 0.0
    assert next(iter(found)) == "layout"


def test_a_call_to_come_is_worth_what_the_model_says():
    belief = positions.called()
    posterior = belief.infer()
    found = bb.value_of_information(posterior, PAYS, ["call[W]"])
    chances = call_probabilities(belief.bidder, np.ascontiguousarray(posterior.layouts.masks[:, W]), belief.auction)
    pays = np.stack([np.asarray(function(posterior.layouts), float) for function in PAYS.values()], axis=1)
    bits = value = 0.0
    for call in range(38):
        joint = posterior.weights * chances[:, call]
        if total := joint.sum():
            own = chances[:, call][joint > 0]
            bits += float((joint[joint > 0] * np.log2(own / total)).sum())
            value += float((joint @ pays).max())
    row = plain_rows(found)[0]
    assert (row["bits"], row["value"]) == pytest.approx((bits, value - (posterior.weights @ pays).max()))


def test_contracts_as_actions_are_paid_what_the_network_expects():
    posterior = small().infer()
    found = bb.value_of_information(posterior, "1NT,2S,Pass", ["card[SQ]"], scheme="duplicate", pair="E:N")
    table = np.ascontiguousarray(posterior.layouts.masks[:, [E, S, N, W]])
    columns = []
    for name, trump in (("1NT by E", None), ("2S by E", bb.Suit.S)):
        columns.append(trick_probabilities(table, trump) @ payoff(Duplicate(), bb.Contract.of(name)).worth)
    pays = np.stack([*columns, np.zeros(len(posterior))], axis=1)
    bits, value = by_hand(posterior, posterior.layouts.holds("SQ").argmax(axis=1).tolist(), pays)
    row = plain_rows(found)[0]
    assert (row["bits"], row["value"]) == pytest.approx((bits, value), rel=1e-4, abs=1e-4)
    assert found.attrs["action"] in ("1NT by E", "2S by E", "Pass")
    assert found.attrs["score"] == pytest.approx(pays.mean(axis=0).max(), rel=1e-4, abs=1e-4)


def noise(layouts):
    """An answer that has nothing to do with what is paid."""
    return (layouts.masks[:, W] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(57)


def test_of_draws_the_value_is_not_too_hopeful():
    """A worthless question of 128 answers looks valuable by the formula itself, and does not by parts."""
    whole = small().infer()
    layouts = whole.layouts
    pays = np.stack([np.asarray(function(layouts), float) for function in PAYS.values()], axis=1)
    _, right = by_hand(whole, layouts.holds("SQ").argmax(axis=1).tolist(), pays)
    asked = {"noise": noise, "queen": lambda some: some.holds("SQ").argmax(axis=1)}
    scores, hopeful = [], []
    for seed in range(20):
        posterior = small().infer("sample", draws=250, rng=seed)
        rows = {row["question"]: row for row in plain_rows(bb.value_of_information(posterior, PAYS, asked, rng=seed))}
        scores.append((rows["queen"]["value"] - right) / max(rows["queen"]["value_error"], 1e-9))
        hopeful.append((rows["noise"]["optimistic"], rows["noise"]["value"], rows["queen"]["optimistic"] - right))
    optimistic, parted, excess = np.mean(hopeful, axis=0)
    error = np.std(hopeful, axis=0, ddof=1) / np.sqrt(len(hopeful))
    assert optimistic > 4 * error[0]
    assert parted < 4 * error[1]
    assert excess > -4 * error[2]
    assert np.mean(scores) < 4 / np.sqrt(len(scores))


def test_the_usual_questions_are_those_in_doubt():
    posterior = positions.quiet().infer()
    names = usual_questions(posterior)
    assert "card[SQ]" in names
    assert "card[SA]" not in names  # South is known to hold it
    assert not any("[N" in name or "[E" in name for name in names)  # both hands are seen
    assert {"points[S]", "length[W:H]", "layout"} <= set(names)


@pytest.mark.parametrize(
    ("decision", "questions", "says"),
    [
        (PAYS, "colour[SQ]", r"unknown question 'colour\[SQ\]': write card\[SQ\]"),
        (PAYS, [], "no question named"),
        (PAYS, {}, "no question named"),
        (PAYS, "card[SQ],card[SQ]", r"question 'card\[SQ\]' is given twice"),
        (PAYS, "call[E]", r"question 'call\[E\]': E looks at that hand"),
        (PAYS, "call[S]", r"question 'call\[S\]': after 'S:1NT' it is W's turn"),
        (PAYS, "length[Q:S]", "unknown seat 'Q'"),
        (PAYS, {"odd": lambda layouts: np.zeros(3)}, r"question 'odd' gave shape \(3,\)"),
        ({}, "card[SQ]", "no action to choose"),
        ({"odd": lambda layouts: np.full(len(layouts), np.nan)}, "card[SQ]", "action 'odd': give a finite number"),
        ({"odd": lambda layouts: ["x"] * len(layouts)}, "card[SQ]", "action 'odd': give a finite number"),
        ("2S by W", "card[SQ]", "contract '2S by W': W is not of the pair E and N"),
    ],
)
def test_questions_that_are_none(decision, questions, says):
    with pytest.raises(BayesBridgeError, match=says):
        bb.value_of_information(positions.called().infer(), decision, questions)
