"""Contract questions against the exact answer.

With and without a solver, corrected, and as actual tricks.
"""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge import BayesBridgeError, Contract, Seat, Strain
from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.estimators import actual_play, contract_odds
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.calibrated_sample import CalibratedSample
from bayesbridge.estimators.contract_question import contract_question
from bayesbridge.estimators.evaluate import evaluate
from bayesbridge.estimators.odds import network_odds, with_odds
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.estimators.trick_estimates import network_error
from bayesbridge.runtime.progress import watch_progress
from tests import positions
from tests.deals import solved_deals

SOLVER = """
import numpy as np
from bayesbridge.plugins import Output, TrickCount, hookimpl

class Solver:
    "Tricks by the honours of the pair and by the cards of West: nothing that a network knows of."
    name = "solved"
    seconds = 0.05
    outputs = (Output("solved", "Tricks.", dtype="int8", tricks=TrickCount(at_table=True)),)

    def estimate(self, layouts, question):
        points = layouts.points[:, list(question.pair)].sum(axis=1)
        return {"solved": np.clip(points // 3 + layouts.points[:, 3] % 2, 0, 13)}

@hookimpl
def bayesbridge_estimators():
    return [Solver()]
"""


def tricks_of(layouts, pair=(bb.Seat.E, bb.Seat.N)):
    points = layouts.points[:, list(pair)].sum(axis=1)
    return np.clip(points // 3 + layouts.points[:, 3] % 2, 0, 13)


@pytest.fixture
def solver(install):
    install("solver", SOLVER)


def right(posterior, needed):
    tricks = tricks_of(posterior.layouts)
    return posterior.weights[tricks >= needed].sum(), (posterior.weights * tricks).sum()


@pytest.mark.parametrize("position", [positions.quiet, positions.called])
def test_corrected_answers_agree_with_the_exact_one(solver, position):
    """Equal and unequal weights, with twenty seeds.

    So the errors themselves are put to the test.
    """
    posterior = position().infer()
    question = contract_question(posterior.belief, "1NT")
    predicted = evaluate(posterior, [TricksEstimator()], question.group)
    scores = []
    for seed in range(20):
        odds = with_odds(predicted, question, Budget(solve=100), seed).odds
        estimates = np.array([odds.make, odds.mean])
        scores.append((estimates[:, 0] - right(posterior, 7)) / estimates[:, 1])
    assert (odds.basis, odds.solved, str(odds.contract), odds.group.pair[1]) == (
        "corrected",
        100,
        "1NT by E",
        bb.Seat.N,
    )
    assert odds.pmf.sum() == pytest.approx(1.0)
    assert (np.abs(np.mean(scores, axis=0)) < 4 / np.sqrt(20)).all()
    assert (np.sqrt(np.mean(np.square(scores), axis=0)) < 1 + 4 / np.sqrt(40)).all()


def test_answers_that_stop_at_an_error_are_honest(solver):
    """To stop when the error looks small enough makes it no smaller than it is.

    Over forty seeds; half of the error would be too small.
    """
    posterior = positions.quiet().infer()
    question = contract_question(posterior.belief, "1NT")
    predicted = evaluate(posterior, [TricksEstimator()], question.group)
    answers = [
        with_odds(predicted, question, Budget(error=0.05), seed).odds
        for seed in range(40)
    ]
    assert len({odds.solved for odds in answers}) > 1
    assert all(odds.make.error <= 0.05 for odds in answers)
    scores = np.array(
        [
            (odds.make.mean - right(posterior, 7)[0]) / odds.make.error
            for odds in answers
        ]
    )
    assert abs(scores.mean()) < 5 / np.sqrt(40)
    assert (
        np.square(scores).mean()
        < 1 + 5 * np.sqrt(2 / 40)
        < np.square(2 * scores).mean()
    )


def test_the_network_alone_is_wrong_about_that_solver(solver):
    """Negative control: without the correction the answer is another one."""
    posterior = positions.quiet().infer()
    answer = bb.estimate(posterior, contract="1NT", solve=0)["contract"].to_dataset()
    assert (answer.attrs["basis"], answer.attrs["corrected"], int(answer.solved)) == (
        "network",
        0,
        0,
    )
    assert abs(answer["mean"].item() - right(posterior, 7)[1]) > 0.5
    assert answer.make_error.item() > 0.01  # the network's own: these are all layouts


def test_a_defender_is_told_by_how_much_readings_of_auctions_are_off():
    hands = {"W": "J9.T8642.K53.A97", "S": "AKQ2.KJ3.A54.Q32"}
    for bid, kind in {"3NT": "game", "7NT": "grand slam"}.items():
        cautions = []
        for seat, hand in hands.items():
            belief = bb.Belief(seat, hand, dummy=None).given(
                bb.Auction.of(f"S:1NT P {bid} P P P")
            )
            posterior = belief.infer(draws=60, rng=1)
            cautions += [
                network_odds(posterior, bb.Contract.of(f"{contract} by S")).caution
                for contract in (bid, "4S")
            ]
        warning = (
            f"boards of experts {kind}s made {contract_odds.READ_LESS[kind][1]} points"
        )
        assert [warning in caution for caution in cautions] == [
            True,
            False,
            False,
            False,
        ]


def test_without_a_solver_the_sentence_says_so(install, complaint):
    result = bb.estimate(
        positions.wide().infer(draws=200, rng=1), contract="4SX", by="S"
    )
    answer = result["contract"].to_dataset()
    assert answer.attrs["contract"] == "4SX by S"
    assert (
        "not corrected by solved layouts; on 5 389 deals held aside"
        in answer.attrs["caution"]
    )
    np.testing.assert_allclose(answer.pmf, result["pmf"]["tricks"].values, atol=1e-12)
    assert answer.make.item() == pytest.approx(answer.pmf[10:].sum().item())
    made = answer.make.item()
    values = (np.arange(14) >= 10).astype(float)
    own = network_error(answer.pmf.values, values, bb.Strain.S)
    assert answer.make_error.item() == pytest.approx(
        np.hypot(np.sqrt(made * (1 - made) / 200), own)
    )
    for words in (
        ["estimate", "--contract", "1NT", "--solve", "5"],
        ["contracts", "--solve", "5"],
    ):
        assert (
            "argument --solve: nothing can be solved without the plugin"
            in complaint(*words, *WORDS[1:])
        )


def test_the_number_solved_follows_from_the_time(solver):
    posterior = positions.quiet().infer()
    usual = bb.estimate(posterior, contract="1NT")["contract"].to_dataset()
    less = bb.estimate(posterior, ["capture"], contract="1NT", seconds=2)
    assert (
        int(usual.solved) == round(USUAL["estimate"].seconds / 0.05)
        or usual.make_error <= USUAL["estimate"].error
    )
    shorter, longer = (
        bb.estimate(posterior, contract="1NT", error=error)["contract"].to_dataset()
        for error in (0.04, 0.01)
    )
    assert 75 <= int(shorter.solved) < int(longer.solved) == 200
    assert shorter.make_error <= 0.04
    assert int(less["contract"].to_dataset().solved) == 40
    assert less.attrs["estimators"] == "capture, tricks"
    assert (
        bb.estimate(posterior, contract="1NT", seconds=1e9)["contract"].attrs["basis"]
        == "all solved"
    )


def test_a_solver_that_fails_is_named_and_the_network_answers(install):
    install(
        "solver",
        SOLVER.replace("np.clip(points", "np.clip(20 + points").replace(
            "0, 13)", "0, 99)"
        ),
    )
    posterior = positions.quiet().infer()
    with pytest.warns(
        UserWarning, match="left out 'solved': .* expected tricks from 0 to 13"
    ):
        result = bb.estimate(posterior, contract="1NT")
    assert result["contract"].attrs["basis"] == "network"


def auction(*calls):
    return bb.Belief("S", positions.SOUTH, dummy=None).given(
        *(bb.Called(*call.split(":")) for call in calls)
    )


@pytest.mark.parametrize(
    ("belief", "contract", "by", "pair"),
    [
        (positions.wide(), "4S", None, "S:N"),
        (positions.wide(), "4S", "W", "W:N"),
        (positions.wide(), bb.Contract.of("4S by E"), "E", "E:N"),
        (auction("N:1S", "E:Pass"), "4S", None, "N:S"),
        (auction("W:1S", "N:2H"), "2S", None, "S:N"),
        (auction("W:1S", "N:Pass", "E:Pass", "S:Pass"), "4S", None, "W:E"),
    ],
)
def test_who_declares(belief, contract, by, pair):
    assert (
        contract_question(belief, contract, by).group.pair
        == bb.plugins.Question.of(pair).pair
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"contract": "4S", "by": "N"},
            "'4S by N': N is the dummy, who does not declare",
        ),
        (
            {"contract": "4S by E", "by": "W"},
            "contract '4S by E' and by W: name one declarer",
        ),
        ({"contract": "4S", "pair": "S:N"}, "pair S:N beside a contract: leave it out"),
        ({"solve": 5}, "solve 5 without a contract"),
        ({"contract": "4S", "solve": 1}, "solve 1: give 0 for none, or at least 2"),
        ({"contract": "4S", "seconds": -1.0}, "seconds -1.0: give a number above 0"),
    ],
)
def test_questions_that_are_none(given, says):
    with pytest.raises(BayesBridgeError, match=says):
        bb.estimate(positions.wide().infer(draws=10, rng=1), **given)


