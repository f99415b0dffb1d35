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
    compile_estimators()
