"""Cards in the middle of a play, and what those on record cost.

Both are judged by what their player could know, and nothing later.
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
    "Tricks from here by all hands and the card: as good as random, always the same."
    name = "double_dummy_leads"
    seconds = 0.001
    outputs = (Output("lead_tricks", "Tricks of the side in turn.", ("card",), "int8"),)

    def estimate(self, layouts, question):
        lying = question.trick.cards if question.trick else ()
        tricks_left = 13 - (question.played.bit_count() - len(lying)) // 4
        mixed = layouts.masks @ np.array([3, 5, 7, 11], np.uint64) >> np.uint64(9)
        by_card = mixed[:, None] + np.arange(52, dtype=np.uint64) // 3
        return {"lead_tricks": by_card % np.uint64(tricks_left + 1)}

@hookimpl
def bayesbridge_estimators():
    return [Solver()]
"""


@pytest.fixture
def record(install):
    install("solver", SOLVER)
    return read_pbn(BOARDS).records[1]


def seeing_all(record, seat, cards):
    """The belief of a seat that sees all hands, after so many cards."""
    belief = bb.Belief(
        seat, record.deal[seat], dummy=None, trump=record.contract.strain
    )
    for hidden in bb.Seat:
        if hidden != seat:
            belief = belief.given(bb.Reveal(hidden, record.deal[hidden]))
    return belief.given(*(bb.Play(*play) for play in record.plays[:cards]))


def solved_tricks(deal, question):
    """(52,) tricks from the trick on after each card, by the solver of these tests."""
    scope = {}
    exec(SOLVER, scope)
    outputs = scope["Solver"]().estimate(bb.Layouts.of([deal]), question)
    return outputs["lead_tricks"][0]


def test_every_moment_is_the_solvers_answer_where_all_hands_are_known(record):
    """Legal cards, tricks in all, and P(makes) or P(beaten), for whoever chooses."""
    contract = record.contract
    for number, (seat, card) in enumerate(record.plays):
        chooser = contract.declarer if seat == contract.declarer.partner else seat
        belief = bb.Belief.of_record(record, chooser, cards=number)
        turn = turn_of(belief)
        assert (turn.seat, turn.defends) == (seat, seat % 2 != contract.declarer % 2)
        assert card in turn.legal
        choices = bb.play(seeing_all(record, chooser, number).infer(), contract)
        # An ending of declarer's, which needs no solver: tests/decisions/test_ending.py
        if choices.plan:
            continue
        later_tricks = solved_tricks(record.deal, turn.question)
        won = turn.tricks - turn.won if turn.defends else turn.won
        compared = set()
        for choice in choices.choices:
            compared |= set(choice.cards)
        assert compared == set(turn.legal)
        for choice in choices.choices:
            for card in choice.cards:
                tricks = won + int(later_tricks[card.index])
                declarer_tricks = 13 - tricks if turn.defends else tricks
                made = declarer_tricks >= contract.tricks_needed
                assert choice.tricks == (tricks, 0.0)
                assert choice.chance == (float(made != turn.defends), 0.0)


def test_matchpoints_against_a_field(record):
    belief = bb.Belief.of_record(record, record.plays[8][0], cards=8)
    if turn_of(belief).seat != record.plays[8][0]:
        pytest.skip("dummy leads")
    posterior = belief.infer(draws=200, rng=1)
    choices = bb.play(posterior, field=[-50, 420], solve=50, rng=1)
    assert choices.goal == "matchpoints"
    shares = [choice.matchpoints[0] for choice in choices.choices]
    assert shares == sorted(shares, reverse=True)
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert choices.choices[-1].behind[0] == pytest.approx(shares[0] - shares[-1])
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
    hurried, patient = (
        bb.play(posterior, seconds=seconds, rng=1) for seconds in (1e-4, 2.0)
    )
    assert hurried.horizon == 0
    assert patient.horizon > 0
    assert (
        "One plan for all layouts took too long to search. Double dummy"
        in hurried.caution
    )
    assert ", all later guesses counted as right; declarer" in hurried.sentence
    assert patient.document()["horizon"] == patient.horizon


def rows(record, players="NESW", most=None):
    """The first rows of a review, or all: each is made when it is asked for."""
    return list(
        islice(
            judged_cards(record, [*map(bb.Seat.of, players)], solve=5, draws=60, rng=3),
            most,
        )
    )


def test_nothing_that_came_later_counts(record):
    """Later cards change no row before them, hidden hands none of who does not see them."""
    contract = record.contract
    first_rows = rows(record, most=14)
    cut = replace(record, plays=record.plays[:14], result=None, claimed=False)
    assert rows(cut) == first_rows
    declarer = contract.declarer
    leader = declarer.next()
    swapped = with_a_card_swapped(cut, declarer, leader.partner)
    assert swapped.deal != record.deal
    leader_rows = [row for row in first_rows if row.player == leader]
    assert known_then(rows(swapped, [leader.name])) == known_then(leader_rows)
    # A control: declarer sees the change.
    declarer_rows = [row for row in first_rows if row.player == declarer]
    assert known_then(rows(swapped, [declarer.name])) != known_then(declarer_rows)


def with_a_card_swapped(record, seat, other_seat):
    """A record on which two seats exchange cards of one suit that were not played."""
    played = {card for _, card in record.plays}
    cards = [card for card in record.deal[seat] if card not in played]
    other_cards = [card for card in record.deal[other_seat] if card not in played]
    suits = {card.suit for card in other_cards}
    card = next(card for card in cards if card.suit in suits)
    other_card = next(
        candidate for candidate in other_cards if candidate.suit == card.suit
    )
    hands = list(record.hands)
    for swapping in (seat, other_seat):
        mask = hands[swapping].mask ^ card.mask ^ other_card.mask
        hands[swapping] = bb.Hand(mask)
    return replace(record, hands=tuple(hands))


