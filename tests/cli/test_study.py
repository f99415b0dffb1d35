"""``bayesbridge study`` as a process: killed and resumed, refused, and its keys."""

import random
import re
import signal
import subprocess
import sys
import time

import pytest

from bayesbridge.capture import exact

COMMAND = [sys.executable, "-m", "bayesbridge", "study"]
KEYS = {"counts", "total", "exact", "deals_per_second", "paper", "z"}


def chunks_in(path):
    return len(list(path.glob("*.npy")))


@pytest.mark.parametrize(
    "scheduler", [pytest.param("threads", marks=pytest.mark.slow), "processes"]
)
def test_killed_at_random_moments_and_resumed_it_ends_with_the_same_integers(
    document, tmp_path, scheduler
):
    study = ["captures", "--deals", "4e6", "--runs", "2", "--seed", "5"]
    path = tmp_path / "run"
    moments = random.Random(scheduler)
    kills = 0
    while kills < 2:
        chunks_before = chunks_in(path)
        words = [
            *COMMAND,
            *study,
            "--resume",
            str(path),
            "--scheduler",
            scheduler,
            "--workers",
            "1",
            "--json",
        ]
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        # Once it is at work again, at any moment: also in the middle of a file.
        while chunks_in(path) <= chunks_before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if process.returncode != -signal.SIGKILL:
            break  # it was done before
        kills += 1
    assert kills > 0
    assert 0 < chunks_in(path) <= 2 * 8
    resumed = document("study", *study, "--resume", str(path))
    undisturbed = document("study", *study)
    assert resumed["counts"] == undisturbed["counts"]
    assert resumed["runs"] == undisturbed["runs"]
    assert resumed["z"] == undisturbed["z"]


@pytest.mark.parametrize(
    "table",
    [
        "captures",
        "conditions",
        "comparative",
        "shift",
        "headline",
        "claims",
        "strategies",
        "opponents",
    ],
)
def test_every_study_has_the_same_keys_in_json_and_a_table_for_people(
    document, answer, table
):
    study = document("study", table, "--deals", "3000", "--runs", "2")
    assert study.keys() >= KEYS
    assert study["total"] == "6000"
    assert all(
        isinstance(count, str) and int(count) is not None
        for count in study["counts"].values()
    )
    assert len(study["runs"]) == 2
    for key, count in study["counts"].items():
        assert int(count) == sum(int(run[key]) for run in study["runs"])
    if study["paper"] is not None:
        assert study["z"].keys() == study["paper"]["mean"].keys() == study["own"].keys()
    assert "3 000 deals, seed 1, " in answer("study", table, "--deals", "3000")


SCHEME = """
name = "club"
undertrick = 10
[values]
C = 6
D = 6
H = 8
S = 8
NT = 10
"""


@pytest.mark.parametrize(
    ("study", "key"), [("headline", "points"), ("strategies", "games")]
)
def test_a_scoring_scheme_of_ones_own_stands_beside_the_built_in_ones(
    document, answer, tmp_path, study, key
):
    file = tmp_path / "club.toml"
    file.write_text(SCHEME, "utf-8")
    words = [study, "--deals", "20000", "--resume", str(tmp_path / "run")]
    built_in = document("study", *words)
    with_scheme = document("study", *words, "--scoring", str(file))
    assert list(with_scheme[key])[-1] == "club"
    assert "club" not in built_in[key]
    assert {name: with_scheme[name] for name in KEYS - {"deals_per_second"}} == {
        name: built_in[name] for name in KEYS - {"deals_per_second"}
    }
    assert with_scheme["deals_per_second"] is None  # no deal was drawn again
    assert "club" in answer("study", *words, "--scoring", str(file))


def test_a_bad_scoring_file_is_refused_in_one_line(complaint, tmp_path):
    file = tmp_path / "bad.toml"
    assert "argument --scoring: cannot read" in complaint(
        "study", "headline", "--scoring", str(file)
    )
    file.write_text("name = ", "utf-8")
    assert "bad.toml:1: name: not TOML" in complaint(
        "study", "headline", "--scoring", str(file)
    )
    file.write_text(SCHEME.replace("undertrick = 10", ""), "utf-8")
    assert "bad.toml: scoring scheme" in complaint(
        "study", "headline", "--scoring", str(file)
    )
    file.write_text(SCHEME, "utf-8")
    twice = ["--scoring", str(file)] * 2
    assert "'club' is there already: rename it" in complaint(
        "study", "strategies", *twice
    )
    assert (
        "study 'opponents' takes no --scoring: it goes with headline and strategies"
        in complaint("study", "opponents", "--scoring", str(file))
    )


def cells(line):
    """The cells of a line of a table."""
    return re.split(r" {2,}", line.strip())


@pytest.mark.parametrize("table", ["conditions", "captures"])
def test_exact_studies_give_exact_integers(document, table):
    study = document("study", table, "--exact")
    expected = {"conditions": exact.conditions, "captures": exact.tricks}[table]()
    assert study["counts"] == {str(key): str(count) for key, count in expected.items()}
    assert sum(map(int, study["counts"].values())) == int(study["total"]) == exact.DEALS
    assert study["exact"] is True
    assert study["deals_per_second"] is None
    assert len(study["paper"]["runs"]) == 3
    assert (
        study["z"].keys()
        == study["paper"]["mean"].keys()
        == study["paper"]["runs"][0].keys()
    )
    assert all(z is None or abs(z) < 4 for z in study["z"].values())


def test_people_see_own_figures_beside_the_papers(answer):
    lines = answer("study", "conditions", "--exact").splitlines()
    assert (
        lines[0]
        == "Table 2: outcomes of the two pre-qualification conditions, per million deals"
    )
    assert cells(lines[2]) == ["run 1", "run 2", "run 3", "mean", "exact", "z"]
    assert cells(lines[4]) == [
        "neither",
        "145 048",
        "145 114",
        "145 775",
        "145 312.3",
        "145 674.2024",
        "-1.78",
    ]
    assert ["both", "1 439 351 996 402 931 880 608", "279 060.4446"] in map(
        cells, lines
    )
    lines = answer("study", "captures", "--deals", "20000", "--seed", "3").splitlines()
    assert cells(lines[4])[:5] == ["<=6", "1 909", "1 906", "1 781", "1 865.3"]
    assert any(line.startswith("20 000 deals, seed 3, ") for line in lines)
