"""Damaged files give an answer, or status 2 and one line.

There is never a traceback, and never a wrong number.
"""

import json

import pytest

from bayesbridge.cli import main
from tests.mutants import mutants

POSITIONS = [
    b"""\
# South looks at 13 cards. West opens, East discards a diamond on the first heart.
observer = "S"
hand = "AKQ2.KJ3.A54.Q32"   # spades.hearts.diamonds.clubs
dummy = "N"
players = 3
slip = 0.1
evidence = [
  { call = "W:1NT" },
  { reveal = "N:J54.AQ2.KQ76.A85" },
  { play = ["W:H5", "N:HA",
            "E:D2", "S:H3"] },
  { length = "W:S:4+", hcp = "W:-14" },
]
""",
    b"""\
observer = 'W'
hand = '8.AT952.K743.KJ9'
trump = "H"
bidder = "iterative"
players = 4
[[evidence]]
holds = "S:SA,SK"
[[evidence]]
lacks = ["E:SQ", "E:HK,D2"]
[[evidence]]
void = "N:H"
""",
]


def check(capsys, words):
    """Run a command; gives its answer, or ``None`` if it was refused as it should be."""
    status = main([*words, "--json"])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert err == "" or all(
        line.startswith("bayesbridge: ") for line in err.removesuffix("\n").split("\n")
    )
    if status == 0:
        assert out.count("\n") == 1
        return json.loads(out)
    assert (status, out) == (2, "")
    return None


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 150), pytest.param(2, 2_000, marks=pytest.mark.slow)]
)
def test_position_files(capsys, tmp_path, seed, count):
    answered = refused = 0
    path = tmp_path / "position.toml"
    for damaged in mutants(POSITIONS, seed, count):
        path.write_bytes(damaged)
        answer = check(capsys, ["count", "--position", str(path)])
        if answer is None:
            refused += 1
        else:
            answered += 1
            assert int(answer["layouts"]) >= 1
    assert answered > 0
    assert refused > count // 2


MONSTERS = {
    "deep lists": b"a = " + b"[" * 900 + b"\n[" * 900,
    "many digits": b"players = " + b"9" * 900,
    "an endless power": b"players = 1e999999999",
    "lists in lists": b'evidence = [{ call = [["W:1NT"]] }]',
    "UTF-16": "observer = 'S'".encode("utf-16"),
    "nothing": b"",
}


@pytest.mark.parametrize("text", MONSTERS.values(), ids=MONSTERS)
def test_position_files_of_monsters(capsys, tmp_path, text):
    path = tmp_path / "position.toml"
    path.write_bytes(text)
    assert check(capsys, ["count", "--position", str(path)]) is None
