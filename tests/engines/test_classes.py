"""Classes and look-ups of small tables."""

import numpy as np

from bayesbridge.engines.classes import Lookup, digits, row_classes


def test_equal_rows_are_one_class_and_impossible_ones_none():
    classes, first = row_classes(np.array([[2, 1], [-1, -1], [0, 5], [2, 1]]))
    assert (classes.tolist(), first.tolist()) == ([1, -1, 0, 1], [2, 0])


def test_what_is_looked_up_is_one_number_of_several_digits():
    one, two = np.array([[0, 2], [1, -1]]), np.array([[4, 3]])
    found = Lookup.of([one, two], [3, 5]).between(
        np.array([[0, 0], [1, 0]]), np.array([[0, 1], [1, 0]])
    )
    assert digits(found[:, 0], [3, 5]).tolist() == [[0, 3], [1, 3]]
    assert found[0, 1] == 2 + 3 * 4
    assert found[1, 1] < 0
