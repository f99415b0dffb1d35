"""A pytest plugin for ``make quick``: what needs the compiler, another process or much time is skipped as it turns out.

So nobody has to keep a list of quick tests. Kernels are made in one place, ``bayesbridge.jit.njit``: here that gives
functions that skip the test which calls them. A test that starts another process is skipped because nobody can say what
it needs, and one that takes more than ``LIMIT`` seconds of processor time because ``make test`` has more patience.
"""

import functools
import signal
import sys

import pytest

from bayesbridge import jit

LIMIT = 0.25
"""Seconds of processor time for a test, and for each round of its fixtures."""


REFUSED = []
"""Why the test that runs was to be skipped: studies and NumPy may take a skip for a fault and fail with another."""


def refuse_kernel(function=None, /, **options):
    """In place of ``njit``: a kernel that skips the test which calls it."""
    if function is None:
        return functools.partial(refuse_kernel, **options)

    @functools.wraps(function)
    def kernel(*arguments, **named):
        REFUSED.append("needs the compiler")
        pytest.skip("needs the compiler", allow_module_level=True)

    return kernel


def refuse_process(event, arguments):
    """An audit hook: skips the test which starts a process."""
    if event == "subprocess.Popen":
        pytest.skip("starts another process", allow_module_level=True)


def stop(number, frame):
    """Skip the test that runs, unless it imports something, which must not be left half done."""
    while frame is not None:
        if "importlib" in frame.f_code.co_filename:
            return
        frame = frame.f_back
    REFUSED.append(f"takes more than {LIMIT} seconds")
    pytest.skip(REFUSED[0])


jit.njit = refuse_kernel


def pytest_ignore_collect(collection_path):
    """Servers and browsers are other processes from the start, and their fixtures wait for them."""
    return True if collection_path.name in ("web", "test_record_page.py") else None


def pytest_configure(config):
    """What is raised in a destructor is shown as a warning."""
    config.addinivalue_line("filterwarnings", "ignore::pytest.PytestUnraisableExceptionWarning")


def pytest_sessionstart(session):
    """Watch the process that runs tests; with xdist the controller runs none and starts the others."""
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
        sys.addaudithook(refuse_process)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGPROF, stop)


@pytest.hookimpl(wrapper=True)
def limited(item):
    """Give the rest of the hook a limit of processor time, and skip what fails after it was to be skipped."""
    REFUSED.clear()
    timed = hasattr(signal, "setitimer")
    if timed:
        # Again and again: the first may come during an import, or in a destructor, where Python ignores what is raised.
        signal.setitimer(signal.ITIMER_PROF, LIMIT, LIMIT / 10)
    try:
        return (yield)
    except Exception:
        if REFUSED:
            pytest.skip(REFUSED[0])
        raise
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)


pytest_runtest_setup = pytest_runtest_call = limited