WORDS = [
    "estimate",
    "--observer",
    "E",
    "--hand",
    positions.EAST,
    "--reveal",
    f"N:{positions.NORTH}",
]
WORDS += ["--holds", "S:SA SK S2 HK H3 DA CQ C2"]


class Slow:
    """A second for each layout, it says."""

    name = "slow"
    seconds = 1.0
    outputs = (bb.plugins.Output("points", "Points of West.", dtype="int8"),)

    def estimate(self, layouts, question):
        return {"points": layouts.points[:, 3]}


def test_an_estimator_that_takes_long_gets_fewer_layouts():
    posterior = positions.called().infer()
    reports = []
    with watch_progress(lambda *report: reports.append(report)):
        result = bb.estimate(posterior, [Slow(), "capture"])
    assert reports == [("layouts", k, 10) for k in range(1, 11)]
    assert (
        result.attrs["draws"],
        result.attrs["ess"],
        result["weighted_draws"].sizes["draw"],
    ) == (10, 10.0, 10)
    assert (
        "10 layouts of these for slow, at 1 seconds each on one core"
        in result.attrs["why"]
    )
    assert "every answer is exact" not in result.attrs["why"]
    assert result["pmf"]["points"].attrs["exact"] == 0
    cheap = bb.estimate(posterior)
    for name, values in cheap["marginals"].data_vars.items():
        np.testing.assert_allclose(result["marginals"][name], values)
    for name in ("layouts", "entropy_bits", "log_evidence"):
        assert result.attrs[name] == cheap.attrs[name]
    assert bb.estimate(posterior, [Slow(), "capture"]).identical(result)


