"""Deals with their double-dummy tables, solved once."""

from pathlib import Path

import numpy as np

from bayesbridge.layouts import Layouts


def solved_deals():
    """80 random layouts and their tricks (80, strain C D H S NT, declarer N E S W)."""
    lines = Path(__file__).with_name("solved_deals.txt").read_text("utf-8").splitlines()[1:]
    deals, tables = zip(*(line.rsplit(": ", 1) for line in lines), strict=True)
    tricks = [[[int(digit, 16) for digit in row] for row in table.split()] for table in tables]
    return Layouts.of(deals), np.array(tricks)
