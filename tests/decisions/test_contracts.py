"""Contracts by expected score: against sums over every layout, with and without a
solver, and how honest errors are.
"""

from dataclasses import replace

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge import BayesBridgeError, Layouts
from bayesbridge.decisions.contracts import (
    contract_if_passed,
    contract_named,
    contracts_asked,
    pair_of,
    payoff,
)
from bayesbridge.engines.budget import Budget
from bayesbridge.estimators.answer_tables import plain_rows, scheme_words
from bayesbridge.estimators.contract_question import group_of
from bayesbridge.estimators.network import table_tricks
from bayesbridge.estimators.protocol import Question
from bayesbridge.estimators.trick_estimates import Solving, TrickEstimates
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.scoring import NEW, SCORINGS, Duplicate, imps, scoring_of
from tests import positions
from tests.estimators.test_odds import SOLVER, tricks_of

E, N, S, W = bb.Seat.E, bb.Seat.N, bb.Seat.S, bb.Seat.W
PAIR = (E, N)
BY_PAIR = {"pair": "E:N", "scheme": "duplicate"}


def small():
    """East sees the dummy and ten of South's cards: 560 layouts."""
    known = "SA SK S2 HK H3 DA CQ C2 C3 D5"
    return bb.Belief("E", positions.EAST).given(
        bb.Reveal("N", positions.NORTH), bb.Holds("S", known)
    )


class Solver:
    """The stand-in of the tests of contract odds, in this process."""

    name = "solved"
    seconds = 0.05
    outputs = (
        bb.plugins.Output(
            "solved",
            "Tricks.",
            dtype="int8",
            tricks=bb.plugins.TrickCount(at_table=True),
        ),
    )

    def estimate(self, layouts, question):
        return {"solved": solved_tricks(layouts, question.pair, question.trump)}


def solved_tricks(layouts, pair=PAIR, trump=None):
    """Tricks by honours, another number in each strain."""
    return np.clip(
        tricks_of(layouts, pair)
        + (0 if trump is None else layouts.lengths[:, S, trump] % 3),
        0,
        13,
    )


def test_expected_scores_equal_a_sum_over_every_layout_solved(install):
    install("solver", SOLVER)
    posterior = small().infer()
    found = bb.contracts(
        posterior, "1NT,2S,3NTX", against="2S", **BY_PAIR, solve=len(posterior)
    )
    assert found.attrs["caution"].endswith(
        "Every layout was solved (560): what is marked so is exact."
    )
    assert set(found["basis"].values) == {"all solved"}
    tricks = tricks_of(posterior.layouts)
    scores = {
        name: [int(Duplicate().score(bb.Contract.of(name), int(t))) for t in tricks]
        for name in ("1NT by E", "2S by E", "3NTX by E")
    }
    other = scores["2S by E"]
    for row in plain_rows(found):
        own = scores[row["contract"]]
        assert row["score"] == pytest.approx(np.mean(own))
        assert row["make"] == pytest.approx(
            np.mean(tricks >= bb.Contract.of(row["contract"]).tricks_needed)
        )
        assert row["tricks"] == pytest.approx(tricks.mean())
        assert row["difference"] == pytest.approx(np.mean(np.subtract(own, other)))
        assert row["imps"] == pytest.approx(
            np.mean([imps(a - b) for a, b in zip(own, other, strict=True)])
        )
        points = [
            1.0 if a > b else 0.5 if a == b else 0.0
            for a, b in zip(own, other, strict=True)
        ]
        assert row["matchpoints"] == pytest.approx(np.mean(points))
        assert not any(row[name] for name in row if name.endswith("_error"))
    assert found["score"].values.tolist() == sorted(found["score"].values, reverse=True)


def test_without_a_solver_the_network_answers_and_the_caution_says_so(install):
    posterior = small().infer()
    found = bb.contracts(posterior, "1NT,2S", pair="E:N", against="Pass")
    assert (found.attrs["scheme"], found.attrs["solved"], found.attrs["against"]) == (
        "new",
        0,
        "Pass",
    )
    assert (
        "not corrected by solved layouts; on 5 389 deals held aside"
        in found.attrs["caution"]
    )
    table = np.ascontiguousarray(posterior.layouts.masks[:, [E, S, N, W]])
    for name, trump in (("1NT by E", None), ("2S by E", bb.Suit.S)):
        chances = table_tricks(table, trump).mean(axis=0)
        worth = [float(NEW.score(bb.Contract.of(name), t)) for t in range(14)]
        row = found.sel(contract=name)
        assert row["score"].item() == pytest.approx(
            float(chances @ worth), rel=1e-4, abs=1e-3
        )
        assert row["difference"].item() == pytest.approx(row["score"].item())
        assert row["basis"].item() == "network"


