"""Whatever an estimator does wrong it is named, and the others go on."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.errors import PluginError
from bayesbridge.estimators.builtin import BidEstimator
from bayesbridge.estimators.evaluate import evaluate
from bayesbridge.estimators.protocol import Output, Question
from tests import positions

QUESTION = Question.of("S:N")


class Wild:
    """One whole number a layout, or whatever it is told to do instead."""

    name = "wild"
    outputs = (Output("x", "A number.", dtype="int16"),)

    def __init__(self, estimate=None, distribution=None, outputs=outputs):
        self.answer = estimate
        self.counts = distribution
        self.outputs = outputs

    def estimate(self, layouts, question):
        return (
            {"x": np.ones(len(layouts), np.int16)}
            if self.answer is None
            else self.answer(len(layouts))
        )

    def distribution(self, constraints, question):
        return None if self.counts is None else self.counts()


def leave(*_):
    raise SystemExit(0)


def divide(*_):
    return 1 / 0


@pytest.fixture(scope="module")
def few():
    return positions.passed().infer("likelihood-weighting", draws=50, rng=1)


@pytest.fixture(scope="module")
def drawn():
    return positions.quiet().infer("direct", draws=50, rng=1)


def named(posterior, wild):
    """What is said of the wild one; the other answers all the same."""
    evaluation = evaluate(posterior, [wild, BidEstimator()], QUESTION)
    assert {number.estimator for number in evaluation.numbers.values()} == {"bid"}
    (failure,) = evaluation.failures.values()
    assert failure.data["plugin"] == "wild"
    assert str(failure).startswith("estimator 'wild'")
    assert "\n" not in str(failure)
    return str(failure)


@pytest.mark.parametrize(
    ("wild", "says"),
    [
        (Wild(divide), "raised ZeroDivisionError on 50 layouts: division by zero"),
        (Wild(leave), "raised SystemExit on 50 layouts: 0"),
        (
            Wild(lambda n: {"x": np.arange(n) * 1000}),
            "x: expected values within int16, got 0 … 49000",
        ),
        (
            Wild(lambda n: {"x": np.arange(n, dtype=np.int16) * 600}),
            "output 'x' ranges from 0 to 29400: declare a float",
        ),
        (Wild(outputs=(Output("x", "A number.", dtype="U1"),)), "must hold numbers"),
        (Wild(outputs="x"), "declares no output"),
        (
            Wild(
                lambda n: {"x": np.full(n, 1e200)}, outputs=(Output("x", "A number."),)
            ),
            "numbers whose squares pass 2e",
        ),
    ],
)
def test_it_is_named_and_the_others_answer(few, wild, says):
    assert says in named(few, wild)


def test_what_it_raises_is_told_with_its_own_line(few):
    """NumPy raises here; the line that called NumPy is told."""
    wild = Wild(lambda n: {"x": np.ones(n).reshape(3, 7)})
    line = wild.answer.__code__.co_firstlineno
    assert named(few, wild).endswith(f"into shape (3,7) (at {__file__}:{line})")


TOTAL = positions.quiet().count()
COUNTS = {
    "raises": (divide, "raised ZeroDivisionError on the distribution of all layouts"),
    "a number": (lambda: 7, "expected some of the integer outputs ['x'], got int"),
    "too few": (lambda: {"x": (0, [1, 2])}, "expected a lowest value and counts"),
}


@pytest.mark.parametrize(("counts", "says"), COUNTS.values(), ids=COUNTS)
def test_also_when_it_counts(drawn, counts, says):
    assert says in named(drawn, Wild(distribution=counts))


def test_sound_counts_are_taken(drawn):
    evaluation = evaluate(
        drawn, [Wild(distribution=lambda: {"x": (4, [1, TOTAL - 1])})], QUESTION
    )
    assert not evaluation.failures
    assert evaluation.numbers["x"].exact
    assert evaluation.numbers["x"].values[0] == 4


def test_where_nobody_is_left_the_failure_is_raised(few):
    with pytest.raises(PluginError, match="estimator 'wild' raised ZeroDivisionError"):
        bb.estimate(few, Wild(divide))
    with pytest.warns(UserWarning, match="left out 'wild'"):
        assert bb.estimate(few, [Wild(divide), "bid"]).attrs["estimators"] == "bid"


class Counter:
    """An output of any name, with a domain."""

    def __init__(self, name, output, domain=None, value=3):
        self.name = name
        self.outputs = (Output(output, "Three.", dtype="int8", domain=domain),)
        self.value = value

    def estimate(self, layouts, question):
        return {self.outputs[0].name: np.full(len(layouts), self.value)}


@pytest.mark.parametrize("company", [[], ["capture"], ["bid", "tricks", "play_out"]])
def test_names_do_not_depend_on_company(few, company):
    counters = [Counter("mine", "T"), Counter("other", "threes")]
    for estimators in ([*counters, *company], [*company, *counters]):
        numbers = bb.estimate(few, estimators)["pmf"].data_vars
        assert {"mine_T", "threes"} <= set(numbers)
        assert ("T" in numbers) == ("capture" in company)
        assert ("tricks" in numbers) == ("play_out_tricks" in numbers)


def test_two_estimators_cannot_share_a_name(few):
    with pytest.warns(UserWarning, match="'a' and 'b' both have an output 'x'"):
        result = bb.estimate(few, [Counter("a", "x"), Counter("b", "x")])
    assert result["posterior"]["x"].attrs["estimator"] == "a"


def test_a_domain_is_listed_whole_and_kept(few):
    pmf = bb.estimate(few, Counter("mine", "x", range(1, 6)))["pmf"]["x"]
    assert pmf.to_series().to_dict() == {1: 0, 2: 0, 3: 1, 4: 0, 5: 0}
    with pytest.raises(PluginError, match=r"ranges from 1 to 9, outside its domain"):
        bb.estimate(few, Counter("mine", "x", range(1, 6), value=9))


def test_what_follows_from_exact_tables_is_exact():
    """Under counted calls c0 = 13 − c1 − c2, whether the observer is of the pair."""
    posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Called("W", "1NT"))
    posterior = posterior.infer("levels", draws=4000, rng=1)
    for pair in ("S:N", "W:N", "E:W", "N:E"):
        result = bb.estimate(posterior, pair=pair)
        table = result.summary(["c0", "c1", "c2"])
        assert table["exact"].all()
        mean = table["mean"]
        for suit in "CDHS":
            unmatched = 13 - mean[f"c1[{suit}]"] - mean[f"c2[{suit}]"]
            assert mean[f"c0[{suit}]"] == pytest.approx(unmatched, abs=1e-9)
        drawn = result["posterior"]["c0"].mean(("chain", "draw")).values
        error = table["sd"][:4].values / np.sqrt(4000)
        assert (
            np.abs(drawn - mean[[f"c0[{suit}]" for suit in "CDHS"]]) < 5 * error + 1e-9
        ).all()
