"""The strategies study against plain Python on the same deals.

And equilibria known from books.
"""

import numpy as np
import pytest

from bayesbridge.studies import strategies
from tests.studies import literal


def test_strategies_count_what_plain_python_counts():
    counts = strategies.count(np.random.SeedSequence(8), literal.DEALS)[1:].reshape(
        strategies.SHAPE
    )
    for own, opposing in ((0, 0), (1, 2)):
        expected = np.zeros(strategies.SHAPE[2:], dtype=np.int64)
        for level, _, table in literal.contracts():
            expected[
                level - 1,
                literal.play(
                    table, None, strategies.POLICIES[own], strategies.POLICIES[opposing]
                ),
            ] += 1
        assert np.array_equal(counts[own, opposing], expected)


def test_games_are_consistent_with_their_counts():
    result = strategies.simulate(30_000, 3, 2)
    games = result.answers["games"]
    made = []
    for a in strategies.POLICIES:
        made.append([result.counts[f"{a}_{b}_made"] for b in strategies.POLICIES])
    assert np.allclose(
        np.array(made) / result.counts["contracts"], games["made"]["payoff"]
    )
    for game in games.values():
        payoff, row, column = (
            np.array(game[key]) for key in ("payoff", "row", "column")
        )
        assert row @ payoff @ column == pytest.approx(game["value"])
        assert (row @ payoff >= game["value"] - 1e-9).all()
        assert (payoff @ column <= game["value"] + 1e-9).all()
        assert np.allclose(
            game["row_exploitability"], game["value"] - payoff.min(axis=1), atol=1e-9
        )
        assert np.allclose(
            game["column_exploitability"], payoff.max(axis=0) - game["value"], atol=1e-9
        )


def test_equilibria_known_from_books():
    scissors = strategies.solve(
        np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    )
    assert scissors["row"] == pytest.approx((1 / 3,) * 3)
    assert scissors["value"] == pytest.approx(0.0, abs=1e-9)
    assert scissors["row_exploitability"] == pytest.approx((1.0,) * 3)
    saddle = strategies.solve(np.array([[2.0, 3.0], [1.0, 9.0]]))
    assert (saddle["value"], saddle["row"], saddle["column"]) == (
        pytest.approx(2.0),
        [1.0, 0.0],
        [1.0, 0.0],
    )
    assert saddle["column_exploitability"] == pytest.approx((0.0, 7.0))
