"""Shapes of hands: known frequencies, and one line for what is none."""

import pytest

import bayesbridge as bb
from bayesbridge.engines.conditions import count
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.shapes import ALL, read_shapes

BAD_SHAPES = {
    "": "is no shape",
    "5-4-4-1": "14 cards",
    "S8+ H6+": "no hand of 13 cards",
    "S6+ S-4": "no length of S fits",
}


@pytest.mark.parametrize(
    ("text", "says"), BAD_SHAPES.items(), ids=map(repr, BAD_SHAPES)
)
def test_bad_shapes_get_one_clear_line(text, says):
    with pytest.raises(bb.errors.NotationError, match=says) as caught:
        bb.Shape("W", text)
    assert "\n" not in str(caught.value)


def test_shapes_by_frequency():
    """Known frequencies of shapes over all deals.

    They are from H. G. Francis et al., The Official Encyclopedia of Bridge.
    """
    frequencies = {
        "4-4-3-2": 0.21551,
        "5-3-3-2": 0.15517,
        "4-3-3-3": 0.10536,
        "5-4-2-2": 0.10580,
        "any 7-6": 0.0000556,
    }
    everything = count(Constraints.free())
    for text, frequency in frequencies.items():
        shaped = Constraints.free().shape(0, read_shapes(text))
        assert count(shaped) / everything == pytest.approx(frequency, rel=2e-3)
    assert len(ALL) == 560
