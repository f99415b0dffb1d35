"""Which deals are set aside: the rule by which anybody rebuilds the test list from a public collection.

The rule looks at the cards alone. All tables of one deal are on the same side, in every file and in every order, so no
list of boards needs to be published. Written out, for those who use another language:

- each hand is the sum of 2 ** (13 * suit + rank) over its cards; suits C D H S = 0 … 3, ranks 2 … A = 0 … 12
- the text is the four numbers of N, E, S, W in decimal: ``(1, 2, 3, 4)``, each comma followed by one space
- the first eight hexadecimal digits of the SHA-256 of that text, as a number modulo 100, are the share
- shares 0 to 89 train, 90 to 94 validate, 95 to 99 are the test
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import IntEnum

from bayesbridge.deal import Deal


class Part(IntEnum):
    """What a deal is used for."""

    TRAIN = 0
    VALIDATE = 1
    TEST = 2


def digest_of_masks(masks: Iterable[int]) -> str:
    """SHA-256 of a deal in hexadecimal digits, given the masks of the hands N E S W."""
    return hashlib.sha256(repr(tuple(int(mask) for mask in masks)).encode()).hexdigest()


def part_of_masks(masks: Iterable[int]) -> Part:
    """The part of a deal, given the masks of the hands N E S W."""
    share = int(digest_of_masks(masks)[:8], 16) % 100
    return Part.TRAIN if share < 90 else Part.VALIDATE if share < 95 else Part.TEST


def part_of(deal: Deal) -> Part:
    """The part of a deal: nine in ten train, one in twenty validates, one in twenty is the test.

    >>> part_of(Deal.of("N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -"))
    <Part.TEST: 2>
    """
    return part_of_masks(hand.mask for hand in deal.hands)


def is_test(deal: Deal) -> bool:
    """Whether a deal is on the test list, on which nothing may be fitted or chosen.

    >>> is_test(Deal.of("N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -"))
    True
    """
    return part_of(deal) is Part.TEST
