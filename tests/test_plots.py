"""Pictures draw what the result says; labels, colours, and nothing left behind."""

import subprocess
import sys
from itertools import chain

import numpy as np
import pytest
import xarray
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge import plots
from bayesbridge.decisions.play import CardChoice, CardChoices, turn_of
from bayesbridge.display.words import SYMBOLS, short_percent
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.intervals import shortest_interval
from bayesbridge.studies import STUDIES, captures, conditions
from tests import positions


@pytest.fixture(scope="module")
def prior():
    return bb.estimate(
        bb.Belief("E", positions.EAST).infer(draws=100, rng=1), pair="S:N"
    )


@pytest.fixture(scope="module")
def steps():
    return bb.sharpening(positions.called(), pair="S:N", level=4, draws=200)


def bars(ax):
    """Middle → height of every bar, the last drawn where two share a place."""
    return {
        round(bar.get_x() + bar.get_width() / 2, 6): bar.get_height()
        for bar in ax.patches
    }


def texts(ax):
    return [text.get_text() for text in ax.texts]


def pmf(result, name, **where):
    table = result["pmf"][name].sel(where)
    return dict(
        zip(table[f"{name}_value"].values.tolist(), table.values.tolist(), strict=True)
    )


def test_tricks_are_the_distribution_with_failing_conditions_apart(prior):
    ax = bb.plots.tricks(prior, level=3)
    drawn = bars(ax)
    T = pmf(prior, "T")
    labels = zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
    (apart,) = (
        place for place, label in labels if label.get_text() == "conditions\nfail"
    )
    assert drawn.pop(apart) == pytest.approx(T.pop(0))
    assert apart < min(drawn) - 1
    assert drawn == pytest.approx({value: T[value] for value in drawn})
    assert sum(drawn.values()) == pytest.approx(sum(T.values()))
    assert [
        line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"
    ] == [8.5]
    chance = float(prior.at_least().sel(tricks=9))
    assert ax.get_title().splitlines()[1] == f"T ≥ 9: {100 * chance:.0f} %"


def test_conditions_that_never_hold_are_one_bar():
    belief = bb.Belief("S", "5432.5432.543.32").given(
        bb.Reveal("N", "876.876.876.7654")
    )
    ax = bb.plots.tricks(bb.estimate(belief.infer(rng=1)))
    assert {place: height for place, height in bars(ax).items() if height} == {5: 1}


def test_every_open_card_has_its_shares_and_every_other_its_holder(result):
    ax = bb.plots.cards(result)
    chances = result["marginals"]["card_probabilities"]
    words = texts(ax)
    assert [word for word in words if word in ("North", "East", "South", "West")] == [
        "South",
        "West",
    ] * 4
    assert words.count("N") == words.count("E") == 13
    for suit, symbol in SYMBOLS.items():
        (mark,) = (text for text in ax.texts if text.get_text() == symbol)
        middle = mark.get_position()[1]
        for column, rank in enumerate("AKQJT98765432"):
            shares = chances.sel(card=f"{suit}{rank}")
            cells = [
                text.get_text()
                for text in ax.texts
                if text.get_position()[0] == column + 0.5
                and abs(text.get_position()[1] - middle) < 1
            ]
            south = float(shares.sel(seat="S"))
            west = float(shares.sel(seat="W"))
            if south + west < 0.5:
                assert cells == [str(shares["seat"].values[int(shares.argmax("seat"))])]
            else:
                assert cells == [
                    short_percent(round(share, 9)) if share > 1e-9 else "·"
                    for share in (south, west)
                ]


def test_lengths_of_hidden_hands_and_their_means(result):
    ax = bb.plots.lengths(result)
    words = texts(ax)
    chances = result["marginals"]["length_probabilities"]
    assert [word for word in words if word in ("North", "East", "South", "West")] == [
        "South",
        "West",
    ]
    for seat in "SW":
        for suit in "SHDC":
            mean = float((chances.sel(seat=seat, suit=suit) * chances["length"]).sum())
            assert f"{mean:.2f}" in words
    for suit in "SHDC":  # South's thirteen add up
        row = chances.sel(seat="S", suit=suit)
        assert float(row.sum()) == pytest.approx(1)


