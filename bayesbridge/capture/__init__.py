"""The paper's two algorithms.

A literal transcription, and the kernels and exact counts tested against it.
"""

from typing import Final

POLICIES: Final = ("general", "high", "low")
"""Of the play-out, by code 0, 1, 2; what each plays is said in
:mod:`bayesbridge.capture.playout`.
"""
