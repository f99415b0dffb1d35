"""Settings for every test: no test asserts a duration, and a CI run draws the same
examples each time.
"""

import gc
import json
import os
import shutil
import signal
import sys
from contextlib import contextmanager
from importlib import metadata

import numpy as np
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

settings.register_profile("local", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("all", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("ci" if os.environ.get("CI") else "local")
os.environ.setdefault(
    "PYTENSOR_FLAGS", "cxx="
)  # numba compiles what is run; C would be for shapes of models

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs tests in the background has them ignore interrupts, and their children with them; tests that
    # interrupt a child would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHIFT = int(os.environ.get("BAYESBRIDGE_SEED_SHIFT", "0"))
"""Not 0: every seed in this process is another one, to see whether a statistical test
survives other draws.
"""

if SHIFT:
    plain_rng, Plain = np.random.default_rng, np.random.SeedSequence

    class Either(type):
        """Children that a shifted sequence spawns are plain ones, and count as
        sequences too.
        """

        def __instancecheck__(cls, value):
            return isinstance(value, Plain)

    class Shifted(Plain, metaclass=Either):
        def __init__(self, entropy=None, **options):
            super().__init__(
                None if entropy is None else [SHIFT, *np.atleast_1d(entropy).tolist()],
                **options,
            )

    def shifted_rng(seed=None):
        """``default_rng``; generators, sequences and seeds drawn by the system stay as
        they are.
        """
        return plain_rng(
            [SHIFT, *np.atleast_1d(seed).tolist()]
            if isinstance(seed, int | list | tuple)
            else seed
        )

    np.random.default_rng, np.random.SeedSequence = shifted_rng, Shifted


def pytest_collection_finish():
    """What was imported stays: to look through it again and again for garbage took an
    eighth of the time.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Tests have no doctests: without this every test module would be imported twice."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.fixture(scope="session", autouse=True)
def measuring():
    """What to put into the environment of a child process whose coverage counts.

    Others are not measured: many are killed, interrupted or find no room on the disk,
    and what measures them with them.
    """
    return {
        name: os.environ.pop(name)
        for name in ("COVERAGE_PROCESS_CONFIG",)
        if name in os.environ
    }


@contextmanager
def plugin_site(folder):
    """A way to put a distribution with one module and its entry point on the path, as
    pip would.

    No other plugin is seen meanwhile.
    """
    before = set(sys.modules)

    real = metadata.entry_points

    def entry_points(**selection):
        if selection != {"group": "bayesbridge"}:
            return real(**selection)
        found = metadata.distributions(path=[str(folder)])
        return metadata.EntryPoints(
            entry
            for one in found
            for entry in one.entry_points
            if entry.group == "bayesbridge"
        )

    def put(name, source, version="1.2", entry=None):
        module = name.replace("-", "_")
        patch.delitem(
            sys.modules, module, raising=False
        )  # a module of that name that another test imported
        (folder / f"{module}.py").write_text(source, "utf-8")
        info = folder / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(
            f"[bayesbridge]\n{entry or name} = {module}\n", "utf-8"
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setattr(metadata, "entry_points", entry_points)
        yield put
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def install(tmp_path):
    """Plugins that are really installed, as far as Python can tell, for one test."""
    with plugin_site(tmp_path) as put:
        yield put


@pytest.fixture(scope="session")
def posterior():
    from tests import positions

    return positions.called().infer(rng=1)


@pytest.fixture(scope="session")
def result(posterior):
    from bayesbridge import estimate

    return estimate(posterior, pair="S:N")


@pytest.fixture(scope="session")
def web():
    pytest.importorskip("starlette", reason="the extra web is not installed")
    pytest.importorskip("uvicorn", reason="the extra web is not installed")


@pytest.fixture(scope="module")
def browser():
    """The Chromium of the system, without a window."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    found = next(
        filter(
            None,
            map(
                shutil.which,
                ("chromium", "chromium-browser", "google-chrome", "chrome"),
            ),
        ),
        None,
    )
    if found is None:
        pytest.skip("no Chromium is installed: install it, as by apt install chromium")
    with driver.sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture
def answer(capsys):
    """Run a command that must succeed and say nothing on stderr; gives its stdout."""
    from bayesbridge.cli import main

    def run(*words):
        assert main(words) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.fixture
def document(answer):
    """Run a command with --json; gives the one object on the one line it prints."""

    def run(*words):
        out = answer(*words, "--json")
        assert out.count("\n") == 1
        return json.loads(out)

    return run


@pytest.fixture
def complaint(capsys):
    """Run a command that must end with status 2 and one line on stderr; gives that
    line.
    """
    from bayesbridge.cli import main

    def run(*words):
        assert main(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("bayesbridge: ")
        assert err.count("\n") == 1
        return err.removeprefix("bayesbridge: ").removesuffix("\n")

    return run
