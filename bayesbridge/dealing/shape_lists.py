"""Shapes as the dealer language writes them: four lengths in the order S H D C, ``x`` for any length."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

from bayesbridge.shapes import ALL, Shapes


@lru_cache(maxsize=512)
def read_shape(text: str, any_order: bool = False) -> Shapes:
    """The shapes, lengths C D H S, that a pattern stands for; raises ``ValueError`` with the reason.

    >>> sorted(read_shape("54xx"))
    [(0, 4, 4, 5), (1, 3, 4, 5), (2, 2, 4, 5), (3, 1, 4, 5), (4, 0, 4, 5)]
    >>> len(read_shape("4333", any_order=True))
    4
    """
    if len(text) != 4 or not all(letter in "x0123456789" for letter in text):
        raise ValueError("write four lengths in the order spades, hearts, diamonds, clubs, such as 54xx or any 4333")
    lengths = [None if letter == "x" else int(letter) for letter in reversed(text)]
    orders = set(permutations(lengths)) if any_order else {tuple(lengths)}
    found = frozenset(
        shape
        for shape in ALL
        if any(all(want is None or want == has for want, has in zip(order, shape, strict=True)) for order in orders)
    )
    if not found:
        raise ValueError("no hand of 13 cards has it")
    return found
