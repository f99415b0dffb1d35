"""Laws of corrected figures: no figure is one that cannot be.

Whatever the network, the solver and the number of solved layouts.
"""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.estimators.answer_tables import plain_rows
from bayesbridge.estimators.calibrated_sample import CalibratedSample

PLUGIN = """
import numpy as np
from bayesbridge.plugins import Output, TrickCount, hookimpl

def tricks(layouts, seat):
    "Four manners, by the known hand: constant, nearly so, by points, against points."
    others = layouts.points[:, (seat + 1) % 4]
    return [
        np.full(len(layouts), 9),
        9 - (others >= 15),
        layouts.points[:, [seat, (seat + 2) % 4]].sum(axis=1) // 3,
        13 - layouts.points[:, [seat, (seat + 2) % 4]].sum(axis=1) // 3,
    ][int(layouts.masks[0, seat]) % 4].clip(0, 13).astype(np.int8)

class Solved:
    "Tricks of the declarer."
    name = "solved"
    seconds = 0.001
    outputs = (Output("solved", "Tricks.", dtype="int8", tricks=TrickCount(at_table=True)),)

    def estimate(self, layouts, question):
        return {"solved": tricks(layouts, question.pair[0])}

class Leads:
    "Tricks of the defence, one more in the leader's odd cards."
    name = "double_dummy_leads"
    seconds = 0.001
    outputs = (Output("lead_tricks", "Tricks.", ("card",), "int8"),)

    def estimate(self, layouts, question):
        leader = question.table[1]
        taken = np.minimum(13, 13 - tricks(layouts, leader)[:, None] + np.arange(52) % 2)
        cards = np.arange(52, dtype=np.uint64)
        held = (layouts.masks[:, leader, None] >> cards & np.uint64(1)).astype(bool)
        return {"lead_tricks": np.where(held, taken, -1).astype(np.int8)}

@hookimpl
def bayesbridge_estimators():
    return [Solved(), Leads()]
"""

POSITIONS = 12


@pytest.fixture(autouse=True)
def plugin(install):
    install("solver", PLUGIN)


def position(seed):
    """The posterior of a random hand after a random length was shown.

    And how many layouts to solve: 3 to 300.
    """
    rng = np.random.default_rng([29, seed])
    hand = bb.Hand(sum(1 << int(card) for card in rng.permutation(52)[:13]))
    low = int(rng.integers(2, 5))
    belief = bb.Belief("W", hand, dummy=None).given(
        bb.Length("N", "CDHS"[rng.integers(4)], low, 7)
    )
    return (
        belief.infer(draws=310, rng=rng),
        int(np.exp(rng.uniform(np.log(3), np.log(300))).round()),
        rng,
    )


def is_share(value, error):
    assert 0.0 <= value <= 1.0
    assert 0.0 < error <= 0.5


def test_contracts_and_leads():
    for seed in range(POSITIONS):
        posterior, solve, rng = position(seed)
        rows = plain_rows(
            bb.contracts(
                posterior, "1NT,3NT,4S,7S", against="2S by W", solve=solve, rng=rng
            )
        )
        for row in rows:
            for name in ("make", "matchpoints"):
                is_share(row[name], row[f"{name}_error"])
            assert 0.0 <= row["tricks"] <= 13.0
            assert row["score_error"] > 0.0
            assert row["behind"] >= -1e-9
        result = bb.estimate(posterior, contract="3NT by W", solve=solve, rng=rng)[
            "contract"
        ]
        assert min(result["pmf"].values) >= 0.0
        assert sum(result["pmf"].values) == pytest.approx(1.0, abs=1e-9)
        assert (result["pmf_error"].values > 0).all()
        is_share(result["make"].item(), result["make_error"].item())
        assert result["make"].item() == pytest.approx(result["pmf"].values[9:].sum())
        comparison = bb.play(posterior, "3NT by S", seconds=solve / 1000, rng=rng)
        for choice in comparison.choices:
            is_share(*choice.chance)
            assert 0.0 <= choice.tricks[0] <= 13.0
            assert choice.tricks[1] > 0.0
            assert choice is comparison.choices[0] or choice.behind[1] > 0.0


@pytest.mark.parametrize("solved", [2, 3, 10, 30, 100, 300])
def test_what_was_never_seen_otherwise_has_the_error_of_the_rule_of_three(solved):
    sample = CalibratedSample.of(np.full(solved, 1 / solved))
    for value in (0.0, 1.0):
        share, error = sample.share(np.full(solved, value))
        assert share == value
        assert 2 * error == pytest.approx(min(1.0, 3 / solved))
