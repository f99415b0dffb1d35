"""Deals on demand: conditions on any hands, drawn exactly where tables can hold them
and tested where they cannot.
"""
