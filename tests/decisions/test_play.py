"""Cards compared, against the exact answer on all layouts.

With honest errors, and refused where nobody chooses.
"""

from itertools import chain

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import bayesbridge as bb
from bayesbridge.decisions.play import play
from bayesbridge.display.words import card_words, percent
from bayesbridge.plots import BLUE
from tests.positions import EAST, NORTH

SOLVER = """
import numpy as np
from bayesbridge.plugins import Output, hookimpl

class Solver:
    "Tricks of the defence by points and length of the leader's partner, as no network."
    name = "double_dummy_leads"
    seconds = 0.001
    outputs = (
        Output("lead_playable", "Whether it may be led.", ("card",), "bool"),
        Output("lead_tricks", "Tricks of the defence.", ("card",), "int8"),
    )

    def estimate(self, layouts, question):
        leader, partner = question.table[1], question.table[3]
        starts = np.arange(0, 52, 13, dtype=np.uint64)
        fields = layouts.masks[:, partner, None] >> starts & np.uint64(0x1FFF)
        suits = np.repeat(np.bitwise_count(fields), 13, axis=1)
        tricks = layouts.points[:, partner, None] // 4 + suits.astype(int)
        cards = np.arange(52, dtype=np.uint64)
        held = (layouts.masks[:, leader, None] >> cards & np.uint64(1)).astype(bool)
        lead_tricks = np.where(held, np.clip(tricks, 0, 13), -1)
        return {"lead_playable": held, "lead_tricks": lead_tricks}

@hookimpl
def bayesbridge_estimators():
    return [Solver()]
"""

WEST = EAST
KNOWN = "SA SK SQ S2 HK HJ H3 DA CQ C2"


def solver():
    scope = {}
    exec(SOLVER, scope)
    return scope["Solver"]()


def leader(*evidence):
    """West, on lead against South, sees North's hand: 560 layouts.

    Ten of South's cards are known.
    """
    return bb.Belief("W", WEST, dummy=None).given(
        bb.Reveal("N", NORTH), bb.Holds("S", KNOWN), *evidence
    )


def exact(posterior, needed):
    """P(beaten) and tricks for each suit, from all layouts."""
    partner = posterior.layouts.masks[:, bb.Seat.E]
    points = posterior.layouts.points[:, bb.Seat.E]
    by_suit = {}
    for suit in bb.Suit:
        length = np.bitwise_count(partner >> np.uint64(13 * suit) & np.uint64(0x1FFF))
        tricks = np.clip(points // 4 + length.astype(int), 0, 13)
        by_suit[suit] = (
            posterior.weights[tricks > 13 - needed].sum(),
            (posterior.weights * tricks).sum(),
        )
    return by_suit


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr("bayesbridge.decisions.play.card_solver", solver)


def compared(posterior, goal="make", seconds=None, rng=0, contract="3NT"):
    return play(posterior, contract, goal=goal, seconds=seconds or 1e6, rng=rng)


@pytest.mark.parametrize("goal", ["make", "tricks"])
def test_all_layouts_are_the_exact_answer(goal, toy):
    posterior = leader().infer()
    comparison = compared(posterior, goal)
    right = exact(posterior, 9)
    assert (comparison.exact, comparison.solved, comparison.turn.seat) == (
        True,
        560,
        bb.Seat.W,
    )
    for choice in comparison.choices:
        beaten, tricks = right[choice.cards[0].suit]
        assert choice.chance == (pytest.approx(beaten), 0.0)
        assert choice.tricks == (pytest.approx(tricks), 0.0)
    values = [
        choice.chance[0] if goal == "make" else choice.tricks[0]
        for choice in comparison.choices
    ]
    assert values == sorted(values, reverse=True)
    # All cards of a suit do the same here, and only these stand together.
    assert sorted(choice.name for choice in comparison.choices) == [
        "CJ7",
        "DJT8",
        "H9864",
        "ST963",
    ]
    assert comparison.caution.startswith("Every layout was solved")
    assert comparison.clear
    assert comparison.sentence.startswith(
        f"Lead {card_words(comparison.choices[0].name)}: 3NT by S is then beaten with"
    )
    assert ", all later guesses counted as right; the defence" in comparison.sentence


def test_the_lead_that_experts_agree_on_begins_the_answer(toy):
    """From a sequence of four honours, whatever the layouts say."""
    west = bb.Belief("W", "KQJT4.864.T87.76", dummy=None).given(
        bb.Auction.of("S:1NT P 3NT P P P")
    )
    comparison = compared(west.infer(draws=200, rng=1), seconds=0.05, contract=None)
    card, share = comparison.favourite
    assert (str(card), share > 0.5) == ("SK", True)
    assert comparison.sentence.startswith(f"Experts lead ♠K ({percent(share, 0)}). ")
    assert "most often" not in comparison.sentence


def test_what_players_lead_stands_beside_the_figures(toy):
    """The chances of all cards sum to 1.

    Of leads that four layouts cannot tell apart the likeliest is named.
    """
    west = bb.Belief("W", WEST, dummy=None, player=bb.LearnedPlayer()).given(
        bb.Auction.of("S:1NT P 3NT P P P")
    )
    comparison = compared(west.infer(draws=200, rng=1), seconds=0.004, contract=None)
    led = {}
    for choice in comparison.choices:
        led.update(zip(choice.cards, choice.led, strict=True))
    assert sum(led.values()) == pytest.approx(1.0, abs=1e-5)
    best_cards = chain.from_iterable(choice.cards for choice in comparison.best)
    most = max(best_cards, key=lambda card: led[card])
    assert not comparison.clear
    share = percent(led[most], 0)
    habit = f"Of these experts lead {card_words(most)} most often ({share})."
    assert habit in comparison.sentence
    assert "experts" in comparison.tables[0].columns
    assert len(comparison.document()["cards"][0]["led"]) == len(
        comparison.choices[0].cards
    )
    silent = bb.Belief("W", WEST, dummy=None, player=None).infer(draws=200, rng=1)
    assert compared(silent, seconds=0.03).choices[0].led == ()
    # By a system that leads the fourth best, of the low spades of T963 the three.
    sayc = compared(
        west.with_bidder(bb.SystemBidder("sayc")).infer(draws=200, rng=1),
        seconds=0.03,
        contract=None,
    )
    agreed = {}
    for choice in sayc.choices:
        agreed.update(zip(map(str, choice.cards), choice.led, strict=True))
    assert agreed["S3"] > 0.85 * sum(
        chance for card, chance in agreed.items() if card in ("S9", "S6", "S3")
    )


def test_errors_are_honest(toy):
    """Over seeds, the sum of z² of a figure and of a paired difference is χ².

    A wrong answer is far outside.
    """
    posterior = leader().infer()
    right = exact(posterior, 9)
    best = max(right, key=lambda suit: right[suit])
    seeds = 25
    squares = np.zeros(3)
    for seed in range(seeds):
        comparison = compared(posterior, seconds=0.1, rng=seed)
        assert (comparison.exact, comparison.solved) == (False, 100)
        by_suit = {choice.cards[0].suit: choice for choice in comparison.choices}
        best_choice = comparison.choices[0]
        worse_choice = next(
            choice for choice in comparison.choices if choice is not best_choice
        )
        chance, error = by_suit[best].chance
        behind, spread = worse_choice.behind
        true = (
            right[best_choice.cards[0].suit][0] - right[worse_choice.cards[0].suit][0]
        )
        squares += (
            ((chance - right[best][0]) / error) ** 2,
            0.0,
            ((chance - right[best][0] - 0.1) / error) ** 2,
        )
        squares[1] += ((behind - true) / spread) ** 2
    # χ² with as many degrees of freedom as seeds; the order chosen by the draws widens
    # the second.
    sd = (2 * seeds) ** 0.5
    assert max(0, seeds - 5 * sd) < squares[0] < seeds + 5 * sd
    assert squares[1] < seeds + 8 * sd
    assert squares[2] > seeds + 5 * sd


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"contract": "3NT by E"}, "contract '3NT by E': S is on lead, not W"),
        ({"contract": "3NT by S", "by": "N"}, "name one declarer"),
        ({}, "no contract to play"),
        (
            {"contract": "3NT", "goal": "win"},
            "goal 'win': choose make, tricks, matchpoints",
        ),
        (
            {"contract": "3NT", "goal": "matchpoints"},
            "goal 'matchpoints': name the scores of other tables",
        ),
        ({"contract": "3NT", "seconds": 0.0}, "seconds 0.0: give a number above 0"),
    ],
)
def test_bad_questions_are_refused_in_one_line(arguments, words):
    with pytest.raises(bb.BayesBridgeError, match=words) as caught:
        bb.play(leader().infer(), **arguments)
    assert "\n" not in str(caught.value)


