"""Cards in the middle of a play, and what those on record cost: by what their player
could know, and nothing later.
"""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.cli import main
from bayesbridge.decisions.play import turn_of
from bayesbridge.decisions.review import (
    BoardReview,
    Judged,
    judged_cards,
    player_costs,
    player_name,
    players_of,
    players_table,
    review_table,
    session_table,
)
from bayesbridge.engines.weights import Estimate
from bayesbridge.game.cards import Card
from bayesbridge.notation import read_pbn

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")

SOLVER = """
import numpy as np
from bayesbridge.plugins import Output, hookimpl

class Solver:
    "Tricks from the trick on, by all four hands and the card: as good as random, and the same every time."
    name = "double_dummy_leads"
    seconds = 0.001
    outputs = (Output("lead_tricks", "Tricks of the side in turn.", ("card",), "int8"),)

    def estimate(self, layouts, question):
        left = 13 - (question.played.bit_count() - len(question.trick.cards if question.trick else ())) // 4
        mixed = layouts.masks @ np.array([3, 5, 7, 11], np.uint64) >> np.uint64(9)
        return {"lead_tricks": ((mixed[:, None] + np.arange(52, dtype=np.uint64) // 3) % np.uint64(left + 1))}

@hookimpl
def bayesbridge_estimators():
    return [Solver()]
"""


@pytest.fixture
def record(install):
    install("solver", SOLVER)
    return read_pbn(BOARDS).records[1]


def test_every_moment_is_the_solvers_answer_where_all_hands_are_known(record):
    """Legal cards, tricks with those that are won already, P(makes) or P(beaten), for
    whoever chooses.
    """
    contract, deal = record.contract, record.deal
    scope = {}
    exec(SOLVER, scope)
    for number, (seat, card) in enumerate(record.plays):
        chooser = contract.declarer if seat == contract.declarer.partner else seat
        belief = bb.Belief.of_record(record, chooser, cards=number)
        turn = turn_of(belief)
        assert (turn.seat, turn.defends) == (seat, seat % 2 != contract.declarer % 2)
        assert card in turn.legal
        known = bb.Belief(chooser, deal[chooser], dummy=None, trump=contract.strain)
        known = known.given(
            *(bb.Reveal(other, deal[other]) for other in bb.Seat if other != chooser)
        )
        known = known.given(*(bb.Play(*one) for one in record.plays[:number]))
        found = bb.play(known.infer(), contract)
        # An ending of declarer's, which needs no solver: tests/decisions/test_ending.py
        if found.plan:
            continue
        taken = scope["Solver"]().estimate(bb.Layouts.of([deal]), turn.question)[
            "lead_tricks"
        ][0]
        own = turn.tricks - turn.won if turn.defends else turn.won
        assert {one for choice in found.choices for one in choice.cards} == set(
            turn.legal
        )
        for choice in found.choices:
            for one in choice.cards:
                tricks = own + int(taken[one.index])
                made = (
                    13 - tricks if turn.defends else tricks
                ) >= contract.tricks_needed
                assert choice.tricks == (tricks, 0.0)
                assert choice.chance == (float(made != turn.defends), 0.0)


def test_matchpoints_against_a_field(record):
    belief = bb.Belief.of_record(record, record.plays[8][0], cards=8)
    if turn_of(belief).seat != record.plays[8][0]:
        pytest.skip("dummy leads")
    posterior = belief.infer(draws=200, rng=1)
    found = bb.play(posterior, field=[-50, 420], solve=50, rng=1)
    assert found.goal == "matchpoints"
    shares = [choice.matchpoints[0] for choice in found.choices]
    assert shares == sorted(shares, reverse=True)
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert found.choices[-1].behind[0] == pytest.approx(shares[0] - shares[-1])
    with pytest.raises(bb.BayesBridgeError, match="field: give at least one score"):
        bb.play(posterior, field=[])


def test_one_plan_that_takes_too_long_gives_way_to_double_dummy(record):
    number = next(
        n
        for n in range(28, 52)
        if not turn_of(bb.Belief.of_record(record, record.plays[n][0], cards=n)).defends
    )
    posterior = bb.Belief.of_record(
        record, record.plays[number][0], cards=number
    ).infer(draws=200, rng=1)
    said = [bb.play(posterior, seconds=seconds, rng=1) for seconds in (1e-4, 2.0)]
    assert [one.horizon > 0 for one in said] == [False, True]
    assert (
        "One plan for all layouts took too long to search. Double dummy"
        in said[0].caution
    )
    assert ", all later guesses counted as right; declarer" in said[0].sentence
    assert said[1].document()["horizon"] == said[1].horizon


