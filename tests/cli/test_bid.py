"""``bid``: the answer of the literal algorithm, chances of calls, and their values."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.decisions import call_values as values_module

OVERCALL = ("bid", "KQ84.75.KJ73.A98", "--auction", "(1H)", "--layouts", "40")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("bid", "AKQ2.AKJ.AK4.A32"),
            "3NT: the target of 9 tricks is met with 9 captures, that of 10 is not: only 9",
        ),
        (("bid", "AKQJ.AKQ.AKQ.AKQ"), "7NT: every target up to 13 tricks is met."),
        (
            ("bid", "5432.KJ3.A54.Q32"),
            "Pass: the target of 7 tricks is not met: condition A fails, for the leading gaps",
        ),
        (
            ("bid", "KQ5432.AK3.A54.K"),
            "Pass: the target of 7 tricks is not met: condition B fails in ♣ clubs:",
        ),
    ],
)
def test_people_are_told_why(answer, words, sentence):
    assert sentence in " ".join(answer(*words).split())


def test_bid_says_in_json_what_the_literal_algorithm_found(document):
    bid = document("bid", "AKQ2.AKJ.AK4.A32")
    assert (bid["level"], bid["call"]) == (3, "3NT")
    assert bid["counts"] == {
        "7": 9,
        "8": 9,
        "9": 9,
        "10": 9,
        "11": 9,
        "12": 9,
        "13": 8,
    }
    bid = document("bid", "5432.KJ3.A54.Q32")
    assert (bid["level"], bid["call"]) == (0, "Pass")
    assert bid["counts"] == dict.fromkeys(map(str, range(7, 14)), 0)


def test_every_legal_call_has_its_chance(document, answer):
    """The learned bidder's own figures: all legal calls, most likely first, one in all."""
    hand = "AKQ2.KJ3.A54.Q32"
    words = ("--auction", "1H", "--no-values")
    bid = document("bid", hand, *words)
    assert (bid["players"], bid["seat"], bid["auction"], bid["call"]) == (
        4,
        "S",
        "E:1H",
        "X",
    )
    legal = bb.Auction.of("E:1H").legal_calls()
    masks = np.array([bb.Hand.of(hand).mask], np.uint64)
    chances = bb.LearnedBidder().probabilities(masks, bb.Auction.of("E:1H"))[0]
    assert bid["calls"] == {
        str(call): pytest.approx(chances[call.index]) for call in legal
    }
    assert list(bid["calls"].values()) == sorted(bid["calls"].values(), reverse=True)
    assert sum(bid["calls"].values()) == pytest.approx(1.0)
    assert document("bid", hand, "--auction", "(1H)", "--no-values") == bid
    assert document("bid", hand, "--auction", "W:1H p p", "--no-values")["seat"] == "S"
    assert (
        document("bid", hand, "--auction", "1H-3H", "--no-values")["auction"]
        == "S:1H Pass 3H Pass"
    )
    assert "X " in answer("bid", hand, *words)


def test_who_bids_makes_a_difference(document, complaint):
    hand = "92.KQJ983.54.Q32"
    opening = document("bid", hand, "--players", "4", "--no-values")["calls"]
    assert len(opening) == 36
    assert (
        document("bid", hand, "--system", "weak-twos", "--no-values")["calls"]["2H"]
        > opening["2H"]
    )
    assert (
        document("bid", hand, "--vulnerable", "All", "--no-values")["calls"] != opening
    )
    three = document("bid", hand, "--players", "3", "--auction", "1NT")
    assert (three["players"], three["call"]) == (3, "Pass")
    assert "is over" in complaint("bid", hand, "--auction", "1NT p p p")
    assert "did you mean 'learned'?" in complaint("bid", hand, "--bidder", "lerned")


def test_a_call_that_depends_on_the_system_says_so(answer, document):
    """Twelve balanced points are a weak no trump, in one of the two systems."""
    words = ("bid", "AQ5.KJ3.Q954.973", "--auction", "E:p", "--no-values")
    systems = document(*words)["by_system"]
    assert (
        systems["experts"]["call"]
        == document(*words)["call"]
        == systems["sayc"]["call"]
        == "1D"
    )
    assert (
        systems["acol"]["call"] == document(*words, "--system", "acol")["call"] == "1NT"
    )
    assert (
        "This depends on what they play: with --system acol the hand bids 1NT"
        in answer(*words)
    )
    assert "depends" not in answer(*words, "--system", "acol")


