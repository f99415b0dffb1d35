"""Double-dummy results: tables that DDS publishes, endings by plain minimax, contracts."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path

import bayesbridge_double_dummy as plugin
import numpy as np
import pytest
from bayesbridge_double_dummy import BATCH, DoubleDummy, DoubleDummyLeads, Solved

import bayesbridge as bb
from bayesbridge import (
    BayesBridgeError,
    Belief,
    Card,
    Deal,
    Hand,
    Holds,
    Layouts,
    Reveal,
    Seat,
    Suit,
    Trick,
    estimate,
)
from bayesbridge.estimators.protocol import run
from bayesbridge.notation import read_pbn
from bayesbridge.plugins import Question, check_estimator, load

PUBLISHED = {
    "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3": (
        "7575 5757 6666 5858 6666"
    ),
    "E:QJT5432.T.6.QJ82 .J97543.K7532.94 87.A62.QJT4.AT75 AK96.KQ8.A98.K63": (
        "6767 8383 a2a2 4949 9393"
    ),
    "N:73.QJT.AQ54.T752 QT6.876.KJ9.AQ84 5.A95432.7632.K6 AKJ9842.K.T8.J93": (
        "3939 8484 9494 3a3a 4848"
    ),
}
"""The deals of DDS's own examples/hands.cpp, and their tricks.

