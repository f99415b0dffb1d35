"""The rules of the reading benchmark: the split of deals as described in words and the frozen list."""

import hashlib
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bayesbridge.cards import DECK_MASK, Hand
from bayesbridge.deal import Deal
from bayesbridge.notation import open_records
from bayesbridge.studies.benchmark import Part, frozen_list, is_test, part_of_masks

RECORDS = open_records(Path(__file__).parents[2] / "examples" / "boards.pbn").records


def part_of(deal):
    return part_of_masks(hand.mask for hand in deal.hands)


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


def shuffled(seed):
    """Every example twice, at another table and in another order, some bare of their play."""
    twice = [*RECORDS, *(replace(one, plays=(), result=None) for one in RECORDS)]
    random.Random(seed).shuffle(twice)
    return twice


@pytest.mark.parametrize("part", list(Part))
def test_the_frozen_list_does_not_depend_on_the_order(part):
    lists = [frozen_list(shuffled(seed), part=part) for seed in range(3)]
    assert lists[0] == lists[1] == lists[2]
    found = lists[0]
    assert {one.deal.pbn for one in found} == {one.deal.pbn for one in RECORDS if part_of(one.deal) is part}
    assert [one.board for one in found] == [str(i) for i in range(1, len(found) + 1)]
    assert frozen_list(shuffled(9), 1, part) == found[:1]