def known_then(judged):
    """Rows without what the real deal tells."""
    return [replace(row, double_dummy_cost=None) for row in judged]


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


AFTER_TRICK_THREE = (
    *("--record", BOARDS, "--board", "2"),
    *("--after-trick", "3", "--after-card", "1"),
    *("--solve", "5"),
)
QUICKLY = ("--solve", "3", "--draws", "50")


def second_board():
    """The text of the second board, and where its cards begin."""
    text = Path(BOARDS).read_text("utf-8").split("[Event ")[2]
    return text, text.index("[Play ")


@pytest.fixture
def short(tmp_path, monkeypatch):
    """A file with two tricks of the second board."""
    monkeypatch.chdir(tmp_path)
    text, cards = second_board()
    two_tricks = "".join(text[cards:].splitlines(keepends=True)[:3])
    Path("short.pbn").write_text(f"[Event {text[:cards]}{two_tricks}", "utf-8")
    return "short.pbn"


def test_the_commands(record, document):
    answer = document("play", *AFTER_TRICK_THREE)
    seat, card = record.plays[13]
    assert answer["seat"] == seat.name
    assert str(card) in answer["wins"]
    assert {"contract", "goal", "best", "solved", "exact", "plan"} <= set(answer)
    assert {"cards", "tricks", "tricks_error", "behind", "close", "wins"} <= set(
        answer["cards"][0]
    )


def test_a_claim_is_said(record, short, document, answer, complaint):
    judged = document("play", "--record", short, "--review", "--draws", "50")
    assert [row["card"] for row in judged["cards"]] == [
        str(card) for _, card in record.plays[:8]
    ]
    too_late = complaint("play", "--record", short, "--after-trick", "5")
    assert too_late.endswith("tricks, the rest was claimed")
    text = answer("play", "--record", short, "--review", *QUICKLY)
    assert "the rest was claimed" in text
    report = document("report", short, "--review", "--draws", "50")
    assert report["cards"] == judged["cards"]
    assert "Review of the play" in Path("report.html").read_text("utf-8")


def test_what_follows_a_revoke_is_left_out(record, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text, _ = second_board()
    with_revoke = f"[Event {text}".replace("C2 C6 CQ CA", "C2 C6 S5 CA")
    Path("revoke.pbn").write_text(with_revoke, "utf-8")
    command = ("play", "--record", "revoke.pbn")
    revoke = "the rest is left out: trick 3: S cannot play 'S5'"
    # What reading left out is told on stderr too.
    assert main((*command, "--after-trick", "3")) == 2
    assert f"2 whole tricks, {revoke}" in capsys.readouterr().err
    assert main((*command, "--review", *QUICKLY)) == 0
    assert f"8 cards are on record, {revoke}" in capsys.readouterr().out
    assert main((*command, "--review", "--seat", "N", *QUICKLY, "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["claimed"] is False
    assert document["left_out"][:27] == "trick 3: S cannot play 'S5'"


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
    """Whoever wins the jack of diamonds opens clubs or gives a ruff and discard.

    On this deal the guess was right.
    """
    install("solver", SOLVER)
    (tmp_path / "slam.pbn").write_text(SLAM, "utf-8")
    (record,) = read_pbn(str(tmp_path / "slam.pbn")).records
    guess = next(
        judged
        for judged in judged_cards(record, [bb.Seat.N], player=None, rng=1)
        if judged.number == 24
    )
    assert (str(guess.card), guess.verdict) == ("CJ", "costly")
    assert guess.best in {*map(bb.Card.of, ("ST", "S8", "S2", "DJ"))}


def judged_card(number, cost, error, choices=5):
    """A card of East in defence, worse than another unless its cost is nought."""
    card = Card.of("H2")
    return Judged(
        number=number,
        seat=bb.Seat.E,
        player=bb.Seat.E,
        card=card,
        best=Card.of("HK") if cost else card,
        cost=Estimate(cost, error),
        close=cost == 0.0,
        double_dummy_cost=0,
        choices=choices,
        kind="defence",
    )


def test_tricks_lost_stand_beside_the_choices():
    """A quarter of a trick in 40 choices is 0.625 in a hundred, its error with it."""
    costly = [judged_card(0, 0.15, 0.03), judged_card(1, 0.10, 0.04)]
    rows = [*costly, *(judged_card(n, 0.0, 0.0) for n in range(2, 40))]
    rows.append(judged_card(40, 0.0, 0.0, choices=1))
    costs = player_costs(rows)
    assert costs["choices"] == 40
    assert costs["lost_per_100"] == pytest.approx(0.625)
    assert costs["lost_per_100_error"] == pytest.approx(0.125)
    table = session_table({"Ann": rows})
    columns = dict(zip(table.columns, table.rows[0], strict=True))
    assert columns["tricks lost"] == "0.25 ± 0.05"
    assert columns["per 100 choices"] == "0.6 ± 0.1"
    assert player_costs([])["lost_per_100"] == 0.0


def test_a_single_card_is_on_record(record):
    short = replace(record, plays=record.plays[:1], result=9)
    *_, sentence = BoardReview(short, []).parts(alerts_used=False)
    assert sentence == "1 card is on record, the rest was claimed."
