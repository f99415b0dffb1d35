"""The value of information against plain sums over every layout.

Of draws it is neither too hopeful nor useless.
"""

from collections import defaultdict
from math import log2

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.decisions.contracts import payoff
from bayesbridge.decisions.information import enquiries
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer_tables import plain_rows
from bayesbridge.estimators.network import table_tricks
from bayesbridge.game.scoring import Duplicate
from tests import positions
from tests.decisions.test_contracts import small

E = bb.Seat.E
N = bb.Seat.N
S = bb.Seat.S
W = bb.Seat.W
PAYS = {
    "on points": lambda layouts: layouts.points[:, S] - 15.0,
    "on spades": lambda layouts: 3.0 * (layouts.lengths[:, S, bb.Suit.S] - 3),
    "nothing": lambda layouts: np.zeros(len(layouts)),
}


def by_hand(posterior, answers, pays):
    """Bits and value from dictionaries: no array knows of another."""
    weight = defaultdict(float)
    paid = defaultdict(lambda: np.zeros(pays.shape[1]))
    for answer, share, row in zip(answers, posterior.weights, pays, strict=True):
        weight[answer] += share
        paid[answer] += share * row
    bits = -sum(share * log2(share) for share in weight.values())
    return bits, sum(map(max, paid.values())) - max(posterior.weights @ pays)


@pytest.mark.parametrize("position", [small, positions.called])
def test_values_equal_brute_force(position):
    posterior = position().infer()
    layouts = posterior.layouts
    pays = np.stack(
        [np.asarray(function(layouts), float) for function in PAYS.values()], axis=1
    )
    answers = {
        "card[SQ]": layouts.holds("SQ").argmax(axis=1),
        "length[S:S]": layouts.lengths[:, S, bb.Suit.S],
        "points[W]": layouts.points[:, W],
        "layout": np.arange(len(layouts)),
    }
    rows = {
        row["question"]: row
        for row in plain_rows(bb.value_of_information(posterior, PAYS, list(answers)))
    }
    for name, values in answers.items():
        bits, value = by_hand(posterior, values.tolist(), pays)
        assert (rows[name]["bits"], rows[name]["value"]) == pytest.approx(
            (bits, value)
        ), name
        assert rows[name]["optimistic"] == pytest.approx(value)
        assert rows[name]["value_error"] == rows[name]["optimistic_error"] == 0.0
    assert next(iter(rows)) == "layout"


def test_a_call_to_come_is_worth_what_the_model_says():
    belief = positions.called()
    posterior = belief.infer()
    answer = bb.value_of_information(posterior, PAYS, ["call[W]"])
    chances = call_probabilities(
        belief.bidder,
        np.ascontiguousarray(posterior.layouts.masks[:, W]),
        belief.auction,
    )
    pays = np.stack(
        [np.asarray(function(posterior.layouts), float) for function in PAYS.values()],
        axis=1,
    )
    bits = value = 0.0
    for call in range(38):
        joint = posterior.weights * chances[:, call]
        total = joint.sum()
        if total:
            own = chances[:, call][joint > 0]
            bits += float((joint[joint > 0] * np.log2(own / total)).sum())
            value += float((joint @ pays).max())
    row = plain_rows(answer)[0]
    assert (row["bits"], row["value"]) == pytest.approx(
        (bits, value - (posterior.weights @ pays).max())
    )


def test_contracts_as_actions_are_paid_what_the_network_expects():
    posterior = small().infer()
    answer = bb.value_of_information(
        posterior, "1NT,2S,Pass", ["card[SQ]"], scheme="duplicate", pair="E:N"
    )
    table = np.ascontiguousarray(posterior.layouts.masks[:, [E, S, N, W]])
    columns = []
    for name, trump in (("1NT by E", None), ("2S by E", bb.Suit.S)):
        columns.append(
            table_tricks(table, trump) @ payoff(Duplicate(), bb.Contract.of(name))
        )
    pays = np.stack([*columns, np.zeros(len(posterior))], axis=1)
    bits, value = by_hand(
        posterior, posterior.layouts.holds("SQ").argmax(axis=1).tolist(), pays
    )
    row = plain_rows(answer)[0]
    assert (row["bits"], row["value"]) == pytest.approx(
        (bits, value), rel=1e-4, abs=1e-4
    )
    assert answer.attrs["action"] in ("1NT by E", "2S by E", "Pass")
    assert answer.attrs["score"] == pytest.approx(
        pays.mean(axis=0).max(), rel=1e-4, abs=1e-4
    )


