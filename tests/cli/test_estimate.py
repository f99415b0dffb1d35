"""``estimate``: JSON keys to the letter, and numbers that the Python names give too."""

import itertools
import json

import numpy as np
import pytest
import xarray

import bayesbridge as bb
from bayesbridge.capture import literal
from bayesbridge.cli import estimate, main
from bayesbridge.engines.infer import ENGINES

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ76.A85"
SOUTH = ("--observer", "S", "--hand", HAND)
OPEN = (*SOUTH, "--reveal", f"N:{DUMMY}")
EAST = "E:ST,S9,S8,HT,H9,H8,DJ,DT,D9,CK"
FEW = (*OPEN, "--holds", EAST)
"""560 layouts: three more cards for East out of sixteen."""
HARD = (*SOUTH, "--void", "E:H", "--length", "W:S:5+")


@pytest.fixture(scope="module")
def hard():
    return bb.Belief("S", HAND).given(bb.Void("E", "H"), bb.Length("W", "S", 5))


def test_hard_evidence_is_answered_exactly_by_convolution(document, hard):
    said = document("estimate", *HARD)
    assert (said["method"], said["exact"], said["ess"]) == ("convolution", True, None)
    assert said["why"].startswith("convolution: 33503076006960 layouts")
    assert said["layouts"] == str(hard.count())
    assert said["draws"] == 20_000
    assert said["pair"] == ["S", "N"]
    assert said["entropy_bits"] == pytest.approx(np.log2(hard.count()))
    assert said["log_evidence"] == pytest.approx(np.log(hard.count() / 84478098072866400))
    assert said["failures"] == {}
    capture = said["estimators"]["capture"]
    assert capture["exact"] is True
    assert capture["left_out"] == ["kappa"]
    assert "kappa" not in capture
    tree = bb.estimate(hard.infer(rng=1), "capture")
    T = tree.pmf.T
    assert list(capture["T"]["pmf"]) == [str(tricks) for tricks in range(14)]
    for tricks in T.T_value.values:
        assert capture["T"]["pmf"][str(tricks)] == float(T.sel(T_value=tricks))
    assert capture["T"]["mean"] == pytest.approx(tree.posterior.T.attrs["mean"])
    qualified = 1 - capture["T"]["pmf"]["0"]
    assert capture["qualified"] == pytest.approx(qualified)
    assert capture["T"]["mean_qualified"] == pytest.approx(capture["T"]["mean"] / qualified)
    assert capture["condition"].keys() == {"neither", "only A", "both"}
    assert sum(capture["condition"].values()) == pytest.approx(1)
    assert capture["condition"]["both"] == capture["qualified"]
    for name in ("delta", "c1", "c2"):
        for suit in "CDHS":
            row = tree.pmf[name].sel(suit=suit)
            assert capture[name][suit]["pmf"] == dict(
                zip(map(str, row[f"{name}_value"].values), row.values.tolist(), strict=True)
            )
    assert sum(capture["Delta"]["pmf"].values()) == pytest.approx(1)
    assert list(capture["T"]["at_least"]) == ["7", "8", "9", "10", "11", "12", "13"]
    assert not capture["T"]["at_table"]
    assert "makes" not in capture["T"]
    assert capture["T"]["at_least"]["9"] == pytest.approx(sum(capture["T"]["pmf"][str(t)] for t in range(9, 14)))


def test_exact_figures_agree_with_draws(document, hard):
    """Another way to the same numbers: draws, each captured by the plain transcription."""
    said = document("estimate", *HARD)["estimators"]["capture"]
    layouts = hard.infer(method="sample", draws=3000, rng=5).layouts
    found = [literal.capture(deal["S"], deal["N"]) for deal in layouts]
    share = np.mean([one.condition == "both" for one in found])
    assert abs(share - said["qualified"]) < 5 * np.sqrt(share * (1 - share) / 3000)
    tricks = [one.T for one in found if one.condition == "both"]
    assert np.mean(tricks) == pytest.approx(said["T"]["mean_qualified"], abs=5 * np.std(tricks) / np.sqrt(len(tricks)))
    hearts = [one.delta[2] for one in found]
    assert np.mean(hearts) == pytest.approx(said["delta"]["H"]["mean"], abs=5 * np.std(hearts) / np.sqrt(3000))


