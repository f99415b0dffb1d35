"""The real process: what it loads, in pipes, without a terminal, interrupted."""

import json
import os
import subprocess
import sys

import pytest

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ32.A54"
COMMAND = [sys.executable, "-m", "bayesbridge"]


def run(*words, **options):
    return subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, encoding="utf-8", **options
    )


def environment(**changes):
    return {
        key: value
        for key, value in {**os.environ, **changes}.items()
        if value is not None
    }


COMPILED = {"numba", "arviz", "xarray", "pandas", "matplotlib"}
EVERYTHING = {"numpy", *COMPILED, "scipy", "shtab"}
POSITION = f"--observer S --hand {HAND} --void E:H --length W:S:5+ --call W:1NT --play W:D2".split()
LIGHT = {
    "help": (["--help"], EVERYTHING),
    "capture": (["capture", HAND, DUMMY], EVERYTHING),
    "bid": (["bid", HAND, "--json"], {*EVERYTHING, "rich"}),
    "exact study": (["study", "captures", "--exact"], EVERYTHING),
    "count": (["count", *POSITION, "--json"], {*COMPILED, "scipy", "pluggy", "rich"}),
    "estimate": (["estimate", *POSITION[:6]], COMPILED - {"numba"}),
    "estimate --json": (
        ["estimate", *POSITION[:6], "--json"],
        {*COMPILED, "rich"} - {"numba"},
    ),
}


@pytest.fixture(scope="module")
def kept():
    """Tables that every later command finds in the cache."""
    run("study", "conditions", "--exact", "--json", check=True)


@pytest.mark.parametrize(("words", "heavy"), LIGHT.values(), ids=LIGHT)
def test_commands_load_no_more_than_they_need(words, heavy, kept):
    """A quick start is a matter of what is not imported."""
    code = (
        "import sys; from bayesbridge.cli import main; status = main(sys.argv[1:]);"
        f"print({heavy!r} & sys.modules.keys() or 'none', file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "none\n")


def test_a_closed_pipe_is_silent():
    read, write = os.pipe()
    os.close(read)
    for words in (
        ["study", "captures", "--exact"],
        ["--help"],
        ["bid", HAND, "--json"],
    ):
        done = subprocess.run([*COMMAND, *words], stdout=write, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b"")
    os.close(write)


def test_a_full_disk_is_one_line_and_status_1():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "bid", HAND], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr.startswith("bayesbridge: the output was not written whole (No ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_commands_that_start_cold_together_do_not_hurt_each_other(tmp_path):
    words = [
        "estimate",
        "--observer",
        "S",
        "--hand",
        HAND,
        "--call",
        "W:1NT",
        "--draws",
        "300",
        "--json",
    ]
    environment = {**os.environ, "BAYESBRIDGE_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "bayesbridge", *words]
    processes = [
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=600) for process in processes]
    after = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert {err for _, err in answers} == {""}
    assert {out for out, _ in answers} == {after.stdout}
    assert json.loads(after.stdout)["layouts"] == "84478098072866400"
    names = [path.name for path in (tmp_path / "cache").rglob("*")]
    assert not [name for name in names if ".part" in name or ".tmp." in name]
