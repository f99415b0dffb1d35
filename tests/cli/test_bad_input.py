"""Whatever is wrong with a command line: status 2, nothing on stdout, one line on stderr that quotes and mends."""

import pytest

from bayesbridge import cli

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ32.A54"

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
    "unknown option of lines": (["bid", HAND, "--a\nb"], r"unrecognized arguments: --a\nb", "--help"),
    "no second hand": (["capture", HAND], "required: SECOND", "see 'bayesbridge capture --help'"),
    "one hand too many": (["bid", HAND, DUMMY], f"unrecognized arguments: {DUMMY}", "--help"),
    "no command": ([], "required: COMMAND", "see 'bayesbridge --help'"),
    "unknown shell": (["completion", "cmd"], "invalid choice: 'cmd'", "bash"),
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


def test_an_interrupt_is_silent(capsys, monkeypatch):
    monkeypatch.setattr(cli.bid, "run", raising(KeyboardInterrupt()))
    assert cli.main(["bid", HAND]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_closed_stderr_leaves_stdout_alone(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    assert cli.main(["bid", "x"]) == 2
    assert capsys.readouterr().out == ""
