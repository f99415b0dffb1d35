"""What an estimator returns is checked against what it declares.

One error names plugin, output, expected and got.
"""

import re

import numpy as np
import pytest

from bayesbridge import BayesBridgeError, Layouts, Seat, Suit
from bayesbridge.estimators.distribution import Accumulator, TrickContext
from bayesbridge.estimators.protocol import COORDS, Output, PluginError, Question, run
from tests.deals import deal_masks

pytestmark = pytest.mark.quick

LAYOUTS = Layouts(deal_masks(5, 1))
QUESTION = Question.of("S:N")


class Answers:
    """An estimator that returns what it is told to."""

    name = "answers"

    def __init__(self, answer, dtype="float64", dims=()):
        self.answer = answer
        self.outputs = (Output("x", "A number.", dims, dtype),)

    def estimate(self, layouts, question):
        return self.answer(len(layouts)) if callable(self.answer) else self.answer


@pytest.mark.parametrize(
    ("given", "dtype", "expected"),
    [
        (np.arange(5, dtype=np.int64), "int8", np.arange(5, dtype=np.int8)),
        (np.arange(5, dtype=np.uint64), "int64", np.arange(5, dtype=np.int64)),
        (np.arange(5), "float32", np.arange(5, dtype=np.float32)),
        ([0, 1, 1, 0, 1], "bool", np.array([False, True, True, False, True])),
        (
            [True, False, True, True, True],
            "int8",
            np.array([1, 0, 1, 1, 1], dtype=np.int8),
        ),
        ([0.5] * 5, "float64", np.full(5, 0.5)),
    ],
)
def test_what_fits_is_cast_to_the_declared_type(given, dtype, expected):
    outputs = run(Answers({"x": given}, dtype), LAYOUTS, QUESTION)
    assert outputs["x"].dtype == expected.dtype
    assert np.array_equal(outputs["x"], expected)


@pytest.mark.parametrize(
    ("answer", "dtype", "output", "expected", "got"),
    [
        ({"x": np.zeros(4)}, "float64", "x", "shape (5,)", "(4,)"),
        ({"x": np.zeros((5, 1))}, "float64", "x", "shape (5,)", "(5, 1)"),
        (
            {"x": [[1], [1, 2], [1], [1], [1]]},
            "float64",
            "x",
            "shape (5,)",
            "rows of different lengths",
        ),
        ({"x": np.zeros(5)}, "int8", "x", "type int8", "float64"),
        ({"x": np.array(list("abcde"))}, "float64", "x", "type float64", "<U1"),
        (
            {"x": np.array([1, 2, 300, 4, 5])},
            "int8",
            "x",
            "values within int8",
            "1 … 300",
        ),
        (
            {"x": np.array([0, 1, np.nan, 3, 4])},
            "float64",
            "x",
            "finite numbers",
            "nan for layout 2",
        ),
        (
            {"x": np.array([0, 1e300, 2, 3, 4])},
            "float32",
            "x",
            "finite numbers",
            "inf for layout 1",
        ),
        (
            {"x": np.zeros(5), "y": np.zeros(5)},
            "float64",
            "result",
            "outputs ['x']",
            "['x', 'y']",
        ),
        (np.zeros(5), "float64", "result", "a mapping of arrays", "ndarray"),
    ],
)
def test_one_error_names_plugin_output_expected_and_got(
    answer, dtype, output, expected, got
):
    with pytest.raises(PluginError) as caught:
        run(Answers(answer, dtype), LAYOUTS, QUESTION)
    assert (
        str(caught.value)
        == f"estimator 'answers', {output}: expected {expected}, got {got}"
    )
    assert caught.value.data == {
        "plugin": "answers",
        "output": output,
        "expected": expected,
        "got": got,
    }


def test_dimensions_have_labels():
    assert Output("x", "A number.", ("seat", "suit")).shape == (4, 4)
    assert Output("x", "A number.", ("strain", "card")).shape == (5, 52)
    assert Output("x", "A number.", ("k",), coords={"k": (7, 8)}).labels("k") == (7, 8)
    assert Output("x", "A number.", ("seat",), coords={"seat": ("N", "S")}).shape == (
        2,
    )
    assert COORDS["card"][:2] == ("C2", "C3")
    assert COORDS["card"][-1] == "SA"
    with pytest.raises(PluginError, match=r"expected shape \(5, 4\), got \(5,\)"):
        run(Answers({"x": np.zeros(5)}, dims=("suit",)), LAYOUTS, QUESTION)


@pytest.mark.parametrize(
    "pair", ["S:N", "SN", "s n", ("S", "N"), (Seat.S, "north"), (Seat.S, Seat.N)]
)
def test_a_pair_in_any_notation(pair):
    assert Question.of(pair, trump=Suit.H) == Question((Seat.S, Seat.N), Suit.H)


@pytest.mark.parametrize("pair", ["S:S", "S", "SNE", ("S",), "S:N:E", ""])
def test_a_pair_that_is_none(pair):
    with pytest.raises(
        BayesBridgeError, match=r"name two different seats|pair .* give text or a tuple"
    ):
        Question.of(pair)


@pytest.mark.parametrize("player", Seat)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_pair_sits_opposite_and_the_others_stay_clockwise(player, steps):
    partner = player.next(steps)
    table = Question((player, partner)).table
    assert sorted(table) == list(Seat)
    assert (table[0], table[2]) == (player, partner)
    assert (table[1] - player) % 4 < (table[3] - player) % 4


class Shares:
    """Half the time 3, half the time 4, in each suit."""

    name = "shares"
    outputs = (Output("share", "A number.", ("suit",), "float32", support=range(3, 5)),)

    def __init__(self, row=(0.5, 0.5)):
        self.row = row

    def estimate(self, layouts, question):
        shares = np.full((len(layouts), 4, 2), 0.5)
        shares[3:4, 2] = self.row
        return {"share": shares}


def test_distributions_are_averaged_over_layouts():
    """Distributions of layouts are averaged with their weights.

    The moments are those of the mixture.
    """
    sums = Accumulator(Shares.outputs[0], "shares")
    sums.add(
        run(Shares((1.0, 0.0)), LAYOUTS, QUESTION)["share"],
        np.array([0.1, 0.1, 0.1, 0.6, 0.1]),
    )
    distribution = sums.distribution(False, "share", TrickContext(QUESTION.pair))
    np.testing.assert_allclose(
        distribution.pmf, [[0.5, 0.5], [0.5, 0.5], [0.8, 0.2], [0.5, 0.5]], rtol=1e-6
    )
    np.testing.assert_allclose(distribution.mean, [3.5, 3.5, 3.2, 3.5], rtol=1e-6)
    np.testing.assert_allclose(distribution.sd, [0.5, 0.5, 0.4, 0.5], rtol=1e-6)


@pytest.mark.parametrize("row", [(0.5, 0.6), (0.0, 0.0), (1.5, -0.5)])
def test_shares_that_are_none_are_named_with_their_layout(row):
    says = "estimator 'shares', share: expected probabilities that add up to 1, got .* for layout 3"
    with pytest.raises(PluginError, match=re.compile(says, re.DOTALL)):
        run(Shares(row), LAYOUTS, QUESTION)
