"""``bayesbridge deal``: forms, files, scripts, types and one line for what is wrong."""

import json
from itertools import count

import pytest

from bayesbridge.cli import main
from bayesbridge.dealing.run import FORMS
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.notation import read_lin, read_pbn

SCRIPT = """
produce 6
opener = hcp(north) >= 20
condition opener
action printoneline, printcompact hcp(north),
  average "north" hcp(north), average "both" hcp(north) + spades(east) * rnd(2),
  frequency "f" (hcp(north), 20, 24), frequency "two" (hcp(north), 20, 21, spades(north), 2, 4)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.dlr"
    path.write_text(SCRIPT)
    return str(path)


@pytest.fixture
def dealt(capsys):
    """Run the command; gives stdout, and the plan on stderr."""

    def run(*words, status=0):
        assert main(["deal", *words]) == status
        return capsys.readouterr()

    return run


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_deals(dealt, form):
    out, err = dealt("-n", "2", "--form", form, "--hcp", "N:25+")
    assert out
    assert err.splitlines()[1].startswith("Exact, from tables: ")


def test_one_deal_is_in_a_file(dealt, tmp_path):
    path = tmp_path / "a.pbn"
    assert f"1 deal is in {path}." in dealt("-n", "1", "--out", str(path)).out


def test_files_hold_the_same_deals(dealt, tmp_path):
    words = ("-n", "5", "--hcp", "N:20+", "--seed", "4")
    for name in ("a.pbn", "a.lin", "a.txt"):
        assert (
            f"5 deals are in {tmp_path / name}"
            in dealt(*words, "--out", str(tmp_path / name)).out
        )
    pbn = read_pbn((tmp_path / "a.pbn").read_text())
    lin = read_lin((tmp_path / "a.lin").read_text())
    document = json.loads(dealt(*words, "--json").out)
    assert [record.hands for record in pbn.records] == [
        record.hands for record in lin.records
    ]
    assert (
        [record.dealer.name for record in pbn.records]
        == document["dealers"]
        == list("NESWN")
    )
    assert [record.vulnerable.value for record in lin.records] == document["vulnerable"]
    assert (tmp_path / "a.txt").read_text().count("\n") == 5
    assert document["deals"] == [str(record.deal) for record in pbn.records]


def test_no_deal_writes_no_file(dealt, tmp_path):
    path = tmp_path / "old.pbn"
    path.write_text("old")
    words = (
        "-n",
        "5",
        "--condition",
        "rnd(100000) == 0",
        "--generate",
        "100",
        "--out",
        str(path),
    )
    assert "was not written" in dealt(*words, status=1).out
    assert path.read_text() == "old"


def test_a_script_does_what_it_says(dealt, script):
    out, err = dealt(script)
    lines = out.splitlines()
    assert sum(line.startswith("n ") for line in lines) == 12
    assert sum(line.isdigit() and 20 <= int(line) <= 37 for line in lines) == 6
    assert any(
        line.startswith("north: 21.") and line.endswith("(exact)") for line in lines
    )
    assert any(line.startswith("both: ") and "±" in line for line in lines)
    assert "Frequency f: (exact, in percent)" in lines
    assert "deals fit the known cards" in err
    assert dealt(script, "--form", "oneline", "-n", "3").out.startswith("n ")


def test_types_and_plans(dealt):
    words = (
        "-n",
        "9",
        "--type",
        "weak=2: hcp(north) < 5",
        "--type",
        "strong: hcp(north) > 25",
    )
    plan = dealt(*words, "--plan").out.splitlines()
    assert plan[-2:] == [
        "Type strong: 3 deals, exactly 0.0194 % (1 in 5 154) of what is asked",
        "9 boards, dealers in turn, vulnerability in turn.",
    ]
    document = json.loads(dealt(*words, "--json").out)
    assert sorted(document["deal_types"]) == ["strong"] * 3 + ["weak"] * 6
    assert (
        json.loads(dealt(*words, "--plan", "--json").out)["types"]["weak"][
            "probability"
        ]
        > 0.08
    )


def test_tested_draws_are_told(dealt):
    err = dealt("-n", "5", "--form", "oneline", "--condition", "rnd(4) == 0").err
    assert "draws passed the tests" in err
    assert "meet the whole" in err
    err = dealt(
        "-n", "5", "--condition", "rnd(100000) == 0", "--generate", "2000", status=1
    ).err
    assert "allow more draws with --generate" in err


def test_a_search_that_takes_long_says_how_it_goes(dealt, monkeypatch):
    """By a clock that runs three seconds for every batch."""
    clock = count(step=3)
    monkeypatch.setattr(
        "bayesbridge.cli.deal_search.monotonic", lambda: float(next(clock))
    )
    words = ("-n", "5", "--form", "oneline", "--condition")
    err = dealt(*words, "rnd(100000) == 0", "--generate", "100000", status=1).err
    (early, late) = [line for line in err.splitlines() if " kept after " in line]
    assert early.startswith("none of 192 draws kept after 6 seconds, 32 a second: it")
    assert late.startswith("none of 16 320 draws kept after 24 seconds")
    assert " kept after " not in dealt(*words, "rnd(2) == 0").err


def test_a_deal_that_is_given_whole_and_does_not_fit_says_so(dealt):
    hands = ("N:AKQ2.KJ3.A54.Q32", "E:T9876.T98.T98.T9", "S:J543.AQ2.KQ3.A54")
    given_hands = []
    for hand in hands:
        given_hands += ("--given", hand)
    words = ("-n", "2", *given_hands, "--condition", "tricks(north, notrumps) == 13")
    err = dealt(*words, status=1).err
    assert "1 deal fits the known cards." in err
    assert err.endswith(
        "0 of 2 deals were found: the cards given are one deal, and it does not meet the "
        "condition\n"
    )


def test_calls_and_given_cards(dealt):
    out = dealt(
        "-n", "2", "--form", "oneline", "--call", "N:1NT", "--given", "N:AKQ2.KJ3.A54."
    ).out
    hands = [set(line.split()[1].split(".")[0]) for line in out.splitlines()]
    assert len(hands) == 2
    assert all(set("AKQ2") <= spades for spades in hands)


def test_a_condition_that_does_not_count_is_told(dealt, script):
    last_line = "\ncondition hcp(north) >= 25\n"
    with open(script, "a", encoding="utf-8") as file:
        file.write(last_line)
    shown = dealt(script, "--seed", "3")
    assert (
        "only the last condition counts, not that in line 4: "
        "join them with && to have both"
    ) in shown.err
    assert shown.out.startswith("n ")


def mean_points(document, seat):
    """The mean high-card points of a seat over the deals of a document."""
    deals = [Deal.of(text) for text in document["deals"]]
    return sum(deal[seat].points for deal in deals) / len(deals)


def test_deals_follow_the_system_that_is_named(dealt):
    """South's 1NT has 15 to 17 points in one system and 12 to 14 in the other."""
    words = ("-n", "12", "--call", "S:1NT", "--json")
    strong = json.loads(dealt(*words, "--system", "strong-notrump").out)
    weak = json.loads(dealt(*words, "--system", "weak-notrump").out)
    assert 14.5 < mean_points(strong, Seat.S) < 17.5
    assert 11.5 < mean_points(weak, Seat.S) < 14.5


def test_who_calls_first_deals_and_dealers_before_them_have_passed(dealt):
    words = ("-n", "2", "--call", "S:1NT", "--json")
    assert json.loads(dealt(*words).out)["dealers"] == ["S", "S"]
    earlier = json.loads(dealt(*words, "--dealer", "W").out)
    assert earlier["dealers"] == ["W", "W"]
    assert earlier["calls"]["auction"] == "W:Pass Pass Pass 1NT"


def test_one_vulnerability_for_all_boards(dealt):
    document = json.loads(dealt("-n", "3", "--vulnerable", "EW", "--json").out)
    assert document["vulnerable"] == ["EW", "EW", "EW"]


def test_a_wrong_script_is_named_with_line_and_column(complaint, tmp_path):
    path = tmp_path / "wrong.dlr"
    path.write_text("produce 3\ncondition hcp(noth) > 3\n")
    assert "wrong.dlr: line 2, column 15: 'noth' is no seat" in complaint(
        "deal", str(path)
    )