def test_sharpening_draws_the_table(steps):
    axes = bb.plots.sharpening(steps)
    lines = []
    for ax in axes:
        lines += [line for line in ax.lines if line.get_linestyle() != "None"]
    columns = ("entropy_bits", "T_mean_qualified", "T_mean", "qualified", "T_at_least")
    for line, column in zip(lines, columns, strict=True):
        np.testing.assert_allclose(line.get_ydata(), steps[column])
    sampled = next(line for line in axes[0].lines if line.get_linestyle() == "None")
    assert len(sampled.get_xdata()) == int((~steps["exact"]).sum()) > 0
    labels = [label.get_text() for label in axes[2].get_xticklabels()]
    assert labels == [
        "E's hand",
        "S calls 1NT",
        "N shows its hand",
        "S holds ♠A ♠K ♠2 ♥K ♥3…",
    ]


def test_runs_of_the_paper_stand_beside_the_exact_figures():
    for study in (captures, conditions):
        exact = study.count_exactly()
        ax = bb.plots.paper_runs(exact)
        shown = [figure for figure in exact.figures if figure.own]
        printed = chain.from_iterable(figure.printed for figure in shown)
        assert sorted(bars(ax).values()) == sorted(printed)
        (across,) = ax.collections
        assert [segment[0][1] for segment in across.get_segments()] == pytest.approx(
            [figure.own for figure in shown]
        )
        assert texts(ax) == [f"z {figure.z:+.1f}" for figure in shown]
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        assert legend == ["exact", "paper, run 1", "paper, run 2", "paper, run 3"]


def test_one_hand_stands_beside_both_hands():
    study = STUDIES["shift"].simulate(5_000, 1)
    for ax, shares in zip(
        bb.plots.shift(study), study.answers["shares"].values(), strict=True
    ):
        drawn = sorted(bars(ax).values())
        assert drawn == sorted(chain.from_iterable(shares.values()))


def test_given_axes_are_used_and_returned(result, steps):
    exact = captures.count_exactly()
    for draw in (
        lambda ax: bb.plots.tricks(result, ax=ax),
        lambda ax: bb.plots.cards(result, ax=ax),
        lambda ax: bb.plots.lengths(result, ax=ax),
        lambda ax: bb.plots.paper_runs(exact, ax=ax),
    ):
        ax = Figure().subplots()
        assert draw(ax) is ax
    figure = Figure()
    assert bb.plots.sharpening(steps, figure=figure).shape == (3,)
    assert len(figure.axes) == 3


def test_pictures_leave_no_pyplot_behind():
    code = (
        "import sys, bayesbridge as bb; assert 'matplotlib' not in sys.modules;"
        "from bayesbridge.studies import captures; bb.plots.paper_runs(captures.count_exactly());"
        "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True False\n"


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (
            lambda result: bb.plots.tricks(result, level=0),
            "level 0: a contract is at level 1 to 7",
        ),
        (lambda result: bb.plots.tricks(result, "tricks"), "no output 'tricks'"),
        (
            lambda result: bb.plots.tricks(result, "c1"),
            "'c1' has several numbers: pick one by suit",
        ),
    ],
)
def test_wrong_questions_are_refused(result, draw, words):
    with pytest.raises(bb.BayesBridgeError, match=words):
        draw(result)


def test_shrinkage_shows_what_was_counted_and_what_is_believed():
    draws = np.random.default_rng(1).beta([80, 10, 20], [20, 30, 20], size=(2, 400, 3))
    players = ["often", "rarely", "never asked"]
    rates = xarray.DataArray(draws, {"player": players}, ("chain", "draw", "player"))
    counts = {"often": (17, 20), "rarely": (1, 2)}
    ax = bb.plots.shrinkage(rates, counts, {"often": 0.8, "rarely": 0.2})
    order = ["rarely (1 of 2)", "never asked (0 of 0)", "often (17 of 20)"]
    assert [label.get_text() for label in ax.get_yticklabels()] == order
    (raw,) = (
        collection
        for collection in ax.collections
        if collection.get_label() == "raw rate"
    )
    assert raw.get_offsets().tolist() == [[0.5, 0], [0.85, 2]]
    assert np.diff(raw.get_sizes()) > 0
    drawn = {line.get_marker(): line.get_xdata() for line in ax.lines}
    np.testing.assert_allclose(drawn["o"], np.sort(draws.mean(axis=(0, 1))))
    assert list(drawn["|"]) == [0.2, 0.8]
    names = {"raw rate", "estimate, 89 % interval", "truth", "mean of all"}
    assert {text.get_text() for text in ax.get_legend().get_texts()} == names


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_points_are_a_row_of_bars_for_each_hidden_hand(posterior, result):
    chances = posterior.point_probabilities()
    for source in (posterior, result):
        ax = bb.plots.points(source)
        means = {
            seat: float((chances.sel(seat=seat) * chances["points"]).sum())
            for seat in "SW"
        }
        assert labels(ax.yaxis) == [
            f"South\nmean {means['S']:.1f}",
            f"West\nmean {means['W']:.1f}",
        ]
        assert "as East sees it" in ax.get_title()
    highest = float(chances.sel(seat=["S", "W"]).max())
    for row, seat in enumerate("SW"):
        shares = chances.sel(seat=seat).values
        drawn = {
            round(bar.get_x() + bar.get_width() / 2): bar
            for bar in ax.patches
            if bar.get_y() == -row
        }
        heights = {
            points: bar.get_height() * highest / 0.78 for points, bar in drawn.items()
        }
        assert heights == pytest.approx(
            {points: shares[points] for points in drawn}, abs=1e-9
        )
        assert sum(heights.values()) == pytest.approx(1, abs=0.01)
        low, high = shortest_interval(np.arange(38), shares, 0.5)
        dark = {
            points
            for points, bar in drawn.items()
            if to_hex(bar.get_facecolor()) == plots.BLUE.lower()
        }
        assert dark == set(range(int(low), int(high) + 1)) & drawn.keys()


