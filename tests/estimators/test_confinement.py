"""An isolated estimator gives the same answers, and hurts nobody when it hangs, eats memory, crashes or leaves."""

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
from bayesbridge.estimators import confinement, discovery
from bayesbridge.estimators.capture import CaptureEstimator
from bayesbridge.estimators.checked import run, run_exact
from bayesbridge.estimators.confinement import Confined, confined, sent
from bayesbridge.estimators.isolation import Isolated, Limits, Lost
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

def tell_pids(*pids):
    part = os.environ["WILD_PID"] + ".part"
    with open(part, "x") as file:
        file.write(" ".join(map(str, pids)))
    os.rename(part, os.environ["WILD_PID"])

def hang():
    if "WILD_PID" in os.environ:
        child, deserter = os.fork(), None
        if child == 0:
            time.sleep(1e6)
        deserter = os.fork()
        if deserter == 0:
            os.setsid()
            time.sleep(1e6)
        tell_pids(os.getpid(), child, deserter)
    time.sleep(1e6)

def eat():
    eaten = [np.ones(10**7) for _ in range(40)]

class Shares:
    "Half the time 3, half the time 4."
    name, seconds = "shares", 0.25
    outputs = (Output("share", "A number.", ("suit",), "float32", support=range(3, 5)),)

    def estimate(self, layouts, question):
        return {"share": np.full((len(layouts), 4, 2), 0.5)}

wild = [
    Shares(),
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


@pytest.fixture(scope="module")
def wild(install_for_all):
    """The registry with a plugin of wild estimators, isolated; its process begins again after each of them."""
    install_for_all("wild", PLUGIN)
    return discovery.isolated(Limits(timeout=600), keep=["talks"])


def test_the_answers_are_the_same_whatever_it_prints_or_reads(wild, capsys):
    """In three pieces, through a process that also tries to talk over the line."""
    with confined([wild.estimator("talks")], Limits()) as (behind,):
        assert isinstance(behind, Confined)
        found = run(behind, LAYOUTS, QUESTION)
        assert run(behind, LAYOUTS[:0], QUESTION)["points"].shape == (0,)
        assert behind.process.pid is not None
    np.testing.assert_array_equal(found["points"], LAYOUTS.points[:, [2, 0]].sum(axis=1))
    assert behind.process.pid is None
    assert capsys.readouterr() == ("", "bayesbridge: plugin 'wild' prints: nobody asked\n" * 3)


def test_distributions_and_costs_are_the_same_from_over_there(wild):
    with confined([wild.estimator("shares")], Limits()) as (behind,):
        assert behind.seconds == 0.25
        assert behind.outputs[0].support == range(3, 5)
        found = run(behind, LAYOUTS, QUESTION)["share"]
    assert (found.shape, found.dtype) == ((2500, 4, 2), np.float32)
    assert (found == 0.5).all()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hangs", "gave no answer within 1 s when asked about 5 layouts: allow more with --timeout"),
        ("crashes", "was ended by SIGSEGV when asked about 5 layouts: fix it"),
        ("leaves", "ended its process with status 3 when asked about 5 layouts: fix it"),
    ],
)
def test_what_happened_is_told_with_the_name_and_the_process_is_gone(wild, name, says):
    with confined([wild.estimator(name)], Limits()) as (behind,):
        if name == "hangs":
            behind.process.limits = Limits(timeout=1, loading=600)
        with pytest.raises(PluginError, match=f"^estimator '{name}' {ORIGIN} {says}.*, or do without it$") as caught:
            run(behind, LAYOUTS[:5], QUESTION)
        assert caught.value.data["plugin"] == name
        assert behind.process.pid is None
        behind.process.limits = Limits(timeout=600)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_one_that_eats_memory_is_stopped(wild):
    with confined([wild.estimator("eats")], Limits()) as (behind,):
        behind.process.limits = Limits(memory=500)
        says = f"'eats' {ORIGIN} wanted more memory than the 500 MB it may take when asked about 5 layouts"
        with pytest.raises(PluginError, match=says):
            run(behind, LAYOUTS[:5], QUESTION)
        behind.process.limits = Limits(timeout=600)


