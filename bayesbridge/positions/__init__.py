"""Positions as people write them, in options, in files and in code: who looks, at what, and what was seen in order."""