def solved(tables, layouts, controls, rng, *groups):
    return tables.solve(
        Solver(), Solving(groups, controls, {}), Budget(solve=layouts), rng
    )


def honest_scores(seeds):
    """z-scores of score, difference and IMPs over draws and solved layouts that are new
    for each seed.
    """
    posterior = small().infer()
    names = ("1NT", "3NT", "2S", "4S")
    asked = [payoff(Duplicate(), bb.Contract.of(name, "E")) for name in names]
    groups = [group_of(bb.Contract.of(name, "E"), N) for name in names]
    whole = TrickEstimates.of(posterior, dict.fromkeys(groups))
    exact = solved(whole, len(posterior), [], 0, *dict.fromkeys(groups))
    assert exact.every

    def numbers(tables):
        less = asked[1][:, None] - asked[2]
        differences = [
            tables.of_two(groups[1], groups[2], one)
            for one in (less, imps(less).astype(float))
        ]
        return [
            tables.mean(one)
            for one in (tables.of_one(groups[1], asked[1]), *differences)
        ]

    truth = numbers(exact)
    scores = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        drawn = rng.integers(0, len(posterior), 300)
        few = replace(
            whole,
            layouts=whole.layouts[drawn],
            weights=np.full(300, 1 / 300),
            ess=300.0,
            pmfs={group: pmf[drawn] for group, pmf in whole.pmfs.items()},
        )
        controls = [few.of_one(groups[1], asked[1]).predicted]
        found = numbers(solved(few, 60, controls, rng, *dict.fromkeys(groups)))
        scores.append(
            [
                (mean - right) / error
                for (mean, error), (right, _) in zip(found, truth, strict=True)
            ]
        )
    return np.array(scores)


def test_errors_are_honest():
    seeds = 30
    scores = honest_scores(seeds)
    assert (np.abs(scores.mean(axis=0)) < 4 / np.sqrt(seeds)).all(), scores.mean(axis=0)
    spread = np.sqrt((scores**2).mean(axis=0))
    assert (spread < 1 + 4 / np.sqrt(2 * seeds)).all(), spread
    assert (spread > 0.4).all(), (
        spread
    )  # errors that are far too large are no use either


def test_the_network_alone_is_wrong_about_that_solver():
    """Negative control: without the correction the same numbers are many errors away."""
    posterior = small().infer()
    group = Question((E, N))
    whole = TrickEstimates.of(posterior, [group])
    worth = payoff(Duplicate(), bb.Contract.of("1NT by E"))
    some = solved(whole, 60, [], 1, group)
    right = worth[solved_tricks(posterior.layouts)].mean()
    mean, error = some.mean(some.of_one(group, worth))
    alone, _ = whole.mean(whole.of_one(group, worth))
    assert abs(mean - right) < 4 * error < abs(alone - right)


def called(*calls, dummy=None):
    return bb.Belief("S", positions.SOUTH, dummy=dummy).given(
        *(bb.Called(*call.split(":")) for call in calls)
    )


@pytest.mark.parametrize(
    ("belief", "count", "first", "last"),
    [
        (positions.wide(), 35, "1C by S", "7NT by S"),
        (called("W:1NT", dummy="N"), 30, "2C by S", "7NT by S"),
        (called("N:1S", "E:2C"), 31, "2C by E", "7NT by S"),
        (called("N:1S", "E:2C", "S:X"), 30, "2CX by E", "7NT by S"),
        (called("N:1S", "E:X"), 32, "1SX by N", "7NT by S"),
        (called("W:7NT"), 2, "7NT by W", "7NTX by W"),
        (called("N:1S", "E:Pass"), 32, "1S by N", "7NT by S"),
        (called("W:1S", "N:Pass", "E:Pass", "S:Pass"), 35, "1C by S", "7NT by S"),
    ],
)
def test_what_the_pair_may_bid(belief, count, first, last):
    found = contracts_asked(belief, None, pair_of(belief, None))
    assert (len(found), str(found[0]), str(found[-1])) == (count, first, last)


def test_who_declares_and_what_is_doubled():
    belief = called("N:1S", "E:Pass")
    asked = contracts_asked(belief, "3NT,4S,4HX", (S, N))
    assert list(map(str, asked)) == ["3NT by S", "4HX by S", "4S by N"]
    assert contracts_asked(belief, bb.Contract.of("4S by S"), (S, N)) == [
        bb.Contract.of("4S by S")
    ]
    assert contract_named(belief, "4H by E", (S, N)) == bb.Contract.of("4H by E")


