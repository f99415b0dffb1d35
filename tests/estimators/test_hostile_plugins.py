"""Plugins that do their worst, while they are imported and while they work: each is named, and the others go on."""

import io
import json
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

from bayesbridge.errors import PluginError
from bayesbridge.estimators import discovery, frames, serving
from bayesbridge.estimators.checked import run
from bayesbridge.estimators.confinement import confined
from bayesbridge.estimators.isolation import MOST_LINES, Isolated, Limits, Lost
from bayesbridge.estimators.protocol import Output, Question
from tests.estimators.deals import random_layouts

GOOD = """
from bayesbridge import Output, hookimpl

class Ones:
    'One for each layout.'
    name = "{name}"
    outputs = (Output("ones", "One for each layout."),)

    def estimate(self, layouts, question):
        return {{"ones": [1.0] * len(layouts)}}

class Flat:
    'Calls anything.'
    def log_likelihood(self, hands, auction, index):
        return [-1.0] * len(hands)

@hookimpl
def bayesbridge_estimators():
    return [Ones()]

@hookimpl
def bayesbridge_bidders():
    return {{"{name}": Flat()}}
"""

AT_IMPORT = {
    "exits": ("import os\nos._exit(0)", "ended its process with status 0 when asked to load"),
    "leaves": ("import sys\nsys.exit(0)", "SystemExit: 0"),
    "raises": ("raise RuntimeError('two\\nlines \\x1b[2J')", "RuntimeError: two lines \\x1b[2J"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt:"),
    "hangs": ("import time\ntime.sleep(1e6)", "gave no answer within 5 s when asked to load"),
    "crashes": ("import ctypes\nctypes.string_at(0)", "was ended by SIGSEGV when asked to load"),
    "stops-itself": ("import os, signal\nos.killpg(0, signal.SIGKILL)", "was ended by SIGKILL"),
    "kills-its-parent": ("import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(1e6)", "SIGKILL"),
    "prints": ("print('noise')\n" + GOOD.format(name="prints"), None),
    "garbage": ("import os\nos.write(1, bytes(range(256)))\n" + GOOD.format(name="garbage"), None),
    "closes": ("import os\nos.close(0); os.close(1); os.close(2)\n" + GOOD.format(name="closes"), None),
    "changes": (
        "import os, sys\nos.chdir('/'); sys.path.clear(); os.environ.clear()\n" + GOOD.format(name="changes"),
        None,
    ),
    "twin-one": (GOOD.format(name="twin"), "estimator 'twin' is offered by both 'twin-one' and 'twin-two': rename one"),
    "twin-two": (GOOD.format(name="twin"), "estimator 'twin' is offered by both 'twin-one' and 'twin-two': rename one"),
    "imposter": (GOOD.format(name="capture"), "estimator 'capture' is offered by both 'bayesbridge' and 'imposter'"),
    "no-hook": ("x = 1", "implements no hook"),
    "good": (GOOD.format(name="good"), None),
}


@pytest.fixture(scope="module")
def listed(install_for_all):
    """What ``bayesbridge plugins --json`` says of all of them at once: the object, and its stderr."""
    for name, (source, _) in AT_IMPORT.items():
        install_for_all(name, source)
    found = subprocess.run(
        [sys.executable, "-m", "bayesbridge", "plugins", "--json", "--timeout", "5"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("\n") == 1
    return json.loads(found.stdout), found.stderr


@pytest.mark.parametrize("name", AT_IMPORT)
def test_a_plugin_that_misbehaves_while_imported_is_named_in_one_line_and_the_others_stay(listed, name):
    said, err = listed
    failure = AT_IMPORT[name][1]
    if failure is None:
        assert said["estimators"][name]["plugin"] == said["bidders"][name]["plugin"] == name
        assert (said["estimators"][name]["doc"], said["bidders"][name]["doc"]) == (
            "One for each layout.",
            "Calls anything.",
        )
        assert name not in said["failures"]
    else:
        assert failure in said["failures"][name]["failure"]
        assert "\n" not in said["failures"][name]["failure"]
        assert said["failures"][name]["distribution"] == name
    assert said["estimators"]["capture"]["plugin"] == "bayesbridge"
    assert "twin" not in said["estimators"]
    assert all(line.isprintable() for line in err.splitlines())
    assert "bayesbridge: plugin 'prints' prints: noise\n" in err


AT_WORK = """
import os, pickle, signal, sys, time
import numpy as np
from bayesbridge import Output, hookimpl
from bayesbridge.estimators import frames

class Wild:
    outputs = (Output("x", "A number.", dtype="int16"), Output("ok", "Whether.", dtype="bool"))

    def __init__(self, name, act, outputs=outputs):
        self.name, self.act, self.outputs = name, act, outputs

    def estimate(self, layouts, question):
        n = len(layouts)
        found = self.act(n)
        return {"x": np.ones(n, np.int16), "ok": np.ones(n, bool)} if found is None else found

def fork(n):
    if child := os.fork():
        os.waitpid(child, 0)

def fork_and_answer_late(n):
    # The copy waits for the next request to come before it returns from the first.
    global asked
    asked += 1
    if asked == 1 and os.fork() == 0:
        while os.getppid() != 1 and not os.path.exists(os.environ["WILD_NEXT"]):
            time.sleep(0.01)
    elif asked == 2:
        open(os.environ["WILD_NEXT"], "w").close()
        time.sleep(1e6)

asked = 0

def write(*texts):
    # Into every line that this process has open but the usual ones.
    for line in range(3, 64):
        for text in texts:
            try:
                os.write(line, text)
            except OSError:
                break
    time.sleep(1e6)

class Bomb:
    def __reduce__(self):
        return os.mkdir, (os.environ["WILD_BOMB"],)

def flood(n):
    for i in range(100_000):
        print("flood", i)

def rows(n):
    return np.ones(n + 1, np.int16)

good = lambda n: np.ones(n, bool)
wild = [
    Wild("forks", fork),
    Wild("late", fork_and_answer_late),
    Wild("again", lambda n: write(frames.pack(1, {"kind": "answer"}))),
    Wild("garbage", lambda n: write(b"garbage" * 100)),
    Wild("huge", lambda n: write(frames._HEADER.pack(b"bbA1", 2, 1 << 50, 0))),
    Wild("mixed", lambda n: write(frames._HEADER.pack(b"bbA1", 2, 8, 0) + b"8 bytes.")),
    Wild("json", lambda n: write(frames.pack(2, ["list"]))),
    Wild("short", lambda n: write(frames.pack(2, {"kind": "answer"}, [b"1"]))),
    Wild("pickle", lambda n: write(pickle.dumps(Bomb()))),
    Wild("objects", lambda n: {"x": np.array([Bomb()] * n, dtype=object), "ok": good(n)}),
    Wild("texts", lambda n: {"x": np.array(["1"] * n), "ok": good(n)}),
    Wild("halves", lambda n: {"x": np.full(n, 0.5), "ok": good(n)}),
    Wild("rows", lambda n: {"x": rows(n), "ok": good(n)}),
    Wild("many", lambda n: {"x": np.ones((n, 3000, 1000), np.int16), "ok": good(n)}),
    Wild("none", lambda n: {"x": None, "ok": good(n)}),
    Wild("vast", lambda n: None, (Output("x", "Vast.", ("a", "b"), coords={"a": range(9999), "b": range(99999)}),)),
    Wild("list", lambda n: [1] * n),
    Wild("floods", flood),
    Wild("supervisor", lambda n: (os.kill(os.getppid(), signal.SIGKILL), time.sleep(1e6))),
    Wild("group", lambda n: os.killpg(0, signal.SIGKILL)),
    Wild("base", lambda n: (_ for _ in ()).throw(GeneratorExit("bye"))),
]

@hookimpl
def bayesbridge_estimators():
    return wild
"""

SAYS = {
    "forks": "came back twice from one request: a process that it forks must end by itself",
    "late": "answered request 2 again when request 3 was due",
    "again": "answered request 1 again when request 2 was due",
    "garbage": "wrote something else into its line of answers",
    "huge": "gave an answer of 1125899906842624 bytes where at most",
    "mixed": "gave an answer that is mixed with something else",
    "json": "gave an answer that cannot be read",
    "short": "gave 1 bytes where 15 are expected",
    "pickle": "wrote something else into its line of answers",
    "objects": "x: expected type int16, got object",
    "texts": "x: expected type int16, got <U1",
    "halves": "x: expected type int16, got float64",
    "rows": r"x: expected shape \(5,\), got \(6,\)",
    "many": r"x: expected shape \(5,\), got \(5, 3000, 1000\)",
    "none": r"x: expected shape \(5,\), got \(\)",
    "vast": "declares outputs of 39995600040 bytes, more than 1073741824,",
    "list": "result: expected a mapping of arrays, got list",
    "supervisor": "was ended by SIGKILL",
    "group": "was ended by SIGKILL",
    "base": r"failed \(GeneratorExit: bye\)",
}

LAYOUTS = random_layouts(5, 1)
QUESTION = Question.of("S:N")


@pytest.fixture(scope="module")
def wild(tmp_path_factory, install_for_all):
    """Estimators that do what their names say; their one process begins again when it was lost."""
    folder = tmp_path_factory.mktemp("wild")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WILD_BOMB", str(folder / "bomb"))
        patch.setenv("WILD_NEXT", str(folder / "next"))
        install_for_all("wild", AT_WORK)
        patch.setattr(discovery, "entries", lambda: tuple(e for e in entries() if e.name == "wild"))
        registry = discovery.isolated(Limits(timeout=60), keep=["forks"])
        yield registry
        registry.estimator("forks").close()
        assert not (folder / "bomb").exists()


entries = discovery.entries


@pytest.mark.skipif(sys.platform != "linux", reason="some do what only Linux can")
@pytest.mark.parametrize("name", SAYS)
def test_one_that_misbehaves_at_work_is_named(wild, name):
    behind = wild.estimator(name)
    if name in ("late", "again", "huge", "mixed", "json", "short"):
        behind.process.close()  # request 1 loads, so that the first about layouts is number 2
    if name == "late":
        run(behind, LAYOUTS, QUESTION)
    with pytest.raises(PluginError, match=f"^estimator '{name}'.* {SAYS[name]}") as caught:
        run(behind, LAYOUTS, QUESTION)
    assert caught.value.data["plugin"] == name
    assert "\n" not in str(caught.value)


def test_one_that_prints_without_end_is_cut_off(wild, capsys):
    with confined([wild.estimator("floods")], Limits()) as (behind,):
        assert run(behind, LAYOUTS, QUESTION)["ok"].all()
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[0] == "bayesbridge: plugin 'wild' prints: flood 0"
    assert lines[-1] == "bayesbridge: plugin 'wild' prints more, which is not shown"


BIDDER = {"name": "x", "doc": "", "text": "", "cost": [1, 1], "level": None, "probabilities": False, "honours": None}


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"estimators": 7, "bidders": []},
        {"estimators": [7], "bidders": []},
        {"estimators": [{"name": 7, "doc": "", "outputs": [], "exact": False}], "bidders": []},
        {"estimators": [{"name": "x", "doc": "", "outputs": [], "exact": False}], "bidders": []},
        {"estimators": [], "bidders": [{"name": "x", "doc": "", "text": "", "cost": [1], "level": None}]},
        {"estimators": [], "bidders": [BIDDER | {"honours": [9, 9, 9, 9]}]},
    ],
)
def test_what_a_plugin_offers_is_read_with_care(monkeypatch, told):
    monkeypatch.setattr(Isolated, "load", lambda self: told)
    with pytest.raises(Lost, match="gave an answer that cannot be read"):
        discovery._offers(Isolated(b"", Limits(timeout=1), "plugin 'x'"))


