"""Whatever is wrong with a command line: status 2, nothing on stdout, one line on stderr that quotes and mends."""

import pytest

from bayesbridge import cli

pytestmark = pytest.mark.quick

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ32.A54"
SOUTH = ["count", "--observer", "S", "--hand", HAND]

BAD = {
    "12 cards": (["bid", "AKQ2.KJ3.A54.Q3"], "'AKQ2.KJ3.A54.Q3' has 12 cards", "add the missing 1"),
    "14 cards in the second hand": (
        ["capture", HAND, "J54.AQ2.KQ32.A754"],
        "argument SECOND: hand 'J54.AQ2.KQ32.A754' has 14 cards",
        "surplus 1",
    ),
    "a card in both hands": (["capture", HAND, "A54.AQ2.KQ32.J54"], "SA lies in both hands", "a card has one place"),
    "unknown rank": (["bid", "AXQ2.KJ3.A54.Q32"], "unknown rank 'X' in 'AXQ2'", "ranks are A K Q"),
    "empty hand": (["bid", ""], "empty hand ''", "write spades.hearts.diamonds.clubs"),
    "a hand of lines": (["bid", "AKQ2\nKJ3"], r"hand 'AKQ2\nKJ3' has 1 suits", "write four"),
    "deals in words": (["study", "captures", "--deals", "abc"], "'abc' is not a number", "write a whole number"),
    "half a deal": (["study", "captures", "--deals", "1.5"], "'1.5' is not a whole number", "from 1 to"),
    "deals beyond memory": (["study", "captures", "--deals", "1e999999999"], "'1e999999999' is out of", "from 1 to"),
    "no value": (["study", "captures", "--deals"], "argument --deals: expected one argument", "study --help"),
    "unknown command": (["captain", HAND], "invalid choice: 'captain'", "capture"),
    "nearly a command": (["estimat"], "invalid choice: 'estimat'", "did you mean 'estimate'?"),
    "nearly an option": (
        ["count", "--obsever", "S"],
        "unrecognized arguments: --obsever",
        "did you mean '--observer'?",
    ),
    "nearly a seat": (["count", "--observer", "Nort"], "unknown seat 'Nort'", "did you mean 'North'?"),
    "nearly an estimator": (
        ["estimate", *SOUTH[1:], "--estimator", "trick"],
        "unknown estimator",
        "did you mean 'tricks'?",
    ),
    "nearly a method": (
        ["estimate", *SOUTH[1:], "--method", "tilt"],
        "unknown method 'tilt'",
        "did you mean 'tilted'?",
    ),
    "shortened option": (["bid", HAND, "--js"], "unrecognized arguments: --js", "--help"),
    "unknown option of lines": (["bid", HAND, "--a\nb"], "unrecognized arguments: --a b", "--help"),
    "no second hand": (["capture", HAND], "required: SECOND", "see 'bayesbridge capture --help'"),
    "no command": ([], "required: COMMAND", "see 'bayesbridge --help'"),
    "no observer": (["count", "--hand", HAND], "no observer", "give --observer S"),
    "observer is dummy": (
        ["count", "--observer", "N", "--hand", HAND],
        "argument --observer: N is the dummy's seat",
        "another dummy, by --dummy",
    ),
    "two hands": ([*SOUTH, "--hand", DUMMY], f"argument --hand: given twice, the second time as {DUMMY}", "once"),
    "unknown bidder": ([*SOUTH, "--bidder", "mind"], "argument --bidder: unknown bidder model 'mind'", "iterative"),
    "slip above one": ([*SOUTH, "--slip", "1.5"], "argument --slip: '1.5' is no probability", "from 0 to 1"),
    "revealed without seat": ([*SOUTH, "--reveal", DUMMY], f"argument --reveal: '{DUMMY}'", "such as N:J54"),
    "rank before suit": ([*SOUTH, "--play", "E:KH"], "argument --play: unknown suit 'K' in card 'KH'", "then rank"),
    "length turned round": ([*SOUTH, "--length", "W:S:9-5"], "argument --length: W's length in S", "the lower first"),
    "length in words": ([*SOUTH, "--length", "W:S:long"], "argument --length: 'long' is no range", "5-13, 5, 5+"),
    "low call": (
        [*SOUTH, "--call", "W:2C", "--call", "E:1C"],
        "argument --call: illegal call '1C' by E",
        "legal: Pass, 2D",
    ),
    "play out of turn": (
        [*SOUTH, "--play", "W:C7", "--play", "E:C8"],
        "argument --play: trick 1: E cannot",
        "N's turn",
    ),
    "own card elsewhere": (
        [*SOUTH, "--holds", "E:SA"],
        f"these cannot hold together: S shows {HAND}; E holds SA. Take one of them back.",
        "(given by --holds)",
    ),
    "seldom seen conflict": (
        [*SOUTH, "--hcp", "W:11+", "--hcp", "E:11+"],
        f"these cannot hold together: S shows {HAND}; W has 11 to 40 high-card points; E has 11 to 40",
        "(given by --hcp)",
    ),
}


@pytest.mark.parametrize(("words", "what", "mend"), BAD.values(), ids=BAD)
def test_one_line_says_what_is_wrong_and_how_to_mend_it(capsys, words, what, mend):
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bayesbridge: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert what in err
    assert mend in err


def raising(error):
    def run(args):
        raise error

    return run


def test_an_unexpected_error_is_one_line_and_status_1(capsys, monkeypatch):
    monkeypatch.delenv("BAYESBRIDGE_DEBUG", raising=False)
    monkeypatch.setattr(cli.capture, "run_bid", raising(RuntimeError("two\nlines")))
    assert cli.main(["bid", HAND]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "bayesbridge: RuntimeError: two\\nlines (BAYESBRIDGE_DEBUG=1 shows where)\n"


def test_debug_shows_the_traceback_too(capsys, monkeypatch):
    monkeypatch.setenv("BAYESBRIDGE_DEBUG", "1")
    monkeypatch.setattr(cli.capture, "run_bid", raising(RuntimeError("why")))
    assert cli.main(["bid", HAND]) == 1
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert "in run" in err
    assert err.splitlines()[-1].startswith("bayesbridge: RuntimeError: why")


@pytest.mark.parametrize(("closed", "hand", "status"), [("stderr", "x", 2), ("stdout", "AKQ2.KJ3.A54.Q32", 0)])
def test_a_closed_stream_leaves_the_other_alone(capsys, monkeypatch, closed, hand, status):
    monkeypatch.setattr(f"sys.{closed}", None)
    assert cli.main(["bid", hand]) == status
    assert capsys.readouterr() == ("", "")
