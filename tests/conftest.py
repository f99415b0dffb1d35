"""Settings for every test, and fixtures that many of them share.

No test asserts a duration, and a CI run draws the same examples each time.
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
# numba compiles what is run; C would be for shapes of models
os.environ.setdefault("PYTENSOR_FLAGS", "cxx=")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs tests in the background has them ignore interrupts, and their
    # children with them; tests that interrupt a child would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHIFT = int(os.environ.get("BAYESBRIDGE_SEED_SHIFT", "0"))
"""Not 0: every seed in this process is another one, to see whether a statistical test
survives other draws.
"""

if SHIFT:
    plain_rng = np.random.default_rng
    Plain = np.random.SeedSequence

    class Either(type):
        """Plain sequences, which a shifted one spawns, count as sequences too."""

        def __instancecheck__(cls, value):
            return isinstance(value, Plain)

    class Shifted(Plain, metaclass=Either):
        def __init__(self, entropy=None, **options):
            super().__init__(
                None if entropy is None else [SHIFT, *np.atleast_1d(entropy).tolist()],
                **options,
            )

    def shifted_rng(seed=None):
        """``default_rng`` with its seed shifted.

        Generators, sequences and seeds drawn by the system stay as they are.
        """
        return plain_rng(
            [SHIFT, *np.atleast_1d(seed).tolist()]
            if isinstance(seed, int | list | tuple)
            else seed
        )

    np.random.default_rng = shifted_rng
    np.random.SeedSequence = Shifted


def pytest_collection_finish():
    """Keep what was imported out of garbage collection.

    To look through it again and again took an eighth of the time.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Tests have no doctests: without this every test module would be imported twice."""
    collectors = yield
    return [
        collector
        for collector in collectors
        if not isinstance(collector, DoctestModule)
    ]


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
    """A function that installs a distribution of one module with its entry point.

    It puts it on the path, as pip would. No other plugin is seen meanwhile.
    """
    before = set(sys.modules)

    real = metadata.entry_points

    def entry_points(**selection):
        if selection != {"group": "bayesbridge"}:
            return real(**selection)
        entries = []
        for distribution in metadata.distributions(path=[str(folder)]):
            entries += distribution.entry_points
        return metadata.EntryPoints(
            entry for entry in entries if entry.group == "bayesbridge"
        )

    def put(name, source, version="1.2", entry=None):
        module = name.replace("-", "_")
        # Forget a module of that name that another test imported.
        patch.delitem(sys.modules, module, raising=False)
        (folder / f"{module}.py").write_text(source, "utf-8")
        metadata_folder = folder / f"{module}-{version}.dist-info"
        metadata_folder.mkdir()
        (metadata_folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        (metadata_folder / "entry_points.txt").write_text(
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
    program = next(
        filter(
            None,
            map(
                shutil.which,
                ("chromium", "chromium-browser", "google-chrome", "chrome"),
            ),
        ),
        None,
    )
    if program is None:
        pytest.skip("no Chromium is installed: install it, as by apt install chromium")
    with driver.sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
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
    """Run a command that must end with status 2; gives its one line on stderr."""
    from bayesbridge.cli import main

    def run(*words):
        assert main(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("bayesbridge: ")
        assert err.count("\n") == 1
        return err.removeprefix("bayesbridge: ").removesuffix("\n")

    return run
