"""Position files: what the schema says, and errors that name file, line and key."""

import pytest

import bayesbridge as bb
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.cli.commands import parse_arguments
from bayesbridge.cli.positions import position_of

pytestmark = pytest.mark.quick

HAND = "AKQ2.KJ3.A54.Q32"
START = f'observer = "S"\nhand = "{HAND}"\n'


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text):
        path = tmp_path / "p.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return "p.toml"

    return write


def believed(*words):
    return position_of(parse_arguments(["count", *words])).belief()


def test_everything_at_once(file):
    text = f"""\
observer = "W"  # a comment with "quotes" and call = "X"
hand = '{HAND}'
dummy = "E"
players = 3
trump = "H"
bidder = "iterative"
slip = 0.1
evidence = [
  {{ call = ["N:1H", "S:1NT"] }}, {{ void = "N:C" }},
  {{ play = "N:HA" }},
  {{ length = "S:S:4+", hcp = "S:-8" }},
  {{ holds = "S:SJ,ST" }}, {{ lacks = "S:D2" }},
  {{ reveal = "E:987.T98.KQ87.A54" }},
]
"""
    expected = bb.Belief(
        "W", HAND, dummy="E", trump="H", bidder=IterativeBidder(slip=0.1)
    ).given(
        bb.Called("N", "1H"),
        bb.Called("S", "1NT"),
        bb.Void("N", "C"),
        bb.Play("N", "HA"),
        bb.Length("S", "S", 4),
        bb.HighCards("S", 0, 8),
        bb.Holds("S", "SJ ST"),
        bb.Lacks("S", "D2"),
        bb.Reveal("E", "987.T98.KQ87.A54"),
    )
    assert believed("--position", file(text)) == expected


def test_options_come_after_the_files_evidence_and_replace_its_settings(file):
    path = file(f'{START}trump = "S"\nevidence = [{{ call = "W:1NT" }}]')
    belief = believed(
        "--void", "E:H", "--position", path, "--trump", "NT", "--call", "E:2NT"
    )
    expected = bb.Belief("S", HAND, trump="NT")
    assert belief == expected.given(
        bb.Called("W", "1NT"), bb.Void("E", "H"), bb.Called("E", "2NT")
    )
    assert believed("--position", file('observer = "S"'), "--hand", HAND) == bb.Belief(
        "S", HAND
    )


BAD = {
    "unknown setting": (
        'obsever = "S"',
        "p.toml:1: obsever: unknown key 'obsever'",
        "did you mean 'observer'?",
    ),
    "unknown kind": (
        f'{START}evidence = [\n  {{ void = "E:H" }},\n  {{ viod = "E:D" }},\n]',
        "p.toml:5: viod: unknown key 'viod'",
        "did you mean 'void'?",
    ),
    "bad hand": (
        'observer = "S"\n\nhand = "AKQ"',
        "p.toml:3: hand: hand 'AKQ' has 1 suits",
        "write four",
    ),
    "bad slip": (
        f"{START}slip = 2.0",
        "p.toml:3: slip: '2.0' is no probability",
        "from 0 to 1",
    ),
    "a truth value": (
        f"{START}slip = true",
        "p.toml:3: slip: true is neither text nor number",
        "in quotes",
    ),
    "evidence as text": (
        f'{START}evidence = "W:1NT"',
        "p.toml:3: evidence: write a list",
        '{ call = "W:1NT" }',
    ),
    "inside a list over lines": (
        f'{START}evidence = [\n  {{ play = ["W:H5",\n    "N:HA", # not "this"\n    "E:1D"] }},\n]',
        "p.toml:6: play: unknown suit '1' in card '1D'",
        "suit then rank",
    ),
    "under a header": (
        f'{START}[[evidence]]\nvoid = "E:H"\n\n[[evidence]]\n"void" = "EH"',
        "p.toml:7: void: 'EH'",
        "such as E:H",
    ),
    "illegal call": (
        f'{START}evidence = [{{ call = "W:1NT" }},\n {{ call = "E:1C" }}]',
        "p.toml:4: call: illegal call '1C' by E after 'W:1NT'",
        "legal: Pass, 2C",
    ),
    "contradiction": (
        f'{START}evidence = [{{ void = "E:S" }},\n {{ holds = "E:SJ" }}]',
        "these cannot hold together: E is void in S; E holds SJ. Take one of them back.",
        "(given by p.toml:3: void; p.toml:4: holds)",
    ),
    "four with a dummy": (
        f'{START}players = 4\ndummy = "N"',
        "p.toml:4: dummy: with four players every seat bids",
        "leave it out",
    ),
    "unknown system": (
        f'{START}players = 4\nsystem = ["weak-twos", "sayc?"]',
        "p.toml:4: system: unknown system 'sayc?'",
        "write acol",
    ),
    "no quotes": (
        'observer = "S"\nhand = AKQ\n',
        "p.toml:2: hand: not TOML: Invalid value",
        "in quotes",
    ),
    "not UTF-8": (
        b'observer = "\xff"',
        "p.toml: not UTF-8 at byte 12",
        "save it as UTF-8",
    ),
}


@pytest.mark.parametrize(("text", "fault", "mend"), BAD.values(), ids=BAD)
def test_one_line_names_file_line_and_key(complaint, file, text, fault, mend):
    line = complaint("count", "--position", file(text))
    assert line.startswith(fault)
    assert mend in line