def test_card_and_length_probabilities(document, hard):
    said = document("estimate", *HARD)
    cards = hard.infer(rng=1).card_probabilities()
    assert len(said["card_probabilities"]) == 52
    for card, seats in said["card_probabilities"].items():
        assert list(seats) == ["N", "E", "S", "W"]
        assert sum(seats.values()) == pytest.approx(1)
        assert seats == {seat: float(cards.sel(card=card, seat=seat)) for seat in seats}
    assert said["card_probabilities"]["SA"] == {"N": 0, "E": 0, "S": 1, "W": 0}
    assert said["card_probabilities"]["HA"]["E"] == 0
    west = said["length_probabilities"]["W"]["S"]
    assert all(west[str(length)] == 0 for length in range(5))
    assert sum(west.values()) == pytest.approx(1)


def test_few_layouts_are_walked_and_every_output_is_exact(document):
    said = document("estimate", *FEW)
    assert (said["method"], said["exact"], said["layouts"], said["draws"]) == ("enumerate", True, "560", 560)
    capture = said["estimators"]["capture"]
    assert capture["left_out"] == []
    found = literal.capture(bb.Hand.of(HAND), bb.Hand.of(DUMMY))
    assert capture["T"]["pmf"][str(found.T)] == pytest.approx(1)
    assert capture["T"]["mean_qualified"] == pytest.approx(found.T)
    assert capture["kappa"]["S"]["mean"] == pytest.approx(found.kappa[3])


def test_a_pair_of_defenders(document):
    """All 560 layouts by hand, each captured by the plain transcription."""
    said = document("estimate", *FEW, "--pair", "E:W")["estimators"]["capture"]
    east = bb.Hand.of(EAST.removeprefix("E:"))
    unseen = bb.Hand((1 << 52) - 1) - bb.Hand.of(HAND) - bb.Hand.of(DUMMY)
    counts = dict.fromkeys(range(14), 0)
    for more in itertools.combinations(unseen - east, 3):
        first = east | bb.Hand.of(more)
        counts[literal.capture(first, unseen - first).T] += 1
    assert said["T"]["pmf"] == {str(tricks): pytest.approx(count / 560) for tricks, count in counts.items()}
    if counts[0] == 560:
        assert said["T"]["mean_qualified"] is None


def test_calls_weigh_layouts(document):
    belief = bb.Belief("S", HAND).given(bb.Reveal("N", DUMMY), bb.Holds("E", EAST[2:]), bb.Called("W", "pass"))
    posterior = belief.infer(rng=1)
    said = document("estimate", *FEW, "--call", "W:pass")
    assert (said["method"], said["exact"]) == ("enumerate", True)
    assert said["entropy_bits"] == pytest.approx(posterior.entropy_bits)
    assert said["log_evidence"] == pytest.approx(posterior.log_evidence)
    chances = posterior.card_probabilities()
    assert said["card_probabilities"]["HT"]["E"] == pytest.approx(1)
    assert said["card_probabilities"]["S7"]["W"] == pytest.approx(float(chances.sel(card="S7", seat="W")))


@pytest.mark.parametrize("method", ["weights", "smc", "tilted"])
def test_samplers_are_estimates_and_say_so(document, method):
    words = (*SOUTH, "--call", "W:pass", "--method", method, "--draws", "2000", "--seed", "3")
    said = document("estimate", *words)
    assert (said["method"], said["exact"]) == (method, False)
    assert 100 < said["ess"] < 2 * said["draws"]  # chains that avoid themselves are worth more than their draws
    assert said["why"].startswith(f"{method}: as asked")
    assert said["estimators"]["capture"]["exact"] is False
    assert "kappa" in said["estimators"]["capture"]
    posterior = bb.Belief("S", HAND).given(bb.Called("W", "pass")).infer(method, 2000, 3)
    tree = bb.estimate(posterior, "capture")
    assert said["estimators"]["capture"]["T"]["mean"] == pytest.approx(tree.posterior.T.attrs["mean"])
    assert document("estimate", *words) == said