def test_one_that_raises_is_named_as_if_it_were_here(wild):
    with confined([wild.estimator("raises")], Limits()) as (behind,):
        with pytest.raises(PluginError, match=r"^estimator 'raises' raised ZeroDivisionError on 5 layouts: divis"):
            run(behind, LAYOUTS[:5], QUESTION)
        assert behind.process.pid is not None, "an error is an answer: the process goes on"


def test_an_answer_of_another_length_is_refused(monkeypatch):
    behind = sent(CaptureEstimator(), Limits(timeout=1))
    monkeypatch.setattr(Isolated, "ask", lambda *_: ({}, b"1234567"))
    with pytest.raises(PluginError, match=r"^estimator 'capture' gave 7 bytes where \d+ are expected when asked about"):
        behind.estimate(LAYOUTS[:5], QUESTION)


def test_what_is_sent_pickled_counts_too():
    """Capture stands for a stranger that can count."""
    constraints = Constraints.free().hold(2, LAYOUTS[0]["S"].mask)
    total = bb.Belief("S", LAYOUTS[0]["S"]).count()
    own = run_exact(CaptureEstimator(), constraints, QUESTION, total)
    behind = sent(CaptureEstimator(), Limits(timeout=600))
    try:
        found = run_exact(behind, constraints, QUESTION, total)
        arrays = run(behind, LAYOUTS[:5], QUESTION)
    finally:
        behind.close()
    for name, values in run(CaptureEstimator(), LAYOUTS[:5], QUESTION).items():
        np.testing.assert_array_equal(arrays[name], values)
        assert arrays[name].dtype == values.dtype
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
        for _ in range(2):  # loaded anew each time, and not asked before
            with pytest.raises(PluginError, match="when asked about 5 layouts"):
                run(behind, LAYOUTS[:5], QUESTION)
            assert behind.process.pid is None
        says = (
            r"^estimator 'lost' failed \(ModuleNotFoundError: .*no_such_module.*\) when asked about 5 layouts: fix it"
        )
        with pytest.raises(PluginError, match=says):
            run(behind, LAYOUTS[:5], QUESTION)


def test_what_cannot_be_sent_is_refused_at_once():
    @bb.estimator("local")
    def local(deal, question):
        return 0.0

    with pytest.raises(BayesBridgeError, match=r"'local' cannot be sent to a process of its own .* leave timeout and"):
        bb.estimate(positions.bid().infer("exact", draws=5, rng=1), local, timeout=5)


@pytest.mark.parametrize("limits", [{"timeout": 0}, {"memory": -1}, {"timeout": float("nan")}])
def test_limits_are_above_nought(limits):
    with pytest.raises(BayesBridgeError, match=f"{next(iter(limits))} .*: give a number above 0"):
        Limits(**limits)


def test_built_ins_and_unlimited_ones_stay_where_they_are(wild):
    capture, mine, stranger = wild.estimator("capture"), OfThisFile(), wild.estimator("leaves")
    with confined([capture, mine, stranger], Limits()) as ready:
        assert ready == [capture, mine, stranger]
    with confined([capture, CaptureEstimator(), mine, stranger], Limits(timeout=1)) as ready:
        assert ready[0] is capture
        assert type(ready[1]) is CaptureEstimator
        assert type(ready[2]) is Confined
        assert ready[3] is stranger


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


