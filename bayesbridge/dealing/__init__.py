"""Deals on demand, drawn exactly where tables hold the conditions, else tested."""
