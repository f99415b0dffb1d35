"""No escape from a file or a plugin reaches the terminal: commands show it as text."""

import pytest

from bayesbridge.cli import main
from bayesbridge.cli.screens import print_json, say, show_table
from bayesbridge.display.markup import Table
from bayesbridge.display.words import tell

EVIL = (
    "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e\u2066\u200b[bold red]x[/][link=file:///]"
)
"""Escapes of 7 and 8 bits, a delete, marks that turn the direction of writing, a
zero-width space, markup of rich.
"""

SHOWN = "\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\x7f\\u202e\\u2066\\u200b[bold red]x[/][link=file:///]"


def clean(text):
    """Whether a terminal would show every character and obey none."""
    return all(letter == "\n" or letter.isprintable() for letter in text)


def test_every_way_to_print_makes_it_visible(capsys):
    say(EVIL, "two\nlines")
    show_table(Table(EVIL, [EVIL, EVIL], [[EVIL, EVIL], ["two\nlines", ""]]))
    print_json({EVIL: EVIL})
    tell(f"{EVIL}\n")
    out, err = capsys.readouterr()
    assert clean(out)
    assert clean(err)
    assert " ".join(out.split()).count(SHOWN) == 6
    assert out.count("two\\nlines") == 2
    assert err == f"bayesbridge: {SHOWN}\\n\n"


PBN = f"""[Event "{EVIL}"]
[Site "{EVIL}"]
[Board "1{EVIL}"]
[Room "{EVIL}"]
[West "{EVIL}"]
[Dealer "E"]
[Vulnerable "NS"]
[Deal "N:AT982.KQ5.9.JT72 KJ73.AT97.QT7.K6 65.862.AKJ632.Q4 Q4.J43.854.A9853"]
[Declarer "W"]
[Contract "1NT"]
[Auction "E"]
1D Pass 1NT Pass
Pass Pass
[Play "N"]
S8 SJ S6 S4

[Board "2"]
[Deal "{EVIL}"]
[Auction "{EVIL}"]
{EVIL}

[Board "3"]
[Dealer "{EVIL}"]
[Vulnerable "{EVIL}"]
[Contract "{EVIL}"]
[Auction "N"]
1NT {EVIL}
[Play "{EVIL}"]
{EVIL}
"""

LIN = (
    f"pn|{EVIL},N,W,E|st|{EVIL}|"
    "md|3SAKQ2HKJ3DA54CQ32,SJ3HT92DKQJ9CKT98,S9865H54DT87CAJ54,ST74HAQ876D632C76|"
    f"ah|Board 1{EVIL}|sv|o|mb|1N|an|{EVIL}|mb|p|mb|p|mb|p|pc|{EVIL}|\n"
    f"md|3{EVIL}|ah|{EVIL}|sv|{EVIL}|mb|{EVIL}|pc|SA|\n"
)

FEW = ["--draws", "20"]
RECORDS = [
    ["report", *FEW, "--text"],
    ["report", *FEW, "--text", "--room", EVIL],
    ["score", *FEW, "--json"],
]


@pytest.mark.parametrize("words", RECORDS, ids=" ".join)
@pytest.mark.parametrize(
    ("name", "text"), [("evil.pbn", PBN), ("evil.lin", LIN)], ids=["pbn", "lin"]
)
def test_records(tmp_path, capsys, words, name, text):
    folder = tmp_path / "\x1b[2J\u202e"
    folder.mkdir()
    (folder / name).write_text(text, "utf-8")
    main([words[0], str(folder / name), *words[1:]])
    out, err = capsys.readouterr()
    assert clean(out)
    assert clean(err)
    assert "\\x1b" in err
    if words == ["report", *FEW, "--text"]:
        assert f"Board 1{SHOWN}" in " ".join(out.split())


@pytest.mark.parametrize(
    "words",
    [
        ["report", f"{EVIL}.pbn", "--text"],
        ["report", "--out", f"{EVIL}/report.html"],
        ["estimate", "--method", EVIL, "--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32"],
        ["count", f"--{EVIL}"],
        [EVIL],
    ],
    ids=ascii,
)
def test_arguments(capsys, words):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert clean(err)
    assert "\\x1b" in err


NAMES = f"""
from bayesbridge.plugins import Output, hookimpl
EVIL = {EVIL!a} + "\\n"

class Evil:
    name = EVIL
    outputs = (Output("x", EVIL, ("k",), coords={{"k": (EVIL, EVIL + "2")}}),)

    def estimate(self, layouts, question):
        return {{"x": [[1.0, 2.0]] * len(layouts)}}

class Raises(Evil):
    name = "raises"

    def estimate(self, layouts, question):
        raise RuntimeError(EVIL)

class Bidder:
    def log_likelihood(self, hands, auction, index):
        raise RuntimeError(EVIL)

    def __repr__(self):
        return EVIL

Evil.__doc__ = Bidder.__doc__ = EVIL

@hookimpl
def bayesbridge_estimators():
    return [Evil(), Raises()]

@hookimpl
def bayesbridge_bidders():
    return {{EVIL: Bidder()}}
"""

POSITION = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--draws", "20"]
PLUGINS = {
    "plugins": (["plugins"], 0),
    "plugins --json": (["plugins", "--json"], 0),
    "estimate": (
        ["estimate", *POSITION, "--estimator", f"{EVIL}\n", "--estimator", "raises"],
        1,
    ),
    "bidder": (["estimate", *POSITION, "--call", "W:1NT", "--bidder", f"{EVIL}\n"], 1),
    "unknown": (["estimate", *POSITION, "--estimator", "unknown"], 2),
}


@pytest.mark.parametrize(("words", "status"), PLUGINS.values(), ids=PLUGINS)
def test_plugins(install, capsys, words, status):
    """Names, sentences, labels and errors of a plugin are text.

    What it prints is its own.
    """
    install("evil", NAMES, version="1\x1b[2J", entry="evil\x1b[2J\x9b\u202e")
    install("broken", f"raise RuntimeError({EVIL!a})")
    assert main(words) == status
    out, err = capsys.readouterr()
    assert clean(out)
    assert clean(err)
    assert "owned" in out + err


def test_the_page_escapes_what_a_plugin_says(install, tmp_path, capsys):
    script = "<script>alert(1)</script>"
    install(
        "page",
        NAMES.replace(ascii(EVIL), ascii(script)).replace(
            'name = "raises"', f"name = {script!r}"
        ),
    )
    target = tmp_path / "page.html"
    assert (
        main(
            [
                "report",
                *POSITION,
                "--estimator",
                script,
                "--no-history",
                "--out",
                str(target),
            ]
        )
        == 1
    )
    assert script not in target.read_text("utf-8")
    assert script in capsys.readouterr().err
