"""What calls are worth.

They are exact where all is known, honest where it is drawn, and silent where nothing is
ahead.
"""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.decisions.call_values import values_in_steps
from bayesbridge.decisions.gain_splits import best_split
from bayesbridge.errors import BayesBridgeError, IllegalCall
from bayesbridge.game.calls import CALLS
from tests.deals import deal_masks

SOUTH = "AKQ2.KJ3.A54.Q32"
NORTH = "J543.AQ2.KQ76.A5"


class Fixed:
    """A bidder that makes its calls with the same chances whatever it holds.

    It passes where they are not legal.
    """

    def __init__(self, **chances):
        self.chances = {bb.Call.of(name): share for name, share in chances.items()}

    def log_likelihood(self, hands, auction, index):
        before = bb.Auction(auction.first, auction.calls[:index], auction.dummy)
        chances = self.probabilities(hands, before)
        with np.errstate(divide="ignore"):
            return np.log(chances[:, auction.calls[index].index])

    def probabilities(self, hands, auction):
        row = np.zeros(len(CALLS))
        for call, share in self.chances.items():
            row[call.index if auction.can(call) else 0] += share
        row[0] += 1.0 - row.sum()
        return np.tile(row, (len(hands), 1))


PASSES = Fixed()


def toy():
    """560 layouts: both hands of the pair known, and ten of East's cards."""
    east = bb.Holds("E", "ST S9 S8 HT H9 DJ DT D9 CK CJ")
    return bb.Belief("S", SOUTH, dummy=None).given(bb.Reveal("N", NORTH), east)


def test_one_call_left_and_hands_known_is_exact():
    """As ``contracts`` has it, on all layouts, without an error."""
    posterior = toy().infer()
    values = bb.call_values(
        posterior,
        "6S,3NT",
        bidders={"S": Fixed(**{"4S": 0.9}), "N": PASSES, "EW": PASSES},
    )
    assert (values.exact, str(values.reference.call)) == (True, "4S")
    names = ["4S", "6S", "3NT", "Pass"]
    assert sorted(str(row.call) for row in values.rows) == sorted(names)
    judged = bb.contracts(
        posterior,
        "4S,6S,3NT",
        scheme="duplicate",
        against="4S",
        solve=0,
    )
    for name in ("6S", "3NT"):
        expected = judged["imps"].sel(contract=f"{name} by S").item()
        assert values.of(name).gain.mean == pytest.approx(expected, abs=1e-6)
        assert values.of(name).gain.error == 0.0
    (end,) = values.of("Pass").ends
    assert (end.words, end.share) == ("passed out", pytest.approx(1.0))


def test_the_mean_is_that_of_the_layouts():
    values = bb.call_values(
        toy().infer(),
        "6S",
        bidders={"S": Fixed(**{"4S": 1.0}), "N": PASSES, "EW": PASSES},
    )
    column = [str(row.call) for row in values.rows].index("6S")
    assert values.of("6S").gain.mean == pytest.approx(
        float(values.weights @ values.gains[:, column])
    )
    assert values.weights.sum() == pytest.approx(1.0)


def majors(**chances):
    """South may play four of either major, which are worth the same by symmetry."""
    hand = "AKQ2.AKQ2.543.32"
    south = Fixed(**chances)
    belief = bb.Belief("S", hand, dummy=None, bidder=PASSES)
    return belief, {"S": south, "N": PASSES, "EW": PASSES}


def test_equal_calls_are_seldom_recommended_otherwise():
    """Two standard errors are passed on one side in 2.3 of a hundred cases."""
    belief, bidders = majors(**{"4H": 0.6, "4S": 0.4})
    otherwise = 0
    for seed in range(200):
        values = bb.call_values(belief, bidders=bidders, layouts=60, draws=60, rng=seed)
        assert str(values.reference.call) == "4H"
        otherwise += str(values.best.call) == "4S"
    assert otherwise <= 0.05 * 200


def test_a_call_that_is_surely_better_is_recommended():
    """A control: the same test finds what is there."""
    belief, bidders = majors(**{"7H": 0.6, "4S": 0.4})
    for seed in range(10):
        values = bb.call_values(belief, bidders=bidders, layouts=60, draws=60, rng=seed)
        assert str(values.best.call) == "4S"
        assert "4S: ahead of 7H, which is what the bidder calls" in values.sentence


def spread_of_z(belief, seeds, **how):
    """Standard deviation of (mean − mean of all) over its error, for every call."""
    answers = [bb.call_values(belief, rng=seed, **how) for seed in seeds]
    calls = [row.call for row in answers[0].rows if row.gain is not None]
    spreads = []
    for call in calls:
        means = np.array([values.of(call).gain.mean for values in answers])
        errors = np.array([values.of(call).gain.error for values in answers])
        correction = np.sqrt(len(means) / (len(means) - 1))
        spreads.append(correction * ((means - means.mean()) / errors).std())
    return spreads


def test_standard_errors_hold():
    belief = bb.Belief("S", "AQ942.K3.A54.Q32").given(
        bb.Auction.of("S:1S Pass 2S Pass")
    )
    for spread in spread_of_z(belief, range(30), layouts=64, draws=400):
        assert 0.5 < spread < 1.6  # five standard errors of a deviation of 30


