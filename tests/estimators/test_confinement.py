"""An estimator behind a wall gives the same answers, and hurts nobody when it hangs, eats, crashes or leaves."""

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.cli import main
from bayesbridge.constraints import Constraints
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators import registry, serving
from bayesbridge.estimators.capture import CaptureEstimator
from bayesbridge.estimators.checked import run, run_exact
from bayesbridge.estimators.confinement import Confined, ConfinedExact, Limits, confined
from bayesbridge.estimators.protocol import Question
from tests import positions
from tests.estimators.deals import random_layouts

PLUGIN = """
import ctypes, os, sys, time
import numpy as np
from bayesbridge import Output, hookimpl

class Wild:
    outputs = (Output("points", "High-card points of the pair.", dtype="int16"),)

    def __init__(self, name, act):
        self.name, self.act = name, act

    def estimate(self, layouts, question):
        if len(layouts):
            self.act()
        return {"points": layouts.points[:, list(question.pair)].sum(axis=1, dtype=np.int16)}

def talk():
    print("nobody asked")
    sys.stdin.read()

def hang():
    if "WILD_PID" in os.environ:
        with open(os.environ["WILD_PID"], "x") as file:
            file.write(f"{os.getpid()}\\n")
    time.sleep(1e6)

def eat():
    eaten = [np.ones(10**7) for _ in range(40)]

wild = [
    Wild("talks", talk),
    Wild("hangs", hang),
    Wild("eats", eat),
    Wild("crashes", lambda: ctypes.string_at(0)),
    Wild("leaves", lambda: os._exit(3)),
    Wild("raises", lambda: 1 / 0),
]

@hookimpl
def bayesbridge_estimators():
    return wild
"""

LAYOUTS = random_layouts(2500, 1)
QUESTION = Question.of("S:N")
ORIGIN = r"of plugin 'wild' \(wild 1.2\)"


@pytest.fixture
def wild(install):
    """The registry with a plugin of wild estimators."""
    install("wild", PLUGIN)
    return registry.load(only="wild")


def test_the_answers_are_the_same_whatever_it_prints_or_reads(wild):
    """In three pieces, through a process that also tries to talk over the line."""
    with confined([wild.estimator("talks")], Limits(timeout=600, memory=10_000), wild) as (behind,):
        assert isinstance(behind, Confined)
        found = run(behind, LAYOUTS, QUESTION)
        assert run(behind, LAYOUTS[:0], QUESTION)["points"].shape == (0,)
        process = behind._process
    np.testing.assert_array_equal(found["points"], LAYOUTS.points[:, [2, 0]].sum(axis=1))
    assert process.returncode is not None


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hangs", "gave no answer within 1 s when asked about 5 layouts: allow more with --timeout"),
        ("crashes", "was ended by SIGSEGV when asked about 5 layouts: fix it"),
        ("leaves", "ended its process with status 3 when asked about 5 layouts: fix it"),
    ],
)
def test_what_happened_is_told_with_the_name_and_the_process_is_gone(wild, name, says):
    with confined([wild.estimator(name)], Limits(timeout=600), wild) as (behind,):
        run(behind, LAYOUTS[:0], QUESTION)  # begins and loads, which may take its time
        if name == "hangs":
            behind._limits = Limits(timeout=1)
        with pytest.raises(PluginError, match=f"^estimator '{name}' {ORIGIN} {says}.*, or do without it$") as caught:
            run(behind, LAYOUTS[:5], QUESTION)
        assert caught.value.data["plugin"] == name
        assert behind._process is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_one_that_eats_memory_is_stopped(wild):
    with confined([wild.estimator("eats")], Limits(memory=500), wild) as (behind,):
        says = f"'eats' {ORIGIN} wanted more memory than the 500 MB it may take when asked about 5 layouts"
        with pytest.raises(PluginError, match=says):
            run(behind, LAYOUTS[:5], QUESTION)


def test_one_that_raises_is_named_as_if_there_were_no_wall(wild):
    with confined([wild.estimator("raises")], Limits(timeout=600), wild) as (behind,):
        for estimator in (behind, wild.estimator("raises")):
            with pytest.raises(PluginError, match=r"^estimator 'raises' raised ZeroDivisionError on 5 layouts: divis"):
                run(estimator, LAYOUTS[:5], QUESTION)


def test_what_is_sent_pickled_counts_too():
    """Capture stands for a stranger that can count."""
    constraints = Constraints.free().hold(2, LAYOUTS[0]["S"].mask)
    total = bb.Belief("S", LAYOUTS[0]["S"]).count()
    own = run_exact(CaptureEstimator(), constraints, QUESTION, total)
    behind = ConfinedExact(CaptureEstimator(), Limits(timeout=600))
    try:
        found = run_exact(behind, constraints, QUESTION, total)
    finally:
        behind.close()
    assert found.keys() == own.keys()
    for name, (lowest, counts) in own.items():
        assert found[name][0] == lowest
        np.testing.assert_array_equal(found[name][1], counts)


class OfThisFile:
    """Importable here, and nowhere else."""

    name = "lost"
    outputs = (bb.Output("x", "One."),)

    def estimate(self, layouts, question):
        return {"x": np.ones(len(layouts))}