A group for each strain, clubs first: tricks of N E S W, where a is ten.
"""

ONE_SUIT_EACH = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


@pytest.fixture(scope="module")
def published():
    """The deals as layouts."""
    return Layouts.of(PUBLISHED)


@pytest.fixture(scope="module")
def tables(published):
    """(n, 5, 4) tricks of these layouts by strain and declarer."""
    return run(DoubleDummy(), published, Question.of("S:N"))["dd_tricks"]


def test_the_published_tables(tables):
    for table, text in zip(tables.tolist(), PUBLISHED.values(), strict=True):
        for row, digits in zip(table, text.split(), strict=True):
            assert row == [int(digit, 16) for digit in digits]


def test_some_strains_alone(published, tables):
    answers = run(DoubleDummy(("NT", "C")), published, Question.of("S:N"))
    assert np.array_equal(answers["dd_tricks"], tables[:, [4, 0]])


@pytest.mark.parametrize("pair", ["S:N", "E:W", "W:E"])
@pytest.mark.parametrize("trump", [None, *Suit])
def test_one_contract_solved_equals_the_table(published, tables, pair, trump):
    question = Question.of(pair, trump=trump)
    tricks = run(Solved(), published, question)["solved"]
    strain = 4 if trump is None else trump
    assert tricks.tolist() == tables[:, strain, question.pair[0]].tolist()


def test_a_contract_played_with_a_neighbour_equals_the_table(published):
    question = Question.of("E:N", trump=Suit.S)
    table = run(DoubleDummy(("S",)), published, question)["dd_tricks"]
    tricks = run(Solved(), published, question)["solved"]
    assert tricks.tolist() == table[:, 0, Seat.E].tolist()


def test_what_a_layout_takes_is_told():
    assert DoubleDummy(("NT",)).seconds == pytest.approx(DoubleDummy().seconds / 5)
    assert 0 < Solved().seconds < DoubleDummy().seconds


def test_a_contract_is_corrected_by_the_solver():
    belief = Belief("S", "AKQ32.KJ3.A54.Q2").given(
        Reveal("N", "J54.AQ2.KQ76.A54"), Holds("W", "ST S9 S8 S7")
    )
    result = estimate(belief.infer(draws=2000, rng=1), contract="7S", solve=40)
    contract = result["contract"].to_dataset()
    assert contract.attrs["basis"] == "corrected"
    assert int(contract.solved) == 40


def test_one_suit_each():
    answers = run(DoubleDummy(), Layouts.of([ONE_SUIT_EACH]), Question.of("S:N"))
    table = answers["dd_tricks"][0]
    assert table[:4].tolist() == [
        [0, 13, 0, 13],
        [13, 0, 13, 0],
        [0, 13, 0, 13],
        [13, 0, 13, 0],
    ]
    assert table[4].tolist() == [0, 0, 0, 0]  # the seat to the left runs its suit


@pytest.mark.parametrize("pair", ["S:N", "N:S", "E:W"])
@pytest.mark.parametrize("trump", [None, Suit.S])
def test_the_best_lead_leaves_declarer_what_the_table_says(
    published, tables, pair, trump
):
    question = Question.of(pair, trump=trump)
    leads = run(DoubleDummyLeads(), published, question)
    declarer = question.pair[0]
    strain = 4 if trump is None else int(trump)
    best_lead_tricks = leads["lead_tricks"].max(axis=1)
    assert (best_lead_tricks == 13 - tables[:, strain, declarer]).all()
    leaders_hands = published.masks[:, declarer.next(), None]
    is_held = leaders_hands >> np.arange(52, dtype=np.uint64) & np.uint64(1)
    assert np.array_equal(leads["lead_playable"], is_held.astype(bool))
    assert ((leads["lead_tricks"] >= 0) == leads["lead_playable"]).all()


def test_a_pair_of_neighbours_is_seated_opposite(published, tables):
    """East declares with North: the table is E S N W, in the order of play."""
    order_of_play = [Seat.E, Seat.S, Seat.N, Seat.W]
    moved = Layouts(published.masks[:, order_of_play])
    notrump = DoubleDummy(("NT",))
    opposite = run(notrump, moved, Question.of("N:S"))["dd_tricks"][:, 0]
    neighbours = run(notrump, published, Question.of("E:N"))["dd_tricks"][:, 0]
    assert np.array_equal(neighbours[:, order_of_play], opposite)
    assert not np.array_equal(neighbours, tables[:, 4])


def without_card(hands, seat, card):
    """The hands after a seat has played a card."""
    remaining = list(hands)
    remaining[seat] = hands[seat] - Hand.of(card)
    return remaining


def minimax_tricks(hands, trick, side):
    """Tricks of a side from here, by plain minimax over the cards of all four hands."""
    if trick.complete:
        won = int(trick.winner in side)
        if not any(map(len, hands)):
            return won
        return won + minimax_tricks(hands, Trick(trick.winner, trick.trump), side)
    seat = trick.turn
    values = []
    for card in trick.legal(hands[seat]):
        later_hands = without_card(hands, seat, card)
        values.append(minimax_tricks(later_hands, trick.after(seat, card), side))
    return max(values) if seat in side else min(values)


def random_ending(rng):
    """Four hands, and three cards of each that are left."""
    hands = []
    for cards in rng.permutation(52).reshape(4, 13).tolist():
        hands.append(Hand(sum(1 << card for card in cards)))
    remaining = []
    for hand in hands:
        cards = np.array(list(hand), dtype=object)
        remaining.append(Hand.of(list(rng.permutation(cards)[:3])))
    return hands, remaining


def random_trick(rng, hands, trump, cards):
    """A trick with so many cards of these hands, at random."""
    trick = Trick(Seat(int(rng.integers(4))), trump)
    for _ in range(cards):
        legal = list(trick.legal(hands[trick.turn]))
        trick = trick.after(trick.turn, legal[rng.integers(len(legal))])
    return trick


@pytest.mark.parametrize("cards_of_trick", [0, 1, 2, 3])
@pytest.mark.parametrize("trump", [None, Suit.H])
def test_endings_equal_plain_minimax(trump, cards_of_trick):
    rng = np.random.default_rng(cards_of_trick)
    for _ in range(12):
        hands, remaining = random_ending(rng)
        played = sum(hand.mask for hand in hands)
        played &= ~sum(hand.mask for hand in remaining)
        trick = random_trick(rng, remaining, trump, cards_of_trick)
        question = Question.of("S:N", trump=trump, trick=trick, played=played)
        answers = run(DoubleDummyLeads(), Layouts.of([Deal(tuple(hands))]), question)
        seat = trick.turn
        side = (seat, seat.partner)
        held = [hand - Hand.of(trick.cards) for hand in remaining]
        expected = [-1] * 52
        for card in trick.legal(held[seat]):
            later_hands = without_card(held, seat, card)
            tricks = minimax_tricks(later_hands, trick.after(seat, card), side)
            expected[card.index] = tricks
        assert answers["lead_tricks"][0].tolist() == expected


def test_more_layouts_than_a_batch_and_the_same_one_often(published, tables):
    rows = np.arange(2 * BATCH + 7) % 3
    answers = run(DoubleDummy(), published[rows], Question.of("S:N"))
    assert np.array_equal(answers["dd_tricks"], tables[rows])


def test_distinct_layouts_beyond_one_batch():
    """Solving is quick where every hand holds one suit but for a card."""
    base = Deal.of(ONE_SUIT_EACH)
    deals = []
    for spade_rank, heart_rank in product(range(13), repeat=2):
        spade = Hand.of(Card(39 + spade_rank))
        heart = Hand.of(Card(26 + heart_rank))
        north = base["N"] - spade | heart
        east = base["E"] - heart | spade
        deals.append(Deal((north, east, base["S"], base["W"])))
        deals.append(Deal((east, north, base["S"], base["W"])))
    answers = run(DoubleDummyLeads(), Layouts.of(deals), Question.of("S:N"))
    assert len(deals) > BATCH
    assert (answers["lead_tricks"][:, :13] == 13).all()  # West runs the clubs


def test_two_threads_at_once(published, tables):
    def solve(_):
        return run(DoubleDummy(("NT",)), published, Question.of("S:N"))["dd_tricks"]

    with ThreadPoolExecutor(2) as pool:
        solved_tables = list(pool.map(solve, range(4)))
    assert all(np.array_equal(table, tables[:, 4:]) for table in solved_tables)


def test_threads_that_begin_together_load_the_solver_once(monkeypatch):
    """Loading it again frees the memory of a solver at work: the process crashed."""
    loads = []

    def slowly(spec):
        loads.append(spec)
        time.sleep(0.05)
        return module_from_spec(spec)

    plugin._loaded.cache_clear()
    monkeypatch.setattr(plugin, "module_from_spec", slowly)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: plugin._dds(), range(4)))
    assert len(loads) == 1


def test_conformance():
    check_estimator(DoubleDummy(("NT",)), layouts=4)
    check_estimator(DoubleDummyLeads(), Question.of("S:N", trump=Suit.S), layouts=4)
    check_estimator(Solved(), layouts=4)


def test_what_cannot_be_solved_is_said(published):
    complete = Question.of("S:N", trick=Trick.of("W:S5 SK S2 S3"))
    with pytest.raises(BayesBridgeError, match="'W:S5 SK S2 S3' is complete"):
        run(DoubleDummyLeads(), published, complete)
    neighbours = Question.of("E:N", trick=Trick.of("W:S5"))
    with pytest.raises(BayesBridgeError, match="opposite seats"):
        run(DoubleDummyLeads(), published, neighbours)


def test_it_is_installed_and_light_to_find():
    plugins = load().plugins
    plugin = next(plugin for plugin in plugins if plugin.name == "double-dummy")
    assert plugin.distribution == "bayesbridge-double-dummy"
    assert list(plugin.estimators) == ["solved", "double_dummy", "double_dummy_leads"]
    code = (
        "import sys; from bayesbridge.plugins import load; load(); "
        "print('endplay' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert result.stdout == "False\n"


def choices_of_play(record, number):
    """The choices of :func:`bayesbridge.play` for a card on record, all hands being known."""
    contract = record.contract
    deal = record.deal
    seat, _ = record.plays[number]
    chooser = contract.declarer if seat == contract.declarer.partner else seat
    belief = bb.Belief(chooser, deal[chooser], dummy=None, trump=contract.strain)
    for hidden_seat in bb.Seat:
        if hidden_seat != chooser:
            belief = belief.given(bb.Reveal(hidden_seat, deal[hidden_seat]))
    belief = belief.given(*(bb.Play(*play) for play in record.plays[:number]))
    return bb.play(belief.infer(), contract)


@pytest.mark.parametrize(
    "boards", [slice(1), pytest.param(slice(1, None), marks=pytest.mark.slow)]
)
def test_play_is_the_solver_where_all_hands_are_known(boards):
    """Declarer's last tricks are searched without the solver, and agree with it."""
    path = Path(__file__).parents[2] / "examples" / "boards.pbn"
    records = read_pbn(path).records[boards]
    searched = 0
    for record in records:
        layouts = bb.Layouts.of([record.deal])
        for number in range(len(record.plays)):
            choices = choices_of_play(record, number)
            turn = choices.turn
            solved = run(DoubleDummyLeads(), layouts, turn.question)["lead_tricks"][0]
            own_tricks = turn.tricks - turn.won if turn.defends else turn.won
            tricks_by_card = {}
            for choice in choices.choices:
                for card in choice.cards:
                    tricks_by_card[card.index] = choice.tricks[0]
            assert tricks_by_card == {
                index: own_tricks + int(solved[index])
                for index in np.flatnonzero(solved >= 0)
            }
            searched += bool(choices.plan)
    # Declarer and dummy, in each of the last eight tricks.
    assert searched == 16 * len(records)


