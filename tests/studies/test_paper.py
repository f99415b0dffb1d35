"""The paper's tables as data."""

from bayesbridge.studies.paper import CAPTURES, CONDITIONS


def test_the_printed_tables_agree_with_each_other():
    assert [sum(run) for run in CONDITIONS.runs] == [1_000_000] * 3
    assert [sum(run) for run in CAPTURES.runs] == [run[2] for run in CONDITIONS.runs]
