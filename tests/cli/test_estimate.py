"""``estimate``: JSON keys to the letter, and numbers that the Python names give too."""

import itertools
import re

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.capture import literal

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ76.A85"
SOUTH = ("--observer", "S", "--hand", HAND)
OPEN = (*SOUTH, "--reveal", f"N:{DUMMY}")
EAST = "E:ST,S9,S8,HT,H9,H8,DJ,DT,D9,CK"
FEW = (*OPEN, "--holds", EAST)  # 560 layouts: three more cards for East out of sixteen
HARD = (*SOUTH, "--void", "E:H", "--length", "W:S:5+")


def test_hard_evidence_is_answered_exactly_by_convolution(document):
    hard = bb.Belief("S", HAND).given(bb.Void("E", "H"), bb.Length("W", "S", 5))
    estimate = document("estimate", *HARD)
    assert (estimate["method"], estimate["exact"], estimate["ess"]) == (
        "convolution",
        True,
        None,
    )
    assert estimate["why"].startswith("convolution: 33503076006960 layouts")
    assert estimate["layouts"] == str(hard.count())
    assert estimate["draws"] == 20_000
    assert estimate["pair"] == ["S", "N"]
    assert estimate["entropy_bits"] == pytest.approx(np.log2(hard.count()))
    assert estimate["log_evidence"] == pytest.approx(
        np.log(hard.count() / 84478098072866400)
    )
    assert estimate["failures"] == {}
    check_capture(estimate["estimators"]["capture"], hard)
    check_cards(estimate, hard)


def check_capture(capture, belief):
    """The document of ``capture`` has the figures of the Python function."""
    assert capture["exact"] is True
    assert capture["left_out"] == ["kappa"]
    assert "kappa" not in capture
    tree = bb.estimate(belief.infer(rng=1), "capture")
    T = tree.pmf.T
    assert list(capture["T"]["pmf"]) == [str(tricks) for tricks in range(14)]
    for tricks in T.T_value.values:
        assert capture["T"]["pmf"][str(tricks)] == float(T.sel(T_value=tricks))
    assert capture["T"]["mean"] == pytest.approx(tree.posterior.T.attrs["mean"])
    qualified = 1 - capture["T"]["pmf"]["0"]
    assert capture["qualified"] == pytest.approx(qualified)
    assert capture["T"]["mean_qualified"] == pytest.approx(
        capture["T"]["mean"] / qualified
    )
    assert capture["condition"].keys() == {"neither", "only A", "both"}
    assert sum(capture["condition"].values()) == pytest.approx(1)
    assert capture["condition"]["both"] == capture["qualified"]
    for name in ("delta", "c1", "c2"):
        for suit in "CDHS":
            row = tree.pmf[name].sel(suit=suit)
            assert capture[name][suit]["pmf"] == dict(
                zip(
                    map(str, row[f"{name}_value"].values),
                    row.values.tolist(),
                    strict=True,
                )
            )
    assert sum(capture["Delta"]["pmf"].values()) == pytest.approx(1)
    assert list(capture["T"]["at_least"]) == ["7", "8", "9", "10", "11", "12", "13"]
    assert not capture["T"]["at_table"]
    assert "makes" not in capture["T"]
    assert capture["T"]["at_least"]["9"] == pytest.approx(
        sum(capture["T"]["pmf"][str(t)] for t in range(9, 14))
    )


def check_cards(estimate, belief):
    """Each card and length has the posterior's chances."""
    cards = belief.infer(rng=1).card_probabilities()
    assert len(estimate["card_probabilities"]) == 52
    for card, seats in estimate["card_probabilities"].items():
        assert list(seats) == ["N", "E", "S", "W"]
        assert sum(seats.values()) == pytest.approx(1)
        assert seats == {seat: float(cards.sel(card=card, seat=seat)) for seat in seats}
    assert estimate["card_probabilities"]["SA"] == {"N": 0, "E": 0, "S": 1, "W": 0}
    assert estimate["card_probabilities"]["HA"]["E"] == 0
    west = estimate["length_probabilities"]["W"]["S"]
    assert all(west[str(length)] == 0 for length in range(5))
    assert sum(west.values()) == pytest.approx(1)


def test_few_layouts_are_walked_and_every_output_is_exact(document):
    estimate = document("estimate", *FEW)
    assert (
        estimate["method"],
        estimate["exact"],
        estimate["layouts"],
        estimate["draws"],
    ) == (
        "enumerate",
        True,
        "560",
        560,
    )
    capture = estimate["estimators"]["capture"]
    assert capture["left_out"] == []
    expected = literal.capture(bb.Hand.of(HAND), bb.Hand.of(DUMMY))
    assert capture["T"]["pmf"][str(expected.T)] == pytest.approx(1)
    assert capture["T"]["mean_qualified"] == pytest.approx(expected.T)
    assert capture["kappa"]["S"]["mean"] == pytest.approx(expected.kappa[3])