def test_every_layout_solved_and_passed_through(solver):
    """All the figures follow from the exact distribution and the table.

    The control is another contract's table.
    """
    posterior = positions.called().infer()
    plain, passed = (
        bb.estimate(posterior, contract="3NT", solve=len(posterior), actual=on)[
            "contract"
        ].to_dataset()
        for on in (False, True)
    )
    assert (plain.make.item(), plain["mean"].item()) == pytest.approx(
        right(posterior, 9)
    )
    assert plain.make_error.item() == 0.0
    table = actual_play.actual_table(Contract.of("3NT by E"))
    np.testing.assert_allclose(passed.pmf, plain.pmf.values @ table, atol=1e-12)
    assert (
        np.abs(
            passed.pmf.values
            - plain.pmf.values @ actual_play.actual_table(Contract.of("6C by E"))
        ).max()
        > 1e-3
    )
    assert passed.make.item() == pytest.approx(passed.pmf[9:].sum().item())
    assert passed["mean"].item() == pytest.approx(
        (passed.pmf * passed.tricks).sum().item()
    )
    assert (passed.attrs["actual"], plain.attrs["actual"]) == (1, 0)
    assert passed.attrs["basis"] == plain.attrs["basis"] == "all solved"
    assert "tables of experts" in passed.attrs["caution"]
    assert "tables of experts" not in plain.attrs["caution"]


