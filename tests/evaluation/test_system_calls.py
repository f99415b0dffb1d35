"""The sequences of systems and the decisions of textbooks.

What they hold, and how one is judged.
"""

import decisions
import numpy as np
import pytest
import system_calls
import system_reading

import bayesbridge as bb


def test_sequences_stand_for_every_suit_and_family():
    sequences = system_calls.sequences()
    assert len(sequences) >= 240
    assert len(set(sequences)) == len(sequences)
    reverses = {
        str(sequence.auction)
        for sequence in sequences
        if sequence.family == "reverse" and sequence.system == "sayc"
    }
    assert "N:1D Pass 1S Pass 2H" in reverses
    assert "N:1C Pass 1D Pass 2H" not in reverses


def test_a_sequence_is_judged_by_the_share_that_keeps_the_promise(monkeypatch):
    monkeypatch.setattr(system_calls, "DEALT_HANDS", 10_000)
    system_calls.dealt_hands.cache_clear()
    notrump = next(
        sequence
        for sequence in system_calls.sequences()
        if sequence.promise.text == "15-17 points, balanced"
    )
    share, error = system_calls.judge(notrump, seed=3)
    assert share > 0.85 - 3 * error
    shares = np.full((len(system_calls.sequences()), 2), 0.9)
    shares[0, 0] = 0.4
    rows = system_calls.family_table(shares).rows
    assert rows[0][4].startswith("40 %")
    system_calls.dealt_hands.cache_clear()


def test_there_are_sixty_decisions_of_full_hands():
    rows = decisions.decisions()
    assert len(rows) >= 60
    for row in rows:
        assert len(bb.Hand.of(row.hand)) == 13
        auction = bb.Auction.four("N").after_all(row.calls)
        assert all(auction.can(call) for call in row.textbook.split())


def test_a_decision_agrees_where_the_textbook_has_the_call():
    opening = decisions.Decision(
        "opening", "sayc", "AQ5.KJ3.A954.Q73", "", "1NT", "16 points, balanced"
    )
    verdict = decisions.judge(opening)
    assert verdict.agrees
    assert verdict.call == "1NT"
    assert not decisions.judge(opening._replace(textbook="1D")).agrees


@pytest.mark.parametrize(
    ("five", "points", "system"),
    [(1.0, 15.5, "sayc"), (0.5, 12.8, "acol"), (1.0, 13.0, None)],
)
def test_pairs_are_known_by_their_openings(five, points, system):
    habits = system_reading.Habits()
    means = {
        "1NT points": points,
        "five-card major": five,
        "strong 1C": 0.1,
        "strong 2C": 1.0,
        "game force": 0.5,
        "natural answer": 1.0,
    }
    habits.met.update(dict.fromkeys(means, 10))
    habits.sums.update({kind: 10 * mean for kind, mean in means.items()})
    assert habits.system() == system