def test_a_pair_of_defenders(document):
    """All 560 layouts by hand, each captured by the plain transcription."""
    capture = document("estimate", *FEW, "--pair", "E:W")["estimators"]["capture"]
    east_cards = bb.Hand.of(EAST.removeprefix("E:"))
    unseen = bb.Hand((1 << 52) - 1) - bb.Hand.of(HAND) - bb.Hand.of(DUMMY)
    counts = dict.fromkeys(range(14), 0)
    for missing_cards in itertools.combinations(unseen - east_cards, 3):
        east_hand = east_cards | bb.Hand.of(missing_cards)
        counts[literal.capture(east_hand, unseen - east_hand).T] += 1
    assert capture["T"]["pmf"] == {
        str(tricks): pytest.approx(count / 560) for tricks, count in counts.items()
    }
    if counts[0] == 560:
        assert capture["T"]["mean_qualified"] is None


@pytest.mark.parametrize(
    "method", ["likelihood-weighting", "resample-move", "importance"]
)
def test_samplers_are_estimates_and_say_so(document, method):
    words = (
        *SOUTH,
        "--call",
        "W:pass",
        "--method",
        method,
        "--draws",
        "2000",
        "--seed",
        "3",
    )
    estimate = document("estimate", *words)
    assert (estimate["method"], estimate["exact"]) == (method, False)
    # Chains that avoid themselves are worth more than their draws.
    assert 100 < estimate["ess"] < 2 * estimate["draws"]
    assert estimate["why"].startswith(f"{method}: as asked")
    assert estimate["estimators"]["capture"]["exact"] is False
    assert "kappa" in estimate["estimators"]["capture"]
    posterior = (
        bb.Belief("S", HAND).given(bb.Called("W", "pass")).infer(method, 2000, 3)
    )
    tree = bb.estimate(posterior, "capture")
    assert estimate["estimators"]["capture"]["T"]["mean"] == pytest.approx(
        tree.posterior.T.attrs["mean"]
    )
    assert document("estimate", *words) == estimate


def test_one_screen_for_people(answer):
    text = answer("estimate", *HARD)
    lines = text.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("The paper's game of three")
    assert (
        lines[1] == "Conditions fail with 44.3 %; if they hold, T is 10.48 on average."
    )
    assert lines[-4:] == [
        "South holds AKQ2.KJ3.A54.Q32, 19 points.",
        "Seen: E is void in ♥; W has 5 to 13 cards in ♠.",
        "33 503 076 006 960 layouts fit; the uncertainty about them is 44.93 bits.",
        "Computed exactly, by counting suit by suit (convolution).",
    ]
    assert "conditions fail     44.3 %   ████" in text
    assert "T ≥ 9: 55.1 %" in text
    assert any(
        " ".join(line.split()) == "♥A Q 10 9 8 7 6 5 4 2 59.7 % 0 % 40.3 % 0.61"
        for line in lines
    )
    assert any(line.split() == ["W", "5.16", "4.03", "1.91", "1.91"] for line in lines)


def test_with_four_players_hands_and_tricks_come_first(answer, document):
    words = (*SOUTH, "--auction", "W:1D p 1H X", "--draws", "500")
    screen = answer("estimate", *words, "--all")
    places = [
        screen.index(heading)
        for heading in (
            "How each call was read",
            "High-card points",
            "Mean length",
            "Tricks of South",
        )
    ]
    assert places == sorted(places)
    assert screen.splitlines()[1].startswith("Your side has no good game: 3NT by South")
    assert "captures" not in screen
    assert "LearnedBidder" not in screen
    assert "captures by the paper's rule" in answer(
        "estimate", *words, "--estimator", "capture"
    )
    estimate = document("estimate", *words)
    assert estimate["players"] == 4
    assert set(estimate["estimators"]["capture"]["T"]["pmf"]) == {
        str(value) for value in range(14)
    }
    assert [row["name"] for row in estimate["games"]] == ["3NT", "4S", "4H", "5D", "5C"]
    assert all(
        0 <= row["make"] <= 1 and row["make_error"] >= 0 for row in estimate["games"]
    )
    assert [
        (row["seat"], row["call"], row["suit"]) for row in estimate["readings"]
    ] == [
        ("W", "1D", "D"),
        ("N", "Pass", None),
        ("E", "1H", "H"),
    ]
    assert (
        set(estimate["readings"][0]["points"])
        == set(estimate["readings"][0]["length"])
        == {"mean", "low", "high"}
    )


def test_what_says_nothing_is_not_shown(answer):
    places = "The cards that the evidence places best"
    assert places not in answer("estimate", *SOUTH)
    assert places in answer("estimate", *SOUTH, "--length", "W:S:5+")
    words = (*SOUTH, "--auction", "(1H)", "--draws", "300", "--all")
    called = answer("estimate", *words)
    assert "The cards that the bidding places best" in called


def test_people_see_other_estimators_as_numbers_and_a_known_deal_as_such(answer):
    all_hands = (*OPEN, "--reveal", "E:T9876.T9876.JT9.", "--estimator", "bid")
    text = answer("estimate", *all_hands)
    assert "1 layout fits; the uncertainty about them is 0.00 bits." in text
    assert any(
        line.split() == ["S", "1.000", "0.000", "100", "%"]
        for line in text.splitlines()
    )
    assert "Every card is known.\n" in text


