"""The instrument that judges choosing by value, on two boards."""

import call_values as instrument
import numpy as np
import pytest


def test_gains_and_promises_of_two_boards():
    args = instrument.parser().parse_args(
        ["--boards", "2", "--layouts", "20", "--network", "--workers", "1"]
    )
    values = instrument.judged(args)
    assert values.shape == (2, len(instrument.COLUMNS))
    assert (values[:, instrument.DEPARTURES] <= values[:, instrument.CHOICES]).all()
    unchanged = values[:, instrument.DEPARTURES] == 0
    assert (values[unchanged][:, instrument.GAINS] == 0.0).all()
    title = "two boards"
    table = instrument.summary_table(values, title)
    assert table.title == title
    mean_gain = instrument.summary(values)["gain of both sides"].mean
    assert mean_gain == pytest.approx(values[:, instrument.GAINS].sum(axis=1).mean())
    assert np.isfinite(values).all()
