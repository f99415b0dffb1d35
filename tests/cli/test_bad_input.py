"""Whatever is wrong with a command line: status 2, nothing on stdout, one line on stderr that quotes and mends."""

import pytest

from bayesbridge import cli

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ32.A54"
SOUTH = ["count", "--observer", "S", "--hand", HAND]

BAD = {
    "12 cards": (["bid", "AKQ2.KJ3.A54.Q3"], "'AKQ2.KJ3.A54.Q3' has 12 cards", "add the missing 1"),
    "14 cards": (["bid", "AKQ2.KJ3.A54.Q432"], "'AKQ2.KJ3.A54.Q432' has 14 cards", "take away the surplus 1"),
    "14 cards in the second hand": (
        ["capture", HAND, "J54.AQ2.KQ32.A754"],
        "argument SECOND: hand 'J54.AQ2.KQ32.A754' has 14 cards",
        "surplus 1",
    ),
    "a card twice": (["bid", "AAQ2.KJ3.A54.Q32"], "SA stands twice in hand 'AAQ2.KJ3.A54.Q32'", "remove one"),
    "a card in both hands": (["capture", HAND, "A54.AQ2.KQ32.J54"], "SA lies in both hands", "a card has one place"),
    "unknown rank": (["bid", "AXQ2.KJ3.A54.Q32"], "unknown rank 'X' in hand 'AXQ2.KJ3.A54.Q32'", "ranks are A K Q"),
    "suit letters": (["bid", "SAKQ2.HKJ3.DA54.CQ32"], "unknown rank 'S' in hand 'SAKQ2.", "ranks are A K Q"),
    "empty hand": (["bid", ""], "empty hand ''", "write spades.hearts.diamonds.clubs"),
    "blank hand": (["bid", "  "], "empty hand", "write spades.hearts.diamonds.clubs"),
    "three suits": (["bid", "AKQ2.KJ3.A54"], "hand 'AKQ2.KJ3.A54' has 3 suits", "write four"),
    "five suits": (["bid", "AKQ2.KJ3.A54.Q3.2"], "hand 'AKQ2.KJ3.A54.Q3.2' has 5 suits", "write four"),
    "a hand of lines": (["bid", "AKQ2\nKJ3"], r"hand 'AKQ2\nKJ3' has 1 suits", "write four"),
    "no deals": (["study", "captures", "--deals", "0"], "argument --deals: '0' is out of range", "from 1 to"),
    "negative deals": (["study", "captures", "--deals", "-5"], "'-5' is out of range", "from 1 to"),
    "deals in words": (["study", "captures", "--deals", "abc"], "'abc' is not a number", "write a whole number"),
    "half a deal": (["study", "captures", "--deals", "1.5"], "'1.5' is not a whole number", "from 1 to"),
    "deals without end": (["study", "captures", "--deals", "inf"], "'inf' is out of range", "from 1 to"),
    "deals that are none": (["study", "captures", "--deals", "nan"], "'nan' is not a number", "from 1 to"),
    "deals beyond memory": (["study", "captures", "--deals", "1e999999999"], "'1e999999999' is out of", "from 1 to"),
    "no workers": (
        ["study", "captures", "--workers", "0"],
        "argument --workers: '0' is out of range",
        "from 1 to 1_024",
    ),
    "negative seed": (["study", "captures", "--seed", "-1"], "argument --seed: '-1' is out of range", "from 0 to"),
    "no value": (["study", "captures", "--deals"], "argument --deals: expected one argument", "study --help"),
    "unknown table": (["study", "weather"], "invalid choice: 'weather'", "captures"),
    "unknown command": (["captain", HAND], "invalid choice: 'captain'", "capture"),
    "unknown option": (["bid", HAND, "--loud"], "unrecognized arguments: --loud", "--help"),
    "shortened option": (["bid", HAND, "--js"], "unrecognized arguments: --js", "--help"),
    "unknown option of lines": (["bid", HAND, "--a\nb"], "unrecognized arguments: --a b", "--help"),
    "no second hand": (["capture", HAND], "required: SECOND", "see 'bayesbridge capture --help'"),
    "one hand too many": (["bid", HAND, DUMMY], f"unrecognized arguments: {DUMMY}", "--help"),
    "no command": ([], "required: COMMAND", "see 'bayesbridge --help'"),
    "no observer": (["count", "--hand", HAND], "no observer", "give --observer S"),
    "no own hand": (["count", "--observer", "S"], "no hand", "give --hand AKQ2.KJ3.A54.Q32"),
    "nothing at all": (["estimate"], "no observer", "give --observer S"),
    "unknown observer": (
        ["count", "--observer", "Q", "--hand", HAND],
        "argument --observer: unknown seat 'Q'",
        "write N, E, S or W",
    ),
    "observer is dummy": (
        ["count", "--observer", "N", "--hand", HAND],
        "argument --observer: N is the dummy's seat",
        "another dummy, by --dummy",
    ),
    "two hands": ([*SOUTH, "--hand", DUMMY], f"argument --hand: given twice, the second time as {DUMMY}", "once"),
    "four and a dummy": (
        [*SOUTH, "--players", "4", "--dummy", "N"],
        "argument --dummy: with four players every seat bids",
        "leave it out",
    ),
    "five players": ([*SOUTH, "--players", "5"], "argument --players: unknown number of players '5'", "write 3 or 4"),
    "unknown trump": ([*SOUTH, "--trump", "X"], "argument --trump: unknown strain 'X'", "C, D, H, S or NT"),
    "unknown bidder": ([*SOUTH, "--bidder", "mind"], "argument --bidder: unknown bidder model 'mind'", "iterative"),
    "slip in words": ([*SOUTH, "--slip", "often"], "argument --slip: 'often' is no probability", "from 0 to 1"),
    "slip above one": ([*SOUTH, "--slip", "1.5"], "argument --slip: '1.5' is no probability", "from 0 to 1"),
    "negative slip": ([*SOUTH, "--slip", "-1"], "argument --slip: '-1' is no probability", "from 0 to 1"),
    "slip that is none": ([*SOUTH, "--slip", "nan"], "argument --slip: 'nan' is no probability", "from 0 to 1"),
    "12 cards revealed": ([*SOUTH, "--reveal", "N:J54.AQ2.KQ32.A5"], "argument --reveal: N's hand", "missing 1"),
    "revealed without seat": ([*SOUTH, "--reveal", DUMMY], f"argument --reveal: '{DUMMY}'", "such as N:J54"),
    "card without seat": ([*SOUTH, "--play", "HK"], "argument --play: 'HK'", "such as E:HK"),
    "rank before suit": ([*SOUTH, "--play", "E:KH"], "argument --play: unknown suit 'K' in card 'KH'", "then rank"),
    "void without suit": ([*SOUTH, "--void", "E:"], "argument --void: 'E:'", "such as E:H"),
    "void in no suit": ([*SOUTH, "--void", "E:X"], "argument --void: unknown suit 'X'", "write C, D, H or S"),
    "length without suit": ([*SOUTH, "--length", "W:5"], "argument --length: 'W:5'", "such as W:S:5-13"),
    "length turned round": ([*SOUTH, "--length", "W:S:9-5"], "argument --length: W's length in S", "the lower first"),
    "14 spades": ([*SOUTH, "--length", "W:S:14"], "argument --length: W's length in S from 14", "between 0 and 13"),
    "length in words": ([*SOUTH, "--length", "W:S:long"], "argument --length: 'long' is no range", "5-13, 5, 5+"),
    "length of dashes": ([*SOUTH, "--length", "W:S:-"], "argument --length: '-' is no range", "5-13, 5, 5+"),
    "two ends": ([*SOUTH, "--length", "W:S:5-9+"], "argument --length: '5-9+' is no range", "5+ (5 or more)"),
    "41 points": ([*SOUTH, "--hcp", "W:41"], "argument --hcp: W's high-card points from 41", "between 0 and 40"),
    "no card held": ([*SOUTH, "--holds", "E:"], "argument --holds: 'E:'", "such as E:SA,SK"),
    "a card held twice": ([*SOUTH, "--holds", "E:SJ,SJ"], "argument --holds: SJ is listed twice", "once"),
    "no card lacked": ([*SOUTH, "--lacks", "E:XX"], "argument --lacks: unknown suit 'X'", "suit then rank"),
    "unknown call": ([*SOUTH, "--call", "W:8NT"], "argument --call: unknown call '8NT'", "from 1C to 7NT"),
    "low call": (
        [*SOUTH, "--call", "W:2C", "--call", "E:1C"],
        "argument --call: illegal call '1C' by E",
        "legal: Pass, 2D",
    ),
    "call by dummy": ([*SOUTH, "--call", "N:1C"], "argument --call: N is the dummy's seat", "another seat"),
    "play out of turn": (
        [*SOUTH, "--play", "W:C7", "--play", "E:C8"],
        "argument --play: trick 1: E cannot",
        "N's turn",
    ),
    "revoke": (
        [*SOUTH, "--play", "W:C7", "--play", "N:H2", "--play", "E:C8", "--play", "S:DA"],
        "argument --play: trick 1: S cannot play 'DA'",
        "legal: CQ C3 C2",
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
    "unknown shell": (["--completion", "cmd"], "invalid choice: 'cmd'", "bash"),
}


@pytest.mark.parametrize("json_wanted", [False, True])
@pytest.mark.parametrize(("words", "what", "mend"), BAD.values(), ids=BAD)
def test_one_line_says_what_is_wrong_and_how_to_mend_it(capsys, words, what, mend, json_wanted):
    assert cli.main([*words, "--json"] if json_wanted and words else words) == 2
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
    monkeypatch.setattr(cli.bid, "run", raising(RuntimeError("two\nlines")))
    assert cli.main(["bid", HAND]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "bayesbridge: RuntimeError: two\\nlines (BAYESBRIDGE_DEBUG=1 shows where)\n"


def test_debug_shows_the_traceback_too(capsys, monkeypatch):
    monkeypatch.setenv("BAYESBRIDGE_DEBUG", "1")
    monkeypatch.setattr(cli.bid, "run", raising(RuntimeError("why")))
    assert cli.main(["bid", HAND]) == 1
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert "in run" in err
    assert err.splitlines()[-1].startswith("bayesbridge: RuntimeError: why")


def test_an_interrupt_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(cli.bid, "run", raising(KeyboardInterrupt()))
    assert cli.main(["bid", HAND]) == 130
    assert capsys.readouterr() == ("", "bayesbridge: interrupted\n")


def test_a_closed_stderr_leaves_stdout_alone(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    assert cli.main(["bid", "x"]) == 2
    assert capsys.readouterr().out == ""
