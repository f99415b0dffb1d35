"""Alerts as statements: what is read, and what is left alone.

Nothing is taken unasked.
"""

import pytest

import bayesbridge as bb
from bayesbridge import Auction, Call
from bayesbridge.bidders.alerts import alert_statement, alerts_system
from bayesbridge.notation import read_lin

HANDS = "SAKQ42HKJ3DA54CQ3,S53HAT97DQT7CK652,SJT987HQ54D92CAJ4,"
PLAYED = "mb|p|mb|4S|mb|p|mb|p|mb|p|pc|HA|pc|H4|pc|H2|pc|H3|pg||\n"
BOARD = f"pn|Anna,Bert,Carl,Dora|qx|o1|md|1{HANDS}|sv|n|mb|1S|mb|p|mb|3S!|an|limit raise|{PLAYED}"
OTHER = (
    BOARD.replace("Anna,Bert", "Bert,Anna")
    .replace("o1", "o2")
    .replace("limit raise", "mixed")
)


@pytest.mark.parametrize(
    ("calls", "call", "text", "statement"),
    [
        ("1S p", "3S", "limit raise", "10-12 points, S3+"),
        ("p 1H 1S", "2S", "Limit Raise with 4+ support", "10-12 points, H3+, H4+"),
        ("1S p", "3S", "10 – 12 hcp; 4 trumps", "10-12 points, S4"),
        ("", "1NT", "15 to 17 bal", "15-17 points, balanced"),
        ("", "2D", "5+♠ and 4+ hearts", "S5+, H4+"),
        ("1NT p", "2D", "transfer", "H5+"),
        ("1NT p", "2S", "transfer to clubs", "C5+"),
        ("1NT p", "2S", "transfer", None),
        ("", "2H", "limit raise", None),
        ("", "2D", "5+ spades or 5+ hearts", None),
        ("", "2D", "no 4+ spades", None),
        ("", "2D", "could be 5+ spades", None),
        ("", "1C", "16+ points, 0-3 points", None),
        ("", "1C", "strong", None),
        ("", "1C", "", None),
    ],
)
def test_what_is_read_of_an_alert(calls, call, text, statement):
    shown = alert_statement(
        text, Auction.four("N").after_all(calls.split()), Call.of(call)
    )
    assert (None if shown is None else shown.text) == statement


def test_an_alert_that_is_taken_moves_what_the_call_shows():
    """Of the hands that raise to 3S nine in ten have what was alerted.

    Without the alert they are weaker.
    """
    record = read_lin(BOARD).records[0]
    usual = bb.LearnedBidder(record.vulnerable)
    view = {"player": None, "cards": 0}
    before = bb.Belief.of_record(record, "W", bidder=usual, **view).infer(
        draws=1000, rng=1
    )
    after = before.belief.with_bidder(
        bb.SystemBidder(alerts_system(record), base=usual)
    ).infer(draws=1000, rng=1)
    share, less = (
        posterior.point_probabilities().sel(seat="N").values[10:13].sum()
        for posterior in (after, before)
    )
    assert less < 0.5 < share
    assert alerts_system(read_lin(OTHER).records[0]) is None


def test_alerts_are_offered_and_players_are_chosen_by_name(
    install, document, answer, complaint, tmp_path, capsys
):
    from tests.decisions.test_review import SOLVER

    install("solver", SOLVER)
    path = tmp_path / "evening.lin"
    path.write_text(BOARD + OTHER, "utf-8")
    words = ("play", "--record", str(path), "--review", "--solve", "3", "--draws", "50")
    capsys.readouterr()
    line = complaint(*words, "--player", "Ana")
    assert (
        "'Ana' chose no card there: did you mean 'Anna'? write Anna, Bert, Carl, Dora"
        in line
    )
    assert "unknown player 'Anna'" in complaint(
        "play", "--record", str(path), "--after-trick", "0", "--player", "Anna"
    )
    from bayesbridge.cli import main

    def output_with(*options):
        assert main((*words, *options)) == 0
        return capsys.readouterr().out

    out = " ".join(output_with().split())
    assert (
        "North's 3S was alerted: limit raise (--alerts would take it as 10-12 points, S3+)."
        in out
    )
    assert "North's 3S was alerted: mixed." in out
    output = output_with("--alerts", "--player", "anna")
    assert "limit raise (taken as 10-12 points, S3+)" in output
    assert "Bert" not in output
    assert output.count("\nAnna ") == 3  # as declarer, as West, and both
    output_with("--out", str(tmp_path / "session.html"))
    page = (tmp_path / "session.html").read_text("utf-8")
    assert page.count('<section class="board">') == 2
    assert "was alerted: limit raise (which can be read as 10-12 points" in page
    assert "West Bert" in page