def noise(layouts):
    """An answer that has nothing to do with what is paid."""
    return (layouts.masks[:, W] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(57)


def of_seeds(posterior_of, pays, questions, seeds):
    """(seeds, questions, 4) value, optimistic and their errors."""
    estimates = []
    for seed in range(seeds):
        answer = bb.value_of_information(
            posterior_of(seed), pays, questions, rng=seed
        ).sel(question=list(questions))
        names = ("value", "optimistic", "value_error", "optimistic_error")
        estimates.append(np.stack([answer[name].values for name in names], axis=1))
    return np.array(estimates)


def verify_bounds(estimates, truth):
    """On average neither above the truth nor below it, one within the other.

    The errors are as large as the spread.
    """
    means = estimates[..., :2].mean(axis=0)
    errors = estimates[..., :2].std(axis=0, ddof=1) / np.sqrt(len(estimates))
    assert (means[:, 0] < truth + 5 * errors[:, 0]).all()
    assert (means[:, 1] > truth - 5 * errors[:, 1]).all()
    assert (estimates[..., 0] <= estimates[..., 1] + 1e-12).all()
    # The spread of so many numbers is itself uncertain by one part in √(2 · seeds).
    assert (
        errors * np.sqrt(len(estimates))
        < estimates[..., 2:].mean(axis=0) * (1 + 5 / np.sqrt(2 * len(estimates)))
    ).all()


@pytest.mark.parametrize("draws", [50, 500])
def test_a_two_way_guess_is_worth_one_half(draws):
    """East or West holds the queen: 1/2 is scored without an answer, 1 with it."""
    belief = bb.Belief("S", "AKJ2.KJ3.A54.Q32").given(
        bb.Reveal("N", "543.AQ2.KQ76.A54")
    )
    guess = {
        seat.name: lambda layouts, seat=seat: layouts.holds("SQ")[:, seat]
        for seat in (E, W)
    }
    posteriors = [belief.infer("direct", draws=draws, rng=seed) for seed in range(60)]
    estimates = of_seeds(posteriors.__getitem__, guess, ["card[SQ]", "layout"], 60)
    verify_bounds(estimates, 0.5)
    # A control: the score without an answer as the greater of two means of the same
    # draws makes the answer look cheap.
    plain = np.array(
        [
            1.0 - posterior.layouts.holds("SQ")[:, [E, W]].mean(axis=0).max()
            for posterior in posteriors
        ]
    )
    with pytest.raises(AssertionError):
        verify_bounds(np.stack([plain, plain, plain, plain], axis=1)[:, None], 0.5)


def test_of_draws_an_answer_that_tells_nothing_is_not_shown_to_be_worth_anything():
    """A question of 128 answers looks valuable on the draws that chose actions.

    So actions are not chosen and paid on the same draws.
    """
    posterior = small().infer()
    pays = np.stack(
        [np.asarray(function(posterior.layouts), float) for function in PAYS.values()],
        axis=1,
    )
    _, queen = by_hand(
        posterior, posterior.layouts.holds("SQ").argmax(axis=1).tolist(), pays
    )
    _, nothing = by_hand(posterior, noise(posterior.layouts).tolist(), pays)
    questions = {
        "noise": noise,
        "queen": lambda layouts: layouts.holds("SQ").argmax(axis=1),
    }
    estimates = of_seeds(
        lambda seed: small().infer("direct", draws=250, rng=seed), PAYS, questions, 40
    )
    verify_bounds(estimates, np.array([nothing, queen]))
    swapped = estimates[..., [1, 0, 3, 2]]
    with pytest.raises(AssertionError):
        verify_bounds(swapped, np.array([nothing, queen]))


def test_the_usual_questions_are_those_in_doubt():
    posterior = positions.quiet().infer()
    names = [enquiry.name for enquiry in enquiries(posterior, None)]
    assert "card[SQ]" in names
    assert "card[SA]" not in names  # South is known to hold it
    # both hands are seen
    assert not any("[N" in name or "[E" in name for name in names)
    assert {"points[S]", "length[W:H]", "layout"} <= set(names)


@pytest.mark.parametrize(
    ("decision", "questions", "says"),
    [
        (PAYS, "colour[SQ]", r"unknown question 'colour\[SQ\]': write card\[SQ\]"),
        (PAYS, [], "no question named"),
        (PAYS, "call[E]", r"question 'call\[E\]': E looks at that hand"),
        (PAYS, "call[S]", r"question 'call\[S\]': after 'S:1NT' it is W's turn"),
        (PAYS, "length[Q:S]", "unknown seat 'Q'"),
        (PAYS, {"odd": lambda layouts: np.zeros(3)}, r"'odd' gave shape \(3,\)"),
        ({}, "card[SQ]", "no action to choose"),
        (
            {"odd": lambda layouts: np.full(len(layouts), np.nan)},
            "card[SQ]",
            "actions odd: let each pay",
        ),
        (
            {"odd": lambda layouts: ["x"] * len(layouts)},
            "card[SQ]",
            "actions odd: let each pay",
        ),
        (
            "2S by W",
            "card[SQ]",
            "contract '2S by W': with three players what W loses is not all yours",
        ),
    ],
)
def test_questions_that_are_none(decision, questions, says):
    with pytest.raises(BayesBridgeError, match=says):
        bb.value_of_information(positions.called().infer(), decision, questions)