def test_the_command_line_isolates_strangers(wild, capfd):
    """In process the first of these would end the test run itself."""
    words = ["estimate", *FEW, "--estimator", "leaves", "--estimator", "talks", "--estimator", "bid", "--json"]
    assert main(words) == 1
    out, err = capfd.readouterr()
    said = json.loads(out)
    assert list(said["estimators"]) == ["talks", "bid"]
    assert "ended its process with status 3" in said["failures"]["leaves"]
    assert err.splitlines()[0] == "bayesbridge: plugin 'wild' prints: nobody asked"
    assert err.splitlines()[1].startswith("bayesbridge: left out: estimator 'leaves' of plugin 'wild' (wild 1.2) ended")
    assert "wild" not in sys.modules


def alive(pid):
    """Whether a process still runs; one that has ended but was not fetched yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone, also between opening the file and reading it
        return False


def until(condition):
    """Wait for something that comes soon on an idle machine."""
    deadline = time.monotonic() + 600
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux whether a process is there")
@pytest.mark.parametrize(("ending", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_hung_estimator_and_its_children_do_not_outlive_the_command(install, tmp_path, ending, status):
    """One of the children is in a session of its own."""
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
    until(told.exists)
    pids = [int(pid) for pid in told.read_text().split()]
    assert len(pids) == 3
    assert all(map(alive, pids))
    process.send_signal(ending)
    assert process.communicate(timeout=600) == ("", "")
    assert process.returncode == status
    until(lambda: not any(map(alive, pids)))


def test_python_takes_the_same_limits(wild):
    posterior = positions.bid().infer("exact", draws=5, rng=1)
    with pytest.warns(UserWarning, match=f"left out 'crashes': estimator 'crashes' {ORIGIN} was ended by SIGSEGV"):
        assert bb.estimate(posterior, ["crashes", "bid"], timeout=600).attrs["estimators"] == "bid"
    assert "wild" not in sys.modules


def test_python_without_limits_imports_plugins_here_when_a_name_is_not_built_in(install):
    install("wild", PLUGIN)
    posterior = positions.bid().infer("exact", draws=5, rng=1)
    assert bb.estimate(posterior, "bid").attrs["estimators"] == "bid"
    assert "wild" not in sys.modules
    with pytest.raises(PluginError, match="estimator 'raises' raised ZeroDivisionError"):
        bb.estimate(posterior, "raises")
    assert "wild" in sys.modules


def test_where_there_is_no_process_to_be_had_the_line_says_so(monkeypatch):
    def full(*_args, **_options):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", full)
    says = (
        r"^estimator 'lost' got no process \(Resource temporarily unavailable\) when asked about 5 layouts: make room"
    )
    with pytest.raises(PluginError, match=says):
        run(sent(OfThisFile(), Limits(timeout=1)), LAYOUTS[:5], QUESTION)


def test_a_process_that_does_not_stop_is_killed(wild, monkeypatch):
    """The supervising process itself is stopped: it cannot hear that it is to end."""
    behind = wild.estimator("talks")
    run(behind, LAYOUTS[:0], QUESTION)
    running = behind.process._running
    os.kill(running.process.pid, signal.SIGSTOP)
    wait = running.process.wait
    monkeypatch.setattr(running.process, "wait", lambda timeout=None: wait(timeout and 0.01))
    behind.close()
    assert running.process.returncode == -signal.SIGKILL


def test_one_that_stops_listening_is_told_so(wild, monkeypatch):
    behind = wild.estimator("talks")
    run(behind, LAYOUTS[:0], QUESTION)
    running = behind.process._running
    wait = running.process.wait
    monkeypatch.setattr(running.process, "wait", lambda timeout=None: wait(timeout and 0.01))
    assert running._how_it_ended() == "stopped listening"
    behind.close()


def test_whatever_else_goes_wrong_on_our_side_is_raised(wild, monkeypatch):
    behind = wild.estimator("talks")
    monkeypatch.setattr(confinement, "PIECE", 2)
    run(behind, LAYOUTS[:0], QUESTION)
    monkeypatch.setattr(pickle, "dumps", lambda _: b"no pickle")
    with pytest.raises((PluginError, Lost), match="ended its process with status 1"):
        behind.estimate(LAYOUTS[:5], QUESTION)
