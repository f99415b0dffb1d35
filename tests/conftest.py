"""Settings for every test: no test asserts a duration, and a CI run draws the same examples each time."""

import os
import signal

import pytest
from hypothesis import settings

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("ci" if os.environ.get("CI") else "local")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs tests in the background has them ignore interrupts, and their children with them; tests that
    # interrupt a child would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def measuring():
    """What to put into the environment of a child process whose coverage counts.

    Others are not measured: many are killed, interrupted or find no room on the disk, and what measures them with them.
    """
    return {name: os.environ.pop(name) for name in ("COVERAGE_PROCESS_CONFIG",) if name in os.environ}