def test_what_calls_show_to_somebody_who_sees_no_cards(answer, document, complaint):
    """A transfer shows the suit above it, and an answer to 4NT key cards.

    The other side is taken to have passed.
    """
    estimate = document("estimate", "--auction", "1NT-2H")
    assert estimate["auction"] == "S:1NT Pass 2H"
    opening, _, transfer = estimate["readings"]
    assert opening["features"]["balanced"] > 0.75
    assert opening["moved"] == []
    assert transfer["suit"] == "H"
    assert transfer["moved"][0] == "S"
    assert transfer["lengths"]["S"]["low"] >= 5 > transfer["lengths"]["H"]["mean"]
    key_card_answer = document(
        "estimate", "--auction", "1S-3S-4NT-5H", "--system", "NS:sayc"
    )["readings"][-1]
    assert 1.8 < key_card_answer["features"]["key_cards"] < 2.2
    assert "♠ 5" in answer("estimate", "--auction", "1NT p 2H")
    stayman = answer("estimate", "--auction", "1NT-2C-2D")
    assert re.search(r"N 2C.* % a four-card major\n", stayman)
    assert re.search(r"S 2D.* % no four-card major\n", stayman)
    assert "taken to have passed" in stayman
    minors = document("estimate", "--auction", "1H (2NT)")["readings"][1]
    assert {*minors["moved"][:2]} == {"C", "D"}  # and not the spades that they lack
    assert "without --hand" in complaint(
        "estimate", "--auction", "1NT-3NT", "--contract", "3NT"
    )


def test_conditions_that_never_hold(answer, document):
    weak = (
        "--observer",
        "S",
        "--hand",
        "5432.543.432.432",
        "--reveal",
        "N:876.876.765.8765",
    )
    weak = (*weak, "--reveal", "E:AKQJT9.AKQJT9.A.")
    assert (
        document("estimate", *weak)["estimators"]["capture"]["T"]["mean_qualified"]
        is None
    )
    text = answer("estimate", *weak)
    assert "Conditions fail in every layout: T = 0 there." in text


def test_a_contract_that_is_being_played_is_judged_from_here_on(document, answer):
    """Where declarer chooses and few tricks are left, one plan decides, as in ``play``.

    Before that the contract is judged as dealt.
    """
    tricks = (
        "W:H5 H3 HJ HA",
        "S:HK H6 H4 H9",
        "S:H2 H7 HQ HT",
        "N:DQ D5 D2 D6",
        "N:DJ D7 D3 D8",
        "N:D4 D9 DA DT",
    )
    tricks += ("S:DK C4 C2 C5", "S:CA C6 C3 C7", "S:CK C8 CQ C9")
    plays = []
    for trick in map(bb.Trick.of, tricks):
        plays += [f"--play={seat.name}:{card}" for seat, card in trick]
    words = (
        "--observer",
        "S",
        "--hand",
        "AJT2.AK2.AK32.AK",
        "--reveal",
        "N:K543.Q43.QJ4.Q32",
        "--players",
        "4",
    )
    words += ("--contract", "7NT", "--by", "S")
    judged = document("estimate", *words, *plays, "--solve", "0")["single_dummy"]
    ranked = document("play", *words, *plays)
    assert (judged["cards"], judged["plan"]) == (ranked["cards"], ranked["plan"])
    assert judged["horizon"] == 4
    early = answer("estimate", *words, *plays[:4], "--solve", "0", "--draws", "200")
    assert early.startswith("As dealt, whatever was played: 7NT by South")


def test_an_auction_that_the_system_cannot_hold_is_said_first(answer, document):
    west = (
        "estimate",
        "--observer",
        "W",
        "--hand",
        "AJ74.K65.QJ8.742",
        "--draws",
        "500",
    )
    jacoby = ("--auction", "1S p 2NT p 4S p p p", "--system", "sayc")
    sentence = "The auction hardly fits sayc: 1S and 2NT need 9 spades, you see 4."
    assert answer(*west, *jacoby).splitlines()[1] == sentence
    assert [
        misfit["sentence"] for misfit in document(*west, *jacoby)["hardly_fits"]
    ] == [sentence]


def test_one_screen_has_the_answer_and_names_what_it_leaves_out(answer):
    """All of it is longer; what is on the screen is in all of it, in the same order."""
    words = (*SOUTH, "--auction", "W:1D p 1H X", "--draws", "500")
    screen = answer("estimate", *words).splitlines()
    everything = answer("estimate", *words, "--all").splitlines()
    assert len(screen) <= 50 < len(everything)
    assert max(map(len, screen)) <= 80
    *shown, footer = "\n".join(screen).rpartition("\n\nWith --all also: ")[::2]
    assert footer.endswith("cards placed best.")
    remaining = iter(everything)
    assert all(line in remaining for line in shown[0].splitlines())


def test_an_answer_that_fits_a_screen_is_shown_whole(answer):
    words = ("estimate", *FEW, "--estimator", "bid")
    everything = answer(*words, "--all")
    assert everything.startswith(answer(*words))
    assert "--all" not in answer(*words)
