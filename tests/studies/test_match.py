"""A match: the same deals at two tables, whoever sits where."""

import json

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.sides import SidesBidder, table_bidder
from bayesbridge.decisions.entrants import Entrant, bid_table
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.scoring import Duplicate, imps
from bayesbridge.notation.record import Record
from bayesbridge.studies import RunOptions
from tests.deals import deal_masks, solved_deals

HERE = RunOptions(workers=1, scheduler="threads")


def test_a_bidder_is_level_with_itself():
    result = bb.match("learned", "learned", boards=6, solved=False, how=HERE)
    assert (result.gain.mean, result.gain.error) == (0.0, 0.0)
    assert (result.boards["open"] == result.boards["closed"]).all()


def test_who_is_named_first_turns_the_signs():
    forward = bb.match("learned", "sayc", boards=6, solved=False, rng=2, how=HERE)
    reversed_match = bb.match(
        "sayc", "learned", boards=6, solved=False, rng=2, how=HERE
    )
    assert forward.boards["imps"] == pytest.approx(-reversed_match.boards["imps"])
    assert forward.boards["imps"].any()


def test_the_score_is_that_of_solved_deals():
    """By the tricks that stand beside the deals in a file."""
    layouts, tricks = solved_deals()
    records = [
        Record(hands=deal.hands, dealer=bb.Seat.N, vulnerable=Vulnerability.NS)
        for deal in layouts[:5]
    ]
    pytest.importorskip("bayesbridge_double_dummy")
    result = bb.match("learned", "sayc", boards=records, solved=True, how=HERE)
    for board, row in enumerate(result.boards):
        scores = [_score(row[room], tricks[board]) for room in ("open", "closed")]
        assert row["imps"] == int(imps(scores[0] - scores[1]))


def _score(text, tricks):
    """Of North and South, from (strain, declarer) tricks."""
    if text == "passed out":
        return 0
    contract = bb.Contract.of(str(text))
    tricks_taken = tricks[contract.strain, contract.declarer]
    score = int(Duplicate(Vulnerability.NS).score(contract, int(tricks_taken)))
    return -score if contract.declarer in (bb.Seat.E, bb.Seat.W) else score


def test_the_seed_and_nothing_else_decides(tmp_path):
    how = {"boards": 3, "layouts": 24, "solved": False, "rng": 5}
    match = bb.match("learned:value", "learned", how=HERE, **how)
    kept = RunOptions(workers=2, scheduler="threads", checkpoint=tmp_path / "kept")
    for _ in range(2):
        again = bb.match("learned:value", "learned", how=kept, **how)
        assert (again.boards == match.boards).all()
    assert match.boards["choices"].sum() > 0
    table = match.tables[0]
    assert ["decisions by value", str(match.boards["choices"].sum())] in table.rows
    assert len(match.to_dataframe()) == 3
    assert json.loads(json.dumps(match.document()))["boards"][2]["imps"] == float(
        match.boards["imps"][2]
    )
    assert bb.plots.match(match).get_xlabel() == "boards"


def test_a_chooser_sees_its_own_hand_and_the_calls_alone():
    """Other hands may be exchanged after a decision: it stays as it was."""
    masks = deal_masks(1, 12)[0]
    exchanged = masks.copy()
    exchanged[1] = masks[3]
    exchanged[3] = masks[1]
    entrants = Entrant.of("learned:value"), Entrant("passes", Passes())
    tables = [bb.Layouts(hands[None])[0] for hands in (masks, exchanged)]
    table, exchanged_table = (
        bid_table(deal, bb.Seat.S, Vulnerability.NONE, entrants, layouts=20, rng=4)
        for deal in tables
    )
    assert table.auction == exchanged_table.auction
    for (_, choice), (_, repeated) in zip(
        table.choices, exchanged_table.choices, strict=True
    ):
        if choice.values is not None:
            assert choice.values.document() == repeated.values.document()


class Passes:
    """Always passes, and says so."""

    def log_likelihood(self, hands, auction, index):
        return np.zeros(len(hands))

    def probabilities(self, hands, auction):
        return np.tile(np.eye(38)[0], (len(hands), 1))


def test_two_pairs_at_a_table_bid_each_its_own_way():
    acol = bb.SystemBidder("acol")
    sayc = bb.SystemBidder("sayc")
    bidder = table_bidder(acol, sayc)
    hands = np.ascontiguousarray(deal_masks(50, 3)[:, 0])
    for text, model in (("S:", acol), ("W:", sayc), ("S:1C", sayc)):
        auction = bb.Auction.four(text[0]).after_all(text[2:])
        own = model.probabilities(hands, auction)
        assert (bidder.probabilities(hands, auction) == own).all()
    assert table_bidder(acol, acol) is acol
    assert isinstance(bidder, SidesBidder)
    assert bidder.reads_partner
    auction = bb.Auction.of("S:1NT Pass")
    assert (
        bidder.log_likelihood(hands, auction, 0)
        == acol.log_likelihood(hands, auction, 0)
    ).all()


@pytest.mark.parametrize(
    ("entrant", "fault"),
    [
        ("lerned", "no bidder 'lerned'"),
        ("learned:valu", "did you mean 'value'"),
        ("learned:values:x", "write learned:values or learned:values:value"),
    ],
)
def test_an_entrant_that_is_not_known_is_said(entrant, fault):
    with pytest.raises(BayesBridgeError, match=fault):
        Entrant.of(entrant)


def test_no_board_is_said():
    with pytest.raises(BayesBridgeError, match="0 boards with all four hands"):
        bb.match("learned", "learned", boards=[], how=HERE)
    with pytest.raises(BayesBridgeError, match="a match needs at least 2"):
        bb.match("learned", "learned", boards=1, how=HERE)