def test_plain_draws_of_an_estimator_that_cannot_count(document):
    said = document("estimate", *HARD, "--estimator", "bid", "--draws", "500")
    assert (said["method"], said["exact"], said["draws"], said["ess"]) == ("sample", False, 500, 500.0)
    levels = said["estimators"]["bid"]["level"]
    assert list(levels) == ["N", "E", "S", "W"]
    assert levels["S"]["mean"] == pytest.approx(literal.bid(bb.Hand.of(HAND)).level)
    assert sum(levels["W"]["pmf"].values()) == pytest.approx(1)
    assert levels["S"]["sd"] == pytest.approx(0, abs=1e-6)
    counts = literal.bid(bb.Hand.of(HAND)).counts
    assert [cell["mean"] for cell in said["estimators"]["bid"]["counts"]["S"].values()] == pytest.approx(counts)


def test_several_estimators_each_say_how_exact_they_are(document):
    said = document("estimate", *HARD, "--estimator", "capture", "--estimator", "play_out", "--draws", "500")
    assert (said["method"], said["exact"], said["ess"]) == ("convolution", False, 500.0)
    assert "the other estimators by sample" in said["why"]
    assert [said["estimators"][name]["exact"] for name in ("capture", "play_out")] == [True, False]
    assert 0 <= said["estimators"]["play_out"]["tricks"]["mean"] <= 13


def test_an_unknown_method_is_told_with_those_there_are(complaint):
    told = complaint("estimate", *SOUTH, "--method", "guess")
    assert all(name in told for name in ENGINES)


def test_one_screen_for_people(answer):
    text = answer("estimate", *HARD)
    lines = text.splitlines()
    assert len(lines) <= 50
    assert lines[:4] == [
        "South holds AKQ2.KJ3.A54.Q32, 19 points.",
        "Seen: E is void in H; W has 5 to 13 cards in S.",
        "33 503 076 006 960 layouts fit; the uncertainty about them is 44.93 bits.",
        "Computed exactly, by counting suit by suit (convolution).",
    ]
    assert "conditions fail     44.3 %   ████" in text
    assert "T ≥ 9: 55.1 %" in text
    assert "Conditions fail with 44.3 %; if they hold, T is 10.48 on average." in text
    assert any(line.split() == ["HAQT9876542", "59.7", "%", "0", "%", "40.3", "%", "0.61"] for line in lines)
    assert any(line.split() == ["W", "5.16", "4.03", "1.91", "1.91"] for line in lines)


def test_people_are_told_what_draws_are_worth(answer):
    text = answer("estimate", *SOUTH, "--call", "W:pass", "--method", "weights", "--draws", "2000")
    assert "Estimated, one standard error of a probability is at most 1." in text
    assert "weights: as asked; 2000 weighted draws are worth" in text


def test_people_see_other_estimators_as_numbers_and_a_known_deal_as_such(answer):
    known = (*OPEN, "--reveal", "E:T9876.T9876.JT9.", "--estimator", "bid")
    text = answer("estimate", *known)
    assert "1 layout fits; the uncertainty about them is 0.00 bits." in text
    assert any(line.split() == ["S", "1.000", "0.000", "100", "%"] for line in text.splitlines())
    assert text.endswith("Every card is known.\n")


def test_conditions_that_never_hold(answer, document):
    weak = ("--observer", "S", "--hand", "5432.543.432.432", "--reveal", "N:876.876.765.8765")
    weak = (*weak, "--reveal", "E:AKQJT9.AKQJT9.A.")
    assert document("estimate", *weak)["estimators"]["capture"]["T"]["mean_qualified"] is None
    text = answer("estimate", *weak)
    assert "Conditions fail in every layout: T = 0 there." in text