def test_one_that_cannot_be_loaded_over_there_is_named(monkeypatch):
    monkeypatch.setattr(OfThisFile, "__module__", "no_such_module")
    monkeypatch.setitem(sys.modules, "no_such_module", sys.modules[__name__])
    with confined([OfThisFile()], Limits(timeout=600)) as (behind,):
        says = r"^estimator 'lost' failed \(ModuleNotFoundError: .*no_such_module.*\) when asked to load: fix it"
        with pytest.raises(PluginError, match=says):
            run(behind, LAYOUTS[:5], QUESTION)


def test_what_cannot_be_sent_is_refused_at_once():
    @bb.estimator("local")
    def local(deal, question):
        return 0.0

    with pytest.raises(BayesBridgeError, match=r"'local' cannot be sent to a process of its own .* leave timeout and"):
        bb.estimate(positions.bid().infer("weights", draws=5, rng=1), local, timeout=5)


@pytest.mark.parametrize("limits", [{"timeout": 0}, {"memory": -1}, {"timeout": float("nan")}])
def test_limits_are_above_nought(limits):
    with pytest.raises(BayesBridgeError, match=f"{next(iter(limits))} .*: give a number above 0"):
        Limits(**limits)


def test_built_ins_and_unlimited_ones_stay_where_they_are(wild):
    capture, stranger = wild.estimator("capture"), wild.estimator("leaves")
    with confined([capture, CaptureEstimator(), stranger], Limits(), wild) as ready:
        assert ready[0] is capture
        assert ready[2] is stranger
    with confined([capture, CaptureEstimator(), stranger], Limits(timeout=1), wild) as ready:
        assert ready[0] is capture
        assert type(ready[1]) is CaptureEstimator
        assert type(ready[2]) is Confined


FEW = [
    "--observer",
    "S",
    "--hand",
    positions.SOUTH,
    "--reveal",
    f"N:{positions.NORTH}",
    "--reveal",
    "E:T963.9864.JT8.J7",
]


def test_the_command_line_keeps_strangers_behind_the_wall(install, capfd):
    """In process the first of these would end the test run itself."""
    install("wild", PLUGIN)
    words = ["estimate", *FEW, "--estimator", "leaves", "--estimator", "talks", "--estimator", "bid", "--json"]
    assert main(words) == 1
    out, err = capfd.readouterr()
    said = json.loads(out)
    assert list(said["estimators"]) == ["talks", "bid"]
    assert "ended its process with status 3" in said["failures"]["leaves"]
    assert err.splitlines()[0] == "nobody asked"
    assert err.splitlines()[1].startswith("bayesbridge: left out: estimator 'leaves' of plugin 'wild' (wild 1.2) ended")


def alive(pid):
    """Whether a process still runs; one that has ended but was not fetched yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition):
    """Wait for something that comes soon on an idle machine."""
    deadline = time.monotonic() + 600
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux whether a process is there")
@pytest.mark.parametrize(("ending", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_hung_estimator_does_not_outlive_the_command(install, tmp_path, ending, status):
    install("wild", PLUGIN)
    told = tmp_path / "pid"
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-m", "bayesbridge", "estimate", *FEW, "--estimator", "hangs"],
        env={**os.environ, "PYTHONPATH": path, "WILD_PID": str(told)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: told.exists() and told.read_text().endswith("\n"))
    pid = int(told.read_text())
    assert alive(pid)
    process.send_signal(ending)
    # The estimator may hold our pipes a moment longer than the command lives.
    assert process.communicate(timeout=600) == ("", "")
    assert process.returncode == status
    until(lambda: not alive(pid))


def answered(*request):
    """What the other side of the wall answers, asked on this side."""
    answers = io.BytesIO()
    serving._answer(io.BytesIO(pickle.dumps(request)), answers)
    return pickle.loads(answers.getvalue())


class Greedy(OfThisFile):
    """Wants more than there is."""

    def estimate(self, layouts, question):
        raise MemoryError


def test_the_other_side_of_the_wall(monkeypatch):
    monkeypatch.setattr(serving, "_WORKING", [])
    assert answered("load", pickle.dumps(CaptureEstimator()), None) == ("answer", None)
    kind, found = answered("estimate", LAYOUTS.masks[:5], QUESTION)
    assert kind == "answer"
    np.testing.assert_array_equal(found["T"], run(CaptureEstimator(), LAYOUTS[:5], QUESTION)["T"])
    kind, counted = answered("distribution", Constraints.free().hold(2, LAYOUTS[0]["S"].mask), QUESTION)
    assert kind == "answer"
    assert "T" in counted
    assert answered("load", ("no such plugin", "no such estimator"), None)[0] == "failed"
    kind, (message, data) = answered("distribution", None, QUESTION)
    assert (kind, data["plugin"]) == ("failed", "capture")
    assert message.startswith("estimator 'capture' raised AttributeError on the distribution of all layouts")
    monkeypatch.setattr(serving, "_WORKING", [Greedy()])
    assert answered("estimate", LAYOUTS.masks[:5], QUESTION) == ("memory", None)
    monkeypatch.setitem(serving._METHODS, "load", lambda: bytes(10**18))
    assert answered("load") == ("memory", None)


def test_python_takes_the_same_limits(install):
    install("wild", PLUGIN)
    posterior = positions.bid().infer("weights", draws=5, rng=1)
    with pytest.warns(UserWarning, match=f"left out 'crashes': estimator 'crashes' {ORIGIN} was ended by SIGSEGV"):
        assert bb.estimate(posterior, ["crashes", "bid"], timeout=600).attrs["estimators"] == "bid"
