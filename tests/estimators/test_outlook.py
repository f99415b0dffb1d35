"""What becomes of a contract in the middle of its play.

Beside records that are over, a search that anybody can read, and the network alone.
"""

from functools import cache
from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.estimators.odds import network_odds
from bayesbridge.estimators.outlook import Basis, outlook
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import Trick

BOARDS = Path(__file__).parents[2] / "examples" / "boards.pbn"
RECORDS = [
    record for record in bb.open_records(BOARDS).records if len(record.plays) == 52
]


def at(record, cards):
    """The outlook of the contract for the leader, after so many cards."""
    belief = bb.Belief.of_record(record, record.leader, cards=cards, player=None)
    return outlook(belief.infer(draws=200, rng=1), record.contract, 1)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.board)
def test_after_the_last_trick_the_result_stands(record):
    end = at(record, 52)
    made = record.result >= record.contract.tricks_needed
    assert end.basis == Basis.SETTLED
    assert end.made == (float(made), 0.0)
    assert end.tricks == record.result


def best_tricks(deal, trick, played, declarers):
    """Tricks of declarer's side from here on, all four seeing all cards."""

    @cache
    def search(leader, cards, gone):
        trick_so_far = Trick(Seat(leader), trick.trump, cards)
        seat = trick_so_far.turn
        if seat is None:
            won = trick_so_far.winner in declarers
            return won + search(int(trick_so_far.winner), (), gone)
        held = bb.Hand(deal[seat].mask & ~gone)
        if not held:
            return 0
        after = [
            search(leader, (*cards, card), gone | card.mask)
            for card in trick_so_far.legal(held)
        ]
        return max(after) if seat in declarers else min(after)

    return search(int(trick.leader), trick.cards, played)


@pytest.mark.parametrize("cards", [36, 38, 41])
def test_few_layouts_are_solved_from_here_on(cards):
    """Beside a plain search of every layout that is left."""
    compared = 0
    for record in RECORDS:
        belief = bb.Belief.of_record(record, record.leader, cards=cards, player=None)
        posterior = belief.infer(rng=1)
        forecast = outlook(posterior, record.contract, 1)
        if forecast.basis != Basis.SOLVED:
            continue
        compared += 1
        table = belief.table
        declarers = (record.contract.declarer, record.contract.declarer.partner)
        won = sum(seat in declarers for seat in table.winners)
        tricks_taken = [
            won + best_tricks(deal, table.trick, table.played, declarers)
            for deal in posterior.layouts
        ]
        made = [tricks >= record.contract.tricks_needed for tricks in tricks_taken]
        assert forecast.made.mean == pytest.approx(posterior.weights @ made)
        assert forecast.made.error == 0.0
        assert forecast.tricks == pytest.approx(posterior.weights @ tricks_taken)
    assert compared


def test_many_layouts_are_the_networks_from_the_deal():
    (record, *_) = RECORDS
    belief = bb.Belief.of_record(record, record.leader, cards=4, player=None)
    posterior = belief.infer(draws=200, rng=1)
    forecast = outlook(posterior, record.contract, 1)
    assert forecast.basis == Basis.NETWORK
    assert forecast.made == network_odds(posterior, record.contract, 1).make


def test_without_a_solver_the_network_answers_until_the_tricks_decide(monkeypatch):
    monkeypatch.setattr("bayesbridge.estimators.outlook._card_solver", lambda: None)
    for record in RECORDS:
        bases = [at(record, cards).basis for cards in (36, 44, 52)]
        assert Basis.SOLVED not in bases
        assert bases[-1] == Basis.SETTLED


def test_the_rows_of_a_history_say_what_each_chance_rests_on():
    """The network first, solved layouts where few are left, the result at the end."""
    (record, *_) = RECORDS
    belief = bb.Belief.of_record(record, record.leader, player=None)
    table = bb.sharpening(belief, contract=record.contract, draws=200)
    bases = table.made_basis.tolist()
    order = [Basis.NETWORK, Basis.SOLVED, Basis.SETTLED]
    assert list(dict.fromkeys(bases)) == order
    assert bases == sorted(bases, key=order.index)
    assert table.made.iloc[-1] == (record.result >= record.contract.tricks_needed)
    assert (table.made_error[table.made_basis != "network"] == 0.0).all()