def test_the_result_can_be_saved_and_read_back(document, tmp_path):
    path = tmp_path / "result.nc"
    said = document("estimate", *FEW, "--save", str(path))
    with xarray.open_datatree(path, engine="h5netcdf") as tree:
        assert tree.attrs["layouts"] == said["layouts"]
        tree = tree.load()
        assert float(tree.pmf.T.max()) == pytest.approx(1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.nc"]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("result.csv", "let its name end in .nc"),
        ("none/result.nc", "name a file in a folder that exists"),
        ("", "let its name end in .nc"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(complaint, tmp_path, monkeypatch, name, what):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(estimate, "evaluated", None)
    said = complaint("estimate", *FEW, "--save", name)
    assert said.startswith("argument --save:")
    assert what in said


@pytest.fixture
def broken(install):
    """An installed estimator that raises."""
    install(
        "broken-plugin",
        """
import bayesbridge as bb

@bb.plugins.estimator("broken")
def broken(deal, question):
    raise RuntimeError("out of cards")

@bb.plugins.hookimpl
def bayesbridge_estimators():
    return [broken]
""",
    )


def test_a_failing_estimator_is_reported_and_the_others_are_kept(capsys, broken):
    assert main(["estimate", *FEW, "--estimator", "broken", "--estimator", "bid", "--json"]) == 1
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert list(said["estimators"]) == ["bid"]
    assert "out of cards" in said["failures"]["broken"]
    assert err.startswith("bayesbridge: left out: estimator 'broken' raised RuntimeError")
    assert err.count("\n") == 1
    assert main(["estimate", *FEW, "--estimator", "broken"]) == 1
    assert capsys.readouterr().out == ""


BAD = {
    "estimator": (("--estimator", "mind"), "argument --estimator: unknown estimator 'mind'", "choose bid, capture"),
    "method": (("--method", "guess"), "argument --method guess: unknown method 'guess'", "auto"),
    "too many to walk": (("--method", "enumerate"), "argument --method enumerate: 84478098072866400", "enumeration"),
    "draws with calls": (("--method", "sample", "--call", "W:1NT"), "argument --method sample: calls", "tilted"),
    "draws": (("--draws", "1"), "argument --draws: '1' is out of range", "from 2 to"),
    "one seat": (("--pair", "S"), "argument --pair: pair 'S'", "such as S:N"),
    "same seat": (("--pair", "S:S"), "argument --pair: pair 'S:S'", "two different seats"),
    "no seat": (("--pair", "S:X"), "argument --pair: unknown seat 'X'", "write N, E, S or W"),
    "impossible calls": (
        ("--slip", "0", "--call", "W:7C", "--reveal", f"N:{DUMMY}", "--holds", EAST),
        "no layout explains the calls",
        "(given by --call)",
    ),
}


@pytest.mark.parametrize(("words", "what", "mend"), BAD.values(), ids=BAD)
def test_bad_input(complaint, words, what, mend):
    said = complaint("estimate", *SOUTH, *words)
    assert said.startswith(what)
    assert mend in said


def test_two_numbers_together(answer, document, complaint):
    words = ("estimate", "--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--void", "E:H")
    said = document(*words, "--joint", "T,card[HA]", "--joint", "kappa[S],T", "--draws", "200")
    exact, drawn = said["joint"]["T,card[HA]"], said["joint"]["kappa[S],T"]
    assert (exact["exact"], drawn["exact"]) == (True, False)
    assert sum(exact["probability"]["10"].values()) == pytest.approx(said["estimators"]["capture"]["T"]["pmf"]["10"])
    assert "joint" not in document(*words)
    screen = answer(*words, "--joint", "T,card[HA]")
    assert "T (down) and card[HA] (across) together, exact" in screen
    assert "argument --joint: 'T': name two numbers" in complaint(*words, "--joint", "T")
    assert "argument --joint: unknown number 'x'" in complaint(*words, "--joint", "T,x")
