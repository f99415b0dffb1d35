"""Tables of answers: what is told of honours."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.belief.posterior import CARDS
from bayesbridge.decisions.history import CallReading, Spread
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.game.calls import Call
from bayesbridge.game.deal import Seat
from bayesbridge.views.call_readings import slam_words
from bayesbridge.views.sentences import sentences
from bayesbridge.views.tables import card_information
from tests import positions


def test_what_is_told_of_honours():
    """Each missing heart honour is told log2(3/2) bits.

    East has no heart, and nothing else is known.
    """
    posterior = positions.wide().given(bb.Void("E", "H")).infer(draws=50, rng=1)
    bits = {
        CARDS[place]: information
        for place, information in card_information(posterior).items()
    }
    assert [bits["HA"], bits["HQ"]] == pytest.approx([np.log2(1.5)] * 2)
    assert sentences(
        posterior,
        [ContractOdds.of_tree(bb.estimate(posterior, contract="4S", solve=0))],
    )[1] == (
        "Among the missing honours most is known about the ace of hearts (North with 50.0 %) "
        "and the queen of hearts (North with 50.0 %)."
    )


def test_answers_about_key_cards_and_control_bids_are_worded():
    """The number that is likeliest, with its chance; what another call shows stays."""
    spread = Spread(12.0, 10, 14)
    answer = CallReading(
        Seat.N, Call.of("5H"), spread, key_cards=(0.0, 0.01, 0.98, 0.01, 0.0, 0.0)
    )
    single = CallReading(Seat.N, Call.of("5C"), spread, key_cards=(0.25, 0.75))
    control = CallReading(Seat.N, Call.of("4D"), spread, features={"control": 0.9})
    unlikely = CallReading(Seat.N, Call.of("4D"), spread, features={"control": 0.6})
    assert slam_words(answer) == ["2 key cards (98.0 %)"]
    assert slam_words(single) == ["1 key card (75.0 %)"]
    assert slam_words(control) == ["90.0 % control in diamonds"]
    assert slam_words(unlikely) == []
