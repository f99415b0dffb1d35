"""Draws: marginals of layouts with weights, exact where the evidence is hard."""

import numpy as np

from tests.belief.test_posterior import HARD, made


def test_exact_marginals_do_not_depend_on_the_draws():
    """Hard evidence alone has exact probabilities.

    They are the same with two draws and with all layouts.
    """
    two = HARD.infer("direct", draws=2, rng=5)
    all_of_them = made("hard enumerate")
    for name in ("card_probabilities", "length_probabilities", "point_probabilities"):
        np.testing.assert_allclose(
            getattr(two, name)(), getattr(all_of_them, name)(), atol=1e-15
        )
    held = all_of_them.marginals
    np.testing.assert_allclose(
        held.card_marginals()[::-1], all_of_them.card_probabilities(), atol=1e-12
    )
