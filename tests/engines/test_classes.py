"""Classes and look-ups of small tables."""

import numpy as np

from bayesbridge.engines.classes import Lookup, digits, row_classes


def test_equal_rows_are_one_class_and_impossible_ones_none():
    table = np.array([[2, 1], [-1, -1], [0, 5], [2, 1]])
    classes, representatives = row_classes(table)
    assert classes.tolist() == [1, -1, 0, 1]
    assert representatives.tolist() == [2, 0]


def test_what_is_looked_up_is_one_number_of_several_digits():
    matrices = [np.array([[0, 2], [1, -1]]), np.array([[4, 3]])]
    low_classes = np.array([[0, 0], [1, 0]])
    high_classes = np.array([[0, 1], [1, 0]])
    numbers = Lookup.of(matrices, [3, 5]).between(low_classes, high_classes)
    assert digits(numbers[:, 0], [3, 5]).tolist() == [[0, 3], [1, 3]]
    assert numbers[0, 1] == 2 + 3 * 4
    assert numbers[1, 1] < 0