def one_plan():
    """The module of the example of this name."""
    spec = spec_from_file_location(
        "one_plan", Path(__file__).parents[2] / "examples" / "one_plan.py"
    )
    example = module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


DOUBTFUL = {"Discovery", "Drop before guess"}
"""Positions whose difference is below three standard errors of the layouts searched."""

LONG = "Strip and throw-in"


@pytest.mark.parametrize(
    "position",
    [
        pytest.param(
            position,
            marks=[pytest.mark.slow] if position["name"] == LONG else [],
            id=position["name"],
        )
        for position in one_plan().POSITIONS
    ],
)
def test_one_plan_finds_what_double_dummy_misses(position):
    """By one plan the right card is ahead, clearly unless doubtful.

    By double dummy it is nowhere ahead.
    """
    double_dummy = one_plan().rank_cards(position, 0)
    planned = one_plan().rank_cards(position, 2)
    right = Card.of(position["right"][:2])
    tempting = Card.of(position["tempting"][:2])
    right_chance = double_dummy.of(right).chance[0]
    assert double_dummy.of(tempting).chance[0] >= right_chance - 0.005
    assert planned.horizon == planned.document()["horizon"] == 2
    caution = "This trick and the next as one plan, after it double dummy."
    assert caution in planned.caution
    best_chance = planned.choices[0].chance[0]
    assert planned.of(right).chance[0] == pytest.approx(best_chance)
    behind, error = planned.of(tempting).behind
    assert behind > 0
    assert behind > 0.05 or position["name"] in DOUBTFUL
    if error < 0.05:  # a busy machine searches fewer layouts in its time
        assert (behind > 3 * error and behind > 0.05) == (
            position["name"] not in DOUBTFUL
        )
    if position["name"] == LONG:
        assert planned.of(right).chance[0] >= 0.99
        assert planned.of(tempting).chance[0] <= 0.85
