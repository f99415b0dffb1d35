"""``capture``: what the literal algorithm found, and why."""

import pytest

from bayesbridge import Hand
from bayesbridge.capture import literal

HAND = "AKQ2.KJ3.A54.Q32"


DUMMY = "J54.AQ2.KQ32.A54"


@pytest.mark.parametrize(
    ("own_hand", "dummy_hand", "condition"),
    [
        (HAND, DUMMY, "both"),
        ("5432.KJ3.A54.Q32", "876.AQ2.KQ32.A54", "only A"),
        ("5432.KJ3.754.Q32", "876.AQ2.J832.T54", "neither"),
    ],
)
def test_capture_says_in_json_what_the_literal_algorithm_found(
    document, own_hand, dummy_hand, condition
):
    expected = literal.capture(Hand.from_pbn(own_hand), Hand.from_pbn(dummy_hand))
    captured = document("capture", own_hand, dummy_hand)
    assert captured["condition"] == expected.condition == condition
    assert [captured[key] for key in ("T", "chi", "Delta", "Z")] == [
        expected.T,
        expected.chi,
        expected.Delta,
        expected.Z,
    ]
    for key in ("c1", "c2", "c0", "delta", "M", "kappa"):
        assert list(captured[key].items()) == list(
            zip("CDHS", getattr(expected, key), strict=True)
        )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("capture", HAND, DUMMY),
            "T = 11: both conditions hold, the two hands have 11 captures, and it ends at χ = 12,",
        ),
        (
            ("capture", "K5432.KJ32.A54.Q", "Q876.AQ.KQ732.JT"),
            "T = 0: condition A holds (Δ = 3), condition B fails in",
        ),
        (
            ("capture", "5432.KJ3.754.Q32", "876.AQ2.J832.T54"),
            "T = 0: condition A fails, for the leading gaps add up to Δ = ",
        ),
    ],
)
def test_people_are_told_why(answer, words, sentence):
    assert sentence in " ".join(answer(*words).split())
