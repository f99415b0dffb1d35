"""A second process compiles a part of the kernels that the first answer needs.

They are some forty, so on two cores the answer comes sooner.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

from bayesbridge.runtime.cache import cache_directory, source_name, use_folder

DEAL: Final = "N:AKQ2.KJ3.A54.Q32 J873.A542.KQ2.87 T654.T96.JT9.AKJ 9.Q87.8763.T9654"
"""Any deal: which kernels are compiled does not depend on the cards."""


def share_compiling() -> subprocess.Popen[bytes] | None:
    """Let a second process compile the kernels of estimators, on the first run."""
    try:
        is_first_run = use_folder(cache_directory() / source_name())
    except OSError:
        # No kernel can be kept for another process.
        return None
    if not is_first_run or os.cpu_count() == 1:
        return None
    return subprocess.Popen(
        [sys.executable, "-m", "bayesbridge.estimators.first_run"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def compile_kernels() -> None:
    """Compile and keep kernels, those that the first process needs last coming first.

    The first process begins with the tables of cards and the bidders' networks, so the
    two seldom compile the same kernel.
    """
    compile_splits()
    compile_estimators()


def compile_splits() -> None:
    """Split one set of cards between two sides that may hold anything."""
    import numpy as np

    from bayesbridge.engines.splits import FIELD, Side, split
    from bayesbridge.game.layouts import Layouts
    from bayesbridge.runtime.random64 import seed_state

    side = Side(
        must=np.zeros(4, np.int64),
        may=np.full(4, FIELD),
        low=np.zeros(4, np.int64),
        high=np.full(4, 13),
        bounds=np.array([0, 40]),
        holding=np.ones((4, 14, 16)),
        points=np.ones(41),
    )
    hands = Layouts.of([DEAL]).masks
    split(side, side, hands[:, 0] | hands[:, 1], seed_state(0))


def compile_estimators() -> None:
    """Ask about one deal what nearly every answer asks about its layouts."""
    import numpy as np

    from bayesbridge.engines.draws import Marginals
    from bayesbridge.estimators.builtin import CaptureEstimator
    from bayesbridge.estimators.network import trick_probabilities
    from bayesbridge.estimators.protocol import Question
    from bayesbridge.game.layouts import Layouts, read_only

    # Two, since the columns of a single row are taken for arrays as they are.
    layouts = Layouts.of([DEAL, DEAL])
    trick_probabilities(layouts, "N", "NT")
    Marginals.of([(layouts.masks, read_only(np.full(2, 0.5)))])
    CaptureEstimator().estimate(layouts, Question.of("NS"))


if __name__ == "__main__":
    compile_kernels()
