"""``bayesbridge contracts``: the screen, JSON, and mistakes in one line."""

import re

import pytest

import bayesbridge as bb
from tests import positions
from tests.decisions.test_play import SOLVER as LEADS
from tests.estimators.test_odds import SOLVER

WORDS = (
    "contracts",
    "--observer",
    "E",
    "--hand",
    positions.EAST,
    "--reveal",
    f"N:{positions.NORTH}",
)
WORDS += ("--holds", "S:SA SK S2 HK H3 DA CQ C2 C3 D5", "--solve", "0")
FOUR = (
    "contracts",
    "--players",
    "4",
    "--observer",
    "S",
    "--hand",
    positions.SOUTH,
    "--draws",
    "100",
    "--solve",
    "0",
)


def test_json_says_what_the_library_says(document):
    ranking = document(
        *WORDS,
        "--contracts",
        "1NT,2S",
        "--scheme",
        "duplicate",
        "--vulnerable",
        "EW",
        "--against",
        "Pass",
    )
    belief = bb.Belief("E", positions.EAST).given(
        bb.Reveal("N", positions.NORTH), bb.Holds("S", "SA SK S2 HK H3 DA CQ C2 C3 D5")
    )
    expected = bb.contracts(
        belief.infer(rng=1),
        "1NT,2S",
        scheme="duplicate",
        vulnerable="EW",
        against="Pass",
        solve=0,
        rng=1,
    )
    assert [
        f"{row['name']} by {row['by']}" for row in ranking["contracts"]
    ] == expected["contract"].values.tolist()
    for row in ranking["contracts"]:
        for name in ("make", "tricks", "score", "difference", "imps", "matchpoints"):
            assert row[name] == pytest.approx(
                expected[name].sel(contract=f"{row['name']} by {row['by']}").item()
            ), name
    assert (
        ranking["scheme"],
        ranking["vulnerable"],
        ranking["against"],
        ranking["solved"],
    ) == (
        "duplicate",
        "EW",
        "Pass",
        0,
    )
    assert ranking["layouts"] == "560"


def test_the_screen(answer):
    out = answer(*WORDS, "--against", "1NT", "--find-out", "card[SQ],points[W]")
    assert "Contracts by expected score, scheme new" in out
    assert "The 12 best of 35; all are in the data (--json)." in out
    assert "Difference, matchpoints: against 1NT by E, on the same layouts." in out
    assert "What an answer would tell, and what it is worth" in out
    assert "card[SQ]" in out


def test_a_scheme_of_a_file_and_what_can_be_found_out(document, tmp_path):
    path = tmp_path / "club.toml"
    path.write_text(
        'name = "club"\nundertrick = 10\n[values]\nC = 6\nD = 6\nH = 8\nS = 8\nNT = 10\n',
        "utf-8",
    )
    ranking = document(
        *WORDS, "--contracts", "1NT,2S", "--scheme", str(path), "--find-out"
    )
    assert ranking["scheme"] == "club"
    rows = ranking["find_out"]["questions"]
    assert {"card[SQ]", "points[S]", "layout"} <= {row["question"] for row in rows}
    assert ranking["find_out"]["exact"] == 1


def test_four_players_and_an_auction_that_is_over(answer):
    calls = []
    for call in ("W:1S", "N:Pass", "E:Pass", "S:Pass"):
        calls += ("--call", call)
    out = answer(
        *FOUR,
        *calls,
        "--contracts",
        "1NT,2H",
        "--against",
        "1S by W",
        "--vulnerable",
        "All",
    )
    assert "scheme duplicate, everybody vulnerable" in out
    assert "IMPs" in out
    assert (
        "The auction is over: this is what each contract would have been worth." in out
    )


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (
            "estimate --contract 4NT",
            r"4NT by South makes with 100 % \(at least [89]\d %\)",
        ),
        ("contracts --contracts 4NT", r"100 % \(at least [89]\d %\)"),
        (
            "play --contract 7NT",
            r"7NT\sby E is then beaten with 100 % \(at\sleast [89]\d %\)",
        ),
        (
            "report --contract 7NT --no-history",
            r"It makes with 0 % \(at most [12]\d %\)",
        ),
    ],
)
def test_at_the_edge_a_bound_is_told(
    install, answer, monkeypatch, tmp_path, words, pattern
):
    """Bounds for what was so in each of thirty layouts, or in none.

    By the rule of three it is not so in at most about a tenth of all.
    """
    install("solver", SOLVER)
    install("leads", LEADS)
    monkeypatch.chdir(tmp_path)
    open_hand = () if words.startswith("play") else ("--reveal", f"N:{positions.NORTH}")
    position = (
        "--observer",
        "S",
        "--hand",
        positions.SOUTH,
        *open_hand,
        "--call",
        "W:Pass",
        "--solve",
        "30",
    )
    shown = answer(*words.split(), *position, "--draws", "200")
    shown = (
        (tmp_path / "report.html").read_text("utf-8")
        if words.startswith("report")
        else shown
    )
    assert re.search(pattern, shown)
    assert not re.search(r"\b(0|100) % ±", shown)


def test_advice_that_depends_on_what_they_play_says_so(answer, document):
    """A raise to 3H invites game in the systems; with experts it is weaker on average.

    Each figure is asked in two ways.
    """
    words = (
        "--hand",
        "A742.KQ852.K3.J7",
        "--auction",
        "S:1H p 3H p",
        "--solve",
        "0",
        "--draws",
        "500",
    )
    out = " ".join(answer("contracts", *words).split())
    assert re.search(
        r"This depends on what they play: with --system sayc( or acol)? 4H by S is best",
        out,
    )
    systems = document("contracts", *words)["by_system"]
    assert {name: contract["name"] for name, contract in systems.items()} == {
        "experts": "3H",
        "sayc": "4H",
        "acol": "4H",
    }
    named = document("contracts", *words, "--contracts", "4H", "--system", "sayc")
    assert "by_system" not in named
    row = named["contracts"][0]
    assert abs(row["make"] - systems["sayc"]["make"]) < 5 * (
        row["make_error"] + systems["sayc"]["make_error"]
    )
    estimate_words = ("estimate", *words[:-4], "--contract", "4H", *words[-4:])
    assert "depends on what they play: with --system" in " ".join(
        answer(*estimate_words).split()
    )
    estimate = document(*estimate_words)
    assert estimate["by_system"]["sayc"]["make"] == pytest.approx(
        systems["sayc"]["make"], abs=0.1
    )
    assert estimate["by_system"]["experts"]["make"] == pytest.approx(
        estimate["contract"]["make"], abs=0.1
    )
    assert "depends" not in answer(*estimate_words, "--system", "sayc")


def test_advice_that_all_systems_share_says_nothing_of_them(answer, document):
    words = (
        "contracts",
        "--hand",
        "AQ942.K3.A54.Q32",
        "--auction",
        "1D p 1S p",
        "--players",
        "4",
        "--solve",
        "0",
    )
    assert "depends" not in answer(*words)
    assert document(*words)["by_system"]["acol"]["name"] == "4S"
    assert "by_system" not in document(
        *words[:3], "--players", "4", "--solve", "0", "--draws", "100"
    )
