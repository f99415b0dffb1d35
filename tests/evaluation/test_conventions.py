"""Conventions: which calls are meant, and what they promise.

A table is judged without its hidden hands.
"""

from dataclasses import replace

import conventions
import key_cards
import numpy as np
import pytest
from conventions import (
    CONVENTIONS,
    Case,
    Convention,
    Row,
    cases,
    document,
    measure,
    table,
)

import bayesbridge as bb
from bayesbridge.notation import Record, write_pbn
from bayesbridge.studies.jobs import RunOptions

# Of the test list
DEAL = "N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 T74.AQ876.632.76"


@pytest.mark.parametrize(
    ("pattern", "calls", "feature", "has"),
    [
        (
            "1x P 1y P [12]z P [23]w",
            "P 1C P 1H P 1S P 2D",
            "w == 3 and x == 3 and y == 3 and z == 4",
            True,
        ),
        ("1x P 1y P [12]z P [23]w", "1C P 1H P 1S P 2C", "w >= 0", None),
        ("(P )?1M P 2NT", "P P 1H P 2NT", "M >= 0", None),
        ("1M X", "P P P 1S X", "O == 4", False),
        (
            "1m 2NT",
            "1D 2NT",
            "o == 3 and hcp == 19 and balanced and not singleton",
            True,
        ),
        (
            "… .x P 4NT P 5H",
            "1C P 1S P 4NT P 5H",
            "aces + kings of x == 3 and queens of x == 1",
            True,
        ),
        (".y lead x[2-9]", "4S lead S9", "x >= 0", None),
        (
            ".y lead x[2-9]",
            "4S lead H9",
            "top2 of x == 1 and jacks of hearts == 1",
            True,
        ),
    ],
)
def test_a_pattern_names_the_suits_of_its_feature(pattern, calls, feature, has):
    convention = Convention("", pattern, feature)
    suits = convention.suits(calls)
    assert (suits is None) == (has is None)
    if suits is not None:
        expression = convention.expression(bb.Seat.N, suits)
        assert conventions.LayoutValues(bb.Layouts.of([DEAL]).masks).of(
            expression
        ).tolist() == [has]


AUCTION = bb.Auction.of("N:1NT Pass 2C Pass 2S Pass 4S Pass Pass Pass")
RECORD = Record(
    hands=bb.Deal.of(DEAL).hands,
    auction=AUCTION,
    plays=((bb.Seat.E, bb.Card.of("DK")),),
)


def test_a_table_is_judged_by_what_an_opponent_saw():
    stayman = next(
        convention for convention in CONVENTIONS if convention.name == "Stayman"
    )
    belief = bb.Belief("W", RECORD.hands[3], dummy=None).given(
        bb.Auction.of("N:1NT Pass 2C")
    )
    majors = belief.infer(draws=50, rng=np.random.default_rng(1)).expect(
        lambda layouts: layouts.lengths[:, 2, 2:].max(1) > 3
    )
    assert Case(stayman, RECORD, 3, {}).judged(50, np.random.default_rng(1)) == (
        1.0,
        pytest.approx(majors),
    )
    north, east, south, west = RECORD.hands
    changed = replace(RECORD, hands=(south, north, east, west), plays=())
    assert Case(stayman, changed, 3, {}).judged(50, np.random.default_rng(1)) == (
        0.0,
        pytest.approx(majors),
    )
    lead = Case(
        Convention("", ".y lead xK", "queens of x == 1"), RECORD, 0, {"x": "diamonds"}
    )
    after = bb.Belief.of_record(RECORD, "N", cards=1).infer(
        draws=50, rng=np.random.default_rng(1)
    )
    queen = after.card_probabilities().sel(card="DQ", seat="E").item()
    assert lead.judged(50, np.random.default_rng(1)) == (1.0, pytest.approx(queen))


def test_one_table_of_each_test_deal_counts_and_a_run_is_resumed(tmp_path, monkeypatch):
    path = tmp_path / "tables.pbn"
    kept = RunOptions(1, checkpoint=tmp_path / "kept")
    # not of the test list
    moved = replace(RECORD, hands=(*RECORD.hands[:2], RECORD.hands[3], RECORD.hands[2]))
    with path.open("w") as stream:
        write_pbn([RECORD, RECORD, moved], stream)
    assert [(case.convention.name, case.calls) for case in cases(str(path), 5)] == [
        ("Stayman", 3),
        ("lead: king", 0),
    ]
    monkeypatch.setattr(conventions, "cases", lambda *_: cases(str(path), 5)[:1] * 2)
    rows = measure(str(path), 5, 30, how=kept)
    monkeypatch.setattr(Case, "judged", None)
    assert measure(str(path), 5, 30, how=kept) == rows
    (row,) = document(rows)["rows"]
    assert (row["convention"]["name"], row["tables"], row["record"]) == (
        "Stayman",
        2,
        1.0,
    )
    with pytest.raises(bb.BayesBridgeError, match="holds no table of a test deal"):
        cases(__file__, 5)


def test_the_posterior_may_be_off_by_six_points_or_two_standard_errors():
    observed = np.array([[1, 0.9], [1, 0.7], [0, 0.2], [0, 0.3]])
    row = Row.of(CONVENTIONS[0], observed)
    assert row[1:] == pytest.approx(
        (
            4,
            0.5,
            np.sqrt(1 / 12),
            0.525,
            0.025,
            np.std([-0.1, -0.3, 0.2, 0.3], ddof=1) / 2,
        )
    )
    off = [
        row._replace(difference=by, difference_error=error)
        for by, error in ((-0.06, 0), (0.2, 0.1), (-0.2, 0.09))
    ]
    assert [variant.within for variant in off] == [True, True, False]
    assert table([row]).rows[0][-4:] == ["50.0 ± 28.9", "52.5", "+2.5 ± 13.8", "within"]


@pytest.mark.parametrize(
    ("auction", "places"),
    [
        ("N:1S Pass 3S Pass 4NT Pass 5H Pass 6S Pass Pass Pass", [6]),
        ("N:1S Pass 2NT Pass 4NT Pass 5H Pass Pass Pass", []),  # no trumps last
        ("N:1S Pass 3S Pass 4NT 5C Pass Pass 5H Pass Pass Pass", []),  # not at once
    ],
)
def test_answers_to_4nt_after_a_suit(auction, places):
    assert [*key_cards.answers(bb.Auction.of(auction))] == places


def test_an_answer_to_4nt_is_judged_by_its_probability():
    auction = bb.Auction.of("N:1S Pass 3S Pass 4NT Pass 5D Pass 6S Pass Pass Pass")
    own, partner = (np.array([RECORD.hands[seat].mask], np.uint64) for seat in (2, 0))
    chances = bb.LearnedBidder("none").probabilities(
        own, bb.Auction(bb.Seat.N, auction.calls[:6]), partner
    )[0]
    answers = [chances[bb.Call.of(f"5{suit}").index] for suit in "CDHS"]
    *_, shown, four = key_cards.rows(
        iter([replace(RECORD, auction=auction, contract=None, plays=())])
    )
    assert (shown.nats, four.nats) == pytest.approx(
        (-np.log(answers[1]), -np.log(answers[1] / sum(answers))), abs=1e-6
    )
    assert (four.reading, four.among, four.right) == (
        "shown",
        "the four",
        max(answers) == answers[1],
    )
    with pytest.raises(bb.BayesBridgeError, match="no table of a test deal"):
        key_cards.rows(iter([]))