def test_a_hand_may_begin_with_a_void_and_come_in_any_spelling(document):
    assert document("bid", "-.AKQJ.akqj2.AK103")["hand"] == ".AKQJ.AKQJ2.AKT3"


def test_calls_have_values_beside_the_likeliest(document, answer):
    bid = document(*OVERCALL)
    values = bid["values"]
    assert (values["reference"], values["goal"], values["rollouts"]) == (
        bid["call"],
        "imps",
        "likeliest",
    )
    compared = {row["call"]: row for row in values["calls"]}
    assert set(compared) == {
        call for call, chance in bid["calls"].items() if chance >= 0.02
    }
    for row in compared.values():
        assert row["chance"] == bid["calls"][row["call"]]
        assert sum(end["share"] for end in row["ends"]) <= 1.0 + 1e-9
    screen = answer(*OVERCALL)
    assert (
        "Double: it is what 95 % of experts call, and nothing is ahead of it." in screen
    )
    assert "IMPs against Double" in screen


def test_the_same_seed_gives_the_same_answer(document):
    assert document(*OVERCALL, "--seed", "7") == document(*OVERCALL, "--seed", "7")
    values_of_seed_7, values_of_seed_8 = (
        document(*OVERCALL, "--seed", seed)["values"] for seed in "78"
    )
    assert values_of_seed_7["calls"] != values_of_seed_8["calls"]


def test_goals_fields_and_files(document, tmp_path):
    words = (*OVERCALL, "--calls", "2H")
    by_points = document(*words, "--goal", "points")["values"]
    assert by_points["goal"] == "points"
    by_matchpoints = document(
        *words, "--goal", "matchpoints", "--field", "110,-140,-620"
    )
    gains = [row["gain"] for row in by_matchpoints["values"]["calls"]]
    assert all(abs(gain) <= 1.0 for gain in gains)
    assert any(gains)
    scheme = tmp_path / "mine.toml"
    scheme.write_text(
        'name = "mine"\nundertrick = 1\n[values]\nC = 1\nD = 1\nH = 1\nS = 1\nNT = 1\n',
        "utf-8",
    )
    by_scheme = document(*words, "--goal", str(scheme))["values"]
    assert by_scheme["goal"] == "mine"
    assert by_scheme["calls"] != by_points["calls"]


def test_the_game_of_three_through_the_same_door(document):
    words = ("bid", "AKQ2.AKJ.AK4.A32", "--players", "3", "--calls", "Pass,1NT")
    for goal in ("new", "old"):
        bid = document(*words, "--layouts", "40", "--goal", goal)
        values = bid["values"]
        assert (bid["players"], values["goal"]) == (3, goal)
        assert values["recommended"] == values["reference"] == "3NT"
        worst = values["calls"][-1]
        assert worst["call"] == "Pass"
        assert worst["ends"][0]["contract"] == "passed out"


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("--auction 1H-p-p-p", "is over"),
        ("--auction 1H --calls 1C", "it does not outrank 1H; legal: Pass, X, 1S"),
        ("--auction 1H --calls ,", "argument --calls: no call named"),
        ("--auction 1H --calls 8H", "argument --calls: unknown call '8H'"),
        ("--auction 1H --layouts 1", "argument --layouts: '1' is out of range"),
        ("--auction 1H --goal imp", "unknown goal 'imp': did you mean 'imps'?"),
        ("--auction 1H --goal none.toml", "argument --goal: "),
        ("--auction 1H --field 420", "name that goal"),
        ("--players 3 --goal imps", "goal 'imps' is of bridge"),
        ("--goal imps", "argument --goal: Algorithm 1 looks at no auction"),
    ],
)
def test_bad_input_is_one_line(complaint, words, fault):
    assert fault in complaint("bid", "AKQ2.KJ3.A54.Q32", *words.split())


def test_an_interrupt_gives_the_table_so_far(capsys, monkeypatch):
    all_steps = values_module.values_in_steps

    def interrupted(*args, **options):
        yield next(all_steps(*args, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(values_module, "values_in_steps", interrupted)
    from bayesbridge.cli import main

    assert main(list(OVERCALL)) == 130
    assert "IMPs against Double" in capsys.readouterr().out
