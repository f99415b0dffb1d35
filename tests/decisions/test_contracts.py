"""Contracts by expected score.

They are compared with sums over every layout, with and without a solver, and errors are
to be honest.
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

N, E, S, W = bb.Seat
PAIR = (E, N)
BY_PAIR = {"pair": "E:N", "scheme": "duplicate"}


def small():
    """East sees the dummy and ten of South's cards: 560 layouts."""
    shown_cards = "SA SK S2 HK H3 DA CQ C2 C3 D5"
    return bb.Belief("E", positions.EAST).given(
        bb.Reveal("N", positions.NORTH), bb.Holds("S", shown_cards)
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
    ranking = bb.contracts(
        posterior, "1NT,2S,3NTX", against="2S", **BY_PAIR, solve=len(posterior)
    )
    assert ranking.attrs["caution"].endswith(
        "Every layout was solved (560): what is marked so is exact."
    )
    assert set(ranking["basis"].values) == {"all solved"}
    tricks = tricks_of(posterior.layouts)
    scores = {
        name: scores_of(name, tricks) for name in ("1NT by E", "2S by E", "3NTX by E")
    }
    rival = scores["2S by E"]
    for row in plain_rows(ranking):
        own = scores[row["contract"]]
        assert row["score"] == pytest.approx(np.mean(own))
        assert row["make"] == pytest.approx(
            np.mean(tricks >= bb.Contract.of(row["contract"]).tricks_needed)
        )
        assert row["tricks"] == pytest.approx(tricks.mean())
        assert row["difference"] == pytest.approx(np.mean(np.subtract(own, rival)))
        assert row["imps"] == pytest.approx(
            np.mean([imps(a - b) for a, b in zip(own, rival, strict=True)])
        )
        points = [
            1.0 if a > b else 0.5 if a == b else 0.0
            for a, b in zip(own, rival, strict=True)
        ]
        assert row["matchpoints"] == pytest.approx(np.mean(points))
        assert not any(row[name] for name in row if name.endswith("_error"))
    assert ranking["score"].values.tolist() == sorted(
        ranking["score"].values, reverse=True
    )


def scores_of(name, tricks):
    """Duplicate scores of a contract for several numbers of tricks."""
    contract = bb.Contract.of(name)
    return [int(Duplicate().score(contract, int(number))) for number in tricks]


def test_without_a_solver_the_network_answers_and_the_caution_says_so(install):
    posterior = small().infer()
    ranking = bb.contracts(posterior, "1NT,2S", pair="E:N", against="Pass")
    assert (
        ranking.attrs["scheme"],
        ranking.attrs["solved"],
        ranking.attrs["against"],
    ) == (
        "new",
        0,
        "Pass",
    )
    assert (
        "not corrected by solved layouts; on 5 389 deals held aside"
        in ranking.attrs["caution"]
    )
    table = np.ascontiguousarray(posterior.layouts.masks[:, [E, S, N, W]])
    for name, trump in (("1NT by E", None), ("2S by E", bb.Suit.S)):
        chances = table_tricks(table, trump).mean(axis=0)
        worth = [float(NEW.score(bb.Contract.of(name), t)) for t in range(14)]
        row = ranking.sel(contract=name)
        assert row["score"].item() == pytest.approx(
            float(chances @ worth), rel=1e-4, abs=1e-3
        )
        assert row["difference"].item() == pytest.approx(row["score"].item())
        assert row["basis"].item() == "network"


def solved(estimates, layouts, controls, rng, *groups):
    """The estimates after so many layouts are solved."""
    work = Solving(groups, controls, {})
    return estimates.solve(Solver(), work, Budget(solve=layouts), rng)


FIRST = bb.Contract.of("3NT by E")
SECOND = bb.Contract.of("2S by E")


def figures(estimates):
    """Means of the score of the first contract, of its gain over the second, and IMPs."""
    first_group = group_of(FIRST, N)
    second_group = group_of(SECOND, N)
    scores = payoff(Duplicate(), FIRST)
    difference = scores[:, None] - payoff(Duplicate(), SECOND)
    in_imps = imps(difference).astype(float)
    numbers = [
        estimates.of_one(first_group, scores),
        estimates.of_two(first_group, second_group, difference),
        estimates.of_two(first_group, second_group, in_imps),
    ]
    return [estimates.mean(number) for number in numbers]


def redrawn(estimates, n, rng):
    """The same on n layouts that are drawn from all of them."""
    drawn = rng.integers(0, len(estimates.layouts), n)
    return replace(
        estimates,
        layouts=estimates.layouts[drawn],
        weights=np.full(n, 1 / n),
        ess=float(n),
        pmfs={group: pmf[drawn] for group, pmf in estimates.pmfs.items()},
    )


def honest_scores(seeds):
    """z-scores of these figures over draws and solved layouts, new for each seed."""
    posterior = small().infer()
    names = ("1NT", "3NT", "2S", "4S")
    groups = dict.fromkeys(group_of(bb.Contract.of(name, "E"), N) for name in names)
    by_network = TrickEstimates.of(posterior, groups)
    exact = solved(by_network, len(posterior), [], 0, *groups)
    assert exact.every
    truth = figures(exact)
    z_scores = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        few = redrawn(by_network, 300, rng)
        scores = few.of_one(group_of(FIRST, N), payoff(Duplicate(), FIRST)).predicted
        estimated = figures(solved(few, 60, [scores], rng, *groups))
        z_scores.append(
            [
                (mean - true_mean) / error
                for (mean, error), (true_mean, _) in zip(estimated, truth, strict=True)
            ]
        )
    return np.array(z_scores)


def test_errors_are_honest():
    seeds = 30
    scores = honest_scores(seeds)
    assert (np.abs(scores.mean(axis=0)) < 4 / np.sqrt(seeds)).all(), scores.mean(axis=0)
    spread = np.sqrt((scores**2).mean(axis=0))
    assert (spread < 1 + 4 / np.sqrt(2 * seeds)).all(), spread
    # Errors that are far too large are no use either.
    assert (spread > 0.4).all(), spread


def test_the_network_alone_is_wrong_about_that_solver():
    """Negative control: without the correction the same numbers are many errors away."""
    posterior = small().infer()
    group = Question((E, N))
    by_network = TrickEstimates.of(posterior, [group])
    worth = payoff(Duplicate(), bb.Contract.of("1NT by E"))
    by_sixty = solved(by_network, 60, [], 1, group)
    truth = worth[solved_tricks(posterior.layouts)].mean()
    mean, error = by_sixty.mean(by_sixty.of_one(group, worth))
    network_mean, _ = by_network.mean(by_network.of_one(group, worth))
    assert abs(mean - truth) < 4 * error < abs(network_mean - truth)


def called(*calls, dummy=None):
    return bb.Belief("S", positions.SOUTH, dummy=dummy).given(
        *(bb.Called(*call.split(":")) for call in calls)
    )


@pytest.mark.parametrize(
    ("belief", "count", "lowest", "highest"),
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
def test_what_the_pair_may_bid(belief, count, lowest, highest):
    names = list(map(str, contracts_asked(belief, None, pair_of(belief, None))))
    assert (len(names), names[0], names[-1]) == (count, lowest, highest)


def test_who_declares_and_what_is_doubled():
    belief = called("N:1S", "E:Pass")
    contracts = contracts_asked(belief, "3NT,4S,4HX", (S, N))
    assert list(map(str, contracts)) == ["3NT by S", "4HX by S", "4S by N"]
    assert contracts_asked(belief, bb.Contract.of("4S by S"), (S, N)) == [
        bb.Contract.of("4S by S")
    ]
    assert contract_named(belief, "4H by E", (S, N)) == bb.Contract.of("4H by E")


@pytest.mark.parametrize(
    ("belief", "standing"),
    [
        (called(), None),
        (called("W:2S", "N:Pass", "E:Pass"), "2S by W"),
        (called("W:2S", "N:X", "E:Pass"), "2SX by W"),
        (called("N:1S", "E:Pass", "S:2S", "W:Pass"), "2S by N"),
        (called("W:1NT", dummy="N"), None),
        (called("S:1NT", dummy="N"), "1NT by S"),
    ],
)
def test_a_pass_is_the_contract_that_stands(belief, standing):
    contract = standing and bb.Contract.of(standing)
    assert contract_if_passed(belief, (S, N)) == contract
    assert contract_named(belief, "pass", (S, N)) == contract_if_passed(belief, (S, N))


def test_defending_is_paid_to_the_defenders_and_ranked_with_the_rest(install):
    belief = bb.Belief("S", "AQ4.KJ32.A54.K32", dummy=None).given(
        bb.Auction.of("W:2S Pass Pass")
    )
    posterior = belief.infer(draws=400, rng=1)
    ranking = bb.contracts(posterior, against="Pass", solve=0)
    assert ranking.attrs["against"] == "2S by W"
    assert ranking["score"].values.tolist() == sorted(
        ranking["score"].values, reverse=True
    )
    assert (
        "2S by W is what a pass means. Of a contract of the others, makes and tricks"
        in ranking.attrs["caution"]
    )
    table = np.ascontiguousarray(posterior.layouts.masks[:, [W, N, E, S]])
    chances = posterior.weights @ table_tricks(table, bb.Suit.S)
    for name in ("2S by W", "2SX by W"):
        row = ranking.sel(contract=name)
        contract = bb.Contract.of(name)
        worth = [-float(Duplicate().score(contract, t)) for t in range(14)]
        assert row["score"].item() == pytest.approx(
            float(chances @ worth), rel=1e-4, abs=1e-3
        )
        assert row["make"].item() == pytest.approx(float(chances[8:].sum()), rel=1e-4)
        assert row["tricks"].item() == pytest.approx(
            float(chances @ np.arange(14)), rel=1e-4
        )
    less = (
        ranking.sel(contract="3NT by S")["score"]
        - ranking.sel(contract="2S by W")["score"]
    )
    assert ranking.sel(contract="3NT by S")["difference"].item() == pytest.approx(
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
    ("question", "fault"),
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
def test_questions_that_are_none(question, fault):
    posterior = called("W:1NT", dummy="N").infer(draws=10, rng=1)
    with pytest.raises(BayesBridgeError, match=fault):
        bb.contracts(posterior, **question)


def test_the_usual_scheme_follows_the_game():
    assert [scoring_of(None, "None", dummy).name for dummy in (None, N)] == [
        "duplicate",
        "new",
    ]
    assert scoring_of(Duplicate(), "None", N) == Duplicate()
    own_scheme = {
        "name": "mine",
        "values": {"C": 1, "D": 2, "H": 3, "S": 4, "NT": 5},
        "undertrick": 10,
    }
    assert scoring_of(own_scheme, "None", None).name == "mine"


class Made:
    """A toy scoring: a point for what is made, doubled or not."""

    name = "made"
    doubles = True
    imps = False

    def score(self, contract, tricks):
        return tricks >= contract.tricks_needed


def test_a_new_scoring_is_a_class_and_a_line(install, monkeypatch):
    monkeypatch.setitem(SCORINGS, "made", lambda _: Made())
    posterior = small().infer()
    by_name, by_value = (
        bb.contracts(posterior, pair="E:N", scheme=scheme, against="1NT")
        for scheme in ("made", Made())
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
    """A position of at most 200 layouts after three passes of 3H.

    North is open, and most cards of the others are known.
    """
    rng = np.random.default_rng(seed)
    (deal,) = Layouts(bb.deals(1, rng=rng).masks)
    known_cards = []
    for seat in "EW":
        cards = rng.permutation(list(map(str, deal[seat])))[:10]
        known_cards.append(bb.Holds(seat, " ".join(cards)))
    south = bb.Belief("S", deal["S"], dummy=None, player=None)
    return south.given(
        bb.Reveal("N", deal["N"]), *known_cards, bb.Auction.of("W:3H P P")
    ).infer()


def off(seed):
    """How many errors the answer is from that of all layouts solved, and the answer.

    The errors come by column and row.
    """
    posterior = position(seed)
    assert posterior.exact
    assert len(posterior) <= 200
    contracts = "3NT by S,4S by S,3H by W,3HX by W"
    usual, exact = (
        bb.contracts(
            posterior, named, vulnerable="Both", against="Pass", solve=solve, rng=1
        )
        for named, solve in ((None, 12), (contracts, len(posterior)))
    )
    assert set(exact["basis"].values) == {"all solved"}
    names = [
        name for name in exact["contract"].values if name in usual["contract"].values
    ]
    usual_rows = usual.sel(contract=names)
    exact_rows = exact.sel(contract=names)
    errors_apart = []
    for name in ("make", "tricks", "score", "difference"):
        error = np.hypot(
            usual_rows[f"{name}_error"].values, exact_rows[f"{name}_error"].values
        )
        distance = np.abs(usual_rows[name].values - exact_rows[name].values)
        errors_apart.append(
            np.divide(
                distance,
                error,
                out=np.where(distance > 1e-9, np.inf, 0.0),
                where=error > 0,
            )
        )
    return np.array(errors_apart), usual


@pytest.mark.parametrize(
    "seeds",
    [[1], pytest.param(range(1, 21), marks=pytest.mark.slow)],
    ids=["one", "twenty"],
)
def test_rows_are_as_near_to_the_solved_ones_as_their_errors_say(seeds):
    errors_apart = []
    for seed in seeds:
        apart, usual = off(seed)
        errors_apart.append(apart)
        stands = usual["basis"].sel(
            contract=[
                name for name in usual["contract"].values if name.endswith("by W")
            ]
        )
        assert (stands == "corrected").all()
        network = usual["basis"] == "network"
        assert (usual["tricks_error"].where(network, 1) > 0.05).all()
    all_errors_apart = np.concatenate(errors_apart, axis=1)
    assert all_errors_apart.max() < 5
    assert (all_errors_apart <= 2).mean() >= 0.95


def test_a_scheme_without_doubles_that_leaves_no_contract_is_named():
    """All that is left is to pass a doubled grand slam, which the scheme cannot pay."""
    doubled = bb.Auction.of("W:7NT X Pass")
    belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32", dummy=None).given(doubled)
    posterior = belief.infer(draws=10, rng=1)
    assert not NEW.doubles
    with pytest.raises(BayesBridgeError, match="'new' has no price for doubled"):
        bb.contracts(posterior, scheme="new", solve=0)