@pytest.mark.parametrize(
    ("belief", "left"),
    [
        (called(), None),
        (called("W:2S", "N:Pass", "E:Pass"), "2S by W"),
        (called("W:2S", "N:X", "E:Pass"), "2SX by W"),
        (called("N:1S", "E:Pass", "S:2S", "W:Pass"), "2S by N"),
        (called("W:1NT", dummy="N"), None),
        (called("S:1NT", dummy="N"), "1NT by S"),
    ],
)
def test_a_pass_is_the_contract_that_stands(belief, left):
    assert contract_if_passed(belief, (S, N)) == (left and bb.Contract.of(left))
    assert contract_named(belief, "pass", (S, N)) == contract_if_passed(belief, (S, N))


def test_defending_is_paid_to_the_defenders_and_ranked_with_the_rest(install):
    belief = bb.Belief("S", "AQ4.KJ32.A54.K32", dummy=None).given(
        bb.Auction.of("W:2S Pass Pass")
    )
    posterior = belief.infer(draws=400, rng=1)
    found = bb.contracts(posterior, against="Pass", solve=0)
    assert found.attrs["against"] == "2S by W"
    assert found["score"].values.tolist() == sorted(found["score"].values, reverse=True)
    assert (
        "2S by W is what a pass means. Of a contract of the others, makes and tricks"
        in found.attrs["caution"]
    )
    table = np.ascontiguousarray(posterior.layouts.masks[:, [W, N, E, S]])
    chances = posterior.weights @ table_tricks(table, bb.Suit.S)
    for name in ("2S by W", "2SX by W"):
        row, contract = found.sel(contract=name), bb.Contract.of(name)
        worth = [-float(Duplicate().score(contract, t)) for t in range(14)]
        assert row["score"].item() == pytest.approx(
            float(chances @ worth), rel=1e-4, abs=1e-3
        )
        assert row["make"].item() == pytest.approx(float(chances[8:].sum()), rel=1e-4)
        assert row["tricks"].item() == pytest.approx(
            float(chances @ np.arange(14)), rel=1e-4
        )
    less = (
        found.sel(contract="3NT by S")["score"] - found.sel(contract="2S by W")["score"]
    )
    assert found.sel(contract="3NT by S")["difference"].item() == pytest.approx(
        less.item(), abs=1e-3
    )
    named = bb.contracts(posterior, "3NT,2SX by W,Pass", solve=0)
    assert set(named["contract"].values) == {"3NT by S", "2S by W", "2SX by W"}
    assert "2SX by W" not in bb.contracts(posterior, scheme="new", solve=0)["contract"]
    assert bb.contracts(posterior, "Pass,2S by W", solve=0)[
        "contract"
    ].values.tolist() == ["2S by W"]
    with pytest.raises(
        BayesBridgeError, match="contract '1S by W': 2S by W outranks it"
    ):
        bb.contracts(posterior, "1S by W")


def test_a_deal_that_is_passed_out_is_a_row_that_pays_nothing(install):
    posterior = called().infer(draws=100, rng=1)
    row = bb.contracts(posterior, "Pass,7NT", solve=0).isel(contract=0)
    assert (row["contract"].item(), row["score"].item(), row["score_error"].item()) == (
        "Pass",
        0.0,
        0.0,
    )
    assert np.isnan(row["make"])
    with pytest.raises(
        BayesBridgeError,
        match="Pass alone pays nothing here: name a contract beside it",
    ):
        bb.contracts(posterior, "Pass")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"contracts": "4S by W"},
            "contract '4S by W': with three players what W loses is not all yours",
        ),
        (
            {"contracts": "4S by N"},
            "contract '4S by N': N is the dummy, who does not declare",
        ),
        ({"contracts": []}, "no contract named"),
        ({"contracts": "1S"}, "contract '1S by S': 1NT by W outranks it"),
        ({"contracts": "4SX"}, "is doubled: scheme 'new' has no price for that"),
        ({"against": "3NT by W"}, "contract '3NT by W': with three players"),
        (
            {"scheme": "rubber"},
            "unknown scoring scheme 'rubber': write old, new or duplicate",
        ),
        (
            {"scheme": "old", "vulnerable": "NS"},
            "vulnerable NS: scheme 'old' knows no vulnerability",
        ),
        ({"pair": "S:W"}, "pair S:W: partners sit opposite, .*: write S:N"),
        ({"solve": 1}, "solve 1: give 0 for none"),
        ({"seconds": 0.0}, "seconds 0.0: give a number above 0"),
    ],
)
def test_questions_that_are_none(given, says):
    with pytest.raises(BayesBridgeError, match=says):
        bb.contracts(called("W:1NT", dummy="N").infer(draws=10, rng=1), **given)


def test_the_usual_scheme_follows_the_game():
    assert [scoring_of(None, "None", dummy).name for dummy in (None, N)] == [
        "duplicate",
        "new",
    ]
    assert scoring_of(Duplicate(), "None", N) == Duplicate()
    mine = {
        "name": "mine",
        "values": {"C": 1, "D": 2, "H": 3, "S": 4, "NT": 5},
        "undertrick": 10,
    }
    assert scoring_of(mine, "None", None).name == "mine"