@pytest.mark.parametrize(
    "body", [b"[]\n", b"{}\n", b"no json\n", b"[" * 100_000, b'{"kind": "answer", "x": ' + b"9" * 9999 + b"}"]
)
def test_frames_that_hold_no_answer_are_garbled(body):
    frame = frames._HEADER.pack(frames._MAGIC, 3, len(body), zlib.crc32(body)) + body
    with pytest.raises(frames.Garbled, match="gave an answer that cannot be read"):
        frames.read(io.BytesIO(frame), 3, 100)
    with pytest.raises(EOFError):
        frames.read(io.BytesIO(frame[:-1]), 3, 100)


class Counts:
    name = "counts"
    outputs = (Output("x", "A number.", dtype="int16"),)

    def __init__(self, found):
        self.found = found

    def estimate(self, layouts, question):
        raise MemoryError

    def distribution(self, constraints, question):
        return self.found


def answered(*request):
    """What the other side answers, asked on this side."""
    return frames.read(io.BytesIO(serving.answer(7, *request)), 7, 1 << 20)[0]


def test_the_other_side_here(monkeypatch):
    """The same code without a process, so that its lines are seen to run."""
    monkeypatch.setattr(serving, "_OFFERS", serving.Offers({}, {}))
    big = np.array([2**70, np.int64(3)], dtype=object)
    estimators = {
        "big": Counts({"x": (np.int8(4), big)}),
        "none": Counts(None),
        "seven": Counts(7),
        "half": Counts({"x": (0, [0.5])}),
    }
    serving._OFFERS.estimators.update(estimators)
    assert answered("distribution", "big", None, QUESTION)["counts"] == {"x": [4, [2**70, 3]]}
    assert answered("distribution", "none", None, QUESTION)["counts"] is None
    assert "expected a mapping of counts, got int" in answered("distribution", "seven", None, QUESTION)["message"]
    assert "expected a lowest value and whole counts" in answered("distribution", "half", None, QUESTION)["message"]
    assert answered("estimate", "big", LAYOUTS.masks, QUESTION) == {"kind": "memory"}
    monkeypatch.setitem(serving._METHODS, "load", lambda: bytes(10**18))
    assert answered("load") == {"kind": "memory"}
