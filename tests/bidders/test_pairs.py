"""Styles of pairs: what is learned from tables, and where a style enters.

Nothing judges itself.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders import pairs
from bayesbridge.bidders.learned import (
    AVERAGE,
    STYLE_SIZE,
    TYPICAL,
    LearnedBidder,
    PairStyle,
)
from bayesbridge.errors import BayesBridgeError
from tests.deals import deal_masks

FILE = Path(__file__).parents[2] / "examples" / "opponents.pbn"
PAIR = "Oak+Birch"
TABLES = 10


@pytest.fixture(scope="module")
def records():
    return bb.open_records(FILE).records


@pytest.fixture(scope="module")
def tables(records):
    return pairs.tables_of(records, PAIR)[:TABLES]


@pytest.fixture(scope="module")
def style(tables):
    return pairs.style_of(PAIR, tables)


def certain(numbers):
    """A style of which everything is known."""
    return PairStyle(
        "certain", np.asarray(numbers, np.float64), 1e-10 * np.eye(STYLE_SIZE)
    )


def test_laplace_against_brute_force_along_lines(tables, style):
    """Mean and deviation of the posterior on a line through the mode.

    They are summed over a grid.
    """
    precision = np.linalg.inv(style.covariance)
    for direction in np.linalg.eigh(style.covariance)[1].T[[0, -1]]:
        deviation = float(direction @ precision @ direction) ** -0.5
        steps = deviation * np.linspace(-4, 4, 33)
        points = style.mean + steps[:, None] * direction
        turns = pairs.turns_of(tables, pairs.known_numbers(points))
        log = turns.log_chances().sum(axis=1) - (points**2).sum(axis=1) / 2
        weights = np.exp(log - log.max())
        weights /= weights.sum()
        mean = weights @ steps
        assert abs(mean) < 0.4 * deviation  # the mode is not the mean, but near it
        # Fisher's matrix is an expectation: of ten tables it is right in the mean
        # (docs/bidders.md).
        assert (
            2 / 3 * deviation
            < np.sqrt(weights @ (steps - mean) ** 2)
            < 1.15 * deviation
        )


def test_the_slopes_are_those_of_the_scores(tables):
    centre = np.linspace(-0.5, 0.5, STYLE_SIZE)
    line = pairs.LinearTurns.around(tables[:1], centre)
    above, below = pairs.turns_of(
        tables[:1], pairs.known_numbers(np.array([centre + 0.05, centre - 0.05]))
    ).scores
    for change, slopes in zip((above - below) / 2, line.slopes, strict=True):
        assert np.abs(change - 0.05 * slopes.sum(axis=1)).max() < 0.1 * max(
            0.2, np.abs(change).max()
        )


def test_laplace_against_pymc(records, tables, style):
    tree = pairs.sample_style(records, PAIR, tables=TABLES, draws=100, rng=1)
    drawn = np.asarray(tree["posterior"].to_dataset()["style"]).reshape(-1, STYLE_SIZE)
    deviations = np.sqrt(np.diag(style.covariance))
    # of a mean, in deviations: the 200 draws are worth 100 at least
    error = 5 / np.sqrt(100)
    apart = np.abs(drawn.mean(axis=0) - style.mean) / deviations
    assert apart.max() < error
    np.testing.assert_allclose(drawn.std(axis=0), deviations, rtol=0.4)
    learned = np.linalg.solve(style.covariance, style.mean)
    learned /= np.sqrt(style.mean @ learned)  # where most was learned, in deviations
    # the prior's is not
    assert (
        abs((drawn.mean(axis=0) - style.mean) @ learned)
        < error
        < style.mean @ learned / 2
    )
    weights = np.asarray(tree["sample_stats"].to_dataset()["log_weight"])
    assert np.isfinite(weights).all()
    calls = tree["log_likelihood"].to_dataset()["call"]
    assert calls.dims == ("chain", "draw", "turn")
    assert set(tree["observed_data"].to_dataset()["call"].dims) == {"turn"}
    again = (
        pairs.turns_of(tables, pairs.known_numbers(drawn[:1])).log_chances().sum(axis=1)
    )
    assert float(calls[0, 0].sum()) == pytest.approx(again.item(), rel=1e-5)


def test_no_table_is_the_prior_and_more_tables_say_more(tables, style):
    assert pairs.style_of(PAIR, []) == AVERAGE
    few = pairs.style_of(PAIR, tables[:2])
    assert style.covariance.trace() < few.covariance.trace() < STYLE_SIZE
    _, by_style, by_average = pairs.table_losses(tables, style).sum(axis=0)
    assert by_style < by_average


def test_a_style_comes_back_from_its_file(style, tmp_path):
    style.save(tmp_path / "style.json")
    text = (tmp_path / "style.json").read_text("utf-8")
    again = PairStyle.of(text, "style.json")
    assert again == style
    assert (again.pair, again.tables) == (PAIR, TABLES)
    mean = style.mean.tolist()
    covariance = style.covariance.tolist()
    wrong = [
        {"mean": [x, *mean[1:]]}
        for x in (float("nan"), 1e308, 10**400, True, "0.5", None, [])
    ]
    wrong += [
        {"covariance": [[x, *covariance[0][1:]], *covariance[1:]]}
        for x in (float("inf"), -1.0, "1")
    ]
    wrong += [
        {"mean": [1]},
        {"covariance": [[1]]},
        {"pair": 5},
        {"tables": -5},
        {"tables": True},
        {"tables": "6"},
    ]
    documents = [json.dumps(json.loads(text) | change) for change in wrong]
    for text in ("", "[]", "{}", "[" * 100_000, *documents):
        with pytest.raises(
            BayesBridgeError,
            match=r"^x: not a style of this network \(.*\): learn it again .* FILE",
        ):
            PairStyle.of(text, "x")


def test_a_style_of_another_network_is_refused(style, monkeypatch, tmp_path):
    style.save(tmp_path / "style.json")
    text = (tmp_path / "style.json").read_text("utf-8")
    word = style.text
    monkeypatch.setattr(PairStyle, "network", lambda: "0" * 8)
    older = json.dumps(
        {
            "pair": "A+B",
            "tables": 1,
            "mean": [0] * STYLE_SIZE,
            "covariance": np.eye(STYLE_SIZE).tolist(),
        }
    )
    for document in (text, older):
        with pytest.raises(
            BayesBridgeError,
            match=r"^x: not .* network \(it was learned for another\): learn it ag",
        ):
            PairStyle.of(document, "x")
    with pytest.raises(
        BayesBridgeError,
        match=r"^style of 'Oak\+Birch': not one of this network: learn it again w",
    ):
        PairStyle.of_text(word)


def test_a_style_fits_into_a_link(style):
    again = PairStyle.of_text(style.text)
    assert (again.pair, again.tables, len(style.text) < 230) == (PAIR, TABLES, True)
    np.testing.assert_allclose(again.mean, style.mean, atol=1 / 80)
    np.testing.assert_allclose(again.covariance, style.covariance, atol=0.02)
    assert PairStyle.of_text("style.json") is None
    with pytest.raises(BayesBridgeError, match="its numbers pass 3"):
        certain(style.mean + 4).text  # noqa: B018
    for name in TYPICAL:
        assert PairStyle.of_text(name).pair == name
        strong = next(
            habit.value
            for habit in pairs.habits(PairStyle.of_text(name))
            if habit.what.startswith("1C opened")
        )
        assert (strong > 0.5) == (name == "strong-club")


def test_a_style_is_of_its_own_side(style):
    hands = deal_masks(50, 1).ravel()
    styled = LearnedBidder(style={"EW": style})
    plain = LearnedBidder()
    east = bb.Auction.of("E:1H")
    north = bb.Auction.of("N:1H")
    assert (
        np.abs(
            styled.log_likelihood(hands, east, 0) - plain.log_likelihood(hands, east, 0)
        ).max()
        > 0.5
    )
    np.testing.assert_array_equal(
        styled.log_likelihood(hands, north, 0), plain.log_likelihood(hands, north, 0)
    )
    # South reads East's opening in the light of the style
    answer = bb.Auction.of("E:1H Pass")
    assert (
        styled.log_likelihood(hands, answer, 1)
        != plain.log_likelihood(hands, answer, 1)
    ).any()
    with pytest.raises(BayesBridgeError, match="name NS or EW"):
        LearnedBidder(style={"N": style})


AUCTION = bb.Auction.of("W:1C Pass 1D 1S 1NT Pass Pass Pass")
HAND = bb.Hand.of("AKQ52.K3.A54.J32")


def test_a_belief_reads_all_calls_in_the_light_of_the_styles(style):
    """The two hands of a pair and its style, written out call by call.

    The observer's own calls are among them.
    """
    belief = bb.Belief("S", HAND, dummy=None, style={"EW": style}).given(AUCTION)
    masks = belief.target.sampler.draw(20, 2)
    bidder = LearnedBidder(style={"EW": style})
    expected = sum(
        bidder.log_likelihood(masks[:, seat], AUCTION, index, masks[:, seat.partner])
        for index, (seat, _) in enumerate(AUCTION)
    )
    np.testing.assert_allclose(
        belief.target.soft.of_layouts(masks), expected, atol=1e-4
    )
    assert (
        np.abs(
            bb.Belief("S", HAND, dummy=None)
            .given(AUCTION)
            .target.soft.of_layouts(masks)
            - expected
        ).max()
        > 0.1
    )


def test_habits_have_errors_that_come_from_the_style(style):
    habits = pairs.habits(style)
    assert all(habit.error > 0 for habit in habits)
    assert [habit.error < 1e-3 for habit in pairs.habits(certain(style.mean))] == [
        True
    ] * len(habits)
    average = {habit.what: habit for habit in pairs.habits(AVERAGE)}
    for habit in habits:
        assert average[habit.what].average == habit.average


def test_history_never_learns_from_the_deal_itself_nor_from_later_ones(records):
    pair = pairs.pair_name(PAIR)
    pair_records = [
        record
        for record in records
        if pair in (record.pair(bb.Seat.N), record.pair(bb.Seat.E))
    ][:4]
    history = pairs.History(pair_records)
    record = pair_records[2]
    learned = history.style(pair, record.deal)
    assert learned == pairs.style_of(
        pair, pairs.tables_of([pair_records[0], pair_records[1], pair_records[3]], pair)
    )
    assert learned.tables == 3
    assert history.style(pair, records[-1].deal).tables == 4
    before = pairs.History.before(pair_records, record)
    assert before.style(pair, record.deal) == pairs.style_of(
        pair, pairs.tables_of(pair_records[:2], pair)
    )
    assert (
        pairs.History.before(pair_records, pair_records[0]).styles(pair_records[0])
        == {}
    )
    assert set(history.styles(record)) >= {
        "NS" if record.pair(bb.Seat.N) == pair else "EW"
    }


def test_a_style_is_judged_by_other_tables(tables, style):
    tables = tables[:4]
    halves = pairs.judge_style(tables, style)
    assert len(halves) == len(tables)
    even = tables[::2]
    odd = tables[1::2]
    losses = (
        pairs.table_losses(odd, pairs.style_of("", even)),
        pairs.table_losses(even, pairs.style_of("", odd)),
    )
    np.testing.assert_allclose(
        np.sort(halves, axis=0), np.sort(np.concatenate(losses), axis=0)
    )
    few = pairs.style_of(PAIR, tables[:2])
    np.testing.assert_allclose(
        pairs.judge_style(tables, few), pairs.table_losses(tables[2:], few)
    )
    assert len(pairs.judge_style([*tables[:2], tables[0]], few)) == 0
    assert len(pairs.judge_style(tables[:1], pairs.style_of("", tables[:1]))) == 0


def test_who_is_on_record(records):
    twice = [*records, *records[:7]]
    assert {name: len(tables) for name, tables in pairs.pairs_of(twice).items()} == {
        "Ash+Elm": 60,
        "Birch+Oak": 60,
    }
    with pytest.raises(
        BayesBridgeError, match=r"pair 'Asch\+Elm' is not in the records: .*Ash\+Elm"
    ):
        bb.learn_style(records, "Asch+Elm")