def rows(record, players="NESW", most=None):
    """The first rows of a review, or all: each is made when it is asked for."""
    return list(
        islice(
            judged_cards(record, [*map(bb.Seat.of, players)], solve=5, draws=60, rng=3),
            most,
        )
    )


def test_nothing_that_came_later_counts(record):
    """Later cards change no row before them; hidden hands change no row of those who do
    not see them.
    """
    contract = record.contract
    whole = rows(record, most=14)
    cut = replace(record, plays=record.plays[:14], result=None, claimed=False)
    assert rows(cut) == whole
    lead = contract.declarer.next()
    hidden = [contract.declarer, lead.partner]
    gone = {card for _, card in cut.plays}
    first, second = (
        [card for card in record.deal[seat] if card not in gone] for seat in hidden
    )
    one = next(
        card for card in first if any(other.suit == card.suit for other in second)
    )
    two = next(card for card in second if card.suit == one.suit)
    hands = list(record.hands)
    for seat, out, into in zip(hidden, (one, two), (two, one), strict=True):
        hands[seat] = bb.Hand((record.hands[seat].mask & ~out.mask) | into.mask)
    swapped = replace(cut, hands=tuple(hands))
    assert swapped.deal != record.deal

    def known(judged):
        return [replace(row, double_dummy_cost=None) for row in judged]

    assert known(rows(swapped, [lead.name])) == known(
        row for row in whole if row.player == lead
    )
    other = [row for row in whole if row.player == contract.declarer]
    assert known(rows(swapped, [contract.declarer.name])) != known(
        other
    )  # a control: declarer sees the change


def test_tables_and_documents_agree(record):
    record = replace(record, plays=record.plays[:24], result=None, claimed=False)
    table = bb.review(record, record.contract.declarer.name, solve=5, draws=60, rng=3)
    judged = rows(record, [record.contract.declarer.name])
    assert table.to_dict("records") == [row.document() for row in judged]
    assert {
        "trick",
        "seat",
        "card",
        "cost",
        "cost_error",
        "double_dummy_cost",
        "best",
    } <= set(table)
    assert (table["cost"] >= -1e-9).all()
    assert set(table["seat"]) == {
        record.contract.declarer.name,
        record.contract.declarer.partner.name,
    }
    assert len(review_table(judged, "").rows) == sum(
        row.verdict != "" for row in judged
    )
    assert players_table(players_of([BoardReview(record, judged)])).rows[0][2] == str(
        sum(row.verdict == "costly" for row in judged)
    )
    named = replace(record, tags=(("West", "?", ()), ("East", " Ann ", ())))
    assert [player_name(named, seat) for seat in (bb.Seat.W, bb.Seat.E)] == [
        "West",
        "Ann",
    ]
    for row in judged:
        assert bool(row.why) == bool(row.verdict)
        assert (row.best == row.card) == (row.cost[0] < 1e-9)