def test_without_a_solver_one_line_says_what_to_install(install):
    with pytest.raises(
        bb.BayesBridgeError, match="install the plugin bayesbridge-double-dummy"
    ):
        bb.play(leader().infer(), "3NT")


ASKED = (
    "--observer",
    "W",
    "--hand",
    WEST,
    "--players",
    "4",
    "--reveal",
    f"N:{NORTH}",
    "--holds",
)
ASKED = (*ASKED, f"S:{KNOWN.replace(' ', ',')}")


def test_the_command(install, document, answer):
    install("solver", SOLVER)
    right = exact(leader().infer(), 9)
    for place, (goal, figure) in enumerate(
        {"make": "beaten", "tricks": "tricks"}.items()
    ):
        answer_document = document(
            "play", *ASKED, "--contract", "3NT", "--by", "S", "--goal", goal
        )
        assert answer_document["cards"][0][figure] == pytest.approx(
            max(chances[place] for chances in right.values())
        )
        assert (
            answer_document["seat"],
            answer_document["contract"],
            answer_document["exact"],
        ) == (
            "W",
            "3NT by S",
            True,
        )
        out = answer("play", *ASKED, "--contract", "3NT", "--goal", goal)
        assert "West leads against 3NT by S" in out
        assert f"Lead {card_words(answer_document['best'][0])}" in out


@pytest.mark.parametrize("goal", ["make", "tricks"])
def test_the_picture(goal, toy):
    """One bar for each lead with its figure.

    The best and those close to it are blue; lines are only where draws err.
    """
    posterior = leader().infer()
    for seconds in (None, 0.1):
        comparison = compared(posterior, goal, seconds)
        ax = bb.plots.play(comparison)
        bars = [bar for bar in ax.patches if bar.get_height() == pytest.approx(0.62)]
        figures = [
            choice.chance[0] if goal == "make" else choice.tricks[0]
            for choice in comparison.choices
        ]
        assert [bar.get_width() for bar in bars] == pytest.approx(figures)
        names = [card_words(choice.name) for choice in comparison.choices]
        assert [label.get_text() for label in ax.get_yticklabels()] == names
        blue = [bar.get_facecolor() == to_rgba(BLUE) for bar in bars]
        assert blue == [choice.close for choice in comparison.choices]
        assert bool(ax.collections) is not comparison.exact
        blue_leads = "the best" if comparison.clear else "too close to call"
        assert f"West leads against 3NT by S; blue: {blue_leads}" in ax.get_title()
