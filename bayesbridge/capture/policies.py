"""The policies of the play-out by name; :mod:`bayesbridge.capture.playout` says what each plays."""

from typing import Final

POLICIES: Final = ("general", "high", "low")
"""By code 0, 1, 2."""
