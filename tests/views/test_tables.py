"""Tables of answers: what is told of honours."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.belief.posterior import CARDS
from bayesbridge.estimators.odds import ContractOdds
from bayesbridge.views.tables import sentences, told_bits
from tests import positions


def test_what_is_told_of_honours():
    """East has no heart, and nothing else is known: each missing heart honour is told
    log2(3/2) bits.
    """
    posterior = positions.wide().given(bb.Void("E", "H")).infer(draws=50, rng=1)
    bits = {CARDS[place]: told for place, told in told_bits(posterior).items()}
    assert [bits["HA"], bits["HQ"]] == pytest.approx([np.log2(1.5)] * 2)
    assert sentences(
        posterior,
        [ContractOdds.of_tree(bb.estimate(posterior, contract="4S", solve=0))],
        True,
    )[1] == (
        "Among the missing honours most is known about the ace of hearts (North with 50.0 %) "
        "and the queen of hearts (North with 50.0 %)."
    )
