"""``--system`` and the key ``system``: read, written again, said in words, and errors that name where."""

import bayesbridge as bb
from bayesbridge.cli import build_parser
from bayesbridge.cli.options import position_of
from bayesbridge.position import python_lines, read_position

FOUR = ("--observer", "S", "--hand", "A432.K43.J54.Q32", "--players", "4", "--call", "W:1NT")
SYSTEMS = ("--system", "strong-notrump", "--system", "ew:weak-twos = 0.3")


def position(*words):
    return position_of(build_parser().parse_args(["count", *words]))


def test_options_files_and_python_say_the_same(tmp_path):
    given = position(*FOUR, *SYSTEMS, "--vulnerable", "All")
    belief = given.belief()
    assert belief.bidder == bb.SystemBidder(["strong-notrump", "EW:weak-twos=0.3"], base=bb.LearnedBidder("All"))
    assert position(*given.words()).belief() == belief
    (tmp_path / "p.toml").write_text(given.toml())
    assert 'system = ["strong-notrump", "EW:weak-twos=0.3"]' in given.toml()
    assert read_position(str(tmp_path / "p.toml")).belief() == belief
    scope = {"bb": bb}
    exec(python_lines(belief), scope)
    assert scope["belief"] == belief
    (tmp_path / "one.toml").write_text(given.toml().replace('["strong-notrump", "EW:weak-twos=0.3"]', '"weak-twos"'))
    assert read_position(str(tmp_path / "one.toml")).belief().bidder.systems[0].text == "weak-twos"


def test_it_is_said_in_words(answer, document):
    told = document("count", *FOUR, *SYSTEMS)["systems"]
    assert told[1].startswith("EW play weak-twos with probability 0.3 (opening 2D shows 5-10 points, D6; ")
    assert "System: both sides play strong-notrump (opening 1NT shows" in answer("count", *FOUR, *SYSTEMS)
    assert "systems" not in document("count", *FOUR)


def test_answers_follow_the_system(document):
    calls = document("bid", "AQ5.KJ3.KJ54.Q73", "--auction", "1NT p 2NT p", "--system", "sayc")["calls"]
    assert calls["3NT"] > 0.8 > 0.1 > calls["3C"]


def test_errors_name_the_option_or_the_line(complaint, tmp_path):
    assert "argument --system: unknown system 'x': write" in complaint("count", *FOUR, "--system", "x")
    line = complaint("count", *FOUR, "--system", "weak-notrump", "--system", "strong-notrump")
    assert "argument --system: systems weak-notrump and strong-notrump contradict each other" in line
    three = ("--observer", "S", "--hand", "A432.K43.J54.Q32", "--dummy", "N", "--system", "weak-twos")
    line = complaint("count", *three)
    assert "argument --system: it is for four players: give --players 4 too" in line
    path = tmp_path / "p.toml"
    path.write_text('observer = "S"\nplayers = 4\nsystem = ["weak-twos", "sayc?"]\n')
    assert f"{path}:3: system: unknown system 'sayc?'" in complaint("count", "--position", str(path))
