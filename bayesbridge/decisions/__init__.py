"""Decisions: what to bid, what to lead, how to play a suit, what to find out."""