class Made:
    """A toy scoring: a point for what is made, doubled or not."""

    name, doubles, imps = "made", True, False

    def score(self, contract, tricks):
        return tricks >= contract.tricks_needed


def test_a_new_scoring_is_a_class_and_a_line(install, monkeypatch):
    monkeypatch.setitem(SCORINGS, "made", lambda _: Made())
    posterior = small().infer()
    by_name, by_value = (
        bb.contracts(posterior, pair="E:N", scheme=one, against="1NT")
        for one in ("made", Made())
    )
    assert by_name.identical(by_value)
    assert by_name["score"].values == pytest.approx(by_name["make"].values)
    assert "imps" not in by_name
    with pytest.raises(BayesBridgeError, match="scheme 'made' knows no vulnerability"):
        bb.contracts(posterior, scheme=Made(), vulnerable="NS")


class MadeVulnerable(Made):
    """The same with twice the points for a side that is vulnerable."""

    def __init__(self, vulnerable):
        self.vulnerable = vulnerable

    def score(self, contract, tricks):
        made = super().score(contract, tricks)
        return 2 * made if contract.declarer in self.vulnerable else made


def test_a_new_scoring_may_know_vulnerability(install, monkeypatch):
    monkeypatch.setitem(SCORINGS, "made", MadeVulnerable)
    posterior = small().infer()
    answers = {
        sides: bb.contracts(posterior, pair="E:N", scheme="made", vulnerable=sides)
        for sides in ("None", "EW")
    }
    assert (answers["EW"]["score"] >= answers["None"]["score"]).all()
    assert not answers["EW"]["score"].equals(answers["None"]["score"])
    words = [
        scheme_words(answer.attrs["scheme"], answer.attrs["vulnerable"])
        for answer in answers.values()
    ]
    assert words == ["scheme made, nobody vulnerable", "scheme made, EW vulnerable"]
    as_value = bb.contracts(
        posterior, pair="E:N", scheme=MadeVulnerable(Vulnerability.EW)
    )
    assert as_value.identical(answers["EW"])
    with pytest.raises(BayesBridgeError, match="'made' was made with EW: make it"):
        bb.contracts(
            posterior, scheme=MadeVulnerable(Vulnerability.EW), vulnerable="NS"
        )


def position(seed):
    """A position of at most 200 layouts after three passes of 3H: North is open, and
    most cards of the others known.
    """
    rng = np.random.default_rng(seed)
    (deal,) = Layouts(bb.deals(1, rng=rng).masks)
    some = {
        seat: rng.permutation([str(card) for card in deal[seat]])[:10] for seat in "EW"
    }
    seen = [bb.Holds(seat, " ".join(cards)) for seat, cards in some.items()]
    south = bb.Belief("S", deal["S"], dummy=None, player=None)
    return south.given(
        bb.Reveal("N", deal["N"]), *seen, bb.Auction.of("W:3H P P")
    ).infer()


def off(seed):
    """By row and column, how many errors the answer is from that of all layouts solved,
    and which rows were solved.
    """
    posterior = position(seed)
    assert posterior.exact
    assert len(posterior) <= 200
    rows = "3NT by S,4S by S,3H by W,3HX by W"
    usual, exact = (
        bb.contracts(
            posterior, named, vulnerable="Both", against="Pass", solve=solve, rng=1
        )
        for named, solve in ((None, 12), (rows, len(posterior)))
    )
    assert set(exact["basis"].values) == {"all solved"}
    names = [
        name for name in exact["contract"].values if name in usual["contract"].values
    ]
    one, other = usual.sel(contract=names), exact.sel(contract=names)
    found = []
    for name in ("make", "tricks", "score", "difference"):
        error = np.hypot(one[f"{name}_error"].values, other[f"{name}_error"].values)
        apart = np.abs(one[name].values - other[name].values)
        found.append(
            np.divide(
                apart, error, out=np.where(apart > 1e-9, np.inf, 0.0), where=error > 0
            )
        )
    return np.array(found), usual


@pytest.mark.parametrize(
    "seeds",
    [[1], pytest.param(range(1, 21), marks=pytest.mark.slow)],
    ids=["one", "twenty"],
)
def test_rows_are_as_near_to_the_solved_ones_as_their_errors_say(seeds):
    found = []
    for seed in seeds:
        apart, usual = off(seed)
        found.append(apart)
        stands = usual["basis"].sel(
            contract=[
                name for name in usual["contract"].values if name.endswith("by W")
            ]
        )
        assert (stands == "corrected").all()
        network = usual["basis"] == "network"
        assert (usual["tricks_error"].where(network, 1) > 0.05).all()
    every = np.concatenate(found, axis=1)
    assert every.max() < 5
    assert (every <= 2).mean() >= 0.95