def test_an_output_of_several_numbers_is_a_table_with_means(result):
    ax = bb.plots.distribution(result, "delta")
    pmf = result["pmf"]["delta"]
    assert labels(ax.yaxis) == [str(suit) for suit in pmf["suit"].values]
    shown = [text.get_text() for text in ax.texts]
    for suit in "CDHS":
        shares = pmf.sel(suit=suit)
        assert f"{float((shares * shares['delta_value']).sum()):.2f}" in shown
        for share in shares.values[shares.values > 0]:
            assert short_percent(float(min(share, 1.0))) in shown
    assert labels(ax.xaxis)[-1] == "mean"


def test_one_number_is_drawn_as_bars(result):
    ax = bb.plots.distribution(result, "delta", suit="S")
    shares = result["pmf"]["delta"].sel(suit="S")
    drawn = {
        round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in ax.patches
    }
    assert drawn == pytest.approx(
        {int(v): float(shares.sel(delta_value=v)) for v in drawn}
    )
    assert ax.get_title().startswith("delta of S and N, S (exact)")


@bb.plugins.estimator(
    "share", doc="Points of the pair as a share of all.", dtype="float64"
)
def share(deal, question):
    return sum(deal[seat].points for seat in question.pair) / 40


def test_numbers_that_are_not_whole_are_a_histogram_by_weight(posterior):
    result = bb.estimate(posterior, share, pair="S:N")
    ax = bb.plots.distribution(result, "share")
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(1)
    mean = posterior.expect(lambda layouts: layouts.points[:, [0, 2]].sum(axis=1) / 40)
    assert [
        line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"
    ] == pytest.approx([mean])
    middles = np.array([bar.get_x() + bar.get_width() / 2 for bar in ax.patches])
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert float(middles @ heights) == pytest.approx(
        mean, abs=ax.patches[0].get_width()
    )


def test_played_cards_have_a_line_through_them():
    belief = positions.quiet().given(bb.Play("W", "S8"), bb.Play("N", "SJ"))
    posterior = belief.infer(rng=1)
    marked = []
    for source in (posterior, bb.estimate(posterior, pair="S:N")):
        ax = bb.plots.cards(source)
        assert ax.get_title().endswith("in %; a line: played")
        marked.append(
            sorted((line.get_xdata()[0], line.get_ydata()[1]) for line in ax.lines)
        )
    assert marked[0] == marked[1] == [(3, 0.0), (6, 0.0)], (
        "the jack and the eight, in the block of spades"
    )
    assert not bb.plots.cards(positions.quiet().infer(rng=1)).lines


def test_cards_without_matchpoints_are_refused_in_one_line():
    rows = (
        CardChoice((bb.Card.of("H9"),), (0.4, 0.03), (4.0, 0.1), (0.0, 0.0), True, 0.5),
    )
    turn = turn_of(bb.Belief("W", "Q8642.93.J84.K75", dummy=None), "3NT")
    choices = CardChoices(turn, "matchpoints", rows, 100, False)
    with pytest.raises(
        BayesBridgeError, match=r"^the cards have no matchpoints: .*field$"
    ):
        bb.plots.play(choices)
