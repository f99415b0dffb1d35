"""How a belief sharpens, step by step."""

from math import log2

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.decisions.history import readings
from tests import positions

DEFENDER = bb.Belief("E", positions.EAST, trump="NT").given(
    bb.Holds("S", "SA SK S2 HK HJ H3 DA CQ"),
    bb.Play("W", "S8"),
    bb.Reveal("N", positions.NORTH),
    bb.Play("N", "SJ"),
    bb.Play("E", "S3"),
    bb.Play("S", "S2"),
    bb.Play("N", "HA"),
    bb.Play("E", "H4"),
)


@pytest.fixture(scope="module")
def table():
    return bb.sharpening(DEFENDER, pair="S:N", level=4, draws=200)


def test_cards_come_a_trick_at_a_time(table):
    assert table["event"].tolist() == [
        "E's hand",
        "S holds SA SK S2 HK HJ H3 DA CQ",
        "W plays S8",
        f"N shows {positions.NORTH}",
        "trick 1: W:S8 SJ S3 S2",
        "E plays H4",
    ]


def test_a_row_is_what_is_believed_then(table):
    posterior = DEFENDER.infer(rng=0)
    T = bb.estimate(posterior, pair="S:N")["posterior"]["T"].values.ravel()
    last_row = table.iloc[-1]
    assert last_row["layouts"] == DEFENDER.count() == len(T)
    assert last_row["entropy_bits"] == pytest.approx(log2(len(T)))
    assert last_row["T_mean"] == pytest.approx(T.mean())
    assert last_row["qualified"] == pytest.approx((T > 0).mean())
    assert last_row["T_mean_qualified"] == pytest.approx(T[T > 0].mean())
    assert last_row["T_at_least"] == pytest.approx((T >= 10).mean())
    assert last_row["exact"]
    first_answer = bb.estimate(
        bb.Belief("E", positions.EAST, trump="NT").infer(draws=10), pair="S:N"
    )
    assert table.iloc[0]["T_at_least"] == pytest.approx(
        float(first_answer.at_least().sel(tricks=10))
    )


def test_what_tells_nothing_moves_nothing():
    """The observer's own cards change nothing to the last digit, nor open dummy's."""
    belief = bb.Belief(
        "E", positions.EAST, dummy=None, player=bb.LearnedPlayer()
    ).given(
        bb.Auction.of("S:1NT Pass 3NT Pass Pass Pass"),
        bb.Play("W", "CT"),
        bb.Reveal("N", positions.NORTH),
        bb.Play("N", "C4"),
        bb.Play("E", "CJ"),
        bb.Play("S", "CQ"),
    )
    table = bb.sharpening(
        belief,
        contract="3NT by S",
        by_card=True,
        draws=200,
        rng=np.random.default_rng(1),
    )
    figures = table.drop(columns="event")
    is_unchanged = [
        False,
        *(
            figures.iloc[row].equals(figures.iloc[row - 1])
            for row in range(1, len(table))
        ),
    ]
    assert table["method"].iloc[3] == "importance"
    silent_events = [
        event
        for event, nothing in zip(table["event"], is_unchanged, strict=True)
        if nothing
    ]
    assert silent_events == ["N plays C4", "E plays CJ"]


def test_a_card_moves_with_each_piece_of_evidence():
    """Exact at every step, and the same as a posterior of that step says."""
    belief = bb.Belief("S", "AKJ2.KJ3.A54.Q32").given(
        bb.Length("W", "S", 5, 6), bb.Lacks("N", "SQ")
    )
    table = bb.card_history(belief, "SQ")
    assert list(table.event) == ["S's hand", *map(str, belief.evidence)]
    for row, stage in zip(table.itertuples(), belief.history(), strict=True):
        shares = stage.infer().card_probabilities().sel(card="SQ").values
        assert pytest.approx(tuple(shares)) == (row.N, row.E, row.S, row.W)
        assert (row.exact, row.error) == (True, 0.0)


def test_the_last_row_of_a_card_is_taken_from_the_posterior_that_is_there():
    belief = bb.Belief("S", "AKJ2.KJ3.A54.Q32").given(
        bb.Called("W", "1NT"), bb.Void("E", "H")
    )
    posterior = belief.infer("importance", draws=200, rng=1)
    table = bb.card_history(belief, "SQ", draws=50, last=posterior)
    assert list(table.event) == list(bb.card_history(belief, "SQ", draws=50).event)
    assert table.W.iloc[-1] == float(
        posterior.card_probabilities().sel(card="SQ", seat="W")
    )
    assert table.method.iloc[-1] == "importance"
    assert "importance" not in set(table.method[:-1])


def test_calls_are_read_by_their_callers_calls_alone():
    """A first call is read as by the posterior given it alone, a second given both."""
    belief = bb.Belief("S", "A432.K43.J54.Q32", dummy=None)
    calls = [
        bb.Called("W", "1H"),
        bb.Called("N", "pass"),
        bb.Called("E", "1NT"),
        bb.Called("S", "pass"),
    ]
    calls.append(bb.Called("W", "2D"))
    read = readings(belief.given(*calls), 1)
    assert [(reading.seat.name, str(reading.call)) for reading in read] == [
        ("W", "1H"),
        ("N", "Pass"),
        ("E", "1NT"),
        ("W", "2D"),
    ]
    opening, passed, response, rebid = read
    assert passed.length is None
    assert response.length is None
    assert (opening.suit.name, rebid.suit.name) == ("H", "D")
    posterior = belief.given(calls[0]).infer(draws=4000, rng=2)
    means = (
        posterior.point_table[3] @ range(38),
        posterior.length_table[3, 2] @ range(14),
    )
    sd = (posterior.point_table[3] @ np.arange(38) ** 2 - means[0] ** 2) ** 0.5
    assert (
        abs(opening.points.mean - means[0])
        < 5 * sd * (1 / 100 + 1 / posterior.ess) ** 0.5
    )
    width = (posterior.length_table[3, 2] @ np.arange(14) ** 2 - means[1] ** 2) ** 0.5
    assert (
        abs(opening.length.mean - means[1])
        < 5 * width * (1 / 100 + 1 / posterior.ess) ** 0.5
    )
    assert rebid.length.mean > 3.5
    assert opening.points.low <= opening.points.mean <= opening.points.high


def test_what_is_not_read():
    """Nobody's own call, no open hand, and not the game of three."""
    assert (
        readings(bb.Belief("S", "A432.K43.J54.Q32").given(bb.Called("W", "1NT"))) == []
    )
    four = bb.Belief("S", "A432.K43.J54.Q32", dummy=None)
    assert readings(four) == readings(four.given(bb.Called("S", "1C"))) == []
    assert (
        readings(four.given(bb.Called("N", "1H"), bb.Reveal("N", "KQ5.AQ762.K6.J54")))
        == []
    )
