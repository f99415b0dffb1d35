"""Contract questions: against the exact answer, with and without a solver, in Python and at the command line."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.evaluate import SECONDS, ask, evaluate
from bayesbridge.estimators.odds import contract_odds, contract_question, network_error
from bayesbridge.estimators.registry import load
from tests import positions

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


@pytest.fixture
def nothing(install):
    """No plugin at all."""


def right(posterior, needed):
    tricks = tricks_of(posterior.layouts)
    return posterior.weights[tricks >= needed].sum(), (posterior.weights * tricks).sum()


@pytest.mark.parametrize("position", [positions.quiet, positions.called])
def test_corrected_answers_agree_with_the_exact_one(solver, position):
    """Equal and unequal weights; twenty seeds, so that the errors themselves are put to the test."""
    posterior = position().infer()
    asked = contract_question(posterior.belief, "1NT", solve=100)
    predicted = evaluate(posterior, [TricksEstimator()], ask(posterior, asked.pair, asked.strain))
    solved = load().estimator("solved")
    scores = []
    for seed in range(20):
        _, odds = contract_odds(predicted, asked, [solved], rng=seed)
        found = np.array([odds.make, odds.mean])
        scores.append((found[:, 0] - right(posterior, 7)) / found[:, 1])
    assert (odds.basis, odds.solved, str(odds.contract), odds.dummy) == ("corrected", 100, "1NT by E", bb.Seat.N)
    assert odds.pmf.sum() == pytest.approx(1.0)
    assert (np.abs(np.mean(scores, axis=0)) < 4 / np.sqrt(20)).all()
    assert (np.sqrt(np.mean(np.square(scores), axis=0)) < 1 + 4 / np.sqrt(40)).all()


def test_the_network_alone_is_wrong_about_that_solver(solver):
    """Negative control: without the correction the answer is another one."""
    posterior = positions.quiet().infer()
    found = bb.estimate(posterior, contract="1NT", solve=0)["contract"].to_dataset()
    assert (found.attrs["basis"], found.attrs["corrected"], int(found.solved)) == ("network", 0, 0)
    assert abs(found["mean"].item() - right(posterior, 7)[1]) > 0.5
    assert found.make_error.item() > 0.01  # the network's own: these are all layouts


def test_every_layout_solved_is_exact(solver):
    posterior = positions.called().infer()
    found = bb.estimate(posterior, contract="1NT", solve=len(posterior))["contract"].to_dataset()
    assert found.attrs["basis"] == "all solved"
    assert (found.make.item(), found["mean"].item()) == pytest.approx(right(posterior, 7))
    assert found.make_error.item() == 0.0


def test_without_a_solver_the_sentence_says_so(nothing, complaint):
    result = bb.estimate(positions.wide().infer(draws=200, rng=1), contract="4SX", by="S")
    found = result["contract"].to_dataset()
    assert found.attrs["contract"] == "4SX by S"
    assert "not corrected by solved layouts; on 5 389 deals held aside" in found.attrs["caution"]
    np.testing.assert_allclose(found.pmf, result["pmf"]["tricks"].values, atol=1e-12)
    assert found.make.item() == pytest.approx(found.pmf[10:].sum().item())
    made, values = found.make.item(), (np.arange(14) >= 10).astype(float)
    own = network_error(found.pmf.values, values, bb.Strain.S)
    assert found.make_error.item() == pytest.approx(np.hypot(np.sqrt(made * (1 - made) / 200), own))
    for words in (["estimate", "--contract", "1NT", "--solve", "5"], ["contracts", "--solve", "5"]):
        assert "argument --solve: nothing can be solved without the plugin" in complaint(*words, *WORDS[1:])


def test_the_number_solved_follows_from_the_time(solver):
    posterior = positions.quiet().infer()
    usual = bb.estimate(posterior, contract="1NT")["contract"].to_dataset()
    less = bb.estimate(posterior, ["capture"], contract="1NT", seconds=2)
    assert int(usual.solved) == round(SECONDS / 0.05)
    assert int(less["contract"].to_dataset().solved) == 40
    assert less.attrs["estimators"] == "capture, tricks"
    assert bb.estimate(posterior, contract="1NT", seconds=1e9)["contract"].attrs["basis"] == "all solved"


def test_a_solver_that_fails_is_named_and_the_network_answers(install):
    install("solver", SOLVER.replace("np.clip(points", "np.clip(20 + points").replace("0, 13)", "0, 99)"))
    posterior = positions.quiet().infer()
    with pytest.warns(UserWarning, match="left out 'solved': .* expected tricks from 0 to 13"):
        found = bb.estimate(posterior, contract="1NT")
    assert found["contract"].attrs["basis"] == "network"


def auction(*calls):
    return bb.Belief("S", positions.SOUTH, dummy=None).given(*(bb.Called(*call.split(":")) for call in calls))


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
    assert contract_question(belief, contract, by).pair == bb.plugins.Question.of(pair).pair


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"contract": "4S", "by": "N"}, "'4S by N': N is the dummy, who does not declare"),
        ({"contract": "4S by E", "by": "W"}, "contract '4S by E' and by W: name one declarer"),
        ({"contract": "4S", "pair": "S:N"}, "pair S:N beside a contract: leave it out"),
        ({"solve": 5}, "solve 5 without a contract"),
        ({"contract": "4S", "solve": 1}, "solve 1: give 0 for none, or at least 2"),
        ({"contract": "4S", "seconds": -1.0}, "seconds -1.0: give a number above 0"),
    ],
)
def test_questions_that_are_none(given, says):
    with pytest.raises(BayesBridgeError, match=says):
        bb.estimate(positions.wide().infer(draws=10, rng=1), **given)


WORDS = ["estimate", "--observer", "E", "--hand", positions.EAST, "--reveal", f"N:{positions.NORTH}"]
WORDS += ["--holds", "S:SA SK S2 HK H3 DA CQ C2"]


def test_the_command_line_answers_as_python(solver, document):
    said = document(*WORDS, "--contract", "1NT", "--solve", "50")["contract"]
    assert (said["name"], said["by"], said["solved"], said["basis"]) == ("1NT", "E", 50, "corrected")
    posterior = positions.quiet().infer(rng=1)
    here = bb.estimate(posterior, contract="1NT", solve=50, rng=1)["contract"].to_dataset()
    assert (said["make"], said["make_error"]) == pytest.approx((here.make.item(), here.make_error.item()))


class Slow:
    """A second for each layout, it says."""

    name = "slow"
    seconds = 1.0
    outputs = (bb.plugins.Output("points", "Points of West.", dtype="int8"),)

    def estimate(self, layouts, question):
        return {"points": layouts.points[:, 3]}


def test_an_estimator_that_takes_long_gets_fewer_layouts():
    posterior = positions.called().infer()
    seen = []
    result = bb.estimate(posterior, [Slow(), "capture"], progress=lambda done, of: seen.append((done, of)))
    assert seen == [(k, 10) for k in range(1, 11)]
    assert (result.attrs["draws"], result.attrs["ess"], result["posterior"].sizes["draw"]) == (10, 10.0, 10)
    assert "10 layouts of these for slow, at 1 seconds each on one core" in result.attrs["why"]
    assert "every answer is exact" not in result.attrs["why"]
    assert result["pmf"]["points"].attrs["exact"] == 0
    whole = bb.estimate(posterior)
    for name, values in whole["marginals"].data_vars.items():
        np.testing.assert_allclose(result["marginals"][name], values)
    for name in ("layouts", "entropy_bits", "log_evidence"):
        assert result.attrs[name] == whole.attrs[name]
    assert bb.estimate(posterior, [Slow(), "capture"]).identical(result)
