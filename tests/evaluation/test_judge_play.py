"""The experiment on card play: what each chooser is told.

Boards are judged on the real deal.
"""

from pathlib import Path

import judge_play
import pytest

from bayesbridge.evidence.kinds import Called, Play, Reveal
from bayesbridge.notation import read_pbn
from tests.decisions.test_review import SOLVER

RECORD = read_pbn(Path(__file__).parents[2] / "examples" / "boards.pbn").records[1]


def test_each_kind_of_evidence_adds_to_the_one_before():
    chooser = RECORD.contract.declarer
    hard, calls, player = (
        judge_play.belief_of(kind, RECORD, chooser, 9) for kind in judge_play.KINDS
    )
    assert {type(piece) for piece in hard.evidence} == {Play, Reveal}
    assert not hard.target.soft
    assert {type(piece) for piece in calls.evidence} == {Called, Play, Reveal}
    assert (calls.player, player.player is None) == (None, False)
    assert calls.evidence == player.evidence
    assert hard.count() == calls.count() == player.count()


def test_a_board_is_judged_on_the_real_deal(install):
    install("solver", SOLVER)
    board = judge_play.judged(RECORD, (0, 1), 4, 1)
    assert board["choices"][0]["cards"] == 0
    for choice in board["choices"]:
        price = choice["price"]
        assert min(price.values()) == 0
        assert choice["record"] == price[str(RECORD.plays[choice["cards"]][1])]
        assert choice["random"] == pytest.approx(sum(price.values()) / len(price))
        assert {
            *(choice[kind] for kind in judge_play.KINDS),
            judge_play.pick(choice),
        } <= {*price.values()}
        assert (
            sum(choice["liked"].values()) == pytest.approx(1.0, abs=1e-3)
            or RECORD.plays[choice["cards"]][0] == 1
        )
