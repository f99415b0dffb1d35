"""The split of deals: pinned, and the same as its description in words."""

import hashlib

import numpy as np

from bayesbridge.cards import DECK_MASK, Hand
from bayesbridge.deal import Deal
from bayesbridge.studies.benchmark import Part, is_test, part_of


def deals(count):
    rng = np.random.default_rng(5)
    for _ in range(count):
        order = rng.permutation(52)
        yield Deal(tuple(Hand(sum(1 << int(card) for card in order[13 * i : 13 * i + 13])) for i in range(4)))


def by_words(deal):
    """As the documentation says it, from the PBN text."""
    numbers = []
    for hand in deal.pbn[2:].split():
        suits = dict(zip("SHDC", hand.split("."), strict=True))
        numbers.append(
            sum(2 ** (13 * "CDHS".index(suit) + "23456789TJQKA".index(rank)) for suit in suits for rank in suits[suit])
        )
    assert sum(numbers) == DECK_MASK
    digest = hashlib.sha256(("(" + ", ".join(map(str, numbers)) + ")").encode()).digest()
    return int.from_bytes(digest[:4], "big") % 100


def test_the_rule_is_as_its_description():
    counts = dict.fromkeys(Part, 0)
    for deal in deals(2000):
        share = by_words(deal)
        assert part_of(deal) == (0 if share < 90 else 1 if share < 95 else 2)
        assert is_test(deal) == (share >= 95)
        counts[part_of(deal)] += 1
    for part, share in ((Part.TRAIN, 0.9), (Part.VALIDATE, 0.05), (Part.TEST, 0.05)):
        assert abs(counts[part] - 2000 * share) < 5 * (2000 * share * (1 - share)) ** 0.5


def test_the_rule_never_changes():
    assert [i for i, deal in enumerate(deals(100)) if is_test(deal)] == [78, 95]