def test_the_commands(
    record, document, answer, complaint, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    words = [
        "--record",
        BOARDS,
        "--board",
        "2",
        "--after-trick",
        "3",
        "--after-card",
        "1",
        "--solve",
        "5",
    ]
    said, (seat, card) = document("play", *words), record.plays[13]
    assert said["seat"] == seat.name
    assert str(card) in said["wins"]
    assert {"contract", "goal", "best", "solved", "exact", "plan"} <= set(said)
    assert {"cards", "tricks", "tricks_error", "behind", "close", "wins"} <= set(
        said["cards"][0]
    )
    text = Path(BOARDS).read_text("utf-8").split("[Event ")[2]
    cards = text.index("[Play ")
    two = "".join(text[cards:].splitlines(keepends=True)[:3])
    Path("short.pbn").write_text(f"[Event {text[:cards]}{two}", "utf-8")
    quickly = "--solve", "3", "--draws", "50"
    judged = document("play", "--record", "short.pbn", "--review", "--draws", "50")
    assert [row["card"] for row in judged["cards"]] == [
        str(card) for _, card in record.plays[:8]
    ]
    assert complaint("play", "--record", "short.pbn", "--after-trick", "5").endswith(
        "tricks, the rest was claimed"
    )
    assert "the rest was claimed" in answer(
        "play", "--record", "short.pbn", "--review", *quickly
    )
    Path("revoke.pbn").write_text(
        f"[Event {text}".replace("C2 C6 CQ CA", "C2 C6 S5 CA"), "utf-8"
    )
    revoke = "the rest is left out: trick 3: S cannot play 'S5'"
    # What reading left out is told on stderr too.
    assert main(("play", "--record", "revoke.pbn", "--after-trick", "3")) == 2
    assert f"2 whole tricks, {revoke}" in capsys.readouterr().err
    assert main(("play", "--record", "revoke.pbn", "--review", *quickly)) == 0
    assert f"8 cards are on record, {revoke}" in capsys.readouterr().out
    assert (
        main(
            (
                "play",
                "--record",
                "revoke.pbn",
                "--review",
                "--seat",
                "N",
                *quickly,
                "--json",
            )
        )
        == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert (said["claimed"], said["left_out"][:27]) == (
        False,
        "trick 3: S cannot play 'S5'",
    )
    assert (
        document("report", "short.pbn", "--review", "--draws", "50")["cards"]
        == judged["cards"]
    )
    assert "Review of the play" in Path("report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("--after-trick", "3", "--observer", "E"),
            "argument --observer: it is W's turn: ask what W believes, not E",
        ),
        (
            ("--review", "--seat", "E"),
            "argument --seat: E is dummy, whose cards W chose: ask for --seat W",
        ),
        (("--after-trick", "13"), "all 52 cards are played: ask before the last trick"),
        (("--after-trick", "3", "--seat", "N"), "argument --seat: it is the turn of "),
        (
            ("--after-trick", "3", "--contract", "7C", "--by", "S"),
            "argument --contract: ",
        ),
        (
            ("--after-trick", "3", "--field", "four"),
            "argument --field: 'four' is not a list of scores",
        ),
    ],
)
def test_bad_moments_are_one_line(record, complaint, words, line):
    assert line in complaint("play", "--record", BOARDS, "--board", "2", *words)


SLAM = """[Event "?"]
[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:KQT82.Q32.AJ.KJT 3.J954.KQT95.Q72 AJ965.AK6.76.A64 74.T87.8432.9853"]
[Declarer "N"]
[Contract "6S"]
[Auction "N"]
1S Pass 4NT Pass 5D Pass 6S Pass Pass Pass
[Play "E"]
DK D6 D2 DA
S3 S5 S4 SK
H4 S6 S7 SQ
H5 HA H7 H2
HJ HK HT H3
H9 H6 H8 HQ
C2 CA C3 CJ
*
"""


def test_a_guess_in_place_of_a_sure_thing_is_costly(install, tmp_path):
    """Whoever wins the jack of diamonds opens clubs or gives a ruff and discard; on
    this deal the guess was right.
    """
    install("solver", SOLVER)
    (tmp_path / "slam.pbn").write_text(SLAM, "utf-8")
    (record,) = read_pbn(str(tmp_path / "slam.pbn")).records
    guess = next(
        one
        for one in judged_cards(record, [bb.Seat.N], player=None, rng=1)
        if one.number == 24
    )
    assert (str(guess.card), guess.verdict) == ("CJ", "costly")
    assert guess.best in {*map(bb.Card.of, ("ST", "S8", "S2", "DJ"))}


def judged_card(number, cost, error, choices=5):
    """A card of East in defence, worse than another unless its cost is nought."""
    east, card = bb.Seat.E, Card.of("H2")
    worse = Card.of("HK") if cost else card
    close = cost == 0.0
    lost = Estimate(cost, error)
    return Judged(number, east, east, card, worse, lost, close, 0, choices, "defence")


def test_tricks_lost_stand_beside_the_choices():
    """A quarter of a trick in 40 choices is 0.625 in a hundred, its error with it."""
    costly = [judged_card(0, 0.15, 0.03), judged_card(1, 0.10, 0.04)]
    rows = [*costly, *(judged_card(n, 0.0, 0.0) for n in range(2, 40))]
    rows.append(judged_card(40, 0.0, 0.0, choices=1))
    found = player_costs(rows)
    assert found["choices"] == 40
    assert found["lost_per_100"] == pytest.approx(0.625)
    assert found["lost_per_100_error"] == pytest.approx(0.125)
    table = session_table({"Ann": rows})
    columns = dict(zip(table.columns, table.rows[0], strict=True))
    assert columns["tricks lost"] == "0.25 ± 0.05"
    assert columns["per 100 choices"] == "0.6 ± 0.1"
    assert player_costs([])["lost_per_100"] == 0.0


def test_a_single_card_is_on_record(record):
    short = replace(record, plays=record.plays[:1], result=9)
    *_, said = BoardReview(short, []).parts(alerts=False)
    assert said == "1 card is on record, the rest was claimed."
