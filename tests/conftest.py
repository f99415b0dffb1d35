"""Settings for every test: no test asserts a duration, and a CI run draws the same examples each time."""

import os
import signal

import numpy as np
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

SHIFT = int(os.environ.get("BAYESBRIDGE_SEED_SHIFT", "0"))
"""Not 0: every seed in this process is another one, to see whether a statistical test survives other draws."""

if SHIFT:
    plain_rng, Plain = np.random.default_rng, np.random.SeedSequence

    class Either(type):
        """Children that a shifted sequence spawns are plain ones, and count as sequences too."""

        def __instancecheck__(cls, value):
            return isinstance(value, Plain)

    class Shifted(Plain, metaclass=Either):
        def __init__(self, entropy=None, **options):
            super().__init__(None if entropy is None else [SHIFT, *np.atleast_1d(entropy).tolist()], **options)

    def shifted_rng(seed=None):
        """``default_rng``; generators, sequences and seeds drawn by the system stay as they are."""
        return plain_rng([SHIFT, *np.atleast_1d(seed).tolist()] if isinstance(seed, int | list | tuple) else seed)

    np.random.default_rng, np.random.SeedSequence = shifted_rng, Shifted


@pytest.fixture(scope="session", autouse=True)
def measuring():
    """What to put into the environment of a child process whose coverage counts.

    Others are not measured: many are killed, interrupted or find no room on the disk, and what measures them with them.
    """
    return {name: os.environ.pop(name) for name in ("COVERAGE_PROCESS_CONFIG",) if name in os.environ}