def test_corrected_answers_cover_the_exact_one(solver):
    """Forty seeds: the errors that are stated after the step hold too."""
    posterior = positions.quiet().given(bb.Holds("S", "HJ D2")).infer()
    exact = bb.estimate(posterior, contract="3NT", solve=len(posterior), actual=True)[
        "contract"
    ].to_dataset()
    scores = []
    for seed in range(40):
        corrected = bb.estimate(
            posterior, contract="3NT", solve=60, actual=True, rng=seed
        )["contract"].to_dataset()
        deviations = []
        for name in ("make", "mean"):
            difference = (corrected[name] - exact[name]).item()
            deviations.append(difference / corrected[f"{name}_error"].item())
        scores.append(deviations)
    assert (np.abs(np.mean(scores, axis=0)) < 5 / np.sqrt(40)).all()
    assert (np.mean(np.square(scores), axis=0) < 1 + 5 * np.sqrt(2 / 40)).all()


def test_the_command_line_answers_as_python(solver, document, answer):
    answer_document = document(*WORDS, "--contract", "1NT", "--solve", "50")["contract"]
    assert (
        answer_document["name"],
        answer_document["by"],
        answer_document["solved"],
        answer_document["basis"],
    ) == (
        "1NT",
        "E",
        50,
        "corrected",
    )
    in_python = bb.estimate(
        positions.quiet().infer(rng=1), contract="1NT", solve=50, rng=1
    )["contract"].to_dataset()
    assert (answer_document["make"], answer_document["make_error"]) == pytest.approx(
        (in_python.make.item(), in_python.make_error.item())
    )
    question = (*WORDS, "--contract", "3NT", "--by", "S", "--solve", "0")
    text = answer(*question, "--actual")
    assert "3NT by S: actual tricks of South, dummy North" in text
    assert "points off the share that made" in text
    plain, passed = (
        document(*question, *options)["contract"] for options in ((), ("--actual",))
    )
    assert (plain["actual"], passed["actual"]) == (False, True)
    before, after = (
        np.array(list(contract["tricks"]["pmf"].values()))
        for contract in (plain, passed)
    )
    np.testing.assert_allclose(
        after, before @ actual_play.actual_table(Contract.of("3NT by S")), atol=1e-9
    )


NORMAL = 0.9545  # share of a normal distribution within two standard deviations


def covered(chance, predicted, solved, repetitions, rng, factor=1.0):
    """How often the share of solved layouts that make is within two errors.

    The errors are from the truth.

    ``chance`` (n,) is 1 where a layout makes, ``predicted`` (n,) what the network says
    of it.
    """
    truth = chance.mean()
    hits = 0
    for _ in range(repetitions):
        places = rng.integers(len(chance), size=solved)
        sample = CalibratedSample.of(
            np.full(solved, 1 / solved), predicted[places, None], predicted.mean()[None]
        )
        share, error = sample.share(chance[places])
        hits += abs(share - truth) <= 2 * factor * error
    return hits


@pytest.mark.parametrize("strain", Strain)
def test_two_errors_cover_to_the_edge(strain):
    """Over real deals with all declarers, as stated and not with half the error.

    The goals reach from contracts that nearly always make to those that nearly never
    do.
    """
    (layouts, tables) = solved_deals()
    goals = range(2, 12)
    repetitions = 100
    rng = np.random.default_rng(5)
    questions = [Question.of((seat, seat.partner), trump=strain.trump) for seat in Seat]
    guesses = np.concatenate(
        [run(TricksEstimator(), layouts, question)["tricks"] for question in questions]
    ).astype(np.float64)
    truth = np.concatenate([tables[:, strain, seat] for seat in Seat])
    made = [(truth >= goal).astype(np.float64) for goal in goals]
    predicted = [guesses[:, goal:].sum(axis=1) for goal in goals]
    assert made[-1].mean() < 0.1 < 0.9 < made[0].mean()

    def coverage(factor):
        hits = 0
        for pair in zip(made, predicted, strict=True):
            hits += covered(*pair, 100, repetitions, rng, factor)
        return hits / (repetitions * len(goals))

    stated = coverage(1.0)
    halved = coverage(0.5)
    margin = 4 * np.sqrt(NORMAL * (1 - NORMAL) / (repetitions * len(goals)))
    assert 0.93 - margin / 2 < stated < 0.98 + margin / 2
    assert halved < 0.93 - margin