POSITIONS = [
    ("KQ84.75.KJ73.A98", "E:1H"),
    ("AQ942.K3.A54.Q32", "S:1S Pass 2S Pass"),
    ("AQ942.K3.A54.Q32", "E:1H 1S 2H 2S 3H"),
    ("KQ.AQ8532.AK3.A2", "S:1H Pass 1NT 2D X 3D Pass Pass X Pass Pass 3S"),
    ("KQ84.75.KJ73.A98", "S:"),
    ("A4.KQT7.K532.987", "N:1NT Pass"),
    ("QJT97.4.KQ83.J92", "W:1H Pass 4H"),
    ("K953.A2.QT84.Q73", "E:1D Pass Pass"),
    ("AJ3.KQ94.Q85.K72", "N:Pass 1S"),
    ("AKJ73.Q2.AKJ4.K3", "S:1S Pass 3S Pass"),
]


@pytest.mark.slow
def test_standard_errors_hold_on_ten_positions():
    spreads = []
    for hand, begun in POSITIONS:
        auction = bb.Auction.four(begun[0]).after_all(begun[2:])
        belief = bb.Belief("S", hand, dummy=None)
        belief = belief.given(auction) if auction.calls else belief
        spreads += spread_of_z(belief, range(60), layouts=128, draws=1000)[:1]
    assert 0.8 < np.sqrt(np.mean(np.square(spreads))) < 1.25


def test_more_layouts_say_the_same_with_a_smaller_error():
    belief = bb.Belief("S", "QJT97.4.KQ83.J92").given(bb.Auction.of("W:1H Pass 4H"))
    few, many = (
        bb.call_values(belief, "4S", layouts=n, rng=1).of("4S").gain for n in (100, 900)
    )
    assert many.error < 0.6 * few.error
    assert abs(few.mean - many.mean) < 5 * np.hypot(few.error, many.error)


def test_steps_end_in_the_answer():
    belief = bb.Belief("S", "KQ84.75.KJ73.A98").given(bb.Auction.of("E:1H"))
    how = {"layouts": 400, "draws": 2000, "rng": 3}
    *_, answer = values_in_steps(belief, quickly=True, **how)
    assert answer.document() == bb.call_values(belief, **how).document()
    sizes = [len(step.layouts) for step in values_in_steps(belief, **how)]
    assert sizes == sorted(sizes)
    assert len(sizes) > 1


def test_sampled_roll_outs_are_another_answer():
    belief = bb.Belief("S", "KQ84.75.KJ73.A98").given(bb.Auction.of("E:1H"))
    how = {"layouts": 40, "draws": 300, "rng": 3}
    likeliest, sampled = (
        bb.call_values(belief, rollouts=way, **how) for way in ("likeliest", "sampled")
    )
    assert likeliest.document()["calls"] != sampled.document()["calls"]
    assert "a call drawn from its bidder" in sampled.caution


def test_the_vulnerability_is_the_bidders_unless_it_is_told():
    belief = bb.Belief("S", "QJT97.4.KQ83.J92", bidder=bb.LearnedBidder("NS")).given(
        bb.Auction.of("W:1H Pass 4H")
    )
    how = {"layouts": 40, "draws": 300, "rng": 3}
    own, named, none = (
        bb.call_values(belief, "4S", vulnerable=vulnerable, **how).of("4S").gain
        for vulnerable in (None, "NS", "None")
    )
    assert own == named
    assert own.mean < none.mean


def test_all_that_is_shown_comes_from_the_rows():
    belief = bb.Belief("S", "AQ942.K3.A54.Q32").given(
        bb.Auction.of("S:1S Pass 2S Pass")
    )
    values = bb.call_values(belief, "4S", layouts=100, draws=600, rng=1)
    frame = values.to_dataframe()
    assert list(frame.index) == [str(row.call) for row in values.rows]
    assert frame.loc["4S", "gain"] == values.of("4S").gain.mean
    (table,) = values.tables
    assert len(table.rows) == len(values.rows)
    assert values.sentence in str(values)
    assert "what experts" in values.sentence or "of experts" in values.sentence
    ax = bb.plots.call_values(values)
    assert len(ax.get_legend().get_texts()) == len(values.rows) - 1


def test_where_a_call_gains_is_found():
    """Gains that depend on North's spades alone are parted by them."""
    masks = deal_masks(800, 3)
    spades = np.bitwise_count(masks[:, bb.Seat.N] >> np.uint64(39))
    noise = np.random.default_rng(1).normal(size=len(masks))
    gains = np.where(spades >= 4, 3.0, -1.0) + noise
    weights = np.full(len(masks), 1 / len(masks))
    split = best_split(masks, weights, gains, list(bb.Seat))
    assert split.statement == "North has four or more spades"
    assert split.inside.mean == pytest.approx(3.0, abs=5 * split.inside.error)
    assert split.outside.mean == pytest.approx(-1.0, abs=5 * split.outside.error)
    assert best_split(masks, weights, noise, list(bb.Seat)) is None


@pytest.mark.parametrize(
    ("begun", "calls", "how", "fault"),
    [
        ("E:1H Pass Pass Pass", None, {}, "is over"),
        ("W:1H", None, {}, "it is N's turn and not S's"),
        ("E:1H", "1D", {}, "does not outrank"),
        ("E:1H", "", {}, "no call named"),
        ("E:1H", None, {"layouts": 1}, "1 layouts: take from 2"),
        ("E:1H", None, {"layouts": 9, "seconds": 2.0}, "name one of them"),
        ("E:1H", None, {"seconds": 0.0}, "give a number above 0"),
        ("E:1H", None, {"goal": "imp"}, "did you mean 'imps'"),
        ("E:1H", None, {"rollouts": "sample"}, "did you mean 'sampled'"),
    ],
)
def test_bad_input_is_said(begun, calls, how, fault):
    hand = "KQ84.75.KJ73.A98"
    belief = bb.Belief("S", hand).given(bb.Auction.of(begun))
    with pytest.raises((BayesBridgeError, IllegalCall), match=fault):
        bb.call_values(belief, calls, **how)
